//! Whether the properties allow a few copies of a thread to stand for many.
//!
//! [`Program::cutoff`] is about what single threads and pairs of threads can do. A property looks at
//! all threads at once. Suppose that it is violated with many copies. The violation carries over to
//! few copies, if these are chosen well:
//!
//! * Those that the shared store refers to must be among them.
//! * Where the violation says that there *is* a thread with something, one such thread must be among
//!   them: a witness.
//! * Where it says something of *all* threads, it says it also of fewer.
//!
//! So the number of witnesses must be bounded. It is, unless for each thread there must be a witness
//! of its own. What is said inside a quantifier over values is said once for each value, which needs
//! as many witnesses. The cutoff has room for one witness for each quantifier over threads, and for
//! two more.
//!
//! A `norace` needs two witnesses. A deadlock needs one, which is stuck, and says of all threads that they are still. In a
//! cycle of locks the shared store refers to all whose locks are waited for; only the thread that waits for one that has
//! ended may be another, a witness.
//!
//! Quantifiers over threads that do not look at where threads are or at their local variables
//! cannot tell one thread from another, unless the shared store refers to it. One witness will do.

use crate::{CheckError, refuted};
use std::sync::Arc;
use threadwise_ir::{BinaryOp, Expr, ExprKind, Instance, Program, Quantifier, UnaryOp};

/// Whether a case with as many copies as the cutoff stands for all cases with more.
pub(crate) fn stands_for_more(program: &Arc<Program>) -> Result<(), CheckError> {
    let mut room = 2;
    program.walk_expressions(&mut |e| room += u64::from(is_over_threads(e)));
    // Only sorts that do not depend on the number of threads are counted through.
    let instance = Instance::with_copies(program.clone(), &vec![0; program.templates.len()]);
    for (id, e, violating) in program.formulas() {
        let needed = Witnesses { instance: &instance }.of(e, Some(violating), false);
        if needed.is_none_or(|needed| needed > room) {
            let text = program.source.snippet(program.property(id).span, 80);
            return Err(refuted(format!("a few copies cannot stand for all: `{text}` may take more to be violated")));
        }
    }
    Ok(())
}

/// Whether it is a quantifier over threads.
fn is_over_threads(e: &Expr) -> bool {
    matches!(&e.kind, ExprKind::Quantified(_, binder, _) if binder.domain.sort().mentions_tid())
}

struct Witnesses<'a> {
    instance: &'a Instance,
}

impl Witnesses<'_> {
    /// How many witnesses it takes for the expression to have the value `wanted`; any value, if
    /// there is none. `None` if there is no bound. `for_all` tells that this is said of all threads.
    fn of(&self, e: &Expr, wanted: Option<bool>, for_all: bool) -> Option<u64> {
        match &e.kind {
            ExprKind::Unary(UnaryOp::Not, a) => self.of(a, wanted.map(|wanted| !wanted), for_all),
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, a, b) => {
                self.of(a, wanted, for_all)?.checked_add(self.of(b, wanted, for_all)?)
            }
            ExprKind::Binary(BinaryOp::Implies, a, b) => {
                self.of(a, wanted.map(|wanted| !wanted), for_all)?.checked_add(self.of(b, wanted, for_all)?)
            }
            ExprKind::Conditional(parts) => {
                let [c, a, b] = &**parts;
                let branches = self.of(a, wanted, for_all)?.checked_add(self.of(b, wanted, for_all)?)?;
                self.of(c, None, for_all)?.checked_add(branches)
            }
            ExprKind::Quantified(quantifier, binder, body) => {
                // What a quantifier says of all is what it does not say of one, and the other way round.
                let (says_one, says_all) = match (quantifier, wanted) {
                    (Quantifier::Exists, Some(true)) | (Quantifier::Forall, Some(false)) => (true, false),
                    (Quantifier::Exists, Some(false)) | (Quantifier::Forall, Some(true)) => (false, true),
                    (Quantifier::Exists | Quantifier::Forall, None) | (Quantifier::Count, _) => (true, true),
                };
                let inside =
                    |for_all| self.of(body, if *quantifier == Quantifier::Count { None } else { wanted }, for_all);
                if !is_over_threads(e) {
                    let times = if says_all { self.instance.cardinality(&binder.domain.sort())? } else { 1 };
                    return inside(for_all)?.checked_mul(times);
                }
                if !body.looks_at_threads() {
                    return inside(for_all)?.checked_add(1);
                }
                if says_one && for_all {
                    return None;
                }
                inside(for_all || says_all)?.checked_add(u64::from(says_one))
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
            | ExprKind::Binary(..)
            | ExprKind::Index(..)
            | ExprKind::SetLiteral(_)
            | ExprKind::ArrayLiteral(_) => self.of_parts(e, for_all),
        }
    }

    /// The same for an expression whose value depends on those of its parts in some way.
    fn of_parts(&self, e: &Expr, for_all: bool) -> Option<u64> {
        let parts: Vec<&Expr> = match &e.kind {
            ExprKind::Unary(_, a) => vec![a],
            ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => vec![a, b],
            ExprKind::SetLiteral(elements) | ExprKind::ArrayLiteral(elements) => elements.iter().collect(),
            ExprKind::LocalOf(thread, _) | ExprKind::At(thread, _) => vec![&thread.thread],
            ExprKind::Conditional(parts) => parts.iter().collect(),
            ExprKind::Quantified(_, _, body) => vec![body],
            ExprKind::Const(_)
            | ExprKind::Thread(_)
            | ExprKind::SelfThread
            | ExprKind::Read(_)
            | ExprKind::ReadAfter(_)
            | ExprKind::Bound(_) => Vec::new(),
        };
        parts.into_iter().try_fold(0u64, |sum, part| sum.checked_add(self.of(part, None, for_all)?))
    }
}
