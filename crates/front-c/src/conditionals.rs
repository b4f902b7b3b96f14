//! `?:` in all its forms: as a value where that will do, else as control flow.

use crate::effects::{has_effects, is_left_out};
use crate::elaborate::{Elaborator, Fallible};
use crate::fold;
use crate::types::{INT, Kind, Ty};
use crate::values::{Object, Value};
use lang_c::ast::{ConditionalExpression, Expression};
use lang_c::span::Node;
use threadwise_memory::code::{End, Expr};
use threadwise_source::Span;

impl<'a> Elaborator<'a> {
    pub fn conditional(
        &mut self,
        parts: &'a ConditionalExpression,
        span: Span,
        wanted: Option<&Ty>,
    ) -> Fallible<Value> {
        let (yes, no) = (&parts.then_expression, &parts.else_expression);
        if is_left_out(&yes.node) && !self.source.slice(self.span(yes.span)).starts_with('_') {
            return self.first_or(parts, span);
        }
        if !has_effects(&yes.node) && !has_effects(&no.node) && !self.is_struct(yes) {
            let (condition, _) = self.rvalue(&parts.condition)?;
            let condition = fold::truth(condition);
            let emitted = self.body.emitted;
            let (yes, no) = (self.expression(yes)?, self.expression(no)?);
            self.expect_nothing_since(emitted, span)?;
            if yes.ty().is_void() || no.ty().is_void() {
                self.discard(Value::Scalar(condition, INT))?;
                return Ok(Value::Void(span));
            }
            let (yes, no) = (self.scalar(yes)?, self.scalar(no)?);
            let ty = self.common_type(&yes, &no, span)?;
            let (yes, no) = (self.converted(yes.0, &yes.1, &ty)?, self.converted(no.0, &no.1, &ty)?);
            return Ok(Value::Scalar(fold::conditional(condition, yes, no), ty));
        }
        self.branching_conditional(parts, span, wanted)
    }

    /// Whether an expression is a struct. That is asked for inner expressions again and again, so it is kept.
    fn is_struct(&mut self, node: &'a Node<Expression>) -> bool {
        let key = std::ptr::from_ref(node) as usize;
        if let Some(known) = self.structs_chosen.get(&key) {
            return *known;
        }
        let value = self.unevaluated(|this| this.expression(node));
        let is_struct = value.is_ok_and(|value| value.ty().struct_id().is_some());
        self.structs_chosen.insert(key, is_struct);
        is_struct
    }

    /// `a ?: b`: the first value if it is not zero, evaluated once.
    fn first_or(&mut self, parts: &'a ConditionalExpression, span: Span) -> Fallible<Value> {
        let (first, first_ty) = self.rvalue(&parts.condition)?;
        let first = self.stable(first);
        let [same, other, join] = [(); 3].map(|()| self.body.new_block());
        self.body.end(End::Branch(fold::truth(first.clone()), same, other), span);
        self.body.begin(other);
        let no = self.expression(&parts.else_expression)?;
        let yes = Value::Scalar(first, first_ty);
        let result = self.conditional_result(&yes, &no, span)?;
        self.finish_arm(no, &result, join, span)?;
        self.body.begin(same);
        self.finish_arm(yes, &result, join, span)?;
        self.body.begin(join);
        Ok(conditional_value(result, span))
    }

    fn branching_conditional(
        &mut self,
        parts: &'a ConditionalExpression,
        span: Span,
        wanted: Option<&Ty>,
    ) -> Fallible<Value> {
        let [first, second, join] = [(); 3].map(|()| self.body.new_block());
        self.branch(&parts.condition, first, second)?;
        self.body.begin(first);
        let yes = self.expression_for(&parts.then_expression, wanted)?;
        let first_end = self.body.current();
        self.body.begin(second);
        let no = self.expression_for(&parts.else_expression, wanted)?;
        let result = self.conditional_result(&yes, &no, span)?;
        self.finish_arm(no, &result, join, span)?;
        self.body.begin(first_end);
        self.finish_arm(yes, &result, join, span)?;
        self.body.begin(join);
        Ok(conditional_value(result, span))
    }

    /// Where the value of a `?:` with effects goes.
    fn conditional_result(&mut self, yes: &Value, no: &Value, span: Span) -> Fallible<Option<Object>> {
        let ty = match (yes.ty(), no.ty()) {
            (yes, no) if yes.is_void() || no.is_void() => return Ok(None),
            (yes, no) if yes.struct_id().is_some() && yes.struct_id() == no.struct_id() => yes.unqualified(),
            _ => {
                let (yes, no) = (self.scalar(yes.clone())?, self.scalar(no.clone())?);
                self.common_type(&yes, &no, span)?
            }
        };
        let local = self.body.temporary(self.lower(&ty), span);
        Ok(Some(self.local_place(local, &ty, span)))
    }

    fn finish_arm(
        &mut self,
        value: Value,
        result: &Option<Object>,
        join: threadwise_memory::code::BlockId,
        span: Span,
    ) -> Fallible<()> {
        match result {
            Some(object) => self.initialize(object, value, span)?,
            None => self.discard(value)?,
        }
        self.body.end(End::Goto(join), span);
        Ok(())
    }

    /// The type of a `?:` (C11 6.5.15).
    fn common_type(&self, yes: &(Expr, Ty), no: &(Expr, Ty), span: Span) -> Fallible<Ty> {
        let is_null = |value: &(Expr, Ty)| fold::constant(&value.0) == Some(0);
        match (&yes.1.kind, &no.1.kind) {
            (Kind::Pointer(to), Kind::Pointer(other)) => {
                let takes_other = is_null(yes) && to.is_void() || other.is_void() && !is_null(no);
                Ok(if takes_other { no.1.clone() } else { yes.1.clone() })
            }
            (Kind::Pointer(_), _) => Ok(yes.1.clone()),
            (_, Kind::Pointer(_)) => Ok(no.1.clone()),
            _ if yes.1 == no.1 && !yes.1.is_arithmetic() => Ok(yes.1.clone()),
            _ => self.arithmetic_type(&yes.1, &no.1, span),
        }
    }
}

fn conditional_value(result: Option<Object>, span: Span) -> Value {
    match result {
        Some(object) if object.ty.is_scalar() => Value::Scalar(Expr::load(object.place), object.ty),
        Some(object) => Value::Object(object),
        None => Value::Void(span),
    }
}
