//! Machine integers, which formulas do not express yet.

use threadwise_ir::Sort;

/// What to say of a program that has them.
pub(crate) const UNSUPPORTED: &str = "a machine integer";

/// Whether values of the sort are machine integers, or have some inside.
pub(crate) fn has_machine_integers(sort: &Sort) -> bool {
    match sort {
        Sort::Bits(_) => true,
        Sort::Set(element) => has_machine_integers(element),
        Sort::Array(key, element) => has_machine_integers(key) || has_machine_integers(element),
        Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Enum(_) | Sort::Tid => false,
    }
}
