use crate::FileError;
use threadwise_ir::{LocalId, LocationId, Program};

/// What of a program's control and locals a set of states leaves out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Folding {
    /// Points that are passed within a step: no state stands there. Sorted.
    pub points: Vec<LocationId>,
    /// Locations and locals that hold their defaults there, beside those that are out of scope. Sorted.
    pub forgotten: Vec<(LocationId, Vec<LocalId>)>,
}

impl Folding {
    /// The folded program: locations and edges keep their numbers.
    pub fn apply(&self, program: &Program) -> Program {
        let mut folded = program.clone();
        for point in &self.points {
            folded.locations[point.index()].transient = true;
        }
        for (location, locals) in &self.forgotten {
            let dead = &mut folded.locations[location.index()].dead;
            *dead = dead.iter().chain(locals).copied().collect();
        }
        folded
    }

    /// Whether all locations and locals are the program's.
    pub(crate) fn validate(&self, program: &Program) -> Result<(), FileError> {
        for (index, point) in self.points.iter().enumerate() {
            if point.index() >= program.locations.len() {
                return Err(FileError::new("the program has no such location").at(index).within("points"));
            }
        }
        for (index, (at, locals)) in self.forgotten.iter().enumerate() {
            let location = program.locations.get(at.index());
            let count = location.map_or(0, |location| program.routine(location.routine).locals.len());
            if location.is_none() || locals.iter().any(|local| local.index() >= count) {
                let message = "the program has no such location, or it has no such local variable";
                return Err(FileError::new(message).at(index).within("forgotten"));
            }
        }
        Ok(())
    }
}
