//! One thread by itself: where it can be, which locks it has there, and for which it waits.

use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use threadwise_evidence::OrderedLock;
use threadwise_ir::{
    BinaryOp, Command, EdgeId, Env, Expr, ExprKind, Initial, Instance, LocalId, LocationId, Op, Place, RoutineId,
    SharedId, Sort, Template, TemplateId, ThreadId, UnaryOp, Update, Value, VarRef, Wait,
};
use threadwise_limits::{Budget, Limit};

/// A lock, by its variable and keys.
pub(super) type Name = OrderedLock;
type Names = BTreeSet<Name>;

/// What is found on the ways of threads.
#[derive(Default)]
pub(super) struct Found {
    /// For each lock those for which somebody waits who has it, with where that is and who it is, some of them.
    pub(super) before: BTreeMap<Name, BTreeMap<Name, Vec<(LocationId, Whose)>>>,
    /// Something other than waiting that may go wrong.
    pub(super) open: Option<String>,
    /// Somebody who may wait for ever for another reason.
    pub(super) doubt: Option<String>,
}

/// Whose ways they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Whose {
    Thread(ThreadId),
    /// Any copy of the template.
    Copy(TemplateId),
}

/// So many threads are remembered that wait for one lock with another one.
const MOST_WAITERS: usize = 8;

/// Why the ways of threads do not tell.
pub(super) enum Doubt {
    NoLock(SharedId),
    TooManyPlaces,
    Other(String),
}

/// The locals of a frame whose values are known.
type Known = BTreeMap<LocalId, i64>;

/// Where a thread can be.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Spot {
    at: LocationId,
    known: Known,
    callers: Vec<(EdgeId, Known)>,
    held: Names,
    /// Free for the rest of the step.
    free: Names,
}

/// Where an edge leads: nowhere, if its guard does not hold or if it surely goes wrong.
type Next = Result<Option<Spot>, Doubt>;

/// What a condition says of a lock.
enum Said {
    Free(Name),
    Taken(Name),
    Mine(Name),
}

pub(super) struct Follower<'a> {
    instance: &'a Instance,
    locks: &'a BTreeSet<SharedId>,
    forgotten: &'a BTreeSet<(RoutineId, LocalId)>,
    template: &'a Template,
    me: Option<i64>,
    whose: Whose,
    written: &'a BTreeSet<SharedId>,
    found: &'a mut Found,
}

/// So many points inside of a step are looked through, and so many calls are followed at once.
const MOST_INSIDE: usize = 500;
const MOST_CALLS: usize = 64;

