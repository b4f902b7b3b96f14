//! Verdicts as the competition on software verification spells them, and BenchExec reads them.

use crate::properties::Answered;
use threadwise_evidence::{Violation, violation_info};
use threadwise_ir::StepError;
use threadwise_replay::ReplayedTrace;
use threadwise_verdict::Verdict;

/// One line for one property. Where several were asked for, a line for each says first which one it is about.
pub fn verdicts(answers: &[Answered]) -> String {
    match answers {
        [only] => format!("{}\n", verdict(only)),
        several => several.iter().map(|answer| format!("{}: {}\n", property(answer.name), verdict(answer))).collect(),
    }
}

fn verdict(answer: &Answered) -> String {
    match &answer.outcome.verdict {
        Verdict::Safe(_) => "true".to_string(),
        Verdict::Unsafe(found) => format!("false({})", violated(answer.name, found.trace())),
        Verdict::Unknown(_) => "unknown".to_string(),
    }
}

/// What the competition calls one of our properties; those that it does not have keep their names.
fn property(name: &'static str) -> &'static str {
    match name {
        "assertions" | "" => "unreach-call",
        "races" => "no-data-race",
        "memory" | "memtrack" => "valid-memsafety",
        "overflow" => "no-overflow",
        "deadlock" => "no-deadlock",
        other => other,
    }
}

/// What is violated: of memory safety it is said which part.
fn violated(name: &'static str, trace: &ReplayedTrace) -> &'static str {
    let violation = &trace.trace().violation;
    match violation {
        Violation::Step { error: StepError::Memory, .. } if name == "memtrack" => "valid-memtrack",
        Violation::Step { error: StepError::Memory, .. } => {
            let text = violation_info(trace.instance(), violation).property;
            if text.starts_with("free") { "valid-free" } else { "valid-deref" }
        }
        _ => property(name),
    }
}
