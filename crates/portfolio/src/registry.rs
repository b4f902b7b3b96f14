use crate::conformance::Conformance;
use crate::engine::{
    Cartesian, Contracts, Coverability, Engine, Explicit, Hunt, Intervals, Locks, Lockstep, Modular, Predicates,
    Relations,
};
use crate::name::EngineName;

impl EngineName {
    /// The engine of this name. A new engine is one more line here.
    pub fn engine(self) -> &'static dyn Engine {
        match self {
            EngineName::Explicit => &Explicit,
            EngineName::Contracts => &Contracts,
            EngineName::Conformance => &Conformance,
            EngineName::Modular => &Modular,
            EngineName::Cartesian => &Cartesian,
            EngineName::Predicates => &Predicates,
            EngineName::Locks => &Locks,
            EngineName::Intervals => &Intervals,
            EngineName::Coverability => &Coverability,
            EngineName::Lockstep => &Lockstep,
            EngineName::Relations => &Relations,
            EngineName::Hunt => &Hunt,
        }
    }
}

/// All engines, in the order in which they are listed.
pub fn engines() -> impl Iterator<Item = &'static dyn Engine> {
    EngineName::ALL.into_iter().map(EngineName::engine)
}
