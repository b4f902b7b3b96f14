//! Terms: booleans, integers, bit-vectors, arrays and quantifiers, as SMT-LIB has them.
//!
//! * [`Term`] and [`Kind`]: a term is made once and shared from then on, so that two terms are equal if
//!   they are the same. Constructors simplify as they go, and every term knows its [`SmtSort`].
//! * [`Term::substitute`], [`Term::variables`], [`Term::holds`]: what one does with them.
//! * [`write_term`] and [`read_term`]: SMT-LIB 2 text, out and in; [`Sexp`] is what it is made of.
//!
//! Nothing here knows programs or solvers.

mod array;
mod bits;
mod boolean;
mod eval;
mod integer;
mod node;
mod read;
mod rewrite;
mod sexp;
mod sort;
mod walk;
mod write;

pub use bits::{Bits, BitsOp, MAX_WIDTH};
pub use eval::{Constant, Valuation};
pub use node::{Connective, Kind, Quantifier, Term};
pub use read::{Scope, read_formula, read_sexp, read_term};
pub use sexp::{Sexp, SexpError, parse_sexp, parse_sexps};
pub use sort::SmtSort;
pub use write::{Names, Numbered, symbol, write_term};

/// A variable, by its number; whoever numbers it knows what it is called.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Var(pub u32);

impl Var {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
