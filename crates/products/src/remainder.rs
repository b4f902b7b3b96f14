//! What is left of a product when a union of products is taken away.
//!
//! The product is split until each piece is within one of the products of the union, or meets none of
//! them. Whether nothing is left is a coNP-complete question (CART, proposition 2.2.5), so splitting
//! can take long; where the union is small, its maximal products are found once instead, and then a
//! look at each of them is enough (CART, section 2.2.3).

use crate::tree::{Algebra, ProductId};
use crate::union::Union;
use threadwise_limits::{Budget, Limit};

/// Asks the budget now and then.
pub struct Pace<'a> {
    budget: &'a Budget,
    steps: u32,
}

impl<'a> Pace<'a> {
    /// At the pace of this budget.
    pub fn new(budget: &'a Budget) -> Pace<'a> {
        Pace { budget, steps: 0 }
    }

    pub fn budget(&self) -> &'a Budget {
        self.budget
    }

    /// One more step.
    pub fn step(&mut self) -> Result<(), Limit> {
        self.steps = self.steps.wrapping_add(1);
        if self.steps.is_multiple_of(1024) { self.budget.check() } else { Ok(()) }
    }
}

/// What is done with the pieces that are left.
enum Goal {
    /// Nothing: it is enough to know that there is one.
    Any(bool),
    Collect(Vec<ProductId>),
    /// The smallest product with one set a group that contains them all.
    Project(Option<ProductId>),
}

impl Goal {
    /// Whether nothing in the product can change the answer.
    fn is_settled(&self, algebra: &mut Algebra, product: ProductId) -> bool {
        match self {
            Goal::Any(found) => *found,
            Goal::Collect(_) => false,
            Goal::Project(hull) => hull.is_some_and(|hull| algebra.is_subset(product, hull)),
        }
    }

    fn add(&mut self, algebra: &mut Algebra, piece: ProductId) {
        match self {
            Goal::Any(found) => *found = true,
            Goal::Collect(pieces) => pieces.push(piece),
            Goal::Project(hull) => *hull = Some(algebra.join(hull.unwrap_or(piece), piece)),
        }
    }
}

impl Algebra {
    /// Whether all tuples of the product are in the union.
    pub fn is_included(&mut self, product: ProductId, union: &Union, pace: &mut Pace<'_>) -> Result<bool, Limit> {
        let meeting = union.meeting(self, product);
        if meeting.iter().any(|&found| self.is_subset(product, found)) {
            return Ok(true);
        }
        // Several permutations of one product may contain together what none of them does alone.
        let alone = self.group_sizes().iter().all(|&size| size == 1);
        if meeting.is_empty() || meeting.len() == 1 && alone {
            return Ok(false);
        }
        if let Some(maximal) = self.maximized(union) {
            let maximal = maximal.to_vec();
            return Ok(maximal.into_iter().any(|found| self.is_subset(product, found)));
        }
        let mut goal = Goal::Any(false);
        self.take_away(product, &meeting, &mut goal, pace)?;
        Ok(matches!(goal, Goal::Any(false)))
    }

    /// The tuples of the product that are not in the union.
    pub fn difference(
        &mut self,
        product: ProductId,
        union: &Union,
        pace: &mut Pace<'_>,
    ) -> Result<Vec<ProductId>, Limit> {
        let meeting = union.meeting(self, product);
        let mut goal = Goal::Collect(Vec::new());
        self.take_away(product, &meeting, &mut goal, pace)?;
        let Goal::Collect(pieces) = goal else { unreachable!("the goal stays the same") };
        Ok(pieces)
    }

    /// The smallest product, with one set for each group, that contains what is left of a product when
    /// a union is taken away: `alpha(gamma(Z) \ F)` of CART, proposition 2.2.2.
    pub fn project_difference(
        &mut self,
        product: ProductId,
        union: &Union,
        pace: &mut Pace<'_>,
    ) -> Result<Option<ProductId>, Limit> {
        if union.has_member(product) {
            return Ok(None);
        }
        let meeting = union.meeting(self, product);
        let mut goal = Goal::Project(None);
        self.take_away(product, &meeting, &mut goal, pace)?;
        let Goal::Project(hull) = goal else { unreachable!("the goal stays the same") };
        Ok(hull)
    }

    /// Hands the pieces of the product that are left to the goal. All of `taken` meet the product.
    fn take_away(
        &mut self,
        product: ProductId,
        taken: &[ProductId],
        goal: &mut Goal,
        pace: &mut Pace<'_>,
    ) -> Result<(), Limit> {
        pace.step()?;
        if goal.is_settled(self, product) {
            return Ok(());
        }
        // Best is to split by a product that fails in one group only: what is inside is then gone.
        let mut best: Option<(usize, ProductId, usize)> = None;
        for &other in taken {
            let failing = self.failing_groups(product, other, 2);
            let Some(&group) = failing.first() else { return Ok(()) };
            if best.is_none_or(|(fewest, ..)| failing.len() < fewest) {
                best = Some((failing.len(), other, group));
            }
        }
        let Some((_, other, group)) = best else {
            goal.add(self, product);
            return Ok(());
        };
        let (mine, theirs) = (self.entries(product, group).to_vec(), self.entries(other, group).to_vec());
        let pairs = mine.iter().flat_map(|x| theirs.iter().map(move |y| (x.0, y.0)));
        // If every set were within those that it meets, the product would be within the other there.
        let (set, by) = pairs
            .into_iter()
            .find(|&(x, y)| self.sets.meet(x, y) && !self.sets.is_subset(x, y))
            .expect("some set is split");
        let (outside, inside) = (self.sets.difference(set, by), self.sets.intersection(set, by));
        for part in [outside, inside] {
            let piece = self.replace(product, group, set, part);
            let still: Vec<ProductId> = taken.iter().copied().filter(|&other| self.meet(piece, other)).collect();
            self.take_away(piece, &still, goal, pace)?;
        }
        Ok(())
    }
}
