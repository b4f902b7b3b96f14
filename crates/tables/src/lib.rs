//! Finite state spaces as small numbers: what the finite engines have in common.
//!
//! Stores are numbered as they appear, and a thread's steps become tables over the numbers. This
//! crate knows no engine.

mod batch;
mod intern;
mod packing;
mod properties;
mod shard;
mod state_set;
mod steps;
mod taken;
mod visited;

pub use batch::Batch;
pub use intern::Interner;
pub use packing::Unpacked;
pub use properties::{InternedLocals, Judgement, PropertyMemo};
pub use state_set::{NOT_MUCH, SHARDS, StateSet};
pub use steps::{Entry, StepTables};
pub use taken::Taken;
pub use visited::{NO_PARENT, Visited};
