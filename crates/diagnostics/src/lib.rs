//! Diagnostics as text: the line of the source, a marker, and the hint.

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use threadwise_source::{Diagnostic, Severity, SourceMap, View};

/// How far apart two markers on one line may be, in bytes, for both to be shown.
const FARTHEST_ON_LINE: usize = 400;

/// The diagnostics as text, each with `file:line:column`, the source line, a marker and the hint.
pub fn render(source: &SourceMap, diagnostics: &[Diagnostic], color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let blocks = diagnostics.iter().map(|d| renderer.render(&[group(source, d)]));
    blocks.collect::<Vec<_>>().join("\n\n")
}

fn group<'a>(source: &'a SourceMap, diagnostic: &'a Diagnostic) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let group = level.primary_title(&diagnostic.message).elements(snippets(source, diagnostic));
    match &diagnostic.hint {
        Some(hint) => group.element(Level::HELP.message(hint)),
        None => group,
    }
}

/// A place to mark and what to say there.
struct Mark<'a> {
    kind: AnnotationKind,
    view: View<'a>,
    label: &'a str,
}

/// The marked places: those in the text of the first one together, the others each by itself.
fn snippets<'a>(source: &'a SourceMap, diagnostic: &'a Diagnostic) -> Vec<Snippet<'a, Annotation<'a>>> {
    let mark = |kind, span, label| source.view(span).map(|view| Mark { kind, view, label });
    let Some(primary) = mark(AnnotationKind::Primary, diagnostic.span, &*diagnostic.label) else { return Vec::new() };
    let related = diagnostic.related.iter();
    let related = related.filter_map(|(span, text)| mark(AnnotationKind::Context, *span, text));
    let (near, far): (Vec<Mark>, Vec<Mark>) = related.partition(|other| is_same_text(&primary.view, &other.view));
    let mut together = near;
    together.retain(|other| is_showable(&primary.view, &other.view));
    together.insert(0, primary);
    std::iter::once(together).chain(far.into_iter().map(|mark| vec![mark])).map(snippet).collect()
}

/// Whether two places can be shown in one piece of text.
fn is_same_text(a: &View<'_>, b: &View<'_>) -> bool {
    std::ptr::eq(a.file, b.file) && a.name == b.name && a.first_line == b.first_line
}

/// The lines around the marks, which are all in one text. Only those are handed to the renderer, which looks at every
/// line it is given: one error in a large file should not cost a walk through the file.
fn snippet<'a>(marks: Vec<Mark<'a>>) -> Snippet<'a, Annotation<'a>> {
    let View { name, file, first_line, .. } = marks[0].view;
    let first = marks.iter().map(|mark| mark.view.range.start).min().unwrap_or(0);
    let last = marks.iter().map(|mark| mark.view.range.end).max().unwrap_or(0);
    let (line, lines) = file.lines_around(first, last);
    let annotation = |Mark { kind, view, label }: Mark<'a>| {
        kind.span(view.range.start - lines.start..view.range.end - lines.start).label(label)
    };
    Snippet::source(&file.text()[lines.clone()])
        .line_start((line as i64 + first_line - 1).max(0) as usize)
        .path(name)
        .annotations(marks.into_iter().map(annotation))
}

/// Two marks far apart on one line would print all that is between them.
fn is_showable(primary: &View<'_>, other: &View<'_>) -> bool {
    let lines = |view: &View<'_>| view.file.lines_around(view.range.start, view.range.end);
    let is_near = primary.range.start.abs_diff(other.range.start) <= FARTHEST_ON_LINE;
    is_near || lines(primary) != lines(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use threadwise_source::{SourceFile, Span};

    #[test]
    fn line_numbers_count_from_the_start_of_the_file() {
        let file = SourceFile::new("f.tw", "one\ntwo\nthrée four\n").into();
        let diagnostic = Diagnostic::error(Span::new(15, 19), "too much").label("here");
        let text = render(&file, &[diagnostic.related(Span::new(4, 7), "there")], false);
        assert!(text.contains("f.tw:3:7"), "{text}");
        assert!(text.contains("2 | two") && text.contains("3 | thrée four"), "{text}");
        assert!(!text.contains("one"), "{text}");
    }

    #[test]
    fn markers_far_apart_on_a_line_do_not_print_the_line() {
        let file = SourceFile::new("f.tw", "x".repeat(1 << 20)).into();
        let diagnostic = Diagnostic::error(Span::new(0, 1), "a").related(Span::new(1 << 19, 1 << 19), "b");
        assert!(render(&file, &[diagnostic], false).len() < 2000);
    }

    #[test]
    fn spans_that_do_not_fit_are_cut() {
        let file = SourceFile::new("f.tw", "é").into();
        for span in [Span::new(1, 1), Span::new(1, 9), Span::new(7, 9), Span { start: 9, end: 0 }] {
            assert!(render(&file, &[Diagnostic::error(span, "m")], false).contains("f.tw:1:"));
        }
    }

    #[test]
    fn an_empty_file_can_be_complained_about() {
        let file = SourceFile::new("f.tw", "").into();
        let text = render(&file, &[Diagnostic::warning(Span::default(), "nothing here")], false);
        assert!(text.contains("warning: nothing here") && text.contains("f.tw:1:1"), "{text}");
    }

    /// What a preprocessor makes of `main.c` (below) and a header.
    const PREPROCESSED: &str =
        "# 1 \"main.c\"\n# 1 \"lock.h\" 1\nint lock;\n# 2 \"main.c\" 2\n\nint main(void)\n{\n  lock = (1 + 2);\n}\n";
    const ORIGINAL: &str = "#include \"lock.h\"\n\nint main(void)\n{\n  lock = THREE;\n}\n";

    fn span_of(text: &str) -> Span {
        let start = PREPROCESSED.find(text).expect("it is there");
        Span::new(start, start + text.len())
    }

    #[test]
    fn markers_say_where_text_comes_from() {
        let mut source = SourceMap::default();
        source.add_preprocessed(SourceFile::new("main.i", PREPROCESSED));
        let error = Diagnostic::error(span_of("(1 + 2)"), "no").related(span_of("int lock"), "declared here");
        let text = render(&source, &[error], false);
        assert!(text.contains("main.c:5:10") && text.contains("5 |   lock = (1 + 2);"), "{text}");
        assert!(text.contains("lock.h:1:1") && text.contains("1 | int lock;"), "{text}");
    }

    #[test]
    fn the_original_text_is_shown_where_it_is_known() {
        let mut source = SourceMap::default();
        source.add_preprocessed(SourceFile::new("main.i", PREPROCESSED));
        source.add_original(SourceFile::new("main.c", ORIGINAL));
        let text = render(&source, &[Diagnostic::error(span_of("(1 + 2)"), "no").label("here")], false);
        assert!(text.contains("main.c:5:3") && text.contains("5 |   lock = THREE;"), "{text}");
        assert!(text.contains("^^^^^^^^^^^^^ here"), "{text}");
    }
}
