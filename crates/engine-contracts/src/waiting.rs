//! Deadlocks: whether what holds at the points where threads wait excludes that all of them do.
//!
//! Of the threads those are looked at who matter: each one where there are few copies; where there are many or any
//! number, somebody, and those whose numbers are in shared variables, like the holders of locks.

use crate::located::{Actor, Scene};
use threadwise_ir::{Sort, TemplateId};
use threadwise_logic::{SmtSort, Term};
use threadwise_solver::Session;
use threadwise_symbolic::{ThreadState, Unsupported, has_ended, is_still, may_rest, waits_for};

/// Up to so many copies of a thread are looked at one by one.
const FEW: i64 = 16;

impl Scene<'_> {
    /// Those who matter, each with that it exists.
    fn cast_of_all(&self) -> Vec<(Actor, Term)> {
        let population = self.contracts.population;
        let mut all = Vec::new();
        for template in (0..population.program.templates.len() as u32).map(TemplateId) {
            let known = (population.first(template).as_int(), population.last(template).as_int());
            let threads: Vec<Term> = match known {
                (Some(first), Some(last)) if last - first < FEW => (first..=last).map(Term::int).collect(),
                _ => {
                    let named = population.program.shared.iter().zip(self.shared);
                    let named = named.filter(|(var, _)| var.sort == Sort::Tid).map(|(_, value)| value.term().clone());
                    [self.witness()].into_iter().chain(named).collect()
                }
            };
            for thread in threads {
                let exists = population.is_copy(&thread, template);
                all.extend(self.actor(template, &thread).map(|actor| (actor, exists)));
            }
        }
        all
    }

    /// Where an actor can be: that it is there, and its state.
    fn whereabouts(&self, actor: &Actor) -> Vec<(Term, ThreadState)> {
        let places = self.places[actor.template.index()].iter().enumerate();
        let state = |(number, place): (usize, &crate::points::Place)| {
            let routines = place.point.routines(self.contracts.program());
            let frames = routines.into_iter().map(|routine| actor.locals(self, routine)).collect();
            let state = ThreadState { point: place.point.clone(), shared: self.shared.to_vec(), frames };
            (actor.place().equals(Term::int(number as i64)), state)
        };
        places.map(state).collect()
    }

    /// All threads are still, and one is stuck.
    pub(crate) fn deadlock(&self) -> Result<Term, Unsupported> {
        let (population, program) = (self.contracts.population, self.contracts.program());
        let permits = program.permits();
        let mut all: Vec<Term> = permits.iter().map(|permit| self.shared[permit.index()].term().not()).collect();
        let mut stuck = Vec::new();
        for (number, (actor, exists)) in self.cast_of_all().into_iter().enumerate() {
            for (place, (here, state)) in self.whereabouts(&actor).into_iter().enumerate() {
                let here = exists.and(here);
                let still = is_still(population, &actor.thread, &state, &format!("still.{number}.{place}"))?;
                all.push(here.implies(still));
                if !may_rest(program, state.point.location) {
                    stuck.push(here);
                }
            }
        }
        Ok(Term::all(all).and(Term::any(stuck)))
    }

    /// Some threads wait for mutexes of each other, or of one that has ended: there are some of whom each waits for a mutex
    /// that another one of them holds.
    pub(crate) fn lock_cycle(&self, session: &mut Session) -> Result<Term, Unsupported> {
        let (population, program) = (self.contracts.population, self.contracts.program());
        session.declare_function("among", &[SmtSort::Int], &SmtSort::Bool);
        let among = |thread: &Term| Term::apply("among", [thread], SmtSort::Bool);
        let cast = self.cast_of_all();
        let ended = cast.iter().map(|(other, exists)| {
            let there = self.whereabouts(other).into_iter();
            let ended = there.filter(|(_, state)| has_ended(program, state.point.location)).map(|(here, _)| here);
            (other, exists, Term::any(ended))
        });
        let ended: Vec<(&Actor, &Term, Term)> = ended.filter(|(_, _, ended)| !ended.is_false()).collect();
        let mut all = Vec::new();
        for (actor, exists) in &cast {
            let mut waits = Vec::new();
            for (here, state) in self.whereabouts(actor) {
                if may_rest(program, state.point.location) {
                    continue;
                }
                if let Some((holder, is_held)) = waits_for(population, &actor.thread, &state)? {
                    let has_ended = ended
                        .iter()
                        .map(|(other, exists, ended)| Term::all([&holder.equals(&other.thread), exists, ended]));
                    let follows = among(&holder).or(Term::any(has_ended));
                    waits.push(Term::all([&here, &is_held, &follows]));
                }
            }
            all.push(exists.and(among(&actor.thread)).implies(Term::any(waits)));
        }
        let somebody = Term::any(cast.iter().map(|(actor, exists)| exists.and(among(&actor.thread))));
        Ok(Term::all(all).and(somebody))
    }
}
