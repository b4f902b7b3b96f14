//! The conformance checker C(T, T#) of ABSTHR, section 3, for finite threads: all its states, one
//! by one.
//!
//! A state is a pair (l, F): a local state of the thread T, and the set of the nodes of the abstract
//! thread T# that can have followed it there. The shared store is chosen anew at each step.
//!
//! With fewer candidates more goes wrong, so (l, F) need not be looked at where (l, F₀) with a
//! smaller F₀ is: that loses no error, and finds none that is not there.

use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use threadwise_ir::{
    AbstractThread, Abstraction, Failure, Gap, Instance, LocalProperty, Path, PropertyId, StepError, Steps, Store,
    ThreadId,
};
use threadwise_limits::{Budget, Limit};
use threadwise_tables::Interner;

/// A set of nodes, by their numbers.
pub(crate) type Nodes = u64;

/// Why the search ended early.
pub(crate) enum Stop {
    Limit(Limit),
    /// Not all states and steps can be listed; those that were are right.
    Incomplete,
    /// The thread does not conform.
    Refused(Box<Refusal>),
}

impl From<Gap> for Stop {
    fn from(_: Gap) -> Stop {
        Stop::Incomplete
    }
}

/// A step or an error that the abstract thread does not admit.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The steps of the thread up to there, by their edges.
    pub trail: Vec<Path>,
    /// The local state.
    pub local: Store,
    /// The nodes that can have followed it there.
    pub candidates: u64,
    /// What is not admitted.
    pub wrong: Wrong,
}

/// What an abstract thread does not admit.
#[derive(Clone, Debug)]
pub enum Wrong {
    /// A step that no candidate can take.
    Step {
        /// The shared store before it.
        before: Store,
        /// The shared store after it.
        after: Store,
        /// The local state after it.
        local: Store,
        /// Its edges.
        path: Path,
    },
    /// A step that candidates can take, but none to a node that agrees with the labels of the point.
    Labels {
        /// The nodes they can reach.
        candidates: u64,
        /// The local state after it.
        local: Store,
        /// Its edges; none at the start of the thread.
        path: Path,
    },
    /// A step that goes wrong where no candidate does.
    Error {
        shared: Store,
        /// What goes wrong.
        error: StepError,
        /// The edges of the step.
        path: Path,
    },
    /// A violation of a property where no candidate goes wrong.
    Property { shared: Store, property: PropertyId },
    /// A declaration at the start of the thread goes wrong.
    Start(StepError),
}

/// What the thread can do from a local state, whatever the shared store.
struct Moves {
    steps: Vec<Move>,
    /// What can go wrong: its stores are W(l).
    errors: Vec<(u32, Wrong)>,
}

struct Move {
    /// The number of the shared store.
    before: u32,
    after: u32,
    local: u32,
    path: Path,
}

/// A state of C(T, T#), and from where and how it was reached.
struct Pair {
    local: u32,
    nodes: Nodes,
    parent: Option<(usize, Path)>,
}

pub(crate) struct Checker<'a> {
    instance: &'a Instance,
    abstraction: &'a Abstraction,
    thread: ThreadId,
    specification: &'a AbstractThread,
    local_properties: Vec<&'a LocalProperty>,
    /// The shared stores; the first `global` of them are all that matter.
    stores: Interner,
    global: u32,
    /// For each shared store the nodes in which the abstract thread goes wrong: its bits are W#.
    wrong: Rc<[Nodes]>,
    /// Why there are shared stores or steps that are not looked at. An error that is found is one
    /// all the same.
    gap: Option<Gap>,
    /// More states than this are not visited.
    max_pairs: usize,
    locals: Interner,
    moves: FxHashMap<u32, Rc<Moves>>,
    /// For a pair of shared stores, to which nodes T# can go with it from each node.
    targets: FxHashMap<(u32, u32), Rc<[Nodes]>>,
    pairs: Vec<Pair>,
    /// For each local state the smallest sets of candidates, as numbers of pairs.
    smallest: BTreeMap<u32, Vec<usize>>,
}

