//! `memset` and `memcpy`: of whole objects where the size says so, else element by element.

use super::Call;
use crate::elaborate::{Elaborator, Fallible};
use crate::fold;
use crate::types::{IntKind, Kind, Ty, VOID};
use crate::values::{Object, Value};
use threadwise_memory::code::{BinaryOp, End, Expr, ExprKind, Failure, INT, InstructionKind, Place, Type};
use threadwise_source::Span;

impl<'a> Elaborator<'a> {
    pub fn set_memory(&mut self, call: &Call<'a, '_>) -> Fallible<Value> {
        let [pointer, byte, size] = self.exactly(call)?;
        let span = call.span;
        let pointer = (self.stable(pointer.0), pointer.1);
        let result = Value::Scalar(pointer.0.clone(), pointer.1.clone());
        let is_zero = fold::constant(&byte.0) == Some(0);
        if is_zero && let Some(object) = self.whole_object(&pointer, &size.0, span) {
            self.body.emit(InstructionKind::Clear(object.place), span);
            return Ok(result);
        }
        let element = self.element_type(&pointer, None, span)?;
        let value = if is_zero { None } else { Some(self.repeated(byte, &element)?) };
        let count = self.element_count(size, &element, span)?;
        self.each_element(count, span, |this, index| {
            let part = this.element_at(&pointer, &element, index, span);
            match value {
                Some(value) => this.store(&part, value, span),
                None if part.ty.is_scalar() => {
                    let zero = Expr::constant(0, part.place.ty.clone(), span);
                    this.store(&part, zero, span);
                }
                None => this.body.emit(InstructionKind::Clear(part.place), span),
            }
            Ok(())
        })?;
        Ok(result)
    }

    pub fn copy_memory(&mut self, call: &Call<'a, '_>) -> Fallible<Value> {
        let [to, from, size] = self.exactly(call)?;
        let span = call.span;
        let (to, from) = ((self.stable(to.0), to.1), (self.stable(from.0), from.1));
        let result = Value::Scalar(to.0.clone(), to.1.clone());
        if let (Some(target), Some(source)) =
            (self.whole_object(&to, &size.0, span), self.whole_object(&from, &size.0, span))
            && target.place.ty == source.place.ty
        {
            self.body.emit(InstructionKind::Copy { to: target.place, from: source.place }, span);
            return Ok(result);
        }
        let element = self.element_type(&to, Some(&from), span)?;
        let count = self.element_count(size, &element, span)?;
        let backwards = match call.name {
            "memmove" => Some((self.overlaps_ahead(&to, &from, &element, &count, span)?, count.clone())),
            _ => None,
        };
        self.each_element(count, span, |this, index| {
            let index = match backwards {
                Some((backwards, count)) => this.stable(in_order(backwards, count, index)),
                None => index,
            };
            let target = this.element_at(&to, &element, index.clone(), span);
            let source = this.element_at(&from, &element, index, span);
            this.initialize(&target, Value::Object(source), span)
        })?;
        Ok(result)
    }

    /// Whether elements are moved to where other ones are that are still to be moved: then the last one is moved first.
    fn overlaps_ahead(
        &mut self,
        to: &(Expr, Ty),
        from: &(Expr, Ty),
        element: &Ty,
        count: &Expr,
        span: Span,
    ) -> Fallible<Expr> {
        let result = Place::local(self.body.temporary(INT, span), INT, span);
        self.body.assign(result.clone(), Expr::constant(0, INT, span), span);
        let unit = self.structs.size_of(element, self.model).unwrap_or(1) as i64;
        self.each_element(count.clone(), span, |this, index| {
            let nonzero = fold::binary(BinaryOp::Ne, index.clone(), Expr::constant(0, index.ty.clone(), span), INT);
            let moved = ExprKind::Offset(Box::new(from.0.clone()), Box::new(index), unit);
            let is_there = fold::binary(BinaryOp::Eq, to.0.clone(), Expr::new(moved, Type::Pointer, span), INT);
            let is_ahead = Expr::new(ExprKind::And(Box::new(nonzero), Box::new(is_there)), INT, span);
            let found = ExprKind::Or(Box::new(Expr::load(result.clone())), Box::new(is_ahead));
            this.body.assign(result.clone(), Expr::new(found, INT, span), span);
            Ok(())
        })?;
        Ok(Expr::load(result))
    }

    /// The object of exactly so many bytes that a pointer points to.
    fn whole_object(&self, pointer: &(Expr, Ty), size: &Expr, span: Span) -> Option<Object> {
        let bytes = fold::number(size)?;
        // A pointer to anything may have been made of one that tells more.
        if let ExprKind::Address(place) = &pointer.0.kind
            && i128::from(self.code_size(&place.ty)) == bytes
        {
            return Some(Object { place: Place { span, ..(**place).clone() }, ty: VOID, bits: None });
        }
        let to = pointer.1.pointee()?.unqualified();
        let is_whole = !to.is_void() && self.structs.size_of(&to, self.model).map(i128::from) == Some(bytes);
        is_whole.then(|| self.dereferenced(pointer.0.clone(), &to, span))
    }

    fn code_size(&self, ty: &Type) -> u64 {
        match ty {
            Type::Void => 1,
            Type::Int(bits) => u64::from(bits.width).div_ceil(8).next_power_of_two(),
            Type::Pointer => self.model.pointer_bytes(),
            Type::Float(bytes) => u64::from(*bytes),
            Type::Struct(id) => self.structs.get(*id).size,
            Type::Array(element, count) => self.code_size(element) * count,
            Type::Library(_, bytes) => *bytes,
        }
    }

