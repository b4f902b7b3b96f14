//! Where a random program comes from.

use super::programs::{parsed, random_program};
use std::fmt;
use threadwise_front_tw::ast::Module;
use threadwise_oracle::Explored;

/// How many texts the second generator makes from one number: a program and near variants of it.
const TEXTS_PER_NUMBER: u64 = 9;

/// The number of a random program, and who makes it. What one generator never makes, the other may.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The generator in `oracle`, and those that build on it.
    Oracle(u64),
    /// The generator in `wild`, which was written from the language reference alone.
    Wild(u64),
}

impl Origin {
    /// Both programs with this number.
    pub fn both(number: u64) -> [Origin; 2] {
        [Origin::Oracle(number), Origin::Wild(number)]
    }

    pub fn number(self) -> u64 {
        match self {
            Origin::Oracle(number) | Origin::Wild(number) => number,
        }
    }

    /// Whether the front end must take the program. Variants of the second generator's programs need not make sense.
    pub fn must_load(self) -> bool {
        match self {
            Origin::Oracle(_) => true,
            Origin::Wild(_) => false,
        }
    }

    /// The program's syntax tree.
    pub fn module(self) -> Module {
        self.program().0
    }

    /// The program, and what the interpreter found where the program was made for that.
    pub(super) fn program(self) -> (Module, Option<Explored>) {
        match self {
            Origin::Oracle(number) => random_program(number),
            Origin::Wild(number) => {
                let texts = threadwise_wild::variants(number / TEXTS_PER_NUMBER);
                (parsed(&texts[(number % TEXTS_PER_NUMBER) as usize]), None)
            }
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Oracle(number) => write!(f, "{number}"),
            Origin::Wild(number) => write!(f, "wild-{number}"),
        }
    }
}
