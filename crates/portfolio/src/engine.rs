use std::sync::Arc;
use std::time::Duration;
use threadwise_engine_cartesian as cartesian;
use threadwise_engine_contracts as contracts;
use threadwise_engine_explicit as explicit;
use threadwise_engine_modular as modular;
use threadwise_engine_predicates as predicates;
use threadwise_evidence::{Claim, Stats};
use threadwise_ir::Program;
use threadwise_limits::Budget;

/// An engine, as the portfolio sees it.
pub trait Engine: Sync {
    /// The name that users give to `--engine`.
    fn name(&self) -> &'static str;

    /// What it does, in one line.
    fn summary(&self) -> &'static str;

    /// Whether the engine can treat the program, or why it cannot.
    fn applicable(&self, program: &Program) -> Result<(), String>;

    /// Whether it asks a solver.
    fn uses_solver(&self) -> bool {
        false
    }

    /// Looks for a proof or an error.
    fn run(&self, program: &Arc<Program>, options: &EngineOptions, budget: &Budget) -> (Claim, Stats);
}

/// What engines are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EngineOptions {
    /// Keep what a proof needs.
    pub proof: bool,
    /// Use the symmetry of interchangeable copies where that is sound.
    pub symmetry: bool,
    /// Fold steps that no other thread can observe, where no proof is wanted.
    pub fold: bool,
    /// Engines that fix the number of copies of `[*]` threads try up to this many.
    pub max_any_copies: u32,
    /// How engine `modular` searches.
    pub search: SearchKind,
    /// From which iterate on engine `cartesian` uses extracted exceptions.
    pub refine: RefineKind,
    /// How engine `cartesian` extracts exceptions.
    pub extract: ExtractKind,
    /// Where engine `cartesian` takes exceptions from.
    pub exceptions: ExceptionsKind,
    /// Engine `contracts` goes round loops at most so many times, and looks for errors only.
    pub unroll: Option<u32>,
    /// How engine `predicates` searches.
    pub predicates: PredicatesOptions,
    /// Other engines look for errors at the same time.
    pub in_company: bool,
}

pub use cartesian::{Exceptions as ExceptionsKind, Extract as ExtractKind, Refine as RefineKind};
pub use modular::Search as SearchKind;
pub use predicates::{Bias, Horn, Options as PredicatesOptions};

impl EngineOptions {
    pub(crate) fn explicit(&self) -> explicit::Options {
        explicit::Options {
            symmetry: self.symmetry,
            fold: self.fold,
            proof: self.proof,
            max_any_copies: self.max_any_copies,
        }
    }
}

/// Engine `explicit`: all interleavings.
pub(crate) struct Explicit;

impl Engine for Explicit {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn summary(&self) -> &'static str {
        "searches all interleavings"
    }

    fn applicable(&self, _: &Program) -> Result<(), String> {
        // It searches every program, and says UNKNOWN where the search cannot be complete.
        Ok(())
    }

    fn run(&self, program: &Arc<Program>, options: &EngineOptions, budget: &Budget) -> (Claim, Stats) {
        explicit::explore(program, &options.explicit(), budget)
    }
}

/// Engine `modular`: one thread at a time against what the others do.
pub(crate) struct Modular;

/// How long the first turn of the search of interleavings takes at most.
const FIRST_SEARCH: Duration = Duration::from_secs(4);

/// The analysis gets this many times as long: it has to start anew if it is cut short, and where it
/// takes long there are usually far more interleavings than could be searched.
const ANALYSIS_PER_SEARCH: u32 = 4;

