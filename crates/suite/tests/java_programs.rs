//! The Java programs of the project: each says what comes of which property, `auto` has to find out, and a real JVM runs them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use threadwise_front_java::{TemporaryFolder, compile_together, has_jdk, javac, jdk_program};
use threadwise_frontends::{Loaded, Options, PROPERTY, all_options, frontend_for};
use threadwise_limits::Budget;
use threadwise_portfolio::{EngineName, Request, verify};
use threadwise_source::SourceFile;
use threadwise_suite::java_programs;

const PROPERTIES: [&str; 4] = ["assertions", "exceptions", "races", "deadlock"];

/// Whether the tests can be done here.
fn is_possible() -> bool {
    let is_there = has_jdk();
    if !is_there {
        eprintln!("skipped: there is no JDK (on Debian: apt install default-jdk-headless)");
    }
    is_there
}

fn read(path: &PathBuf) -> SourceFile {
    SourceFile::new(path.display().to_string(), std::fs::read_to_string(path).expect("readable program"))
}

fn said<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let prefix = format!("// {key}: ");
    text.lines().find_map(|line| line.strip_prefix(prefix.as_str())).map(str::trim)
}

/// A program with one property, and with bounds of a level.
fn loaded(file: &SourceFile, property: &str, level: u32) -> Loaded {
    let mut options = Options::default();
    options.add(&PROPERTY, property);
    for flag in said(file.text(), "flags").into_iter().flat_map(str::split_whitespace) {
        let option = all_options().into_iter().find(|option| format!("--{}", option.long) == flag);
        options.add(option.expect("a flag"), "");
    }
    let frontend = frontend_for(Path::new(file.name()));
    let loaded = frontend.load_within(vec![file.clone()], &options.at_level(level), &Budget::unlimited());
    loaded.expect("there is no limit")
}

/// The verdict on one property of a program, whose bounds are raised as long as it goes beyond them.
fn verdict(file: &SourceFile, property: &str) -> String {
    for level in 0.. {
        let loaded = loaded(file, property, level);
        let Some(program) = loaded.program else {
            panic!("{}", threadwise_diagnostics::render(&loaded.source, &loaded.diagnostics, false));
        };
        let budget = Budget::new(Some(Duration::from_secs(120)), None);
        let request = Request { bounded: loaded.bounded.clone().into(), ..Request::default() };
        let outcome = verify(&program, &request, &budget);
        if !outcome.goes_beyond(&program, &loaded.bounded) {
            return outcome.verdict.word().to_uppercase();
        }
    }
    unreachable!("bounds are not raised for ever")
}

#[test]
fn java_programs_are_what_they_say() {
    if !is_possible() {
        return;
    }
    threadwise_solver_setup::solver_for_tests();
    let files: Vec<SourceFile> = java_programs().iter().map(read).collect();
    compile_together(&files).unwrap_or_else(|error| panic!("{}", error.message));
    let mut asked = 0;
    for file in &files {
        for property in PROPERTIES {
            let Some(expected) = said(file.text(), property) else { continue };
            assert_eq!(verdict(file, property), expected, "{property} of {}", file.name());
            asked += 1;
        }
    }
    eprintln!("{} programs, {asked} questions", files.len());
    assert!(asked > 130, "only {asked} questions");
}

/// Every engine that has something to say in a moment agrees with what the programs say of themselves: one pair of a question and
/// an engine in eight, others in each run of the numbers; all of them are a test of their own.
#[test]
fn no_engine_contradicts_what_java_programs_say() {
    all_engines(Duration::from_millis(300), 8);
}

/// The same for all pairs: `cargo test -p threadwise-suite --test java_programs all_questions -- --ignored --nocapture`.
#[test]
#[ignore = "it takes a quarter of an hour"]
fn no_engine_contradicts_java_programs_on_all_questions() {
    all_engines(Duration::from_millis(500), 1);
}

