//! What a verdict says about places in the text, and what of that is still true of a text that was edited since.

use crate::Verified;
use crate::analysis::said;
use crate::lsp;
use crate::places::uri_of;
use crate::text::{Shift, Text};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Of longer traces the last steps are told; the page has all.
const MAX_STEPS: usize = 100;

/// A verdict with the text that it is about.
#[derive(Debug)]
pub(crate) struct Finding {
    pub(crate) report: Value,
    pub(crate) page: Option<PathBuf>,
    complaint: String,
    path: PathBuf,
    text: Arc<Text>,
}

/// Something that is known at a line.
pub(crate) struct Known<'a> {
    pub(crate) thread: &'a str,
    pub(crate) assertion: &'a str,
    /// Where the procedure was called, if it is one.
    pub(crate) called_at: String,
}

impl Finding {
    pub(crate) fn new(verified: Verified, path: PathBuf, text: Arc<Text>) -> Finding {
        Finding { report: verified.report, page: verified.page, complaint: verified.complaint, path, text }
    }

    /// `UNSAFE: assertion fails at line 7`, and whether the text has changed since.
    pub(crate) fn headline(&self, now: &Arc<Text>) -> String {
        let verdict = self.verdict();
        let word = if verdict.is_empty() { "no verdict".to_string() } else { verdict.to_uppercase() };
        let reason = self.report["reason"].as_str().filter(|_| verdict != "safe");
        let reason = reason.or(Some(self.complaint.trim()).filter(|text| verdict.is_empty() && !text.is_empty()));
        let file = self.path.to_string_lossy().into_owned();
        let reason =
            reason.map_or_else(String::new, |reason| format!(": {}", reason.replace(&format!("{file}:"), "line ")));
        let since = if self.text == *now { "" } else { " (before the last changes)" };
        format!("{word}{reason}{since}")
    }

    pub(crate) fn verdict(&self) -> &str {
        self.report["verdict"].as_str().unwrap_or_default()
    }

    pub(crate) fn steps(&self) -> usize {
        self.report["trace"].as_array().map_or(0, Vec::len)
    }

    /// The line of the error, if it is still there.
    pub(crate) fn line_of_error(&self, now: &Text) -> Option<u32> {
        let range = self.place(&self.report["violation"])?;
        Shift::new(&self.text, now).range(range).map(|range| range.start.line)
    }

    /// What to mark in the text.
    pub(crate) fn diagnostics(&self, uri: &lsp::Uri, now: &Text) -> Vec<lsp::Diagnostic> {
        let shift = Shift::new(&self.text, now);
        match self.verdict() {
            "unsafe" => self.error(uri, &shift).into_iter().collect(),
            "safe" => self.unreached(&shift),
            "error" => self.complaints(&shift),
            _ => Vec::new(),
        }
    }

    /// The error with the trace that leads to it. One in another file is told at the first line.
    fn error(&self, uri: &lsp::Uri, shift: &Shift) -> Option<lsp::Diagnostic> {
        let violation = &self.report["violation"];
        let range = match self.place(violation) {
            Some(range) => shift.range(range)?,
            None => lsp::Range::default(),
        };
        let kind = violation["kind"].as_str().unwrap_or("error");
        let message = violation["message"].as_str().map_or_else(String::new, |message| format!("\n{message}"));
        let words = format!("{}{message}", self.report["reason"].as_str().unwrap_or("the program is unsafe"));
        Some(lsp::Diagnostic {
            severity: Some(lsp::DiagnosticSeverity::Error),
            code: Some(kind.to_string()),
            related_information: self.trace(uri, shift),
            ..said(range, words)
        })
    }

    fn trace(&self, uri: &lsp::Uri, shift: &Shift) -> Vec<lsp::DiagnosticRelatedInformation> {
        let steps = self.report["trace"].as_array().map_or(&[][..], Vec::as_slice);
        let skipped = steps.len().saturating_sub(MAX_STEPS);
        let mut related = Vec::new();
        for (step, number) in steps.iter().zip(1..).skip(skipped) {
            let location = match self.place(step) {
                Some(range) => shift.range(range).map(|range| lsp::Location { uri: uri.clone(), range }),
                None => elsewhere(step),
            };
            let words = format!("step {number}, {}: {}", thread(step), step["text"].as_str().unwrap_or_default());
            let before =
                if skipped > 0 && number == skipped + 1 { format!("({skipped} steps before) ") } else { String::new() };
            related.extend(
                location.map(|location| lsp::DiagnosticRelatedInformation { location, message: before + &words }),
            );
        }
        related
    }

