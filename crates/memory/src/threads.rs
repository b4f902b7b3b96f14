//! Which threads there are: the entries, and for each place that creates threads those that it can create.

use crate::Options;
use crate::code::{
    BinaryOp, BlockId, Code, End, Expr, ExprKind, FunctionId, Instruction, InstructionKind, Language, Library, LocalId,
    Place, Type,
};
use crate::flat::{Flat, components, flatten, plain_function, taken_functions};
use crate::objects::{ANY_LENGTH, ThreadIndex};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use threadwise_source::Diagnostic;

/// More threads of one kind than this are any number of threads.
const MAX_COPIES: u64 = 64;

/// More kinds of threads are not laid out.
const MAX_KINDS: usize = 200;

#[derive(Clone, Debug)]
pub(crate) struct Thread {
    pub(crate) name: Arc<str>,
    pub(crate) flat: Flat,
    pub(crate) copies: Number,
    /// Who creates it; nobody creates entries.
    pub(crate) creator: Option<ThreadIndex>,
    /// Whether it is there from the start.
    pub(crate) is_entry: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Number {
    Exactly(u64),
    Any,
}

impl Number {
    fn times(self, other: Number) -> Number {
        match (self, other) {
            (Number::Exactly(a), Number::Exactly(b)) if a * b <= MAX_COPIES => Number::Exactly(a * b),
            _ => Number::Any,
        }
    }

    fn plus(self, other: Number) -> Number {
        match (self, other) {
            (Number::Exactly(a), Number::Exactly(b)) if a + b <= MAX_COPIES => Number::Exactly(a + b),
            _ => Number::Any,
        }
    }

    pub(crate) fn is_one(self) -> bool {
        self == Number::Exactly(1)
    }
}

/// A place in the code of a thread: the block, and the number of the instruction in it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct At {
    pub(crate) thread: ThreadIndex,
    pub(crate) block: u32,
    pub(crate) instruction: u32,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Threads {
    /// A thread that starts one of its own kind starts another kind of thread, as deep as that is looked at.
    nests: bool,
    pub(crate) all: Vec<Thread>,
    /// For each place that creates threads what it may create: for each function the threads, in their order.
    pub(crate) created: BTreeMap<At, Vec<(FunctionId, Vec<ThreadIndex>)>>,
    /// The functions whose addresses are taken.
    pub(crate) taken: Vec<FunctionId>,
    /// How many calls of one function can be open at the same time.
    pub(crate) recursion: u32,
    /// How many of any number of threads are told apart where they have to be.
    told_apart: u64,
    /// Places that may create more threads than are told apart.
    pub(crate) too_few: BTreeSet<At>,
}

impl Threads {
    pub(crate) fn indices(&self) -> impl Iterator<Item = ThreadIndex> + use<> {
        (0..self.all.len() as u32).map(ThreadIndex)
    }

    pub(crate) fn get(&self, index: ThreadIndex) -> &Thread {
        &self.all[index.index()]
    }

