//! Environment transitions by predicate abstraction and Horn clauses, after THREADER.
//!
//! Every proof is one of the rule REACHENV (figure 5): for each thread what it reaches, R_i, and what its
//! environment does, E_i. There are two ways to find them, behind the same rule:
//!
//! * `aret`: THREADER's own. Abstract reachability and environment trees under predicates (`aret.rs`),
//!   refined by solving recursion-free Horn clauses (`refine.rs`; the solving is in crate `horn`).
//! * `spacer`: the premises of the rule as recursive Horn clauses for a solver that solves these
//!   (`chc.rs`).
//!
//! Both look for a modular proof first, if asked to, and for any proof then. An error is shown by a
//! trace (`trace.rs`), which has been run on the semantics before it is handed over.

mod aret;
mod chc;
mod clauses;
mod memory;
mod modular;
mod predicates;
mod product;
mod proof;
mod refine;
mod spacer;
mod split;
mod tidy;
mod trace;
mod tree;
mod unroll;
pub mod words;

pub use chc::{Chc, Encoding};
pub use modular::modular_clauses;
pub use product::product_clauses;

use std::sync::Arc;
use std::time::Duration;
use threadwise_claims::{Advice, Claim, Stats, Unknown};
use threadwise_evidence::Proof;
use threadwise_ir::Program;
use threadwise_limits::Budget;
use threadwise_solver::{HOW_TO_GET, SolverCommand, SolverError, find};
use threadwise_space::Space;

/// Which proofs are looked for first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Bias {
    /// Modular ones.
    #[default]
    Modular,
    /// Any.
    None,
}

impl Bias {
    /// The kinds of proofs by the names that users give, each with what it means.
    pub const CHOICES: [(Bias, &'static str, &'static str); 2] = [
        (Bias::Modular, "modular", "A modular one: no assertion of a thread speaks of another thread's locals"),
        (Bias::None, "none", "Any"),
    ];
}

/// What solves the Horn clauses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Horn {
    /// Abstract reachability and environment trees.
    Aret,
    /// The SMT solver's own engine for recursive Horn clauses.
    Spacer,
    /// The one, and where that does not find out, the other.
    #[default]
    Both,
}

impl Horn {
    /// The solvers by the names that users give, each with what it means.
    pub const CHOICES: [(Horn, &'static str, &'static str); 3] = [
        (Horn::Aret, "aret", "Abstract reachability and environment trees, refined step by step"),
        (Horn::Spacer, "spacer", "Z3's engine for recursive Horn clauses"),
        (Horn::Both, "both", "The first, then the second"),
    ];
}

/// How to look for a proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Which proofs are looked for first.
    pub bias: Bias,
    /// What solves the Horn clauses.
    pub horn: Horn,
}

/// Whether the engine can treat the program, or why it cannot.
pub fn applicable(program: &Arc<Program>) -> Result<(), String> {
    if let Err(SolverError::Missing(_)) = find(None) {
        return Err(HOW_TO_GET.to_string());
    }
    Space::new(program).map(|_| ()).map_err(|unsupported| unsupported.to_string())
}

/// Whether it is worth asking if the engine can treat the program, which may take a while to find out.
pub fn is_candidate(program: &Program) -> bool {
    !program.has_any_copies() && !matches!(find(None), Err(SolverError::Missing(_)))
}

/// Numbers about a run.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Counters {
    pub(crate) refinements: u64,
    pub(crate) predicates: u64,
    pub(crate) transition_predicates: u64,
    pub(crate) environment_transitions: u64,
    pub(crate) abstract_states: u64,
    pub(crate) solver_calls: u64,
}

impl Counters {
    fn stats(self) -> Stats {
        Stats::of(vec![
            ("refinements", self.refinements),
            ("predicates", self.predicates),
            ("transition_predicates", self.transition_predicates),
            ("abstract_states", self.abstract_states),
            ("environment_transitions", self.environment_transitions),
            ("solver_calls", self.solver_calls),
        ])
    }
}

/// What came of one way of looking.
pub(crate) enum Found {
    Proof(threadwise_evidence::FormulaProof),
    /// A trace to an error, which has been run on the semantics.
    Trace(threadwise_evidence::Trace),
    /// Neither, for this reason.
    Nothing(String),
}

