//! Statements on locks, spelled out as guarded commands.

use super::Lowerer;
use super::expressions::none;
use super::fields::indexed;
use super::names::{Binding, Meaning, Variable};
use super::places::read_place;
use super::records::{Access, Found};
use super::types::LockKind;
use crate::ast::{self, LockOp};
use threadwise_ir::{
    Assertion, AssertionKind, BinaryOp, Command, Expr, ExprKind, Place, Sort, SortRef, Update, Value, VarRef,
};
use threadwise_source::{Diagnostic, Span};

/// The places of a lock.
pub(super) struct LockPlaces {
    kind: LockKind,
    /// The lock itself; for an `rwlock` its writer.
    main: Place,
    /// The readers of an `rwlock`.
    readers: Option<Place>,
}

impl<'a> Lowerer<'a> {
    /// `acquire(m);` and its like.
    pub(super) fn lock(&mut self, op: LockOp, e: &'a ast::Expr, span: Span) {
        let command = self.lock_places(op, e).map(|places| self.lock_command(op, &places, span));
        self.command(command.unwrap_or_default(), span);
    }

    pub(super) fn lock_places(&mut self, op: LockOp, e: &'a ast::Expr) -> Option<LockPlaces> {
        match self.path(e) {
            Found::Access(access) => return self.lock_in_record(op, &access, e),
            Found::Wrong => return None,
            Found::Nothing => {}
        }
        let Some(path) = indexed(e).filter(|path| path.primed.is_none()) else {
            if let ast::ExprKind::Error = e.kind {
                self.reporter.note_error();
                return None;
            }
            return self.not_a_lock(e, op);
        };
        if let Meaning::Inner(Binding::Broken) = self.resolve(path.name, path.name_span)? {
            return None;
        }
        let (kind, main, readers) = match self.shared_variable(path.name) {
            Some(Variable::Broken) => return None,
            Some(Variable::Plain(_, Some(LockKind::Cond))) => return self.not_a_lock(e, op),
            Some(Variable::Plain(id, Some(kind))) => (kind, id, None),
            Some(Variable::RwLock { writer, readers }) => (LockKind::RwLock, writer, Some(readers)),
            Some(Variable::Plain(_, None) | Variable::Record(_) | Variable::Channel(_)) | None => {
                return self.not_a_lock(e, op);
            }
        };
        self.check_operation(op, kind, e)?;
        let place = self.element_place(VarRef::Shared(main), &path.indices, path.name_span, e.span)?;
        if let Sort::Array(..) = *place.sort {
            let error = Diagnostic::error(e.span, "this is an array of locks");
            self.report(error.label("expected one of its elements").hint(format!("write `{}[…]`", path.name)));
            return None;
        }
        let readers =
            readers.map(|id| Place { var: VarRef::Shared(id), sort: Sort::set(Sort::Tid).into(), ..place.clone() });
        Some(LockPlaces { kind, main: place, readers })
    }

    /// A lock that is a field of a record.
    fn lock_in_record(&mut self, op: LockOp, access: &Access<'a>, e: &'a ast::Expr) -> Option<LockPlaces> {
        let Some(kind) = access.lock() else { return self.not_a_lock(e, op) };
        self.check_operation(op, kind, e)?;
        let main = self.leaf_places(access, e.span)?.pop()?;
        if let Sort::Array(..) = *main.sort {
            let error = Diagnostic::error(e.span, "this is an array of locks");
            self.report(error.label("expected one of its elements"));
            return None;
        }
        Some(LockPlaces { kind, main, readers: None })
    }

    fn not_a_lock<T>(&mut self, e: &ast::Expr, op: LockOp) -> Option<T> {
        let text = self.program.source.snippet(e.span, 40);
        let wanted = match op {
            LockOp::Acquire | LockOp::Release => "a shared variable of type `lock` or `mutex`",
            _ => "a shared variable of type `rwlock`",
        };
        let error = Diagnostic::error(e.span, format!("`{text}` is not a lock"));
        let error = error.label(format!("expected {wanted}"));
        self.report(error.hint(format!("declare it with `shared {text}: {};`", example_type(op))));
        None
    }

