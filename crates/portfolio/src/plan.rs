//! No engine has an answer: what was tried, what each ran into, and what to do about it.

use crate::name::{EngineChoice, EngineName};
use crate::registry::engines;
use crate::verify::{Outcome, asked_whether_applicable};
use threadwise_claims::{Advice, Stats, Unknown};
use threadwise_ir::Program;
use threadwise_limits::{Budget, Limit};
use threadwise_solver::HOW_TO_GET;
use threadwise_verdict::{Undecided, Verdict};

/// What came of one engine.
pub(crate) struct Attempt {
    pub engine: EngineName,
    pub limit: Option<Limit>,
    pub outcome: Outcome,
}

impl Attempt {
    fn unknown(&self) -> Option<&Undecided> {
        match &self.outcome.verdict {
            Verdict::Unknown(unknown) => Some(unknown),
            _ => None,
        }
    }

    /// Engine, what it ran into, and the largest of its numbers, in one line.
    fn line(&self) -> String {
        let reason = self.unknown().map_or("", |unknown| unknown.reason().lines().next().unwrap_or_default());
        format!("{}: {}", self.engine, reason.trim_end_matches(':'))
    }
}

/// The most pieces of advice that are given.
const MOST_ADVICE: usize = 2;

/// UNKNOWN, as a plan.
pub(crate) fn plan(program: &Program, attempts: Vec<Attempt>, budget: &Budget) -> Outcome {
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
    lines.extend(left_out(program, budget));
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
        EngineName::Explicit | EngineName::Modular | EngineName::Cartesian | EngineName::Predicates => false,
    }
}

/// The engines that cannot treat the program, and why.
fn left_out(program: &Program, budget: &Budget) -> Vec<String> {
    let refusals = engines().filter_map(|engine| {
        let refusal = asked_whether_applicable(engine, program, budget).ok()?.err()?;
        Some((engine.name(), refusal))
    });
    // Without annotations there is nothing to check, which needs no mention.
    let refusals = refusals.filter(|(name, _)| !is_about_annotations(*name));
    refusals.map(|(name, why)| format!("{name}: not for this program: {why}")).collect()
}

/// What the user can do, the most promising first.
fn suggestions(program: &Program, attempts: &[Attempt], budget: &Budget) -> Vec<Advice> {
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
        && let Some(unknown) = of(EngineName::Explicit).and_then(Attempt::unknown)
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
fn larger_limit(attempts: &[Attempt], budget: &Budget) -> Option<Advice> {
    let limits = || attempts.iter().filter_map(|attempt| attempt.limit);
    let memory = limits().any(|limit| matches!(limit, Limit::Memory(_) | Limit::OutOfMemory));
    match (budget.check(), budget.memory()) {
        (Err(Limit::Time(time)), _) => Some(Advice::MoreTime { seconds: Some((time * 4).as_secs().max(1)) }),
        (_, Some(bytes)) if memory => Some(Advice::MoreMemory { mib: Some((bytes >> 20) * 2) }),
        _ => None,
    }
}

/// The unbounded variables that the user wrote, and where.
fn written(program: &Program) -> impl Iterator<Item = (&str, String)> {
    let is_written = |name: &str| name.starts_with(|c: char| c.is_alphabetic());
    let all = program.unbounded_variables().map(|(name, span)| (&**name, program.source.locate_briefly(span)));
    all.filter(move |(name, _)| is_written(name))
}

/// Names the variables that have no bounds.
fn bound_a_variable(program: &Program) -> Option<Advice> {
    let names: Vec<String> = written(program).take(3).map(|(name, place)| format!("`{name}` ({place})")).collect();
    (!names.is_empty()).then_some(Advice::BoundVariables { names })
}
