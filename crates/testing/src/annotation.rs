//! The least modular proofs, by saying everything again until nothing is new.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use threadwise_evidence::{Annotation, Context, ModularProof, StatesByStore, ThreadAnnotation};
use threadwise_ir::{Instance, Program, Store, TemplateId, ThreadId};

/// Thread states: a context, a shared store, a local state or its running frame.
type ThreadStates = BTreeSet<(u32, Store, Store)>;

/// What is known of a thread: its states, and for each context from where it is called. A context
/// is the index of a procedure, but 0 is the thread's own code.
#[derive(Clone, Default, PartialEq)]
struct Known {
    states: ThreadStates,
    callers: BTreeMap<u32, BTreeSet<(u32, Store)>>,
}

/// The least annotation, by saying everything again until nothing is new.
pub fn annotation(program: &Arc<Program>, copies: &[u32]) -> Annotation {
    let instance = Instance::with_copies(program.clone(), copies);
    let mut known = vec![Known::default(); instance.threads.len()];
    for shared in instance.initial_stores().stores {
        for (thread, known) in known.iter_mut().enumerate() {
            let starts = instance.starts(ThreadId(thread as u32), &shared).successors;
            known.states.extend(starts.into_iter().map(|start| (0, shared.clone(), start.local)));
        }
    }
    loop {
        let mut next = known.clone();
        for thread in 0..known.len() {
            let changes = own_steps(&instance, thread, &known[thread], &mut next[thread]);
            for (other, known) in known.iter().enumerate().filter(|(other, _)| *other != thread) {
                for (context, shared, local) in &known.states {
                    let to = changes.iter().filter(|(from, _)| from == shared);
                    next[other].states.extend(to.map(|(_, to)| (*context, to.clone(), local.clone())));
                }
            }
        }
        if next == known {
            break;
        }
        known = next;
    }
    let templates = (0..program.templates.len() as u32).map(TemplateId);
    let thread = |template| match instance.copies_of(template) {
        none if none.is_empty() => ThreadAnnotation::default(),
        copies => thread_annotation(program, &known[copies.start]),
    };
    Annotation { copies: copies.to_vec(), threads: templates.map(thread).collect() }
}

/// Adds where the thread's own steps lead; gives what they do to shared stores.
fn own_steps(instance: &Instance, thread: usize, known: &Known, next: &mut Known) -> BTreeSet<(Store, Store)> {
    let mut changes = BTreeSet::new();
    for (context, shared, local) in &known.states {
        let callers: Vec<Option<(u32, Store)>> = match known.callers.get(context) {
            Some(callers) => callers.iter().cloned().map(Some).collect(),
            None => vec![None],
        };
        for caller in callers {
            let below = caller.as_ref().map_or(&[][..], |(_, frame)| frame);
            let stack = [below, local].concat();
            for s in instance.steps(ThreadId(thread as u32), shared, &stack).successors {
                changes.insert((shared.clone(), s.shared.clone()));
                if !instance.program.is_recursive() {
                    next.states.insert((0, s.shared, s.local));
                    continue;
                }
                let mut frames: Vec<&[i64]> = instance.frames(&s.local).map(|frame| frame.words).collect();
                frames.reverse();
                let below = usize::from(caller.is_some());
                if frames.len() == below {
                    let (context, _) = caller.as_ref().expect("a thread does not return");
                    next.states.insert((*context, s.shared, s.local));
                } else if frames.len() == below + 1 {
                    next.states.insert((*context, s.shared, frames[below].into()));
                } else {
                    let callee = instance.top_frame(&s.local).0.index() as u32 + 1;
                    next.callers.entry(callee).or_default().insert((*context, frames[below].into()));
                    next.states.insert((callee, s.shared, frames[below + 1].into()));
                }
            }
        }
    }
    changes
}

fn thread_annotation(program: &Program, known: &Known) -> ThreadAnnotation {
    // Contexts that are not called are left out, so they are numbered anew.
    let all = 0..=program.routines.len() as u32;
    let used: Vec<u32> = all.filter(|context| *context == 0 || known.callers.contains_key(context)).collect();
    let number = |context: u32| used.iter().position(|used| *used == context).expect("in use") as u32;
    let context = |&context: &u32| {
        let callers = known.callers.get(&context).into_iter().flatten();
        let states = known.states.iter().filter(|state| state.0 == context);
        Context {
            callers: callers.map(|(caller, frame)| (number(*caller), frame.clone())).collect(),
            states: by_store(states.map(|(_, shared, local)| (shared.clone(), local.clone()))),
        }
    };
    ThreadAnnotation { contexts: used.iter().map(context).collect() }
}

/// Grouped by shared store.
pub fn by_store(pairs: impl Iterator<Item = (Store, Store)>) -> StatesByStore {
    let mut grouped: BTreeMap<Store, Vec<Store>> = BTreeMap::new();
    pairs.for_each(|(shared, local)| grouped.entry(shared).or_default().push(local));
    grouped.into_iter().collect()
}

/// The least annotations for these numbers of copies.
pub fn modular(program: &Arc<Program>, cases: &[&[u32]]) -> ModularProof {
    ModularProof { cases: cases.iter().map(|copies| annotation(program, copies)).collect() }
}
