//! Recursion-free Horn clauses over linear inequalities, and their solution: THREADER, section 7.
//!
//! * [`HornClause`], [`Application`], [`Linear`]: the clauses.
//! * [`mk_tree`] (figure 15): the clauses as a tree.
//! * [`find_proof`]: weights under which the inequalities of the tree add up to `1 <= 0`, by linear
//!   programming over exact rationals.
//! * [`annot_pred`] (figure 16): the weights as a predicate for each node.
//! * [`solve_linear_hc`] (figure 14): all of it.
//!
//! Nothing here knows programs, threads or solvers.

mod clause;
mod linear;
mod lp;
mod solve;
mod tree;

pub use clause::{Application, HornClause, Symbol};
pub use linear::{Linear, NotLinear, linear_atoms};
pub use lp::find_proof;
pub use solve::{Solution, solve_linear_hc};
pub use tree::{Node, Tree, annot_pred, mk_tree};

/// Exact rational numbers.
pub type Rational = num_rational::BigRational;
