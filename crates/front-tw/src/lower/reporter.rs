//! Collecting what there is to tell the user, without repetition and without end.

use rustc_hash::FxHashSet;
use threadwise_source::{Diagnostic, Severity, Span};

/// More errors than this are counted but not kept; the same goes for warnings.
const MAX_KEPT: usize = 200;

/// Names longer than this are not compared: nobody mistypes them, and comparing is quadratic.
const MAX_COMPARED_NAME: usize = 64;

/// How alike two names must be for one to be suggested for the other.
const LIKENESS: f64 = 0.8;

/// The diagnostics so far. The copies of an unrolled loop would report the same thing again and
/// again, so each is kept once.
#[derive(Default)]
pub(super) struct Reporter {
    diagnostics: Vec<Diagnostic>,
    seen: FxHashSet<(Span, String)>,
    errors: usize,
    warnings: usize,
    /// The parser dropped some of the text, so a name that is unknown may well have been declared.
    pub(super) incomplete: bool,
}

impl Reporter {
    /// A reporter without diagnostics.
    pub(super) fn new(incomplete: bool) -> Reporter {
        Reporter { incomplete, ..Reporter::default() }
    }

    /// Keeps a diagnostic unless it is there already.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        let count = match diagnostic.severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        *count += 1;
        if *count <= MAX_KEPT && self.seen.insert((diagnostic.span, diagnostic.message.clone())) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Reports a name that stands for nothing, with the most similar of the candidates.
    pub(super) fn unknown<'n>(
        &mut self,
        span: Span,
        kind: &str,
        name: &str,
        candidates: impl Iterator<Item = &'n str>,
    ) {
        if self.incomplete || self.errors >= MAX_KEPT {
            self.errors += 1;
            return;
        }
        let error = Diagnostic::error(span, format!("unknown {kind} `{name}`"));
        let error = error.label(format!("no such {kind} is in scope"));
        self.report(suggest(error, name, candidates));
    }

    /// How much has been said.
    pub(super) fn position(&self) -> usize {
        self.diagnostics.len()
    }

    /// Adds to everything that has been said since then where it comes from.
    pub(super) fn relate_since(&mut self, position: usize, span: Span, text: &str) {
        for diagnostic in self.diagnostics.iter_mut().skip(position) {
            *diagnostic = diagnostic.clone().related(span, text);
        }
    }

    /// Counts an error that the parser has told the user already.
    pub(super) fn note_error(&mut self) {
        self.errors += 1;
    }

    /// Whether the program has to be rejected.
    pub(super) fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Everything that was kept, in the order of the text.
    pub(super) fn into_diagnostics(self) -> Vec<Diagnostic> {
        let mut diagnostics = self.diagnostics;
        diagnostics.sort_by_key(|d| d.span);
        diagnostics
    }
}

/// The diagnostic with the most similar candidate as its hint, where one is similar at all.
pub(super) fn suggest<'n>(diagnostic: Diagnostic, name: &str, candidates: impl Iterator<Item = &'n str>) -> Diagnostic {
    match nearest(name, candidates) {
        Some(other) => diagnostic.hint(format!("did you mean `{other}`?")),
        None => diagnostic,
    }
}

/// The candidate most like the name; among equals the first in alphabetical order.
fn nearest<'n>(name: &str, candidates: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let mut best: Option<(f64, &'n str)> = None;
    for candidate in candidates.filter(|c| c.len().max(name.len()) <= MAX_COMPARED_NAME) {
        let likeness = strsim::jaro_winkler(name, candidate);
        let better = best.is_none_or(|(l, b)| likeness > l || (likeness == l && candidate < b));
        if candidate != name && likeness > LIKENESS && better {
            best = Some((likeness, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}
