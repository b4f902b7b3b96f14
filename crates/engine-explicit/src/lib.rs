//! Engine `explicit`: standard model checking, all interleavings (FQ, section 2.1).
//!
//! States are searched breadth-first, so that a counterexample is as short as any. Shared stores
//! and local states are numbered as they appear; each thread's steps become tables over these
//! numbers; a state is a packed row of them. Copies of a thread that cannot be told apart are
//! searched up to permutation.
//!
//! The engine knows nothing of other engines, of solvers or of files.

mod accesses;
mod calm;
mod canonical;
mod copies;
mod cover;
mod expand;
mod fold;
mod initial;
mod liveness;
mod reduce;
mod search;
mod seen;
mod trace;
mod unfold;

use initial::{InitialStates, NoStart};
use reduce::Reduction;
use search::{End, Search};
use std::sync::Arc;
use threadwise_claims::{Advice, Claim, Exhausted, Stats, Unknown};
use threadwise_evidence::{Folding, Proof};
use threadwise_ir::{Instance, Program, Symmetry};
use threadwise_limits::{Budget, Limit};

/// How to search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Use the symmetry of interchangeable copies where that is sound.
    pub symmetry: bool,
    /// Fold steps that no other thread can observe into their predecessors.
    pub fold: bool,
    /// Leave out steps whose order against those of other threads does not matter, where that saves something. Proofs need all of them.
    pub reduction: bool,
    /// So many states are all searched before a reduced search is tried.
    pub reduce_above: usize,
    /// Hand over a proof, the reachable set, however large it is. A small one is always handed over.
    pub proof: bool,
    /// Programs with `[*]` are searched with 0, 1, … up to this many copies of each such thread.
    pub max_any_copies: u32,
    /// More states than this are not visited.
    pub max_states: usize,
    /// Count how often each edge is taken.
    pub cover: bool,
    /// So many threads search, with the same result for any number; 0 stands for as many as there are cores.
    pub workers: usize,
    /// Before so many states are known one of them looks at all.
    pub help_above: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            symmetry: true,
            fold: true,
            reduction: true,
            reduce_above: SMALL_PROOF,
            proof: false,
            max_any_copies: 3,
            max_states: usize::MAX,
            cover: false,
            workers: 1,
            help_above: FEW_STATES,
        }
    }
}

/// Up to so many states are handed over as a proof even if nobody asked for one: to have them checked takes a fraction
/// of a second.
const SMALL_PROOF: usize = 1 << 15;

/// One worker looks at so many states in a tenth of a second.
const FEW_STATES: usize = 1 << 17;

/// A reduced search that saves less than one state in so many is not worth what the choices cost.
const WORTH_REDUCING: usize = 3;

/// So many states are always searched for a shortest trace.
const CHEAP_STATES: usize = 1 << 18;

/// Searches all interleavings.
pub fn explore(program: &Arc<Program>, options: &Options, budget: &Budget) -> (Claim, Stats) {
    if !program.has_any_copies() {
        return explore_instance(&Instance::new(program.clone(), 0), options, options.max_states, budget);
    }
    let mut last = None;
    // One number of copies may keep the search busy for ever: all get a short look first.
    for max_states in [CHEAP_STATES.min(options.max_states), options.max_states] {
        for copies in copies::numbers_of_copies(program, options.max_any_copies) {
            let instance = Instance::new(program.clone(), copies);
            let (claim, stats) = explore_instance(&instance, options, max_states, budget);
            match claim {
                Claim::Refuted(_) => return (claim, stats),
                Claim::Unknown(unknown) if budget.check().is_err() => return (Claim::Unknown(unknown), stats),
                _ => last = Some(stats),
            }
        }
    }
    (Claim::Unknown(only_some_copies(options.max_any_copies)), last.unwrap_or_default())
}

