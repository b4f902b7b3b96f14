//! What is wrong with a text: syntax, names and types.

use crate::lsp;
use crate::text::Text;
use std::path::Path;
use std::sync::Arc;
use threadwise_frontends::{Options, frontend_for};
use threadwise_ir::Program;
use threadwise_limits::Budget;
use threadwise_source::{Diagnostic, Severity, SourceFile};

/// What was found in a version of a document.
#[derive(Clone, Debug, Default)]
pub(crate) struct Analysed {
    pub(crate) version: i32,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The program, if there are no errors.
    pub(crate) program: Option<Arc<Program>>,
}

/// Reads and lowers a text, in the language that the name of its file tells.
pub(crate) fn analyse(name: &str, text: &Text, version: i32) -> Analysed {
    if text.content().trim().is_empty() {
        // A program that somebody is about to begin is nothing to complain about.
        return Analysed { version, ..Analysed::default() };
    }
    let frontend = frontend_for(Path::new(name));
    let file = SourceFile::new(name, text.content());
    let loaded = frontend.load(vec![file], &Options::default(), &Budget::unlimited());
    Analysed { version, diagnostics: loaded.diagnostics, program: loaded.program }
}

/// A diagnostic as editors want it.
pub(crate) fn diagnostic(uri: &lsp::Uri, text: &Text, diagnostic: &Diagnostic) -> lsp::Diagnostic {
    let related = |(span, said): &(threadwise_source::Span, String)| lsp::DiagnosticRelatedInformation {
        location: lsp::Location { uri: uri.clone(), range: text.range(*span) },
        message: said.clone(),
    };
    let parts = [Some(diagnostic.message.clone()), Some(diagnostic.label.clone()), diagnostic.hint.clone()];
    let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    lsp::Diagnostic {
        severity: Some(match diagnostic.severity {
            Severity::Error => lsp::DiagnosticSeverity::Error,
            Severity::Warning => lsp::DiagnosticSeverity::Warning,
        }),
        related_information: diagnostic.related.iter().map(related).collect(),
        ..said(text.range(diagnostic.span), parts.join("\n"))
    }
}

/// A diagnostic of ours with nothing but its words.
pub(crate) fn said(range: lsp::Range, words: String) -> lsp::Diagnostic {
    lsp::Diagnostic {
        range,
        severity: None,
        code: None,
        source: "threadwise",
        message: words,
        tags: Vec::new(),
        related_information: Vec::new(),
    }
}
