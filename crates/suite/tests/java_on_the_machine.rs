//! Java programs on a real virtual machine, under schedules that are forced: each error that is found happens there; programs
//! that are said to be right never go wrong along random ways; and of random small programs all ways are tried.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use threadwise_frontends::{Options, PROPERTY, all_options, load_java_with_atlas};
use threadwise_ir::Instance;
use threadwise_limits::Budget;
use threadwise_memory::Atlas;
use threadwise_native::Outcome;
use threadwise_native::jvm::{Classes, replay};
use threadwise_portfolio::{Request, verify};
use threadwise_source::SourceFile;
use threadwise_suite::java_programs;
use threadwise_verdict::Verdict;

const PROPERTIES: [&str; 4] = ["assertions", "exceptions", "races", "deadlock"];
const LIMIT: Duration = Duration::from_secs(120);

/// Whether the tests can be done here.
fn is_possible() -> bool {
    let is_there = threadwise_front_java::has_jdk();
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

fn options(file: &SourceFile, property: &str) -> Options {
    let mut options = Options::default();
    options.add(&PROPERTY, property);
    for flag in said(file.text(), "flags").into_iter().flat_map(str::split_whitespace) {
        let option = all_options().into_iter().find(|option| format!("--{}", option.long) == flag);
        options.add(option.expect("a flag"), "");
    }
    options
}

/// All programs of the project.
fn files() -> Vec<SourceFile> {
    java_programs().iter().map(read).collect()
}

/// The class files of programs whose classes have different names.
fn together(files: &[SourceFile]) -> Classes {
    threadwise_front_java::compile_together(files).unwrap_or_else(|error| panic!("{}", error.message));
    let how = threadwise_front_java::Options { entry: Some(name(&files[0]).to_string()), no_spurious: false };
    Classes::new(files, &how).unwrap_or_else(|trouble| panic!("{trouble}"))
}

fn of_file(all: &Classes, file: &SourceFile) -> Classes {
    all.with_main(name(file), said(file.text(), "flags").is_some_and(|flags| flags.contains("--no-spurious")))
}

/// A program with one property, with a map of its memory.
fn load(file: &SourceFile, property: &str) -> (Instance, Atlas) {
    let (loaded, atlas, _) = load_java_with_atlas(vec![file.clone()], &options(file, property));
    let Some(program) = loaded.program else {
        panic!("{}", threadwise_diagnostics::render(&loaded.source, &loaded.diagnostics, false));
    };
    (Instance::new(program, 2), atlas)
}

fn verdict(instance: &Instance) -> Verdict {
    verify(&instance.program, &Request::default(), &Budget::new(Some(LIMIT), None)).verdict
}

fn name(file: &SourceFile) -> &str {
    Path::new(file.name()).file_stem().and_then(|name| name.to_str()).expect("a name")
}

#[test]
fn errors_happen_on_a_virtual_machine() {
    if !is_possible() {
        return;
    }
    threadwise_solver_setup::solver_for_tests();
    let only = std::env::var("JAVA_ONLY").ok();
    let (mut confirmed, mut failures) = (0, Vec::new());
    let files = files();
    let all = together(&files);
    for file in &files {
        if only.as_ref().is_some_and(|only| !file.name().contains(only.as_str())) {
            continue;
        }
        for property in PROPERTIES.into_iter().filter(|property| said(file.text(), property) == Some("UNSAFE")) {
            let (instance, atlas) = load(file, property);
            let Verdict::Unsafe(found) = verdict(&instance) else { panic!("{property} of {}", file.name()) };
            let found = found.trace();
            // A machine that has longs whole cannot tear them.
            if said(file.text(), "jvm") == Some("whole") && property != "races" {
                let outcome = replay(found.instance(), found.trace(), &atlas, &of_file(&all, file), LIMIT);
                assert!(matches!(outcome, Ok(Outcome::Undecided(_))), "{property} of {}: {outcome:?}", name(file));
                continue;
            }
            let mut outcome = replay(found.instance(), found.trace(), &atlas, &of_file(&all, file), LIMIT);
            // On a busy machine a thread may be taken to be blocked before it goes on: what does not happen is tried once more.
            if !matches!(outcome, Ok(Outcome::Confirmed(_))) {
                eprintln!("once more: {property} of {}: {outcome:?}", name(file));
                outcome = replay(found.instance(), found.trace(), &atlas, &of_file(&all, file), LIMIT);
            }
            match outcome {
                Ok(Outcome::Confirmed(_)) => confirmed += 1,
                other => failures.push(format!("{property} of {}: {other:?}", name(file))),
            }
        }
    }
    assert!(failures.is_empty(), "{confirmed} were confirmed, but not these: {failures:#?}");
    assert!(only.is_some() || confirmed > 30, "{confirmed} errors were confirmed");
}

/// So often each program runs along random ways; the whole thousand is a test of its own, which takes minutes.
const WAYS: u32 = 30;

/// Programs that are said to be right do not go wrong along random ways.
#[test]
fn right_programs_stay_right_along_random_ways() {
    stay_right(WAYS);
}

/// The same a thousand times: `cargo test -p threadwise-suite --test java_on_the_machine thousand -- --ignored --nocapture`.
#[test]
#[ignore = "it takes minutes"]
fn right_programs_stay_right_along_a_thousand_random_ways() {
    stay_right(1000);
}

fn stay_right(ways: u32) {
    if !is_possible() {
        return;
    }
    let (files, mut failures) = (files(), Vec::new());
    let all = together(&files);
    // A program that ends the virtual machine ends it with all that is asked about it.
    let runs = |file: &&SourceFile| said(file.text(), "jvm") != Some("ends");
    let needs_notification =
        |file: &SourceFile| said(file.text(), "flags").is_some_and(|flags| flags.contains("--no-spurious"));
    let limit = LIMIT * (1 + ways / 250);
    let mut found = BTreeMap::new();
    for no_spurious in [false, true] {
        let names: Vec<&str> =
            files.iter().filter(runs).filter(|file| needs_notification(file) == no_spurious).map(name).collect();
        // Executions that are stuck stay until their machine ends: there is a new one for every few programs.
        for names in names.chunks(8) {
            let started = Instant::now();
            let classes = all.with_main(names[0], no_spurious);
            found.extend(classes.random_ways(names, ways, 17, limit).unwrap_or_else(|trouble| panic!("{trouble}")));
            eprintln!("{:5.1} s: {}", started.elapsed().as_secs_f64(), names.join(", "));
        }
    }
    let mut executions = 0;
    for file in files.iter().filter(runs) {
        let found = found.get(name(file)).map_or(&[][..], Vec::as_slice);
        assert_eq!(found.len(), ways as usize, "{}", file.name());
        executions += found.len();
        for property in PROPERTIES.into_iter().filter(|property| said(file.text(), property) == Some("SAFE")) {
            // The executions of a program end where something else goes wrong first.
            if found.iter().any(|wrong| wrong.split(' ').any(|word| word == property)) {
                failures.push(format!("{property} of {}", file.name()));
            }
        }
    }
    eprintln!("{executions} executions");
    assert!(failures.is_empty(), "{failures:#?}");
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

    fn one_of(&mut self, all: &[&str]) -> String {
        all[self.roll(all.len() as u64) as usize].to_string()
    }

    /// Something that a thread does, in one to three steps.
    fn statement(&mut self, depth: u32) -> String {
        let field = self.one_of(&["a", "b", "shared.c", "cells[0]", "cells[a & 1]"]);
        let simple = match self.roll(7) {
            0 => format!("{field} = {};", self.roll(3)),
            1 => format!("{field}++;"),
            2 => format!("b = {field};"),
            3 => "atomic.incrementAndGet();".to_string(),
            4 => format!("atomic.compareAndSet({}, 2);", self.roll(2)),
            5 => "a = atomic.get();".to_string(),
            _ => format!("assert {field} != {};", 1 + self.roll(3)),
        };
        match self.roll(6) {
            _ if depth == 0 => simple,
            0 => format!("synchronized (one) {{ {} }}", self.statement(depth - 1)),
            1 => format!("synchronized (two) {{ {} }}", self.statement(depth - 1)),
            2 => format!("lock.lock(); try {{ {} }} finally {{ lock.unlock(); }}", self.statement(depth - 1)),
            3 => format!("if ({field} == {}) {{ {} }}", self.roll(2), self.statement(depth - 1)),
            4 => format!("guarded{}();", self.roll(2)),
            _ => simple,
        }
    }

    /// A program with two threads beside `main`, of a name.
    fn program(&mut self, name: &str) -> String {
        let mut text = format!(
            "import java.util.concurrent.atomic.AtomicInteger;\nimport java.util.concurrent.locks.ReentrantLock;\n\n\
             public class {name} {{\n    static int a;\n    static volatile int b;\n    int c;\n    \
             static final {name} shared = new {name}();\n    static final int[] cells = new int[2];\n    \
             static final Object one = new Object();\n    static final Object two = new Object();\n    \
             static final ReentrantLock lock = new ReentrantLock();\n    \
             static final AtomicInteger atomic = new AtomicInteger();\n\n"
        );
        for number in 0..2 {
            let word = self.one_of(&["", "synchronized "]);
            let body = self.statement(0);
            text.push_str(&format!("    static {word}void guarded{number}() {{\n        {body}\n    }}\n\n"));
        }
        text.push_str("    public static void main(String[] args) throws InterruptedException {\n");
        for thread in ["first", "second"] {
            text.push_str(&format!("        Thread {thread} = new Thread(() -> {{\n"));
            let count = if thread == "first" { 2 } else { 1 };
            (0..count).for_each(|_| text.push_str(&format!("            {}\n", self.statement(1))));
            text.push_str("        });\n");
        }
        text.push_str("        first.start();\n        second.start();\n");
        if self.roll(2) == 0 {
            text.push_str("        first.join();\n        second.join();\n");
            text.push_str(&format!("        assert a + atomic.get() != {};\n", 1 + self.roll(3)));
        }
        text.push_str("    }\n}\n");
        text
    }
}

/// Of random small programs a virtual machine goes all ways: what goes wrong on one of them is found, and nothing else.
#[test]
fn random_programs_go_wrong_as_on_a_virtual_machine() {
    if !is_possible() {
        return;
    }
    threadwise_solver_setup::solver_for_tests();
    let count = std::env::var("JAVA_PROGRAMS").ok().and_then(|text| text.parse().ok()).unwrap_or(10);
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let files: Vec<SourceFile> = (0..count)
        .map(|number| SourceFile::new(format!("Random{number}.java"), dice.program(&format!("Random{number}"))))
        .collect();
    let all = together(&files);
    let (mut compared, mut wrong) = (0, 0);
    for file in &files {
        let ways = of_file(&all, file).all_ways(3000, Duration::from_secs(30));
        let (ways, is_whole) = ways.unwrap_or_else(|trouble| panic!("{trouble}"));
        for property in PROPERTIES {
            let goes_wrong = ways.iter().any(|way| way.split(' ').any(|word| word == property));
            if !goes_wrong && !is_whole {
                continue;
            }
            let (instance, atlas) = load(file, property);
            let found = verdict(&instance);
            let expected = if goes_wrong { "unsafe" } else { "safe" };
            assert_eq!(found.word(), expected, "{property} of\n{}", file.text());
            (compared, wrong) = (compared + 1, wrong + u32::from(goes_wrong));
            if let Verdict::Unsafe(found) = found {
                let found = found.trace();
                let outcome = replay(found.instance(), found.trace(), &atlas, &of_file(&all, file), LIMIT);
                assert!(matches!(outcome, Ok(Outcome::Confirmed(_))), "{property}: {outcome:?} of\n{}", file.text());
            }
        }
    }
    eprintln!("{compared} questions about {count} programs, {wrong} with errors");
    assert!(compared > 0 && wrong > 0, "only {compared} questions about {count} programs");
}
