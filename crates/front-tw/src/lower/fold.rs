//! Values of expressions that are known at compile time.

use threadwise_ir::{BinaryOp, Bits, Expr, ExprKind, Sort, UnaryOp};

/// Integer arithmetic as the language defines it; none on overflow, division by zero and negative shifts.
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
        BinaryOp::BitAnd => Some(x & y),
        BinaryOp::BitOr => Some(x | y),
        BinaryOp::BitXor => Some(x ^ y),
        BinaryOp::Shl if x == 0 && y >= 0 => Some(0),
        BinaryOp::Shl => i64::try_from(i128::from(x) << u32::try_from(y).ok().filter(|count| *count < 64)?).ok(),
        BinaryOp::Shr => Some(x >> u32::try_from(y.min(63)).ok()?),
        _ => None,
    }
}

/// The value of a scalar expression where constants alone determine it.
pub(super) fn known_value(e: &Expr) -> Option<i64> {
    match &e.kind {
        ExprKind::Const(value) => Some(*value),
        ExprKind::Unary(UnaryOp::Not, a) => Some((known_value(a)? == 0) as i64),
        ExprKind::Unary(UnaryOp::Neg, a) => match a.sort.bits() {
            Some(bits) => Some(bits.negated(known_value(a)?)),
            None => known_value(a)?.checked_neg(),
        },
        ExprKind::Unary(UnaryOp::BitNot, a) => match a.sort.bits() {
            Some(bits) => Some(bits.complement(known_value(a)?)),
            None => Some(!known_value(a)?),
        },
        ExprKind::Unary(UnaryOp::Convert, a) => converted(known_value(a)?, &a.sort, &e.sort),
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
    let compared = || Some(a.sort.compare(x?, y?));
    let truth = match op {
        BinaryOp::And => x? != 0 && y? != 0,
        BinaryOp::Or => x? != 0 || y? != 0,
        BinaryOp::Implies => x? == 0 || y? != 0,
        BinaryOp::Iff | BinaryOp::Eq => x? == y?,
        BinaryOp::Ne => x? != y?,
        BinaryOp::Lt => compared()?.is_lt(),
        BinaryOp::Le => compared()?.is_le(),
        BinaryOp::Gt => compared()?.is_gt(),
        BinaryOp::Ge => compared()?.is_ge(),
        _ => {
            return match a.sort.bits() {
                Some(bits) => machine_arithmetic(bits, op, x?, number(y?, &b.sort)),
                None => arithmetic(op, x?, i64::try_from(number(y?, &b.sort)).ok()?),
            };
        }
    };
    Some(truth as i64)
}

fn number(word: i64, sort: &Sort) -> i128 {
    sort.bits().map_or(i128::from(word), |bits| bits.number(word))
}

fn converted(word: i64, from: &Sort, to: &Sort) -> Option<i64> {
    match to.bits() {
        Some(bits) => Some(bits.wrap(word)),
        None => i64::try_from(number(word, from)).ok(),
    }
}

/// The second operand is a number, since the count of a shift may be of any type.
fn machine_arithmetic(bits: Bits, op: BinaryOp, x: i64, y: i128) -> Option<i64> {
    match op {
        BinaryOp::Shl => bits.shifted_left(x, y),
        BinaryOp::Shr => bits.shifted_right(x, y),
        _ => bits.operate(op, x, y as i64),
    }
}

/// The expression with its value in its place, where that is an integer known already. Faults are
/// left alone: they belong to the run.
pub(super) fn folded(e: Expr) -> Expr {
    match known_value(&e) {
        Some(value) if e.sort == Sort::Int || e.sort.bits().is_some() => Expr { kind: ExprKind::Const(value), ..e },
        _ => e,
    }
}
