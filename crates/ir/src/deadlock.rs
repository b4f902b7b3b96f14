//! Threads that wait for ever.
//!
//! # Deadlocks
//!
//! A thread is *still* where it can take no step, neither a good one nor one that goes wrong. A step is what other threads
//! see of it, so an atomic block that cannot run to its end is none. A thread is *stuck* where it is still, has not ended,
//! and is not at a point where waiting is meant. A deadlock is a state in which all threads are still and one is stuck.
//! Where the semantics leaves a gap, it is not known whether a thread is still, and it does not show that it is. Neither
//! does any thread as long as one of any number of copies has been started and none has taken notice of it: there is always
//! one more copy that could, and whether the instance has it says nothing about the program.
//!
//! # Cycles of locks
//!
//! A *mutex* is here a shared variable, or an element of an array, that holds the identity of a thread and that nobody
//! but its holder gives back: whatever writes it either waits until it is `none` and stores `self`, or asserts
//! that it is `self` and stores `none`. A thread *waits for* a mutex where all it can do is to take one that somebody
//! holds, be it as the first thing in an atomic block, and which one that is depends on its own variables only. It cannot
//! move before the holder does. So threads that wait for mutexes of each other, around a cycle, never move again, whatever
//! the others do. A thread that waits for its own mutex is such a cycle by itself. Neither does one move that waits for the
//! mutex of a thread that has ended.
//!
//! What a thread shows here depends on the shared store and its own local state alone, as it must. Whom it waits for is
//! told by the element of what it shows: the number of the holder.

use crate::observe::{Met, Observation, Observations};
use crate::step::Steps;
use crate::{
    BinaryOp, Command, Edge, EdgeId, Env, Expr, ExprKind, Instance, LocationId, Op, Pattern, Place, Program, Property,
    PropertyId, SharedId, Sort, ThreadId, UnaryOp, Update, Value, VarRef, Wait,
};
use threadwise_source::Span;

/// The sign of a deadlock that a stuck thread shows.
pub const STUCK: u32 = 0;
/// The sign of a deadlock that a still thread shows.
pub const STILL: u32 = 1;

/// The sign of a cycle of locks that a thread shows that waits for a mutex; the element is the number of its holder.
pub const WAITS: u32 = 0;
/// The sign of a cycle of locks that a thread shows that has ended.
pub const ENDED: u32 = 1;

/// Who is asked for, and what counts as a mutex.
#[derive(Clone, Debug)]
pub(crate) struct Waiting {
    deadlocks: Vec<PropertyId>,
    lock_cycles: Vec<PropertyId>,
    /// For each shared variable whether it is a mutex, or an array of them.
    is_mutex: Vec<bool>,
    /// See [`Program::permits`].
    permits: Vec<SharedId>,
}

impl Waiting {
    /// Nothing if no property asks.
    pub(crate) fn asked_for(program: &Program) -> Option<Waiting> {
        let (mut deadlocks, mut lock_cycles) = (Vec::new(), Vec::new());
        for (property, pattern) in program.patterns() {
            match pattern {
                Pattern::Signs(_) => {}
                Pattern::Deadlock => deadlocks.push(property),
                Pattern::LockCycle => lock_cycles.push(property),
            }
        }
        let is_mutex = if lock_cycles.is_empty() { Vec::new() } else { program.mutexes() };
        let asked = !deadlocks.is_empty() || !lock_cycles.is_empty();
        asked.then(|| Waiting { deadlocks, lock_cycles, is_mutex, permits: program.permits() })
    }
}

impl Program {
    /// Whether deadlocks are errors.
    pub fn forbids_deadlocks(&self) -> bool {
        self.patterns().any(|(_, pattern)| matches!(pattern, Pattern::Deadlock))
    }

    /// The variables that tell that one of any number of copies was started, and that none has taken notice of it.
    pub fn permits(&self) -> Vec<SharedId> {
        let mut permits = Vec::new();
        for location in self.locations.iter().filter(|location| location.wait == Wait::IsForCopies) {
            for &edge in &location.edges {
                if let Op::Command(Command { guard: Some(guard), .. }) = &self.edge(edge).op
                    && let ExprKind::Unary(UnaryOp::Not, given) = &guard.kind
                    && let ExprKind::Read(VarRef::Shared(permit)) = given.kind
                {
                    permits.push(permit);
                }
            }
        }
        permits.sort_unstable();
        permits.dedup();
        permits
    }

    /// The edge that a thread must take first, where there is only one. An atomic block is entered by a step that does
    /// nothing, and what it does first decides whether it can be entered: then that is the edge.
    pub fn only_way(&self, from: LocationId) -> Option<EdgeId> {
        let [edge] = self.location(from).edges[..] else { return None };
        let inside = self.location(self.edge(edge).to);
        match inside.edges[..] {
            [first] if inside.transient && self.edge(edge).op.does_nothing() => Some(first),
            _ => Some(edge),
        }
    }

