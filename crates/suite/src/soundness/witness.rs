//! Those who say something about a program: the engines, each asked in several ways.

use super::case::{Case, Says};
use super::evidence::problem_with_evidence;
use crate::is_infinite;
use std::sync::Arc;
use std::time::{Duration, Instant};
use threadwise_ir::AnyCopies;
use threadwise_limits::{Budget, memory_in_use};
use threadwise_oracle::OracleVerdict;
use threadwise_portfolio::{
    CartesianOptions, EngineOptions, ExtractKind, Horn, ModularOptions, Outcome, PredicatesOptions, RefineKind,
    Request, SearchKind, engines, verify,
};
use threadwise_verdict::Verdict;

/// What a witness says of a program.
#[derive(Clone, Debug)]
pub struct Answer {
    /// In a word.
    pub says: Says,
    /// With any number of copies: how many there are in the trace.
    pub copies: Option<AnyCopies>,
    /// Why it must not be said, whatever the truth is.
    pub objection: Option<String>,
    /// In full.
    pub text: String,
}

impl Answer {
    /// What is as good as an answer: a user would see an internal error.
    pub(super) fn panicked(message: &str) -> Answer {
        let text = format!("panics: {message}");
        Answer { says: Says::Unknown, copies: None, objection: Some(text.clone()), text }
    }
}

/// How a witness answers; `None` where it cannot treat the program.
type Ask = Arc<dyn Fn(&Case) -> Option<Answer> + Send + Sync>;

/// Somebody who can be asked about programs.
pub struct Witness {
    /// Who is asked, and how.
    pub name: String,
    pub engine: &'static str,
    /// Asked about one program in so many.
    pub every: u64,
    /// Whoever has not answered by then is not waited for.
    pub patience: Duration,
    /// The question.
    pub ask: Ask,
}

/// How an engine is asked.
struct Way {
    engine: &'static str,
    name: &'static str,
    every: u64,
    /// On programs that the interpreter has searched to the end, and on others.
    seconds: (u64, u64),
    request: Request,
    /// What else its answers must be like.
    rule: fn(&Case, &Outcome) -> Option<String>,
}

/// More memory than any of these programs needs.
const MEMORY: u64 = 3 << 30;

/// All engines, each in several ways.
pub fn engines_as_witnesses() -> Vec<Witness> {
    ways().into_iter().map(witness).collect()
}

fn witness(way: Way) -> Witness {
    let Way { engine, name, every, seconds, mut request, rule } = way;
    request.engine = engine.parse().expect("an engine");
    let patience = Duration::from_secs(4 * seconds.0.max(seconds.1) + 30);
    let ask = move |case: &Case| {
        if engines().any(|known| known.name().as_str() == engine && known.applicable(&case.program).is_err()) {
            return None;
        }
        let seconds = if case.explored.is_some() { seconds.0 } else { seconds.1 };
        // Somebody who did not come back may still hold memory.
        let memory = memory_in_use() + MEMORY;
        let budget = Budget::new(Some(Duration::from_secs(seconds)), Some(memory));
        let start = Instant::now();
        let outcome = verify(&case.program, &request, &budget);
        let had_no_time = start.elapsed() >= Duration::from_secs(seconds);
        let broken = outcome.verdict.is_internal_error().then(|| format!("{:?}", outcome.verdict));
        let objection = broken
            .or_else(|| problem_with_evidence(&case.program, &outcome, request.want_proof))
            .or_else(|| if had_no_time { None } else { rule(case, &outcome) });
        let (says, copies) = match &outcome.verdict {
            Verdict::Safe(_) => (Says::Safe, None),
            Verdict::Unsafe(found) => (Says::Unsafe, Some(found.trace().trace().any_copies.clone())),
            Verdict::Unknown(_) => (Says::Unknown, None),
        };
        Some(Answer { says, copies, objection, text: format!("{:?}", outcome.verdict) })
    };
    Witness { name: format!("{engine}, {name}"), engine, every, patience, ask: Arc::new(ask) }
}

