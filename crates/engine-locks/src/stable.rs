//! What others do to facts, and whether locks and statuses are used as supposed.

use crate::Threads;
use crate::facts::{SetId, Sets};
use crate::flow::{Banned, Subject};
use crate::model::Model;
use crate::read::{Reading, Said, Term, Write, Written, write};
use crate::transfer::started;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use threadwise_evidence::{ENDED, Element, Fact, Key, Lock, RUNS};
use threadwise_ir::{EdgeId, LocationId, Op, SharedId, TemplateId, VarRef};

/// Edges that threads come to, each with the facts before it.
fn steps<'a>(
    model: &'a Model<'_>,
    threads: &'a Threads,
) -> impl Iterator<Item = (TemplateId, SetId, EdgeId, Option<SetId>)> + 'a {
    let codes = threads.iter().zip(0..).flat_map(|(codes, thread)| codes.iter().map(move |code| (thread, code, codes)));
    codes.flat_map(move |(thread, code, codes)| {
        let locations = model.program.locations_of(code.routine).zip(&code.at);
        locations.filter_map(|((_, location), at)| Some((location, (*at)?))).flat_map(move |(location, at)| {
            location.edges.iter().map(move |&edge| {
                let returns = code.calls.get(&edge).and_then(|&callee| codes[callee].returns);
                (TemplateId(thread), at, edge, returns)
            })
        })
    })
}

/// The locks that are not used as such, and whether the status is.
pub(crate) struct Misused {
    locks: BTreeSet<SharedId>,
    readers: BTreeSet<SharedId>,
    status: bool,
}

impl Misused {
    pub(crate) fn found(model: &Model<'_>, sets: &Sets, threads: &Threads) -> Misused {
        let mut misused = Misused { locks: BTreeSet::new(), readers: BTreeSet::new(), status: false };
        for (_, at, edge, _) in steps(model, threads) {
            let reading = &model.readings[edge.index()];
            for write in &reading.writes {
                let VarRef::Shared(var) = write.var else { continue };
                for lock in &model.locks {
                    if lock.owner == var && !is_taken_or_given_back(model, sets, at, reading, lock, write) {
                        misused.locks.insert(var);
                    }
                    if lock.readers == Some(var) && !joins_or_leaves(sets, at, reading, lock, write) {
                        misused.readers.insert(var);
                    }
                }
                if model.is_status_write(write) {
                    let ends = write.is(ENDED) && write.index == Some(Term::Me) && sets.has(at, &Fact::Runs);
                    misused.status |= !write.is(RUNS) && !ends;
                }
            }
        }
        misused
    }

    /// Leaves out what is misused; whether there was anything.
    pub(crate) fn leave_out(self, model: &mut Model<'_>) -> bool {
        let is_fine = self.locks.is_empty() && self.readers.is_empty() && !self.status;
        model.locks.retain(|lock| !self.locks.contains(&lock.owner));
        for lock in &mut model.locks {
            lock.readers = lock.readers.filter(|readers| !self.readers.contains(readers));
        }
        if self.status {
            model.status = None;
        }
        !is_fine
    }
}

fn is_taken_or_given_back(
    model: &Model<'_>,
    sets: &Sets,
    at: SetId,
    reading: &Reading,
    lock: &Lock,
    write: &Write,
) -> bool {
    let Some(element) = &write.element else { return false };
    let Some(of_threads) = model.is_lock(element) else { return false };
    if write.is(0) {
        let finds_out = of_threads && reading.says(&Said::Mine(element.clone()));
        return finds_out || sets.has(at, &Fact::Holds(element.clone()));
    }
    let is_taken = match write.what {
        Written::Value(Term::Me) => of_threads,
        Written::Value(Term::Number(_)) => !of_threads,
        _ => false,
    };
    let is_free = reading.says(&Said::Zero(element.clone())) || sets.has(at, &Fact::Free(element.clone()));
    let nobody_reads = lock.readers.is_none_or(|readers| {
        let set = Element { var: VarRef::Shared(readers), ..element.clone() };
        let changes = reading.writes.iter().any(|write| write.var == set.var);
        reading.says(&Said::Empty(set)) && !changes
    });
    is_taken && is_free && nobody_reads && reading.only_write(element).is_some()
}

fn joins_or_leaves(sets: &Sets, at: SetId, reading: &Reading, lock: &Lock, write: &Write) -> bool {
    let Some(element) = write.element.as_ref().filter(|element| reading.only_write(element).is_some()) else {
        return false;
    };
    let owner = Element { var: VarRef::Shared(lock.owner), ..element.clone() };
    let changes = reading.writes.iter().any(|write| write.var == owner.var);
    let nobody_writes = || reading.says(&Said::Zero(owner.clone())) || sets.has(at, &Fact::Free(owner.clone()));
    !changes && (write.what == Written::Leaves || write.what == Written::Joins && nobody_writes())
}

/// What a step does that may make facts of others false.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Harm {
    Starts(Option<TemplateId>),
    Writes(SharedId, Option<Vec<Key>>, bool),
}

fn harm_of(model: &Model<'_>, write: &Write) -> Option<Harm> {
    let VarRef::Shared(var) = write.var else { return None };
    let keys = write.element.as_ref().map(|element| element.keys.clone());
    let initial = crate::read::initial(model.program, var);
    Some(Harm::Writes(var, keys, !initial.is_some_and(|initial| write.is(initial))))
}