    /// All instructions of all threads, with their places.
    pub(crate) fn instructions(&self) -> impl Iterator<Item = (At, &Instruction)> {
        self.indices().flat_map(move |thread| {
            self.get(thread).flat.blocks.iter().zip(0..).flat_map(move |(block, number)| {
                let at = move |instruction| At { thread, block: number, instruction };
                block.instructions.iter().zip(0..).map(move |(instruction, index)| (at(index), instruction))
            })
        })
    }
}

/// Finds all threads. Threads that run a function in `apart` are told apart one by one, as far as there is a fixed number.
pub(crate) fn discover(code: &Code, apart: &BTreeSet<FunctionId>, options: &Options) -> Result<Threads, Diagnostic> {
    let (recursion, told_apart) = (options.recursion, u64::from(options.objects));
    let mut threads = Threads { taken: taken_functions(code), recursion, told_apart, ..Threads::default() };
    threads.nests = code.language == Language::Java && !options.outline;
    for &entry in &code.entries {
        let flat = flatten(code, entry, &threads.taken, recursion)?;
        let name = fresh_name(&threads, &code.function(entry).name);
        threads.all.push(Thread { name, flat, copies: Number::Exactly(1), creator: None, is_entry: true });
    }
    // What is known by function and argument, so that threads that do the same are copies of one.
    let mut known: BTreeMap<(FunctionId, Option<i64>), ThreadIndex> = BTreeMap::new();
    let mut made: Vec<Made> = Vec::new();
    let mut next = 0;
    while next < threads.all.len() {
        let thread = ThreadIndex(next as u32);
        next += 1;
        for (at, function, argument, repeats) in creations(&threads, thread) {
            let copies = threads.get(thread).copies.times(repeats);
            let candidates = match plain_function(&function) {
                Some(function) => vec![function],
                None => threads.taken.iter().copied().filter(|id| code.function(*id).params <= 1).collect(),
            };
            for id in candidates {
                let created = create(code, &mut threads, &mut known, apart, thread, id, argument.as_ref(), copies)?;
                made.push(Made { creator: thread, created: created.clone(), repeats });
                if copies == Number::Any && created.len() > 1 {
                    threads.too_few.insert(at);
                }
                threads.created.entry(at).or_default().push((id, created));
            }
        }
    }
    count(code, &mut threads, &made)?;
    Ok(threads)
}

/// What a place that creates threads makes, and how often control comes there in one run of its thread.
struct Made {
    creator: ThreadIndex,
    created: Vec<ThreadIndex>,
    repeats: Number,
}

/// Counts again how many threads of each kind there can be: a creator may have turned out to have more copies than it had
/// when its own creations were looked at.
fn count(code: &Code, threads: &mut Threads, made: &[Made]) -> Result<(), Diagnostic> {
    loop {
        let mut totals: BTreeMap<ThreadIndex, Number> = BTreeMap::new();
        for of in made {
            let copies = threads.get(of.creator).copies.times(of.repeats);
            match &of.created[..] {
                [one] => {
                    let total = totals.get(one).map_or(copies, |before| before.plus(copies));
                    totals.insert(*one, total);
                }
                [] => {}
                several => {
                    // Of any number as many are told apart as was said; to create more is beyond that.
                    if copies != Number::Any && copies != Number::Exactly(several.len() as u64) {
                        let function = code.function(threads.get(several[0]).flat.root);
                        let message = format!("the threads that run `{}` cannot be told apart", function.name);
                        return Err(Diagnostic::error(function.span, message)
                            .hint("give what they share with others a place of its own on the heap"));
                    }
                }
            }
        }
        let mut changed = false;
        for (thread, total) in totals {
            let known = &mut threads.all[thread.index()].copies;
            if total > *known {
                *known = total;
                changed = true;
            }
        }
        if !changed {
            return Ok(());
        }
    }
}

#[allow(clippy::too_many_arguments)]
fn create(
    code: &Code,
    threads: &mut Threads,
    known: &mut BTreeMap<(FunctionId, Option<i64>), ThreadIndex>,
    apart: &BTreeSet<FunctionId>,
    creator: ThreadIndex,
    function: FunctionId,
    argument: Option<&Expr>,
    copies: Number,
) -> Result<Vec<ThreadIndex>, Diagnostic> {
    // A thread that creates its own kind: there is any number of them.
    // All threads of a class begin alike in Java, whatever they run then: a thread that starts another one is common, and two
    // of them, one in the other, are told apart. What is deeper is beyond that.
    let (mut ancestor, mut depth) = (Some(creator), 0);
    while let Some(thread) = ancestor {
        if threads.get(thread).flat.root == function && !threads.get(thread).is_entry {
            if !threads.nests {
                threads.all[thread.index()].copies = Number::Any;
                return Ok(vec![thread]);
            }
            depth += 1;
        }
        ancestor = threads.get(thread).creator;
    }
    if depth > 1 {
        return Ok(Vec::new());
    }
    let is_nested = depth > 0;
    let same = match argument.map(|e| &without_conversions(e).kind) {
        None => Some(0),
        Some(ExprKind::Const(value)) => Some(*value),
        Some(_) if code.function(function).params == 0 => Some(0),
        Some(_) => None,
    };
    let key = (function, same);
    if same.is_some()
        && !is_nested
        && !apart.contains(&function)
        && let Some(&thread) = known.get(&key)
    {
        let more = threads.get(thread).copies.plus(copies);
        threads.all[thread.index()].copies = more;
        return Ok(vec![thread]);
    }
    let (count, each) = match copies {
        Number::Exactly(n) if is_nested || apart.contains(&function) => (n, Number::Exactly(1)),
        Number::Any if is_nested || apart.contains(&function) => (threads.told_apart, Number::Exactly(1)),
        copies => (1, copies),
    };
    let mut created = Vec::new();
    for _ in 0..count {
        if threads.all.len() >= MAX_KINDS {
            let span = code.function(function).span;
            return Err(Diagnostic::error(span, "the program has too many different threads")
                .hint("create threads that do the same in a loop"));
        }
        let flat = flatten(code, function, &threads.taken, threads.recursion)?;
        let name = fresh_name(threads, &code.function(function).name);
        threads.all.push(Thread { name, flat, copies: each, creator: Some(creator), is_entry: false });
        created.push(ThreadIndex(threads.all.len() as u32 - 1));
    }
    if let (Some(_), [one], false) = (same, &created[..], is_nested) {
        known.insert(key, *one);
    }
    Ok(created)
}

pub(crate) fn without_conversions(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Convert(inner) => without_conversions(inner),
        _ => e,
    }
}

