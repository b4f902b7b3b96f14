//! An SMT solver as a process, behind one small interface.
//!
//! The solver speaks SMT-LIB 2. It can hang, die or run out of memory; none of
//! these harms more than the query that was asked: a [`Session`] kills it from outside, returns a
//! [`SolverError`], and has a new one by the next query, with the same assertions.
//!
//! ```text
//! let command = find(None)?;                                   // --solver, THREADWISE_SOLVER, z3, target/solver
//! let mut session = Session::start(&command, Settings::default(), &budget)?;
//! let x = session.declare("x", &SmtSort::Int);
//! session.assert(&Term::int(3).lt(&x));
//! session.check()?;                                            // Answer::Sat
//! ```
//!
//! [`run_script`] runs a whole script in a process of its own.
//!
//! This crate knows terms, and no programs.

mod command;
mod error;
mod process;
mod session;

pub use command::{HOW_TO_GET, SolverCommand, ask_for, data_directory, find};
pub use error::SolverError;
pub use session::{Answer, Effort, Session, Settings, run_script};
