//! Where a walk goes on to, and that nothing goes wrong on the way.

use super::locks::Kind;
use super::walk::{Walk, Walker, conjuncts, is_nobody};
use crate::CheckError;
use threadwise_evidence::OrderedLock;
use threadwise_ir::{
    BinaryOp, Command, EdgeId, Expr, ExprKind, LocationId, Op, Place, RoutineId, Sort, Update, Value, VarRef,
};

/// More calls than these under way at once are not followed.
const DEEPEST: usize = 64;

/// What a write does to a lock.
enum Change {
    Takes(OrderedLock),
    GivesBack(OrderedLock),
}

/// Either something, or the step surely goes wrong, which another proof excludes.
type OrWrong<T> = Result<Option<T>, CheckError>;

impl Walker<'_> {
    pub(super) fn successors(&self, walk: &Walk) -> Result<Vec<Walk>, CheckError> {
        let mut all = Vec::new();
        for &edge in self.edge_ids(walk) {
            all.extend(self.taken(walk, edge)?);
        }
        Ok(all)
    }

    /// Where an edge leads.
    pub(super) fn taken(&self, walk: &Walk, id: EdgeId) -> OrWrong<Walk> {
        let edge = self.instance.program.edge(id);
        match &edge.op {
            Op::Command(command) => self.command(walk, command, edge.to),
            Op::Call { routine, args, result } => self.call(walk, id, *routine, args, result.as_deref()),
            Op::Return(value) => self.return_from(walk, value.as_deref()),
        }
    }

    /// Without another proof nothing may go wrong.
    fn may_go_wrong(&self, walk: &Walk, what: &str) -> Result<(), CheckError> {
        if self.proof.rest.is_some() { Ok(()) } else { Err(self.wrong(walk, what)) }
    }

    /// What is left of an expression that has a value of the sort.
    fn value(&self, walk: &Walk, e: &Expr, sort: &Sort) -> OrWrong<Expr> {
        match self.residual(walk, e) {
            Ok(rest) if !rest.can_fail() && rest.surely_fits(sort) => Ok(Some(rest)),
            Ok(rest) => {
                self.may_go_wrong(walk, "a value or an index may be out of range, or have no value")?;
                let is_out = matches!(rest.kind, ExprKind::Const(word) if !self.instance.contains(sort, word));
                Ok((!is_out).then_some(rest))
            }
            Err(_) => {
                self.may_go_wrong(walk, "an expression has no value")?;
                Ok(None)
            }
        }
    }

    fn command(&self, walk: &Walk, command: &Command, to: LocationId) -> OrWrong<Walk> {
        for assertion in &command.assertions {
            let Some(condition) = self.value(walk, &assertion.condition, &Sort::Bool)? else { return Ok(None) };
            match self.truth(walk, &condition) {
                Some(true) => {}
                holds => {
                    self.may_go_wrong(walk, "an assertion may fail")?;
                    if holds == Some(false) {
                        return Ok(None);
                    }
                }
            }
        }
        let mut next = walk.clone();
        if let Some(guard) = &command.guard {
            let Some(guard) = self.value(walk, guard, &Sort::Bool)? else { return Ok(None) };
            if self.truth(walk, &guard) == Some(false) {
                return Ok(None);
            }
            next.having.free.extend(conjuncts(&guard).into_iter().filter_map(|part| self.found_free(part)));
        }
        match &command.update {
            Update::Assign(assignments) => match self.assigned(next, assignments)? {
                Some(next) => Ok(Some(self.arriving(next, to))),
                None => Ok(None),
            },
            Update::Action { frame, formula, assertion } => {
                if formula.can_fail() || assertion.is_some() {
                    self.may_go_wrong(walk, "an action may go wrong")?;
                }
                for var in frame {
                    match *var {
                        VarRef::Shared(id) if self.locks.is_lock(id) => {
                            return Err(self.wrong(walk, "an action may change a lock"));
                        }
                        VarRef::Shared(_) => {}
                        VarRef::Local(local) => next.locals[local.index()] = None,
                    }
                }
                Ok(Some(self.arriving(next, to)))
            }
        }
    }

    fn assigned(&self, walk: Walk, assignments: &[(Place, Value)]) -> OrWrong<Walk> {
        let mut next = walk.clone();
        let mut changes = Vec::new();
        for (place, value) in assignments {
            let Some(keys) = self.keys(&walk, place)? else { return Ok(None) };
            let value = match value {
                Value::Any => None,
                Value::Of(e) => match self.value(&walk, e, &place.sort)? {
                    Some(value) => Some(value),
                    None => return Ok(None),
                },
            };
            match place.var {
                VarRef::Shared(id) if self.locks.is_lock(id) => {
                    changes.push(self.change(&walk, place, &keys, value.as_ref())?);
                }
                VarRef::Shared(_) => {}
                VarRef::Local(_) => self.store(&mut next, place, value.as_ref()),
            }
        }
        let mut changed = Vec::new();
        for change in changes {
            let (Change::Takes(lock) | Change::GivesBack(lock)) = &change;
            if changed.contains(lock) {
                return Err(self.wrong(&walk, "a lock is written twice at once"));
            }
            changed.push(lock.clone());
            self.apply(&walk, &mut next, change)?;
        }
        Ok(Some(next))
    }

    /// What is left of the indices of a place.
    fn keys(&self, walk: &Walk, place: &Place) -> OrWrong<Vec<Expr>> {
        let routine = self.instance.program.location(walk.location).routine;
        let mut sort = self.instance.sort_of(routine, place.var);
        let mut keys = Vec::new();
        for index in &place.indices {
            let Sort::Array(key, element) = sort else { return Err(self.wrong(walk, "this is no array")) };
            let Some(rest) = self.value(walk, index, key)? else { return Ok(None) };
            keys.push(rest);
            sort = element;
        }
        Ok(Some(keys))
    }

    fn store(&self, walk: &mut Walk, place: &Place, value: Option<&Expr>) {
        let VarRef::Local(local) = place.var else { return };
        let routine = self.instance.program.location(walk.location).routine;
        let word = value.and_then(|value| match value.kind {
            ExprKind::Const(word) => Some(word).filter(|&word| self.instance.contains(&place.sort, word)),
            _ => None,
        });
        let is_scalar = place.indices.is_empty() && !matches!(&*place.sort, Sort::Array(..) | Sort::Set(_));
        walk.locals[local.index()] = if is_scalar { self.kept(routine, local, word) } else { None };
    }

    fn change(&self, walk: &Walk, place: &Place, keys: &[Expr], value: Option<&Expr>) -> Result<Change, CheckError> {
        let VarRef::Shared(var) = place.var else { unreachable!("locks are shared") };
        let unclear = || self.wrong(walk, "a lock is neither taken nor given back");
        let (Some(value), false) = (value, matches!(&*place.sort, Sort::Array(..))) else { return Err(unclear()) };
        let mut sort = &self.instance.program.shared[var.index()].sort;
        let mut words = Vec::new();
        for key in keys {
            let Sort::Array(of, element) = sort else { return Err(unclear()) };
            let word = self.locks.key(of, key);
            words.push(word.ok_or_else(|| self.wrong(walk, "it is not known which lock is taken or given back"))?);
            sort = element;
        }
        let lock = OrderedLock { var, keys: words };
        match self.locks.kind(var) {
            Some(Kind::Owner) if self.is_me(value) => Ok(Change::Takes(lock)),
            Some(Kind::Owner) if is_nobody(value) => Ok(Change::GivesBack(lock)),
            Some(Kind::Flag) => match value.kind {
                ExprKind::Const(0) => Ok(Change::GivesBack(lock)),
                ExprKind::Const(_) => Ok(Change::Takes(lock)),
                _ => Err(unclear()),
            },
            Some(Kind::Readers) => match &value.kind {
                ExprKind::Binary(op, set, own)
                    if self.is_only_me(own) && self.locks.lock(set).as_ref() == Some(&lock) =>
                {
                    match op {
                        BinaryOp::Union => Ok(Change::Takes(lock)),
                        BinaryOp::Minus => Ok(Change::GivesBack(lock)),
                        _ => Err(unclear()),
                    }
                }
                _ => Err(unclear()),
            },
            _ => Err(unclear()),
        }
    }

    /// `{self}`
    fn is_only_me(&self, e: &Expr) -> bool {
        matches!(&e.kind, ExprKind::SetLiteral(elements) if matches!(&**elements, [one] if self.is_me(one)))
    }

    fn apply(&self, before: &Walk, next: &mut Walk, change: Change) -> Result<(), CheckError> {
        let of_one = |lock: &OrderedLock| self.locks.kind(lock.var) != Some(Kind::Readers);
        match change {
            Change::Takes(lock) => {
                if of_one(&lock) && (!before.having.free.contains(&lock) || before.having.held.contains(&lock)) {
                    return Err(self.wrong(before, "a lock is taken that may not be free"));
                }
                next.having.free.remove(&lock);
                next.having.held.insert(lock);
            }
            Change::GivesBack(lock) => {
                if !next.having.held.remove(&lock) {
                    return Err(self.wrong(before, "a lock is given back by a thread that may not have it"));
                }
                if of_one(&lock) {
                    next.having.free.insert(lock);
                }
            }
        }
        Ok(())
    }

    /// At a location of the running routine, where locals out of scope have their defaults.
    fn arriving(&self, mut walk: Walk, to: LocationId) -> Walk {
        walk.location = to;
        let location = self.instance.program.location(to);
        for &local in location.dead.iter() {
            let default = self.default_of(location.routine, local);
            walk.locals[local.index()] = self.kept(location.routine, local, default);
        }
        if !self.is_inside_step(&walk) {
            walk.having.free.clear();
        }
        walk
    }

    fn call(
        &self,
        walk: &Walk,
        id: EdgeId,
        routine: RoutineId,
        args: &[Expr],
        result: Option<&Place>,
    ) -> OrWrong<Walk> {
        if walk.callers.len() >= DEEPEST {
            return Err(self.wrong(walk, "calls are nested too deep"));
        }
        if matches!(result, Some(Place { var: VarRef::Shared(id), .. }) if self.locks.is_lock(*id)) {
            return Err(self.wrong(walk, "a lock gets the result of a call"));
        }
        let callers = walk.callers.iter().cloned().chain([(id, walk.locals.clone())]).collect();
        let mut next = self.entering(routine, callers, walk.having.clone());
        for ((arg, param), index) in args.iter().zip(&self.instance.program.routine(routine).locals).zip(0..) {
            let Some(value) = self.value(walk, arg, &param.sort)? else { return Ok(None) };
            let is_scalar = !matches!(param.sort, Sort::Array(..) | Sort::Set(_));
            let word = match value.kind {
                ExprKind::Const(word) if is_scalar => Some(word),
                _ => None,
            };
            next.locals[index as usize] = self.kept(routine, threadwise_ir::LocalId(index), word);
        }
        let entry = next.location;
        Ok(Some(self.arriving(next, entry)))
    }

    fn return_from(&self, walk: &Walk, value: Option<&Expr>) -> OrWrong<Walk> {
        let program = &self.instance.program;
        let routine = program.routine(program.location(walk.location).routine);
        let mut next = walk.clone();
        let Some((call, locals)) = next.callers.pop() else { return Err(self.wrong(walk, "nobody called")) };
        let Op::Call { result, .. } = &program.edge(call).op else { unreachable!("this is a call") };
        let own = routine.result.map(|local| {
            let var = &routine.locals[local.index()];
            (Expr::new(ExprKind::Read(VarRef::Local(local)), var.sort.clone(), var.span), &var.sort)
        });
        let mut returned = None;
        if let Some((own, sort)) = &own {
            let Some(value) = self.value(walk, value.unwrap_or(own), sort)? else { return Ok(None) };
            if let Some(place) = result
                && !value.surely_fits(&place.sort)
                && !own.surely_fits(&place.sort)
            {
                self.may_go_wrong(walk, "a result may be out of range")?;
            }
            returned = Some(value);
        }
        // The caller knows its own locals only.
        let returned = returned.filter(|value| matches!(value.kind, ExprKind::Const(_)));
        next.locals = locals;
        next.location = program.edge(call).from;
        if let Some(place) = result {
            if self.keys(&next, place)?.is_none() {
                return Ok(None);
            }
            self.store(&mut next, place, returned.as_ref());
        }
        Ok(Some(self.arriving(next, program.edge(call).to)))
    }
}
