//! Proofs about any number of copies, by cores and crowds.
//!
//! # The idea
//!
//! Of a state take its *core*: the shared store, the threads whose number is fixed, and the copies to which the store refers,
//! with new names, the first one referred to the first name. The other copies are its *crowd*. As long as copies cannot be
//! told apart, and no step asks something of all of them, core and crowd tell all that matters: two states with the same core
//! and, of each kind, as many in the crowd, differ by a permutation. [`crate::monotone`] sees to that.
//!
//! The proof says of cores what may be in their crowds, and which collections are *excluded*: no crowd contains them. Take
//! all states whose core is listed, whose crowd has only what may be in it, and contains nothing excluded. Suppose that
//!
//! 1. *initially*: every core with which the program starts is listed, its crowd may have whatever copies start with,
//!    and nothing that consists of that alone is excluded, since any number of each may be there;
//! 2. *steps*: from each core, a step of one of its threads or of one that may be in its crowd leads to a listed core;
//!    whoever may be in the crowd before, or comes to it by the step, may be in it after;
//! 3. *exclusion*: if something is excluded after such a step, then what must have been there before is excluded too (or
//!    could not be there): that is the same without those who came to the crowd by the step, and with the one who took it;
//! 4. *bounds*: where it is said that there are at most so many of certain members, nobody starts as one of them, and no step
//!    leads beyond the number of the core after it from the number of the core before: the one who takes it is one less, those who
//!    come to the crowd are as many more as are such members. A crowd with more of them is excluded;
//! 5. *properties*: cores with such crowds as are not excluded are no errors. It is enough to look at crowds of a few: a
//!    step that goes wrong is that of one thread, and an error has few witnesses, which alone are an error too. That crowd is
//!    not excluded either, being smaller.
//!
//! Then all reachable states, with any number of copies, are among those taken, and none of them is an error.
//!
//! In a deadlock all threads are still and one is stuck. Without those of the crowd that are not the stuck one, that is still so.
//! In a cycle of locks those who are waited for are referred to, so at most one is in the crowd: who waits for a thread that
//! has ended.
//!
//! A copy of the crowd that takes a step gets the next name. There must be one name more, so that a step which makes the store
//! refer to any thread whatever is noticed: it leads to a copy that was not there.

mod properties;

use crate::interner::Interner;
use crate::monotone::witnesses;
use crate::{CheckError, refuted};
use properties::Formula;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use threadwise_evidence::{CoverabilityProof, show_local, show_shared};
use threadwise_ir::{Copies, Instance, Observations, Program, TemplateId, ThreadId};
use threadwise_limits::Budget;

/// One of a crowd: what it is a copy of, and the number of its local state.
type Member = (TemplateId, u32);

/// Members in order, each as often as it is there.
type Collection = Vec<Member>;

/// Certain members, of which there are but few at a time.
type Kind = Rc<FxHashSet<Member>>;

/// Checks the five points; gives the size of the proof.
pub(crate) fn check(program: &Arc<Program>, proof: &CoverabilityProof, budget: &Budget) -> Result<u64, CheckError> {
    let instance = proof.validate(program).map_err(|e| refuted(format!("the proof does not fit the program: {e}")))?;
    let witnesses = witnesses(&instance)?;
    let mut judge = Judge::new(&instance, proof, budget)?;
    judge.starts_are_in()?;
    for core in 0..judge.cores.len() {
        judge.steps_stay_in(core)?;
    }
    let formulas = program.formulas().zip(witnesses);
    let formulas: Vec<Formula<'_>> = formulas.map(|(formula, most)| Formula::new(program, formula, most)).collect();
    for core in 0..judge.cores.len() {
        judge.formulas_hold(core, &formulas)?;
        judge.no_pattern_is_met(core)?;
    }
    Ok(proof.states())
}

/// What is said of a core.
struct Said {
    shared: u32,
    /// Its threads with the numbers of their local states.
    threads: Vec<(usize, u32)>,
    crowd: FxHashSet<Member>,
    excluded: Vec<Collection>,
    /// Certain members, and how many of them there are at most.
    bounded: Vec<(Kind, u32)>,
}

