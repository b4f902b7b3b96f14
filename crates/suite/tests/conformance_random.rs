//! The engine `conformance` on random programs with random abstract threads: it agrees with the naive
//! check, state by state and with a solver; and what it proves is true.

use std::sync::Arc;
use std::time::Duration;
use threadwise_check::check;
use threadwise_engine_conformance::{conform, conform_by_solver};
use threadwise_evidence::{ConformanceProof, Proof};
use threadwise_ir::Program;
use threadwise_limits::Budget;
use threadwise_portfolio::{Outcome, Request, verify};
use threadwise_solver_setup::solver_for_tests;
use threadwise_suite::{conforms, program, random_abstraction};
use threadwise_verdict::Verdict;

fn generated(seed: u64) -> (String, Arc<Program>) {
    let text = random_abstraction(seed);
    let program = program("random.tw", &text);
    (text, program)
}

fn verified(program: &Arc<Program>, engine: &str) -> Outcome {
    let request = Request { engine: engine.parse().expect("exists"), want_proof: true, ..Request::default() };
    verify(program, &request, &Budget::new(Some(Duration::from_secs(60)), Some(4 << 30)))
}

#[test]
fn the_engine_agrees_with_the_naive_check() {
    let (mut right, mut wrong) = (0, 0);
    for seed in 0..1200 {
        let (text, program) = generated(seed);
        let Some(expected) = conforms(&program) else { panic!("seed {seed}: not finite\n{text}") };
        let found = conform(&program, Err("there is no solver"), &Budget::unlimited());
        assert_eq!(found.is_ok(), expected, "seed {seed}: {found:?}\n{text}");
        if expected { right += 1 } else { wrong += 1 }
    }
    assert!(right >= 60 && wrong >= 60, "{right} conform, {wrong} do not: these programs test too little");
}

#[test]
fn what_is_proved_is_true() {
    let (mut safe, mut not_proved) = (0, 0);
    for seed in 0..1200 {
        let (text, program) = generated(seed);
        let outcome = verified(&program, "conformance");
        let truth = verified(&program, "explicit").verdict;
        match (&outcome.verdict, &truth) {
            (Verdict::Safe(_), Verdict::Safe(_)) => safe += 1,
            (Verdict::Unsafe(_), Verdict::Unsafe(_)) => {}
            (Verdict::Unknown(unknown), Verdict::Safe(_)) if !unknown.is_internal_error() => not_proved += 1,
            (found, truth) => panic!("seed {seed}: {found:?}, but {truth:?}\n{text}"),
        }
    }
    assert!(safe >= 20 && not_proved >= 20, "{safe} are proved, {not_proved} are not: these programs test too little");
}

/// Where the solver finds invariants, the thread conforms, and the judge accepts them.
#[test]
fn the_solver_agrees_with_the_naive_check() {
    let solver = solver_for_tests();
    let (mut right, mut wrong) = (0, 0);
    for seed in 0..60 {
        let (text, program) = generated(seed);
        let expected = conforms(&program).expect("finite");
        match conform_by_solver(&program, &solver, &Budget::unlimited()) {
            Ok(threads) => {
                assert!(expected, "seed {seed} does not conform\n{text}");
                right += 1;
                // The judge must have no objection to the conformance; the composition may be unsafe.
                let composition = program.abstraction().expect("expressible").composition;
                if let Some(proof) = verified(&composition, "explicit").proof {
                    let proof = Proof::Conformance(ConformanceProof { threads, composition: Box::new(proof) });
                    let checked = check(&program, &proof, &Budget::unlimited());
                    assert!(checked.is_ok(), "seed {seed}: {checked:?}\n{text}");
                }
            }
            Err(why) => {
                assert_eq!(why, "the solver says that there is none", "seed {seed}\n{text}");
                assert!(!expected, "seed {seed} conforms\n{text}");
                wrong += 1;
            }
        }
    }
    assert!(right >= 4 && wrong >= 4, "{right} conform, {wrong} do not: these programs test too little");
}
