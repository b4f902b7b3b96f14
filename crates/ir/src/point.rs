//! Where the control of a thread is.

use crate::{EdgeId, LocationId, Program, RoutineId};

/// A point of a thread's code with its calls inlined: the calls under way, and where the innermost one is.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Point {
    /// The edges of the calls under way, outermost first.
    pub calls: Vec<EdgeId>,
    /// The location of the innermost one, or of the thread's own code.
    pub location: LocationId,
}

impl Point {
    /// A point of the thread's own code.
    pub fn at(location: LocationId) -> Point {
        Point { calls: Vec::new(), location }
    }

    /// The routines of the frames, the thread's own first, the running one last.
    pub fn routines(&self, program: &Program) -> Vec<RoutineId> {
        self.locations(program).map(|location| program.location(location).routine).collect()
    }

    /// Whether control is inside a step: other threads do not see it here.
    pub fn is_inside_step(&self, program: &Program) -> bool {
        self.locations(program).any(|location| program.location(location).transient)
    }

    fn locations<'a>(&'a self, program: &'a Program) -> impl Iterator<Item = LocationId> + 'a {
        self.calls.iter().map(|&call| program.edge(call).from).chain([self.location])
    }
}
