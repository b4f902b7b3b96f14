//! Whether some combination of thread states that agree on the shared store is an error.
//!
//! An invariant or a `never` looks at a thread only through labels and named locals. Thread states
//! that agree on these are tried once.

use crate::fixpoint::{Fixpoint, Stop};
use crate::perspective::View;
use threadwise_ir::{Broken, ExprKind, Gap, Instance, Locals, LocationId, Met, Observations, Store, TemplateId};
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
pub(crate) struct Candidates<'c> {
    pub(crate) store: &'c [i64],
    /// For each thread its local states with what it shows there. Where no property looks at
    /// threads, none.
    pub(crate) threads: Vec<Vec<(&'c [i64], Observations)>>,
}

/// What the properties see of threads.
pub(crate) struct Sights {
    /// For each template what formulas see of its copies.
    templates: Vec<Vec<Sight>>,
    /// Whether there are patterns of what threads show.
    patterns: bool,
}

enum Sight {
    /// Whether the thread is at one of these locations.
    At(Vec<LocationId>),
    /// These words of its lowest frame.
    Words(std::ops::Range<usize>),
}

impl Sights {
    pub(crate) fn new(instance: &Instance) -> Sights {
        let program = &instance.program;
        let mut templates: Vec<Vec<Sight>> = program.templates.iter().map(|_| Vec::new()).collect();
        for (_, e, _) in program.formulas() {
            e.walk(&mut |e| match &e.kind {
                ExprKind::At(thread, locations) => {
                    templates[thread.template.index()].push(Sight::At(locations.to_vec()));
                }
                ExprKind::LocalOf(thread, var) => {
                    let words = instance.local_range(program.template(thread.template).body, *var);
                    templates[thread.template.index()].push(Sight::Words(words));
                }
                _ => {}
            });
        }
        Sights { templates, patterns: program.patterns().next().is_some() }
    }

    /// Whether some property looks at threads at all.
    fn look_at_threads(&self) -> bool {
        self.patterns || self.templates.iter().any(|sights| !sights.is_empty())
    }
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
    let sights = Sights::new(instance);
    for store in fixpoint.stores_of(first) {
        budget.check()?;
        let candidates = if sights.look_at_threads() {
            candidates_at(fixpoint, store)
        } else {
            Candidates { store: fixpoint.perspectives.stores.get(store), threads: Vec::new() }
        };
        if let Some(suspect) = suspect_among(instance, &sights, &candidates)? {
            return Ok(Some(suspect));
        }
    }
    Ok(None)
}

fn suspect_without_threads(instance: &Instance) -> Result<Option<Suspect>, Stop> {
    let sights = Sights::new(instance);
    for store in instance.initial_stores().stores {
        let candidates = Candidates { store: &store, threads: Vec::new() };
        if let Some(suspect) = suspect_among(instance, &sights, &candidates)? {
            return Ok(Some(suspect));
        }
    }
    Ok(None)
}

fn candidates_at<'c>(fixpoint: &'c mut Fixpoint<'_>, store: u32) -> Candidates<'c> {
    let threads = 0..fixpoint.instance.threads.len();
    let views: Vec<View> = threads.map(|thread| fixpoint.perspectives.view_of(thread, store)).collect();
    let fixpoint = &*fixpoint;
    let states = |view: View| {
        let (template, store) = (view.template, view.store);
        let locals = &fixpoint.threads[template.index()].locals;
        // What a thread shows is known in the names that threads have to it.
        let renamed = |shown: &Observations| match fixpoint.perspectives.are_equal() {
            true => shown.clone(),
            false => fixpoint.instance.rename_shown(shown, &|tid| match usize::try_from(tid - 1) {
                Ok(index) => view.back[index] as i64 + 1,
                Err(_) => tid,
            }),
        };
        let shown = |local| fixpoint.shown.get(&(template, store, local)).map(renamed).unwrap_or_default();
        let here = fixpoint.locals_at(template, store);
        here.iter().map(|local| (locals.get(local), shown(local))).collect()
    };
    let threads = views.into_iter().map(states).collect();
    Candidates { store: fixpoint.perspectives.stores.get(store), threads }
}

/// A local state of each thread.
struct Chosen<'c>(Vec<&'c [i64]>);

impl Locals for Chosen<'_> {
    fn local(&self, thread: usize) -> &[i64] {
        self.0[thread]
    }
}

