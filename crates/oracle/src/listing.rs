//! All reachable states written out, to compare another semantics with this one state by state.
//!
//! The text of a state is `x=1 s={1,2} | T@L{v=0}`: the shared variables by name, and for each thread its frames, each
//! with the labels of the point where control is and with all locals, those out of scope at their defaults. Where threads
//! can be started, it says first how far a thread is, with the arguments that it has not taken yet: `started[2]`. Sets and
//! arrays are sorted by their texts, threads are numbers. Points are told apart by labels alone, so the text is good only
//! for programs in which every point has a label of its own.

use crate::explore::{initial_states, property_errors};
use crate::load::load;
use crate::state::{Frame, Life, State};
use crate::step::step;
use crate::tree::Program;
use crate::value::{Fault, Name, Ty, Value};
use crate::{ErrorKind, explore};
use std::collections::{BTreeMap, BTreeSet};
use threadwise_front_tw::ast::Module;

/// What the next step of a thread can do: its errors, and the states that it can lead to.
pub type ListedSteps = (BTreeSet<ErrorKind>, BTreeSet<String>);

/// A reachable state.
#[derive(Clone, Debug)]
pub struct ListedState {
    pub text: String,
    /// Which invariants and `never` it violates, and which errors their evaluation runs into.
    pub errors: BTreeSet<ErrorKind>,
    /// By thread.
    pub steps: Vec<ListedSteps>,
}

/// All reachable states of a program.
#[derive(Clone, Debug)]
pub struct Listing {
    /// The texts of the initial states.
    pub initial: BTreeSet<String>,
    /// Errors in initial values and before the first step.
    pub initial_errors: BTreeSet<ErrorKind>,
    pub states: Vec<ListedState>,
}

/// The reachable states of a program that has no more than so many; nothing if it has more, or the oracle cannot tell.
pub fn listing(module: &Module, max_states: usize) -> Option<Listing> {
    if !explore(module, &[], max_states).complete {
        return None;
    }
    list(&load(module, &[], None).ok()?).ok()
}

fn list(program: &Program) -> Result<Listing, Fault> {
    let mut initial_errors = BTreeSet::new();
    let initial = initial_states(program, &mut initial_errors)?;
    let mut seen = initial.clone();
    let mut pending: Vec<State> = initial.iter().cloned().collect();
    let mut states = Vec::new();
    while let Some(state) = pending.pop() {
        let mut errors = BTreeSet::new();
        property_errors(program, &state, &mut errors)?;
        let mut steps = Vec::new();
        for thread in 1..=program.number_of_threads() {
            let outcome = step(program, &state, thread)?;
            let next: BTreeSet<State> = outcome.next.into_iter().map(|(next, _)| next).collect();
            steps.push((outcome.errors, next.iter().map(|next| text_of_state(program, next)).collect()));
            pending.extend(next.into_iter().filter(|next| seen.insert(next.clone())));
        }
        states.push(ListedState { text: text_of_state(program, &state), errors, steps });
    }
    let initial = initial.iter().map(|state| text_of_state(program, state)).collect();
    Ok(Listing { initial, initial_errors, states })
}

fn text_of_state(program: &Program, state: &State) -> String {
    let mut shared = BTreeMap::new();
    for (name, value) in &*state.shared {
        shared.extend(leaves(name, &program.shared[name], value));
    }
    let mut text: Vec<String> = shared.iter().map(|(name, value)| format!("{name}={}", show(value))).collect();
    for (frames, life) in state.threads.iter().zip(&state.lives) {
        text.push("|".to_string());
        if program.threads.iter().any(|thread| thread.waits) {
            text.push(text_of_life(program, &frames[0], life));
        }
        text.extend(frames.iter().map(|frame| text_of_frame(program, frame, *life == Life::Running)));
    }
    text.join(" ")
}

