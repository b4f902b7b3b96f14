//! An execution that leads from a start, element by element, to an error.

use crate::backward::Backward;
use crate::forward::{Forward, Stop};
use crate::frame::same_thread;
use crate::members::is_within;
use std::collections::VecDeque;
use std::sync::Arc;
use threadwise_claims::violation_in;
use threadwise_evidence::{MAX_ANY_COPIES, Trace, TraceStep};
use threadwise_ir::{Instance, Program, State, Store, ThreadId};
use threadwise_limits::Budget;

/// Why there is no execution.
pub(crate) enum NoTrace {
    Stop(Stop),
    /// It takes so many copies.
    TooManyCopies(usize),
    /// It ends in a state that is no error: others are there that can take a step.
    EndsWell,
}

/// The execution from an element with which the program can start.
pub(crate) fn trace(
    program: &Arc<Program>,
    forward: &mut Forward<'_>,
    backward: &Backward,
    start: u32,
    budget: &Budget,
) -> Result<Trace, NoTrace> {
    let crowd = &backward.elements[start as usize].crowd;
    let of = |template: usize| crowd.iter().filter(|&&m| forward.members[m as usize].0.index() == template).count();
    let copies = (0..program.templates.len()).map(of).max().unwrap_or(0);
    if copies > MAX_ANY_COPIES as usize {
        return Err(NoTrace::TooManyCopies(copies));
    }
    let instance = Instance::new(program.clone(), copies as u32);
    let initial = initial_state(forward, &instance, backward, start);
    let mut run = Run { forward, instance: &instance, state: initial.clone(), steps: Vec::new() };
    let mut next = backward.elements[start as usize].next;
    loop {
        budget.check().map_err(|limit| NoTrace::Stop(limit.into()))?;
        if let Some(violation) = violation_in(&instance, &run.state) {
            let (any_copies, initial) = (instance.any_copies(), Some(initial));
            return Ok(Trace { any_copies, initial, steps: run.steps, violation });
        }
        let Some(goal) = next else { return Err(NoTrace::EndsWell) };
        let goal = &backward.elements[goal as usize];
        run.go_to(goal.core, &goal.crowd);
        next = goal.next;
    }
}

/// The core as it is, with the members of the crowd as the first copies; further copies start somehow.
fn initial_state(forward: &mut Forward<'_>, instance: &Instance, backward: &Backward, start: u32) -> State {
    let element = &backward.elements[start as usize];
    let spot = forward.spot(element.core);
    let frame = &forward.frame.instance;
    let image = |tid: i64| match usize::try_from(tid - 1) {
        Ok(thread) => 1 + same_thread(frame, thread, instance) as i64,
        Err(_) => 0,
    };
    let shared: Store = frame.rename(forward.tables.shared.get(spot.shared), &image).into();
    let mut waiting: Vec<VecDeque<u32>> = vec![VecDeque::new(); instance.program.templates.len()];
    for (&thread, &local) in spot.threads.iter().zip(&spot.locals) {
        waiting[frame.threads[thread].template.index()].push_back(local);
    }
    for &member in &element.crowd {
        let (template, local) = forward.members[member as usize];
        waiting[template.index()].push_back(local);
    }
    let local = |thread: usize| {
        let template = instance.threads[thread].template.index();
        match waiting[template].pop_front() {
            Some(local) => forward.tables.locals[template].get(local).into(),
            None => {
                let starts = instance.starts(ThreadId(thread as u32), &shared);
                starts.successors.into_iter().next().expect("crowds start somewhere").local
            }
        }
    };
    let locals = (0..instance.threads.len()).map(local).collect();
    State { shared, locals }
}

struct Run<'r, 'a> {
    forward: &'r mut Forward<'a>,
    instance: &'r Instance,
    state: State,
    steps: Vec<TraceStep>,
}

impl Run<'_, '_> {
    /// Takes a step to a state that has this core, and these members in its crowd. The thread that moved last is asked first.
    fn go_to(&mut self, core: u32, crowd: &[u32]) {
        let last = self.steps.last().map(|step| step.thread);
        let threads = (0..self.instance.threads.len() as u32).map(ThreadId);
        for thread in last.into_iter().chain(threads.filter(|&thread| Some(thread) != last)) {
            for step in self.state.steps(self.instance, thread).successors {
                let before = std::mem::replace(&mut self.state.shared, step.shared.clone());
                let local = std::mem::replace(&mut self.state.locals[thread.index()], step.local.clone());
                if self.covers(core, crowd) {
                    let (path, shared, local) = (step.path, step.shared, step.local);
                    self.steps.push(TraceStep { thread, path, shared, local });
                    return;
                }
                (self.state.shared, self.state.locals[thread.index()]) = (before, local);
            }
        }
        unreachable!("a step leads from each element to the next")
    }

    fn covers(&mut self, core: u32, crowd: &[u32]) -> bool {
        let frame = self.forward.frame;
        let (words, names) = frame.naming(self.instance, &self.state.shared);
        let mut stay = Vec::new();
        let mut members = Vec::new();
        for (thread, words) in self.state.locals.iter().enumerate() {
            let template = self.instance.threads[thread].template;
            let local = self.forward.tables.locals[template.index()].intern(words);
            if !frame.counted[template.index()] {
                stay.push((same_thread(self.instance, thread, &frame.instance), local));
            } else if let Some(&(_, name)) = names.iter().find(|(old, _)| *old == thread) {
                stay.push((name, local));
            } else {
                members.push(self.forward.member(template, local));
            }
        }
        stay.sort_unstable();
        members.sort_unstable();
        let shared = self.forward.tables.shared.intern(&words);
        let key: Vec<u32> = std::iter::once(shared).chain(stay.into_iter().map(|(_, local)| local)).collect();
        self.forward.known_core(&key) == Some(core) && is_within(crowd, &members)
    }
}
