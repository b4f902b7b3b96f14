//! What a step changed.

use std::collections::BTreeSet;
use threadwise_evidence::{for_each_shown, show_typed, shown_local, shown_shared};
use threadwise_ir::{Control, Frame, Instance, LocalId, RoutineId, SharedId, SharedVar, Shown, Sort};
use threadwise_spawn::{is_status, tells_of_starts};

/// A variable, or an element of an array, that a step changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// `x`, `a[2]`.
    pub name: String,
    /// Its value before the step; nothing for a parameter that came into being.
    pub before: Option<String>,
    /// Its value after the step.
    pub after: String,
    /// It is a local of the thread that took the step.
    pub is_local: bool,
}

impl Change {
    /// `x: 0 → 1`, `local i: 1 → 2`, `local n = 3`.
    pub fn show(&self) -> String {
        let scope = if self.is_local { "local " } else { "" };
        match &self.before {
            Some(before) => format!("{scope}{}: {before} → {}", self.name, self.after),
            None => format!("{scope}{} = {}", self.name, self.after),
        }
    }
}

/// The shared variables that differ. Arguments on their way are not worth a word: the start says what they are.
pub(crate) fn shared_changes(instance: &Instance, before: &[i64], after: &[i64]) -> Vec<Change> {
    let mut changes = Vec::new();
    let program = &instance.program;
    let is_shown = |id: SharedId, var: &SharedVar| match shown_shared(instance, id) {
        Some(shown) => !shown.is_hidden,
        None => is_status(var) || !tells_of_starts(program, var),
    };
    let ids = (0..).map(SharedId);
    for (id, var) in ids.zip(&program.shared).filter(|(id, var)| is_shown(*id, var)) {
        let range = instance.shared_range(id);
        let (old, new) = (&before[range.clone()], &after[range]);
        compare(instance, (&var.name, shown_shared(instance, id)), &var.sort, (old, new), false, &mut changes);
    }
    changes
}

/// The locals that differ, and the parameters of a procedure that was called. Locals that went out
/// of scope or were dropped are not worth a word.
pub(crate) fn local_changes(
    instance: &Instance,
    before: &[i64],
    after: &[i64],
    dropped: &BTreeSet<LocalId>,
) -> Vec<Change> {
    let mut old: Vec<Frame> = instance.frames(before).collect();
    let mut new: Vec<Frame> = instance.frames(after).collect();
    old.reverse();
    new.reverse();
    let mut changes = Vec::new();
    for (depth, frame) in new.iter().enumerate() {
        match old.get(depth).filter(|f| f.routine == frame.routine) {
            Some(old) => frame_changes(instance, old, frame, dropped, &mut changes),
            None => parameters(instance, frame, &mut changes),
        }
    }
    changes
}

fn frame_changes(instance: &Instance, old: &Frame, new: &Frame, dropped: &BTreeSet<LocalId>, out: &mut Vec<Change>) {
    let program = &instance.program;
    let dead: &[LocalId] = match new.control {
        Control::At(location) => &program.location(location).dead,
        Control::Calling(_) => &[],
    };
    for (index, var) in program.routine(new.routine).locals.iter().enumerate() {
        let id = LocalId(index as u32);
        let shown = shown_local(instance, new.routine, id);
        if dead.contains(&id) || dropped.contains(&id) || shown.is_some_and(|shown| shown.is_hidden) {
            continue;
        }
        let range = instance.local_range(new.routine, id);
        let (before, after) = (&old.words[range.clone()], &new.words[range]);
        compare(instance, (&var.name, shown), &var.sort, (before, after), true, out);
    }
}

fn parameters(instance: &Instance, frame: &Frame, out: &mut Vec<Change>) {
    let routine = instance.program.routine(frame.routine);
    for (index, var) in routine.locals[..routine.params].iter().enumerate() {
        let words = frame_words(instance, frame.routine, frame.words, index);
        out.push(Change {
            name: var.name.to_string(),
            before: None,
            after: show_typed(instance, shown_local(instance, frame.routine, LocalId(index as u32)), &var.sort, words),
            is_local: true,
        });
    }
}

/// The words of a local in a frame.
pub(crate) fn frame_words<'w>(instance: &Instance, routine: RoutineId, frame: &'w [i64], local: usize) -> &'w [i64] {
    &frame[instance.local_range(routine, LocalId(local as u32))]
}

fn compare(
    instance: &Instance,
    (name, shown): (&str, Option<&Shown>),
    sort: &Sort,
    (before, after): (&[i64], &[i64]),
    is_local: bool,
    out: &mut Vec<Change>,
) {
    if before == after {
        return;
    }
    let mut old = Vec::new();
    for_each_shown(instance, (name, shown), sort, before, &mut |_, _, w| old.push(w));
    let mut old = old.into_iter();
    for_each_shown(instance, (name, shown), sort, after, &mut |name, sort, new| {
        let old = old.next().unwrap_or(new);
        if old != new {
            out.push(Change {
                name: name.to_string(),
                before: Some(show_typed(instance, shown, sort, old)),
                after: show_typed(instance, shown, sort, new),
                is_local,
            });
        }
    });
}
