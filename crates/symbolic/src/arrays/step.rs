//! Whole steps of a thread as relations between stores: an edge, and the run through transient
//! locations behind it, so that an atomic block is one step. What `ir::Instance::steps` lists for
//! one store, this says for all stores at once.

use super::{Hazard, Population, Unsupported, Value, View, Wrong};
use super::{call, first_locals, return_value, store_result, transition};
use threadwise_ir::{EdgeId, Op, Point, Program, Sort, StepError, TemplateId};
use threadwise_logic::Term;
use threadwise_source::Span;

/// More ways through one step than this are not followed.
const MAX_WAYS: usize = 4096;

/// A state of a thread as terms.
#[derive(Clone, Debug)]
pub struct ThreadState {
    pub point: Point,
    pub shared: Vec<Value>,
    /// The locals of each frame, outermost first.
    pub frames: Vec<Vec<Value>>,
}

/// Constants that stand for some variables.
#[derive(Clone, Debug)]
pub struct Named<T> {
    /// The values, made of the constants.
    pub values: T,
    pub constants: Vec<Term>,
    /// That the values are of their sorts.
    pub well_formed: Term,
}

/// Constants for the shared variables; their names start with the prefix.
pub fn named_shared(population: &Population, prefix: &str) -> Named<Vec<Value>> {
    named(population, prefix, population.program.shared.iter().map(|var| &var.sort))
}

/// Constants for the locals of all frames at a point; their names start with the prefix.
pub fn named_frames(population: &Population, point: &Point, prefix: &str) -> Named<Vec<Vec<Value>>> {
    let mut all = Named { values: Vec::new(), constants: Vec::new(), well_formed: Term::bool(true) };
    for (index, routine) in point.routines(&population.program).into_iter().enumerate() {
        let locals = population.program.routine(routine).locals.iter().map(|var| &var.sort);
        let frame = named(population, &format!("{prefix}{index}."), locals);
        all.values.push(frame.values);
        all.constants.extend(frame.constants);
        all.well_formed = all.well_formed.and(&frame.well_formed);
    }
    all
}

fn named<'s>(population: &Population, prefix: &str, sorts: impl Iterator<Item = &'s Sort>) -> Named<Vec<Value>> {
    let mut all = Named { values: Vec::new(), constants: Vec::new(), well_formed: Term::bool(true) };
    for (index, sort) in sorts.enumerate() {
        let value = population.named(&format!("{prefix}{index}"), sort);
        all.constants.extend(value.0.iter().cloned());
        all.well_formed = all.well_formed.and(population.well_formed(sort, &value));
        all.values.push(value);
    }
    all
}

/// One way that a step can take.
#[derive(Clone, Debug)]
pub struct Way {
    /// The edges it takes.
    pub path: Vec<EdgeId>,
    /// What it chooses on the way: constants to declare.
    pub choices: Vec<Value>,
    /// That it is taken, over the state before and the choices.
    pub when: Term,
    /// Where it ends.
    pub end: End,
}

/// Where a step ends.
#[derive(Clone, Debug)]
pub enum End {
    /// At a point where other threads can see it.
    Rest(ThreadState),
    /// In an error.
    Error(StepError, Span),
}

/// All ways that the next step of a thread can take. `fresh` starts the names of what is chosen.
pub fn ways(population: &Population, me: &Term, state: ThreadState, fresh: &str) -> Result<Vec<Way>, Unsupported> {
    let mut walk = Walk { population, me, fresh, ways: Vec::new(), chosen: 0 };
    walk.take_edges(&Inner { state, when: Term::bool(true), path: Vec::new(), choices: Vec::new(), seen: Vec::new() })?;
    Ok(walk.ways)
}

/// All ways in which a thread can start. Unobservable declarations at its start are done; they read
/// no shared variables.
pub fn starts(
    population: &Population,
    me: &Term,
    template: TemplateId,
    shared: &[Value],
    fresh: &str,
) -> Result<Vec<Way>, Unsupported> {
    let body = population.program.template(template).body;
    let point = Point::at(population.program.routine(body).entry);
    let state = ThreadState { point, shared: shared.to_vec(), frames: vec![first_locals(population, body)] };
    let mut walk = Walk { population, me, fresh, ways: Vec::new(), chosen: 0 };
    walk.arrive(Inner { state, when: Term::bool(true), path: Vec::new(), choices: Vec::new(), seen: Vec::new() })?;
    Ok(walk.ways)
}

