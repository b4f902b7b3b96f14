//! Partial-order reduction: in many states it is enough to let some of the threads go on.
//!
//! # Which threads
//!
//! A *closed* set T of threads in a state s is one such that no thread outside of it, as long as those in T stand still, can ever
//! touch what the next steps of those in T touch, where one of the two writes. (These are persistent sets; Godefroid, LNCS 1032,
//! 1996. What threads touch is told by [`Numbering`].) Where a closed set can move, where its next steps are *invisible*, change nothing that formulas
//! of properties look at, and where none of them is *final*, only the threads in T are let go on. In all other states all threads are. Final
//! steps are those along edges that close a cycle of a routine's graph, calls, and returns.
//!
//! While threads in T stand still, a mutex that one of them holds stays held: nobody but its holder gives it back (`ir::deadlock`). So what
//! other threads can do only after they have taken it does not count, and neither does that they wait for it.
//!
//! # Why no error is lost
//!
//! Let s be a visited state, and let σ be steps that lead from s to an error, as few as any from any visited state. With s as one of
//! those for which σ is that long, look at T in s, if not all threads go on in s.
//!
//! *Some step of σ is one of T.* The first one, c, is a next step of its thread in s. The steps before it in σ are by threads
//! outside of T while T stands still, so they neither touch what c writes nor write what it touches: c can be taken first, and the same steps
//! then lead to the same error. The state after c is visited, and is one step nearer: a contradiction. The same holds with the first
//! step of σ where all threads go on.
//!
//! *No step of σ is one of T.* Then every next step c of T is independent of σ: after c, σ can be taken, and leads from s' to the state of the
//! error with c's thread moved on. That is an error too:
//!
//! - *A step that goes wrong* (or of which the semantics does not know all), of thread t. If t is in T, it is where it was in s,
//!   and σ has not written what its next step reads: it goes wrong in s already. Otherwise c has not written what it reads.
//! - *Formulas* have the same values, since c is invisible.
//! - *Races*: t writes and u accesses what a race is about, which is a part of the store as [`Numbering`] divides it, in their next steps. If both are in T, they do so in s. If t is and u is not, T is not
//!   closed. If neither is, c writes nothing that these steps read, and they are possible after c.
//! - *Deadlocks*: there is none after σ, since c is still possible.
//! - *Cycles of locks*, of threads C that wait for each other's mutexes. A thread of C that is in T waits in s already: that
//!   somebody takes its mutex during σ would touch what its next step reads. So c is by a thread outside of C, and cannot
//!   write a mutex that a thread of C holds.
//!
//! So s' is an error, or is as near to one as s. Going on like this, either one comes nearer, or threads go on for ever with steps that are
//! not final. But a thread without calls and returns that goes around no cycle of its graph comes to an end, and there are
//! finitely many threads. This holds for infinitely many states, too.
//!
//! *Symmetry.* Permutations of copies map steps to steps and errors to errors. Where s stands for its permutations, the argument is about
//! the permutation of σ that starts in s; permuted back, the states that one goes through are those of an execution again, so the last point holds.
//!
//! What is said of edges that are taken holds, too: a step that can be taken at all can be taken from a state that is visited.

use crate::accesses::{Accesses, Numbering};
use crate::seen::Seen;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use threadwise_ir::{
    Edge, ExprKind, Instance, LocationId, Op, Pattern, Program, RoutineId, SharedId, Sign, ThreadId, Update, VarRef,
};
use threadwise_tables::{Entry, StepTables};

/// What is worth knowing of each point of each thread is kept; where there are more of these, nothing is reduced.
const MOST_POINTS: usize = 1 << 17;

/// What these touch are sets of so many words in all, at most.
const MOST_WORDS: usize = 1 << 20;

/// Sets of threads, and of mutexes, are words.
const MOST_THREADS: usize = u64::BITS as usize;

/// In the place of a number that is not known yet.
const UNKNOWN: u32 = u32::MAX;

/// Above this many remembered choices the memory starts anew.
const MOST_REMEMBERED: usize = 1 << 18;

