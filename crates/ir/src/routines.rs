//! Which code belongs to which routine, and which routines call each other.

use crate::{Edge, EdgeId, Location, LocationId, Op, Program, RoutineId, TemplateId};
use std::collections::BTreeSet;
use std::ops::Range;

impl Program {
    /// The locations of a routine.
    pub fn locations_of(&self, id: RoutineId) -> impl DoubleEndedIterator<Item = (LocationId, &Location)> + Clone {
        self.routine(id).locations.clone().map(|index| (LocationId(index), &self.locations[index as usize]))
    }

    /// The edges of a routine.
    pub fn edges_of(&self, id: RoutineId) -> impl DoubleEndedIterator<Item = (EdgeId, &Edge)> + Clone {
        self.routine(id).edges.clone().map(|index| (EdgeId(index), &self.edges[index as usize]))
    }

    /// The routines that a thread can run: its own and those it calls, in the order in which calls lead to them.
    pub fn routines_of(&self, template: TemplateId) -> Vec<RoutineId> {
        let body = self.template(template).body;
        let mut is_reached = vec![false; self.routines.len()];
        is_reached[body.index()] = true;
        let mut reached = vec![body];
        let mut next = 0;
        while let Some(&routine) = reached.get(next) {
            next += 1;
            for (_, edge) in self.edges_of(routine) {
                if let Op::Call { routine: callee, .. } = edge.op
                    && !std::mem::replace(&mut is_reached[callee.index()], true)
                {
                    reached.push(callee);
                }
            }
        }
        reached
    }

    /// The edges that a thread can take, in its own routine and in those it calls.
    pub fn edges_of_thread(&self, template: TemplateId) -> impl Iterator<Item = (EdgeId, &Edge)> + Clone {
        self.routines_of(template).into_iter().flat_map(|routine| self.edges_of(routine))
    }

    /// The program when all of it is there, with notes for each routine which locations and edges are its own.
    pub fn indexed(mut self) -> Program {
        for routine in &mut self.routines {
            (routine.locations, routine.edges) = (0..0, 0..0);
        }
        for (location, id) in self.locations.iter().zip(0..) {
            extend(&mut self.routines[location.routine.index()].locations, id);
        }
        for (edge, id) in self.edges.iter().zip(0..) {
            let routine = self.locations[edge.from.index()].routine;
            extend(&mut self.routines[routine.index()].edges, id);
        }
        self
    }

    /// Whether some routine can call itself, directly or through others.
    pub fn is_recursive(&self) -> bool {
        let calls = self.edges.iter().filter_map(|edge| match edge.op {
            Op::Call { routine, .. } => Some((self.location(edge.from).routine, routine)),
            Op::Command(_) | Op::Return(_) => None,
        });
        let mut calls: BTreeSet<(RoutineId, RoutineId)> = calls.collect();
        // A routine that calls nothing more is not on a cycle, and neither are calls to it.
        loop {
            let callers: BTreeSet<RoutineId> = calls.iter().map(|&(caller, _)| caller).collect();
            let before = calls.len();
            calls.retain(|(_, callee)| callers.contains(callee));
            if calls.len() == before {
                return !calls.is_empty();
            }
        }
    }
}

fn extend(range: &mut Range<u32>, id: u32) {
    let start = if range.start == range.end { id } else { range.start };
    *range = start..id + 1;
}