/// `every` numbers have no divisor in common with the number of kinds of programs, so each kind meets each way.
fn ways() -> Vec<Way> {
    let plain = || Request { want_proof: true, ..Request::default() };
    let explicit = |name, every, symmetry, fold, want_proof, rule| {
        let options = EngineOptions::default().with_symmetry(symmetry).with_folding(fold);
        let request = Request { options, want_proof, ..plain() };
        Way { engine: "explicit", name, every, seconds: (60, 1), request, rule }
    };
    // These programs are small: by default there would be nothing to reduce.
    let reduced = |name, every, symmetry, fold, reduce_above| {
        let mut options = EngineOptions::default().with_symmetry(symmetry).with_folding(fold);
        options.explicit.reduce_above = reduce_above;
        let request = Request { options, want_proof: false, ..plain() };
        Way { engine: "explicit", name, every, seconds: (60, 1), request, rule: finds_shortest }
    };
    let modular = |name, every, search, want_proof| {
        let options = EngineOptions { modular: ModularOptions { search }, ..EngineOptions::default() };
        let request = Request { options, want_proof, ..plain() };
        Way { engine: "modular", name, every, seconds: (2, 1), request, rule: anything }
    };
    let cartesian = |name, every, refine, extract, symmetry, want_proof| {
        let cartesian = CartesianOptions { refine, extract, symmetry, ..CartesianOptions::default() };
        let options = EngineOptions { cartesian, ..EngineOptions::default() };
        let request = Request { options, want_proof, ..plain() };
        Way { engine: "cartesian", name, every, seconds: (20, 1), request, rule: decides_finite_programs }
    };
    let predicates = |name, every, horn, want_proof| {
        let predicates = PredicatesOptions { horn, ..PredicatesOptions::default() };
        let options = EngineOptions { predicates, ..EngineOptions::default() };
        let request = Request { options, want_proof, ..plain() };
        Way { engine: "predicates", name, every, seconds: (1, 2), request, rule: anything }
    };
    let auto = |name, every, symmetry, fold, want_proof| {
        let options = EngineOptions::default().with_symmetry(symmetry).with_folding(fold);
        let request = Request { options, want_proof, ..plain() };
        Way { engine: "auto", name, every, seconds: (5, 2), request, rule: anything }
    };
    let other = |engine, name, every, want_proof| {
        let request = Request { want_proof, ..plain() };
        Way { engine, name, every, seconds: (3, 2), request, rule: anything }
    };
    vec![
        explicit("all states", 1, false, false, true, counts_states),
        explicit("all states without proof", 4, false, false, false, counts_states),
        explicit("symmetry", 2, true, false, true, finds_shortest),
        explicit("symmetry without proof", 5, true, false, false, finds_shortest),
        explicit("folding", 3, false, true, false, finds_shortest),
        explicit("folding with proof", 5, false, true, true, finds_shortest),
        explicit("as usual", 1, true, true, false, finds_shortest),
        explicit("as usual with proof", 2, true, true, true, finds_shortest),
        reduced("reduced", 1, true, true, 0),
        reduced("reduced without symmetry and folding", 2, false, false, 0),
        reduced("reduced after a trial", 2, true, true, 40),
        modular("fixpoint", 1, SearchKind::Fixpoint, true),
        modular("fixpoint without proof", 4, SearchKind::Fixpoint, false),
        modular("relaxed", 3, SearchKind::Relaxed, true),
        modular("frontier", 2, SearchKind::Frontier, true),
        cartesian("lazy", 1, RefineKind::Lazy, ExtractKind::Eager, true, true),
        cartesian("lazy without proof", 4, RefineKind::Lazy, ExtractKind::Eager, true, false),
        cartesian("without symmetry", 3, RefineKind::Lazy, ExtractKind::Eager, false, true),
        cartesian("lazy extraction", 4, RefineKind::Lazy, ExtractKind::Lazy, true, true),
        cartesian("eager refinement", 5, RefineKind::Eager, ExtractKind::Eager, true, true),
        other("contracts", "as usual", 1, true),
        other("contracts", "without proof", 4, false),
        other("conformance", "as usual", 1, true),
        other("conformance", "without proof", 4, false),
        other("locks", "as usual", 1, true),
        other("locks", "without proof", 4, false),
        other("intervals", "as usual", 1, true),
        other("intervals", "without proof", 4, false),
        other("coverability", "as usual", 1, true),
        other("coverability", "without proof", 4, false),
        other("lockstep", "as usual", 2, true),
        other("relations", "as usual", 2, true),
        Way { seconds: (2, 1), rule: finds_what_there_is, ..other("hunt", "as usual", 1, false) },
        predicates("aret", 2, Horn::Aret, true),
        predicates("aret without proof", 5, Horn::Aret, false),
        predicates("spacer", 5, Horn::Spacer, true),
        auto("as usual", 2, true, true, false),
        auto("with proof", 1, true, true, true),
        auto("without symmetry", 5, false, true, false),
        auto("without folding", 3, true, false, false),
        auto("without either, with proof", 4, false, false, true),
    ]
}

