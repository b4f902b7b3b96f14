//! States of all threads together, as terms.

use crate::{Population, ThreadState, Value, named_frames, named_shared};
use threadwise_ir::Point;
use threadwise_logic::Term;

/// A state of all threads, or of some.
#[derive(Clone, Debug)]
pub struct World {
    /// The shared variables.
    pub shared: Vec<Value>,
    /// For each thread where it is and the locals of all its frames.
    pub threads: Vec<(Point, Vec<Vec<Value>>)>,
}

impl World {
    /// Constants for everything, that they are of their sorts, and all of them.
    pub fn named(population: &Population, points: &[Point]) -> (World, Term, Vec<Term>) {
        let shared = named_shared(population, "x");
        let (mut well_formed, mut constants, mut threads) = (shared.well_formed, shared.constants, Vec::new());
        for (number, point) in points.iter().enumerate() {
            let frames = named_frames(population, point, &format!("l{number}."));
            well_formed = well_formed.and(&frames.well_formed);
            constants.extend(frames.constants);
            threads.push((point.clone(), frames.values));
        }
        (World { shared: shared.values, threads }, well_formed, constants)
    }

    /// Where the threads are.
    pub fn points(&self) -> Vec<Point> {
        self.threads.iter().map(|(point, _)| point.clone()).collect()
    }

    /// A thread as it sees the world.
    pub fn thread(&self, thread: usize) -> ThreadState {
        let (point, frames) = self.threads[thread].clone();
        ThreadState { point, shared: self.shared.clone(), frames }
    }

    /// The world after a step of the thread.
    pub fn after(&self, thread: usize, state: &ThreadState) -> World {
        let mut after = World { shared: state.shared.clone(), threads: self.threads.clone() };
        after.threads[thread] = (state.point.clone(), state.frames.clone());
        after
    }

    /// The world with one more thread, which has started.
    pub fn joined_by(&self, state: &ThreadState) -> World {
        let mut joined = self.clone();
        joined.threads.push((state.point.clone(), state.frames.clone()));
        joined
    }

    fn values(&self) -> impl Iterator<Item = &Value> {
        self.shared.iter().chain(self.threads.iter().flat_map(|(_, frames)| frames.iter().flatten()))
    }

    /// All terms that it is made of, in the order of parameters: the shared variables, then each thread's locals.
    pub fn leaves(&self) -> Vec<Term> {
        self.values().flat_map(|value| value.0.iter().cloned()).collect()
    }

    /// The same with other terms in their places.
    pub fn with_leaves(&self, leaves: Vec<Term>) -> World {
        let mut leaves = leaves.into_iter();
        let mut world = self.clone();
        let locals = world.threads.iter_mut().flat_map(|(_, frames)| frames.iter_mut().flatten());
        for value in world.shared.iter_mut().chain(locals) {
            value.0 = leaves.by_ref().take(value.0.len()).collect();
        }
        world
    }

    /// Whether both are the same, where control is the same.
    pub fn same(&self, other: &World) -> Term {
        if self.points() != other.points() {
            return Term::bool(false);
        }
        Term::all(self.values().zip(other.values()).map(|(a, b)| a.same(b)).collect::<Vec<Term>>())
    }
}
