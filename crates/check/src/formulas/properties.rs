//! Properties that say where threads are or what their locals are, races, and deadlocks.
//!
//! Where each thread is, and what its locals are, are functions of the thread's number. What the proof says of
//! points holds of every thread. It is then for the solver to find that no such state violates the property.

use super::Judge;
use super::book::Book;
use super::code::Spot;
use super::crowd::Figure;
use crate::CheckError;
use crate::questions::must_be_impossible;
use threadwise_ir::{EdgeId, Expr, Op, Pattern, Program, Sign, Violated};
use threadwise_logic::{SmtSort, Term};
use threadwise_solver::Session;
use threadwise_symbolic::{End, Unsupported, Value, View, Way, by_constants, take_edge, ways};

impl Judge<'_> {
    /// What is left when all threads have been looked at one by one.
    pub(super) fn properties_hold(&mut self) -> Result<(), CheckError> {
        for property in &self.book.program().properties {
            let place = self.book.program().source.locate(property.span);
            match &property.violated {
                Violated::When(e, _) if !e.looks_at_threads() => {}
                Violated::When(e, wrong) => {
                    self.session.push();
                    self.say_violated(e, !wrong)?;
                    must_be_impossible(self.session, || {
                        format!("it does not exclude that the property at {place} is violated")
                    })?;
                    self.session.pop();
                }
                Violated::By(Pattern::Signs(signs)) => {
                    for parts in self.book.groups(signs.len()) {
                        self.session.push();
                        self.say_met(signs, &parts)?;
                        must_be_impossible(self.session, || format!("it does not exclude the race at {place}"))?;
                        self.session.pop();
                    }
                }
                Violated::By(pattern @ (Pattern::Deadlock | Pattern::LockCycle)) => {
                    self.nobody_waits(pattern, &place)?
                }
            }
        }
        Ok(())
    }

    /// Tells the solver of a state of all threads in which the property has not the value that it must have.
    fn say_violated(&mut self, property: &Expr, must_be: bool) -> Result<(), Unsupported> {
        let shared = self.book.store(self.session, "x");
        self.session.assert(&self.book.sound(&shared)?);
        self.book.say_all(self.session, &shared, &|_, _, _| Ok(Term::bool(true)))?;
        let view = View { others: Some(self.book), ..View::of_store(self.book.population, &shared) };
        let translated = view.translate(property)?;
        let truth = translated.value.term();
        let good = if must_be { truth.clone() } else { truth.not() };
        self.session.assert(&translated.defined.and(&good).not());
        Ok(())
    }

    /// Tells the solver of a state in which different threads, of these parts, can each take a step that shows one of the signs,
    /// all of the same element.
    fn say_met(&mut self, signs: &[Sign], parts: &[usize]) -> Result<(), Unsupported> {
        let book = self.book;
        let shared = book.store(self.session, "x");
        self.session.assert(&book.sound(&shared)?);
        if book.is_of_threads() {
            book.say_all(self.session, &shared, &|_, _, _| Ok(Term::bool(true)))?;
        }
        let mut threads: Vec<Term> = Vec::new();
        // The ways in which those so far can have an element in common: the keys of each, and that all this is so.
        let mut common: Vec<(Vec<Vec<Term>>, Term)> = vec![(Vec::new(), Term::bool(true))];
        for (number, (sign, &part)) in signs.iter().zip(parts).enumerate() {
            let (thread, figure) = self.somebody(part, number, &shared)?;
            threads.iter().for_each(|other| self.session.assert(&thread.equals(other).not()));
            threads.push(thread.clone());
            let showings = showings(book, self.session, part, &thread, &figure, &shared, sign)?;
            common = common.iter().flat_map(|way| showings.iter().map(|showing| with_showing(way, showing))).collect();
        }
        self.session.assert(&Term::any(common.iter().map(|(_, so)| so)));
        Ok(())
    }

    /// A thread of the part, of which is known what is said.
    fn somebody(&mut self, part: usize, number: usize, shared: &[Value]) -> Result<(Term, Figure), Unsupported> {
        let book = self.book;
        if let Some(thread) = &book.parts[part].thread {
            return Ok((thread.clone(), book.figure(part, thread)));
        }
        let thread = self.session.declare(&format!("t{number}"), &SmtSort::Int);
        self.session.assert(&book.population.is_copy(&thread, book.parts[part].template));
        let figure = book.somebodys_figure(self.session, part, number);
        self.session.assert(&book.known(part, &thread, &figure, shared, &[])?);
        Ok((thread, figure))
    }
}

impl Book<'_> {
    /// The parts whose threads may be these many different threads, one after the other.
    fn groups(&self, size: usize) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = vec![Vec::new()];
        for _ in 0..size {
            let with = |group: &Vec<usize>| {
                let others =
                    (0..self.parts.len()).filter(|&part| group.iter().all(|&other| self.can_differ(part, other)));
                others.map(|part| [group.as_slice(), &[part]].concat()).collect::<Vec<Vec<usize>>>()
            };
            groups = groups.iter().flat_map(with).collect();
        }
        groups
    }
}

/// When a step shows a sign, and of something with which keys, as far as they are known.
type Showing = (Term, Vec<Term>);

