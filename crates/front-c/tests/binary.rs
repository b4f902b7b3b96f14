//! Random programs, compiled and run, against what the front end makes of them. Only what C leaves open is left out.

mod support;

use std::fmt::Write as _;
use std::process::Command;
use support::Machine;
use threadwise_front_c::{Options, load};
use threadwise_source::{Severity, SourceFile};

/// The variables of all programs.
const VARIABLES: &str = "
signed char g0 = -3; unsigned char g1 = 200; short g2 = -30000; unsigned short g3 = 65000; int g4 = 7;
unsigned int g5 = 4000000000u; long g6 = -5; unsigned long g7 = 1ul << 63; _Bool g8 = 1; long long g9 = 1ll << 40;
enum color { RED, GREEN = 5, BLUE } e1 = BLUE;
int arr[8] = { 1, 2, [4] = 5, 6 }; unsigned char bytes[4] = \"ab\"; short grid[2][4] = { { 1 }, { 2, 3 } };
struct inner { unsigned char x; long y; };
struct outer { int a; struct inner t; unsigned int b : 5; int c : 7; short d[3]; union { int u; }; };
struct outer s = { 1, { 2, 3 }, 4, -5, { 6, 7 } }, s2 = { .c = 9, .t.y = -1, .u = 77 };
struct inner list[3] = { { 1, 2 }, [2].y = 4 };
int *p = &arr[3]; struct outer *ps = &s; long *py = &list[1].y;
unsigned long long result[64];
";

const LVALUES: &[&str] = &[
    "g0",
    "g1",
    "g2",
    "g3",
    "g4",
    "g5",
    "g6",
    "g7",
    "g8",
    "g9",
    "e1",
    "s.a",
    "s.t.x",
    "s.t.y",
    "s.b",
    "s.c",
    "s2.c",
    "s2.d[1]",
    "ps->a",
    "ps->t.y",
    "ps->b",
    "ps->d[2]",
    "(*p)",
    "p[1]",
    "p[-1]",
    "(*py)",
    "arr[2]",
    "(*(arr + 5))",
    "bytes[0]",
    "list[2].x",
    "s.u",
    "2[arr]",
    "grid[1][2]",
    "(*(*(grid + 1) + 3))",
    "x",
    "y",
];

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % bound
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

struct Generator {
    random: Random,
    /// How many functions can be called.
    functions: usize,
    labels: usize,
}

impl Generator {
    fn lvalue(&mut self) -> String {
        match self.random.below(6) {
            0 => format!("arr[({}) & 7]", self.pure(1)),
            1 => format!("grid[({}) & 1][({}) & 3]", self.pure(1), self.pure(0)),
            _ => self.random.pick(LVALUES).to_string(),
        }
    }

