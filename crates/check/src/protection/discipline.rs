//! That locks and statuses are used as the facts about them suppose: by every step, whoever takes it.

use super::Judge;
use super::step::{Step, adds_me, sort_of, takes_me_out};
use super::text::Write;
use crate::CheckError;
use threadwise_evidence::{ENDED, Element, Fact, Lock, RUNS};
use threadwise_ir::{Edge, ExprKind, Initial, Program, SharedId, Sort, VarRef};

/// A lock is a scalar, or an array of scalars; its readers are a set of threads for each, and at first there are none.
pub(super) fn locks_are_locks(program: &Program, lock: &Lock) -> bool {
    let (keys, owner) = keys_of(program, lock.owner);
    let owner_fits =
        matches!(owner, Sort::Tid | Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_));
    owner_fits
        && lock.readers.is_none_or(|readers| {
            let (of_readers, set) = keys_of(program, readers);
            let is_empty = match &program.shared[readers.index()].init {
                Initial::Default => true,
                Initial::Value(e) => matches!(&e.kind, ExprKind::SetLiteral(elements) if elements.is_empty()),
                Initial::Any => false,
            };
            of_readers == keys && matches!(set, Sort::Set(of) if **of == Sort::Tid) && is_empty
        })
}

/// The sorts of the keys of a variable, and that of its elements.
pub(super) fn keys_of(program: &Program, var: SharedId) -> (Vec<&Sort>, &Sort) {
    let (mut keys, mut sort) = (Vec::new(), &program.shared[var.index()].sort);
    while let Sort::Array(key, element) = sort {
        keys.push(&**key);
        sort = element;
    }
    (keys, sort)
}

/// An array over threads, of which none runs at first.
pub(super) fn status_is_status(program: &Program, status: SharedId) -> bool {
    let var = &program.shared[status.index()];
    let fits = matches!(&var.sort, Sort::Array(key, of) if **key == Sort::Tid && matches!(**of, Sort::Enum(_)));
    fits && matches!(var.init, Initial::Default)
}

impl Judge<'_> {
    /// What a step writes to locks and statuses is as it should be.
    pub(super) fn keeps_discipline(&self, step: &Step<'_>, before: &[Fact], edge: &Edge) -> Result<(), CheckError> {
        for lock in &self.proof.locks {
            let mut written = step.writes.iter().filter(|write| write.var == VarRef::Shared(lock.owner));
            if let Some(write) = written.next()
                && (written.next().is_some() || !self.is_taken_or_given_back(step, before, lock, write))
            {
                return Err(self.wrong(edge, &format!("`{}` is not used as a lock", self.name(lock.owner))));
            }
            let Some(readers) = lock.readers else { continue };
            let writes = |var| step.writes.iter().any(|write| write.var == VarRef::Shared(var));
            if writes(lock.owner) && writes(readers) {
                return Err(self.wrong(edge, "a lock and its readers change at once"));
            }
            let mut written = step.writes.iter().filter(|write| write.var == VarRef::Shared(readers));
            if let Some(write) = written.next()
                && (written.next().is_some() || !joins_or_leaves(step, before, lock, write))
            {
                return Err(self.wrong(edge, &format!("`{}` is not used as a set of readers", self.name(readers))));
            }
        }
        let Some(status) = self.proof.status else { return Ok(()) };
        let mut written = step.writes.iter().filter(|write| write.var == VarRef::Shared(status));
        if let Some(write) = written.next()
            && (written.next().is_some() || !starts_or_ends(before, write))
        {
            return Err(self.wrong(edge, &format!("`{}` is not used as a status", self.name(status))));
        }
        Ok(())
    }

    /// It is taken where it is free, and nobody reads; it is given back by the thread that has it.
    fn is_taken_or_given_back(&self, step: &Step<'_>, before: &[Fact], lock: &Lock, write: &Write<'_>) -> bool {
        let Some(element) = &write.element else { return false };
        let Some(of_threads) = self.is_lock(element) else { return false };
        let had = |fact: Fact| before.binary_search(&fact).is_ok();
        if write.constant() == Some(0) {
            return had(Fact::Holds(element.clone())) || of_threads && step.known.is_me(element);
        }
        let is_taken = if of_threads { write.is_me() } else { write.constant().is_some() };
        let is_free = step.known.is_zero(element) || had(Fact::Free(element.clone()));
        let nobody_reads = lock.readers.is_none_or(|readers| {
            step.known.is_empty(&Element { var: VarRef::Shared(readers), keys: element.keys.clone() })
        });
        is_taken && is_free && nobody_reads
    }

    fn name(&self, var: SharedId) -> &str {
        &self.program.shared[var.index()].name
    }

    /// Whether an element is one of the locks; if so, whether its value tells who has it.
    pub(super) fn is_lock(&self, element: &Element) -> Option<bool> {
        let VarRef::Shared(var) = element.var else { return None };
        self.proof.locks.iter().find(|lock| lock.owner == var)?;
        match sort_of(&self.program.shared[var.index()].sort, element.keys.len())? {
            Sort::Array(..) => None,
            sort => Some(*sort == Sort::Tid),
        }
    }

    pub(super) fn is_set_of_readers(&self, element: &Element) -> bool {
        let VarRef::Shared(var) = element.var else { return false };
        let is_named = self.proof.locks.iter().any(|lock| lock.readers == Some(var));
        is_named && matches!(sort_of(&self.program.shared[var.index()].sort, element.keys.len()), Some(Sort::Set(_)))
    }
}

/// A thread adds itself where nobody writes, and takes nobody out but itself.
fn joins_or_leaves(step: &Step<'_>, before: &[Fact], lock: &Lock, write: &Write<'_>) -> bool {
    let Some(element) = &write.element else { return false };
    let owner = Element { var: VarRef::Shared(lock.owner), keys: element.keys.clone() };
    let nobody_writes = || step.known.is_zero(&owner) || before.binary_search(&Fact::Free(owner.clone())).is_ok();
    takes_me_out(write, element) || adds_me(write, element) && nobody_writes()
}

/// Anybody may be started; a thread that runs ends itself.
fn starts_or_ends(before: &[Fact], write: &Write<'_>) -> bool {
    let is_own = write.index.is_some_and(|index| matches!(index.kind, ExprKind::SelfThread));
    match write.constant() {
        Some(RUNS) => write.index.is_some(),
        Some(ENDED) => is_own && before.binary_search(&Fact::Runs).is_ok(),
        _ => false,
    }
}
