//! States as short tuples of numbers, and the canonical one among states that differ by a
//! permutation of interchangeable copies.

use crate::interner::Interner;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::rc::Rc;
use threadwise_ir::{Instance, Locals, Observations, State, Steps, TemplateId, ThreadId};

/// A state: the number of its shared store, then that of each thread's local state.
pub(crate) type Tuple = Box<[u32]>;

/// What a thread can do in a state, in the space's numbers.
pub(crate) struct Moves {
    /// The shared store and the thread's local state after each possible step.
    pub(crate) successors: Vec<(u32, u32)>,
    /// What its steps show to the patterns of properties.
    pub(crate) shown: Observations,
    /// There is an error, or the semantics does not know all successors.
    pub(crate) is_bad: bool,
}

/// The checker's own numbering of stores and local states.
pub(crate) struct Space<'a> {
    pub(crate) instance: &'a Instance,
    /// The threads whose copies may be permuted, each as a range of thread indices.
    symmetric: Vec<Range<usize>>,
    shared: Interner,
    locals: Interner,
    profiles: Interner,
    /// For each shared store, once asked for: the number of each thread's profile.
    profiles_of: Vec<Option<Rc<[u32]>>>,
    /// What each thread can do with a shared store and a local state, once asked for.
    moves: FxHashMap<(u32, u32, u32), Rc<Moves>>,
    /// Whether swapping a thread with the one before it leaves a shared store as it is, once asked for.
    idle_swaps: FxHashMap<(u32, u32), bool>,
    /// Whether shared stores speak of threads at all.
    speaks_of_threads: bool,
}

