//! Properties that say where threads are or what their locals are, and races: they follow if what holds
//! at the points of the threads that they speak of excludes the opposite.
//!
//! The opposite of a property is put to the solver with a constant for each thread that it speaks of,
//! and for each of these with constants for where the thread is and for its locals there.

use crate::Stop;
use crate::contract::{Contracts, is_shared_only};
use crate::explain;
use crate::laws::store;
use crate::points::{Place, PointAssertion, is_local};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use threadwise_ir::{
    BinaryOp, Binder, Domain, EdgeId, Expr, ExprKind, LocalId, LocationId, Op, Pattern, Point, Program, Quantifier,
    RoutineId, Sign, Sort, TemplateId, UnaryOp, Violated,
};
use threadwise_limits::Budget;
use threadwise_logic::{SmtSort, Term};
use threadwise_solver::{Answer, Session, Settings, find};
use threadwise_symbolic::{Others, ThreadState, Unsupported, Value, View, by_constants, take_edge};

/// Whether the program has such properties.
pub(crate) fn has_some(program: &Program) -> bool {
    program.properties.iter().any(|property| match &property.violated {
        Violated::When(e, _) => !is_shared_only(e),
        Violated::By(_) => true,
    })
}

/// Shows all of them, and returns for each thread the assertions at its points that this takes.
pub(crate) fn prove(
    contracts: &Contracts<'_>,
    places: &[Vec<Place>],
    budget: &Budget,
) -> Result<Vec<Vec<PointAssertion>>, Stop> {
    let settings = Settings { cores: true, ..Settings::default() };
    let mut session = Session::start(&find(None)?, settings, budget)?;
    contracts.population.declare(&mut session);
    let program = contracts.population.program.clone();
    let mut used = BTreeSet::new();
    for property in &program.properties {
        let depth = session.depth();
        session.push();
        let shared = store(contracts, &mut session, "x");
        session.assert(&contracts.possible(&shared)?);
        let scene = Scene { contracts, places, shared: &shared, cast: RefCell::default() };
        let bad = match &property.violated {
            Violated::When(e, _) if is_shared_only(e) => Term::bool(false),
            Violated::When(e, wrong) => scene.violation(e, *wrong)?,
            Violated::By(Pattern::Signs(signs)) => scene.meeting(signs)?,
            Violated::By(Pattern::Deadlock) => scene.deadlock()?,
            Violated::By(Pattern::LockCycle) => scene.lock_cycle(&mut session)?,
        };
        if bad.is_false() {
            session.pop_to(depth);
            continue;
        }
        let cast = scene.introduce(&mut session)?;
        session.assert(&bad);
        match session.check()? {
            Answer::Unsat => used.extend(session.core()?),
            answer => {
                let unknown = explain::not_excluded(contracts, &mut session, property, places, &cast, &shared, &answer);
                return Err(Stop::Unknown(unknown));
            }
        }
        session.pop_to(depth);
    }
    let wanted = |template: usize, (place, at): (usize, &Place)| {
        at.assertion(|index| used.contains(&fact_name(template, place, index)))
    };
    let of_template = |(template, places): (usize, &Vec<Place>)| {
        places.iter().enumerate().filter_map(|place| wanted(template, place)).collect()
    };
    Ok(places.iter().enumerate().map(of_template).collect())
}

/// The name under which unsatisfiable cores speak of a fact.
fn fact_name(template: usize, place: usize, fact: usize) -> String {
    format!("fact.{template}.{place}.{fact}")
}

/// A thread that a property speaks of.
#[derive(Clone)]
pub(crate) struct Actor {
    pub(crate) template: TemplateId,
    pub(crate) thread: Term,
    /// Constants for it have this in their names.
    number: usize,
}

impl Actor {
    pub(crate) fn place(&self) -> Term {
        Term::constant(&format!("where.{}", self.number), SmtSort::Int)
    }

    pub(crate) fn locals(&self, scene: &Scene<'_>, routine: RoutineId) -> Vec<Value> {
        let locals = scene.contracts.population.program.routine(routine).locals.iter().enumerate();
        locals
            .map(|(index, local)| scene.contracts.population.named(&self.local_name(routine, index), &local.sort))
            .collect()
    }

    /// No procedure calls itself, so a routine has one frame at most.
    fn local_name(&self, routine: RoutineId, index: usize) -> String {
        format!("local.{}.{}.{index}", self.number, routine.0)
    }
}

/// A step that may show a sign.
#[derive(Clone)]
struct Showing {
    thread: Term,
    /// That the thread can take it.
    can: Term,
    /// The keys of what it shows the sign of, as far as they are known.
    keys: Vec<Term>,
}

