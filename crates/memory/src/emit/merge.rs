//! Steps that commute are one step (Lipton 1975).
//!
//! # What is merged
//!
//! A step that can be moved behind what others do next is a *right mover*, one that can be moved before what others have just
//! done a *left mover*. Right movers, one other step at most, and left movers, in this order, are as good as one step. The
//! points between them become transient. Where a merged step begins, others see the thread.
//!
//! # Why no error is lost
//!
//! Take a shortest execution of the program as it was that ends with an error of some thread. Steps of others that are in the
//! middle of a merged step and have done nothing but right movers are left out: moved to the end, they change nothing that the
//! error depends on, for what it looks at is calm or about the thread itself, and no right mover stores anything else. Those
//! that have got beyond are led to the end of their merged step: what is left is left movers, which always can be done, since
//! one of the edges can be taken wherever they are (`Piece::is_total`), and they come to an end, since heads of loops are
//! never merged. If one of these fails, that is an error too. Then the right movers of each merged step are moved behind, and
//! the left movers before, what others do in between. The result is an execution in which merged steps come whole.
//!
//! Nothing may look at the states in between: this is done only where assertions, memory and arithmetic are looked for, which
//! are checked by the steps themselves.
//!
//! Where a step commutes because a mutex is held, it asserts that it is: what was overlooked there makes a verdict UNKNOWN.

use super::Emitter;
use super::movers::{Movers, Surroundings};
use crate::code::{Annotations, Code, Language};
use crate::joins::joined_all;
use crate::runs::Running;
use crate::terms::{equal, me, not, read};
use crate::threads::At;
use crate::{Checks, Options};
use std::collections::{BTreeMap, BTreeSet};
use threadwise_ir::{
    Assertion, AssertionKind, BinaryOp, Command, Edge, Expr, ExprKind, LocationId, Op, RoutineId, SharedId, Sort,
    Update, Value, VarRef,
};
use threadwise_spawn::Startable;

/// Steps do not get more ways through them than this, nor more edges: engines that work with formulas look at each way.
const MOST_WAYS: u64 = 32;
const MOST_EDGES: u64 = 400;

/// What a step commutes with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// It can be moved both ways.
    Both,
    /// Behind what others do next.
    Right,
    /// Before what others have done.
    Left,
    /// Neither.
    Other,
}

impl Kind {
    /// What both together, as one step, commute with.
    pub(super) fn and(self, other: Kind) -> Kind {
        match (self, other) {
            (Kind::Both, kind) | (kind, Kind::Both) => kind,
            (Kind::Right, Kind::Right) => Kind::Right,
            (Kind::Left, Kind::Left) => Kind::Left,
            (Kind::Right | Kind::Left | Kind::Other, Kind::Right | Kind::Left | Kind::Other) => Kind::Other,
        }
    }
}

/// What can happen from a point that others see up to the next ones.
struct Piece {
    kind: Kind,
    /// The points, and how many ways lead there.
    ends: BTreeMap<LocationId, u64>,
    edges: u64,
    chooses: bool,
    /// From each point in between there is a way on, whatever the state is, and it comes to an end.
    is_total: bool,
}

/// How far a merged step is where it comes to a point.
#[derive(Clone, Copy)]
struct Arrival {
    /// Only left movers may follow.
    is_late: bool,
    ways: u64,
    edges: u64,
    chooses: bool,
}

/// Whether nothing that is asked for looks at the states between steps.
pub(super) fn is_unseen(code: &Code, options: &Options) -> bool {
    let Checks { races, locks, deadlock, memtrack, assertions: _, memory: _, overflow: _, exceptions: _ } =
        options.checks;
    let Annotations { invariants, init, noraces, relies, guarantees, automatic: _, after: _ } = &code.annotations;
    let is_annotated =
        !(invariants.is_empty() && init.is_empty() && noraces.is_empty() && relies.is_empty() && guarantees.is_empty());
    code.language == Language::C && !(races || locks || deadlock || memtrack || options.outline || is_annotated)
}

