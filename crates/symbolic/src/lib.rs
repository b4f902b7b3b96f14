//! Programs as formulas: the semantics of `ir` once more, symbolically.
//!
//! A [`Population`] says which threads there are, and what values are made of: an array is a term for each element, or,
//! where there are many keys or nobody knows how many, an array of the solver's. A [`View`] gives the terms that an
//! expression's names stand for, and translates it. [`take_edge`] translates an edge, [`ways`] a whole step: an atomic
//! block is one step for each path through it. [`initial_store`] says where a program starts.
//!
//! Integers are those of mathematics: nothing outgrows them. Machine integers are such numbers within their bounds, and
//! wrap around.
//!
//! What cannot be expressed is an [`Unsupported`].

mod edge;
mod elements;
mod expression;
mod footprint;
mod hazards;
mod initial;
mod layout;
mod machine;
mod operators;
mod parameters;
mod population;
mod quantifier;
mod state;
mod touch;
mod unsupported;
mod waiting;
mod walk;
mod world;

pub use edge::{Choose, Taken, by_constants, take_edge};
pub use expression::{Others, Translated, View};
pub use footprint::Footprint;
pub use hazards::{Hazard, Hazards};
pub use initial::initial_store;
pub use layout::{Layout, Value};
pub use parameters::{Frame, Parameters, primed_name};
pub use population::Population;
pub use state::{Named, ThreadState, named_frames, named_shared};
pub use touch::Touch;
pub use unsupported::{Unsupported, go_on};
pub use waiting::{has_ended, is_still, may_rest, waits_for};
pub use walk::{End, Way, starts, ways};
pub use world::World;
