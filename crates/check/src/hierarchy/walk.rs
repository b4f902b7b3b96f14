//! Where the walk of a thread can be, and for which locks the thread waits there.

use super::locks::{Having, Kind, Locks};
use crate::{CheckError, refuted};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use threadwise_evidence::{HierarchyProof, OrderedLock};
use threadwise_ir::{
    BinaryOp, Command, Edge, EdgeId, Expr, ExprKind, Instance, LocalId, LocationId, Op, RoutineId, Sort, TemplateId,
    ThreadId, UnaryOp, Update, VarRef, Wait,
};

/// A place of a walk.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Walk {
    pub(super) location: LocationId,
    /// Of each local of the running routine the value, if it is known.
    pub(super) locals: Vec<Option<i64>>,
    /// The calls under way, outermost first, each with the locals of who calls.
    pub(super) callers: Vec<(EdgeId, Vec<Option<i64>>)>,
    pub(super) having: Having,
}

pub(super) struct Walker<'a> {
    pub(super) instance: &'a Instance,
    pub(super) locks: &'a Locks<'a>,
    pub(super) proof: &'a HierarchyProof,
    pub(super) ranks: &'a FxHashMap<OrderedLock, usize>,
    pub(super) template: TemplateId,
    /// Who walks, where that is known.
    pub(super) me: Option<ThreadId>,
}

/// More points than these inside a step are not looked through for a way.
const MOST_POINTS: usize = 500;

impl<'a> Walker<'a> {
    pub(super) fn start(&self) -> Walk {
        let body = self.instance.program.template(self.template).body;
        self.entering(body, Vec::new(), Having::default())
    }

    /// At the entry of a routine, with defaults in its locals.
    pub(super) fn entering(
        &self,
        routine: RoutineId,
        callers: Vec<(EdgeId, Vec<Option<i64>>)>,
        having: Having,
    ) -> Walk {
        let locals = (0..self.instance.program.routine(routine).locals.len() as u32).map(LocalId);
        let locals = locals.map(|local| self.kept(routine, local, self.default_of(routine, local))).collect();
        Walk { location: self.instance.program.routine(routine).entry, locals, callers, having }
    }

    pub(super) fn default_of(&self, routine: RoutineId, local: LocalId) -> Option<i64> {
        let sort = &self.instance.program.routine(routine).locals[local.index()].sort;
        let mut words = vec![0; self.instance.words(sort)];
        self.instance.write_default(sort, &mut words);
        if matches!(sort, Sort::Array(..) | Sort::Set(_)) { None } else { words.first().copied() }
    }

    /// A value of a local, unless it is forgotten.
    pub(super) fn kept(&self, routine: RoutineId, local: LocalId, value: Option<i64>) -> Option<i64> {
        value.filter(|_| self.proof.forgotten.binary_search(&(routine, local)).is_err())
    }

    pub(super) fn is_inside_step(&self, walk: &Walk) -> bool {
        let program = &self.instance.program;
        let is_transient = |location: LocationId| program.location(location).transient;
        let calls_inside = |(call, _): &(EdgeId, Vec<Option<i64>>)| is_transient(program.edge(*call).from);
        is_transient(walk.location) || walk.callers.iter().any(calls_inside)
    }