impl Engine for Modular {
    fn name(&self) -> &'static str {
        "modular"
    }

    fn summary(&self) -> &'static str {
        "infers what each thread guarantees to the others, one thread at a time"
    }

    fn applicable(&self, program: &Program) -> Result<(), String> {
        modular::applicable(program)
    }

    /// An error that the abstraction admits may be real: a short search of interleavings finds out.
    /// The two take turns, with more time each round, because either may go on for ever.
    fn run(&self, program: &Arc<Program>, options: &EngineOptions, budget: &Budget) -> (Claim, Stats) {
        let how = modular::Options { search: options.search };
        if options.in_company {
            return modular::analyse(program, &how, budget);
        }
        let mut search = FIRST_SEARCH;
        loop {
            let start = budget.working_time();
            // Where time is limited, some of it is left for the search.
            let most = budget.time_left().map_or(Duration::MAX, |left| left * 4 / 5);
            let turn = most.min(search * ANALYSIS_PER_SEARCH);
            let (claim, stats) = modular::analyse(program, &how, &budget.slice(turn));
            let Claim::Unknown(_) = claim else { return (claim, stats) };
            let was_cut_short = budget.working_time() - start >= turn;
            let (searched, _) = explicit::explore(program, &options.explicit(), &budget.slice(search));
            match searched {
                Claim::Refuted(_) => return (searched, stats),
                _ if was_cut_short && budget.check().is_ok() => search *= 4,
                _ => return (claim, stats),
            }
        }
    }
}

/// Engine `cartesian`: Cartesian abstraction with exceptions.
pub(crate) struct Cartesian;

impl Engine for Cartesian {
    fn name(&self) -> &'static str {
        "cartesian"
    }

    fn summary(&self) -> &'static str {
        "one thread at a time, with exceptions learnt from errors that are none of the program's"
    }

    fn applicable(&self, program: &Program) -> Result<(), String> {
        cartesian::applicable(program)
    }

    fn run(&self, program: &Arc<Program>, options: &EngineOptions, budget: &Budget) -> (Claim, Stats) {
        // For programs with locks the exceptions are known, and nothing has to be learnt.
        let exceptions = match options.exceptions {
            ExceptionsKind::Declared
                if options.in_company
                    && program.exceptions.is_empty()
                    && cartesian::has_locks_only(program).is_ok() =>
            {
                ExceptionsKind::Locks
            }
            asked => asked,
        };
        let how = cartesian::Options {
            refine: options.refine,
            extract: options.extract,
            exceptions,
            symmetry: options.symmetry,
        };
        cartesian::analyse(program, &how, budget)
    }
}

/// Engine `contracts`: the user's relies and invariants, checked with a solver.
pub(crate) struct Contracts;

/// How long interleavings are searched for an error that a failed condition may stand for.
const CONFIRMATION: Duration = Duration::from_secs(3);

impl Engine for Contracts {
    fn name(&self) -> &'static str {
        "contracts"
    }

    fn summary(&self) -> &'static str {
        "checks relies, guarantees and invariants, one thread at a time, with an SMT solver"
    }

    fn applicable(&self, program: &Program) -> Result<(), String> {
        contracts::applicable(program)
    }

    fn uses_solver(&self) -> bool {
        true
    }

    /// A condition that fails may stand for a real error: a short search of interleavings finds out.
    fn run(&self, program: &Arc<Program>, options: &EngineOptions, budget: &Budget) -> (Claim, Stats) {
        let (claim, stats) = contracts::analyse(program, &contracts::Options { unroll: options.unroll }, budget);
        if let Claim::Unknown(_) = claim
            && !options.in_company
            && let (Claim::Refuted(trace), _) =
                explicit::explore(program, &options.explicit(), &budget.slice(CONFIRMATION))
        {
            return (Claim::Refuted(trace), stats);
        }
        (claim, stats)
    }
}

/// Engine `predicates`: environment transitions by predicate abstraction and Horn clauses.
pub(crate) struct Predicates;

impl Engine for Predicates {
    fn name(&self) -> &'static str {
        "predicates"
    }

    fn summary(&self) -> &'static str {
        "abstracts each thread and its environment by predicates, refined by solving Horn clauses"
    }

    fn applicable(&self, program: &Program) -> Result<(), String> {
        predicates::applicable(&Arc::new(program.clone()))
    }

    fn uses_solver(&self) -> bool {
        true
    }

    fn run(&self, program: &Arc<Program>, options: &EngineOptions, budget: &Budget) -> (Claim, Stats) {
        predicates::analyse(program, &options.predicates, budget)
    }
}
