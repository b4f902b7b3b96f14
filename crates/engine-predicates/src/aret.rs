//! MAIN (THREADER, figure 6): compute abstract reachability and environment trees, refine, start again.

use crate::memory::Memory;
use crate::predicates::Predicates;
use crate::refine::{self, Refined};
use crate::split::split;
use crate::tree::{Forest, Outcome};
use crate::{Bias, Counters, Found, Options};
use std::collections::BTreeSet;
use std::time::Duration;
use threadwise_limits::Budget;
use threadwise_solver::{Session, Settings, SolverCommand, SolverError};
use threadwise_space::{Space, Step};

/// The most time that one question may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// After so many refinements the search is given up.
const MAX_REFINEMENTS: u64 = 300;

/// What the computation works on.
pub(crate) struct Work<'a> {
    pub(crate) space: &'a Space,
    pub(crate) command: &'a SolverCommand,
    pub(crate) budget: &'a Budget,
    /// The conversation about abstract states; it knows all variables.
    pub(crate) session: Session,
    /// Each thread's steps, split so that guards are conjunctions.
    pub(crate) steps: Vec<Vec<Step>>,
    /// 𝒫̇_i and 𝒫̈_i.
    pub(crate) predicates: Predicates,
    /// Environment transitions are the steps as they are; they then speak of locals and control. Otherwise
    /// they speak of shared variables only.
    pub(crate) raw: bool,
    /// For each thread the others whose control its abstract states know.
    pub(crate) tracked: Vec<BTreeSet<usize>>,
    /// Answers of the solver.
    pub(crate) memory: Memory,
}

/// MAIN, figure 6.
pub(crate) fn search(
    space: &Space,
    options: &Options,
    command: &SolverCommand,
    budget: &Budget,
    counters: &mut Counters,
) -> Result<Found, SolverError> {
    let mut work = work_on(space, options, command, budget)?;
    let found = main_loop(&mut work, counters);
    counters.solver_calls += work.session.effort().queries;
    (counters.predicates, counters.transition_predicates) = work.predicates.counts();
    found
}

/// Everything at its start: no predicates, nothing tracked.
pub(crate) fn work_on<'a>(
    space: &'a Space,
    options: &Options,
    command: &'a SolverCommand,
    budget: &'a Budget,
) -> Result<Work<'a>, SolverError> {
    let mut session = Session::start(command, Settings { timeout: PATIENCE, ..Settings::default() }, budget)?;
    session.tell(&space.declarations());
    let steps = space.threads.iter().map(|t| t.steps.iter().flat_map(|step| split(space, step)).collect()).collect();
    let raw = options.bias == Bias::None;
    let predicates = Predicates::new(space);
    let tracked = vec![BTreeSet::new(); space.threads.len()];
    let memory = Memory::default();
    Ok(Work { space, command, budget, session, steps, predicates, raw, tracked, memory })
}

fn main_loop(work: &mut Work<'_>, counters: &mut Counters) -> Result<Found, SolverError> {
    loop {
        let mut forest = Forest::new(work);
        let outcome = forest.abst_reach_env(work)?;
        counters.abstract_states = forest.states.len() as u64;
        counters.environment_transitions = forest.environments.len() as u64;
        let error = match outcome {
            Outcome::Closed => {
                let proof = match without_locals(work) {
                    Some(modular) => modular.assertions(work).proof(work.space),
                    None => forest.assertions(work).proof(work.space),
                };
                return Ok(Found::Proof(proof));
            }
            Outcome::Error(error) => error,
        };
        counters.refinements += 1;
        work.budget.report(|| {
            let (states, transitions) = work.predicates.counts();
            format!("refinement {}: {states} predicates, {transitions} transition predicates", counters.refinements)
        });
        if counters.refinements > MAX_REFINEMENTS {
            return Ok(Found::Nothing(format!("no end after {MAX_REFINEMENTS} refinements")));
        }
        match refine::refine(work, &forest, &error, counters)? {
            Refined::Again => {}
            Refined::Found(found) => return Ok(found),
        }
    }
}

/// Where whole steps were the environment transitions, but no predicate speaks of another thread's locals and nobody's
/// control is tracked, what the steps do to shared variables may be enough: then these trees are a modular proof.
fn without_locals(work: &mut Work<'_>) -> Option<Forest> {
    if !work.raw || !work.tracked.iter().all(BTreeSet::is_empty) || !work.predicates.are_modular(work.space) {
        return None;
    }
    work.raw = false;
    let mut forest = Forest::new(work);
    if let Ok(Outcome::Closed) = forest.abst_reach_env(work) {
        return Some(forest);
    }
    work.raw = true;
    None
}
