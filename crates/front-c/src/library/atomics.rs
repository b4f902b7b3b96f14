//! Atomic operations: those of C11, and the builtins `__atomic_…` and `__sync_…` that headers make of them.

use super::Call;
use super::atomic_names::{Operation, Update, operation};
use crate::elaborate::{Elaborator, Fallible};
use crate::fold;
use crate::types::{INT, IntKind, Kind, Ty};
use crate::values::{Object, Value};
use lang_c::ast::{BinaryOperator, Expression};
use lang_c::span::Node;
use threadwise_memory::code::{self, BinaryOp, End, Expr, ExprKind, InstructionKind, Type, UnaryOp};
use threadwise_source::Span;

/// The number of `memory_order_seq_cst`.
const SEQUENTIAL: i64 = 5;

impl<'a> Elaborator<'a> {
    pub fn atomic_call(&mut self, call: &Call<'a, '_>) -> Fallible<Option<Value>> {
        let Some((operation, operands)) = operation(call.name) else { return Ok(None) };
        if call.args.len() < operands {
            let message =
                format!("`{}` has at least {operands} arguments, and there are {}", call.name, call.args.len());
            return Err(self.error(call.span, message));
        }
        if matches!(call.name, "__sync_lock_test_and_set" | "__sync_lock_release") {
            // The one acquires and the other one releases, and no more.
            self.note_weak_order(call.span);
        }
        let (args, rest) = call.args.split_at(operands);
        let values = self.values(args)?;
        let is_weak = self.orders(operation, call, rest)?;
        self.atomic_operation(operation, values, is_weak, call.span).map(Some)
    }

    /// Looks at the memory orders; gives whether a comparison may fail for no reason.
    fn orders(&mut self, operation: Operation, call: &Call, rest: &'a [Node<Expression>]) -> Fallible<bool> {
        let (name, span) = (call.name, call.span);
        let is_builtin_compare = name.starts_with("__atomic_compare_exchange");
        let (flags, orders) = if is_builtin_compare { rest.split_at(rest.len().min(1)) } else { rest.split_at(0) };
        if operation != Operation::IsFree && !name.starts_with("__sync_") {
            for node in orders {
                let order = self.constant(node).ok();
                if order != Some(i128::from(SEQUENTIAL)) {
                    let span = self.span(node.span);
                    self.note_weak_order(span);
                }
            }
        }
        // These two are an acquire and a release.
        if matches!(name, "__sync_lock_test_and_set" | "__sync_lock_release") {
            self.note_weak_order(span);
        }
        match flags {
            [flag] => Ok(self.constant(flag).ok() != Some(0)),
            _ => Ok(operation == Operation::CompareExchange { weak: true }),
        }
    }

    /// Here the program does not ask for sequential consistency: by an order, or by something that may fail, which then
    /// keeps no order.
    pub(super) fn note_weak_order(&mut self, span: Span) {
        if self.unevaluated == 0 {
            self.weak_orders.push(span);
        }
    }