    /// Adds what `nodeadlock;` says, if it has not been said.
    pub fn forbid_deadlocks(&mut self, span: Span) {
        if self.forbids_deadlocks() {
            return;
        }
        self.properties.push(Property::nodeadlock(span));
        if self.mutexes().contains(&true) {
            self.properties.push(Property::nolockcycle(span));
        }
    }
}

impl Program {
    /// For each shared variable whether it is a mutex that somebody takes, or an array of them.
    pub fn mutexes(&self) -> Vec<bool> {
        let mut is_mutex = vec![false; self.shared.len()];
        for edge in self.edges.iter() {
            if let Some((place, _)) = edge.taken()
                && let VarRef::Shared(var) = place.var
            {
                is_mutex[var.index()] = true;
            }
        }
        let mut spoil = |var: VarRef| {
            if let VarRef::Shared(var) = var {
                is_mutex[var.index()] = false;
            }
        };
        for edge in self.edges.iter().filter(|edge| edge.taken().is_none() && !gives_back(edge)) {
            match &edge.op {
                Op::Command(Command { update: Update::Assign(assignments), .. }) => {
                    assignments.iter().for_each(|(place, _)| spoil(place.var));
                }
                Op::Command(Command { update: Update::Action { frame, .. }, .. }) => {
                    frame.iter().for_each(|&v| spoil(v))
                }
                Op::Call { result, .. } => result.iter().for_each(|place| spoil(place.var)),
                Op::Return(_) => {}
            }
        }
        is_mutex
    }
}

impl Edge {
    /// The place that the edge takes, where all that it does is to wait until nobody holds it and to take it; and the
    /// same place as an expression.
    pub fn taken(&self) -> Option<(&Place, &Expr)> {
        let Op::Command(Command { assertions, guard: Some(guard), update: Update::Assign(assignments) }) = &self.op
        else {
            return None;
        };
        let ([], [(place, Value::Of(value))]) = (&assertions[..], &assignments[..]) else { return None };
        let ExprKind::Binary(BinaryOp::Eq, held, free) = &guard.kind else { return None };
        let takes = matches!(value.kind, ExprKind::SelfThread) && is_none(free) && is_read(held, place);
        takes.then_some((place, &**held))
    }
}

/// Whether all that an edge does to shared variables is to give something back that its thread must hold.
fn gives_back(edge: &Edge) -> bool {
    let Op::Command(Command { assertions, update: Update::Assign(assignments), .. }) = &edge.op else { return false };
    let [(place, Value::Of(value))] = &assignments[..] else { return false };
    let holds = |e: &Expr| match &e.kind {
        ExprKind::Binary(BinaryOp::Eq, held, me) => matches!(me.kind, ExprKind::SelfThread) && is_read(held, place),
        _ => false,
    };
    is_none(value) && assertions.iter().any(|assertion| holds(&assertion.condition))
}

fn is_none(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Const(0)) && *e.sort == Sort::Tid
}

/// Whether the expression reads just this place.
fn is_read(e: &Expr, place: &Place) -> bool {
    let mut root = e;
    for index in place.indices.iter().rev() {
        match &root.kind {
            ExprKind::Index(array, key) if **key == *index => root = array,
            _ => return false,
        }
    }
    matches!(root.kind, ExprKind::Read(var) if var == place.var)
}

impl Instance {
    /// Whether a thread in this local state has ended.
    pub fn has_ended(&self, local: &[i64]) -> bool {
        let location = self.location_of(local);
        self.program.routine(self.program.location(location).routine).exit == location
    }

    /// Whether a thread in this local state may wait for ever: it has ended, or waiting there is meant.
    pub fn may_rest(&self, local: &[i64]) -> bool {
        self.has_ended(local) || self.program.location(self.location_of(local)).wait == Wait::IsMeant
    }

    /// The thread that holds what the edge takes, if the edge takes something that somebody holds.
    pub fn holder(&self, thread: ThreadId, shared: &[i64], local: &[i64], edge: EdgeId) -> Option<i64> {
        let (_, held) = self.program.edge(edge).taken()?;
        let (routine, start) = self.top_frame(local);
        let mut env = Env::of_thread(self, routine, i64::from(thread.0) + 1, shared, &local[start..]);
        env.scalar(held).ok().filter(|&holder| holder != 0)
    }

