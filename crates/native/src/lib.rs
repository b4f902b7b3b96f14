//! Compiled programs, run step by step as a trace says: what a verdict about C claims happens on the machine, or it does not.
//!
//! `build` compiles the program so that it tells what it is about to do, before each access of memory and each call of the
//! thread library; `process` runs it and lets one thread go on at a time. `plan` says what the steps of a trace do, from the
//! atlas of the lowered program; `places` knows which object of the trace is where in the process; `drive` leads the threads
//! through the steps and compares what is in memory; `outcome` looks for the error at the end.
//!
//! What is confirmed has happened: an assertion has failed in the process, or two of its threads stand before accesses
//! that race. Nothing of that depends on the front end, nor on how steps are matched with events.

mod build;
mod compare;
mod drive;
mod event;
mod heap;
pub mod jvm;
mod outcome;
mod places;
mod plan;
mod process;
mod words;

pub use build::{Sources, has_compiler};
pub use outcome::{Compiled, Course, Outcome, replay};

use std::fmt;

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// There is no compiler.
    NoCompiler(String),
    /// The compiler does not do it.
    Compiler(String),
    /// The program took too long.
    Time,
    /// The program does something else than the trace says.
    Differs(String),
    /// What the trace says cannot be forced.
    Beyond(String),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::NoCompiler(text) | Trouble::Compiler(text) | Trouble::Differs(text) | Trouble::Beyond(text) => {
                f.write_str(text)
            }
            Trouble::Time => f.write_str("the compiled program took too long"),
        }
    }
}
