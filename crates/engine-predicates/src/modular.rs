//! The modular form of REACHENV as recursive Horn clauses: R_i speaks of the shared variables and of
//! thread i's locals in scope, E of the shared variables before and after a step.

use crate::chc::{Application, Chc, Clause, Encoding, Meaning, Relation, fix_control, identity, point_text};
use crate::proof::{is_shared, is_silent};
use crate::words::live;
use threadwise_ir::ThreadId;
use threadwise_logic::{Term, Var};
use threadwise_space::{ErrorCase, Owner, PointId, Space, Step};

/// The premises of the rule for modular assertions.
pub fn modular_clauses(space: &Space) -> Chc {
    let mut builder = Builder {
        space,
        shared: space.owned(Owner::Shared).collect(),
        chc: Chc { encoding: Encoding::Modular, relations: Vec::new(), clauses: Vec::new() },
        reach: Vec::new(),
    };
    builder.declare_reach();
    for thread in 0..space.threads.len() {
        builder.start(thread);
    }
    for thread in 0..space.threads.len() {
        for step in 0..space.threads[thread].steps.len() {
            builder.step(thread, step);
        }
    }
    for error in &space.errors {
        builder.error(error);
    }
    builder.chc
}

/// The shared variables whose values after a step are not given by the shared variables before it.
pub(crate) fn unforeseen(space: &Space, step: &Step) -> Vec<Var> {
    let foreseen = |value: &Term| value.variables().into_iter().all(|var| is_shared(space, var));
    let updates = step.updates.iter().filter(|(var, value)| is_shared(space, *var) && !foreseen(value));
    updates.map(|(var, _)| space.primed(*var)).collect()
}

struct Builder<'a> {
    space: &'a Space,
    shared: Vec<Var>,
    chc: Chc,
    /// For each thread and point the number of its relation.
    reach: Vec<Vec<usize>>,
}

impl Builder<'_> {
    fn relation(&mut self, name: String, args: Vec<Var>, meaning: Meaning) -> usize {
        self.chc.relations.push(Relation { name, args, meaning });
        self.chc.relations.len() - 1
    }

    fn clause(&mut self, body: Vec<Application>, constraint: Term, head: Option<Application>) {
        if !constraint.is_false() {
            self.chc.clauses.push(Clause { body, constraint, head });
        }
    }

    fn declare_reach(&mut self) {
        for (thread, own) in self.space.threads.iter().enumerate() {
            let points = (0..own.points.len() as u32).map(PointId);
            let relations = points.map(|point| {
                let live = live(self.space, ThreadId(thread as u32), point);
                let name = format!("R {}", point_text(self.space, thread, point));
                let args = self.shared.iter().copied().chain(live).collect();
                self.relation(name, args, Meaning::Reach(thread, point))
            });
            let relations = relations.collect();
            self.reach.push(relations);
        }
    }

    /// R_i at a point, of the variables themselves.
    fn reached(&self, thread: usize, point: PointId) -> Application {
        let relation = self.reach[thread][point.index()];
        Application { relation, args: identity(self.space, &self.chc.relations[relation].args) }
    }

    /// R_i at a point, with the values after something.
    fn reached_after(&self, thread: usize, point: PointId, after: &dyn Fn(Var) -> Term) -> Application {
        let relation = self.reach[thread][point.index()];
        Application { relation, args: self.chc.relations[relation].args.iter().map(|var| after(*var)).collect() }
    }

    /// CS1.
    fn start(&mut self, thread: usize) {
        for start in self.space.threads[thread].starts.clone() {
            let value = |var: Var| match start.values.iter().find(|(local, _)| *local == var) {
                Some((_, value)) if !is_shared(self.space, var) => value.clone(),
                _ => self.space.value(var),
            };
            let head = self.reached_after(thread, start.to, &value);
            self.clause(Vec::new(), self.space.initially.so_far.and(start.guard), Some(head));
        }
    }

    /// CS2, CS4 and CS3 for one step.
    fn step(&mut self, thread: usize, number: usize) {
        let space = self.space;
        let step = &space.threads[thread].steps[number];
        let before = self.reached(thread, step.from);
        let after = |var: Var| step.after(space, var).unwrap_or_else(|| space.value(space.primed(var)));
        let head = self.reached_after(thread, step.to, &after);
        self.clause(vec![before.clone()], step.guard.clone(), Some(head));
        if is_silent(space, step) {
            return;
        }
        let unforeseen = unforeseen(space, step);
        let args: Vec<Var> = self.shared.iter().copied().chain(unforeseen.iter().copied()).collect();
        let name = format!("E {} {number}", point_text(space, thread, step.from));
        let relation = self.relation(name, args.clone(), Meaning::Environment(thread, number));
        let value = |var: Var| match space.is_primed(var) {
            true => after(Var(var.0 - space.count() as u32)),
            false => space.value(var),
        };
        let environment = Application { relation, args: args.iter().map(|var| value(*var)).collect() };
        self.clause(vec![before], step.guard.clone(), Some(environment));
        let environment = Application { relation, args: identity(space, &args) };
        let seen = |var: Var| {
            if !is_shared(space, var) {
                space.value(var)
            } else if unforeseen.contains(&space.primed(var)) {
                space.value(space.primed(var))
            } else {
                after(var)
            }
        };
        for other in (0..space.threads.len()).filter(|other| *other != thread) {
            for point in (0..space.threads[other].points.len() as u32).map(PointId) {
                let body = vec![self.reached(other, point), environment.clone()];
                let head = self.reached_after(other, point, &seen);
                self.clause(body, Term::bool(true), Some(head));
            }
        }
    }

    /// CS5, for all combinations of points of the threads that the error speaks of.
    fn error(&mut self, error: &ErrorCase) {
        let mut threads: Vec<usize> = error.threads.iter().map(|thread| thread.index()).collect();
        if threads.is_empty() && !self.space.threads.is_empty() {
            threads.push(0);
        }
        self.error_at(&threads, &mut Vec::new(), error.formula.clone());
    }

    fn error_at(&mut self, threads: &[usize], points: &mut Vec<(usize, PointId)>, formula: Term) {
        if formula.is_false() {
            return;
        }
        let Some((&thread, rest)) = threads.split_first() else {
            let body = points.iter().map(|(thread, point)| self.reached(*thread, *point)).collect();
            return self.clause(body, formula, None);
        };
        for point in (0..self.space.threads[thread].points.len() as u32).map(PointId) {
            let fixed = fix_control(self.space, &formula, &[(thread, point)]);
            points.push((thread, point));
            self.error_at(rest, points, fixed);
            points.pop();
        }
    }
}
