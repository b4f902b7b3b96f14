//! What stands in the text of a program where an edge comes from, with what the text alone does not say: the outcome of a
//! test, the branch that was chosen, the copy of a loop that was unrolled.

use threadwise_ir::{EdgeId, Instance};

/// The statement or test of an edge, cut to so many characters; nothing where nothing is written there.
pub fn edge_text(instance: &Instance, id: EdgeId, max: usize) -> String {
    let program = &instance.program;
    let edge = program.edge(id);
    let source = program.source.snippet(edge.span, max);
    if source.is_empty() {
        return source;
    }
    let copies = copies(instance, id, program.source.slice(edge.span));
    match (edge.branch, chosen_branch(instance, id)) {
        (Some(outcome), _) => format!("{source} is {outcome}{copies}"),
        (None, Some(number)) => format!("{source} branch {number}{copies}"),
        (None, None) => format!("{source}{copies}"),
    }
}

/// Which branch of a `choose` an edge goes into: of several edges that do nothing, and stand for the same place in the text.
fn chosen_branch(instance: &Instance, id: EdgeId) -> Option<usize> {
    let program = &instance.program;
    let edges = &program.location(program.edge(id).from).edges;
    let is_choice = |other: &EdgeId| {
        let other = program.edge(*other);
        other.op.does_nothing() && other.branch.is_none() && other.span == program.edge(id).span
    };
    let number = edges.iter().position(|other| *other == id)?;
    (edges.len() > 1 && edges.iter().all(is_choice)).then_some(number + 1)
}

/// ` (k = 2)`: the values of the variables of unrolled loops that the text mentions.
fn copies(instance: &Instance, id: EdgeId, text: &str) -> String {
    let mentions = |name: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
    let around = instance.program.copies_around(id).filter(|(copies, _)| mentions(&copies.name));
    let mut values: Vec<String> = Vec::new();
    for (copies, value) in around {
        let value = if copies.is_thread { instance.tid_name(value) } else { value.to_string() };
        // An inner loop may have a variable of the same name.
        let name = format!("{} = ", copies.name);
        if !values.iter().any(|known| known.starts_with(&name)) {
            values.push(name + &value);
        }
    }
    values.reverse();
    if values.is_empty() { String::new() } else { format!(" ({})", values.join(", ")) }
}
