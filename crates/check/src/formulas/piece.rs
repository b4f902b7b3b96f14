//! A piece of a thread's code as one formula.
//!
//! A run through the piece chooses an edge at each point, and values where an edge or the environment
//! chooses some. Everything else is determined: whether the run comes to a point, and the stores there,
//! are terms over the choices. Two ways to one point cannot be taken by one run, since they choose
//! differently somewhere, so what holds at the point is selected by the way that is taken.

use super::book::{Book, Scene};
use super::crowd::Figure;
use crate::{CheckError, refuted};
use rustc_hash::FxHashSet;
use threadwise_ir::{EdgeId, Point, Sort};
use threadwise_logic::{Kind, SmtSort, Term};
use threadwise_solver::Session;
use threadwise_symbolic::{
    End, Taken, ThreadState, Unsupported, Value, Way, by_constants, initial_store, named_frames, starts, take_edge,
    ways,
};

/// What a run is like where it comes to a point, or after an edge.
#[derive(Clone)]
pub(crate) struct Run {
    /// That it comes here.
    pub(crate) comes: Term,
    pub(crate) shared: Vec<Value>,
    /// The shared store at the start of the step that is under way.
    start: Vec<Value>,
    /// The locals of each frame.
    frames: Vec<Vec<Value>>,
}

pub(crate) struct Piece<'a> {
    book: &'a Book<'a>,
    pub(crate) session: &'a mut Session,
    part: usize,
    pub(crate) me: Term,
    names: u32,
    /// All threads, where formulas may speak of them.
    world: Vec<Figure>,
    /// The thread itself after its step, as far as the step says nothing of it.
    forgotten: Vec<Figure>,
    /// Where the piece starts, and the locals there.
    from: Option<(Point, Vec<Vec<Value>>)>,
    /// What must not happen: when, and in words.
    pub(crate) bad: Vec<(Term, String)>,
}

impl<'a> Piece<'a> {
    pub(crate) fn new(book: &'a Book<'a>, session: &'a mut Session, part: usize) -> Piece<'a> {
        let own = &book.parts[part];
        let me = match &own.thread {
            Some(thread) => thread.clone(),
            None => session.declare("me", &SmtSort::Int),
        };
        session.assert(&book.population.is_copy(&me, own.template));
        let (world, forgotten) = (book.world(session, "before."), book.world(session, "after."));
        Piece { book, session, part, me, names: 0, world, forgotten, from: None, bad: Vec::new() }
    }

    /// An initial store, and that it is one.
    pub(crate) fn initial_store(&mut self) -> Result<(Vec<Value>, Term), Unsupported> {
        let shared = self.store("init");
        let initial = initial_store(self.book.population, &shared)?;
        Ok((shared.clone(), initial.so_far.and(self.book.well_formed(&shared))))
    }

    /// That all other threads are at their starts, where formulas may speak of them.
    pub(crate) fn others_are_at_their_starts(&mut self, shared: &[Value]) -> Result<Term, Unsupported> {
        let mut all = Vec::new();
        for other in (0..self.world.len()).filter(|&other| other != self.part) {
            self.names += 1;
            let mut choose = by_constants(self.book.population, format!("start{}", self.names));
            let part = &self.book.parts[other];
            let me = self.book.me(other);
            let (mut somewhere, mut declared) = (Vec::new(), FxHashSet::default());
            for way in starts(self.book.population, &me, part.template, shared, &mut choose)? {
                self.session.declare_all(&new_choices(&way, &mut declared));
                let End::Rest(state) = &way.end else { continue };
                let frames = self.world[other].frames_at(&state.point);
                let same = frames.iter().flatten().zip(state.frames.iter().flatten()).map(|(a, b)| a.same(b));
                let here = self.world[other].at.equals(part.code.number_of(&state.point));
                somewhere.push(Term::all(same).and(&way.when).and(here));
            }
            all.push(Term::any(somewhere));
        }
        Ok(Term::all(all))
    }

    /// Follows the runs of a thread that has started.
    pub(crate) fn follow_start(&mut self, when: Term, state: ThreadState) -> Result<(), CheckError> {
        let run = Run { comes: when, start: state.shared.clone(), shared: state.shared, frames: state.frames };
        let Some(spot) = self.code().spot_at(&state.point) else {
            return Err(refuted("a thread starts where control cannot come"));
        };
        let run = self.arrive(spot, run)?;
        if self.code().ends(spot) { Ok(()) } else { self.follow(spot, run) }
    }

    fn code(&self) -> &'a super::code::Code {
        &self.book.parts[self.part].code
    }

