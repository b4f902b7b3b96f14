//! A program with a fixed number of threads as formulas over scalar variables, for engines that look into formulas.
//!
//! A [`Space`] has arrays taken apart, so that everything is linear arithmetic over integers and booleans: the scalar
//! variables, the control points, for each point the steps that start there, each as a guard and an update, and what must
//! not be reached. A control point is a stack of calls and a location. What steps do is said by `symbolic`; no
//! judge knows what is here.

mod errors;
mod explore;
mod names;
mod smt;
mod space;
mod step;
mod variables;
mod waiting;

pub use errors::{ErrorCase, ErrorKind};
pub use smt::FormulaReader;
pub use space::{Owner, PointId, Shown, Space, ThreadSpace, VarInfo, VarSort};
pub use step::{Start, Step, StepFailure};
