//! The analysis after an edit: the edited threads are cleared, the others keep their states and their guarantees, and what is new is
//! propagated.
//!
//! What the edited threads did to the others stays with these, whether the new ones do it or not. So the states of the others may be more
//! than the least solution has: what comes of it may be no proof although there is one, and then the analysis starts from nothing. It
//! cannot be a wrong proof, since it is judged.
//!
//! Of programs with copies of threads and of recursive ones nothing is kept.

use crate::fixpoint::{Fixpoint, Goal, Stop, ThreadStates, solve};
use crate::meeting::Meeting;
use std::sync::Arc;
use threadwise_claims::Stats;
use threadwise_evidence::ModularChange;
use threadwise_ir::{Copies, Instance, Program, TemplateId};
use threadwise_limits::Budget;
use threadwise_tables::{Interner, Taken};

/// What is kept of an analysis.
#[derive(Clone)]
pub struct Kept {
    pub(crate) program: Arc<Program>,
    pub(crate) stores: Interner,
    pub(crate) threads: Vec<ThreadStates>,
    pub(crate) meeting: Meeting,
    pub(crate) taken: Taken,
}

/// An analysis that was kept, or brought up to date.
pub struct Update {
    /// What there is to be judged anew.
    pub change: ModularChange,
    pub kept: Kept,
    pub stats: Stats,
}

/// Analyses a program to keep what comes of it: nothing, if it is not such a program or some step may go wrong.
pub fn analyse_and_keep(program: &Arc<Program>, budget: &Budget) -> Result<Option<Update>, Stop> {
    let is_single = program.templates.iter().all(|template| template.copies == Copies::Single);
    if !is_single || program.templates.is_empty() || program.is_recursive() || crate::applicable(program).is_err() {
        return Ok(None);
    }
    let instance = Instance::new(program.clone(), 0);
    let max_states = if program.has_unbounded_data() { crate::MAX_STATES_IF_INFINITE } else { u64::MAX };
    let fixpoint = solve(&instance, Goal { until_failure: true, max_states }, budget)?;
    finished(fixpoint, program, &|_| true, budget)
}

/// Brings what was kept up to date. Nothing, if more was edited than the code of threads, or some step may go wrong.
pub fn analyse_again(kept: &Kept, program: &Arc<Program>, budget: &Budget) -> Result<Option<Update>, Stop> {
    let Some(edits) = program.edits_since(&kept.program) else { return Ok(None) };
    if program.is_recursive() || crate::applicable(program).is_err() {
        return Ok(None);
    }
    let (earlier, instance) = (Instance::new(kept.program.clone(), 0), Instance::new(program.clone(), 0));
    let ids = || (0..program.templates.len() as u32).map(TemplateId);
    let thread = |(id, states): (TemplateId, &ThreadStates)| match edits.is_edited(id) {
        true => ThreadStates::default(),
        false => states.moved(&|local| edits.moved(&earlier, local)),
    };
    let start = Kept {
        program: program.clone(),
        stores: kept.stores.clone(),
        threads: ids().zip(&kept.threads).map(thread).collect(),
        meeting: kept.meeting.without(&|template| edits.is_edited(template)),
        taken: Taken::none(program),
    };
    let mut fixpoint = Fixpoint::from_kept(&instance, start);
    for id in ids().filter(|&id| !edits.is_edited(id)) {
        for routine in program.routines_of(id) {
            let (new, old) = (&program.routine(routine).edges, &kept.program.routine(routine).edges);
            fixpoint.taken.add_moved(&kept.taken, old.clone(), new.start);
        }
    }
    let max_states = if program.has_unbounded_data() { crate::MAX_STATES_IF_INFINITE } else { u64::MAX };
    fixpoint.run(Goal { until_failure: true, max_states }, budget)?;
    finished(fixpoint, program, &|template| edits.is_edited(template), budget)
}

/// What came of an analysis: for some threads all states are to be judged, for the others the new ones.
fn finished(
    fixpoint: Fixpoint<'_>,
    program: &Arc<Program>,
    is_new: &dyn Fn(TemplateId) -> bool,
    budget: &Budget,
) -> Result<Option<Update>, Stop> {
    if !fixpoint.failing.is_empty() {
        return Ok(None);
    }
    let ids = (0..program.templates.len() as u32).map(TemplateId);
    let states = |id| match is_new(id) {
        true => Ok(fixpoint.thread_annotation(id, budget)?.contexts.swap_remove(0).states),
        false => Ok(fixpoint.added_states(id)),
    };
    let change = ModularChange { threads: ids.map(states).collect::<Result<_, Stop>>()? };
    let stats = Stats { taken: Some(fixpoint.taken.counts()), ..crate::stats(fixpoint.counts()) };
    Ok(Some(Update { change, kept: fixpoint.kept(program.clone()), stats }))
}
