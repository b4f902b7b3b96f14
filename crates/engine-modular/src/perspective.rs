//! Shared stores as a thread sees them.
//!
//! To a thread, another thread is *none*, *me*, or *another*: which copy the other is does not
//! matter. So the stores of a thread are numbered up to permutations of copies that leave the thread
//! itself where it is; the representative has the copies in the order of their profiles.

use rustc_hash::FxHashMap;
use threadwise_ir::{Instance, Symmetry, TemplateId};
use threadwise_limits::growth_of_table;
use threadwise_tables::Interner;

/// Where each thread goes; threads are counted from 0.
pub(crate) type Permutation = Vec<usize>;

/// The stores that were met, and how threads see them.
pub(crate) struct Perspectives<'a> {
    instance: &'a Instance,
    symmetric: Vec<TemplateId>,
    /// Whether permuting copies can change a store: otherwise all threads see the same.
    permutes: bool,
    pub(crate) stores: Interner,
    canonical: FxHashMap<(TemplateId, u32), (u32, Permutation)>,
}

/// A store as another thread sees it.
pub(crate) struct View {
    /// The other thread's template.
    pub(crate) template: TemplateId,
    /// The store as the other thread sees it.
    pub(crate) store: u32,
    /// From the other thread's names back to those of the thread at hand.
    pub(crate) back: Permutation,
}

impl<'a> Perspectives<'a> {
    pub(crate) fn new(instance: &'a Instance) -> Perspectives<'a> {
        let symmetric = match instance.program.symmetry() {
            Symmetry::Among(templates) => templates,
            Symmetry::Broken(_) => Vec::new(),
        };
        let named = instance.program.shared.iter().any(|v| v.sort.mentions_tid());
        let permutes = named && symmetric.iter().any(|&t| instance.copies_of(t).len() >= 2);
        Perspectives { instance, symmetric, permutes, stores: Interner::default(), canonical: FxHashMap::default() }
    }

    /// The bytes that it takes anew when it next grows, if that is near.
    pub(crate) fn growth(&self) -> u64 {
        type Known = ((TemplateId, u32), (u32, Permutation));
        self.stores.growth() + growth_of_table::<Known>(self.canonical.len(), self.canonical.capacity())
    }

    /// Whether all threads see the same stores.
    pub(crate) fn are_equal(&self) -> bool {
        !self.permutes
    }

    /// A store as the first copy of a template sees it.
    pub(crate) fn see(&mut self, template: TemplateId, store: &[i64]) -> u32 {
        let id = self.stores.intern(store);
        if self.permutes { self.canonical(template, id).0 } else { id }
    }

    fn canonical(&mut self, template: TemplateId, store: u32) -> (u32, Permutation) {
        if let Some(known) = self.canonical.get(&(template, store)) {
            return known.clone();
        }
        let words = self.stores.get(store);
        let permutation = self.sorting_permutation(template, words);
        let renamed = rename(self.instance, words, &permutation);
        let result = (self.stores.intern(&renamed), permutation);
        self.canonical.insert((template, store), result.clone());
        result
    }

    /// The permutation that sorts copies by profile and leaves the template's first copy in place.
    fn sorting_permutation(&self, template: TemplateId, words: &[i64]) -> Permutation {
        let mut permutation: Permutation = (0..self.instance.threads.len()).collect();
        for &group in &self.symmetric {
            let copies = self.instance.copies_of(group);
            let copies = if group == template { copies.start + 1..copies.end } else { copies };
            let mut order: Vec<usize> = copies.clone().collect();
            order.sort_by_cached_key(|&thread| self.instance.profile(words, thread as i64 + 1));
            for (position, thread) in copies.zip(order) {
                permutation[thread] = position;
            }
        }
        permutation
    }

    /// How the other threads see a store of a template's first copy: one view for all threads that
    /// cannot be told apart.
    pub(crate) fn views_of_others(&mut self, template: TemplateId, store: u32) -> Vec<View> {
        let me = self.instance.copies_of(template).start;
        let mut seen = Vec::new();
        let mut views = Vec::new();
        for other in (0..self.instance.threads.len()).filter(|&other| other != me) {
            let of = self.instance.threads[other].template;
            let profile = self.instance.profile(self.stores.get(store), other as i64 + 1);
            let is_new = !self.symmetric.contains(&of) || !seen.contains(&(of, profile.clone()));
            if is_new {
                seen.push((of, profile));
                views.push(self.view_of(other, store));
            }
        }
        views
    }

    /// How a thread sees a store.
    pub(crate) fn view_of(&mut self, thread: usize, store: u32) -> View {
        let template = self.instance.threads[thread].template;
        if !self.permutes {
            return View { template, store, back: Vec::new() };
        }
        let first = self.instance.copies_of(template).start;
        let mut swap: Permutation = (0..self.instance.threads.len()).collect();
        swap.swap(thread, first);
        let swapped = self.stores.intern(&rename(self.instance, self.stores.get(store), &swap));
        let (store, sorting) = self.canonical(template, swapped);
        let mut back = swap.clone();
        for (from, &through) in swap.iter().enumerate() {
            back[sorting[through]] = from;
        }
        View { template, store, back }
    }

    /// A store in another thread's names, as the first copy of a template sees it.
    pub(crate) fn translate(&mut self, template: TemplateId, store: u32, back: &Permutation) -> u32 {
        let renamed = rename(self.instance, self.stores.get(store), back);
        self.see(template, &renamed)
    }
}

fn rename(instance: &Instance, words: &[i64], permutation: &Permutation) -> Vec<i64> {
    instance.rename(words, &|tid| if tid == 0 { 0 } else { permutation[tid as usize - 1] as i64 + 1 })
}
