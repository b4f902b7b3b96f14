//! Small random programs full of locks, starts and joins, most of them nearly right.

use crate::dice::Dice;

/// A program whose properties are all about races. Values are constants and copies of each other, so that hardly anything else
/// can go wrong.
pub fn random_locked(seed: u64) -> String {
    let dice = &mut Dice::new(seed);
    let kind = Kind::ALL[dice.roll(Kind::ALL.len())];
    let mut text = String::from(DECLARATIONS);
    let property = dice.pick(&["norace x;", "norace x, y;", "norace a[*];", "norace x, y, a[*];", "norace x, y, a;"]);
    match kind {
        Kind::Static => {
            text += &thread(dice, "P", 3);
            text += &thread(dice, dice_copies(seed), 3);
        }
        Kind::Any => {
            text += &thread(dice, "P", 2);
            text += &thread(dice, "W[*]", 3);
        }
        Kind::Started => {
            let own =
                Coder { starts: &["start W();", "u = start W();", "t = start W();", "start T();"], ..Coder::PLAIN };
            text += &main(dice, own);
            let more = Coder { starts: &["start T();", "skip;"], joins: &["skip;", "join T;"] };
            let worker = if dice.roll(4) == 0 { more } else { Coder::PLAIN };
            text += &format!("thread W[2]() {{ {LOCALS} {} }}\n", worker.block(dice, 2));
            text += &format!("thread T() {{ {LOCALS} {} }}\n", Coder::PLAIN.block(dice, 2));
        }
        Kind::Permitted => {
            let own = Coder { starts: &["start W();"], joins: &["skip;"] };
            text += &format!("thread Main {{ {LOCALS} {} start W(); {} }}\n", own.block(dice, 2), own.block(dice, 1));
            text += &format!("thread W[*]() {{ {LOCALS} {} }}\n", Coder::PLAIN.block(dice, 2));
        }
    }
    text + property + "\n"
}

fn dice_copies(seed: u64) -> &'static str {
    if seed.is_multiple_of(2) { "Q[2]" } else { "Q" }
}

#[derive(Clone, Copy)]
enum Kind {
    Static,
    Any,
    Started,
    Permitted,
}

impl Kind {
    const ALL: [Kind; 6] = [Kind::Static, Kind::Any, Kind::Started, Kind::Started, Kind::Started, Kind::Permitted];
}

const DECLARATIONS: &str = "shared x, y: int; shared a: [0..1]int; shared f, g: bool; shared s: tid;
shared m, n: mutex; shared l: rwlock; shared b: lock; shared ls: [0..1]mutex;
proc take() { acquire(m); }
proc give() { release(m); }
proc use() { x = 1; }
proc value() returns (v: int) { return y; }
proc both() { acquire(m); x = y; release(m); }
";

const LOCALS: &str = "var r: int; var k: 0..1; var t, u: tid; var ok: bool;";

/// What is written.
#[derive(Clone, Copy)]
struct Coder {
    starts: &'static [&'static str],
    joins: &'static [&'static str],
}

fn thread(dice: &mut Dice, name: &str, length: usize) -> String {
    format!("thread {name} {{ {LOCALS} {} }}\n", Coder::PLAIN.block(dice, length))
}

/// A thread that starts others, and mostly joins them.
fn main(dice: &mut Dice, coder: Coder) -> String {
    let coder = Coder { joins: &["join t;", "join u;", "join T;", "join s;", "skip;"], ..coder };
    let before = Coder::PLAIN.block(dice, 1);
    let starts = dice.pick(&[
        "t = start W();",
        "t = start W(); u = start W();",
        "start W(); t = start T();",
        "start T();",
        "s = start W();",
        "t = start W(); BETWEEN u = start W();",
        "start W(); start W();",
        "if (*) { t = start W(); }",
        "t = start W(); use(); u = start T();",
    ]);
    let starts = starts.replace("BETWEEN", &Coder::PLAIN.block(dice, 1));
    let between = if dice.roll(3) == 0 { coder.block(dice, 1) } else { String::new() };
    let joins = dice.pick(&[
        "join t;",
        "join t; join u;",
        "join T;",
        "join t; join T;",
        "",
        "join u;",
        "join s;",
        "join u; join t;",
    ]);
    let after = Coder::PLAIN.block(dice, 1);
    format!("thread Main {{ {LOCALS} {before} {starts} {between} {joins} {after} }}\n")
}

impl Coder {
    const PLAIN: Coder = Coder { starts: &[], joins: &[] };

    fn block(self, dice: &mut Dice, length: usize) -> String {
        (0..1 + dice.roll(length)).map(|_| self.statement(dice, 2)).collect::<Vec<String>>().join(" ")
    }

