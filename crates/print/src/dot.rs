//! The control-flow graphs for Graphviz.

use crate::{
    location_numbers, locations_in_order, routines_in_order, show_abstract_step, show_edge, show_expr, show_routine,
};
use threadwise_ir::{AbstractThread, EdgeId, LocationId, Program, RoutineId};

/// The control-flow graphs as a Graphviz digraph, one cluster for each thread and procedure.
pub fn dot(program: &Program) -> String {
    let mut dot = Dot::new(program);
    for routine in routines_in_order(program) {
        dot.routine(routine);
    }
    for (index, thread) in program.abstract_threads.iter().enumerate() {
        dot.abstract_thread(index, thread);
    }
    dot.line(0, "}");
    dot.out
}

/// A Graphviz digraph with each specified thread, the procedures it calls and its abstract thread in a common frame.
pub fn abstract_dot(program: &Program) -> String {
    let mut dot = Dot::new(program);
    let mut drawn = Vec::new();
    for (index, thread) in program.abstract_threads.iter().enumerate() {
        let name = quoted(&program.template(thread.template).name);
        dot.line(1, &format!("subgraph cluster_pair_{index} {{"));
        dot.line(2, &format!("label={name}; color=black;"));
        for routine in program.routines_of(thread.template) {
            // A procedure that several threads call is drawn with the first of them.
            if !drawn.contains(&routine) {
                drawn.push(routine);
                dot.routine(routine);
            }
        }
        dot.abstract_thread(index, thread);
        dot.line(1, "}");
    }
    dot.line(0, "}");
    dot.out
}

struct Dot<'a> {
    program: &'a Program,
    numbers: Vec<usize>,
    out: String,
}

impl<'a> Dot<'a> {
    fn new(program: &'a Program) -> Dot<'a> {
        let mut dot = Dot { program, numbers: location_numbers(program), out: String::new() };
        dot.line(0, "digraph threadwise {");
        dot.line(1, "node [shape=circle, width=0.35, fixedsize=true, fontsize=10, fontname=\"sans-serif\"];");
        dot.line(1, "edge [fontsize=10, fontname=\"monospace\"];");
        dot.line(1, "fontname=\"sans-serif\";");
        dot
    }

    fn line(&mut self, depth: usize, text: &str) {
        self.out.push_str(&"  ".repeat(depth));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn routine(&mut self, id: RoutineId) {
        let program = self.program;
        self.line(1, &format!("subgraph cluster_{} {{", id.0));
        self.line(2, &format!("label={}; color=gray;", quoted(&show_routine(program, id))));
        // An arrow from nowhere marks the entry.
        let entry = program.routine(id).entry.0;
        self.line(2, &format!("start{} [shape=none, label=\"\", width=0];", id.0));
        self.line(2, &format!("start{} -> l{entry};", id.0));
        for location in locations_in_order(program, id) {
            self.node(location);
        }
        for location in locations_in_order(program, id) {
            for &edge in &program.location(location).edges {
                self.edge(edge);
            }
        }
        self.line(1, "}");
    }

    fn node(&mut self, id: LocationId) {
        let location = self.program.location(id);
        let routine = self.program.routine(location.routine);
        if location.transient {
            // Points inside a step are drawn as mere dots.
            self.line(2, &format!("l{} [shape=point, width=0.08];", id.0));
            return;
        }
        let shape = if routine.exit == id { "doublecircle" } else { "circle" };
        let labels: Vec<&str> = location.labels.iter().map(|l| &**l).collect();
        let outside = match labels.is_empty() {
            true => String::new(),
            false => format!(", xlabel={}", quoted(&labels.join(", "))),
        };
        let number = self.numbers[id.index()];
        self.line(2, &format!("l{} [label=\"{number}\", shape={shape}{outside}];", id.0));
    }

    fn edge(&mut self, id: EdgeId) {
        let edge = self.program.edge(id);
        let label = quoted(&show_edge(self.program, id));
        self.line(2, &format!("l{} -> l{} [label={label}];", edge.from.0, edge.to.0));
    }

    fn abstract_thread(&mut self, index: usize, thread: &AbstractThread) {
        let program = self.program;
        let title = format!("abstract {}", program.template(thread.template).name);
        self.line(1, &format!("subgraph cluster_abstract_{index} {{"));
        self.line(2, &format!("label={}; color=gray; style=dashed;", quoted(&title)));
        for (number, node) in thread.nodes.iter().enumerate() {
            let text = match &node.assertion {
                Some(e) => format!("{}\n{}", node.name, show_expr(program, e, None)),
                None => node.name.to_string(),
            };
            let entry = if thread.init.contains(&number) { ", penwidth=2" } else { "" };
            let shape = "shape=box, style=rounded, fixedsize=false";
            self.line(2, &format!("a{index}_{number} [label={}, {shape}{entry}];", quoted(&text)));
            if thread.idle {
                self.line(2, &format!("a{index}_{number} -> a{index}_{number} [style=dotted];"));
            }
        }
        for edge in &thread.edges {
            let label = quoted(&show_abstract_step(program, &edge.frame, edge.formula.as_ref()));
            let (from, to) = (edge.from, edge.to);
            self.line(2, &format!("a{index}_{from} -> a{index}_{to} [label={label}];"));
        }
        self.line(1, "}");
    }
}

/// A Graphviz string.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}
