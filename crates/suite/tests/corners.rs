//! The corners of the language: small programs of which one engine or another once said something wrong.
//!
//! Most wrong answers come from what engines leave out: steps that are folded, copies that are permuted, proofs
//! that are not asked for. So every engine is asked with and without each.

use std::time::Duration;
use threadwise_limits::Budget;
use threadwise_portfolio::{EngineChoice, EngineOptions, Request, engines, verify};
use threadwise_suite::{Example, examples_in};
use threadwise_verdict::Verdict;

/// Engines that decide these programs, however they are asked, unless the program's comment says otherwise.
const ALWAYS_KNOW: [&str; 2] = ["auto", "explicit"];

fn ways_to_ask(engine: &str) -> Vec<Request> {
    let engine: EngineChoice = engine.parse().expect("an engine");
    let mut requests = Vec::new();
    for (symmetry, fold, want_proof) in
        [(true, true, false), (true, true, true), (true, false, false), (false, true, false), (false, false, true)]
    {
        requests.push(Request {
            engine,
            options: EngineOptions::default().with_symmetry(symmetry).with_folding(fold),
            want_proof,
            ..Request::default()
        });
    }
    requests
}

fn is_right(example: &Example, engine: &str, verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Safe(_) => example.safe,
        Verdict::Unsafe(_) => !example.safe,
        Verdict::Unknown(unknown) => {
            let must_know = ALWAYS_KNOW.contains(&engine) && !example.is_unknown_to(engine);
            !must_know && !unknown.is_internal_error()
        }
    }
}

#[test]
fn no_engine_says_anything_wrong_however_it_is_asked() {
    threadwise_solver_setup::solver_for_tests();
    let mut wrong = Vec::new();
    for example in examples_in("tests/corpus/corners") {
        let program = example.program();
        let applicable = engines().filter(|engine| engine.applicable(&program).is_ok());
        for engine in applicable.map(|engine| engine.name().as_str()).chain(["auto"]) {
            // Who is known not to tell is asked once, and not for long. So is engine `hunt`, which proves nothing.
            let once = example.is_unknown_to(engine) || engine == "hunt";
            let (ways, seconds) = if once { (1, 2) } else { (usize::MAX, 30) };
            for request in ways_to_ask(engine).into_iter().take(ways) {
                let budget = Budget::new(Some(Duration::from_secs(seconds)), Some(4 << 30));
                let verdict = verify(&program, &request, &budget).verdict;
                if !is_right(&example, engine, &verdict) {
                    wrong.push(format!("{} by {request:?}: {verdict:?}", example.path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
