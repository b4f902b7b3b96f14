//! Walks a thread's control-flow graph and collects its steps.
//!
//! This follows `ir`'s `step.rs` edge by edge, with terms in the place of words. Where that stops with
//! an error on some values, the condition for it becomes a [`StepFailure`] and the walk goes on with
//! the rest.

use crate::expr::Env;
use crate::space::{Owner, PointId, Space, Unsupported, VarSort, go_on};
use crate::step::{Start, Step, StepFailure};
use crate::sym::Sym;
use std::collections::VecDeque;
use threadwise_ir::{
    Access, Command, EdgeId, Expr, LocationId, Op, Path, Place, Point, RoutineId, Sort, ThreadId, Update,
    Value as Assigned, VarRef,
};
use threadwise_logic::{Term, Var};

/// More edges than this are not walked from one point.
const MAX_EDGES: usize = 1000;

/// Values and guards that become larger than this are not treated.
const MAX_SIZE: usize = 5000;

/// More points than this are not walked.
const MAX_POINTS: usize = 2000;

type Result<T> = std::result::Result<T, Unsupported>;

/// A state inside a step.
#[derive(Clone, Debug)]
struct Inner {
    shared: Vec<Sym>,
    frames: Vec<Vec<Sym>>,
    point: Point,
    guard: Term,
    choices: Vec<Var>,
    path: Path,
    access: Access,
}

/// Finds the points, steps and failures of a thread.
pub(crate) fn explore(space: &mut Space, thread: ThreadId) -> Result<()> {
    let body = space.instance.body(thread);
    let entry = space.instance.program.routine(body).entry;
    let defaults = defaults(space, body);
    let start = Inner {
        shared: space.shared.clone(),
        frames: vec![defaults],
        point: Point::at(entry),
        guard: Term::bool(true),
        choices: Vec::new(),
        path: Path::new(),
        access: Access::default(),
    };
    let mut walk = Walk { space, thread, from: None, queue: VecDeque::new(), arrived: Vec::new(), walked: 0 };
    walk.arrive(start)?;
    walk.run_on()?;
    let arrived = std::mem::take(&mut walk.arrived);
    for inner in arrived {
        let to = walk.point(&inner.point)?;
        let values = walk.values(&inner);
        walk.space.threads[thread.index()].starts.push(Start { to, guard: inner.guard, values });
    }
    let mut next = 0;
    while next < walk.space.threads[thread.index()].points.len() {
        walk.steps_from(PointId(next as u32))?;
        next += 1;
    }
    Ok(())
}

fn defaults(space: &Space, routine: RoutineId) -> Vec<Sym> {
    let locals = &space.instance.program.routine(routine).locals;
    locals.iter().map(|var| Sym::default(&space.instance, &var.sort)).collect()
}

struct Walk<'a> {
    space: &'a mut Space,
    thread: ThreadId,
    from: Option<PointId>,
    queue: VecDeque<Inner>,
    arrived: Vec<Inner>,
    walked: usize,
}

