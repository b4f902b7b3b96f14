//! The oracle: a slow, obvious interpreter of the language, to compare the real one with.
//!
//! It works on the syntax tree and shares nothing with the lowering and the semantics that the
//! engines use, so that a mistake would have to be made twice to go unnoticed. [`explore`] visits
//! all reachable states of a program one by one; [`program_strategy`] and [`random_module`] make
//! programs to try it on, and [`reductions`] makes a program smaller while it still shows a
//! difference.
//!
//! What a state is: the values of all shared variables, and for each thread the point it rests
//! at and the values of its locals. How a program runs is told by three files: `control` says
//! between which points control moves without a step, `step` what a step does, and `explore` in
//! which order states are visited and what is wrong with them.
//!
//! Absent on purpose: sharing of equal states, symmetry, compiled expressions, spans. Nothing
//! here is fast, and nothing here explains an error to a user.

mod access;
mod action;
mod channels;
mod control;
mod elements;
mod eval;
mod explore;
mod functions;
mod generate;
mod listing;
mod literals;
mod load;
mod machine;
mod sets;
mod starts;
mod state;
mod step;
mod tree;
mod value;
mod waiting;

pub use explore::{explore, explore_copies, explore_separate_copies};
pub use generate::{GeneratorOptions, ProgramStrategy, ProgramTree, program_strategy};
pub use generate::{random_case, random_module, reduce_while, reductions};
pub use listing::{ListedState, ListedSteps, Listing, listing};

use std::collections::BTreeSet;

/// What [`explore`] found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explored {
    /// The number of reachable states; of those visited, if the search is not complete.
    pub states: usize,
    /// Whether there is an error.
    pub verdict: OracleVerdict,
    /// The number of steps from an initial state to a state that is in error or in which a step
    /// fails, the fewest possible.
    pub depth_of_error: Option<usize>,
    /// The number of states that are at most that many steps away from an initial state.
    pub states_to_error_depth: Option<usize>,
    /// Every reachable state has been visited.
    pub complete: bool,
}

/// Whether a program is right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OracleVerdict {
    /// No reachable state is in error, and no step from one fails.
    Safe,
    /// There are errors.
    Unsafe {
        /// The kinds of all errors at the least depth.
        kinds: BTreeSet<ErrorKind>,
    },
    /// The oracle cannot tell, for this reason.
    Unknown(String),
}

/// What can be wrong in a state or with a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ErrorKind {
    /// `assert` fails.
    Assertion,
    /// The `assert` of an `action` fails.
    ActionAssertion,
    /// A lock is released by a thread that does not hold it.
    Release,
    /// A thread is started although none of its copies is left.
    Start,
    /// Something is joined that cannot be started.
    Join,
    /// A value outside its type's range is stored.
    Range,
    /// An index is outside the array.
    Index,
    /// Something is divided by zero.
    Division,
    /// Something is shifted by a negative number.
    Shift,
    /// An `invariant` does not hold.
    Invariant,
    /// What should `never` hold does.
    Never,
    /// Two threads can access a variable at the same time, one of them writing.
    Race,
    /// No thread can take a step, and one of them is stuck.
    Deadlock,
    /// Threads wait for ever for mutexes that threads among them hold, or one that has ended.
    LockCycle,
}