fn all_engines(limit: Duration, one_in: usize) {
    if !is_possible() {
        return;
    }
    threadwise_solver_setup::solver_for_tests();
    let files: Vec<SourceFile> = java_programs().iter().map(read).collect();
    compile_together(&files).unwrap_or_else(|error| panic!("{}", error.message));
    let mut agreed: BTreeMap<EngineName, (u32, u32)> = BTreeMap::new();
    let mut number = 0;
    for file in &files {
        for property in PROPERTIES {
            let Some(expected) = said(file.text(), property) else { continue };
            let program = loaded(file, property, 0).program.expect("it was loaded before");
            for engine in EngineName::ALL {
                number += 1;
                // Neighbours are of one program: there are twelve engines, so that each has its turn.
                if (number + number / 12) % one_in != 0 {
                    continue;
                }
                let request = Request { engine: engine.into(), ..Request::default() };
                let outcome = verify(&program, &request, &Budget::new(Some(limit), None));
                let found = outcome.verdict.word().to_uppercase();
                assert!(found == "UNKNOWN" || found == expected, "{engine}: {found} for {property} of {}", file.name());
                let (all, decided) = agreed.entry(engine).or_default();
                (*all, *decided) = (*all + 1, *decided + u32::from(found == expected));
            }
        }
    }
    for (engine, (all, decided)) in &agreed {
        eprintln!("{engine}: {decided} of {all}");
    }
    // How many there are depends on how busy the machine is.
    assert!(agreed.len() == EngineName::ALL.len() && agreed.values().any(|(_, decided)| *decided > 0), "{agreed:?}");
}

/// What is not known is refused in its line, with what it is and what to do.
#[test]
fn what_is_not_known_is_refused_where_it_stands() {
    if !is_possible() {
        return;
    }
    for (statement, what) in [
        ("Integer a = 1000, b = 1000; assert a == b;", "may be boxes"),
        ("Thread.currentThread().interrupt();", "Thread.interrupt"),
        ("Executors.newFixedThreadPool(1).awaitTermination(1, TimeUnit.SECONDS);", "waiting with a time"),
        ("Executors.newCachedThreadPool();", "newCachedThreadPool"),
        ("lock.wait(10);", "wait"),
        ("new java.util.ArrayList<String>();", "ArrayList"),
        ("double d = args.length; assert d < 1;", ""),
        ("switch (args[0]) { case \"a\": assert false; }", "no `switch` over them"),
        ("String a = \"a\" + args.length, b = a; assert a == b;", "two texts are compared"),
        ("int[] a = (int[]) lock;", "an array of this type"),
        ("Comparable<?> c = (Comparable<?>) lock;", "a `Comparable`"),
        ("Object[] made = new Thread[1]; Object[][] a = {made}; a[0][0] = lock;", "made for `Thread`"),
        ("Object[] a = args.length > 0 ? args : new Thread[1]; a[0] = lock;", "made for `Thread`"),
        ("int[][] a = new int[args.length][2];", "no small constants"),
        ("Class.forName(\"Refused\");", "forName"),
    ] {
        let text = format!(
            "import java.util.concurrent.*;\n\npublic class Refused {{\n    static final Object lock = new Object();\n    \
             public static void main(String[] args) throws Exception {{\n        {statement}\n    }}\n}}\n"
        );
        let loaded = loaded(&SourceFile::new("Refused.java", text), "assertions", 0);
        assert!(loaded.program.is_none(), "{statement} is not refused");
        let said = threadwise_diagnostics::render(&loaded.source, &loaded.diagnostics, false);
        assert!(said.contains(what) && said.contains("Refused.java:6:"), "{statement}: {said}");
        assert!(loaded.diagnostics.iter().all(|error| error.hint.is_some()), "{statement}: {said}");
    }
}

/// The static part of a class is set up before `main` here: what makes a difference then is refused.
#[test]
fn static_parts_that_depend_on_when_they_are_set_up_are_refused() {
    if !is_possible() {
        return;
    }
    for (part, what) in [
        ("static { Refused.box.value = 5; }", "uses what may change"),
        ("static int first = Refused.box.value;", "uses what may change"),
        ("static int first = Refused.counter.incrementAndGet();", "uses what may change"),
        ("static { Refused.numbers[0] = 5; }", "uses what may change"),
        ("static int first = Refused.number;", "that may change"),
    ] {
        let text = format!(
            "import java.util.concurrent.atomic.*;\n\npublic class Refused {{\n    static class Box {{ int value; }}\n    \
             static class Late {{\n        {part}\n        static void use() {{}}\n    }}\n    \
             static final Box box = new Box();\n    static final AtomicInteger counter = new AtomicInteger();\n    \
             static final int[] numbers = new int[1];\n    static int number;\n    \
             public static void main(String[] args) {{\n        box.value = 7;\n        Late.use();\n    }}\n}}\n"
        );
        let loaded = loaded(&SourceFile::new("Refused.java", text), "assertions", 0);
        assert!(loaded.program.is_none(), "{part} is not refused");
        let said = threadwise_diagnostics::render(&loaded.source, &loaded.diagnostics, false);
        assert!(said.contains(what) && said.contains("Refused.java:6:"), "{part}: {said}");
    }
}

/// Runs programs in one JVM: those without errors many times, those that always fail once.
const RUNNER: &str = r#"
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