/// A thread that does not wait to be started is never told to start.
fn text_of_life(program: &Program, frame: &Frame, life: &Life) -> String {
    let params = &program.routines[frame.routine].params;
    let default = |(_, ty): &(Name, Ty)| ty.default_value().expect("the program has been explored");
    let defaults = || params.iter().map(default).collect();
    let (status, args): (&str, Vec<Value>) = match life {
        Life::Running if !program.threads[frame.routine].waits => ("idle", Vec::new()),
        Life::Waiting => ("idle", defaults()),
        Life::Started(args) => ("started", args.clone()),
        Life::Running => ("started", defaults()),
        Life::Ended => ("ended", defaults()),
    };
    let args: Vec<String> = args.iter().map(show).collect();
    format!("{status}[{}]", args.join(","))
}

fn text_of_frame(program: &Program, frame: &Frame, is_somewhere: bool) -> String {
    let routine = &program.routines[frame.routine];
    let labels = routine.label_points.iter().filter(|(_, points)| is_somewhere && points.contains(&frame.path));
    let labels: Vec<&str> = labels.map(|(label, _)| &**label).collect();
    let default = |ty: &Ty| ty.default_value().expect("the program has been explored");
    let mut all = BTreeMap::new();
    for (name, ty) in &routine.all_locals() {
        let default = default(ty);
        all.extend(leaves(name, ty, frame.local_from_outside(name).unwrap_or(&default)));
    }
    let locals: Vec<String> = all.iter().map(|(name, value)| format!("{name}={}", show(value))).collect();
    format!("{}@{}{{{}}}", routine.name, labels.join("+"), locals.join(","))
}

/// A variable as those of the program without records and channels: one for each field, for the length of a channel and for
/// what is in it.
fn leaves(name: &str, ty: &Ty, value: &Value) -> Vec<(String, Value)> {
    match (ty, value) {
        (Ty::Record(fields), Value::Record(values)) => {
            fields.iter().flat_map(|(field, ty)| leaves(&format!("{name}.{field}"), ty, &values[field])).collect()
        }
        (Ty::Chan(element, capacity), Value::Queue(values)) => {
            let default = element.default_value().expect("the program has been explored");
            let slot = |slot: usize| (Value::Int(slot as i64), values.get(slot).unwrap_or(&default).clone());
            let array = Value::Array((0..*capacity).map(slot).collect());
            let keys = Box::new(Ty::Range(0, *capacity as i64 - 1));
            let mut all = leaves(&format!("{name}.values"), &Ty::Array(keys, element.clone()), &array);
            all.push((format!("{name}.length"), Value::Int(values.len() as i64)));
            all
        }
        (Ty::Array(_, element), Value::Array(elements)) if is_compound(element) => {
            let mut columns: BTreeMap<String, BTreeMap<Value, Value>> = BTreeMap::new();
            for (key, value) in elements {
                for (leaf, value) in leaves(name, element, value) {
                    columns.entry(leaf).or_default().insert(key.clone(), value);
                }
            }
            columns.into_iter().map(|(leaf, column)| (leaf, Value::Array(column))).collect()
        }
        _ => vec![(name.to_string(), value.clone())],
    }
}

fn is_compound(ty: &Ty) -> bool {
    match ty {
        Ty::Record(_) | Ty::Chan(..) => true,
        Ty::Array(_, element) => is_compound(element),
        _ => false,
    }
}

fn show(value: &Value) -> String {
    let sorted = |mut parts: Vec<String>| {
        parts.sort();
        parts.join(",")
    };
    match value {
        Value::Bool(b) => b.to_string(),
        Value::Int(i) => i.to_string(),
        Value::Machine(_, i) => i.to_string(),
        Value::Member(name) => name.to_string(),
        Value::Thread(number) => number.to_string(),
        Value::Set(elements) => format!("{{{}}}", sorted(elements.iter().map(show).collect())),
        Value::Array(elements) => {
            let parts = elements.iter().map(|(key, element)| format!("{}:{}", show(key), show(element)));
            format!("[{}]", sorted(parts.collect()))
        }
        // These have been taken apart.
        Value::Record(_) | Value::Queue(_) => format!("{value:?}"),
    }
}
