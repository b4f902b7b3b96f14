//! Steps in the words of the source.

use threadwise_ir::{EdgeId, Program};
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
pub(crate) fn statement(program: &Program, id: EdgeId) -> Statement {
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
