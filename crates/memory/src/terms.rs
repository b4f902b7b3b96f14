//! Expressions of the engines' language, made briefly.

use threadwise_ir::{BinaryOp, Binder, Bits, Domain, Expr, ExprKind, Quantifier, Sort, SortRef, VarRef};
use threadwise_source::Span;

pub(crate) fn read(var: VarRef, sort: impl Into<SortRef>, span: Span) -> Expr {
    Expr::new(ExprKind::Read(var), sort, span)
}

pub(crate) fn int(value: i64, span: Span) -> Expr {
    Expr::constant(value, Sort::Int, span)
}

pub(crate) fn me(span: Span) -> Expr {
    Expr::new(ExprKind::SelfThread, Sort::Tid, span)
}

pub(crate) fn nobody(span: Span) -> Expr {
    Expr::constant(0, Sort::Tid, span)
}

pub(crate) fn compare(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    match (&a.kind, &b.kind) {
        (ExprKind::Const(x), ExprKind::Const(y)) if a.sort == b.sort || a.sort.is_numeric() && b.sort.is_numeric() => {
            let order = a.sort.compare(*x, *y);
            let holds = match op {
                BinaryOp::Eq => order.is_eq(),
                BinaryOp::Ne => order.is_ne(),
                BinaryOp::Lt => order.is_lt(),
                BinaryOp::Le => order.is_le(),
                BinaryOp::Gt => order.is_gt(),
                BinaryOp::Ge => order.is_ge(),
                _ => unreachable!("no comparison"),
            };
            Expr::bool(holds, a.span)
        }
        _ => Expr::binary(op, a, b, Sort::Bool),
    }
}

pub(crate) fn equal(a: Expr, b: Expr) -> Expr {
    compare(BinaryOp::Eq, a, b)
}

pub(crate) fn constant(e: &Expr) -> Option<i64> {
    match e.kind {
        ExprKind::Const(value) => Some(value),
        _ => None,
    }
}

pub(crate) fn is_true(e: &Expr) -> bool {
    *e.sort == Sort::Bool && constant(e) == Some(1)
}

pub(crate) fn is_false(e: &Expr) -> bool {
    *e.sort == Sort::Bool && constant(e) == Some(0)
}

pub(crate) fn and(a: Expr, b: Expr) -> Expr {
    match (is_true(&a) || is_false(&b), is_true(&b) || is_false(&a)) {
        (true, _) => b,
        (_, true) => a,
        _ => Expr::binary(BinaryOp::And, a, b, Sort::Bool),
    }
}

pub(crate) fn or(a: Expr, b: Expr) -> Expr {
    match (is_false(&a) || is_true(&b), is_false(&b) || is_true(&a)) {
        (true, _) => b,
        (_, true) => a,
        _ => Expr::binary(BinaryOp::Or, a, b, Sort::Bool),
    }
}

pub(crate) fn not(e: Expr) -> Expr {
    let flipped = |op| match op {
        BinaryOp::Eq => Some(BinaryOp::Ne),
        BinaryOp::Ne => Some(BinaryOp::Eq),
        BinaryOp::Lt => Some(BinaryOp::Ge),
        BinaryOp::Le => Some(BinaryOp::Gt),
        BinaryOp::Gt => Some(BinaryOp::Le),
        BinaryOp::Ge => Some(BinaryOp::Lt),
        _ => None,
    };
    let span = e.span;
    match e.kind {
        ExprKind::Const(value) => Expr::bool(value == 0, span),
        ExprKind::Unary(threadwise_ir::UnaryOp::Not, inner) => *inner,
        ExprKind::Binary(op, a, b) if flipped(op).is_some() => {
            Expr::binary(flipped(op).unwrap_or(op), *a, *b, Sort::Bool)
        }
        kind => Expr::new(kind, e.sort, span).negated(),
    }
}

/// A number of the mathematical kind.
pub(crate) fn as_int(e: Expr) -> Expr {
    match (&e.kind, &*e.sort) {
        (_, Sort::Int | Sort::Range(..)) => e,
        (ExprKind::Const(word), Sort::Bits(bits)) if bits.width < 64 || bits.signed || *word >= 0 => int(*word, e.span),
        _ => {
            let span = e.span;
            e.converted(Sort::Int, span)
        }
    }
}

pub(crate) fn as_bits(e: Expr, bits: Bits) -> Expr {
    let sort = Sort::Bits(bits);
    if e.sort == sort {
        return e;
    }
    let span = e.span;
    match (&e.kind, &*e.sort) {
        (ExprKind::Const(word), Sort::Bits(_) | Sort::Int | Sort::Range(..)) => {
            Expr::constant(bits.wrap(*word), sort, span)
        }
        // An integer that only says whether something holds does so in any kind.
        (ExprKind::Conditional(parts), _) if constant(&parts[1]).is_some() && constant(&parts[2]).is_some() => {
            let [c, a, b] = (**parts).clone();
            Expr::conditional(c, as_bits(a, bits), as_bits(b, bits), sort, span)
        }
        _ => e.converted(sort, span),
    }
}

/// Sums, products and their like; of constants at once.
pub(crate) fn arithmetic(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    let span = a.span.to(b.span);
    if let Some(bits) = a.sort.bits() {
        if let (Some(x), Some(y)) = (constant(&a), constant(&b))
            && let Some(value) = bits.operate(op, x, y)
        {
            return Expr::constant(value, a.sort, span);
        }
        let sort = a.sort;
        return Expr::binary(op, a, b, sort);
    }
    match (op, constant(&a), constant(&b)) {
        (BinaryOp::Add, Some(x), Some(y)) if x.checked_add(y).is_some() => int(x + y, span),
        (BinaryOp::Sub, Some(x), Some(y)) if x.checked_sub(y).is_some() => int(x - y, span),
        (BinaryOp::Mul, Some(x), Some(y)) if x.checked_mul(y).is_some() => int(x * y, span),
        (BinaryOp::Add | BinaryOp::Sub, _, Some(0)) => a,
        (BinaryOp::Mul | BinaryOp::Div, _, Some(1)) => a,
        _ => Expr::binary(op, a, b, Sort::Int),
    }
}

/// That a number is at least 0 and less than a count.
pub(crate) fn within(e: &Expr, count: u64) -> Expr {
    let span = e.span;
    let low = compare(BinaryOp::Ge, e.clone(), int(0, span));
    and(low, compare(BinaryOp::Lt, e.clone(), int(count as i64, span)))
}

/// For some number less than a count something holds of it, which is the bound variable.
pub(crate) fn exists_below(count: u64, body: Expr, span: Span) -> Expr {
    let binder = Binder { name: "slot".into(), domain: Domain::Sort(Sort::Range(0, count as i64 - 1)) };
    Expr::quantified(Quantifier::Exists, binder, body, Sort::Bool, span)
}
