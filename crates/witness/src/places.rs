//! From the places that a witness names to what stands there.

use crate::format::{Location, Waypoint, WaypointKind};
use std::collections::BTreeSet;
use threadwise_front_c::landmarks::{Landmarks, Place};

/// Where the landmarks of a program are, as witnesses count.
pub struct Places<'a> {
    pub landmarks: &'a Landmarks,
    statements: Vec<Place>,
    calls: Vec<Place>,
}

impl<'a> Places<'a> {
    pub fn new(landmarks: &'a Landmarks) -> Places<'a> {
        let statements = landmarks.statements.iter().map(|one| landmarks.place(one.span.start)).collect();
        let calls = landmarks.calls.iter().map(|one| landmarks.place(one.close)).collect();
        Places { landmarks, statements, calls }
    }

    /// The statements that a location names: those that begin there, the outermost first. Where none begins at the column, those
    /// of the line.
    pub fn statements(&self, location: &Location) -> Vec<usize> {
        self.found(&self.statements, location, |index| Some(&*self.landmarks.statements[index].function))
    }

    /// The calls that a location names, by their closing parentheses.
    pub fn calls(&self, location: &Location) -> Vec<usize> {
        self.found(&self.calls, location, |index| Some(&*self.landmarks.calls[index].function))
    }

    fn found<'s>(
        &self,
        places: &[Place],
        location: &Location,
        function: impl Fn(usize) -> Option<&'s str>,
    ) -> Vec<usize> {
        let is_there = |index: &usize| {
            let place = &places[*index];
            let is_in = location.function.as_deref().is_none_or(|name| function(*index) == Some(name));
            place.line == location.line && base_name(&place.file) == base_name(&location.file_name) && is_in
        };
        let on_line: Vec<usize> = (0..places.len()).filter(is_there).collect();
        let exact = |column: u32| on_line.iter().copied().filter(|index| places[*index].column == column).collect();
        let exact: Vec<usize> = location.column.map(exact).unwrap_or_default();
        if exact.is_empty() { on_line } else { exact }
    }

    /// What can pass a waypoint: statements, calls, or both.
    pub fn of(&self, waypoint: &Waypoint) -> Spot {
        let statements = |location: &Location| self.statements(location).into_iter().collect();
        match waypoint.kind {
            WaypointKind::Assumption | WaypointKind::Target | WaypointKind::Branching => {
                Spot { statements: statements(&waypoint.location), ..Spot::default() }
            }
            WaypointKind::FunctionEnter | WaypointKind::FunctionReturn => {
                let calls: BTreeSet<usize> = self.calls(&waypoint.location).into_iter().collect();
                let around =
                    calls.iter().filter_map(|call| self.landmarks.statement_at(self.landmarks.calls[*call].span.start));
                Spot { statements: around.collect(), calls: calls.clone(), is_loose: false }
            }
        }
    }

    /// Whether a position is in one of these statements, with those around it.
    pub fn is_within(&self, position: u32, statements: &BTreeSet<usize>) -> bool {
        let holds = |index: &usize| {
            let span = self.landmarks.statements[*index].span;
            span.start <= position && position < span.end
        };
        statements.iter().any(holds)
    }
}

/// What stands at a place.
#[derive(Clone, Debug, Default)]
pub struct Spot {
    pub statements: BTreeSet<usize>,
    pub calls: BTreeSet<usize>,
    /// To come by is all that can be seen.
    pub is_loose: bool,
}

fn base_name(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}
