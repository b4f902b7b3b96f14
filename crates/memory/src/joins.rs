//! Loops that join all threads which another loop has created: what outlines know besides what each join says.
//!
//! One loop counts `i` from 0 up to some bound and creates a thread with the handle `a[i]`; a later one counts from 0 up to
//! the same bound and joins `a[i]` each time it goes round. Nothing else writes to the array, nor to the bound or to the
//! pointer to the array once the first loop has begun. Both loops run at most once, since they are in no other loop. Then
//! all threads of the kind that have been created have ended where the second loop ends by its condition: their handles
//! are elements below the bound, each stored once, and all of these have been joined.

use crate::code::{Base, BinaryOp, BlockId, End, Expr, ExprKind, InstructionKind, Library, LocalId, Place, Step};
use crate::flat::Flat;
use crate::layout::leaves_below;
use crate::objects::{LeafId, Storage, ThreadIndex};
use crate::points::Points;
use crate::threads::{At, is_address_taken, is_needed, plain_local, without_conversions, writes};
use std::collections::{BTreeMap, BTreeSet};

/// For each block with the condition of a loop that joins threads, by thread: which kinds have ended when it is left.
pub(crate) type JoinedAll = BTreeMap<(ThreadIndex, usize), Vec<ThreadIndex>>;

pub(crate) fn joined_all(points: &mut Points<'_>) -> JoinedAll {
    let threads = points.threads;
    let mut found = JoinedAll::new();
    for thread in threads.indices().filter(|&thread| threads.get(thread).copies.is_one()) {
        let mut search = Search::of(points, thread);
        let loops = search.loops();
        for (create, kind) in search.creations(&loops) {
            for join in search.joins(&loops, &create) {
                found.entry((thread, join)).or_default().push(kind);
            }
        }
    }
    found
}

/// A loop that counts from 0 up by one, while it compares with a bound.
#[derive(Clone, Debug)]
pub(crate) struct Counting {
    pub(crate) cycle: usize,
    pub(crate) header: usize,
    pub(crate) index: LocalId,
    bound: Expr,
    /// Where it counts: block and instruction.
    counts: (usize, usize),
}

/// A place that creates threads, in a loop.
struct Creation {
    of: Counting,
    handle: Place,
    at: At,
}

pub(crate) struct Search<'a, 'p> {
    points: &'a mut Points<'p>,
    thread: ThreadIndex,
    flat: &'p Flat,
}

impl<'a, 'p> Search<'a, 'p> {
    pub(crate) fn of(points: &'a mut Points<'p>, thread: ThreadIndex) -> Search<'a, 'p> {
        let flat = &points.threads.get(thread).flat;
        Search { points, thread, flat }
    }

    /// The loop that counts in which a kind of threads is created, at most once each time that it goes round, and nowhere else.
    pub(crate) fn creating(&self, at: At, kind: ThreadIndex) -> Option<Counting> {
        let cycles = self.flat.on_cycles();
        let place = (at.block as usize, at.instruction as usize);
        let is_it = |of: &Counting| cycles[place.0] == Some(of.cycle) && self.is_before_counting(of, place);
        self.loops().into_iter().find(is_it).filter(|_| self.only_kind(at) == Some(kind))
    }

    /// Whether nobody writes a variable once a loop has begun.
    pub(crate) fn stays(&mut self, variable: &Place, of: &Counting) -> bool {
        let (thread, later) = (self.thread, self.reachable(of.header));
        let leaves: BTreeSet<LeafId> = self.points.leaves_of(thread, variable).into_iter().collect();
        let is_later = |at: At| at.thread != thread || later.contains(&(at.block as usize));
        !leaves.is_empty() && !self.is_written(&leaves, &is_later)
    }

    fn targets(&self, block: usize) -> Vec<usize> {
        crate::walk::targets(&self.flat.blocks[block].end).into_iter().map(BlockId::index).collect()
    }

    fn loops(&self) -> Vec<Counting> {
        let cycles = self.flat.on_cycles();
        let all = 0..self.flat.blocks.len();
        all.filter_map(|header| self.counting(&cycles, header)).collect()
    }

