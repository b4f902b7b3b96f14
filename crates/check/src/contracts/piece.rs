//! A piece of a thread's code as one formula.
//!
//! A run through the piece chooses an edge at each point, and values where an edge or the environment
//! chooses some. Everything else is determined: whether the run comes to a point, and the stores there,
//! are terms over the choices. Two ways to one point cannot be taken by one run, since they choose
//! differently somewhere, so what holds at the point is selected by the way that is taken.

use super::terms::Terms;
use super::{assertion_view, code::Code};
use crate::{CheckError, refuted};
use threadwise_ir::{EdgeId, Sort, TemplateId};
use threadwise_logic::{Kind, SmtSort, Term};
use threadwise_solver::Session;
use threadwise_symbolic::{Taken, ThreadState, Unsupported, Value, by_constants, initial_store, take_edge};

/// What a run is like where it comes to a point, or after an edge.
#[derive(Clone)]
pub(crate) struct Run {
    /// That it comes here.
    pub(crate) comes: Term,
    pub(crate) shared: Vec<Value>,
    /// The shared store at the start of the step that is under way.
    pub(crate) start: Vec<Value>,
    /// The locals of each frame.
    pub(crate) frames: Vec<Vec<Value>>,
}

pub(crate) struct Piece<'a> {
    terms: &'a Terms<'a>,
    session: &'a mut Session,
    code: &'a Code,
    template: TemplateId,
    closure: u32,
    me: Term,
    you: Term,
    names: u32,
    /// What must not happen: when, and in words.
    pub(crate) bad: Vec<(Term, String)>,
}