/// What is known of the program's threads.
pub(crate) struct Reduction<'a> {
    instance: &'a Instance,
    numbering: Numbering,
    threads: Vec<OfThread>,
    /// Mutexes that are variables of their own.
    mutexes: Vec<SharedId>,
    /// Whether all that a choice depends on fits into a word of two.
    is_short: bool,
}

/// What is known of a thread.
struct OfThread {
    routine: RoutineId,
    /// It calls procedures: then all that it does may come next.
    everything: Option<Accesses>,
    /// The mutexes that it takes.
    takes: u64,
    /// The place in its routine is a number of so many bits, where it matters.
    bits: u32,
    /// For each location of its routine.
    points: Vec<Point>,
}

struct Point {
    next: Accesses,
    /// The next step is invisible, and not final.
    is_quiet: bool,
}

/// What a worker remembers: which threads go on, by where all are, who holds which mutex, and who can move.
#[derive(Default)]
pub(crate) struct Choices {
    known: FxHashMap<SmallVec<[u32; 24]>, Option<u64>>,
    /// The same in short.
    packed: FxHashMap<u128, Option<u64>>,
    /// For each template and local state the place in the routine.
    places: Vec<Vec<u32>>,
    /// For each shared store a number for who holds which mutex.
    holders: Vec<u32>,
    numbers: FxHashMap<SmallVec<[u32; 8]>, u32>,
    /// What a thread may touch from each point on while these mutexes, of those that it takes, are held by others.
    futures: FxHashMap<(usize, u64), Vec<Accesses>>,
    /// How many words these are.
    words: usize,
}