    fn counting(&self, cycles: &[Option<usize>], header: usize) -> Option<Counting> {
        let cycle = cycles[header]?;
        let inside = |block: usize| cycles[block] == Some(cycle);
        let End::Branch(condition, yes, no) = &self.flat.blocks[header].end else { return None };
        let ExprKind::Binary(BinaryOp::Lt | BinaryOp::Ne, left, right) = &without_conversions(condition).kind else {
            return None;
        };
        let index = plain_local(left)?;
        if !inside(yes.index()) || inside(no.index()) || is_address_taken(self.flat, index) {
            return None;
        }
        let counts = self.counts_by_one(&inside, index)?;
        let goes_round = is_needed(self.flat, &inside, counts.0, header)
            && is_needed(self.flat, &inside, header, counts.0)
            && counts.0 != header;
        let starts_at_zero = (0..self.flat.blocks.len()).filter(|&block| !inside(block)).all(|block| {
            let mut entered = self.targets(block).into_iter().filter(|&to| inside(to));
            entered.all(|to| to == header && self.last_constant(block, index) == Some(0))
        });
        let bound = without_conversions(right).clone();
        (goes_round && starts_at_zero).then_some(Counting { cycle, header, index, bound, counts })
    }

    /// The one instruction of a loop that changes its index, if it adds one to it.
    fn counts_by_one(&self, inside: &dyn Fn(usize) -> bool, index: LocalId) -> Option<(usize, usize)> {
        let mut found = None;
        for (number, block) in self.flat.blocks.iter().enumerate().filter(|(number, _)| inside(*number)) {
            for (at, instruction) in block.instructions.iter().enumerate() {
                let is_new = matches!(instruction.kind, InstructionKind::Declare(local) if local == index);
                if !is_new && !writes(&instruction.kind, index) {
                    continue;
                }
                let InstructionKind::Assign { value, .. } = &instruction.kind else { return None };
                let ExprKind::Binary(BinaryOp::Add, a, b) = &without_conversions(value).kind else { return None };
                let is_one = matches!(without_conversions(b).kind, ExprKind::Const(1));
                if plain_local(a) != Some(index) || !is_one || found.is_some() {
                    return None;
                }
                found = Some((number, at));
            }
        }
        found
    }

    /// The constant that a variable has at the end of a block, if it got it there or on the only way to there.
    fn last_constant(&self, mut block: usize, local: LocalId) -> Option<i64> {
        for _ in 0..self.flat.blocks.len() {
            let instructions = self.flat.blocks[block].instructions.iter().rev();
            let is_new = |kind: &InstructionKind| matches!(kind, InstructionKind::Declare(new) if *new == local);
            let mut changes = instructions.filter(|one| writes(&one.kind, local) || is_new(&one.kind));
            if let Some(last) = changes.next() {
                let InstructionKind::Assign { value, .. } = &last.kind else { return None };
                let ExprKind::Const(word) = without_conversions(value).kind else { return None };
                return Some(word);
            }
            let all = 0..self.flat.blocks.len();
            let before: Vec<usize> = all.filter(|&from| self.targets(from).contains(&block)).collect();
            let [only] = before[..] else { return None };
            block = only;
        }
        None
    }

    /// The places that are the only ones to create a kind of threads, and do so in a loop that counts.
    fn creations(&mut self, loops: &[Counting]) -> Vec<(Creation, ThreadIndex)> {
        let cycles = self.flat.on_cycles();
        let mut found = Vec::new();
        for (number, block) in self.flat.blocks.iter().enumerate() {
            for (index, instruction) in block.instructions.iter().enumerate() {
                let InstructionKind::Library(library) = &instruction.kind else { continue };
                let Library::Create { handle: Some(handle), .. } = &**library else { continue };
                let at = At { thread: self.thread, block: number as u32, instruction: index as u32 };
                let Some(kind) = self.only_kind(at) else { continue };
                for of in loops.iter().filter(|of| cycles[number] == Some(of.cycle)) {
                    let creation = Creation { of: of.clone(), handle: handle.clone(), at };
                    if self.is_before_counting(of, (number, index)) && self.is_kept(&creation) {
                        found.push((creation, kind));
                    }
                }
            }
        }
        found
    }

    /// What is created there and nowhere else.
    fn only_kind(&self, at: At) -> Option<ThreadIndex> {
        let created = &self.points.threads.created;
        let [(_, kinds)] = &created.get(&at)?[..] else { return None };
        let [kind] = kinds[..] else { return None };
        let mut others = created.iter().filter(|(other, _)| **other != at).flat_map(|(_, created)| created);
        (!others.any(|(_, kinds)| kinds.contains(&kind))).then_some(kind)
    }

