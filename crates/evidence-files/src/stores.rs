//! Shared stores and local states as JSON and back.

use crate::file::{array, expected, field, object, small_number, string};
use crate::value::{decode_value, encode_value};
use serde_json::{Map, Value, json};
use threadwise_evidence::{
    FileError, for_each_shown, frame_layout, routine_at, shared_layout, show_typed, shown_local, shown_shared,
    validate_local,
};
use threadwise_ir::{Control, Frame, Instance, LocalId, LocationId, SharedId, Shown, Sort, Store, TemplateId};

fn encode_vars(instance: &Instance, layout: &[(String, &Sort)], words: &[i64]) -> Map<String, Value> {
    let mut rest = words;
    let mut vars = Map::new();
    for (name, sort) in layout {
        let (value, after) = rest.split_at(instance.words(sort));
        vars.insert(name.clone(), encode_value(instance, sort, value));
        rest = after;
    }
    vars
}

fn decode_vars(
    instance: &Instance,
    layout: &[(String, &Sort)],
    value: &Value,
    out: &mut Vec<i64>,
) -> Result<(), FileError> {
    let vars = object(value)?;
    if let Some(unknown) = vars.keys().find(|name| !layout.iter().any(|(known, _)| known == *name)) {
        return Err(FileError::new(format!("the program has no variable `{unknown}` here")));
    }
    for (name, sort) in layout {
        field(vars, name, |value| decode_value(instance, sort, value, out))?;
    }
    Ok(())
}

/// All shared variables with their values.
pub fn shared_json(instance: &Instance, shared: &[i64]) -> Value {
    Value::Object(encode_vars(instance, &shared_layout(instance), shared))
}

pub(crate) fn decode_shared(instance: &Instance, value: &Value) -> Result<Store, FileError> {
    let mut words = Vec::new();
    decode_vars(instance, &shared_layout(instance), value, &mut words)?;
    Ok(words.into())
}

/// The variables of a local state's running routine with their values.
pub fn variables_json(instance: &Instance, local: &[i64]) -> Value {
    instance.frames(local).next().map_or_else(|| json!({}), |frame| frame_vars(instance, &frame))
}

fn frame_vars(instance: &Instance, frame: &Frame<'_>) -> Value {
    let (_, vars) = frame.words.split_last().expect("a frame has a control word");
    Value::Object(encode_vars(instance, &frame_layout(instance, frame.routine), vars))
}

/// The shared variables that the user wrote, with values of their types: addresses as what is there.
pub(crate) fn told_shared(instance: &Instance, shared: &[i64]) -> Value {
    let mut vars = Map::new();
    for (var, id) in instance.program.shared.iter().zip((0..).map(SharedId)) {
        let Some(shown) = shown_shared(instance, id).filter(|shown| !shown.is_hidden && !shown.is_status) else {
            continue;
        };
        tell(instance, (&var.name, shown), &var.sort, &shared[instance.shared_range(id)], &mut vars);
    }
    Value::Object(vars)
}

/// The same for the locals of the running routine.
pub(crate) fn told_locals(instance: &Instance, local: &[i64]) -> Value {
    let mut vars = Map::new();
    let Some(frame) = instance.frames(local).next() else { return json!({}) };
    let locals = &instance.program.routine(frame.routine).locals;
    for (var, id) in locals.iter().zip((0..).map(LocalId)) {
        let Some(shown) = shown_local(instance, frame.routine, id).filter(|shown| !shown.is_hidden) else { continue };
        tell(instance, (&var.name, shown), &var.sort, &frame.words[instance.local_range(frame.routine, id)], &mut vars);
    }
    Value::Object(vars)
}

fn tell(instance: &Instance, of: (&str, &Shown), sort: &Sort, words: &[i64], into: &mut Map<String, Value>) {
    let (name, shown) = of;
    let name = shown.name.as_deref().unwrap_or(name);
    match shown.pool {
        // Objects of an allocation are told one by one.
        Some(_) => for_each_shown(instance, (name, Some(shown)), sort, words, &mut |name, sort, words| {
            into.insert(name.to_string(), typed(instance, shown, sort, words));
        }),
        None => {
            into.insert(name.to_string(), typed(instance, shown, sort, words));
        }
    }
}

fn typed(instance: &Instance, shown: &Shown, sort: &Sort, words: &[i64]) -> Value {
    match sort {
        Sort::Array(_, element) => {
            let size = instance.words(element).max(1);
            words.chunks(size).map(|words| typed(instance, shown, element, words)).collect()
        }
        scalar if shown.is_pointer => json!(show_typed(instance, Some(shown), scalar, words)),
        scalar => encode_value(instance, scalar, words),
    }
}

/// A complete local state: its frames, the outermost first.
pub fn local_json(instance: &Instance, local: &[i64]) -> Value {
    let mut frames: Vec<Value> = instance.frames(local).map(|frame| frame_json(instance, &frame)).collect();
    frames.reverse();
    Value::Array(frames)
}

/// One frame.
pub(crate) fn frame_json(instance: &Instance, frame: &Frame<'_>) -> Value {
    let routine = &*instance.program.routine(frame.routine).name;
    let vars = frame_vars(instance, frame);
    match frame.control {
        Control::At(location) => {
            json!({ "routine": routine, "location": location.0, "vars": vars })
        }
        Control::Calling(edge) => json!({ "routine": routine, "calling": edge.0, "vars": vars }),
    }
}

pub(crate) fn decode_local(instance: &Instance, template: TemplateId, value: &Value) -> Result<Store, FileError> {
    let mut words = Vec::new();
    for (index, frame) in array(value)?.iter().enumerate() {
        decode_frame(instance, frame, &mut words).map_err(|e| e.at(index))?;
    }
    validate_local(instance, template, &words)?;
    Ok(words.into())
}

/// Appends the words of a frame.
pub(crate) fn decode_frame(instance: &Instance, value: &Value, out: &mut Vec<i64>) -> Result<(), FileError> {
    let frame = object(value)?;
    let control = match (frame.contains_key("location"), frame.contains_key("calling")) {
        (true, false) => Control::At(LocationId(field(frame, "location", small_number)?)),
        (false, true) => Control::Calling(threadwise_ir::EdgeId(field(frame, "calling", small_number)?)),
        _ => {
            return Err(FileError::new("a frame has either a `location` or a `calling`"));
        }
    };
    let routine = routine_at(instance, control).ok_or_else(|| FileError::new("the program has no such place"))?;
    let name = &instance.program.routine(routine).name;
    field(frame, "routine", |value| match string(value)? {
        said if *said == **name => Ok(()),
        _ => Err(expected(&format!("`{name}`, whose place this is"), value)),
    })?;
    field(frame, "vars", |value| decode_vars(instance, &frame_layout(instance, routine), value, out))?;
    out.push(control.word());
    Ok(())
}
