//! Which programs the theory is about: more copies never take a step away from the others, and never an error.
//!
//! Finkel and Schnoebelen, *Well-structured transition systems everywhere!*; German and Sistla, *Reasoning about systems
//! with many processes*.

use threadwise_ir::{
    BinaryOp, Copies, Domain, Expr, ExprKind, Initial, Instance, Program, Quantifier, Sort, Symmetry, TemplateId,
    UnaryOp,
};

/// With more places for identities than this in the shared store, cores would have too many threads.
pub(crate) const MAX_PLACES: u64 = 64;

/// Whether the engine can treat a program, or why it cannot.
pub fn applicable(program: &Program) -> Result<(), String> {
    if !program.has_any_copies() {
        return Err("no thread is declared with `[*]`".into());
    }
    if let Symmetry::Broken(reason) = program.symmetry() {
        return Err(format!("the copies of a thread are not interchangeable: {reason}"));
    }
    if program.shared.iter().any(|v| has_place_for_every_thread(&v.sort)) {
        return Err("a shared set or array has a place for every thread".into());
    }
    if program.is_recursive() {
        return Err("stacks of recursive calls have no bound".into());
    }
    let mut asks = false;
    let mut ask = |e: &Expr| asks |= is_over_crowd(program, e);
    for variable in &program.shared {
        if let Initial::Value(e) = &variable.init {
            e.walk(&mut ask);
        }
    }
    program.init.iter().for_each(|e| e.walk(&mut ask));
    program.edges.iter().for_each(|edge| edge.op.walk_expressions(&mut ask));
    if asks {
        return Err("a step asks something of all threads at once, so that more copies may be in its way".into());
    }
    for (id, e, wrong) in program.formulas() {
        if witnesses(program, e, wrong).is_none() {
            let text = program.source.snippet(program.property(id).span, 80);
            return Err(format!("`{text}` may hold with more copies where it is violated with fewer"));
        }
    }
    Ok(())
}

fn has_place_for_every_thread(sort: &Sort) -> bool {
    match sort {
        Sort::Set(element) => element.mentions_tid(),
        Sort::Array(key, element) => key.mentions_tid() || has_place_for_every_thread(element),
        Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid => false,
    }
}

/// How many identities of threads the shared store has room for.
pub(crate) fn places(instance: &Instance) -> u64 {
    fn of(instance: &Instance, sort: &Sort) -> u64 {
        match sort {
            Sort::Tid => 1,
            Sort::Array(key, element) if element.mentions_tid() => {
                instance.cardinality(key).unwrap_or(u64::MAX).saturating_mul(of(instance, element))
            }
            Sort::Bool
            | Sort::Int
            | Sort::Range(..)
            | Sort::Bits(_)
            | Sort::Enum(_)
            | Sort::Set(_)
            | Sort::Array(..) => 0,
        }
    }
    instance.program.shared.iter().fold(0, |sum, v| sum.saturating_add(of(instance, &v.sort)))
}

/// Whether the program may have any number of copies of a template.
pub(crate) fn is_counted(program: &Program, template: TemplateId) -> bool {
    program.template(template).copies == Copies::Any
}

/// The threads that a quantifier ranges over may be any number.
fn is_over_crowd(program: &Program, e: &Expr) -> bool {
    let ExprKind::Quantified(_, binder, _) = &e.kind else { return false };
    match &binder.domain {
        Domain::Copies(template) => is_counted(program, *template),
        Domain::Sort(sort) => sort.mentions_tid(),
    }
}

/// How many threads of any number are witnesses, at most, where the formula has this value: it has the same value with
/// these alone, and with any more. Nothing, if that cannot be said.
pub(crate) fn witnesses(program: &Program, e: &Expr, value: bool) -> Option<usize> {
    // A formula that runs into an error where a copy is missing would be violated with fewer.
    let asks = e.any(&|part| is_over_crowd(program, part));
    if asks && e.can_fail() { None } else { needed(program, e, value) }
}

fn needed(program: &Program, e: &Expr, value: bool) -> Option<usize> {
    if !e.any(&|part| is_over_crowd(program, part)) {
        return Some(0);
    }
    match &e.kind {
        ExprKind::Unary(UnaryOp::Not, a) => needed(program, a, !value),
        ExprKind::Binary(BinaryOp::And | BinaryOp::Or, a, b) => {
            needed(program, a, value)?.checked_add(needed(program, b, value)?)
        }
        ExprKind::Binary(BinaryOp::Implies, a, b) => {
            needed(program, a, !value)?.checked_add(needed(program, b, value)?)
        }
        ExprKind::Binary(op, a, b) => counted(program, (*op, a, b), value),
        ExprKind::Conditional(parts) => {
            let [condition, yes, no] = &**parts;
            if condition.any(&|part| is_over_crowd(program, part)) {
                return None;
            }
            needed(program, yes, value)?.checked_add(needed(program, no, value)?)
        }
        ExprKind::Quantified(quantifier, binder, body) => {
            let asks_for_one = match quantifier {
                Quantifier::Exists => value,
                Quantifier::Forall => !value,
                Quantifier::Count => return None,
            };
            let inside = needed(program, body, value)?;
            match (is_over_crowd(program, e), asks_for_one) {
                (true, true) => inside.checked_add(1),
                (true, false) => None,
                (false, true) => Some(inside),
                (false, false) => inside.checked_mul(number_of_values(program, &binder.domain)?),
            }
        }
        // Below anything else both values may matter.
        _ => None,
    }
}

/// `count … > c` and its like, where more copies can only make it true: so many that it is.
fn counted(program: &Program, (op, a, b): (BinaryOp, &Expr, &Expr), value: bool) -> Option<usize> {
    let (op, count, bound) = match (&a.kind, &b.kind) {
        (ExprKind::Quantified(Quantifier::Count, ..), ExprKind::Const(bound)) => (op, a, *bound),
        (ExprKind::Const(bound), ExprKind::Quantified(Quantifier::Count, ..)) => (mirrored(op)?, b, *bound),
        _ => return None,
    };
    let ExprKind::Quantified(_, _, body) = &count.kind else { return None };
    if *body.sort != Sort::Bool || body.any(&|part| is_over_crowd(program, part)) {
        return None;
    }
    let least = match (op, value) {
        (BinaryOp::Gt, true) | (BinaryOp::Le, false) => bound.checked_add(1)?,
        (BinaryOp::Ge, true) | (BinaryOp::Lt, false) => bound,
        _ => return None,
    };
    Some(usize::try_from(least).unwrap_or(0))
}

fn mirrored(op: BinaryOp) -> Option<BinaryOp> {
    match op {
        BinaryOp::Lt => Some(BinaryOp::Gt),
        BinaryOp::Le => Some(BinaryOp::Ge),
        BinaryOp::Gt => Some(BinaryOp::Lt),
        BinaryOp::Ge => Some(BinaryOp::Le),
        _ => None,
    }
}

/// How many values a bound variable has that does not range over a crowd.
fn number_of_values(program: &Program, domain: &Domain) -> Option<usize> {
    let values = match domain {
        Domain::Copies(template) => match program.template(*template).copies {
            Copies::Single => 1,
            Copies::Exactly(n) => u64::from(n),
            Copies::Any => return None,
        },
        Domain::Sort(Sort::Bool) => 2,
        Domain::Sort(Sort::Range(low, high)) => u64::try_from(high.checked_sub(*low)?.checked_add(1)?).ok()?,
        Domain::Sort(Sort::Enum(id)) => program.enums[id.index()].members.len() as u64,
        Domain::Sort(_) => return None,
    };
    usize::try_from(values).ok()
}
