//! What the analysis looks at in a program: which variables may be locks, which array tells who runs, which variables are
//! flags. It supposes the best; what does not turn out to be so is left out, and the analysis begins anew.

use crate::read::{Reading, Said, Term, Write, Written, initial};
use std::collections::BTreeSet;
use threadwise_evidence::{ENDED, Element, Lock, RUNS};
use threadwise_ir::{Copies, Initial, Op, Program, SharedId, Sort, TemplateId, VarRef};

pub(crate) struct Model<'a> {
    pub program: &'a Program,
    /// For each edge what its text says.
    pub readings: Vec<Reading>,
    pub locks: Vec<Lock>,
    pub status: Option<SharedId>,
    /// The variables of which it matters whether they have been touched.
    pub flags: BTreeSet<SharedId>,
    /// The templates that somebody starts, by their status.
    pub startable: Vec<TemplateId>,
    /// For each routine the shared variables that it and those that it calls may write.
    pub written: Vec<BTreeSet<SharedId>>,
}

impl<'a> Model<'a> {
    pub(crate) fn new(program: &'a Program) -> Model<'a> {
        let readings: Vec<Reading> = program.edges.iter().map(|edge| Reading::of(program, edge)).collect();
        let results = program.edges.iter().filter_map(|edge| match &edge.op {
            Op::Call { result: Some(place), .. } => Some(crate::read::write(place, Written::Unknown)),
            _ => None,
        });
        let mut usage = Usage::new(program);
        readings.iter().for_each(|reading| usage.note(program, reading));
        results.for_each(|write| usage.write(&write, false, false));
        let status = usage.status(program);
        let mut model = Model {
            program,
            readings,
            locks: usage.locks(program),
            status,
            flags: usage.flags(program),
            startable: Vec::new(),
            written: written(program),
        };
        let all = (0..program.templates.len() as u32).map(TemplateId);
        let copies = model.readings.iter().filter(|reading| model.starts(reading)).flat_map(|reading| {
            let named = reading.said.iter().filter_map(|said| match said {
                Said::Copy(_, template) => Some(*template),
                _ => None,
            });
            named.collect::<Vec<TemplateId>>()
        });
        let named: BTreeSet<TemplateId> = copies.collect();
        model.startable = all.filter(|template| named.contains(template)).collect();
        model
    }

    pub(crate) fn is_status_write(&self, write: &Write) -> bool {
        self.status.is_some_and(|status| write.var == VarRef::Shared(status))
    }

    /// Whether somebody is started.
    pub(crate) fn starts(&self, reading: &Reading) -> bool {
        reading.writes.iter().any(|write| self.is_status_write(write) && write.is(RUNS))
    }

    /// Whether an element is a lock; if so, whether its value tells who has it.
    pub(crate) fn is_lock(&self, element: &Element) -> Option<bool> {
        let VarRef::Shared(var) = element.var else { return None };
        self.locks.iter().find(|lock| lock.owner == var)?;
        let (keys, leaf) = leaf(self.program, var);
        (keys == element.keys.len()).then_some(*leaf == Sort::Tid)
    }

    pub(crate) fn is_set_of_readers(&self, element: &Element) -> bool {
        let VarRef::Shared(var) = element.var else { return false };
        self.locks.iter().any(|lock| lock.readers == Some(var)) && leaf(self.program, var).0 == element.keys.len()
    }

    /// Whether there may be two different threads, a copy of each.
    pub(crate) fn may_both_be(&self, a: TemplateId, b: TemplateId) -> bool {
        a != b || !matches!(self.program.template(a).copies, Copies::Single | Copies::Exactly(0 | 1))
    }

    /// The sorts of the keys of a variable.
    pub(crate) fn keys(&self, var: SharedId) -> Vec<&'a Sort> {
        let (mut keys, mut sort) = (Vec::new(), &self.program.shared[var.index()].sort);
        while let Sort::Array(key, element) = sort {
            keys.push(&**key);
            sort = element;
        }
        keys
    }

    pub(crate) fn name(&self, var: SharedId) -> &str {
        &self.program.shared[var.index()].name
    }
}

/// How many keys a variable takes, and the sort of its elements.
fn leaf(program: &Program, var: SharedId) -> (usize, &Sort) {
    let (mut keys, mut sort) = (0, &program.shared[var.index()].sort);
    while let Sort::Array(_, element) = sort {
        (keys, sort) = (keys + 1, element);
    }
    (keys, sort)
}

/// How each shared variable is used, all over the program.
struct Usage {
    /// All that is written could be the taking or the giving back of a lock.
    like_lock: Vec<bool>,
    is_written: Vec<bool>,
    is_found_zero: Vec<bool>,
    like_readers: Vec<bool>,
    like_status: Vec<bool>,
    is_found_other: Vec<bool>,
    is_touched: Vec<bool>,
    /// Sets of readers, each with what is zero where a thread joins.
    joined: BTreeSet<(SharedId, SharedId)>,
}

impl Usage {
    fn new(program: &Program) -> Usage {
        let (no, yes) = (vec![false; program.shared.len()], vec![true; program.shared.len()]);
        Usage {
            like_lock: yes.clone(),
            is_written: no.clone(),
            is_found_zero: no.clone(),
            like_readers: yes.clone(),
            like_status: yes,
            is_found_other: no.clone(),
            is_touched: no,
            joined: BTreeSet::new(),
        }
    }

