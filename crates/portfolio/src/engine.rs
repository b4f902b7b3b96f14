use crate::name::EngineName;
use crate::options::ExceptionsKind;
use crate::verify::Request;
use crate::waiting;
use std::sync::Arc;
use std::time::Duration;
use threadwise_claims::{Claim, Stats};
use threadwise_engine_cartesian as cartesian;
use threadwise_engine_contracts as contracts;
use threadwise_engine_coverability as coverability;
use threadwise_engine_explicit as explicit;
use threadwise_engine_hunt as hunt;
use threadwise_engine_intervals as intervals;
use threadwise_engine_locks as locks;
use threadwise_engine_lockstep as lockstep;
use threadwise_engine_modular as modular;
use threadwise_engine_predicates as predicates;
use threadwise_engine_relations as relations;
use threadwise_ir::{Instance, Program};
use threadwise_limits::Budget;

/// An engine, as the portfolio sees it.
pub trait Engine: Sync {
    /// Which one it is.
    fn name(&self) -> EngineName;

    /// What it does, in one line.
    fn summary(&self) -> &'static str;

    /// Whether the engine can treat the program, or why it cannot.
    fn applicable(&self, program: &Program) -> Result<(), String>;

    /// Whether it is worth asking if the engine can treat the program. This takes but a moment for any program.
    fn is_candidate(&self, program: &Program) -> bool {
        self.applicable(program).is_ok()
    }

    /// Whether it asks a solver.
    fn uses_solver(&self) -> bool {
        false
    }

    /// Looks for a proof or an error.
    fn run(&self, program: &Arc<Program>, request: &Request, budget: &Budget) -> (Claim, Stats);
}

impl Request {
    pub(crate) fn explicit(&self) -> explicit::Options {
        let mut options = explicit::Options { proof: self.want_proof, ..self.options.explicit };
        if options.workers == 0 && self.in_company {
            // The others need cores too.
            options.workers = (std::thread::available_parallelism().map_or(1, usize::from) / 2).max(1);
        }
        options
    }

    /// What an engine that only proves says. What it could not exclude may be an error: a short search of interleavings finds out.
    fn or_an_error(&self, said: (Claim, Stats), program: &Arc<Program>, budget: &Budget) -> (Claim, Stats) {
        let (claim, stats) = said;
        if let Claim::Unknown(_) = claim
            && !self.in_company
            && let (Claim::Refuted(trace), _) = explicit::explore(program, &self.short_search(program), budget)
        {
            return (Claim::Refuted(trace), stats);
        }
        (claim, stats)
    }

    /// A search for an error that a failed proof may stand for. It is bounded by states and not by time, so that a slow
    /// machine finds what a fast one does.
    pub(crate) fn short_search(&self, program: &Arc<Program>) -> explicit::Options {
        let threads = Instance::new(program.clone(), 0).threads.len();
        let max_states = if program.is_recursive() { SHORT_SEARCH_OF_STACKS } else { SHORT_SEARCH / threads.max(8) };
        explicit::Options { max_states, ..self.explicit() }
    }
}

/// States of so many threads together take some seconds.
const SHORT_SEARCH: usize = 1 << 23;

/// The same where states may be large: a stack may have as many frames as states were visited.
const SHORT_SEARCH_OF_STACKS: usize = 1 << 12;

/// Engine `explicit`: all interleavings.
pub(crate) struct Explicit;

