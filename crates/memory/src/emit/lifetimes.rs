//! How long local variables live that other threads may reach, where invalid accesses are looked for: as long as the call
//! that they belong to. A flag for each says whether it lives, as it does for objects on the heap.

use super::{Emitter, assigned};
use crate::code::{InstructionKind, Library, LocalId};
use crate::objects::{ObjectId, Storage, ThreadIndex};
use crate::terms::int;
use threadwise_ir::{Expr as Term, Initial, Sort, Value, VarRef};
use threadwise_source::Span;

impl Emitter<'_> {
    /// Whether a local lives until its thread and the process end. When main returns, so does everybody.
    fn lives_to_the_end(&self, owner: ThreadIndex, local: LocalId) -> bool {
        let thread = self.threads.get(owner);
        let of = &thread.flat.locals[local.index()];
        let exits = |kind: &InstructionKind| matches!(kind, InstructionKind::Library(library) if matches!(**library, Library::ThreadExit(_)));
        let instructions = || thread.flat.blocks.iter().flat_map(|block| &block.instructions);
        let is_outermost = of.call == 0 && of.variable.block.is_none();
        thread.is_entry && is_outermost && !instructions().any(|instruction| exits(&instruction.kind))
    }

    /// Gives flags to the variables whose ends other threads could notice.
    pub(super) fn declare_lifetimes(&mut self) {
        if !self.checks.memory || self.is_outline {
            return;
        }
        for id in (0..self.objects.objects.len() as u32).map(ObjectId) {
            let object = self.objects.object(id);
            let Storage::Local(owner, local) = object.storage else { continue };
            let is_in_block = self.threads.get(owner).flat.locals[local.index()].variable.block.is_some();
            let is_seen = object.leaves.iter().any(|leaf| self.visible.contains(leaf));
            if is_seen && !is_in_block && !self.lives_to_the_end(owner, local) {
                let sort = Sort::array(Sort::Range(0, 0), Sort::Bool);
                let name = format!("{}.{}.alive", self.threads.get(owner).name, object.name);
                let alive = self.add_shared(name, sort, Initial::Default, object.span);
                self.alive.insert(id, alive);
            }
        }
    }

    /// Whether a variable of another call or thread may be gone without a flag that says so. Then it is not understood what
    /// an access of it is.
    pub(super) fn may_be_gone(&self, object: ObjectId) -> bool {
        let Storage::Local(owner, local) = self.objects.object(object).storage else { return false };
        self.checks.memory
            && owner != self.thread
            && !self.alive.contains_key(&object)
            && !self.lives_to_the_end(owner, local)
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
