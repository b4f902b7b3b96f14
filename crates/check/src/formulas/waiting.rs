//! Deadlocks: that no state of threads at points, each of which can take no step, is consistent with what is said there.
//!
//! Of the threads that there are the solver is told of those who matter: of each one where there are few, and where
//! there are many or any number, of anyone, and of those whose numbers are in shared variables, like the holders of
//! locks. What holds of the others is left out, which makes it only harder to exclude a deadlock.

use super::Judge;
use super::book::Book;
use super::crowd::Figure;
use crate::CheckError;
use crate::questions::must_be_impossible;
use threadwise_ir::{Pattern, Sort};
use threadwise_logic::{SmtSort, Term};
use threadwise_solver::Session;
use threadwise_symbolic::{Unsupported, Value, has_ended, is_still, may_rest, waits_for};

/// Up to so many copies of a thread are looked at one by one.
const FEW: i64 = 16;

/// A thread that is told of.
struct Actor {
    part: usize,
    thread: Term,
    /// That it is a thread of the part.
    exists: Term,
    figure: Figure,
}

impl Judge<'_> {
    /// No state is a deadlock, or has threads that wait for each other's locks.
    pub(super) fn nobody_waits(&mut self, pattern: &Pattern, place: &str) -> Result<(), CheckError> {
        let book = self.book;
        self.session.push();
        let shared = book.store(self.session, "x");
        self.session.assert(&book.sound(&shared)?);
        let actors = book.cast(self.session, &shared);
        let world = book.figures_of_threads();
        for actor in &actors {
            let known = book.known(actor.part, &actor.thread, &actor.figure, &shared, &world)?;
            self.session.assert(&actor.exists.implies(known));
        }
        let met = match pattern {
            Pattern::Deadlock => self.all_are_still(&actors, &shared)?,
            Pattern::LockCycle => self.some_wait_for_each_other(&actors, &shared)?,
            Pattern::Signs(_) => Term::bool(true),
        };
        self.session.assert(&met);
        must_be_impossible(self.session, || format!("it does not exclude the deadlock that {place} asks about"))?;
        self.session.pop();
        Ok(())
    }

    /// All are still, and one is stuck. As long as a copy has been started and none has taken notice of it nobody is.
    fn all_are_still(&mut self, actors: &[Actor], shared: &[Value]) -> Result<Term, Unsupported> {
        let book = self.book;
        let permits = book.program().permits();
        let mut all: Vec<Term> = permits.iter().map(|permit| shared[permit.index()].term().not()).collect();
        let mut stuck = Vec::new();
        for (number, actor) in actors.iter().enumerate() {
            let code = &book.parts[actor.part].code;
            for spot in code.resting() {
                let point = &code.spots[spot].point;
                let here = actor.exists.and(actor.figure.at.equals(code.number_of(point)));
                let state = actor.figure.state_at(point, shared);
                let still = is_still(book.population, &actor.thread, &state, &format!("any.{number}.{spot}"))?;
                all.push(here.implies(still));
                if !may_rest(book.program(), point.location) {
                    stuck.push(here);
                }
            }
        }
        Ok(Term::all(all).and(Term::any(stuck)))
    }

    /// There are some of whom each waits for a mutex that another one of them holds, or one that has ended.
    fn some_wait_for_each_other(&mut self, actors: &[Actor], shared: &[Value]) -> Result<Term, Unsupported> {
        let book = self.book;
        self.session.declare_function("among", &[SmtSort::Int], &SmtSort::Bool);
        let among = |thread: &Term| Term::apply("among", [thread], SmtSort::Bool);
        let mut all = Vec::new();
        for actor in actors {
            let code = &book.parts[actor.part].code;
            let mut waits = Vec::new();
            for spot in code.resting().filter(|&spot| !may_rest(book.program(), code.spots[spot].point.location)) {
                let point = &code.spots[spot].point;
                let state = actor.figure.state_at(point, shared);
                if let Some((holder, is_held)) = waits_for(book.population, &actor.thread, &state)? {
                    let here = actor.figure.at.equals(code.number_of(point));
                    let follows = among(&holder).or(book.has_ended(&holder));
                    waits.push(Term::all([here, is_held, follows]));
                }
            }
            all.push(actor.exists.and(among(&actor.thread)).implies(Term::any(waits)));
        }
        let somebody = Term::any(actors.iter().map(|actor| actor.exists.and(among(&actor.thread))));
        Ok(Term::all(all).and(somebody))
    }
}

impl Book<'_> {
    fn cast(&self, session: &mut Session, shared: &[Value]) -> Vec<Actor> {
        let mut cast = Vec::new();
        for part in 0..self.parts.len() {
            self.declare_functions(session, part);
            let template = self.parts[part].template;
            let mut add = |thread: Term, exists: Term| {
                let figure = self.figure_by_number(part, &thread);
                cast.push(Actor { part, thread, exists, figure });
            };
            let known = (self.population.first(template).as_int(), self.population.last(template).as_int());
            match (&self.parts[part].thread, known) {
                (Some(thread), _) => add(thread.clone(), Term::bool(true)),
                (None, (Some(first), Some(last))) if last - first < FEW => {
                    (first..=last).for_each(|number| add(Term::int(number), Term::bool(true)));
                }
                (None, _) => {
                    let anyone = session.declare(&format!("anyone.{part}"), &SmtSort::Int);
                    let named = self.program().shared.iter().zip(shared).filter(|(var, _)| var.sort == Sort::Tid);
                    let named = named.map(|(_, value)| value.term().clone());
                    for thread in [anyone].into_iter().chain(named) {
                        let exists = self.population.is_copy(&thread, template);
                        add(thread, exists);
                    }
                }
            }
        }
        cast
    }

    /// All threads where parts are about single ones.
    fn figures_of_threads(&self) -> Vec<Figure> {
        let threads = self.parts.iter().enumerate();
        threads.filter_map(|(part, of)| Some(self.figure_by_number(part, of.thread.as_ref()?))).collect()
    }

    /// That the thread with a number has ended.
    fn has_ended(&self, thread: &Term) -> Term {
        let ended = |part: usize| {
            let code = &self.parts[part].code;
            let ends = code.resting().filter(|&spot| has_ended(self.program(), code.spots[spot].point.location));
            let at = self.figure_by_number(part, thread).at;
            let there = Term::any(ends.map(|spot| at.equals(code.number_of(&code.spots[spot].point))));
            let is_it = match &self.parts[part].thread {
                Some(number) => thread.equals(number),
                None => self.population.is_copy(thread, self.parts[part].template),
            };
            is_it.and(there)
        };
        Term::any((0..self.parts.len()).map(ended))
    }
}
