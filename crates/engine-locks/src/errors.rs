//! What may go wrong besides races. What cannot be excluded without values makes the answer UNKNOWN.

use crate::facts::{SetId, Sets};
use crate::model::Model;
use crate::read::{Term, term};
use crate::transfer::copies;
use threadwise_evidence::{Element, Fact};
use threadwise_ir::{
    AssertionKind, BinaryOp, Command, Domain, Edge, Expr, ExprKind, Initial, Op, Place, Program, Quantifier, RoutineId,
    Sort, TemplateId, Update, Value, VarRef,
};

/// An initial value that may be an error.
pub(crate) fn initial_value(program: &Program) -> Option<String> {
    let fails = |e: &Expr, sort: &Sort| e.can_fail() || !e.surely_fits(sort);
    let var = program.shared.iter().find(|var| matches!(&var.init, Initial::Value(e) if fails(e, &var.sort)));
    var.map(|var| format!("the initial value of `{}` may be an error", var.name))
}

/// How an edge may go wrong where these facts hold.
pub(crate) fn error(model: &Model<'_>, sets: &Sets, thread: TemplateId, at: SetId, edge: &Edge) -> Option<String> {
    let place = || {
        let source = &model.program.source;
        format!("`{}` at {}", source.snippet(edge.span, 60), source.locate(edge.span))
    };
    let routine = model.program.location(edge.from).routine;
    let fits = match &edge.op {
        Op::Command(command) => {
            let holds = |condition: &Expr| !condition.can_fail() && follows(model, sets, thread, at, condition);
            if let Some(failing) = command.assertions.iter().find(|assertion| !holds(&assertion.condition)) {
                return Some(format!("{} {}", words(failing.kind), place()));
            }
            command_fits(model.program, routine, command)
        }
        Op::Call { routine: callee, args, result } => {
            let callee = model.program.routine(*callee);
            let params = callee.locals.iter().map(|local| &local.sort);
            let result_fits = |to: &Place| {
                let result = callee.result.map(|local| &callee.locals[local.index()].sort);
                place_fits(model.program, routine, to) && result.is_some_and(|sort| is_within(sort, &to.sort))
            };
            args.iter().zip(params).all(|(arg, sort)| value_fits(arg, sort))
                && result.as_deref().is_none_or(result_fits)
        }
        Op::Return(value) => {
            let own = model.program.routine(routine);
            let sort = own.result.map(|local| &own.locals[local.index()].sort);
            value.as_deref().is_none_or(|e| !e.can_fail() && sort.is_none_or(|sort| e.surely_fits(sort)))
        }
    };
    (!fits).then(|| format!("a value or an index may be out of range, or a divisor zero, in {}", place()))
}

fn words(kind: AssertionKind) -> &'static str {
    match kind {
        AssertionKind::Assert => "values decide whether the assertion holds in",
        AssertionKind::Release => "it is not known that the thread holds the lock in",
        AssertionKind::Start => "it is not known that a copy is left in",
        AssertionKind::Join => "it is not known which thread is joined in",
        AssertionKind::Memory => "values decide whether memory is accessed as it should be in",
        AssertionKind::Arithmetic => "values decide whether arithmetic goes well in",
        AssertionKind::Lock => "it is not known that the lock is used as it should be in",
        AssertionKind::Exception => "values decide whether an exception is thrown in",
        AssertionKind::Beyond => "it is not known that the program stays within what is kept apart or supported in",
    }
}

fn value_fits(e: &Expr, sort: &Sort) -> bool {
    !e.can_fail() && e.surely_fits(sort)
}

fn command_fits(program: &Program, routine: RoutineId, command: &Command) -> bool {
    let update_fits = match &command.update {
        Update::Assign(assignments) => assignments.iter().all(|(place, value)| {
            let fits = match value {
                Value::Of(e) => value_fits(e, &place.sort),
                Value::Any => true,
            };
            fits && place_fits(program, routine, place)
        }),
        Update::Action { formula, assertion, .. } => !formula.can_fail() && assertion.is_none(),
    };
    update_fits && !command.guard.iter().any(|guard| guard.can_fail())
}

