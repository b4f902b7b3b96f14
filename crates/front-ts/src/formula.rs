//! Small pieces of formulas.

use threadwise_ir::{
    BinaryOp, Binder, Domain, EnumId, Expr, ExprKind, LocationId, Quantifier, SharedId, Sort, TemplateId, ThreadRef,
    VarRef,
};
use threadwise_source::Span;

/// A shared variable of an enumeration type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EnumVar {
    pub(crate) var: SharedId,
    pub(crate) of: EnumId,
    /// How many values it has.
    pub(crate) values: u32,
}

impl EnumVar {
    pub(crate) fn sort(self) -> Sort {
        Sort::Enum(self.of)
    }

    pub(crate) fn value(self, value: u32, span: Span) -> Expr {
        Expr::constant(i64::from(value), self.sort(), span)
    }

    /// That the variable has one of the values; `None` if it always has.
    pub(crate) fn is_one_of(self, values: &[u32], span: Span) -> Option<Expr> {
        if values.len() as u32 == self.values {
            return None;
        }
        let read = Expr::new(ExprKind::Read(VarRef::Shared(self.var)), self.sort(), span);
        Some(match values {
            [value] => truth(BinaryOp::Eq, read, self.value(*value, span)),
            _ => {
                let kind = ExprKind::SetLiteral(values.iter().map(|&value| self.value(value, span)).collect());
                let set = Expr::new(kind, Sort::set(self.sort()), span);
                truth(BinaryOp::In, read, set)
            }
        })
    }
}

pub(crate) fn truth(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::binary(op, left, right, Sort::Bool)
}

/// The expressions joined by an operator, as a balanced tree; `None` if there are none.
pub(crate) fn joined(op: BinaryOp, sort: Sort, mut parts: Vec<Expr>) -> Option<Expr> {
    match parts.len() {
        0 | 1 => parts.pop(),
        length => {
            let right = joined(op, sort.clone(), parts.split_off(length.div_ceil(2)))?;
            Some(Expr::binary(op, joined(op, sort.clone(), parts)?, right, sort))
        }
    }
}

pub(crate) fn all_of(parts: Vec<Expr>, span: Span) -> Expr {
    joined(BinaryOp::And, Sort::Bool, parts).unwrap_or_else(|| Expr::bool(true, span))
}

pub(crate) fn any_of(parts: Vec<Expr>, span: Span) -> Expr {
    joined(BinaryOp::Or, Sort::Bool, parts).unwrap_or_else(|| Expr::bool(false, span))
}

/// That a thread is at a location.
pub(crate) fn at(template: TemplateId, thread: &Expr, location: LocationId, span: Span) -> Expr {
    let thread = Box::new(ThreadRef { template, thread: thread.clone() });
    Expr::new(ExprKind::At(thread, Box::new(vec![location])), Sort::Bool, span)
}

/// The thread that a template without copies stands for.
pub(crate) fn thread(template: TemplateId, span: Span) -> Expr {
    Expr::new(ExprKind::Thread(template), Sort::Tid, span)
}

/// A bound variable, the outermost being 0.
pub(crate) fn bound(depth: u32, span: Span) -> Expr {
    Expr::new(ExprKind::Bound(depth), Sort::Tid, span)
}

/// A quantifier over the copies of a thread.
pub(crate) fn quantified(quantifier: Quantifier, name: &str, copies: TemplateId, body: Expr) -> Expr {
    let sort = if quantifier == Quantifier::Count { Sort::Int } else { Sort::Bool };
    let span = body.span;
    let binder = Binder { name: name.into(), domain: Domain::Copies(copies) };
    Expr::quantified(quantifier, binder, body, sort, span)
}

/// `condition ? 1 : 0`
pub(crate) fn one_if(condition: Expr) -> Expr {
    let span = condition.span;
    let number = |n| Expr::constant(n, Sort::Int, span);
    Expr::conditional(condition, number(1), number(0), Sort::Int, span)
}
