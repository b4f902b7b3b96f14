//! `qsort`: sorted by insertion, which is one of the ways in which it may be done.

use super::Call;
use crate::elaborate::{Elaborator, Fallible};
use crate::fold;
use crate::types::{INT, Ty};
use crate::values::Value;
use threadwise_memory::code::{self, BinaryOp, Callee, End, Expr, ExprKind, Failure, InstructionKind, Place, Type};
use threadwise_source::Span;

impl<'a> Elaborator<'a> {
    pub(super) fn sort(&mut self, call: &Call<'a, '_>) -> Fallible<Value> {
        let span = call.span;
        let [(base, pointer), (count, count_ty), (size, _), (compare, _)] = self.exactly(call)?;
        let element = pointer.pointee().filter(|to| !to.is_void()).map(|to| to.unqualified());
        let Some((ty, bytes)) = element.and_then(|ty| self.structs.size_of(&ty, self.model).map(|bytes| (ty, bytes)))
        else {
            let advice = "give it a pointer to the elements, not one to `void`";
            return Err(self.unsupported(span, "`qsort` of elements whose type is not known", advice));
        };
        let as_wide = Expr::constant(bytes as i64, size.ty.clone(), span);
        let is_size = fold::binary(BinaryOp::Eq, size, as_wide, code::INT);
        self.body.emit(InstructionKind::Assert(is_size, Failure::Beyond), span);
        let size_ty = self.size_ty();
        let count = self.converted(count, &count_ty, &size_ty)?;
        let (base, count, compare) = (self.kept(base), self.kept(count), self.kept(compare));
        Sorting { elaborator: self, base, count, compare, ty, bytes, span }.emit();
        Ok(Value::Void(span))
    }
}

struct Sorting<'e, 'a> {
    elaborator: &'e mut Elaborator<'a>,
    base: Expr,
    count: Expr,
    compare: Expr,
    ty: Ty,
    bytes: u64,
    span: Span,
}

impl Sorting<'_, '_> {
    /// Each element in turn goes down as long as the one below is greater.
    fn emit(mut self) {
        let (number, span) = (self.count.ty.clone(), self.span);
        let [sorted, falling] =
            [(); 2].map(|()| Place::local(self.elaborator.body.temporary(number.clone(), span), number.clone(), span));
        let [head, fall, look, swap, next, end] = std::array::from_fn(|_| self.elaborator.body.new_block());
        let constant = |value| Expr::constant(value, number.clone(), span);
        let plus = |place: &Place, op| fold::binary(op, Expr::load(place.clone()), constant(1), number.clone());
        let body = &mut self.elaborator.body;
        body.assign(sorted.clone(), constant(1), span);
        body.flow_into(head, span);
        let is_more = fold::binary(BinaryOp::Lt, Expr::load(sorted.clone()), self.count.clone(), code::INT);
        let first = body.new_block();
        body.end(End::Branch(is_more, first, end), span);
        body.begin(first);
        body.assign(falling.clone(), Expr::load(sorted.clone()), span);
        body.flow_into(fall, span);
        let is_above = fold::binary(BinaryOp::Lt, constant(0), Expr::load(falling.clone()), code::INT);
        body.end(End::Branch(is_above, look, next), span);
        self.elaborator.body.begin(look);
        let (below, own) = (self.element(plus(&falling, BinaryOp::Sub)), self.element(Expr::load(falling.clone())));
        let is_greater = self.is_greater(below.clone(), own.clone());
        self.elaborator.body.end(End::Branch(is_greater, swap, next), span);
        self.elaborator.body.begin(swap);
        self.exchange(below, own);
        let body = &mut self.elaborator.body;
        body.assign(falling.clone(), plus(&falling, BinaryOp::Sub), span);
        body.end(End::Goto(fall), span);
        body.begin(next);
        body.assign(sorted.clone(), plus(&sorted, BinaryOp::Add), span);
        body.end(End::Goto(head), span);
        body.begin(end);
    }

    /// The address of an element.
    fn element(&mut self, index: Expr) -> Expr {
        let at = ExprKind::Offset(Box::new(self.base.clone()), Box::new(index), self.bytes as i64);
        self.elaborator.kept(Expr::new(at, Type::Pointer, self.span))
    }

    fn is_greater(&mut self, below: Expr, own: Expr) -> Expr {
        let (result, value) = self.elaborator.result_place(&INT, self.span);
        let callee = match self.compare.kind {
            ExprKind::Function(id) => Callee::Function(id),
            _ => Callee::Pointer(self.compare.clone()),
        };
        let call = InstructionKind::Call { callee, args: vec![below, own], result: Some(result) };
        self.elaborator.body.emit(call, self.span);
        let Value::Scalar(value, _) = value else { unreachable!("an `int` is a scalar") };
        fold::binary(BinaryOp::Gt, value, Expr::constant(0, code::INT, self.span), code::INT)
    }

    fn exchange(&mut self, below: Expr, own: Expr) {
        let (ty, span) = (self.ty.clone(), self.span);
        let spare = self.elaborator.body.temporary(self.elaborator.lower(&ty), span);
        let spare = self.elaborator.local_place(spare, &ty, span).place;
        let below = self.elaborator.dereferenced(below, &ty, span).place;
        let own = self.elaborator.dereferenced(own, &ty, span).place;
        for (to, from) in [(&spare, &below), (&below, &own), (&own, &spare)] {
            self.elaborator.body.emit(InstructionKind::Copy { to: to.clone(), from: from.clone() }, span);
        }
    }
}