    /// Follows all runs from a spot to the next cuts.
    pub(crate) fn follow(&mut self, start: usize, run: Run) -> Result<(), CheckError> {
        let order = self.code().piece(start).map_err(refuted)?;
        let mut ways: Vec<Vec<Run>> = self.code().spots.iter().map(|_| Vec::new()).collect();
        self.from = Some((self.code().spots[start].point.clone(), run.frames.clone()));
        let mut first = Some(run);
        for number in order {
            let run = match first.take() {
                Some(run) => run,
                None => {
                    let run = self.one_of(&ways[number], number)?;
                    self.arrive(number, run)?
                }
            };
            for (choice, &(edge, target)) in self.code().spots[number].next.iter().enumerate() {
                let after = self.take(number, &run, edge, choice, target)?;
                if self.code().ends(target) {
                    self.arrive(target, after)?;
                } else {
                    ways[target].push(after);
                }
            }
        }
        Ok(())
    }

    /// Follows all single steps from a spot, where something is said wherever they end.
    pub(crate) fn follow_steps(&mut self, start: usize, run: &Run) -> Result<(), CheckError> {
        let (shared, frames) = (run.shared.clone(), run.frames.clone());
        let state = ThreadState { point: self.code().spots[start].point.clone(), shared, frames };
        let mut choose = by_constants(self.book.population, "any");
        let mut declared = FxHashSet::default();
        for way in ways(self.book.population, &self.me, state, &mut choose)? {
            self.session.declare_all(&new_choices(&way, &mut declared));
            let comes = self.named("takes", &run.comes.and(&way.when));
            let program = self.book.program();
            let step =
                way.path.first().map_or_else(String::new, |&edge| program.source.locate(program.edge(edge).span));
            let after = match way.end {
                End::Error => {
                    self.bad.push((comes, format!("the step at {step} goes wrong")));
                    continue;
                }
                End::Rest(after) => after,
            };
            let Some(target) = self.code().spot_at(&after.point) else {
                return Err(refuted("a step leads to where control cannot come"));
            };
            let after = Run { comes, shared: after.shared, start: run.start.clone(), frames: after.frames };
            self.step_is_good(&after, target, &step)?;
            self.arrive(target, after)?;
        }
        Ok(())
    }

    /// A run comes to a spot: what is said there holds, also after the others have moved.
    fn arrive(&mut self, spot: usize, run: Run) -> Result<Run, CheckError> {
        let run = self.between_steps(spot, run)?;
        if !self.code().spots[spot].inside_step && !self.code().may_rest_at(spot) {
            let (name, place) = (&self.book.parts[self.part].name, self.place(spot));
            self.bad.push((run.comes.clone(), format!("{name} comes to {place}, of which nothing is said")));
            return Ok(run);
        }
        let world = self.world_after();
        let said = self.book.said(self.part, spot, &self.scene(spot, &run, &world));
        let what = format!("what is said of {} is false at {}", self.book.parts[self.part].name, self.place(spot));
        self.bad.push((run.comes.and(said.not()), what));
        Ok(run)
    }

