//! The front end of raw transition systems: `.ts` text → program.
//!
//! A system is a list of the transitions of each thread between shared states and local states, with the
//! initial states and the error states: the multithreaded programs of CART, definition 1.1.1, and what
//! its section 3.7 takes as input. The format is described in `docs/TRANSITION-SYSTEMS.md`.
//!
//! `parse` reads lines, `resolve` gives the names numbers, `initial` looks at how the initial states
//! belong together, `lower` makes the program.

mod formula;
mod initial;
mod lower;
mod parse;
mod patterns;
mod resolve;
mod steps;
mod syntax;
mod words;

pub use parse::{Parsed, parse};
pub use syntax::{Name, Pattern, States, System, Thread, Transition};

use std::sync::Arc;
use threadwise_ir::Program;
use threadwise_source::{Diagnostic, Severity, SourceFile};

/// How many diagnostics a file gets before the rest is left out.
const MAX_DIAGNOSTICS: usize = 20;

/// What became of a file.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The program, if there are no errors.
    pub program: Option<Program>,
    /// Errors and warnings in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads, checks and lowers a file.
pub fn load(file: SourceFile) -> Loaded {
    let Parsed { system, mut diagnostics } = parse(&file);
    let is_error = |d: &Diagnostic| d.severity == Severity::Error;
    let mut program = None;
    if !diagnostics.iter().any(is_error) {
        let resolved = resolve::resolve(&system, &mut diagnostics);
        if !diagnostics.iter().any(is_error) {
            program = lower::lower(Arc::new(file.into()), &resolved, &mut diagnostics);
        }
    }
    if diagnostics.iter().any(is_error) {
        program = None;
    }
    cut_short(&mut diagnostics);
    Loaded { program, diagnostics }
}

/// Keeps the first diagnostics, errors before warnings where there are too many.
fn cut_short(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by_key(|d| (d.severity != Severity::Error, d.span));
    diagnostics.truncate(MAX_DIAGNOSTICS);
    diagnostics.sort_by_key(|d| d.span);
}