impl<'a> Reduction<'a> {
    /// Nothing where the program is too large, or has nothing to reduce.
    pub(crate) fn new(instance: &'a Instance) -> Option<Reduction<'a>> {
        if !is_worth_a_trial(instance) {
            return None;
        }
        let (program, threads) = (&*instance.program, instance.threads.len());
        let numbering = Numbering::new(instance);
        if program.locations.len() * threads * numbering.words() > MOST_WORDS {
            return None;
        }
        let seen = Seen::by_properties(program);
        let shown = Shown::by_properties(program, &seen);
        let is_mutex = program.mutexes();
        let scalar = |var: &SharedId| instance.shared_range(*var).len() == 1;
        let mutexes = (0..program.shared.len() as u32).map(SharedId).filter(|var| is_mutex[var.index()]);
        let mutexes: Vec<SharedId> = mutexes.filter(scalar).take(u64::BITS as usize).collect();
        let closing: FxHashMap<RoutineId, FxHashSet<LocationId>> = instance
            .threads
            .iter()
            .map(|thread| program.template(thread.template).body)
            .map(|body| (body, final_points(program, body)))
            .collect();
        let of_thread = |thread: usize| {
            let (id, template) = (ThreadId(thread as u32), instance.threads[thread].template);
            let routine = program.template(template).body;
            let everything =
                (program.routines_of(template).len() > 1).then(|| numbering.of_thread(program, instance, id));
            let next = numbering.next_steps(program, routine, id);
            let point = |(next, (location, _)): (Accesses, (LocationId, _))| {
                let is_quiet = !closing[&routine].contains(&location) && !shown.changes(program, location);
                Point { next, is_quiet }
            };
            let points = next.into_iter().zip(program.locations_of(routine)).map(point).collect();
            let takes = program.edges_of(routine).fold(0, |takes, (_, edge)| takes | taken_among(&mutexes, edge));
            let bits = if everything.is_some() {
                0
            } else {
                usize::BITS - program.routine(routine).locations.len().leading_zeros()
            };
            OfThread { routine, everything, takes, bits, points }
        };
        let threads: Vec<OfThread> = (0..threads).map(of_thread).collect();
        let bits = threads.iter().map(|thread| thread.bits).sum::<u32>() + threads.len() as u32 + u32::BITS;
        Some(Reduction { instance, numbering, threads, mutexes, is_short: bits <= u128::BITS })
    }

    /// The threads that must go on from a state, if not all must.
    pub(crate) fn choose(
        &self,
        choices: &mut Choices,
        state: &[u32],
        entries: &[Entry],
        tables: &StepTables<'_>,
    ) -> Option<u64> {
        let mut enabled = 0_u64;
        for (thread, &entry) in entries.iter().enumerate() {
            enabled |= u64::from(!tables.successors(entry).is_empty()) << thread;
        }
        if enabled.count_ones() < 2 {
            return None;
        }
        let packed = self.packed(choices, state, enabled, tables);
        if let Some(&known) = packed.and_then(|key| choices.packed.get(&key)) {
            return known;
        }
        let mut key: SmallVec<[u32; 24]> = SmallVec::new();
        for (thread, &local) in state[1..].iter().enumerate() {
            let words = tables.locals[self.instance.threads[thread].template.index()].get(local);
            key.push(self.instance.location_of(words).0);
        }
        key.extend(self.holders(state, tables));
        key.extend([enabled as u32, (enabled >> 32) as u32]);
        if let Some(&known) = choices.known.get(&key) {
            return known;
        }
        let chosen = self.smallest(choices, &key, enabled);
        if choices.known.len() + choices.packed.len() >= MOST_REMEMBERED {
            choices.known.clear();
            choices.packed.clear();
        }
        match packed {
            Some(packed) => choices.packed.insert(packed, chosen),
            None => choices.known.insert(key, chosen),
        };
        chosen
    }

    /// Who holds each mutex.
    fn holders(&self, state: &[u32], tables: &StepTables<'_>) -> impl Iterator<Item = u32> {
        let shared = tables.shared.get(state[0]);
        self.mutexes.iter().map(|&mutex| shared[self.instance.shared_range(mutex).start] as u32)
    }

    /// All that the choice depends on, where it fits into a word of two: for each thread its place in its routine, where that matters; a
    /// number for who holds which mutex; and who can move.
    fn packed(&self, choices: &mut Choices, state: &[u32], enabled: u64, tables: &StepTables<'_>) -> Option<u128> {
        if !self.is_short {
            return None;
        }
        let store = state[0] as usize;
        if choices.holders.len() <= store {
            choices.holders.resize(store + 1, UNKNOWN);
        }
        if choices.holders[store] == UNKNOWN {
            let next = choices.numbers.len() as u32;
            choices.holders[store] = *choices.numbers.entry(self.holders(state, tables).collect()).or_insert(next);
        }
        let mut key = u128::from(choices.holders[store]) << self.threads.len() | u128::from(enabled);
        choices.places.resize(tables.locals.len(), Vec::new());
        for (of_thread, (thread, &local)) in self.threads.iter().zip(state[1..].iter().enumerate()) {
            if of_thread.everything.is_some() {
                continue;
            }
            let template = self.instance.threads[thread].template.index();
            let places = &mut choices.places[template];
            if places.len() <= local as usize {
                places.resize(local as usize + 1, UNKNOWN);
            }
            if places[local as usize] == UNKNOWN {
                let first = self.instance.program.routine(of_thread.routine).locations.start;
                let location = self.instance.location_of(tables.locals[template].get(local));
                places[local as usize] = location.0.checked_sub(first)?;
            }
            key = key << of_thread.bits | u128::from(places[local as usize]);
        }
        Some(key)
    }

    /// Of the closed sets that contain a thread that can move, and that will do, one in which fewest can.
    fn smallest(&self, choices: &mut Choices, at: &[u32], enabled: u64) -> Option<u64> {
        let mut best: Option<u64> = None;
        for thread in (0..self.threads.len()).filter(|thread| enabled >> thread & 1 == 1) {
            let closed = self.closed(choices, at, 1 << thread);
            let moving = closed & enabled;
            let is_better = best.is_none_or(|best| moving.count_ones() < (best & enabled).count_ones());
            if moving != enabled && is_better && self.all_quiet(at, moving) {
                best = Some(closed);
            }
        }
        best
    }

    fn all_quiet(&self, at: &[u32], threads: u64) -> bool {
        members(threads).all(|thread| self.point(at, thread).is_some_and(|point| point.is_quiet))
    }

    /// What is known of the point where a thread is; nothing inside of a procedure.
    fn point(&self, at: &[u32], thread: usize) -> Option<&Point> {
        let of_thread = &self.threads[thread];
        let first = self.instance.program.routine(of_thread.routine).locations.start;
        let index = at[thread].checked_sub(first)? as usize;
        of_thread.points.get(index).filter(|_| of_thread.everything.is_none())
    }

    /// The least closed set with these threads.
    fn closed(&self, choices: &mut Choices, at: &[u32], mut set: u64) -> u64 {
        let mut waiting = set;
        let all = u64::MAX >> (MOST_THREADS - self.threads.len());
        while waiting != 0 && set != all {
            let thread = waiting.trailing_zeros() as usize;
            waiting &= waiting - 1;
            let next = match (self.point(at, thread), &self.threads[thread].everything) {
                (Some(point), _) => &point.next,
                (None, Some(everything)) => everything,
                // Nobody gets here: a thread without calls is always in its own routine.
                (None, None) => return all,
            };
            for other in members(all & !set) {
                let held = self.held_by(at, set);
                if self.future(choices, at, other, held).is_none_or(|future| next.conflict(future)) {
                    set |= 1 << other;
                    waiting |= 1 << other;
                }
            }
        }
        set
    }

    /// The mutexes that some of these threads hold.
    fn held_by(&self, at: &[u32], threads: u64) -> u64 {
        let holders = &at[self.threads.len()..self.threads.len() + self.mutexes.len()];
        let is_held =
            |holder: u32| holder != 0 && holder as usize <= self.threads.len() && threads >> (holder - 1) & 1 == 1;
        holders.iter().enumerate().fold(0, |held, (mutex, &holder)| held | u64::from(is_held(holder)) << mutex)
    }

    /// What a thread may touch from where it is on, while others hold these mutexes; `None` stands for anything.
    fn future<'c>(&'c self, choices: &'c mut Choices, at: &[u32], thread: usize, held: u64) -> Option<&'c Accesses> {
        let of_thread = &self.threads[thread];
        if of_thread.everything.is_some() {
            return of_thread.everything.as_ref();
        }
        let first = self.instance.program.routine(of_thread.routine).locations.start;
        // The others of these mutexes are none that it takes.
        let key = (thread, held & of_thread.takes);
        if !choices.futures.contains_key(&key) {
            let futures = self.futures(thread, key.1);
            choices.words += futures.len() * self.numbering.words();
            if choices.words > MOST_WORDS {
                choices.futures.clear();
                choices.words = futures.len() * self.numbering.words();
            }
            choices.futures.insert(key, futures);
        }
        choices.futures[&key].get(at[thread].checked_sub(first)? as usize)
    }

    /// For each location of a thread's routine what it may touch from there on.
    fn futures(&self, thread: usize, held: u64) -> Vec<Accesses> {
        let can_be_taken = |edge: &Edge| taken_among(&self.mutexes, edge) & held == 0;
        let (program, routine) = (&*self.instance.program, self.threads[thread].routine);
        self.numbering.futures(program, routine, ThreadId(thread as u32), &can_be_taken)
    }
}

/// Which of these mutexes an edge takes, as bits.
fn taken_among(mutexes: &[SharedId], edge: &Edge) -> u64 {
    let taken = edge.taken().filter(|(place, _)| place.indices.is_empty()).map(|(place, _)| place.var);
    let place = mutexes.iter().position(|&mutex| taken == Some(VarRef::Shared(mutex)));
    place.map_or(0, |place| 1 << place)
}

/// Whether a program is one that the argument above is about, and not too large: this takes but a moment.
pub(crate) fn is_worth_a_trial(instance: &Instance) -> bool {
    let (program, threads) = (&*instance.program, instance.threads.len());
    (2..=MOST_THREADS).contains(&threads)
        && program.locations.len() * threads <= MOST_POINTS
        && !looks_at_others(program)
        && program.patterns().all(|(_, pattern)| is_understood(pattern))
}

fn members(set: u64) -> impl Iterator<Item = usize> {
    (0..u64::BITS as usize).filter(move |thread| set >> thread & 1 == 1)
}

/// Whether a pattern is one that the argument above is about.
fn is_understood(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Signs(signs) => matches!(signs[..], [Sign::Writes(_), Sign::Accesses(_)]),
        Pattern::Deadlock | Pattern::LockCycle => true,
    }
}