impl<'a> Follower<'a> {
    pub(super) fn new(
        instance: &'a Instance,
        (locks, forgotten, written): (
            &'a BTreeSet<SharedId>,
            &'a BTreeSet<(RoutineId, LocalId)>,
            &'a BTreeSet<SharedId>,
        ),
        template: &'a Template,
        (me, whose): (Option<i64>, Whose),
        found: &'a mut Found,
    ) -> Follower<'a> {
        Follower { instance, locks, forgotten, template, me, whose, written, found }
    }

    /// Goes everywhere that the thread can go.
    pub(super) fn follow(&mut self, most: usize, budget: &Budget) -> Result<Result<(), Doubt>, Limit> {
        let body = self.template.body;
        let entry = self.instance.program.routine(body).entry;
        let start =
            Spot { at: entry, known: self.fresh(body), callers: Vec::new(), held: Names::new(), free: Names::new() };
        let mut seen = FxHashSet::from_iter([start.clone()]);
        let mut todo = vec![start];
        while let Some(spot) = todo.pop() {
            budget.check()?;
            if seen.len() > most {
                return Ok(Err(Doubt::TooManyPlaces));
            }
            if !self.inside(&spot)
                && let Err(doubt) = self.look_at_waiting(&spot)
            {
                return Ok(Err(doubt));
            }
            for &edge in &self.instance.program.location(spot.at).edges {
                match self.go(&spot, edge) {
                    Ok(Some(next)) if seen.insert(next.clone()) => todo.push(next),
                    Ok(_) => {}
                    Err(doubt) => return Ok(Err(doubt)),
                }
            }
        }
        Ok(Ok(()))
    }

    /// The locals of a routine that has been entered, at their defaults.
    fn fresh(&self, routine: RoutineId) -> Known {
        let locals = self.instance.program.routine(routine).locals.iter().zip((0..).map(LocalId));
        let mut known = Known::new();
        for (var, local) in locals {
            let mut words = vec![0; self.instance.words(&var.sort)];
            self.instance.write_default(&var.sort, &mut words);
            if let (true, [word]) = (is_scalar(&var.sort), &words[..]) {
                self.learn(&mut known, routine, local, Some(*word));
            }
        }
        known
    }

    fn learn(&self, known: &mut Known, routine: RoutineId, local: LocalId, word: Option<i64>) {
        match word.filter(|_| !self.forgotten.contains(&(routine, local))) {
            Some(word) => known.insert(local, word),
            None => known.remove(&local),
        };
    }

    fn inside(&self, spot: &Spot) -> bool {
        let program = &self.instance.program;
        let calls = spot.callers.iter().map(|(call, _)| program.edge(*call).from);
        calls.chain([spot.at]).any(|at| program.location(at).transient)
    }

    fn doubt(&self, spot: &Spot, what: &str) -> Doubt {
        let program = &self.instance.program;
        let place = program.source.locate(program.location(spot.at).span);
        Doubt::Other(format!("{what}: `{}` at {place}", self.template.name))
    }

    /// Whoever waits for a lock has only such that come before it.
    fn look_at_waiting(&mut self, spot: &Spot) -> Result<(), Doubt> {
        let mut left = MOST_INSIDE;
        if let Some(waits) = self.needs(spot, &mut left)? {
            for held in &spot.held {
                let later = self.found.before.entry(held.clone()).or_default();
                for lock in &waits {
                    let there = later.entry(lock.clone()).or_default();
                    if there.len() < MOST_WAITERS && !there.contains(&(spot.at, self.whose)) {
                        there.push((spot.at, self.whose));
                    }
                }
            }
            return Ok(());
        }
        let program = &self.instance.program;
        let location = program.location(spot.at);
        let may_rest = location.wait == Wait::IsMeant || program.routine(location.routine).exit == spot.at;
        let what = match (may_rest, spot.held.is_empty()) {
            (true, true) => return Ok(()),
            (true, false) => "a thread ends, or may wait for ever, and has a lock",
            (false, _) => "a thread waits for something other than a lock that it has not",
        };
        // There may be a cycle of locks all the same.
        if let (None, Doubt::Other(why)) = (&self.found.doubt, self.doubt(spot, what)) {
            self.found.doubt = Some(why);
        }
        Ok(())
    }

    /// The fewest locks that must be free for the step to be possible, if that is all it takes.
    fn needs(&mut self, spot: &Spot, left: &mut usize) -> Result<Option<Names>, Doubt> {
        if *left == 0 {
            return Ok(None);
        }
        *left -= 1;
        let program = self.instance.program.clone();
        let edges = &program.location(spot.at).edges;
        let mut ways: Vec<Option<Names>> = Vec::new();
        for &edge in edges {
            if let Some(first) = self.wanted(spot, edge) {
                let then = self.needs_after(spot, edge, &first, left)?;
                ways.push(then.map(|then| &first | &then));
            }
        }
        let guard = |edge: EdgeId| match &program.edge(edge).op {
            Op::Command(Command { guard: Some(guard), update: Update::Assign(_), .. }) => Some(&**guard),
            _ => None,
        };
        for &yes in edges {
            for &no in edges {
                let (Some(holds), Some(not)) = (guard(yes), guard(no)) else { continue };
                if matches!(&not.kind, ExprKind::Unary(UnaryOp::Not, of) if **of == *holds) {
                    let first = self.needs_after(spot, yes, &Names::new(), left)?;
                    let second = self.needs_after(spot, no, &Names::new(), left)?;
                    ways.push(first.zip(second).map(|(first, second)| &first | &second));
                }
            }
        }
        Ok(ways.into_iter().flatten().min_by_key(Names::len))
    }

    /// The locks that an edge waits for, if it waits for nothing else.
    fn wanted(&self, spot: &Spot, edge: EdgeId) -> Option<Names> {
        let Op::Command(Command { guard, update, .. }) = &self.instance.program.edge(edge).op else {
            return Some(Names::new());
        };
        if matches!(update, Update::Action { .. }) {
            return None;
        }
        let Some(guard) = guard else { return Some(Names::new()) };
        let guard = self.rest(spot, guard).ok()?;
        let mut all = Names::new();
        for part in parts(&guard) {
            match (self.holds(spot, part), self.said(part)) {
                (Some(true), _) => {}
                (None, Some(Said::Free(lock))) => {
                    all.insert(lock);
                }
                _ => return None,
            }
        }
        Some(all)
    }

    fn needs_after(
        &mut self,
        spot: &Spot,
        edge: EdgeId,
        free: &Names,
        left: &mut usize,
    ) -> Result<Option<Names>, Doubt> {
        let spot = Spot { free: &spot.free | free, ..spot.clone() };
        match self.go(&spot, edge)? {
            Some(next) if self.inside(&next) => self.needs(&next, left),
            _ => Ok(Some(Names::new())),
        }
    }

    /// Follows an edge.
    fn go(&mut self, spot: &Spot, edge: EdgeId) -> Next {
        let program = self.instance.program.clone();
        let (op, to) = (&program.edge(edge).op, program.edge(edge).to);
        match op {
            Op::Command(command) => self.command(spot, command, to),
            Op::Call { routine, args, result } => {
                let stores = result.as_deref().and_then(|place| self.lock_var(place));
                if let Some(lock) = stores {
                    return Err(Doubt::NoLock(lock));
                }
                if spot.callers.len() >= MOST_CALLS {
                    return Err(self.doubt(spot, "calls are nested too deep"));
                }
                let mut known = self.fresh(*routine);
                for ((arg, param), local) in args.iter().zip(&program.routine(*routine).locals).zip((0..).map(LocalId))
                {
                    let Some(value) = self.valued(spot, arg, &param.sort)? else { return Ok(None) };
                    let word = constant(&value).filter(|_| is_scalar(&param.sort));
                    self.learn(&mut known, *routine, local, word);
                }
                let mut next = spot.clone();
                next.callers.push((edge, std::mem::replace(&mut next.known, known)));
                Ok(Some(self.arrive(next, program.routine(*routine).entry)))
            }
            Op::Return(value) => self.come_back(spot, value.as_deref()),
        }
    }

    /// Something other than waiting may go wrong.
    fn open(&mut self, spot: &Spot, what: &str) {
        let program = &self.instance.program;
        let place = || program.source.locate(program.location(spot.at).span);
        self.found.open.get_or_insert_with(|| format!("{what} at {}", place()));
    }

    /// What is left of an expression; nothing, if it surely goes wrong.
    fn valued(&mut self, spot: &Spot, e: &Expr, sort: &Sort) -> Result<Option<Expr>, Doubt> {
        let Ok(rest) = self.rest(spot, e) else {
            self.open(spot, "that an expression has a value");
            return Ok(None);
        };
        if rest.can_fail() || !rest.surely_fits(sort) {
            self.open(spot, "that values and indices are in range");
            if constant(&rest).is_some_and(|word| !self.instance.contains(sort, word)) {
                return Ok(None);
            }
        }
        Ok(Some(rest))
    }

    fn command(&mut self, spot: &Spot, command: &Command, to: LocationId) -> Next {
        for assertion in &command.assertions {
            let Some(condition) = self.valued(spot, &assertion.condition, &Sort::Bool)? else { return Ok(None) };
            let holds = self.holds(spot, &condition);
            if holds != Some(true) {
                self.open(spot, "the assertion");
            }
            if holds == Some(false) {
                return Ok(None);
            }
        }
        let mut next = spot.clone();
        if let Some(guard) = &command.guard {
            let Some(guard) = self.valued(spot, guard, &Sort::Bool)? else { return Ok(None) };
            if self.holds(spot, &guard) == Some(false) {
                return Ok(None);
            }
            for part in parts(&guard) {
                if let Some(Said::Free(lock)) = self.said(part) {
                    next.free.insert(lock);
                }
            }
        }
        match &command.update {
            Update::Assign(assignments) => {
                let (mut after, mut written) = (next.clone(), Names::new());
                for (place, value) in assignments {
                    let Some(keys) = self.keys(&next, place)? else { return Ok(None) };
                    let value = match value {
                        Value::Any => None,
                        Value::Of(e) => {
                            let Some(value) = self.valued(&next, e, &place.sort)? else { return Ok(None) };
                            Some(value)
                        }
                    };
                    if let Some(var) = self.lock_var(place) {
                        let lock = self.named(var, &keys).ok_or(Doubt::NoLock(var))?;
                        let is_new = written.insert(lock.clone());
                        let done = value.filter(|_| is_new).is_some_and(|e| self.change(&next, &mut after, lock, &e));
                        if !done {
                            return Err(Doubt::NoLock(var));
                        }
                    } else {
                        self.store(&mut after, place, value.as_ref());
                    }
                }
                Ok(Some(self.arrive(after, to)))
            }
            Update::Action { frame, formula, assertion } => {
                if formula.can_fail() || assertion.is_some() {
                    self.open(spot, "the action");
                }
                for var in frame {
                    match var {
                        VarRef::Shared(id) if self.locks.contains(id) => return Err(Doubt::NoLock(*id)),
                        VarRef::Shared(_) => {}
                        VarRef::Local(local) => {
                            next.known.remove(local);
                        }
                    }
                }
                Ok(Some(self.arrive(next, to)))
            }
        }
    }

    /// Takes a lock or gives it back; whether the step does either.
    fn change(&self, before: &Spot, after: &mut Spot, lock: Name, value: &Expr) -> bool {
        let is_set = matches!(leaf(self.instance, lock.var), Sort::Set(_));
        let is_zero = constant(value) == Some(0);
        let (takes, gives) = match (leaf(self.instance, lock.var), &value.kind) {
            (Sort::Tid, _) => (self.is_me(value), is_zero),
            (Sort::Set(_), ExprKind::Binary(op, set, own)) => {
                let only_me =
                    matches!(&own.kind, ExprKind::SetLiteral(all) if matches!(&**all, [one] if self.is_me(one)));
                let same = only_me && self.name(set).as_ref() == Some(&lock);
                (same && *op == BinaryOp::Union, same && *op == BinaryOp::Minus)
            }
            (Sort::Set(_), _) => (false, false),
            _ => (constant(value).is_some() && !is_zero, is_zero),
        };
        if takes && (is_set || before.free.contains(&lock) && !before.held.contains(&lock)) {
            after.free.remove(&lock);
            after.held.insert(lock);
            return true;
        }
        let given = gives && after.held.remove(&lock);
        if given && !is_set {
            after.free.insert(lock);
        }
        given
    }

    fn lock_var(&self, place: &Place) -> Option<SharedId> {
        match place.var {
            VarRef::Shared(id) if self.locks.contains(&id) => Some(id),
            _ => None,
        }
    }

    fn keys(&mut self, spot: &Spot, place: &Place) -> Result<Option<Vec<Expr>>, Doubt> {
        let instance = self.instance;
        let mut sort = instance.sort_of(instance.program.location(spot.at).routine, place.var);
        let mut keys = Vec::new();
        for index in &place.indices {
            let Sort::Array(key, element) = sort else { break };
            let Some(rest) = self.valued(spot, index, key)? else { return Ok(None) };
            keys.push(rest);
            sort = element;
        }
        Ok(Some(keys))
    }

    /// The lock of an array that these keys name.
    fn named(&self, var: SharedId, keys: &[Expr]) -> Option<Name> {
        let mut sort = &self.instance.program.shared[var.index()].sort;
        let mut words = Vec::new();
        for key in keys {
            let Sort::Array(of, element) = sort else { return None };
            words.push(self.key(of, key)?);
            sort = element;
        }
        (!matches!(sort, Sort::Array(..))).then_some(OrderedLock { var, keys: words })
    }

    fn key(&self, sort: &Sort, key: &Expr) -> Option<i64> {
        let many = sort.mentions_tid() && self.instance.program.has_any_copies();
        constant(key).filter(|&word| !many && *sort != Sort::Int && self.instance.contains(sort, word))
    }

    /// The shared variable or element that an expression reads.
    fn name(&self, e: &Expr) -> Option<Name> {
        let (mut root, mut keys) = (e, Vec::new());
        while let ExprKind::Index(array, key) = &root.kind {
            keys.push((**key).clone());
            root = array;
        }
        keys.reverse();
        match root.kind {
            ExprKind::Read(VarRef::Shared(var)) => self.named(var, &keys),
            _ => None,
        }
    }

    fn lock(&self, e: &Expr) -> Option<Name> {
        self.name(e).filter(|name| self.locks.contains(&name.var))
    }

    fn store(&self, spot: &mut Spot, place: &Place, value: Option<&Expr>) {
        let VarRef::Local(local) = place.var else { return };
        let word = value.and_then(constant).filter(|&word| self.instance.contains(&place.sort, word));
        let routine = self.instance.program.location(spot.at).routine;
        let whole = place.indices.is_empty() && is_scalar(&place.sort);
        let mut known = std::mem::take(&mut spot.known);
        self.learn(&mut known, routine, local, word.filter(|_| whole));
        spot.known = known;
    }

    fn arrive(&self, mut spot: Spot, at: LocationId) -> Spot {
        spot.at = at;
        let location = self.instance.program.location(at);
        if !location.dead.is_empty() {
            let fresh = self.fresh(location.routine);
            for local in location.dead.iter() {
                self.learn(&mut spot.known, location.routine, *local, fresh.get(local).copied());
            }
        }
        if !self.inside(&spot) {
            spot.free.clear();
        }
        spot
    }

    fn come_back(&mut self, spot: &Spot, value: Option<&Expr>) -> Next {
        let program = self.instance.program.clone();
        let routine = program.routine(program.location(spot.at).routine);
        let mut next = spot.clone();
        let Some((call, known)) = next.callers.pop() else { return Err(self.doubt(spot, "nobody called")) };
        let Op::Call { result, .. } = &program.edge(call).op else { return Err(self.doubt(spot, "nobody called")) };
        let mut word = None;
        if let Some(local) = routine.result {
            let var = &routine.locals[local.index()];
            let own = Expr::new(ExprKind::Read(VarRef::Local(local)), var.sort.clone(), var.span);
            let Some(value) = self.valued(spot, value.unwrap_or(&own), &var.sort)? else { return Ok(None) };
            let fits = |place: &Place| value.surely_fits(&place.sort) || own.surely_fits(&place.sort);
            if result.as_deref().is_some_and(|place| !fits(place)) {
                self.open(spot, "that a result is in range");
            }
            word = Some(value).filter(|value| constant(value).is_some());
        }
        (next.known, next.at) = (known, program.edge(call).from);
        if let Some(place) = result {
            if self.keys(&next, place)?.is_none() {
                return Ok(None);
            }
            self.store(&mut next, place, word.as_ref());
        }
        Ok(Some(self.arrive(next, program.edge(call).to)))
    }

    /// What is left of an expression here.
    fn rest(&self, spot: &Spot, e: &Expr) -> Result<Expr, threadwise_ir::NoValue> {
        let fixed = !self.instance.program.has_any_copies();
        self.instance.residual(e, &|name| match &name.kind {
            ExprKind::SelfThread => self.me,
            ExprKind::Thread(template) => fixed.then(|| self.instance.copies_of(*template).start as i64 + 1),
            ExprKind::Read(VarRef::Local(local)) => spot.known.get(local).copied(),
            _ => self.name(name).and_then(|name| self.for_good(&name)),
        })
    }

    /// The value of what nobody writes.
    fn for_good(&self, name: &Name) -> Option<i64> {
        let (instance, program) = (self.instance, &self.instance.program);
        let var = &program.shared[name.var.index()];
        let Initial::Value(e) = &var.init else { return None };
        let depends = e.any(&|part| matches!(part.kind, ExprKind::Read(_)));
        let varies = self.written.contains(&name.var) || !program.init.is_empty() || program.has_any_copies();
        if depends || varies || self.locks.contains(&name.var) {
            return None;
        }
        let words = Env::of_thread(instance, RoutineId(0), 0, &[], &[]).words(e).ok()?;
        let (mut sort, mut at) = (&var.sort, 0);
        for &key in &name.keys {
            let Sort::Array(of, element) = sort else { return None };
            at += instance.rank(of, key)? * instance.words(element);
            sort = element;
        }
        words.get(at).copied().filter(|&word| is_scalar(sort) && instance.contains(sort, word))
    }

    /// Whether a condition holds here.
    fn holds(&self, spot: &Spot, e: &Expr) -> Option<bool> {
        if let Some(word) = constant(e) {
            return Some(word != 0);
        }
        if let Some(said) = self.said(e) {
            let (Said::Free(lock) | Said::Taken(lock) | Said::Mine(lock)) = &said;
            let (held, free) = (spot.held.contains(lock), spot.free.contains(lock));
            return match said {
                Said::Free(_) => (held || free).then_some(!held),
                Said::Taken(_) => (held || free).then_some(held),
                Said::Mine(_) => Some(held),
            };
        }
        match &e.kind {
            ExprKind::Unary(UnaryOp::Not, a) => self.holds(spot, a).map(|holds| !holds),
            ExprKind::Binary(BinaryOp::And, a, b) => match (self.holds(spot, a), self.holds(spot, b)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            ExprKind::Binary(BinaryOp::Or, a, b) => match (self.holds(spot, a), self.holds(spot, b)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            ExprKind::Binary(BinaryOp::Implies, a, b) => match (self.holds(spot, a), self.holds(spot, b)) {
                (Some(false), _) | (_, Some(true)) => Some(true),
                (Some(true), Some(false)) => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    /// What a condition says of a lock, if that is all it says.
    fn said(&self, e: &Expr) -> Option<Said> {
        match &e.kind {
            ExprKind::Binary(BinaryOp::Eq, a, b) => {
                let (lock, value) = self.lock(a).map(|lock| (lock, b)).or_else(|| Some((self.lock(b)?, a)))?;
                if is_nobody(value) {
                    return Some(Said::Free(lock));
                }
                let of_threads = matches!(leaf(self.instance, lock.var), Sort::Tid);
                (of_threads && self.is_me(value)).then_some(Said::Mine(lock))
            }
            ExprKind::Binary(BinaryOp::Ne, a, b) => {
                let (lock, value) = self.lock(a).map(|lock| (lock, b)).or_else(|| Some((self.lock(b)?, a)))?;
                is_nobody(value).then_some(Said::Taken(lock))
            }
            ExprKind::Binary(BinaryOp::In, a, b) if self.is_me(a) => {
                let lock = self.lock(b)?;
                matches!(leaf(self.instance, lock.var), Sort::Set(_)).then_some(Said::Mine(lock))
            }
            ExprKind::Unary(UnaryOp::Not, a) if *a.sort == Sort::Bool => self.lock(a).map(Said::Free),
            ExprKind::Read(_) | ExprKind::Index(..) if *e.sort == Sort::Bool => self.lock(e).map(Said::Taken),
            _ => None,
        }
    }

    fn is_me(&self, e: &Expr) -> bool {
        matches!(e.kind, ExprKind::SelfThread) || *e.sort == Sort::Tid && self.me.is_some() && constant(e) == self.me
    }
}

/// A lock in the program's words.
pub(super) fn show(instance: &Instance, name: &Name) -> String {
    let var = &instance.program.shared[name.var.index()];
    let mut sort = &var.sort;
    let mut shown = var.name.to_string();
    for &key in &name.keys {
        let Sort::Array(of, element) = sort else { break };
        shown += &format!("[{}]", threadwise_evidence::scalar_name(instance, of, key));
        sort = element;
    }
    shown
}

fn leaf(instance: &Instance, var: SharedId) -> &Sort {
    let mut sort = &instance.program.shared[var.index()].sort;
    while let Sort::Array(_, element) = sort {
        sort = element;
    }
    sort
}

fn is_scalar(sort: &Sort) -> bool {
    !matches!(sort, Sort::Array(..) | Sort::Set(_))
}

fn constant(e: &Expr) -> Option<i64> {
    match e.kind {
        ExprKind::Const(word) => Some(word),
        _ => None,
    }
}

/// `none`, 0, `false`, `{}`.
fn is_nobody(e: &Expr) -> bool {
    constant(e) == Some(0) || matches!(&e.kind, ExprKind::SetLiteral(elements) if elements.is_empty())
}

/// The conditions of a conjunction.
fn parts(e: &Expr) -> Vec<&Expr> {
    match &e.kind {
        ExprKind::Binary(BinaryOp::And, a, b) => [parts(a), parts(b)].concat(),
        _ => vec![e],
    }
}
