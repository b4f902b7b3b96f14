//! `start` and `join`: words that are keywords only where nothing else could be meant, since no name follows a name.

use super::cursor::Parser;
use super::{Abandoned, Attempt};
use crate::ast::{Expr, StmtKind};
use crate::lexer::TokenKind;
use threadwise_source::Diagnostic;

impl Parser<'_> {
    /// Is it `start W`, and not a variable or a procedure of that name?
    pub(super) fn at_start(&self) -> bool {
        self.at_word("start") && self.peek(1) == TokenKind::Identifier
    }

    /// Is it `join t`, and not a variable or a procedure of that name?
    pub(super) fn at_join(&self) -> bool {
        use TokenKind::{Identifier, None, SelfThread};
        self.at_word("join") && matches!(self.peek(1), Identifier | None | SelfThread)
    }

    fn at_word(&self, word: &str) -> bool {
        self.at(TokenKind::Identifier) && self.text() == word
    }

    /// `start W(e);`, behind `t =` if there is a result.
    pub(super) fn start_statement(&mut self, result: Option<Expr>) -> Attempt<StmtKind> {
        self.bump();
        let thread = self.name("the name of a thread")?;
        if !self.at(TokenKind::LeftParen) {
            let hint = format!("arguments stand in parentheses, also if there are none: `start {}();`", thread.text);
            return Err(self.expected_with("`(`", Some(hint)));
        }
        let args = self.arguments()?;
        self.semicolon()?;
        Ok(StmtKind::Start { result, thread, args })
    }

    /// `join t;`, where `t` is an operand: what starts otherwise could go on from a name.
    pub(super) fn join_statement(&mut self) -> Attempt<StmtKind> {
        self.bump();
        let thread = self.postfix()?.expr;
        self.semicolon()?;
        Ok(StmtKind::Join(thread))
    }

    /// A start where a value should stand.
    pub(super) fn start_is_a_statement(&mut self) -> Abandoned {
        let error = Diagnostic::error(self.span(), "a start is a statement and no value");
        let error = error.label("only `t = start …;` assigns its result");
        self.report(
            error.hint("declare a variable `t: tid` before it, and write `t = start …;` as a statement of its own"),
        );
        Abandoned
    }
}
