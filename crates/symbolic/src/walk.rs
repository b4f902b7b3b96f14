//! Whole steps of a thread: an edge, and the run through transient locations behind it, so that an atomic block is one
//! step. What `ir::Instance::steps` lists for one store, this says for all stores at once, path by path.

use crate::edge::{Choose, take_edge};
use crate::{Layout, Population, ThreadState, Touch, Unsupported, Value, View};
use std::collections::VecDeque;
use threadwise_ir::{EdgeId, Op, Path, TemplateId};
use threadwise_logic::Term;

/// More edges than this are not walked in one step.
const MAX_EDGES: usize = 4096;

/// Values and conditions that are written out and become larger than this are not treated.
const MAX_SIZE: usize = 5000;

/// What has more edges, or makes larger terms, on its way through an atomic block.
const SO_LONG: &str = "an atomic step that is so long, or has a loop";

/// One way that a step can take.
#[derive(Clone, Debug)]
pub struct Way {
    /// The edges it takes.
    pub path: Path,
    /// What it chooses on the way.
    pub choices: Vec<Value>,
    /// The elements of arrays that it reads and writes, where a pattern of the program asks for elements.
    pub touched: Vec<Touch>,
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
    Error,
}

impl Way {
    /// The terms that it chooses.
    pub fn chosen(&self) -> Vec<Term> {
        self.choices.iter().flat_map(|choice| choice.0.iter().cloned()).collect()
    }
}

/// All ways that the next step of a thread can take.
pub fn ways(
    population: &Population,
    me: &Term,
    state: ThreadState,
    choose: &mut Choose<'_>,
) -> Result<Vec<Way>, Unsupported> {
    let mut walk = Walk::new(population, me, choose);
    walk.take_edges(&Inner::new(state))?;
    walk.run_on()
}

/// All ways in which a thread can start. Unobservable declarations at its start are done; they read
/// no shared variables.
pub fn starts(
    population: &Population,
    me: &Term,
    template: TemplateId,
    shared: &[Value],
    choose: &mut Choose<'_>,
) -> Result<Vec<Way>, Unsupported> {
    let state = ThreadState::first(population, population.program.template(template).body, shared.to_vec());
    let mut walk = Walk::new(population, me, choose);
    walk.arrive(Inner::new(state))?;
    walk.run_on()
}

/// A state inside a step.
#[derive(Clone)]
struct Inner {
    state: ThreadState,
    when: Term,
    path: Path,
    choices: Vec<Value>,
    touched: Vec<Touch>,
}

impl Inner {
    fn new(state: ThreadState) -> Inner {
        Inner { state, when: Term::bool(true), path: Path::new(), choices: Vec::new(), touched: Vec::new() }
    }
}

struct Walk<'a> {
    population: &'a Population,
    me: &'a Term,
    choose: &'a mut Choose<'a>,
    queue: VecDeque<Inner>,
    ways: Vec<Way>,
    walked: usize,
    /// Whether it is to be known which elements of arrays are read and written.
    of_elements: bool,
}

impl<'a> Walk<'a> {
    fn new(population: &'a Population, me: &'a Term, choose: &'a mut Choose<'a>) -> Walk<'a> {
        let mut signs = population.program.patterns().flat_map(|(_, pattern)| pattern.signs());
        let of_elements = signs.any(|sign| sign.region().depth > 0);
        Walk { population, me, choose, queue: VecDeque::new(), ways: Vec::new(), walked: 0, of_elements }
    }

    fn run_on(mut self) -> Result<Vec<Way>, Unsupported> {
        while let Some(inner) = self.queue.pop_front() {
            self.take_edges(&inner)?;
        }
        Ok(self.ways)
    }

    fn take_edges(&mut self, inner: &Inner) -> Result<(), Unsupported> {
        let program = &self.population.program;
        for &edge in &program.location(inner.state.point.location).edges {
            let span = program.edge(edge).span;
            self.walked += 1;
            if self.walked > MAX_EDGES {
                return Err(Unsupported::new(SO_LONG, span));
            }
            self.population.layout.go_on(span)?;
            let taken = take_edge(self.population, self.me, &inner.state, edge, self.choose)?;
            let mut path = inner.path.clone();
            path.push(edge);
            let choices = [&inner.choices[..], &taken.choices].concat();
            let touched = self.touched(inner, edge)?;
            for wrong in taken.hazards.of_parts() {
                let when = inner.when.and(wrong);
                if !when.is_false() {
                    let (path, choices, touched) = (path.clone(), choices.clone(), touched.clone());
                    self.ways.push(Way { path, choices, touched, when, end: End::Error });
                }
            }
            let when = inner.when.and(&taken.hazards.so_far);
            self.arrive(Inner { state: taken.after, when, path, choices, touched })?;
        }
        Ok(())
    }

    /// What has been touched when an edge has been taken. A return also touches the place of the result, which is
    /// found where the procedure was called.
    fn touched(&self, inner: &Inner, edge: EdgeId) -> Result<Vec<Touch>, Unsupported> {
        let mut touched = inner.touched.clone();
        if !self.of_elements {
            return Ok(touched);
        }
        let (program, state) = (&self.population.program, &inner.state);
        let view = |locals| View::of_thread(self.population, self.me, &state.shared, locals);
        let op = &program.edge(edge).op;
        view(state.locals()).touched_by(op, &mut touched)?;
        if let (Op::Return(_), Some(call), [.., caller, _]) = (op, state.point.calls.last(), &state.frames[..])
            && let Op::Call { result: Some(place), .. } = &program.edge(*call).op
        {
            view(caller).touch_place(place, &mut touched)?;
        }
        Ok(touched)
    }

    /// Control has arrived somewhere: either the step is over, or it runs on from there.
    fn arrive(&mut self, inner: Inner) -> Result<(), Unsupported> {
        if inner.when.is_false() {
            return Ok(());
        }
        let program = &self.population.program;
        if self.population.layout == Layout::Unrolled && inner.is_large() {
            let span = program.location(inner.state.point.location).span;
            let is_atomic = inner.path.len() > 1;
            let what = if is_atomic { SO_LONG } else { "a step that is so large when it is written out" };
            return Err(Unsupported::new(what, span));
        }
        if inner.state.point.is_inside_step(program) {
            self.queue.push_back(inner);
        } else {
            let Inner { state, when, path, choices, touched } = inner;
            self.ways.push(Way { path, choices, touched, when, end: End::Rest(state) });
        }
        Ok(())
    }
}

impl Inner {
    fn is_large(&self) -> bool {
        let mut values = self.state.shared.iter().chain(self.state.frames.iter().flatten());
        self.when.size(MAX_SIZE) >= MAX_SIZE || values.any(|value| value.size(MAX_SIZE) >= MAX_SIZE)
    }
}
