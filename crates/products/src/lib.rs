//! Sets of tuples as unions of products (CART, section 2.2).
//!
//! A tuple has one element for each thread. Threads come in groups; the threads of a group are
//! interchangeable, and every set of tuples here is closed under permuting them. So a product is
//! written as one *bag* of component sets for each group, and stands for all its permutations: the
//! `B(U, V)` of CART, section 3.6, is the one bag of `n - 1` times `U` and once `V`. A program whose
//! threads all differ has a group for each thread, and its products are products as usual.
//!
//! * [`Sets`]: component sets as numbers, equal sets with equal numbers.
//! * [`Algebra`]: products as shared trees over the groups. Products that differ in one of a thousand
//!   threads have all but ten nodes in common, and questions about two products only look at where
//!   they differ.
//! * [`Union`]: unions of products, with bounds that lead quickly to the products that matter.
//! * [`Algebra::is_included`], [`Algebra::difference`], [`Algebra::project_difference`]: inclusion in a
//!   union, and what is left of a product when a union is taken away.
//!
//! This crate knows no programs.

mod bags;
mod cache;
mod maximize;
mod remainder;
mod sets;
mod tree;
mod union;

pub use bags::BagId;
pub use remainder::Pace;
pub use sets::{SetId, Sets};
pub use tree::{Algebra, ProductId};
pub use union::Union;