    fn atomic_operation(
        &mut self,
        operation: Operation,
        values: Vec<(Expr, Ty)>,
        is_weak: bool,
        span: Span,
    ) -> Fallible<Value> {
        let mut values = values.into_iter();
        let Some(first) = values.next() else {
            return Ok(match operation {
                Operation::IsFree => self.integer(1, IntKind::Bool, span),
                _ => Value::Void(span),
            });
        };
        let target = self.atomic_object(first, span)?;
        let mut next = || values.next().expect("arguments are counted above");
        match operation {
            Operation::Load => Ok(Value::Object(target)),
            Operation::LoadInto => {
                let result = self.pointed(next(), &target, span)?;
                self.transfer(&result, Value::Object(target), span)
            }
            Operation::Store => {
                let value = self.operand(next(), &target)?;
                self.transfer(&target, value, span)
            }
            Operation::StoreFrom => {
                let value = self.pointed(next(), &target, span)?;
                self.transfer(&target, Value::Object(value), span)
            }
            Operation::Exchange => {
                let value = self.operand(next(), &target)?;
                let (value, _) = self.scalar(value)?;
                let value = self.stable(value);
                self.exchange(target, value, span)
            }
            Operation::ExchangeFrom => {
                let value = self.pointed(next(), &target, span)?;
                let (value, _) = self.scalar(Value::Object(value))?;
                let value = self.stable(value);
                let result = self.pointed(next(), &target, span)?;
                let old = self.exchange(target, value, span)?;
                self.transfer(&result, old, span)
            }
            Operation::CompareExchange { .. } => {
                let expected = self.pointed(next(), &target, span)?;
                let desired = self.operand(next(), &target)?;
                self.compare_exchange(target, expected, desired, is_weak, span)
            }
            Operation::CompareExchangeFrom => {
                let expected = self.pointed(next(), &target, span)?;
                let desired = self.pointed(next(), &target, span)?;
                self.compare_exchange(target, expected, Value::Object(desired), is_weak, span)
            }
            Operation::CompareAndSwap { gives_old } => {
                let expected = self.operand(next(), &target)?;
                let (expected, _) = self.scalar(expected)?;
                let expected = self.stable(expected);
                let desired = self.operand(next(), &target)?;
                let ty = target.ty.unqualified();
                let (old, is_same) = self.compare_and_swap(target, expected, desired, false, span)?;
                Ok(if gives_old { Value::Scalar(old, ty) } else { truth_value(self, is_same) })
            }
            Operation::Update { operator, gives_old } => {
                let operand = next();
                self.atomic_arithmetic(target, operator, operand, gives_old, span)
            }
            Operation::TestAndSet => {
                let one = Expr::constant(1, target.place.ty.clone(), span);
                let old = self.exchange(target, one, span)?;
                self.cast(old, &Ty::int(IntKind::Bool))
            }
            Operation::Clear => {
                let zero = Expr::constant(0, target.place.ty.clone(), span);
                self.store(&target, zero, span);
                Ok(Value::Void(span))
            }
            Operation::Fence => Ok(Value::Void(span)),
            Operation::IsFree => Ok(self.integer(1, IntKind::Bool, span)),
        }
    }

    /// What a pointer points to; all accesses are atomic. Of a flag, what is inside.
    fn atomic_object(&mut self, (pointer, ty): (Expr, Ty), span: Span) -> Fallible<Object> {
        let Some(to) = ty.pointee().cloned() else {
            // Fences and the like have an order there.
            let local = self.body.temporary(Type::Pointer, span);
            return Ok(self.local_place(local, &ty, span));
        };
        let to = if to.is_void() { Ty::int(IntKind::UnsignedChar) } else { (*to).clone() };
        let mut object = self.dereferenced(pointer, &to, span);
        object.place = self.stable_place(object.place);
        while let Some(id) =
            object.ty.struct_id().filter(|id| self.structs.get(*id).fields.as_ref().is_some_and(|f| f.len() == 1))
            && !self.structs.get(id).is_union
        {
            object = self.field_at(object, 0);
        }
        object.place.atomic = true;
        Ok(object)
    }

    /// What another pointer points to, as what the atomic object is.
    fn pointed(&mut self, (pointer, _): (Expr, Ty), like: &Object, span: Span) -> Fallible<Object> {
        let mut object = self.dereferenced(pointer, &like.ty.unqualified(), span);
        object.place = self.stable_place(object.place);
        Ok(object)
    }

    fn operand(&mut self, (expr, from): (Expr, Ty), target: &Object) -> Fallible<Value> {
        let ty = target.ty.unqualified();
        Ok(Value::Scalar(self.converted(expr, &from, &ty)?, ty))
    }

    /// One access; of a struct, several in one step.
    fn transfer(&mut self, to: &Object, value: Value, span: Span) -> Fallible<Value> {
        if to.ty.is_scalar() {
            self.initialize(to, value, span)?;
        } else {
            self.body.emit(InstructionKind::AtomicBegin, span);
            let untyped = Object { ty: to.ty.unqualified(), ..to.clone() };
            self.initialize(&untyped, value, span)?;
            self.body.emit(InstructionKind::AtomicEnd, span);
        }
        Ok(Value::Void(span))
    }

    fn exchange(&mut self, target: Object, value: Expr, span: Span) -> Fallible<Value> {
        self.body.emit(InstructionKind::AtomicBegin, span);
        let (old, ty) = self.scalar(Value::Object(target.clone()))?;
        let old = self.kept(old);
        self.store(&target, value, span);
        self.body.emit(InstructionKind::AtomicEnd, span);
        Ok(Value::Scalar(old, ty))
    }

