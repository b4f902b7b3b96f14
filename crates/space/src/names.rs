//! What variables and points are called.

use crate::space::{PointId, Space};
use threadwise_ir::{LocationId, ThreadId};
use threadwise_logic::Var;
use threadwise_symbolic::primed_name;

impl Space {
    /// The name of a control point: a label of its location if it has one, else the line.
    pub fn point_name(&self, thread: ThreadId, point: PointId) -> String {
        let program = &self.instance.program;
        let at = &self.threads[thread.index()].points[point.index()];
        let name = |location: LocationId| {
            let location = program.location(location);
            match location.labels.first() {
                Some(label) => label.to_string(),
                None => program.source.locate_briefly(location.span),
            }
        };
        let mut names: Vec<String> = at.calls.iter().map(|call| name(program.edge(*call).from)).collect();
        names.push(name(at.location));
        names.join("/")
    }

    /// The name of a variable.
    pub fn name(&self, var: Var) -> String {
        match self.info(var) {
            Some(info) if self.is_primed(var) => primed_name(&info.name),
            Some(info) => info.name.clone(),
            None => format!("any{}", var.index() - 2 * self.vars.len() + 1),
        }
    }
}
