//! Memory that is asked for: how many elements of which type, as far as the program tells.

use super::Call;
use crate::elaborate::{Elaborator, Fallible};
use crate::fold;
use crate::types::{IntKind, Ty, VOID};
use crate::values::Value;
use lang_c::ast::{BinaryOperator, Expression};
use lang_c::span::Node;
use threadwise_memory::code::{BinaryOp, End, Expr, ExprKind, INT, InstructionKind, Library, Place, Type};
use threadwise_source::Span;

impl<'a> Elaborator<'a> {
    pub fn memory_call(&mut self, call: &Call<'a, '_>) -> Fallible<Option<Value>> {
        let span = call.span;
        match (call.name, call.args) {
            ("malloc" | "alloca" | "valloc", [size]) => {
                self.allocation(size, None, call).map(|(value, ..)| Some(value))
            }
            ("calloc", [count, size]) => self.allocation(size, Some(count), call).map(|(value, ..)| Some(value)),
            ("aligned_alloc" | "memalign", [_, size]) => {
                self.allocation(size, None, call).map(|(value, ..)| Some(value))
            }
            ("realloc", [old, size]) => {
                if self.constant(old).is_ok_and(|value| value == 0) {
                    return self.allocation(size, None, call).map(|(value, ..)| Some(value));
                }
                self.reallocation(old, size, call).map(Some)
            }
            ("reallocarray", [old, ..]) => {
                let span = self.span(old.span);
                Err(self.unsupported(span, "`reallocarray`", "use `realloc`, with a product of sizes"))
            }
            ("free" | "cfree", [_]) => {
                let [(pointer, _)] = self.exactly(call)?;
                if fold::constant(&pointer) != Some(0) {
                    self.library(Library::Free(pointer), span);
                }
                Ok(Some(Value::Void(span)))
            }
            ("memset", [..]) => self.set_memory(call).map(Some),
            ("memcpy" | "memmove", [..]) => self.copy_memory(call).map(Some),
            _ => Ok(None),
        }
    }

    /// Memory as the arguments ask for it: the pointer, the type of its elements, and how many there are.
    fn allocation(
        &mut self,
        size: &'a Node<Expression>,
        count: Option<&'a Node<Expression>>,
        call: &Call<'a, '_>,
    ) -> Fallible<(Value, Ty, Expr)> {
        let span = call.span;
        let named = self.sized_type(size)?;
        let wanted =
            call.wanted.filter(|ty| !ty.is_void() && !ty.is_function() && self.bytes(ty).is_some_and(|b| b > 0));
        // Bytes that are wanted as such may be for something else that the size names.
        let is_bytes = wanted.is_some_and(|ty| self.bytes(ty) == Some(1));
        let ty = match (wanted, &named) {
            (Some(wanted), None) => wanted.clone(),
            (Some(wanted), Some(_)) if !is_bytes => wanted.clone(),
            (_, Some(named)) => named.clone(),
            (None, None) => Ty::int(IntKind::Char),
        };
        let is_exact = matches!(&size.node, Expression::SizeOfTy(_) | Expression::SizeOfVal(_));
        if self.is_flexible(&ty) && !is_exact {
            if call.name == "realloc" || call.name == "alloca" {
                let what = format!("`{}` for a struct that ends with an array without a size", call.name);
                return Err(self.unsupported(span, &what, "use `malloc`, and copy what is there"));
            }
            let size_ty = self.size_ty();
            let mut bytes = self.rvalue(size).and_then(|(expr, from)| self.converted(expr, &from, &size_ty))?;
            if let Some(count) = count {
                let count = self.rvalue(count).and_then(|(expr, from)| self.converted(expr, &from, &size_ty))?;
                bytes = product(count, bytes);
            }
            let one = Expr::constant(1, bytes.ty.clone(), span);
            let value = self.flexible_allocation(&ty.unqualified(), bytes, call)?;
            return Ok((value, ty, one));
        }
        let elements = self.elements(size, count, &ty, named.as_ref(), span)?;
        let elements = if call.name == "realloc" { self.stable(elements) } else { elements };
        let (result, value) = self.result_place(&VOID.pointer_to(), span);
        let zeroed = call.name == "calloc";
        if call.name == "alloca" {
            self.said.automatic.insert(span);
        }
        let ty = ty.unqualified();
        let lowered = self.lower(&ty);
        self.library(Library::Allocate { result, ty: lowered, count: elements.clone(), zeroed }, span);
        Ok((value, ty, elements))
    }