fn place_fits(program: &Program, routine: RoutineId, place: &Place) -> bool {
    let mut sort = match place.var {
        VarRef::Shared(id) => &program.shared[id.index()].sort,
        VarRef::Local(id) => &program.routine(routine).locals[id.index()].sort,
    };
    place.indices.iter().all(|index| {
        let Sort::Array(key, element) = sort else { return false };
        sort = element;
        value_fits(index, key)
    })
}

fn is_within(sort: &Sort, other: &Sort) -> bool {
    match (sort, other) {
        (Sort::Range(lo, hi), Sort::Range(least, most)) => least <= lo && hi <= most,
        (_, Sort::Range(..)) => false,
        _ => true,
    }
}

/// Whether a condition follows from what is known about a thread.
fn follows(model: &Model<'_>, sets: &Sets, thread: TemplateId, at: SetId, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Binary(BinaryOp::And, a, b) => {
            follows(model, sets, thread, at, a) && follows(model, sets, thread, at, b)
        }
        ExprKind::Const(1) => true,
        ExprKind::Binary(BinaryOp::Eq, a, b) => [(a, b), (b, a)].into_iter().any(|(a, b)| {
            let element = element(a).filter(|element| model.is_lock(element) == Some(true));
            matches!(b.kind, ExprKind::SelfThread) && element.is_some_and(|lock| sets.has(at, &Fact::Holds(lock)))
        }),
        ExprKind::Binary(BinaryOp::In, a, b) => {
            let readers = element(b);
            matches!(a.kind, ExprKind::SelfThread) && readers.is_some_and(|set| sets.has(at, &Fact::Reads(set)))
        }
        ExprKind::Binary(BinaryOp::Or, a, b) => [a, b].into_iter().any(|e| is_copy_or(sets, thread, at, e)),
        ExprKind::Quantified(..) => is_copy_or(sets, thread, at, e) || has_idle_copy(model, sets, at, e),
        _ => false,
    }
}

fn element(e: &Expr) -> Option<Element> {
    match term(e)? {
        Term::Of(element) => Some(element),
        Term::Number(_) | Term::Me | Term::Thread(_) => None,
    }
}

/// `exists c: T :: c == thread`, for one template or another.
fn is_copy_or(sets: &Sets, thread: TemplateId, at: SetId, e: &Expr) -> bool {
    if let ExprKind::Binary(BinaryOp::Or, a, b) = &e.kind {
        return [a, b].into_iter().any(|e| is_copy_or(sets, thread, at, e));
    }
    let ExprKind::Quantified(Quantifier::Exists, binder, body) = &e.kind else { return false };
    let (Domain::Copies(of), ExprKind::Binary(BinaryOp::Eq, a, b)) = (&binder.domain, &body.kind) else { return false };
    let value = match (&a.kind, &b.kind) {
        (ExprKind::Bound(0), _) => term(b),
        (_, ExprKind::Bound(0)) => term(a),
        _ => None,
    };
    match value {
        Some(Term::Thread(named)) => named == *of,
        Some(Term::Me) => thread == *of,
        Some(Term::Of(element)) => sets.has(at, &Fact::Names(element, *of)),
        Some(Term::Number(_)) | None => false,
    }
}

/// `exists c: T :: status[c] == idle`
fn has_idle_copy(model: &Model<'_>, sets: &Sets, at: SetId, e: &Expr) -> bool {
    let ExprKind::Quantified(Quantifier::Exists, binder, body) = &e.kind else { return false };
    let (Domain::Copies(of), ExprKind::Binary(BinaryOp::Eq, now, idle)) = (&binder.domain, &body.kind) else {
        return false;
    };
    let ExprKind::Index(array, thread) = &now.kind else { return false };
    let is_status = match (&array.kind, model.status) {
        (ExprKind::Read(VarRef::Shared(var)), Some(status)) => *var == status,
        _ => false,
    };
    let is_asked = matches!(thread.kind, ExprKind::Bound(0)) && matches!(idle.kind, ExprKind::Const(0));
    let is_any = copies(model.program, *of) == u32::MAX;
    let is_left = |fact: &Fact| matches!(fact, Fact::Started(t, most) if t == of && *most < copies(model.program, *of));
    is_status && is_asked && !is_any && sets.get(at).iter().any(is_left)
}