impl Said {
    fn excludes(&self, collection: &[Member]) -> bool {
        let is_too_many = |(members, most): &(Kind, u32)| count(members, collection) > *most as usize;
        self.excluded.iter().any(|excluded| is_within(excluded, collection)) || self.bounded.iter().any(is_too_many)
    }
}

/// What a thread can do: the shared store and its local state after each step.
struct Moves {
    after: Vec<(u32, u32)>,
    fails: bool,
    shown: Observations,
}

struct Judge<'a> {
    instance: &'a Instance,
    stores: Interner,
    locals: Interner,
    cores: Vec<Rc<Said>>,
    /// Cores by the shared store and the local states of the threads.
    numbers: FxHashMap<(u32, Vec<u32>), usize>,
    moves: FxHashMap<(usize, u32, u32), Rc<Moves>>,
    instances: FxHashMap<Vec<u32>, Rc<Instance>>,
    budget: &'a Budget,
}

impl<'a> Judge<'a> {
    fn new(instance: &'a Instance, proof: &CoverabilityProof, budget: &'a Budget) -> Result<Judge<'a>, CheckError> {
        let mut judge = Judge {
            instance,
            stores: Interner::default(),
            locals: Interner::default(),
            cores: Vec::new(),
            numbers: FxHashMap::default(),
            moves: FxHashMap::default(),
            instances: FxHashMap::default(),
            budget,
        };
        let mut bounds: Vec<(Kind, &[Option<u32>])> = Vec::new();
        for bounded in &proof.bounded {
            let mut number = |&(template, index): &(TemplateId, u32)| {
                (template, judge.locals.number(&proof.locals[template.index()][index as usize]))
            };
            bounds.push((Rc::new(bounded.members.iter().map(&mut number).collect()), &bounded.most));
        }
        for (index, core) in proof.cores.iter().enumerate() {
            budget.check()?;
            let bounded = bounds.iter().filter_map(|(members, most)| Some((members.clone(), most[index]?)));
            let bounded = bounded.collect();
            let words = &proof.shared[core.shared as usize];
            let threads = CoverabilityProof::threads_of_core(instance, words).expect("the proof fits");
            let shared = judge.stores.number(words);
            let mut local =
                |template: TemplateId, local: u32| judge.locals.number(&proof.locals[template.index()][local as usize]);
            let of_core = threads.iter().zip(&core.threads);
            let threads: Vec<(usize, u32)> =
                of_core.map(|(&thread, &index)| (thread, local(instance.threads[thread].template, index))).collect();
            let crowd: Vec<Member> =
                core.crowd.iter().map(|&(template, index)| (template, local(template, index))).collect();
            let collection = |excluded: &Vec<u32>| {
                let mut members: Collection = excluded.iter().map(|&index| crowd[index as usize]).collect();
                members.sort_unstable();
                members
            };
            let excluded = core.excluded.iter().map(collection).collect();
            let key = (shared, threads.iter().map(|(_, local)| *local).collect());
            if judge.numbers.insert(key, judge.cores.len()).is_some() {
                return Err(refuted("a core is listed twice"));
            }
            judge.cores.push(Rc::new(Said { shared, threads, crowd: crowd.into_iter().collect(), excluded, bounded }));
        }
        Ok(judge)
    }

    fn is_of_any_number(&self, template: TemplateId) -> bool {
        self.instance.program.template(template).copies == Copies::Any
    }

    /// Point 1.
    fn starts_are_in(&mut self) -> Result<(), CheckError> {
        let stores = self.instance.initial_stores();
        if !stores.faults.is_empty() || stores.gap.is_some() {
            return Err(refuted("not all initial values are known to be good"));
        }
        for words in &stores.stores {
            self.budget.check()?;
            let refers = self
                .instance
                .identities(words)
                .into_iter()
                .any(|tid| self.is_of_any_number(self.instance.threads[tid as usize - 1].template));
            if refers {
                return Err(refuted("the program starts with a reference to a copy"));
            }
            let (mut crowd, mut fixed) = (FxHashSet::default(), vec![Vec::new()]);
            for thread in 0..self.instance.threads.len() {
                let template = self.instance.threads[thread].template;
                let steps = self.instance.starts(ThreadId(thread as u32), words);
                if !steps.failures.is_empty() || steps.gap.is_some() {
                    return Err(refuted(format!("{} may fail to start", self.instance.tid_name(thread as i64 + 1))));
                }
                let starts: Vec<u32> = steps.successors.iter().map(|step| self.locals.number(&step.local)).collect();
                if self.is_of_any_number(template) {
                    crowd.extend(starts.iter().map(|&local| (template, local)));
                } else {
                    let longer = fixed.iter().flat_map(|one| starts.iter().map(|&next| [&one[..], &[next]].concat()));
                    fixed = longer.collect::<Vec<Vec<u32>>>();
                }
            }
            let shared = self.stores.number(words);
            for locals in fixed {
                let Some(&core) = self.numbers.get(&(shared, locals)) else {
                    let store = show_shared(self.instance, words);
                    return Err(refuted(format!("the proof lacks a core with which the program starts:\n  {store}")));
                };
                let said = &self.cores[core];
                if !crowd.is_subset(&said.crowd) {
                    return Err(refuted("a copy starts with what may not be in the crowd"));
                }
                let starts_bounded = said.bounded.iter().any(|(members, _)| !members.is_disjoint(&crowd));
                if starts_bounded
                    || said.excluded.iter().any(|excluded| excluded.iter().all(|member| crowd.contains(member)))
                {
                    return Err(refuted("a crowd is excluded with which the program may start"));
                }
            }
        }
        Ok(())
    }

    /// Points 2 to 4, and of point 5 that no step goes wrong.
    fn steps_stay_in(&mut self, core: usize) -> Result<(), CheckError> {
        let said = self.cores[core].clone();
        for &(thread, local) in &said.threads {
            self.step_stays_in(&said, thread, local, None)?;
        }
        let mut members: Vec<Member> = said.crowd.iter().copied().collect();
        members.sort_unstable();
        for member in members {
            let thread = self.nameless(&said, member.0)?;
            self.step_stays_in(&said, thread, member.1, Some(member))?;
        }
        Ok(())
    }

    fn step_stays_in(
        &mut self,
        said: &Said,
        thread: usize,
        local: u32,
        member: Option<Member>,
    ) -> Result<(), CheckError> {
        self.budget.check()?;
        let moves = self.moves(thread, said.shared, local)?;
        let mover: Collection = member.into_iter().collect();
        if moves.fails && !said.excludes(&mover) {
            return Err(self.refuted_at(said, thread, local, "may take a step that goes wrong"));
        }
        for &(shared, local_after) in &moves.after {
            let Some((after, came)) = self.after(said, thread, shared, local_after)? else {
                return Err(self.refuted_at(said, thread, local, "may take a step to a core that is not listed"));
            };
            let after = self.cores[after].clone();
            if !said.crowd.is_subset(&after.crowd) || !came.iter().all(|member| after.crowd.contains(member)) {
                return Err(self.refuted_at(said, thread, local, "may take a step to a crowd that is not listed"));
            }
            if !said.excludes(&mover) && !stays_bounded(said, &after, &mover, &came) {
                return Err(self.refuted_at(said, thread, local, "may take a step to a crowd with too many of a kind"));
            }
            for excluded in &after.excluded {
                let before = before(excluded, &came, member);
                let possible = before.iter().all(|member| said.crowd.contains(member));
                if possible && !said.excludes(&before) {
                    return Err(self.refuted_at(said, thread, local, "may take a step to a crowd that is excluded"));
                }
            }
        }
        Ok(())
    }

    /// The core after a step, and who comes to its crowd; nothing if it is not listed.
    fn after(
        &mut self,
        said: &Said,
        mover: usize,
        shared: u32,
        local: u32,
    ) -> Result<Option<(usize, Collection)>, CheckError> {
        let words = self.stores.words(shared).to_vec();
        let mut threads: BTreeMap<usize, u32> = said.threads.iter().copied().collect();
        threads.insert(mover, local);
        // The new names of the copies that the store refers to, in order.
        let mut names: BTreeMap<usize, usize> = BTreeMap::new();
        for tid in self.instance.identities(&words) {
            let thread = tid as usize - 1;
            let template = self.instance.threads[thread].template;
            if self.is_of_any_number(template) && !names.contains_key(&thread) {
                if !threads.contains_key(&thread) {
                    return Err(refuted("a step refers to a copy that had nothing to do with it"));
                }
                let copies = self.instance.copies_of(template);
                let taken = names.keys().filter(|named| copies.contains(named)).count();
                names.insert(thread, copies.start + taken);
            }
        }
        let image = |tid: i64| match usize::try_from(tid - 1) {
            Ok(thread) => 1 + *names.get(&thread).unwrap_or(&thread) as i64,
            Err(_) => 0,
        };
        let renamed = self.instance.rename(&words, &image);
        let shared = self.stores.number(&renamed);
        let (mut stay, mut came) = (BTreeMap::new(), Collection::new());
        for (thread, local) in threads {
            let template = self.instance.threads[thread].template;
            match names.get(&thread) {
                Some(&name) => _ = stay.insert(name, local),
                None if self.is_of_any_number(template) => came.push((template, local)),
                None => _ = stay.insert(thread, local),
            }
        }
        came.sort_unstable();
        let core = self.numbers.get(&(shared, stay.into_values().collect())).copied();
        Ok(core.map(|core| (core, came)))
    }

    /// The first copy to which the core does not refer.
    fn nameless(&self, said: &Said, template: TemplateId) -> Result<usize, CheckError> {
        let copies = self.instance.copies_of(template);
        let named = said.threads.iter().filter(|(thread, _)| copies.contains(thread)).count();
        if named + 2 > copies.len() {
            let name = &self.instance.program.template(template).name;
            return Err(refuted(format!("there are too few names for copies of `{name}`")));
        }
        Ok(copies.start + named)
    }

    fn moves(&mut self, thread: usize, shared: u32, local: u32) -> Result<Rc<Moves>, CheckError> {
        if let Some(moves) = self.moves.get(&(thread, shared, local)) {
            return Ok(moves.clone());
        }
        let (before, own) = (self.stores.words(shared), self.locals.words(local));
        let steps = self.instance.steps(ThreadId(thread as u32), before, own);
        if let Some(gap) = steps.gap {
            let place = self.instance.program.source.locate(gap.span());
            return Err(refuted(format!("not all steps are known: {} at {place}", gap.describe())));
        }
        let number =
            |step: &threadwise_ir::Successor| (self.stores.number(&step.shared), self.locals.number(&step.local));
        let mut after: Vec<(u32, u32)> = steps.successors.iter().map(number).collect();
        after.sort_unstable();
        after.dedup();
        let moves = Rc::new(Moves { after, fails: !steps.failures.is_empty(), shown: steps.shown });
        self.moves.insert((thread, shared, local), moves.clone());
        Ok(moves)
    }

    fn refuted_at(&self, said: &Said, thread: usize, local: u32, what: &str) -> CheckError {
        let name = self.instance.tid_name(thread as i64 + 1);
        let shared = show_shared(self.instance, self.stores.words(said.shared));
        let own = show_local(self.instance, self.locals.words(local));
        refuted(format!("with\n  {shared}\n{name} at {own} {what}"))
    }
}

