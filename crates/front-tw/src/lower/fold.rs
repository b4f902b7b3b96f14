//! Values of expressions that are known at compile time.

use threadwise_ir::{BinaryOp, Expr, ExprKind, Sort, UnaryOp};

/// Integer arithmetic as the language defines it; none on overflow and division by zero.
pub(super) fn arithmetic(op: BinaryOp, x: i64, y: i64) -> Option<i64> {
    match op {
        BinaryOp::Add => x.checked_add(y),
        BinaryOp::Sub => x.checked_sub(y),
        BinaryOp::Mul => x.checked_mul(y),
        // The language rounds toward negative infinity, Rust toward zero.
        BinaryOp::Div => {
            let quotient = x.checked_div(y)?;
            let rounded_up = x.checked_rem(y)? != 0 && (x < 0) != (y < 0);
            Some(if rounded_up { quotient - 1 } else { quotient })
        }
        BinaryOp::Mod => {
            let rest = x.checked_rem(y)?;
            let wrong_sign = rest != 0 && (rest < 0) != (y < 0);
            Some(if wrong_sign { rest + y } else { rest })
        }
        _ => None,
    }
}

/// The value of a scalar expression where constants alone determine it.
pub(super) fn known_value(e: &Expr) -> Option<i64> {
    match &e.kind {
        ExprKind::Const(value) => Some(*value),
        ExprKind::Unary(UnaryOp::Not, a) => Some((known_value(a)? == 0) as i64),
        ExprKind::Unary(UnaryOp::Neg, a) => known_value(a)?.checked_neg(),
        ExprKind::Binary(op, a, b) => binary(*op, a, b),
        ExprKind::Conditional(parts) => {
            let [c, a, b] = &**parts;
            known_value(if known_value(c)? != 0 { a } else { b })
        }
        _ => None,
    }
}

fn binary(op: BinaryOp, a: &Expr, b: &Expr) -> Option<i64> {
    if matches!(*a.sort, Sort::Set(_) | Sort::Array(..)) {
        return None;
    }
    let (x, y) = (known_value(a), known_value(b));
    let truth = match op {
        BinaryOp::And => x? != 0 && y? != 0,
        BinaryOp::Or => x? != 0 || y? != 0,
        BinaryOp::Implies => x? == 0 || y? != 0,
        BinaryOp::Iff | BinaryOp::Eq => x? == y?,
        BinaryOp::Ne => x? != y?,
        BinaryOp::Lt => x? < y?,
        BinaryOp::Le => x? <= y?,
        BinaryOp::Gt => x? > y?,
        BinaryOp::Ge => x? >= y?,
        _ => return arithmetic(op, x?, y?),
    };
    Some(truth as i64)
}

/// The expression with its value in its place, where that is an integer known already. Faults are
/// left alone: they belong to the run.
pub(super) fn folded(e: Expr) -> Expr {
    match known_value(&e) {
        Some(value) if e.sort == Sort::Int => Expr { kind: ExprKind::Const(value), ..e },
        _ => e,
    }
}
