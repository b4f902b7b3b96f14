//! What the tests of several crates share: small programs, a search for small ones that is slow
//! and obvious, and proofs made from what it finds.
//!
//! It knows no engine and no judge, so that the tests of the judges depend on no engine either.

mod annotation;
mod frontier;
pub mod products;
mod programs;
mod search;
mod sets;

pub use annotation::{annotation, by_store, modular};
pub use frontier::frontier;
pub use programs::{COUNTER, KITCHEN_SINK, LOST_UPDATE, MUTEX, RECURSIVE};
pub use search::{Explored, explore, initial_states, trace};
pub use sets::{reachable_set, representatives, set_of};

use std::sync::Arc;
use threadwise_front_tw::{Options, load};
use threadwise_ir::Program;
use threadwise_source::SourceFile;

/// The program with this text, which must be correct.
pub fn program(text: &str) -> Arc<Program> {
    let lowered = load(SourceFile::new("test.tw", text), &Options::default());
    Arc::new(lowered.program.unwrap_or_else(|| panic!("{:?}", lowered.diagnostics)))
}
