//! Typical slips in declarations and statements: what to say about them, and how to go on as if
//! they had not happened.

use super::cursor::Parser;
use super::types::TYPE_WORDS;
use super::{Abandoned, Attempt};
use crate::ast::{Cond, Expr, Name};
use crate::lexer::TokenKind;
use threadwise_source::{Diagnostic, Span};

/// The keywords that start a declaration, `exceptions` among them.
pub(super) const ITEM_KEYWORDS: [TokenKind; 15] = [
    TokenKind::Const,
    TokenKind::Type,
    TokenKind::Shared,
    TokenKind::Init,
    TokenKind::Thread,
    TokenKind::Proc,
    TokenKind::Invariant,
    TokenKind::Never,
    TokenKind::Exceptions,
    TokenKind::Function,
    TokenKind::NoRace,
    TokenKind::NoDeadlock,
    TokenKind::Rely,
    TokenKind::Guarantee,
    TokenKind::Abstract,
];

/// The keywords that start a statement.
pub(super) const STATEMENT_KEYWORDS: [TokenKind; 22] = [
    TokenKind::Var,
    TokenKind::Skip,
    TokenKind::Assert,
    TokenKind::Assume,
    TokenKind::Await,
    TokenKind::Acquire,
    TokenKind::Release,
    TokenKind::AcquireRead,
    TokenKind::AcquireWrite,
    TokenKind::ReleaseRead,
    TokenKind::ReleaseWrite,
    TokenKind::Action,
    TokenKind::Atomic,
    TokenKind::If,
    TokenKind::While,
    TokenKind::Loop,
    TokenKind::Break,
    TokenKind::Continue,
    TokenKind::Choose,
    TokenKind::For,
    TokenKind::Goto,
    TokenKind::Return,
];

/// How many tokens are looked at to see whether a block follows `name(…)`.
const LOOKAHEAD: usize = 64;

