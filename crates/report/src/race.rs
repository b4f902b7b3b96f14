//! Who races with whom.

use crate::statement::{Statement, statement};
use threadwise_evidence::{show_value, shown_shared};
use threadwise_ir::{Edge, Instance, Met, Observations, Pattern, PropertyId, Sign, State, ThreadId};

/// One side of a race: a thread that can take a step on the variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Racer {
    /// Its name.
    pub thread: String,
    /// The statement it can execute next.
    pub statement: Statement,
    /// It writes the variable.
    pub writes: bool,
}

/// Two threads that can each access the variables of a pattern now, at least one of them writing. Where elements are told
/// apart, they are those that can access the same one.
pub(crate) fn race(instance: &Instance, state: &State, property: PropertyId, pattern: &Pattern) -> Option<[Racer; 2]> {
    let whole = pattern.signs().first()?.region().depth == 0;
    let met = met(instance, state, property)?;
    let takes_part = |thread: &ThreadId| whole || met.threads.contains(&thread.index());
    let threads = (0..instance.threads.len() as u32).map(ThreadId).filter(takes_part);
    let racers: Vec<Vec<Racer>> = threads.map(|thread| accesses(instance, state, thread, pattern, &met)).collect();
    for (index, firsts) in racers.iter().enumerate() {
        for seconds in &racers[index + 1..] {
            let pairs = firsts.iter().flat_map(|a| seconds.iter().map(move |b| (a, b)));
            if let Some((a, b)) = pairs.into_iter().find(|(a, b)| a.writes || b.writes) {
                return Some([a.clone(), b.clone()]);
            }
        }
    }
    None
}

/// The element that threads race on, where elements are told apart: `slots[2]`.
pub(crate) fn element(instance: &Instance, state: &State, property: PropertyId) -> Option<String> {
    let region = instance.program.property(property).pattern()?.signs().first()?.region();
    let var = *region.vars.first()?;
    let pool = shown_shared(instance, var).and_then(|shown| shown.pool.as_ref());
    if region.depth == 0 {
        return pool.filter(|pool| !pool.is_array).map(|pool| format!("heap#{}{}", pool.first, pool.part));
    }
    let met = met(instance, state, property)?;
    let keys = instance.keys_of_element(region, met.element);
    let (name, keys) = match (pool, &keys[..]) {
        (Some(pool), [(_, slot), rest @ ..]) if pool.is_array => {
            (format!("heap#{}{}", i64::from(pool.first) + slot, pool.part), rest)
        }
        (Some(pool), all) => (format!("heap#{}{}", pool.first, pool.part), all),
        (None, all) => (instance.program.shared[var.index()].name.to_string(), all),
    };
    let keys = keys.iter().map(|(sort, value)| format!("[{}]", show_value(instance, sort, &[*value])));
    Some(format!("{name}{}", keys.collect::<String>()))
}

fn met(instance: &Instance, state: &State, property: PropertyId) -> Option<Met> {
    let threads = (0..instance.threads.len() as u32).map(ThreadId);
    let shown: Vec<Observations> = threads.map(|thread| state.steps(instance, thread).shown).collect();
    let met = instance.program.patterns_met(&shown.iter().collect::<Vec<&Observations>>());
    met.into_iter().find(|met| met.property == property)
}

/// The statements on what threads race on in the steps that the thread can take; writes come first.
fn accesses(instance: &Instance, state: &State, thread: ThreadId, pattern: &Pattern, met: &Met) -> Vec<Racer> {
    let program = &instance.program;
    let steps = state.steps(instance, thread);
    let mut racers: Vec<Racer> = Vec::new();
    for &edge in steps.successors.iter().flat_map(|s| &s.path) {
        let of_element = |number| steps.shown.show(met.property, number, met.element);
        let signs = || pattern.signs().iter().zip(0..).filter(|(_, number)| of_element(*number)).map(|(sign, _)| sign);
        let shown = || signs().filter(|sign| is_shown(sign, program.edge(edge)));
        if shown().next().is_some() {
            let racer = Racer {
                thread: instance.tid_name(i64::from(thread.0) + 1),
                statement: statement(instance, edge),
                writes: shown().any(|sign| matches!(sign, Sign::Writes(_))),
            };
            if !racers.contains(&racer) {
                racers.push(racer);
            }
        }
    }
    racers.sort_by_key(|racer| !racer.writes);
    racers
}

/// The write of a result is shown as part of the call.
fn is_shown(sign: &Sign, edge: &Edge) -> bool {
    sign.is_shown_by(edge) || sign.is_shown_by_result(edge)
}
