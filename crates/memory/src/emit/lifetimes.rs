//! How long local variables live that other threads may reach, where invalid accesses are looked for: as long as the call
//! that they belong to, and thread-local ones as long as their thread. A flag for each says whether it lives, as it does for
//! objects on the heap.

use super::{Emitter, assigned};
use crate::code::{InstructionKind, Language, Library, LocalId};
use crate::flat::FlatLocal;
use crate::objects::{LeafId, ObjectId, Storage, ThreadIndex};
use crate::terms::{and, arithmetic, equal, int, not, read};
use std::collections::BTreeSet;
use threadwise_ir::{BinaryOp, Command, Expr as Term, Initial, Sort, Value, VarRef};
use threadwise_source::Span;

impl Emitter<'_> {
    /// Whether a local lives until its thread and the process end.
    fn lives_to_the_end(&self, owner: ThreadIndex, local: LocalId) -> bool {
        let of = &self.threads.get(owner).flat.locals[local.index()];
        of.call == 0 && of.variable.block.is_none() && self.ends_with_the_process(owner)
    }

    /// When main returns, so does everybody.
    fn ends_with_the_process(&self, thread: ThreadIndex) -> bool {
        let thread = self.threads.get(thread);
        let exits = |kind: &InstructionKind| matches!(kind, InstructionKind::Library(library) if matches!(**library, Library::ThreadExit(_)));
        let mut instructions = thread.flat.blocks.iter().flat_map(|block| &block.instructions);
        thread.is_entry && !instructions.any(|instruction| exits(&instruction.kind))
    }

    /// Gives flags to the variables whose ends other threads could notice.
    pub(super) fn declare_lifetimes(&mut self) {
        if !self.checks.memory || self.is_outline {
            return;
        }
        for id in (0..self.objects.objects.len() as u32).map(ObjectId) {
            let object = self.objects.object(id);
            let (owner, ends) = match object.storage {
                Storage::Local(owner, local) => {
                    let is_in_block = self.threads.get(owner).flat.locals[local.index()].variable.block.is_some();
                    (owner, !is_in_block && !self.lives_to_the_end(owner, local))
                }
                Storage::ThreadLocal(owner, _) => (owner, !self.ends_with_the_process(owner)),
                Storage::Global(_) | Storage::Heap(_) | Storage::Function(_) => continue,
            };
            let is_seen = object.leaves.iter().any(|leaf| self.visible.contains(leaf));
            if is_seen && ends {
                let sort = Sort::array(Sort::Range(0, 0), Sort::Bool);
                let name = format!("{}.{}.alive", self.threads.get(owner).name, object.name);
                let alive = self.add_shared(name, sort, Initial::Default, object.span);
                self.alive.insert(id, alive);
            }
        }
        self.reborn = self.reborn();
        for id in self.reborn.clone() {
            let object = self.objects.object(id);
            let is_shared = |leaf| self.kept.contains_key(leaf);
            if let (Storage::Local(owner, _), true) = (object.storage, object.leaves.iter().any(is_shared)) {
                let name = format!("{}.{}.era", self.threads.get(owner).name, object.name);
                let era = self.add_shared(name, self.pointers.sort.clone(), Initial::Default, object.span);
                self.eras.insert(id, VarRef::Shared(era));
                let chosen = self.shared_named("lives.chosen".into(), &Sort::Bool, object.span);
                self.chosen.insert(None, VarRef::Shared(chosen));
            }
        }
    }

    /// The locals to which pointers may be left over when they begin to live anew: the call or the block that they belong to is come to
    /// again, and something that lives longer may hold their addresses.
    fn reborn(&self) -> Vec<ObjectId> {
        if !self.checks.memory || self.is_outline || self.code.language != Language::C {
            return Vec::new();
        }
        let mut again: BTreeSet<ObjectId> = BTreeSet::new();
        for thread in self.threads.indices() {
            let flat = &self.threads.get(thread).flat;
            let is_again = flat.entered_again();
            let locals =
                flat.locals.iter().zip(0..).filter(|(local, _)| is_again.contains(&(local.call, local.variable.block)));
            again.extend(locals.map(|(_, number)| self.objects.at(Storage::Local(thread, LocalId(number)))));
        }
        let leaves = (0..self.objects.leaves.len() as u32).map(LeafId);
        let held = leaves.flat_map(|leaf| self.points.of_leaf(leaf).iter().map(move |target| (leaf, target.object)));
        let left_over = held.filter(|(leaf, object)| again.contains(object) && self.outlives(*leaf, *object));
        left_over.map(|(_, object)| object).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Whether what a pointer holds may still be there when a local has ended.
    fn outlives(&self, pointer: LeafId, object: ObjectId) -> bool {
        let storage = |object| self.objects.object(object).storage;
        let (Storage::Local(holder, pointer), Storage::Local(owner, local)) =
            (storage(self.objects.leaf(pointer).object), storage(object))
        else {
            return true;
        };
        let flat = &self.threads.get(owner).flat;
        let FlatLocal { variable, call } = &flat.locals[pointer.index()];
        holder != owner || !flat.is_in_scope(local, *call, variable.block.unwrap_or(variable.span))
    }

    /// Those among them that only their thread knows, with names for what tells their lives apart.
    pub(super) fn reborn_alone(&self, thread: ThreadIndex) -> Vec<(ObjectId, String)> {
        let is_own = |id: &ObjectId| {
            !self.eras.contains_key(id)
                && matches!(self.objects.object(*id).storage, Storage::Local(owner, _) if owner == thread)
        };
        let own = self.reborn.iter().copied().filter(is_own);
        own.map(|id| (id, format!("{}.era", self.objects.object(id).name))).collect()
    }

    fn era(&self, object: ObjectId, span: Span) -> Option<Term> {
        self.eras.get(&object).map(|&era| read(era, self.pointers.sort.clone(), span))
    }

    /// The address of an object in the life that it has now.
    pub(super) fn address_now(&self, object: ObjectId, span: Span) -> Term {
        let first = Term::constant(self.address_of(object), self.pointers.sort.clone(), span);
        match self.era(object, span) {
            None => first,
            Some(era) => arithmetic(BinaryOp::Add, first, era),
        }
    }

    /// An address as it would be if the object, should it be in that, were in the first of its lives.
    pub(super) fn in_first_era(&self, object: ObjectId, address: &Term, span: Span) -> Term {
        match self.era(object, span) {
            None => address.clone(),
            Some(era) => arithmetic(BinaryOp::Sub, address.clone(), era),
        }
    }

    /// Locals of a call, or of a block of it, begin to live. A pointer that is left over from a life before must not be taken for
    /// one to the new one, however many lives there are: any one of them may be the one that has an address of its own, with those
    /// before it and those after it elsewhere. That is one life of one of the thread's locals at most, since one is enough. What is wrong with pointers to one of them shows then.
    pub(super) fn live_again(&mut self, call: usize, block: Option<Span>, span: Span) {
        let flat = &self.threads.get(self.thread).flat;
        let is_of = |object: &ObjectId| match self.objects.object(*object).storage {
            Storage::Local(owner, local) if owner == self.thread => {
                let local = &flat.locals[local.index()];
                local.call == call && local.variable.block == block
            }
            _ => false,
        };
        let eras: Vec<_> =
            self.eras.iter().filter(|(object, _)| is_of(object)).map(|(object, era)| (*object, *era)).collect();
        for (object, era) in eras {
            if matches!(era, VarRef::Shared(_)) {
                self.seen();
            }
            let (sort, room) = (self.pointers.sort.clone(), self.objects.object(object).room as i64);
            let is = |moved: i64| equal(read(era, sort.clone(), span), Term::constant(moved, &sort, span));
            let becomes = |moved: i64| {
                let value = Value::Of(Term::constant(moved, &sort, span));
                (self.place_of(era, &[], &sort, span), value)
            };
            let chosen = self.chosen[&matches!(era, VarRef::Local(_)).then_some(self.thread)];
            let is_chosen = read(chosen, Sort::Bool, span);
            let choose = (self.place_of(chosen, &[], &Sort::Bool, span), Value::Of(Term::bool(true, span)));
            let when = |guard: Term, changes: Vec<_>| Command { guard: Some(Box::new(guard)), ..assigned(changes) };
            let ways = [
                when(is(0), Vec::new()),
                when(and(is(0), not(is_chosen)), vec![becomes(room), choose]),
                when(not(is(0)), vec![becomes(2 * room)]),
            ];
            let (here, to) = (self.here, self.fresh(span));
            for command in ways {
                self.edge(here, to, command, span, None);
            }
            self.here = to;
        }
    }

    /// Whether a variable of another call or thread may be gone without a flag that says so. Then it is not understood what
    /// an access of it is.
    pub(super) fn may_be_gone(&self, object: ObjectId) -> bool {
        let (owner, ends) = match self.objects.object(object).storage {
            Storage::Local(owner, local) => (owner, !self.lives_to_the_end(owner, local)),
            Storage::ThreadLocal(owner, _) => (owner, !self.ends_with_the_process(owner)),
            Storage::Global(_) | Storage::Heap(_) | Storage::Function(_) => return false,
        };
        self.checks.memory && owner != self.thread && !self.alive.contains_key(&object) && ends
    }

    /// Whether a variable of the thread that is being emitted is gone here for sure: its call, or its block, is not open.
    pub(super) fn is_gone(&self, object: ObjectId, at: Span) -> bool {
        let Storage::Local(owner, local) = self.objects.object(object).storage else { return false };
        let flat = &self.threads.get(owner).flat;
        self.checks.memory && owner == self.thread && !flat.is_in_scope(local, flat.call_of[self.block], at)
    }

    /// Control goes to another block: calls are entered and left by that.
    pub(super) fn goes_to(&mut self, block: usize, span: Span) {
        let flat = &self.threads.get(self.thread).flat;
        let (from, to) = (flat.call_of[self.block], flat.call_of[block]);
        if flat.calls[to].parent == Some(from) {
            self.live(Some(to), true, span);
            self.live_again(to, None, span);
        } else if flat.calls[from].parent == Some(to) {
            self.live(Some(from), false, span);
        }
    }

    /// The variables of a call, or all of the thread, begin to live or end.
    pub(super) fn live(&mut self, call: Option<usize>, lives: bool, span: Span) {
        let flat = &self.threads.get(self.thread).flat;
        let is_of = |object: &ObjectId| match self.objects.object(*object).storage {
            Storage::Local(owner, local) if owner == self.thread => {
                call.is_none_or(|call| flat.locals[local.index()].call == call)
            }
            Storage::ThreadLocal(owner, _) => owner == self.thread && call.is_none_or(|call| call == 0),
            _ => false,
        };
        let flags: Vec<_> = self.alive.iter().filter(|(object, _)| is_of(object)).map(|(_, flag)| *flag).collect();
        if flags.is_empty() {
            return;
        }
        self.seen();
        let place = |flag| self.place_of(VarRef::Shared(flag), &[int(0, span)], &Sort::Bool, span);
        let change = |flag| (place(flag), Value::Of(Term::bool(lives, span)));
        let command = assigned(flags.into_iter().map(change).collect());
        self.step(command, span);
    }
}
