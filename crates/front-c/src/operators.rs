//! Operators on values: promotions, the usual arithmetic conversions, pointer arithmetic.

use crate::effects::has_effects;
use crate::elaborate::{Elaborator, Fallible};
use crate::fold;
use crate::types::{INT, IntKind, Kind, Ty};
use crate::values::Value;
use lang_c::ast::{BinaryOperator, BinaryOperatorExpression, Expression, UnaryOperator, UnaryOperatorExpression};
use lang_c::span::Node;
use threadwise_memory::code::{self, BinaryOp, BlockId, End, Expr, ExprKind, Place, Type, UnaryOp};
use threadwise_source::Span;

impl<'a> Elaborator<'a> {
    pub fn unary(&mut self, unary: &'a UnaryOperatorExpression, is_dropped: bool, span: Span) -> Fallible<Value> {
        let operand = &unary.operand;
        match unary.operator.node {
            UnaryOperator::PostIncrement => self.increment(operand, &BinaryOperator::Plus, true, is_dropped, span),
            UnaryOperator::PostDecrement => self.increment(operand, &BinaryOperator::Minus, true, is_dropped, span),
            UnaryOperator::PreIncrement => self.increment(operand, &BinaryOperator::Plus, false, is_dropped, span),
            UnaryOperator::PreDecrement => self.increment(operand, &BinaryOperator::Minus, false, is_dropped, span),
            UnaryOperator::Address => {
                let value = self.expression(operand)?;
                self.address_of(value, span)
            }
            UnaryOperator::Indirection => {
                let (pointer, ty) = self.rvalue(operand)?;
                match ty.pointee() {
                    Some(to) if to.is_function() => Ok(Value::Scalar(pointer, ty)),
                    Some(to) if to.is_void() => Ok(Value::Void(span)),
                    Some(to) => Ok(Value::Object(self.dereferenced(pointer, to, span))),
                    None => {
                        Err(self.error(span, format!("a pointer is expected, and this is `{}`", self.name_of(&ty))))
                    }
                }
            }
            UnaryOperator::Negate => {
                let (expr, _) = self.rvalue(operand)?;
                Ok(Value::Scalar(Expr { span, ..negated(expr) }, INT))
            }
            UnaryOperator::Plus | UnaryOperator::Minus | UnaryOperator::Complement => {
                let value = self.rvalue(operand)?;
                self.signed_operator(&unary.operator.node, value, span)
            }
        }
    }

    fn signed_operator(&mut self, operator: &UnaryOperator, (expr, ty): (Expr, Ty), span: Span) -> Fallible<Value> {
        if ty.is_float() && *operator != UnaryOperator::Complement {
            let lowered = self.lower(&ty);
            return Ok(Value::Scalar(fold::unknown_of(vec![expr], lowered), ty));
        }
        let Some(kind) = ty.int_kind() else {
            return Err(self.error(span, format!("a number is expected, and this is `{}`", self.name_of(&ty))));
        };
        let promoted = Ty::int(kind.promoted());
        let expr = self.converted(expr, &ty, &promoted)?;
        let lowered = expr.ty.clone();
        let expr = match operator {
            UnaryOperator::Minus => fold::unary(UnaryOp::Neg, expr, lowered),
            UnaryOperator::Complement => fold::unary(UnaryOp::BitNot, expr, lowered),
            _ => expr,
        };
        Ok(Value::Scalar(Expr { span, ..expr }, promoted))
    }

    pub fn binary(&mut self, binary: &'a BinaryOperatorExpression, span: Span) -> Fallible<Value> {
        self.check_order([&*binary.lhs, &*binary.rhs].into_iter());
        let (mut left, left_ty) = self.rvalue(&binary.lhs)?;
        if has_effects(&binary.rhs.node) {
            left = self.stable(left);
        }
        let right = self.rvalue(&binary.rhs)?;
        let (expr, ty) = self.arithmetic(&binary.operator.node, (left, left_ty), right, span)?;
        Ok(Value::Scalar(expr, ty))
    }

