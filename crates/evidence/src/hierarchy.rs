//! Proofs that threads do not wait for ever, from the order in which they take locks: data, and whether it fits a program.

use crate::{FileError, Proof};
use threadwise_ir::{LocalId, Program, RoutineId, SharedId, Sort};

/// The locks of a program in an order in which threads take them: whoever waits for one has only ones that come before it.
#[derive(Clone, Debug, Default)]
pub struct HierarchyProof {
    /// The variables that are locks, or arrays of them, sorted: they are only ever taken where they are free, and given back by who
    /// has them. The set of readers of a lock for readers and writers is one by itself.
    pub locks: Vec<SharedId>,
    /// The locals whose values do not matter to which locks a thread takes, sorted.
    pub forgotten: Vec<(RoutineId, LocalId)>,
    /// Those that come first first; who waits for others has none.
    pub order: Vec<OrderedLock>,
    /// Why everything else is well, where that is not seen from the text: a proof for the program that does not forbid
    /// deadlocks.
    pub rest: Option<Box<Proof>>,
}

/// A lock, or one of an array of locks.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct OrderedLock {
    pub var: SharedId,
    /// The words of the keys, outermost first.
    pub keys: Vec<i64>,
}

impl HierarchyProof {
    /// The program without what the order is about.
    pub fn remainder(program: &Program) -> Program {
        let mut remainder = program.clone();
        remainder.properties.retain(|property| !property.pattern().is_some_and(|p| p.is_of_all_threads()));
        remainder.outline = None;
        remainder
    }

    /// Whether the proof fits the program: everything that it names is there. It says nothing about whether that is true.
    pub fn validate(&self, program: &Program) -> Result<(), FileError> {
        let require = |holds: bool, wrong: &str, field: &str| match holds {
            true => Ok(()),
            false => Err(FileError::new(wrong).within(field)),
        };
        let is_there = |id: &SharedId| id.index() < program.shared.len();
        require(self.locks.iter().all(is_there), "there is no such lock", "locks")?;
        require(self.locks.is_sorted_by(|a, b| a < b), "the locks are not sorted", "locks")?;
        let is_local = |&(routine, local): &(RoutineId, LocalId)| {
            let routine = program.routines.get(routine.index());
            routine.is_some_and(|routine| local.index() < routine.locals.len())
        };
        require(self.forgotten.iter().all(is_local), "there is no such local variable", "forgotten")?;
        require(self.forgotten.is_sorted_by(|a, b| a < b), "the variables are not sorted", "forgotten")?;
        let has_keys = |lock: &OrderedLock| {
            let mut sort = &program.shared[lock.var.index()].sort;
            for _ in &lock.keys {
                let Sort::Array(_, element) = sort else { return false };
                sort = element;
            }
            !matches!(sort, Sort::Array(..))
        };
        let fits = self.order.iter().all(|lock| self.locks.binary_search(&lock.var).is_ok() && has_keys(lock));
        require(fits, "there is no such lock", "order")
    }
}
