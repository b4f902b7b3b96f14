//! Tests of the lexer, the parser and the printer, through their public face.

mod common;
mod errors_in_blocks;
mod errors_in_declarations;
mod errors_in_expressions;
mod errors_in_lexis;
mod errors_in_statements;
mod examples;
mod language;
mod limits;
mod precedence;
mod random_input;
mod random_trees;
mod spans;
mod starts;