    /// An expression without effects.
    fn pure(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.random.below(3) {
                0 => self.constant(),
                _ => self.lvalue_leaf(),
            };
        }
        let types = ["char", "unsigned char", "short", "unsigned", "long", "unsigned long", "_Bool", "int"];
        match self.random.below(11) {
            0 => format!("(({}){})", self.random.pick(&types), self.pure(depth - 1)),
            1 => format!("({} {})", self.random.pick(&["-", "~", "!", "+"]), self.pure(depth - 1)),
            2 => format!("({} ? {} : {})", self.pure(depth - 1), self.pure(depth - 1), self.pure(depth - 1)),
            3 => format!("({} {} (({} & 7) + 1))", self.pure(depth - 1), self.random.pick(&["/", "%"]), self.pure(0)),
            4 => format!("({} {} ({} & 7))", self.pure(depth - 1), self.random.pick(&["<<", ">>"]), self.pure(0)),
            5 => format!("({} {} {})", self.pure(depth - 1), self.random.pick(&["&&", "||"]), self.pure(depth - 1)),
            6 => {
                let operator = self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
                format!("({} {operator} {})", self.pure(depth - 1), self.pure(depth - 1))
            }
            7 => self.lvalue(),
            8 => self
                .random
                .pick(&["(p - arr)", "(p == &arr[3])", "(&arr[5] - p)", "(ps == &s)", "(p < arr + 4)"])
                .to_string(),
            _ => {
                let operator = self.random.pick(&["+", "-", "*", "&", "|", "^"]);
                format!("({} {operator} {})", self.pure(depth - 1), self.pure(depth - 1))
            }
        }
    }

    fn lvalue_leaf(&mut self) -> String {
        self.random.pick(LVALUES).to_string()
    }

    fn constant(&mut self) -> String {
        let constants =
            ["0", "1", "-1", "3", "255", "256", "-128", "65536", "0x7fffffff", "2147483648", "1ull", "GREEN", "'z'"];
        self.random.pick(&constants).to_string()
    }

    /// An expression with one effect, or with several in an order that C fixes.
    fn effect(&mut self, depth: usize) -> String {
        let constant = self.constant();
        match self.random.below(if depth == 0 { 5 } else { 11 }) {
            0 => format!("({} = {})", self.lvalue(), self.pure(2)),
            1 => {
                let operator = self.random.pick(&["+=", "-=", "*=", "&=", "|=", "^="]);
                format!("({} {operator} {})", self.lvalue(), self.pure(1))
            }
            2 => format!("({} {} ({} & 7))", self.lvalue(), self.random.pick(&["<<=", ">>="]), self.pure(0)),
            3 => format!("({}{})", self.lvalue(), self.random.pick(&["++", "--"])),
            4 => format!("({}{})", self.random.pick(&["++", "--"]), self.lvalue()),
            5 => format!("({} && {})", self.effect(depth - 1), self.effect(depth - 1)),
            6 => format!("({} || {})", self.pure(1), self.effect(depth - 1)),
            7 => format!("({} ? {} : {})", self.effect(depth - 1), self.effect(depth - 1), self.pure(1)),
            8 => format!("({}, {})", self.effect(depth - 1), self.effect(depth - 1)),
            9 => format!("({constant} {} {})", self.random.pick(&["+", "-", "*", "^"]), self.effect(depth - 1)),
            _ => self.call(),
        }
    }

    fn call(&mut self) -> String {
        if self.functions == 0 {
            return "(s = s2).a".to_string();
        }
        let index = self.random.below(self.functions);
        match self.random.below(5) {
            4 => format!("deep({} & 3, {})", self.pure(1), self.pure(1)),
            0 => format!("copied(s, {}).t.y", self.pure(1)),
            1 => format!("table[{}]({}, {})", self.random.below(2), self.pure(1), self.pure(1)),
            2 => format!("({{ int x = {}; x += {}; x; }})", self.pure(1), self.pure(1)),
            _ => format!("f{index}({}, {})", self.pure(1), self.pure(1)),
        }
    }

    fn statement(&mut self, depth: usize) -> String {
        if depth == 0 {
            return format!("{};", self.effect(2));
        }
        match self.random.below(12) {
            0 => format!("if ({}) {{ {} }} else {{ {} }}", self.effect(1), self.block(depth), self.block(depth)),
            1 => format!("if ({}) {}", self.pure(2), self.statement(depth - 1)),
            2 => {
                let leave = self.random.pick(&["break", "continue"]);
                format!(
                    "for (int i = 0; i < 3; i++) {{ {} if ({}) {leave}; {} }}",
                    self.block(depth),
                    self.pure(1),
                    self.block(depth)
                )
            }
            3 => format!("{{ int n = 3; while (n-- > 0 && {}) {{ {} }} }}", self.effect(1), self.block(depth)),
            4 => format!(
                "{{ int n = 2; do {{ {} if ({}) continue; {} }} while (--n); }}",
                self.block(depth),
                self.pure(1),
                self.block(depth)
            ),
            5 => {
                let (first, second, third) = (self.block(depth), self.block(depth), self.block(depth));
                let value = self.pure(1);
                format!(
                    "switch (({value}) & 3) {{ case 0: {first} case 1: {second} break; case 2 ... 2: {third} default: x++; }}"
                )
            }
            6 => {
                self.labels += 1;
                let label = self.labels;
                format!("if ({}) goto l{label}; {} l{label}: {}", self.pure(1), self.block(depth), self.statement(0))
            }
            7 => format!("{{ struct outer t = {{ .a = {}, .d = {{ 1, {} }} }}; s2 = t; }}", self.pure(1), self.pure(1)),
            8 => format!(
                "{{ int t[4] = {{ {}, [3] = {} }}; p = &arr[(t[3] & 3) + 1]; g6 = t[0] + t[1]; }}",
                self.pure(1),
                self.pure(1)
            ),
            9 => "ps = ps == &s ? &s2 : &s;".to_string(),
            10 => format!("*({} ? &g4 : p) = {};", self.pure(1), self.pure(2)),
            _ => self.statement(0),
        }
    }

    fn block(&mut self, depth: usize) -> String {
        let count = 1 + self.random.below(2);
        let statements: Vec<String> = (0..count).map(|_| self.statement(depth - 1)).collect();
        statements.join(" ")
    }

    fn program(&mut self) -> String {
        let mut text = VARIABLES.to_string();
        text.push_str("static struct outer copied(struct outer v, int k) { v.t.y += k; v.b = k; return v; }\n");
        text.push_str("static long deep(int n, long k) { long own = k ^ n, *q = &own; if (n <= 0) return k;\n");
        text.push_str("  long rest = deep(n - 1, k * 3 + 1); return rest + *q; }\n");
        let types = ["int", "unsigned char", "long", "short", "_Bool", "unsigned"];
        text.push_str("long f0(int x, int y); long f1(int x, int y); long (*table[2])(int, int) = { f0, &f1 };\n");
        for index in 0..3 {
            let (result, ty) =
                if index < 2 { ("long", "int") } else { (self.random.pick(&types), self.random.pick(&types)) };
            let body: Vec<String> = (0..3).map(|_| self.statement(2)).collect();
            // The first two call nothing, since pointers to them are in the table.
            let _ = writeln!(
                text,
                "{result} f{index}({ty} x, {ty} y) {{ {} return {}; }}",
                body.join("\n  "),
                self.pure(2)
            );
            self.functions = if index >= 1 { index + 1 } else { 0 };
        }
        let body: Vec<String> = (0..6).map(|_| self.statement(3)).collect();
        let _ = writeln!(text, "void run(void) {{ int x = 1; unsigned short y = 2; {} }}", body.join("\n  "));
        text.push_str("int main(void) { run();\n");
        let known = LVALUES.iter().filter(|value| !matches!(**value, "x" | "y"));
        for (index, value) in known.enumerate() {
            let _ = writeln!(text, "  result[{index}] = (unsigned long long)({value});");
        }
        text.push_str("  for (int i = 0; i < 8; i++) result[i + 50] = arr[i];\n  FINISH\n  return 0;\n}\n");
        text
    }
}