/// The first combination of candidates that is an error.
pub(crate) fn suspect_among(
    instance: &Instance,
    sights: &Sights,
    candidates: &Candidates<'_>,
) -> Result<Option<Suspect>, Stop> {
    if candidates.threads.iter().any(Vec::is_empty) {
        return Ok(None);
    }
    if let Some(suspect) = meeting(instance, sights, candidates) {
        return Ok(Some(suspect));
    }
    let distinct = |(thread, states): (usize, &Vec<(&'_ [i64], Observations)>)| {
        distinct(instance, &sights.templates[instance.threads[thread].template.index()], states)
    };
    let groups: Vec<Vec<usize>> = candidates.threads.iter().enumerate().map(distinct).collect();
    let combinations = groups.iter().fold(1usize, |n, group| n.saturating_mul(group.len()));
    if combinations > MAX_COMBINATIONS {
        return Err(Stop::Gap(Gap::TooMany(instance.program.properties.first().map_or(Span::default(), |p| p.span))));
    }
    for number in 0..combinations {
        let mut rest = number;
        let mut locals = Chosen(Vec::with_capacity(groups.len()));
        for (group, states) in groups.iter().zip(&candidates.threads) {
            locals.0.push(states[group[rest % group.len()]].0);
            rest /= group.len();
        }
        if let Some(gap) = instance.property_gap(candidates.store, &locals) {
            return Err(Stop::Gap(gap));
        }
        let broken = instance.broken_properties(candidates.store, &locals, &mut |_| Observations::default());
        if let Some(&broken) = broken.first() {
            return Ok(Some(blame(instance, candidates, &locals, broken)));
        }
    }
    Ok(None)
}

/// Of states that properties cannot tell apart, the first: where it is in the list.
fn distinct(instance: &Instance, sights: &[Sight], states: &[(&[i64], Observations)]) -> Vec<usize> {
    if sights.is_empty() {
        return vec![0];
    }
    let mut seen = Vec::new();
    let mut representatives = Vec::new();
    for (index, (local, _)) in states.iter().enumerate() {
        let mut look = Vec::new();
        for sight in sights {
            match sight {
                Sight::At(locations) => look.push(locations.binary_search(&instance.location_of(local)).is_ok() as i64),
                Sight::Words(range) => look.extend_from_slice(&local[range.clone()]),
            }
        }
        if !seen.contains(&look) {
            seen.push(look);
            representatives.push(index);
        }
    }
    representatives
}

/// The threads whose states matter to a broken property: those it looks at.
fn blame(instance: &Instance, candidates: &Candidates<'_>, locals: &Chosen<'_>, broken: Broken) -> Suspect {
    let id = match broken {
        Broken::Property(id) | Broken::Fault(id, ..) => id,
    };
    let mut templates = Vec::new();
    if let Some((e, _)) = instance.program.property(id).formula() {
        e.walk(&mut |e| {
            if let ExprKind::At(thread, _) | ExprKind::LocalOf(thread, _) = &e.kind {
                templates.push(thread.template);
            }
        });
    }
    let threads = locals.0.iter().map(|local| Store::from(*local)).enumerate();
    let threads = threads.filter(|(thread, _)| templates.contains(&instance.threads[*thread].template)).collect();
    Suspect { store: candidates.store.into(), threads, error: Error::Property(broken) }
}

/// Threads whose states meet a pattern.
fn meeting(instance: &Instance, sights: &Sights, candidates: &Candidates<'_>) -> Option<Suspect> {
    if !sights.patterns {
        return None;
    }
    let of_all_states = |states: &Vec<(&[i64], Observations)>| {
        let mut shown = Observations::default();
        states.iter().for_each(|(_, more)| shown.add_all(more));
        shown
    };
    let shown: Vec<Observations> = candidates.threads.iter().map(of_all_states).collect();
    let met = instance.program.patterns_met(&shown.iter().collect::<Vec<&Observations>>()).into_iter().next()?;
    Some(suspect_that_meets(candidates, &met))
}

/// For each thread that has a part in the pattern the first state in which it shows what it must.
fn suspect_that_meets(candidates: &Candidates<'_>, met: &Met) -> Suspect {
    let mut threads: Vec<(usize, Store)> = Vec::new();
    for (&thread, &(sign, element)) in met.threads.iter().zip(&met.shown) {
        let states = candidates.threads[thread].iter();
        let showing = states
            .filter(|(_, shown)| shown.show(met.property, sign, element))
            .map(|(local, _)| (thread, (*local).into()));
        threads.extend(showing.take(1));
    }
    threads.sort_by_key(|(thread, _)| *thread);
    Suspect { store: candidates.store.into(), threads, error: Error::Property(Broken::Property(met.property)) }
}
