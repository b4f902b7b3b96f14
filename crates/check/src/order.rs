//! Expressions whose evaluation never goes wrong.
//!
//! Of these the truth is all there is to know. Of others it matters in which order their parts are
//! evaluated, since evaluation stops where the rest does not matter: `exists i: W :: i@a || x / y == 1`
//! may go wrong or not depending on which copy of `W` is looked at first.

use threadwise_ir::{BinaryOp, Expr, ExprKind, Program, Sort, UnaryOp};

/// Values up to this size can be added and subtracted as often as they occur in a program.
const SMALL: i64 = 1 << 31;

/// Whether evaluation always gives a value. Errs on the side of `false`.
pub(crate) fn always_has_a_value(e: &Expr) -> bool {
    let fails = |part: &Expr| match &part.kind {
        ExprKind::Binary(BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod, ..) | ExprKind::SetLiteral(_) => true,
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, ..) | ExprKind::Unary(UnaryOp::Neg, _) => !is_small(part),
        ExprKind::Index(array, key) => !matches!(&*array.sort, Sort::Array(keys, _) if **keys == *key.sort),
        _ => false,
    };
    !e.any(&fails)
}

/// Whether a sum has few digits because its parts do.
fn is_small(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Const(value) => value.abs() <= SMALL,
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => is_small(a) && is_small(b),
        ExprKind::Unary(UnaryOp::Neg, a) => is_small(a),
        ExprKind::Unary(UnaryOp::Size, _) => true,
        _ => matches!(*e.sort, Sort::Range(lo, hi) if -SMALL <= lo && hi <= SMALL),
    }
}

/// A quantifier over threads whose value may depend on the order in which threads are looked at.
pub(crate) fn depends_on_order(program: &Program) -> bool {
    let mut found = false;
    program.walk_expressions(&mut |e| {
        if let ExprKind::Quantified(_, binder, body) = &e.kind {
            found |= binder.domain.sort().mentions_tid() && !always_has_a_value(body);
        }
    });
    found
}
