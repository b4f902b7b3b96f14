//! Random sequential programs in C whose behaviour is defined, or is what `-fwrapv` makes of it: what a compiled program
//! computes, the front end has to compute too.

use crate::dice::Dice;
use std::fmt::Write;

const TYPES: [&str; 9] = [
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned int",
    "long",
    "unsigned long",
    "_Bool",
];

/// What all programs have in common.
const PRELUDE: &str = "\
struct inner { short a; unsigned char b; };
struct outer { int a; struct inner in; long c[4]; int *p; struct outer *next; unsigned bits : 5; signed tiny : 3; };
union same { int i; unsigned u; };
enum color { red, green = 5, blue };
static unsigned long hash;
static void mix(unsigned long v) { hash = hash * 31 + v; }
void *malloc(unsigned long);
void *realloc(void *, unsigned long);
void free(void *);
static long deep(int n, long k) { long own = k ^ n, *q = &own; if (n <= 0) return k; long rest = deep(n - 1, k * 3 + 1); return rest + *q; }
static int odd(unsigned n, int *q);
static int even(unsigned n, int *q) { *q += 2; return n == 0 ? 1 : odd(n - 1, q); }
static int odd(unsigned n, int *q) { *q -= 1; return n == 0 ? 0 : even(n - 1, q); }
static long sums(int n) { if (n <= 1) return n; return sums(n - 1) - sums(n - 2) * 3; }
";

/// A function `void run(void)` that mixes what it computes into `hash`, with all that it needs.
pub fn random_c(seed: u64) -> String {
    let mut writer = Writer { dice: Dice::new(seed), out: String::from(PRELUDE), depth: 0, loops: 0, helpers: 0 };
    writer.globals();
    writer.helper();
    writer.helper();
    writer.run();
    writer.out
}

struct Writer {
    dice: Dice,
    out: String,
    depth: usize,
    loops: usize,
    helpers: usize,
}

