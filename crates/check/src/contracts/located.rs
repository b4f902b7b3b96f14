//! Properties that say where threads are, or what their locals are.
//!
//! Where each thread is, and what its locals are, are functions of the thread's identity. What the proof says of
//! points holds of every thread. It is then for the solver to find that no such state violates the property.

use super::code::{Code, Spot};
use super::terms::Terms;
use threadwise_ir::{EdgeId, Expr, ExprKind, LocalId, LocationId, Point, RoutineId, TemplateId, VarRef};
use threadwise_logic::{Quantifier, SmtSort, Term};
use threadwise_solver::Session;
use threadwise_symbolic::{Others, Unsupported, Value, View};

/// Up to so many copies of a thread are written out.
const FEW: i64 = 16;

/// Tells the solver of a state of all threads in which the property has not the value that it must have.
pub(crate) fn say_violated(
    terms: &Terms<'_>,
    session: &mut Session,
    codes: &[Code],
    property: &Expr,
    must_be: bool,
) -> Result<(), Unsupported> {
    let shared = terms.store(session, "x");
    session.assert(&terms.sound(&shared)?);
    let crowd = Crowd { terms, codes };
    for (index, code) in codes.iter().enumerate() {
        let template = TemplateId(index as u32);
        let functions = crowd.declare(session, template);
        let (first, last) = (terms.population.first(template), terms.population.last(template));
        match (first.as_int(), last.as_int()) {
            (Some(first), Some(last)) if last - first < FEW => {
                for thread in first..=last {
                    session.assert(&crowd.known(code, template, &Term::int(thread), &shared)?);
                }
            }
            _ => {
                let anyone = Term::constant("anyone", SmtSort::Int);
                let known = crowd.known(code, template, &anyone, &shared)?;
                let known = terms.population.is_copy(&anyone, template).implies(&known);
                let hints = functions.iter().map(|function| of_thread(function, &anyone)).collect();
                session.assert(&Term::quantified(Quantifier::Forall, [&anyone], known, hints));
            }
        }
    }
    let view = View { others: Some(&crowd), ..View::of_store(terms.population, &shared) };
    let translated = view.translate(property)?;
    let truth = translated.value.term();
    let good = if must_be { truth.clone() } else { truth.not() };
    session.assert(&translated.defined.and(&good).not());
    Ok(())
}

/// All threads.
struct Crowd<'a> {
    terms: &'a Terms<'a>,
    codes: &'a [Code],
}

/// The function that gives the spot of each copy.
fn spot_of(template: TemplateId) -> Term {
    Term::constant(&format!("spot.{}", template.0), SmtSort::Int)
}

/// The function that has the name and the sort of a constant, of a thread.
fn of_thread(function: &Term, thread: &Term) -> Term {
    Term::apply(function.name().expect("it is a constant"), [thread], function.sort().clone())
}

