use threadwise_engine_cartesian as cartesian;
use threadwise_engine_contracts as contracts;
use threadwise_engine_explicit as explicit;
use threadwise_engine_hunt as hunt;
use threadwise_engine_modular as modular;
use threadwise_engine_predicates as predicates;

pub use cartesian::Refine as RefineKind;
pub use cartesian::{Exceptions as ExceptionsKind, Extract as ExtractKind, Options as CartesianOptions};
pub use contracts::Options as ContractsOptions;
pub use explicit::Options as ExplicitOptions;
pub use hunt::Options as HuntOptions;
pub use modular::{Options as ModularOptions, Search as SearchKind};
pub use predicates::{Bias, Horn, Options as PredicatesOptions};

/// How the engines work, each by its own options.
#[derive(Clone, Copy, Debug, Default)]
pub struct EngineOptions {
    pub explicit: ExplicitOptions,
    pub modular: ModularOptions,
    pub cartesian: CartesianOptions,
    pub contracts: ContractsOptions,
    pub predicates: PredicatesOptions,
    pub hunt: HuntOptions,
}

impl EngineOptions {
    /// The same, with or without the symmetry of interchangeable copies in all engines that use it.
    pub fn with_symmetry(mut self, symmetry: bool) -> EngineOptions {
        self.explicit.symmetry = symmetry;
        self.cartesian.symmetry = symmetry;
        self
    }

    /// The same, with or without the folding of steps that no other thread can observe.
    pub fn with_folding(mut self, fold: bool) -> EngineOptions {
        self.explicit.fold = fold;
        self
    }

    /// The same, with or without the reduction that leaves out orders of steps.
    pub fn with_reduction(mut self, reduction: bool) -> EngineOptions {
        self.explicit.reduction = reduction;
        self
    }
}
