//! States of a thread as terms.

use crate::{Population, Value};
use threadwise_ir::{Point, Program, Routine, RoutineId, Sort, VarRef};
use threadwise_logic::Term;

/// A state of a thread as terms.
#[derive(Clone, Debug)]
pub struct ThreadState {
    pub point: Point,
    pub shared: Vec<Value>,
    /// The locals of each frame, outermost first.
    pub frames: Vec<Vec<Value>>,
}

impl ThreadState {
    /// A thread before its first step.
    pub fn first(population: &Population, body: RoutineId, shared: Vec<Value>) -> ThreadState {
        let routine = population.program.routine(body);
        let (point, frames) = (Point::at(routine.entry), vec![population.defaults(routine)]);
        let mut state = ThreadState { point, shared, frames };
        state.clear_dead(population);
        state
    }

    /// The running routine's locals.
    pub fn locals(&self) -> &[Value] {
        self.frames.last().expect("a thread has a frame")
    }

    /// The routine that is running.
    pub(crate) fn routine(&self, program: &Program) -> RoutineId {
        program.location(self.point.location).routine
    }

    pub(crate) fn variable(&mut self, var: VarRef) -> &mut Value {
        match var {
            VarRef::Shared(id) => &mut self.shared[id.index()],
            VarRef::Local(id) => &mut self.frames.last_mut().expect("a thread has a frame")[id.index()],
        }
    }

    /// Gives the locals that are out of scope their defaults.
    pub(crate) fn clear_dead(&mut self, population: &Population) {
        let routine = population.program.routine(self.routine(&population.program));
        for dead in population.program.location(self.point.location).dead.iter() {
            *self.variable(VarRef::Local(*dead)) = population.default_value(&routine.locals[dead.index()].sort);
        }
    }
}

impl Population {
    /// The locals of a routine that begins.
    pub(crate) fn defaults(&self, routine: &Routine) -> Vec<Value> {
        routine.locals.iter().map(|local| self.default_value(&local.sort)).collect()
    }
}

/// Constants that stand for some variables.
#[derive(Clone, Debug)]
pub struct Named<T> {
    /// The values, made of the constants.
    pub values: T,
    pub constants: Vec<Term>,
    /// That the values are of their sorts.
    pub well_formed: Term,
}

/// Constants for the shared variables; their names start with the prefix.
pub fn named_shared(population: &Population, prefix: &str) -> Named<Vec<Value>> {
    named(population, prefix, population.program.shared.iter().map(|var| &var.sort))
}

/// Constants for the locals of all frames at a point; their names start with the prefix.
pub fn named_frames(population: &Population, point: &Point, prefix: &str) -> Named<Vec<Vec<Value>>> {
    let mut all = Named { values: Vec::new(), constants: Vec::new(), well_formed: Term::bool(true) };
    for (index, routine) in point.routines(&population.program).into_iter().enumerate() {
        let locals = population.program.routine(routine).locals.iter().map(|var| &var.sort);
        let frame = named(population, &format!("{prefix}{index}."), locals);
        all.values.push(frame.values);
        all.constants.extend(frame.constants);
        all.well_formed = all.well_formed.and(&frame.well_formed);
    }
    all
}

fn named<'s>(population: &Population, prefix: &str, sorts: impl Iterator<Item = &'s Sort>) -> Named<Vec<Value>> {
    let mut all = Named { values: Vec::new(), constants: Vec::new(), well_formed: Term::bool(true) };
    for (index, sort) in sorts.enumerate() {
        let value = population.named(&format!("{prefix}{index}"), sort);
        all.constants.extend(value.0.iter().cloned());
        all.well_formed = all.well_formed.and(population.well_formed(sort, &value));
        all.values.push(value);
    }
    all
}
