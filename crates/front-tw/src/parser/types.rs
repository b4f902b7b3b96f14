//! Types.

use super::cursor::Parser;
use super::{Abandoned, Attempt};
use crate::ast::{ExprKind, Machine, Type, TypeKind};
use crate::lexer::TokenKind;
use threadwise_source::Diagnostic;

/// The types that have a name of their own. They are no keywords: `shared lock: lock;` is fine.
pub(crate) const TYPE_WORDS: [&str; 15] =
    ["bool", "int", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "tid", "set", "lock", "mutex", "rwlock"];

impl Parser<'_> {
    pub(super) fn ty(&mut self) -> Attempt<Type> {
        Ok(self.tall_type()?.0)
    }

    /// A type and the height of its tree.
    pub(super) fn tall_type(&mut self) -> Attempt<(Type, usize)> {
        self.nested(|p| {
            let start = p.span();
            let (kind, below) = p.type_kind()?;
            let span = p.since(start);
            p.check_height(below + 1)?;
            Ok((Type { kind, span }, below + 1))
        })
    }

    /// The kind of a type, and the height of what is below it.
    fn type_kind(&mut self) -> Attempt<(TypeKind, usize)> {
        match self.kind() {
            TokenKind::LeftBracket => self.array(),
            TokenKind::Identifier if !self.starts_range() => self.named_type(),
            TokenKind::Identifier | TokenKind::Integer => self.range(),
            TokenKind::MinusSign | TokenKind::LeftParen => self.range(),
            TokenKind::Enum => Err(self.enum_in_place()),
            _ => Err(self.expected("a type")),
        }
    }

    /// Is the name at hand the start of a bound, as in `N - 1..M`?
    fn starts_range(&self) -> bool {
        use TokenKind::{DotDot, LeftBracket, LeftParen, MinusSign};
        use TokenKind::{Percent, PlusSign, Slash, Star};
        let next = self.peek(1);
        matches!(next, DotDot | MinusSign | Percent | PlusSign | Slash | Star)
            || matches!(next, LeftBracket | LeftParen)
    }

    fn named_type(&mut self) -> Attempt<(TypeKind, usize)> {
        let kind = match self.text() {
            "bool" => TypeKind::Bool,
            "int" => TypeKind::Int,
            "tid" => TypeKind::Tid,
            "lock" => TypeKind::Lock,
            "mutex" => TypeKind::Mutex,
            "rwlock" => TypeKind::RwLock,
            "set" => return self.set(),
            "chan" if self.peek(1) == TokenKind::LessSign => return self.channel(),
            "cond" if !self.words.has_type("cond") => TypeKind::Cond,
            name => match Machine::named(name) {
                Some(machine) => TypeKind::Machine(machine),
                None => TypeKind::Named(name.to_string()),
            },
        };
        self.bump();
        Ok((kind, 0))
    }

    /// `set<T>`
    fn set(&mut self) -> Attempt<(TypeKind, usize)> {
        self.bump();
        if !self.at(TokenKind::LessSign) {
            let hint = "say of what, for example `set<tid>`".to_string();
            return Err(self.expected_with("`<`", Some(hint)));
        }
        let opening = self.bump();
        let (member, height) = self.tall_type()?;
        if !self.eat_first_half() {
            self.closing(TokenKind::GreaterSign, opening)?;
        }
        Ok((TypeKind::Set(Box::new(member)), height))
    }

    /// `chan<T, N>`
    fn channel(&mut self) -> Attempt<(TypeKind, usize)> {
        self.bump();
        let opening = self.bump();
        let (element, height) = self.tall_type()?;
        if !self.at(TokenKind::Comma) {
            let hint = "say how many values the channel holds, as in `chan<int, 2>`".to_string();
            return Err(self.expected_with("`,`", Some(hint)));
        }
        self.bump();
        let capacity = self.bound()?;
        if !self.eat_first_half() {
            self.closing(TokenKind::GreaterSign, opening)?;
        }
        let height = height.max(capacity.height);
        Ok((TypeKind::Chan(Box::new(element), Box::new(capacity.expr)), height))
    }

    /// In `set<T>= {}` the lexer sees `>=`; here it can only be `>` and `=`. The token before
    /// takes the `>` in, which keeps the spans right without moving the other tokens. The same goes for `>>`.
    fn eat_first_half(&mut self) -> bool {
        let second_half = match self.kind() {
            TokenKind::GreaterEqualSign => TokenKind::Assign,
            TokenKind::ShiftRight => TokenKind::GreaterSign,
            _ => return false,
        };
        let middle = self.span().start + 1;
        self.tokens[self.position - 1].span.end = middle;
        self.tokens[self.position].span.start = middle;
        self.read_as(second_half);
        true
    }

    /// `[K]T`
    fn array(&mut self) -> Attempt<(TypeKind, usize)> {
        let opening = self.bump();
        let (key, key_height) = self.tall_type()?;
        self.closing(TokenKind::RightBracket, opening)?;
        let (value, value_height) = self.tall_type()?;
        Ok((TypeKind::Array(Box::new(key), Box::new(value)), key_height.max(value_height)))
    }

    /// `lo..hi`
    fn range(&mut self) -> Attempt<(TypeKind, usize)> {
        let low = self.bound()?;
        if !self.at(TokenKind::DotDot) {
            let number = self.file.snippet(low.expr.span, 20);
            let highest = match low.expr.kind {
                ExprKind::Int(value) => (value - 1).to_string(),
                _ => format!("{number} - 1"),
            };
            let hint = format!("a range has two bounds, both included: `0..{highest}` has {number} values");
            return Err(self.expected_with("`..`", Some(hint)));
        }
        self.bump();
        let high = self.bound()?;
        let height = low.height.max(high.height);
        Ok((TypeKind::Range(Box::new(low.expr), Box::new(high.expr)), height))
    }

    fn enum_in_place(&mut self) -> Abandoned {
        let diagnostic = Diagnostic::error(self.span(), "an enum needs a declaration of its own")
            .label("a type is expected here")
            .hint("declare it first, `type Phase = enum { idle, busy };`, and use its name here");
        self.report(diagnostic);
        Abandoned
    }
}
