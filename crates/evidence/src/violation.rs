//! The facts about violations that all outputs share.

use crate::{TraceStep, Violation};
use threadwise_ir::{Fault, Instance, PropertyId, StepError, ThreadId, Wording};
use threadwise_source::Span;

/// The longest text of what is violated in characters.
const MAX_TEXT: usize = 100;

/// Where a step starts in the source.
pub fn step_span(instance: &Instance, step: &TraceStep) -> Option<Span> {
    let first = step.path.first()?;
    Some(instance.program.edges.get(first.index())?.span)
}

/// The facts about a violation that all outputs share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ViolationInfo {
    /// `assertion`, `invariant`, `never`, `race`, `deadlock`, `lock-cycle`, `range`, `index`, `division`, `release` or `action`.
    pub kind: &'static str,
    /// The name of the property, or the text of what is violated.
    pub property: String,
    /// Where it stands.
    pub span: Span,
    /// Whose step goes wrong, if it is a step.
    pub thread: Option<ThreadId>,
}

/// The facts about a violation.
pub fn violation_info(instance: &Instance, violation: &Violation) -> ViolationInfo {
    let text = |span| instance.program.source.snippet(span, MAX_TEXT);
    match violation {
        Violation::Step { thread, error, span, .. } | Violation::Start { thread, error, span } => {
            ViolationInfo { kind: error_kind(*error), property: text(*span), span: *span, thread: Some(*thread) }
        }
        Violation::Property(id) => property_info(instance, *id),
        Violation::PropertyFault(_, fault, span) | Violation::Initial(fault, span) => {
            ViolationInfo { kind: fault_kind(*fault), property: text(*span), span: *span, thread: None }
        }
    }
}

fn property_info(instance: &Instance, id: PropertyId) -> ViolationInfo {
    let Some(property) = instance.program.properties.get(id.index()) else {
        let name = format!("property {} of the program", id.0);
        return ViolationInfo { kind: "invariant", property: name, span: Span::default(), thread: None };
    };
    let text = |span| instance.program.source.snippet(span, MAX_TEXT);
    let kind = match &property.wording {
        Wording::Invariant(_) => "invariant",
        Wording::Never(_) => "never",
        Wording::NoRace(_) => "race",
        Wording::NoDeadlock => "deadlock",
        Wording::NoLockCycle => "lock-cycle",
    };
    let formula = property.formula().map_or(property.span, |(e, _)| e.span);
    let name = property.wording.name().map_or_else(|| text(formula), str::to_string);
    ViolationInfo { kind, property: name, span: property.span, thread: None }
}

/// The word for what goes wrong in a step.
pub fn error_kind(error: StepError) -> &'static str {
    match error {
        StepError::Assertion => "assertion",
        StepError::Release => "release",
        StepError::Start => "start",
        StepError::Join => "join",
        StepError::Memory => "memory",
        StepError::Arithmetic => "arithmetic",
        StepError::Lock => "lock",
        StepError::Exception => "exception",
        StepError::Beyond => "beyond",
        StepError::ActionAssertion => "action",
        StepError::Fault(fault) => fault_kind(fault),
    }
}

/// The word for what evaluation runs into.
pub fn fault_kind(fault: Fault) -> &'static str {
    match fault {
        Fault::Range => "range",
        Fault::Index => "index",
        Fault::Division => "division",
        Fault::Shift => "shift",
    }
}