impl Emitter<'_> {
    /// The edges from this number on create, start, end or join one of a fixed number of threads.
    pub(super) fn live_edges(&mut self, from: usize, kind: Kind) {
        self.life_edges.extend((from..self.edges.len()).map(|index| (index, kind)));
    }

    pub(super) fn merge_steps(&mut self) {
        let fixed = std::mem::take(&mut self.fixed);
        let Merged { inside, seen, relying } = self.with_surroundings(&BTreeSet::new(), |of| merged(of, &fixed));
        inside.into_iter().for_each(|at| self.location(at).transient = true);
        seen.into_iter().for_each(|at| self.location(at).transient = false);
        relying.into_iter().for_each(|(edge, mutex)| self.must_hold(edge, mutex));
    }

    /// What is known of the program beside its edges, for whoever asks what commutes.
    pub(super) fn with_surroundings<T>(
        &mut self,
        own: &BTreeSet<usize>,
        ask: impl FnOnce(&Surroundings<'_>) -> T,
    ) -> T {
        let joined_all = joined_all(&mut self.points);
        let running = Running::of(self.threads, &joined_all);
        let beside = |at: Option<At>| {
            let all = at.map_or_else(BTreeSet::new, |at| running.at(at));
            running.is_known().then(|| all.into_iter().map(|thread| RoutineId(thread.0)).collect())
        };
        let tell_of_lives = self.startables.iter().flatten().flat_map(Startable::variables).collect();
        let surroundings = Surroundings {
            program: &self.program,
            edges: &self.edges,
            stopped: &self.all_stopped,
            places: &self.places,
            lives: &self.life_edges,
            tell_of_lives: &tell_of_lives,
            beside: &beside,
            own,
        };
        ask(&surroundings)
    }

    /// Whoever takes this edge is expected to hold a mutex. That it does is checked with the rest, so that steps which were
    /// merged in error prove nothing.
    fn must_hold(&mut self, edge: usize, mutex: SharedId) {
        let edge = &mut self.edges[edge];
        let Op::Command(command) = &mut edge.op else { return };
        let condition = equal(read(VarRef::Shared(mutex), &Sort::Tid, edge.span), me(edge.span));
        let expected = Assertion { condition, kind: AssertionKind::Beyond, message: None };
        command.assertions = command.assertions.iter().cloned().chain([expected]).collect();
    }
}

/// What becomes of points.
#[derive(Default)]
pub(super) struct Merged {
    /// They are merged into the steps that lead to them.
    pub(super) inside: BTreeSet<LocationId>,
    /// They were inside of an atomic step that is taken apart.
    pub(super) seen: BTreeSet<LocationId>,
    /// Edges that this expects to be taken with a mutex held, and the mutex.
    pub(super) relying: Vec<(usize, SharedId)>,
}

/// Which points are merged into the steps that lead to them. The last argument says which never are.
pub(super) fn merged(of: &Surroundings<'_>, fixed: &BTreeSet<LocationId>) -> Merged {
    let is_plain = |edge: &Edge| matches!(edge.op, Op::Command(Command { update: Update::Assign(_), .. }));
    if !of.edges.iter().all(is_plain) {
        return Merged::default();
    }
    let movers = Movers::of(of);
    let mut look = Look { of, movers: &movers, parted: BTreeSet::new() };
    look.parted = look.taken_apart();
    let pieces: BTreeMap<LocationId, Piece> = look.seen().into_iter().map(|id| (id, look.piece(id))).collect();
    let order = in_order(&pieces, fixed);
    let mut arrivals: BTreeMap<LocationId, Arrival> = BTreeMap::new();
    let mut found = BTreeSet::new();
    for at in order {
        let piece = &pieces[&at];
        let start = match arrivals.get(&at) {
            Some(arrival) if !fixed.contains(&at) && fits(*arrival, piece) => {
                found.insert(at);
                *arrival
            }
            _ => Arrival { is_late: false, ways: 1, edges: 0, chooses: false },
        };
        for (&to, &ways) in &piece.ends {
            let before = arrivals.get(&to).copied();
            let now = Arrival {
                is_late: start.is_late || matches!(piece.kind, Kind::Left | Kind::Other),
                ways: start.ways.saturating_mul(ways),
                edges: start.edges + piece.edges,
                chooses: start.chooses || piece.chooses,
            };
            arrivals.insert(to, before.map_or(now, |before| together(before, now)));
        }
    }
    let seen: BTreeSet<LocationId> = look.parted.difference(&found).copied().collect();
    let relying = if found.is_empty() && seen.is_empty() { Vec::new() } else { movers.relying().collect() };
    Merged { inside: found, seen, relying }
}

