//! The front end of the Threadwise language: `.tw` text → syntax tree → program.

pub mod ast;
pub mod lexer;
mod lower;
pub mod parser;
pub mod printer;

pub use lower::{Lowered, Options, load, lower};
pub use parser::{Parsed, parse};
