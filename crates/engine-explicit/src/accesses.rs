//! Which parts of the shared store the steps of each thread read and write: the next step, and all steps from a point on.
//!
//! What a step may touch is told from the program's text, whatever the values are. The parts are whole variables, and the
//! elements of arrays whose first key is a constant or the thread itself. What a race may be about is a part, too, so that steps that race
//! touch the same part: a `norace` may be about several variables that belong together, or about an array as a whole.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use threadwise_ir::{
    Edge, Expr, ExprKind, Instance, LocationId, Op, Place, Program, RoutineId, SharedId, ThreadId, Update, VarRef,
};

/// A set of parts of the shared store.
pub(crate) type Parts = SmallVec<[u64; 2]>;

/// What is read and what is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Accesses {
    pub(crate) reads: Parts,
    pub(crate) writes: Parts,
}

impl Accesses {
    fn none(words: usize) -> Accesses {
        Accesses { reads: SmallVec::from_elem(0, words), writes: SmallVec::from_elem(0, words) }
    }

    /// Adds others; tells whether that was more.
    fn add(&mut self, others: &Accesses) -> bool {
        let mut grew = false;
        let own = self.reads.iter_mut().chain(&mut self.writes);
        for (own, others) in own.zip(others.reads.iter().chain(&others.writes)) {
            grew |= *own | others != *own;
            *own |= others;
        }
        grew
    }

    /// Whether one of them writes what the other one reads or writes.
    pub(crate) fn conflict(&self, others: &Accesses) -> bool {
        let own = self.reads.iter().zip(&self.writes);
        own.zip(others.reads.iter().zip(&others.writes)).any(|((reads, writes), (their_reads, their_writes))| {
            writes & (their_reads | their_writes) != 0 || reads & their_writes != 0
        })
    }
}

/// The parts, numbered: for each variable its elements that are told apart, and the rest of it.
pub(crate) struct Numbering {
    numbers: FxHashMap<(SharedId, Option<i64>), usize>,
    of_variable: Vec<Vec<usize>>,
    /// For each variable what races may be about that it belongs to.
    regions: Vec<Vec<usize>>,
    words: usize,
}

/// The first key of what is accessed, where it can be told.
#[derive(Clone, Copy)]
enum Key {
    Const(i64),
    Own,
}

impl Numbering {
    pub(crate) fn new(instance: &Instance) -> Numbering {
        let program = &*instance.program;
        let none = vec![Vec::new(); program.shared.len()];
        let mut numbering =
            Numbering { numbers: FxHashMap::default(), of_variable: none.clone(), regions: none, words: 1 };
        for var in (0..program.shared.len() as u32).map(SharedId) {
            numbering.add(var, None);
        }
        for edge in program.edges.iter() {
            touched(edge, &mut |var, key, _| match key {
                None => {}
                Some(Key::Const(value)) => numbering.add(var, Some(value)),
                Some(Key::Own) => (1..=instance.threads.len() as i64).for_each(|tid| numbering.add(var, Some(tid))),
            });
        }
        let mut count = numbering.numbers.len();
        for (_, pattern) in program.patterns() {
            let vars = pattern.signs().iter().flat_map(|sign| &sign.region().vars);
            vars.for_each(|var| numbering.regions[var.index()].push(count));
            count += 1;
        }
        numbering.words = count.div_ceil(64);
        numbering
    }

