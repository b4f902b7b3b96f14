//! Values of the language above, computed where they are constant. Constant expressions of C are those of which nothing
//! but a constant remains.

use threadwise_ir::Bits;
use threadwise_memory::code::{Base, BinaryOp, Expr, ExprKind, INT, Type, UnaryOp};
use threadwise_source::Span;

/// The value of a constant.
pub fn constant(expr: &Expr) -> Option<i64> {
    match expr.kind {
        ExprKind::Const(value) => Some(value),
        _ => None,
    }
}

/// The number that a constant integer is.
pub fn number(expr: &Expr) -> Option<i128> {
    Some(expr.ty.bits()?.number(constant(expr)?))
}

/// An expression as another type; of the same type it is itself.
pub fn convert(expr: Expr, to: Type) -> Expr {
    if expr.ty == to {
        return expr;
    }
    if let (Some(value), Type::Int(bits)) = (whole_float(&expr), &to)
        && bits.contains(value)
    {
        return Expr::constant(value, to, expr.span);
    }
    if let (Some(value), Type::Float(_)) = (whole_float(&expr), &to) {
        return float(value, to, expr.span);
    }
    match (constant(&expr), &expr.ty, &to) {
        (Some(value), Type::Int(_), Type::Int(bits)) => Expr::constant(bits.wrap(value), to, expr.span),
        (Some(0), Type::Int(_), Type::Pointer) => Expr::constant(0, to, expr.span),
        (Some(0), Type::Pointer, Type::Int(_)) => Expr::constant(0, to, expr.span),
        (Some(value), Type::Int(_), Type::Library(..)) => Expr::constant(value, to, expr.span),
        _ => expr.converted(to),
    }
}

/// A floating-point number that is a whole one of at most 24 bits, so that nothing is rounded.
pub fn float(value: i64, ty: Type, span: Span) -> Expr {
    let long = Type::Int(Bits { width: 64, signed: true });
    Expr::constant(value, long, span).converted(ty)
}

/// The value of such a number.
fn whole_float(expr: &Expr) -> Option<i64> {
    match (&expr.kind, &expr.ty) {
        (ExprKind::Convert(inner), Type::Float(_)) => {
            number(inner).and_then(|value| i64::try_from(value).ok()).filter(|value| value.unsigned_abs() < 1 << 24)
        }
        _ => None,
    }
}

/// Whether a value is not zero, as an `int` that is 0 or 1.
pub fn is_nonzero(expr: Expr) -> Expr {
    if is_truth(&expr) {
        return expr;
    }
    let expr = comparable(expr);
    let zero = Expr::constant(0, expr.ty.clone(), expr.span);
    binary(BinaryOp::Ne, expr, zero, INT)
}

/// Whether a value is 0 or 1 by the way it is computed.
fn is_truth(expr: &Expr) -> bool {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    match &expr.kind {
        ExprKind::Binary(op, ..) => matches!(op, Eq | Ne | Lt | Le | Gt | Ge),
        ExprKind::Unary(op, _) => *op == UnaryOp::Not,
        ExprKind::And(..) | ExprKind::Or(..) => true,
        _ => false,
    }
}

/// A value that is zero where this one is: itself, unless that has to be asked for.
pub fn truth(expr: Expr) -> Expr {
    match expr.ty {
        Type::Int(_) => expr,
        _ => is_nonzero(expr),
    }
}

/// A float is any integer, as far as anybody knows.
fn comparable(expr: Expr) -> Expr {
    match expr.ty {
        Type::Float(_) => convert(expr, INT),
        _ => expr,
    }
}

pub fn unary(op: UnaryOp, operand: Expr, ty: Type) -> Expr {
    if let (Some(value), Some(bits)) = (constant(&operand), ty.bits()) {
        let result = match op {
            UnaryOp::Neg => bits.wrap(value.wrapping_neg()),
            UnaryOp::BitNot => bits.wrap(!value),
            UnaryOp::Not => i64::from(value == 0),
        };
        return Expr::constant(result, ty, operand.span);
    }
    let span = operand.span;
    Expr::new(ExprKind::Unary(op, Box::new(operand)), ty, span)
}

/// An operator on operands of the same type, but for shifts.
pub fn binary(op: BinaryOp, left: Expr, right: Expr, ty: Type) -> Expr {
    let bits = left.ty.bits();
    if let (Some(bits), Some(x), Some(y)) = (bits, constant(&left), number(&right))
        && let Some(value) = computed(op, bits, bits.number(x), y)
    {
        let value = ty.bits().map_or(value as i64, |bits| bits.wrap(value as i64));
        return Expr::constant(value, ty, left.span.to(right.span));
    }
    if let (None, Some(x), Some(y)) = (bits, constant(&left), constant(&right))
        && let Some(value) = computed(op, Bits { width: 64, signed: false }, i128::from(x), i128::from(y))
    {
        return Expr::constant(value as i64, ty, left.span.to(right.span));
    }
    if let Some(value) = compared_with_null(op, &left, &right) {
        return Expr::constant(value, ty, left.span.to(right.span));
    }
    Expr::binary(op, left, right, ty)
}