    fn check_operation(&mut self, op: LockOp, kind: LockKind, e: &ast::Expr) -> Option<()> {
        let for_rwlocks = !matches!(op, LockOp::Acquire | LockOp::Release);
        if for_rwlocks == (kind == LockKind::RwLock) {
            return Some(());
        }
        let text = self.program.source.snippet(e.span, 40);
        let message = format!("`{}` does not work on {}", word(op), kind.with_article());
        let error = Diagnostic::error(e.span, message).label(format!("`{text}` is {}", kind.with_article()));
        self.report(error.hint(match op {
            LockOp::Acquire => format!("write `acquire_read({text})` or `acquire_write({text})`"),
            LockOp::Release => format!("write `release_read({text})` or `release_write({text})`"),
            LockOp::AcquireRead | LockOp::AcquireWrite => format!("write `acquire({text})`"),
            LockOp::ReleaseRead | LockOp::ReleaseWrite => format!("write `release({text})`"),
        }));
        None
    }

    /// The meaning of the statements, one line each.
    pub(super) fn lock_command(&self, op: LockOp, places: &LockPlaces, span: Span) -> Command {
        let lock = &places.main;
        let held = self.read(lock);
        let readers = places.readers.as_ref();
        let (me, own) = (|| me(span), || own(span));
        let is = |a: Expr, b: Expr| operation(BinaryOp::Eq, a, b, Sort::Bool, span);
        match (op, readers) {
            (LockOp::Acquire, _) if places.kind == LockKind::Lock => {
                wait(Expr { span, ..held.negated() }, lock, Expr::bool(true, span))
            }
            (LockOp::Release, _) if places.kind == LockKind::Lock => store(lock, Expr::bool(false, span)),
            (LockOp::AcquireRead, Some(readers)) => {
                let joined = operation(BinaryOp::Union, self.read(readers), own(), readers.sort, span);
                wait(is(held, none(span)), readers, joined)
            }
            (LockOp::AcquireWrite, Some(readers)) => {
                let (unwritten, unread) = (is(held, none(span)), is(self.read(readers), set_of(Vec::new(), span)));
                wait(operation(BinaryOp::And, unwritten, unread, Sort::Bool, span), lock, me())
            }
            (LockOp::ReleaseRead, Some(readers)) => {
                let reading = operation(BinaryOp::In, me(), self.read(readers), Sort::Bool, span);
                let left = operation(BinaryOp::Minus, self.read(readers), own(), readers.sort, span);
                checked(reading, readers, left)
            }
            (LockOp::Acquire, _) => wait(is(held, none(span)), lock, me()),
            _ => checked(is(held, me()), lock, none(span)),
        }
    }

    pub(super) fn read(&self, place: &Place) -> Expr {
        read_place(place, self.sort_of(place.var))
    }
}

fn store(place: &Place, value: Expr) -> Command {
    let update = Update::Assign([(place.clone(), Value::Of(value))].into());
    Command { update, ..Command::default() }
}

fn wait(guard: Expr, place: &Place, value: Expr) -> Command {
    Command { guard: Some(Box::new(guard)), ..store(place, value) }
}

fn checked(condition: Expr, place: &Place, value: Expr) -> Command {
    let assertion = Assertion { condition, kind: AssertionKind::Release, message: None };
    Command { assertions: [assertion].into(), ..store(place, value) }
}

/// The running thread.
pub(super) fn me(span: Span) -> Expr {
    Expr::new(ExprKind::SelfThread, Sort::Tid, span)
}

/// The set of just the running thread.
pub(super) fn own(span: Span) -> Expr {
    set_of(vec![me(span)], span)
}

pub(super) fn operation(op: BinaryOp, a: Expr, b: Expr, sort: impl Into<SortRef>, span: Span) -> Expr {
    Expr { span, ..Expr::binary(op, a, b, sort) }
}

pub(super) fn set_of(elements: Vec<Expr>, span: Span) -> Expr {
    Expr::new(ExprKind::SetLiteral(elements.into()), Sort::set(Sort::Tid), span)
}

fn word(op: LockOp) -> &'static str {
    match op {
        LockOp::Acquire => "acquire",
        LockOp::Release => "release",
        LockOp::AcquireRead => "acquire_read",
        LockOp::AcquireWrite => "acquire_write",
        LockOp::ReleaseRead => "release_read",
        LockOp::ReleaseWrite => "release_write",
    }
}

fn example_type(op: LockOp) -> &'static str {
    match op {
        LockOp::Acquire | LockOp::Release => "mutex",
        _ => "rwlock",
    }
}
