//! The parser's state: the place in the tokens, the depth of the tree, the complaints so far.

use super::words::DeclaredWords;
use super::{Abandoned, Attempt, MAX_DEPTH, MAX_DIAGNOSTICS};
use crate::ast::{Item, Name};
use crate::lexer::{Token, TokenKind};
use threadwise_source::{Diagnostic, SourceFile, Span};

/// How deep the parser's own recursion may be. Parentheses recurse without making a node, so a
/// tree of [`MAX_DEPTH`] may take up to two levels a node.
const MAX_RECURSION: usize = 2 * MAX_DEPTH;

pub(super) struct Parser<'a> {
    pub(super) file: &'a SourceFile,
    pub(super) tokens: Vec<Token>,
    pub(super) position: usize,
    /// Declarations found inside a thread by mistake; they are reported, and still declare.
    pub(super) misplaced_items: Vec<Item>,
    /// The braces of a block whose `}` is indented less than the line of its `{`, if any: the
    /// place to show when it turns out that braces do not match.
    pub(super) suspicious_braces: Option<(Span, Span)>,
    /// Indentation of the declaration being parsed.
    pub(super) item_indentation: usize,
    /// What the program declares, as far as it decides how it is read.
    pub(super) words: DeclaredWords<'a>,
    diagnostics: Vec<Diagnostic>,
    /// The token at which the last complaint was made; a second one there would be an echo.
    last_complaint: Option<usize>,
    /// Statements around the current place.
    depth: usize,
    recursion: usize,
    reported_depth: bool,
}

impl<'a> Parser<'a> {
    /// A parser at the start of the tokens, which end with [`TokenKind::EndOfFile`].
    pub(super) fn new(file: &'a SourceFile, tokens: Vec<Token>) -> Parser<'a> {
        let words = DeclaredWords::of(file, &tokens);
        Parser {
            file,
            words,
            tokens,
            position: 0,
            misplaced_items: Vec::new(),
            suspicious_braces: None,
            item_indentation: 0,
            diagnostics: Vec::new(),
            last_complaint: None,
            depth: 0,
            recursion: 0,
            reported_depth: false,
        }
    }

    pub(super) fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }

    // Looking and moving.

    pub(super) fn kind(&self) -> TokenKind {
        self.tokens[self.position].kind
    }

    /// The kind of the token `ahead` places further on.
    pub(super) fn peek(&self, ahead: usize) -> TokenKind {
        let last = self.tokens.len() - 1;
        self.tokens[(self.position + ahead).min(last)].kind
    }

    pub(super) fn span(&self) -> Span {
        self.tokens[self.position].span
    }

