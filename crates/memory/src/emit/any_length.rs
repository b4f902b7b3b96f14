//! Arrays of which only the program knows how long they are: one variable with an element for each integer, and the number
//! of elements beside it. Whether an index is less than that is asserted; engines that list states keep the first elements.

use super::access::Cell;
use super::{Emitter, Fallible};
use crate::code::{Base, Expr, ExprKind, Place, Type};
use crate::layout::{ADDRESS, UNSIGNED};
use crate::objects::{ANY_LENGTH, Bit, ObjectId, ThreadIndex};
use crate::points::Points;
use crate::terms::{and, arithmetic, as_int, compare, equal, int};
use crate::walk::Visitor;
use std::collections::BTreeSet;
use threadwise_ir::{AssertionKind, BinaryOp, Bits, Expr as Term, Sort};

/// The objects to whose elements there may be pointers that are kept, other than to the first.
pub(super) fn moved(points: &mut Points<'_>) -> BTreeSet<ObjectId> {
    let mut found = Moved { points, thread: ThreadIndex(0), objects: BTreeSet::new() };
    let threads = found.points.threads;
    for thread in threads.indices() {
        found.thread = thread;
        threads.get(thread).flat.blocks.iter().for_each(|block| found.block(&mut block.clone()));
    }
    found.objects
}

struct Moved<'p, 'a> {
    points: &'p mut Points<'a>,
    thread: ThreadIndex,
    objects: BTreeSet<ObjectId>,
}

impl Visitor for Moved<'_, '_> {
    fn expr(&mut self, e: &mut Expr) {
        if matches!(e.kind, ExprKind::Offset(..) | ExprKind::Address(_)) {
            self.objects.extend(self.points.eval(self.thread, e).into_iter().map(|target| target.object));
        }
        self.expr_parts(e);
    }

    fn place(&mut self, place: &mut Place) {
        // An element that is accessed at once: nobody keeps a pointer to it.
        if let Base::Deref(pointer, _) = &mut place.base
            && let ExprKind::Offset(start, by, _) = &mut pointer.kind
        {
            self.expr(start);
            self.expr(by);
            return;
        }
        self.place_parts(place);
    }
}

impl Emitter<'_> {
    /// The sort of the number of elements of an object.
    pub(super) fn sort_of_count(&self, object: ObjectId) -> Sort {
        if self.objects.has_any_length(object) { Sort::Bits(ADDRESS) } else { Sort::Bits(UNSIGNED) }
    }

    /// The most elements that an object of any length may have: more bytes than a machine can count are beyond what is
    /// looked at.
    pub(super) fn longest(&self, object: ObjectId) -> u64 {
        let Type::Array(element, _) = &self.objects.object(object).ty else { return 0 };
        let bytes = if self.code.pointer_bytes < 8 { u64::from(u32::MAX) } else { u64::MAX };
        (bytes / self.code.size_of(element).max(1)).min(ANY_LENGTH)
    }

    /// An index of an object of any length: where states do not keep the element, the allocation is what is told of.
    pub(super) fn told_of(&self, object: ObjectId, index: Term) -> Term {
        Term { span: self.objects.object(object).span, ..index }
    }

    /// Whether an address in an object of any length may be too large for an integer.
    pub(super) fn is_too_narrow(&mut self, e: &Expr, bits: Bits) -> bool {
        let thread = self.thread;
        let is_far = |object: ObjectId| self.objects.has_any_length(object);
        bits.width < 64 && self.points.eval(thread, e).iter().any(|target| is_far(target.object))
    }

    /// The element that `start[by]` or `*start` is, if that can only be one of an array of any length. The index is said
    /// without addresses, as far as possible: what is known of it are bounds of a variable then.
    pub(super) fn element_of_any(
        &mut self,
        place: &Place,
        pointer: &Expr,
        part: u64,
        ty: (&Type, Bit),
    ) -> Fallible<Option<Cell>> {
        let (code, span, thread) = (self.code, place.span, self.thread);
        let (start, by, unit) = match &pointer.kind {
            ExprKind::Offset(start, by, unit) => (&**start, Some(&**by), *unit),
            _ => (pointer, None, 0),
        };
        let objects: BTreeSet<ObjectId> =
            self.points.eval(thread, pointer).iter().map(|target| target.object).collect();
        let (Some(&object), 1, true, 0) = (objects.first(), objects.len(), place.path.is_empty(), part) else {
            return Ok(None);
        };
        let starts = self.points.eval(thread, start);
        let is_only = starts.iter().all(|target| target.object == object);
        if !self.objects.has_any_length(object) || self.is_vague(object) || !is_only || self.may_be_gone(object) {
            return Ok(None);
        }
        let Some((leaf, true)) = self.objects.leaf_at(code, object, 0, ty) else { return Ok(None) };
        let size = self.objects.leaf(leaf).dims[0].stride as i64;
        let is_lost = !self.kept.contains_key(&leaf) || self.accesses.blurred.contains(&leaf);
        if is_lost || by.is_some() && unit != size {
            return Ok(None);
        }
        let start = self.value(start)?;
        let start = self.simple(start, span);
        self.is_known(&start, span);
        let by = match by {
            Some(by) => {
                let value = self.value(by)?;
                let value = self.no_address(by, value);
                as_int(self.simple(value, span))
            }
            None => int(0, span),
        };
        let first = self.address_of(object);
        let (is_there, index) = if self.moved.contains(&object) {
            let bytes = arithmetic(BinaryOp::Sub, as_int(start), int(first, span));
            let from = arithmetic(BinaryOp::Div, bytes.clone(), int(size, span));
            let rest = arithmetic(BinaryOp::Mod, bytes.clone(), int(size, span));
            // What is added to is inside of the array or just behind it, wherever the sum is.
            let (_, count) = self.count_of(object, int(0, span), span).unzip();
            let most = arithmetic(BinaryOp::Mul, count.map_or(int(0, span), as_int), int(size, span));
            let low = compare(BinaryOp::Ge, bytes.clone(), int(0, span));
            let high = compare(BinaryOp::Le, bytes, most);
            (and(equal(rest, int(0, span)), and(low, high)), arithmetic(BinaryOp::Add, from, by))
        } else {
            let sort = start.sort;
            (equal(start, Term::constant(first, sort, span)), by)
        };
        let low = compare(BinaryOp::Ge, index.clone(), int(0, span));
        let count = self.count_of(object, int(0, span), span);
        let count = count.map_or(int(0, span), |(_, count)| as_int(count));
        let high = compare(BinaryOp::Lt, index.clone(), count);
        self.check(and(is_there, and(low, high)), AssertionKind::Memory, span);
        Ok(Some(Cell { leaf, indices: vec![self.told_of(object, index)], when: None }))
    }
}