public class Runner {
    static String failure(URL classes, String name) throws Exception {
        AtomicReference<Throwable> wrong = new AtomicReference<>();
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> wrong.compareAndSet(null, error));
        try (URLClassLoader loader = new URLClassLoader(new URL[] {classes}, null)) {
            loader.setDefaultAssertionStatus(true);
            ThreadGroup group = new ThreadGroup(name);
            Thread main = new Thread(group, () -> {
                try {
                    loader.loadClass(name).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
                } catch (java.lang.reflect.InvocationTargetException error) {
                    wrong.compareAndSet(null, error.getCause());
                } catch (Exception error) {
                    wrong.compareAndSet(null, error);
                }
            });
            main.start();
            main.join(10_000);
            Thread[] others = new Thread[16];
            int count = group.enumerate(others);
            for (int i = 0; i < count; i++) {
                others[i].join(10_000);
                if (others[i].isAlive()) {
                    return "a thread does not end";
                }
            }
        }
        return wrong.get() == null ? "fine" : wrong.get().getClass().getName();
    }

    public static void main(String[] args) throws Exception {
        URL classes = new File(args[0]).toURI().toURL();
        int times = Integer.parseInt(args[1]);
        for (int i = 2; i < args.length; i++) {
            String outcome = "fine";
            for (int run = 0; run < times && outcome.equals("fine"); run++) {
                outcome = failure(classes, args[i]);
            }
            System.out.println(args[i] + " " + outcome);
        }
    }
}
"#;

fn run(files: &[SourceFile], names: &[String], times: u32) -> Vec<(String, String)> {
    let folder = TemporaryFolder::new().expect("a folder");
    let mut all = files.to_vec();
    all.push(SourceFile::new("Runner.java", RUNNER));
    javac(&all, folder.path()).unwrap_or_else(|error| panic!("{}", error.message));
    let classes = folder.path().join("classes");
    let mut java = Command::new(jdk_program("java"));
    java.args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"]).arg(&classes).arg("Runner");
    let output = java.arg(&classes).arg(times.to_string()).args(names).output().expect("a JVM");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let pair = |line: &str| line.split_once(' ').map(|(name, outcome)| (name.to_string(), outcome.to_string()));
    text.lines().filter_map(pair).collect()
}

fn class_of(file: &SourceFile) -> String {
    Path::new(file.name()).file_stem().expect("a name").to_string_lossy().into_owned()
}

/// Programs that are said to be without errors never fail on a JVM, and those that are said to fail always do.
#[test]
fn a_real_jvm_agrees() {
    if !is_possible() {
        return;
    }
    let files: Vec<SourceFile> = java_programs().iter().map(read).collect();
    let is_fine = |file: &&SourceFile| {
        let is_safe = |property: &str| said(file.text(), property).is_none_or(|verdict| verdict == "SAFE");
        ["assertions", "exceptions", "deadlock"].into_iter().all(is_safe)
            && said(file.text(), "flags").is_none()
            && said(file.text(), "jvm").is_none()
    };
    let fine: Vec<String> = files.iter().filter(is_fine).map(class_of).collect();
    let always = |file: &&SourceFile| said(file.text(), "jvm") == Some("fails");
    let failing: Vec<String> = files.iter().filter(always).map(class_of).collect();
    assert!(fine.len() > 15 && failing.len() > 2, "{} and {}", fine.len(), failing.len());
    let outcomes = run(&files, &fine, 100);
    assert_eq!(outcomes.len(), fine.len(), "the virtual machine ended early");
    for (name, outcome) in outcomes {
        assert_eq!(outcome, "fine", "{name}");
    }
    for (name, outcome) in run(&files, &failing, 1) {
        assert!(outcome.starts_with("java."), "{name}: {outcome}");
    }
}

