//! Every example has the verdict that its comment says, by every applicable engine.

use std::time::Duration;
use threadwise_front_tw::parse;
use threadwise_limits::Budget;
use threadwise_oracle::explore as oracle;
use threadwise_portfolio::{EngineName, EngineOptions, Request, engines, verify};
use threadwise_source::SourceFile;
use threadwise_suite::{Example, examples, is_infinite};
use threadwise_verdict::Verdict;

/// The oracle is slow; larger programs are left to the pinned numbers.
const ORACLE_STATES: usize = 20_000;

/// What an engine may answer. A known imprecision that is gone must be taken out of the header.
fn is_expected(example: &Example, engine: &str, verdict: &Verdict) -> bool {
    if engine == "contracts" {
        return match &example.contracts {
            Some(expected) => verdict.word().to_uppercase() == *expected && !verdict.is_internal_error(),
            None => {
                !verdict.is_internal_error()
                    && [if example.safe { "safe" } else { "unsafe" }, "unknown"].contains(&verdict.word())
            }
        };
    }
    if ["intervals", "lockstep", "relations", "coverability"].contains(&engine) {
        // What the first three know is not much, and the program may be outside of the last one's theory; what they say must be true.
        let truth = if example.safe { "safe" } else { "unsafe" };
        return !verdict.is_internal_error() && [truth, "unknown"].contains(&verdict.word());
    }
    // Engine `hunt` proves nothing.
    let unknown_is_expected = example.is_unknown_to(engine) || engine == "hunt" && example.safe;
    match verdict {
        Verdict::Safe(_) => example.safe && !unknown_is_expected,
        Verdict::Unsafe(_) => !example.safe && !unknown_is_expected,
        Verdict::Unknown(unknown) => unknown_is_expected && !unknown.is_internal_error(),
    }
}

/// Programs for engine `contracts` have unbounded data and numbers of threads.
fn would_only_run_on(example: &Example, engine: &str) -> bool {
    let hopeless = engine == "modular" || engine == "explicit" && example.is_unknown_to("explicit");
    example.is_for_contracts() && hopeless
}

#[test]
fn every_applicable_engine_gives_the_expected_verdict() {
    threadwise_solver_setup::solver_for_tests();
    let mut failures = Vec::new();
    for example in examples() {
        let program = example.program();
        for engine in engines() {
            let name = engine.name().as_str();
            // Engine `predicates` has tests of its own: it may take long where it need not be good.
            let elsewhere = engine.name() == EngineName::Predicates || would_only_run_on(&example, name);
            if elsewhere || engine.applicable(&program).is_err() {
                continue;
            }
            let asked_once = [
                EngineName::Contracts,
                EngineName::Hunt,
                EngineName::Intervals,
                EngineName::Coverability,
                EngineName::Lockstep,
                EngineName::Relations,
            ];
            let only_once = asked_once.contains(&engine.name());
            let symmetries: &[bool] = if only_once { &[true] } else { &[true, false] };
            for &symmetry in symmetries {
                let options = EngineOptions::default().with_symmetry(symmetry);
                let request = Request { engine: engine.name().into(), options, want_proof: true, ..Request::default() };
                // Engine `cartesian` is complete for finite programs; of others it may say nothing.
                let may_run_on = engine.name() == EngineName::Cartesian && is_infinite(&program);
                let proves_nothing = engine.name() == EngineName::Hunt && example.safe;
                let proves_little = [EngineName::Intervals, EngineName::Lockstep, EngineName::Relations];
                let proves_nothing = proves_nothing || proves_little.contains(&engine.name());
                let limit = if may_run_on || proves_nothing || example.is_unknown_to(name) { 1 } else { 120 };
                let budget = Budget::new(Some(Duration::from_secs(limit)), Some(4 << 30));
                let outcome = verify(&program, &request, &budget);
                let is_unknown = matches!(&outcome.verdict, Verdict::Unknown(unknown) if !unknown.is_internal_error());
                if !(is_expected(&example, name, &outcome.verdict) || may_run_on && is_unknown) {
                    let path = example.path.display();
                    failures.push(format!("{path} with {name} (symmetry {symmetry}): {:?}", outcome.verdict));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn numbers_of_states_are_those_worked_out() {
    for example in examples() {
        let Some(expected) = example.states else { continue };
        let options = EngineOptions::default().with_symmetry(false).with_folding(false).with_reduction(false);
        let request = Request { engine: EngineName::Explicit.into(), options, ..Request::default() };
        let outcome = verify(&example.program(), &request, &Budget::unlimited());
        if example.safe {
            let states = outcome.stats.numbers.iter().find(|(name, _)| *name == "states").map(|(_, n)| *n);
            assert_eq!(states, Some(expected), "{}", example.path.display());
        }
        if expected <= ORACLE_STATES as u64 && !example.is_transition_system() {
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
        if example.is_unknown_to("explicit") || !example.safe || example.is_transition_system() {
            continue;
        }
        let parsed = parse(&SourceFile::new("example", example.text.clone()));
        let explored = oracle(&parsed.module, &[], ORACLE_STATES);
        if !explored.complete {
            continue;
        }
        let options = EngineOptions::default().with_symmetry(false).with_folding(false).with_reduction(false);
        let request = Request { engine: EngineName::Explicit.into(), options, ..Request::default() };
        let outcome = verify(&example.program(), &request, &Budget::unlimited());
        let states = outcome.stats.numbers.iter().find(|(name, _)| *name == "states").map(|(_, n)| *n);
        assert_eq!(states, Some(explored.states as u64), "{}", example.path.display());
    }
}
