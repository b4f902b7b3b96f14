//! Expressions: what each kind of them stands for. What has an effect is emitted, from left to right; the rest is a value.

use crate::effects::{has_effects, is_assignment};
use crate::elaborate::{Elaborator, EntityKind, Fallible, Symbol};
use crate::types::{Kind, Ty};
use crate::values::{Object, Value};
use lang_c::ast::{BinaryOperator, Expression, Identifier, MemberExpression, MemberOperator, Statement};
use lang_c::span::Node;
use threadwise_memory::code::{Base, Expr, ExprKind, InstructionKind, Place, Step};
use threadwise_source::Span;

impl<'a> Elaborator<'a> {
    pub fn expression(&mut self, node: &'a Node<Expression>) -> Fallible<Value> {
        self.expression_for(node, None)
    }

    /// The scalar value of an expression.
    pub fn rvalue(&mut self, node: &'a Node<Expression>) -> Fallible<(Expr, Ty)> {
        let value = self.expression(node)?;
        self.scalar(value)
    }

    /// An expression whose value goes where a pointer to some type is wanted, as far as that is known: memory gets its type
    /// from there.
    pub fn expression_for(&mut self, node: &'a Node<Expression>, wanted: Option<&Ty>) -> Fallible<Value> {
        let span = self.span(node.span);
        let is_dropped = std::mem::take(&mut self.next_is_dropped);
        let value = match &node.node {
            Expression::Identifier(name) => self.identifier(name)?,
            Expression::Constant(constant) => self.literal(&constant.node, span)?,
            Expression::StringLiteral(literal) => self.string(&literal.node, span)?,
            Expression::GenericSelection(generic) => self.generic(&generic.node, span)?,
            Expression::Member(member) => self.member(&member.node, span)?,
            Expression::Call(call) => self.call(&call.node, span, wanted)?,
            Expression::CompoundLiteral(literal) => self.compound_literal(&literal.node, span)?,
            Expression::SizeOfTy(of) => {
                let ty = self.type_name(&of.node.0)?;
                self.size_value(&ty, span)?
            }
            Expression::SizeOfVal(of) => {
                let ty = self.unevaluated(|this| this.expression(&of.node.0))?.ty();
                self.size_value(&ty, span)?
            }
            Expression::AlignOf(of) => {
                let ty = self.type_name(&of.node.0)?;
                // What C11 asks for is the least alignment, which members have; the extension means the best one.
                let is_least = self.source.slice(span).starts_with("_Alignof");
                let align = if is_least {
                    self.structs.field_align(&ty, self.model)
                } else {
                    self.structs.align_of(&ty, self.model)
                };
                self.integer(align as i64, self.model.size_kind(), span)
            }
            Expression::UnaryOperator(unary) => self.unary(&unary.node, is_dropped, span)?,
            Expression::Cast(cast) => {
                let to = self.type_name(&cast.node.type_name)?;
                let wanted = to.pointee().map(|to| &**to).filter(|to| !to.is_void()).or(wanted);
                let value = self.expression_for(&cast.node.expression, wanted)?;
                self.cast(value, &to)?
            }
            Expression::BinaryOperator(binary) => {
                let operator = &binary.node.operator.node;
                match operator {
                    BinaryOperator::Index => self.index(&binary.node.lhs, &binary.node.rhs, span)?,
                    BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr => self.logical(&binary.node, span)?,
                    operator if is_assignment(operator) => self.assignment(&binary.node, is_dropped, span)?,
                    _ => self.binary(&binary.node, span)?,
                }
            }
            Expression::Conditional(conditional) => self.conditional(&conditional.node, span, wanted)?,
            Expression::Comma(all) => self.comma(all, is_dropped, span, wanted)?,
            Expression::OffsetOf(of) => self.offset_of(&of.node, span)?,
            Expression::VaArg(next) => self.next_argument(&next.node, span)?,
            Expression::Statement(statement) => self.statement_expression(statement, span)?,
        };
        Ok(value)
    }

