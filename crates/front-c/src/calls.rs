//! Calls of functions that have a body, or that nobody knows.

use crate::effects::has_effects;
use crate::elaborate::{Elaborator, Entity, EntityId, EntityKind, Fallible, Symbol};
use crate::types::{FloatKind, INT, IntKind, Kind, Signature, Ty};
use crate::values::{Object, Value};
use lang_c::ast::{CallExpression, Expression};
use lang_c::span::Node;
use std::sync::Arc;
use threadwise_memory::code::{Callee, End, Expr, ExprKind, InstructionKind, Place, Type};
use threadwise_source::{Diagnostic, Span};

impl<'a> Elaborator<'a> {
    pub fn call(&mut self, call: &'a CallExpression, span: Span, wanted: Option<&Ty>) -> Fallible<Value> {
        if let Expression::Identifier(name) = &call.callee.node {
            let name_span = self.span(name.span);
            let name = &name.node.name;
            let entity = match self.lookup(name) {
                Some(Symbol::Entity(entity)) => Some(*entity),
                Some(_) => return self.call_value(call, span),
                None => None,
            };
            let has_body = entity.is_some_and(|entity| self.has_body(entity));
            let is_function = entity.is_none_or(|entity| self.entity(entity).ty.is_function());
            if is_function && (!has_body || crate::library::is_error(name)) {
                let signature = entity.and_then(|entity| match &self.entity(entity).ty.kind {
                    Kind::Function(signature) => Some(signature.result.clone()),
                    _ => None,
                });
                let result = signature.unwrap_or(INT);
                if let Some(value) = self.library_call(name, &call.arguments, &result, wanted, span)? {
                    return Ok(value.at(span));
                }
            }
            match entity {
                None => {
                    self.declare_implicitly(name, name_span)?;
                }
                Some(entity) if is_function && !has_body && self.unevaluated == 0 => {
                    self.note_unknown(entity, span);
                }
                Some(_) => {}
            }
        }
        self.call_value(call, span)
    }

    /// A call of a function that is declared nowhere: C before 1999 takes it to give an `int`.
    fn declare_implicitly(&mut self, name: &str, span: Span) -> Fallible<EntityId> {
        let signature = Signature { result: INT, params: Vec::new(), variadic: true, has_prototype: false };
        let ty = Ty::of(Kind::Function(Arc::new(signature)));
        let known = self.linked.get(name).copied();
        let id = match known {
            Some(id) => id,
            None => {
                let kind = EntityKind::Function { definition: None, id: None };
                let id = self.add_entity(Entity { name: name.into(), ty, span, kind });
                self.linked.insert(name.to_string(), id);
                id
            }
        };
        let file = self.file.0 as usize;
        self.files[file].names.insert(name.to_string(), Symbol::Entity(id));
        if self.unevaluated == 0 && !self.has_body(id) {
            self.note_unknown(id, span);
        }
        Ok(id)
    }

    /// One warning lists the functions that nobody knows.
    pub fn warn_about_unknown(&mut self) {
        let Some(first) = self.unknown.values().min().copied() else { return };
        let names: Vec<String> = self.unknown.keys().map(|name| format!("`{name}`")).collect();
        let message = format!("functions without a body give any value: {}", names.join(", "));
        let hint = "they are taken to change nothing but what they are given pointers to";
        self.diagnostics.push(Diagnostic::warning(first, message).hint(hint));
    }

    fn note_unknown(&mut self, entity: EntityId, span: Span) {
        let name = self.entity(entity).name.to_string();
        self.unknown.entry(name).or_insert(span);
    }