impl Writer {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "  ".repeat(self.depth));
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.dice.roll(100) < percent
    }

    fn globals(&mut self) {
        for index in 0..4 {
            let (ty, value) = (self.dice.pick(&TYPES), self.constant());
            self.line(&format!("static {ty} g{index} = {value};"));
        }
        let values: Vec<String> = (0..4).map(|_| self.constant()).collect();
        let ty = self.dice.pick(&TYPES[..8]);
        self.line(&format!("static {ty} arr[4] = {{ {} }};", values.join(", ")));
        self.line("static int grid[2][3] = { { 1, 2, 3 }, { 4 } };");
        self.line("static struct outer s = { .a = 7, .in = { 1, 2 }, .c = { [2] = 9 }, .p = &grid[1][0] }, t;");
        self.line("static union same un;");
        self.line("static int *gp = &grid[0][1];");
    }

    fn constant(&mut self) -> String {
        let constants = [
            "0",
            "1",
            "2",
            "3",
            "7",
            "-1",
            "-2",
            "100",
            "127",
            "128",
            "255",
            "256",
            "32767",
            "-32768",
            "65535",
            "65536",
            "2147483647",
            "(-2147483647 - 1)",
            "4294967295u",
            "0x7fffffffffffffffL",
            "0xffffffffffffffffUL",
            "'a'",
            "blue",
            "10L",
            "3u",
            "1UL",
        ];
        self.dice.pick(&constants).to_string()
    }

    /// A function with parameters of random types.
    fn helper(&mut self) {
        let (result, first, second) = (self.dice.pick(&TYPES), self.dice.pick(&TYPES), self.dice.pick(&TYPES));
        let number = self.helpers;
        self.line(&format!("static {result} helper{number}({first} x, {second} y, int *q) {{"));
        self.depth += 1;
        self.line("static int calls = 0;");
        self.line("calls++;");
        let e = self.expression(2, &["x", "y", "*q", "calls", "g0"]);
        self.line(&format!("if ((calls & 1) != 0) {{ *q += {e}; }}"));
        let e = self.expression(2, &["x", "y", "*q", "g1"]);
        self.line(&format!("return {e};"));
        self.depth -= 1;
        self.line("}");
        self.helpers += 1;
    }

    fn run(&mut self) {
        self.line("static void run(void) {");
        self.depth += 1;
        for index in 0..4 {
            let ty = self.dice.pick(&TYPES);
            let value = self.expression(1, &["g0", "g1", "arr[2]"]);
            self.line(&format!("{ty} v{index} = {value};"));
        }
        self.line("int w = 3, *p = &w;");
        self.line("struct outer l = s;");
        self.line("struct outer *o = &t;");
        self.line("o->next = &l; l.next = &t; o->p = &w;");
        for _ in 0..14 {
            self.statement(3);
        }
        for name in ["v0", "v1", "v2", "v3", "w", "g0", "g1", "g2", "g3", "*p", "*gp", "s.a", "s.in.a", "s.in.b", "t.a"]
        {
            self.line(&format!("mix((unsigned long)({name}));"));
        }
        for name in ["l.a", "l.in.a", "l.in.b", "l.bits", "l.tiny", "t.bits", "t.tiny", "un.u", "o->in.b", "o->next->a"]
        {
            self.line(&format!("mix((unsigned long)({name}));"));
        }
        self.line("for (int k = 0; k < 4; k++) { mix(arr[k]); mix(s.c[k]); mix(t.c[k]); mix(l.c[k]); }");
        self.line("for (int k = 0; k < 6; k++) mix(grid[k / 3][k % 3]);");
        self.depth -= 1;
        self.line("}");
    }

    fn place(&mut self) -> String {
        let plain = [
            "v0",
            "v1",
            "v2",
            "v3",
            "w",
            "g0",
            "g1",
            "g2",
            "g3",
            "*p",
            "*gp",
            "s.a",
            "s.in.a",
            "s.in.b",
            "o->a",
            "o->in.a",
            "l.bits",
            "l.tiny",
            "t.bits",
            "un.i",
            "o->next->a",
            "o->next->in.b",
            "*o->p",
            "l.a",
        ];
        match self.dice.roll(10) {
            0 => format!("arr[{} & 3]", self.operand()),
            1 => format!("s.c[{} & 3]", self.operand()),
            2 => format!("o->c[({}) & 3]", self.operand()),
            3 => format!("grid[{} & 1][{} & 1]", self.operand(), self.operand()),
            _ => self.dice.pick(&plain).to_string(),
        }
    }

    fn operand(&mut self) -> String {
        let places = ["v0", "v1", "v2", "v3", "w", "g0", "g1", "s.a", "*p", "l.tiny", "un.u", "s.in.b"];
        self.dice.pick(&places).to_string()
    }

    fn statement(&mut self, depth: usize) {
        match self.dice.roll(if depth == 0 { 10 } else { 16 }) {
            0..=2 => {
                let (place, e) = (self.place(), self.any_expression(3));
                self.line(&format!("{place} = {e};"));
            }
            3 => {
                let (place, op, e) =
                    (self.place(), self.dice.pick(&["+=", "-=", "*=", "^=", "|=", "&="]), self.any_expression(2));
                self.line(&format!("{place} {op} {e};"));
            }
            4 => {
                let (place, op) = (self.place(), self.dice.pick(&["++", "--"]));
                let text = if self.chance(50) { format!("{op}({place});") } else { format!("({place}){op};") };
                self.line(&text);
            }
            5 => {
                let choices = [
                    "p = &w;",
                    "p = &grid[1][2];",
                    "p = &s.a;",
                    "p = gp;",
                    "gp = &grid[w & 1][1];",
                    "o = &t;",
                    "o = &l;",
                    "p = o->p;",
                    "o = o->next;",
                    "t.p = p;",
                    "gp = p == gp ? &grid[0][0] : gp;",
                    "l = t;",
                    "t = s; t.next = &l; t.p = &w;",
                    "s.in = l.in;",
                    "l = t; l.next = &t; l.p = gp; o = &l;",
                ];
                let text = self.dice.pick(&choices);
                // A struct that was copied as a whole has pointers that lead on all the same.
                self.line(&format!("{text} o->next = &t; o->p = &w; l.next = &t; t.next = &l; t.p = &w; l.p = &w;"));
            }
            6 => {
                let (number, a, b) = (self.dice.roll(2), self.any_expression(1), self.any_expression(1));
                let target = self.dice.pick(&["&w", "p", "&grid[1][1]", "&s.a"]);
                // Not a place that depends on what the function changes: C leaves open which comes first.
                let place = self.dice.pick(&["v0", "v1", "v2", "v3", "g2", "g3", "l.a", "un.i"]);
                self.line(&format!("{place} = helper{number}({a}, {b}, {target});"));
            }
            // These are a lot of code each, and objects of the heap can be used again in many ways.
            7 | 8 if self.loops > 0 || self.chance(50) => self.statement(0),
            7 => {
                let (place, e) = (self.dice.pick(&["v0", "v1", "g2", "l.a"]), self.any_expression(1));
                let depth = self.dice.pick(&["3", "9", "s.in.b & 3", "w & 1"]);
                let call = match self.dice.roll(3) {
                    0 => format!("deep({depth}, {e})"),
                    1 => format!("even({depth}, &w)"),
                    _ => "sums(5)".to_string(),
                };
                self.line(&format!("{place} = {call};"));
            }
            8 => self.heap(),
            9 => {
                let e = self.any_expression(2);
                let text = match self.dice.roll(4) {
                    0 => format!("{{ long z = (long)p; *(int *)z += {e}; }}"),
                    1 => format!("{{ unsigned long z = (unsigned long)&s.in; ((struct inner *)z)->b = {e}; }}"),
                    2 => format!("{{ void *z = (void *)(long)(w & 63); v0 = (int)(long)z + ({e}); }}"),
                    _ => format!("{{ char *z = (char *)&o->in; ((struct outer *)(z - 4))->a ^= {e}; }}"),
                };
                self.line(&text);
            }
            10 | 11 => {
                let condition = self.any_expression(2);
                self.line(&format!("if ({condition}) {{"));
                self.block(depth - 1);
                if self.chance(60) {
                    self.line("} else {");
                    self.block(depth - 1);
                }
                self.line("}");
            }
            12 | 13 if self.loops < 3 => {
                let name = format!("i{}", self.loops);
                self.loops += 1;
                let count = 1 + self.dice.roll(4);
                self.line(&format!("for (int {name} = 0; {name} < {count}; {name}++) {{"));
                if self.chance(30) {
                    self.line(&format!("  if ({name} == 1) continue;"));
                }
                if self.chance(20) {
                    let condition = self.any_expression(1);
                    self.line(&format!("  if ({condition}) break;"));
                }
                self.block(depth - 1);
                self.line("}");
                self.loops -= 1;
            }
            14 => {
                let e = self.any_expression(2);
                self.line(&format!("switch ((int)({e}) & 3) {{"));
                for case in ["case 0:", "case 1:", "default:"] {
                    self.line(case);
                    self.block(depth - 1);
                    if self.chance(60) {
                        self.line("  break;");
                    }
                }
                self.line("}");
            }
            _ => {
                let (a, b, c) = (self.place(), self.any_expression(1), self.any_expression(1));
                self.line(&format!("{a} = ({b}, {c});"));
            }
        }
    }

    /// An array on the heap whose size changes; every element is set before it is read.
    fn heap(&mut self) {
        let ty = self.dice.pick(&["long", "unsigned char", "struct inner"]);
        let (value, part) = if ty == "struct inner" { (".a", ".a") } else { ("", "") };
        let (few, more) = (1 + self.dice.roll(2), 1 + self.dice.roll(2));
        let (first, second) = (self.any_expression(1), self.any_expression(1));
        // Sizes that are constants, and sizes that are not.
        let count = self.dice.pick(&["(unsigned long)(1 + (w & 1))", "2UL", "1"]);
        self.line(&format!("{{ unsigned long n = {count}, k = 0; {ty} *h = malloc(n * sizeof({ty}));"));
        self.line(&format!("  for (; k < n; k++) h[k]{value} = {first};"));
        self.line(&format!("  h = realloc(h, (n + {more}) * sizeof({ty}));"));
        self.line(&format!("  for (; k < n + {more}; k++) h[k]{value} = {second};"));
        self.line(&format!("  for (k = 0; k < n + {more}; k++) mix(h[k]{part});"));
        self.line(&format!("  h = realloc(h, {few} * sizeof({ty}));"));
        self.line(&format!("  for (k = 0; k < n && k < {few}; k++) mix(h[k]{part}); free(h); }}"));
    }

    fn block(&mut self, depth: usize) {
        self.depth += 1;
        for _ in 0..1 + self.dice.roll(2) {
            self.statement(depth);
        }
        self.depth -= 1;
    }

    fn any_expression(&mut self, depth: usize) -> String {
        self.expression(
            depth,
            &["v0", "v1", "v2", "v3", "w", "g0", "g1", "g2", "g3", "*p", "*gp", "s.a", "s.in.a", "s.in.b"],
        )
    }

    fn expression(&mut self, depth: usize, names: &[&str]) -> String {
        if depth == 0 || self.chance(15) {
            return if self.chance(65) { self.dice.pick(names).to_string() } else { self.constant() };
        }
        let a = self.expression(depth - 1, names);
        let b = self.expression(depth - 1, names);
        match self.dice.roll(20) {
            0..=2 => format!("({a} + {b})"),
            3 | 4 => format!("({a} - {b})"),
            5 => format!("({a} * {b})"),
            6 => format!("(({b}) == 0 || ({b}) == -1 ? 1 : ({a}) / ({b}))"),
            7 => format!("(({b}) == 0 || ({b}) == -1 ? 1 : ({a}) % ({b}))"),
            8 => format!("(({a}) << (({b}) & 7))"),
            9 => format!("(({a}) >> (({b}) & 7))"),
            10 => format!("({a} {} {b})", self.dice.pick(&["&", "|", "^"])),
            11 | 12 => format!("({a} {} {b})", self.dice.pick(&["<", "<=", ">", ">=", "==", "!="])),
            13 => format!("({a} {} {b})", self.dice.pick(&["&&", "||"])),
            14 => {
                let c = self.expression(depth - 1, names);
                format!("({a} ? {b} : {c})")
            }
            15 => format!("({})({a})", self.dice.pick(&TYPES)),
            16 => format!("(-({a}))"),
            17 => format!("(~({a}))"),
            18 => format!("(!({a}))"),
            _ => format!(
                "(unsigned)sizeof({})",
                self.dice.pick(&["int", "long", "struct outer", "short", "arr", "grid[0]"])
            ),
        }
    }
}
