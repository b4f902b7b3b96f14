//! Programs as formulas: the semantics of `ir` once more, symbolically.
//!
//! A [`Space`] lists the scalar variables of a program with a fixed number of threads, its control
//! points, and for each point the steps that start there, each as a guard and an update. An array is
//! the variables of its elements and a set one boolean for each possible member, so that everything is
//! linear arithmetic over integers and booleans. Procedures are inlined: a control point is a stack of
//! calls and a location. An atomic block is one step for each path through it.
//!
//! Integers are those of mathematics: nothing outgrows them.
//!
//! [`arrays`] says the same of programs with any number of threads, whose stores have arrays of the solver's where there
//! are many keys, and gives for every step the ways that it can take.
//!
//! What cannot be expressed is an [`Unsupported`] with a reason: any number of copies, recursion, loops
//! inside atomic blocks, division by what is not a constant.

pub mod arrays;
mod concrete;
mod errors;
mod expr;
mod initial;
mod run;
mod smt;
mod space;
mod step;
mod sym;

pub use errors::{ErrorCase, ErrorKind};
pub use initial::Initially;
pub use smt::FormulaReader;
pub use space::{Owner, PointId, Shown, Space, ThreadSpace, Unsupported, VarInfo, VarSort};
pub use step::{Start, Step, StepFailure};