impl Crowd<'_> {
    /// Declares the functions of a template; returns constants with their names and sorts.
    fn declare(&self, session: &mut Session, template: TemplateId) -> Vec<Term> {
        let mut functions = vec![spot_of(template)];
        for routine in self.terms.program().routines_of(template) {
            for (index, local) in self.terms.program().routine(routine).locals.iter().enumerate() {
                functions.extend(self.terms.population.named(&local_of(template, routine, index), &local.sort).0);
            }
        }
        for function in &functions {
            let name = function.name().expect("it is a constant");
            session.declare_function(name, &[SmtSort::Int], function.sort());
        }
        functions
    }

    /// The locals of a thread in a routine that is running; none runs twice at a time.
    fn locals(&self, template: TemplateId, routine: RoutineId, thread: &Term) -> Vec<Value> {
        let locals = self.terms.program().routine(routine).locals.iter().enumerate();
        let value = |(index, local): (usize, &threadwise_ir::LocalVar)| {
            let leaves = self.terms.population.named(&local_of(template, routine, index), &local.sort).0;
            Value(leaves.iter().map(|leaf| of_thread(leaf, thread)).collect())
        };
        locals.map(value).collect()
    }

    /// What is known of a thread that is between two steps.
    fn known(&self, code: &Code, template: TemplateId, thread: &Term, shared: &[Value]) -> Result<Term, Unsupported> {
        let program = self.terms.program();
        let spot = of_thread(&spot_of(template), thread);
        let (mut places, mut parts) = (Vec::new(), Vec::new());
        let body = program.template(template).body;
        for (local, value) in program.routine(body).locals.iter().zip(self.locals(template, body, thread)) {
            parts.push(self.terms.population.well_formed(&local.sort, &value));
        }
        for (number, at) in code.spots.iter().enumerate().filter(|(_, at)| !at.inside_step) {
            let here = spot.equals(Term::int(number as i64));
            let locals = self.locals(template, at.innermost(), thread);
            parts.push(here.implies(&holds_at(self.terms, at, thread, shared, &locals)?));
            if let Some(&call) = at.point.calls.first() {
                parts.push(here.implies(&self.known_when_calling(code, template, call, thread, shared)?));
            }
            places.push(here);
        }
        parts.push(Term::any(&places));
        Ok(Term::all(&parts))
    }

    /// While a procedure runs, the thread's own locals are as they were when it was called.
    fn known_when_calling(
        &self,
        code: &Code,
        template: TemplateId,
        call: EdgeId,
        thread: &Term,
        shared: &[Value],
    ) -> Result<Term, Unsupported> {
        let program = self.terms.program();
        let caller = Point::at(program.edge(call).from);
        let Some(at) = code.spots.iter().find(|spot| spot.point == caller) else { return Ok(Term::bool(true)) };
        let locals = self.locals(template, at.innermost(), thread);
        let view = View::of_thread(self.terms.population, thread, shared, &locals);
        let is_local = |e: &&Expr| !e.any(&|e| matches!(e.kind, ExprKind::Read(VarRef::Shared(_))) || is_primed(e));
        let said = at.cut.iter().flatten().chain(&at.claims).filter(is_local);
        Ok(Term::all(&said.map(|e| view.holds(e)).collect::<Result<Vec<Term>, _>>()?))
    }
}

fn is_primed(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::ReadAfter(_))
}

/// What holds of a thread at a spot: what the proof says, and that locals out of scope have their defaults.
pub(crate) fn holds_at(
    terms: &Terms<'_>,
    at: &Spot,
    thread: &Term,
    shared: &[Value],
    locals: &[Value],
) -> Result<Term, Unsupported> {
    let population = terms.population;
    let view = View::of_thread(population, thread, shared, locals);
    let said = at.cut.iter().flatten().chain(&at.claims);
    let mut parts = said.map(|e| view.holds(e)).collect::<Result<Vec<Term>, _>>()?;
    for dead in terms.program().location(at.point.location).dead.iter() {
        let sort = &terms.program().routine(at.innermost()).locals[dead.index()].sort;
        parts.push(population.equal(sort, &locals[dead.index()], &population.default_value(sort)));
    }
    Ok(Term::all(&parts))
}

fn local_of(template: TemplateId, routine: RoutineId, index: usize) -> String {
    format!("local.{}.{}.{index}", template.0, routine.0)
}

impl Others for Crowd<'_> {
    fn local(&self, template: TemplateId, thread: &Term, local: LocalId) -> Option<Value> {
        let body = self.terms.program().template(template).body;
        self.locals(template, body, thread).into_iter().nth(local.index())
    }

    fn at(&self, template: TemplateId, thread: &Term, locations: &[LocationId]) -> Option<Term> {
        let spot = of_thread(&spot_of(template), thread);
        let spots = self.codes[template.index()].spots.iter().enumerate();
        let there = spots.filter(|(_, at)| !at.inside_step && locations.contains(&at.point.location));
        let there = there.map(|(number, _)| spot.equals(Term::int(number as i64)));
        Some(Term::any(there.collect::<Vec<Term>>()))
    }
}