    fn identifier(&mut self, name: &'a Node<Identifier>) -> Fallible<Value> {
        let span = self.span(name.span);
        if let Some(error) = self.refused.get(&name.node.name)
            && !matches!(self.lookup(&name.node.name), Some(Symbol::Local(..)))
        {
            return Err(Box::new(error.clone()));
        }
        match self.lookup(&name.node.name).cloned() {
            Some(Symbol::Local(local, ty)) => Ok(Value::Object(self.local_place(local, &ty, span))),
            Some(Symbol::Sized(local, element)) => {
                let pointer = Expr::load(Place::local(local, threadwise_memory::code::Type::Pointer, span));
                let array = element.clone().array_of(None);
                let ty = self.lower(&array);
                let base = Base::Deref(Box::new(pointer), ty.clone());
                let place = Place { base, path: Vec::new(), ty, atomic: false, span };
                Ok(Value::Object(Object { place, ty: array, bits: None }))
            }
            Some(Symbol::Value(expr, ty)) => Ok(Value::Scalar(Expr { span, ..expr }, ty)),
            Some(Symbol::Enumerator(value, ty)) => {
                let kind = ty.int_kind().unwrap_or(crate::types::IntKind::Int);
                Ok(self.integer(value, kind, span))
            }
            Some(Symbol::Entity(entity)) => {
                let ty = self.entity(entity).ty.clone();
                if let EntityKind::Function { .. } = self.entity(entity).kind {
                    return Ok(Value::Function(self.function_id(entity), ty, span));
                }
                let id = self.global_id(entity);
                let id = if self.primed.contains(&name.span.start) { self.after_step(id) } else { id };
                let place = Place { atomic: ty.quals.atomic, ..Place::global(id, self.lower(&ty), span) };
                Ok(Value::Object(Object { place, ty, bits: None }))
            }
            Some(Symbol::Typedef(_)) => Err(self.error(span, format!("`{}` is a type", name.node.name))),
            None if matches!(&*name.node.name, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") => {
                let text = self.function_name.clone();
                self.string_object(text.as_bytes(), span)
            }
            None => Err(self.error(span, format!("`{}` is not declared", name.node.name))),
        }
    }

    fn member(&mut self, member: &'a MemberExpression, span: Span) -> Fallible<Value> {
        let object = match member.operator.node {
            MemberOperator::Direct => match self.expression(&member.expression)? {
                Value::Object(object) => object,
                other => return Err(self.error(other.span(), "this is no struct or union")),
            },
            MemberOperator::Indirect => {
                let (pointer, ty) = self.rvalue(&member.expression)?;
                let Some(to) = ty.pointee().cloned() else {
                    return Err(
                        self.error(pointer.span, format!("a pointer is expected, and this is `{}`", self.name_of(&ty)))
                    );
                };
                self.dereferenced(pointer, &to, span)
            }
        };
        let name = &member.identifier.node.name;
        self.field(object, name, self.span(member.identifier.span)).map(|field| Value::Object(field).at(span))
    }

    pub fn field(&mut self, object: Object, name: &str, span: Span) -> Fallible<Object> {
        let Some(id) = object.ty.struct_id() else {
            let message = format!("`{}` has no members", self.name_of(&object.ty));
            return Err(self.error(span, message));
        };
        let Some(path) = self.structs.find(id, name) else {
            let what = if self.structs.get(id).fields.is_some() { "has no member" } else { "is incomplete: no member" };
            return Err(self.error(span, format!("`{}` {what} `{name}`", self.name_of(&object.ty))));
        };
        Ok(path.into_iter().fold(object, |object, index| self.field_at(object, index)))
    }

    /// A field by its number.
    pub fn field_at(&self, object: Object, index: u32) -> Object {
        let id = object.ty.struct_id().expect("it is a struct");
        let field = &self.structs.get(id).fields.as_ref().expect("it is complete")[index as usize];
        let mut place = object.place;
        place.path.push(Step::Field(index));
        place.ty = crate::layout::field_type(field, self.model);
        place.atomic |= field.ty.quals.atomic;
        let quals = crate::types::Quals { atomic: false, ..object.ty.quals };
        Object { place, ty: field.ty.clone().with(quals), bits: field.bits.map(|bits| bits.width) }
    }

