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
        if let Some(bytes) = fold::constant(&bytes) {
            let Some(rest) = (bytes as u64).checked_sub(tail.offset) else {
                let message = format!("{bytes} bytes are too few for a `{}`", self.name_of(ty));
                return Err(Box::new(
                    self.error(span, message).hint("ask for the size of the struct and that of its elements"),
                ));
            };
            allocate(self, rest / tail.bytes);
            return Ok(value);
        }
        let count = self.tail_count(&tail, bytes.clone(), span);
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
    fn tail_count(&mut self, tail: &Tail, bytes: Expr, span: Span) -> Expr {
        let number = bytes.ty.clone();
        let constant = |value: u64| Expr::constant(value as i64, number.clone(), span);
        let bytes = self.stable(bytes);
        let rest = fold::binary(BinaryOp::Sub, bytes.clone(), constant(tail.offset), number.clone());
        let count = fold::binary(BinaryOp::Div, rest, constant(tail.bytes), number.clone());
        let is_enough = fold::binary(BinaryOp::Ge, bytes, constant(tail.offset), code::INT);
        let parts = Box::new([is_enough, count, constant(MOST_ELEMENTS + 1)]);
        Expr::new(code::ExprKind::Conditional(parts), number.clone(), span)
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
