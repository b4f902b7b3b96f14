//! One representative for all states that differ by a permutation of copies.
//!
//! `threadwise_ir::Symmetry` explains why sorting each thread's copies by local state and profile
//! gives the same representative for all of them.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ops::Range;
use threadwise_ir::{Instance, TemplateId};
use threadwise_tables::Interner;

/// Finds representatives.
pub(crate) struct Canonical<'a> {
    instance: &'a Instance,
    /// The threads that may be permuted, template by template.
    groups: Vec<Range<usize>>,
    /// Whether shared stores hold thread identities, so that permuting copies changes them.
    renames: bool,
    profiles: Interner,
    /// For each shared store its profile of each thread.
    profiles_of: Vec<Option<Box<[u32]>>>,
    /// The renamed shared store, by the store and the new order of profiles.
    renamed: FxHashMap<(u32, SmallVec<[u32; 16]>), u32>,
    order: Vec<usize>,
    scratch: Vec<u32>,
}

impl<'a> Canonical<'a> {
    pub(crate) fn new(instance: &'a Instance, templates: &[TemplateId]) -> Canonical<'a> {
        let groups = templates.iter().map(|&t| instance.copies_of(t)).filter(|copies| copies.len() >= 2);
        Canonical {
            instance,
            groups: groups.collect(),
            renames: instance.program.shared.iter().any(|v| v.sort.mentions_tid()),
            profiles: Interner::default(),
            profiles_of: Vec::new(),
            renamed: FxHashMap::default(),
            order: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Whether there is anything to permute.
    pub(crate) fn is_trivial(&self) -> bool {
        self.groups.is_empty()
    }

    /// Replaces a state by its representative.
    pub(crate) fn canonicalise(&mut self, state: &mut [u32], shared: &mut Interner) {
        if self.renames {
            self.sort_by_profile(state, shared);
        } else {
            for group in &self.groups {
                state[group.start + 1..group.end + 1].sort_unstable();
            }
        }
    }

    /// Replaces a state by its representative, if that can be told from what is known; otherwise the state stands for nothing.
    pub(crate) fn canonicalise_if_known(&self, state: &mut [u32]) -> bool {
        if !self.renames {
            for group in &self.groups {
                state[group.start + 1..group.end + 1].sort_unstable();
            }
            return true;
        }
        let Some(Some(profiles)) = self.profiles_of.get(state[0] as usize) else { return false };
        let key = |thread: usize| (state[thread + 1], profiles[thread]);
        let is_sorted = |group: &Range<usize>| (group.start + 1..group.end).all(|t| key(t - 1) <= key(t));
        if self.groups.iter().all(is_sorted) {
            return true;
        }
        let mut order: SmallVec<[usize; 16]> = (0..profiles.len()).collect();
        for group in &self.groups {
            order[group.clone()].sort_by_key(|&thread| key(thread));
        }
        let locals: SmallVec<[u32; 16]> = order.iter().map(|&thread| state[thread + 1]).collect();
        let new_profiles: SmallVec<[u32; 16]> = order.iter().map(|&thread| profiles[thread]).collect();
        if new_profiles[..] != profiles[..] {
            let Some(&renamed) = self.renamed.get(&(state[0], new_profiles)) else { return false };
            state[0] = renamed;
        }
        state[1..].copy_from_slice(&locals);
        true
    }

    /// Whether a thread's steps are those of the thread before it, up to a permutation, if that is known.
    pub(crate) fn repeats_previous_if_known(&self, state: &[u32], thread: usize) -> Option<bool> {
        if !self.is_like_previous(state, thread) {
            return Some(false);
        }
        if !self.renames {
            return Some(true);
        }
        let profiles = self.profiles_of.get(state[0] as usize)?.as_ref()?;
        Some(profiles[thread - 1] == profiles[thread])
    }

    /// Whether a thread is in the same local state as the one before it, with which it may change places.
    fn is_like_previous(&self, state: &[u32], thread: usize) -> bool {
        let same_group = self.groups.iter().any(|group| thread > group.start && thread < group.end);
        same_group && state[thread] == state[thread + 1]
    }

    /// Whether a thread's steps are those of the thread before it, up to a permutation.
    pub(crate) fn repeats_previous(&mut self, state: &[u32], thread: usize, shared: &Interner) -> bool {
        if !self.is_like_previous(state, thread) {
            return false;
        }
        if !self.renames {
            return true;
        }
        let profiles = self.profiles(state[0], shared);
        profiles[thread - 1] == profiles[thread]
    }

    /// For each thread the last one before it that it can change places with in states with this shared store,
    /// where both can be in the same local states.
    pub(crate) fn interchangeable(&mut self, store: u32, locals: &[Vec<u32>], shared: &Interner) -> Vec<Option<usize>> {
        let profiles = match self.renames {
            true => self.profiles(store, shared).to_vec(),
            false => vec![0; locals.len()],
        };
        let mut before = vec![None; locals.len()];
        for group in &self.groups {
            let mut latest: FxHashMap<(u32, &[u32]), usize> = FxHashMap::default();
            for thread in group.clone() {
                before[thread] = latest.insert((profiles[thread], &locals[thread]), thread);
            }
        }
        before
    }

    fn profiles(&mut self, store: u32, shared: &Interner) -> &[u32] {
        let index = store as usize;
        if self.profiles_of.len() <= index {
            self.profiles_of.resize(index + 1, None);
        }
        let (instance, profiles) = (self.instance, &mut self.profiles);
        self.profiles_of[index].get_or_insert_with(|| {
            let tids = 1..=instance.threads.len() as i64;
            tids.map(|tid| profiles.intern(&instance.profile(shared.get(store), tid))).collect()
        })
    }

    fn sort_by_profile(&mut self, state: &mut [u32], shared: &mut Interner) {
        let profiles: SmallVec<[u32; 16]> = SmallVec::from_slice(self.profiles(state[0], shared));
        let key = |thread: usize| (state[thread + 1], profiles[thread]);
        let is_sorted = |group: &Range<usize>| (group.start + 1..group.end).all(|t| key(t - 1) <= key(t));
        if self.groups.iter().all(is_sorted) {
            return;
        }
        self.order.clear();
        self.order.extend(0..self.instance.threads.len());
        for group in &self.groups {
            self.order[group.clone()].sort_by_key(|&thread| key(thread));
        }
        self.scratch.clear();
        self.scratch.extend(self.order.iter().map(|&thread| state[thread + 1]));
        state[1..].copy_from_slice(&self.scratch);
        let new_profiles: SmallVec<[u32; 16]> = self.order.iter().map(|&thread| profiles[thread]).collect();
        if new_profiles != profiles {
            state[0] = self.rename(state[0], new_profiles, shared);
        }
    }

    fn rename(&mut self, store: u32, new_profiles: SmallVec<[u32; 16]>, shared: &mut Interner) -> u32 {
        let (instance, order) = (self.instance, &self.order);
        *self.renamed.entry((store, new_profiles)).or_insert_with(|| {
            let mut image = vec![0; order.len() + 1];
            for (position, &thread) in order.iter().enumerate() {
                image[thread + 1] = position as i64 + 1;
            }
            let words = instance.rename(shared.get(store), &|tid| image[tid as usize]);
            shared.intern(&words)
        })
    }
}
