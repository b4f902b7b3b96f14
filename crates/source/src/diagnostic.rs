use crate::{SourceFile, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::ops::Range;

/// How far apart two markers on one line may be, in bytes, for both to be shown.
const FARTHEST_ON_LINE: usize = 400;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// The program is rejected.
    Error,
    /// The program is accepted, but probably not what was meant.
    Warning,
}

/// Something to tell the user about a place in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// One line that says what is wrong.
    pub message: String,
    /// Where.
    pub span: Span,
    /// What stands under the marker; usually what was expected.
    pub label: String,
    /// Further places with a word on each.
    pub related: Vec<(Span, String)>,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            span,
            label: String::new(),
            related: Vec::new(),
            hint: None,
        }
    }

    /// A warning at a place.
    pub fn warning(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(span, message) }
    }

    /// The same with a text under the marker.
    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = label.into();
        self
    }

    /// The same with another place.
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.related.push((span, text.into()));
        self
    }

    /// The same with advice.
    pub fn hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hint = Some(hint.into());
        self
    }
}

/// The diagnostics as text, each with `file:line:column`, the source line, a marker and the hint.
pub fn render(file: &SourceFile, diagnostics: &[Diagnostic], color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let blocks = diagnostics.iter().map(|d| renderer.render(&[group(file, d)]));
    blocks.collect::<Vec<_>>().join("\n\n")
}

fn group<'a>(file: &'a SourceFile, diagnostic: &'a Diagnostic) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let group = level.primary_title(&diagnostic.message).element(snippet(file, diagnostic));
    match &diagnostic.hint {
        Some(hint) => group.element(Level::HELP.message(hint)),
        None => group,
    }
}

/// The lines around the markers. Only those are handed to the renderer, which looks at every line
/// it is given: one error in a large file should not cost a walk through the file.
fn snippet<'a>(file: &'a SourceFile, diagnostic: &'a Diagnostic) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let primary = range(file, diagnostic.span);
    let related: Vec<_> = diagnostic
        .related
        .iter()
        .map(|(span, text)| (range(file, *span), text))
        .filter(|(range, _)| is_showable(file, &primary, range))
        .collect();
    let first = related.iter().map(|(r, _)| r.start).fold(primary.start, usize::min);
    let last = related.iter().map(|(r, _)| r.end).fold(primary.end, usize::max);
    let (line, lines) = file.lines_around(first, last);
    let shift = |range: Range<usize>| range.start - lines.start..range.end - lines.start;
    let related: Vec<_> =
        related.into_iter().map(|(range, text)| AnnotationKind::Context.span(shift(range)).label(text)).collect();
    let primary = AnnotationKind::Primary.span(shift(primary)).label(&diagnostic.label);
    Snippet::source(&file.text()[lines.clone()])
        .line_start(line)
        .path(file.name())
        .annotation(primary)
        .annotations(related)
}

/// Two markers far apart on one line would print all that is between them.
fn is_showable(file: &SourceFile, primary: &Range<usize>, other: &Range<usize>) -> bool {
    let is_near = primary.start.abs_diff(other.start) <= FARTHEST_ON_LINE;
    is_near || file.lines_around(primary.start, primary.end) != file.lines_around(other.start, other.end)
}

/// A byte range that surely fits the text and its character boundaries.
fn range(file: &SourceFile, span: Span) -> Range<usize> {
    let text = file.text();
    let mut start = (span.start as usize).min(text.len());
    let mut end = (span.end as usize).clamp(start, text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_numbers_count_from_the_start_of_the_file() {
        let file = SourceFile::new("f.tw", "one\ntwo\nthrée four\n");
        let diagnostic = Diagnostic::error(Span::new(15, 19), "too much").label("here");
        let text = render(&file, &[diagnostic.related(Span::new(4, 7), "there")], false);
        assert!(text.contains("f.tw:3:7"), "{text}");
        assert!(text.contains("2 | two") && text.contains("3 | thrée four"), "{text}");
        assert!(!text.contains("one"), "{text}");
    }

    #[test]
    fn markers_far_apart_on_a_line_do_not_print_the_line() {
        let file = SourceFile::new("f.tw", "x".repeat(1 << 20));
        let diagnostic = Diagnostic::error(Span::new(0, 1), "a").related(Span::new(1 << 19, 1 << 19), "b");
        assert!(render(&file, &[diagnostic], false).len() < 2000);
    }

    #[test]
    fn spans_that_do_not_fit_are_cut() {
        let file = SourceFile::new("f.tw", "é");
        for span in [Span::new(1, 1), Span::new(1, 9), Span::new(7, 9), Span { start: 9, end: 0 }] {
            assert!(render(&file, &[Diagnostic::error(span, "m")], false).contains("f.tw:1:"));
        }
    }

    #[test]
    fn an_empty_file_can_be_complained_about() {
        let file = SourceFile::new("f.tw", "");
        let text = render(&file, &[Diagnostic::warning(Span::default(), "nothing here")], false);
        assert!(text.contains("warning: nothing here") && text.contains("f.tw:1:1"), "{text}");
    }
}