    /// Whether an instruction comes at most once before the loop counts, each time that it goes round.
    fn is_before_counting(&self, of: &Counting, (block, instruction): (usize, usize)) -> bool {
        let cycles = self.flat.on_cycles();
        let inside = |at: usize| cycles[at] == Some(of.cycle);
        if block == of.header || !is_needed(self.flat, &inside, of.header, block) {
            return false;
        }
        if block == of.counts.0 {
            return instruction < of.counts.1;
        }
        let (mut seen, mut open) = (BTreeSet::new(), vec![of.counts.0]);
        while let Some(at) = open.pop() {
            for to in self.targets(at).into_iter().filter(|&to| inside(to) && to != of.header) {
                if to == block {
                    return false;
                }
                if seen.insert(to) {
                    open.push(to);
                }
            }
        }
        true
    }

    /// Whether the handles are elements with the index of the loop, which nobody else changes, and the bound and the
    /// pointer to the array stay as they are from when the loop begins.
    fn is_kept(&mut self, creation: &Creation) -> bool {
        let thread = self.thread;
        let place = plain_place(&creation.handle);
        let (pointer, index) = match (array_and_index(place), self.field_and_index(place)) {
            (Some(found), _) => found,
            (None, Some((_, index))) => (None, index),
            (None, None) => return false,
        };
        let handles: BTreeSet<LeafId> = self.points.leaves_of(thread, &creation.handle).into_iter().collect();
        // That the array begins to live, before the loop, is nothing that is stored in it.
        let later = self.reachable(creation.of.header);
        let begins = |at: At| match self.flat.blocks[at.block as usize].instructions[at.instruction as usize].kind {
            InstructionKind::Declare(_) => !later.contains(&(at.block as usize)),
            _ => false,
        };
        let others = |at: At| at != creation.at && !(at.thread == thread && begins(at));
        if index != creation.of.index || handles.is_empty() || self.is_written(&handles, &others) {
            return false;
        }
        let mut stable = BTreeSet::new();
        for e in [Some(&creation.of.bound), pointer].into_iter().flatten() {
            match &e.kind {
                ExprKind::Const(_) => {}
                ExprKind::Load(place) if place.path.is_empty() && !matches!(place.base, Base::Deref(..)) => {
                    stable.extend(self.points.leaves_of(thread, place));
                }
                _ => return false,
            }
        }
        !self.is_written(&stable, &|at: At| at.thread != thread || later.contains(&(at.block as usize)))
    }

    fn reachable(&self, from: usize) -> BTreeSet<usize> {
        let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
        while let Some(at) = open.pop() {
            open.extend(self.targets(at).into_iter().filter(|&to| seen.insert(to)));
        }
        seen
    }

    /// Whether somebody may write one of these parts of memory, at one of these places in the code.
    fn is_written(&mut self, leaves: &BTreeSet<LeafId>, places: &dyn Fn(At) -> bool) -> bool {
        let (code, threads) = (self.points.code, self.points.threads);
        for (at, instruction) in threads.instructions().filter(|(at, _)| places(*at)) {
            let mut written: Vec<LeafId> = Vec::new();
            match &instruction.kind {
                InstructionKind::Assign { to, .. } | InstructionKind::Copy { to, .. } | InstructionKind::Clear(to) => {
                    written.extend(leaves_below(code, self.points, at.thread, to));
                }
                InstructionKind::Call { args, result, .. } => {
                    result.iter().for_each(|to| written.extend(leaves_below(code, self.points, at.thread, to)));
                    for target in args.iter().flat_map(|arg| self.points.eval(at.thread, arg)).collect::<Vec<_>>() {
                        written.extend(&self.points.objects.object(target.object).leaves);
                    }
                }
                InstructionKind::Library(library) => {
                    let mut library = (**library).clone();
                    for place in crate::walk::parts_of(&mut library).0 {
                        written.extend(leaves_below(code, self.points, at.thread, place));
                    }
                }
                InstructionKind::Declare(local) => {
                    let object = self.points.objects.at(Storage::Local(at.thread, *local));
                    written.extend(&self.points.objects.object(object).leaves);
                }
                InstructionKind::Assert(..)
                | InstructionKind::Assume(_)
                | InstructionKind::AtomicBegin
                | InstructionKind::AtomicWhen(_)
                | InstructionKind::AtomicEnd
                | InstructionKind::Enter(_)
                | InstructionKind::LoopInvariant(_) => {}
            }
            if written.iter().any(|leaf| leaves.contains(leaf)) {
                return true;
            }
        }
        false
    }