impl Showing {
    /// That it is another thread's, and that it may be of the same element.
    fn meets(&self, other: &Showing) -> Term {
        let same = self.keys.iter().zip(&other.keys).map(|(one, other)| one.equals(other));
        self.thread.equals(&other.thread).not().and(Term::all(same))
    }
}

/// A state, as far as a property speaks of it.
pub(crate) struct Scene<'a> {
    pub(crate) contracts: &'a Contracts<'a>,
    pub(crate) places: &'a [Vec<Place>],
    pub(crate) shared: &'a [Value],
    cast: RefCell<Cast>,
}

#[derive(Default)]
struct Cast {
    /// The threads that are spoken of, by template and by the term for them.
    actors: BTreeMap<(TemplateId, Term), usize>,
    /// Threads and values that are said to exist.
    witnesses: Vec<Term>,
    /// Where parts of the property have no value.
    gaps: Vec<Term>,
}

impl Scene<'_> {
    fn view(&self) -> View<'_> {
        View { others: Some(self), ..View::of_store(self.contracts.population, self.shared) }
    }

    /// That a property has this value, or none at all.
    fn violation(&self, e: &Expr, value: bool) -> Result<Term, Unsupported> {
        let has_value = self.has_value(e, value, &mut Vec::new())?;
        let gaps = std::mem::take(&mut self.cast.borrow_mut().gaps);
        let has_none = match self.view().translate(e) {
            Ok(translated) => translated.defined.not(),
            // It cannot be said as a whole. Then no part may be without a value.
            Err(_) => Term::any(&gaps),
        };
        Ok(has_value.or(&has_none))
    }

    /// That a formula has this value. What exists gets a name; where it cannot be said, it is taken to be so.
    fn has_value(&self, e: &Expr, value: bool, bound: &mut Vec<Term>) -> Result<Term, Unsupported> {
        match &e.kind {
            ExprKind::Unary(UnaryOp::Not, a) => self.has_value(a, !value, bound),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Implies), a, b) => {
                let is_premise = *op == BinaryOp::Implies;
                let first = self.has_value(a, value != is_premise, bound)?;
                let second = self.has_value(b, value, bound)?;
                Ok(if (*op == BinaryOp::And) == value { first.and(&second) } else { first.or(&second) })
            }
            ExprKind::Quantified(quantifier, binder, body)
                if *quantifier == if value { Quantifier::Exists } else { Quantifier::Forall } =>
            {
                let witness = self.witness();
                let within = self.within(binder, &witness);
                bound.push(witness);
                let body = self.has_value(body, value, bound);
                bound.pop();
                Ok(within.and(&body?))
            }
            ExprKind::Const(_)
            | ExprKind::Thread(_)
            | ExprKind::SelfThread
            | ExprKind::Bound(_)
            | ExprKind::Read(_)
            | ExprKind::ReadAfter(_)
            | ExprKind::LocalOf(..)
            | ExprKind::At(..)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Conditional(_)
            | ExprKind::Index(..)
            | ExprKind::SetLiteral(_)
            | ExprKind::ArrayLiteral(_)
            | ExprKind::Quantified(..) => match self.view().with_bound(bound.clone()).translate(e) {
                Ok(translated) => {
                    self.cast.borrow_mut().gaps.push(translated.defined.not());
                    let truth = translated.value.term().clone();
                    Ok(if value { truth } else { truth.not() })
                }
                Err(_) if !is_shared_only(e) => Ok(Term::bool(true)),
                Err(unsupported) => Err(unsupported),
            },
        }
    }

    pub(crate) fn witness(&self) -> Term {
        let mut cast = self.cast.borrow_mut();
        let witness = Term::constant(&format!("some.{}", cast.witnesses.len()), SmtSort::Int);
        cast.witnesses.push(witness.clone());
        witness
    }

    fn within(&self, binder: &Binder, witness: &Term) -> Term {
        let population = self.contracts.population;
        match &binder.domain {
            Domain::Copies(template) => population.is_copy(witness, *template),
            Domain::Sort(Sort::Bool) => witness.between(Term::int(0), Term::int(1)),
            Domain::Sort(sort) => population.in_range(sort, &Value::scalar(witness.clone())),
        }
    }

    pub(crate) fn actor(&self, template: TemplateId, thread: &Term) -> Option<Actor> {
        // A variable that the solver binds stands for many threads.
        let digits = thread.name().and_then(|name| name.strip_prefix('q'));
        if digits.is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit())) {
            return None;
        }
        let actors = &mut self.cast.borrow_mut().actors;
        let count = actors.len();
        let number = *actors.entry((template, thread.clone())).or_insert(count);
        Some(Actor { template, thread: thread.clone(), number })
    }

    /// Different threads can each take a step that shows one of the signs of a pattern, all of the same element.
    fn meeting(&self, signs: &[Sign]) -> Result<Term, Unsupported> {
        let mut ways: Vec<(Vec<Showing>, Term)> = vec![(Vec::new(), Term::bool(true))];
        for sign in signs {
            let showing = self.showing(sign)?;
            let further = |(others, can): &(Vec<Showing>, Term)| {
                let with = |one: &Showing| {
                    let together = Term::all(others.iter().map(|other| one.meets(other)));
                    let all = [others.as_slice(), std::slice::from_ref(one)].concat();
                    (all, Term::all([can, &one.can, &together]))
                };
                showing.iter().map(with).collect::<Vec<(Vec<Showing>, Term)>>()
            };
            ways = ways.iter().flat_map(further).collect();
        }
        Ok(Term::any(ways.iter().map(|(_, can)| can)))
    }

    /// The steps that may show a sign.
    fn showing(&self, sign: &Sign) -> Result<Vec<Showing>, Unsupported> {
        let program = &self.contracts.population.program;
        let mut showing = Vec::new();
        for (index, places) in self.places.iter().enumerate() {
            let template = TemplateId(index as u32);
            let thread = self.witness();
            let exists = self.contracts.population.is_copy(&thread, template);
            for (number, place) in places.iter().enumerate() {
                for &edge in &program.location(place.point.location).edges {
                    if may_show(program, &place.point.calls, edge, sign) {
                        let actor = self.actor(template, &thread).expect("it is a constant");
                        let here = actor.place().equals(Term::int(number as i64));
                        let can = Term::all([&exists, &here, &self.can_take(&actor, place, edge)?]);
                        for keys in self.keys(&actor, place, edge, sign)? {
                            showing.push(Showing { thread: thread.clone(), can: can.clone(), keys });
                        }
                    }
                }
            }
        }
        Ok(showing)
    }

    /// The keys of what a step that starts with an edge may show a sign of, as far as they are known: of a step of
    /// several edges none.
    fn keys(&self, actor: &Actor, place: &Place, id: EdgeId, sign: &Sign) -> Result<Vec<Vec<Term>>, Unsupported> {
        let program = self.contracts.program();
        let edge = program.edge(id);
        let (region, writes_only) = match sign {
            Sign::Accesses(region) => (region, false),
            Sign::Writes(region) => (region, true),
        };
        let Op::Command(command) = &edge.op else { return Ok(vec![Vec::new()]) };
        if region.depth == 0 || program.location(edge.to).transient {
            return Ok(vec![Vec::new()]);
        }
        let locals = actor.locals(self, place.routine);
        let view = View::of_thread(self.contracts.population, &actor.thread, self.shared, &locals);
        let term = |key: &&Expr| Ok(view.translate(key)?.value.term().clone());
        region.parts_of(command, writes_only).iter().map(|keys| keys.iter().map(term).collect()).collect()
    }

    /// That an edge can be taken; where there is something to choose, and for calls, this is left open.
    fn can_take(&self, actor: &Actor, place: &Place, id: EdgeId) -> Result<Term, Unsupported> {
        let population = self.contracts.population;
        let edge = population.program.edge(id);
        let Op::Command(_) = &edge.op else { return Ok(Term::bool(true)) };
        let (point, frames) = (Point::at(edge.from), vec![actor.locals(self, place.routine)]);
        let state = ThreadState { point, shared: self.shared.to_vec(), frames };
        let taken = take_edge(population, &actor.thread, &state, id, &mut by_constants(population, "any"))?;
        Ok(if taken.choices.is_empty() { taken.hazards.so_far } else { Term::bool(true) })
    }

    /// Declares the constants, and says what is known of all threads that are spoken of.
    fn introduce(&self, session: &mut Session) -> Result<Vec<(Term, Term, TemplateId)>, Stop> {
        let program = self.contracts.population.program.clone();
        let cast = self.cast.borrow();
        session.declare_all(&cast.witnesses);
        let actors: Vec<Actor> = cast
            .actors
            .iter()
            .map(|((template, thread), &number)| Actor { template: *template, thread: thread.clone(), number })
            .collect();
        let mut facts: BTreeMap<String, Vec<Term>> = BTreeMap::new();
        for actor in &actors {
            self.introduce_one(session, actor, &mut facts)?;
        }
        for (index, one) in actors.iter().enumerate() {
            for other in actors[index + 1..].iter().filter(|other| other.template == one.template) {
                let mut same = vec![one.place().equals(other.place())];
                for routine in program.routines_of(one.template) {
                    let (mine, yours) = (one.locals(self, routine), other.locals(self, routine));
                    same.extend(mine.iter().zip(&yours).map(|(a, b)| a.same(b)));
                }
                session.assert(&one.thread.equals(&other.thread).implies(Term::all(&same)));
            }
        }
        for (name, parts) in &facts {
            session.assert_named(&Term::all(parts), name);
        }
        Ok(actors.iter().map(|actor| (actor.thread.clone(), actor.place(), actor.template)).collect())
    }

    fn introduce_one(
        &self,
        session: &mut Session,
        actor: &Actor,
        facts: &mut BTreeMap<String, Vec<Term>>,
    ) -> Result<(), Stop> {
        let population = self.contracts.population;
        let place = actor.place();
        session.declare_all([&place]);
        let body = population.program.template(actor.template).body;
        for routine in population.program.routines_of(actor.template) {
            for (index, local) in population.program.routine(routine).locals.iter().enumerate() {
                let value = population.declare_value(session, &actor.local_name(routine, index), &local.sort);
                if routine == body {
                    session.assert(&population.well_formed(&local.sort, &value));
                }
            }
        }
        let places = &self.places[actor.template.index()];
        session.assert(&place.between(Term::int(0), Term::int(places.len() as i64 - 1)));
        // Of a thread of which there is no copy everything was found to hold, which says nothing of anybody else.
        let exists = population.is_copy(&actor.thread, actor.template);
        for (number, known) in places.iter().enumerate() {
            let here = exists.and(place.equals(Term::int(number as i64)));
            let locals = actor.locals(self, known.routine);
            for local in population.program.location(known.point.location).dead.iter() {
                let sort = &population.program.routine(known.routine).locals[local.index()].sort;
                let unset = population.equal(sort, &locals[local.index()], &population.default_value(sort));
                session.assert(&here.implies(&unset));
            }
            self.tell_known(session, actor, &here, number, false, facts)?;
            // While a procedure runs, the thread's own locals are as they were when it was called.
            let caller = known.point.calls.first().map(|&call| population.program.edge(call).from);
            let is_caller = |at: &Place| at.point.calls.is_empty() && Some(at.point.location) == caller;
            if let Some(caller) = places.iter().position(is_caller) {
                self.tell_known(session, actor, &here, caller, true, facts)?;
            }
        }
        Ok(())
    }

    /// Says that what is known at a place holds of the actor if it is `here`; or only what is known of locals.
    fn tell_known(
        &self,
        session: &mut Session,
        actor: &Actor,
        here: &Term,
        place: usize,
        locals_only: bool,
        facts: &mut BTreeMap<String, Vec<Term>>,
    ) -> Result<(), Stop> {
        let known = &self.places[actor.template.index()][place];
        let locals = actor.locals(self, known.routine);
        let view = View::of_thread(self.contracts.population, &actor.thread, self.shared, &locals);
        for (index, e) in known.known().enumerate() {
            if locals_only && !is_local(e) {
                continue;
            }
            let fact = here.implies(&view.holds(e)?);
            match index.checked_sub(known.said.len()) {
                None => session.assert(&fact),
                Some(found) => {
                    let name = fact_name(actor.template.index(), place, found);
                    facts.entry(name).or_default().push(fact);
                }
            }
        }
        Ok(())
    }
}

