//! From a program to a verdict.

use std::time::Duration;
use threadwise_limits::Budget;
use threadwise_portfolio::{EngineChoice, EngineOptions, Note, Outcome, Request, SearchKind, Story, engines, verify};
use threadwise_testing::{KITCHEN_SINK, LOST_UPDATE, MUTEX, program};
use threadwise_verdict::{Grounds, Verdict};

fn verified(text: &str, request: &Request) -> Outcome {
    verify(&program(text), request, &Budget::unlimited())
}

fn symmetric(symmetry: bool) -> EngineOptions {
    EngineOptions::default().with_symmetry(symmetry)
}

#[test]
fn safe_with_a_checked_proof() {
    for symmetry in [false, true] {
        let request = Request { want_proof: true, options: symmetric(symmetry), ..Request::default() };
        let outcome = verified(MUTEX, &request);
        let Verdict::Safe(safe) = &outcome.verdict else { panic!("{:?}", outcome.verdict) };
        assert!(matches!(safe.grounds(), Grounds::Proof(_)));
        assert_eq!((outcome.engine.as_str(), outcome.modular), ("explicit", Some(false)));
        assert!(outcome.proof.is_some());
        assert_eq!(outcome.chosen, Some(Story::default()));
    }
}

#[test]
fn small_sets_of_states_are_judged_without_being_asked_for() {
    for fold in [false, true] {
        let outcome =
            verified(MUTEX, &Request { options: EngineOptions::default().with_folding(fold), ..Request::default() });
        let Verdict::Safe(safe) = &outcome.verdict else { panic!("{:?}", outcome.verdict) };
        assert!(matches!(safe.grounds(), Grounds::Proof(_)));
        assert!(safe.states() > 0);
    }
}

#[test]
fn large_sets_of_states_are_judged_where_a_proof_is_wanted() {
    let text = "shared n: 0..40000; thread P { loop { atomic { await n < 40000; n = n + 1; } } }";
    for want_proof in [false, true] {
        let request = Request { engine: "explicit".parse().expect("it exists"), want_proof, ..Request::default() };
        let outcome = verified(text, &request);
        let Verdict::Safe(safe) = &outcome.verdict else { panic!("{:?}", outcome.verdict) };
        assert_eq!(safe.states(), 40_001);
        assert_eq!(matches!(safe.grounds(), Grounds::Proof(_)), want_proof);
        assert_eq!(outcome.proof.is_some(), want_proof);
    }
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
            let outcome = verified(text, &Request { options: symmetric(symmetry), ..Request::default() });
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
        assert!(outcome.notes.contains(&Note::NoInitialState), "{:?}", outcome.notes);
    }
}

#[test]
fn engines_are_found_by_name() {
    assert_eq!("auto".parse(), Ok(EngineChoice::Auto));
    for engine in engines() {
        let choice: EngineChoice = engine.name().as_str().parse().expect("it is registered");
        assert_eq!(choice, EngineChoice::Only(engine.name()));
        assert_eq!(engine.name().engine().name(), engine.name());
    }
    let error = "guess".parse::<EngineChoice>().expect_err("it is not there yet");
    assert_eq!(
        error.to_string(),
        "there is no engine `guess`; available: `auto`, `explicit`, `contracts`, `conformance`, `modular`, `cartesian`, \
         `predicates`, `locks`, `intervals`, `coverability`, `lockstep`, `relations`, `hunt`"
    );
}

#[test]
fn a_named_engine_needs_no_note() {
    let request = Request { engine: "explicit".parse().expect("it exists"), ..Request::default() };
    assert!(verified(MUTEX, &request).notes.is_empty());
}

#[test]
fn auto_goes_on_where_the_search_cannot_say() {
    let text = "shared m: mutex; shared x: 0..1; thread W[*] { acquire(m); x = 1; x = 0; assert x == 0; release(m); }";
    let outcome = verified(text, &Request::default());
    assert_eq!(outcome.verdict.word(), "safe");
    // Both prove it, and it is not said who is the first.
    assert!(["modular", "intervals"].contains(&outcome.engine.as_str()), "{}", outcome.engine.as_str());
    let chosen = outcome.chosen.expect("auto says what it did");
    assert!(chosen.to_string().contains("explicit"), "{chosen}");
}