/// A small generator of random numbers, so that a seed gives the same program always.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % sides
    }

    /// An expression over `a`, `b` (int), `c` (long) and `d` (byte, char or short), of a type.
    fn expression(&mut self, is_long: bool, depth: u32) -> String {
        const EDGES: [&str; 8] = ["0", "1", "-1", "7", "-13", "Integer.MIN_VALUE", "Integer.MAX_VALUE", "255"];
        if depth == 0 || self.roll(6) == 0 {
            return match (is_long, self.roll(4)) {
                (true, 0) => "c".into(),
                (true, 1) => "Long.MIN_VALUE".into(),
                (true, 2) => "4294967297L".into(),
                (true, _) => format!("(long) {}", self.expression(false, 0)),
                (false, 0) => "a".into(),
                (false, 1) => "b".into(),
                (false, 2) => "d".into(),
                (false, _) => EDGES[self.roll(8) as usize].into(),
            };
        }
        let inner = |dice: &mut Dice| dice.expression(is_long, depth - 1);
        match self.roll(9) {
            0..=3 => {
                let op = ["+", "-", "*", "&", "|", "^"][self.roll(6) as usize];
                format!("({} {op} {})", inner(self), inner(self))
            }
            4 => {
                let op = ["/", "%"][self.roll(2) as usize];
                format!("({} {op} ({} | 1))", inner(self), inner(self))
            }
            5 => {
                let op = ["<<", ">>", ">>>"][self.roll(3) as usize];
                format!("({} {op} {})", inner(self), self.expression(false, depth - 1))
            }
            6 => {
                let op = ["<", "<=", "==", "!=", ">", ">="][self.roll(6) as usize];
                let is_wide = self.roll(2) == 0;
                let (x, y) = (self.expression(is_wide, depth - 1), self.expression(is_wide, depth - 1));
                format!("({x} {op} {y} ? {} : {})", inner(self), inner(self))
            }
            7 => {
                let kind = ["byte", "char", "short"][self.roll(3) as usize];
                let cut = format!("({kind}) ({})", self.expression(false, depth - 1));
                if is_long { format!("(long) ({cut})") } else { format!("({cut})") }
            }
            _ if is_long => format!("(- {})", inner(self)),
            _ => format!("(int) ({})", self.expression(true, depth - 1)),
        }
    }
}

/// A method that computes something; what it gives is made of all of its variables.
fn method(dice: &mut Dice, number: usize) -> String {
    let kind = ["byte", "char", "short"][dice.roll(3) as usize];
    let mut text = format!(
        "    static long f{number}(int a, int b, long c) {{\n        {kind} d = 3;\n        int[] e = {{1, 2, 3}};\n"
    );
    for step in 0..4 {
        let line = match dice.roll(6) {
            0 => format!("a = {};", dice.expression(false, 3)),
            1 => format!("c {} {};", ["+=", "-=", "^=", "<<="][dice.roll(4) as usize], dice.expression(true, 2)),
            2 => format!("d = ({kind}) ({});", dice.expression(false, 2)),
            3 => format!(
                "for (int i = 0; i < 3; i++) {{ b += {}; if (b > 100) break; e[i] = b; }}",
                dice.expression(false, 1)
            ),
            4 => format!(
                "switch (a & 3) {{ case 0: b++; case 1: c--; break; case 2: d++; default: b = {}; }}",
                dice.expression(false, 2)
            ),
            _ => format!(
                "try {{ a = {} / {}; }} catch (ArithmeticException zero) {{ c += {step}; }} finally {{ d++; }}",
                dice.expression(false, 1),
                dice.expression(false, 1)
            ),
        };
        text.push_str(&format!("        {line}\n"));
    }
    text.push_str("        return a + 31L * b + 1000003L * c + 7L * d + e[1];\n    }\n");
    text
}

/// Random methods compute the same on a JVM and here: the values from there are asserted here.
#[test]
fn random_methods_compute_what_a_jvm_computes() {
    if !is_possible() {
        return;
    }
    let count = std::env::var("JAVA_METHODS").ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let methods: Vec<String> = (0..count).map(|number| method(&mut dice, number)).collect();
    let calls: Vec<String> = (0..count)
        .map(|number| format!("f{number}({}, {}, {}L)", number % 7, 3 - number as i64, number * 1_000_000_007))
        .collect();
    let all = methods.concat();
    let prints: String = calls.iter().map(|call| format!("        System.out.println({call});\n")).collect();
    let printing =
        format!("public class Printing {{\n{all}    public static void main(String[] args) {{\n{prints}    }}\n}}\n");
    let folder = TemporaryFolder::new().expect("a folder");
    let file = SourceFile::new("Printing.java", printing);
    javac(&[file], folder.path()).unwrap_or_else(|error| panic!("{}", error.message));
    let mut java = Command::new(jdk_program("java"));
    let output = java.arg("-cp").arg(folder.path().join("classes")).arg("Printing").output().expect("a JVM");
    let text = String::from_utf8(output.stdout).expect("numbers");
    let values: Vec<&str> = text.lines().collect();
    assert_eq!(values.len(), count);
    let asserts: String =
        calls.iter().zip(values).map(|(call, value)| format!("        assert {call} == {value}L;\n")).collect();
    let computing =
        format!("public class Computing {{\n{all}    public static void main(String[] args) {{\n{asserts}    }}\n}}\n");
    let file = SourceFile::new("Computing.java", computing.clone());
    for property in ["assertions", "exceptions"] {
        assert_eq!(verdict(&file, property), "SAFE", "{property} of\n{computing}");
    }
}
