//! Points to which the code leads, whatever its conditions say.

use std::collections::BTreeSet;
use threadwise_ir::{EdgeId, Op, Point, Program, TemplateId};

/// The points where steps from these points could end if all conditions were left out, but for those that are among them.
pub fn points_behind(program: &Program, reached: &[(TemplateId, Point)]) -> BTreeSet<(TemplateId, Point)> {
    let mut found = BTreeSet::new();
    for (template, point) in reached {
        let mut seen = BTreeSet::new();
        let mut open = vec![point.clone()];
        while let Some(point) = open.pop() {
            for next in successors(program, &point) {
                match next.is_inside_step(program) {
                    true if seen.insert(next.clone()) => open.push(next),
                    true => {}
                    false => _ = found.insert((*template, next)),
                }
            }
        }
    }
    reached.iter().for_each(|point| _ = found.remove(point));
    found
}

fn successors(program: &Program, point: &Point) -> Vec<Point> {
    let edges = &program.location(point.location).edges;
    let next = |&id: &EdgeId| {
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
