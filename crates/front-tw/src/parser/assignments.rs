//! Statements that start with a name: assignments and calls.

use super::Attempt;
use super::cursor::Parser;
use super::primaries::is_function;
use crate::ast::{Expr, ExprKind, Rhs, StmtKind};
use crate::lexer::TokenKind;
use threadwise_source::Diagnostic;

impl Parser<'_> {
    /// `p(e);`, `x = e;`, `x, y = e, f;`, `x = p(e);`, `start W(e);`, `x = start W(e);`, `join t;`
    pub(super) fn named_statement(&mut self) -> Attempt<StmtKind> {
        if self.at_start() {
            return self.start_statement(None);
        }
        if self.at_join() {
            return self.join_statement();
        }
        if self.at_operation() {
            return self.operation(None);
        }
        if self.peek(1) == TokenKind::LeftParen {
            return self.call(None);
        }
        let targets = self.targets()?;
        if self.at_compound_assignment() {
            return self.compound_assignment(targets);
        }
        self.assign_sign(&targets)?;
        if self.at_start() && targets.len() == 1 {
            return self.start_statement(targets.into_iter().next());
        }
        if self.at_receive() && targets.len() == 1 {
            return self.operation(targets.into_iter().next());
        }
        if self.at_call() && targets.len() == 1 {
            return self.call(targets.into_iter().next());
        }
        let values = self.right_hand_sides()?;
        self.semicolon()?;
        Ok(StmtKind::Assign(targets, values))
    }

    fn targets(&mut self) -> Attempt<Vec<Expr>> {
        let mut targets = vec![self.postfix()?.expr];
        while self.eat(TokenKind::Comma) {
            targets.push(self.postfix()?.expr);
        }
        Ok(targets)
    }

    /// `=`, or what people write instead.
    fn assign_sign(&mut self, targets: &[Expr]) -> Attempt<()> {
        let message = match self.kind() {
            TokenKind::Assign => {
                self.bump();
                return Ok(());
            }
            TokenKind::EqualSign => "`==` compares and does not assign",
            TokenKind::ColonAssign => "`:=` is not part of the language",
            _ => return Err(self.no_assignment(targets)),
        };
        let span = self.span();
        let target = targets.first().map_or("x".to_string(), |t| self.file.snippet(t.span, 30));
        self.report(
            Diagnostic::error(span, message).label("assignment is written `=`").hint(format!("write `{target} = …;`")),
        );
        self.bump();
        Ok(())
    }

    fn right_hand_sides(&mut self) -> Attempt<Vec<Rhs>> {
        let mut values = vec![self.right_hand_side()?];
        while self.eat(TokenKind::Comma) {
            values.push(self.right_hand_side()?);
        }
        Ok(values)
    }

    /// An expression, or `*` for any value.
    pub(super) fn right_hand_side(&mut self) -> Attempt<Rhs> {
        if self.at(TokenKind::Star) {
            return Ok(Rhs::Any(self.bump()));
        }
        Ok(Rhs::Expr(self.expression()?))
    }

    fn at_call(&self) -> bool {
        self.at(TokenKind::Identifier)
            && self.peek(1) == TokenKind::LeftParen
            && !is_function(self.text())
            && !self.at_value_with_parentheses()
    }

    fn call(&mut self, result: Option<Expr>) -> Attempt<StmtKind> {
        let proc = self.name("the name of a procedure")?;
        let args = self.arguments()?;
        self.check_call_stands_alone(&proc)?;
        self.semicolon()?;
        Ok(StmtKind::Call { result, proc, args })
    }

    pub(super) fn arguments(&mut self) -> Attempt<Vec<Expr>> {
        let opening = self.expect(TokenKind::LeftParen)?;
        let mut args = Vec::new();
        while !self.at(TokenKind::RightParen) {
            args.push(self.expression()?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.closing(TokenKind::RightParen, opening)?;
        Ok(args)
    }

    /// `x += e`, `x++`, `x--` and their like, none of which exist.
    fn at_compound_assignment(&self) -> bool {
        let (first, second) = (self.kind(), self.peek(1));
        let is_step = first == second && matches!(first, TokenKind::PlusSign | TokenKind::MinusSign);
        let is_update = second == TokenKind::Assign && is_arithmetic(first);
        is_step || is_update
    }

    /// Says how to write it. The value is [`ExprKind::Error`]: the program is rejected anyway.
    fn compound_assignment(&mut self, targets: Vec<Expr>) -> Attempt<StmtKind> {
        let sign = self.kind().spelling();
        let signs = self.bump().to(self.bump());
        let is_step = self.at(TokenKind::Semicolon);
        let value = if is_step { None } else { Some(self.expression()?) };
        let step = value.map_or("1".to_string(), |value| self.operand_text(&value));
        let target = self.file.snippet(targets[0].span, 30);
        let operator = self.file.snippet(signs, 10);
        self.report(
            Diagnostic::error(signs, format!("there is no operator `{operator}`"))
                .label("not part of the language")
                .hint(format!("write `{target} = {target} {sign} {step};`")),
        );
        self.semicolon()?;
        let error = Expr { kind: ExprKind::Error, span: signs };
        Ok(StmtKind::Assign(targets, vec![Rhs::Expr(error)]))
    }

    /// The text of an expression as it may stand behind an operator.
    fn operand_text(&self, value: &Expr) -> String {
        let text = self.file.snippet(value.span, 30);
        let is_compound = matches!(value.kind, ExprKind::Binary(..) | ExprKind::Conditional(..));
        if is_compound && !text.starts_with('(') { format!("({text})") } else { text }
    }
}

/// Is it an operator that other languages combine with `=`?
fn is_arithmetic(kind: TokenKind) -> bool {
    use TokenKind::{Ampersand, Caret, MinusSign, Percent, Pipe, PlusSign, ShiftLeft, ShiftRight, Slash, Star};
    matches!(kind, PlusSign | MinusSign | Star | Slash | Percent)
        || matches!(kind, Ampersand | Pipe | Caret | ShiftLeft | ShiftRight)
}
