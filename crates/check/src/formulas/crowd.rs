//! Threads as others see them: where they are, and what their locals are.

use super::book::{Book, Scene};
use std::collections::BTreeMap;
use threadwise_ir::{EdgeId, LocalId, LocationId, Point, TemplateId};
use threadwise_logic::{Quantifier, SmtSort, Term};
use threadwise_solver::Session;
use threadwise_symbolic::{Others, ThreadState, Unsupported, Value};

/// Up to so many copies of a thread are written out.
const FEW: i64 = 16;

/// A thread as others see it.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    /// The number of the point where it is.
    pub(crate) at: Term,
    /// The locals of all frames that it can have, by the calls that lead there. Those of frames that it has not mean nothing.
    pub(crate) frames: BTreeMap<Vec<EdgeId>, Vec<Value>>,
}

impl Figure {
    /// The locals of the frames at a point.
    pub(crate) fn frames_at(&self, point: &Point) -> Vec<Vec<Value>> {
        (0..=point.calls.len()).map(|depth| self.frames[&point.calls[..depth]].clone()).collect()
    }

    /// The thread at a point.
    pub(crate) fn state_at(&self, point: &Point, shared: &[Value]) -> ThreadState {
        ThreadState { point: point.clone(), shared: shared.to_vec(), frames: self.frames_at(point) }
    }
}

/// Whose figure it is: that of the only thread of a part, or the thread with a number, of any copy of a template.
#[derive(Clone, Copy)]
enum Whose<'t> {
    Only,
    Copy(&'t Term),
    /// The same, always as a function of the number.
    Numbered(&'t Term),
}

impl Whose<'_> {
    fn term(self, name: &str, sort: SmtSort) -> Term {
        match self {
            Whose::Only => Term::constant(name, sort),
            Whose::Copy(number) if number.as_int().is_some() => Term::constant(&format!("{name}.of.{number}"), sort),
            Whose::Copy(number) | Whose::Numbered(number) => Term::apply(name, [number], sort),
        }
    }
}

