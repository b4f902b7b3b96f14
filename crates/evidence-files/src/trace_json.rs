//! What JSON output says of a trace, and the facts behind it.

use crate::stores::{local_json, shared_json, told_locals, told_shared, variables_json};
use crate::value::is_replicated;
use serde::Serialize;
use serde_json::{Value, json};
use threadwise_evidence::{
    Trace, TraceStep, Violation, edge_text, step_span, step_words, violation_info, with_names_of_threads,
};
use threadwise_ir::{EdgeId, Instance, State, ThreadId};

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
    let Some(initial) = trace.initial.clone().filter(|_| instance.program.telling.is_some()) else {
        return trace.steps.iter().map(|step| json!(public_step(instance, step))).collect();
    };
    let named = with_names_of_threads(instance, trace);
    let mut state = initial;
    let mut steps = Vec::new();
    for step in &trace.steps {
        steps.push(told_step(&named, &state, step));
        state.shared = step.shared.clone();
        state.locals[step.thread.index()] = step.local.clone();
    }
    steps
}

/// A step in the terms of the language that the program came from: beside the usual fields the `name` of the thread and
/// the `function` that the step stands in.
fn told_step(instance: &Instance, before: &State, step: &TraceStep) -> Value {
    let mut public = json!(public_step(instance, step));
    if let Some(words) = step_words(instance, Some(before), step.thread, &step.path, Some(step)) {
        let source = &instance.program.source;
        let position = source.position(words.span.start);
        public["name"] = json!(instance.tid_name(i64::from(step.thread.0) + 1));
        public["function"] = json!(words.function);
        public["file"] = json!(source.file_name(words.span.start));
        public["line"] = json!(position.line);
        public["column"] = json!(position.column);
        public["text"] = json!(words.text);
        public["shared"] = told_shared(instance, &step.shared);
        public["locals"] = told_locals(instance, &step.local);
    }
    public
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

/// The statements and tests on a step's edges, on one line.
pub fn step_text(instance: &Instance, path: &[EdgeId]) -> String {
    if let Some(words) = step_words(instance, None, ThreadId(0), path, None) {
        return words.text;
    }
    let mut text = String::new();
    for (index, id) in path.iter().enumerate() {
        if path.get(index + 1).is_some_and(|next| instance.program.are_one_statement(*id, *next)) {
            continue;
        }
        if !text.is_empty() {
            text.push_str(match () {
                () if text == "atomic" => " { ",
                () if text.ends_with([';', '}']) => " ",
                () => "; ",
            });
        }
        text.push_str(&edge_text(instance, *id, MAX_TEXT));
        if let Some((cut, _)) = text.char_indices().nth(MAX_TEXT) {
            text.truncate(cut);
            text.push('…');
            break;
        }
    }
    text
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
