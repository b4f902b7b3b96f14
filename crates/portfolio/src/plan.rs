//! No engine has an answer: what was tried, what each ran into, and what to do about it.

use crate::name::{EngineChoice, EngineName};
use crate::ranges::fitting_ranges;
use crate::registry::engines;
use crate::verify::{Outcome, asked_whether_applicable};
use threadwise_claims::{Advice, Attempt, Stats, Unknown};
use threadwise_ir::Program;
use threadwise_limits::{Budget, Limit};
use threadwise_solver::HOW_TO_GET;
use threadwise_source::Span;
use threadwise_verdict::{Undecided, Verdict};

/// What came of one engine.
pub(crate) struct Ended {
    pub engine: EngineName,
    pub limit: Option<Limit>,
    pub outcome: Outcome,
}

impl Ended {
    fn unknown(&self) -> Option<&Undecided> {
        match &self.outcome.verdict {
            Verdict::Unknown(unknown) => Some(unknown),
            _ => None,
        }
    }

    /// Engine and what it ran into, in one line.
    fn line(&self) -> String {
        format!("{}: {}", self.engine, self.unknown().map_or("", Undecided::summary))
    }
}

/// The most pieces of advice that are given.
const MOST_ADVICE: usize = 2;

/// More variables than this nobody wants to bound one by one.
const MOST_BOUNDS: usize = 3;

/// UNKNOWN, as a plan.
pub(crate) fn plan(program: &Program, attempts: Vec<Ended>, budget: &Budget) -> Outcome {
    // Threadwise itself is at fault: that comes first.
    if let Some(index) = attempts.iter().position(|attempt| attempt.outcome.verdict.is_internal_error()) {
        return attempts.into_iter().nth(index).expect("it is there").outcome;
    }
    let headline = match budget.check() {
        Err(limit) => format!("{limit}, and no engine had an answer"),
        Ok(()) => "no engine could decide it".to_string(),
    };
    let mut lines = vec![headline];
    for attempt in &attempts {
        lines.push(attempt.line());
        // What failed in what the user wrote is worth knowing in full.
        let details = attempt.unknown().filter(|_| is_about_annotations(attempt.engine));
        lines.extend(details.iter().flat_map(|unknown| unknown.reason().lines().skip(1)).map(|l| format!("  {l}")));
    }
    let left_out = left_out(program, budget);
    // Without annotations there is nothing to check, which needs no mention.
    let refusals = left_out.iter().filter(|(engine, _)| !is_about_annotations(*engine));
    lines.extend(refusals.map(|(engine, why)| format!("{engine}: {}", not_for_this_program(why))));
    let mut advice = Vec::new();
    for piece in suggestions(program, &attempts, budget) {
        if advice.len() < MOST_ADVICE && !advice.contains(&piece) {
            advice.push(piece);
        }
    }
    let stats = attempts.iter().find(|attempt| attempt.engine == EngineName::Explicit).map(|a| a.outcome.stats.clone());
    Outcome {
        verdict: Verdict::unknown(Unknown { reason: lines.join("\n"), advice }),
        engine: EngineChoice::Auto,
        modular: None,
        stats: stats.unwrap_or_else(Stats::default),
        attempts: all_attempts(&attempts, &left_out),
        unreached: Vec::new(),
        notes: Vec::new(),
        chosen: None,
        proof: None,
        rejected: None,
    }
}

/// Whether an engine checks what the user wrote about the program, rather than finding it out.
fn is_about_annotations(engine: EngineName) -> bool {
    match engine {
        EngineName::Contracts | EngineName::Conformance => true,
        EngineName::Explicit
        | EngineName::Modular
        | EngineName::Cartesian
        | EngineName::Predicates
        | EngineName::Locks
        | EngineName::Intervals
        | EngineName::Coverability
        | EngineName::Lockstep
        | EngineName::Relations
        | EngineName::Hunt => false,
    }
}

/// The engines that cannot treat the program, and why.
fn left_out(program: &Program, budget: &Budget) -> Vec<(EngineName, String)> {
    let refusals = engines().filter_map(|engine| {
        let refusal = asked_whether_applicable(engine, program, budget).ok()?.err()?;
        Some((engine.name(), refusal))
    });
    refusals.collect()
}