fn fresh_name(threads: &Threads, name: &str) -> Arc<str> {
    let is_free = |name: &str| threads.all.iter().all(|thread| &*thread.name != name);
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    let free = [name.to_string()].into_iter().chain(numbered).find(|name| is_free(name));
    free.expect("there is always another number").into()
}

/// The places of a thread that create threads, each with what is created and how often.
fn creations(threads: &Threads, thread: ThreadIndex) -> Vec<(At, Expr, Option<Expr>, Number)> {
    let flat = &threads.get(thread).flat;
    let cycles = flat.on_cycles();
    let mut found = Vec::new();
    for (block, number) in flat.blocks.iter().zip(0u32..) {
        for (instruction, index) in block.instructions.iter().zip(0u32..) {
            let InstructionKind::Library(library) = &instruction.kind else { continue };
            let Library::Create { function, argument, .. } = &**library else { continue };
            let repeats = repeats(flat, &cycles, number as usize).map_or(Number::Any, Number::Exactly);
            found.push((At { thread, block: number, instruction: index }, function.clone(), argument.clone(), repeats));
        }
    }
    found
}

/// How often control comes to a block at most: once if it is on no cycle; as often as a loop counts, if the loop counts a
/// local that nobody else changes up to a constant, and cannot go round without counting and comparing.
pub(crate) fn repeats(flat: &Flat, cycles: &[Option<usize>], block: usize) -> Option<u64> {
    let Some(cycle) = cycles[block] else { return Some(1) };
    let inside = |at: usize| cycles[at] == Some(cycle);
    let mut best: Option<u64> = None;
    for at in (0..flat.blocks.len()).filter(|&at| inside(at)) {
        let End::Branch(condition, yes, no) = &flat.blocks[at].end else { continue };
        if !inside(yes.index()) || inside(no.index()) || !is_needed(flat, &inside, at, block) {
            continue;
        }
        if let Some(count) = counted(flat, &inside, condition, block) {
            best = Some(best.map_or(count, |best| best.min(count)));
        }
    }
    best.filter(|count| *count <= MAX_COPIES)
}

/// Whether control cannot come back to a block without passing another one.
pub(crate) fn is_needed(flat: &Flat, inside: &dyn Fn(usize) -> bool, through: usize, block: usize) -> bool {
    if through == block {
        return true;
    }
    let next = |at: usize| -> Vec<usize> {
        if at == through || !inside(at) {
            return Vec::new();
        }
        let targets = crate::walk::targets(&flat.blocks[at].end).into_iter().map(BlockId::index);
        targets.filter(|&to| to != through && inside(to)).collect()
    };
    components(flat.blocks.len(), &next)[block].is_none()
}

/// How often a loop runs whose condition compares a local with a constant.
fn counted(flat: &Flat, inside: &dyn Fn(usize) -> bool, condition: &Expr, block: usize) -> Option<u64> {
    let ExprKind::Binary(op, left, right) = &without_conversions(condition).kind else { return None };
    if narrows(left) {
        return None;
    }
    let (local, ExprKind::Const(limit)) = (plain_local(left)?, &without_conversions(right).kind) else { return None };
    if is_address_taken(flat, local) {
        return None;
    }
    let (mut start, mut step) = (None, None);
    for (number, of) in flat.blocks.iter().enumerate() {
        for instruction in &of.instructions {
            if !writes(&instruction.kind, local) {
                continue;
            }
            let InstructionKind::Assign { value, .. } = &instruction.kind else { return None };
            match &without_conversions(value).kind {
                ExprKind::Const(first) if !inside(number) => {
                    start = Some(start.map_or(*first, |start: i64| start.min(*first)));
                }
                ExprKind::Binary(BinaryOp::Add, a, b) if inside(number) && plain_local(a) == Some(local) => {
                    let ExprKind::Const(by @ 1..) = without_conversions(b).kind else { return None };
                    if step.is_some() || !is_needed(flat, inside, number, block) {
                        return None;
                    }
                    step = Some(by);
                }
                _ => return None,
            }
        }
    }
    let count = match (op, step?) {
        (BinaryOp::Lt, _) | (BinaryOp::Ne, 1) if fits(flat, local, *limit) => limit.checked_sub(start?)?,
        (BinaryOp::Le, _) if fits(flat, local, limit.checked_add(1)?) => limit.checked_sub(start?)?.checked_add(1)?,
        _ => return None,
    };
    u64::try_from(count).ok()
}

/// Whether a local can get as far as a number.
fn fits(flat: &Flat, local: LocalId, number: i64) -> bool {
    flat.locals[local.index()].variable.ty.bits().is_some_and(|bits| bits.wrap(number) == number)
}

