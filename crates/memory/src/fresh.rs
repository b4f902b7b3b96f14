//! New objects that nobody else can know of yet: from its allocation on, an object is its thread's own until its address is
//! stored somewhere other than in variables of the thread that nobody else reaches. Until then no access of it can race.
//!
//! The analysis goes through the code of a thread as it is laid out and keeps, for each local variable whose address is not
//! taken, which allocation it surely comes from. Whatever else is done with such a pointer than to follow it, to compare
//! it or to keep it in another such variable makes the object known to others.

use crate::code::{Base, Expr, ExprKind, Instruction, InstructionKind, LocalId, Place};
use crate::flat::Flat;
use crate::objects::ThreadIndex;
use crate::threads::{At, Threads};
use std::collections::{BTreeMap, BTreeSet};

/// For each variable the allocation of the new object that it points to, or into.
pub(crate) type Known = BTreeMap<LocalId, At>;

/// What is known before each instruction of a thread, block by block, and at the end of each block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fresh {
    at: BTreeMap<(u32, u32), Known>,
}

impl Fresh {
    pub(crate) fn of(threads: &Threads, thread: ThreadIndex) -> Fresh {
        let flat = &threads.get(thread).flat;
        let finder = Finder { flat, thread, taken: addresses_taken(flat) };
        let mut starts: Vec<Option<Known>> = vec![None; flat.blocks.len()];
        let mut open = vec![0usize];
        starts[0] = Some(Known::new());
        while let Some(block) = open.pop() {
            let mut known = starts[block].clone().unwrap_or_default();
            for (instruction, number) in flat.blocks[block].instructions.iter().zip(0..) {
                finder.step(&mut known, At { thread, block: block as u32, instruction: number }, instruction);
            }
            for to in crate::walk::targets(&flat.blocks[block].end) {
                let merged = match &starts[to.index()] {
                    None => known.clone(),
                    Some(before) => both(before, &known),
                };
                if starts[to.index()].as_ref() != Some(&merged) {
                    starts[to.index()] = Some(merged);
                    open.push(to.index());
                }
            }
        }
        finder.all(&starts)
    }

    /// Whether a pointer points to a new object before an instruction; the number after the last is the block's end.
    pub(crate) fn is_fresh(&self, at: At, pointer: &Expr) -> bool {
        let known = self.at.get(&(at.block, at.instruction));
        known.is_some_and(|known| origin(pointer).is_some_and(|local| known.contains_key(&local)))
    }
}

fn both(a: &Known, b: &Known) -> Known {
    a.iter().filter(|(local, at)| b.get(local) == Some(at)).map(|(local, at)| (*local, *at)).collect()
}

/// The variable that a pointer is, or from which it has been moved inside of an object.
pub(crate) fn origin(pointer: &Expr) -> Option<LocalId> {
    match &pointer.kind {
        ExprKind::Load(place) => plain(place),
        ExprKind::Convert(inner) | ExprKind::Offset(inner, ..) => origin(inner),
        ExprKind::Address(place) => match &place.base {
            Base::Deref(inner, _) => origin(inner),
            Base::Local(_) | Base::Global(_) => None,
        },
        ExprKind::Const(_)
        | ExprKind::Function(_)
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::And(..)
        | ExprKind::Or(..)
        | ExprKind::Difference(..)
        | ExprKind::Conditional(_)
        | ExprKind::Said(_)
        | ExprKind::Any => None,
    }
}

fn plain(place: &Place) -> Option<LocalId> {
    match place.base {
        Base::Local(local) if place.path.is_empty() => Some(local),
        Base::Local(_) | Base::Global(_) | Base::Deref(..) => None,
    }
}

