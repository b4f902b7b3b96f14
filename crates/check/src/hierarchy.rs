//! Proofs that threads do not wait for ever, from the order in which they take locks.
//!
//! # The idea
//!
//! The proof names the variables that are locks, and puts the locks in an order. The judge walks through each thread
//! by itself. What he knows on the way is where control is, which locks the thread *has*, and of its local variables the values that
//! do not depend on what others do. Shared variables that are no locks may have any value at any time. So each thread's walk covers
//! everything that the thread can do, whatever the others do, and it is finite.
//!
//! *Discipline*: whatever writes a lock takes it, in a step that found it free, or gives it back, on a walk that has it.
//! Locks are free at first. So at all times a lock that is not free is one that somebody has, just one thread, and a lock that somebody
//! has is not free. Where a lock is a `tid`, its value is who has it. The set of readers of a lock for readers and writers is such a lock,
//! too, of which any number of threads may be those who have it, each by itself; it is free where it is empty.
//!
//! *Waiting*: wherever a thread rests, the judge finds a way through its next step, and the locks that this way finds free. If
//! all of them are free, the thread can take the step: on the way there are no conditions but those, conditions that hold,
//! and conditions of which the way follows both outcomes. These are the locks that the thread *waits for* there. A thread that can take no step
//! waits for one that is not free. Where no such way is found, the thread must have ended, or wait where waiting is meant.
//!
//! Suppose that
//!
//! 1. whoever waits for a lock has only locks that come before it in the order,
//! 2. whoever rests where no way is found has no lock.
//!
//! Then there is no deadlock. In one, somebody is stuck, so he waits for a lock that somebody has. Who has it can
//! take no step either, and does not rest at an end, by 2; so he waits for a lock that comes later, by 1, that somebody has, and so
//! on; but there are only finitely many locks. Nor is there a cycle of locks, since around a cycle each mutex would come before the
//! next one; nor does anybody wait for a mutex of a thread that has ended, by 2. How many threads there are does not matter.
//!
//! Everything else is well because another proof says so of the program without these properties, or because nothing on any
//! walk can go wrong.

mod locks;
mod step;
mod walk;

use crate::{CheckError, judge, refuted};
use locks::Locks;
use rustc_hash::FxHashSet;
use std::sync::Arc;
use threadwise_evidence::{HierarchyProof, OrderedLock};
use threadwise_ir::{Copies, Expr, Initial, Instance, Program, TemplateId, ThreadId};
use threadwise_limits::Budget;
use walk::{Walk, Walker};

/// How many places of walks it takes to see that the proof proves that the program is safe.
pub(crate) fn check(program: &Arc<Program>, proof: &HierarchyProof, budget: &Budget) -> Result<u64, CheckError> {
    proof.validate(program).map_err(|e| refuted(e.to_string()))?;
    match &proof.rest {
        Some(rest) => {
            judge(&Arc::new(HierarchyProof::remainder(program)), rest, budget)?;
        }
        None => nothing_else_is_asked(program)?,
    }
    let instance = Instance::new(program.clone(), 0);
    let locks = Locks::of(&instance, proof)?;
    let rank = |lock: &OrderedLock| proof.order.iter().position(|other| other == lock);
    let ranks = proof.order.iter().map(|lock| (lock.clone(), rank(lock).unwrap_or_default())).collect();
    let mut places = 0;
    for (template, me) in cast(&instance) {
        let walker = Walker { instance: &instance, locks: &locks, proof, ranks: &ranks, template, me };
        places += walk_through(&walker, budget)?;
    }
    Ok(places)
}

/// Each thread; or, where nobody knows how many there are, somebody for each template.
fn cast(instance: &Instance) -> Vec<(TemplateId, Option<ThreadId>)> {
    let program = &instance.program;
    if !program.has_any_copies() {
        let threads = instance.threads.iter().zip(0..);
        return threads.map(|(thread, index)| (thread.template, Some(ThreadId(index)))).collect();
    }
    let templates = program.templates.iter().zip((0..).map(TemplateId));
    templates.filter(|(template, _)| template.copies != Copies::Exactly(0)).map(|(_, id)| (id, None)).collect()
}

fn walk_through(walker: &Walker<'_>, budget: &Budget) -> Result<u64, CheckError> {
    let start = walker.start();
    let mut seen: FxHashSet<Walk> = FxHashSet::default();
    let mut open = vec![start.clone()];
    seen.insert(start);
    while let Some(walk) = open.pop() {
        budget.check()?;
        if !walker.is_inside_step(&walk) {
            walker.rests_well(&walk)?;
        }
        for next in walker.successors(&walk)? {
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    Ok(seen.len() as u64)
}

/// Without another proof only what forbids to wait for ever may be asked, and initial values cannot go wrong.
fn nothing_else_is_asked(program: &Program) -> Result<(), CheckError> {
    if !program.properties.iter().all(|property| property.pattern().is_some_and(|p| p.is_of_all_threads())) {
        return Err(refuted("an order of locks says nothing about the other properties"));
    }
    // Whoever says that all is well says whether there are initial states at all.
    if !program.init.is_empty() {
        return Err(refuted("values decide whether there is an initial state"));
    }
    for var in &program.shared {
        if let Initial::Value(e) = &var.init
            && (Expr::can_fail(e) || !e.surely_fits(&var.sort))
        {
            return Err(refuted(format!("the initial value of `{}` may be an error", var.name)));
        }
    }
    Ok(())
}
