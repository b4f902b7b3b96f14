//! Memory for structs that end with an array whose size depends on how much memory there is.

use super::Call;
use crate::elaborate::{Elaborator, Fallible};
use crate::fold;
use crate::layout::FieldDefinition;
use crate::types::{Kind, Ty, VOID};
use crate::values::Value;
use threadwise_memory::code::{self, BinaryOp, End, Expr, Library};
use threadwise_source::Span;

/// Where the size is no constant, so many elements are followed.
const MOST_ELEMENTS: u64 = 8;

/// The array that such a struct ends with: where it is, and what it has.
struct Tail {
    offset: u64,
    element: Ty,
    bytes: u64,
}

impl<'a> Elaborator<'a> {
    /// Whether a struct ends with an array whose size depends on how much memory there is.
    pub(super) fn is_flexible(&self, ty: &Ty) -> bool {
        self.tail(ty).is_some()
    }

    fn tail(&self, ty: &Ty) -> Option<Tail> {
        let last = self.structs.get(ty.struct_id()?).fields.as_ref()?.last()?;
        let Kind::Array(element, None | Some(0)) = &last.ty.kind else { return None };
        let bytes = self.structs.size_of(element, self.model).filter(|bytes| *bytes > 0)?;
        Some(Tail { offset: last.offset, element: (**element).clone(), bytes })
    }

    /// One such struct in so many bytes.
    pub(super) fn flexible_allocation(&mut self, ty: &Ty, bytes: Expr, call: &Call<'a, '_>) -> Fallible<Value> {
        let span = call.span;
        let Some(tail) = self.tail(ty) else { return Err(self.error(span, "this struct has a size of its own")) };
        let (result, value) = self.result_place(&VOID.pointer_to(), span);
        let zeroed = call.name == "calloc";
        let allocate = |this: &mut Self, count: u64| {
            let ty = this.with_tail(ty, &tail, count);
            let one = Expr::constant(1, bytes.ty.clone(), span);
            let (result, ty) = (result.clone(), this.lower(&ty));
            this.library(Library::Allocate { result, ty, count: one, zeroed }, span);
        };
        let count = self.tail_count(&tail, ty, bytes.clone(), span);
        if let Some(count) = fold::constant(&count) {
            allocate(self, count as u64);
            return Ok(value);
        }
        let count = self.kept(count);
        let end = self.body.new_block();
        for number in 0..=MOST_ELEMENTS {
            let [this, next] = [(); 2].map(|()| self.body.new_block());
            let wanted = Expr::constant(number as i64, count.ty.clone(), span);
            self.body.end(End::Branch(fold::binary(BinaryOp::Eq, count.clone(), wanted, code::INT), this, next), span);
            self.body.begin(this);
            allocate(self, number);
            self.body.end(End::Goto(end), span);
            self.body.begin(next);
        }
        self.beyond(span);
        self.body.flow_into(end, span);
        Ok(value)
    }

    /// How many elements there are in so many bytes; more than are followed where they are too few for the struct.
    fn tail_count(&mut self, tail: &Tail, ty: &Ty, bytes: Expr, span: Span) -> Expr {
        let number = bytes.ty.clone();
        let constant = |value: u64| Expr::constant(value as i64, number.clone(), span);
        let least = self.structs.size_of(ty, self.model).unwrap_or(tail.offset);
        let bytes = self.stable(bytes);
        let rest = fold::binary(BinaryOp::Sub, bytes.clone(), constant(tail.offset), number.clone());
        let count = fold::binary(BinaryOp::Div, rest, constant(tail.bytes), number.clone());
        match fold::constant(&bytes) {
            Some(bytes) if (bytes as u64) < least => constant(0),
            Some(_) => count,
            None => {
                let is_enough = fold::binary(BinaryOp::Ge, bytes, constant(least), code::INT);
                let none = constant(MOST_ELEMENTS + 1);
                let kind = code::ExprKind::Conditional(Box::new([is_enough, count, none]));
                Expr::new(kind, number.clone(), span)
            }
        }
    }

    /// The struct with an array of so many elements.
    fn with_tail(&mut self, ty: &Ty, tail: &Tail, count: u64) -> Ty {
        let Some(id) = ty.struct_id() else { return ty.clone() };
        let of = self.structs.get(id);
        let (name, size) = (of.name.clone(), of.size);
        let mut fields: Vec<FieldDefinition> = of.fields.clone().unwrap_or_default();
        if let Some(last) = fields.last_mut() {
            last.ty = tail.element.clone().array_of(Some(count));
        }
        let size = size.max((tail.offset + tail.bytes * count).next_multiple_of(of.align.max(1)));
        Ty::of(Kind::Struct(self.structs.made(name, fields, size)))
    }
}
