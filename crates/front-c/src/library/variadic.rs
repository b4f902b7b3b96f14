//! Arguments that no parameter is declared for: the caller puts them into an object, the function gets its address, and a
//! `va_list` is a pointer to what comes next in it.

use super::Call;
use crate::elaborate::{Elaborator, Fallible};
use crate::layout::FieldDefinition;
use crate::types::{INT, Kind, Ty};
use crate::values::{Object, Value};
use lang_c::ast::{Expression, VaArgExpression};
use lang_c::span::Node;
use threadwise_memory::code::{Expr, ExprKind, InstructionKind, Place, Type};
use threadwise_source::Span;

/// How far the arguments are from each other: none that is allowed here takes more.
const ROOM: u64 = 16;

impl<'a> Elaborator<'a> {
    /// The address of an object that has these values, as they are after the conversions that arguments go through.
    pub fn more_arguments(&mut self, values: &[(Expr, Ty)], span: Span) -> Fallible<Expr> {
        if values.is_empty() {
            return Ok(Expr::constant(0, Type::Pointer, span));
        }
        let mut fields = Vec::new();
        for ((value, given), number) in values.iter().zip(0..) {
            if given.struct_id().is_some() {
                let what = "a struct among the arguments that no parameter is declared for";
                return Err(self.unsupported(value.span, what, "give its address"));
            }
            let ty = self.promoted_argument(given);
            fields.push(FieldDefinition { name: format!("{number}").into(), ty, offset: ROOM * number, bits: None });
        }
        let ty = Ty::of(Kind::Struct(self.structs.made("arguments".into(), fields, ROOM * values.len() as u64)));
        let local = self.body.temporary(self.lower(&ty), span);
        self.body.emit(InstructionKind::Declare(local), span);
        let all = self.local_place(local, &ty, span);
        for ((value, _), number) in values.iter().zip(0..) {
            let field = self.field_at(all.clone(), number);
            self.store(&field, value.clone(), span);
        }
        Ok(Expr::new(ExprKind::Address(Box::new(all.place)), Type::Pointer, span))
    }

    /// `va_start`, `va_copy` and `va_end`.
    pub(super) fn arguments_left(&mut self, call: &Call<'a, '_>) -> Fallible<Value> {
        let span = call.span;
        let from = match (call.name, call.args) {
            ("__builtin_va_start", [_, ..]) => match self.more {
                Some(local) => Expr::load(Place::local(local, Type::Pointer, span)),
                None => return Err(self.error(span, "this function has no arguments beyond its parameters")),
            },
            ("__builtin_va_copy", [_, from]) => self.rvalue(from)?.0,
            _ => return Ok(Value::Void(span)),
        };
        let list = self.argument_list(&call.args[0])?;
        self.store(&list, from, span);
        Ok(Value::Void(span))
    }

    fn argument_list(&mut self, node: &'a Node<Expression>) -> Fallible<Object> {
        match self.expression(node)? {
            Value::Object(object) if object.ty.kind == Kind::VaList => Ok(object),
            other => Err(self.error(other.span(), "a `va_list` is expected here")),
        }
    }

    /// `va_arg`: what the list points to, and then it points to the next one.
    pub fn next_argument(&mut self, next: &'a VaArgExpression, span: Span) -> Fallible<Value> {
        let list = self.argument_list(&next.va_list)?;
        let ty = self.type_name(&next.type_name)?;
        if !ty.is_scalar() {
            let what = "a struct among the arguments that no parameter is declared for";
            return Err(self.unsupported(span, what, "give its address"));
        }
        let (pointer, _) = self.scalar(Value::Object(list.clone()))?;
        let pointer = self.kept(pointer);
        let one = Expr::constant(1, self.lower(&INT), span);
        let moved = ExprKind::Offset(Box::new(pointer.clone()), Box::new(one), ROOM as i64);
        self.store(&list, Expr::new(moved, Type::Pointer, span), span);
        let (value, ty) = self.scalar(Value::Object(self.dereferenced(pointer, &ty, span)))?;
        Ok(Value::Scalar(self.kept(value), ty))
    }

    fn promoted_argument(&self, given: &Ty) -> Ty {
        match &given.kind {
            Kind::Array(element, _) => (**element).clone().pointer_to(),
            Kind::Function(_) => given.clone().pointer_to(),
            _ => crate::calls::default_promotion(given),
        }
    }
}
