//! Every example has the verdict that its comment says, by every applicable engine.

use std::time::Duration;
use threadwise_front_tw::parse;
use threadwise_limits::Budget;
use threadwise_oracle::explore as oracle;
use threadwise_portfolio::{EngineChoice, Request, engines, verify};
use threadwise_source::SourceFile;
use threadwise_suite::{Example, examples};
use threadwise_verdict::Verdict;

/// The oracle is slow; larger programs are left to the pinned numbers.
const ORACLE_STATES: usize = 20_000;

/// What an engine may answer. A known imprecision that is gone must be taken out of the header.
fn is_expected(example: &Example, engine: &str, verdict: &Verdict) -> bool {
    let unknown_is_expected = match engine {
        "explicit" => example.too_large_for_explicit,
        "modular" => example.not_modular,
        _ => false,
    };
    match verdict {
        Verdict::Safe(_) => example.safe && !unknown_is_expected,
        Verdict::Unsafe(_) => !example.safe && !unknown_is_expected,
        Verdict::Unknown(unknown) => unknown_is_expected && !unknown.is_internal_error(),
    }
}

#[test]
fn every_applicable_engine_gives_the_expected_verdict() {
    for example in examples() {
        let program = example.program();
        for engine in engines() {
            // Engine `predicates` has tests of its own: it may take long where it need not be good.
            if engine.name() == "predicates" || engine.applicable(&program).is_err() {
                continue;
            }
            for symmetry in [true, false] {
                let choice: EngineChoice = engine.name().parse().expect("a registered engine");
                let request = Request { engine: choice, symmetry, want_proof: true, ..Request::default() };
                let unknown = example.too_large_for_explicit && engine.name() == "explicit" || example.not_modular;
                let limit = if unknown { 1 } else { 120 };
                let budget = Budget::new(Some(Duration::from_secs(limit)), Some(4 << 30));
                let outcome = verify(&program, &request, &budget);
                assert!(
                    is_expected(&example, engine.name(), &outcome.verdict),
                    "{} with {} (symmetry {symmetry}): {:?}",
                    example.path.display(),
                    engine.name(),
                    outcome.verdict
                );
            }
        }
    }
}

#[test]
fn numbers_of_states_are_those_worked_out() {
    for example in examples() {
        let Some(expected) = example.states else { continue };
        let request =
            Request { symmetry: false, fold: false, engine: "explicit".parse().expect("exists"), ..Request::default() };
        let outcome = verify(&example.program(), &request, &Budget::unlimited());
        if example.safe {
            let states = outcome.stats.0.iter().find(|(name, _)| *name == "states").map(|(_, n)| *n);
            assert_eq!(states, Some(expected), "{}", example.path.display());
        }
        if expected <= ORACLE_STATES as u64 {
            assert_eq!(oracle_states(&example), expected, "{} by the oracle", example.path.display());
        }
    }
}

fn oracle_states(example: &Example) -> u64 {
    let parsed = parse(&SourceFile::new("example", example.text.clone()));
    oracle(&parsed.module, &[], 2 * ORACLE_STATES).states as u64
}

/// The independent route for examples whose numbers nobody worked out by hand.
#[test]
fn engine_and_oracle_count_the_same_states() {
    for example in examples() {
        if example.too_large_for_explicit || !example.safe {
            continue;
        }
        let parsed = parse(&SourceFile::new("example", example.text.clone()));
        let explored = oracle(&parsed.module, &[], ORACLE_STATES);
        if !explored.complete {
            continue;
        }
        let request =
            Request { symmetry: false, fold: false, engine: "explicit".parse().expect("exists"), ..Request::default() };
        let outcome = verify(&example.program(), &request, &Budget::unlimited());
        let states = outcome.stats.0.iter().find(|(name, _)| *name == "states").map(|(_, n)| *n);
        assert_eq!(states, Some(explored.states as u64), "{}", example.path.display());
    }
}
