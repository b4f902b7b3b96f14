//! Which locals are read again, from each location on. Routine by routine, with a set of bits for each location and a
//! list of the locations whose set grew: programs may have very many edges.

use crate::seen::Seen;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use threadwise_ir::{Edge, ExprKind, LocalId, Op, Place, Program, RoutineId, Update, VarRef};

/// For each location the locals that are out of scope or whose values are never read again.
pub(crate) fn dead_locals(program: &Program, seen: &Seen) -> Vec<Arc<[LocalId]>> {
    let mut dead: Vec<Arc<[LocalId]>> = program.locations.iter().map(|location| location.dead.clone()).collect();
    for id in (0..program.routines.len() as u32).map(RoutineId) {
        if program.routine(id).locals.is_empty() {
            continue;
        }
        let liveness = Liveness::of(program, id);
        let seen = Bits::new(program.routine(id).locals.len(), |local| seen.local(id, local));
        let mut lists = FxHashMap::default();
        for (location, at) in program.locations_of(id) {
            let mut here = liveness.at(location.0).union(&seen).complement();
            at.dead.iter().for_each(|&local| here.insert(local));
            let list = lists.entry(here).or_insert_with_key(|bits| bits.iter().collect());
            dead[location.index()] = Arc::clone(list);
        }
    }
    dead
}

/// The locals of a routine that are live at each of its locations.
struct Liveness<'a> {
    program: &'a Program,
    /// The number of the first location.
    first: u32,
    live: Vec<Bits>,
}

impl<'a> Liveness<'a> {
    fn of(program: &'a Program, id: RoutineId) -> Liveness<'a> {
        let routine = program.routine(id);
        let none = Bits::new(routine.locals.len(), |_| false);
        let first = routine.locations.start;
        let mut liveness = Liveness { program, first, live: vec![none; routine.locations.len()] };
        let mut arriving: Vec<Vec<&Edge>> = vec![Vec::new(); routine.locations.len()];
        for (_, edge) in program.edges_of(id) {
            arriving[(edge.to.0 - first) as usize].push(edge);
        }
        // From the back: most edges lead forward.
        let mut work: Vec<u32> = routine.locations.clone().collect();
        let mut is_waiting = vec![true; work.len()];
        while let Some(to) = work.pop() {
            is_waiting[(to - first) as usize] = false;
            for edge in &arriving[(to - first) as usize] {
                let grew = liveness.spread(edge);
                if grew && !std::mem::replace(&mut is_waiting[(edge.from.0 - first) as usize], true) {
                    work.push(edge.from.0);
                }
            }
        }
        liveness
    }

    fn at(&self, location: u32) -> &Bits {
        &self.live[(location - self.first) as usize]
    }

    /// Adds what is live before an edge to what is live where it starts; says whether that was more.
    fn spread(&mut self, edge: &Edge) -> bool {
        let before = self.live_before(edge);
        let from = &mut self.live[(edge.from.0 - self.first) as usize];
        let all = from.union(&before);
        let grew = all != *from;
        *from = all;
        grew
    }

    /// The locals that are live before an edge, given those live after it.
    fn live_before(&self, edge: &Edge) -> Bits {
        let mut live = self.at(edge.to.0).clone();
        match &edge.op {
            Op::Command(command) => match &command.update {
                Update::Assign(assignments) => assignments.iter().for_each(|(place, _)| kill(place, &mut live)),
                // What an action changes stays live, which is coarse but right.
                Update::Action { .. } => {}
            },
            Op::Call { result, .. } => result.iter().for_each(|place| kill(place, &mut live)),
            Op::Return(value) => {
                live.clear();
                let result = self.program.routine(self.program.location(edge.from).routine).result;
                result.iter().filter(|_| value.is_none()).for_each(|&local| live.insert(local));
            }
        }
        edge.op.walk_expressions(&mut |e| {
            if let ExprKind::Read(VarRef::Local(local)) | ExprKind::ReadAfter(VarRef::Local(local)) = e.kind {
                live.insert(local);
            }
        });
        live
    }
}

fn kill(place: &Place, live: &mut Bits) {
    if let (VarRef::Local(local), true) = (place.var, place.indices.is_empty()) {
        live.remove(local);
    }
}

/// A set of the locals of a routine.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Bits {
    words: Box<[u64]>,
    /// How many locals there are.
    locals: u32,
}

impl Bits {
    fn new(locals: usize, holds: impl Fn(LocalId) -> bool) -> Bits {
        let mut bits = Bits { words: vec![0; locals.div_ceil(64)].into(), locals: locals as u32 };
        (0..bits.locals).map(LocalId).filter(|&local| holds(local)).for_each(|local| bits.insert(local));
        bits
    }

    fn insert(&mut self, local: LocalId) {
        self.words[local.index() / 64] |= 1 << (local.0 % 64);
    }

    fn remove(&mut self, local: LocalId) {
        self.words[local.index() / 64] &= !(1 << (local.0 % 64));
    }

    fn contains(&self, local: LocalId) -> bool {
        self.words[local.index() / 64] >> (local.0 % 64) & 1 == 1
    }

    fn clear(&mut self) {
        self.words.fill(0);
    }

    fn union(&self, other: &Bits) -> Bits {
        let words = self.words.iter().zip(&other.words).map(|(a, b)| a | b).collect();
        Bits { words, locals: self.locals }
    }

    /// Beyond the last local there may be ones then, which [`Bits::iter`] does not give.
    fn complement(&self) -> Bits {
        Bits { words: self.words.iter().map(|word| !word).collect(), locals: self.locals }
    }

    fn iter(&self) -> impl Iterator<Item = LocalId> {
        (0..self.locals).map(LocalId).filter(|&local| self.contains(local))
    }
}
