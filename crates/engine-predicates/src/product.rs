//! The general form of REACHENV as recursive Horn clauses. By THREADER's theorem 2 it loses nothing to
//! take the same assertion for all R_i, so there is one relation for each combination of control points,
//! and every clause has at most one relation before the arrow.

use crate::chc::{Application, Chc, Clause, Encoding, Meaning, Relation, fix_control, identity, point_text};
use crate::words::live;
use std::collections::BTreeMap;
use threadwise_ir::ThreadId;
use threadwise_logic::{Term, Var};
use threadwise_space::{Owner, PointId, Space};

/// Programs with more combinations of control points than this are not treated.
const MAX_COMBINATIONS: usize = 4000;

/// The premises of the rule for one assertion about all threads; `None` if there are too many
/// combinations of control points.
pub fn product_clauses(space: &Space) -> Option<Chc> {
    let chc = Chc { encoding: Encoding::Product, relations: Vec::new(), clauses: Vec::new() };
    let mut builder = Builder { space, chc, known: BTreeMap::new() };
    builder.start();
    let mut next = 0;
    while next < builder.chc.relations.len() {
        if builder.chc.relations.len() > MAX_COMBINATIONS {
            return None;
        }
        builder.steps_from(next);
        builder.errors_at(next);
        next += 1;
    }
    Some(builder.chc)
}

struct Builder<'a> {
    space: &'a Space,
    chc: Chc,
    known: BTreeMap<Vec<PointId>, usize>,
}

impl Builder<'_> {
    /// The relation of a combination of points, which may be new.
    fn relation(&mut self, points: &[PointId]) -> usize {
        if let Some(known) = self.known.get(points) {
            return *known;
        }
        let mut args: Vec<Var> = self.space.owned(Owner::Shared).collect();
        let mut names = Vec::new();
        for (thread, point) in points.iter().enumerate() {
            args.extend(live(self.space, ThreadId(thread as u32), *point));
            names.push(point_text(self.space, thread, *point));
        }
        let name = format!("R {}", names.join(" "));
        self.chc.relations.push(Relation { name, args, meaning: Meaning::Product(points.to_vec()) });
        self.known.insert(points.to_vec(), self.chc.relations.len() - 1);
        self.chc.relations.len() - 1
    }

    fn clause(&mut self, body: Vec<Application>, constraint: Term, head: Option<Application>) {
        if !constraint.is_false() {
            self.chc.clauses.push(Clause { body, constraint, head });
        }
    }

    fn start(&mut self) {
        let mut starts = vec![(Vec::<PointId>::new(), Vec::<(Var, Term)>::new(), self.space.initially.so_far.clone())];
        for thread in &self.space.threads {
            let mut longer = Vec::new();
            for (points, values, constraint) in &starts {
                for start in &thread.starts {
                    let points: Vec<PointId> = [&points[..], &[start.to]].concat();
                    let values: Vec<(Var, Term)> = [&values[..], &start.values].concat();
                    longer.push((points, values, constraint.and(&start.guard)));
                }
            }
            starts = longer;
        }
        for (points, values, constraint) in starts {
            let relation = self.relation(&points);
            let is_shared = |var: Var| crate::proof::is_shared(self.space, var);
            let value = |var: &Var| match values.iter().find(|(local, _)| local == var) {
                Some((_, value)) if !is_shared(*var) => value.clone(),
                _ => self.space.value(*var),
            };
            let args = self.chc.relations[relation].args.iter().map(value).collect();
            self.clause(Vec::new(), constraint, Some(Application { relation, args }));
        }
    }

    fn points(&self, relation: usize) -> Vec<PointId> {
        match &self.chc.relations[relation].meaning {
            Meaning::Product(points) => points.clone(),
            _ => unreachable!("all relations here are of combinations"),
        }
    }

    fn itself(&self, relation: usize) -> Application {
        Application { relation, args: identity(self.space, &self.chc.relations[relation].args) }
    }

    fn steps_from(&mut self, from: usize) {
        let space = self.space;
        let points = self.points(from);
        for (thread, own) in space.threads.iter().enumerate() {
            for step in own.steps.iter().filter(|step| step.from == points[thread]) {
                let mut after = points.clone();
                after[thread] = step.to;
                let relation = self.relation(&after);
                let value = |var: &Var| step.after(space, *var).unwrap_or_else(|| space.value(space.primed(*var)));
                let args = self.chc.relations[relation].args.iter().map(value).collect();
                let body = vec![self.itself(from)];
                self.clause(body, step.guard.clone(), Some(Application { relation, args }));
            }
        }
    }

    fn errors_at(&mut self, at: usize) {
        let points: Vec<(usize, PointId)> = self.points(at).into_iter().enumerate().collect();
        for error in &self.space.errors {
            let formula = fix_control(self.space, &error.formula, &points);
            let body = vec![self.itself(at)];
            self.clause(body, formula, None);
        }
    }
}