    pub(super) fn text(&self) -> &'a str {
        self.file.slice(self.span())
    }

    /// The span of the token before; the start of the file where there is none.
    pub(super) fn previous_span(&self) -> Span {
        self.position.checked_sub(1).map_or(Span::default(), |previous| self.tokens[previous].span)
    }

    /// From the start of `start` to the end of the last token.
    pub(super) fn since(&self, start: Span) -> Span {
        start.to(Span { start: start.start, end: self.previous_span().end.max(start.start) })
    }

    pub(super) fn at(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    /// Steps over the current token; the end of the file is never passed.
    pub(super) fn bump(&mut self) -> Span {
        let span = self.span();
        if !self.at(TokenKind::EndOfFile) {
            self.position += 1;
        }
        span
    }

    pub(super) fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    /// Reads the current token as another kind, after a slip has been reported.
    pub(super) fn read_as(&mut self, kind: TokenKind) {
        self.tokens[self.position].kind = kind;
    }

    /// Steps over a token that must be there.
    pub(super) fn expect(&mut self, kind: TokenKind) -> Attempt<Span> {
        if self.at(kind) {
            return Ok(self.bump());
        }
        Err(self.expected(&format!("`{}`", kind.spelling())))
    }

    /// A name that must be there; `what` says of what, as in "the name of a thread".
    pub(super) fn name(&mut self, what: &str) -> Attempt<Name> {
        let is_keyword = self.kind().is_keyword() && self.on_line_of_previous();
        if is_keyword {
            self.keyword_as_name(what);
        }
        if is_keyword || self.at(TokenKind::Identifier) {
            let text = self.text().to_string();
            return Ok(Name { text, span: self.bump() });
        }
        Err(self.expected(what))
    }

    // Complaining.

    /// Reports, unless something has been reported at this very token.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        let is_echo = self.last_complaint == Some(self.position) || self.lexer_complained();
        self.last_complaint = Some(self.position);
        if !is_echo && self.diagnostics.len() <= MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Has the lexer reported the current token, or an open comment that swallowed the rest?
    fn lexer_complained(&self) -> bool {
        let previous = self.position.checked_sub(1).map(|previous| self.tokens[previous].kind);
        self.at(TokenKind::Error) || (self.at(TokenKind::EndOfFile) && previous == Some(TokenKind::Error))
    }

    /// Reports that something else should stand here, and gives up.
    pub(super) fn expected(&mut self, what: &str) -> Abandoned {
        self.expected_with(what, None)
    }

    /// The same with advice.
    pub(super) fn expected_with(&mut self, what: &str, hint: Option<String>) -> Abandoned {
        let message = format!("expected {what}, found {}", self.found());
        let mut diagnostic = Diagnostic::error(self.gap(), message);
        diagnostic.label = format!("{what} should stand here");
        diagnostic.hint = hint;
        self.report(diagnostic);
        Abandoned
    }

    /// Where something is missing: the token found instead if it stands on the same line,
    /// otherwise the end of the token before, which is where one would type it.
    pub(super) fn gap(&self) -> Span {
        if self.on_line_of_previous() && !self.at(TokenKind::EndOfFile) {
            return self.span();
        }
        self.after_previous()
    }

    /// The empty span after the token before.
    pub(super) fn after_previous(&self) -> Span {
        let end = self.previous_span().end;
        Span { start: end, end }
    }

    pub(super) fn on_line_of_previous(&self) -> bool {
        let between = Span { start: self.previous_span().end, end: self.span().start };
        !self.file.slice(between).contains('\n')
    }

    /// The current token in words.
    pub(super) fn found(&self) -> String {
        match self.kind() {
            TokenKind::EndOfFile => "the end of the file".to_string(),
            kind if kind.is_keyword() => format!("the keyword `{}`", self.text()),
            _ => format!("`{}`", self.file.snippet(self.span(), 40)),
        }
    }

    // Depth.

    /// Parses something one level further down, if the parser's own stack allows it.
    pub(super) fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Attempt<T>) -> Attempt<T> {
        if self.recursion == MAX_RECURSION {
            return Err(self.too_deep(self.span()));
        }
        self.recursion += 1;
        let result = parse(self);
        self.recursion -= 1;
        result
    }

    /// Parses a statement's inside: everything there is one level deeper in the tree. One level
    /// is kept free for the leaf that takes the place of a broken condition or value.
    pub(super) fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Attempt<T>) -> Attempt<T> {
        if self.depth + 1 >= MAX_DEPTH {
            return Err(self.too_deep(self.span()));
        }
        self.depth += 1;
        let result = self.nested(parse);
        self.depth -= 1;
        result
    }

    /// May a subtree of this height stand here?
    pub(super) fn check_height(&mut self, height: usize) -> Attempt<()> {
        if self.depth + height > MAX_DEPTH {
            return Err(self.too_deep(self.previous_span()));
        }
        Ok(())
    }

    /// One such message a file is enough: what is too deep tends to be so in many places.
    fn too_deep(&mut self, span: Span) -> Abandoned {
        if !self.reported_depth {
            self.reported_depth = true;
            self.last_complaint = None;
            let message = format!("this is nested more than {MAX_DEPTH} levels deep");
            let diagnostic = Diagnostic::error(span, message)
                .label("too deep from here on")
                .hint("split it into smaller parts; each operator in a chain and each `else if` counts as a level");
            self.report(diagnostic);
        }
        Abandoned
    }
}
