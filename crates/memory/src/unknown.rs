//! Pointers of which nobody knows where they point to: who may have one. They come from functions without bodies, from
//! variables that are defined nowhere, from the arguments of the program, and from computing with addresses as with integers.

use crate::code::{Base, BinaryOp, Expr, ExprKind, InstructionKind, Library, Place, Type, UnaryOp};
use crate::objects::{LeafId, Storage, ThreadIndex};
use crate::points::{Points, parts};
use crate::threads::At;

impl Points<'_> {
    /// Whether the value of an expression may be a pointer of which nobody knows where it points to.
    pub(crate) fn may_be_unknown(&mut self, thread: ThreadIndex, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Const(_) | ExprKind::Difference(..) | ExprKind::And(..) | ExprKind::Or(..) => false,
            ExprKind::Any => e.ty == Type::Pointer,
            ExprKind::Said(_) => false,
            ExprKind::Load(place) => {
                let is_behind = matches!(&place.base, Base::Deref(pointer, _) if self.may_be_unknown(thread, pointer));
                is_behind || self.leaves_of(thread, place).into_iter().any(|leaf| self.is_unknown(leaf))
            }
            ExprKind::Address(place) => match &place.base {
                Base::Deref(pointer, _) => self.may_be_unknown(thread, pointer),
                Base::Local(_) | Base::Global(_) => false,
            },
            ExprKind::Function(id) => self.code.function(*id).body.is_none(),
            ExprKind::Convert(inner) if matches!(inner.ty, Type::Float(_)) => e.ty == Type::Pointer,
            // A part of an address.
            ExprKind::Convert(inner) if !self.holds_addresses(&e.ty) => self.is_computed_from(thread, inner),
            ExprKind::Convert(inner) => self.may_be_unknown(thread, inner),
            ExprKind::Unary(UnaryOp::Not, _) => false,
            ExprKind::Unary(UnaryOp::Neg | UnaryOp::BitNot, inner) => self.is_computed_from(thread, inner),
            ExprKind::Conditional(parts) => {
                self.may_be_unknown(thread, &parts[1]) || self.may_be_unknown(thread, &parts[2])
            }
            ExprKind::Binary(op, a, b) => {
                !is_comparison(*op) && (self.is_computed_from(thread, a) || self.is_computed_from(thread, b))
            }
            ExprKind::Offset(pointer, by, _) => {
                self.may_be_unknown(thread, pointer) || self.is_computed_from(thread, by)
            }
        }
    }

    /// Whether a number is an address, or comes from one, so that nobody knows what is computed with it.
    fn is_computed_from(&mut self, thread: ThreadIndex, e: &Expr) -> bool {
        self.may_be_unknown(thread, e) || !self.eval(thread, e).is_empty()
    }

    /// Before the program begins.
    pub(crate) fn unknown_at_first(&mut self) {
        let code = self.code;
        let globals = self.objects.by_storage.iter().filter(|(storage, _)| match storage {
            Storage::Global(id) | Storage::ThreadLocal(_, id) => {
                code.globals[id.index()].init.iter().any(|(_, e)| matches!(e.kind, ExprKind::Any))
            }
            Storage::Local(thread, local) => {
                let thread = self.threads.get(*thread);
                let first = thread.flat.first_param.0;
                thread.is_entry && (first..first + code.function(thread.flat.root).params as u32).contains(&local.0)
            }
            Storage::Heap(_) | Storage::Function(_) => false,
        });
        let leaves: Vec<LeafId> = globals.flat_map(|(_, id)| self.objects.object(*id).leaves.clone()).collect();
        leaves.into_iter().for_each(|leaf| self.becomes_unknown(leaf));
    }

    /// What an instruction hands on.
    pub(crate) fn unknown_after(&mut self, at: At, kind: &InstructionKind) {
        let thread = at.thread;
        match kind {
            InstructionKind::Assign { to, value } => {
                if self.may_be_unknown(thread, value) {
                    self.unknown_in(thread, to);
                }
            }
            InstructionKind::Copy { to, from } => {
                for (to, from) in self.copied(thread, to, from) {
                    if self.is_unknown(from) {
                        self.becomes_unknown(to);
                    }
                }
            }
            InstructionKind::Call { result: Some(place), .. } => self.unknown_in(thread, place),
            InstructionKind::Library(library) => self.unknown_after_library(at, library),
            InstructionKind::Call { result: None, .. }
            | InstructionKind::Declare(_)
            | InstructionKind::Clear(_)
            | InstructionKind::Assert(..)
            | InstructionKind::Assume(_)
            | InstructionKind::AtomicBegin
            | InstructionKind::AtomicWhen(_)
            | InstructionKind::AtomicEnd
            | InstructionKind::Enter(_)
            | InstructionKind::LoopInvariant(_) => {}
        }
    }

    fn unknown_after_library(&mut self, at: At, library: &Library) {
        match library {
            Library::Create { argument: Some(argument), .. } if self.may_be_unknown(at.thread, argument) => {
                let created = self.threads.created.get(&at).into_iter().flatten();
                let created: Vec<ThreadIndex> = created.flat_map(|(_, created)| created.clone()).collect();
                for thread in created {
                    let flat = &self.threads.get(thread).flat;
                    if self.code.function(flat.root).params > 0 {
                        let parameter = self.objects.at(Storage::Local(thread, flat.first_param));
                        let leaves = self.objects.object(parameter).leaves.clone();
                        leaves.into_iter().for_each(|leaf| self.becomes_unknown(leaf));
                    }
                }
            }
            Library::Join { value: Some(place), .. } => {
                let results = self.threads.indices().filter_map(|thread| {
                    let result = self.threads.get(thread).flat.result?;
                    Some(self.objects.at(Storage::Local(thread, result)))
                });
                let mut leaves = results.flat_map(|object| self.objects.object(object).leaves.iter());
                if leaves.any(|leaf| self.is_unknown(*leaf)) {
                    self.unknown_in(at.thread, place);
                }
            }
            _ => {}
        }
    }

    /// All parts of a place, whatever its type.
    fn unknown_in(&mut self, thread: ThreadIndex, place: &Place) {
        let code = self.code;
        for target in self.targets_of(thread, place) {
            for (offset, ty, bit) in parts(code, &place.ty) {
                let there = self.objects.canonical(code, target.object, (target.offset + offset) as i64);
                let leaf = there.and_then(|there| self.objects.leaf_at(code, target.object, there, (&ty, bit)));
                leaf.into_iter().for_each(|(leaf, _)| self.becomes_unknown(leaf));
            }
        }
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge)
}
