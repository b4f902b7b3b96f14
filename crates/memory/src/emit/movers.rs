//! Which edges commute with what other threads do (Lipton 1975; Flanagan and Qadeer 2003).
//!
//! # Variables
//!
//! A variable is *calm* if no two threads can be about to access it at the same time, one of them to store: to access it
//! commutes with every step of the others. Accesses by the main thread where nobody else runs who accesses the variable at
//! all do not count: threads come and go by creations and joins, which nothing is moved across. Of the others it must be true
//! that they are all by one thread, or that none of them stores, or that all of them hold the same mutex.
//!
//! # Mutexes
//!
//! A mutex is *plain* if it is only ever taken where it is free, given back by who holds it, and looked at in ways that
//! others cannot change: whether the thread itself holds it. To take it can be moved behind the steps of others, to
//! give it back before them. A failing `trylock` sees that somebody else holds a mutex, so that such mutexes are not plain.
//! Who ends because it destroys a mutex that is held sees it too, but does nothing any more.
//!
//! # Starts and ends
//!
//! The start of a thread can be done later, its end earlier, its creation earlier and its join later, as far as other threads
//! are concerned.

use super::merge::Kind;
use crate::threads::At;
use std::collections::{BTreeMap, BTreeSet};
use threadwise_ir::{
    BinaryOp, Command, Copies, Edge, Expr, ExprKind, LocationId, Op, Place, Program, RoutineId, SharedId, Sort, Update,
    Value, VarRef,
};

/// What is known of the program beside its edges.
pub(super) struct Surroundings<'a> {
    pub(super) program: &'a Program,
    pub(super) edges: &'a [Edge],
    /// For each routine where threads are whose execution has ended.
    pub(super) stopped: &'a [LocationId],
    /// Where edges come from.
    pub(super) places: &'a [Option<At>],
    /// Edges that create, start, end or join a thread.
    pub(super) lives: &'a BTreeMap<usize, Kind>,
    /// The variables by which that is done.
    pub(super) tell_of_lives: &'a BTreeSet<SharedId>,
    /// The routines that may run beside the main thread where an edge of it is; nothing where it is not known.
    pub(super) beside: &'a dyn Fn(Option<At>) -> Option<BTreeSet<RoutineId>>,
    /// Edges that are known to access what nobody else knows of yet.
    pub(super) own: &'a BTreeSet<usize>,
}

/// What an edge does to a mutex.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    Takes,
    GivesBack,
    /// It asks whether the thread holds it; if it goes on, that is known.
    Looks {
        holds: bool,
    },
    /// It goes on only where nobody has it.
    IsFree,
    /// Nobody else runs yet.
    SetsUp,
    /// The thread ends.
    Ends,
}

/// The edges of a program by what they commute with.
pub(super) struct Movers<'a> {
    of: &'a Surroundings<'a>,
    /// For each edge the shared variables that it reads or writes, and whether it writes them.
    touched: Vec<BTreeMap<SharedId, bool>>,
    into: BTreeMap<LocationId, Vec<usize>>,
    /// Plain mutexes, with what each edge that touches them does.
    plain: BTreeMap<SharedId, BTreeMap<usize, Role>>,
    calm: BTreeMap<SharedId, Calm>,
}

/// Why no two threads can be about to access a variable at the same time, one of them to store.
enum Calm {
    /// One thread has it alone, or nobody stores.
    ByItself,
    /// On these edges a mutex is held.
    By(SharedId, Vec<usize>),
}

