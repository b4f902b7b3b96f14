use crate::engine::{Engine, ExceptionsKind, ExtractKind, PredicatesOptions, RefineKind, SearchKind};
use crate::judge::{catch, judge};
use crate::race::race;
use crate::registry::EngineChoice;
use std::sync::Arc;
use threadwise_evidence::{Claim, Proof, Stats, Unknown};
use threadwise_ir::Program;
use threadwise_limits::Budget;
use threadwise_source::Diagnostic;
use threadwise_verdict::Verdict;

/// What the user wants.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// Which engine.
    pub engine: EngineChoice,
    /// Whether a SAFE verdict must come with a proof: it is then checked, and handed over.
    pub want_proof: bool,
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
    /// Other engines look for errors at the same time. For `auto` to say.
    pub in_company: bool,
}

impl Default for Request {
    fn default() -> Request {
        let explicit = threadwise_engine_explicit::Options::default();
        Request {
            engine: EngineChoice::AUTO,
            want_proof: false,
            symmetry: explicit.symmetry,
            fold: explicit.fold,
            max_any_copies: explicit.max_any_copies,
            search: SearchKind::default(),
            refine: RefineKind::default(),
            extract: ExtractKind::default(),
            exceptions: ExceptionsKind::default(),
            unroll: None,
            predicates: PredicatesOptions::default(),
            in_company: false,
        }
    }
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The verdict, which has passed its judge.
    pub verdict: Verdict,
    /// The engine that found it; `auto` if none was run.
    pub engine: &'static str,
    /// Whether the proof of a SAFE verdict is modular; `None` for the other verdicts.
    pub modular: Option<bool>,
    /// The engine's numbers.
    pub stats: Stats,
    /// What else to tell the user. One line each.
    pub notes: Vec<String>,
    /// Why the answer of `auto` is this engine's, in one line.
    pub chosen: Option<String>,
    /// The proof of a SAFE verdict, where one was wanted; it has been checked.
    pub proof: Option<Proof>,
    /// What is wrong with the program's annotations, if that is why the verdict is UNKNOWN.
    pub rejected: Option<Diagnostic>,
}

/// Verifies a program: runs the engine that was asked for, or several, and has what they claim judged.
pub fn verify(program: &Arc<Program>, request: &Request, budget: &Budget) -> Outcome {
    let Some(engine) = request.engine.engine() else {
        return race(program, request, budget);
    };
    match engine.applicable(program) {
        Ok(()) => run_and_judge(engine, program, request, budget),
        Err(why) => not_applicable(engine.name(), &why),
    }
}

/// Runs one engine and has its claim judged.
pub(crate) fn run_and_judge(
    engine: &'static dyn Engine,
    program: &Arc<Program>,
    request: &Request,
    budget: &Budget,
) -> Outcome {
    let mut rejected = None;
    let (verdict, proof, stats) = match catch(|| engine.run(program, request, budget)) {
        Ok((claim, stats)) => {
            if let Claim::Rejected(error) = &claim {
                rejected = Some(error.clone());
            }
            let (verdict, proof) = judge(program, claim, budget);
            (verdict, proof, stats)
        }
        Err(panic) => {
            let what = format!("engine `{}` broke down: {panic}", engine.name());
            (Verdict::internal_error(what), None, Stats::default())
        }
    };
    let mut notes = Vec::new();
    let mut modular = None;
    if let Verdict::Safe(safe) = &verdict {
        modular = Some(proof.as_ref().is_some_and(Proof::is_modular));
        if safe.states() == 0 {
            notes.push(NO_INITIAL_STATE.to_string());
        }
    }
    Outcome { verdict, engine: engine.name(), modular, stats, notes, chosen: None, proof, rejected }
}

const NO_INITIAL_STATE: &str =
    "warning: the program has no initial state, so nothing in it can go wrong; are the `init` conditions as meant?";

fn not_applicable(engine: &'static str, why: &str) -> Outcome {
    let reason = format!("engine `{engine}` cannot treat this program: {why}");
    let advice = vec!["use `--engine auto`".to_string()];
    Outcome {
        verdict: Verdict::unknown(Unknown { reason, advice }),
        engine,
        modular: None,
        stats: Stats::default(),
        notes: Vec::new(),
        chosen: None,
        proof: None,
        rejected: None,
    }
}
