//! An annotation in the checker's own numbers, and what it says of each thread.

use crate::desk::{Callers, Desk, Spot};
use crate::landing::Landing;
use rustc_hash::{FxHashMap, FxHashSet};
use threadwise_evidence::{Annotation, Context};
use threadwise_ir::{Store, TemplateId};

/// For each template the contexts of its first copy.
pub(crate) struct Annotated {
    templates: Vec<Vec<ContextStates>>,
}

struct ContextStates {
    callers: Callers,
    /// The same callers in numbers.
    caller_spots: FxHashSet<Spot>,
    /// By shared store, as the first copy sees it: the local states.
    states: FxHashMap<u32, FxHashSet<u32>>,
}

impl ContextStates {
    fn new(desk: &mut Desk<'_>, thread: usize, context: &Context) -> ContextStates {
        let spot = |(context, frame): &(u32, Store)| Spot { context: *context, local: desk.locals.number(frame) };
        let caller_spots = context.callers.iter().map(spot).collect();
        let mut states: FxHashMap<u32, FxHashSet<u32>> = FxHashMap::default();
        for (shared, locals) in &context.states {
            let shared = desk.stores.number(shared);
            let view = desk.view(thread, shared);
            states.entry(view).or_default().extend(locals.iter().map(|local| desk.locals.number(local)));
        }
        ContextStates { callers: context.callers.clone().into(), caller_spots, states }
    }

    fn has(&self, view: u32, local: u32) -> bool {
        self.states.get(&view).is_some_and(|locals| locals.contains(&local))
    }
}

impl Annotated {
    pub(crate) fn new(desk: &mut Desk<'_>, annotation: &Annotation) -> Annotated {
        let mut templates = Vec::new();
        for (index, thread) in annotation.threads.iter().enumerate() {
            let first = desk.instance.copies_of(TemplateId(index as u32)).start;
            templates.push(thread.contexts.iter().map(|context| ContextStates::new(desk, first, context)).collect());
        }
        Annotated { templates }
    }

    fn contexts(&self, desk: &Desk<'_>, thread: usize) -> &[ContextStates] {
        &self.templates[desk.instance.threads[thread].template.index()]
    }

    /// From where a context of the thread is called.
    pub(crate) fn callers(&self, desk: &Desk<'_>, thread: usize, context: u32) -> Callers {
        self.contexts(desk, thread)[context as usize].callers.clone()
    }

    /// The stores of the first copy of a template, in order.
    pub(crate) fn stores(&self, template: TemplateId) -> Vec<u32> {
        let contexts = self.templates[template.index()].iter();
        let mut stores: Vec<u32> = contexts.flat_map(|context| context.states.keys().copied()).collect();
        stores.sort_unstable();
        stores.dedup();
        stores
    }

    /// Where the thread may be with this store, in order.
    pub(crate) fn spots(&self, desk: &mut Desk<'_>, thread: usize, shared: u32) -> Vec<Spot> {
        let view = desk.view(thread, shared);
        let contexts = self.contexts(desk, thread).iter().enumerate();
        let mut spots: Vec<Spot> = contexts
            .flat_map(|(context, states)| {
                let locals = states.states.get(&view).into_iter().flatten();
                locals.map(move |&local| Spot { context: context as u32, local })
            })
            .collect();
        spots.sort_unstable();
        spots
    }

    /// Whether the thread may be there with this store.
    pub(crate) fn admits(&self, desk: &mut Desk<'_>, thread: usize, shared: u32, spot: Spot) -> bool {
        let view = desk.view(thread, shared);
        self.contexts(desk, thread)[spot.context as usize].has(view, spot.local)
    }

    /// Whether the thread may land there with this store. A call may lead to any context that
    /// counts the caller among its callers.
    pub(crate) fn admits_landing(&self, desk: &mut Desk<'_>, thread: usize, shared: u32, landing: Landing) -> bool {
        match landing {
            Landing::At(spot) => self.admits(desk, thread, shared, spot),
            Landing::Call { caller, entered } => {
                let view = desk.view(thread, shared);
                let mut contexts = self.contexts(desk, thread).iter();
                contexts.any(|context| context.caller_spots.contains(&caller) && context.has(view, entered))
            }
        }
    }
}
