//! Threads that take locks around a cycle: the execution in which each has its lock and waits for the next one's, if it is a
//! short way there for each of them alone.

use super::follow::{Name, Whose};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use threadwise_evidence::{Trace, TraceStep, Violation};
use threadwise_ir::{Broken, Copies, Instance, LocationId, Program, State, Store, TemplateId, ThreadId};
use threadwise_limits::{Budget, Limit};

/// So many states of one thread alone are looked at.
const MOST_STATES: usize = 2_000;

/// Who has a lock and comes to wait for the next one.
pub(super) struct Waiter {
    pub(super) held: Name,
    pub(super) next: Name,
    pub(super) at: LocationId,
    pub(super) among: Vec<Whose>,
}

/// One thread after the other, alone, to where it waits, and then the others to where they can take no step.
pub(super) fn execution(
    program: &std::sync::Arc<Program>,
    cycle: &[Waiter],
    budget: &Budget,
) -> Result<Option<Trace>, Limit> {
    let needed = if program.has_any_copies() { cycle.len() as u32 } else { 0 };
    let instance = Instance::new(program.clone(), needed);
    let initial = instance.initial_stores();
    let Some(shared) = initial.stores.first().filter(|_| initial.gap.is_none() && initial.faults.is_empty()) else {
        return Ok(None);
    };
    let starts = (0..instance.threads.len() as u32).map(|thread| instance.starts(ThreadId(thread), shared));
    let locals: Option<Vec<Store>> =
        starts.map(|starts| starts.successors.first().map(|start| start.local.clone())).collect();
    let Some(locals) = locals else { return Ok(None) };
    let start = State { shared: shared.clone(), locals };
    let mut run = Run { instance: &instance, state: start.clone(), steps: Vec::new(), budget };
    let mut used: Vec<ThreadId> = Vec::new();
    for waiter in cycle {
        let Some(thread) = waiter.among.iter().find_map(|whose| unused(&instance, *whose, &used)) else {
            return Ok(None);
        };
        used.push(thread);
        let held = |shared: &[i64]| value(&instance, &waiter.held, shared) != Some(0);
        let is_free = |shared: &[i64]| value(&instance, &waiter.next, shared) == Some(0);
        let is_last = used.len() == cycle.len();
        let is_there = |shared: &[i64], local: &[i64]| {
            instance.location_of(local) == waiter.at && held(shared) && (is_last || is_free(shared))
        };
        if held(&run.state.shared) || !run.go(thread, &is_there)? {
            return Ok(None);
        }
    }
    for thread in (0..instance.threads.len() as u32).map(ThreadId).filter(|thread| !used.contains(thread)) {
        if run.violation().is_some() {
            break;
        }
        let is_still = |shared: &[i64], local: &[i64]| {
            let steps = instance.steps(thread, shared, local);
            steps.successors.is_empty() && steps.failures.is_empty() && steps.gap.is_none()
        };
        if !run.go(thread, &is_still)? {
            return Ok(None);
        }
    }
    let Some(violation) = run.violation() else { return Ok(None) };
    Ok(Some(Trace { any_copies: instance.any_copies(), initial: Some(start), steps: run.steps, violation }))
}

/// A thread of whom it may be that has no part yet.
fn unused(instance: &Instance, whose: Whose, used: &[ThreadId]) -> Option<ThreadId> {
    let is_new = |thread: &ThreadId| !used.contains(thread);
    match whose {
        Whose::Thread(thread) => Some(thread).filter(is_new),
        Whose::Copy(template) => instance.copies_of(template).map(|index| ThreadId(index as u32)).find(is_new),
    }
}

fn value(instance: &Instance, lock: &Name, shared: &[i64]) -> Option<i64> {
    let mut sort = &instance.program.shared[lock.var.index()].sort;
    let mut at = instance.shared_range(lock.var).start;
    for &key in &lock.keys {
        let threadwise_ir::Sort::Array(of, element) = sort else { return None };
        at += instance.rank(of, key)? * instance.words(element);
        sort = element;
    }
    shared.get(at).copied()
}

/// The shared store, and the local state of one thread.
type Alone = (Store, Store);

/// An execution, step by step.
struct Run<'a> {
    instance: &'a Instance,
    state: State,
    steps: Vec<TraceStep>,
    budget: &'a Budget,
}

impl Run<'_> {
    /// Lets one thread go the shortest way to where a condition holds; whether there is one.
    fn go(&mut self, thread: ThreadId, is_there: &dyn Fn(&[i64], &[i64]) -> bool) -> Result<bool, Limit> {
        let start = (self.state.shared.clone(), self.state.locals[thread.index()].clone());
        let mut from: FxHashMap<Alone, Option<(Alone, TraceStep)>> = FxHashMap::default();
        from.insert(start.clone(), None);
        let mut open = VecDeque::from([start]);
        while let Some(here) = open.pop_front() {
            self.budget.check()?;
            if is_there(&here.0, &here.1) {
                let mut way = Vec::new();
                let mut at = here.clone();
                while let Some(Some((before, step))) = from.get(&at) {
                    way.push(step.clone());
                    at = before.clone();
                }
                self.steps.extend(way.into_iter().rev());
                (self.state.shared, self.state.locals[thread.index()]) = here;
                return Ok(true);
            }
            if from.len() > MOST_STATES {
                return Ok(false);
            }
            for next in self.instance.steps(thread, &here.0, &here.1).successors {
                let state = (next.shared.clone(), next.local.clone());
                if !from.contains_key(&state) {
                    let step = TraceStep { thread, path: next.path, shared: next.shared, local: next.local };
                    from.insert(state.clone(), Some((here.clone(), step)));
                    open.push_back(state);
                }
            }
        }
        Ok(false)
    }

    fn violation(&self) -> Option<Violation> {
        let State { shared, locals } = &self.state;
        let mut shown = |thread: ThreadId| self.instance.steps(thread, shared, &locals[thread.index()]).shown;
        let broken = self.instance.broken_properties(shared, locals, &mut shown);
        broken.into_iter().find_map(|broken| match broken {
            Broken::Property(id) => Some(Violation::Property(id)),
            Broken::Fault(..) => None,
        })
    }
}

/// The threads that a place of a program's thread may be that of.
pub(super) fn whose(program: &Program, template: usize, me: Option<i64>) -> Whose {
    let id = TemplateId(template as u32);
    match me {
        Some(tid) if program.templates[template].copies != Copies::Any => Whose::Thread(ThreadId(tid as u32 - 1)),
        _ => Whose::Copy(id),
    }
}