    fn compare_exchange(
        &mut self,
        target: Object,
        expected: Object,
        desired: Value,
        is_weak: bool,
        span: Span,
    ) -> Fallible<Value> {
        let (desired, ty) = self.scalar(desired)?;
        let desired = self.stable(desired);
        let (known, _) = self.scalar(Value::Object(expected.clone()))?;
        let known = self.stable(known);
        let (old, is_same) = self.compare_and_swap(target, known, Value::Scalar(desired, ty), is_weak, span)?;
        // What was expected learns what is there; that is an ordinary access.
        let [tell, after] = [(); 2].map(|()| self.body.new_block());
        self.body.end(End::Branch(is_same.clone(), after, tell), span);
        self.body.begin(tell);
        self.store(&expected, old, span);
        self.body.flow_into(after, span);
        Ok(truth_value(self, is_same))
    }

    /// The old value, and whether the new one was stored.
    fn compare_and_swap(
        &mut self,
        target: Object,
        expected: Expr,
        desired: Value,
        is_weak: bool,
        span: Span,
    ) -> Fallible<(Expr, Expr)> {
        let (desired, _) = self.scalar(desired)?;
        let desired = self.stable(desired);
        self.body.emit(InstructionKind::AtomicBegin, span);
        let (old, _) = self.scalar(Value::Object(target.clone()))?;
        let old = self.kept(old);
        let is_same = fold::binary(BinaryOp::Eq, old.clone(), expected, code::INT);
        let any = Expr::new(ExprKind::Any, Type::Int(IntKind::Bool.bits(self.model)), span);
        let is_same = if is_weak { fold::and(is_same, any) } else { is_same };
        let is_same = self.kept(is_same);
        let [same, after] = [(); 2].map(|()| self.body.new_block());
        self.body.end(End::Branch(is_same.clone(), same, after), span);
        self.body.begin(same);
        self.store(&target, desired, span);
        self.body.flow_into(after, span);
        self.body.emit(InstructionKind::AtomicEnd, span);
        Ok((old, is_same))
    }

    fn atomic_arithmetic(
        &mut self,
        target: Object,
        update: Update,
        operand: (Expr, Ty),
        gives_old: bool,
        span: Span,
    ) -> Fallible<Value> {
        let (operand, from) = (self.stable(operand.0), operand.1);
        self.body.emit(InstructionKind::AtomicBegin, span);
        let (old, ty) = self.scalar(Value::Object(target.clone()))?;
        let old = self.kept(old);
        let new = if let Kind::Pointer(_) = ty.kind {
            // These count bytes, whatever the pointer points to.
            let unit = if update == Update::Sub { -1 } else { 1 };
            Expr::new(ExprKind::Offset(Box::new(old.clone()), Box::new(operand), unit), Type::Pointer, span)
        } else {
            let operator = match update {
                Update::Add => BinaryOperator::Plus,
                Update::Sub => BinaryOperator::Minus,
                Update::And | Update::Nand => BinaryOperator::BitwiseAnd,
                Update::Or => BinaryOperator::BitwiseOr,
                Update::Xor => BinaryOperator::BitwiseXor,
            };
            let (new, new_ty) = self.arithmetic(&operator, (old.clone(), ty.clone()), (operand, from), span)?;
            let lowered = new.ty.clone();
            let new = if update == Update::Nand { fold::unary(UnaryOp::BitNot, new, lowered) } else { new };
            self.converted(new, &new_ty, &ty)?
        };
        let new = if gives_old { new } else { self.kept(new) };
        self.store(&target, new.clone(), span);
        self.body.emit(InstructionKind::AtomicEnd, span);
        Ok(Value::Scalar(if gives_old { old } else { new }, ty))
    }
}

fn truth_value(elaborator: &Elaborator, expr: Expr) -> Value {
    let ty = Ty::int(IntKind::Bool);
    match elaborator.converted(expr.clone(), &INT, &ty) {
        Ok(converted) => Value::Scalar(converted, ty),
        Err(_) => Value::Scalar(expr, INT),
    }
}
