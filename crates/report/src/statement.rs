//! Steps in the words of the source.

use threadwise_evidence::{position, step_words};
use threadwise_ir::{EdgeId, Instance, ThreadId};
use threadwise_print::show_edge;

/// Statements are cut to this many characters.
const MAX_STATEMENT: usize = 72;

/// A statement, or the test of a condition and its outcome.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    /// What it says, on one line.
    pub text: String,
    /// Where it stands.
    pub position: String,
}

/// The statement an edge comes from.
pub(crate) fn statement(instance: &Instance, id: EdgeId) -> Statement {
    if let Some(words) = step_words(instance, None, ThreadId(0), &[id], None) {
        return Statement { text: words.text, position: position(instance, words.span) };
    }
    let program = &instance.program;
    let edge = program.edge(id);
    let source = program.source.snippet(edge.span, MAX_STATEMENT);
    let text = match edge.branch {
        _ if source.is_empty() => show_edge(program, id),
        Some(outcome) => format!("{source} is {outcome}"),
        None => source,
    };
    let position = program.source.locate_briefly(edge.span);
    Statement { text, position }
}
