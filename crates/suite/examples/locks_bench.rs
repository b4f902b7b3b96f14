//! How long engine `locks` and its judge take for programs of growing size, as a table.

use std::time::{Duration, Instant};
use threadwise_check::check;
use threadwise_evidence::Proof;
use threadwise_limits::Budget;
use threadwise_portfolio::{EngineName, Request, verify};
use threadwise_suite::{locked_program, program};
use threadwise_verdict::Verdict;

fn main() {
    println!("| edges | engine and judge | judge alone |\n|---|---|---|");
    for edges in [1_000, 10_000, 100_000] {
        let program = program("large.tw", &locked_program(edges, 100));
        let request =
            Request { engine: EngineName::Locks.into(), want_proof: true, in_company: true, ..Request::default() };
        let budget = Budget::unlimited();
        let mut best = (Duration::MAX, Duration::MAX);
        for _ in 0..3 {
            let started = Instant::now();
            let outcome = verify(&program, &request, &budget);
            let whole = started.elapsed();
            assert!(matches!(outcome.verdict, Verdict::Safe(_)), "{:?}", outcome.verdict);
            let proof: Proof = outcome.proof.expect("it was wanted");
            let started = Instant::now();
            check(&program, &proof, &budget).expect("it was accepted before");
            best = (best.0.min(whole), best.1.min(started.elapsed()));
        }
        println!("| {} | {:.3} s | {:.3} s |", program.edges.len(), best.0.as_secs_f64(), best.1.as_secs_f64());
    }
}