    /// How many words a set of parts has.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    fn add(&mut self, var: SharedId, key: Option<i64>) {
        let count = self.numbers.len();
        self.numbers.entry((var, key)).or_insert_with(|| {
            self.of_variable[var.index()].push(count);
            count
        });
    }

    /// What an edge touches when this thread takes it.
    fn of_edge(&self, edge: &Edge, thread: ThreadId) -> Accesses {
        let mut accesses = Accesses::none(self.words);
        touched(edge, &mut |var, key, writes| {
            let parts = if writes { &mut accesses.writes } else { &mut accesses.reads };
            let mut put = |part: usize| parts[part / 64] |= 1 << (part % 64);
            self.regions[var.index()].iter().copied().for_each(&mut put);
            match key {
                None => self.of_variable[var.index()].iter().copied().for_each(put),
                Some(Key::Const(value)) => put(self.numbers[&(var, Some(value))]),
                Some(Key::Own) => put(self.numbers[&(var, Some(i64::from(thread.0) + 1))]),
            }
        });
        accesses
    }

    /// What all steps of a thread touch.
    pub(crate) fn of_thread(&self, program: &Program, instance: &Instance, thread: ThreadId) -> Accesses {
        let mut all = Accesses::none(self.words);
        for (_, edge) in program.edges_of_thread(instance.threads[thread.index()].template) {
            all.add(&self.of_edge(edge, thread));
        }
        all
    }

    /// For each location of a routine what the next step of a thread there may touch: it goes on as long as control comes to
    /// points that nobody sees.
    pub(crate) fn next_steps(&self, program: &Program, routine: RoutineId, thread: ThreadId) -> Vec<Accesses> {
        let goes_on = |edge: &Edge| program.location(edge.to).transient;
        self.collect(program, routine, thread, &|edge| goes_on(edge), &|_| true)
    }

    /// For each location of a routine what all steps from there may touch, if only these edges can be taken.
    pub(crate) fn futures(
        &self,
        program: &Program,
        routine: RoutineId,
        thread: ThreadId,
        can_be_taken: &dyn Fn(&Edge) -> bool,
    ) -> Vec<Accesses> {
        self.collect(program, routine, thread, &|_| true, can_be_taken)
    }

    /// For each location what the edges from there touch, and those after them where control goes on.
    fn collect(
        &self,
        program: &Program,
        routine: RoutineId,
        thread: ThreadId,
        goes_on: &dyn Fn(&Edge) -> bool,
        counts: &dyn Fn(&Edge) -> bool,
    ) -> Vec<Accesses> {
        let locations = program.routine(routine).locations.clone();
        let index = |location: LocationId| (location.0 - locations.start) as usize;
        let mut found = vec![Accesses::none(self.words); locations.len()];
        let edges: Vec<&Edge> = program.edges_of(routine).map(|(_, edge)| edge).filter(|edge| counts(edge)).collect();
        for edge in &edges {
            found[index(edge.from)].add(&self.of_edge(edge, thread));
        }
        let mut grew = true;
        while grew {
            grew = false;
            for edge in edges.iter().rev().filter(|edge| goes_on(edge) && edge.from != edge.to) {
                let after = found[index(edge.to)].clone();
                grew |= found[index(edge.from)].add(&after);
            }
        }
        found
    }
}

/// Calls `each` with every shared variable that an edge touches, the first key of what it touches of it, and whether it writes there. The
/// result of a call counts where the call is.
fn touched(edge: &Edge, each: &mut dyn FnMut(SharedId, Option<Key>, bool)) {
    match &edge.op {
        Op::Command(command) => {
            command.assertions.iter().for_each(|assertion| read(&assertion.condition, each));
            command.guard.iter().for_each(|e| read(e, each));
            match &command.update {
                Update::Assign(assignments) => {
                    for (place, value) in assignments {
                        written(place, each);
                        if let threadwise_ir::Value::Of(e) = value {
                            read(e, each);
                        }
                    }
                }
                Update::Action { frame, formula, assertion } => {
                    read(formula, each);
                    assertion.iter().for_each(|e| read(e, each));
                    for var in frame {
                        if let VarRef::Shared(var) = var {
                            each(*var, None, true);
                        }
                    }
                }
            }
        }
        Op::Call { args, result, .. } => {
            args.iter().for_each(|e| read(e, each));
            result.iter().for_each(|place| written(place, each));
        }
        Op::Return(value) => value.iter().for_each(|e| read(e, each)),
    }
}

fn written(place: &Place, each: &mut dyn FnMut(SharedId, Option<Key>, bool)) {
    place.indices.iter().for_each(|index| read(index, each));
    if let VarRef::Shared(var) = place.var {
        each(var, place.indices.first().and_then(key_of), true);
    }
}

fn read(e: &Expr, each: &mut dyn FnMut(SharedId, Option<Key>, bool)) {
    match &e.kind {
        ExprKind::Read(VarRef::Shared(var)) | ExprKind::ReadAfter(VarRef::Shared(var)) => each(*var, None, false),
        ExprKind::Index(array, key) => {
            read(key, each);
            match &array.kind {
                ExprKind::Read(VarRef::Shared(var)) | ExprKind::ReadAfter(VarRef::Shared(var)) => {
                    each(*var, key_of(key), false);
                }
                _ => read(array, each),
            }
        }
        ExprKind::Unary(_, a) | ExprKind::Quantified(_, _, a) => read(a, each),
        ExprKind::Binary(_, a, b) => [a, b].into_iter().for_each(|e| read(e, each)),
        ExprKind::Conditional(parts) => parts.iter().for_each(|e| read(e, each)),
        ExprKind::SetLiteral(elements) | ExprKind::ArrayLiteral(elements) => {
            elements.iter().for_each(|e| read(e, each))
        }
        ExprKind::LocalOf(thread, _) | ExprKind::At(thread, _) => read(&thread.thread, each),
        ExprKind::Const(_)
        | ExprKind::Thread(_)
        | ExprKind::SelfThread
        | ExprKind::Read(VarRef::Local(_))
        | ExprKind::ReadAfter(VarRef::Local(_))
        | ExprKind::Bound(_) => {}
    }
}

fn key_of(key: &Expr) -> Option<Key> {
    match key.kind {
        ExprKind::Const(value) => Some(Key::Const(value)),
        ExprKind::SelfThread => Some(Key::Own),
        _ => None,
    }
}