/// How long the first of two ways may take before the second gets its turn.
const FIRST_SHARE: Duration = Duration::from_secs(20);

/// How long a short trace is looked for in between.
const TRACE_SHARE: Duration = Duration::from_secs(10);

/// Looks for a proof or an error.
pub fn analyse(program: &Arc<Program>, options: &Options, budget: &Budget) -> (Claim, Stats) {
    let mut counters = Counters::default();
    let claim = match search(program, options, budget, &mut counters) {
        Ok(Found::Proof(proof)) => Claim::Proved(Proof::Formulas(proof)),
        Ok(Found::Trace(trace)) => Claim::Refuted(trace),
        Ok(Found::Nothing(reason)) => unknown(reason),
        Err(SolverError::Limit(limit)) => unknown(limit.to_string()),
        Err(error) => unknown(error.to_string()),
    };
    (claim, counters.stats())
}

fn unknown(reason: String) -> Claim {
    let advice = vec![Advice::RaiseTimeout, Advice::OtherWaysToSolveHornClauses, Advice::UseExplicitIfFewStates];
    Claim::Unknown(Unknown { reason, advice })
}

fn search(
    program: &Arc<Program>,
    options: &Options,
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Found, SolverError> {
    let space = match Space::new(program) {
        Ok(space) => space,
        Err(unsupported) => return Ok(Found::Nothing(unsupported.to_string())),
    };
    let command = find(None)?;
    if let Some(found) = trace::error_at_the_start(&space, &command, budget, counters)? {
        return Ok(found);
    }
    if space.threads.is_empty() {
        // The proof rule is about threads. Without any the initial states are all that there is.
        let nothing = || Found::Nothing("there is no thread, and its proofs are about threads".to_string());
        return Ok(trace::along(&space, &[], &command, budget, counters)?.unwrap_or_else(nothing));
    }
    if options.horn == Horn::Spacer {
        return spacer::search(&space, options.bias, &command, budget, counters);
    }
    // The other way gets its share of the time too.
    let share = match options.horn {
        Horn::Both => budget.slice(FIRST_SHARE),
        _ => budget.clone(),
    };
    let reason = match aret::search(&space, options, &command, &share, counters) {
        Ok(Found::Nothing(reason)) => reason,
        Err(SolverError::Limit(limit)) if options.horn == Horn::Both && budget.check().is_ok() => limit.to_string(),
        found => return found,
    };
    if let Some(trace) = short_trace(&space, &command, budget, counters)? {
        return Ok(trace);
    }
    if options.horn == Horn::Aret {
        return Ok(Found::Nothing(reason));
    }
    match spacer::search(&space, options.bias, &command, budget, counters)? {
        Found::Nothing(other) => Ok(Found::Nothing(format!("{reason}; {other}"))),
        found => Ok(found),
    }
}

/// A trace to an error that is a few steps away, where refinement has not found out.
fn short_trace(
    space: &Space,
    command: &SolverCommand,
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Option<Found>, SolverError> {
    match unroll::search(space, command, &budget.slice(TRACE_SHARE), counters) {
        Ok(trace @ Found::Trace(_)) => Ok(Some(trace)),
        Err(SolverError::Limit(_) | SolverError::Timeout(_) | SolverError::Memory(_)) if budget.check().is_ok() => {
            Ok(None)
        }
        Ok(_) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The premises of the proof rule as recursive Horn clauses in SMT-LIB, for other solvers: for modular
/// proofs or for any.
pub fn horn_clauses(program: &Arc<Program>, modular: bool) -> Result<String, String> {
    let space = Space::new(program).map_err(|unsupported| unsupported.to_string())?;
    let chc = match modular {
        true => Some(modular_clauses(&space)),
        false => product_clauses(&space),
    };
    let chc = chc.ok_or("there are too many combinations of control points")?;
    let form = if modular { "modular" } else { "general" };
    let mut text = format!("; {}: REACHENV, {form} form\n", program.source.name());
    text.push_str(&format!("; {} relations, {} clauses\n", chc.relations(), chc.clauses()));
    text.push_str(&chc.smt(&space));
    text.push_str("(check-sat)\n");
    Ok(text)
}
