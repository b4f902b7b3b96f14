//! The engine `lockstep`: proves programs whose threads do not disturb each other much, by looking at one schedule of all
//! that are equivalent, and at how the numbers of all threads relate along it.
//!
//! [`analyse`] tries several schedules: one thread after the other, or in step, a round of each loop in turn. For each it
//! makes a graph of combinations of points (`graph`), in which at each node only those threads go on that have to
//! (`precedence`); finds what holds where the graph has cycles (`invariant`), from states that a solver gives as examples
//! (crate `affine`); and if nothing can go wrong then, hands the graph to a judge.

mod follow;
mod graph;
mod invariant;
mod keys;
mod lanes;
mod precedence;
mod proof;
mod ranges;

use graph::Graph;
use invariant::Found;
use std::sync::Arc;
use threadwise_claims::{Advice, Claim, Stats, Unknown};
use threadwise_evidence::Proof;
use threadwise_ir::{Command, Initial, Instance, Op, Program, Sort, Update, Value};
use threadwise_limits::Budget;
use threadwise_solver::{SolverError, find};
use threadwise_symbolic::{Population, Unsupported};

/// Programs with more threads than this are not treated.
const MAX_THREADS: usize = 12;

/// Whether the engine can treat a program, or why it cannot.
pub fn applicable(program: &Program) -> Result<(), String> {
    if !program.properties.is_empty() {
        return Err("it has a property beside its assertions".to_string());
    }
    if program.has_any_copies() {
        return Err("there may be any number of threads".to_string());
    }
    if program.is_recursive() {
        return Err("it is recursive".to_string());
    }
    Ok(())
}

/// Whether it is worth a try: where no thread chooses among very many values, others are as good.
pub fn is_candidate(program: &Program) -> bool {
    let is_wide = |sort: &Sort| match sort {
        Sort::Int => true,
        Sort::Bits(bits) => bits.width > 8,
        Sort::Bool | Sort::Range(..) | Sort::Enum(_) | Sort::Tid | Sort::Set(_) | Sort::Array(..) => false,
    };
    let chooses = |command: &Command| match &command.update {
        Update::Assign(assignments) => {
            assignments.iter().any(|(place, value)| matches!(value, Value::Any) && is_wide(&place.sort))
        }
        Update::Action { .. } => false,
    };
    let starts = program.shared.iter().any(|var| matches!(var.init, Initial::Any) && is_wide(&var.sort));
    let mut edges = program.edges.iter();
    applicable(program).is_ok()
        && (starts || edges.any(|edge| matches!(&edge.op, Op::Command(command) if chooses(command))))
}

/// Why there is no proof.
#[derive(Debug)]
pub(crate) enum Stop {
    Solver(SolverError),
    Unsupported(Unsupported),
    TooLarge,
}

impl From<SolverError> for Stop {
    fn from(error: SolverError) -> Stop {
        Stop::Solver(error)
    }
}

impl From<Unsupported> for Stop {
    fn from(what: Unsupported) -> Stop {
        Stop::Unsupported(what)
    }
}

impl From<threadwise_limits::Limit> for Stop {
    fn from(limit: threadwise_limits::Limit) -> Stop {
        Stop::Solver(SolverError::Limit(limit))
    }
}

/// Looks for a proof.
pub fn analyse(program: &Arc<Program>, budget: &Budget) -> (Claim, Stats) {
    let mut stats = Stats::default();
    let unknown = |reason: String| Claim::Unknown(Unknown { reason, advice: vec![Advice::UseAuto] });
    if let Err(reason) = applicable(program) {
        return (unknown(reason), stats);
    }
    let claim = match search(program, budget, &mut stats) {
        Ok(claim) => claim,
        Err(Stop::Solver(SolverError::Limit(limit))) => Claim::Unknown(Unknown::at_limit(limit)),
        Err(Stop::Solver(error)) => unknown(error.to_string()),
        Err(Stop::Unsupported(what)) => unknown(what.to_string()),
        Err(Stop::TooLarge) => unknown("too many combinations of points are left".to_string()),
    };
    (claim, stats)
}

fn search(program: &Arc<Program>, budget: &Budget, stats: &mut Stats) -> Result<Claim, Stop> {
    let instance = Instance::new(program.clone(), 0);
    if instance.threads.is_empty() || instance.threads.len() > MAX_THREADS {
        return Err(Stop::TooLarge);
    }
    let population = Population::fixed(&instance);
    let command = find(None)?;
    let mut last = "it cannot exclude an error".to_string();
    let mut seen: Vec<Graph> = Vec::new();
    for lanes in lanes::schedules(&instance) {
        // Where reasons for who goes first take something for granted, that may not hold.
        for is_hopeful in [true, false] {
            budget.check()?;
            budget.report(|| format!("schedule {}", lanes.describe()));
            let graph = match Graph::build(&instance, &population, &lanes, &command, is_hopeful, budget) {
                Ok(graph) => graph,
                Err(Stop::TooLarge) => {
                    last = "too many combinations of points are left".to_string();
                    continue;
                }
                Err(stop) => return Err(stop),
            };
            if seen.iter().any(|other| other.is_same_as(&graph)) {
                continue;
            }
            *stats =
                Stats::of(vec![("points", graph.nodes.len() as u64), ("folded_points", graph.cuts().count() as u64)]);
            match invariant::infer(&instance, &population, &graph, &command, budget)? {
                Found::Holds(what) => {
                    return Ok(Claim::Proved(Proof::Schedules(proof::proof(&population, &graph, &what))));
                }
                Found::Nothing(why) => last = why,
            }
            let is_done = !graph.is_hopeful();
            seen.push(graph);
            if is_done {
                break;
            }
        }
    }
    Ok(Claim::Unknown(Unknown { reason: last, advice: vec![Advice::UseAuto] }))
}
