//! Compile-time integers: `const` declarations and constant expressions.

use super::Lowerer;
use super::fold::arithmetic;
use super::names::{Binding, GlobalKind, Meaning};
use super::reporter::suggest;
use crate::ast::{BinaryOp, Expr, ExprKind, ItemKind, Name, UnaryOp};
use threadwise_source::{Diagnostic, Span};

/// A `const` declaration.
pub(super) struct Constant<'a> {
    name: &'a Name,
    definition: &'a Expr,
    /// Its value, once it is known; none where the definition is wrong, which has been said.
    pub(super) value: Option<i64>,
    state: State,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Waiting,
    UnderWay,
    Done,
}

impl<'a> Lowerer<'a> {
    /// Evaluates the constants, each after those it uses. `defines` override definitions.
    pub(super) fn evaluate_constants(&mut self, defines: &[(String, i64)]) {
        for item in &self.module.items {
            if let ItemKind::Const(name, definition) = &item.kind {
                let constant = Constant { name, definition, value: None, state: State::Waiting };
                self.constants.push(constant);
            }
        }
        defines.iter().for_each(|(name, value)| self.define(name, *value));
        for index in 0..self.constants.len() {
            self.evaluate_with_dependencies(index);
        }
    }

    fn define(&mut self, name: &str, value: i64) {
        let mut matching = self.constants.iter_mut().filter(|c| c.name.text == name).peekable();
        if matching.peek().is_some() {
            matching.for_each(|constant| (constant.value, constant.state) = (Some(value), State::Done));
        } else if !self.reporter.incomplete {
            let message = format!("`-D {name}={value}`: the program declares no constant `{name}`");
            let names = self.constants.iter().map(|c| c.name.text.as_str());
            let error = suggest(Diagnostic::error(Span::default(), message), name, names);
            self.report(error);
        }
    }

    /// A depth-first search with its own stack: chains of constants may be long.
    fn evaluate_with_dependencies(&mut self, root: usize) {
        let mut stack = vec![(root, None)];
        while let Some((index, dependencies)) = stack.pop() {
            if self.constants[index].state == State::Done {
                continue;
            }
            let mut dependencies: Vec<usize> = dependencies.unwrap_or_else(|| self.start(index));
            match dependencies.pop() {
                Some(next) => {
                    stack.push((index, Some(dependencies)));
                    match self.constants[next].state {
                        State::Waiting => stack.push((next, None)),
                        State::UnderWay => self.report_cycle(next),
                        State::Done => {}
                    }
                }
                None => {
                    let definition = self.constants[index].definition;
                    let value = self.constant(definition);
                    self.constants[index].value = value;
                    self.constants[index].state = State::Done;
                }
            }
        }
    }

    fn start(&mut self, index: usize) -> Vec<usize> {
        self.constants[index].state = State::UnderWay;
        let mut dependencies = Vec::new();
        self.used_constants(self.constants[index].definition, &mut dependencies);
        dependencies
    }

    fn used_constants(&self, e: &Expr, out: &mut Vec<usize>) {
        match &e.kind {
            ExprKind::Name(name) => {
                if let Some(GlobalKind::Const(index)) = self.globals.get(name.as_str()).map(|g| g.kind) {
                    out.push(index);
                }
            }
            ExprKind::Unary(_, a) => self.used_constants(a, out),
            ExprKind::Binary(_, a, b) => {
                self.used_constants(a, out);
                self.used_constants(b, out);
            }
            ExprKind::Conditional(a, b, c) => [a, b, c].iter().for_each(|e| self.used_constants(e, out)),
            _ => {}
        }
    }

    fn report_cycle(&mut self, index: usize) {
        let name = self.constants[index].name;
        let message = format!("the constant `{}` is defined by itself", name.text);
        self.report(Diagnostic::error(name.span, message).label("its value depends on its value"));
    }

