use crate::engine::Engine;
use crate::judge::{catch, judge};
use crate::name::{EngineChoice, EngineName};
use crate::notes::{Note, Story};
use crate::options::EngineOptions;
use crate::plan::not_for_this_program;
use crate::race::race;
use crate::unreached::{constant_properties, left_open, unreached};
use crate::waiting::note_on_waiting;
use std::sync::Arc;
use std::time::{Duration, Instant};
use threadwise_claims::{Advice, Attempt, Claim, Stats, Unknown, Unreached};
use threadwise_evidence::Proof;
use threadwise_ir::patience::under;
use threadwise_ir::{Gap, Program};
use threadwise_limits::{Budget, Limit};
use threadwise_source::{Diagnostic, Span};
use threadwise_verdict::Verdict;
use threadwise_workers::watched;

/// What the user wants.
#[derive(Clone, Debug, Default)]
pub struct Request {
    pub engine: EngineChoice,
    /// Whether a SAFE verdict must come with a proof: it is then checked, and handed over.
    pub want_proof: bool,
    /// How the engines work.
    pub options: EngineOptions,
    /// Other engines look for errors at the same time. For `auto` to say.
    pub in_company: bool,
    /// Where the program goes beyond bounds that can be raised: once a search came there, the others need not go on.
    pub bounded: Arc<[Span]>,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The verdict, which has passed its judge.
    pub verdict: Verdict,
    /// The engine that found it; `auto` if none was run.
    pub engine: EngineChoice,
    /// Whether the proof of a SAFE verdict is modular; `None` for the other verdicts.
    pub modular: Option<bool>,
    /// The engine's numbers.
    pub stats: Stats,
    /// What came of each engine that was looked at.
    pub attempts: Vec<Attempt>,
    /// The statements that no execution gets past, as far as they are known; of a SAFE verdict only.
    pub unreached: Vec<Unreached>,
    /// What else to tell the user.
    pub notes: Vec<Note>,
    /// Why the answer of `auto` is this engine's.
    pub chosen: Option<Story>,
    /// The proof of a SAFE verdict, where one was wanted; it has been checked.
    pub proof: Option<Proof>,
    /// What is wrong with the program's annotations, if that is why the verdict is UNKNOWN.
    pub rejected: Option<Diagnostic>,
}

impl Outcome {
    /// Whether nothing is known because an execution goes beyond one of these bounds.
    pub fn goes_beyond(&self, program: &Program, bounds: &[Span]) -> bool {
        let is_beyond = |reason: &str| {
            let at = |span: &Span| Unknown::from_gap(program, Gap::Beyond(*span)).reason == reason;
            bounds.iter().any(at)
        };
        let is_unknown = matches!(self.verdict, Verdict::Unknown(_));
        is_unknown && self.attempts.iter().filter_map(|attempt| attempt.reason.as_deref()).any(is_beyond)
    }

    /// The same, where the end of a share of the time is told as the limit that the user knows of.
    pub fn with_limit(self, limit: Limit) -> Outcome {
        let Verdict::Unknown(unknown) = &self.verdict else { return self };
        if unknown.is_internal_error() {
            return self;
        }
        let reason = unknown.reason().replace(&Limit::Turn.to_string(), &limit.to_string());
        let verdict = Verdict::unknown(Unknown { reason, advice: unknown.advice().to_vec() });
        Outcome { verdict, ..self }
    }
}

/// Verifies a program: runs the engine that was asked for, or several, and has what they claim judged. Engines and
/// judges end when the budget does; one that did not would be left behind.
pub fn verify(program: &Arc<Program>, request: &Request, budget: &Budget) -> Outcome {
    let asked = program.clone();
    let (program, request, engine) = (program.clone(), request.clone(), request.engine);
    let work = move |budget: &Budget| match request.engine {
        EngineChoice::Auto => race(&program, &request, budget),
        EngineChoice::Only(name) => match asked_whether_applicable(name.engine(), &program, budget) {
            Ok(Ok(())) => run_and_judge(name.engine(), &program, &request, budget),
            Ok(Err(why)) => not_applicable(name, &why),
            Err(limit) => without_answer(name.into(), at_limit(limit)),
        },
    };
    let watched = watched(engine.as_str(), budget, move |budget: &Budget| {
        let mut outcome = work(budget);
        let is_told = |note: &Note| matches!(note, Note::Deadlock { .. });
        if !matches!(outcome.verdict, Verdict::Unsafe(_)) && !outcome.notes.iter().any(is_told) {
            outcome.notes.extend(note_on_waiting(&asked, budget));
        }
        outcome
    });
    watched.unwrap_or_else(|limit| without_answer(engine, at_limit(limit)))
}

/// Whether an engine can treat a program, or the limit that was met before that was known.
pub(crate) fn asked_whether_applicable(
    engine: &dyn Engine,
    program: &Program,
    budget: &Budget,
) -> Result<Result<(), String>, Limit> {
    match catch(|| patiently(budget, || engine.applicable(program))) {
        Ok((_, Some(limit))) => Err(limit),
        Ok((answer, None)) => Ok(answer),
        // An engine that breaks down here will do so when it runs, which is then reported.
        Err(_) => Ok(Ok(())),
    }
}

