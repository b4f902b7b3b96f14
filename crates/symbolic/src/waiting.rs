//! Threads that wait, as terms: what `ir`'s `deadlock.rs` says of one store, for all stores at once.

use crate::{Population, ThreadState, Unsupported, View, by_constants, ways};
use threadwise_ir::{Expr, ExprKind, LocationId, Program, VarRef, Wait};
use threadwise_logic::Term;

/// That a thread can take no step, neither a good one nor one that goes wrong. The prefix is for names that nobody else has.
pub fn is_still(population: &Population, me: &Term, state: &ThreadState, prefix: &str) -> Result<Term, Unsupported> {
    let mut choose = by_constants(population, prefix);
    let mut none = Vec::new();
    for way in ways(population, me, state.clone(), &mut choose)? {
        let chosen: Vec<Term> = way.chosen().into_iter().filter(|choice| way.when.mentions(choice)).collect();
        none.push(if chosen.is_empty() { way.when.not() } else { Term::exists(&chosen, way.when.clone()).not() });
    }
    Ok(Term::all(none))
}

/// The holder of the mutex that a thread waits for, and that somebody holds it: where all that it can do is to take
/// one, which one being known by its own variables.
pub fn waits_for(population: &Population, me: &Term, state: &ThreadState) -> Result<Option<(Term, Term)>, Unsupported> {
    let program = &population.program;
    let Some(edge) = program.only_way(state.point.location) else { return Ok(None) };
    let Some((place, held)) = program.edge(edge).taken() else { return Ok(None) };
    let stays = |key: &Expr| !key.any(&|e| matches!(e.kind, ExprKind::Read(VarRef::Shared(_))));
    let is_mutex = matches!(place.var, VarRef::Shared(var) if program.mutexes()[var.index()]);
    if !is_mutex || !place.indices.iter().all(stays) {
        return Ok(None);
    }
    let held = View::of_thread(population, me, &state.shared, state.locals()).translate(held)?;
    let holder = held.value.term().clone();
    let is_held = held.defined.and(holder.equals(Term::int(0)).not());
    Ok(Some((holder, is_held)))
}

/// Whether a thread at a location may wait for ever: it has ended, or waiting there is meant.
pub fn may_rest(program: &Program, location: LocationId) -> bool {
    has_ended(program, location) || program.location(location).wait == Wait::IsMeant
}

/// Whether a thread at a location has ended.
pub fn has_ended(program: &Program, location: LocationId) -> bool {
    program.routine(program.location(location).routine).exit == location
}
