use crate::Linear;
use threadwise_logic::Var;

/// An unknown relation, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Symbol(pub u32);

/// An unknown relation applied to variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Application {
    /// The relation.
    pub symbol: Symbol,
    /// Its arguments; no variable occurs twice.
    pub args: Vec<Var>,
}

/// `body ∧ constraint → head`. A clause without a head says that the rest cannot be.
///
/// As in the paper there is at most one clause for each symbol at the head, and just one without a head.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HornClause {
    /// The unknown relations before the arrow.
    pub body: Vec<Application>,
    /// The inequalities before the arrow.
    pub constraint: Vec<Linear>,
    /// What is after the arrow.
    pub head: Option<Application>,
}
