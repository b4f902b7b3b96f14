//! What a thread does to the shared variables, as guarded updates.
//!
//! The guarantee is not part of a proof, since it follows from the states: it is what the thread's
//! steps from there do.

use crate::annotation::for_each_state;
use crate::formula::{Formula, Kind};
use crate::view::{Names, Part, Table, permutations, shared_parts};
use std::collections::{BTreeMap, BTreeSet};
use threadwise_evidence::ThreadAnnotation;
use threadwise_ir::{Instance, Store, ThreadId};

/// Of more states, or of more steps, than this nothing is said.
const MAX_STEPS: usize = 50_000;

/// An update of shared variables, and when it can happen.
#[derive(Clone, Debug)]
pub(crate) struct Guarded {
    /// What holds of the shared variables before.
    pub(crate) guard: Formula,
    /// `m' == self`.
    pub(crate) update: String,
}

/// How a part changes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Change {
    To(i64),
    By(i64),
}

/// The guarded updates of a thread, in the order of its code; `None` if that is too much work.
pub(crate) fn guarantee(
    instance: &Instance,
    names: &Names,
    thread: ThreadId,
    annotation: &ThreadAnnotation,
) -> Option<Vec<Guarded>> {
    let steps = steps(instance, names, thread, annotation)?;
    let parts: Vec<(usize, Part)> = shared_parts(instance, names).into_iter().map(|part| (0, part)).collect();
    let mut table = Table::new(instance, names, parts);
    let mut by_parts: BTreeMap<Vec<usize>, Vec<&Step>> = BTreeMap::new();
    for step in &steps {
        let changed = (0..table.parts.len()).filter(|&i| table.parts[i].1.differs(&step.before, &step.after));
        by_parts.entry(changed.collect()).or_default().push(step);
    }
    let mut groups = Vec::new();
    for (changed, steps) in &by_parts {
        groups.extend(by_changes(&mut table, changed, steps));
    }
    groups.sort_by_key(|(_, steps)| steps.iter().map(|step| step.at).min());
    Some(groups.into_iter().map(|(changes, steps)| guarded(&mut table, &changes, &steps)).collect())
}

/// Changes of parts, and the steps that make them.
type Group<'s> = (Vec<(usize, Change)>, Vec<&'s Step>);

/// Steps that change the same parts, grouped by how they change them.
fn by_changes<'s>(table: &mut Table, changed: &[usize], steps: &[&'s Step]) -> Vec<Group<'s>> {
    let by: Vec<bool> = changed.iter().map(|&part| is_shorter_by(table, part, steps)).collect();
    let mut groups: BTreeMap<Vec<(usize, Change)>, Vec<&Step>> = BTreeMap::new();
    for step in steps {
        let change = |(&part, &by): (&usize, &bool)| (part, change(table, part, step, by));
        groups.entry(changed.iter().zip(&by).map(change).collect()).or_default().push(step);
    }
    groups.into_iter().collect()
}

/// Steps that make the same changes, in words.
fn guarded(table: &mut Table, changes: &[(usize, Change)], steps: &[&Step]) -> Guarded {
    let mut update = Vec::new();
    for &(part, by) in changes {
        // From one value only, the change is better told by where it leads.
        let to: BTreeSet<Change> = steps.iter().map(|step| change(table, part, step, false)).collect();
        let best = to.first().filter(|_| to.len() == 1).copied().unwrap_or(by);
        update.push(show(&table.parts[part].1, best));
    }
    let mut guard = table.clone();
    steps.iter().for_each(|step| guard.add(&[&step.before]));
    Guarded { guard: guard.formula(), update: update.join(" && ") }
}

/// A step that changes the shared store.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Step {
    /// Where in the code: the number of the location.
    at: usize,
    before: Store,
    after: Store,
}

/// All changes of the shared store by steps of the thread.
fn steps(
    instance: &Instance,
    names: &Names,
    thread: ThreadId,
    annotation: &ThreadAnnotation,
) -> Option<BTreeSet<Step>> {
    let mut steps = BTreeSet::new();
    let mut left = MAX_STEPS;
    for_each_state(instance, annotation, &mut |shared, local| {
        let at = instance.location_of(local).index();
        for before in permutations(instance, names, shared)? {
            let successors = instance.steps(thread, &before, local).successors;
            left = left.checked_sub(successors.len().max(1))?;
            for successor in successors {
                if successor.shared != before {
                    steps.insert(Step { at, before: before.clone(), after: successor.shared });
                }
            }
        }
        Some(())
    })?;
    Some(steps)
}

/// Whether a number changes in fewer ways by than to.
fn is_shorter_by(table: &mut Table, part: usize, steps: &[&Step]) -> bool {
    if !matches!(table.parts[part].1.variable.kind, Kind::Number(_)) {
        return false;
    }
    let mut distinct = |by: bool| {
        let changes: BTreeSet<Change> = steps.iter().map(|step| change(table, part, step, by)).collect();
        changes.len()
    };
    distinct(true) < distinct(false)
}

fn change(table: &mut Table, part: usize, step: &Step, by: bool) -> Change {
    let (before, after) = (table.value(part, &step.before), table.value(part, &step.after));
    match after.checked_sub(before).filter(|_| by) {
        Some(difference) => Change::By(difference),
        None => Change::To(after),
    }
}

/// `m' == self`, `x' == x + 1`.
fn show(part: &Part, change: Change) -> String {
    let (name, primed) = (&part.variable.name, &part.primed.name);
    match change {
        Change::To(value) => part.primed.literal(&[value]).unwrap_or_else(|| format!("{primed} == {name}")),
        Change::By(n) if n < 0 => format!("{primed} == {name} - {}", n.unsigned_abs()),
        Change::By(n) => format!("{primed} == {name} + {n}"),
    }
}
