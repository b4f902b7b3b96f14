//! Random programs, correct in their types by construction.

mod build;
mod dice;
mod expressions;
mod machine;
mod odd;
mod program;
mod properties;
mod reduce;
mod rich;
mod starts;
mod statements;
mod strategy;
mod uses;

pub use program::{GeneratorOptions, random_case, random_module};
pub use reduce::{reduce_while, reductions};
pub use strategy::{ProgramStrategy, ProgramTree, program_strategy};