/// Whether a conversion cuts something off, so that numbers begin anew.
fn narrows(e: &Expr) -> bool {
    let ExprKind::Convert(inner) = &e.kind else { return false };
    let is_narrower = match (inner.ty.bits(), e.ty.bits()) {
        (Some(from), Some(to)) => to.width < from.width,
        _ => true,
    };
    is_narrower || narrows(inner)
}

/// Whether an instruction may change a local by its name, other than by declaring it.
pub(crate) fn writes(kind: &InstructionKind, local: LocalId) -> bool {
    let is_it = |place: &Place| matches!(place.base, crate::code::Base::Local(id) if id == local);
    match kind {
        InstructionKind::Assign { to, .. } | InstructionKind::Copy { to, .. } | InstructionKind::Clear(to) => is_it(to),
        InstructionKind::Call { result, .. } => result.as_ref().is_some_and(is_it),
        InstructionKind::Library(library) => {
            let mut library = (**library).clone();
            crate::walk::parts_of(&mut library).0.into_iter().any(|place| is_it(place))
        }
        InstructionKind::Declare(_)
        | InstructionKind::Enter(_)
        | InstructionKind::Assert(..)
        | InstructionKind::Assume(_)
        | InstructionKind::AtomicBegin
        | InstructionKind::AtomicWhen(_)
        | InstructionKind::AtomicEnd
        | InstructionKind::LoopInvariant(_) => false,
    }
}

pub(crate) fn is_address_taken(flat: &Flat, local: LocalId) -> bool {
    let mut is_taken = false;
    for block in &flat.blocks {
        crate::walk::for_each_expr(block, &mut |e| {
            if let ExprKind::Address(place) = &e.kind {
                is_taken |= matches!(place.base, crate::code::Base::Local(id) if id == local);
            }
        });
    }
    is_taken
}

pub(crate) fn plain_local(e: &Expr) -> Option<LocalId> {
    match &without_conversions(e).kind {
        ExprKind::Load(place) => match place.base {
            crate::code::Base::Local(id) if place.path.is_empty() => Some(id),
            _ => None,
        },
        _ => None,
    }
}

/// An allocation: where, of what, and how many are kept apart.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) at: At,
    pub(crate) ty: Type,
    /// The elements of one object.
    pub(crate) elements: u64,
    pub(crate) zeroed: bool,
    pub(crate) slots: u64,
    /// No more can be needed.
    pub(crate) exact: bool,
    /// Its elements are known to be as many.
    pub(crate) counted: bool,
}

/// All allocations. Those in loops get as many objects as the loop seems to need, or else `objects`.
pub(crate) fn sites(threads: &Threads, objects: u64) -> Vec<Site> {
    let cycles: Vec<Vec<Option<usize>>> = threads.all.iter().map(|thread| thread.flat.on_cycles()).collect();
    let mut found = Vec::new();
    for (at, instruction) in threads.instructions() {
        let InstructionKind::Library(library) = &instruction.kind else { continue };
        let Library::Allocate { ty, count, zeroed, .. } = &**library else { continue };
        let thread = threads.get(at.thread);
        let repeats = repeats(&thread.flat, &cycles[at.thread.index()], at.block as usize);
        let copies = match thread.copies {
            Number::Exactly(n) => Some(n),
            Number::Any => None,
        };
        let needed = repeats.zip(copies).map(|(repeats, copies)| repeats * copies);
        let needed = needed.filter(|needed| *needed <= objects.max(MAX_COPIES));
        let (slots, exact) = (needed.unwrap_or(objects), needed.is_some());
        let (elements, counted) = match &without_conversions(count).kind {
            ExprKind::Const(n) => (u64::try_from(*n).unwrap_or(0), true),
            // One array of numbers is as long as it is; of several, or of arrays of something else, the first elements are kept.
            _ if exact && slots == 1 && matches!(ty, Type::Int(_)) => (ANY_LENGTH, false),
            _ => (objects, false),
        };
        found.push(Site { at, ty: ty.clone(), elements, zeroed: *zeroed, slots: slots.max(1), exact, counted });
    }
    found
}

/// Whether control comes from one block back to an earlier one: for each block whether it is the target of such an edge.
pub(crate) fn loop_heads(flat: &Flat) -> Vec<bool> {
    let count = flat.blocks.len();
    let (mut heads, mut state) = (vec![false; count], vec![0u8; count]);
    let mut work = vec![(0usize, 0usize)];
    if count > 0 {
        state[0] = 1;
    }
    while let Some((block, at)) = work.last_mut() {
        let targets = crate::walk::targets(&flat.blocks[*block].end);
        match targets.get(*at).map(|to: &BlockId| to.index()) {
            Some(to) => {
                *at += 1;
                match state[to] {
                    0 => {
                        state[to] = 1;
                        work.push((to, 0));
                    }
                    1 => heads[to] = true,
                    _ => {}
                }
            }
            None => {
                state[*block] = 2;
                work.pop();
            }
        }
    }
    heads
}
