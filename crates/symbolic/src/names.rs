//! What variables and points are called.

use crate::space::{PointId, Shown, Space};
use threadwise_ir::{LocationId, ThreadId};
use threadwise_logic::{Naming, Var};

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
}

impl Naming for Space {
    fn name(&self, var: Var) -> String {
        match self.info(var) {
            Some(info) if self.is_primed(var) => match info.name.split_once(" in ") {
                Some((value, set)) => format!("{value} in {set}'"),
                None => format!("{}'", info.name),
            },
            Some(info) => info.name.clone(),
            None => format!("any{}", var.index() - 2 * self.vars.len() + 1),
        }
    }

    fn value(&self, var: Var, value: i64) -> String {
        match self.info(var).map(|info| info.shown) {
            Some(Shown::Enum(id))
                if usize::try_from(value).is_ok_and(|v| v < self.instance.program.enums[id.index()].members.len()) =>
            {
                self.instance.program.enums[id.index()].members[value as usize].to_string()
            }
            Some(Shown::Tid) => self.instance.tid_name(value),
            Some(Shown::Point(thread))
                if usize::try_from(value).is_ok_and(|v| v < self.threads[thread.index()].points.len()) =>
            {
                self.point_name(thread, PointId(value as u32))
            }
            _ => value.to_string(),
        }
    }
}
