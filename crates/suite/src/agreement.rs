//! Whether the engines and the naive interpreter say the same of a program.

use crate::try_program;
use std::sync::Arc;
use std::time::Duration;
use threadwise_front_tw::ast::Module;
use threadwise_front_tw::printer::print;
use threadwise_ir::Program;
use threadwise_limits::Budget;
use threadwise_oracle::{Explored, OracleVerdict};
use threadwise_portfolio::{ExtractKind, Outcome, RefineKind, Request, SearchKind, verify};
use threadwise_verdict::Verdict;

/// How the explicit engine is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Way {
    symmetry: bool,
    fold: bool,
    proof: bool,
}

const WAYS: [Way; 5] = [
    Way { symmetry: false, fold: false, proof: true },
    Way { symmetry: true, fold: false, proof: true },
    Way { symmetry: false, fold: true, proof: false },
    Way { symmetry: true, fold: true, proof: false },
    Way { symmetry: true, fold: false, proof: false },
];

/// Compares the explicit engine, asked in every way, and the modular one with what the interpreter
/// found; tells how they differ. Every verdict has been judged on the way. A program that does not load says so.
pub fn disagreement(module: &Module, explored: &Explored) -> Option<String> {
    let program = match try_program("random.tw", &print(module)) {
        Ok(program) => program,
        Err(diagnostics) => return Some(format!("the program does not load:\n{diagnostics}")),
    };
    let outcomes = WAYS.map(|way| (way, run(&program, way)));
    let differing = outcomes.iter().find_map(|(way, outcome)| {
        let problem = verdicts_differ(outcome, explored).or_else(|| counts_differ(*way, outcome, explored))?;
        Some(format!("{way:?}: {problem}"))
    });
    differing
        .or_else(|| {
            let [(_, plain), (_, reduced), ..] = &outcomes;
            (states(reduced) > states(plain)).then(|| "symmetry adds states".to_string())
        })
        .or_else(|| modular_disagreement(&program, explored))
        .or_else(|| cartesian_disagreement(&program, explored))
}

/// How long the engine `cartesian` may take. It always ends on finite programs, and the abstraction of a
/// finite program may still be infinite.
const CARTESIAN_TIME: Duration = Duration::from_secs(20);

/// The engine `cartesian`, in all its ways, says the same; it may run out of time.
pub fn cartesian_disagreement(program: &Arc<Program>, explored: &Explored) -> Option<String> {
    let ways = [
        (RefineKind::Lazy, ExtractKind::Eager, true),
        (RefineKind::Lazy, ExtractKind::Eager, false),
        (RefineKind::Lazy, ExtractKind::Lazy, true),
        (RefineKind::Eager, ExtractKind::Eager, true),
    ];
    ways.into_iter().find_map(|(refine, extract, symmetry)| {
        let engine = "cartesian".parse().expect("there is an engine `cartesian`");
        let request = Request { engine, refine, extract, symmetry, ..Request::default() };
        let outcome = verify(program, &request, &Budget::new(Some(CARTESIAN_TIME), None));
        let agrees = match (&outcome.verdict, &explored.verdict) {
            (Verdict::Safe(_), OracleVerdict::Safe) | (Verdict::Unsafe(_), OracleVerdict::Unsafe { .. }) => true,
            (Verdict::Unknown(unknown), _) => {
                let is_limit = unknown.reason().contains("limit") || is_infinite(program);
                !unknown.is_internal_error() && is_limit
            }
            _ => false,
        };
        let way = format!("cartesian, {refine:?} refinement, {extract:?} extraction, symmetry {symmetry}");
        (!agrees).then(|| format!("{way}: {:?}\ninterpreter: {:?}", outcome.verdict, explored.verdict))
    })
}

/// Whether some variable or the recursion is unbounded.
pub fn is_infinite(program: &Program) -> bool {
    let locals = program.routines.iter().flat_map(|r| r.locals.iter().map(|v| &v.sort));
    program.shared.iter().map(|v| &v.sort).chain(locals).any(|sort| sort.is_infinite()) || program.is_recursive()
}

/// How long the modular engine may take on a program; unbounded data may keep it busy for ever.
const MODULAR_TIME: Duration = Duration::from_secs(2);

/// The modular engine may say UNKNOWN, but nothing wrong.
fn modular_disagreement(program: &Arc<Program>, explored: &Explored) -> Option<String> {
    [SearchKind::Fixpoint, SearchKind::Relaxed, SearchKind::Frontier].into_iter().find_map(|search| {
        let engine = "modular".parse().expect("there is a modular engine");
        let request = Request { engine, search, ..Request::default() };
        let outcome = verify(program, &request, &Budget::new(Some(MODULAR_TIME), None));
        let agrees = match (&outcome.verdict, &explored.verdict) {
            (Verdict::Safe(_), OracleVerdict::Safe) | (Verdict::Unsafe(_), OracleVerdict::Unsafe { .. }) => true,
            (Verdict::Unknown(unknown), _) => !unknown.is_internal_error(),
            _ => false,
        };
        (!agrees).then(|| format!("modular, {search:?}: {:?}\ninterpreter: {:?}", outcome.verdict, explored.verdict))
    })
}

fn run(program: &Arc<Program>, way: Way) -> Outcome {
    let engine = "explicit".parse().expect("there is an explicit engine");
    let request =
        Request { engine, symmetry: way.symmetry, fold: way.fold, want_proof: way.proof, ..Request::default() };
    verify(program, &request, &Budget::unlimited())
}

fn verdicts_differ(outcome: &Outcome, explored: &Explored) -> Option<String> {
    match (&outcome.verdict, &explored.verdict) {
        (Verdict::Safe(_), OracleVerdict::Safe) => None,
        (Verdict::Unsafe(found), OracleVerdict::Unsafe { .. }) => {
            let steps = found.trace().trace().steps.len();
            let shortest = explored.depth_of_error;
            (Some(steps) != shortest).then(|| format!("a trace of {steps} steps, the shortest has {shortest:?}"))
        }
        (verdict, expected) => Some(format!("engine: {verdict:?}\ninterpreter: {expected:?}")),
    }
}

fn counts_differ(way: Way, outcome: &Outcome, explored: &Explored) -> Option<String> {
    let exact = !way.symmetry && !way.fold && explored.verdict == OracleVerdict::Safe;
    let (ours, theirs) = (states(outcome), Some(explored.states as u64));
    (exact && ours != theirs).then(|| format!("{ours:?} states, the interpreter has {theirs:?}"))
}

fn states(outcome: &Outcome) -> Option<u64> {
    outcome.stats.0.iter().find(|(name, _)| *name == "states").map(|(_, states)| *states)
}