/// What an engine says that cannot treat the program.
pub(crate) fn not_for_this_program(why: &str) -> String {
    format!("not for this program: {why}")
}

fn all_attempts(ended: &[Ended], left_out: &[(EngineName, String)]) -> Vec<Attempt> {
    let refused = |(engine, why): &(EngineName, String)| Attempt {
        engine: engine.as_str(),
        verdict: "unknown",
        reason: Some(not_for_this_program(why)),
        seconds: 0.0,
    };
    ended.iter().flat_map(|ended| ended.outcome.attempts.clone()).chain(left_out.iter().map(refused)).collect()
}

/// What the user can do, the most promising first.
fn suggestions(program: &Program, attempts: &[Ended], budget: &Budget) -> Vec<Advice> {
    let of = |name: EngineName| attempts.iter().find(|attempt| attempt.engine == name);
    let first_advice = |name: EngineName| {
        let unknown = of(name).filter(|attempt| attempt.limit.is_none())?.unknown()?;
        unknown.advice().first().filter(|advice| !advice.is_other_engine()).cloned()
    };
    let mut all = Vec::new();
    let needs_solver = program.has_unbounded_data() || !program.relies.is_empty();
    if needs_solver && threadwise_solver::find(None).is_err() {
        all.push(Advice::GetSolver { how: HOW_TO_GET });
    }
    // A failed condition about the user's own annotations is the shortest way to a proof.
    all.extend(first_advice(EngineName::Contracts).filter(|_| !program.relies.is_empty()));
    all.extend(first_advice(EngineName::Conformance));
    // Sharing what a thread knows has been tried before it is recommended.
    all.extend(first_advice(EngineName::Modular).filter(Advice::is_tried));
    if program.has_any_copies()
        && let Some(unknown) = of(EngineName::Explicit).and_then(Ended::unknown)
    {
        all.extend(unknown.advice().iter().find(|advice| advice.is_smaller_search()).cloned());
    }
    if !program.has_unbounded_data() && !program.has_any_copies() {
        all.extend(larger_limit(attempts, budget));
    }
    all.extend(bound_a_variable(program));
    if program.relies.is_empty() && (program.has_unbounded_data() || program.has_any_copies()) {
        all.push(Advice::StateReliesAndInvariants);
    }
    all.extend(larger_limit(attempts, budget));
    all
}

/// The limit that was met, doubled.
fn larger_limit(attempts: &[Ended], budget: &Budget) -> Option<Advice> {
    let limits = || attempts.iter().filter_map(|attempt| attempt.limit);
    let memory = limits().any(|limit| matches!(limit, Limit::Memory(_) | Limit::OutOfMemory));
    match (budget.check(), budget.memory()) {
        (Err(Limit::Time(time)), _) => Some(Advice::MoreTime { seconds: Some((time * 4).as_secs().max(1)) }),
        (Err(Limit::CpuTime(time)), _) => Some(Advice::MoreCpuTime { seconds: Some((time * 4).as_secs().max(1)) }),
        (_, Some(bytes)) if memory => Some(Advice::MoreMemory { mib: Some((bytes >> 20) * 2) }),
        _ => None,
    }
}

/// Names the variables that have no bounds, each with one that it keeps. Where there is one of which none is known,
/// following the advice could make a right program wrong.
fn bound_a_variable(program: &Program) -> Option<Advice> {
    let is_written = |name: &str| name.starts_with(|c: char| c.is_alphabetic());
    let ranges = fitting_ranges(program).filter(|all| all.len() <= MOST_BOUNDS)?;
    let bounded = |(name, span, (low, high)): &(&str, Span, (i64, i64))| {
        format!("`{name}` ({}) the range `{low}..{high}`", program.source.locate_briefly(*span))
    };
    let names = ranges.iter().all(|(name, ..)| is_written(name)).then(|| ranges.iter().map(bounded).collect())?;
    Some(Advice::BoundVariables { names })
}
