//! Runs a trace step by step on the program and confirms the error at its end.
//!
//! The trace is compared with what the semantics in `ir` says, and with nothing else: no engine
//! code takes part. A [`ReplayedTrace`] is evidence that this went well; only [`replay`] makes it.

mod error;
mod run;

pub use error::ReplayError;
pub use run::{ReplayedTrace, replay};
