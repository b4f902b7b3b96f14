//! Whether some combination of thread states that agree on the shared store is an error.
//!
//! An invariant or a `never` looks at a thread only through labels and named locals. Thread states
//! that agree on these are tried once.

use crate::fixpoint::{Fixpoint, Stop};
use threadwise_ir::{Access, Broken, ExprKind, Gap, Instance, Locals, PropertyId, PropertyKind, Store, TemplateId};
use threadwise_limits::Budget;
use threadwise_source::Span;

/// More combinations for one store than this are not tried.
const MAX_COMBINATIONS: usize = 1 << 20;

/// A combination of thread states that is an error, or of which it is not known.
#[derive(Clone, Debug)]
pub(crate) struct Suspect {
    /// The shared store on which the threads agree.
    pub(crate) store: Store,
    /// The threads to blame and their local states.
    pub(crate) threads: Vec<(usize, Store)>,
    /// What is violated.
    pub(crate) error: Error,
}

#[derive(Clone, Debug)]
pub(crate) enum Error {
    Property(Broken),
    Step(threadwise_ir::StepError, Span),
}

/// Thread states that agree on a shared store.
pub(crate) struct Candidates {
    pub(crate) store: Store,
    /// For each thread its local states with what the next steps access. Where no property looks at
    /// threads, none.
    pub(crate) threads: Vec<Vec<(Store, Access)>>,
}

/// Whether some property looks at threads at all.
pub(crate) fn look_at_threads(instance: &Instance) -> bool {
    instance.program.properties.iter().any(|property| match &property.kind {
        PropertyKind::Invariant(_, e) | PropertyKind::Never(e) => {
            e.any(&|e| matches!(e.kind, ExprKind::At(..) | ExprKind::LocalOf(..)))
        }
        PropertyKind::NoRace(..) => true,
    })
}

/// The first combination of thread states of a fixpoint that is an error.
pub(crate) fn suspect(fixpoint: &mut Fixpoint<'_>, budget: &Budget) -> Result<Option<Suspect>, Stop> {
    if let Some(failing) = fixpoint.failing.first() {
        let thread = fixpoint.instance.copies_of(failing.template).start;
        let local = fixpoint.threads[failing.template.index()].locals.get(failing.local).into();
        return Ok(Some(Suspect {
            store: fixpoint.perspectives.stores.get(failing.store).into(),
            threads: vec![(thread, local)],
            error: Error::Step(failing.failure.error, failing.failure.span),
        }));
    }
    let instance = fixpoint.instance;
    let mut templates = (0..instance.program.templates.len() as u32).map(TemplateId);
    let Some(first) = templates.find(|&t| !instance.copies_of(t).is_empty()) else {
        return suspect_without_threads(instance);
    };
    let looks_at_threads = look_at_threads(instance);
    for store in fixpoint.stores_of(first) {
        budget.check()?;
        let candidates = if looks_at_threads {
            candidates_at(fixpoint, store)
        } else {
            Candidates { store: fixpoint.perspectives.stores.get(store).into(), threads: Vec::new() }
        };
        if let Some(suspect) = suspect_among(instance, &candidates)? {
            return Ok(Some(suspect));
        }
    }
    Ok(None)
}

fn suspect_without_threads(instance: &Instance) -> Result<Option<Suspect>, Stop> {
    for store in instance.initial_stores().stores {
        if let Some(suspect) = suspect_among(instance, &Candidates { store, threads: Vec::new() })? {
            return Ok(Some(suspect));
        }
    }
    Ok(None)
}

fn candidates_at(fixpoint: &mut Fixpoint<'_>, store: u32) -> Candidates {
    let instance = fixpoint.instance;
    let threads = (0..instance.threads.len()).map(|thread| {
        let view = fixpoint.perspectives.view_of(thread, store);
        let states = &fixpoint.threads[view.template.index()];
        let locals = fixpoint.locals_at(view.template, view.store);
        let access = |local| fixpoint.access.get(&(view.template, view.store, local)).copied().unwrap_or_default();
        locals.iter().map(|local| (states.locals.get(local).into(), access(local))).collect()
    });
    let threads = threads.collect();
    Candidates { store: fixpoint.perspectives.stores.get(store).into(), threads }
}

