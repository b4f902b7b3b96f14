//! What JSON output says of a trace, and the facts behind it.

use crate::stores::{local_json, shared_json, variables_json};
use crate::value::is_replicated;
use crate::{Trace, TraceStep, Violation};
use serde::Serialize;
use serde_json::{Value, json};
use threadwise_ir::{EdgeId, Fault, Instance, PropertyId, PropertyKind, StepError, ThreadId};
use threadwise_source::Span;

/// The longest text of a step in characters.
const MAX_TEXT: usize = 100;

/// What is public about a step, in the order of a file.
#[derive(Serialize)]
pub(crate) struct PublicStep {
    pub(crate) thread: String,
    pub(crate) copy: Option<u32>,
    pub(crate) file: String,
    pub(crate) line: Option<u32>,
    pub(crate) column: Option<u32>,
    pub(crate) text: String,
    pub(crate) shared: Value,
    pub(crate) locals: Value,
}

pub(crate) fn public_step(instance: &Instance, step: &TraceStep) -> PublicStep {
    let (thread, copy) = thread_and_copy(instance, step.thread);
    let source = &instance.program.source;
    let span = step_span(instance, step);
    let position = span.map(|span| source.position(span.start));
    PublicStep {
        thread,
        copy,
        file: span.map_or(source.name(), |span| source.file_name(span.start)).to_string(),
        line: position.map(|p| p.line),
        column: position.map(|p| p.column),
        text: step_text(instance, &step.path),
        shared: shared_json(instance, &step.shared),
        locals: variables_json(instance, &step.local),
    }
}

/// The steps of a trace as JSON objects: `thread`, `copy` (null for a thread that is not
/// replicated), `file`, `line`, `column`, `text`, and after the step `shared` and `locals`.
pub fn trace_steps_json(instance: &Instance, trace: &Trace) -> Vec<Value> {
    trace.steps.iter().map(|step| json!(public_step(instance, step))).collect()
}

/// Where a trace starts: `shared`, and in `locals` each thread with its frames. Null if there is no
/// such state because the initial values themselves are in error.
pub fn initial_json(instance: &Instance, trace: &Trace) -> Value {
    let Some(initial) = &trace.initial else {
        return Value::Null;
    };
    let local = |(index, local): (usize, &threadwise_ir::Store)| json!({ "thread": instance.tid_name(index as i64 + 1), "frames": local_json(instance, local) });
    json!({
        "shared": shared_json(instance, &initial.shared),
        "locals": initial.locals.iter().enumerate().map(local).collect::<Vec<_>>(),
    })
}

/// The name of a thread's template, and which copy it is if it is replicated.
pub fn thread_and_copy(instance: &Instance, thread: ThreadId) -> (String, Option<u32>) {
    let thread = instance.threads[thread.index()];
    let template = instance.program.template(thread.template);
    (template.name.to_string(), is_replicated(template.copies).then_some(thread.copy))
}

/// Where a step starts in the source.
pub fn step_span(instance: &Instance, step: &TraceStep) -> Option<Span> {
    let first = step.path.first()?;
    Some(instance.program.edges.get(first.index())?.span)
}

/// The statements and tests on a step's edges, on one line.
pub fn step_text(instance: &Instance, path: &[EdgeId]) -> String {
    let mut text = String::new();
    for id in path {
        let edge = instance.program.edge(*id);
        if !text.is_empty() {
            text.push_str(match () {
                () if text == "atomic" => " { ",
                () if text.ends_with([';', '}']) => " ",
                () => "; ",
            });
        }
        text.push_str(&instance.program.source.snippet(edge.span, MAX_TEXT));
        match edge.branch {
            Some(true) => text.push_str(" is true"),
            Some(false) => text.push_str(" is false"),
            None => {}
        }
        if let Some((cut, _)) = text.char_indices().nth(MAX_TEXT) {
            text.truncate(cut);
            text.push('…');
            break;
        }
    }
    text
}

/// The facts about a violation that all outputs share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ViolationInfo {
    /// `assertion`, `invariant`, `never`, `race`, `range`, `index`, `division`, `release` or `action`.
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
    let (kind, name) = match &property.kind {
        PropertyKind::Invariant(Some(name), _) => ("invariant", name.to_string()),
        PropertyKind::Invariant(None, e) => ("invariant", text(e.span)),
        PropertyKind::Never(e) => ("never", text(e.span)),
        PropertyKind::NoRace(name, _) => ("race", name.to_string()),
    };
    ViolationInfo { kind, property: name, span: property.span, thread: None }
}

pub(crate) fn error_kind(error: StepError) -> &'static str {
    match error {
        StepError::Assertion => "assertion",
        StepError::Release => "release",
        StepError::ActionAssertion => "action",
        StepError::Fault(fault) => fault_kind(fault),
    }
}

pub(crate) fn fault_kind(fault: Fault) -> &'static str {
    match fault {
        Fault::Range => "range",
        Fault::Index => "index",
        Fault::Division => "division",
    }
}

/// A violation as a JSON object: `kind`, `property`, `file`, `line`, `column`, and `thread` and
/// `copy` of the thread whose step goes wrong (null if it is no step).
pub fn violation_json(instance: &Instance, violation: &Violation) -> Value {
    let info = violation_info(instance, violation);
    let position = instance.program.source.position(info.span.start);
    let thread = info.thread.map(|thread| thread_and_copy(instance, thread));
    json!({
        "kind": info.kind,
        "property": info.property,
        "file": instance.program.source.file_name(info.span.start),
        "line": position.line,
        "column": position.column,
        "thread": thread.as_ref().map(|(name, _)| name),
        "copy": thread.as_ref().and_then(|(_, copy)| *copy),
    })
}