impl<'a> Space<'a> {
    pub(crate) fn new(instance: &'a Instance, symmetric: &[TemplateId]) -> Space<'a> {
        Space {
            instance,
            symmetric: symmetric.iter().map(|template| instance.copies_of(*template)).collect(),
            shared: Interner::default(),
            locals: Interner::default(),
            profiles: Interner::default(),
            profiles_of: Vec::new(),
            moves: FxHashMap::default(),
            idle_swaps: FxHashMap::default(),
            speaks_of_threads: instance.program.shared.iter().any(|var| var.sort.mentions_tid()),
        }
    }

    pub(crate) fn shared_number(&mut self, words: &[i64]) -> u32 {
        self.shared.number(words)
    }

    pub(crate) fn local_number(&mut self, words: &[i64]) -> u32 {
        self.locals.number(words)
    }

    pub(crate) fn shared_words(&self, number: u32) -> &[i64] {
        self.shared.words(number)
    }

    pub(crate) fn locals(&self) -> &Interner {
        &self.locals
    }

    /// The state that a tuple stands for.
    pub(crate) fn state(&self, tuple: &[u32]) -> State {
        State {
            shared: self.shared.words(tuple[0]).into(),
            locals: tuple[1..].iter().map(|&local| self.locals.words(local).into()).collect(),
        }
    }

    /// What a thread can do in a state. Most states share their parts with many others, so this is
    /// remembered for each thread, shared store and local state.
    pub(crate) fn moves(&mut self, tuple: &[u32], thread: usize) -> Rc<Moves> {
        let key = (thread as u32, tuple[0], tuple[1 + thread]);
        if let Some(moves) = self.moves.get(&key) {
            return moves.clone();
        }
        let (shared, local) = (self.shared.words(tuple[0]), self.locals.words(tuple[1 + thread]));
        let steps = self.instance.steps(ThreadId(thread as u32), shared, local);
        let moves = Rc::new(self.numbered(&steps));
        self.moves.insert(key, moves.clone());
        moves
    }

    fn numbered(&mut self, steps: &Steps) -> Moves {
        let mut successors: Vec<(u32, u32)> =
            steps.successors.iter().map(|s| (self.shared.number(&s.shared), self.locals.number(&s.local))).collect();
        successors.sort_unstable();
        successors.dedup();
        let is_bad = !steps.failures.is_empty() || steps.gap.is_some();
        Moves { successors, shown: steps.shown.clone(), is_bad }
    }

    /// The canonical form of a state: within each symmetric thread the copies stand in the order of
    /// their local states, and among equal ones in the order of their profiles, which tell how the
    /// shared store refers to them. The shared store is renamed along.
    ///
    /// The order is that of the numbers: any order will do, as long as it is the same throughout.
    pub(crate) fn canonical(&mut self, tuple: &mut [u32]) {
        if self.symmetric.is_empty() {
            return;
        }
        let profiles = self.profiles(tuple[0]);
        // `order[i]` is the thread that becomes thread `i`.
        let mut order: Vec<usize> = (0..tuple.len() - 1).collect();
        for copies in &self.symmetric {
            order[copies.clone()].sort_by_key(|&thread| (tuple[1 + thread], profiles[thread]));
        }
        if order.is_sorted() {
            return;
        }
        let locals: Vec<u32> = order.iter().map(|&thread| tuple[1 + thread]).collect();
        tuple[1..].copy_from_slice(&locals);
        if self.speaks_of_threads {
            tuple[0] = self.renamed(tuple[0], &order);
        }
    }

    fn renamed(&mut self, shared: u32, order: &[usize]) -> u32 {
        // Identities count from 1, and `none`, which is 0, stays.
        let mut image = vec![0; 1 + order.len()];
        for (new, &old) in order.iter().enumerate() {
            image[1 + old] = 1 + new as i64;
        }
        let words = self.instance.rename(self.shared.words(shared), &|tid| image[tid as usize]);
        self.shared.number(&words)
    }

    fn profiles(&mut self, shared: u32) -> Rc<[u32]> {
        let index = shared as usize;
        if self.profiles_of.len() <= index {
            self.profiles_of.resize(index + 1, None);
        }
        if let Some(profiles) = &self.profiles_of[index] {
            return profiles.clone();
        }
        let words = self.shared.words(shared);
        let number = |tid| self.profiles.number(&self.instance.profile(words, tid));
        let profiles: Rc<[u32]> = (1..=self.instance.threads.len() as i64).map(number).collect();
        self.profiles_of[index] = Some(profiles.clone());
        profiles
    }

    /// For each thread the first one that is like it: swapping the two leaves the state as it is, so
    /// that what one can do, the other can do, with the same outcome up to a permutation.
    ///
    /// Only neighbours are tried: in a canonical state copies that are alike stand together.
    pub(crate) fn first_like(&mut self, tuple: &[u32]) -> Vec<usize> {
        let mut first: Vec<usize> = (0..tuple.len() - 1).collect();
        for copies in self.symmetric.clone() {
            for thread in copies.skip(1) {
                if tuple[1 + thread] == tuple[thread] && self.swap_is_idle(tuple[0], thread) {
                    first[thread] = first[thread - 1];
                }
            }
        }
        first
    }

    /// Whether swapping the thread with the one before it leaves the shared store as it is.
    fn swap_is_idle(&mut self, shared: u32, thread: usize) -> bool {
        if !self.speaks_of_threads {
            return true;
        }
        let key = (shared, thread as u32);
        if let Some(&idle) = self.idle_swaps.get(&key) {
            return idle;
        }
        let mut order: Vec<usize> = (0..self.instance.threads.len()).collect();
        order.swap(thread - 1, thread);
        let idle = self.renamed(shared, &order) == shared;
        self.idle_swaps.insert(key, idle);
        idle
    }

    /// The local states of a tuple, for properties to read.
    pub(crate) fn view<'s>(&'s self, tuple: &'s [u32]) -> View<'s> {
        View { locals: &self.locals, tuple }
    }
}

/// The local states of a tuple.
pub(crate) struct View<'s> {
    locals: &'s Interner,
    tuple: &'s [u32],
}

impl Locals for View<'_> {
    fn local(&self, thread: usize) -> &[i64] {
        self.locals.words(self.tuple[1 + thread])
    }
}