fn together(a: Arrival, b: Arrival) -> Arrival {
    Arrival {
        is_late: a.is_late || b.is_late,
        ways: a.ways.saturating_add(b.ways),
        edges: a.edges.saturating_add(b.edges),
        chooses: a.chooses || b.chooses,
    }
}

/// Whether a piece can belong to the steps that come to where it begins.
fn fits(arrival: Arrival, piece: &Piece) -> bool {
    let all: u64 = piece.ends.values().fold(0, |all, ways| all.saturating_add(*ways));
    let commutes = !arrival.is_late || matches!(piece.kind, Kind::Both | Kind::Left) && piece.is_total;
    commutes
        && arrival.ways.saturating_mul(all) <= MOST_WAYS
        && arrival.edges + piece.edges <= MOST_EDGES
        && !(arrival.chooses && piece.chooses)
}

/// The points so that each comes after those that lead to it, but for those that are fixed. Points on other cycles are left out,
/// as if they were fixed too.
fn in_order(pieces: &BTreeMap<LocationId, Piece>, fixed: &BTreeSet<LocationId>) -> Vec<LocationId> {
    let mut missing: BTreeMap<LocationId, u64> = pieces.keys().map(|id| (*id, 0)).collect();
    for to in pieces.values().flat_map(|piece| piece.ends.keys()).filter(|to| !fixed.contains(to)) {
        *missing.entry(*to).or_default() += 1;
    }
    let mut order: Vec<LocationId> = missing.iter().filter(|(_, count)| **count == 0).map(|(id, _)| *id).collect();
    let mut next = 0;
    while let Some(&at) = order.get(next) {
        next += 1;
        for to in pieces[&at].ends.keys().filter(|to| !fixed.contains(to)) {
            let count = missing.entry(*to).or_default();
            *count -= 1;
            if *count == 0 {
                order.push(*to);
            }
        }
    }
    order
}

struct Look<'a> {
    of: &'a Surroundings<'a>,
    movers: &'a Movers<'a>,
    /// Points inside of atomic steps that are looked at as if others saw them.
    parted: BTreeSet<LocationId>,
}

