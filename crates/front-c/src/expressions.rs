//! Expressions: what each kind of them stands for. What has an effect is emitted, from left to right; the rest is a value.

use crate::effects::{has_effects, is_assignment, is_zero};
use crate::elaborate::{Elaborator, EntityKind, Fallible, Symbol};
use crate::fold;
use crate::types::{INT, Kind, Ty};
use crate::values::{Object, Value};
use lang_c::ast::{
    BinaryOperator, ConditionalExpression, Expression, GenericAssociation, GenericSelection, Identifier,
    MemberExpression, MemberOperator, OffsetMember, OffsetOfExpression, Statement,
};
use lang_c::span::Node;
use threadwise_memory::code::{Base, End, Expr, ExprKind, InstructionKind, Place, Step};
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
            Expression::VaArg(_) => {
                let advice = "pass what is needed as ordinary parameters";
                return Err(self.unsupported(span, "access to variable arguments", advice));
            }
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

    pub fn size_value(&mut self, ty: &Ty, span: Span) -> Fallible<Value> {
        match self.structs.size_of(ty, self.model) {
            Some(size) => Ok(self.integer(size as i64, self.model.size_kind(), span)),
            None => Err(self.error(span, format!("the size of `{}` is not known here", self.name_of(ty)))),
        }
    }

    fn generic(&mut self, generic: &'a GenericSelection, span: Span) -> Fallible<Value> {
        let value = self.unevaluated(|this| -> Fallible<Ty> {
            let value = this.expression(&generic.expression)?;
            match value {
                Value::Object(object) if object.ty.struct_id().is_some() => Ok(object.ty.unqualified()),
                value => Ok(this.scalar(value)?.1),
            }
        })?;
        let mut otherwise = None;
        for association in &generic.associations {
            match &association.node {
                GenericAssociation::Default(expression) => otherwise = Some(expression),
                GenericAssociation::Type(of) => {
                    if self.type_name(&of.node.type_name)? == value {
                        return self.expression(&of.node.expression);
                    }
                }
            }
        }
        match otherwise {
            Some(expression) => self.expression(expression),
            None => Err(self.error(span, format!("no association is for `{}`", self.name_of(&value)))),
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

    fn conditional(&mut self, parts: &'a ConditionalExpression, span: Span, wanted: Option<&Ty>) -> Fallible<Value> {
        let (yes, no) = (&parts.then_expression, &parts.else_expression);
        if self.source.slice(self.span(yes.span)) != "0" && is_zero(&yes.node) {
            return self.first_or(parts, span);
        }
        let is_struct = |this: &mut Self, node: &'a Node<Expression>| {
            this.unevaluated(|this| this.expression(node)).is_ok_and(|value| value.ty().struct_id().is_some())
        };
        if !has_effects(&yes.node) && !has_effects(&no.node) && !is_struct(self, yes) {
            let (condition, _) = self.rvalue(&parts.condition)?;
            let condition = fold::truth(condition);
            let (yes, no) = (self.expression(yes)?, self.expression(no)?);
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

    /// `a ?: b`: the first value if it is not zero, evaluated once.
    fn first_or(&mut self, parts: &'a ConditionalExpression, span: Span) -> Fallible<Value> {
        let (first, first_ty) = self.rvalue(&parts.condition)?;
        let first = self.stable(first);
        let [other, join] = [(); 2].map(|()| self.body.new_block());
        let yes = Value::Scalar(first.clone(), first_ty);
        let ty = self.unevaluated(|this| -> Fallible<Ty> {
            let (yes, no) = (this.scalar(yes.clone())?, this.rvalue(&parts.else_expression)?);
            this.common_type(&yes, &no, span)
        })?;
        let local = self.body.temporary(self.lower(&ty), span);
        let result = self.local_place(local, &ty, span);
        self.initialize(&result, yes, span)?;
        self.body.end(End::Branch(fold::truth(first), join, other), span);
        self.body.begin(other);
        let no = self.expression(&parts.else_expression)?;
        self.initialize(&result, no, span)?;
        self.body.flow_into(join, span);
        Ok(Value::Scalar(Expr::load(result.place), ty))
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
        Ok(match result {
            Some(object) if object.ty.is_scalar() => Value::Scalar(Expr::load(object.place), object.ty),
            Some(object) => Value::Object(object),
            None => Value::Void(span),
        })
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

    fn offset_of(&mut self, of: &'a OffsetOfExpression, span: Span) -> Fallible<Value> {
        let mut ty = self.type_name(&of.type_name)?;
        let mut offset = 0;
        let base = OffsetMember::Member(of.designator.node.base.clone());
        let members =
            std::iter::once((&base, None)).chain(of.designator.node.members.iter().map(|m| (&m.node, Some(m))));
        for (member, node) in members {
            match member {
                OffsetMember::Member(name) | OffsetMember::IndirectMember(name) => {
                    let name_span = self.span(name.span);
                    let path = ty.struct_id().and_then(|id| self.structs.find(id, &name.node.name));
                    let missing = || format!("`{}` has no member `{}`", self.name_of(&ty), name.node.name);
                    for index in path.ok_or_else(|| self.error(name_span, missing()))? {
                        let id = ty.struct_id().expect("the path goes through structs");
                        let field = &self.structs.get(id).fields.as_ref().expect("it is complete")[index as usize];
                        offset += field.offset;
                        ty = field.ty.clone();
                    }
                }
                OffsetMember::Index(_) => {
                    let Some(Node { node: OffsetMember::Index(index), .. }) = node else { continue };
                    let count = self.constant(index)?;
                    let Kind::Array(element, _) = ty.kind.clone() else {
                        return Err(self.error(span, "only elements of arrays have an offset"));
                    };
                    offset += self.structs.size_of(&element, self.model).unwrap_or(0) * count as u64;
                    ty = (*element).clone();
                }
            }
        }
        Ok(self.integer(offset as i64, self.model.size_kind(), span))
    }

    /// `({ … })`: the value is that of the last statement, if it is an expression.
    fn statement_expression(&mut self, statement: &'a Node<Statement>, span: Span) -> Fallible<Value> {
        let Statement::Compound(items) = &statement.node else {
            return Err(self.error(span, "a block is expected here"));
        };
        self.scopes.push(Default::default());
        let value = self.block_value(items, span);
        self.scopes.pop();
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