    /// Adds what a thread shows where it can take no step.
    pub(crate) fn observe_waiting(&self, thread: ThreadId, shared: &[i64], local: &[i64], steps: &mut Steps) {
        let Some(waiting) = &self.waiting else { return };
        if !steps.successors.is_empty() || !steps.failures.is_empty() || steps.gap.is_some() {
            return;
        }
        let is_given = |permit: &SharedId| shared[self.shared_range(*permit).start] != 0;
        let somebody_starts = waiting.permits.iter().any(is_given);
        let mut show = |property: PropertyId, sign: u32, element: u32| {
            steps.shown.add(Observation { property, sign, first: element, last: element });
        };
        for &property in waiting.deadlocks.iter().filter(|_| !somebody_starts) {
            show(property, STILL, 0);
            if !self.may_rest(local) {
                show(property, STUCK, 0);
            }
        }
        if waiting.lock_cycles.is_empty() {
            return;
        }
        let waits = if self.may_rest(local) { None } else { self.waits_for(waiting, thread, shared, local) };
        for &property in &waiting.lock_cycles {
            if self.has_ended(local) {
                show(property, ENDED, 0);
            }
            if let Some(holder) = waits {
                show(property, WAITS, holder);
            }
        }
    }

    /// The number of the thread whose mutex a still thread waits for.
    fn waits_for(&self, waiting: &Waiting, thread: ThreadId, shared: &[i64], local: &[i64]) -> Option<u32> {
        let edge = self.program.only_way(self.location_of(local))?;
        let (place, _) = self.program.edge(edge).taken()?;
        let is_mutex = |var: SharedId| waiting.is_mutex[var.index()];
        let VarRef::Shared(var) = place.var else { return None };
        let stays = |key: &Expr| !key.any(&|e| matches!(e.kind, ExprKind::Read(VarRef::Shared(_))));
        if !is_mutex(var) || !place.indices.iter().all(stays) {
            return None;
        }
        self.holder(thread, shared, local, edge).and_then(|holder| u32::try_from(holder).ok())
    }

    /// What a thread shows that waits, where the threads have other names.
    pub(crate) fn rename_waiting(
        &self,
        observation: Observation,
        image: &dyn Fn(i64) -> i64,
    ) -> impl Iterator<Item = Observation> {
        let names_threads =
            matches!(self.program.observed(observation), Pattern::LockCycle) && observation.sign == WAITS;
        (observation.first..=observation.last).map(move |element| {
            let element = if names_threads { image(i64::from(element)) as u32 } else { element };
            Observation { first: element, last: element, ..observation }
        })
    }
}

/// Whether threads that show these are deadlocked: a stuck thread first, then all others.
pub(crate) fn deadlock(property: PropertyId, shown: &[&Observations]) -> Option<Met> {
    let stuck = shown.iter().position(|shown| shown.show(property, STUCK, 0))?;
    if !shown.iter().all(|shown| shown.show(property, STILL, 0)) {
        return None;
    }
    let threads: Vec<usize> = [stuck].into_iter().chain((0..shown.len()).filter(|&thread| thread != stuck)).collect();
    let signs = threads.iter().map(|&thread| (if thread == stuck { STUCK } else { STILL }, 0)).collect();
    Some(Met { property, element: 0, threads, shown: signs })
}

/// The first threads that wait for each other around a cycle, or for one that has ended.
pub(crate) fn lock_cycle(property: PropertyId, shown: &[&Observations]) -> Option<Met> {
    let holders = |thread: usize| {
        let waits = shown[thread].of(property).iter().filter(|o| o.sign == WAITS);
        waits.flat_map(|o| o.first..=o.last).map(|holder| holder as usize - 1)
    };
    for first in 0..shown.len() {
        let ended = holders(first).find(|&holder| holder != first && shown[holder].show(property, ENDED, 0));
        if let Some(holder) = ended {
            let (threads, signs) = (vec![first, holder], vec![(WAITS, holder as u32 + 1), (ENDED, 0)]);
            return Some(Met { property, element: 0, threads, shown: signs });
        }
        // A shortest way from the thread back to itself.
        let mut from: Vec<Option<usize>> = vec![None; shown.len()];
        let mut reached = vec![first];
        let mut next = 0;
        while let Some(&thread) = reached.get(next) {
            next += 1;
            for holder in holders(thread) {
                if holder == first {
                    return Some(cycle(property, first, thread, &from));
                }
                if from[holder].is_none() {
                    from[holder] = Some(thread);
                    reached.push(holder);
                }
            }
        }
    }
    None
}

/// The threads from the first one to the last one, who waits for the first one.
fn cycle(property: PropertyId, first: usize, last: usize, from: &[Option<usize>]) -> Met {
    let mut threads = vec![last];
    while let (Some(&thread), true) = (threads.last(), threads.last() != Some(&first)) {
        threads.extend(from[thread]);
    }
    threads.reverse();
    let next = threads.iter().cycle().skip(1);
    let signs = threads.iter().zip(next).map(|(_, &holder)| (WAITS, holder as u32 + 1)).collect();
    Met { property, element: 0, threads, shown: signs }
}
