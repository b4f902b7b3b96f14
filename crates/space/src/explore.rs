//! Finds the points of a thread, and its steps from one to another.

use crate::space::{Owner, PointId, Space, VarSort};
use crate::step::{Start, Step, StepFailure};
use crate::variables::scalars;
use threadwise_ir::{EdgeId, Instance, Observations, Op, Point, Sort, ThreadId};
use threadwise_logic::{Term, Var};
use threadwise_symbolic::{End, ThreadState, Unsupported, Value, Way, starts, ways};

/// More points than this are not walked.
const MAX_POINTS: usize = 2000;

impl Space {
    /// Finds the points, steps and failures of a thread.
    pub(crate) fn explore(&mut self, thread: ThreadId) -> Result<(), Unsupported> {
        let (me, template) = (tid(thread), self.instance.threads[thread.index()].template);
        let mut choose = by_variables(&self.instance, 2 * self.vars.len(), &mut self.choices);
        let ways = starts(&self.population, &me, template, &self.shared, &mut choose)?;
        drop(choose);
        for way in ways {
            match &way.end {
                End::Rest(state) => {
                    let (to, values) = (self.point(thread, &state.point)?, self.values(thread, state));
                    self.threads[thread.index()].starts.push(Start { to, guard: way.when, values });
                }
                End::Error => {
                    let condition = self.goes_wrong(&way);
                    let own = &mut self.threads[thread.index()];
                    own.start_fault = own.start_fault.or(condition);
                }
            }
        }
        let mut next = 0;
        while next < self.threads[thread.index()].points.len() {
            self.steps_from(thread, PointId(next as u32))?;
            next += 1;
        }
        Ok(())
    }

    fn steps_from(&mut self, thread: ThreadId, from: PointId) -> Result<(), Unsupported> {
        let own = &self.threads[thread.index()];
        let point = own.points[from.index()].clone();
        let frames = (0..=point.calls.len()).map(|depth| own.frames[&point.calls[..depth]].clone()).collect();
        let state = ThreadState { point, shared: self.shared.clone(), frames };
        let mut choose = by_variables(&self.instance, 2 * self.vars.len(), &mut self.choices);
        let ways = ways(&self.population, &tid(thread), state, &mut choose)?;
        drop(choose);
        for way in ways {
            match &way.end {
                End::Rest(after) => {
                    let to = self.point(thread, &after.point)?;
                    let step = self.step(thread, from, to, &way, after);
                    self.threads[thread.index()].steps.push(step);
                }
                End::Error => {
                    let condition = self.goes_wrong(&way);
                    let failure = StepFailure { thread, from, condition, path: way.path };
                    self.threads[thread.index()].failures.push(failure);
                }
            }
        }
        Ok(())
    }

    fn step(&self, thread: ThreadId, from: PointId, to: PointId, way: &Way, after: &ThreadState) -> Step {
        let values = self.values(thread, after);
        let known = |var: &Var| values.iter().any(|(other, _)| other == var);
        let own = &self.threads[thread.index()];
        let locals = self.owned(Owner::Thread(thread));
        let forgotten = locals.filter(|var| *var != own.pc && !known(var)).collect();
        let updates = values.iter().filter(|(var, value)| *value != self.value(*var)).cloned().collect();
        let shown = shown(&self.instance, &own.points[from.index()], &way.path);
        let (guard, choices, path) = (way.when.clone(), chosen(way).collect(), way.path.clone());
        Step { thread, from, to, guard, updates, choices, forgotten, path, shown, touched: way.touched.clone() }
    }

    /// When a way into an error is taken, its choices being of their sorts.
    fn goes_wrong(&self, way: &Way) -> Term {
        let spoken_of = way.when.variables();
        let typed = chosen(way).filter(|choice| spoken_of.contains(choice)).map(|choice| self.typed(choice));
        Term::all(typed).and(&way.when)
    }

    /// The values of the shared variables and of the locals of the frames that there are.
    fn values(&self, thread: ThreadId, state: &ThreadState) -> Vec<(Var, Term)> {
        let own = &self.threads[thread.index()];
        let mut values: Vec<(Var, Term)> = pairs(&self.shared, &state.shared).collect();
        for (depth, frame) in state.frames.iter().enumerate() {
            values.extend(pairs(&own.frames[&state.point.calls[..depth]], frame));
        }
        values
    }

    /// The number of a point, which may be new.
    fn point(&mut self, thread: ThreadId, point: &Point) -> Result<PointId, Unsupported> {
        let points = &mut self.threads[thread.index()].points;
        let index = points.iter().position(|known| known == point).unwrap_or(points.len());
        if index >= MAX_POINTS {
            let span = self.instance.program.location(point.location).span;
            return Err(Unsupported::new("so many control points of a thread", span));
        }
        if index == points.len() {
            points.push(point.clone());
        }
        Ok(PointId(index as u32))
    }
}

fn tid(thread: ThreadId) -> Term {
    Term::int(i64::from(thread.0) + 1)
}

/// Chooses by variables, which are numbered from `first` on. Of what sorts their values are, is said by
/// [`Space::typed`].
fn by_variables<'a>(
    instance: &'a Instance,
    first: usize,
    choices: &'a mut Vec<VarSort>,
) -> impl FnMut(&Sort) -> (Value, Term) + 'a {
    move |sort| {
        let mut parts = Vec::new();
        scalars(instance, "", sort, 0, &mut parts).expect("there is a variable of the sort");
        let new = |sort: VarSort| {
            choices.push(sort);
            Term::var(Var((first + choices.len() - 1) as u32), sort.smt_sort())
        };
        let leaves = parts.iter().map(|scalar| scalar.var_sort(instance)).map(new).collect();
        (Value(leaves), Term::bool(true))
    }
}

fn chosen(way: &Way) -> impl Iterator<Item = Var> {
    way.choices.iter().flat_map(|choice| &choice.0).filter_map(Term::as_var)
}

/// Pairs the variables of values with the terms of others.
fn pairs(vars: &[Value], values: &[Value]) -> impl Iterator<Item = (Var, Term)> {
    let leaves = |values: &[Value]| values.iter().flat_map(|value| value.0.clone()).collect::<Vec<Term>>();
    let vars = leaves(vars).into_iter().map(|var| var.as_var().expect("variables are variables"));
    vars.zip(leaves(values))
}

/// What the edges of a path show to the patterns of properties.
fn shown(instance: &Instance, from: &Point, path: &[EdgeId]) -> Observations {
    let mut calls = from.calls.clone();
    let mut shown = Observations::default();
    for &id in path {
        shown.add_all(instance.shown_by_edge(id));
        match instance.program.edge(id).op {
            Op::Command(_) => {}
            Op::Call { .. } => calls.push(id),
            Op::Return(_) => shown.add_all(instance.shown_by_result(calls.pop().expect("a return is from a call"))),
        }
    }
    shown
}