    /// An operator that is neither an assignment nor logical.
    pub fn arithmetic(
        &self,
        operator: &BinaryOperator,
        left: (Expr, Ty),
        right: (Expr, Ty),
        span: Span,
    ) -> Fallible<(Expr, Ty)> {
        let (expr, ty) = match operator {
            BinaryOperator::Plus | BinaryOperator::Minus
                if left.1.pointee().is_some() || right.1.pointee().is_some() =>
            {
                self.moved_pointer(operator, left, right, span)?
            }
            BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight => self.shift(operator, left, right, span)?,
            _ => match comparison(operator) {
                Some(op) => (self.compared(op, left, right, span)?, INT),
                None => {
                    let ty = self.arithmetic_type(&left.1, &right.1, span)?;
                    let (x, y) = (self.converted(left.0, &left.1, &ty)?, self.converted(right.0, &right.1, &ty)?);
                    let lowered = self.lower(&ty);
                    if ty.is_float() {
                        (fold::unknown_of(vec![x, y], lowered), ty)
                    } else {
                        (fold::binary(arithmetic_op(operator), x, y, lowered), ty)
                    }
                }
            },
        };
        Ok((Expr { span, ..expr }, ty))
    }

    /// The usual arithmetic conversions (C11 6.3.1.8).
    pub fn arithmetic_type(&self, left: &Ty, right: &Ty, span: Span) -> Fallible<Ty> {
        match (&left.kind, &right.kind) {
            (Kind::Float(a), Kind::Float(b)) => {
                Ok(if self.model.float_bytes(*a) >= self.model.float_bytes(*b) { left.clone() } else { right.clone() })
            }
            (Kind::Float(_), Kind::Int(_)) => Ok(left.unqualified()),
            (Kind::Int(_), Kind::Float(_)) => Ok(right.unqualified()),
            (Kind::Int(a), Kind::Int(b)) => Ok(Ty::int(a.common(*b, self.model))),
            // Handles are numbers to those who look.
            (Kind::Library(..), _) if left.is_scalar() => self.arithmetic_type(&self.size_ty(), right, span),
            (_, Kind::Library(..)) if right.is_scalar() => self.arithmetic_type(left, &self.size_ty(), span),
            _ => {
                let (left, right) = (self.name_of(left), self.name_of(right));
                Err(self.error(span, format!("this does not work for `{left}` and `{right}`")))
            }
        }
    }

    pub fn size_ty(&self) -> Ty {
        Ty::int(self.model.size_kind())
    }

    fn shift(
        &self,
        operator: &BinaryOperator,
        left: (Expr, Ty),
        right: (Expr, Ty),
        span: Span,
    ) -> Fallible<(Expr, Ty)> {
        let (Some(kind), Some(amount)) = (left.1.int_kind(), right.1.int_kind()) else {
            return Err(self.error(span, "only integers can be shifted"));
        };
        let (ty, amount) = (Ty::int(kind.promoted()), Ty::int(amount.promoted()));
        let (x, y) = (self.converted(left.0, &left.1, &ty)?, self.converted(right.0, &right.1, &amount)?);
        let op = if *operator == BinaryOperator::ShiftLeft { BinaryOp::Shl } else { BinaryOp::Shr };
        let lowered = self.lower(&ty);
        Ok((fold::binary(op, x, y, lowered), ty))
    }