    fn index(&mut self, left: &'a Node<Expression>, right: &'a Node<Expression>, span: Span) -> Fallible<Value> {
        let base = self.expression(left)?;
        // An element of an array that is a variable is a part of it; otherwise it is what a pointer points to.
        if let Value::Object(object) = &base
            && let Kind::Array(element, _) = &object.ty.kind
            && !(matches!(&object.place.base, Base::Deref(..)) && object.place.path.is_empty())
        {
            let element = (**element).clone().with(object.ty.quals);
            let place =
                if has_effects(&right.node) { self.stable_place(object.place.clone()) } else { object.place.clone() };
            let (index, ty) = self.rvalue(right)?;
            self.expect_integer(&index, &ty)?;
            return Ok(Value::Object(self.element(place, index, &element, span)));
        }
        let (mut base, base_ty) = self.scalar(base)?;
        if has_effects(&right.node) {
            base = self.stable(base);
        }
        let right = self.rvalue(right)?;
        let (pointer, ty) = self.arithmetic(&BinaryOperator::Plus, (base, base_ty), right, span)?;
        match ty.pointee() {
            Some(to) => Ok(Value::Object(self.dereferenced(pointer, to, span))),
            None => Err(self.error(span, "neither an array nor a pointer is indexed here")),
        }
    }

    /// An element of an array.
    pub fn element(&self, mut place: Place, index: Expr, ty: &Ty, span: Span) -> Object {
        place.path.push(Step::Index(index));
        (place.ty, place.span, place.atomic) = (self.lower(ty), span, place.atomic || ty.quals.atomic);
        Object { place, ty: ty.clone(), bits: None }
    }

    fn comma(
        &mut self,
        all: &'a [Node<Expression>],
        is_dropped: bool,
        span: Span,
        wanted: Option<&Ty>,
    ) -> Fallible<Value> {
        let Some((last, first)) = all.split_last() else { return Ok(Value::Void(span)) };
        for node in first {
            self.effect(node)?;
        }
        self.next_is_dropped = is_dropped;
        match self.expression_for(last, wanted)? {
            Value::Object(object) if object.ty.is_scalar() => {
                let (expr, ty) = self.scalar(Value::Object(object))?;
                Ok(Value::Scalar(expr, ty))
            }
            value => Ok(value),
        }
    }

    /// `({ … })`: the value is that of the last statement, if it is an expression.
    fn statement_expression(&mut self, statement: &'a Node<Statement>, span: Span) -> Fallible<Value> {
        let Statement::Compound(items) = &statement.node else {
            return Err(self.error(span, "a block is expected here"));
        };
        self.open_scope(span);
        let value = self.block_value(items, span);
        self.close_scope();
        value
    }

    /// Pointers to functions and functions are not told apart.
    pub fn address_of(&mut self, value: Value, span: Span) -> Fallible<Value> {
        match value {
            Value::Function(id, ty, _) => {
                let expr = Expr::new(ExprKind::Function(id), threadwise_memory::code::Type::Pointer, span);
                Ok(Value::Scalar(expr, ty.pointer_to()))
            }
            Value::Object(Object { bits: Some(_), .. }) => Err(self.error(span, "a bit-field has no address")),
            Value::Object(object) => {
                let ty = object.ty.pointer_to();
                let expr = match object.place {
                    Place { base: Base::Deref(pointer, _), path, .. } if path.is_empty() => *pointer,
                    place => {
                        Expr::new(ExprKind::Address(Box::new(place)), threadwise_memory::code::Type::Pointer, span)
                    }
                };
                Ok(Value::Scalar(Expr { span, ..expr }, ty))
            }
            // What points to a function is as good as the function.
            Value::Scalar(expr, ty) if ty.pointee().is_some_and(|to| to.is_function()) => Ok(Value::Scalar(expr, ty)),
            Value::Scalar(..) | Value::Void(_) => Err(self.error(span, "only objects and functions have addresses")),
        }
    }

    /// A value into an object that nobody else sees yet.
    pub fn initialize(&mut self, object: &Object, value: Value, span: Span) -> Fallible<()> {
        if object.ty.is_scalar() {
            let (expr, from) = self.scalar(value)?;
            let expr = self.converted(expr, &from, &object.ty)?;
            self.store(object, expr, span);
            return Ok(());
        }
        match value {
            Value::Object(from) if from.ty.unqualified() == object.ty.unqualified() => {
                let is_atomic = from.place.atomic || object.place.atomic;
                if is_atomic {
                    self.body.emit(InstructionKind::AtomicBegin, span);
                }
                self.body.emit(InstructionKind::Copy { to: object.place.clone(), from: from.place }, span);
                if is_atomic {
                    self.body.emit(InstructionKind::AtomicEnd, span);
                }
                Ok(())
            }
            value => {
                let (found, wanted) = (self.name_of(&value.ty()), self.name_of(&object.ty));
                Err(self.error(span, format!("`{wanted}` is expected here, and this is `{found}`")))
            }
        }
    }
}