impl<'a> Piece<'a> {
    pub(crate) fn new(
        terms: &'a Terms<'a>,
        session: &'a mut Session,
        code: &'a Code,
        template: TemplateId,
        closure: u32,
    ) -> Piece<'a> {
        let me = session.declare("me", &SmtSort::Int);
        let you = session.declare("you", &SmtSort::Int);
        session.assert(&terms.population.is_copy(&me, template));
        Piece { terms, session, code, template, closure, me, you, names: 0, bad: Vec::new() }
    }

    /// Follows all runs from a start to the next cuts.
    pub(crate) fn follow(&mut self, start: usize) -> Result<(), CheckError> {
        let order = self.code.piece(start).map_err(refuted)?;
        let mut ways: Vec<Vec<Run>> = self.code.spots.iter().map(|_| Vec::new()).collect();
        for number in order {
            let run = if number == start && self.code.spots[start].cut.is_some() && start != 0 {
                self.leave_cut(start)?
            } else if number == start {
                // The entry may itself be a cut: what the proof says of it must hold at the start.
                let run = self.leave_the_start()?;
                let run = self.between_steps(start, run)?;
                self.claims_hold(start, &run)?;
                if self.code.spots[start].cut.is_some() {
                    self.cut_holds(start, &run)?;
                    self.leave_cut(start)?
                } else {
                    run
                }
            } else {
                let run = self.one_of(&ways[number], number)?;
                let run = self.between_steps(number, run)?;
                self.claims_hold(number, &run)?;
                run
            };
            for (choice, &(edge, target)) in self.code.spots[number].next.iter().enumerate() {
                let after = self.take(number, &run, edge, choice, target)?;
                if self.code.spots[target].cut.is_some() {
                    let after = self.between_steps(target, after)?;
                    self.claims_hold(target, &after)?;
                    self.cut_holds(target, &after)?;
                } else {
                    ways[target].push(after);
                }
            }
        }
        Ok(())
    }

    fn leave_the_start(&mut self) -> Result<Run, Unsupported> {
        let shared = self.store("init");
        let initial = initial_store(self.terms.population, &shared)?;
        let body = self.terms.program().template(self.template).body;
        let frames = ThreadState::first(self.terms.population, body, Vec::new()).frames;
        Ok(Run { comes: initial.so_far, start: shared.clone(), shared, frames })
    }

    /// Any stores that the cut's assertions admit.
    fn leave_cut(&mut self, number: usize) -> Result<Run, Unsupported> {
        let spot = &self.code.spots[number];
        let population = self.terms.population;
        let shared = self.store("cut");
        let start = if spot.inside_step { self.store("before") } else { shared.clone() };
        let mut parts = vec![self.terms.sound(&start)?];
        for (var, value) in self.terms.program().shared.iter().zip(&shared) {
            parts.push(population.well_formed(&var.sort, value));
        }
        let mut frames = Vec::new();
        for &routine in &spot.routines {
            let mut locals = Vec::new();
            for local in &self.terms.program().routine(routine).locals {
                let value = self.value(&local.sort);
                parts.push(population.well_formed(&local.sort, &value));
                locals.push(value);
            }
            frames.push(locals);
        }
        let run = Run { comes: Term::bool(true), shared, start, frames };
        let view = assertion_view(self.terms, &self.me, &run);
        for e in spot.cut.iter().flatten() {
            parts.push(view.holds(e)?);
        }
        let comes = self.named("comes", &Term::all(&parts));
        Ok(Run { comes, ..run })
    }

    /// The way that is taken, of several that lead to a point.
    fn one_of(&mut self, ways: &[Run], number: usize) -> Result<Run, Unsupported> {
        let [first, rest @ ..] = ways else { unreachable!("the order has only points that some way leads to") };
        let mut run = first.clone();
        for way in rest {
            let select = |values: &mut Vec<Value>, others: &[Value]| {
                for (value, other) in values.iter_mut().zip(others) {
                    *value = Value::choose(&way.comes, other, value);
                }
            };
            select(&mut run.shared, &way.shared);
            select(&mut run.start, &way.start);
            run.frames.iter_mut().zip(&way.frames).for_each(|(frame, other)| select(frame, other));
            run.comes = run.comes.or(&way.comes);
        }
        run.comes = self.named("comes", &run.comes);
        let sorts: Vec<Sort> = self.terms.program().shared.iter().map(|var| var.sort.clone()).collect();
        run.shared = self.named_values(&sorts, run.shared);
        run.start = self.named_values(&sorts, run.start);
        for (index, &routine) in self.code.spots[number].routines.iter().enumerate() {
            let locals = &self.terms.program().routine(routine).locals;
            let sorts: Vec<Sort> = locals.iter().map(|local| local.sort.clone()).collect();
            run.frames[index] = self.named_values(&sorts, std::mem::take(&mut run.frames[index]));
        }
        Ok(run)
    }

    /// Between two steps of the thread the others may move.
    fn between_steps(&mut self, number: usize, run: Run) -> Result<Run, Unsupported> {
        if self.code.spots[number].inside_step {
            return Ok(run);
        }
        let mut parts = vec![run.comes.clone()];
        let mut last = self.shortened(run.shared);
        for _ in 0..self.closure {
            let mut next = self.store("env");
            for var in self.terms.untouched(self.template) {
                next[var.index()] = last[var.index()].clone();
            }
            let rely = self.terms.rely(self.template, &self.me, &last, &next)?;
            for leaf in next.iter_mut().flat_map(|value| &mut value.0) {
                // What must equal the old value of a variable is that value.
                let equal = equal_to(&rely, leaf);
                let old = |term: &&Term| Some(*term) == equal;
                *leaf = last.iter().flat_map(|value| &value.0).find(old).unwrap_or(leaf).clone();
            }
            parts.push(self.terms.rely(self.template, &self.me, &last, &next)?);
            parts.push(self.terms.sound(&next)?);
            last = next;
        }
        let comes = self.named("comes", &Term::all(&parts));
        Ok(Run { comes, start: last.clone(), shared: last, frames: run.frames })
    }

    fn claims_hold(&mut self, number: usize, run: &Run) -> Result<(), Unsupported> {
        let spot = &self.code.spots[number];
        self.must_hold(&spot.claims, run, number)
    }

    fn cut_holds(&mut self, number: usize, run: &Run) -> Result<(), Unsupported> {
        let assertions = self.code.spots[number].cut.as_deref().unwrap_or_default();
        self.must_hold(assertions, run, number)
    }

    fn must_hold(&mut self, assertions: &[threadwise_ir::Expr], run: &Run, number: usize) -> Result<(), Unsupported> {
        let spot = &self.code.spots[number];
        for (index, e) in assertions.iter().enumerate() {
            let holds = assertion_view(self.terms, &self.me, run).holds(e)?;
            let program = self.terms.program();
            let place = program.source.locate(program.location(spot.point.location).span);
            self.bad.push((run.comes.and(holds.not()), format!("assertion {index} of the proof is false at {place}")));
        }
        Ok(())
    }

    /// The run that chooses this edge.
    fn take(&mut self, number: usize, run: &Run, id: EdgeId, choice: usize, target: usize) -> Result<Run, Unsupported> {
        let comes = if self.code.spots[number].next.len() > 1 {
            let name = Term::constant(&format!("choice.{number}"), SmtSort::Int);
            if choice == 0 {
                self.session.declare_all([&name]);
            }
            run.comes.and(name.equals(Term::int(choice as i64)))
        } else {
            run.comes.clone()
        };
        let (shared, frames) = (run.shared.clone(), run.frames.clone());
        let before = ThreadState { point: self.code.spots[number].point.clone(), shared, frames };
        self.names += 1;
        let mut choose = by_constants(self.terms.population, format!("any{}", self.names));
        let Taken { hazards, choices, after } = take_edge(self.terms.population, &self.me, &before, id, &mut choose)?;
        self.session.declare_all(choices.iter().flat_map(|chosen| &chosen.0));
        let program = self.terms.program();
        let step = program.source.locate(program.edge(id).span);
        for hazard in &hazards.all {
            self.bad.push((comes.and(hazard.when()), format!("the step at {step} goes wrong")));
        }
        let comes = self.named("takes", &comes.and(&hazards.so_far));
        let after = Run { comes, shared: after.shared, start: run.start.clone(), frames: after.frames };
        if !self.code.spots[target].inside_step {
            self.step_is_good(&after, &step)?;
        }
        Ok(after)
    }

    /// A step that has ended satisfies the guarantee and keeps the invariants.
    fn step_is_good(&mut self, after: &Run, step: &str) -> Result<(), Unsupported> {
        let given = self.terms.given_guarantees(self.template);
        for guarantee in &given {
            let holds = self.terms.contract(guarantee, &self.me, &after.start, &after.shared)?;
            self.bad.push((after.comes.and(holds.not()), format!("the step at {step} breaks its guarantee")));
        }
        if given.is_empty() {
            for rely in &self.terms.program().relies {
                let holds = self.terms.contract(rely, &self.you, &after.start, &after.shared)?;
                let another = self.terms.is_subject(rely, &self.you).and(self.you.equals(&self.me).not());
                let bad = Term::all([&after.comes, &another, &holds.not()]);
                self.bad.push((bad, format!("the step at {step} breaks what another thread relies on")));
            }
        }
        let kept = self.terms.invariant(&after.shared)?;
        self.bad.push((after.comes.and(kept.not()), format!("the step at {step} breaks an invariant")));
        Ok(())
    }

    fn store(&mut self, name: &str) -> Vec<Value> {
        self.names += 1;
        self.terms.store(self.session, &format!("{name}{}", self.names))
    }

    fn value(&mut self, sort: &Sort) -> Value {
        self.names += 1;
        self.terms.population.declare_value(self.session, &format!("local{}", self.names), sort)
    }

    fn named(&mut self, name: &str, term: &Term) -> Term {
        self.names += 1;
        self.session.define(&format!("{name}{}", self.names), term)
    }

    /// The shared store with names for long terms, so that they do not grow from step to step.
    fn shortened(&mut self, mut store: Vec<Value>) -> Vec<Value> {
        for (var, value) in self.terms.population.program.shared.iter().zip(&mut store) {
            if !value.0.iter().all(is_short) {
                self.names += 1;
                *value =
                    self.terms.population.define_value(self.session, &format!("v{}", self.names), &var.sort, value);
            }
        }
        store
    }

    fn named_values(&mut self, sorts: &[Sort], values: Vec<Value>) -> Vec<Value> {
        let mut named = Vec::new();
        for (sort, value) in sorts.iter().zip(values) {
            if value.0.iter().all(is_one_word) {
                named.push(value);
                continue;
            }
            self.names += 1;
            named.push(self.terms.population.define_value(self.session, &format!("v{}", self.names), sort, &value));
        }
        named
    }
}

/// Terms with a longer text get a name before they are used again.
const SHORT: usize = 64;

fn is_short(term: &Term) -> bool {
    term.size(SHORT) < SHORT && term.to_string().len() < SHORT
}

fn is_one_word(term: &Term) -> bool {
    term.size(2) < 2 && !term.to_string().starts_with('(')
}

/// What the formula, as a conjunction, says is equal to a constant.
fn equal_to<'t>(formula: &'t Term, constant: &Term) -> Option<&'t Term> {
    formula.conjuncts().iter().find_map(|part| match part.kind() {
        Kind::Eq(a, b) | Kind::Iff(a, b) if a == constant => Some(b),
        Kind::Eq(a, b) | Kind::Iff(a, b) if b == constant => Some(a),
        _ => None,
    })
}
