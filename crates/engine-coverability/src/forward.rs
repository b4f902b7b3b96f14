//! What the members of a crowd may be, as if there were any number of each.
//!
//! A core with all that can be in its crowd at some time: that is more than what can be there at once, and it is found
//! quickly. What is not in it need not be looked at backwards (Kaiser, Kroening and Wahl, *Efficient coverability analysis
//! by proof minimization*, CONCUR 2012, have such a look ahead, too). The steps that are found on the way are those of the
//! backward search.

use crate::frame::Frame;
use crate::members::MemberSet;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::collections::BTreeSet;
use std::rc::Rc;
use threadwise_ir::{Gap, TemplateId, ThreadId};
use threadwise_limits::{Budget, Limit, growth_of_list};
use threadwise_tables::{Entry, StepTables};

/// How many steps are looked at between two questions to the budget.
const STEPS_PER_CHECK: u64 = 1 << 10;

/// Why the engine stops without an answer.
#[derive(Debug)]
pub(crate) enum Stop {
    Limit(Limit),
    Gap(Gap),
    /// Unbounded data leads to ever more states.
    TooMany,
    /// Some step refers to a copy that nobody has referred to before, and that is not the one that takes it.
    FromNothing,
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Stop {
        Stop::Limit(limit)
    }
}

/// Steps of a thread of a core, or of a member of its crowd.
pub(crate) struct Transition {
    pub(crate) from: u32,
    pub(crate) to: u32,
    /// The member of the crowd that takes the step, if none of the core's threads does.
    pub(crate) takes: Option<u32>,
    /// Who is in the crowd afterwards, beside those that were there and take no step.
    pub(crate) gives: SmallVec<[u32; 2]>,
}

/// A shared store with names in order, and for each copy that it refers to its name before and after.
type Named = (u32, Vec<(usize, usize)>);

/// A core that is being looked at: its shared store, its threads, and their local states.
pub(crate) struct Spot {
    pub(crate) shared: u32,
    pub(crate) threads: Rc<[usize]>,
    pub(crate) locals: Box<[u32]>,
}

/// Cores, what may be in their crowds, and the steps from one to another.
pub(crate) struct Forward<'a> {
    pub(crate) frame: &'a Frame,
    pub(crate) tables: StepTables<'a>,
    /// For each core its shared store and the local states of its threads, in order.
    cores: Vec<Rc<[u32]>>,
    core_numbers: FxHashMap<Rc<[u32]>, u32>,
    /// What members of crowds are.
    pub(crate) members: Vec<(TemplateId, u32)>,
    member_numbers: FxHashMap<(TemplateId, u32), u32>,
    /// For each core what may be in its crowd.
    pub(crate) crowds: Vec<MemberSet>,
    /// For each core those that steps lead to.
    next: Vec<Vec<u32>>,
    linked: FxHashSet<(u32, u32)>,
    pub(crate) transitions: Vec<Transition>,
    /// Cores in which a step of a thread, or of such a member of the crowd, goes wrong.
    pub(crate) failures: Vec<(u32, Option<u32>)>,
    pub(crate) initial_cores: BTreeSet<u32>,
    /// The members that a crowd may start with.
    pub(crate) initial_members: MemberSet,
    /// For each shared store, once asked for: the same with names in order, and how the names change.
    namings: FxHashMap<u32, Rc<Named>>,
    threads_of: FxHashMap<u32, Rc<[usize]>>,
    waiting: Vec<(u32, u32)>,
    new_cores: Vec<u32>,
    max_states: usize,
    work: u64,
}

