//! The SMT solver behind one small interface, and the translation of `ir` to its language.
//!
//! The solver is a process that speaks SMT-LIB 2. It can hang, die or run out of memory; none of
//! these harms more than the query that was asked: a [`Session`] kills it from outside, returns a
//! [`SolverError`], and has a new one by the next query, with the same assertions.
//!
//! ```text
//! let command = find(None)?;                                   // --solver, THREADWISE_SOLVER, z3, target/solver
//! let mut session = Session::start(&command, Settings::default(), &budget)?;
//! session.declare("x", &SmtSort::Int)?;
//! session.assert(&x.gt(&Term::int(3)))?;
//! session.check()?;                                            // Answer::Sat
//! ```
//!
//! [`run_script`] runs a whole script in a process of its own. [`Population`] says which threads
//! there are, in numbers that may be unknown; a [`View`] gives the terms that an expression's names
//! stand for, and translates it; [`transition`] translates an edge, [`ways`] a whole step.
//!
//! This crate knows no engine, and nothing of how threads run together.

mod command;
mod edge;
mod error;
mod initial;
mod model;
mod operators;
mod population;
mod predicate;
mod process;
mod session;
mod sexp;
mod shape;
mod step;
mod term;
mod translate;

pub use command::{HOW_TO_GET, SolverCommand, ask_for, find};
pub use edge::{Choice, Hazard, Transition, Wrong, call, first_locals, return_value, store_result, transition};
pub use error::SolverError;
pub use initial::{InitialStore, initial_store};
pub use model::read_values;
pub use population::Population;
pub use predicate::{Predicate, apply};
pub use session::{Answer, Effort, Session, Settings, run_script};
pub use sexp::Sexp;
pub use shape::Value;
pub use step::{End, Named, Point, ThreadState, Way, named_frames, named_shared, starts, ways};
pub use term::{SmtSort, Term};
pub use translate::{Others, Translated, Unsupported, View};