impl Engine for Explicit {
    fn name(&self) -> EngineName {
        EngineName::Explicit
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

/// How long the first turn of the analysis takes at most, before interleavings are searched.
const FIRST_ANALYSIS: Duration = Duration::from_secs(16);

impl Engine for Modular {
    fn name(&self) -> EngineName {
        EngineName::Modular
    }

    fn summary(&self) -> &'static str {
        "infers what each thread guarantees to the others, one thread at a time"
    }

    fn applicable(&self, program: &Program) -> Result<(), String> {
        modular::applicable(program).or_else(|why| if waiting::has_order(program) { Ok(()) } else { Err(why) })
    }

    /// An error that the abstraction admits may be real: a short search of interleavings finds out. The analysis
    /// may go on for ever, so it comes after a while even if that has not ended.
    fn run(&self, program: &Arc<Program>, request: &Request, budget: &Budget) -> (Claim, Stats) {
        let how = request.options.modular;
        if let Some(proved) = waiting::proved_by_order(program, request, budget, &Modular) {
            return proved;
        }
        if request.in_company {
            return modular::analyse(program, &how, budget);
        }
        // Where time is limited, some of it is left for the search.
        let turn = budget.time_left().map_or(FIRST_ANALYSIS, |left| FIRST_ANALYSIS.min(left * 4 / 5));
        let (claim, stats) = modular::analyse(program, &how, &budget.slice(turn));
        let Claim::Unknown(_) = claim else { return (claim, stats) };
        match explicit::explore(program, &request.short_search(program), budget) {
            (trace @ Claim::Refuted(_), _) => (trace, stats),
            _ => (claim, stats),
        }
    }
}

/// Engine `cartesian`: Cartesian abstraction with exceptions.
pub(crate) struct Cartesian;

impl Engine for Cartesian {
    fn name(&self) -> EngineName {
        EngineName::Cartesian
    }

    fn summary(&self) -> &'static str {
        "one thread at a time, with exceptions learnt from errors that are none of the program's"
    }

    fn applicable(&self, program: &Program) -> Result<(), String> {
        cartesian::applicable(program)
    }

    fn run(&self, program: &Arc<Program>, request: &Request, budget: &Budget) -> (Claim, Stats) {
        if let Some(proved) = waiting::proved_by_order(program, request, budget, &Cartesian) {
            return proved;
        }
        // For programs with locks the exceptions are known, and nothing has to be learnt.
        let exceptions = match request.options.cartesian.exceptions {
            ExceptionsKind::Declared
                if request.in_company
                    && program.exceptions.is_empty()
                    && cartesian::has_locks_only(program).is_ok() =>
            {
                ExceptionsKind::Locks
            }
            asked => asked,
        };
        let how = cartesian::Options { exceptions, ..request.options.cartesian };
        cartesian::analyse(program, &how, budget)
    }
}

/// Engine `contracts`: the user's relies and invariants, checked with a solver.
pub(crate) struct Contracts;

impl Engine for Contracts {
    fn name(&self) -> EngineName {
        EngineName::Contracts
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
        let (claim, stats) = contracts::analyse(program, &request.options.contracts, budget);
        if let Claim::Unknown(_) = claim
            && !request.in_company
            && let (Claim::Refuted(trace), _) = explicit::explore(program, &request.short_search(program), budget)
        {
            return (Claim::Refuted(trace), stats);
        }
        (claim, stats)
    }
}

/// Engine `predicates`: environment transitions by predicate abstraction and Horn clauses.
pub(crate) struct Predicates;

impl Engine for Predicates {
    fn name(&self) -> EngineName {
        EngineName::Predicates
    }

    fn summary(&self) -> &'static str {
        "abstracts each thread and its environment by predicates, refined by solving Horn clauses"
    }

    fn applicable(&self, program: &Program) -> Result<(), String> {
        predicates::applicable(&Arc::new(program.clone()))
    }

    fn is_candidate(&self, program: &Program) -> bool {
        predicates::is_candidate(program)
    }

    fn uses_solver(&self) -> bool {
        true
    }

    fn run(&self, program: &Arc<Program>, request: &Request, budget: &Budget) -> (Claim, Stats) {
        predicates::analyse(program, &request.options.predicates, budget)
    }
}

/// Engine `locks`: which locks are held, and who runs.
pub(crate) struct Locks;

impl Engine for Locks {
    fn name(&self) -> EngineName {
        EngineName::Locks
    }

    fn summary(&self) -> &'static str {
        "proves that nothing races, or waits for ever, from which locks are held and who has been started and joined"
    }

    fn applicable(&self, program: &Program) -> Result<(), String> {
        locks::applicable(program)
    }

    fn is_candidate(&self, program: &Program) -> bool {
        locks::is_candidate(program)
    }

    /// A race that could not be excluded may be real: a short search of interleavings finds out.
    fn run(&self, program: &Arc<Program>, request: &Request, budget: &Budget) -> (Claim, Stats) {
        let said = match locks::is_about_waiting(program) {
            true => waiting::by_order(program, request, budget, &[&Locks, &Intervals, &Modular, &Cartesian]),
            false => locks::analyse(program, budget),
        };
        request.or_an_error(said, program, budget)
    }
}