/// The first combination of candidates that is an error.
pub(crate) fn suspect_among(instance: &Instance, candidates: &Candidates) -> Result<Option<Suspect>, Stop> {
    if candidates.threads.iter().any(Vec::is_empty) {
        return Ok(None);
    }
    if let Some(suspect) = racing_pair(instance, candidates) {
        return Ok(Some(suspect));
    }
    let groups: Vec<Vec<&Store>> = (0..candidates.threads.len()).map(|t| distinct(instance, candidates, t)).collect();
    let combinations = groups.iter().fold(1usize, |n, group| n.saturating_mul(group.len()));
    if combinations > MAX_COMBINATIONS {
        return Err(Stop::Gap(Gap::TooMany(instance.program.properties.first().map_or(Span::default(), |p| p.span))));
    }
    for number in 0..combinations {
        let mut rest = number;
        let pick = |group: &Vec<&'_ Store>| {
            let local = group[rest % group.len()].clone();
            rest /= group.len();
            local
        };
        let locals: Vec<Store> = groups.iter().map(pick).collect();
        if let Some(gap) = instance.property_gap(&candidates.store, &locals as &dyn Locals) {
            return Err(Stop::Gap(gap));
        }
        let broken = instance.broken_properties(&candidates.store, &locals, &mut |_| Access::default());
        if let Some(&broken) = broken.first() {
            return Ok(Some(blame(instance, candidates, locals, broken)));
        }
    }
    Ok(None)
}

/// Of local states that properties cannot tell apart, the first.
fn distinct<'c>(instance: &Instance, candidates: &'c Candidates, thread: usize) -> Vec<&'c Store> {
    let template = instance.threads[thread].template;
    let mut seen = Vec::new();
    let mut representatives = Vec::new();
    for (local, _) in &candidates.threads[thread] {
        let view = what_properties_see(instance, template, local);
        if !seen.contains(&view) {
            seen.push(view);
            representatives.push(local);
        }
    }
    representatives
}

fn what_properties_see(instance: &Instance, template: TemplateId, local: &Store) -> Vec<i64> {
    let location = instance.location_of(local);
    let routine = instance.program.template(template).body;
    let mut view = Vec::new();
    for property in &instance.program.properties {
        let (PropertyKind::Invariant(_, e) | PropertyKind::Never(e)) = &property.kind else { continue };
        e.walk(&mut |e| match &e.kind {
            ExprKind::At(thread, locations) if thread.template == template => {
                view.push(locations.binary_search(&location).is_ok() as i64);
            }
            ExprKind::LocalOf(thread, var) if thread.template == template => {
                view.extend_from_slice(&local[instance.local_range(routine, *var)]);
            }
            _ => {}
        });
    }
    view
}

/// The threads whose states matter to a broken property: those it looks at.
fn blame(instance: &Instance, candidates: &Candidates, locals: Vec<Store>, broken: Broken) -> Suspect {
    let id = match broken {
        Broken::Property(id) | Broken::Fault(id, ..) => id,
    };
    let mut templates = Vec::new();
    if let PropertyKind::Invariant(_, e) | PropertyKind::Never(e) = &instance.program.property(id).kind {
        e.walk(&mut |e| {
            if let ExprKind::At(thread, _) | ExprKind::LocalOf(thread, _) = &e.kind {
                templates.push(thread.template);
            }
        });
    }
    let threads = locals.into_iter().enumerate();
    let threads = threads.filter(|(thread, _)| templates.contains(&instance.threads[*thread].template)).collect();
    Suspect { store: candidates.store.clone(), threads, error: Error::Property(broken) }
}

fn racing_pair(instance: &Instance, candidates: &Candidates) -> Option<Suspect> {
    let properties = instance.program.properties.iter().enumerate();
    let races = properties.filter(|(_, p)| matches!(p.kind, PropertyKind::NoRace(..))).map(|(index, _)| index);
    let races: Vec<usize> = races.collect();
    if races.is_empty() {
        return None;
    }
    let mut before: Vec<(usize, Access)> = Vec::new();
    let mut all_before = Access::default();
    for (thread, states) in candidates.threads.iter().enumerate() {
        let access = states.iter().fold(Access::default(), |sum, (_, access)| sum.union(*access));
        if all_before.conflicts(access) != 0 {
            let (other, _) = *before.iter().find(|(_, other)| other.conflicts(access) != 0)?;
            return pair_of(candidates, other, thread, &races);
        }
        before.push((thread, access));
        all_before = all_before.union(access);
    }
    None
}

fn pair_of(candidates: &Candidates, first: usize, second: usize, races: &[usize]) -> Option<Suspect> {
    for (local, access) in &candidates.threads[first] {
        for (other_local, other_access) in &candidates.threads[second] {
            let conflicts = access.conflicts(*other_access);
            if conflicts != 0 {
                let property = PropertyId(races[conflicts.trailing_zeros() as usize] as u32);
                return Some(Suspect {
                    store: candidates.store.clone(),
                    threads: vec![(first, local.clone()), (second, other_local.clone())],
                    error: Error::Property(Broken::Property(property)),
                });
            }
        }
    }
    None
}
