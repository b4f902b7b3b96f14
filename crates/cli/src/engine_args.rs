//! The flags that belong to engines. They are the engines' own options: what can be chosen, by which name and to what
//! end, is said there.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use threadwise_portfolio::{
    Bias, CartesianOptions, ContractsOptions, EngineChoice, EngineOptions, ExceptionsKind, ExplicitOptions,
    ExtractKind, Horn, ModularOptions, PredicatesOptions, RefineKind, SearchKind,
};

/// How the engines work that `check` can be asked to use.
#[derive(Args, Debug)]
pub struct EngineArgs {
    #[command(flatten)]
    pub modular: ModularArgs,
    #[command(flatten)]
    pub cartesian: CartesianArgs,
    #[command(flatten)]
    pub contracts: ContractsArgs,
    #[command(flatten)]
    pub predicates: PredicatesArgs,
}

/// How engine `modular` searches.
#[derive(Args, Debug)]
pub struct ModularArgs {
    /// How engine `modular` searches
    #[arg(long, value_name = "KIND", default_value = "fixpoint", value_parser = choice(&SearchKind::CHOICES))]
    pub search: SearchKind,
}

/// How engine `cartesian` finds exceptions.
#[derive(Args, Debug)]
pub struct CartesianArgs {
    /// From where on engine `cartesian` uses the exceptions that a spurious error gave
    #[arg(long, value_name = "WHEN", default_value = "lazy", value_parser = choice(&RefineKind::CHOICES))]
    pub refine: RefineKind,
    /// How many exceptions engine `cartesian` takes from a spurious error
    #[arg(long, value_name = "HOW", default_value = "eager", value_parser = choice(&ExtractKind::CHOICES))]
    pub extract: ExtractKind,
    /// Where engine `cartesian` takes exceptions from
    #[arg(long, value_name = "FROM", default_value = "declared", value_parser = choice(&ExceptionsKind::CHOICES))]
    pub exceptions: ExceptionsKind,
}

/// What engine `contracts` looks for.
#[derive(Args, Debug)]
pub struct ContractsArgs {
    /// Let engine `contracts` go round loops at most N times and look for errors only
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=1000))]
    pub unroll: Option<u32>,
}

/// How engine `predicates` searches.
#[derive(Args, Debug)]
pub struct PredicatesArgs {
    /// What kind of proof engine `predicates` looks for first
    #[arg(long, value_name = "KIND", default_value = "modular", value_parser = choice(&Bias::CHOICES))]
    pub bias: Bias,
    /// What solves the Horn clauses of engine `predicates`
    #[arg(long, value_name = "SOLVER", default_value = "both", value_parser = choice(&Horn::CHOICES))]
    pub horn: Horn,
}

/// How to search.
#[derive(Args, Debug)]
pub struct SearchArgs {
    /// Treat interchangeable copies of a thread as different; slower, for comparison
    #[arg(long)]
    pub no_symmetry: bool,
    /// Search also the points between steps that no other thread can observe; slower, for comparison
    #[arg(long)]
    pub no_fold: bool,
    /// Leave out orders of steps that do not matter where there are many states, which is the default
    #[arg(long, overrides_with = "no_reduction")]
    pub reduction: bool,
    /// Search all orders of steps, however many states there are; slower, for comparison
    #[arg(long, overrides_with = "reduction")]
    pub no_reduction: bool,
    /// How many copies of a thread `W[*]` the explicit engine tries
    #[arg(long, value_name = "K", default_value_t = 3, value_parser = clap::value_parser!(u32).range(..=1000))]
    pub any_copies: u32,
    /// How many threads the explicit engine searches with, 0 for all cores; the answer is the same for any number
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=1024))]
    pub workers: u32,
}

impl EngineArgs {
    /// The options of all engines.
    pub fn options(&self, search: &SearchArgs) -> EngineOptions {
        let CartesianArgs { refine, extract, exceptions } = self.cartesian;
        let PredicatesArgs { bias, horn } = self.predicates;
        let explicit = ExplicitOptions {
            fold: !search.no_fold,
            reduction: !search.no_reduction,
            max_any_copies: search.any_copies,
            workers: search.workers as usize,
            ..ExplicitOptions::default()
        };
        let options = EngineOptions {
            explicit,
            modular: ModularOptions { search: self.modular.search },
            cartesian: CartesianOptions { refine, extract, exceptions, ..CartesianOptions::default() },
            contracts: ContractsOptions { unroll: self.contracts.unroll },
            predicates: PredicatesOptions { bias, horn },
            ..EngineOptions::default()
        };
        options.with_symmetry(!search.no_symmetry)
    }
}

/// Accepts the names of engines, and lists them in the help and in completions.
pub fn engine_choice() -> impl TypedValueParser<Value = EngineChoice> {
    PossibleValuesParser::new(EngineChoice::names()).map(|name| name.parse().unwrap_or_default())
}

/// Accepts one of the values by its name; help and completions list them.
fn choice<T: Copy + Default + Send + Sync + 'static>(
    all: &'static [(T, &'static str, &'static str)],
) -> impl TypedValueParser<Value = T> {
    let values = all.iter().map(|(_, name, help)| PossibleValue::new(*name).help(*help));
    let value_of = |chosen: String| all.iter().find(|(_, name, _)| *name == chosen).map(|(value, ..)| *value);
    PossibleValuesParser::new(values).map(move |chosen| value_of(chosen).unwrap_or_default())
}