    fn scene<'s>(&'s self, spot: usize, run: &'s Run, world: &'s [Figure]) -> Scene<'s> {
        let point = &self.code().spots[spot].point;
        Scene { me: &self.me, shared: &run.shared, start: &run.start, point, frames: &run.frames, world }
    }

    /// All threads after a step of this one, but for what is known of itself.
    fn world_after(&self) -> Vec<Figure> {
        let mut world = self.world.clone();
        if let Some(own) = world.get_mut(self.part) {
            own.clone_from(&self.forgotten[self.part]);
        }
        world
    }

    /// All threads where the piece starts.
    pub(crate) fn before(&self, run: &Run) -> Vec<Figure> {
        let Some((point, frames)) = &self.from else { return self.world.clone() };
        let (me, world) = (&self.me, &self.world);
        let scene = Scene { me, shared: &run.start, start: &run.start, point, frames, world };
        self.book.world_with(self.part, &scene)
    }

    fn place(&self, spot: usize) -> String {
        self.code().place(self.book.program(), spot)
    }

    /// Any stores that the cut's assertions admit.
    pub(crate) fn leave_cut(&mut self, number: usize) -> Result<Run, CheckError> {
        let spot = &self.code().spots[number];
        if spot.inside_step && self.book.is_of_threads() {
            return Err(refuted("something is said of a point inside a step"));
        }
        let population = self.book.population;
        let shared = self.store("cut");
        let start = if spot.inside_step { self.store("before") } else { shared.clone() };
        let mut parts = vec![self.book.sound(&start)?, self.book.well_formed(&shared)];
        let mut frames = Vec::new();
        for &routine in &spot.routines {
            let mut locals = Vec::new();
            for local in &self.book.program().routine(routine).locals {
                let value = self.value(&local.sort);
                parts.push(population.well_formed(&local.sort, &value));
                locals.push(value);
            }
            frames.push(locals);
        }
        self.from = Some((spot.point.clone(), frames.clone()));
        let run = Run { comes: Term::bool(true), shared, start, frames };
        parts.push(self.book.said_of_cut(self.part, number, &self.scene(number, &run, &self.world)));
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
        let sorts: Vec<Sort> = self.book.program().shared.iter().map(|var| var.sort.clone()).collect();
        run.shared = self.named_values(&sorts, run.shared);
        run.start = self.named_values(&sorts, run.start);
        for (index, &routine) in self.code().spots[number].routines.iter().enumerate() {
            let locals = &self.book.program().routine(routine).locals;
            let sorts: Vec<Sort> = locals.iter().map(|local| local.sort.clone()).collect();
            run.frames[index] = self.named_values(&sorts, std::mem::take(&mut run.frames[index]));
        }
        Ok(run)
    }

    /// Between two steps of the thread the others may move.
    fn between_steps(&mut self, number: usize, run: Run) -> Result<Run, Unsupported> {
        let closure = self.book.parts[self.part].closure;
        if self.code().spots[number].inside_step || closure == 0 {
            return Ok(run);
        }
        let mut parts = vec![run.comes.clone()];
        let mut last = self.shortened(run.shared);
        for _ in 0..closure {
            let mut next = self.store("env");
            let environment = self.book.environment(self.part, &self.me, &last, &next);
            for leaf in next.iter_mut().flat_map(|value| &mut value.0) {
                // What must equal the old value of a variable is that value.
                let equal = equal_to(&environment, leaf);
                let old = |term: &&Term| Some(*term) == equal;
                *leaf = last.iter().flat_map(|value| &value.0).find(old).unwrap_or(leaf).clone();
            }
            parts.push(self.book.environment(self.part, &self.me, &last, &next));
            parts.push(self.book.sound(&next)?);
            last = next;
        }
        let comes = self.named("comes", &Term::all(&parts));
        Ok(Run { comes, start: last.clone(), shared: last, frames: run.frames })
    }

    /// The run that chooses this edge.
    fn take(&mut self, number: usize, run: &Run, id: EdgeId, choice: usize, target: usize) -> Result<Run, Unsupported> {
        let comes = if self.code().spots[number].next.len() > 1 {
            let name = Term::constant(&format!("choice.{number}"), SmtSort::Int);
            if choice == 0 {
                self.session.declare_all([&name]);
            }
            run.comes.and(name.equals(Term::int(choice as i64)))
        } else {
            run.comes.clone()
        };
        let (shared, frames) = (run.shared.clone(), run.frames.clone());
        let before = ThreadState { point: self.code().spots[number].point.clone(), shared, frames };
        self.names += 1;
        let mut choose = by_constants(self.book.population, format!("any{}", self.names));
        let Taken { hazards, choices, after } = take_edge(self.book.population, &self.me, &before, id, &mut choose)?;
        self.session.declare_all(choices.iter().flat_map(|chosen| &chosen.0));
        let program = self.book.program();
        let step = program.source.locate(program.edge(id).span);
        for hazard in &hazards.all {
            self.bad.push((comes.and(hazard.when()), format!("the step at {step} goes wrong")));
        }
        let comes = self.named("takes", &comes.and(&hazards.so_far));
        let after = Run { comes, shared: after.shared, start: run.start.clone(), frames: after.frames };
        if !self.code().spots[target].inside_step {
            self.step_is_good(&after, target, &step)?;
        }
        Ok(after)
    }

    /// A step that has ended is one that the others expect, and keeps the invariants.
    fn step_is_good(&mut self, after: &Run, target: usize, step: &str) -> Result<(), Unsupported> {
        if after.shared != after.start {
            let kept = self.book.invariant(&after.shared)?;
            self.bad.push((after.comes.and(kept.not()), format!("the step at {step} breaks an invariant")));
        } else if !self.book.sees_locals() {
            return Ok(());
        }
        if let Some(guarantee) = &self.book.parts[self.part].guarantee {
            let holds = self.book.admits(guarantee, &self.me, (&after.start, &[]), (&after.shared, &[]));
            self.bad.push((after.comes.and(holds.not()), format!("the step at {step} breaks its guarantee")));
            return Ok(());
        }
        let world = self.world_after();
        let (before, later) = (self.before(after), self.book.world_with(self.part, &self.scene(target, after, &world)));
        for other in 0..self.book.parts.len() {
            if !self.book.can_differ(self.part, other) {
                continue;
            }
            self.names += 1;
            let you = match &self.book.parts[other].thread {
                Some(thread) => thread.clone(),
                None => self.session.declare(&format!("you{}", self.names), &SmtSort::Int),
            };
            let is_other = self.book.population.is_copy(&you, self.book.parts[other].template);
            let comes = Term::all([&after.comes, &is_other, &you.equals(&self.me).not()]);
            let name = &self.book.parts[other].name;
            match &self.book.parts[other].environment {
                Some(environment) => {
                    let (x, y) = ((&after.start[..], &before[..]), (&after.shared[..], &later[..]));
                    let expected = self.book.admits(environment, &you, x, y);
                    let what =
                        format!("the step at {step} breaks what is expected by {name}: it is not in its environment");
                    self.bad.push((comes.and(expected.not()), what));
                }
                None => self.others_stay(other, &you, &comes, after, (&before, &later), step),
            }
        }
        Ok(())
    }

    /// What is said of another thread stays true.
    fn others_stay(
        &mut self,
        other: usize,
        you: &Term,
        comes: &Term,
        after: &Run,
        (before, later): (&[Figure], &[Figure]),
        step: &str,
    ) {
        let part = &self.book.parts[other];
        for spot in part.code.resting() {
            let point = &part.code.spots[spot].point;
            let (frames, formed, constants) = match before.get(other) {
                Some(figure) => (figure.frames_at(point), figure.at.equals(part.code.number_of(point)), Vec::new()),
                None => {
                    self.names += 1;
                    let frames = named_frames(self.book.population, point, &format!("other{}.", self.names));
                    (frames.values, frames.well_formed, frames.constants)
                }
            };
            let scene = |shared, world| Scene { me: you, shared, start: shared, point, frames: &frames, world };
            let now = self.book.said(other, spot, &scene(&after.start, before));
            let then = self.book.said(other, spot, &scene(&after.shared, later));
            // What is the same before and after the step stays true.
            let same: FxHashSet<&Term> = now.conjuncts().iter().collect();
            let then = Term::all(then.conjuncts().iter().filter(|part| !same.contains(part)));
            if then.is_true() || now.is_false() {
                continue;
            }
            self.session.declare_all(&constants);
            let at = part.code.place(self.book.program(), spot);
            let what = format!("the step at {step} breaks what is said of {} at {at}", part.name);
            self.bad.push((Term::all([comes, &formed, &now, &then.not()]), what));
        }
    }

    fn store(&mut self, name: &str) -> Vec<Value> {
        self.names += 1;
        self.book.store(self.session, &format!("{name}{}", self.names))
    }

    fn value(&mut self, sort: &Sort) -> Value {
        self.names += 1;
        self.book.population.declare_value(self.session, &format!("local{}", self.names), sort)
    }

    fn named(&mut self, name: &str, term: &Term) -> Term {
        self.names += 1;
        self.session.define(&format!("{name}{}", self.names), term)
    }

    /// The shared store with names for long terms, so that they do not grow from step to step.
    fn shortened(&mut self, mut store: Vec<Value>) -> Vec<Value> {
        for (var, value) in self.book.population.program.shared.iter().zip(&mut store) {
            if !value.0.iter().all(is_short) {
                self.names += 1;
                *value = self.book.population.define_value(self.session, &format!("v{}", self.names), &var.sort, value);
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
            named.push(self.book.population.define_value(self.session, &format!("v{}", self.names), sort, &value));
        }
        named
    }
}

/// What a way chooses that no way before it did: ways that part after a choice have it in common.
pub(crate) fn new_choices(way: &Way, declared: &mut FxHashSet<Term>) -> Vec<Term> {
    way.chosen().into_iter().filter(|term| declared.insert(term.clone())).collect()
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