    fn edges(&self, walk: &Walk) -> Vec<&'a Edge> {
        let program = &self.instance.program;
        program.location(walk.location).edges.iter().map(|&edge| program.edge(edge)).collect()
    }

    pub(super) fn edge_ids(&self, walk: &Walk) -> &'a [EdgeId] {
        &self.instance.program.location(walk.location).edges
    }

    pub(super) fn wrong(&self, walk: &Walk, what: &str) -> CheckError {
        let program = &self.instance.program;
        let place = program.source.locate(program.location(walk.location).span);
        refuted(format!("{what}, where `{}` is at {place}", program.template(self.template).name))
    }

    /// Points 1 and 2, at a place where the thread rests.
    pub(super) fn rests_well(&self, walk: &Walk) -> Result<(), CheckError> {
        let mut budget = MOST_POINTS;
        let Some(waits_for) = self.waits_for(walk, &mut budget)? else {
            let program = &self.instance.program;
            let location = program.location(walk.location);
            let has_ended = program.routine(location.routine).exit == walk.location;
            return match (has_ended || location.wait == Wait::IsMeant, walk.having.held.is_empty()) {
                (true, true) => Ok(()),
                (true, false) => Err(self.wrong(walk, "a thread ends, or may wait for ever, with a lock")),
                (false, _) => Err(self.wrong(walk, "a thread may wait for something other than a lock")),
            };
        };
        let rank = |lock: &OrderedLock| self.ranks.get(lock).copied();
        let comes_before = |held: &OrderedLock, lock: &OrderedLock| match (rank(held), rank(lock)) {
            (Some(first), Some(second)) => first < second,
            _ => false,
        };
        let all = |lock: &OrderedLock| walk.having.held.iter().all(|held| comes_before(held, lock));
        match waits_for.iter().all(all) {
            true => Ok(()),
            false => Err(self.wrong(walk, "a thread waits for a lock that comes before one that it has")),
        }
    }

    /// The locks on whose being free it depends whether the next step can be taken; nothing, if more may be needed.
    fn waits_for(&self, walk: &Walk, points: &mut usize) -> Result<Option<BTreeSet<OrderedLock>>, CheckError> {
        if *points == 0 {
            return Ok(None);
        }
        *points -= 1;
        let mut best: Option<BTreeSet<OrderedLock>> = None;
        let mut offer = |found: Option<BTreeSet<OrderedLock>>| {
            if let Some(found) = found
                && best.as_ref().is_none_or(|best| found.len() < best.len())
            {
                best = Some(found);
            }
        };
        let ids = self.edge_ids(walk);
        for &id in ids {
            let edge = self.instance.program.edge(id);
            let Some(mut needed) = self.needed(walk, edge) else { continue };
            let beyond = self.beyond(walk, id, &needed, points)?;
            offer(beyond.map(|more| {
                needed.extend(more);
                needed
            }));
        }
        for (yes, no) in self.opposites(walk) {
            let (yes, no) =
                (self.beyond(walk, yes, &BTreeSet::new(), points)?, self.beyond(walk, no, &BTreeSet::new(), points)?);
            offer(yes.zip(no).map(|(yes, no)| yes.union(&no).cloned().collect()));
        }
        Ok(best)
    }

    /// The locks that an edge finds free, if there is nothing else that it waits for.
    fn needed(&self, walk: &Walk, edge: &Edge) -> Option<BTreeSet<OrderedLock>> {
        let Op::Command(command) = &edge.op else { return Some(BTreeSet::new()) };
        if matches!(command.update, Update::Action { .. }) {
            return None;
        }
        let Some(guard) = &command.guard else { return Some(BTreeSet::new()) };
        let guard = self.residual(walk, guard).ok()?;
        let mut needed = BTreeSet::new();
        for part in conjuncts(&guard) {
            match (self.truth(walk, part), self.found_free(part)) {
                (Some(true), _) => {}
                (None, Some(lock)) => {
                    needed.insert(lock);
                }
                _ => return None,
            }
        }
        Some(needed)
    }

    /// What is needed further on in the same step, once an edge has been taken because these locks were free.
    fn beyond(
        &self,
        walk: &Walk,
        edge: EdgeId,
        free: &BTreeSet<OrderedLock>,
        points: &mut usize,
    ) -> Result<Option<BTreeSet<OrderedLock>>, CheckError> {
        let mut here = walk.clone();
        here.having.free.extend(free.iter().cloned());
        match self.taken(&here, edge)? {
            Some(next) if self.is_inside_step(&next) => self.waits_for(&next, points),
            _ => Ok(Some(BTreeSet::new())),
        }
    }

    /// Pairs of edges of which one can be taken whatever holds: their guards are a condition and its negation, and they
    /// do not wait for anything else.
    fn opposites(&self, walk: &Walk) -> Vec<(EdgeId, EdgeId)> {
        let guards: Vec<(EdgeId, &Expr)> =
            self.edge_ids(walk).iter().copied().zip(self.edges(walk)).filter_map(guarded).collect();
        let mut pairs = Vec::new();
        for (yes, condition) in &guards {
            let is_opposite =
                |other: &Expr| matches!(&other.kind, ExprKind::Unary(UnaryOp::Not, of) if **of == **condition);
            pairs.extend(guards.iter().filter(|(_, other)| is_opposite(other)).map(|(no, _)| (*yes, *no)));
        }
        pairs
    }

    /// An expression with what is known on the walk.
    pub(super) fn residual(&self, walk: &Walk, e: &Expr) -> Result<Expr, threadwise_ir::NoValue> {
        self.instance.residual(e, &|name| match &name.kind {
            ExprKind::SelfThread => self.me.map(|me| i64::from(me.0) + 1),
            ExprKind::Thread(template) => {
                let is_known = !self.instance.program.has_any_copies();
                is_known.then(|| self.instance.copies_of(*template).start as i64 + 1)
            }
            ExprKind::Read(VarRef::Local(local)) => walk.locals[local.index()],
            _ => {
                let element = self.locks.element(name)?;
                if !self.locks.is_lock(element.var) { self.locks.constant(&element) } else { None }
            }
        })
    }

    /// Whether a residual condition holds on the walk.
    pub(super) fn truth(&self, walk: &Walk, e: &Expr) -> Option<bool> {
        let of = |e: &Expr| self.truth(walk, e);
        match &e.kind {
            ExprKind::Const(word) => return Some(*word != 0),
            ExprKind::Unary(UnaryOp::Not, a) if self.found_free(e).is_none() => return of(a).map(|holds| !holds),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Implies), a, b) => {
                // Each is a disjunction, perhaps negated.
                let (negate_first, negate) = (*op != BinaryOp::Or, *op == BinaryOp::And);
                let (a, b) = (of(a).map(|x| x != negate_first), of(b).map(|x| x != negate));
                return match (a, b) {
                    (Some(true), _) | (_, Some(true)) => Some(!negate),
                    (Some(false), Some(false)) => Some(negate),
                    _ => None,
                };
            }
            _ => {}
        }
        let having = &walk.having;
        let is_free = |lock: OrderedLock| {
            let held = having.held.contains(&lock).then_some(false);
            held.or_else(|| having.free.contains(&lock).then_some(true))
        };
        if let Some(lock) = self.found_free(e) {
            return is_free(lock);
        }
        if let Some(lock) = self.found_taken(e) {
            return is_free(lock).map(|free| !free);
        }
        self.found_mine(e).map(|lock| having.held.contains(&lock))
    }

    /// The lock that a condition says to be free.
    pub(super) fn found_free(&self, e: &Expr) -> Option<OrderedLock> {
        match &e.kind {
            ExprKind::Binary(BinaryOp::Eq, a, b) if is_nobody(b) => self.locks.lock(a),
            ExprKind::Binary(BinaryOp::Eq, a, b) if is_nobody(a) => self.locks.lock(b),
            ExprKind::Unary(UnaryOp::Not, a) if *a.sort == Sort::Bool => self.locks.lock(a),
            _ => None,
        }
    }

    /// The lock that a condition says not to be free, and nothing else.
    fn found_taken(&self, e: &Expr) -> Option<OrderedLock> {
        match &e.kind {
            ExprKind::Binary(BinaryOp::Ne, a, b) if is_nobody(b) => self.locks.lock(a),
            ExprKind::Binary(BinaryOp::Ne, a, b) if is_nobody(a) => self.locks.lock(b),
            ExprKind::Read(_) | ExprKind::Index(..) if *e.sort == Sort::Bool => self.locks.lock(e),
            _ => None,
        }
    }

    /// The lock that a condition says to be one that this thread has.
    fn found_mine(&self, e: &Expr) -> Option<OrderedLock> {
        let (held, kind) = match &e.kind {
            ExprKind::Binary(BinaryOp::Eq, a, b) if self.is_me(b) => (self.locks.lock(a)?, Kind::Owner),
            ExprKind::Binary(BinaryOp::Eq, a, b) if self.is_me(a) => (self.locks.lock(b)?, Kind::Owner),
            ExprKind::Binary(BinaryOp::In, a, b) if self.is_me(a) => (self.locks.lock(b)?, Kind::Readers),
            _ => return None,
        };
        (self.locks.kind(held.var) == Some(kind)).then_some(held)
    }

    pub(super) fn is_me(&self, e: &Expr) -> bool {
        match e.kind {
            ExprKind::SelfThread => true,
            ExprKind::Const(word) => *e.sort == Sort::Tid && self.me.is_some_and(|me| i64::from(me.0) + 1 == word),
            _ => false,
        }
    }
}

/// An edge that waits for a condition and for nothing else.
fn guarded((id, edge): (EdgeId, &Edge)) -> Option<(EdgeId, &Expr)> {
    match &edge.op {
        Op::Command(Command { guard: Some(guard), update: Update::Assign(_), .. }) => Some((id, guard)),
        _ => None,
    }
}

/// `none`, 0, `false`, `{}`.
pub(super) fn is_nobody(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Const(word) => *word == 0,
        ExprKind::SetLiteral(elements) => elements.is_empty(),
        _ => false,
    }
}

/// The conditions of a conjunction.
pub(super) fn conjuncts(e: &Expr) -> Vec<&Expr> {
    match &e.kind {
        ExprKind::Binary(BinaryOp::And, a, b) => [conjuncts(a), conjuncts(b)].concat(),
        _ => vec![e],
    }
}
