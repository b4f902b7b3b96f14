//! What is wrong with the input, for programs.

use serde::Serialize;
use threadwise_source::{Diagnostic, Severity, SourceMap, Span};

/// What is printed instead of a report. The fields are always there, in this order.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ErrorJson {
    /// `error`.
    pub verdict: &'static str,
    /// The first error, in a few words.
    pub reason: Option<String>,
    /// All that is wrong.
    pub diagnostics: Vec<DiagnosticJson>,
    /// The version of Threadwise.
    pub version: &'static str,
}

impl ErrorJson {
    /// The object for these diagnostics.
    pub fn new(diagnostics: Vec<DiagnosticJson>) -> ErrorJson {
        let first = diagnostics.iter().find(|diagnostic| diagnostic.severity == "error");
        let reason = first.map(|diagnostic| diagnostic.message.clone());
        ErrorJson { verdict: "error", reason, diagnostics, version: env!("CARGO_PKG_VERSION") }
    }
}

/// One thing that is wrong. What is not about the text of a program has no place.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct DiagnosticJson {
    /// `error` or `warning`.
    pub severity: &'static str,
    /// One line that says what is wrong.
    pub message: String,
    #[serde(flatten)]
    pub place: PlaceJson,
    /// What stands under the marker; null if nothing does.
    pub label: Option<String>,
    /// Further places, with a word on each.
    pub related: Vec<RelatedJson>,
    /// What to do about it; null if nobody knows.
    pub hint: Option<String>,
}

impl DiagnosticJson {
    /// An error that is not about the text of a program.
    pub fn without_place(message: &str, hint: Option<&str>) -> DiagnosticJson {
        DiagnosticJson {
            severity: "error",
            message: message.to_string(),
            place: PlaceJson::default(),
            label: None,
            related: Vec::new(),
            hint: hint.map(str::to_string),
        }
    }
}

/// A part of a text: from a character to the one after the last. Lines and columns count from 1.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct PlaceJson {
    pub file: Option<String>,
    pub line: Option<u32>,
    pub column: Option<u32>,
    pub end_line: Option<u32>,
    pub end_column: Option<u32>,
}

/// A further place and what is to be said of it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RelatedJson {
    #[serde(flatten)]
    pub place: PlaceJson,
    pub text: String,
}

/// A diagnostic for programs.
pub fn diagnostic_json(source: &SourceMap, diagnostic: &Diagnostic) -> DiagnosticJson {
    let related = |(span, text): &(Span, String)| RelatedJson { place: place(source, *span), text: text.clone() };
    DiagnosticJson {
        severity: match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        message: diagnostic.message.clone(),
        place: place(source, diagnostic.span),
        label: Some(diagnostic.label.clone()).filter(|label| !label.is_empty()),
        related: diagnostic.related.iter().map(related).collect(),
        hint: diagnostic.hint.clone(),
    }
}

fn place(source: &SourceMap, span: Span) -> PlaceJson {
    let (start, end) = (source.position(span.start), source.position(span.end.max(span.start)));
    PlaceJson {
        file: Some(source.file_name(span.start).to_string()),
        line: Some(start.line),
        column: Some(start.column),
        end_line: Some(end.line),
        end_column: Some(end.column),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use threadwise_source::SourceFile;

    #[test]
    fn places_are_lines_and_columns() {
        let source = SourceFile::new("é.tw", "thrée {\n  x = 1;\n}\n").into();
        let diagnostic = Diagnostic::error(Span::new(11, 16), "no `x`")
            .label("not declared")
            .related(Span::new(0, 6), "here")
            .hint("declare it");
        let json = serde_json::to_value(diagnostic_json(&source, &diagnostic)).expect("it is plain data");
        let expected = serde_json::json!({
            "severity": "error", "message": "no `x`", "file": "é.tw",
            "line": 2, "column": 3, "end_line": 2, "end_column": 8,
            "label": "not declared",
            "related": [{ "file": "é.tw", "line": 1, "column": 1, "end_line": 1, "end_column": 6, "text": "here" }],
            "hint": "declare it",
        });
        assert_eq!(json, expected);
    }

    #[test]
    fn the_reason_is_the_first_error() {
        let source = SourceFile::new("f.tw", "x").into();
        let warning = diagnostic_json(&source, &Diagnostic::warning(Span::new(0, 1), "odd"));
        let json = ErrorJson::new(vec![warning, DiagnosticJson::without_place("no file", Some("make it"))]);
        assert_eq!((json.verdict, json.reason.as_deref()), ("error", Some("no file")));
        assert_eq!(json.diagnostics[1].place, PlaceJson::default());
    }
}