/// Engine `hunt`: errors only, with few preemptions and at random.
pub(crate) struct Hunt;

impl Engine for Hunt {
    fn name(&self) -> EngineName {
        EngineName::Hunt
    }

    fn summary(&self) -> &'static str {
        "looks for errors only: few preemptions first, then random schedules"
    }

    fn applicable(&self, _: &Program) -> Result<(), String> {
        Ok(())
    }

    fn run(&self, program: &Arc<Program>, request: &Request, budget: &Budget) -> (Claim, Stats) {
        hunt::hunt(program, &request.options.hunt, budget)
    }
}

/// Engine `intervals`: abstract values at each point, and what holds whenever a lock is free.
pub(crate) struct Intervals;

impl Engine for Intervals {
    fn name(&self) -> EngineName {
        EngineName::Intervals
    }

    fn summary(&self) -> &'static str {
        "infers ranges and differences of numbers, one thread at a time, for any number of threads"
    }

    fn applicable(&self, program: &Program) -> Result<(), String> {
        intervals::applicable(program)
    }

    /// Without a solver nobody could judge what it finds.
    fn is_candidate(&self, program: &Program) -> bool {
        intervals::applicable(program).is_ok() && threadwise_solver::find(None).is_ok()
    }

    /// The judge of its proofs asks one.
    fn uses_solver(&self) -> bool {
        true
    }

    fn run(&self, program: &Arc<Program>, request: &Request, budget: &Budget) -> (Claim, Stats) {
        request.or_an_error(intervals::analyse(program, budget), program, budget)
    }
}

/// Engine `coverability`: any number of copies with finite data, decided.
pub(crate) struct Coverability;

impl Engine for Coverability {
    fn name(&self) -> EngineName {
        EngineName::Coverability
    }

    fn summary(&self) -> &'static str {
        "decides programs with any number of copies: counts them, and goes back from the smallest errors"
    }

    fn applicable(&self, program: &Program) -> Result<(), String> {
        coverability::applicable(program)
    }

    fn run(&self, program: &Arc<Program>, _: &Request, budget: &Budget) -> (Claim, Stats) {
        coverability::analyse(program, budget)
    }
}

/// Engine `lockstep`: one schedule for all that are equivalent, and what holds along it.
pub(crate) struct Lockstep;

impl Engine for Lockstep {
    fn name(&self) -> EngineName {
        EngineName::Lockstep
    }

    fn summary(&self) -> &'static str {
        "lets threads that do not disturb each other run in step, and infers how their numbers relate"
    }

    fn applicable(&self, program: &Program) -> Result<(), String> {
        lockstep::applicable(program)
    }

    fn is_candidate(&self, program: &Program) -> bool {
        lockstep::is_candidate(program) && threadwise_solver::find(None).is_ok()
    }

    fn uses_solver(&self) -> bool {
        true
    }

    fn run(&self, program: &Arc<Program>, request: &Request, budget: &Budget) -> (Claim, Stats) {
        request.or_an_error(lockstep::analyse(program, budget), program, budget)
    }
}

/// Engine `relations`: how numbers relate at each point, for any number of threads.
pub(crate) struct Relations;

impl Engine for Relations {
    fn name(&self) -> EngineName {
        EngineName::Relations
    }

    fn summary(&self) -> &'static str {
        "infers linear equations and comparisons at each point, from a solver's examples; any number of threads"
    }

    fn applicable(&self, program: &Program) -> Result<(), String> {
        relations::applicable(program)
    }

    fn is_candidate(&self, program: &Program) -> bool {
        relations::applicable(program).is_ok() && threadwise_solver::find(None).is_ok()
    }

    fn uses_solver(&self) -> bool {
        true
    }

    fn run(&self, program: &Arc<Program>, request: &Request, budget: &Budget) -> (Claim, Stats) {
        request.or_an_error(relations::analyse(program, budget), program, budget)
    }
}