    fn call_value(&mut self, call: &'a CallExpression, span: Span) -> Fallible<Value> {
        let (mut callee, ty) = self.rvalue(&call.callee)?;
        let Some(Kind::Function(signature)) = ty.pointee().map(|to| to.kind.clone()) else {
            return Err(self.error(callee.span, format!("`{}` cannot be called", self.name_of(&ty))));
        };
        if call.arguments.iter().any(|argument| has_effects(&argument.node)) {
            callee = self.stable(callee);
        }
        let mut args = Vec::new();
        let result = self.result_object(&signature, span, &mut args)?;
        let is_direct = matches!(callee.kind, ExprKind::Function(_));
        let is_unknown = matches!(callee.kind, ExprKind::Function(id) if self.is_unknown(id));
        let has_more = signature.variadic && signature.has_prototype && !is_unknown;
        let given = self.arguments(&signature, &call.arguments, is_direct && !is_unknown && !has_more, span)?;
        let declared = if has_more { signature.params.len() } else { given.len() };
        args.extend(given[..declared].iter().map(|(arg, _)| arg.clone()));
        if has_more {
            args.push(self.more_arguments(&given[declared..], span)?);
        }
        let never_returns = matches!(callee.kind, ExprKind::Function(id) if is_unknown && self.never_returns(id));
        let callee = match callee.kind {
            ExprKind::Function(id) => Callee::Function(id),
            _ => Callee::Pointer(callee),
        };
        let is_struct = signature.result.struct_id().is_some();
        let place = result.as_ref().filter(|_| !is_struct).map(|object| object.place.clone());
        self.body.emit(InstructionKind::Call { callee, args, result: place }, span);
        if is_unknown {
            self.change_unknown(&signature, given, span);
        }
        if never_returns {
            self.body.end(End::Exit, span);
        }
        Ok(match result {
            Some(object) if is_struct => Value::Object(object),
            Some(object) => Value::Scalar(Expr::load(object.place), object.ty.unqualified()),
            None => Value::Void(span),
        })
    }

    /// Where the result goes. Of a struct, the place is told to the function.
    fn result_object(&mut self, signature: &Signature, span: Span, args: &mut Vec<Expr>) -> Fallible<Option<Object>> {
        if signature.result.is_void() {
            return Ok(None);
        }
        let ty = signature.result.unqualified();
        let local = self.body.temporary(self.lower(&ty), span);
        let object = self.local_place(local, &ty, span);
        if ty.struct_id().is_some() {
            self.body.emit(InstructionKind::Declare(local), span);
            args.push(Expr::new(ExprKind::Address(Box::new(object.place.clone())), Type::Pointer, span));
        }
        Ok(Some(object))
    }

