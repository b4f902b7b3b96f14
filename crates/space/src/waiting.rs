//! Deadlocks as formulas.

use crate::space::{PointId, Space, ThreadSpace};
use threadwise_ir::{Point, ThreadId};
use threadwise_logic::{Term, Var};
use threadwise_source::Span;
use threadwise_symbolic::{ThreadState, Unsupported, has_ended, may_rest, waits_for};

/// All threads are still, and one is stuck.
pub(crate) fn deadlock(space: &Space, span: Span) -> Result<Term, Unsupported> {
    let program = &space.instance.program;
    let mut all: Vec<Term> = program.permits().iter().map(|permit| space.shared[permit.index()].term().not()).collect();
    let mut stuck = Vec::new();
    for (index, thread) in space.threads.iter().enumerate() {
        let mut somewhere = Vec::new();
        for (number, point) in thread.points.iter().enumerate() {
            let id = PointId(number as u32);
            let here = space.at(ThreadId(index as u32), id);
            somewhere.push(here.and(is_still(space, thread, id, span)?));
            if !may_rest(program, point.location) {
                stuck.push(here);
            }
        }
        all.push(Term::any(somewhere));
    }
    Ok(Term::all(all).and(Term::any(stuck)))
}

/// That no step can be taken from a point, and none goes wrong. Whether there is something to choose is no question for linear arithmetic.
fn is_still(space: &Space, thread: &ThreadSpace, from: PointId, span: Span) -> Result<Term, Unsupported> {
    let steps = thread.steps.iter().filter(|step| step.from == from);
    let mut none = Vec::new();
    for step in steps {
        let spoken_of = step.guard.variables();
        if step.choices.iter().any(|choice| spoken_of.contains(choice)) {
            return Err(Unsupported::new("`nodeadlock` where a step waits for something that it chooses", span));
        }
        none.push(step.guard.not());
    }
    for failure in thread.failures.iter().filter(|failure| failure.from == from) {
        // What depends on a choice besides is left out: the state is in error anyway.
        let is_of_state = |var: &Var| space.info(*var).is_some();
        if failure.condition.variables().iter().all(is_of_state) {
            none.push(failure.condition.not());
        }
    }
    Ok(Term::all(none))
}

/// Some threads wait for mutexes of each other, or of one that has ended: each waits, and so does the one that it waits
/// for, as often as there are threads.
pub(crate) fn lock_cycle(space: &Space) -> Result<Term, Unsupported> {
    let program = &space.instance.program;
    let mut waits: Vec<Vec<(Term, Term)>> = Vec::new();
    let mut ended = Vec::new();
    for (index, thread) in space.threads.iter().enumerate() {
        let (id, me) = (ThreadId(index as u32), Term::int(index as i64 + 1));
        let points =
            || thread.points.iter().enumerate().map(|(number, point)| (space.at(id, PointId(number as u32)), point));
        let ends = points().filter(|(_, point)| has_ended(program, point.location));
        ended.push(Term::any(ends.map(|(here, _)| here)));
        let mut own = Vec::new();
        for (here, point) in points().filter(|(_, point)| !may_rest(program, point.location)) {
            if let Some((holder, is_held)) = waits_for(&space.population, &me, &state(space, thread, point))? {
                own.push((here.and(is_held), holder));
            }
        }
        waits.push(own);
    }
    let mut among = vec![Term::bool(true); waits.len()];
    for _ in 0..waits.len() {
        let follows = |holder: &Term| {
            let others = among.iter().zip(&ended).enumerate();
            Term::any(
                others.map(|(number, (among, ended))| holder.equals(Term::int(number as i64 + 1)).and(among.or(ended))),
            )
        };
        among = waits.iter().map(|own| Term::any(own.iter().map(|(here, holder)| here.and(follows(holder))))).collect();
    }
    Ok(Term::any(among))
}

fn state(space: &Space, thread: &ThreadSpace, point: &Point) -> ThreadState {
    let frames = (0..=point.calls.len()).map(|depth| thread.frames[&point.calls[..depth]].clone()).collect();
    ThreadState { point: point.clone(), shared: space.shared.clone(), frames }
}