    /// The loops that join all that was created.
    fn joins(&mut self, loops: &[Counting], creation: &Creation) -> Vec<usize> {
        let cycles = self.flat.on_cycles();
        let mut is_it = |of: &&Counting| {
            let inside = |at: usize| cycles[at] == Some(of.cycle);
            let is_left_by_condition = (0..self.flat.blocks.len())
                .filter(|&at| inside(at) && at != of.header)
                .all(|at| self.targets(at).into_iter().all(|to| inside(to) || self.ends(to)));
            let flat = self.flat;
            let joins = flat.blocks.iter().enumerate().filter(|(at, _)| inside(*at)).any(|(at, block)| {
                let needed = is_needed(self.flat, &inside, at, of.header);
                let mut all = block.instructions.iter().enumerate();
                needed
                    && all.any(|(index, one)| {
                        self.joins_element(&one.kind, &creation.handle, of) && self.is_before_counting(of, (at, index))
                    })
            });
            of.cycle != creation.of.cycle && same(&of.bound, &creation.of.bound) && is_left_by_condition && joins
        };
        loops.iter().filter(|of| is_it(of)).map(|of| of.header).collect()
    }

    /// The array that is a field of the one struct which this can only be, and the local that is the index in it.
    fn field_and_index(&mut self, place: &Place) -> Option<(LeafId, LocalId)> {
        let [fields @ .., Step::Index(index)] = &place.path[..] else { return None };
        let is_field = |step: &Step| matches!(step, Step::Field(_));
        if fields.is_empty() || !fields.iter().all(is_field) {
            return None;
        }
        let leaves = self.points.leaves_of(self.thread, place);
        let [only] = leaves.into_iter().collect::<Vec<LeafId>>()[..] else { return None };
        let leaf = self.points.objects.leaf(only);
        let object = self.points.objects.object(leaf.object);
        let is_one = match object.storage {
            Storage::Global(_) => true,
            Storage::Local(owner, _) => self.points.threads.get(owner).copies.is_one(),
            Storage::ThreadLocal(..) | Storage::Heap(_) | Storage::Function(_) => false,
        };
        (is_one && object.slots == 1 && leaf.dims.len() == 1).then_some((only, plain_local(index)?))
    }

    /// The program, or the execution, ends there.
    fn ends(&self, block: usize) -> bool {
        matches!(self.flat.blocks[block].end, End::Exit | End::Unreachable)
    }

    fn joins_element(&mut self, kind: &InstructionKind, handle: &Place, of: &Counting) -> bool {
        let InstructionKind::Library(library) = kind else { return false };
        let Library::Join { thread, .. } = &**library else { return false };
        let ExprKind::Load(place) = &without_conversions(thread).kind else { return false };
        let (place, handle) = (plain_place(place), plain_place(handle));
        if let (Some((own, index)), Some((other, _))) = (self.field_and_index(place), self.field_and_index(handle)) {
            return own == other && index == of.index;
        }
        let (Some((own, index)), Some((other, _))) = (array_and_index(place), array_and_index(handle)) else {
            return false;
        };
        let is_same_array = match (own, other) {
            (Some(a), Some(b)) => same(a, b),
            (None, None) => same_variable(&place.base, &handle.base),
            _ => false,
        };
        is_same_array && index == of.index
    }
}

/// What `*&place` is.
fn plain_place(place: &Place) -> &Place {
    match (&place.base, &place.path[..]) {
        (Base::Deref(pointer, _), []) => match &without_conversions(pointer).kind {
            ExprKind::Address(inner) => plain_place(inner),
            _ => place,
        },
        _ => place,
    }
}

/// The pointer to the array that a place is an element of, if there is one, and the local that is the index.
fn array_and_index(place: &Place) -> Option<(Option<&Expr>, LocalId)> {
    match (&place.base, &place.path[..]) {
        (Base::Local(_) | Base::Global(_), [Step::Index(index)]) => Some((None, plain_local(index)?)),
        (Base::Deref(pointer, _), []) => match &without_conversions(pointer).kind {
            ExprKind::Offset(array, by, _) => Some((Some(without_conversions(array)), plain_local(by)?)),
            _ => None,
        },
        (Base::Deref(pointer, _), [Step::Index(index)]) => {
            Some((Some(without_conversions(pointer)), plain_local(index)?))
        }
        _ => None,
    }
}

fn same_variable(a: &Base, b: &Base) -> bool {
    match (a, b) {
        (Base::Local(a), Base::Local(b)) => a == b,
        (Base::Global(a), Base::Global(b)) => a == b,
        _ => false,
    }
}

/// Whether two expressions are the same constant or the same variable.
fn same(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Const(a), ExprKind::Const(b)) => a == b,
        (ExprKind::Load(a), ExprKind::Load(b)) => {
            a.path.is_empty() && b.path.is_empty() && same_variable(&a.base, &b.base)
        }
        _ => false,
    }
}