    fn compared(&self, op: BinaryOp, left: (Expr, Ty), right: (Expr, Ty), span: Span) -> Fallible<Expr> {
        if left.1.pointee().is_some() || right.1.pointee().is_some() {
            let pointer = crate::types::VOID.pointer_to();
            let (x, y) = (self.converted(left.0, &left.1, &pointer)?, self.converted(right.0, &right.1, &pointer)?);
            return Ok(fold::binary(op, x, y, code::INT));
        }
        if left.1.unqualified() == right.1.unqualified() && left.1.object().is_some() {
            return Ok(fold::binary(op, left.0, right.0, code::INT));
        }
        let ty = self.arithmetic_type(&left.1, &right.1, span)?;
        let (x, y) = (self.converted(left.0, &left.1, &ty)?, self.converted(right.0, &right.1, &ty)?);
        Ok(if ty.is_float() { fold::unknown_of(vec![x, y], code::INT) } else { fold::binary(op, x, y, code::INT) })
    }

    fn moved_pointer(
        &self,
        operator: &BinaryOperator,
        left: (Expr, Ty),
        right: (Expr, Ty),
        span: Span,
    ) -> Fallible<(Expr, Ty)> {
        let is_minus = *operator == BinaryOperator::Minus;
        let (pointer, ty, count, count_ty) = match (left.1.pointee(), right.1.pointee()) {
            (Some(to), Some(_)) if is_minus => {
                let unit = self.unit(to, span)?;
                let ty = Ty::int(self.model.difference_kind());
                let kind = ExprKind::Difference(Box::new(left.0), Box::new(right.0), unit);
                return Ok((Expr::new(kind, self.lower(&ty), span), ty));
            }
            (Some(_), None) => (left.0, left.1, right.0, right.1),
            (None, Some(_)) if !is_minus => (right.0, right.1, left.0, left.1),
            _ => return Err(self.error(span, "two pointers cannot be added")),
        };
        self.expect_integer(&count, &count_ty)?;
        let promoted = Ty::int(count_ty.int_kind().unwrap_or(IntKind::Int).promoted());
        let count = self.converted(count, &count_ty, &promoted)?;
        let to = ty.pointee().expect("it is a pointer");
        let unit = self.unit(to, span)? as i64;
        if fold::constant(&count) == Some(0) {
            return Ok((pointer, ty));
        }
        let kind = ExprKind::Offset(Box::new(pointer), Box::new(count), if is_minus { -unit } else { unit });
        Ok((Expr::new(kind, Type::Pointer, span), ty))
    }

    fn unit(&self, to: &Ty, span: Span) -> Fallible<u64> {
        let size = self.structs.size_of(to, self.model);
        size.ok_or_else(|| self.error(span, format!("the size of `{}` is not known here", self.name_of(to))))
    }

    pub fn expect_integer(&self, expr: &Expr, ty: &Ty) -> Fallible<()> {
        match ty.kind {
            Kind::Int(_) => Ok(()),
            _ => Err(self.error(expr.span, format!("an integer is expected, and this is `{}`", self.name_of(ty)))),
        }
    }

    pub fn logical(&mut self, binary: &'a BinaryOperatorExpression, span: Span) -> Fallible<Value> {
        let is_and = binary.operator.node == BinaryOperator::LogicalAnd;
        if !has_effects(&binary.rhs.node) {
            let (left, _) = self.rvalue(&binary.lhs)?;
            let emitted = self.body.emitted;
            let (right, _) = self.rvalue(&binary.rhs)?;
            self.expect_nothing_since(emitted, right.span)?;
            let (left, right) = (fold::truth(left), fold::truth(right));
            let expr = if is_and { fold::and(left, right) } else { fold::or(left, right) };
            return Ok(Value::Scalar(Expr { span, ..expr }, INT));
        }
        let result = Place::local(self.body.temporary(code::INT, span), code::INT, span);
        let [yes, no, join] = [(); 3].map(|()| self.body.new_block());
        self.branch_logical(binary, yes, no)?;
        for (block, value) in [(yes, 1), (no, 0)] {
            self.body.begin(block);
            self.body.assign(result.clone(), Expr::constant(value, code::INT, span), span);
            self.body.end(End::Goto(join), span);
        }
        self.body.begin(join);
        Ok(Value::Scalar(Expr::load(result), INT))
    }

