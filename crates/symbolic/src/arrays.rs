//! Programs as formulas with arrays, for a number of threads that may be unknown.
//!
//! [`Population`] says which threads there are; a [`View`] gives the terms that an expression's names
//! stand for, and translates it; [`transition`] translates an edge, [`ways`] a whole step.

mod edge;
mod initial;
mod model;
mod operators;
mod population;
mod predicate;
mod shape;
mod step;
mod translate;

pub use edge::{Hazard, Transition, Wrong, call, first_locals, return_value, store_result, transition};
pub use initial::{InitialStore, initial_store};
pub use model::read_values;
pub use population::Population;
pub use predicate::Predicate;
pub use shape::Value;
pub use step::{End, Named, ThreadState, Way, named_frames, named_shared, starts, ways};
pub use translate::{Others, Translated, Unsupported, View};