#[test]
fn unknown_is_a_plan() {
    let text = "shared x: int = 3; thread P { loop { x = x * x - 7 * x; assert x != 1000003; } }
                thread Q { loop { x = x + 5; } }";
    let budget = Budget::new(Some(Duration::from_millis(1500)), None);
    let outcome = verify(&program(text), &Request::default(), &budget);
    let Verdict::Unknown(unknown) = &outcome.verdict else { panic!("{:?}", outcome.verdict) };
    let lines: Vec<&str> = unknown.reason().lines().collect();
    assert_eq!(lines[0], "time limit of 1.5 s reached, and no engine had an answer");
    assert!(lines.iter().any(|line| line.starts_with("explicit: ")), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("modular: ")), "{lines:?}");
    assert!((1..=2).contains(&unknown.advice().len()), "{:?}", unknown.advice());
    // `x` keeps no bound, so that none is advised.
    assert!(!unknown.advice().iter().any(|advice| advice.to_string().contains("bound `x`")), "{:?}", unknown.advice());
}

/// Without threads there is no thread state to say anything about, and still a store that may be wrong.
#[test]
fn frontier_searches_look_at_programs_without_threads() {
    for search in [SearchKind::Fixpoint, SearchKind::Frontier, SearchKind::Relaxed] {
        let mut request = Request { engine: "modular".parse().expect("it exists"), ..Request::default() };
        request.options.modular.search = search;
        let wrong = verified("shared x: 0..3 = 2; thread P[0] { } invariant x < 2;", &request);
        assert!(!matches!(wrong.verdict, Verdict::Safe(_)), "{:?}", wrong.verdict);
        assert!(!wrong.verdict.is_internal_error(), "{:?}", wrong.verdict);
        let right = verified("shared x: 0..3 = 2; thread P[0] { } invariant x >= 2;", &request);
        assert!(matches!(right.verdict, Verdict::Safe(_)), "{:?}", right.verdict);
    }
}

/// The text of what is unreached, and whether control gets there.
fn unreached(text: &str, engine: &str) -> Vec<(String, bool)> {
    let program = program(text);
    let request = Request { engine: engine.parse().expect("it exists"), ..Request::default() };
    let outcome = verify(&program, &request, &Budget::unlimited());
    assert!(matches!(outcome.verdict, Verdict::Safe(_)), "{engine}: {:?}", outcome.verdict);
    outcome.unreached.iter().map(|left_out| (program.source.snippet(left_out.span, 80), left_out.is_stuck)).collect()
}

#[test]
fn safe_names_what_no_execution_gets_past() {
    let text = "shared go: bool = false; shared x: 0..7 = 0;
        proc helper() { x = 3; }
        thread P { await go; assert x == 7; }
        thread Q { x = 1; if (x > 5) { helper(); x = 2; } }";
    let expected =
        [("x = 3;", false), ("await go;", true), ("assert x == 7;", false), ("helper();", false), ("x = 2;", false)];
    let expected: Vec<(String, bool)> = expected.map(|(text, stuck)| (text.to_string(), stuck)).to_vec();
    for engine in ["explicit", "modular", "cartesian"] {
        assert_eq!(unreached(text, engine), expected, "{engine}");
    }
    assert_eq!(unreached("shared x: 0..1; thread P { x = 1; assert x == 1; }", "explicit"), []);
}

#[test]
fn control_comes_back_from_a_procedure_that_returns() {
    let text = "shared go: bool = false; proc f() { skip; } proc g() { await go; } thread P { f(); await go; } thread Q { g(); skip; }";
    let expected = [("await go;", true), ("await go;", true), ("skip;", false)];
    assert_eq!(unreached(text, "explicit"), expected.map(|(text, stuck)| (text.to_string(), stuck)));
}

#[test]
fn a_deadlock_that_is_no_error_is_told_of() {
    let told = |text: &str| {
        let is_it = |note: &Note| matches!(note, Note::Deadlock { .. });
        verified(text, &Request { engine: "explicit".parse().expect("an engine"), ..Request::default() })
            .notes
            .iter()
            .any(is_it)
    };
    assert!(told("shared x: bool; thread P { await x; }"));
    assert!(!told("thread P { skip; }"));
    assert!(!told("shared x: bool; thread P { end: await x; }"));
    assert!(!told("shared x: bool; thread P { await x; } thread Q { loop { skip; } }"));
    assert!(!told("shared x: bool; thread P { start W(); await x; } thread W[*]() { x = true; }"));
}

#[test]
fn a_property_that_looks_at_nothing_is_told_of() {
    // That `x` is below 2 depends on what P does; that it is below 3 does not.
    let text = "shared x: 0..2; thread P { x = 1; } invariant 1 < 2; invariant x < 2; invariant x < 3; never false;";
    let notes = verified(text, &Request::default()).notes;
    let told: Vec<&str> = notes
        .iter()
        .filter_map(|note| match note {
            Note::ConstantProperty { text, .. } => Some(&**text),
            Note::NoInitialState | Note::Deadlock { .. } | Note::LockCycle { .. } | Note::Breakdown { .. } => None,
        })
        .collect();
    assert_eq!(told, ["invariant 1 < 2;", "invariant x < 3;", "never false;"]);
}
