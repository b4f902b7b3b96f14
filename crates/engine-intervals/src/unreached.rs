//! Points to which the code leads from points that are reached, and to which no step comes.

use crate::cells::Cells;
use crate::fixpoint::Here;
use std::collections::BTreeSet;
use threadwise_ir::{Op, Point, Program, TemplateId};

/// The points where steps from these points could end if all conditions were left out, but for those that are among them.
pub(crate) fn unreached(cells: &Cells<'_>, reached: &[Here]) -> BTreeSet<(TemplateId, Point)> {
    let program: &Program = cells.program;
    let mut found = BTreeSet::new();
    for here in reached {
        let mut seen = BTreeSet::new();
        let mut open = vec![here.point.clone()];
        while let Some(point) = open.pop() {
            for next in successors(program, &point) {
                match next.is_inside_step(program) {
                    true if seen.insert(next.clone()) => open.push(next),
                    true => {}
                    false => _ = found.insert((cells.template(here.role), next)),
                }
            }
        }
    }
    reached.iter().for_each(|here| _ = found.remove(&(cells.template(here.role), here.point.clone())));
    found
}

fn successors(program: &Program, point: &Point) -> Vec<Point> {
    let edges = &program.location(point.location).edges;
    let next = |&id: &threadwise_ir::EdgeId| {
        let edge = program.edge(id);
        let mut next = point.clone();
        match &edge.op {
            Op::Command(_) => next.location = edge.to,
            Op::Call { routine, .. } => {
                next.calls.push(id);
                next.location = program.routine(*routine).entry;
            }
            Op::Return(_) => next.location = program.edge(next.calls.pop()?).to,
        }
        Some(next)
    };
    edges.iter().filter_map(next).collect()
}