/// A state inside a step.
#[derive(Clone)]
struct Inner {
    state: ThreadState,
    when: Term,
    path: Vec<EdgeId>,
    choices: Vec<Value>,
    /// The points inside the step that it came through.
    seen: Vec<Point>,
}

struct Walk<'a> {
    population: &'a Population,
    me: &'a Term,
    fresh: &'a str,
    ways: Vec<Way>,
    chosen: usize,
}

impl Way {
    /// The constants that it chooses.
    pub fn constants(&self) -> Vec<Term> {
        self.choices.iter().flat_map(|choice| choice.0.iter().cloned()).collect()
    }
}

impl Walk<'_> {
    fn take_edges(&mut self, inner: &Inner) -> Result<(), Unsupported> {
        let program = self.population.program.clone();
        for &edge in &program.location(inner.state.point.location).edges {
            let mut next = inner.clone();
            next.path.push(edge);
            self.take_edge(&program, edge, next)?;
        }
        Ok(())
    }

    fn take_edge(&mut self, program: &Program, id: EdgeId, mut inner: Inner) -> Result<(), Unsupported> {
        let edge = program.edge(id);
        let routine = program.location(edge.from).routine;
        let ThreadState { shared, frames, .. } = inner.state.clone();
        let locals = frames.last().expect("a thread has a frame");
        let view = View::of_thread(self.population, self.me, &shared, locals);
        match &edge.op {
            Op::Command(command) => {
                self.chosen += 1;
                let fresh = format!("{}.{}", self.fresh, self.chosen);
                let step = transition(&view, command, routine, edge.to, edge.span, &fresh)?;
                self.errors(&inner, &step.hazards, &step.choices);
                inner.when = inner.when.and(&step.taken);
                inner.choices.extend(step.choices);
                inner.state.shared = step.shared;
                *inner.state.frames.last_mut().expect("a thread has a frame") = step.locals;
                inner.state.point.location = edge.to;
            }
            Op::Call { routine: callee, args, .. } => {
                let mut wrong = Wrong::default();
                let callee_locals = call(&view, *callee, args, &mut wrong)?;
                self.errors(&inner, &wrong.hazards, &[]);
                inner.when = inner.when.and(&wrong.so_far);
                inner.state.frames.push(callee_locals);
                inner.state.point.calls.push(id);
                inner.state.point.location = program.routine(*callee).entry;
            }
            Op::Return(value) => {
                let mut wrong = Wrong::default();
                let result = return_value(&view, routine, value.as_deref(), &mut wrong)?;
                inner.state.frames.pop();
                let call = inner.state.point.calls.pop().expect("front ends end threads without a return");
                let calling = program.edge(call);
                let Op::Call { result: place, .. } = &calling.op else { unreachable!("a call is under way") };
                let caller = program.location(calling.from).routine;
                let below = inner.state.frames.last().expect("the caller has a frame").clone();
                let view = View::of_thread(self.population, self.me, &shared, &below);
                let (shared, locals) = store_result(
                    &view,
                    caller,
                    place.as_deref(),
                    result.as_ref(),
                    calling.to,
                    calling.span,
                    &mut wrong,
                )?;
                self.errors(&inner, &wrong.hazards, &[]);
                inner.when = inner.when.and(&wrong.so_far);
                inner.state.shared = shared;
                *inner.state.frames.last_mut().expect("the caller has a frame") = locals;
                inner.state.point.location = calling.to;
            }
        }
        self.arrive(inner)
    }

    fn errors(&mut self, inner: &Inner, hazards: &[Hazard], choices: &[Value]) {
        for hazard in hazards {
            let when = inner.when.and(&hazard.when);
            if !when.is_false() {
                let choices = [&inner.choices[..], choices].concat();
                let end = End::Error(hazard.error, hazard.span);
                self.ways.push(Way { path: inner.path.clone(), choices, when, end });
            }
        }
    }

    fn arrive(&mut self, mut inner: Inner) -> Result<(), Unsupported> {
        let program = &self.population.program;
        if inner.when.is_false() {
            return Ok(());
        }
        let point = inner.state.point.clone();
        let unsupported = |what| Unsupported { what, span: program.location(point.location).span };
        if self.ways.len() >= MAX_WAYS {
            return Err(unsupported("a step with so many branches"));
        }
        if !point.is_inside_step(program) {
            let Inner { state, when, path, choices, .. } = inner;
            self.ways.push(Way { path, choices, when, end: End::Rest(state) });
            return Ok(());
        }
        if inner.seen.contains(&point) {
            return Err(unsupported("a loop inside an atomic step"));
        }
        inner.seen.push(point);
        self.take_edges(&inner)
    }
}
