//! Which shared variables a statement mentions: what `norace` is about.

use crate::elements::Element;
use crate::functions::unmarked;
use crate::tree::Kind;
use crate::value::Name;
use std::collections::BTreeSet;
use threadwise_front_tw::ast::{Cond, Expr, ExprKind, Rhs};

/// The shared variables that a step reads and writes. An `rwlock` counts as one variable here.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Accesses {
    pub(crate) touched: BTreeSet<Name>,
    pub(crate) written: BTreeSet<Name>,
    /// The elements of arrays, where a `norace` is about elements.
    pub(crate) elements: BTreeSet<Element>,
}

impl Accesses {
    pub(crate) fn add(&mut self, other: &Accesses) {
        self.touched.extend(other.touched.iter().cloned());
        self.written.extend(other.written.iter().cloned());
        self.elements.extend(other.elements.iter().cloned());
    }

    fn read(&mut self, e: &Expr, is_shared: &dyn Fn(&str) -> bool) {
        mentioned(e, is_shared, &mut Vec::new(), &mut self.touched);
    }

    /// A place is written; the indices in it are read.
    pub(crate) fn write(&mut self, place: &Expr, is_shared: &dyn Fn(&str) -> bool) {
        self.read(place, is_shared);
        let mut root = place;
        while let ExprKind::Index(inner, _) | ExprKind::Field(inner, _) = &root.kind {
            root = inner;
        }
        mentioned(root, is_shared, &mut Vec::new(), &mut self.written);
    }
}

/// What one statement accesses; of a compound statement, its test. The result of a call is
/// written by the return.
pub(crate) fn of_statement(kind: &Kind, is_shared: &dyn Fn(&str) -> bool) -> Accesses {
    let mut accesses = Accesses::default();
    match kind {
        Kind::Var { init: Some(Rhs::Expr(e)), .. } => accesses.read(e, is_shared),
        Kind::Assign(places, values) => {
            places.iter().for_each(|place| accesses.write(place, is_shared));
            for value in values {
                if let Rhs::Expr(e) = value {
                    accesses.read(e, is_shared);
                }
            }
        }
        Kind::Assert(e) | Kind::Assume(e) => accesses.read(e, is_shared),
        Kind::Lock(_, place) => accesses.write(place, is_shared),
        Kind::BeginWait(condition, lock) => {
            accesses.write(condition, is_shared);
            accesses.write(lock, is_shared);
        }
        Kind::EndWait(condition, lock) => {
            accesses.read(condition, is_shared);
            accesses.write(lock, is_shared);
        }
        Kind::Signal(condition) | Kind::Broadcast(condition) => accesses.write(condition, is_shared),
        Kind::Send(channel, e) => {
            accesses.write(channel, is_shared);
            accesses.read(e, is_shared);
        }
        Kind::Receive { result, channel } => {
            accesses.write(channel, is_shared);
            result.iter().for_each(|place| accesses.write(place, is_shared));
        }
        Kind::Action { frame, formula, assertion } => {
            frame.iter().for_each(|place| accesses.write(place, is_shared));
            accesses.read(formula, is_shared);
            assertion.iter().for_each(|e| accesses.read(e, is_shared));
        }
        Kind::If(Cond::Expr(e), ..) | Kind::While(Cond::Expr(e), _) => accesses.read(e, is_shared),
        Kind::Start { result, args, .. } => {
            result.iter().for_each(|place| accesses.write(place, is_shared));
            args.iter().for_each(|e| accesses.read(e, is_shared));
        }
        Kind::Join(e) => accesses.read(e, is_shared),
        Kind::Call { args, .. } => args.iter().for_each(|e| accesses.read(e, is_shared)),
        Kind::Return(Some(e)) => accesses.read(e, is_shared),
        _ => {}
    }
    accesses
}

/// Whether a shared variable occurs in the expression.
pub(crate) fn reads_shared(e: &Expr, is_shared: &dyn Fn(&str) -> bool) -> bool {
    let mut names = BTreeSet::new();
    mentioned(e, is_shared, &mut Vec::new(), &mut names);
    !names.is_empty()
}

/// The shared variables that occur in the expression.
pub(crate) fn mentioned_names(e: &Expr, is_shared: &dyn Fn(&str) -> bool) -> BTreeSet<Name> {
    let mut names = BTreeSet::new();
    mentioned(e, is_shared, &mut Vec::new(), &mut names);
    names
}

/// Collects the shared variables that occur in the expression and are not bound in it.
fn mentioned(e: &Expr, is_shared: &dyn Fn(&str) -> bool, bound: &mut Vec<String>, names: &mut BTreeSet<Name>) {
    let mut visit = |e: &Expr, bound: &mut Vec<String>| mentioned(e, is_shared, bound, names);
    match &e.kind {
        ExprKind::Name(name) => {
            if !bound.contains(name) && is_shared(name) {
                names.insert(unmarked(name).into());
            }
        }
        ExprKind::Int(_)
        | ExprKind::LargeInt(_)
        | ExprKind::Bool(_)
        | ExprKind::SelfThread
        | ExprKind::None
        | ExprKind::Error => {}
        ExprKind::Prime(e)
        | ExprKind::Field(e, _)
        | ExprKind::At(e, _)
        | ExprKind::Unary(_, e)
        | ExprKind::Size(e)
        | ExprKind::Convert(_, e)
        | ExprKind::ArrayFill(e)
        | ExprKind::Ord(e) => visit(e, bound),
        ExprKind::Index(left, right) | ExprKind::Binary(_, left, right) => {
            visit(left, bound);
            visit(right, bound);
        }
        ExprKind::Conditional(condition, yes, no) => {
            visit(condition, bound);
            visit(yes, bound);
            visit(no, bound);
        }
        ExprKind::SetLiteral(elements) | ExprKind::ArrayLiteral(elements) | ExprKind::Call(_, elements) => {
            elements.iter().for_each(|e| visit(e, bound));
        }
        ExprKind::RecordLiteral(_, fields) => fields.iter().for_each(|(_, e)| visit(e, bound)),
        ExprKind::Quantified(_, binders, body) => {
            let outer = bound.len();
            bound.extend(binders.iter().map(|binder| binder.name.text.clone()));
            visit(body, bound);
            bound.truncate(outer);
        }
    }
}
