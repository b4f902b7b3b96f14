//! Values and states as text for people.

use crate::stores::{frame_layout, shared_layout};
use threadwise_ir::{Control, Frame, Instance, Sort, State};

/// A value as text: `true`, `3`, `busy`, `W[2]`, `{a, b}`, `[1, 2]`.
pub fn show_value(instance: &Instance, sort: &Sort, words: &[i64]) -> String {
    match sort {
        Sort::Set(element) => {
            let elements = set_elements(instance, element, words);
            let shown: Vec<String> = elements.map(|value| show_value(instance, element, &[value])).collect();
            format!("{{{}}}", shown.join(", "))
        }
        Sort::Array(_, element) => {
            let size = instance.words(element).max(1);
            let shown: Vec<String> = words.chunks(size).map(|chunk| show_value(instance, element, chunk)).collect();
            format!("[{}]", shown.join(", "))
        }
        scalar => scalar_name(instance, scalar, words[0]),
    }
}

fn show_vars(instance: &Instance, layout: &[(String, &Sort)], words: &[i64]) -> String {
    let mut rest = words;
    let mut shown = Vec::new();
    for (name, sort) in layout {
        let (value, after) = rest.split_at(instance.words(sort));
        shown.push(format!("{name} = {}", show_value(instance, sort, value)));
        rest = after;
    }
    shown.join(", ")
}

/// The shared variables: `x = 1, m = W[2]`.
pub fn show_shared(instance: &Instance, shared: &[i64]) -> String {
    show_vars(instance, &shared_layout(instance), shared)
}

/// A local state: where its control is and what its variables are, the running procedure last.
pub fn show_local(instance: &Instance, local: &[i64]) -> String {
    let mut frames: Vec<String> = instance.frames(local).map(|frame| show_frame(instance, &frame)).collect();
    frames.reverse();
    frames.join(", ")
}

fn show_frame(instance: &Instance, frame: &Frame<'_>) -> String {
    let program = &instance.program;
    let position = |span| program.source.locate_briefly(span);
    let place = match frame.control {
        Control::At(location) if location == program.routine(frame.routine).exit => "at its end".to_string(),
        Control::At(location) => format!("at {}", position(program.location(location).span)),
        Control::Calling(edge) => format!("calling at {}", position(program.edge(edge).span)),
    };
    let (_, vars) = frame.words.split_last().expect("a frame has a control word");
    match show_vars(instance, &frame_layout(instance, frame.routine), vars) {
        vars if vars.is_empty() => place,
        vars => format!("{place} with {vars}"),
    }
}

/// A state on one line: the shared variables, then each thread.
pub fn show_state(instance: &Instance, state: &State) -> String {
    let mut parts = vec![show_shared(instance, &state.shared)];
    for (index, local) in state.locals.iter().enumerate() {
        parts.push(format!("{} {}", instance.tid_name(index as i64 + 1), show_local(instance, local)));
    }
    parts.retain(|part| !part.is_empty());
    parts.join("; ")
}

/// The name of an enumeration's member or of a thread; a number for other scalars.
pub fn scalar_name(instance: &Instance, sort: &Sort, word: i64) -> String {
    match sort {
        Sort::Bool => (word != 0).to_string(),
        Sort::Tid => instance.tid_name(word),
        Sort::Enum(id) => {
            let members = &instance.program.enums[id.index()].members;
            let member = usize::try_from(word).ok().and_then(|index| members.get(index));
            member.map_or_else(|| word.to_string(), |name| name.to_string())
        }
        Sort::Bits(bits) => bits.number(word).to_string(),
        _ => word.to_string(),
    }
}

/// The elements of a set in ascending order.
pub fn set_elements<'a>(instance: &'a Instance, element: &'a Sort, words: &'a [i64]) -> impl Iterator<Item = i64> + 'a {
    let ranks = (0..words.len() * 64).filter(|rank| words[rank / 64] >> (rank % 64) & 1 == 1);
    ranks.map(|rank| instance.unrank(element, rank))
}
