//! That no step goes wrong: assertions follow from the facts before it, and everything else cannot fail whatever the values.

use super::text::{Known, Term, copy_said};
use super::{Judge, find_started};
use crate::{CheckError, refuted};
use threadwise_evidence::Fact;
use threadwise_ir::{
    BinaryOp, Command, Copies, Domain, Edge, Expr, ExprKind, Initial, Op, Place, Program, Quantifier, RoutineId, Sort,
    TemplateId, Update, Value, VarRef,
};

/// Initial values cannot fail.
pub(super) fn initial_values(program: &Program) -> Result<(), CheckError> {
    for var in &program.shared {
        if let Initial::Value(e) = &var.init
            && (e.can_fail() || !e.surely_fits(&var.sort))
        {
            return Err(refuted(format!("the initial value of `{}` may be an error", var.name)));
        }
    }
    match program.init.iter().any(Expr::can_fail) {
        true => Err(refuted("a condition on initial states may be an error")),
        false => Ok(()),
    }
}

impl Judge<'_> {
    /// An edge of a thread cannot go wrong where these facts hold.
    pub(super) fn goes_well(&self, thread: TemplateId, facts: &[Fact], edge: &Edge) -> Result<(), CheckError> {
        let routine = self.program.location(edge.from).routine;
        let fine = match &edge.op {
            Op::Command(command) => {
                let holds = |condition: &Expr| !condition.can_fail() && self.follows(thread, facts, condition);
                if !command.assertions.iter().all(|assertion| holds(&assertion.condition)) {
                    return Err(self.wrong(edge, "an assertion may fail"));
                }
                self.command_fits(routine, command)
            }
            Op::Call { routine: callee, args, result } => {
                let callee = self.program.routine(*callee);
                let params = callee.locals.iter().map(|local| &local.sort);
                let args_fit = args.iter().zip(params).all(|(arg, sort)| !arg.can_fail() && arg.surely_fits(sort));
                let result_fits = result.as_deref().is_none_or(|place| {
                    let sort = callee.result.map(|local| &callee.locals[local.index()].sort);
                    self.place_fits(routine, place) && sort.is_some_and(|sort| is_within(sort, &place.sort))
                });
                args_fit && result_fits
            }
            Op::Return(value) => {
                let own = self.program.routine(routine);
                let sort = own.result.map(|local| &own.locals[local.index()].sort);
                let fits = |e: &Expr| !e.can_fail() && sort.is_none_or(|sort| e.surely_fits(sort));
                value.as_deref().is_none_or(fits)
            }
        };
        if fine { Ok(()) } else { Err(self.wrong(edge, "a value or an index may be out of range, or have no value")) }
    }

    fn command_fits(&self, routine: RoutineId, command: &Command) -> bool {
        let guard_fits = command.guard.as_deref().is_none_or(|guard| !guard.can_fail());
        guard_fits
            && match &command.update {
                Update::Assign(assignments) => assignments.iter().all(|(place, value)| {
                    let fits = match value {
                        Value::Of(e) => !e.can_fail() && e.surely_fits(&place.sort),
                        Value::Any => true,
                    };
                    fits && self.place_fits(routine, place)
                }),
                Update::Action { formula, assertion, .. } => !formula.can_fail() && assertion.is_none(),
            }
    }

    /// The indices are keys of the array.
    fn place_fits(&self, routine: RoutineId, place: &Place) -> bool {
        let mut sort = match place.var {
            VarRef::Shared(id) => &self.program.shared[id.index()].sort,
            VarRef::Local(id) => &self.program.routine(routine).locals[id.index()].sort,
        };
        for index in &place.indices {
            let Sort::Array(key, element) = sort else { return false };
            if index.can_fail() || !index.surely_fits(key) {
                return false;
            }
            sort = element;
        }
        true
    }

    /// Whether a condition follows from facts about a thread.
    fn follows(&self, thread: TemplateId, facts: &[Fact], condition: &Expr) -> bool {
        let has = |fact: Fact| facts.binary_search(&fact).is_ok();
        Known::in_condition(condition).conditions().iter().all(|e| {
            let alone = Known::in_condition(e);
            let is_held = |fact: &Fact| match fact {
                Fact::Holds(lock) => self.is_lock(lock) == Some(true) && alone.is_me(lock),
                Fact::Reads(readers) => alone.has_me(readers),
                _ => false,
            };
            let is_startable = |value: &Term, of: TemplateId| match value {
                Term::Thread(named) => *named == of,
                Term::Me => of == thread,
                Term::Of(element) => has(Fact::Names(element.clone(), of)),
                Term::Number(_) => false,
            };
            let is_copy = |e: &Expr| copy_only(e).is_some_and(|(of, value)| is_startable(&value, of));
            matches!(e.kind, ExprKind::Const(1))
                || facts.iter().any(is_held)
                || self.has_idle_copy(facts, e)
                || disjuncts(e).into_iter().any(is_copy)
        })
    }

    /// `exists c: T :: status[c] == idle` where fewer copies have been started than there are.
    fn has_idle_copy(&self, facts: &[Fact], e: &Expr) -> bool {
        let ExprKind::Quantified(Quantifier::Exists, binder, body) = &e.kind else { return false };
        let (Domain::Copies(template), Some(status)) = (&binder.domain, self.proof.status) else { return false };
        let copies = match self.program.template(*template).copies {
            Copies::Single => 1,
            Copies::Exactly(copies) => copies,
            Copies::Any => return false,
        };
        let ExprKind::Binary(BinaryOp::Eq, now, idle) = &body.kind else { return false };
        let ExprKind::Index(array, thread) = &now.kind else { return false };
        let is_status = matches!(array.kind, ExprKind::Read(VarRef::Shared(var)) if var == status);
        let is_asked = matches!(thread.kind, ExprKind::Bound(0)) && matches!(idle.kind, ExprKind::Const(0));
        is_status && is_asked && find_started(facts, *template).is_some_and(|started| started < copies)
    }
}

/// `exists c: T :: c == value`, and nothing else.
fn copy_only(e: &Expr) -> Option<(TemplateId, Term)> {
    let ExprKind::Quantified(_, _, body) = &e.kind else { return None };
    matches!(body.kind, ExprKind::Binary(BinaryOp::Eq, ..)).then(|| copy_said(e)).flatten()
}

/// The conditions of a disjunction.
fn disjuncts(e: &Expr) -> Vec<&Expr> {
    match &e.kind {
        ExprKind::Binary(BinaryOp::Or, a, b) => [disjuncts(a), disjuncts(b)].concat(),
        _ => vec![e],
    }
}

/// Whether all values of a sort are values of another one that can take their place.
fn is_within(sort: &Sort, other: &Sort) -> bool {
    match (sort, other) {
        (Sort::Range(lo, hi), Sort::Range(least, most)) => least <= lo && hi <= most,
        (_, Sort::Range(..)) => false,
        _ => true,
    }
}
