//! Where all threads see the same stores: who is at a store, and what steps change it.
//!
//! With n different threads there are about n stores, n threads at each of them, and as many steps
//! that change it as there are threads that can take one. What a step does to a store is kept once,
//! with the store, and not with each thread that it disturbs; so a thread at a store costs one bit.

use crate::bits::Bits;
use rustc_hash::FxHashMap;
use threadwise_ir::TemplateId;
use threadwise_limits::{growth_of_list, growth_of_table};

/// A change of a store by steps: what it becomes, and whose steps they are. They disturb all threads
/// but the one that takes them; `None` if there are several, so that each is disturbed by another.
pub(crate) type Change = (u32, Option<TemplateId>);

/// Who meets whom at the stores.
#[derive(Clone, Default)]
pub(crate) struct Meeting {
    /// By the number of the store.
    places: Vec<Place>,
    /// Where in the list of its store a change is.
    known: FxHashMap<(u32, u32), u32>,
}

#[derive(Clone, Default)]
struct Place {
    /// The numbers of the templates.
    present: Bits,
    changes: Vec<Change>,
}

impl Meeting {
    /// The bytes that it takes anew when it next grows, if that is near.
    pub(crate) fn growth(&self) -> u64 {
        growth_of_table::<((u32, u32), u32)>(self.known.len(), self.known.capacity()) + growth_of_list(&self.places)
    }

    /// The same without some templates, as if they had never been anywhere. Of a change by several it is not known whose steps it
    /// takes, so it stays.
    pub(crate) fn without(&self, is_gone: &dyn Fn(TemplateId) -> bool) -> Meeting {
        let mut kept = Meeting::default();
        for (store, place) in self.places.iter().enumerate() {
            let mut present = Bits::default();
            for template in place.present.iter().filter(|&template| !is_gone(TemplateId(template))) {
                present.insert(template);
            }
            let stays = |change: &&Change| change.1.is_none_or(|by| !is_gone(by));
            let changes: Vec<Change> = place.changes.iter().filter(stays).copied().collect();
            for (at, (after, _)) in changes.iter().enumerate() {
                kept.known.insert((store as u32, *after), at as u32);
            }
            kept.places.push(Place { present, changes });
        }
        kept
    }

    fn place(&mut self, store: u32) -> &mut Place {
        let store = store as usize;
        if self.places.len() <= store {
            self.places.resize_with(store + 1, Place::default);
        }
        &mut self.places[store]
    }

    /// The template's first copy is at the store.
    pub(crate) fn join(&mut self, store: u32, template: TemplateId) {
        self.place(store).present.insert(template.0);
    }

    /// What steps do to the store.
    pub(crate) fn changes(&self, store: u32) -> &[Change] {
        self.places.get(store as usize).map_or(&[], |place| &place.changes)
    }

    /// A step of the template changes `store` to `after`; `is_single` if the template has no other
    /// copies. Gives the templates at the store that no such step has disturbed before.
    pub(crate) fn change(&mut self, store: u32, after: u32, template: TemplateId, is_single: bool) -> Vec<TemplateId> {
        let by = is_single.then_some(template);
        let next = self.place(store).changes.len() as u32;
        let at = *self.known.entry((store, after)).or_insert(next);
        let place = self.place(store);
        let is_at_store = |template: &TemplateId| place.present.contains(template.0);
        if at == next {
            place.changes.push((after, by));
            return place.present.iter().map(TemplateId).filter(|present| Some(*present) != by).collect();
        }
        match place.changes[at as usize].1.filter(|_| place.changes[at as usize].1 != by) {
            Some(before) => {
                place.changes[at as usize].1 = None;
                Some(before).filter(is_at_store).into_iter().collect()
            }
            None => Vec::new(),
        }
    }
}
