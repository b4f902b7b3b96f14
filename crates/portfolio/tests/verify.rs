//! From a program to a verdict.

#[path = "../../evidence/tests/support/mod.rs"]
mod support;

use std::time::Duration;
use support::{KITCHEN_SINK, LOST_UPDATE, MUTEX, program};
use threadwise_limits::Budget;
use threadwise_portfolio::{EngineChoice, Outcome, Request, engines, verify};
use threadwise_verdict::{Grounds, Verdict};

fn verified(text: &str, request: &Request) -> Outcome {
    verify(&program(text), request, &Budget::unlimited())
}

#[test]
fn safe_with_a_checked_proof() {
    for symmetry in [false, true] {
        let request = Request { want_proof: true, symmetry, ..Request::default() };
        let outcome = verified(MUTEX, &request);
        let Verdict::Safe(safe) = &outcome.verdict else { panic!("{:?}", outcome.verdict) };
        assert!(matches!(safe.grounds(), Grounds::Proof(_)));
        assert_eq!((outcome.engine, outcome.modular), ("explicit", Some(false)));
        assert!(outcome.proof.is_some());
        assert_eq!(outcome.notes, ["auto: picked engine `explicit`: searches all interleavings"]);
    }
}

#[test]
fn safe_by_exhaustion() {
    let outcome = verified(MUTEX, &Request::default());
    let Verdict::Safe(safe) = &outcome.verdict else { panic!("{:?}", outcome.verdict) };
    assert!(matches!(safe.grounds(), Grounds::Exhaustion(_)));
    assert!(safe.states() > 0);
    assert!(outcome.proof.is_none());
}

#[test]
fn unsafe_with_a_replayed_trace() {
    for text in [
        LOST_UPDATE,
        KITCHEN_SINK,
        "shared z: 0..1; shared x: int = 1 / z; thread P { skip; }",
        "shared x: 0..1; thread W[*] { x = 1; } norace x;",
    ] {
        for symmetry in [false, true] {
            let outcome = verified(text, &Request { symmetry, ..Request::default() });
            let Verdict::Unsafe(found) = &outcome.verdict else { panic!("{text}: {:?}", outcome.verdict) };
            assert_eq!(found.trace().trace().any_copies, found.trace().instance().any_copies());
            assert_eq!(outcome.modular, None);
        }
    }
}

#[test]
fn unknown_has_a_reason_and_advice() {
    let request = Request { engine: "explicit".parse().expect("it exists"), ..Request::default() };
    let outcome = verified("shared x: 0..1; thread W[*] { x = 1; }", &request);
    let Verdict::Unknown(unknown) = &outcome.verdict else { panic!("{:?}", outcome.verdict) };
    assert!(!unknown.reason().is_empty() && !unknown.advice().is_empty());
    assert!(!unknown.is_internal_error());
}

#[test]
fn a_limit_is_unknown() {
    let budget = Budget::new(Some(Duration::ZERO), None);
    let text = "shared x: 0..100000; thread P { loop { if (x < 100000) { x = x + 1; } } }";
    let outcome = verify(&program(text), &Request::default(), &budget);
    assert_eq!(outcome.verdict.word(), "unknown");
    assert!(!outcome.verdict.is_internal_error());
}

#[test]
fn a_program_without_initial_states_is_safe_with_a_warning() {
    for want_proof in [false, true] {
        let text = "shared x: 0..1; init x == 1; thread P { assert false; }";
        let outcome = verified(text, &Request { want_proof, ..Request::default() });
        assert_eq!(outcome.verdict.word(), "safe");
        assert!(outcome.notes.iter().any(|note| note.contains("no initial state")), "{:?}", outcome.notes);
    }
}

#[test]
fn engines_are_found_by_name() {
    assert_eq!("auto".parse(), Ok(EngineChoice::AUTO));
    for engine in engines() {
        let choice: EngineChoice = engine.name().parse().expect("it is registered");
        assert_eq!(choice.name(), engine.name());
    }
    let error = "cartesian".parse::<EngineChoice>().expect_err("it is not there yet");
    assert_eq!(
        error.to_string(),
        "there is no engine `cartesian`; available: `auto`, `explicit`, `modular`, `predicates`"
    );
}

#[test]
fn a_named_engine_needs_no_note() {
    let request = Request { engine: "explicit".parse().expect("it exists"), ..Request::default() };
    assert!(verified(MUTEX, &request).notes.is_empty());
}
