//! Operators and quantifiers, by precedence climbing.

use super::Attempt;
use super::cursor::Parser;
use super::operators::{binary_operator, level, level_of, right_operand_level};
use crate::ast::{BinaryOp, Binder, Expr, ExprKind, Quantifier, UnaryOp};
use crate::lexer::TokenKind;
use threadwise_source::Span;

/// An expression and the height of its tree. Chains such as `a + b + c` grow upwards while they
/// are parsed, so the depth of the recursion does not bound them; the height does.
pub(super) struct Tall {
    pub(super) expr: Expr,
    pub(super) height: usize,
}

impl Parser<'_> {
    /// Any expression.
    pub(super) fn expression(&mut self) -> Attempt<Expr> {
        Ok(self.tall_expression()?.expr)
    }

    /// An expression without comparisons and what binds looser: the bounds of ranges.
    pub(super) fn bound(&mut self) -> Attempt<Tall> {
        self.nested(|p| p.binary(level::SUM))
    }

    pub(super) fn tall_expression(&mut self) -> Attempt<Tall> {
        self.nested(|p| {
            let condition = p.binary(level::IMPLIES)?;
            if p.eat(TokenKind::Question) { p.conditional(condition) } else { Ok(condition) }
        })
    }

    /// The rest of `c ? a : b` after the question mark.
    fn conditional(&mut self, condition: Tall) -> Attempt<Tall> {
        let yes = self.tall_expression()?;
        self.expect(TokenKind::Colon)?;
        let no = self.tall_expression()?;
        let height = condition.height.max(yes.height).max(no.height);
        let span = condition.expr.span.to(no.expr.span);
        let [condition, yes, no] = [condition, yes, no].map(|part| Box::new(part.expr));
        self.grow(ExprKind::Conditional(condition, yes, no), span, height)
    }

    /// Operators that bind at least as tightly as `loosest`.
    pub(super) fn binary(&mut self, loosest: u8) -> Attempt<Tall> {
        let mut left = self.prefix()?;
        let mut previous = None;
        loop {
            self.read_slip_as_operator(loosest);
            let Some(operator) = binary_operator(self.kind()) else {
                break;
            };
            if level_of(operator) < loosest {
                break;
            }
            self.check_comparison_chain(previous, operator, &left.expr);
            self.bump();
            let right = self.nested(|p| p.binary(right_operand_level(operator)))?;
            left = self.join(operator, left, right)?;
            previous = Some(operator);
        }
        Ok(left)
    }

    fn join(&mut self, operator: BinaryOp, left: Tall, right: Tall) -> Attempt<Tall> {
        let span = left.expr.span.to(right.expr.span);
        let height = left.height.max(right.height);
        let kind = ExprKind::Binary(operator, Box::new(left.expr), Box::new(right.expr));
        self.grow(kind, span, height)
    }

    /// A node over subtrees of the given height.
    pub(super) fn grow(&mut self, kind: ExprKind, span: Span, below: usize) -> Attempt<Tall> {
        self.check_height(below + 1)?;
        Ok(Tall { expr: Expr { kind, span }, height: below + 1 })
    }

    fn prefix(&mut self) -> Attempt<Tall> {
        self.read_slip_as_prefix();
        match self.kind() {
            TokenKind::NotSign => self.unary(UnaryOp::Not, |p| p.binary(level::COMPARISON)),
            TokenKind::MinusSign => self.unary(UnaryOp::Neg, Parser::prefix),
            TokenKind::Tilde => self.unary(UnaryOp::BitNot, Parser::prefix),
            TokenKind::Forall => self.quantified(Quantifier::Forall),
            TokenKind::Exists => self.quantified(Quantifier::Exists),
            _ => self.postfix(),
        }
    }

    fn unary(&mut self, operator: UnaryOp, operand: fn(&mut Self) -> Attempt<Tall>) -> Attempt<Tall> {
        let start = self.bump();
        let operand = self.nested(operand)?;
        let span = start.to(operand.expr.span);
        self.grow(ExprKind::Unary(operator, Box::new(operand.expr)), span, operand.height)
    }

    /// `forall i: T, j: U :: e`, as far to the right as possible.
    fn quantified(&mut self, quantifier: Quantifier) -> Attempt<Tall> {
        let start = self.bump();
        self.quantifier_body(quantifier, start)
    }

    /// `i: T, j: U :: e`.
    pub(super) fn quantifier_body(&mut self, quantifier: Quantifier, start: Span) -> Attempt<Tall> {
        let (binders, binder_height) = self.binders()?;
        self.quantifier_sign(TokenKind::ColonColon)?;
        let body = self.tall_expression()?;
        let height = body.height.max(binder_height);
        let kind = ExprKind::Quantified(quantifier, binders, Box::new(body.expr));
        self.grow(kind, self.since(start), height)
    }

    fn quantifier_sign(&mut self, kind: TokenKind) -> Attempt<()> {
        if self.eat(kind) {
            return Ok(());
        }
        let hint = "write `forall i: T :: e`, `exists i: T :: e` or `count(i: T :: e)`".to_string();
        Err(self.expected_with(&format!("`{}`", kind.spelling()), Some(hint)))
    }

    /// `i: T, j: U` and the height of the tallest type.
    pub(super) fn binders(&mut self) -> Attempt<(Vec<Binder>, usize)> {
        let (mut binders, mut height) = (Vec::new(), 0);
        loop {
            let name = self.name("the name of a bound variable")?;
            self.quantifier_sign(TokenKind::Colon)?;
            let (ty, type_height) = self.tall_type()?;
            height = height.max(type_height);
            binders.push(Binder { name, ty });
            if !self.eat(TokenKind::Comma) {
                return Ok((binders, height));
            }
        }
    }
}
