//! Assignments, simple and compound, `++` and `--`.

use crate::effects::{has_effects, looked_at};
use crate::elaborate::{Elaborator, Fallible};
use crate::fold;
use crate::types::{IntKind, Ty};
use crate::values::{Object, Value, promoted_bits};
use lang_c::ast::{BinaryOperator, BinaryOperatorExpression, Expression};
use lang_c::span::Node;
use threadwise_memory::code::{Expr, InstructionKind};
use threadwise_source::Span;

impl<'a> Elaborator<'a> {
    /// `is_dropped`: nobody wants the value.
    pub fn assignment(
        &mut self,
        binary: &'a BinaryOperatorExpression,
        is_dropped: bool,
        span: Span,
    ) -> Fallible<Value> {
        let operator = compound_operator(&binary.operator.node);
        // A variable that is only assigned is not looked at before.
        let looked_at = if operator.is_some() { vec![&*binary.lhs] } else { looked_at(&binary.lhs) };
        self.check_order(looked_at.into_iter().chain([&*binary.rhs]));
        let mut object = self.object(&binary.lhs)?;
        if operator.is_some() || has_effects(&binary.rhs.node) {
            object.place = self.stable_place(object.place);
        }
        match operator {
            Some(operator) => self.compound_assignment(object, operator, &binary.rhs, is_dropped, span),
            None => self.simple_assignment(object, &binary.rhs, is_dropped, span),
        }
    }

    /// Something that can be assigned to.
    pub fn object(&mut self, node: &'a Node<Expression>) -> Fallible<Object> {
        match self.expression(node)? {
            Value::Object(object) => Ok(object),
            other => Err(self.error(other.span(), "this cannot be assigned to")),
        }
    }

    fn simple_assignment(
        &mut self,
        object: Object,
        right: &'a Node<Expression>,
        is_dropped: bool,
        span: Span,
    ) -> Fallible<Value> {
        let wanted = object.ty.pointee().cloned();
        let value = self.expression_for(right, wanted.as_deref())?;
        if !object.ty.is_scalar() {
            self.initialize(&object, value, span)?;
            return Ok(Value::Object(object));
        }
        let (expr, from) = self.scalar(value)?;
        let expr = self.converted(expr, &from, &object.ty)?;
        Ok(self.stored(&object, expr, is_dropped, span))
    }

    /// Stores a value. The value of an assignment is what the object got; it is not loaded again, unless nobody else can
    /// change it.
    fn stored(&mut self, object: &Object, expr: Expr, is_dropped: bool, span: Span) -> Value {
        let ty = object.ty.unqualified();
        if is_dropped {
            self.store(object, expr, span);
            return Value::Void(span);
        }
        let load = Expr::load(object.place.clone());
        if self.is_stable(&load) {
            self.store(object, expr, span);
            return Value::Scalar(load, ty);
        }
        let expr = if fold::constant(&expr).is_some() { expr } else { self.kept(expr) };
        self.store(object, expr.clone(), span);
        match (object.bits, object.ty.int_kind()) {
            // It has the width of the bit-field, and is promoted as if it were loaded.
            (Some(width), Some(kind)) => {
                let ty = Ty::int(promoted_bits(kind, width));
                let narrow = fold::convert(expr, object.place.ty.clone());
                Value::Scalar(fold::convert(narrow, self.lower(&ty)), ty)
            }
            _ => Value::Scalar(expr, ty),
        }
    }

    fn compound_assignment(
        &mut self,
        object: Object,
        operator: BinaryOperator,
        right: &'a Node<Expression>,
        is_dropped: bool,
        span: Span,
    ) -> Fallible<Value> {
        if object.place.atomic {
            // All of it is one step, so the other operand comes first.
            let (operand, ty) = self.rvalue(right)?;
            let operand = self.stable(operand);
            return self.atomic_update(object, &operator, (operand, ty), false, span);
        }
        let (mut old, old_ty) = self.scalar(Value::Object(object.clone()))?;
        if has_effects(&right.node) {
            old = self.stable(old);
        }
        let right = self.rvalue(right)?;
        let (new, ty) = self.arithmetic(&operator, (old, old_ty), right, span)?;
        let new = self.converted(new, &ty, &object.ty)?;
        Ok(self.stored(&object, new, is_dropped, span))
    }

    pub fn increment(
        &mut self,
        operand: &'a Node<Expression>,
        operator: &BinaryOperator,
        is_post: bool,
        is_dropped: bool,
        span: Span,
    ) -> Fallible<Value> {
        let mut object = self.object(operand)?;
        object.place = self.stable_place(object.place);
        let Value::Scalar(one, one_ty) = self.integer(1, IntKind::Int, span) else { unreachable!("it is a number") };
        if object.place.atomic {
            return self.atomic_update(object, operator, (one, one_ty), is_post, span);
        }
        let (old, old_ty) = self.scalar(Value::Object(object.clone()))?;
        let old = if is_post && !is_dropped { self.kept(old) } else { old };
        let (new, ty) = self.arithmetic(operator, (old.clone(), old_ty.clone()), (one, one_ty), span)?;
        let new = self.converted(new, &ty, &object.ty)?;
        let stored = self.stored(&object, new, is_dropped || is_post, span);
        Ok(if is_post && !is_dropped { Value::Scalar(old, old_ty) } else { stored })
    }

    /// Load, compute and store in one step; gives the old or the new value.
    pub fn atomic_update(
        &mut self,
        object: Object,
        operator: &BinaryOperator,
        operand: (Expr, Ty),
        gives_old: bool,
        span: Span,
    ) -> Fallible<Value> {
        self.body.emit(InstructionKind::AtomicBegin, span);
        let (old, old_ty) = self.scalar(Value::Object(object.clone()))?;
        let old = self.kept(old);
        let (new, ty) = self.arithmetic(operator, (old.clone(), old_ty.clone()), operand, span)?;
        let new = self.converted(new, &ty, &object.ty)?;
        let stored = self.stored(&object, new, gives_old, span);
        self.body.emit(InstructionKind::AtomicEnd, span);
        Ok(if gives_old { Value::Scalar(old, old_ty) } else { stored })
    }
}

fn compound_operator(operator: &BinaryOperator) -> Option<BinaryOperator> {
    Some(match operator {
        BinaryOperator::AssignMultiply => BinaryOperator::Multiply,
        BinaryOperator::AssignDivide => BinaryOperator::Divide,
        BinaryOperator::AssignModulo => BinaryOperator::Modulo,
        BinaryOperator::AssignPlus => BinaryOperator::Plus,
        BinaryOperator::AssignMinus => BinaryOperator::Minus,
        BinaryOperator::AssignShiftLeft => BinaryOperator::ShiftLeft,
        BinaryOperator::AssignShiftRight => BinaryOperator::ShiftRight,
        BinaryOperator::AssignBitwiseAnd => BinaryOperator::BitwiseAnd,
        BinaryOperator::AssignBitwiseXor => BinaryOperator::BitwiseXor,
        BinaryOperator::AssignBitwiseOr => BinaryOperator::BitwiseOr,
        _ => return None,
    })
}