impl<'a> Forward<'a> {
    pub(crate) fn new(frame: &'a Frame, max_states: usize) -> Forward<'a> {
        Forward {
            frame,
            tables: StepTables::new(&frame.instance),
            cores: Vec::new(),
            core_numbers: FxHashMap::default(),
            members: Vec::new(),
            member_numbers: FxHashMap::default(),
            crowds: Vec::new(),
            next: Vec::new(),
            linked: FxHashSet::default(),
            transitions: Vec::new(),
            failures: Vec::new(),
            initial_cores: BTreeSet::new(),
            initial_members: MemberSet::default(),
            namings: FxHashMap::default(),
            threads_of: FxHashMap::default(),
            waiting: Vec::new(),
            new_cores: Vec::new(),
            max_states,
            work: 0,
        }
    }

    pub(crate) fn core_count(&self) -> usize {
        self.cores.len()
    }

    /// Starts with a shared store and what the threads start with; those that have any number of copies with all of it.
    pub(crate) fn start(&mut self, shared: u32, starts: &[Vec<u32>]) -> Result<(), Stop> {
        let instance = &self.frame.instance;
        if self.frame.instance.identities(self.tables.shared.get(shared)).iter().any(|&tid| {
            let thread = tid as usize - 1;
            self.frame.is_counted(thread)
        }) {
            return Err(Stop::FromNothing);
        }
        let fixed: Vec<usize> = (0..instance.threads.len()).filter(|&t| !self.frame.is_counted(t)).collect();
        for (template, locals) in starts.iter().enumerate().filter(|(template, _)| self.frame.counted[*template]) {
            for &local in locals {
                let member = self.member(TemplateId(template as u32), local);
                self.initial_members.insert(member);
            }
        }
        let of = |thread: &usize| &starts[self.frame.instance.threads[*thread].template.index()];
        let choices: Vec<Vec<u32>> = fixed.iter().map(|thread| of(thread).clone()).collect();
        for locals in product(&choices) {
            let core = self.core(&[&[shared], &locals[..]].concat());
            self.initial_cores.insert(core);
            for member in self.initial_members.clone().iter() {
                self.admit(core, member);
            }
        }
        Ok(())
    }

    /// Follows all steps.
    pub(crate) fn run(&mut self, budget: &Budget) -> Result<(), Stop> {
        loop {
            if let Some(core) = self.new_cores.pop() {
                self.expand_core(core)?;
            } else if let Some((core, member)) = self.waiting.pop() {
                self.expand_member(core, member)?;
            } else {
                return Ok(());
            }
            self.work += 1;
            if self.work.is_multiple_of(STEPS_PER_CHECK) {
                budget.check_for(self.tables.growth() + growth_of_list(&self.transitions))?;
                budget.report(|| format!("{} cores, {} steps", self.cores.len(), self.transitions.len()));
            }
            if let Some(gap) = self.tables.gap {
                return Err(Stop::Gap(gap));
            }
            if self.cores.len() + self.members.len() > self.max_states {
                return Err(Stop::TooMany);
            }
        }
    }

    /// The number of a core: its shared store, and its threads' local states.
    fn core(&mut self, key: &[u32]) -> u32 {
        if let Some(&number) = self.core_numbers.get(key) {
            return number;
        }
        let (number, key) = (self.cores.len() as u32, Rc::<[u32]>::from(key));
        self.cores.push(key.clone());
        self.core_numbers.insert(key, number);
        self.crowds.push(MemberSet::default());
        self.next.push(Vec::new());
        self.new_cores.push(number);
        number
    }

    /// The number of a core that is there already.
    pub(crate) fn known_core(&self, key: &[u32]) -> Option<u32> {
        self.core_numbers.get(key).copied()
    }

    pub(crate) fn member(&mut self, template: TemplateId, local: u32) -> u32 {
        let next = self.members.len() as u32;
        let number = *self.member_numbers.entry((template, local)).or_insert(next);
        if number == next {
            self.members.push((template, local));
        }
        number
    }

    pub(crate) fn spot(&mut self, core: u32) -> Spot {
        let key = self.cores[core as usize].clone();
        Spot { shared: key[0], threads: self.threads(key[0]), locals: key[1..].into() }
    }

    /// The threads of a core with this shared store.
    fn threads(&mut self, shared: u32) -> Rc<[usize]> {
        if let Some(threads) = self.threads_of.get(&shared) {
            return threads.clone();
        }
        let identities = self.frame.instance.identities(self.tables.shared.get(shared));
        let is_in = |&thread: &usize| !self.frame.is_counted(thread) || identities.contains(&(thread as i64 + 1));
        let threads: Rc<[usize]> = (0..self.frame.instance.threads.len()).filter(is_in).collect();
        self.threads_of.insert(shared, threads.clone());
        threads
    }

    /// A copy to which a core does not refer, for the one of its crowd that takes a step.
    pub(crate) fn nameless(&self, spot: &Spot, template: TemplateId) -> usize {
        let copies = self.frame.instance.copies_of(template);
        copies.start + spot.threads.iter().filter(|thread| copies.contains(thread)).count()
    }

    fn admit(&mut self, core: u32, member: u32) {
        if self.crowds[core as usize].insert(member) {
            self.waiting.push((core, member));
        }
    }

    fn expand_core(&mut self, core: u32) -> Result<(), Stop> {
        let spot = self.spot(core);
        for at in 0..spot.threads.len() {
            let entry = self.tables.entry(spot.threads[at], spot.shared, spot.locals[at]);
            self.follow(core, &spot, Mover { thread: spot.threads[at], member: None }, entry)?;
        }
        Ok(())
    }

    fn expand_member(&mut self, core: u32, member: u32) -> Result<(), Stop> {
        for at in 0..self.next[core as usize].len() {
            self.admit(self.next[core as usize][at], member);
        }
        let spot = self.spot(core);
        let (template, local) = self.members[member as usize];
        let thread = self.nameless(&spot, template);
        let entry = self.tables.entry(thread, spot.shared, local);
        self.follow(core, &spot, Mover { thread, member: Some(member) }, entry)
    }

    fn follow(&mut self, core: u32, spot: &Spot, mover: Mover, entry: Entry) -> Result<(), Stop> {
        if entry.fails {
            self.failures.push((core, mover.member));
        }
        let after: Vec<(u32, u32)> = self.tables.successors(entry).map(|index| self.tables.successor(index)).collect();
        for (shared, local) in after {
            let (to, gives) = self.land(spot, mover.thread, shared, local)?;
            self.link(Transition { from: core, to, takes: mover.member, gives });
        }
        Ok(())
    }

    /// The core after a step of a thread, and who goes to the crowd.
    fn land(&mut self, spot: &Spot, mover: usize, shared: u32, local: u32) -> Result<(u32, SmallVec<[u32; 2]>), Stop> {
        let naming = self.naming(shared);
        let others = spot.threads.iter().copied().zip(spot.locals.iter().copied());
        let present = others.filter(|&(thread, _)| thread != mover).chain([(mover, local)]);
        let (mut stay, mut gives) = (Vec::new(), SmallVec::new());
        let mut named = 0;
        for (thread, local) in present {
            if !self.frame.is_counted(thread) {
                stay.push((thread, local));
            } else if let Some(&(_, name)) = naming.1.iter().find(|(old, _)| *old == thread) {
                stay.push((name, local));
                named += 1;
            } else {
                gives.push(self.member(self.frame.instance.threads[thread].template, local));
            }
        }
        if named < naming.1.len() {
            return Err(Stop::FromNothing);
        }
        stay.sort_unstable();
        gives.sort_unstable();
        let key: Vec<u32> = std::iter::once(naming.0).chain(stay.into_iter().map(|(_, local)| local)).collect();
        Ok((self.core(&key), gives))
    }

    fn naming(&mut self, shared: u32) -> Rc<Named> {
        if let Some(naming) = self.namings.get(&shared) {
            return naming.clone();
        }
        let (words, names) = self.frame.naming(&self.frame.instance, self.tables.shared.get(shared));
        let naming = Rc::new((self.tables.shared.intern(&words), names));
        self.namings.insert(shared, naming.clone());
        naming
    }

    fn link(&mut self, transition: Transition) {
        let (from, to) = (transition.from, transition.to);
        if from != to && self.linked.insert((from, to)) {
            self.next[from as usize].push(to);
            for member in self.crowds[from as usize].clone().iter() {
                self.admit(to, member);
            }
        }
        for &member in &transition.gives {
            self.admit(to, member);
        }
        self.transitions.push(transition);
    }
}

/// Who takes a step: a thread of the core, or a member of the crowd, for which the thread stands.
#[derive(Clone, Copy)]
struct Mover {
    thread: usize,
    member: Option<u32>,
}

/// All ways to choose one from each.
pub(crate) fn product(choices: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for choice in choices {
        all = all.iter().flat_map(|one| choice.iter().map(|&more| [&one[..], &[more]].concat())).collect();
    }
    all
}

/// The local states in which each template's copies can start; they depend on no shared variable.
pub(crate) fn starts(forward: &mut Forward<'_>, shared: &[i64]) -> Result<Vec<Vec<u32>>, Start> {
    let instance = &forward.frame.instance;
    let mut starts = Vec::new();
    for template in (0..instance.program.templates.len() as u32).map(TemplateId) {
        let copies = instance.copies_of(template);
        let mut locals = Vec::new();
        if !copies.is_empty() {
            let steps = instance.starts(ThreadId(copies.start as u32), shared);
            if let Some(failure) = steps.failures.first() {
                return Err(Start::Fails(template, failure.error, failure.span));
            }
            if let Some(gap) = steps.gap {
                return Err(Start::Stop(Stop::Gap(gap)));
            }
            forward.tables.taken.note(&steps);
            let table = &mut forward.tables.locals[template.index()];
            locals.extend(steps.successors.iter().map(|step| table.intern(&step.local)));
            locals.sort_unstable();
            locals.dedup();
        }
        starts.push(locals);
    }
    Ok(starts)
}

/// Why a program does not start.
pub(crate) enum Start {
    Fails(TemplateId, threadwise_ir::StepError, threadwise_source::Span),
    Stop(Stop),
}
