//! Whether assertions at points and proofs of conformance fit a program. It says nothing about whether they prove
//! anything.

use crate::stores::validate_local;
use crate::{Conformance, FileError, FormulaProof, PointFormula, Scope, Simulation};
use std::sync::Arc;
use threadwise_ir::{AbstractThread, Instance, Op, Point, Program, TemplateId, ThreadId};

/// The program with one copy of each thread of which there may be any number: what proofs of
/// conformance speak of.
pub fn conformance_instance(program: &Arc<Program>) -> Instance {
    Instance::new(program.clone(), 1)
}

/// What a thread is specified to do, if it is.
pub fn specification(instance: &Instance, thread: ThreadId) -> Option<&AbstractThread> {
    let thread = instance.threads.get(thread.index())?;
    instance.program.abstract_thread(thread.template)
}

impl FormulaProof {
    /// For each part the template that it is about.
    pub fn templates(&self, program: &Arc<Program>) -> Vec<TemplateId> {
        match self.scope {
            Scope::Templates => (0..program.templates.len() as u32).map(TemplateId).collect(),
            Scope::Threads | Scope::ThreadsAlone => {
                Instance::new(program.clone(), 0).threads.iter().map(|thread| thread.template).collect()
            }
        }
    }

    /// Whether the proof fits the program: every point is one of its thread. It says nothing about
    /// the formulas.
    pub fn validate(&self, program: &Arc<Program>) -> Result<(), FileError> {
        if self.scope != Scope::Templates && program.has_any_copies() {
            return Err(FileError::new("it is about single threads, and there may be any number of them"));
        }
        let templates = self.templates(program);
        if self.parts.len() != templates.len() {
            let message = format!("the program has {} threads, not {}", templates.len(), self.parts.len());
            return Err(FileError::new(message).within("threads"));
        }
        for (part, template) in self.parts.iter().zip(templates) {
            let name = &program.template(template).name;
            let points = validate_points(program, template, &part.points).map_err(|e| e.within("points"));
            let remarks = || validate_points(program, template, &part.remarks).map_err(|e| e.within("remarks"));
            points.and_then(|()| remarks()).map_err(|e| e.within(name).within("threads"))?;
        }
        Ok(())
    }
}

fn validate_points(program: &Program, template: TemplateId, points: &[PointFormula]) -> Result<(), FileError> {
    let mut numbered = points.iter().enumerate();
    numbered.try_for_each(|(index, point)| validate_point(program, template, &point.point).map_err(|e| e.at(index)))
}

/// Whether the point is one of the thread: each call is made in the routine that the one before it calls, and the location
/// is in the last one's.
pub(crate) fn validate_point(program: &Program, template: TemplateId, point: &Point) -> Result<(), FileError> {
    let mut routine = program.template(template).body;
    for edge in &point.calls {
        let edge = program.edges.get(edge.index()).filter(|edge| program.location(edge.from).routine == routine);
        match edge.map(|edge| &edge.op) {
            Some(Op::Call { routine: callee, .. }) => routine = *callee,
            _ => return Err(FileError::new("there is no such call").within("calls")),
        }
    }
    let location = program.locations.get(point.location.index());
    match location.is_some_and(|location| location.routine == routine) {
        true => Ok(()),
        false => Err(FileError::new("there is no such location in the routine").within("location")),
    }
}

impl Conformance {
    /// Whether it fits the instance of [`conformance_instance`]: the thread is specified, its local
    /// states and nodes exist. It says nothing about whether it proves anything.
    pub fn validate(&self, instance: &Instance) -> Result<(), FileError> {
        let Some(specification) = specification(instance, self.thread) else {
            return Err(FileError::new("the program has no such specified thread").within("thread"));
        };
        let states = match &self.simulation {
            Simulation::Candidates(states) => states,
            Simulation::Assertions(points) => {
                return validate_points(&instance.program, specification.template, points)
                    .map_err(|e| e.within("assertions"));
            }
        };
        for (at, (local, sets)) in states.iter().enumerate() {
            validate_local(instance, specification.template, local).map_err(|e| e.at(at).within("candidates"))?;
            let nodes = specification.nodes.len();
            if nodes < 64 && sets.iter().any(|set| set >> nodes != 0) {
                return Err(FileError::new("there is no such node").at(at).within("candidates"));
            }
        }
        Ok(())
    }
}
