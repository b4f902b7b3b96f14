//! What is a lock, which one an expression reads, and what is known for good.

use crate::{CheckError, refuted};
use std::collections::BTreeSet;
use threadwise_evidence::{HierarchyProof, OrderedLock};
use threadwise_ir::{Env, Expr, ExprKind, Initial, Instance, Op, RoutineId, SharedId, Sort, Update, VarRef};

/// How a lock says who has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// It is who has it, or `none`.
    Owner,
    /// `true`, or a number other than zero, if somebody has it.
    Flag,
    /// The set of those who have it.
    Readers,
}

pub(super) struct Locks<'a> {
    instance: &'a Instance,
    proof: &'a HierarchyProof,
    /// For each shared variable whether some step may write it.
    is_written: Vec<bool>,
}

impl<'a> Locks<'a> {
    pub(super) fn of(instance: &'a Instance, proof: &'a HierarchyProof) -> Result<Locks<'a>, CheckError> {
        let locks = Locks { instance, proof, is_written: written(instance) };
        for &var in &proof.locks {
            if locks.kind(var).is_none() || !locks.is_free_at_first(var) {
                let name = &instance.program.shared[var.index()].name;
                return Err(refuted(format!("`{name}` is no lock that is free at first")));
            }
        }
        Ok(locks)
    }

    pub(super) fn is_lock(&self, var: SharedId) -> bool {
        self.proof.locks.binary_search(&var).is_ok()
    }

    /// What kind of lock a variable, or each of its elements, can be.
    pub(super) fn kind(&self, var: SharedId) -> Option<Kind> {
        let mut sort = &self.instance.program.shared[var.index()].sort;
        while let Sort::Array(_, element) = sort {
            sort = element;
        }
        match sort {
            Sort::Tid => Some(Kind::Owner),
            Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Bits(_) => Some(Kind::Flag),
            Sort::Set(of) if **of == Sort::Tid => Some(Kind::Readers),
            Sort::Set(_) | Sort::Enum(_) | Sort::Array(..) => None,
        }
    }

    fn is_free_at_first(&self, var: SharedId) -> bool {
        let var = &self.instance.program.shared[var.index()];
        match &var.init {
            Initial::Any => false,
            Initial::Default => {
                let mut words = vec![0; self.instance.words(&var.sort)];
                self.instance.write_default(&var.sort, &mut words);
                words.iter().all(|&word| word == 0)
            }
            // The literal of an array says the same of however many elements there are.
            Initial::Value(e) => self.is_zero(e),
        }
    }

    fn is_zero(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Const(word) => *word == 0,
            ExprKind::SetLiteral(elements) => elements.is_empty(),
            ExprKind::ArrayLiteral(elements) => elements.iter().all(|element| self.is_zero(element)),
            _ => false,
        }
    }

    /// The variable and the keys that an expression reads whose keys are constants.
    pub(super) fn element(&self, e: &Expr) -> Option<OrderedLock> {
        let (mut root, mut keys) = (e, Vec::new());
        while let ExprKind::Index(array, key) = &root.kind {
            let Sort::Array(sort, _) = &*array.sort else { return None };
            keys.insert(0, self.key(sort, key)?);
            root = array;
        }
        let ExprKind::Read(VarRef::Shared(var)) = root.kind else { return None };
        (!matches!(&*e.sort, Sort::Array(..))).then_some(OrderedLock { var, keys })
    }

    /// A constant that is a key.
    pub(super) fn key(&self, sort: &Sort, key: &Expr) -> Option<i64> {
        let ExprKind::Const(word) = key.kind else { return None };
        let depends = sort.mentions_tid() && self.instance.program.has_any_copies();
        let is_key = !depends && *sort != Sort::Int && self.instance.contains(sort, word);
        is_key.then_some(word)
    }

    /// The lock that an expression reads.
    pub(super) fn lock(&self, e: &Expr) -> Option<OrderedLock> {
        self.element(e).filter(|element| self.is_lock(element.var))
    }

    /// The value of an element that nobody ever writes.
    pub(super) fn constant(&self, element: &OrderedLock) -> Option<i64> {
        let (program, instance) = (&self.instance.program, self.instance);
        let var = &program.shared[element.var.index()];
        let Initial::Value(e) = &var.init else { return None };
        let reads = e.any(&|part| matches!(part.kind, ExprKind::Read(_)));
        if self.is_written[element.var.index()] || !program.init.is_empty() || program.has_any_copies() || reads {
            return None;
        }
        let words = Env::of_thread(instance, RoutineId(0), 0, &[], &[]).words(e).ok()?;
        let (mut sort, mut at) = (&var.sort, 0);
        for &key in &element.keys {
            let Sort::Array(keys, inner) = sort else { return None };
            at += instance.rank(keys, key)? * instance.words(inner);
            sort = inner;
        }
        words.get(at).copied().filter(|&word| instance.contains(sort, word))
    }
}

fn written(instance: &Instance) -> Vec<bool> {
    let mut is_written = vec![false; instance.program.shared.len()];
    let mut note = |var: VarRef| {
        if let VarRef::Shared(id) = var {
            is_written[id.index()] = true;
        }
    };
    for edge in instance.program.edges.iter() {
        match &edge.op {
            Op::Command(command) => match &command.update {
                Update::Assign(assignments) => assignments.iter().for_each(|(place, _)| note(place.var)),
                Update::Action { frame, .. } => frame.iter().for_each(|&var| note(var)),
            },
            Op::Call { result, .. } => result.iter().for_each(|place| note(place.var)),
            Op::Return(_) => {}
        }
    }
    is_written
}

/// The locks that a thread has, and those that it knows to be free inside of its step.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct Having {
    pub(super) held: BTreeSet<OrderedLock>,
    pub(super) free: BTreeSet<OrderedLock>,
}
