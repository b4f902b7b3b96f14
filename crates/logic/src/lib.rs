//! Formulas of linear integer arithmetic and booleans over numbered variables.
//!
//! * [`Term`] and [`Formula`]: the trees, made by constructors that simplify as they go.
//! * [`Formula::substitute`], [`Formula::variables`], [`Formula::holds`]: what one does with them.
//! * [`smt_formula`], [`read_formula`] and [`Sexp`]: SMT-LIB 2 text, out and in.
//! * [`show_formula`]: text for people.
//!
//! Nothing here knows programs or solvers.

mod eval;
mod formula;
mod sexp;
mod show;
mod smt;
mod substitute;
mod term;

pub use eval::Valuation;
pub use formula::Formula;
pub use sexp::{Sexp, SexpError, parse_sexps};
pub use show::{Naming, show_formula, show_term};
pub use smt::{Names, Scope, read_formula, smt_formula, smt_term};
pub use substitute::Value;
pub use term::Term;

/// A variable, by its number. Whether it is an integer or a boolean is known to whoever numbers it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Var(pub u32);

impl Var {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