/// Whether a step looks at other threads' locals or control.
fn looks_at_others(program: &Program) -> bool {
    let mut found = false;
    for edge in program.edges.iter() {
        edge.op.walk_expressions(&mut |e| found |= matches!(e.kind, ExprKind::LocalOf(..) | ExprKind::At(..)));
    }
    found
}

/// The locations of a routine from which the next step may be final: it may take an edge that closes a cycle, call or return.
fn final_points(program: &Program, routine: RoutineId) -> FxHashSet<LocationId> {
    let closing = closing_edges(program, routine);
    let mut found: FxHashSet<LocationId> = FxHashSet::default();
    let mut grew = true;
    while grew {
        grew = false;
        for (index, (_, edge)) in program.edges_of(routine).enumerate() {
            let is_final = closing[index] || !matches!(edge.op, Op::Command(_));
            let runs_on = program.location(edge.to).transient && found.contains(&edge.to);
            grew |= (is_final || runs_on) && found.insert(edge.from);
        }
    }
    found
}

/// For each edge of a routine whether it leads back to a location from which a search in depth has not returned: every cycle has
/// such an edge.
fn closing_edges(program: &Program, routine: RoutineId) -> Vec<bool> {
    let (locations, edges) = (program.routine(routine).locations.clone(), program.routine(routine).edges.clone());
    let mut closing = vec![false; edges.len()];
    // How many edges of a location have been followed, and whether all of them have to their ends.
    let mut followed = vec![0; locations.len()];
    let mut on_path = vec![false; locations.len()];
    for root in locations.clone() {
        let mut path = vec![root];
        on_path[(root - locations.start) as usize] = true;
        while let Some(&at) = path.last() {
            let index = (at - locations.start) as usize;
            let Some(&edge) = program.location(LocationId(at)).edges.get(followed[index]) else {
                on_path[index] = false;
                path.pop();
                continue;
            };
            followed[index] += 1;
            let to = program.edge(edge).to.0;
            let target = (to - locations.start) as usize;
            if on_path[target] {
                closing[(edge.0 - edges.start) as usize] = true;
            } else if followed[target] == 0 {
                on_path[target] = true;
                path.push(to);
            }
        }
    }
    closing
}