impl Book<'_> {
    fn figure_of(&self, part: usize, prefix: &str, whose: Whose<'_>) -> Figure {
        let mut frames = BTreeMap::new();
        for (number, frame) in self.parts[part].frames.iter().enumerate() {
            let locals = self.program().routine(frame.routine).locals.iter().enumerate();
            let value = |(index, local): (usize, &threadwise_ir::LocalVar)| {
                let named = self.population.named(&format!("{prefix}local.{part}.{number}.{index}"), &local.sort);
                let leaf = |leaf: &Term| whose.term(leaf.name().expect("it is a constant"), leaf.sort().clone());
                Value(named.0.iter().map(leaf).collect())
            };
            frames.insert(frame.calls.clone(), locals.map(value).collect());
        }
        Figure { at: whose.term(&format!("{prefix}at.{part}"), SmtSort::Int), frames }
    }

    /// The thread with a number, a copy of the part's template; or the part's only thread.
    pub(crate) fn figure(&self, part: usize, thread: &Term) -> Figure {
        match self.parts[part].thread {
            Some(_) => self.figure_of(part, "", Whose::Only),
            None => self.figure_of(part, "", Whose::Copy(thread)),
        }
    }

    /// The thread with a number as a function of it, whatever the number is.
    pub(crate) fn figure_by_number(&self, part: usize, thread: &Term) -> Figure {
        self.figure_of(part, "", Whose::Numbered(thread))
    }

    /// Somebody of the part's template, as constants.
    pub(crate) fn somebodys_figure(&self, session: &mut Session, part: usize, number: usize) -> Figure {
        let figure = self.figure_of(part, &format!("some{number}."), Whose::Only);
        self.declare_figure(session, part, &figure);
        figure
    }

    /// Makes the figures of all copies of a template known, which are functions of their numbers.
    pub(crate) fn declare_functions(&self, session: &mut Session, part: usize) {
        let figure = self.figure_of(part, "", Whose::Only);
        for leaf in self.leaves(&figure) {
            session.declare_function(leaf.name().expect("it is a constant"), &[SmtSort::Int], leaf.sort());
        }
    }

    fn leaves(&self, figure: &Figure) -> Vec<Term> {
        let locals = figure.frames.values().flatten().flat_map(|value| value.0.iter().cloned());
        [figure.at.clone()].into_iter().chain(locals).collect()
    }

    /// Makes a figure that consists of constants known, and that its locals are of their sorts.
    fn declare_figure(&self, session: &mut Session, part: usize, figure: &Figure) {
        session.declare_all(&self.leaves(figure));
        session.assert(&self.is_formed(part, figure));
    }

    fn is_formed(&self, part: usize, figure: &Figure) -> Term {
        let mut formed = Vec::new();
        for frame in &self.parts[part].frames {
            let locals = self.program().routine(frame.routine).locals.iter().zip(&figure.frames[&frame.calls]);
            formed.extend(locals.map(|(local, value)| self.population.well_formed(&local.sort, value)));
        }
        Term::all(formed)
    }

    /// All threads as constants, where formulas may speak of them; nobody else.
    pub(crate) fn world(&self, session: &mut Session, prefix: &str) -> Vec<Figure> {
        if !self.is_of_threads() {
            return Vec::new();
        }
        let figures = (0..self.parts.len()).map(|part| self.figure_of(part, prefix, Whose::Only));
        let figures: Vec<Figure> = figures.collect();
        figures.iter().enumerate().for_each(|(part, figure)| self.declare_figure(session, part, figure));
        figures
    }

    /// Where parts are about single threads: that each other one is at a point where what is said of it holds.
    pub(crate) fn everyone_else(
        &self,
        part: usize,
        shared: &[Value],
        world: &[Figure],
    ) -> Result<Option<Term>, Unsupported> {
        if !self.is_of_threads() {
            return Ok(None);
        }
        let others = (0..self.parts.len()).filter(|&other| other != part);
        let known = others.map(|other| self.known(other, &self.me(other), &world[other], shared, world));
        Ok(Some(Term::all(known.collect::<Result<Vec<Term>, _>>()?)))
    }

    /// The number of the part's only thread; of no meaning if it is not about one.
    pub(crate) fn me(&self, part: usize) -> Term {
        self.parts[part].thread.clone().unwrap_or_else(|| Term::int(0))
    }

    /// What is known of a thread between two steps.
    pub(crate) fn known(
        &self,
        part: usize,
        thread: &Term,
        figure: &Figure,
        shared: &[Value],
        world: &[Figure],
    ) -> Result<Term, Unsupported> {
        let code = &self.parts[part].code;
        let (mut places, mut facts) = (Vec::new(), vec![self.is_formed(part, figure)]);
        for spot in code.resting() {
            let here = figure.at.equals(code.number_of(&code.spots[spot].point));
            facts.push(here.implies(self.holds_at(part, spot, thread, figure, shared, world)));
            places.push(here);
        }
        facts.push(Term::any(&places));
        Ok(Term::all(&facts))
    }

    /// What holds of a thread at a spot: what the proof says, and that locals out of scope have their defaults.
    fn holds_at(
        &self,
        part: usize,
        spot: usize,
        thread: &Term,
        figure: &Figure,
        shared: &[Value],
        world: &[Figure],
    ) -> Term {
        let at = &self.parts[part].code.spots[spot];
        let frames = figure.frames_at(&at.point);
        let scene = Scene { me: thread, shared, start: shared, point: &at.point, frames: &frames, world };
        let mut facts = vec![self.said(part, spot, &scene)];
        let locals = frames.last().expect("there is the thread's own frame");
        for dead in self.program().location(at.point.location).dead.iter() {
            let sort = &self.program().routine(at.innermost()).locals[dead.index()].sort;
            facts.push(self.population.equal(sort, &locals[dead.index()], &self.population.default_value(sort)));
        }
        Term::all(facts)
    }

    /// Tells the solver of all threads, in a state with this shared store, and what more is to be said of each.
    pub(crate) fn say_all(
        &self,
        session: &mut Session,
        shared: &[Value],
        more: &dyn Fn(usize, &Term, &Figure) -> Result<Term, Unsupported>,
    ) -> Result<(), Unsupported> {
        let world = self.world(session, "");
        for part in 0..self.parts.len() {
            let of = |thread: &Term, figure: &Figure| -> Result<Term, Unsupported> {
                Ok(self.known(part, thread, figure, shared, &world)?.and(more(part, thread, figure)?))
            };
            if let Some(thread) = &self.parts[part].thread {
                session.assert(&of(thread, &world[part])?);
                continue;
            }
            self.declare_functions(session, part);
            let template = self.parts[part].template;
            let (first, last) = (self.population.first(template), self.population.last(template));
            match (first.as_int(), last.as_int()) {
                (Some(first), Some(last)) if last - first < FEW => {
                    for thread in (first..=last).map(Term::int) {
                        let figure = self.figure(part, &thread);
                        session.declare_all(&self.leaves(&figure));
                        session.assert(&of(&thread, &figure)?);
                        // The same thread may be known by another term.
                        let anyone = Term::constant("anyone", SmtSort::Int);
                        let function = self.figure(part, &anyone);
                        let same = self.leaves(&function).into_iter().zip(self.leaves(&figure));
                        for (function, leaf) in same {
                            let at = function.replace(&|leaf| (*leaf == anyone).then(|| thread.clone()));
                            session.assert(&at.equals(leaf));
                        }
                    }
                }
                _ => {
                    let anyone = Term::constant("anyone", SmtSort::Int);
                    let figure = self.figure(part, &anyone);
                    let known = self.population.is_copy(&anyone, template).implies(&of(&anyone, &figure)?);
                    session.assert(&Term::quantified(Quantifier::Forall, [&anyone], known, self.leaves(&figure)));
                }
            }
        }
        Ok(())
    }
}

/// All threads, as properties see them.
impl Others for Book<'_> {
    fn local(&self, template: TemplateId, thread: &Term, local: LocalId) -> Option<Value> {
        let (_, figure) = self.who(template, thread)?;
        figure.frames.get(&Vec::new())?.get(local.index()).cloned()
    }

    fn at(&self, template: TemplateId, thread: &Term, locations: &[LocationId]) -> Option<Term> {
        let (part, figure) = self.who(template, thread)?;
        let code = &self.parts[part].code;
        let there = code.resting().filter(|&spot| locations.contains(&code.spots[spot].point.location));
        Some(Term::any(there.map(|spot| figure.at.equals(code.number_of(&code.spots[spot].point)))))
    }
}

impl Book<'_> {
    /// A copy of a template by its number.
    fn who(&self, template: TemplateId, thread: &Term) -> Option<(usize, Figure)> {
        if !self.is_of_threads() {
            return Some((template.index(), self.figure(template.index(), thread)));
        }
        let part = usize::try_from(thread.as_int()?.checked_sub(1)?).ok()?;
        let is_copy = self.parts.get(part)?.template == template;
        is_copy.then(|| (part, self.figure(part, thread)))
    }
}