    /// New memory, in which what there is room for is as it was in the old one, and the end of that.
    fn reallocation(
        &mut self,
        old: &'a Node<Expression>,
        size: &'a Node<Expression>,
        call: &Call<'a, '_>,
    ) -> Fallible<Value> {
        let span = call.span;
        let (old, _) = self.rvalue(old)?;
        let kept = Place::local(self.body.temporary(Type::Pointer, span), Type::Pointer, span);
        self.body.assign(kept.clone(), old, span);
        let old = || Expr::load(kept.clone());
        let (value, ty, count) = self.allocation(size, None, call)?;
        let (fresh, _) = self.scalar(value.clone())?;
        let null = Expr::constant(0, Type::Pointer, span);
        let is_there = fold::binary(BinaryOp::Ne, old(), null, INT);
        let [copies, head, more, next, end] = std::array::from_fn(|_| self.body.new_block());
        self.body.end(End::Branch(is_there, copies, end), span);
        self.body.begin(copies);
        let number = count.ty.clone();
        let place = |local| Place::local(local, number.clone(), span);
        let (index, extent) = (self.body.temporary(number.clone(), span), self.body.temporary(number.clone(), span));
        let unit = self.bytes(&ty).unwrap_or(1);
        self.library(Library::Extent { pointer: old(), unit, result: place(extent) }, span);
        self.body.assign(place(index), Expr::constant(0, number.clone(), span), span);
        self.body.flow_into(head, span);
        let below = |most: Expr| fold::binary(BinaryOp::Lt, Expr::load(place(index)), most, INT);
        let free = self.body.new_block();
        self.body.end(End::Branch(below(count), more, free), span);
        self.body.begin(more);
        self.body.end(End::Branch(below(Expr::load(place(extent))), next, free), span);
        self.body.begin(next);
        let element = |pointer: Expr| {
            let moved = ExprKind::Offset(Box::new(pointer), Box::new(Expr::load(place(index))), unit as i64);
            self.dereferenced(Expr::new(moved, Type::Pointer, span), &ty, span)
        };
        let (to, from) = (element(fresh), element(old()));
        self.body.emit(InstructionKind::Copy { to: to.place, from: from.place }, span);
        let one = Expr::constant(1, number.clone(), span);
        self.body.assign(
            place(index),
            fold::binary(BinaryOp::Add, Expr::load(place(index)), one, number.clone()),
            span,
        );
        self.body.end(End::Goto(head), span);
        self.body.begin(free);
        self.library(Library::Free(old()), span);
        self.body.flow_into(end, span);
        Ok(value)
    }

    fn bytes(&self, ty: &Ty) -> Option<u64> {
        self.structs.size_of(ty, self.model)
    }

    /// The type whose size is asked for, in `sizeof(T)`, `n * sizeof(T)` and `sizeof(T) * n`.
    fn sized_type(&mut self, node: &'a Node<Expression>) -> Fallible<Option<Ty>> {
        Ok(match &node.node {
            Expression::SizeOfTy(of) => Some(self.type_name(&of.node.0)?),
            Expression::SizeOfVal(of) => Some(self.unevaluated(|this| this.expression(&of.node.0))?.ty()),
            Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Multiply => {
                match self.sized_type(&binary.node.rhs)? {
                    Some(ty) => Some(ty),
                    None => self.sized_type(&binary.node.lhs)?,
                }
            }
            Expression::Cast(cast) => self.sized_type(&cast.node.expression)?,
            _ => None,
        })
    }

    /// How many elements there are in so many bytes.
    fn elements(
        &mut self,
        size: &'a Node<Expression>,
        count: Option<&'a Node<Expression>>,
        ty: &Ty,
        named: Option<&Ty>,
        span: Span,
    ) -> Fallible<Expr> {
        let size_ty = self.size_ty();
        let count = match count {
            Some(node) => {
                let (expr, from) = self.rvalue(node)?;
                let expr = self.converted(expr, &from, &size_ty)?;
                Some(self.stable(expr))
            }
            None => None,
        };
        // What is multiplied with the size of the type is the number of elements.
        let is_same = named.is_some_and(|named| self.bytes(named) == self.bytes(ty));
        let factor = if is_same { self.factor(size)? } else { None };
        if let Some(factor) = factor {
            return Ok(match count {
                Some(count) => product(count, factor),
                None => factor,
            });
        }
        let (expr, from) = self.rvalue(size)?;
        let size = self.converted(expr, &from, &size_ty)?;
        let unit = i128::from(self.bytes(ty).filter(|unit| *unit > 0).unwrap_or(1));
        match count {
            None => self.divided(size, ty, unit, span),
            Some(count) if fold::number(&size).is_some_and(|size| size % unit == 0) => {
                let each = self.divided(size, ty, unit, span)?;
                Ok(product(count, each))
            }
            Some(count) => self.divided(product(count, size), ty, unit, span),
        }
    }

    /// The other factor of a product with `sizeof`; 1 if there is none.
    fn factor(&mut self, node: &'a Node<Expression>) -> Fallible<Option<Expr>> {
        let size_ty = self.size_ty();
        let span = self.span(node.span);
        match &node.node {
            Expression::SizeOfTy(_) | Expression::SizeOfVal(_) => {
                Ok(Some(Expr::constant(1, self.lower(&size_ty), span)))
            }
            // A cast may cut the product off; then its value counts, and not its factors.
            Expression::Cast(_) => Ok(None),
            Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Multiply => {
                let (left, right) = (&binary.node.lhs, &binary.node.rhs);
                let is_size =
                    |node: &Node<Expression>| matches!(node.node, Expression::SizeOfTy(_) | Expression::SizeOfVal(_));
                let other = if is_size(right) {
                    left
                } else if is_size(left) {
                    right
                } else {
                    return Ok(None);
                };
                let (expr, from) = self.rvalue(other)?;
                Ok(Some(self.converted(expr, &from, &size_ty)?))
            }
            _ => Ok(None),
        }
    }

    /// A number of bytes as a number of elements.
    pub fn divided(&self, bytes: Expr, ty: &Ty, unit: i128, span: Span) -> Fallible<Expr> {
        if let Some(bytes) = fold::number(&bytes)
            && bytes % unit != 0
        {
            let message = format!("{bytes} bytes are no whole number of `{}`, which has {unit}", self.name_of(ty));
            return Err(Box::new(self.error(span, message).hint("ask for a multiple of the size of the type")));
        }
        let lowered = bytes.ty.clone();
        let unit = Expr::constant(unit as i64, lowered.clone(), span);
        if fold::constant(&unit) == Some(1) {
            return Ok(bytes);
        }
        Ok(fold::binary(BinaryOp::Div, bytes, unit, lowered))
    }
}

fn product(count: Expr, each: Expr) -> Expr {
    if fold::constant(&each) == Some(1) {
        return count;
    }
    let lowered = count.ty.clone();
    fold::binary(BinaryOp::Mul, count, each, lowered)
}
