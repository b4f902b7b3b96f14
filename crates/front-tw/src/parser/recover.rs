//! Finding the next place from which to go on after an error.
//!
//! All of this only moves forward, so the whole parse stays linear.

use super::cursor::Parser;
use super::{Abandoned, Attempt};
use crate::lexer::TokenKind;
use threadwise_source::{Diagnostic, Span};

/// How far back the start of a line is looked for, in bytes; bounds the work on endless lines.
const LOOK_BACK: usize = 256;

impl Parser<'_> {
    /// The semicolon that ends a statement or a declaration. Where it is missing and the next
    /// thing seems to start right here, it is reported and taken as given.
    pub(super) fn semicolon(&mut self) -> Attempt<()> {
        if self.eat(TokenKind::Semicolon) {
            return Ok(());
        }
        let next_starts_here = !self.on_line_of_previous()
            || self.at(TokenKind::RightBrace)
            || self.at(TokenKind::EndOfFile)
            || self.at_statement_keyword()
            || self.at_named_statement()
            || self.at_start()
            || self.at_join()
            || self.at_item();
        let message = format!("expected `;`, found {}", self.found());
        let place = if next_starts_here { self.after_previous() } else { self.span() };
        let label = if next_starts_here { "`;` is missing here" } else { "`;` should stand before this" };
        self.report(Diagnostic::error(place, message).label(label));
        if next_starts_here { Ok(()) } else { Err(Abandoned) }
    }

    /// Does the current token start a statement?
    pub(super) fn starts_statement(&self) -> bool {
        matches!(self.kind(), TokenKind::Identifier | TokenKind::LeftBrace) || self.at_statement_keyword()
    }

    /// Is it surely the start of an assignment or a call, even in the middle of a line?
    fn at_named_statement(&self) -> bool {
        let next = self.peek(1);
        self.at(TokenKind::Identifier) && matches!(next, TokenKind::Assign | TokenKind::LeftParen)
    }

    pub(super) fn at_statement_keyword(&self) -> bool {
        super::mistakes::STATEMENT_KEYWORDS.contains(&self.kind())
    }

    /// Does the current token start a declaration?
    pub(super) fn at_item(&self) -> bool {
        super::mistakes::ITEM_KEYWORDS.contains(&self.kind()) || self.at_exceptions()
    }

    /// At the word `exceptions`, be it the keyword or a name?
    pub(super) fn at_word_exceptions(&self) -> bool {
        self.at(TokenKind::Identifier) && self.text() == TokenKind::Exceptions.spelling()
    }

    /// Is it a declaration of exceptions, even where a variable or a procedure of that name could
    /// stand? What follows shows it: none of this can follow a name.
    fn at_exceptions(&self) -> bool {
        use TokenKind::{Exists, False, Forall, Identifier, NotSign, True};
        self.at_word_exceptions() && matches!(self.peek(1), Exists | False | Forall | Identifier | NotSign | True)
    }

    /// The width of the white space before the current token if it is the first on its line.
    pub(super) fn indentation(&self) -> Option<usize> {
        let before = &self.file.text()[..self.span().start as usize];
        let line = before.trim_end_matches([' ', '\t']);
        let starts_line = line.is_empty() || line.ends_with(['\n', '\u{feff}']);
        starts_line.then_some(before.len() - line.len())
    }

    /// The width of the white space that starts the line of a place, unless that is far away.
    fn line_indentation(&self, place: Span) -> Option<usize> {
        let bytes = self.file.text().as_bytes();
        let end = place.start as usize;
        let near = &bytes[end.saturating_sub(LOOK_BACK)..end];
        let start = match near.iter().rposition(|&byte| byte == b'\n') {
            Some(newline) => newline + 1,
            None if near.len() < LOOK_BACK => 0,
            None => return None,
        };
        Some(near[start..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count())
    }

    /// The `}` of a block; where it is missing, the parser acts as if it were there.
    pub(super) fn closing_brace(&mut self, opening: Span) {
        if !self.at(TokenKind::RightBrace) {
            return self.never_closed(opening);
        }
        let closing_width = self.indentation();
        let opening_width = self.line_indentation(opening);
        let is_suspicious = closing_width.is_some_and(|width| opening_width > Some(width));
        if is_suspicious && self.suspicious_braces.is_none() {
            self.suspicious_braces = Some((opening, self.span()));
        }
        self.bump();
    }

    /// At a declaration inside a block: does it stand where the next one would, so that a `}` was
    /// forgotten?
    pub(super) fn block_seems_over(&self) -> bool {
        self.indentation().is_some_and(|width| width <= self.item_indentation)
    }

    /// Skips the rest of a statement that was abandoned; `start` is where it began.
    pub(super) fn skip_statement(&mut self, start: usize) {
        loop {
            match self.kind() {
                TokenKind::EndOfFile | TokenKind::RightBrace => return,
                TokenKind::Semicolon => {
                    self.bump();
                    return;
                }
                TokenKind::LeftBrace => {
                    self.skip_braces();
                    if !self.goes_on_after_braces() {
                        self.eat(TokenKind::Semicolon);
                        return;
                    }
                }
                _ if self.position > start && self.starts_new_line() => return,
                _ => {
                    self.bump();
                }
            }
        }
    }

    /// Does a line with a new statement or declaration start at the current token?
    fn starts_new_line(&self) -> bool {
        (self.at_item() || self.at_statement_keyword()) && self.indentation().is_some()
    }

    fn goes_on_after_braces(&self) -> bool {
        use TokenKind::{Comma, Else, Or, RightBracket, RightParen};
        matches!(self.kind(), Else | Or | RightParen | RightBracket | Comma)
            || super::operators::binary_operator(self.kind()).is_some()
    }

    /// Skips `{ … }` with everything in it, or up to a declaration that shows that it is unclosed.
    fn skip_braces(&mut self) {
        let mut open = 0usize;
        loop {
            match self.kind() {
                TokenKind::EndOfFile => return,
                TokenKind::LeftBrace => open += 1,
                TokenKind::RightBrace => open -= 1,
                _ if self.at_item() && self.block_seems_over() => return,
                _ => {}
            }
            self.bump();
            if open == 0 {
                return;
            }
        }
    }

    /// Skips to a semicolon, without passing it, or to where the statement surely is over.
    pub(super) fn skip_to_semicolon(&mut self) {
        loop {
            match self.kind() {
                TokenKind::EndOfFile | TokenKind::RightBrace | TokenKind::Semicolon => return,
                TokenKind::LeftBrace => self.skip_braces(),
                _ if self.starts_new_line() => return,
                _ => {
                    self.bump();
                }
            }
        }
    }

    /// Skips the rest of a broken condition: past its `)`, or up to the body.
    pub(super) fn skip_condition(&mut self) {
        let mut open = 0usize;
        loop {
            match self.kind() {
                TokenKind::EndOfFile | TokenKind::RightBrace => return,
                TokenKind::LeftBrace | TokenKind::Semicolon => return,
                TokenKind::LeftParen => open += 1,
                TokenKind::RightParen if open == 0 => {
                    self.bump();
                    return;
                }
                TokenKind::RightParen => open -= 1,
                _ if self.starts_new_line() => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips to the next declaration. Statements on the way are not looked at: they most likely
    /// belong to a thread whose closing brace came too early, and would each be an error.
    pub(super) fn skip_item(&mut self, start: usize) {
        loop {
            match self.kind() {
                TokenKind::EndOfFile => return,
                TokenKind::LeftBrace => self.skip_braces(),
                _ if self.position > start && self.at_item() => return,
                _ => {
                    self.bump();
                }
            }
        }
    }
}