fn explore_instance(instance: &Instance, options: &Options, max_states: usize, budget: &Budget) -> (Claim, Stats) {
    let folding = if options.fold { fold::fold(&instance.program) } else { Folding::default() };
    let folded = match options.fold {
        true => Instance::new(Arc::new(folding.apply(&instance.program)), instance.any_copies()),
        false => instance.clone(),
    };
    let searched = search_folded(&folded, &folding, options, max_states, budget);
    let Searched { claim, mut stats, is_reduced } = searched;
    let points = folding.points.len() as u64;
    stats.numbers.extend((points > 0).then_some(("folded_points", points)));
    let Claim::Refuted(trace) = claim else { return (claim, stats) };
    if !options.fold && !is_reduced {
        return (Claim::Refuted(trace), stats);
    }
    // Where it costs little more, the search is repeated without folding and reduction for a shortest trace.
    let visited = stats.numbers.iter().find(|(name, _)| *name == "states").map_or(0, |(_, states)| *states);
    let again = Way { folding: &Folding::default(), reduction: None, max_states: 4 * visited as usize + CHEAP_STATES };
    let (again, stats_again) = search(instance, again, options, budget);
    match (again, unfold::unfold(instance, &folded, &trace)) {
        (Claim::Unknown(_), Some(unfolded)) => (Claim::Refuted(unfolded), stats),
        (again, _) => (again, stats_again),
    }
}

/// What came of a search.
struct Searched {
    claim: Claim,
    stats: Stats,
    is_reduced: bool,
}

/// Searches the states of a folded program. Few states are all searched, so that there is a proof. Where there are more, a reduced search
/// begins anew, unless it turns out to be no smaller.
fn search_folded(
    folded: &Instance,
    folding: &Folding,
    options: &Options,
    max_states: usize,
    budget: &Budget,
) -> Searched {
    let way = |reduction, max_states| Way { folding, reduction, max_states };
    let wants_all = options.proof || options.cover || max_states <= options.reduce_above;
    if !options.reduction || wants_all || !reduce::is_worth_a_trial(folded) {
        return Searched::whole(search(folded, way(None, max_states), options, budget));
    }
    let mut all = match Running::new(folded, way(None, options.reduce_above), options, budget) {
        Ok(running) => running,
        Err(end) => return Searched::whole(*end),
    };
    let end = all.search.run(&all.initial, budget);
    if !matches!(end, End::TooMany) || budget.check().is_err() {
        return Searched::whole(all.finish(end, options, budget));
    }
    let reduction = Reduction::new(folded);
    let found = reduction.and_then(|some| reduced(folded, way(Some(some), max_states), &all, options, budget));
    match found {
        Some((claim, stats)) => Searched { claim, stats, is_reduced: true },
        None if all.search.can_go_on() => {
            all.search.max_states = max_states;
            let end = all.search.run(&all.initial, budget);
            Searched::whole(all.finish(end, options, budget))
        }
        None => Searched::whole(search(folded, way(None, max_states), options, budget)),
    }
}

/// A reduced search, or nothing if that would save little: as far as a search of all states has come, it has visited nearly as many.
fn reduced(
    folded: &Instance,
    way: Way<'_>,
    all: &Running<'_>,
    options: &Options,
    budget: &Budget,
) -> Option<(Claim, Stats)> {
    let mut some = match Running::new(folded, way, options, budget) {
        Ok(running) => running,
        Err(end) => return Some(*end),
    };
    if all.search.can_go_on() && all.search.depth > 0 {
        some.search.max_depth = all.search.depth - 1;
        let end = some.search.run(&some.initial, budget);
        if !matches!(end, End::TooMany) {
            return Some(some.finish(end, options, budget));
        }
        if some.search.nearer > all.search.nearer - all.search.nearer / WORTH_REDUCING {
            return None;
        }
        some.search.max_depth = u32::MAX;
    }
    let end = some.search.run(&some.initial, budget);
    Some(some.finish(end, options, budget))
}

