//! Several properties of one program, each with an answer of its own. An error that one of them finds does not keep the
//! others from being answered, and none of them uses up the time of the others.

use crate::args::CheckArgs;
use crate::console::Console;
use crate::exit::InputError;
use crate::grow::verify_and_grow;
use crate::input::load_bounded;
use crate::work;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use threadwise_frontends::{Question, frontend_for};
use threadwise_ir::Program;
use threadwise_limits::{Budget, Limit};
use threadwise_portfolio::{Outcome, Request};
use threadwise_verdict::Verdict;

/// In the first round each property gets at most this long, in later rounds more.
const FIRST_PATIENCE: Duration = Duration::from_secs(5);
const MORE_PATIENCE: u32 = 4;

/// A property, and what came of it.
pub struct Answered {
    pub name: &'static str,
    pub program: Arc<Program>,
    /// Where one run has answered several properties, they share it: a proof can be large.
    pub outcome: Arc<Outcome>,
    /// How often bounds of the front end were raised for that.
    pub level: u32,
    pub seconds: f64,
}

/// The properties that are asked about a program, where there are several.
pub fn questions(args: &CheckArgs, names: &[PathBuf]) -> Vec<Question> {
    frontend_for(&names[0]).questions(&args.language.options)
}

/// Answers all of them. The last word on a property is that of the round in which it got the most time.
pub fn answer_each(
    names: &[PathBuf],
    questions: &[Question],
    console: &Console,
    budget: &Budget,
    request: &Request,
) -> Result<Vec<Answered>, InputError> {
    let mut read = Vec::new();
    for question in questions {
        // Warnings were told already, when all was read together.
        read.push(load_bounded(names, &question.options, budget, true)?);
    }
    let mut answers: Vec<Option<Answered>> = questions.iter().map(|_| None).collect();
    let mut patience = FIRST_PATIENCE;
    loop {
        let open: Vec<usize> = (0..answers.len()).filter(|&index| is_open(answers[index].as_ref())).collect();
        for (&index, done) in open.iter().zip(0..) {
            let share = share(budget, patience, open.len() as u32 - done);
            let options = &questions[index].options;
            let started = Instant::now();
            let grown = work::run(console, share, |budget| {
                let again = |level| load_bounded(names, &options.at_level(level), budget, true);
                verify_and_grow(read[index].clone(), request, budget, again)
            });
            let before = answers[index].take().map_or(0.0, |answer| answer.seconds);
            answers[index] = Some(Answered {
                name: questions[index].name,
                program: grown.program,
                outcome: Arc::new(grown.outcome),
                level: grown.level,
                seconds: before + started.elapsed().as_secs_f64(),
            });
        }
        patience = patience.saturating_mul(MORE_PATIENCE);
        if open.is_empty() || budget.check().is_err() {
            break;
        }
    }
    let told = |answer: Answered| {
        let outcome = in_terms_of(Arc::unwrap_or_clone(answer.outcome), budget);
        Answered { outcome: Arc::new(outcome), ..answer }
    };
    Ok(answers.into_iter().flatten().map(told).collect())
}

/// What one of so many properties may use. The last one that is left may use everything.
fn share(budget: &Budget, patience: Duration, left: u32) -> Budget {
    let equal = budget.time_left().map(|time| time / left);
    match (equal, left) {
        (None, 1) => budget.clone(),
        (None, _) => budget.share(patience),
        (Some(equal), 1) => budget.share(equal),
        (Some(equal), _) => budget.share(equal.min(patience)),
    }
}

/// Whether there is more to be found out with more time.
fn is_open(answer: Option<&Answered>) -> bool {
    match answer.map(|answer| &answer.outcome.verdict) {
        None => true,
        Some(Verdict::Unknown(unknown)) => unknown.reason().contains(&Limit::Turn.to_string()),
        Some(Verdict::Safe(_) | Verdict::Unsafe(_)) => false,
    }
}

/// The user knows of one limit of time only.
fn in_terms_of(outcome: Outcome, budget: &Budget) -> Outcome {
    match budget.check() {
        Ok(()) => outcome,
        Err(limit) => outcome.with_limit(limit),
    }
}

/// Which of the answers is the one over all that was asked: the first of the worst ones.
pub fn worst(answers: &[Answered]) -> usize {
    let badness = |verdict: &Verdict| match verdict {
        Verdict::Safe(_) => 0,
        Verdict::Unknown(unknown) if unknown.is_internal_error() => 3,
        Verdict::Unknown(_) => 1,
        Verdict::Unsafe(_) => 2,
    };
    let most = answers.iter().map(|answer| badness(&answer.outcome.verdict)).max();
    answers.iter().position(|answer| Some(badness(&answer.outcome.verdict)) == most).unwrap_or(0)
}