impl Look<'_> {
    fn is_inside(&self, at: LocationId) -> bool {
        self.of.program.location(at).transient && !self.parted.contains(&at)
    }

    /// The points that others see.
    fn seen(&self) -> Vec<LocationId> {
        (0..self.of.program.locations.len() as u32).map(LocationId).filter(|id| !self.is_inside(*id)).collect()
    }

    /// Where ways meet inside of atomic steps that have too many of them, or go round in them, and of which all parts commute
    /// with what others do: whether such a step is one or several makes no difference to others.
    fn taken_apart(&self) -> BTreeSet<LocationId> {
        let mut parted = BTreeSet::new();
        for start in self.seen() {
            let inside = self.inside(start);
            let piece = self.piece(start);
            let count = piece.ends.values().fold(0, |all: u64, ways| all.saturating_add(*ways));
            if piece.kind == Kind::Both && count > MOST_WAYS {
                let into =
                    |at: &LocationId| inside.iter().flat_map(|from| self.targets(*from)).filter(|to| to == at).count();
                parted.extend(inside.iter().filter(|at| **at != start && into(at) > 1));
            }
        }
        parted
    }

    fn piece(&self, start: LocationId) -> Piece {
        let inside = self.inside(start);
        let mut piece = Piece { kind: Kind::Both, ends: BTreeMap::new(), edges: 0, chooses: false, is_total: true };
        for &at in &inside {
            piece.is_total &= self.is_total(at);
            for id in &self.of.program.location(at).edges {
                piece.kind = piece.kind.and(self.movers.kind(id.index()));
                piece.edges += 1;
                piece.chooses |= self.chooses(id.index());
            }
        }
        let ways = self.ways(start, &inside);
        // It may go round for ever.
        piece.is_total &= ways.is_some();
        for &at in &inside {
            for to in self.targets(at).filter(|to| !self.is_inside(*to)) {
                let more = ways.as_ref().map_or(u64::MAX, |ways| ways[&at]);
                let known = piece.ends.entry(to).or_default();
                *known = known.saturating_add(more);
            }
        }
        piece
    }

    fn targets(&self, at: LocationId) -> impl Iterator<Item = LocationId> {
        self.of.program.location(at).edges.iter().map(|id| self.of.edges[id.index()].to)
    }

    /// The start, and the transient points that a step from there comes through.
    fn inside(&self, start: LocationId) -> BTreeSet<LocationId> {
        let (mut found, mut work) = (BTreeSet::from([start]), vec![start]);
        while let Some(at) = work.pop() {
            let next = self.targets(at).filter(|to| self.is_inside(*to));
            work.extend(next.filter(|to| found.insert(*to)));
        }
        found
    }

    /// In how many ways a step comes to each point in it; nothing if it can come to one again and again.
    fn ways(&self, start: LocationId, inside: &BTreeSet<LocationId>) -> Option<BTreeMap<LocationId, u64>> {
        let is_inside = |to: &LocationId| self.is_inside(*to);
        let mut missing: BTreeMap<LocationId, u64> = inside.iter().map(|at| (*at, 0)).collect();
        for to in inside.iter().flat_map(|at| self.targets(*at)).filter(is_inside) {
            *missing.entry(to).or_default() += 1;
        }
        let (mut ways, mut work, mut done) = (BTreeMap::from([(start, 1u64)]), vec![start], 0);
        while let Some(at) = work.pop() {
            done += 1;
            let own = ways[&at];
            for to in self.targets(at).filter(is_inside) {
                let known = ways.entry(to).or_default();
                *known = known.saturating_add(own);
                let count = missing.entry(to).or_default();
                *count -= 1;
                if *count == 0 {
                    work.push(to);
                }
            }
        }
        (done == inside.len()).then_some(ways)
    }

    /// Whether some edge can be taken from here, or fails, whatever the state is.
    fn is_total(&self, at: LocationId) -> bool {
        let edges = &self.of.program.location(at).edges;
        // Where threads are created there is always one left that can be.
        let creates = |index: usize| self.of.lives.get(&index) == Some(&Kind::Left);
        let guard = |index: usize| guard(&self.of.edges[index]);
        edges.iter().any(|id| creates(id.index()) || guard(id.index()).is_none())
            || edges.iter().any(|a| {
                let other = guard(a.index()).map(|e| not(e.clone()));
                edges.iter().any(|b| guard(b.index()) == other.as_ref())
            })
    }

    /// Whether an edge chooses a value; which one of alike threads is created does not matter.
    fn chooses(&self, index: usize) -> bool {
        let Op::Command(Command { update: Update::Assign(assignments), .. }) = &self.of.edges[index].op else {
            return true;
        };
        !self.of.lives.contains_key(&index) && assignments.iter().any(|(_, value)| matches!(value, Value::Any))
    }
}

/// What an edge waits for; nothing where it fails otherwise.
fn guard(edge: &Edge) -> Option<&Expr> {
    let Op::Command(command) = &edge.op else { return None };
    command.guard.as_deref().filter(|guard| !fails_unless(command, guard))
}

/// Whether a command fails wherever a condition does not hold: by one assertion, or by two for both cases of something else.
fn fails_unless(command: &Command, condition: &Expr) -> bool {
    let besides = |e: &Expr| match &e.kind {
        ExprKind::Binary(BinaryOp::Or, a, b) if **a == *condition => Some((**b).clone()),
        _ => None,
    };
    let mut all = command.assertions.iter().map(|assertion| &assertion.condition);
    match (all.next(), all.next()) {
        (Some(first), None) => first == condition,
        (Some(first), Some(second)) => match (besides(first), besides(second)) {
            (Some(a), Some(b)) => not(a.clone()) == b || a == not(b),
            _ => false,
        },
        (None, _) => false,
    }
}