impl<'a> Movers<'a> {
    pub(super) fn of(of: &'a Surroundings<'a>) -> Movers<'a> {
        let touched = of.edges.iter().map(touched).collect();
        let mut into: BTreeMap<LocationId, Vec<usize>> = BTreeMap::new();
        of.edges.iter().enumerate().for_each(|(index, edge)| into.entry(edge.to).or_default().push(index));
        let mut movers = Movers { of, touched, into, plain: BTreeMap::new(), calm: BTreeMap::new() };
        let ids = || (0..of.program.shared.len() as u32).map(SharedId);
        movers.plain = ids().filter_map(|id| movers.roles(id).map(|roles| (id, roles))).collect();
        let held = movers.held();
        let others = ids().filter(|id| !movers.plain.contains_key(id));
        movers.calm = others.filter_map(|id| Some((id, movers.calm_by(id, &held)?))).collect();
        movers
    }

    /// Edges that commute with others only because a mutex is held there, and the mutex.
    pub(super) fn relying(&self) -> impl Iterator<Item = (usize, SharedId)> + '_ {
        let edges = |calm: &'_ Calm| match calm {
            Calm::ByItself => Vec::new(),
            Calm::By(mutex, edges) => edges.iter().map(|edge| (*edge, *mutex)).collect(),
        };
        self.calm.values().flat_map(edges)
    }

    /// Whether no two threads can be about to access a variable at the same time, one of them to store.
    pub(super) fn is_calm(&self, id: SharedId) -> bool {
        self.calm.contains_key(&id)
    }

    /// What an edge commutes with.
    pub(super) fn kind(&self, edge: usize) -> Kind {
        let life = self.of.lives.get(&edge).copied();
        let mut all = life.unwrap_or(Kind::Both);
        for id in self.touched[edge].keys() {
            let kind = match self.plain.get(id).map(|roles| roles[&edge]) {
                Some(Role::Takes) => Kind::Right,
                Some(Role::GivesBack) => Kind::Left,
                Some(Role::Looks { .. } | Role::SetsUp | Role::Ends) => Kind::Both,
                Some(Role::IsFree) => Kind::Other,
                None if self.calm.contains_key(id) => Kind::Both,
                None if life.is_some() && self.of.tell_of_lives.contains(id) => Kind::Both,
                None => Kind::Other,
            };
            all = all.and(kind);
        }
        all
    }

    fn routine(&self, edge: usize) -> RoutineId {
        self.of.program.locations[self.of.edges[edge].from.index()].routine
    }

    fn touching(&self, id: SharedId) -> impl Iterator<Item = usize> + '_ {
        self.touched.iter().enumerate().filter(move |(_, vars)| vars.contains_key(&id)).map(|(index, _)| index)
    }

    // Mutexes.

    /// What each edge that touches a variable does to it, if the variable is a plain mutex.
    fn roles(&self, id: SharedId) -> Option<BTreeMap<usize, Role>> {
        let mut sort = &self.of.program.shared[id.index()].sort;
        while let Sort::Array(_, element) = sort {
            sort = element;
        }
        if *sort != Sort::Tid || self.of.tell_of_lives.contains(&id) {
            return None;
        }
        let roles: BTreeMap<usize, Role> =
            self.touching(id).map(|edge| Some((edge, self.role(edge, id)?))).collect::<Option<_>>()?;
        roles.values().any(|role| *role == Role::Takes).then_some(roles)
    }

    fn role(&self, index: usize, id: SharedId) -> Option<Role> {
        let edge = &self.of.edges[index];
        let Op::Command(Command { assertions, guard, update: Update::Assign(assignments) }) = &edge.op else {
            return None;
        };
        let stores: Vec<&(Place, Value)> =
            assignments.iter().filter(|(place, _)| place.var == VarRef::Shared(id)).collect();
        let mut only_mine = assertions.iter().all(|assertion| asks_only_for_me(&assertion.condition, id));
        only_mine &= assignments.iter().all(|(place, value)| {
            let value = if let Value::Of(e) = value { Some(e) } else { None };
            place.indices.iter().chain(value).all(|e| !mentions(e, id))
        });
        if !only_mine {
            return None;
        }
        let conjuncts = conjuncts(guard.as_deref());
        let own = || conjuncts.iter().filter(|e| mentions(e, id));
        match stores[..] {
            [] if own().all(|e| asks_only_for_me(e, id)) => {
                let holds = own().any(|e| is_mine(e, id, &[]));
                Some(Role::Looks { holds })
            }
            [] if own().all(|e| asks_only_for_me(e, id) || is_free(e, id, None)) => Some(Role::IsFree),
            [] if edge.to == self.of.stopped[self.routine(index).index()] && assignments.is_empty() => Some(Role::Ends),
            [] => None,
            [(_, Value::Of(nobody))] if is_nobody(nobody) && own().next().is_none() && self.is_alone(index) => {
                Some(Role::SetsUp)
            }
            [(place, Value::Of(me))] if matches!(me.kind, ExprKind::SelfThread) => {
                let takes = own().all(|e| asks_only_for_me(e, id) || is_free(e, id, None))
                    && own().any(|e| is_free(e, id, Some(&place.indices)));
                takes.then_some(Role::Takes)
            }
            [(place, Value::Of(nobody))] if is_nobody(nobody) => {
                let is_sure = own().all(|e| asks_only_for_me(e, id)) && self.is_known_mine(edge.from, id, place);
                is_sure.then_some(Role::GivesBack)
            }
            _ => None,
        }
    }

    /// Whether all that leads to a location is that the thread holds a mutex, in the same step.
    fn is_known_mine(&self, at: LocationId, id: SharedId, place: &Place) -> bool {
        let is_index = |var: VarRef| {
            place.indices.iter().any(|index| index.any(&|e| matches!(e.kind, ExprKind::Read(read) if read == var)))
        };
        let asks = |index: &usize| match &self.of.edges[*index].op {
            Op::Command(Command { guard, update: Update::Assign(assignments), .. }) => {
                assignments.iter().all(|(to, _)| matches!(to.var, VarRef::Local(_)) && !is_index(to.var))
                    && conjuncts(guard.as_deref()).iter().any(|e| is_mine(e, id, &place.indices))
            }
            _ => false,
        };
        self.of.program.location(at).transient
            && self.into.get(&at).is_some_and(|edges| !edges.is_empty() && edges.iter().all(asks))
    }

    /// For each location the plain mutexes that a thread holds there for certain.
    fn held(&self) -> Vec<BTreeSet<SharedId>> {
        let count = self.of.program.locations.len();
        let mut held: Vec<Option<BTreeSet<SharedId>>> = vec![None; count];
        let mut work: Vec<LocationId> = self.of.program.routines.iter().map(|routine| routine.entry).collect();
        work.iter().for_each(|entry| held[entry.index()] = Some(BTreeSet::new()));
        while let Some(at) = work.pop() {
            let before = held[at.index()].clone().unwrap_or_default();
            for edge in &self.of.program.location(at).edges {
                let to = self.of.edges[edge.index()].to;
                let mut after = self.held_after(edge.index(), before.clone());
                if let Some(known) = &held[to.index()] {
                    after = after.intersection(known).copied().collect();
                }
                if held[to.index()].as_ref() != Some(&after) {
                    held[to.index()] = Some(after);
                    work.push(to);
                }
            }
        }
        held.into_iter().map(Option::unwrap_or_default).collect()
    }

    fn held_after(&self, edge: usize, mut held: BTreeSet<SharedId>) -> BTreeSet<SharedId> {
        for id in self.touched[edge].keys() {
            let is_one = matches!(self.of.program.shared[id.index()].sort, Sort::Tid);
            match self.plain.get(id).map(|roles| roles[&edge]) {
                Some(Role::Takes | Role::Looks { holds: true }) if is_one => drop(held.insert(*id)),
                Some(Role::GivesBack) => drop(held.remove(id)),
                _ => {}
            }
        }
        held
    }

    // Variables.

    fn is_alone(&self, edge: usize) -> bool {
        self.routine(edge) == RoutineId(0) && (self.of.beside)(self.of.places[edge]).is_some_and(|all| all.is_empty())
    }

    fn calm_by(&self, id: SharedId, held: &[BTreeSet<SharedId>]) -> Option<Calm> {
        if self.of.tell_of_lives.contains(&id) {
            return None;
        }
        let all: BTreeSet<RoutineId> = self.touching(id).map(|edge| self.routine(edge)).collect();
        let others: BTreeSet<RoutineId> = all.into_iter().filter(|routine| *routine != RoutineId(0)).collect();
        let has_it_alone = |edge: &usize| {
            self.routine(*edge) == RoutineId(0)
                && (self.of.beside)(self.of.places[*edge]).is_some_and(|beside| beside.is_disjoint(&others))
        };
        let counts: Vec<usize> =
            self.touching(id).filter(|edge| !has_it_alone(edge) && !self.of.own.contains(edge)).collect();
        if self.by_one_thread(&counts) || counts.iter().all(|edge| !self.touched[*edge][&id]) {
            return Some(Calm::ByItself);
        }
        self.common_mutex(&counts, held).map(|mutex| Calm::By(mutex, counts))
    }

    fn by_one_thread(&self, edges: &[usize]) -> bool {
        let Some(&first) = edges.first() else { return true };
        let routine = self.routine(first);
        let is_one =
            self.of.program.templates.iter().any(|template| {
                template.body == routine && matches!(template.copies, Copies::Single | Copies::Exactly(1))
            });
        is_one && edges.iter().all(|edge| self.routine(*edge) == routine)
    }

    fn common_mutex(&self, edges: &[usize], held: &[BTreeSet<SharedId>]) -> Option<SharedId> {
        let at = |edge: &usize| held[self.of.edges[*edge].from.index()].clone();
        let common = edges.iter().map(at).reduce(|a, b| a.intersection(&b).copied().collect());
        common?.first().copied()
    }
}