fn anything(_: &Case, _: &Outcome) -> Option<String> {
    None
}

/// Engine `hunt` proves nothing, and finds the error of a program that the interpreter can search.
fn finds_what_there_is(case: &Case, outcome: &Outcome) -> Option<String> {
    let is_wrong =
        case.explored.as_ref().is_some_and(|explored| matches!(explored.verdict, OracleVerdict::Unsafe { .. }));
    match &outcome.verdict {
        Verdict::Safe(_) => Some(format!("it proves nothing, but {:?}", outcome.verdict)),
        Verdict::Unknown(_) if is_wrong => Some(format!("there is an error, but {:?}", outcome.verdict)),
        Verdict::Unsafe(_) | Verdict::Unknown(_) => None,
    }
}

/// Engine `cartesian` may run out of memory or numbers, and of infinite programs it may say nothing.
fn decides_finite_programs(case: &Case, outcome: &Outcome) -> Option<String> {
    let Verdict::Unknown(unknown) = &outcome.verdict else { return None };
    let has_reason = ["limit", "64 bits"].iter().any(|reason| unknown.reason().contains(reason));
    let must = case.explored.is_some() && !is_infinite(&case.program) && !has_reason;
    must.then(|| format!("a finite program, but {:?}", outcome.verdict))
}

fn states(outcome: &Outcome) -> Option<u64> {
    outcome.stats.numbers.iter().find(|(name, _)| *name == "states").map(|(_, states)| *states)
}

/// Exhaustive search finds out what the interpreter finds out, and a shortest trace; it visits no state more.
fn finds_shortest(case: &Case, outcome: &Outcome) -> Option<String> {
    let explored = case.explored.as_ref()?;
    match &outcome.verdict {
        Verdict::Unknown(_) => Some(format!("the interpreter can tell, but {:?}", outcome.verdict)),
        Verdict::Unsafe(found) => {
            let steps = found.trace().trace().steps.len();
            let shortest = explored.depth_of_error;
            (Some(steps) != shortest).then(|| format!("a trace of {steps} steps, the shortest has {shortest:?}"))
        }
        Verdict::Safe(_) => {
            let more = states(outcome) > Some(explored.states as u64);
            more.then(|| format!("{:?} states, but there are {}", states(outcome), explored.states))
        }
    }
}

/// Besides, it visits the same states.
fn counts_states(case: &Case, outcome: &Outcome) -> Option<String> {
    let explored = case.explored.as_ref()?;
    let ours = states(outcome);
    let differ = explored.verdict == OracleVerdict::Safe && ours != Some(explored.states as u64);
    let differing = differ.then(|| format!("{ours:?} states, the interpreter has {}", explored.states));
    differing.or_else(|| finds_shortest(case, outcome))
}