/// How many of these members are in a collection.
fn count(members: &FxHashSet<Member>, collection: &[Member]) -> usize {
    collection.iter().filter(|member| members.contains(member)).count()
}

/// Whether each bound after a step follows from the same bound before.
fn stays_bounded(before: &Said, after: &Said, mover: &[Member], came: &[Member]) -> bool {
    after.bounded.iter().all(|(members, most)| {
        let same = before.bounded.iter().find(|(others, _)| Rc::ptr_eq(others, members));
        same.is_some_and(|(_, before)| {
            *before as usize + count(members, came) <= *most as usize + count(members, mover)
        })
    })
}

/// Whether each member of the first is in the second, as often.
fn is_within(smaller: &[Member], larger: &[Member]) -> bool {
    let count = |collection: &[Member], member: &Member| collection.iter().filter(|other| *other == member).count();
    smaller.iter().all(|member| count(smaller, member) <= count(larger, member))
}

/// What must be in the crowd before a step, so that this is in it after.
fn before(after: &[Member], came: &[Member], mover: Option<Member>) -> Collection {
    let mut before = after.to_vec();
    for member in came {
        if let Some(at) = before.iter().position(|other| other == member) {
            before.remove(at);
        }
    }
    before.extend(mover);
    before.sort_unstable();
    before
}