    fn note(&mut self, program: &Program, reading: &Reading) {
        for said in &reading.said {
            match said {
                Said::Zero(Element { var: VarRef::Shared(var), .. }) => self.is_found_zero[var.index()] = true,
                Said::Other(var) => self.is_found_other[var.index()] = true,
                _ => {}
            }
        }
        for write in &reading.writes {
            let VarRef::Shared(var) = write.var else { continue };
            let is_only = reading.writes.iter().filter(|other| other.var == write.var).count() == 1;
            let constant = match write.what {
                Written::Value(Term::Number(word)) => Some(word),
                _ => None,
            };
            self.is_touched[var.index()] |= constant.is_none() || constant != initial(program, var);
            self.write(write, is_only, *leaf(program, var).1 == Sort::Tid);
            if write.what == Written::Joins {
                let zero = reading.said.iter().filter_map(|said| match said {
                    Said::Zero(Element { var: VarRef::Shared(owner), .. }) => Some((var, *owner)),
                    _ => None,
                });
                self.joined.extend(zero);
            }
        }
    }

    fn write(&mut self, write: &Write, is_only: bool, is_tid: bool) {
        let VarRef::Shared(var) = write.var else { return };
        let var = var.index();
        self.is_written[var] = true;
        self.is_touched[var] |= !is_only;
        let told = is_only && write.element.is_some();
        let (like_lock, like_status) = match &write.what {
            Written::Value(Term::Number(word)) => {
                let ends = *word == ENDED && write.index == Some(Term::Me);
                (*word == 0 || !is_tid, *word == RUNS || ends)
            }
            Written::Value(Term::Me) => (is_tid, false),
            _ => (false, false),
        };
        self.like_lock[var] &= told && like_lock;
        self.like_status[var] &= is_only && like_status;
        self.like_readers[var] &= told && matches!(write.what, Written::Joins | Written::Leaves);
    }

    fn locks(&self, program: &Program) -> Vec<Lock> {
        let mut locks = Vec::new();
        for var in (0..program.shared.len() as u32).map(SharedId) {
            let index = var.index();
            let is_scalar = !matches!(leaf(program, var).1, Sort::Set(_));
            if is_scalar && self.like_lock[index] && self.is_written[index] && self.is_found_zero[index] {
                locks.push(Lock { owner: var, readers: None });
            }
        }
        for lock in &mut locks {
            let fits = |readers: SharedId| {
                let var = &program.shared[readers.index()];
                let (keys, sort) = leaf(program, readers);
                let is_set = matches!(sort, Sort::Set(of) if **of == Sort::Tid);
                let same_keys = keys == leaf(program, lock.owner).0 && same_keys(program, readers, lock.owner);
                self.like_readers[readers.index()] && is_set && same_keys && matches!(var.init, Initial::Default)
            };
            let readers = self.joined.iter().find(|(readers, owner)| *owner == lock.owner && fits(*readers));
            lock.readers = readers.map(|(readers, _)| *readers);
        }
        locks
    }

    fn status(&self, program: &Program) -> Option<SharedId> {
        let is_status = |id: &SharedId| {
            let var = &program.shared[id.index()];
            let fits = matches!(&var.sort, Sort::Array(key, of) if **key == Sort::Tid && matches!(**of, Sort::Enum(_)));
            fits && self.like_status[id.index()] && self.is_written[id.index()] && matches!(var.init, Initial::Default)
        };
        (0..program.shared.len() as u32).map(SharedId).find(is_status)
    }

    /// Variables that somebody waits for. Those that must not race are none: where they are not protected there is a
    /// race anyway.
    fn flags(&self, program: &Program) -> BTreeSet<SharedId> {
        let patterns = program.patterns().flat_map(|(_, pattern)| pattern.signs());
        let asked: BTreeSet<SharedId> = patterns.flat_map(|sign| sign.region().vars.clone()).collect();
        let all = (0..program.shared.len() as u32).map(SharedId);
        let is_flag =
            |var: &SharedId| self.is_found_other[var.index()] && self.is_touched[var.index()] && !asked.contains(var);
        all.filter(|var| initial(program, *var).is_some() && is_flag(var)).collect()
    }
}

fn same_keys(program: &Program, a: SharedId, b: SharedId) -> bool {
    let (mut a, mut b) = (&program.shared[a.index()].sort, &program.shared[b.index()].sort);
    while let (Sort::Array(key, inner), Sort::Array(other, of_other)) = (a, b) {
        if key != other {
            return false;
        }
        (a, b) = (inner, of_other);
    }
    true
}

/// For each routine the shared variables that it and those that it calls may write.
fn written(program: &Program) -> Vec<BTreeSet<SharedId>> {
    let mut written: Vec<BTreeSet<SharedId>> = vec![BTreeSet::new(); program.routines.len()];
    let mut calls = BTreeSet::new();
    for edge in program.edges.iter() {
        let routine = program.location(edge.from).routine.index();
        let mut vars: Vec<VarRef> = Reading::of(program, edge).writes.iter().map(|write| write.var).collect();
        if let Op::Call { routine: callee, result, .. } = &edge.op {
            calls.insert((routine, callee.index()));
            vars.extend(result.iter().map(|place| place.var));
        }
        written[routine].extend(vars.into_iter().filter_map(|var| match var {
            VarRef::Shared(id) => Some(id),
            VarRef::Local(_) => None,
        }));
    }
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for &(caller, callee) in &calls {
            let new: Vec<SharedId> = written[callee].difference(&written[caller]).copied().collect();
            changed |= !new.is_empty();
            written[caller].extend(new);
        }
    }
    written
}