    /// What is evaluated only sometimes must not have been evaluated already.
    pub fn expect_nothing_since(&self, emitted: usize, span: Span) -> Fallible<()> {
        if self.body.emitted == emitted {
            return Ok(());
        }
        Err(self.unsupported(
            span,
            "an operand of this kind behind `&&`, `||` or `?`",
            "write it as a statement of its own",
        ))
    }

    /// Goes to the first block if a condition holds, to the second if it does not.
    pub fn branch(&mut self, node: &'a Node<Expression>, yes: BlockId, no: BlockId) -> Fallible<()> {
        let span = self.span(node.span);
        match &node.node {
            Expression::BinaryOperator(binary)
                if matches!(binary.node.operator.node, BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr)
                    && has_effects(&binary.node.rhs.node) =>
            {
                self.branch_logical(&binary.node, yes, no)
            }
            Expression::UnaryOperator(unary)
                if unary.node.operator.node == UnaryOperator::Negate && has_effects(&unary.node.operand.node) =>
            {
                self.branch(&unary.node.operand, no, yes)
            }
            _ => {
                let (expr, _) = self.rvalue(node)?;
                let expr = fold::truth(expr);
                let end = match fold::constant(&expr) {
                    Some(0) => End::Goto(no),
                    Some(_) => End::Goto(yes),
                    None => End::Branch(expr, yes, no),
                };
                self.body.end(end, span);
                Ok(())
            }
        }
    }

    fn branch_logical(&mut self, binary: &'a BinaryOperatorExpression, yes: BlockId, no: BlockId) -> Fallible<()> {
        let between = self.body.new_block();
        if binary.operator.node == BinaryOperator::LogicalAnd {
            self.branch(&binary.lhs, between, no)?;
        } else {
            self.branch(&binary.lhs, yes, between)?;
        }
        self.body.begin(between);
        self.branch(&binary.rhs, yes, no)
    }

    /// The value of a constant expression.
    pub fn constant(&mut self, node: &'a Node<Expression>) -> Fallible<i128> {
        let (expr, _) = self.unevaluated(|this| this.rvalue(node))?;
        fold::number(&expr).ok_or_else(|| self.error(self.span(node.span), "a constant is expected here"))
    }
}

/// 1 for zero, 0 for the rest.
pub fn negated(expr: Expr) -> Expr {
    match expr.ty {
        Type::Int(_) => fold::unary(UnaryOp::Not, expr, code::INT),
        Type::Float(_) => fold::unary(UnaryOp::Not, fold::is_nonzero(expr), code::INT),
        _ => {
            let zero = Expr::constant(0, expr.ty.clone(), expr.span);
            fold::binary(BinaryOp::Eq, expr, zero, code::INT)
        }
    }
}

fn comparison(operator: &BinaryOperator) -> Option<BinaryOp> {
    Some(match operator {
        BinaryOperator::Less => BinaryOp::Lt,
        BinaryOperator::Greater => BinaryOp::Gt,
        BinaryOperator::LessOrEqual => BinaryOp::Le,
        BinaryOperator::GreaterOrEqual => BinaryOp::Ge,
        BinaryOperator::Equals => BinaryOp::Eq,
        BinaryOperator::NotEquals => BinaryOp::Ne,
        _ => return None,
    })
}

fn arithmetic_op(operator: &BinaryOperator) -> BinaryOp {
    match operator {
        BinaryOperator::Plus => BinaryOp::Add,
        BinaryOperator::Minus => BinaryOp::Sub,
        BinaryOperator::Multiply => BinaryOp::Mul,
        BinaryOperator::Divide => BinaryOp::Div,
        BinaryOperator::Modulo => BinaryOp::Rem,
        BinaryOperator::BitwiseAnd => BinaryOp::BitAnd,
        BinaryOperator::BitwiseOr => BinaryOp::BitOr,
        BinaryOperator::BitwiseXor => BinaryOp::BitXor,
        other => unreachable!("{other:?} is no arithmetic operator"),
    }
}
