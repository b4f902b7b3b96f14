//! Tokens → syntax tree, by recursive descent.
//!
//! The parser never fails: it returns the tree of whatever it understood together with
//! diagnostics. A construct that cannot be parsed is reported where the trouble was noticed and
//! *abandoned* (`Abandoned`); the nearest list of statements or declarations then skips to a
//! place where the next one probably starts (`recover`). Typical slips (`=` for `==`, `x += 1`,
//! `thread W(N)`, …) are reported and then understood as meant, so that one slip is one message.
//!
//! Two promises other code relies on: the tree is never deeper than [`MAX_DEPTH`], whatever the
//! input, and all spans lie within the file on character boundaries.

mod assignments;
mod contracts;
mod cursor;
mod expression_mistakes;
mod expressions;
mod items;
mod mistakes;
pub(crate) mod operators;
mod primaries;
mod recover;
mod starts;
mod statements;
mod types;
mod words;

use crate::ast::Module;
use crate::lexer;
use cursor::Parser;
use threadwise_source::{Diagnostic, SourceFile, Span};
pub(crate) use types::TYPE_WORDS;

/// How deep the tree may be: statements, expressions and types on the way from a declaration to
/// the innermost node. Operators in a chain such as `a + b + c` count one each, as they nest.
pub const MAX_DEPTH: usize = 256;

/// The largest file that is parsed.
pub const MAX_FILE_BYTES: usize = 64 << 20;

/// How many diagnostics a file gets before the rest is left out.
pub const MAX_DIAGNOSTICS: usize = 20;

/// What parsing a file gives.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// Everything that was understood.
    pub module: Module,
    /// What is wrong, in the order of the text; empty exactly if the whole file was understood.
    pub diagnostics: Vec<Diagnostic>,
}

/// A construct was given up after a diagnostic had been reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Abandoned;

/// The result of parsing one construct.
type Attempt<T> = Result<T, Abandoned>;

pub fn parse(file: &SourceFile) -> Parsed {
    if file.text().len() > MAX_FILE_BYTES {
        return too_large(file);
    }
    let (tokens, mut diagnostics) = lexer::tokenize(file);
    let mut parser = Parser::new(file, tokens);
    let module = parser.module();
    diagnostics.extend(parser.into_diagnostics());
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
    cut_short(&mut diagnostics);
    Parsed { module, diagnostics }
}

fn too_large(file: &SourceFile) -> Parsed {
    let megabytes = file.text().len() >> 20;
    let diagnostic = Diagnostic::error(Span::default(), format!("this file has {megabytes} MiB"))
        .label(format!("files may have up to {} MiB", MAX_FILE_BYTES >> 20))
        .hint("split the program, or shorten what generates it");
    Parsed { module: Module::default(), diagnostics: vec![diagnostic] }
}

/// Keeps the first diagnostics; nobody reads hundreds, and most are echoes of the first.
fn cut_short(diagnostics: &mut Vec<Diagnostic>) {
    if diagnostics.len() <= MAX_DIAGNOSTICS {
        return;
    }
    diagnostics.truncate(MAX_DIAGNOSTICS);
    let span = diagnostics[MAX_DIAGNOSTICS - 1].span;
    let rest = Diagnostic::error(span, "there are more errors; the rest is left out")
        .label("the last error shown")
        .hint("correct the first ones and check again");
    diagnostics.push(rest);
}