/// What formulas of properties see.
struct Shown<'s> {
    seen: &'s Seen,
    shared: FxHashSet<SharedId>,
}

impl<'s> Shown<'s> {
    fn by_properties(program: &Program, seen: &'s Seen) -> Shown<'s> {
        let mut shared = FxHashSet::default();
        for (_, formula, _) in program.formulas() {
            formula.walk(&mut |e| {
                if let ExprKind::Read(VarRef::Shared(var)) | ExprKind::ReadAfter(VarRef::Shared(var)) = e.kind {
                    shared.insert(var);
                }
            });
        }
        Shown { seen, shared }
    }

    /// Whether the next step from a location may change something that formulas see.
    fn changes(&self, program: &Program, from: LocationId) -> bool {
        let (mut known, mut work) = (FxHashSet::from_iter([from]), vec![from]);
        while let Some(at) = work.pop() {
            for edge in program.location(at).edges.iter().map(|&edge| program.edge(edge)) {
                let arrived = self.seen.names(from) || self.seen.names(edge.to);
                if arrived || self.writes(program, edge) || self.seen.at_the_end_of_a_scope(program, edge) {
                    return true;
                }
                if program.location(edge.to).transient && known.insert(edge.to) {
                    work.push(edge.to);
                }
            }
        }
        false
    }

    fn writes(&self, program: &Program, edge: &Edge) -> bool {
        let routine = program.location(edge.from).routine;
        let shows = |var: VarRef| match var {
            VarRef::Shared(var) => self.shared.contains(&var),
            VarRef::Local(local) => self.seen.local(routine, local),
        };
        match &edge.op {
            Op::Command(command) => match &command.update {
                Update::Assign(assignments) => assignments.iter().any(|(place, _)| shows(place.var)),
                Update::Action { frame, .. } => frame.iter().any(|&var| shows(var)),
            },
            // These steps are final anyway.
            Op::Call { .. } | Op::Return(_) => true,
        }
    }
}
