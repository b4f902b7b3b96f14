//! Memory that is lost: it was not freed, and nobody points to it any more when the process ends. Looked at where main returns.
//! Its own variables are gone then. What only other objects on the heap point to, or threads that still run, is not decided.

use super::{Emitter, guarded};
use crate::objects::{LeafId, MAX_ELEMENTS, ObjectId, Storage};
use crate::terms::{and, arithmetic, as_int, int, not, or, within};
use threadwise_ir::{AssertionKind, BinaryOp, Command, Expr as Term, TemplateId, VarRef};
use threadwise_source::Span;

/// More elements of an array of pointers are not looked at one by one.
const MANY_ELEMENTS: u64 = 64;

impl Emitter<'_> {
    /// Looks for lost memory. Where the process is ended in the middle, more may point to it than can be seen from here.
    pub(super) fn look_for_leaks(&mut self, is_in_the_middle: bool, span: Span) {
        if !self.checks.memtrack || self.is_outline {
            return;
        }
        self.seen();
        for id in (0..self.objects.objects.len() as u32).map(ObjectId) {
            let object = self.objects.object(id);
            let Storage::Heap(_) = object.storage else { continue };
            if self.code.annotations.automatic.contains(&object.span) {
                continue;
            }
            for slot in 0..object.slots {
                self.is_not_lost(id, slot, is_in_the_middle, span);
            }
        }
    }

    fn is_not_lost(&mut self, id: ObjectId, slot: u64, is_in_the_middle: bool, span: Span) {
        let Some((_, alive)) = self.flag(id, int(slot as i64, span), span) else { return };
        let mut open = Term::bool(is_in_the_middle, span);
        let mut held = Term::bool(false, span);
        let leaves: Vec<LeafId> = (0..self.objects.leaves.len() as u32).map(LeafId).collect();
        for leaf in leaves.into_iter().filter(|leaf| self.points.of_leaf(*leaf).iter().any(|to| to.object == id)) {
            let points = self.points_into(leaf, id, slot, span);
            match self.objects.object(self.objects.leaf(leaf).object).storage {
                // What main still has on its stack is gone.
                Storage::Local(thread, _) if thread.0 == 0 => {}
                Storage::Local(thread, _) => open = or(open, not(self.has_ended(thread.0, span))),
                Storage::ThreadLocal(thread, _) if thread.0 != 0 => open = Term::bool(true, span),
                Storage::Global(_) | Storage::ThreadLocal(..) => match points {
                    Some(points) => held = or(held, points),
                    None => open = Term::bool(true, span),
                },
                Storage::Heap(_) => open = points.map_or(Term::bool(true, span), |points| or(open, points)),
                Storage::Function(_) => {}
            }
        }
        let is_held = or(not(alive), held);
        self.check(or(is_held.clone(), not(open.clone())), AssertionKind::Beyond, span);
        let condition = or(is_held, open);
        let mut assertions = self.assertions(condition.clone(), AssertionKind::Memory, span);
        let place = self.code.source.locate(self.objects.object(id).span).to_string();
        let message = format!("nobody points any more to what was allocated at {place}, and it was not freed");
        for assertion in assertions.iter_mut().filter(|assertion| assertion.kind == AssertionKind::Memory) {
            assertion.message = Some(message.as_str().into());
        }
        self.step(Command { assertions, ..guarded(condition) }, span);
    }

    /// Whether all threads of a kind have ended, or were not started.
    fn has_ended(&self, thread: u32, span: Span) -> Term {
        let lives = self.lives.as_ref();
        lives.map_or(Term::bool(false, span), |lives| lives.nobody_runs(TemplateId(thread), span))
    }

    /// Whether some element of a leaf points into an object; nothing where that cannot be seen from here.
    fn points_into(&self, leaf: LeafId, id: ObjectId, slot: u64, span: Span) -> Option<Term> {
        let (of, kept) = (self.objects.leaf(leaf), self.kept.get(&leaf)?);
        let dims: Vec<u64> = of.dims.iter().map(|dim| dim.kept()).collect();
        let count = dims.iter().try_fold(1u64, |all, dim| all.checked_mul(*dim))?;
        let is_cut = of.dims.iter().any(|dim| dim.count > MAX_ELEMENTS);
        let is_mine = matches!(kept.var, VarRef::Shared(_)) || self.is_of_main(leaf);
        if count > MANY_ELEMENTS || is_cut || !is_mine {
            return None;
        }
        let object = self.objects.object(id);
        let start = self.address_of(id) + (object.stride * slot) as i64;
        let mut any = Term::bool(false, span);
        for number in 0..count {
            let (mut rest, mut indices) = (number, Vec::new());
            for dim in dims.iter().rev() {
                indices.insert(0, int((rest % dim) as i64, span));
                rest /= dim;
            }
            let value = self.read_at(kept.var, of, &kept.element, &indices, span);
            let bytes = arithmetic(BinaryOp::Sub, as_int(value), int(start, span));
            let mut points = within(&bytes, object.stride.max(1));
            if let Some(flags) = kept.is_set {
                let is_set = self.read_at(flags, of, &threadwise_ir::Sort::Bool, &indices, span);
                points = and(points, is_set);
            }
            any = or(any, points);
        }
        Some(any)
    }

    fn is_of_main(&self, leaf: LeafId) -> bool {
        let object = self.objects.leaf(leaf).object;
        crate::layout::owner_alone(self.objects, self.accesses, object).is_some_and(|thread| thread.0 == 0)
    }
}