    fn statement(self, dice: &mut Dice, depth: usize) -> String {
        let sides = if depth == 0 { 4 } else { 16 };
        match dice.roll(sides) {
            0..=3 => access(dice).to_string(),
            4..=8 => self.locked(dice, depth - 1),
            9 => format!("if (*) {{ {} }}", self.statement(dice, depth - 1)),
            10 => format!("atomic {{ {} {} }}", access(dice), access(dice)),
            11 => format!("while (*) {{ {} }}", self.locked(dice, 0)),
            12 => dice.pick(&["f = true;", "await f;", "await g;", "if (f) { g = true; }", "f = false;"]).to_string(),
            13 => dice
                .pick(&["acquire(m);", "release(m);", "release(b);", "acquire(n);", "m = none;", "b = false;"])
                .to_string(),
            14 if !self.starts.is_empty() => dice.pick(self.starts).to_string(),
            15 if !self.joins.is_empty() => dice.pick(self.joins).to_string(),
            _ => {
                dice.pick(&["both();", "use();", "take(); use(); give();", "r = value();", "x = value();"]).to_string()
            }
        }
    }

    /// Statements between the taking and the giving back of a lock, with a mistake now and then.
    fn locked(self, dice: &mut Dice, depth: usize) -> String {
        let inside = format!("{} {}", self.statement(dice, depth), access(dice));
        let form = dice.pick(&[
            "acquire(m); BODY release(m);",
            "acquire(m); BODY release(m);",
            "acquire(m); BODY release(m);",
            "take(); BODY give();",
            "acquire(n); BODY release(n);",
            "acquire(m); release(m); BODY",
            "acquire(b); BODY release(b);",
            "atomic { await !b; b = true; } BODY b = false;",
            "acquire_write(l); BODY release_write(l);",
            "acquire_read(l); r = x; release_read(l);",
            "acquire_read(l); BODY release_read(l);",
            "acquire(ls[0]); BODY release(ls[0]);",
            "acquire(ls[k]); a[k] = 1; release(ls[k]);",
            "acquire(ls[1]); a[1] = 1; release(ls[1]);",
            "k = 1; acquire(ls[k]); k = 0; BODY release(ls[k]);",
            "if (*) { acquire(m); BODY release(m); } else { acquire(n); BODY release(n); }",
            "acquire(m); if (*) { BODY release(m); } else { release(m); }",
            "atomic { if (m == none) { m = self; ok = true; } } if (ok) { await m == self; BODY release(m); ok = false; }",
            "atomic { acquire(m); BODY release(m); }",
        ]);
        // Where a step must not be divided, nobody is started or waited for.
        let inside = if form.starts_with("atomic { acquire") { access(dice).to_string() } else { inside };
        form.replace("BODY", &inside)
    }
}

fn access<'a>(dice: &mut Dice) -> &'a str {
    dice.pick(&[
        "x = 1;",
        "y = x;",
        "r = x;",
        "x = r;",
        "a[0] = 1;",
        "a[1] = 0;",
        "r = a[0];",
        "a[k] = 1;",
        "y = a[1];",
        "y = 1;",
    ])
}

/// A program with about so many edges and so many shared variables, free of races: a main thread that prepares all variables,
/// starts workers of four kinds, and looks at what they left; each variable has one of ten locks.
pub fn locked_program(edges: usize, variables: usize) -> String {
    const WORKERS: usize = 4;
    let mut text = String::new();
    (0..variables).for_each(|v| text += &format!("shared v{v}: int;\n"));
    (0..10).for_each(|m| text += &format!("shared m{m}: mutex;\n"));
    text += "proc touch() { skip; }\nthread Main {\n  var t0, t1, t2, t3: tid;\n";
    (0..variables).for_each(|v| text += &format!("  v{v} = {v};\n"));
    (0..WORKERS).for_each(|w| text += &format!("  t{w} = start W{w}();\n"));
    (0..WORKERS).for_each(|w| text += &format!("  join t{w};\n"));
    (0..variables).for_each(|v| text += &format!("  v{v} = 0;\n"));
    text += "}\n";
    // A round has ten edges: the lock, six accesses, a test with its two outcomes, the lock again.
    let rounds = edges.saturating_sub(2 * variables) / WORKERS / 10;
    for w in 0..WORKERS {
        text += &format!("thread W{w}() {{\n  var r: int;\n");
        for round in 0..rounds.max(1) {
            let v = (round * 7 + w * 3) % variables;
            let m = v % 10;
            text += &format!("  acquire(m{m});\n  r = v{v}; v{v} = r + 1; r = v{v};\n  if (r > 3) {{ v{v} = 0; }}\n");
            text += &format!("  v{v} = v{v} + r; r = 0;\n  release(m{m});\n");
        }
        text += "}\n";
    }
    let all: Vec<String> = (0..variables).map(|v| format!("v{v}")).collect();
    text + "norace " + &all.join(", ") + ";\n"
}
