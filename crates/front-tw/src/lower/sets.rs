//! Sets: operators on them, and literals, whose element type comes from what stands around them.

use super::Lowerer;
use super::expressions::fits;
use super::types::is_scalar;
use crate::ast::{self, BinaryOp};
use threadwise_ir::{Expr, ExprKind, Sort};
use threadwise_source::{Diagnostic, Span};

/// The widest range that the elements of a literal may span where nothing else gives their type.
const MAX_SPAN: u64 = 4095;

/// How much an expression depends on its surroundings for its sort.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Need {
    /// Not at all.
    Nothing,
    /// It is a set literal with elements to judge from.
    Elements,
    /// It is `{}`.
    Everything,
}

/// How much an expression depends on its surroundings for its sort.
pub(super) fn need(e: &ast::Expr) -> Need {
    match &e.kind {
        ast::ExprKind::SetLiteral(elements) if elements.is_empty() => Need::Everything,
        ast::ExprKind::SetLiteral(_) => Need::Elements,
        ast::ExprKind::ArrayLiteral(_) | ast::ExprKind::ArrayFill(_) => Need::Everything,
        ast::ExprKind::Conditional(_, a, b)
        | ast::ExprKind::Binary(BinaryOp::Union | BinaryOp::Inter | BinaryOp::Minus, a, b) => need(a).min(need(b)),
        _ => Need::Nothing,
    }
}

/// The least and the greatest number in set literals joined by operators, where all are written out.
fn literal_range(e: &ast::Expr) -> Option<(i64, i64)> {
    let join = |a: Option<(i64, i64)>, b: Option<(i64, i64)>| {
        let ((a, b), (c, d)) = (a?, b?);
        Some((a.min(c), b.max(d))).filter(|(lo, hi)| hi.abs_diff(*lo) <= MAX_SPAN)
    };
    match &e.kind {
        ast::ExprKind::SetLiteral(elements) => {
            elements.iter().map(|e| literal_number(e).map(|n| (n, n))).reduce(join).flatten()
        }
        ast::ExprKind::Conditional(_, a, b)
        | ast::ExprKind::Binary(BinaryOp::Union | BinaryOp::Inter | BinaryOp::Minus, a, b) => {
            join(literal_range(a), literal_range(b))
        }
        _ => None,
    }
}

fn literal_number(e: &ast::Expr) -> Option<i64> {
    match &e.kind {
        ast::ExprKind::Int(value) => Some(*value),
        ast::ExprKind::Unary(ast::UnaryOp::Neg, a) => literal_number(a)?.checked_neg(),
        _ => None,
    }
}

impl<'a> Lowerer<'a> {
    /// Two operands of the same sort. The one that knows its sort tells the other.
    pub(super) fn pair(
        &mut self,
        a: &'a ast::Expr,
        b: &'a ast::Expr,
        expected: Option<&Sort>,
    ) -> (Option<Expr>, Option<Expr>) {
        let swapped = need(b) < need(a);
        let (first, second) = if swapped { (b, a) } else { (a, b) };
        // Two literals and nothing that tells their type: a range that holds the elements of both.
        let hull = match (literal_range(a), literal_range(b)) {
            (Some(a), Some(b)) => Some(Sort::set(Sort::Range(a.0.min(b.0), a.1.max(b.1)))),
            _ => None,
        };
        let expected = expected.filter(|sort| matches!(sort, Sort::Set(_))).or(hull.as_ref()).or(expected);
        let x = self.expr(first, expected);
        let y = match &x {
            None if need(second) != Need::Nothing => None,
            Some(x) if matches!(*x.sort, Sort::Set(_) | Sort::Array(..)) => {
                let sort = x.sort;
                self.expr(second, Some(&sort))
            }
            _ => self.expr(second, expected),
        };
        if swapped { (y, x) } else { (x, y) }
    }

    /// An expression that must be a set.
    pub(super) fn set(&mut self, e: &'a ast::Expr) -> Option<Expr> {
        let value = self.expr(e, None)?;
        self.checked_set(value)
    }

    /// The value, if it is a set.
    pub(super) fn checked_set(&mut self, value: Expr) -> Option<Expr> {
        if let Sort::Set(_) = *value.sort {
            return Some(value);
        }
        let found = self.show(&value.sort);
        let error = Diagnostic::error(value.span, format!("expected a set, found a value of type `{found}`"));
        let error = error.label(format!("this is of type `{found}`"));
        let text = self.program.source.snippet(value.span, 40);
        self.report(if is_scalar(&value.sort) {
            error.hint(format!("write `{{{text}}}` for the set with this one element"))
        } else {
            error
        });
        None
    }