/// The variables whose values may be in the value of an expression.
fn flows(e: &Expr, into: &mut BTreeSet<LocalId>) {
    match &e.kind {
        ExprKind::Load(place) => into.extend(plain(place)),
        ExprKind::Address(place) => {
            if let Base::Deref(inner, _) = &place.base {
                flows(inner, into);
            }
        }
        ExprKind::Convert(inner) | ExprKind::Unary(_, inner) => flows(inner, into),
        ExprKind::Offset(a, b, _) | ExprKind::Binary(_, a, b) => {
            flows(a, into);
            flows(b, into);
        }
        ExprKind::Conditional(parts) => parts.iter().for_each(|part| flows(part, into)),
        // Whether something holds, and how far two pointers are apart, tells nobody where an object is.
        ExprKind::And(..) | ExprKind::Or(..) | ExprKind::Difference(..) => {}
        ExprKind::Const(_) | ExprKind::Function(_) | ExprKind::Any | ExprKind::Said(_) => {}
    }
}

fn addresses_taken(flat: &Flat) -> BTreeSet<LocalId> {
    let mut taken = BTreeSet::new();
    for block in &flat.blocks {
        crate::walk::for_each_expr(block, &mut |e| {
            if let ExprKind::Address(place) = &e.kind
                && let Base::Local(local) = place.base
            {
                taken.insert(local);
            }
        });
    }
    taken
}

struct Finder<'a> {
    flat: &'a Flat,
    thread: ThreadIndex,
    taken: BTreeSet<LocalId>,
}

impl Finder<'_> {
    fn all(&self, starts: &[Option<Known>]) -> Fresh {
        let mut fresh = Fresh::default();
        for (block, number) in self.flat.blocks.iter().zip(0u32..) {
            let Some(mut known) = starts[number as usize].clone() else { continue };
            for (instruction, index) in block.instructions.iter().zip(0..) {
                fresh.at.insert((number, index), known.clone());
                self.step(&mut known, At { thread: self.thread, block: number, instruction: index }, instruction);
            }
            fresh.at.insert((number, block.instructions.len() as u32), known);
        }
        fresh.at.retain(|_, known| !known.is_empty());
        fresh
    }

    /// A variable that only instructions which name it can change.
    fn own(&self, place: &Place) -> Option<LocalId> {
        plain(place).filter(|local| !self.taken.contains(local))
    }

    fn step(&self, known: &mut Known, at: At, instruction: &Instruction) {
        match &instruction.kind {
            InstructionKind::Assign { to, value } => self.assign(known, to, value),
            InstructionKind::Copy { to, .. } | InstructionKind::Clear(to) => forget(known, to),
            InstructionKind::Call { args, result, .. } => {
                args.iter().for_each(|arg| publish(known, arg));
                result.iter().for_each(|place| forget(known, place));
            }
            InstructionKind::Library(library) => {
                let mut library = (**library).clone();
                let (places, values) = crate::walk::parts_of(&mut library);
                values.into_iter().for_each(|value| publish(known, value));
                places.into_iter().for_each(|place| forget(known, place));
                if let crate::code::Library::Allocate { result, .. } = &library {
                    // What came from there before is not told from what comes now.
                    known.retain(|_, from| *from != at);
                    known.extend(self.own(result).map(|local| (local, at)));
                }
            }
            InstructionKind::Declare(local) => {
                known.remove(local);
            }
            InstructionKind::Assert(..)
            | InstructionKind::Assume(_)
            | InstructionKind::AtomicBegin
            | InstructionKind::AtomicWhen(_)
            | InstructionKind::AtomicEnd
            | InstructionKind::Enter(_)
            | InstructionKind::LoopInvariant(_) => {}
        }
    }

    fn assign(&self, known: &mut Known, to: &Place, value: &Expr) {
        let from = origin(value).and_then(|local| known.get(&local).copied());
        match (self.own(to), from) {
            (Some(local), Some(from)) => {
                known.insert(local, from);
            }
            (Some(_), None) | (None, _) => {
                publish(known, value);
                forget(known, to);
            }
        }
    }
}

/// Others may learn what is in the value.
fn publish(known: &mut Known, value: &Expr) {
    let mut used = BTreeSet::new();
    flows(value, &mut used);
    let told: BTreeSet<At> = used.iter().filter_map(|local| known.get(local).copied()).collect();
    known.retain(|_, from| !told.contains(from));
}

/// A variable may have got another value.
fn forget(known: &mut Known, place: &Place) {
    if let Base::Local(local) = place.base {
        known.remove(&local);
    }
}