impl<'a> Checker<'a> {
    pub(crate) fn new(
        instance: &'a Instance,
        abstraction: &'a Abstraction,
        thread: ThreadId,
        max_pairs: usize,
    ) -> Result<Checker<'a>, Stop> {
        let template = instance.threads[thread.index()].template;
        let specification = instance.program.abstract_thread(template).expect("the thread is specified");
        let mut stores = Interner::default();
        let mut wrong = Vec::new();
        let (all, gap) = instance.stores_over(&instance.shared_of(template, &abstraction.local));
        for store in all {
            stores.intern(&store);
            let mut nodes = 0;
            for (index, node) in specification.nodes.iter().enumerate() {
                nodes |= (instance.goes_wrong_in(node, thread, &store)? as Nodes) << index;
            }
            wrong.push(nodes);
        }
        Ok(Checker {
            instance,
            abstraction,
            thread,
            specification,
            local_properties: abstraction.local.iter().filter(|p| p.template == template).collect(),
            global: stores.len() as u32,
            gap,
            max_pairs,
            stores,
            wrong: wrong.into(),
            locals: Interner::default(),
            moves: FxHashMap::default(),
            targets: FxHashMap::default(),
            pairs: Vec::new(),
            smallest: BTreeMap::new(),
        })
    }

    /// Visits all states of C(T, T#): for each local state the smallest sets of candidates.
    pub(crate) fn run(&mut self, budget: &Budget) -> Result<Vec<(Store, Vec<Nodes>)>, Stop> {
        let (mut queue, wrong) = (VecDeque::new(), self.wrong.clone());
        let init = self.specification.init.iter().fold(0, |nodes, &node| nodes | 1 << node);
        for l in self.starts()? {
            self.visit(l, init, None, &mut queue)?;
        }
        while let Some(at) = queue.pop_front() {
            let (l, f) = (self.pairs[at].local, self.pairs[at].nodes);
            if !self.smallest[&l].contains(&at) {
                continue;
            }
            budget.check().map_err(Stop::Limit)?;
            if self.pairs.len() > self.max_pairs {
                return Err(Stop::Incomplete);
            }
            budget.report(|| format!("conformance: {} candidate sets", self.pairs.len()));
            let moves = self.moves(l)?;
            // W(l) ⊆ W#(F).
            if let Some((_, error)) = moves.errors.iter().find(|(g, _)| wrong[*g as usize] & f == 0) {
                return Err(self.refused(at, error.clone()));
            }
            for step in moves.steps.iter().filter(|step| wrong[step.before as usize] & f == 0) {
                let f_after = self.candidates_after(f, step.before, step.after)?;
                if f_after == 0 {
                    return Err(self.no_step(at, step));
                }
                self.visit(step.local, f_after, Some((at, step.path.clone())), &mut queue)?;
            }
        }
        if self.gap.is_some() {
            return Err(Stop::Incomplete);
        }
        let states = self.smallest.iter().map(|(&l, pairs)| {
            let mut sets: Vec<Nodes> = pairs.iter().map(|&at| self.pairs[at].nodes).collect();
            sets.sort_unstable();
            (self.locals.get(l).into(), sets)
        });
        Ok(states.collect())
    }

    fn starts(&mut self) -> Result<Vec<u32>, Stop> {
        let starts = self.instance.starts(self.thread, &vec![0; self.instance.shared_words()]);
        if let Some(failure) = starts.failures.first() {
            let (local, wrong) = (failure.local.clone(), Wrong::Start(failure.error));
            return Err(Stop::Refused(Box::new(Refusal { trail: Vec::new(), local, candidates: 0, wrong })));
        }
        self.gap = self.gap.or(starts.gap);
        Ok(starts.successors.iter().map(|start| self.locals.intern(&start.local)).collect())
    }

    /// All steps from a local state, and what can go wrong in it.
    fn moves(&mut self, l: u32) -> Result<Rc<Moves>, Stop> {
        if let Some(moves) = self.moves.get(&l) {
            return Ok(moves.clone());
        }
        let mut moves = Moves { steps: Vec::new(), errors: Vec::new() };
        for before in 0..self.global {
            let Steps { successors, failures, gap, .. } =
                self.instance.steps(self.thread, self.stores.get(before), self.locals.get(l));
            self.gap = self.gap.or(gap);
            let shared = || self.stores.get(before).into();
            let fails = |failure: Failure| Wrong::Error { shared: shared(), error: failure.error, path: failure.path };
            moves.errors.extend(failures.into_iter().next().map(|failure| (before, fails(failure))));
            for property in &self.local_properties {
                if self.instance.violates(property, self.thread, self.stores.get(before), self.locals.get(l))? {
                    moves.errors.push((before, Wrong::Property { shared: shared(), property: property.property }));
                }
            }
            for successor in successors {
                let (after, local) = (self.stores.intern(&successor.shared), self.locals.intern(&successor.local));
                moves.steps.push(Move { before, after, local, path: successor.path });
            }
        }
        let moves = Rc::new(moves);
        self.moves.insert(l, moves.clone());
        Ok(moves)
    }

    /// F' = { m' | ∃ m ∈ F: (g, m) →# (g', m') }.
    fn candidates_after(&mut self, f: Nodes, before: u32, after: u32) -> Result<Nodes, Stop> {
        let targets = match self.targets.get(&(before, after)) {
            Some(targets) => targets.clone(),
            None => self.targets_of(before, after)?,
        };
        let from = targets.iter().enumerate().filter(|(node, _)| f >> node & 1 == 1);
        Ok(from.fold(0, |nodes, (_, targets)| nodes | targets))
    }

    fn targets_of(&mut self, before: u32, after: u32) -> Result<Rc<[Nodes]>, Stop> {
        let idle = self.specification.idle && before == after;
        let nodes = self.specification.nodes.len();
        let mut targets: Vec<Nodes> = (0..nodes).map(|node| (idle as Nodes) << node).collect();
        let (g, g_after) = (self.stores.get(before), self.stores.get(after));
        for edge in &self.specification.edges {
            targets[edge.from] |= (self.instance.leads(edge, self.thread, g, g_after)? as Nodes) << edge.to;
        }
        let targets: Rc<[Nodes]> = targets.into();
        self.targets.insert((before, after), targets.clone());
        Ok(targets)
    }

    /// Notes a state, unless one with fewer candidates is known.
    fn visit(
        &mut self,
        l: u32,
        f: Nodes,
        parent: Option<(usize, Path)>,
        queue: &mut VecDeque<usize>,
    ) -> Result<(), Stop> {
        let known = self.smallest.entry(l).or_default();
        if known.iter().any(|&at| self.pairs[at].nodes & !f == 0) {
            return Ok(());
        }
        let at = self.pairs.len();
        known.retain(|&at| f & !self.pairs[at].nodes != 0);
        known.push(at);
        self.pairs.push(Pair { local: l, nodes: f, parent });
        let template = self.specification.template;
        let location = self.instance.location_of(self.locals.get(l));
        let mut candidates = (0..self.specification.nodes.len()).filter(|node| f >> node & 1 == 1);
        if !candidates.any(|node| self.abstraction.agrees(template, location, node)) {
            let local = self.locals.get(l).into();
            let (before, path) = self.pairs[at].parent.clone().unwrap_or((at, Path::new()));
            return Err(self.refused(before, Wrong::Labels { candidates: f, local, path }));
        }
        queue.push_back(at);
        Ok(())
    }

    fn no_step(&self, at: usize, step: &Move) -> Stop {
        let (before, after) = (self.stores.get(step.before).into(), self.stores.get(step.after).into());
        let (local, path) = (self.locals.get(step.local).into(), step.path.clone());
        self.refused(at, Wrong::Step { before, after, local, path })
    }

    fn refused(&self, at: usize, wrong: Wrong) -> Stop {
        let pair = &self.pairs[at];
        let mut trail = Vec::new();
        let mut here = pair;
        while let Some((parent, path)) = &here.parent {
            trail.push(path.clone());
            here = &self.pairs[*parent];
        }
        trail.reverse();
        let (local, candidates) = (self.locals.get(pair.local).into(), pair.nodes);
        Stop::Refused(Box::new(Refusal { trail, local, candidates, wrong }))
    }
}
