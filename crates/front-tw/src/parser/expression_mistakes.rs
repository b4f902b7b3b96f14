//! Typical slips in expressions: what to say about them, and how to go on as if they had not
//! happened.

use super::cursor::Parser;
use super::operators::{binary_operator, level, level_of};
use super::{Abandoned, Attempt};
use crate::ast::{BinaryOp, Expr, ExprKind, Name};
use crate::lexer::TokenKind;
use threadwise_source::{Diagnostic, Span};

impl Parser<'_> {
    /// `x = p(e) + 1;`
    pub(super) fn check_call_stands_alone(&mut self, proc: &Name) -> Attempt<()> {
        if binary_operator(self.kind()).is_none() {
            return Ok(());
        }
        self.report(call_is_statement(proc.span, &proc.text));
        Err(Abandoned)
    }

    pub(super) fn call_in_expression(&mut self) -> Abandoned {
        let name = self.file.snippet(self.span(), 30);
        self.report(call_is_statement(self.span(), &name));
        Abandoned
    }

    pub(super) fn no_expression(&mut self) -> Abandoned {
        let hint = match self.kind() {
            TokenKind::Star => "`*` stands alone: `x = *;` for any value, `if (*)` for either way".to_string(),
            TokenKind::Text => "only messages of assertions are text; an `enum` gives names to values".to_string(),
            TokenKind::Assign => "an expression compares with `==`".to_string(),
            kind if kind.is_keyword() && self.on_line_of_previous() => {
                format!("`{}` is a keyword and cannot be a name", self.text())
            }
            _ => return self.expected("an expression"),
        };
        self.expected_with("an expression", Some(hint))
    }

    /// Reads `not x` as `!x`.
    pub(super) fn read_slip_as_prefix(&mut self) {
        use TokenKind::{False, Identifier, LeftParen, None, SelfThread, True};
        let starts_operand = matches!(self.peek(1), Identifier | LeftParen | True | False | SelfThread | None);
        if self.at(Identifier) && self.text() == "not" && starts_operand {
            let diagnostic = Diagnostic::error(self.span(), "there is no operator `not`").label("write `!`");
            self.report(diagnostic);
            self.read_as(TokenKind::NotSign);
        }
    }

    /// Reads `=`, `=>`, `<=>` and `and` as the operators they were meant to be.
    pub(super) fn read_slip_as_operator(&mut self, loosest: u8) {
        let (meant, operator) = match self.kind() {
            TokenKind::Assign => (TokenKind::EqualSign, BinaryOp::Eq),
            TokenKind::Identifier if self.text() == "and" => (TokenKind::AndSign, BinaryOp::And),
            TokenKind::Or if self.peek(1) != TokenKind::LeftBrace => (TokenKind::OrSign, BinaryOp::Or),
            TokenKind::FatArrow => (TokenKind::ImpliesSign, BinaryOp::Implies),
            TokenKind::SpaceshipSign => (TokenKind::IffSign, BinaryOp::Iff),
            _ => return,
        };
        if level_of(operator) < loosest {
            return;
        }
        let (written, sign) = (self.text(), meant.spelling());
        let message = match operator {
            BinaryOp::Eq => "`=` assigns; it cannot stand in an expression".to_string(),
            _ => format!("there is no operator `{written}`"),
        };
        let label = match operator {
            BinaryOp::Eq => "a comparison is written `==`".to_string(),
            _ => format!("write `{sign}`"),
        };
        self.report(Diagnostic::error(self.span(), message).label(label));
        self.read_as(meant);
    }

    /// `a < b < c`
    pub(super) fn check_comparison_chain(&mut self, previous: Option<BinaryOp>, operator: BinaryOp, left: &Expr) {
        let is_comparison = |op: BinaryOp| level_of(op) == level::COMPARISON;
        if !is_comparison(operator) || !previous.is_some_and(is_comparison) {
            return;
        }
        let diagnostic = Diagnostic::error(self.span(), "comparisons cannot be chained")
            .label("a second comparison")
            .related(left.span, "this is already one");
        let usual = "write `a < b && b < c`, or use parentheses to compare truth values";
        self.report(diagnostic.hint(connective_for(left).unwrap_or(usual)));
    }
}

/// What to say where a comparison ends with `… & x`, which is meant as `… && x`.
fn connective_for(comparison: &Expr) -> Option<&'static str> {
    let ExprKind::Binary(_, _, right) = &comparison.kind else { return None };
    match right.kind {
        ExprKind::Binary(BinaryOp::BitAnd, ..) => Some("`&` works on bits; join conditions with `&&`"),
        ExprKind::Binary(BinaryOp::BitOr, ..) => Some("`|` works on bits; join conditions with `||`"),
        _ => None,
    }
}

fn call_is_statement(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(span, format!("the call of `{name}` cannot stand inside an expression"))
        .label("a call is a statement of its own")
        .hint(format!("store the result first: `r = {name}(…);`"))
}