    /// The operands of an operator on sets.
    pub(super) fn two_sets(
        &mut self,
        a: &'a ast::Expr,
        b: &'a ast::Expr,
        expected: Option<&Sort>,
    ) -> Option<(Expr, Expr)> {
        let (a, b) = self.pair(a, b, expected);
        let a = a.and_then(|a| self.checked_set(a));
        let b = b.and_then(|b| self.checked_set(b));
        let (a, b) = (a?, b?);
        if a.sort == b.sort {
            return Some((a, b));
        }
        let (x, y) = (self.show(&a.sort), self.show(&b.sort));
        let error = Diagnostic::error(b.span, format!("sets of type `{x}` and `{y}` do not mix"));
        let error = error.label(format!("this is of type `{y}`")).related(a.span, format!("this is of type `{x}`"));
        self.report(error.hint("declare both sets with the same element type"));
        None
    }

    /// `{a, b}`. Its elements are of the expected sort; where nothing is expected the elements tell,
    /// and where they do not, `fallback` is the sort of an element.
    pub(super) fn set_literal(
        &mut self,
        elements: &'a [ast::Expr],
        expected: Option<&Sort>,
        fallback: Option<&Sort>,
        span: Span,
    ) -> Option<Expr> {
        let values: Vec<Option<Expr>> = elements.iter().map(|e| self.expr(e, None)).collect();
        let values = values.into_iter().collect::<Option<Vec<Expr>>>()?;
        let of = match expected {
            Some(Sort::Set(of)) => (**of).clone(),
            _ => self.element_sort(&values, fallback, span)?,
        };
        // What is expected of a literal need not be the type of a set that was declared.
        self.admitted_in_sets(&of, span)?;
        let values = values.into_iter().map(|value| self.adapted(value, &of)).collect::<Option<Vec<Expr>>>()?;
        for value in &values {
            if !fits(&value.sort, &of) {
                self.mismatch(value.span, &of, &value.sort);
                return None;
            }
            self.warn_outside(value, &of);
        }
        let sort = Sort::set(of);
        Some(Expr::new(ExprKind::SetLiteral(values.into()), sort, span))
    }

    /// The sort of a literal's elements, as far as they tell: a range that holds all of them.
    fn element_sort(&mut self, elements: &[Expr], fallback: Option<&Sort>, span: Span) -> Option<Sort> {
        if let Some(other) = elements.iter().find(|e| !e.sort.is_numeric()) {
            if is_scalar(&other.sort) {
                return Some(Sort::clone(&other.sort));
            }
            let error = Diagnostic::error(other.span, "the elements of a set cannot be sets or arrays");
            self.report(error.label(format!("this is of type `{}`", self.show(&other.sort))));
            return None;
        }
        let bounds = elements.iter().map(bounds).collect::<Option<Vec<_>>>();
        let hull = bounds.and_then(|b| b.into_iter().reduce(|(a, b), (c, d)| (a.min(c), b.max(d))));
        match (hull, fallback) {
            (Some((lo, hi)), _) if hi.abs_diff(lo) <= MAX_SPAN => Some(Sort::Range(lo, hi)),
            // The sort of what is looked for would make elements beyond it errors of the program.
            (Some((lo, hi)), _) => {
                let text = format!("the elements of this set are too far apart: from {lo} to {hi}");
                let error = Diagnostic::error(span, text);
                let error = error.label(format!("its elements span more than {} values", MAX_SPAN + 1));
                self.report(error.hint("compare with each element by itself: `x == a || x == b`"));
                None
            }
            (None, Some(sort)) if is_scalar(sort) && *sort != Sort::Int => Some(sort.clone()),
            (None, _) => {
                let error = Diagnostic::error(span, "the element type of this set is not known");
                let error = error.label("nothing here says which values its elements can have");
                self.report(error.hint("compare it with a variable of a set type, or assign it to one"));
                None
            }
        }
    }
}

fn bounds(e: &Expr) -> Option<(i64, i64)> {
    match (&e.kind, &*e.sort) {
        (ExprKind::Const(value), _) => Some((*value, *value)),
        (_, Sort::Range(lo, hi)) => Some((*lo, *hi)),
        _ => None,
    }
}