    /// The value of a constant integer expression; anything else is reported.
    pub(super) fn constant(&mut self, e: &Expr) -> Option<i64> {
        match &e.kind {
            ExprKind::Int(value) => Some(*value),
            ExprKind::LargeInt(_) => self.in_64_bits(None, e.span),
            ExprKind::Name(name) => self.constant_of_name(name, e.span),
            ExprKind::Unary(UnaryOp::Neg, a) => {
                let value = self.constant(a)?;
                self.in_64_bits(value.checked_neg(), e.span)
            }
            ExprKind::Unary(UnaryOp::BitNot, a) => Some(!self.constant(a)?),
            ExprKind::Binary(op, a, b) if is_arithmetic(*op) => {
                let (x, y) = (self.constant(a), self.constant(b));
                self.constant_arithmetic(*op, x?, y?, e.span)
            }
            ExprKind::Conditional(c, a, b) => {
                let (condition, x, y) = (self.constant_condition(c), self.constant(a), self.constant(b));
                if condition? { x } else { y }
            }
            ExprKind::Error => {
                self.reporter.note_error();
                None
            }
            _ => self.not_constant(e.span),
        }
    }

    fn constant_of_name(&mut self, name: &str, span: Span) -> Option<i64> {
        match self.resolve(name, span)? {
            Meaning::Global(GlobalKind::Const(index)) => self.constants[index].value,
            Meaning::Inner(Binding::Constant(value)) => Some(value),
            Meaning::Inner(Binding::Broken) => None,
            other => {
                let message = format!("expected a constant, but `{name}` is {}", other.noun());
                self.report(Diagnostic::error(span, message).label("its value is not a compile-time integer"));
                None
            }
        }
    }

    fn constant_arithmetic(&mut self, op: BinaryOp, x: i64, y: i64, span: Span) -> Option<i64> {
        if y == 0 && matches!(op, BinaryOp::Div | BinaryOp::Mod) {
            self.report(Diagnostic::error(span, "this constant divides by zero").label("the divisor is 0"));
            return None;
        }
        if y < 0 && matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            let error = Diagnostic::error(span, "this constant is shifted by a negative number");
            self.report(error.label(format!("shifted by {y}")));
            return None;
        }
        self.in_64_bits(arithmetic(super::binary::ir_op(op), x, y), span)
    }

    fn constant_condition(&mut self, e: &Expr) -> Option<bool> {
        match &e.kind {
            ExprKind::Bool(value) => Some(*value),
            ExprKind::Unary(UnaryOp::Not, a) => Some(!self.constant_condition(a)?),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let (x, y) = (self.constant_condition(a), self.constant_condition(b));
                Some(if *op == BinaryOp::And { x? && y? } else { x? || y? })
            }
            ExprKind::Binary(op, a, b) if comparison(*op).is_some() => {
                let (x, y) = (self.constant(a), self.constant(b));
                comparison(*op).map(|holds| Some(holds(&x?, &y?)))?
            }
            ExprKind::Error => {
                self.reporter.note_error();
                None
            }
            _ => self.not_constant(e.span),
        }
    }

    fn not_constant<T>(&mut self, span: Span) -> Option<T> {
        let error = Diagnostic::error(span, "expected a constant");
        let error = error.label("this is not a compile-time integer");
        self.report(error.hint("constants are made of integers, other constants and arithmetic"));
        None
    }

    fn in_64_bits(&mut self, value: Option<i64>, span: Span) -> Option<i64> {
        if value.is_none() {
            let error = Diagnostic::error(span, "this constant is too large");
            self.report(error.label("its value does not fit 64 bits"));
        }
        value
    }
}

fn is_arithmetic(op: BinaryOp) -> bool {
    use BinaryOp::{Add, BitAnd, BitOr, BitXor, Div, Mod, Mul, Shl, Shr, Sub};
    matches!(op, Add | Sub | Mul | Div | Mod | BitAnd | BitOr | BitXor | Shl | Shr)
}

fn comparison(op: BinaryOp) -> Option<fn(&i64, &i64) -> bool> {
    Some(match op {
        BinaryOp::Eq => i64::eq,
        BinaryOp::Ne => i64::ne,
        BinaryOp::Lt => i64::lt,
        BinaryOp::Le => i64::le,
        BinaryOp::Gt => i64::gt,
        BinaryOp::Ge => i64::ge,
        _ => return None,
    })
}