/// All harm that threads do where they come to.
fn all_harm(model: &Model<'_>, threads: &Threads) -> BTreeSet<(TemplateId, SetId, Harm)> {
    let mut all = BTreeSet::new();
    for (thread, at, edge, returns) in steps(model, threads) {
        let reading = &model.readings[edge.index()];
        all.extend(started(model, reading).map(|started| (thread, at, Harm::Starts(started))));
        all.extend(reading.writes.iter().filter_map(|write| Some((thread, at, harm_of(model, write)?))));
        if let (Op::Call { result: Some(place), .. }, Some(returns)) = (&model.program.edge(edge).op, returns) {
            let stored = write(place, Written::Unknown);
            all.extend(harm_of(model, &stored).map(|harm| (thread, returns, harm)));
        }
    }
    all
}

/// What is said of threads where they rest that others may make false.
pub(crate) fn unstable(model: &Model<'_>, sets: &mut Sets, threads: &Threads) -> Banned {
    let mut about: FxHashMap<Option<SharedId>, Vec<(TemplateId, SetId, Harm)>> = FxHashMap::default();
    for (thread, at, harm) in all_harm(model, threads) {
        let subject = match &harm {
            Harm::Starts(_) => None,
            Harm::Writes(var, ..) => Some(*var),
        };
        about.entry(subject).or_default().push((thread, at, harm));
    }
    let mut banned = Banned::default();
    for ((thread, at), locations) in resting(model, threads) {
        for fact in sets.get(at).to_vec() {
            let Some(subject) = Subject::of(&fact) else { continue };
            let harm = subjects(&fact).into_iter().flat_map(|subject| about.get(&subject).into_iter().flatten());
            let is_unstable = harm.into_iter().any(|(other, there, harm)| {
                let mut apart = || sets.exclude(model, (at, thread), (*there, *other));
                model.may_both_be(thread, *other) && breaks(harm, &fact) && !apart()
            });
            if is_unstable {
                banned.extend(locations.iter().map(|&location| (thread, location, subject.clone())));
            }
        }
    }
    banned
}

/// Where threads rest, by what holds there.
fn resting(model: &Model<'_>, threads: &Threads) -> Vec<((TemplateId, SetId), Vec<LocationId>)> {
    let mut resting: FxHashMap<(TemplateId, SetId), Vec<LocationId>> = FxHashMap::default();
    for (codes, thread) in threads.iter().zip(0..) {
        for code in codes {
            for ((id, location), at) in model.program.locations_of(code.routine).zip(&code.at) {
                if let Some(at) = at.filter(|_| !location.transient) {
                    resting.entry((TemplateId(thread), at)).or_default().push(id);
                }
            }
        }
    }
    let mut all: Vec<_> = resting.into_iter().collect();
    all.sort_unstable();
    all
}

/// The variables that a fact is about; nothing stands for the starts.
fn subjects(fact: &Fact) -> Vec<Option<SharedId>> {
    let variables = fact.elements().iter().filter_map(|element| match element.var {
        VarRef::Shared(var) => Some(Some(var)),
        VarRef::Local(_) => None,
    });
    match fact {
        Fact::Running(..) | Fact::Started(..) => variables.chain([None]).collect(),
        Fact::Untouched(var) => vec![Some(*var)],
        _ => variables.collect(),
    }
}

fn breaks(harm: &Harm, fact: &Fact) -> bool {
    let is_written = |var: SharedId, keys: &Option<Vec<Key>>| {
        let differ = |(a, b): (&Key, &Key)| match (a, b) {
            (Key::Number(a), Key::Number(b)) => a != b,
            (Key::Thread(a), Key::Thread(b)) => a != b,
            (Key::Me, Key::Me) => true,
            _ => false,
        };
        let is_it = |element: &Element| {
            let differs = keys.as_ref().is_some_and(|keys| keys.iter().zip(&element.keys).any(differ));
            element.var == VarRef::Shared(var) && !differs
        };
        fact.elements().iter().any(is_it)
    };
    match (harm, fact) {
        (Harm::Starts(started), Fact::Running(template, _) | Fact::Started(template, _)) => {
            started.is_none_or(|started| started == *template)
        }
        (Harm::Writes(var, keys, _), Fact::Running(..) | Fact::Names(..)) => is_written(*var, keys),
        (Harm::Writes(var, _, touches), Fact::Untouched(about)) => *touches && var == about,
        _ => false,
    }
}

/// Whether others may make a fact of a thread false, wherever they and the thread are.
pub(crate) fn is_unsteady(model: &Model<'_>, thread: TemplateId, fact: &Fact) -> bool {
    let others = (0..model.program.templates.len() as u32).map(TemplateId);
    let mut others = others.filter(|&other| model.may_both_be(thread, other));
    others.any(|other| {
        let written = &model.written[model.program.template(other).body.index()];
        let of_status = matches!(fact, Fact::Running(..)) && model.status.is_some_and(|s| written.contains(&s));
        let is_written = |element: &Element| matches!(element.var, VarRef::Shared(var) if written.contains(&var));
        let of_elements = matches!(fact, Fact::Running(..) | Fact::Names(..)) && fact.elements().iter().any(is_written);
        of_status && starts_somebody(model, other) || of_elements
    })
}

/// Whether a thread may start others.
fn starts_somebody(model: &Model<'_>, thread: TemplateId) -> bool {
    model.program.edges_of_thread(thread).any(|(id, _)| model.starts(&model.readings[id.index()]))
}
