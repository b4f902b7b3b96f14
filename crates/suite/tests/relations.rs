//! Engine `relations` on the corpus written for it, and on random programs: its judge accepts all that it claims, and no proof of
//! a right program proves its broken twin.

use std::sync::Arc;
use std::time::Duration;
use threadwise_check::{CheckError, check};
use threadwise_evidence::Proof;
use threadwise_ir::Program;
use threadwise_limits::Budget;
use threadwise_portfolio::{EngineName, Outcome, Request, verify};
use threadwise_solver_setup::solver_for_tests;
use threadwise_suite::{Example, corpus, random_locked, try_program};
use threadwise_verdict::Verdict;

const PROGRAMS: u64 = 60;

fn asked(program: &Arc<Program>, budget: &Budget) -> Outcome {
    let request =
        Request { engine: EngineName::Relations.into(), want_proof: true, in_company: true, ..Request::default() };
    verify(program, &request, budget)
}

fn programs() -> Vec<Example> {
    let is_here = |example: &Example| example.path.parent().is_some_and(|folder| folder.ends_with("corpus/relations"));
    corpus().into_iter().filter(is_here).collect()
}

fn name(example: &Example) -> &str {
    example.path.file_stem().and_then(|name| name.to_str()).expect("a name")
}

#[test]
fn what_is_right_is_proved_and_nothing_else() {
    solver_for_tests();
    for example in programs().iter().filter(|example| !example.safe) {
        let outcome = asked(&example.program(), &Budget::unlimited());
        assert!(matches!(outcome.verdict, Verdict::Unknown(_)), "{}: {:?}", name(example), outcome.verdict);
    }
    let (all, mut refused) = (programs(), 0);
    for right in all.iter().filter(|example| example.safe) {
        let outcome = asked(&right.program(), &Budget::unlimited());
        assert!(matches!(outcome.verdict, Verdict::Safe(_)), "{}: {:?}", name(right), outcome.verdict);
        let Some(Proof::Formulas(proof)) = outcome.proof else { panic!("{}", name(right)) };
        let is_twin = |other: &&Example| !other.safe && name(other).starts_with(&format!("{}-", name(right)));
        for broken in all.iter().filter(is_twin) {
            let judged = check(&broken.program(), &Proof::Formulas(proof.clone()), &Budget::unlimited());
            assert!(matches!(judged, Err(CheckError::Refuted(_))), "{}: {judged:?}", name(broken));
            refused += 1;
        }
    }
    assert_eq!((all.len() - refused, refused), (refused, all.len() / 2), "each has a twin");
    assert!(refused >= 8, "{refused}");
}

/// A program without what it asks about races and deadlocks, which this engine does not treat.
fn without_races(text: &str) -> String {
    let is_asked = |line: &&str| !["norace", "nodeadlock"].iter().any(|what| line.trim_start().starts_with(what));
    text.lines().filter(is_asked).collect::<Vec<&str>>().join("\n")
}

/// Programs full of locks, starts and joins, and programs that compute.
#[test]
fn what_it_claims_of_random_programs_is_accepted() {
    solver_for_tests();
    let mut proved = 0;
    for seed in 0..PROGRAMS {
        for text in [random_locked(seed), threadwise_wild::program(seed)] {
            let Ok(program) = try_program("random.tw", &without_races(&text)) else { continue };
            let outcome = asked(&program, &Budget::unlimited().slice(Duration::from_secs(1)));
            assert!(!outcome.verdict.is_internal_error(), "seed {seed}: {:?}\n{text}", outcome.verdict);
            proved += u64::from(matches!(outcome.verdict, Verdict::Safe(_)));
        }
    }
    assert!(proved * 10 > PROGRAMS, "{proved}");
}