fn with_showing((others, so): &(Vec<Vec<Term>>, Term), (when, keys): &Showing) -> (Vec<Vec<Term>>, Term) {
    let pairs = others.iter().flat_map(|other| other.iter().zip(keys));
    let same = Term::all(pairs.map(|(other, key)| other.equals(key)));
    ([others.as_slice(), &[keys.to_vec()]].concat(), Term::all([so, when, &same]))
}

/// The steps of a thread that show a sign; those of the same keys are one.
fn showings(
    book: &Book<'_>,
    session: &mut Session,
    part: usize,
    thread: &Term,
    figure: &Figure,
    shared: &[Value],
    sign: &Sign,
) -> Result<Vec<Showing>, Unsupported> {
    let code = &book.parts[part].code;
    let mut all: Vec<Showing> = Vec::new();
    for spot in code.resting() {
        let at = &code.spots[spot];
        if !book.may_show(part, spot, sign) {
            continue;
        }
        let here = figure.at.equals(code.number_of(&at.point));
        let mut choose = by_constants(book.population, format!("{thread}.{spot}"));
        let state = figure.state_at(&at.point, shared);
        let of_spot = match ways(book.population, thread, state, &mut choose) {
            Ok(ways) => {
                ways.iter().for_each(|way| session.declare_all(&way.chosen()));
                ways.iter().flat_map(|way| shown_by_way(book.program(), at, way, sign)).collect()
            }
            // Where there is a loop in an atomic step, it may show the sign of any element.
            Err(_) => shown_by_first_edges(book, session, part, spot, thread, figure, shared, sign)?,
        };
        for (when, keys) in of_spot {
            let when = here.and(when);
            match all.iter_mut().find(|(_, known)| *known == keys) {
                Some((known, _)) => *known = known.or(when),
                None => all.push((when, keys)),
            }
        }
    }
    Ok(all)
}

/// When a way shows a sign, and of what.
fn shown_by_way(program: &Program, from: &Spot, way: &Way, sign: &Sign) -> Vec<Showing> {
    if matches!(way.end, End::Error) {
        return Vec::new();
    }
    if sign.region().depth > 0 {
        let touched = way.touched.iter();
        return touched.filter_map(|touch| Some((way.when.and(&touch.when), touch.shows(sign)?.to_vec()))).collect();
    }
    let mut calls = from.point.calls.clone();
    let mut shows = false;
    for &edge in way.path.iter() {
        shows |= is_shown(program, calls.last().copied(), edge, sign);
        match program.edge(edge).op {
            Op::Command(_) => {}
            Op::Call { .. } => calls.push(edge),
            Op::Return(_) => drop(calls.pop()),
        }
    }
    if shows { vec![(way.when.clone(), Vec::new())] } else { Vec::new() }
}

/// Whether an edge shows a sign, in a call; a return also shows what is done with the result.
fn is_shown(program: &Program, call: Option<EdgeId>, edge: EdgeId, sign: &Sign) -> bool {
    let edge = program.edge(edge);
    let by_result = match (&edge.op, call) {
        (Op::Return(_), Some(call)) => sign.is_shown_by_result(program.edge(call)),
        (Op::Command(_) | Op::Call { .. } | Op::Return(_), _) => false,
    };
    by_result || sign.is_shown_by(edge)
}

/// When the first edges of steps can be taken that may show a sign.
#[allow(clippy::too_many_arguments, reason = "where a thread is, and what it is asked for")]
fn shown_by_first_edges(
    book: &Book<'_>,
    session: &mut Session,
    part: usize,
    spot: usize,
    thread: &Term,
    figure: &Figure,
    shared: &[Value],
    sign: &Sign,
) -> Result<Vec<Showing>, Unsupported> {
    let at = &book.parts[part].code.spots[spot];
    let mut showings = Vec::new();
    for &(edge, to) in &at.next {
        if book.step_may_show(part, spot, edge, to, sign) {
            let mut choose = by_constants(book.population, format!("{thread}.{spot}.{}", edge.0));
            let taken = take_edge(book.population, thread, &figure.state_at(&at.point, shared), edge, &mut choose)?;
            session.declare_all(taken.choices.iter().flat_map(|chosen| &chosen.0));
            showings.push((taken.hazards.so_far, Vec::new()));
        }
    }
    Ok(showings)
}

impl Book<'_> {
    /// Whether a step from a spot may show a sign.
    fn may_show(&self, part: usize, spot: usize, sign: &Sign) -> bool {
        let next = &self.parts[part].code.spots[spot].next;
        next.iter().any(|&(edge, to)| self.step_may_show(part, spot, edge, to, sign))
    }

    /// Whether a step that starts with this edge may show a sign with anything that can be come to before it ends.
    fn step_may_show(&self, part: usize, from: usize, edge: EdgeId, to: usize, sign: &Sign) -> bool {
        let code = &self.parts[part].code;
        let shown = |spot: usize, edge: EdgeId| {
            is_shown(self.program(), code.spots[spot].point.calls.last().copied(), edge, sign)
        };
        let mut seen = vec![false; code.spots.len()];
        let mut shows = shown(from, edge);
        let mut work = vec![to];
        while let Some(spot) = work.pop() {
            if code.spots[spot].inside_step && !std::mem::replace(&mut seen[spot], true) {
                for &(edge, next) in &code.spots[spot].next {
                    shows |= shown(spot, edge);
                    work.push(next);
                }
            }
        }
        shows
    }
}
