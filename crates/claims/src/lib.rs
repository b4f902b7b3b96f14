//! What engines say: claims, with the proof or the trace that a judge will look at, or why there is none and what to do
//! about it. Judges know nothing of this: what they trust is in `evidence`.

mod advice;
mod claim;
mod execution;
mod points;
mod words;

pub use advice::Advice;
pub use claim::{Attempt, Claim, Exhausted, Stats, Unknown, Unreached};
pub use execution::{step_between, step_toward, violation_in, violation_toward};
pub use points::points_behind;
