//! What others may do: whether the bounds that a proof gives are good ones, and what survives them.

use super::Judge;
use super::book::{Book, Scene};
use crate::questions::must_be_impossible;
use crate::{CheckError, refuted};
use threadwise_logic::{SmtSort, Term};
use threadwise_symbolic::{Unsupported, Value};

impl Book<'_> {
    /// What the part's thread may expect of one step of another thread; anything, if nothing is said.
    pub(crate) fn environment(&self, part: usize, me: &Term, x: &[Value], y: &[Value]) -> Term {
        match &self.parts[part].environment {
            Some(environment) => self.admits(environment, me, (x, &[]), (y, &[])),
            None => Term::bool(true),
        }
    }

    /// That there are stores in between, so that so many steps of the environment lead from one store to another.
    fn steps_between(&self, part: usize, me: &Term, x: &[Value], y: &[Value], steps: u32) -> Result<Term, Unsupported> {
        if steps == 1 {
            return Ok(self.environment(part, me, x, y));
        }
        let named = |(index, var): (usize, &threadwise_ir::SharedVar)| {
            self.population.named(&format!("between{steps}.{index}"), &var.sort)
        };
        let middle: Vec<Value> = self.program().shared.iter().enumerate().map(named).collect();
        let constants: Vec<Term> = middle.iter().flat_map(|value| value.0.iter().cloned()).collect();
        let first = self.environment(part, me, x, &middle).and(&self.sound(&middle)?);
        let both = first.and(&self.steps_between(part, me, &middle, y, steps - 1)?);
        Ok(Term::exists(&constants, both))
    }
}

impl Judge<'_> {
    /// That bounds which the proof says are good for several steps are, and that guarantees are among them.
    pub(super) fn environments_are_good(&mut self) -> Result<(), CheckError> {
        for (index, part) in self.book.parts.iter().enumerate() {
            if part.closure > 0 {
                if self.book.is_of_threads() || part.environment.is_none() || part.closure > 8 {
                    return Err(refuted("an environment cannot be covered by that many steps"));
                }
                self.stuttering_is_admitted(index)?;
                self.steps_are_covered(index, part.closure)?;
            }
            if part.guarantee.is_some() {
                self.guarantee_is_enough(index)?;
            }
        }
        Ok(())
    }

    fn stuttering_is_admitted(&mut self, part: usize) -> Result<(), CheckError> {
        self.session.push();
        let me = self.session.declare("me", &SmtSort::Int);
        let store = self.book.store(self.session, "x");
        self.session.assert(&self.book.population.is_copy(&me, self.book.parts[part].template));
        self.session.assert(&self.book.sound(&store)?);
        self.session.assert(&self.book.environment(part, &me, &store, &store).not());
        let name = &self.book.parts[part].name;
        must_be_impossible(self.session, || format!("the environment of {name} excludes a step that changes nothing"))?;
        self.session.pop();
        Ok(())
    }

    /// One step more than the proof says is never needed.
    fn steps_are_covered(&mut self, part: usize, steps: u32) -> Result<(), CheckError> {
        self.session.push();
        let me = self.session.declare("me", &SmtSort::Int);
        self.session.assert(&self.book.population.is_copy(&me, self.book.parts[part].template));
        let stores: Vec<_> = (0..=steps + 1).map(|k| self.book.store(self.session, &format!("x{k}"))).collect();
        for pair in stores.windows(2) {
            self.session.assert(&self.book.environment(part, &me, &pair[0], &pair[1]));
        }
        for store in &stores {
            self.session.assert(&self.book.sound(store)?);
        }
        let short = self.book.steps_between(part, &me, &stores[0], &stores[steps as usize + 1], steps)?;
        self.session.assert(&short.not());
        let name = &self.book.parts[part].name;
        must_be_impossible(self.session, || {
            format!("the environment of {name} is not covered by {steps} steps in a row")
        })?;
        self.session.pop();
        Ok(())
    }

    /// What a guarantee admits, the environment of every other thread does.
    fn guarantee_is_enough(&mut self, part: usize) -> Result<(), CheckError> {
        let book = self.book;
        let Some(guarantee) = &book.parts[part].guarantee else { return Ok(()) };
        for (other, environment) in book.parts.iter().map(|other| &other.environment).enumerate() {
            if !book.can_differ(part, other) {
                continue;
            }
            let Some(environment) = environment else {
                return Err(refuted("a guarantee does not say that what is said of others stays true"));
            };
            self.session.push();
            let (me, you) = (self.session.declare("me", &SmtSort::Int), self.session.declare("you", &SmtSort::Int));
            let (x, y) = (book.store(self.session, "x"), book.store(self.session, "y"));
            self.session.assert(&book.population.is_copy(&me, book.parts[part].template));
            self.session.assert(&book.population.is_copy(&you, book.parts[other].template));
            self.session.assert(&me.equals(&you).not().and(&book.sound(&x)?).and(&book.sound(&y)?));
            self.session.assert(&book.admits(guarantee, &me, (&x, &[]), (&y, &[])));
            self.session.assert(&book.admits(environment, &you, (&x, &[]), (&y, &[])).not());
            let (mine, yours) = (&book.parts[part].name, &book.parts[other].name);
            must_be_impossible(self.session, || {
                format!("the guarantee of {mine} does not imply the environment of {yours}")
            })?;
            self.session.pop();
        }
        Ok(())
    }

    /// Where a thread's formulas are not shown to hold after steps of its environment, each such step leaves them true.
    pub(super) fn survives(&mut self, part: usize, cut: usize) -> Result<(), CheckError> {
        let book = self.book;
        let own = &book.parts[part];
        let spot = &own.code.spots[cut];
        let Some(environment) = own.environment.as_ref().filter(|_| own.closure == 0 && !spot.inside_step) else {
            return Ok(());
        };
        self.session.push();
        let me = match &own.thread {
            Some(thread) => thread.clone(),
            None => self.session.declare("me", &SmtSort::Int),
        };
        self.session.assert(&book.population.is_copy(&me, own.template));
        let (x, y) = (book.store(self.session, "x"), book.store(self.session, "y"));
        self.session.assert(&book.sound(&x)?.and(&book.sound(&y)?));
        let (before, after) = (book.world(self.session, "before."), book.world(self.session, "after."));
        let figure = match before.get(part) {
            Some(own) => own.clone(),
            None => book.somebodys_figure(self.session, part, 0),
        };
        let frames = figure.frames_at(&spot.point);
        let scene =
            |shared, world| Scene { me: &me, shared, start: shared, point: &spot.point, frames: &frames, world };
        let (now, later) = (scene(&x, &before), scene(&y, &after));
        let (before, mut after) = (book.world_with(part, &now), book.world_with(part, &later));
        if let Some(own) = after.get_mut(part) {
            own.clone_from(&before[part]);
        }
        let later = scene(&y, &after);
        self.session.assert(&book.said(part, cut, &now));
        self.session.assert(&book.admits(environment, &me, (&x, &before), (&y, &after)));
        self.session.assert(&book.said(part, cut, &later).not());
        let (name, at) = (&own.name, own.code.place(book.program(), cut));
        must_be_impossible(self.session, || {
            format!("what is said of {name} at {at} does not survive a step of its environment")
        })?;
        self.session.pop();
        Ok(())
    }
}
