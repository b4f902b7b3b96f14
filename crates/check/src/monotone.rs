//! Whether more copies take no step away from anybody, and no error.
//!
//! What a thread can do depends on its own local state and on the shared store. So a further copy, to which the store does
//! not refer, can change it only where a step asks something of all threads, or where the store has a place for each of
//! them. Programs in which that occurs are refused.
//!
//! A property must be such that a violation stays one with more copies, and stays one without any copy that is no
//! *witness*. That is so where it says that there *is* a copy with something, or that at least so many of them have it. It is
//! not so where it says something of *all* copies: there a further one may be different.

use crate::{CheckError, refuted};
use threadwise_ir::{
    BinaryOp, Copies, Domain, Expr, ExprKind, Initial, Instance, Program, Quantifier, Sort, Symmetry, UnaryOp,
};

/// For each property that is a formula how many copies, at most, are witnesses of its violation.
pub(crate) fn witnesses(instance: &Instance) -> Result<Vec<usize>, CheckError> {
    let program = &instance.program;
    if let Symmetry::Broken(reason) = program.symmetry() {
        return Err(refuted(format!("copies can be told apart: {reason}")));
    }
    if let Some(v) = program.shared.iter().find(|v| has_place_for_each(&v.sort)) {
        return Err(refuted(format!("`{}` has a place for each thread", v.name)));
    }
    let mut asks = false;
    let mut look = |e: &Expr| asks |= is_of_any_number(program, e);
    program.edges.iter().for_each(|edge| edge.op.walk_expressions(&mut look));
    program.init.iter().for_each(|e| e.walk(&mut look));
    program.shared.iter().for_each(|v| match &v.init {
        Initial::Value(e) => e.walk(&mut look),
        Initial::Default | Initial::Any => {}
    });
    if asks {
        return Err(refuted("a step, or where the program starts, depends on all threads"));
    }
    let mut all = Vec::new();
    for (id, e, wrong) in program.formulas() {
        let asks = e.any(&|part| is_of_any_number(program, part));
        let bound = Bound { instance }.of(e, wrong).filter(|_| !asks || !e.can_fail());
        let text = || program.source.snippet(program.property(id).span, 80);
        all.push(bound.ok_or_else(|| refuted(format!("with more copies `{}` may not be violated any more", text())))?);
    }
    Ok(all)
}

fn has_place_for_each(sort: &Sort) -> bool {
    match sort {
        Sort::Set(element) => element.mentions_tid(),
        Sort::Array(key, element) => key.mentions_tid() || has_place_for_each(element),
        Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid => false,
    }
}

/// Whether it is a quantifier over threads of which there may be any number.
fn is_of_any_number(program: &Program, e: &Expr) -> bool {
    let ExprKind::Quantified(_, binder, _) = &e.kind else { return false };
    match &binder.domain {
        Domain::Copies(template) => program.template(*template).copies == Copies::Any,
        Domain::Sort(sort) => sort.mentions_tid(),
    }
}

struct Bound<'a> {
    instance: &'a Instance,
}

impl Bound<'_> {
    /// How many witnesses there are, at most, where the expression has this value.
    fn of(&self, e: &Expr, value: bool) -> Option<usize> {
        let program = &self.instance.program;
        let asks = |e: &Expr| e.any(&|part| is_of_any_number(program, part));
        if !asks(e) {
            return Some(0);
        }
        match &e.kind {
            ExprKind::Unary(UnaryOp::Not, a) => self.of(a, !value),
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, a, b) => self.of(a, value)?.checked_add(self.of(b, value)?),
            ExprKind::Binary(BinaryOp::Implies, a, b) => self.of(a, !value)?.checked_add(self.of(b, value)?),
            ExprKind::Binary(op, a, b) => self.of_number(*op, a, b, value),
            ExprKind::Conditional(parts) => {
                let [condition, yes, no] = &**parts;
                let branches = self.of(yes, value)?.checked_add(self.of(no, value)?);
                branches.filter(|_| !asks(condition))
            }
            ExprKind::Quantified(quantifier, binder, body) => {
                let says_one = match quantifier {
                    Quantifier::Exists => value,
                    Quantifier::Forall => !value,
                    Quantifier::Count => return None,
                };
                let inside = self.of(body, value)?;
                if is_of_any_number(program, e) {
                    return inside.checked_add(1).filter(|_| says_one);
                }
                let values = match &binder.domain {
                    Domain::Copies(template) => self.instance.copies_of(*template).len() as u64,
                    Domain::Sort(sort) => self.instance.cardinality(sort)?,
                };
                inside.checked_mul(if says_one { 1 } else { usize::try_from(values).ok()? })
            }
            ExprKind::Const(_)
            | ExprKind::Thread(_)
            | ExprKind::SelfThread
            | ExprKind::Bound(_)
            | ExprKind::Read(_)
            | ExprKind::ReadAfter(_)
            | ExprKind::LocalOf(..)
            | ExprKind::At(..)
            | ExprKind::Unary(..)
            | ExprKind::Index(..)
            | ExprKind::SetLiteral(_)
            | ExprKind::ArrayLiteral(_) => None,
        }
    }

    /// A number of threads is at least so large: that many are witnesses.
    fn of_number(&self, op: BinaryOp, a: &Expr, b: &Expr, value: bool) -> Option<usize> {
        // All comparisons say that something is at least something, or they do not.
        let (large, small, strictly) = match (op, value) {
            (BinaryOp::Gt, true) | (BinaryOp::Le, false) => (a, b, true),
            (BinaryOp::Ge, true) | (BinaryOp::Lt, false) => (a, b, false),
            (BinaryOp::Lt, true) | (BinaryOp::Ge, false) => (b, a, true),
            (BinaryOp::Le, true) | (BinaryOp::Gt, false) => (b, a, false),
            _ => return None,
        };
        let (ExprKind::Quantified(Quantifier::Count, _, body), ExprKind::Const(least)) = (&large.kind, &small.kind)
        else {
            return None;
        };
        let is_plain = *body.sort == Sort::Bool && !body.any(&|part| is_of_any_number(&self.instance.program, part));
        let least = least.checked_add(i64::from(strictly))?;
        is_plain.then(|| usize::try_from(least.max(0)).unwrap_or(usize::MAX))
    }
}
