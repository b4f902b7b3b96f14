use crate::{SourceFile, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

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
    let primary = AnnotationKind::Primary.span(range(file, diagnostic.span)).label(&diagnostic.label);
    let related = diagnostic
        .related
        .iter()
        .map(|(span, text)| AnnotationKind::Context.span(range(file, *span)).label(text));
    let snippet = Snippet::source(file.text()).path(file.name()).annotation(primary).annotations(related);
    let group = level.primary_title(&diagnostic.message).element(snippet);
    match &diagnostic.hint {
        Some(hint) => group.element(Level::HELP.message(hint)),
        None => group,
    }
}

/// A byte range that surely fits the text and its character boundaries.
fn range(file: &SourceFile, span: Span) -> std::ops::Range<usize> {
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