/// Variables and functions are never at null.
fn compared_with_null(op: BinaryOp, left: &Expr, right: &Expr) -> Option<i64> {
    let is_never_null = |expr: &Expr| match &expr.kind {
        ExprKind::Address(place) => !matches!(place.base, Base::Deref(..)) && place.path.is_empty(),
        ExprKind::Function(_) => true,
        _ => false,
    };
    let is_null = |expr: &Expr| expr.ty == Type::Pointer && constant(expr) == Some(0);
    let is_both = is_never_null(left) && is_null(right) || is_null(left) && is_never_null(right);
    match op {
        BinaryOp::Eq if is_both => Some(0),
        BinaryOp::Ne if is_both => Some(1),
        _ => None,
    }
}

/// `None` where C gives no value.
fn computed(op: BinaryOp, bits: Bits, x: i128, y: i128) -> Option<i128> {
    let shift = || (0..i128::from(bits.width)).contains(&y).then_some(y as u32);
    Some(match op {
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul => x.wrapping_mul(y),
        BinaryOp::Div => x.checked_div(y)?,
        BinaryOp::Rem => x.checked_rem(y)?,
        BinaryOp::BitAnd => x & y,
        BinaryOp::BitOr => x | y,
        BinaryOp::BitXor => x ^ y,
        BinaryOp::Shl => x << shift()?,
        BinaryOp::Shr => x >> shift()?,
        BinaryOp::Eq => i128::from(x == y),
        BinaryOp::Ne => i128::from(x != y),
        BinaryOp::Lt => i128::from(x < y),
        BinaryOp::Le => i128::from(x <= y),
        BinaryOp::Gt => i128::from(x > y),
        BinaryOp::Ge => i128::from(x >= y),
    })
}

/// `&&` of values that have no effects.
pub fn and(left: Expr, right: Expr) -> Expr {
    let span = left.span.to(right.span);
    match constant(&left) {
        Some(0) => Expr::constant(0, INT, span),
        Some(_) => is_nonzero(right),
        None => Expr::new(ExprKind::And(Box::new(left), Box::new(right)), INT, span),
    }
}

/// `||` of values that have no effects.
pub fn or(left: Expr, right: Expr) -> Expr {
    let span = left.span.to(right.span);
    match constant(&left) {
        Some(0) => is_nonzero(right),
        Some(_) => Expr::constant(1, INT, span),
        None => Expr::new(ExprKind::Or(Box::new(left), Box::new(right)), INT, span),
    }
}

/// `?:` of values that have no effects, the last two of the same type.
pub fn conditional(condition: Expr, yes: Expr, no: Expr) -> Expr {
    match constant(&condition) {
        Some(0) => no,
        Some(_) => yes,
        None => {
            let (ty, span) = (yes.ty.clone(), condition.span.to(no.span));
            Expr::new(ExprKind::Conditional(Box::new([condition, yes, no])), ty, span)
        }
    }
}

/// What is computed with floats, or what comes of comparing them: any value, after both operands have been looked at.
pub fn unknown_of(operands: Vec<Expr>, ty: Type) -> Expr {
    let span = operands.iter().map(|operand| operand.span).reduce(|a, b| a.to(b)).unwrap_or_default();
    let mut looked_at = operands.into_iter().filter(loads);
    match (looked_at.next(), looked_at.next()) {
        (None, _) => convert(Expr::new(ExprKind::Any, Type::Float(8), span), ty),
        (Some(only), None) => convert(only, ty),
        (Some(first), Some(second)) if ty == INT => Expr::binary(BinaryOp::Ne, first, second, INT),
        (Some(first), Some(second)) => Expr::binary(BinaryOp::Add, first, second, ty),
    }
}

/// Whether an expression loads anything.
pub fn loads(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Load(_) => true,
        ExprKind::Const(_) | ExprKind::Any | ExprKind::Function(_) | ExprKind::Said(_) => false,
        ExprKind::Address(place) => place_loads(place),
        ExprKind::Unary(_, operand) | ExprKind::Convert(operand) => loads(operand),
        ExprKind::Binary(_, left, right)
        | ExprKind::Offset(left, right, _)
        | ExprKind::Difference(left, right, _)
        | ExprKind::And(left, right)
        | ExprKind::Or(left, right) => loads(left) || loads(right),
        ExprKind::Conditional(parts) => parts.iter().any(loads),
    }
}

fn place_loads(place: &threadwise_memory::code::Place) -> bool {
    use threadwise_memory::code::Step;
    let in_base = match &place.base {
        Base::Local(_) | Base::Global(_) => false,
        Base::Deref(pointer, _) => loads(pointer),
    };
    in_base || place.path.iter().any(|step| matches!(step, Step::Index(index) if loads(index)))
}
