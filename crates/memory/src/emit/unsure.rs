//! Executions that the program may not have. What is computed with floating-point numbers is not known, so that any value is
//! tried; and a join of one of any number of threads may go on too early. What is proved then is proved of the program. An
//! error that is met in such an execution is not taken for one.

use super::{Emitter, assigned};
use crate::code::{BinaryOp as Op, Expr, ExprKind, Type};
use crate::terms::{not, or, read};
use crate::threads::Threads;
use crate::walk::for_each_expr;
use threadwise_ir::{Assertion, AssertionKind, Expr as Term, Sort, Value, VarRef};
use threadwise_source::Span;
use threadwise_spawn::Startable;

/// Whether something depends on the value of a floating-point number.
pub(super) fn has_guesses(threads: &Threads) -> bool {
    let mut found = false;
    for block in threads.all.iter().flat_map(|thread| &thread.flat.blocks) {
        for_each_expr(block, &mut |e| found |= is_guess(e));
    }
    found
}

fn is_guess(e: &Expr) -> bool {
    let is_float = |ty: &Type| matches!(ty, Type::Float(_));
    match &e.kind {
        ExprKind::Convert(inner) => is_float(&inner.ty) && !is_float(&e.ty),
        ExprKind::Binary(Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge, a, _) => is_float(&a.ty),
        _ => false,
    }
}

impl Emitter<'_> {
    /// From here on the execution may be one that the program does not have. Where that would show in states, and not only
    /// in assertions, it is not followed.
    pub(crate) fn becomes_unsure(&mut self, span: Span) {
        if self.is_outline {
            return;
        }
        if self.shows_in_states() {
            return self.check(Term::bool(false, span), AssertionKind::Beyond, span);
        }
        let unsure = VarRef::Shared(self.unsure(span));
        let place = self.place_of(unsure, &[], &Sort::Bool, span);
        self.step(assigned(vec![(place, Value::Of(Term::bool(true, span)))]), span);
    }

    fn shows_in_states(&self) -> bool {
        self.checks.races || self.checks.deadlock
    }

    /// Whether an execution can be one that the program does not have.
    pub(crate) fn may_be_unsure(&self) -> bool {
        let is_any_number = self.startables.iter().flatten().any(Startable::is_any_number);
        !self.shows_in_states() && (self.has_guesses || is_any_number)
    }

    /// The variable that is set where an execution is one that the program may not have.
    fn unsure(&mut self, span: Span) -> threadwise_ir::SharedId {
        self.shared_named("not sure".into(), &Sort::Bool, span)
    }

    /// The condition as an assertion. Where the execution may be one that the program does not have, a failure says nothing.
    pub(crate) fn assertions(&mut self, condition: Term, kind: AssertionKind, span: Span) -> Box<[Assertion]> {
        if kind == AssertionKind::Beyond || !self.may_be_unsure() {
            return Box::new([Assertion { condition, kind, message: None }]);
        }
        let unsure = read(VarRef::Shared(self.unsure(span)), Sort::Bool, span);
        let beyond = Assertion {
            condition: or(condition.clone(), not(unsure.clone())),
            kind: AssertionKind::Beyond,
            message: None,
        };
        Box::new([beyond, Assertion { condition: or(condition, unsure), kind, message: None }])
    }
}
