//! Steps in the words of the source.

use threadwise_evidence::{edge_text, position, step_words};
use threadwise_ir::{EdgeId, Instance, ThreadId};
use threadwise_print::show_edge;
use threadwise_source::Span;

/// Statements are cut to this many characters.
const MAX_STATEMENT: usize = 72;

/// A statement, or the test of a condition and its outcome.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    /// What it says, on one line.
    pub text: String,
    /// Where it stands.
    pub position: String,
    pub span: Span,
}

/// The statement an edge comes from.
pub(crate) fn statement(instance: &Instance, id: EdgeId) -> Statement {
    if let Some(words) = step_words(instance, None, ThreadId(0), &[id], None) {
        return Statement { text: words.text, position: position(instance, words.span), span: words.span };
    }
    let program = &instance.program;
    let text = match edge_text(instance, id, MAX_STATEMENT) {
        text if text.is_empty() => show_edge(program, id),
        text => text,
    };
    let span = program.edge(id).span;
    Statement { text, position: program.source.locate_briefly(span), span }
}
