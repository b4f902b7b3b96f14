//! How long engine `coverability` and its judge take for families of programs that grow, beside a search of all interleavings
//! of as many copies as it takes, as tables.

use std::fmt::Write;
use std::time::{Duration, Instant};
use threadwise_limits::Budget;
use threadwise_portfolio::{EngineName, Outcome, Request, verify};
use threadwise_suite::program;

/// The search of all interleavings is not waited for any longer.
const PATIENCE: Duration = Duration::from_secs(10);

/// A lock that does not say who holds it, and so many steps while it is held.
fn long_section(steps: usize, copies: &str) -> String {
    let mut body = String::new();
    for step in 0..steps {
        let _ = writeln!(body, "    x = {};", step % 2);
    }
    format!(
        "shared held: bool; shared x: 0..1;\nthread W[{copies}] {{ loop {{\n    atomic {{ await !held; held = true; }}\n{body}\
         c: skip;\n    held = false;\n}} }}\nnever exists i: W, j: W :: i != j && i@c && j@c;"
    )
}

/// So many permits, and nobody without one inside.
fn permits(n: usize, copies: &str) -> String {
    format!(
        "shared free: 0..{n} = {n};\nthread W[{copies}] {{ loop {{\n  atomic {{ await free > 0; free = free - 1; }}\n  c: skip;\n  \
         free = free + 1;\n}} }}\ninvariant count(i: W :: i@c) <= {n};"
    )
}

/// So many turns, each taken by another copy: the error takes as many.
fn turns(n: usize, copies: &str) -> String {
    let branches: Vec<String> =
        (0..n).map(|turn| format!("{{ await turn == {turn}; turn = {}; }}", turn + 1)).collect();
    format!("shared turn: 0..{n};\nthread W[{copies}] {{ choose {} }}\nnever turn == {n};", branches.join(" or "))
}

/// Two locks in the order of their numbers, each pair of them behind a step of its own.
fn locks(n: usize, copies: &str) -> String {
    let mut text = String::new();
    let mut body = String::new();
    for lock in 0..n {
        let _ = writeln!(text, "shared l{lock}: bool; shared x{lock}: 0..1;");
        let _ = writeln!(body, "  atomic {{ await !l{lock}; l{lock} = true; }}");
        let _ = writeln!(body, "  x{lock} = 1 - x{lock};");
    }
    for lock in (0..n).rev() {
        let _ = writeln!(body, "  l{lock} = false;");
    }
    let races: Vec<String> = (0..n).map(|lock| format!("x{lock}")).collect();
    format!("{text}thread W[{copies}] {{ loop {{\n{body}}} }}\nnorace {};", races.join(", "))
}

fn asked(text: &str, engine: EngineName) -> (Outcome, Duration) {
    let program = program("family.tw", text);
    let request = Request { engine: engine.into(), in_company: true, ..Request::default() };
    let started = Instant::now();
    let outcome = verify(&program, &request, &Budget::new(Some(PATIENCE), Some(4 << 30)));
    (outcome, started.elapsed())
}

fn number(outcome: &Outcome, name: &str) -> String {
    let known = outcome.stats.numbers.iter().find(|(known, _)| *known == name);
    known.map_or("-".to_string(), |(_, number)| number.to_string())
}

type Family = (&'static str, fn(usize, &str) -> String, &'static [usize], fn(usize) -> usize);

fn main() {
    let families: [Family; 4] = [
        ("steps inside a lock", long_section, &[10, 100, 1_000], |_| 4),
        ("permits", permits, &[4, 16, 64], |n| n + 1),
        ("turns", turns, &[4, 8, 12], |n| n),
        ("locks", locks, &[2, 4, 6], |_| 4),
    ];
    for (name, family, sizes, copies) in families {
        println!(
            "\n| {name} | verdict | cores | steps | backward | time | copies: explicit |\n|---|---|---|---|---|---|---|"
        );
        for &size in sizes {
            let (outcome, time) = asked(&family(size, "*"), EngineName::Coverability);
            let copies = copies(size);
            let (searched, needed) = asked(&family(size, &copies.to_string()), EngineName::Explicit);
            println!(
                "| {size} | {} | {} | {} | {} | {:.3} s | {copies}: {} in {:.3} s |",
                outcome.verdict.word(),
                number(&outcome, "cores"),
                number(&outcome, "steps"),
                number(&outcome, "backward_elements"),
                time.as_secs_f64(),
                searched.verdict.word(),
                needed.as_secs_f64()
            );
        }
    }
}