    /// Statements that no execution gets past, for editors to fade.
    fn unreached(&self, shift: &Shift) -> Vec<lsp::Diagnostic> {
        let all = self.report["unreached"].as_array().map_or(&[][..], Vec::as_slice);
        let places = all.iter().filter_map(|statement| shift.range(self.place(statement)?));
        let faded = |range| lsp::Diagnostic {
            severity: Some(lsp::DiagnosticSeverity::Hint),
            tags: vec![lsp::DiagnosticTag::Unnecessary],
            ..said(range, "no execution gets past this statement".to_string())
        };
        places.map(faded).collect()
    }

    /// What is wrong with a program in a language that is not looked at while somebody types.
    fn complaints(&self, shift: &Shift) -> Vec<lsp::Diagnostic> {
        let all = self.report["diagnostics"].as_array().map_or(&[][..], Vec::as_slice);
        let complaint = |diagnostic: &Value| {
            let range = self.place(diagnostic).unwrap_or_default();
            let is_error = diagnostic["severity"] == "error";
            Some(lsp::Diagnostic {
                severity: Some(if is_error {
                    lsp::DiagnosticSeverity::Error
                } else {
                    lsp::DiagnosticSeverity::Warning
                }),
                ..said(shift.range(range)?, diagnostic["message"].as_str().unwrap_or_default().to_string())
            })
        };
        all.iter().filter_map(complaint).collect()
    }

    /// What holds at a line whenever a thread is there, if there is a proof and the line is as it was.
    pub(crate) fn known(&self, line: u32, now: &Text) -> Vec<Known<'_>> {
        let shift = Shift::new(&self.text, now);
        let all = self.report["annotation"].as_array().map_or(&[][..], Vec::as_slice);
        let is_here =
            |known: &&Value| self.place(known).is_some_and(|range| shift.line(range.start.line) == Some(line));
        let known = |known| Known {
            thread: text(known, "thread"),
            assertion: text(known, "assertion"),
            called_at: known_calls(known),
        };
        all.iter().filter(is_here).map(known).collect()
    }

    /// A place of a report in this file, up to the end of its line.
    fn place(&self, value: &Value) -> Option<lsp::Range> {
        let is_here = Path::new(value["file"].as_str()?) == self.path;
        let start = self.text.reported(value["line"].as_u64()?, value["column"].as_u64().unwrap_or(1));
        let end = match (value["end_line"].as_u64(), value["end_column"].as_u64()) {
            (Some(line), Some(column)) => self.text.reported(line, column),
            _ => {
                let line = self.text.line(start.line as usize).trim_end();
                lsp::Position { line: start.line, character: line.encode_utf16().count() as u32 }
            }
        };
        is_here.then_some(lsp::Range { start, end })
    }
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

fn known_calls(value: &Value) -> String {
    let calls = value["called_at"].as_array().map_or(&[][..], Vec::as_slice);
    calls.iter().filter_map(Value::as_str).collect::<Vec<&str>>().join(", ")
}

/// `W[2]`, or the name that the report gives.
fn thread(step: &Value) -> String {
    let name = step["name"].as_str().unwrap_or_else(|| text(step, "thread"));
    match step["copy"].as_u64() {
        Some(copy) if step["name"].is_null() => format!("{name}[{copy}]"),
        _ => name.to_string(),
    }
}

/// A place in another file, whose text is not at hand: columns are taken as they are.
fn elsewhere(step: &Value) -> Option<lsp::Location> {
    let number = |field: &str| step[field].as_u64().map(|n| n.saturating_sub(1) as u32);
    let start = lsp::Position { line: number("line")?, character: number("column").unwrap_or(0) };
    let path = Path::new(step["file"].as_str()?);
    path.is_absolute().then(|| lsp::Location { uri: uri_of(path), range: lsp::Range { start, end: start } })
}
