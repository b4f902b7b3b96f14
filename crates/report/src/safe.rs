//! What a SAFE verdict says about a program.

use crate::human::PropertyAnswer;
use threadwise_claims::Unreached;
use threadwise_ir::{AssertionKind, Op, Program, Update};
use threadwise_print::show_property;
use threadwise_source::Span;

/// More properties than this are counted, not listed.
const MAX_LISTED: usize = 8;

/// What was proved, one line each.
pub fn proved(program: &Program, unreached: &[Unreached], properties: &[PropertyAnswer]) -> Vec<String> {
    if let Some(telling) = &program.telling {
        let several = properties.iter().map(|answer| answer.property);
        let asked: Vec<&str> = if properties.is_empty() { telling.asked.clone() } else { several.collect() };
        return asked.into_iter().map(|name| in_words(name, program, unreached)).collect();
    }
    let mut lines: Vec<String> = assertions(program, unreached).into_iter().collect();
    let properties = &program.properties;
    lines.extend(properties.iter().take(MAX_LISTED).map(|p| show_property(program, p)));
    if properties.len() > MAX_LISTED {
        lines.push(format!("and {} more properties", properties.len() - MAX_LISTED));
    }
    lines.push("no value or index out of range, no division by zero, no lock misused".to_string());
    if has_assertion(program, AssertionKind::Start) {
        lines.push("never more threads started than there are copies".to_string());
    }
    lines
}

/// Under which memory model a proof of a program with several threads holds, in languages that have a weaker one than
/// sequential consistency.
pub enum MemoryModel {
    /// Nothing races and all orders are sequential: C11 allows nothing else (C11 5.1.2.4, 7.17.3).
    Own,
    /// Nothing races, but orders are weaker at these places.
    Weaker(Vec<Span>),
    /// Nobody has proved that nothing races.
    NotKnown,
    /// In Java, that nothing races is all it takes (JLS 17.4.5).
    RaceFreeJava,
    NotKnownJava,
}

impl MemoryModel {
    pub fn of(program: &Program, properties: &[PropertyAnswer]) -> Option<MemoryModel> {
        let telling = program.telling.as_ref()?;
        if program.templates.len() <= 1 {
            return None;
        }
        let has_no_races = match properties {
            [] => telling.asked.contains(&"races"),
            all => all.iter().any(|answer| answer.property == "races" && answer.verdict == "safe"),
        };
        // Only a language that has weaker orders says where they are.
        let Some(weaker) = &telling.weaker_orders else {
            return Some(if has_no_races { MemoryModel::RaceFreeJava } else { MemoryModel::NotKnownJava });
        };
        Some(match weaker.is_empty() {
            false => MemoryModel::Weaker(weaker.clone()),
            true if has_no_races => MemoryModel::Own,
            true => MemoryModel::NotKnown,
        })
    }

    /// As programs read it.
    pub fn name(&self) -> &'static str {
        match self {
            MemoryModel::Own => "C11",
            MemoryModel::RaceFreeJava => "Java",
            MemoryModel::Weaker(_) | MemoryModel::NotKnown | MemoryModel::NotKnownJava => "sequential consistency",
        }
    }

    pub fn in_words(&self, program: &Program) -> String {
        match self {
            MemoryModel::Own => "race-free and all atomics seq_cst: no other behaviour under C11".to_string(),
            MemoryModel::NotKnown => {
                "assuming sequential consistency, which C11 gives to race-free programs: `--property races` tells"
                    .to_string()
            }
            MemoryModel::RaceFreeJava => "race-free: no other behaviour under Java's memory model".to_string(),
            MemoryModel::NotKnownJava => {
                "assuming sequential consistency, which Java gives to race-free programs: `--property races` tells"
                    .to_string()
            }
            MemoryModel::Weaker(places) => {
                let more = match places.len() - 1 {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                let first = program.source.locate(places[0]);
                format!("assuming sequential consistency; less is asked for at {first}{more}")
            }
        }
    }
}

/// What it means that a property holds that users ask for by its name.
fn in_words(property: &str, program: &Program, unreached: &[Unreached]) -> String {
    match property {
        "assertions" => assertions(program, unreached).unwrap_or_else(|| "there is no assertion to fail".to_string()),
        "races" => "no data race".to_string(),
        "memory" => "no invalid access of memory, no invalid free".to_string(),
        "overflow" => "no signed overflow, no division by zero, no shift out of range".to_string(),
        "locks" => "no lock misused".to_string(),
        "exceptions" => "no exception that nobody catches".to_string(),
        "deadlock" => "no deadlock".to_string(),
        "memtrack" => "no memory is lost".to_string(),
        other => other.to_string(),
    }
}

fn has_assertion(program: &Program, kind: AssertionKind) -> bool {
    program.edges.iter().any(|edge| match &edge.op {
        Op::Command(command) => command.assertions.iter().any(|assertion| assertion.kind == kind),
        Op::Call { .. } | Op::Return(_) => false,
    })
}

fn assertions(program: &Program, unreached: &[Unreached]) -> Option<String> {
    let mut spans: Vec<Span> = Vec::new();
    for edge in program.edges.iter() {
        let Op::Command(command) = &edge.op else {
            continue;
        };
        let is_assert = |kind| kind == AssertionKind::Assert;
        let has_assert = command.assertions.iter().any(|a| is_assert(a.kind));
        let is_action = matches!(command.update, Update::Action { assertion: Some(_), .. });
        if (has_assert || is_action) && !spans.contains(&edge.span) {
            spans.push(edge.span);
        }
    }
    let covers = |left_out: &Unreached, span: &Span| left_out.span.start <= span.start && span.end <= left_out.span.end;
    let never = spans.iter().filter(|&span| unreached.iter().any(|left_out| covers(left_out, span))).count();
    match (&spans[..], never) {
        ([], _) => None,
        ([span], 0) => Some(program.source.snippet(*span, 60).trim_end_matches(';').to_string()),
        ([span], _) => {
            let text = program.source.snippet(*span, 60);
            Some(format!("{}, but it is never evaluated", text.trim_end_matches(';')))
        }
        (_, 0) => Some(format!("all {} assertions in the code", spans.len())),
        (_, 1) => Some(format!("all {} assertions in the code, but 1 is never evaluated", spans.len())),
        _ => Some(format!("all {} assertions in the code, but {never} are never evaluated", spans.len())),
    }
}
