//! What is different in a proof after the program was edited.

use crate::StatesByStore;

/// What the states of threads can be, after some of them were edited, where a proof of before is at hand.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ModularChange {
    /// For each thread: all its states, if it was edited, and otherwise those that it did not have before.
    pub threads: Vec<StatesByStore>,
}