impl Walk<'_> {
    fn steps_from(&mut self, from: PointId) -> Result<()> {
        (self.from, self.walked) = (Some(from), 0);
        let own = &self.space.threads[self.thread.index()];
        let point = own.points[from.index()].clone();
        let frames = (0..=point.calls.len()).map(|depth| own.frames[&point.calls[..depth]].clone()).collect();
        let start = Inner {
            shared: self.space.shared.clone(),
            frames,
            point,
            guard: Term::bool(true),
            choices: Vec::new(),
            path: Path::new(),
            access: Access::default(),
        };
        self.take_edges(&start)?;
        self.run_on()?;
        for inner in std::mem::take(&mut self.arrived) {
            let to = self.point(&inner.point)?;
            let step = self.step(from, to, inner);
            self.space.threads[self.thread.index()].steps.push(step);
        }
        Ok(())
    }

    fn step(&self, from: PointId, to: PointId, inner: Inner) -> Step {
        let space = &*self.space;
        let values = self.values(&inner);
        let known = |var: &Var| values.iter().any(|(other, _)| other == var);
        let pc = space.threads[self.thread.index()].pc;
        let locals = space.owned(Owner::Thread(self.thread));
        let forgotten = locals.filter(|var| *var != pc && !known(var)).collect();
        let unchanged = |var: Var, value: &Term| *value == space.value(var);
        let updates = values.iter().filter(|(var, value)| !unchanged(*var, value)).cloned().collect();
        Step {
            thread: self.thread,
            from,
            to,
            guard: inner.guard,
            updates,
            choices: inner.choices,
            forgotten,
            path: inner.path,
            access: inner.access,
        }
    }

    /// The values of the shared variables and of the locals of the frames that there are.
    fn values(&self, inner: &Inner) -> Vec<(Var, Term)> {
        let own = &self.space.threads[self.thread.index()];
        let mut values = Vec::new();
        for (var, sym) in self.space.shared.iter().zip(&inner.shared) {
            pair(var, sym, &mut values);
        }
        for (depth, frame) in inner.frames.iter().enumerate() {
            for (var, sym) in own.frames[&inner.point.calls[..depth]].iter().zip(frame) {
                pair(var, sym, &mut values);
            }
        }
        values
    }

    /// The number of a point, which may be new.
    fn point(&mut self, point: &Point) -> Result<PointId> {
        let points = &mut self.space.threads[self.thread.index()].points;
        let index = match points.iter().position(|known| known == point) {
            Some(index) => index,
            None if points.len() >= MAX_POINTS => {
                return Err(Unsupported::new(format!("a thread has more than {MAX_POINTS} control points"), None));
            }
            None => {
                points.push(point.clone());
                points.len() - 1
            }
        };
        Ok(PointId(index as u32))
    }

    fn run_on(&mut self) -> Result<()> {
        while let Some(inner) = self.queue.pop_front() {
            self.take_edges(&inner)?;
        }
        Ok(())
    }

    fn take_edges(&mut self, state: &Inner) -> Result<()> {
        let program = self.space.instance.program.clone();
        for &id in &program.location(state.point.location).edges {
            self.walked += 1;
            go_on()?;
            let edge = program.edge(id);
            if self.walked > MAX_EDGES {
                let reason = "an atomic block has a loop, or too many paths";
                return Err(Unsupported::new(reason, edge.span));
            }
            let mut next = state.clone();
            next.path.push(id);
            next.access = next.access.union(self.space.instance.access_of_edge(id));
            match &edge.op {
                Op::Command(command) => self.command(command, edge.to, next)?,
                Op::Call { routine, args, .. } => self.call(id, *routine, args, next)?,
                Op::Return(value) => self.return_from(value.as_deref(), next)?,
            }
        }
        Ok(())
    }

    /// Control has arrived somewhere: either the step is over, or it runs on from there.
    fn arrive(&mut self, mut inner: Inner) -> Result<()> {
        if inner.guard.is_false() {
            return Ok(());
        }
        let values = inner.shared.iter().chain(inner.frames.iter().flatten());
        let sizes = values.map(|value| value.size(MAX_SIZE)).max().unwrap_or(0).max(inner.guard.size(MAX_SIZE));
        if sizes >= MAX_SIZE {
            let span = self.space.instance.program.location(inner.point.location).span;
            return Err(Unsupported::new("a step is too large when it is written out", span));
        }
        let program = self.space.instance.program.clone();
        let location = program.location(inner.point.location);
        let frame = inner.frames.last_mut().expect("there is a frame");
        for dead in location.dead.iter() {
            let sort = &program.routine(location.routine).locals[dead.index()].sort;
            frame[dead.index()] = Sym::default(&self.space.instance, sort);
        }
        if inner.point.is_inside_step(&program) {
            self.queue.push_back(inner)
        } else {
            self.arrived.push(inner)
        }
        Ok(())
    }

    /// Records that things go wrong where `fine` does not hold, and goes on where it does.
    fn require(&mut self, state: &mut Inner, fine: &Term) {
        let wrong = state.guard.and(fine.not());
        if !wrong.is_false() {
            let condition = Term::all(state.choices.iter().map(|choice| self.space.typed(*choice))).and(wrong);
            let own = &mut self.space.threads[self.thread.index()];
            match self.from {
                Some(from) => {
                    own.failures.push(StepFailure { thread: self.thread, from, condition, path: state.path.clone() });
                }
                None => own.start_fault = own.start_fault.or(condition),
            }
        }
        state.guard = state.guard.and(fine);
    }

    fn env<'s>(&'s self, state: &'s Inner) -> Env<'s> {
        let routine = self.space.instance.program.location(state.point.location).routine;
        let frame = state.frames.last().expect("there is a frame");
        Env::of_thread(self.space, routine, i64::from(self.thread.0) + 1, &state.shared, frame)
    }

    fn command(&mut self, command: &Command, to: LocationId, mut state: Inner) -> Result<()> {
        for assertion in &command.assertions {
            let (truth, defined) = self.env(&state).formula(&assertion.condition)?;
            self.require(&mut state, &defined.and(truth));
        }
        if let Some(guard) = &command.guard {
            let (truth, defined) = self.env(&state).formula(guard)?;
            self.require(&mut state, &defined);
            state.guard = state.guard.and(truth);
        }
        match &command.update {
            Update::Assign(assignments) => self.assign(assignments, &mut state)?,
            Update::Action { frame, formula, assertion } => {
                self.action(frame, formula, assertion.as_deref(), &mut state)?;
            }
        }
        state.point.location = to;
        self.arrive(state)
    }

    /// All right-hand sides and indices are evaluated first; free choices are stored last.
    fn assign(&mut self, assignments: &[(Place, Assigned)], state: &mut Inner) -> Result<()> {
        let mut fine = Term::bool(true);
        let (mut stores, mut choices) = (Vec::new(), Vec::new());
        for (place, assigned) in assignments {
            let keys = self.keys(place, state, &mut fine)?;
            match assigned {
                Assigned::Of(e) => {
                    let valued = self.env(state).eval(e)?;
                    let fits = valued.value.fits(&self.space.instance, &place.sort);
                    fine = fine.and(valued.defined).and(fits);
                    stores.push((place, keys, valued.value));
                }
                Assigned::Any => choices.push((place, keys)),
            }
        }
        self.require(state, &fine);
        for (place, keys, value) in stores {
            store(self.target(place.var, state), &keys, value);
        }
        for (place, keys) in choices {
            let value = self.choice(&place.sort, state)?;
            store(self.target(place.var, state), &keys, value);
        }
        Ok(())
    }

    /// For each index of a place, which of the keys it is.
    fn keys(&self, place: &Place, state: &Inner, fine: &mut Term) -> Result<Vec<Vec<Term>>> {
        let mut env = self.env(state);
        let mut sort = self.space.instance.sort_of(env.routine, place.var);
        let mut keys = Vec::new();
        for index in &place.indices {
            let Sort::Array(key, element) = sort else { unreachable!("only arrays are indexed") };
            let valued = env.eval(index)?;
            let count = self.space.instance.count(key);
            let (defined, conditions) = env.keys(key, valued.value, count);
            *fine = fine.and(valued.defined).and(defined);
            keys.push(conditions);
            sort = element;
        }
        Ok(keys)
    }

    fn target<'s>(&self, var: VarRef, state: &'s mut Inner) -> &'s mut Sym {
        match var {
            VarRef::Shared(id) => &mut state.shared[id.index()],
            VarRef::Local(id) => &mut state.frames.last_mut().expect("there is a frame")[id.index()],
        }
    }

    /// Any value of the sort, by new variables.
    fn choice(&mut self, sort: &Sort, state: &mut Inner) -> Result<Sym> {
        Ok(match sort {
            Sort::Set(element) => {
                let count = self.space.instance.count(element);
                let mut members = Vec::new();
                for _ in 0..count {
                    members.push(self.new_choice(VarSort::Bool, state));
                }
                Sym::Set(members)
            }
            Sort::Array(key, element) => {
                let count = self.space.instance.count(key);
                let mut elements = Vec::new();
                for _ in 0..count {
                    elements.push(self.choice(element, state)?);
                }
                Sym::Array(elements)
            }
            scalar => Sym::Scalar(self.new_choice(self.space.var_sort(scalar), state)),
        })
    }

    fn new_choice(&mut self, sort: VarSort, state: &mut Inner) -> Term {
        let var = Var(self.space.end());
        self.space.choices.push(sort);
        state.choices.push(var);
        self.space.value(var)
    }

    fn action(&mut self, frame: &[VarRef], formula: &Expr, assertion: Option<&Expr>, state: &mut Inner) -> Result<()> {
        let before = state.clone();
        for &var in frame {
            let routine = self.space.instance.program.location(state.point.location).routine;
            let sort = self.space.instance.sort_of(routine, var).clone();
            let value = self.choice(&sort, state)?;
            *self.target(var, state) = value;
        }
        let frame_after = state.frames.last().expect("there is a frame").clone();
        let shared_after = state.shared.clone();
        let mut env = self.env(&before);
        (env.shared_after, env.frame_after) = (&shared_after, &frame_after);
        let (truth, defined) = env.formula(formula)?;
        let asserted = assertion.map(|assertion| env.formula(assertion)).transpose()?;
        self.require(state, &defined);
        state.guard = state.guard.and(truth);
        if let Some((truth, defined)) = asserted {
            self.require(state, &defined.and(truth));
        }
        Ok(())
    }

    fn call(&mut self, id: EdgeId, routine: RoutineId, args: &[Expr], mut state: Inner) -> Result<()> {
        let program = self.space.instance.program.clone();
        let mut locals = defaults(self.space, routine);
        let mut fine = Term::bool(true);
        for (index, arg) in args.iter().enumerate() {
            let valued = self.env(&state).eval(arg)?;
            let sort = &program.routine(routine).locals[index].sort;
            fine = fine.and(valued.defined).and(valued.value.fits(&self.space.instance, sort));
            locals[index] = valued.value;
        }
        self.require(&mut state, &fine);
        state.frames.push(locals);
        state.point.calls.push(id);
        state.point.location = program.routine(routine).entry;
        self.arrive(state)
    }

    fn return_from(&mut self, value: Option<&Expr>, mut state: Inner) -> Result<()> {
        let program = self.space.instance.program.clone();
        let routine = program.location(state.point.location).routine;
        let result = program.routine(routine).result;
        let mut fine = Term::bool(true);
        let returned = match (value, result) {
            (Some(e), Some(result)) => {
                let valued = self.env(&state).eval(e)?;
                let sort = &program.routine(routine).locals[result.index()].sort;
                fine = valued.defined.and(valued.value.fits(&self.space.instance, sort));
                Some(valued.value)
            }
            (None, Some(result)) => Some(state.frames.last().expect("there is a frame")[result.index()].clone()),
            (_, None) => None,
        };
        self.require(&mut state, &fine);
        state.frames.pop();
        let call = state.point.calls.pop().expect("front ends end threads without a return");
        let edge = program.edge(call);
        state.point.location = edge.to;
        state.access = state.access.union(self.space.instance.access_of_result(call));
        if let (Op::Call { result: Some(place), .. }, Some(value)) = (&edge.op, returned) {
            let mut fine = value.fits(&self.space.instance, &place.sort);
            let keys = self.keys(place, &state, &mut fine)?;
            self.require(&mut state, &fine);
            store(self.target(place.var, &mut state), &keys, value);
        }
        self.arrive(state)
    }
}

/// Stores a value into the place that the keys lead to.
fn store(target: &mut Sym, keys: &[Vec<Term>], value: Sym) {
    let Some((first, rest)) = keys.split_first() else {
        *target = value;
        return;
    };
    let Sym::Array(elements) = target else { unreachable!("only arrays are indexed") };
    for (element, condition) in elements.iter_mut().zip(first) {
        if condition.is_false() {
            continue;
        }
        let mut stored = element.clone();
        store(&mut stored, rest, value.clone());
        *element = Sym::ite(condition, stored, element.clone());
    }
}

/// Pairs the variables of a symbolic variable with the scalars of a value.
fn pair(var: &Sym, value: &Sym, out: &mut Vec<(Var, Term)>) {
    let (mut vars, mut values) = (Vec::new(), Vec::new());
    var.scalars(&mut vars);
    value.scalars(&mut values);
    for (var, value) in vars.iter().zip(values) {
        out.push((var.as_var().expect("variables are variables"), value.clone()));
    }
}
