//! An annotation in the checker's own numbers, and what it says of each thread.
//!
//! It is laid out by shared store: where each thread may be with a store stands in one piece of
//! memory, since it is asked for in one go.

use crate::CheckError;
use crate::desk::{Callers, Desk, Spot};
use crate::landing::Landing;
use rustc_hash::FxHashSet;
use threadwise_evidence::{Annotation, Context};
use threadwise_ir::{Store, TemplateId};
use threadwise_limits::growth_of_list;

pub(crate) struct Annotated {
    /// For each template the contexts of its first copy.
    templates: Vec<Vec<Called>>,
    /// By shared store.
    rows: Vec<Row>,
}

/// From where a context is called.
struct Called {
    callers: Callers,
    /// The same callers in numbers.
    spots: FxHashSet<Spot>,
}

/// What is said of a shared store, as first copies see it.
#[derive(Default)]
struct Row {
    /// For each template whose first copy sees the store, in order: the template, and where its spots
    /// end. They start where those of the one before end.
    cells: Vec<(u32, u32)>,
    /// Those of a cell are in order.
    spots: Vec<Spot>,
}

impl Row {
    fn add(&mut self, template: usize, spots: impl Iterator<Item = Spot>) {
        self.spots.extend(spots);
        let end = self.spots.len() as u32;
        match self.cells.last_mut() {
            Some(last) if last.0 == template as u32 => last.1 = end,
            _ => self.cells.push((template as u32, end)),
        }
    }

    fn cell(&self, template: usize) -> &[Spot] {
        // Usually all templates are here.
        let is_here = |&at: &usize| self.cells.get(at).is_some_and(|cell| cell.0 == template as u32);
        let search = || self.cells.binary_search_by_key(&(template as u32), |cell| cell.0).ok();
        match Some(template).filter(is_here).or_else(search) {
            Some(at) => &self.spots[self.range(at)],
            None => &[],
        }
    }

    fn range(&self, at: usize) -> std::ops::Range<usize> {
        let start = at.checked_sub(1).map_or(0, |before| self.cells[before].1);
        start as usize..self.cells[at].1 as usize
    }
}

impl Annotated {
    pub(crate) fn new(desk: &mut Desk<'_>, annotation: &Annotation) -> Result<Annotated, CheckError> {
        let mut annotated = Annotated { templates: Vec::new(), rows: Vec::new() };
        for (index, thread) in annotation.threads.iter().enumerate() {
            let called = thread.contexts.iter().map(|context| Called::new(desk, context));
            annotated.templates.push(called.collect());
            for (number, context) in thread.contexts.iter().enumerate() {
                annotated.add(desk, index, number as u32, context)?;
            }
        }
        for row in &mut annotated.rows {
            for at in 0..row.cells.len() {
                let range = row.range(at);
                row.spots[range].sort_unstable();
            }
        }
        Ok(annotated)
    }

    fn add(&mut self, desk: &mut Desk<'_>, template: usize, number: u32, context: &Context) -> Result<(), CheckError> {
        let first = desk.instance.copies_of(TemplateId(template as u32)).start;
        for (shared, locals) in &context.states {
            desk.ask_budget_for(growth_of_list(&self.rows))?;
            let shared = desk.stores.number(shared);
            let view = desk.view(first, shared) as usize;
            if self.rows.len() <= view {
                self.rows.resize_with(view + 1, Row::default);
            }
            let spot = |local: &Store| Spot { context: number, local: desk.locals.number(local) };
            self.rows[view].add(template, locals.iter().map(spot));
        }
        Ok(())
    }

    fn contexts(&self, desk: &Desk<'_>, thread: usize) -> &[Called] {
        &self.templates[desk.instance.threads[thread].template.index()]
    }

    fn cell(&self, view: u32, template: TemplateId) -> &[Spot] {
        self.rows.get(view as usize).map_or(&[], |row| row.cell(template.index()))
    }

    /// From where a context of the thread is called.
    pub(crate) fn callers(&self, desk: &Desk<'_>, thread: usize, context: u32) -> &Callers {
        &self.contexts(desk, thread)[context as usize].callers
    }

    /// The number of stores that something may be said of.
    pub(crate) fn stores(&self) -> u32 {
        self.rows.len() as u32
    }

    /// Whether something is said of the store as the first copy of the template sees it.
    pub(crate) fn speaks_of(&self, template: TemplateId, shared: u32) -> bool {
        !self.cell(shared, template).is_empty()
    }

    /// Where the thread may be with this store, in order.
    pub(crate) fn spots(&self, desk: &mut Desk<'_>, thread: usize, shared: u32) -> &[Spot] {
        let view = desk.view(thread, shared);
        self.cell(view, desk.instance.threads[thread].template)
    }

    /// Whether the thread may be there with this store.
    pub(crate) fn admits(&self, desk: &mut Desk<'_>, thread: usize, shared: u32, spot: Spot) -> bool {
        self.spots(desk, thread, shared).binary_search(&spot).is_ok()
    }

    /// Whether the thread may land there with this store. A call may lead to any context that
    /// counts the caller among its callers.
    pub(crate) fn admits_landing(&self, desk: &mut Desk<'_>, thread: usize, shared: u32, landing: Landing) -> bool {
        match landing {
            Landing::At(spot) => self.admits(desk, thread, shared, spot),
            Landing::Call { caller, entered } => {
                let spots = self.spots(desk, thread, shared);
                let contexts = self.contexts(desk, thread);
                let is_there =
                    |spot: &Spot| spot.local == entered && contexts[spot.context as usize].spots.contains(&caller);
                spots.iter().any(is_there)
            }
        }
    }
}

impl Called {
    fn new(desk: &mut Desk<'_>, context: &Context) -> Called {
        let spot = |(context, frame): &(u32, Store)| Spot { context: *context, local: desk.locals.number(frame) };
        let spots = context.callers.iter().map(spot).collect();
        Called { callers: context.callers.clone().into(), spots }
    }
}
