//! What there is to say about a place: what a name means, what holds there in the last proof, and which steps a statement has.

use crate::document::Document;
use crate::lsp;
use threadwise_editing::{Kind, Symbol};
use threadwise_ir::Program;
use threadwise_print::show_edge;
use threadwise_source::Span;

/// More than this is not shown of one kind.
const MOST: usize = 12;

pub(crate) fn hover(document: &Document, position: lsp::Position) -> Option<lsp::Hover> {
    let offset = document.offset(position);
    let meaning = meaning(document, offset);
    let range = meaning.as_ref().map(|(span, _)| document.text.range(*span));
    let parts = [meaning.map(|(_, words)| words), known(document, position.line), steps(document, offset)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let value = parts.join("\n\n---\n\n");
    let contents = lsp::MarkupContent { kind: "markdown", value };
    (!parts.is_empty()).then_some(lsp::Hover { contents, range })
}

/// Text as code, whatever is in it.
pub(crate) fn code(text: &str) -> String {
    let ticks = "`".repeat(3.max(longest_run(text) + 1));
    format!("{ticks}threadwise\n{text}\n{ticks}")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// What a name is declared as, and where it stands.
fn meaning(document: &Document, offset: u32) -> Option<(Span, String)> {
    let names = document.names();
    let found = *crate::names::meant(names, offset).first()?;
    let symbol = &names.index.symbols[found.symbol];
    let owner = symbol.parent.map(|parent| format!(" of `{}`", names.index.symbols[parent].name));
    let text = declaration(symbol, |span| names.file.snippet(span, 200));
    Some((found.span, format!("{}\n{}{}", code(&text), symbol.kind.noun(), owner.unwrap_or_default())))
}

/// `shared x: 0..9`
pub(crate) fn declaration(symbol: &Symbol, text: impl Fn(Span) -> String) -> String {
    let word = match symbol.kind {
        Kind::Constant => "const ",
        Kind::Enumeration | Kind::Record => "type ",
        Kind::Function => "fun ",
        Kind::Shared => "shared ",
        Kind::Thread => "thread ",
        Kind::Procedure => "proc ",
        Kind::Local => "var ",
        Kind::Member | Kind::Field | Kind::Parameter | Kind::Label | Kind::Bound | Kind::Property | Kind::Node => "",
    };
    let detail = symbol.detail.map(|span| format!(": {}", text(span)));
    format!("{word}{}{}", symbol.name, detail.unwrap_or_default())
}

/// What the last proof says about the line.
fn known(document: &Document, line: u32) -> Option<String> {
    let finding = document.finding.as_ref()?;
    let mut lines: Vec<String> = Vec::new();
    for known in finding.known(line, &document.text) {
        let calls = if known.called_at.is_empty() { String::new() } else { format!(" called at {}", known.called_at) };
        let line = format!("// {}{calls}\n{}", known.thread, known.assertion);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    let more = lines.len().saturating_sub(MOST);
    lines.truncate(MOST);
    if more > 0 {
        lines.push(format!("// and {more} more"));
    }
    (!lines.is_empty()).then(|| format!("holds here, in the last proof:\n{}", code(&lines.join("\n"))))
}

/// The steps of the innermost statement around a place. Others can come in between them.
fn steps(document: &Document, offset: u32) -> Option<String> {
    let analysed = document.analysed.as_ref().filter(|analysed| analysed.version == document.version)?;
    let program = analysed.program.as_ref()?;
    let span = innermost(program, offset)?;
    let mut texts: Vec<String> = Vec::new();
    for (edge, id) in program.edges.iter().zip((0..).map(threadwise_ir::EdgeId)) {
        let text = show_edge(program, id);
        if edge.span == span && !texts.contains(&text) {
            texts.push(text);
        }
    }
    let word = if texts.len() == 1 { "one step" } else { "its steps" };
    let more = texts.len().saturating_sub(MOST);
    texts.truncate(MOST);
    if more > 0 {
        texts.push(format!("// and {more} more"));
    }
    Some(format!("{word}:\n{}", code(&texts.join("\n"))))
}

fn innermost(program: &Program, offset: u32) -> Option<Span> {
    let spans = program.edges.iter().map(|edge| edge.span);
    let around = spans.filter(|span| span.start <= offset && offset < span.end);
    around.min_by_key(|span| (span.end - span.start, span.start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// A fence of code ends at the first line that is as many ticks as it began with; there is none before the last.
        #[test]
        fn nothing_breaks_out_of_code(text in "[a`\\n ]{0,40}") {
            let written = code(&text);
            let ticks = written.split("threadwise").next().unwrap_or_default();
            let inside: Vec<&str> = written.lines().skip(1).collect();
            let ends = inside.iter().position(|line| line.trim().starts_with(ticks));
            prop_assert_eq!(ends, Some(inside.len() - 1));
        }
    }
}