/// Runs one engine and has its claim judged; nothing, if it cannot treat the program.
pub(crate) fn run_if_applicable(
    engine: &'static dyn Engine,
    program: &Arc<Program>,
    request: &Request,
    budget: &Budget,
) -> Option<Outcome> {
    match asked_whether_applicable(engine, program, budget) {
        Ok(Ok(())) => Some(run_and_judge(engine, program, request, budget)),
        Ok(Err(_)) => None,
        Err(limit) => Some(without_answer(engine.name().into(), at_limit(limit))),
    }
}

/// Does work with the semantics of programs that is interrupted when the budget ends; tells by what.
pub(crate) fn patiently<R>(budget: &Budget, work: impl FnOnce() -> R) -> (R, Option<Limit>) {
    let own = budget.clone();
    let (result, interrupted) = under(move || own.check().is_ok(), work);
    let limit = || budget.limit_met().or(budget.check().err()).unwrap_or(Limit::Interrupted);
    (result, interrupted.then(limit))
}

fn at_limit(limit: Limit) -> Unknown {
    Unknown::at_limit(limit)
}

/// What an engine claims that met a limit: what it says of errors and proofs will be judged. A reason that speaks of a
/// part of its time or of an interruption gives way to the limit that the user knows; others stay.
fn cut_short(claim: Claim, interrupted: Option<Limit>, budget: &Budget) -> Claim {
    match (claim, interrupted.or_else(|| budget.check().err())) {
        (Claim::Unknown(unknown), Some(limit)) if was_cut_short(&unknown) => Claim::Unknown(at_limit(limit)),
        (Claim::Exhausted(_), Some(limit)) if interrupted.is_some() => Claim::Unknown(at_limit(limit)),
        (claim, _) => claim,
    }
}

/// Whether an engine gave up because of a limit, its own or the user's.
fn was_cut_short(unknown: &Unknown) -> bool {
    let signs = [Limit::Turn.to_string(), Limit::Interrupted.to_string(), "limit of".to_string()];
    signs.iter().any(|sign| unknown.reason.contains(sign))
}

/// Runs one engine and has its claim judged.
pub(crate) fn run_and_judge(
    engine: &'static dyn Engine,
    program: &Arc<Program>,
    request: &Request,
    budget: &Budget,
) -> Outcome {
    let started = Instant::now();
    let outcome = run_until_patient(engine, program, request, budget);
    let attempts = vec![attempt(engine.name(), &outcome.verdict, started.elapsed())];
    Outcome { attempts, ..outcome }
}

fn attempt(engine: EngineName, verdict: &Verdict, time: Duration) -> Attempt {
    let reason = match verdict {
        Verdict::Unknown(unknown) => Some(unknown.summary().to_string()),
        Verdict::Safe(_) | Verdict::Unsafe(_) => None,
    };
    Attempt { engine: engine.as_str(), verdict: verdict.word(), reason, seconds: time.as_secs_f64() }
}

fn run_until_patient(
    engine: &'static dyn Engine,
    program: &Arc<Program>,
    request: &Request,
    budget: &Budget,
) -> Outcome {
    let mut rejected = None;
    let (verdict, proof, stats) = match catch(|| patiently(budget, || engine.run(program, request, budget))) {
        Ok(((claim, stats), limit)) => {
            // An engine gives its parts some time each; as long as there is more, none gives up because of that.
            if let (Claim::Unknown(first), Some(more)) = (&claim, budget.taken_up_again()) {
                let again = run_until_patient(engine, program, request, &more);
                // What it knew before says more than that the time was over.
                return match &again.verdict {
                    Verdict::Unknown(_) if budget.check().is_err() && !was_cut_short(first) => {
                        Outcome { verdict: Verdict::unknown(first.clone()), ..again }
                    }
                    _ => again,
                };
            }
            let claim = cut_short(claim, limit, budget);
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
    let mut left_out = Vec::new();
    if let Verdict::Safe(safe) = &verdict {
        modular = Some(proof.as_ref().is_some_and(Proof::is_modular));
        if safe.states() == 0 {
            notes.push(Note::NoInitialState);
        }
        let taken = stats.taken.clone().or_else(|| left_open(program, proof.as_ref()?));
        left_out = taken.map_or_else(Vec::new, |taken| unreached(program, &taken));
        notes.extend(constant_properties(program));
    }
    if let (Some(stuck), false) = (stats.stuck, matches!(verdict, Verdict::Unsafe(_))) {
        notes.push(Note::Deadlock {
            place: program.source.locate(program.location(stuck).span),
            program: program.source.name().to_string(),
        });
    }
    let engine = engine.name().into();
    let attempts = Vec::new();
    Outcome { verdict, engine, modular, stats, attempts, unreached: left_out, notes, chosen: None, proof, rejected }
}

fn not_applicable(engine: EngineName, why: &str) -> Outcome {
    let unknown = Unknown { reason: not_for_this_program(why), advice: vec![Advice::UseAuto] };
    without_answer(engine.into(), unknown)
}

pub(crate) fn without_answer(engine: EngineChoice, why: Unknown) -> Outcome {
    let verdict = Verdict::unknown(why);
    let attempts = match engine {
        EngineChoice::Auto => Vec::new(),
        EngineChoice::Only(name) => vec![attempt(name, &verdict, Duration::ZERO)],
    };
    Outcome {
        verdict,
        engine,
        modular: None,
        stats: Stats::default(),
        attempts,
        unreached: Vec::new(),
        notes: Vec::new(),
        chosen: None,
        proof: None,
        rejected: None,
    }
}
