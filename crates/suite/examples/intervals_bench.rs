//! How long engine `intervals` and its judge take for programs of growing size, as a table.

use std::fmt::Write;
use std::time::Instant;
use threadwise_limits::Budget;
use threadwise_portfolio::{EngineName, Request, verify};
use threadwise_suite::program;
use threadwise_verdict::Verdict;

const MUTEXES: usize = 10;

/// Any number of threads with so many critical sections, each of which counts under one of ten mutexes.
fn counting(sections: usize, safe: bool) -> String {
    let mut text = String::new();
    for k in 0..MUTEXES {
        let _ = writeln!(text, "shared m{k}: mutex;\nshared a{k}, b{k}: int = 0;");
    }
    text.push_str("thread W[*] {\n");
    for section in 0..sections {
        let k = section % MUTEXES;
        let _ = writeln!(
            text,
            "acquire(m{k}); if (a{k} < 1000) {{ a{k} = a{k} + 1; b{k} = b{k} + 1; }} assert a{k} == b{k}; release(m{k});"
        );
    }
    // What cannot be proved ends the analysis without a judge.
    if !safe {
        text.push_str("assert a0 == 7;\n");
    }
    text.push_str("}\n");
    text
}

fn main() {
    println!("| edges | analysis | with judge |\n|---|---|---|");
    for sections in [14, 143, 1_430] {
        let mut times = Vec::new();
        let mut edges = 0;
        for safe in [false, true] {
            if safe && sections > 200 {
                times.push("-".to_string());
                continue;
            }
            let program = program("large.tw", &counting(sections, safe));
            edges = program.edges.len();
            let request = Request { engine: EngineName::Intervals.into(), in_company: true, ..Request::default() };
            let started = Instant::now();
            let outcome = verify(&program, &request, &Budget::unlimited());
            assert_eq!(matches!(outcome.verdict, Verdict::Safe(_)), safe, "{:?}", outcome.verdict);
            times.push(format!("{:.2} s", started.elapsed().as_secs_f64()));
        }
        println!("| {edges} | {} | {} |", times[0], times[1]);
    }
}