    /// What pointers to elements point to; bytes may be anything, so that one of two that says more counts.
    fn element_type(&self, pointer: &(Expr, Ty), other: Option<&(Expr, Ty)>, span: Span) -> Fallible<Ty> {
        let known = |pointer: &(Expr, Ty)| pointer.1.pointee().map(|to| to.unqualified()).filter(|to| !to.is_void());
        let found = match (known(pointer), other.and_then(known)) {
            (Some(first), Some(second)) if first != second => None,
            (first, second) => first.or(second),
        };
        let advice = "assign the members or elements one by one";
        found.ok_or_else(|| self.unsupported(span, "access to memory of an unknown type by its bytes", advice))
    }

    /// A byte in all bytes of an element.
    fn repeated(&mut self, (byte, from): (Expr, Ty), element: &Ty) -> Fallible<Expr> {
        let lowered = self.lower(element);
        match (&element.kind, fold::constant(&byte)) {
            (Kind::Int(IntKind::Char | IntKind::SignedChar | IntKind::UnsignedChar), _) => {
                let byte = self.converted(byte, &from, element)?;
                Ok(self.stable(byte))
            }
            (Kind::Int(kind), Some(value)) if *kind != IntKind::Bool && kind.bytes(self.model) <= 8 => {
                let word = (value as u64 & 0xff) * 0x0101_0101_0101_0101;
                Ok(Expr::constant(kind.bits(self.model).wrap(word as i64), lowered, byte.span))
            }
            _ => {
                let advice = "assign the members or elements one by one";
                Err(self.unsupported(byte.span, "`memset` of this type to another value than 0", advice))
            }
        }
    }

    /// How many elements so many bytes are.
    fn element_count(&mut self, (size, from): (Expr, Ty), element: &Ty, span: Span) -> Fallible<Expr> {
        let size_ty = self.size_ty();
        let mut size = self.converted(size, &from, &size_ty)?;
        let unit = i128::from(self.structs.size_of(element, self.model).filter(|unit| *unit > 0).unwrap_or(1));
        if !is_multiple(&size, unit) {
            size = self.stable(size);
            // A part of an element is not followed.
            let of_unit = Expr::constant(unit as i64, size.ty.clone(), span);
            let rest = fold::binary(BinaryOp::Rem, size.clone(), of_unit, size.ty.clone());
            let zero = Expr::constant(0, size.ty.clone(), span);
            self.body.emit(InstructionKind::Assert(fold::binary(BinaryOp::Eq, rest, zero, INT), Failure::Beyond), span);
        }
        let count = self.divided(size, element, unit, span)?;
        Ok(self.stable(count))
    }

    fn element_at(&self, pointer: &(Expr, Ty), element: &Ty, index: Expr, span: Span) -> Object {
        let unit = self.structs.size_of(element, self.model).unwrap_or(1) as i64;
        let kind = ExprKind::Offset(Box::new(pointer.0.clone()), Box::new(index), unit);
        self.dereferenced(Expr::new(kind, Type::Pointer, span), element, span)
    }

    /// Does something for all numbers below a count.
    fn each_element(
        &mut self,
        count: Expr,
        span: Span,
        work: impl FnOnce(&mut Self, Expr) -> Fallible<()>,
    ) -> Fallible<()> {
        let ty = count.ty.clone();
        let index = Place::local(self.body.temporary(ty.clone(), span), ty.clone(), span);
        self.body.assign(index.clone(), Expr::constant(0, ty.clone(), span), span);
        let [head, body, after] = [(); 3].map(|()| self.body.new_block());
        self.body.flow_into(head, span);
        let is_below = fold::binary(BinaryOp::Lt, Expr::load(index.clone()), count, INT);
        self.body.end(End::Branch(is_below, body, after), span);
        self.body.begin(body);
        work(self, Expr::load(index.clone()))?;
        let one = Expr::constant(1, ty.clone(), span);
        let next = fold::binary(BinaryOp::Add, Expr::load(index.clone()), one, ty);
        self.body.assign(index, next, span);
        self.body.end(End::Goto(head), span);
        self.body.begin(after);
        Ok(())
    }
}

/// The number of an element among so many, which are counted from the last one if a condition holds.
fn in_order(backwards: Expr, count: Expr, index: Expr) -> Expr {
    let (ty, span) = (index.ty.clone(), index.span);
    let last = fold::binary(BinaryOp::Sub, count, Expr::constant(1, ty.clone(), span), ty.clone());
    let from_last = fold::binary(BinaryOp::Sub, last, index.clone(), ty.clone());
    Expr::new(ExprKind::Conditional(Box::new([backwards, from_last, index])), ty, span)
}

/// Whether the text of a size says that it is so many whole elements; a number of which nobody can tell is none.
fn is_multiple(size: &Expr, unit: i128) -> bool {
    match &size.kind {
        _ if unit == 1 || fold::number(size).is_some() => true,
        ExprKind::Binary(BinaryOp::Mul, a, b) => {
            let is_unit = |e: &Expr| fold::number(e).is_some_and(|number| number % unit == 0);
            is_unit(a) || is_unit(b)
        }
        _ => false,
    }
}
