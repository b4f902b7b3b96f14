//! From a visited error state back to an execution that leads there.

use crate::calm::Calm;
use crate::initial::InitialStates;
use crate::search::Search;
use std::ops::ControlFlow;
use threadwise_claims::{step_between, violation_in};
use threadwise_evidence::Trace;
use threadwise_ir::{State, Store, ThreadId};
use threadwise_limits::Budget;

impl Search<'_> {
    /// An execution from one of the initial states to an error that is as near as this one.
    pub(crate) fn trace_to(&mut self, error: u32, initial: &InitialStates, budget: &Budget) -> Trace {
        let Calm { start, steps } = match self.calmest(error, initial, budget) {
            Some(calm) => calm,
            None => self.way_to(error, initial),
        };
        let mut before = self.state(&start);
        let initial = before.clone();
        let mut trace_steps = Vec::new();
        for (thread, next) in steps {
            let after = self.state(&next);
            let step = step_between(self.instance, &before, thread, &after);
            trace_steps.push(step.expect("the tables list what the semantics gives"));
            before = after;
        }
        Trace {
            any_copies: self.instance.any_copies(),
            initial: Some(initial),
            steps: trace_steps,
            violation: violation_in(self.instance, &before).expect("the search found an error in this state"),
        }
    }

    /// The execution by which the search came to the error state. Where states stand for all their permutations, it is found
    /// anew from the representatives along the way.
    fn way_to(&mut self, error: u32, initial: &InitialStates) -> Calm {
        let mut chain = vec![error];
        while let Some(parent) = self.visited.parent(chain[chain.len() - 1]) {
            chain.push(parent);
        }
        let width = self.instance.threads.len() + 1;
        let mut representatives = chain.iter().rev().map(|&id| {
            let mut state = vec![0; width];
            self.visited.read(id, &mut state);
            state
        });
        let first = representatives.next().expect("a chain has a first state");
        let rest: Vec<Vec<u32>> = representatives.collect();
        let start = initial.visit(&mut |state| match self.representative(state.to_vec()) == first {
            true => ControlFlow::Break(state.to_vec()),
            false => ControlFlow::Continue(()),
        });
        let start = start.break_value().expect("a chain starts in an initial state");
        let mut state = start.clone();
        let mut steps = Vec::new();
        for target in rest {
            let (thread, next) = self.step_towards(&state, &target);
            steps.push((thread, next.clone()));
            state = next;
        }
        Calm { start, steps }
    }

    fn step_towards(&mut self, state: &[u32], target: &[u32]) -> (ThreadId, Vec<u32>) {
        for thread in (0..self.instance.threads.len() as u32).map(ThreadId) {
            for (shared, local) in self.successors_of(state, thread) {
                let mut next = state.to_vec();
                (next[0], next[thread.index() + 1]) = (shared, local);
                if self.representative(next.clone()) == target {
                    return (thread, next);
                }
            }
        }
        unreachable!("a visited state is a successor of its parent")
    }

    pub(crate) fn state(&self, state: &[u32]) -> State {
        let local = |(thread, &id): (usize, &u32)| -> Store {
            let template = self.instance.threads[thread].template.index();
            self.tables.locals[template].get(id).into()
        };
        State {
            shared: self.tables.shared.get(state[0]).into(),
            locals: state[1..].iter().enumerate().map(local).collect(),
        }
    }
}
