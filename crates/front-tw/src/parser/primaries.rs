//! The operands of operators: literals, names, parentheses, and what follows them
//! (`'`, `[i]`, …).

use super::cursor::Parser;
use super::expressions::Tall;
use super::{Abandoned, Attempt};
use crate::ast::{Conversion, Expr, ExprKind, Machine, Quantifier};
use crate::lexer::{TokenKind, integer_value};
use threadwise_source::{Diagnostic, Span};

impl Parser<'_> {
    /// An operand with its primes, indices, fields and labels.
    pub(super) fn postfix(&mut self) -> Attempt<Tall> {
        let mut base = self.primary()?;
        loop {
            base = match self.kind() {
                TokenKind::Prime => self.primed(base)?,
                TokenKind::LeftBracket => self.indexed(base)?,
                TokenKind::Dot => self.field(base)?,
                TokenKind::At => self.at_label(base)?,
                _ => return Ok(base),
            };
        }
    }

    fn primed(&mut self, base: Tall) -> Attempt<Tall> {
        let span = base.expr.span.to(self.bump());
        self.grow(ExprKind::Prime(Box::new(base.expr)), span, base.height)
    }

    fn indexed(&mut self, base: Tall) -> Attempt<Tall> {
        self.bump();
        let index = self.tall_expression()?;
        let span = base.expr.span.to(self.expect(TokenKind::RightBracket)?);
        let height = base.height.max(index.height);
        self.grow(ExprKind::Index(Box::new(base.expr), Box::new(index.expr)), span, height)
    }

    fn field(&mut self, base: Tall) -> Attempt<Tall> {
        self.bump();
        let name = self.name("the name of a field or of a thread's local")?;
        let span = base.expr.span.to(name.span);
        self.grow(ExprKind::Field(Box::new(base.expr), name), span, base.height)
    }

    fn at_label(&mut self, base: Tall) -> Attempt<Tall> {
        self.bump();
        let name = self.name("a label")?;
        let span = base.expr.span.to(name.span);
        self.grow(ExprKind::At(Box::new(base.expr), name), span, base.height)
    }

    fn primary(&mut self) -> Attempt<Tall> {
        let literal = match self.kind() {
            TokenKind::Integer => self.integer(),
            TokenKind::True => ExprKind::Bool(true),
            TokenKind::False => ExprKind::Bool(false),
            TokenKind::SelfThread => ExprKind::SelfThread,
            TokenKind::None => ExprKind::None,
            TokenKind::Identifier if self.at_start() => return Err(self.start_is_a_statement()),
            TokenKind::Identifier if self.peek(1) == TokenKind::LeftParen => {
                return self.function();
            }
            TokenKind::Identifier => ExprKind::Name(self.text().to_string()),
            TokenKind::LeftParen => return self.parenthesized(),
            TokenKind::LeftBrace => return self.set_literal(),
            TokenKind::LeftBracket => return self.array_literal(),
            _ => return Err(self.no_expression()),
        };
        let span = self.bump();
        self.grow(literal, span, 0)
    }

    /// An integer; the lexer has complained about one that does not fit.
    fn integer(&self) -> ExprKind {
        match integer_value(self.text()) {
            Some(value) => i64::try_from(value).map_or(ExprKind::LargeInt(value), ExprKind::Int),
            None => ExprKind::Error,
        }
    }

    /// The span takes the parentheses in, so that spans of enclosing expressions are balanced.
    fn parenthesized(&mut self) -> Attempt<Tall> {
        let start = self.bump();
        let mut inner = self.tall_expression()?;
        self.closing(TokenKind::RightParen, start)?;
        inner.expr.span = self.since(start);
        Ok(inner)
    }

    /// A closing parenthesis; where it is missing, the message shows the opening one.
    pub(super) fn closing(&mut self, kind: TokenKind, opening: Span) -> Attempt<Span> {
        if self.at(kind) {
            return Ok(self.bump());
        }
        let sign = kind.spelling();
        let message = format!("expected `{sign}`, found {}", self.found());
        let diagnostic = Diagnostic::error(self.gap(), message)
            .label(format!("`{sign}` is missing here"))
            .related(opening, "to close this one");
        self.report(diagnostic);
        Err(Abandoned)
    }

    fn set_literal(&mut self) -> Attempt<Tall> {
        let start = self.bump();
        let (mut members, mut height) = (Vec::new(), 0);
        while !self.at(TokenKind::RightBrace) {
            let member = self.tall_expression()?;
            height = height.max(member.height);
            members.push(member.expr);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.closing(TokenKind::RightBrace, start)?;
        self.grow(ExprKind::SetLiteral(members), self.since(start), height)
    }

    /// `size(s)`, `ord(t)`, `count(i: T :: e)`, `u8(e)`, functions and record literals; nothing else looks like a call
    /// in an expression.
    fn function(&mut self) -> Attempt<Tall> {
        match self.text() {
            "size" => self.function_of_one(ExprKind::Size),
            "ord" => self.function_of_one(ExprKind::Ord),
            "count" => self.count(),
            name => match conversion(name) {
                Some(to) => self.function_of_one(|e| ExprKind::Convert(to, e)),
                None if self.words.has_function(name) => self.function_call(),
                None if self.at_record_literal() => self.record_literal(),
                None => Err(self.call_in_expression()),
            },
        }
    }

    fn function_of_one(&mut self, make: impl FnOnce(Box<Expr>) -> ExprKind) -> Attempt<Tall> {
        let start = self.bump();
        let opening = self.bump();
        let argument = self.tall_expression()?;
        self.closing(TokenKind::RightParen, opening)?;
        self.grow(make(Box::new(argument.expr)), self.since(start), argument.height)
    }

    fn count(&mut self) -> Attempt<Tall> {
        let start = self.bump();
        let opening = self.bump();
        let mut counted = self.quantifier_body(Quantifier::Count, start)?;
        self.closing(TokenKind::RightParen, opening)?;
        counted.expr.span = self.since(start);
        Ok(counted)
    }
}

/// Whether what looks like a call of this name is part of an expression.
pub(super) fn is_function(name: &str) -> bool {
    matches!(name, "size" | "ord" | "count") || conversion(name).is_some()
}

/// What a name converts to, where it stands like that of a function.
fn conversion(name: &str) -> Option<Conversion> {
    match name {
        "int" => Some(Conversion::Int),
        _ => Machine::named(name).map(Conversion::Machine),
    }
}