/// The shared variables that an edge, which does nothing but test and assign, reads or writes, and whether it writes them.
fn touched(edge: &Edge) -> BTreeMap<SharedId, bool> {
    let mut found = BTreeMap::new();
    edge.op.walk_expressions(&mut |e| {
        if let ExprKind::Read(VarRef::Shared(id)) | ExprKind::ReadAfter(VarRef::Shared(id)) = e.kind {
            found.entry(id).or_insert(false);
        }
    });
    if let Op::Command(Command { update: Update::Assign(assignments), .. }) = &edge.op {
        let stored = assignments.iter().filter_map(|(place, _)| match place.var {
            VarRef::Shared(id) => Some((id, true)),
            VarRef::Local(_) => None,
        });
        found.extend(stored);
    }
    found
}

fn conjuncts(guard: Option<&Expr>) -> Vec<&Expr> {
    let (mut found, mut work) = (Vec::new(), Vec::from_iter(guard));
    while let Some(e) = work.pop() {
        match &e.kind {
            ExprKind::Binary(BinaryOp::And, a, b) => work.extend([&**a, &**b]),
            _ => found.push(e),
        }
    }
    found
}

fn mentions(e: &Expr, id: SharedId) -> bool {
    e.any(&|part| matches!(part.kind, ExprKind::Read(VarRef::Shared(read)) | ExprKind::ReadAfter(VarRef::Shared(read)) if read == id))
}