    fn arguments(
        &mut self,
        signature: &Signature,
        nodes: &'a [Node<Expression>],
        has_body: bool,
        span: Span,
    ) -> Fallible<Vec<(Expr, Ty)>> {
        let expected = signature.params.len();
        let is_wrong =
            nodes.len() < expected || nodes.len() > expected && signature.has_prototype && !signature.variadic;
        if is_wrong && (signature.has_prototype || expected > 0) {
            let message = format!("{expected} arguments are expected, and there are {}", nodes.len());
            return Err(self.error(span, message));
        }
        self.check_order(nodes.iter());
        let mut args = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            let param = signature.params.get(index);
            let later_effects = nodes[index + 1..].iter().any(|later| has_effects(&later.node));
            // What a function with a body has no parameter for, it cannot see.
            if has_body && index >= expected {
                let value = self.expression(node)?;
                self.discard(value)?;
                continue;
            }
            let (arg, given) = self.argument(node, param)?;
            args.push((if later_effects { self.stable(arg) } else { arg }, given));
        }
        Ok(args)
    }

    /// One argument and its type, before it is converted; a struct is copied, and the function gets the address of its copy.
    fn argument(&mut self, node: &'a Node<Expression>, param: Option<&Ty>) -> Fallible<(Expr, Ty)> {
        let span = self.span(node.span);
        let value = self.expression_for(node, param.and_then(|ty| ty.pointee()).map(|to| &**to))?;
        let given = value.ty();
        if let Value::Object(object) = &value
            && object.ty.struct_id().is_some()
        {
            let ty = param.map_or_else(|| object.ty.unqualified(), Ty::unqualified);
            let local = self.body.temporary(self.lower(&ty), span);
            let copy = self.local_place(local, &ty, span);
            self.initialize(&copy, value, span)?;
            return Ok((Expr::new(ExprKind::Address(Box::new(copy.place)), Type::Pointer, span), given));
        }
        let (expr, from) = self.scalar(value)?;
        let to = param.map_or_else(|| default_promotion(&from), Ty::clone);
        Ok((self.converted(expr, &from, &to)?, given))
    }

    /// Whether a function is declared to end the process, or at least never to come back.
    fn never_returns(&self, id: threadwise_memory::code::FunctionId) -> bool {
        self.noreturn.contains(&*self.functions[id.index()].name)
    }

    fn is_unknown(&self, id: threadwise_memory::code::FunctionId) -> bool {
        self.unevaluated == 0
            && self.entities.iter().any(|entity| {
                matches!(entity.kind, EntityKind::Function { definition: None, id: Some(known) } if known == id)
            })
    }

    /// What a function without a body may change: what it was given pointers to.
    fn change_unknown(&mut self, signature: &Signature, args: Vec<(Expr, Ty)>, span: Span) {
        for (index, (pointer, given)) in args.into_iter().enumerate() {
            if given.kind == Kind::VaList {
                // There may be pointers in it.
                self.beyond(span);
            }
            let declared = signature.params.get(index).and_then(|ty| ty.pointee()).cloned();
            let given = match &given.kind {
                Kind::Array(..) => Some(given),
                _ => given.pointee().map(|to| (**to).clone()),
            };
            let is_constant = declared.as_ref().is_some_and(|to| to.quals.constant);
            // A pointer to anything is one to what the caller knows it to be, and all of an array is given.
            let is_array = given.as_ref().is_some_and(|to| matches!(to.kind, Kind::Array(..)));
            let to = declared.map(|to| (*to).clone()).filter(|to| !to.is_void() && !is_array).or(given);
            if let Some(to) = to
                && !is_constant
                && !to.quals.constant
                && pointer.ty == Type::Pointer
                && crate::fold::constant(&pointer).is_none()
            {
                let object = self.dereferenced(pointer, &to, span);
                self.forget(&object, span, 3);
            }
        }
    }

    /// Gives any value to all scalars of an object that it is made of.
    pub fn forget(&mut self, object: &Object, span: Span, depth: u32) {
        match &object.ty.kind {
            _ if object.ty.is_scalar() && object.ty.object().is_none() => {
                let any = Expr::new(ExprKind::Any, object.place.ty.clone(), span);
                self.body.emit(InstructionKind::Assign { to: object.place.clone(), value: any }, span);
            }
            Kind::Struct(id) if depth > 0 => {
                let count = self.structs.get(*id).fields.as_ref().map_or(0, Vec::len);
                for index in 0..count as u32 {
                    let field = self.field_at(object.clone(), index);
                    self.forget(&field, span, depth - 1);
                }
            }
            Kind::Array(element, Some(count)) if depth > 0 && *count <= 64 => {
                for index in 0..*count {
                    let index = Expr::constant(index as i64, threadwise_memory::code::INT, span);
                    let part = self.element(object.place.clone(), index, element, span);
                    self.forget(&part, span, depth - 1);
                }
            }
            _ => {}
        }
    }

    /// A value of any kind that nobody knows.
    pub fn any(&self, ty: &Ty, span: Span) -> Value {
        if ty.is_void() {
            return Value::Void(span);
        }
        Value::Scalar(Expr::new(ExprKind::Any, self.lower(ty), span), ty.unqualified())
    }

    /// A place for the result of an operation.
    pub fn result_place(&mut self, ty: &Ty, span: Span) -> (Place, Value) {
        let local = self.body.temporary(self.lower(ty), span);
        let place = Place::local(local, self.lower(ty), span);
        (place.clone(), Value::Scalar(Expr::load(place), ty.unqualified()))
    }
}

/// What becomes of arguments that no parameter is declared for.
pub fn default_promotion(ty: &Ty) -> Ty {
    match ty.kind {
        Kind::Int(kind) => Ty::int(kind.promoted()),
        Kind::Float(FloatKind::Float) => Ty::of(Kind::Float(FloatKind::Double)),
        _ => ty.unqualified(),
    }
}

impl IntKind {
    /// The kind of a type's name in `__VERIFIER_nondet_…`.
    pub fn by_name(name: &str) -> Option<IntKind> {
        Some(match name {
            "bool" | "_Bool" => IntKind::Bool,
            "char" => IntKind::Char,
            "uchar" | "unsigned_char" | "u8" => IntKind::UnsignedChar,
            "short" => IntKind::Short,
            "ushort" | "u16" => IntKind::UnsignedShort,
            "int" => IntKind::Int,
            "uint" | "unsigned_int" | "unsigned" | "u32" => IntKind::UnsignedInt,
            "long" => IntKind::Long,
            "ulong" | "unsigned_long" => IntKind::UnsignedLong,
            "longlong" => IntKind::LongLong,
            "ulonglong" => IntKind::UnsignedLongLong,
            _ => return None,
        })
    }
}
