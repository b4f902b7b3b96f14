//! Abstract threads beside the threads they specify, as text.

use crate::{location_numbers, locations_in_order, show_abstract_step, show_edge, show_expr, show_routine};
use threadwise_ir::{AbstractThread, EdgeId, Program, RoutineId, TemplateId};

/// Each specified thread beside its abstract thread, as text: the thread on the left.
pub fn abstract_listing(program: &Program) -> String {
    let pairs = program.abstract_threads.iter().map(|thread| {
        let (left, right) = (thread_lines(program, thread.template), abstract_lines(program, thread));
        columns(&left, &right)
    });
    pairs.collect::<Vec<String>>().join("\n")
}

fn columns(left: &[String], right: &[String]) -> String {
    let width = left.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for row in 0..left.len().max(right.len()) {
        let [left, right] = [left, right].map(|lines| lines.get(row).map_or("", String::as_str));
        out.push_str(format!("{left:<width$}  │  {right}").trim_end());
        out.push('\n');
    }
    out
}

/// The thread and the procedures it calls.
fn thread_lines(program: &Program, template: TemplateId) -> Vec<String> {
    let numbers = location_numbers(program);
    let mut lines = Vec::new();
    for routine in program.routines_of(template) {
        lines.push(show_routine(program, routine));
        for edge in edges_of(program, routine) {
            let place = |id: threadwise_ir::LocationId| {
                let location = program.location(id);
                format!("{}{}", numbers[id.index()], if location.transient { "·" } else { " " })
            };
            let at = program.edge(edge);
            let labels = &program.location(at.from).labels;
            let labels: String = labels.iter().map(|label| format!("{label}: ")).collect();
            lines.push(format!("{:>5} → {:<4} {labels}{}", place(at.from), place(at.to), show_edge(program, edge)));
        }
    }
    lines
}

fn edges_of(program: &Program, routine: RoutineId) -> impl Iterator<Item = EdgeId> {
    let locations = locations_in_order(program, routine).into_iter();
    locations.flat_map(|location| program.location(location).edges.clone())
}

fn abstract_lines(program: &Program, thread: &AbstractThread) -> Vec<String> {
    let name = |node: usize| &*thread.nodes[node].name;
    let initial: Vec<&str> = thread.init.iter().map(|&node| name(node)).collect();
    let mut lines = vec![format!("abstract {}", program.template(thread.template).name)];
    lines.push(format!("  init {};{}", initial.join(", "), if thread.idle { " idle;" } else { "" }));
    for node in 0..thread.nodes.len() {
        let assertion = thread.nodes[node].assertion.as_ref();
        let assertion = assertion.map_or_else(String::new, |e| format!(" assert {};", show_expr(program, e, None)));
        lines.push(format!("  {}:{assertion}", name(node)));
        for edge in thread.edges.iter().filter(|edge| edge.from == node) {
            let step = show_abstract_step(program, &edge.frame, edge.formula.as_ref());
            lines.push(format!("    → {}  {step}", name(edge.to)));
        }
    }
    lines
}