/// The indices with which a variable is read, if that is all that the expression does.
fn read_of(e: &Expr, id: SharedId) -> Option<Vec<&Expr>> {
    match &e.kind {
        ExprKind::Read(VarRef::Shared(read)) if *read == id => Some(Vec::new()),
        ExprKind::Index(array, index) if !mentions(index, id) => {
            let mut indices = read_of(array, id)?;
            indices.push(index);
            Some(indices)
        }
        _ => None,
    }
}

fn is_nobody(e: &Expr) -> bool {
    *e.sort == Sort::Tid && matches!(e.kind, ExprKind::Const(0))
}

/// Whether an expression says that the mutex, the one with these indices if there are some, is free.
fn is_free(e: &Expr, id: SharedId, indices: Option<&[Expr]>) -> bool {
    let ExprKind::Binary(BinaryOp::Eq, a, b) = &e.kind else { return false };
    let of = read_of(a, id).filter(|_| is_nobody(b));
    of.is_some_and(|of| indices.is_none_or(|indices| same(&of, indices)))
}

fn is_mine(e: &Expr, id: SharedId, indices: &[Expr]) -> bool {
    let ExprKind::Binary(BinaryOp::Eq, a, b) = &e.kind else { return false };
    matches!(b.kind, ExprKind::SelfThread) && read_of(a, id).is_some_and(|of| same(&of, indices))
}

fn same(a: &[&Expr], b: &[Expr]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.kind == b.kind)
}

/// Whether all that is asked about a mutex is whether the thread holds it.
fn asks_only_for_me(e: &Expr, id: SharedId) -> bool {
    if !mentions(e, id) {
        return true;
    }
    match &e.kind {
        ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) if matches!(b.kind, ExprKind::SelfThread) => {
            read_of(a, id).is_some()
        }
        ExprKind::Binary(BinaryOp::And | BinaryOp::Or, a, b) => asks_only_for_me(a, id) && asks_only_for_me(b, id),
        ExprKind::Unary(threadwise_ir::UnaryOp::Not, a) => asks_only_for_me(a, id),
        _ => false,
    }
}
