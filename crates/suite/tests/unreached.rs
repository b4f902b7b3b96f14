//! Which edges are taken: what engines say against a search that is slow and obvious.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use threadwise_claims::Claim;
use threadwise_engine_cartesian as cartesian;
use threadwise_engine_explicit as explicit;
use threadwise_engine_modular as modular;
use threadwise_front_tw::printer::print;
use threadwise_ir::{Instance, Program, Steps, ThreadId};
use threadwise_limits::Budget;
use threadwise_oracle::{GeneratorOptions, OracleVerdict, random_case};
use threadwise_portfolio::{Request, verify};
use threadwise_source::Span;
use threadwise_suite::soundness::Case;
use threadwise_testing::{explore, initial_states};
use threadwise_verdict::Verdict;

const PROGRAMS: u64 = 600;

/// The edges that some execution takes.
fn really_taken(program: &Arc<Program>) -> BTreeSet<usize> {
    let instance = Instance::new(program.clone(), 0);
    let threads = || (0..instance.threads.len() as u32).map(ThreadId);
    let edges =
        |steps: Steps| steps.successors.into_iter().flat_map(|s| s.path).chain(steps.joining).map(|edge| edge.index());
    let mut taken = BTreeSet::new();
    if !initial_states(&instance).is_empty() {
        for shared in instance.initial_stores().stores {
            threads().for_each(|thread| taken.extend(edges(instance.starts(thread, &shared))));
        }
    }
    for state in explore(&instance).states {
        threads().for_each(|thread| taken.extend(edges(state.steps(&instance, thread))));
    }
    taken
}

fn said_to_be_taken(taken: Option<Vec<u64>>) -> BTreeSet<usize> {
    let taken = taken.expect("the engine knows").into_iter();
    taken.enumerate().filter(|(_, times)| *times > 0).map(|(edge, _)| edge).collect()
}

#[test]
fn an_edge_that_is_said_to_be_unreached_is() {
    let budget = Budget::unlimited();
    let (mut searched, mut modular_proofs, mut cartesian_proofs, mut unreached) = (0, 0, 0, 0);
    for seed in 0..PROGRAMS {
        let (module, explored) = random_case(seed, &GeneratorOptions::tiny());
        if !explored.complete || !matches!(explored.verdict, OracleVerdict::Safe) {
            continue;
        }
        let text = print(&module);
        let program = Case::explored(module, explored).expect("it loads").program;
        if program.has_any_copies() || initial_states(&Instance::new(program.clone(), 0)).is_empty() {
            continue;
        }
        let really = really_taken(&program);
        for (fold, symmetry) in [(false, false), (false, true), (true, false), (true, true)] {
            let options = explicit::Options { fold, symmetry, ..explicit::Options::default() };
            let (claim, stats) = explicit::explore(&program, &options, &budget);
            if matches!(claim, Claim::Proved(_) | Claim::Exhausted(_)) {
                assert_eq!(
                    said_to_be_taken(stats.taken),
                    really,
                    "seed {seed}, fold {fold}, symmetry {symmetry}\n{text}"
                );
                searched += 1;
                unreached += program.edges.len() - really.len();
            }
        }
        if modular::applicable(&program).is_ok()
            && let (Claim::Proved(_), stats) = modular::analyse(&program, &modular::Options::default(), &budget)
        {
            assert!(said_to_be_taken(stats.taken).is_superset(&really), "modular, seed {seed}\n{text}");
            modular_proofs += 1;
        }
        if cartesian::applicable(&program).is_ok()
            && let (Claim::Proved(_), stats) = cartesian::analyse(&program, &cartesian::Options::default(), &budget)
        {
            assert!(said_to_be_taken(stats.taken).is_superset(&really), "cartesian, seed {seed}\n{text}");
            cartesian_proofs += 1;
        }
    }
    println!("{searched} searches, {modular_proofs} and {cartesian_proofs} proofs, {unreached} edges not taken");
    assert!(searched > 400 && modular_proofs > 50 && cartesian_proofs > 50 && unreached > 100);
}

/// Proofs by formulas say `false` of points to which no execution comes.
#[test]
fn what_a_proof_by_formulas_excludes_is_unreached() {
    threadwise_solver_setup::solver_for_tests();
    let waits = "shared go: bool; shared x: int; thread P { await go; assert x == 7; } thread Q { x = 3; }";
    for engine in ["predicates", "intervals"] {
        let found = unreached_by(&threadwise_testing::program(waits), engine, 60);
        let expected = ["await go;", "assert x == 7;"].map(str::to_string);
        assert_eq!(
            found.map(|spans| spans.into_iter().map(|(text, _)| text).collect()),
            Some(expected.to_vec()),
            "{engine}"
        );
    }
    let (mut proofs, mut left_out) = (0, 0);
    for seed in 0..60 {
        let (module, explored) = random_case(seed, &GeneratorOptions::tiny());
        if !explored.complete || !matches!(explored.verdict, OracleVerdict::Safe) {
            continue;
        }
        let text = print(&module);
        let program = Case::explored(module, explored).expect("it loads").program;
        if program.has_any_copies() || initial_states(&Instance::new(program.clone(), 0)).is_empty() {
            continue;
        }
        let really: BTreeSet<_> = really_taken(&program).into_iter().map(|edge| program.edges[edge].span).collect();
        for engine in ["predicates", "intervals", "contracts"] {
            let Some(found) = unreached_by(&program, engine, 1) else { continue };
            proofs += 1;
            left_out += found.len();
            for (statement, span) in found {
                assert!(!really.contains(&span), "{engine}, seed {seed}: `{statement}` is reached in\n{text}");
            }
        }
    }
    assert!(proofs >= 5 && left_out >= 1, "{proofs} proofs, {left_out} statements left out");
}

/// The statements that an engine says no execution gets past; nothing if it proves nothing.
fn unreached_by(program: &Arc<Program>, engine: &str, seconds: u64) -> Option<Vec<(String, Span)>> {
    let request = Request { engine: engine.parse().expect("an engine"), ..Request::default() };
    let outcome = verify(program, &request, &Budget::new(Some(Duration::from_secs(seconds)), None));
    let text = |span: Span| (program.source.snippet(span, 80), span);
    let is_safe = matches!(outcome.verdict, Verdict::Safe(_));
    is_safe.then(|| outcome.unreached.iter().map(|left_out| text(left_out.span)).collect())
}