/// What the compiled program prints.
fn run_binary(text: &str, name: &str) -> Vec<u64> {
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, binary) = (directory.join(format!("{name}.c")), directory.join(name));
    let print = "for (int i = 0; i < 64; i++) __builtin_printf(\"%llu \", result[i]);";
    std::fs::write(&source, text.replace("FINISH", print)).expect("there is a place for files");
    let flags = ["-std=gnu11", "-w", "-O0", "-fwrapv", "-o"];
    let status = Command::new("cc").args(flags).arg(&binary).arg(&source).status();
    assert!(status.expect("`cc` is there, as cargo needs it to link").success(), "{text}");
    let output = Command::new(&binary).output().expect("it runs");
    let _ = (std::fs::remove_file(&source), std::fs::remove_file(&binary));
    String::from_utf8_lossy(&output.stdout).split_whitespace().map(|word| word.parse().expect("a number")).collect()
}

fn interpreted(text: &str) -> Vec<u64> {
    let text = text.replace("FINISH", "");
    let loaded = load(vec![SourceFile::new("test.i", &*text)], &Options::default());
    let errors: Vec<_> = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(
        errors.is_empty(),
        "{}\n{text}",
        threadwise_diagnostics::render(&loaded.source, &loaded.diagnostics, false)
    );
    let code = loaded.code.expect("there are no errors");
    Machine::run(&code).words("result")
}

#[test]
fn programs_do_what_their_binaries_do() {
    let count = std::env::var("C_PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(25);
    for seed in 0..count {
        let mut generator = Generator { random: Random(seed), functions: 0, labels: 0 };
        let text = generator.program();
        assert_eq!(interpreted(&text), run_binary(&text, &format!("random{seed}")), "seed {seed}\n{text}");
    }
}

#[test]
#[ignore = "compares one file, named by C_FILE"]
fn one_file_does_what_its_binary_does() {
    let text = std::fs::read_to_string(std::env::var("C_FILE").expect("C_FILE is set")).expect("it can be read");
    assert_eq!(interpreted(&text), run_binary(&text, "one"));
}