impl Others for Scene<'_> {
    fn local(&self, template: TemplateId, thread: &Term, local: LocalId) -> Option<Value> {
        let actor = self.actor(template, thread)?;
        let body = self.contracts.program().template(template).body;
        actor.locals(self, body).get(local.index()).cloned()
    }

    fn at(&self, template: TemplateId, thread: &Term, locations: &[LocationId]) -> Option<Term> {
        let actor = self.actor(template, thread)?;
        let here = self.places[template.index()].iter().enumerate();
        let here = here.filter(|(_, place)| locations.contains(&place.point.location));
        let here = here.map(|(number, _)| actor.place().equals(Term::int(number as i64)));
        Some(Term::any(here.collect::<Vec<Term>>()))
    }
}

/// Whether a step that starts with an edge may show a sign, anywhere up to where the step ends.
fn may_show(program: &Program, calls: &[EdgeId], edge: EdgeId, sign: &Sign) -> bool {
    let mut seen = BTreeSet::new();
    let mut work = vec![(calls.to_vec(), edge)];
    while let Some((mut calls, id)) = work.pop() {
        if !seen.insert((calls.clone(), id)) {
            continue;
        }
        let edge = program.edge(id);
        if sign.is_shown_by(edge) {
            return true;
        }
        let target = match &edge.op {
            Op::Command(_) => edge.to,
            Op::Call { routine, .. } => {
                calls.push(id);
                program.routine(*routine).entry
            }
            Op::Return(_) => {
                let call = program.edge(calls.pop().expect("a return is from a call"));
                if sign.is_shown_by_result(call) {
                    return true;
                }
                call.to
            }
        };
        let is_inside = |location: LocationId| program.location(location).transient;
        if is_inside(target) || calls.iter().any(|&call| is_inside(program.edge(call).from)) {
            work.extend(program.location(target).edges.iter().map(|&next| (calls.clone(), next)));
        }
    }
    false
}
