//! A bound on how much a program may grow when its loops are unrolled.

use super::Lowerer;
use threadwise_source::{Diagnostic, Span};

/// What lowering a whole program may cost; more than a million statements.
const TOTAL: u64 = 16_000_000;

/// A loop whose copies cost this much if they are all like the first one is given up at once. The
/// copies need not be alike, so this is much more than [`TOTAL`].
const HOPELESS: u128 = 100 * TOTAL as u128;

/// The cost of a node of an expression.
pub(super) const NODE: u64 = 2;
/// The cost of a control point.
pub(super) const POINT: u64 = 3;
/// The cost of an edge.
pub(super) const EDGE: u64 = 4;
/// How many dead locals may be listed for the price of one unit.
pub(super) const DEAD_LOCALS_PER_UNIT: u64 = 4;

/// What has been spent so far.
#[derive(Default)]
pub(super) struct Budget {
    spent: u64,
    /// The outermost loop that is being unrolled.
    pub(super) unrolling: Option<Span>,
}

impl Budget {
    /// Whether there is nothing left.
    pub(super) fn is_exhausted(&self) -> bool {
        self.spent > TOTAL
    }

    /// What has been spent so far.
    pub(super) fn spent(&self) -> u64 {
        self.spent
    }
}

impl Lowerer<'_> {
    /// Gives up a loop early where its first copy shows that all of them would be far too much.
    pub(super) fn judge_by_first_copy(&mut self, cost: u64, copies: u128, span: Span) {
        if u128::from(cost).saturating_mul(copies) > HOPELESS {
            self.spend(TOTAL, span);
        }
    }

    /// Spends something; says so where that was too much, and returns false from then on.
    pub(super) fn spend(&mut self, units: u64, span: Span) -> bool {
        if self.budget.is_exhausted() {
            return false;
        }
        self.budget.spent += units;
        if self.budget.is_exhausted() {
            let error = Diagnostic::error(self.budget.unrolling.unwrap_or(span), "the program is too large");
            self.report(match self.budget.unrolling {
                Some(_) => error
                    .label("unrolling this loop gives millions of statements")
                    .hint("shorten its range, or use `while`"),
                None => error.label("the limit is reached here"),
            });
        }
        !self.budget.is_exhausted()
    }
}
