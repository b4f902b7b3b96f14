//! Where the search starts. The initial states are a product, of the shared stores and of where each thread can
//! start, and are made one by one: there may be far more of them than would fit anywhere.

use crate::search::Search;
use std::ops::ControlFlow;
use std::rc::Rc;
use threadwise_evidence::{Trace, Violation};
use threadwise_ir::{Gap, Instance, ThreadId};
use threadwise_limits::{Budget, Limit};

/// How many stores are looked at between two looks at the budget.
const STORES_PER_CHECK: usize = 1 << 10;

/// All initial states, as numbers.
#[derive(Default)]
pub(crate) struct InitialStates {
    products: Vec<Product>,
    /// Why there may be more.
    pub(crate) gap: Option<Gap>,
}

/// The initial states with one shared store.
struct Product {
    shared: u32,
    /// For each thread the local states that it can start in.
    locals: Rc<[Vec<u32>]>,
    /// For each thread the one before it that it could change places with: they are not told apart, so it starts
    /// no earlier in its list than that one.
    after: Rc<[Option<usize>]>,
}

/// Why there are no initial states to start from.
pub(crate) enum NoStart {
    /// The initial values, or the start of a thread, go wrong.
    Wrong(Box<Trace>),
    Limit(Limit),
}

impl InitialStates {
    pub(crate) fn new(instance: &Instance, search: &mut Search<'_>, budget: &Budget) -> Result<Self, NoStart> {
        let wrong = |violation: Violation| {
            let any_copies = instance.any_copies();
            NoStart::Wrong(Box::new(Trace { any_copies, initial: None, steps: Vec::new(), violation }))
        };
        let stores = instance.initial_stores();
        if let Some(&(fault, span)) = stores.faults.first() {
            return Err(wrong(Violation::Initial(fault, span)));
        }
        let mut all = InitialStates { products: Vec::new(), gap: stores.gap };
        for (index, store) in stores.stores.iter().enumerate() {
            if index.is_multiple_of(STORES_PER_CHECK) {
                budget.check().map_err(NoStart::Limit)?;
            }
            let mut locals: Vec<Vec<u32>> = Vec::with_capacity(instance.threads.len());
            for thread in (0..instance.threads.len() as u32).map(ThreadId) {
                let starts = instance.starts(thread, store);
                all.gap = all.gap.or(starts.gap);
                if let Some(failure) = starts.failures.first() {
                    let (error, span) = (failure.error, failure.span);
                    return Err(wrong(Violation::Start { thread, error, span }));
                }
                search.tables.taken.note(&starts);
                let template = instance.threads[thread.index()].template.index();
                let numbers = starts.successors.iter().map(|s| search.tables.locals[template].intern(&s.local));
                locals.push(numbers.collect());
            }
            let shared = search.tables.shared.intern(store);
            let after = search.canonical.interchangeable(shared, &locals, &search.tables.shared);
            all.add(shared, locals, after);
        }
        Ok(all)
    }

    /// Most stores have the same product beside them, which is kept once.
    fn add(&mut self, shared: u32, locals: Vec<Vec<u32>>, after: Vec<Option<usize>>) {
        let product = match self.products.last() {
            Some(last) if *last.locals == locals[..] && *last.after == after[..] => {
                Product { shared, locals: last.locals.clone(), after: last.after.clone() }
            }
            _ => Product { shared, locals: locals.into(), after: after.into() },
        };
        self.products.push(product);
    }

    /// Calls `each` with the initial states, one of those that differ by a permutation of copies at the least,
    /// until it breaks off.
    pub(crate) fn visit<B>(&self, each: &mut dyn FnMut(&[u32]) -> ControlFlow<B>) -> ControlFlow<B> {
        self.products.iter().try_for_each(|product| product.visit(each))
    }
}

impl Product {
    fn visit<B>(&self, each: &mut dyn FnMut(&[u32]) -> ControlFlow<B>) -> ControlFlow<B> {
        if self.locals.iter().any(Vec::is_empty) {
            return ControlFlow::Continue(());
        }
        let mut positions = vec![0; self.locals.len()];
        let mut state = vec![self.shared; self.locals.len() + 1];
        loop {
            for (thread, &position) in positions.iter().enumerate() {
                state[thread + 1] = self.locals[thread][position];
            }
            each(&state)?;
            let has_next = |&thread: &usize| positions[thread] + 1 < self.locals[thread].len();
            let Some(last) = (0..positions.len()).rev().find(has_next) else { return ControlFlow::Continue(()) };
            positions[last] += 1;
            for thread in last + 1..positions.len() {
                positions[thread] = self.after[thread].map_or(0, |before| positions[before]);
            }
        }
    }
}