impl Searched {
    fn whole((claim, stats): (Claim, Stats)) -> Searched {
        Searched { claim, stats, is_reduced: false }
    }
}

/// How to search an instance.
struct Way<'a> {
    /// How the program is folded already.
    folding: &'a Folding,
    reduction: Option<Reduction<'a>>,
    max_states: usize,
}

/// Searches the states of an instance.
fn search<'a>(instance: &'a Instance, way: Way<'a>, options: &Options, budget: &Budget) -> (Claim, Stats) {
    match Running::new(instance, way, options, budget) {
        Ok(mut running) => {
            let end = running.search.run(&running.initial, budget);
            running.finish(end, options, budget)
        }
        Err(end) => *end,
    }
}

/// A search that has a start.
struct Running<'a> {
    search: Search<'a>,
    initial: InitialStates,
    folding: &'a Folding,
}

impl<'a> Running<'a> {
    /// Nothing but what there is to say, where there is no start.
    fn new(
        instance: &'a Instance,
        way: Way<'a>,
        options: &Options,
        budget: &Budget,
    ) -> Result<Running<'a>, Box<(Claim, Stats)>> {
        let symmetric = match instance.program.symmetry() {
            Symmetry::Among(templates) if options.symmetry => templates,
            _ => Vec::new(),
        };
        let workers = match options.workers {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            some => some,
        };
        let mut search = Search::new(instance, symmetric, workers);
        search.help_above = options.help_above;
        search.max_states = way.max_states;
        search.reduction = way.reduction;
        match InitialStates::new(instance, &mut search, budget) {
            Ok(initial) => Ok(Running { search, initial, folding: way.folding }),
            Err(NoStart::Wrong(trace)) => Err(Box::new((Claim::Refuted(*trace), search.stats()))),
            Err(NoStart::Limit(limit)) => Err(Box::new((Claim::Unknown(at_limit(limit, instance)), search.stats()))),
        }
    }

    /// What there is to say at the end.
    fn finish(mut self, end: End, options: &Options, budget: &Budget) -> (Claim, Stats) {
        let Running { search, initial, folding } = &mut self;
        let instance = search.instance;
        let claim = match end {
            End::Error(state) => match search.trace_to(&state, initial, budget) {
                Ok(trace) => Claim::Refuted(trace),
                Err(limit) => Claim::Unknown(at_limit(limit, instance)),
            },
            End::Limit(limit) => Claim::Unknown(at_limit(limit, instance)),
            End::TooMany => Claim::Unknown(Unknown { reason: TOO_MANY.to_string(), advice: Vec::new() }),
            End::Gap(gap) => Claim::Unknown(Unknown::from_gap(&instance.program, gap)),
            End::Exhausted => match initial.gap {
                Some(gap) => Claim::Unknown(Unknown::from_gap(&instance.program, gap)),
                None if search.reduction.is_none() && (options.proof || search.states.len() <= SMALL_PROOF) => {
                    Claim::Proved(Proof::Reachable(search.reachable_set((*folding).clone())))
                }
                None => {
                    Claim::Exhausted(Exhausted { states: search.states.len() as u64, reduced: search.is_reduced() })
                }
            },
        };
        let covered = if options.cover { search.covered(budget) } else { None };
        (claim, Stats { covered, ..search.stats() })
    }
}

/// Why there is no answer where the search was told to end after so many states.
const TOO_MANY: &str = "too many states";

fn only_some_copies(copies: u32) -> Unknown {
    Unknown {
        reason: format!("no error with up to {copies} copies, but `[*]` means any number"),
        advice: vec![Advice::LookFurther { copies: copies + 2 }, Advice::FixedNumberOfCopies],
    }
}

fn at_limit(limit: Limit, instance: &Instance) -> Unknown {
    let mut unknown = Unknown::at_limit(limit);
    let program = &instance.program;
    if !program.has_unbounded_data() && instance.threads.len() > 2 {
        unknown.advice.push(Advice::FewerCopies);
    }
    unknown
}