impl Parser<'_> {
    // Names and keywords.

    pub(super) fn keyword_as_name(&mut self, what: &str) {
        let word = self.text();
        let diagnostic = Diagnostic::error(self.span(), format!("the keyword `{word}` cannot be a name"))
            .label(format!("expected {what}"))
            .hint(format!("choose another name, for example `{word}_`"));
        self.report(diagnostic);
    }

    pub(super) fn check_not_built_in(&mut self, name: &Name, is_built_in: bool, what: &str) {
        if is_built_in {
            let message = format!("the {what} `{}` is built in and cannot be declared", name.text);
            self.report(Diagnostic::error(name.span, message).label("choose another name"));
        }
    }

    /// The keyword that the current name was probably meant to be.
    fn misspelt(&self, keywords: &[TokenKind]) -> Option<TokenKind> {
        let word = self.file.snippet(self.span(), 30).to_lowercase();
        let is_word = self.at(TokenKind::Identifier) && word.len() <= 20;
        if !is_word || TYPE_WORDS.contains(&word.as_str()) {
            return None;
        }
        let distance = |keyword: &TokenKind| strsim::damerau_levenshtein(&word, keyword.spelling());
        let nearest = keywords.iter().copied().min_by_key(distance)?;
        let allowed = if nearest.spelling().len() <= 4 { 1 } else { 2 };
        (distance(&nearest) <= allowed).then_some(nearest)
    }

    fn read_as_keyword(&mut self, keyword: TokenKind, expected: &str) {
        let spelling = keyword.spelling();
        let diagnostic = Diagnostic::error(self.span(), format!("expected {expected}, found {}", self.found()))
            .label("not a keyword")
            .hint(format!("did you mean `{spelling}`?"));
        self.report(diagnostic);
        self.read_as(keyword);
    }

    /// A misspelt keyword at the start of a declaration is read as the keyword.
    pub(super) fn read_slip_as_item(&mut self) {
        if let Some(keyword) = self.misspelt(&ITEM_KEYWORDS) {
            self.read_as_keyword(keyword, "a declaration");
        }
    }

    /// A misspelt keyword at the start of a statement is read as the keyword, where the name can
    /// be nothing else.
    pub(super) fn read_slip_as_statement(&mut self) -> Attempt<()> {
        use TokenKind::{Identifier, Integer, LeftBrace, NotSign, Semicolon};
        if !self.at(Identifier) || self.at_start() || self.at_join() || self.at_select() {
            return Ok(());
        }
        let next = self.peek(1);
        let is_hopeless = matches!(next, Identifier | Integer | LeftBrace | NotSign | Semicolon)
            || next.is_keyword()
            || self.is_head_of_block();
        if !is_hopeless {
            return Ok(());
        }
        match self.misspelt(&STATEMENT_KEYWORDS) {
            Some(keyword) => self.read_as_keyword(keyword, "a statement"),
            None if self.type_before_name("a statement", "var") => return Err(Abandoned),
            None => {}
        }
        Ok(())
    }

    /// Is it `name(…) {`, which no call is?
    fn is_head_of_block(&self) -> bool {
        let mut open = 0usize;
        for ahead in 1..LOOKAHEAD {
            match self.peek(ahead) {
                TokenKind::LeftParen => open += 1,
                _ if open == 0 => return false,
                TokenKind::RightParen if open == 1 => {
                    return self.peek(ahead + 1) == TokenKind::LeftBrace;
                }
                TokenKind::RightParen => open -= 1,
                TokenKind::Semicolon | TokenKind::EndOfFile => return false,
                _ => {}
            }
        }
        false
    }

    /// `int x = 3;`
    fn type_before_name(&mut self, expected: &str, keyword: &str) -> bool {
        let word = self.text();
        let found = TYPE_WORDS.contains(&word) && self.peek(1) == TokenKind::Identifier;
        if found {
            let name = self.file.snippet(self.tokens[self.position + 1].span, 30);
            let message = format!("expected {expected}, found `{word}`");
            let diagnostic = Diagnostic::error(self.span(), message)
                .label("the type does not come first")
                .hint(format!("write `{keyword} {name}: {word};`"));
            self.report(diagnostic);
        }
        found
    }

    // Declarations.

    pub(super) fn no_item(&mut self) -> Abandoned {
        if self.type_before_name("a declaration", "shared") {
            return Abandoned;
        }
        let found = self.found();
        let diagnostic = Diagnostic::error(self.span(), format!("expected a declaration, found {found}"));
        let (label, hint) = match self.kind() {
            TokenKind::RightBrace => ("no block is open here", Some("remove it, or look for a `}` too many above")),
            TokenKind::Semicolon => ("nothing stands before this semicolon", Some("remove it")),
            TokenKind::Assert => (
                "a statement outside of every thread",
                Some("for a property of all reachable states write `invariant`"),
            ),
            TokenKind::Var => ("locals belong to threads", Some("for a shared variable write `shared`")),
            _ if self.starts_statement() => (
                "a statement outside of every thread",
                Some("statements stand in `thread … { }`; perhaps a `}` above is one too many"),
            ),
            _ => ("a declaration should start here", None),
        };
        let mut diagnostic = diagnostic.label(label);
        diagnostic.hint = hint.map(str::to_string);
        self.report(diagnostic);
        Abandoned
    }

    pub(super) fn copies_in_parentheses(&mut self, name: &Name) {
        let name = &name.text;
        let diagnostic = Diagnostic::error(self.span(), "the number of copies stands in brackets")
            .label("expected `[` or a parameter list")
            .hint(format!("for several copies write `thread {name}[N]`, for parameters `thread {name}(x: int)`"));
        self.report(diagnostic);
    }

    /// `shared int x;`, `shared x;`, `shared x = 3;`
    pub(super) fn no_type(&mut self, keyword: &str, names: &[Name]) -> Abandoned {
        let Some(last) = names.last() else {
            return Abandoned;
        };
        let (last, next) = (last.text.as_str(), self.text());
        let hint = if !self.at(TokenKind::Identifier) {
            format!("give the type: `{keyword} {last}: int;`")
        } else if TYPE_WORDS.contains(&last) {
            format!("the type stands behind: `{keyword} {next}: {last};`")
        } else {
            format!("write `{keyword} {last}: {next};`")
        };
        self.expected_with("`:` and a type", Some(hint))
    }

    /// A declaration inside a thread: it is reported, and read.
    pub(super) fn misplaced_item(&mut self) {
        let word = self.text();
        let hint = match self.kind() {
            TokenKind::Shared => "move it out of the block; a local is declared with `var`",
            TokenKind::Invariant => {
                "move it out of the block, or before the body of a loop: `while (e) invariant i { … }`"
            }
            _ => "move it out of the block; perhaps a `}` is missing above",
        };
        let diagnostic = Diagnostic::error(self.span(), format!("`{word}` cannot stand inside a block"))
            .label("this declares something for the whole program")
            .hint(hint);
        self.report(diagnostic);
        let start = self.position;
        match self.deeper(Parser::item) {
            Ok(item) => self.misplaced_items.push(item),
            Err(Abandoned) => self.skip_statement(start),
        }
    }

    /// Blames the block that seems to have taken the closing brace of another, if there is one.
    pub(super) fn never_closed(&mut self, opening: Span) {
        let suspicious = self.suspicious_braces.filter(|(inner, _)| inner.start > opening.start);
        let (brace, place, word) = match suspicious {
            Some((inner, closing)) => (inner, closing, "this `}` seems to belong to an outer block"),
            None => (opening, self.after_previous(), "a `}` is missing, at the latest here"),
        };
        let diagnostic = Diagnostic::error(brace, "this `{` is never closed").label("opened here").related(place, word);
        self.report(diagnostic);
    }

    pub(super) fn no_contract_subject(&mut self) -> Abandoned {
        let hint = "write `forall i: tid :: F` for every thread, or `P :: F` for thread `P`";
        self.expected_with("`forall` or a thread's name and `::`", Some(hint.to_string()))
    }

    pub(super) fn no_abstract_part(&mut self) -> Abandoned {
        let hint = "there are `init X;`, `idle;`, nodes `X: assert e;` or `X:;`, and edges `X -> Y [g] F;`";
        let message = format!("expected a node or an edge, found {}", self.found());
        let label = "not a part of an abstract thread";
        self.report(Diagnostic::error(self.span(), message).label(label).hint(hint));
        Abandoned
    }

    // Statements.

    pub(super) fn no_statement(&mut self) -> Abandoned {
        let found = self.found();
        let (label, hint) = match self.kind() {
            TokenKind::Else => ("this `else` belongs to no `if`", Some("it must follow the `}` of its `if` at once")),
            TokenKind::Or => {
                ("this `or` belongs to no `choose` or `select`", Some("it must follow the `}` of a branch at once"))
            }
            TokenKind::Semicolon => {
                ("nothing stands before this semicolon", Some("remove it; the statement that does nothing is `skip;`"))
            }
            _ => ("a statement should start here", None),
        };
        let mut diagnostic =
            Diagnostic::error(self.span(), format!("expected a statement, found {found}")).label(label);
        diagnostic.hint = hint.map(str::to_string);
        self.report(diagnostic);
        Abandoned
    }

    pub(super) fn body_without_braces(&mut self) {
        let diagnostic = Diagnostic::error(self.gap(), format!("expected `{{`, found {}", self.found()))
            .label("`{` is missing here")
            .hint("a body stands in braces even if it is a single statement");
        self.report(diagnostic);
    }

    /// `if x > 0 { … }`
    pub(super) fn condition_without_parentheses(&mut self, keyword: &str) -> Attempt<Cond> {
        if !self.on_line_of_previous() || self.at(TokenKind::LeftBrace) {
            let hint = format!("write `{keyword} (e) {{ … }}`, or `{keyword} (*)` for either way");
            return Err(self.expected_with("`(` and a condition", Some(hint)));
        }
        let (start, found) = (self.span(), self.found());
        let condition = self.free_or_expression()?;
        let text = self.file.snippet(self.since(start), 40);
        self.report(
            Diagnostic::error(start, format!("expected `(`, found {found}"))
                .label("a condition stands in parentheses")
                .hint(format!("write `{keyword} ({text})`")),
        );
        Ok(condition)
    }

    /// `for (k in 0..3)`, or worse.
    pub(super) fn check_no_parentheses_after_for(&mut self) -> Attempt<()> {
        if !self.at(TokenKind::LeftParen) {
            return Ok(());
        }
        let hint = "write `for k in 0..N - 1 { … }`; both bounds are included".to_string();
        let abandoned = self.expected_with("the name of the loop's constant", Some(hint));
        while !matches!(self.kind(), TokenKind::LeftBrace | TokenKind::RightBrace | TokenKind::EndOfFile) {
            self.bump();
        }
        Err(abandoned)
    }

    /// A name at the start of a statement, but no assignment and no call.
    pub(super) fn no_assignment(&mut self, targets: &[Expr]) -> Abandoned {
        let target = targets.first().map_or("x".to_string(), |t| self.file.snippet(t.span, 30));
        let hint = format!("an assignment is written `{target} = e;`");
        self.expected_with("`=`", Some(hint))
    }
}
