//! Shared stores and local states: what is in them, and whether words are such a store at all.

use crate::FileError;
use threadwise_ir::{Control, Instance, LocalId, Op, RoutineId, SharedId, Sort, TemplateId};

/// Names of variables, made unique: the second variable called `x` is `x#2`. A routine may declare
/// variables of the same name in different blocks.
fn unique_names<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Vec<String> {
    let earlier = |index: usize, name: &str| names.clone().take(index).filter(|other| *other == name).count();
    let number = |(index, name)| match earlier(index, name) {
        0 => name.to_string(),
        n => format!("{name}#{}", n + 1),
    };
    names.clone().enumerate().map(number).collect()
}

/// Names and sorts of a program's shared variables, in the order of the shared store.
pub fn shared_layout(instance: &Instance) -> Vec<(String, &Sort)> {
    let vars = &instance.program.shared;
    let names = unique_names(vars.iter().map(|v| &*v.name));
    names.into_iter().zip(vars.iter().map(|v| &v.sort)).collect()
}

/// Names and sorts of a routine's variables, in the order of its frames.
pub fn frame_layout(instance: &Instance, routine: RoutineId) -> Vec<(String, &Sort)> {
    let vars = &instance.program.routine(routine).locals;
    let names = unique_names(vars.iter().map(|v| &*v.name));
    names.into_iter().zip(vars.iter().map(|v| &v.sort)).collect()
}

/// The routine in which control is, if there is such a place.
pub fn routine_at(instance: &Instance, control: Control) -> Option<RoutineId> {
    let location = match control {
        Control::At(location) => location,
        Control::Calling(edge) => instance.program.edges.get(edge.index())?.from,
    };
    Some(instance.program.locations.get(location.index())?.routine)
}

/// Whether the words are a shared store of the instance.
pub fn validate_shared(instance: &Instance, words: &[i64]) -> Result<(), FileError> {
    if words.len() != instance.shared_words() {
        let (are, should) = (words.len(), instance.shared_words());
        return Err(FileError::new(format!("a shared store has {should} words, not {are}")));
    }
    for (index, var) in instance.program.shared.iter().enumerate() {
        let range = instance.shared_range(SharedId(index as u32));
        if !instance.well_formed(&var.sort, &words[range]) {
            return Err(FileError::new(format!("`{}` has a value outside its type", var.name)));
        }
    }
    Ok(())
}

/// Whether the words are a local state that copies of the template may have: a stack of frames,
/// each called by the one below, with values that fit their types.
pub fn validate_local(instance: &Instance, template: TemplateId, words: &[i64]) -> Result<(), FileError> {
    let mut routine = instance.program.template(template).body;
    let mut rest = words;
    loop {
        let size = instance.frame_words(routine);
        let name = &instance.program.routine(routine).name;
        if rest.len() < size {
            return Err(FileError::new(format!("the frame of `{name}` is cut short")));
        }
        let (frame, above) = rest.split_at(size);
        validate_frame(instance, routine, frame)?;
        match Control::of_word(frame[size - 1]) {
            Control::At(_) if above.is_empty() => return Ok(()),
            Control::At(_) => {
                return Err(FileError::new(format!("a frame lies above `{name}`, which is not calling")));
            }
            Control::Calling(edge) => match &instance.program.edge(edge).op {
                Op::Call { routine: called, .. } => routine = *called,
                _ => {
                    return Err(FileError::new(format!("`{name}` is calling where there is no call")));
                }
            },
        }
        rest = above;
    }
}

fn validate_frame(instance: &Instance, routine: RoutineId, frame: &[i64]) -> Result<(), FileError> {
    let name = &instance.program.routine(routine).name;
    for (index, var) in instance.program.routine(routine).locals.iter().enumerate() {
        let range = instance.local_range(routine, LocalId(index as u32));
        if !instance.well_formed(&var.sort, &frame[range]) {
            return Err(FileError::new(format!("`{}` of `{name}` has a value outside its type", var.name)));
        }
    }
    let word = frame[frame.len() - 1];
    let control = Control::of_word(word);
    // Not every word stands for a control: ids have 32 bits.
    if control.word() != word || routine_at(instance, control) != Some(routine) {
        return Err(FileError::new(format!("`{name}` has no such place")));
    }
    Ok(())
}

/// Whether the words are a running frame of the routine: control is at a location.
pub(crate) fn validate_running(instance: &Instance, routine: RoutineId, words: &[i64]) -> Result<(), FileError> {
    validate_single(instance, routine, words)?;
    match Control::of_word(words[words.len() - 1]) {
        Control::At(_) => Ok(()),
        Control::Calling(_) => {
            let name = &instance.program.routine(routine).name;
            Err(FileError::new(format!("the running frame of `{name}` is calling")))
        }
    }
}

/// Whether the words are a frame of the routine that waits for a call to return.
pub(crate) fn validate_caller(instance: &Instance, routine: RoutineId, words: &[i64]) -> Result<(), FileError> {
    called_routine(instance, words)?;
    validate_single(instance, routine, words)
}

fn validate_single(instance: &Instance, routine: RoutineId, words: &[i64]) -> Result<(), FileError> {
    let (are, should) = (words.len(), instance.frame_words(routine));
    if are != should {
        let name = &instance.program.routine(routine).name;
        return Err(FileError::new(format!("a frame of `{name}` has {should} words, not {are}")));
    }
    validate_frame(instance, routine, words)
}

/// The procedure that a frame is calling. Calls from inside an atomic step do not count: no state
/// has such a frame.
pub(crate) fn called_routine(instance: &Instance, frame: &[i64]) -> Result<RoutineId, FileError> {
    let program = &instance.program;
    let calling = frame.last().and_then(|&word| match Control::of_word(word) {
        Control::Calling(edge) if Control::Calling(edge).word() == word => program.edges.get(edge.index()),
        _ => None,
    });
    match calling.map(|edge| (&edge.op, program.location(edge.from).transient)) {
        Some((Op::Call { routine, .. }, false)) => Ok(*routine),
        _ => Err(FileError::new("a caller's frame is at a call outside atomic blocks")),
    }
}
