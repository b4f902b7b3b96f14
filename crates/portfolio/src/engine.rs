use crate::verify::Request;
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
    fn run(&self, program: &Arc<Program>, request: &Request, budget: &Budget) -> (Claim, Stats);
}

pub use cartesian::{Exceptions as ExceptionsKind, Extract as ExtractKind, Refine as RefineKind};
pub use modular::Search as SearchKind;
pub use predicates::{Bias, Horn, Options as PredicatesOptions};

impl Request {
    pub(crate) fn explicit(&self) -> explicit::Options {
        explicit::Options {
            symmetry: self.symmetry,
            fold: self.fold,
            proof: self.want_proof,
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

    fn run(&self, program: &Arc<Program>, request: &Request, budget: &Budget) -> (Claim, Stats) {
        explicit::explore(program, &request.explicit(), budget)
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
    fn run(&self, program: &Arc<Program>, request: &Request, budget: &Budget) -> (Claim, Stats) {
        let how = modular::Options { search: request.search };
        if request.in_company {
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
            let (searched, _) = explicit::explore(program, &request.explicit(), &budget.slice(search));
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

    fn run(&self, program: &Arc<Program>, request: &Request, budget: &Budget) -> (Claim, Stats) {
        // For programs with locks the exceptions are known, and nothing has to be learnt.
        let exceptions = match request.exceptions {
            ExceptionsKind::Declared
                if request.in_company
                    && program.exceptions.is_empty()
                    && cartesian::has_locks_only(program).is_ok() =>
            {
                ExceptionsKind::Locks
            }
            asked => asked,
        };
        let how = cartesian::Options {
            refine: request.refine,
            extract: request.extract,
            exceptions,
            symmetry: request.symmetry,
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
    fn run(&self, program: &Arc<Program>, request: &Request, budget: &Budget) -> (Claim, Stats) {
        let (claim, stats) = contracts::analyse(program, &contracts::Options { unroll: request.unroll }, budget);
        if let Claim::Unknown(_) = claim
            && !request.in_company
            && let (Claim::Refuted(trace), _) =
                explicit::explore(program, &request.explicit(), &budget.slice(CONFIRMATION))
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

    fn run(&self, program: &Arc<Program>, request: &Request, budget: &Budget) -> (Claim, Stats) {
        predicates::analyse(program, &request.predicates, budget)
    }
}
