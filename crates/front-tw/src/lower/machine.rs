//! Machine integers: constants that take their type from what they meet, conversions, operations on bits.

use super::Lowerer;
use super::fold::folded;
use crate::ast::{self, BinaryOp, Conversion, Machine};
use crate::parser::operators::spelling;
use threadwise_ir::{Bits, Expr, ExprKind, Sort, UnaryOp};
use threadwise_source::{Diagnostic, Span};

/// The sort that a type stands for.
pub(super) fn machine_sort(machine: Machine) -> Sort {
    Sort::Bits(Bits { width: machine.width, signed: machine.signed })
}

/// A literal that only a `u64` can hold.
pub(super) fn large_constant(value: u64, span: Span) -> Expr {
    Expr::constant(value as i64, Sort::Bits(Bits { width: 64, signed: false }), span)
}

impl<'a> Lowerer<'a> {
    /// The value as one of the sort, if that is one of machine integers and the value is a constant. Other values stay
    /// as they are; a constant that is too large is reported.
    pub(super) fn adapted(&mut self, value: Expr, sort: &Sort) -> Option<Expr> {
        match sort.bits() {
            Some(bits) if is_constant(&value) => self.retyped(value, bits),
            _ => Some(value),
        }
    }

    fn retyped(&mut self, value: Expr, bits: Bits) -> Option<Expr> {
        let sort = Sort::Bits(bits).into();
        match value.kind {
            ExprKind::Const(number) => match bits.word(i128::from(number)) {
                Some(word) => Some(Expr { kind: ExprKind::Const(word), sort, ..value }),
                None => self.outside(number, bits, value.span),
            },
            ExprKind::Conditional(parts) => {
                let [condition, yes, no] = *parts;
                let (yes, no) = (self.retyped(yes, bits), self.retyped(no, bits));
                Some(Expr::conditional(condition, yes?, no?, sort, value.span))
            }
            _ => unreachable!("only constants are retyped"),
        }
    }

    fn outside(&mut self, number: i64, bits: Bits, span: Span) -> Option<Expr> {
        let (least, most) = bits.bounds();
        let error = Diagnostic::error(span, format!("{number} is no value of type `{bits}`"));
        let error = error.label(format!("its values go from {least} to {most}"));
        self.report(error.hint(format!("write `{bits}({number})` for what is left of it after wrapping around")));
        None
    }

    /// Two values, where a constant takes the type of the other one.
    pub(super) fn alike(&mut self, a: Expr, b: Expr) -> Option<(Expr, Expr)> {
        let (of_a, of_b) = (a.sort, b.sort);
        Some((self.adapted(a, &of_b)?, self.adapted(b, &of_a)?))
    }

    /// Two integers for an operator, which does not mix types.
    pub(super) fn of_one_type(&mut self, op: BinaryOp, a: Expr, b: Expr) -> Option<(Expr, Expr)> {
        let (a, b) = self.alike(a, b)?;
        if a.sort == b.sort || a.sort.is_numeric() && b.sort.is_numeric() {
            return Some((a, b));
        }
        self.mixed(&format!("`{}` does not mix", spelling(op)), &a, &b);
        None
    }

    /// Two integers that are compared.
    pub(super) fn comparable_integers(&mut self, a: Expr, b: Expr) -> Option<(Expr, Expr)> {
        if a.sort == b.sort || a.sort.is_numeric() && b.sort.is_numeric() {
            return Some((a, b));
        }
        self.mixed("a comparison does not mix", &a, &b);
        None
    }

    fn mixed(&mut self, what: &str, a: &Expr, b: &Expr) {
        let (x, y) = (self.show(&a.sort), self.show(&b.sort));
        let error = Diagnostic::error(b.span, format!("{what} values of type `{x}` and `{y}`"));
        let error = error.label(format!("this is of type `{y}`")).related(a.span, format!("this is of type `{x}`"));
        let text = self.program.source.snippet(b.span, 40);
        let hint = self.how_to_convert(&a.sort, &b.sort, &text);
        self.report(error.hint(hint));
    }

    /// How to make an integer one of another type.
    pub(super) fn how_to_convert(&self, wanted: &Sort, found: &Sort, text: &str) -> String {
        match (wanted.bits(), found.bits()) {
            (None, Some(bits)) if text.starts_with(|c: char| c.is_ascii_digit()) && !bits.signed => {
                format!("numbers above {} are of type `u64`", i64::MAX)
            }
            (Some(bits), _) => format!("convert it: `{bits}({text})`"),
            (None, _) => format!("convert it: `int({text})`"),
        }
    }

    /// That an operand of an operation on bits is an integer.
    pub(super) fn check_bits(&mut self, op: BinaryOp, value: &Expr) -> Option<()> {
        self.check_integer(spelling(op), value)
    }

    fn check_integer(&mut self, sign: &str, value: &Expr) -> Option<()> {
        if value.sort.is_integer() {
            return Some(());
        }
        let found = self.show(&value.sort);
        let error = Diagnostic::error(value.span, format!("`{sign}` is for integers, not for type `{found}`"));
        let error = error.label(format!("this is of type `{found}`"));
        self.report(match (&*value.sort, sign) {
            (Sort::Bool, "&" | "|") => error.hint(format!("write `{sign}{sign}` for conditions")),
            (Sort::Bool, "^") => error.hint("write `!=` for conditions"),
            (Sort::Bool, "~") => error.hint("write `!` for conditions"),
            (Sort::Set(_), "&") => error.hint("write `inter` for sets"),
            (Sort::Set(_), "|") => error.hint("write `union` for sets"),
            _ => error,
        });
        None
    }

    /// `~e`
    pub(super) fn complement(&mut self, e: &'a ast::Expr, span: Span) -> Option<Expr> {
        let value = self.expr(e, None)?;
        self.check_integer("~", &value)?;
        let sort = value.sort.bits().map_or(Sort::Int, Sort::Bits);
        Some(folded(Expr::new(ExprKind::Unary(UnaryOp::BitNot, Box::new(value)), sort, span)))
    }

    /// `u8(e)` and `int(e)`.
    pub(super) fn conversion(&mut self, to: Conversion, e: &'a ast::Expr, span: Span) -> Option<Expr> {
        let value = self.integer(e)?;
        let sort = match to {
            Conversion::Int => Sort::Int,
            Conversion::Machine(machine) => machine_sort(machine),
        };
        Some(folded(value.converted(sort, span)))
    }
}

/// Whether an integer is written so that it can take the type of what it meets.
fn is_constant(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Const(_) => e.sort == Sort::Int,
        ExprKind::Conditional(parts) => parts[1..].iter().all(is_constant),
        _ => false,
    }
}
