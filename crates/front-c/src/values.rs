//! What expressions of C stand for while they are elaborated, and conversions between values.

use crate::elaborate::{Elaborator, Fallible};
use crate::fold;
use crate::types::{IntKind, Kind, Ty, VOID};
use threadwise_memory::code::{Base, Expr, ExprKind, FunctionId, InstructionKind, LocalId, Place, Step, Type};
use threadwise_source::Span;

/// A value, or the place of one.
#[derive(Clone, Debug)]
pub enum Value {
    Scalar(Expr, Ty),
    /// An object; of a struct, also one that only is a value.
    Object(Object),
    Function(FunctionId, Ty, Span),
    Void(Span),
}

#[derive(Clone, Debug)]
pub struct Object {
    pub place: Place,
    pub ty: Ty,
    /// The width, if it is a bit-field.
    pub bits: Option<u8>,
}

impl Value {
    pub fn span(&self) -> Span {
        match self {
            Value::Scalar(expr, _) => expr.span,
            Value::Object(object) => object.place.span,
            Value::Function(_, _, span) | Value::Void(span) => *span,
        }
    }

    pub fn ty(&self) -> Ty {
        match self {
            Value::Scalar(_, ty) | Value::Function(_, ty, _) => ty.clone(),
            Value::Object(object) => object.ty.clone(),
            Value::Void(_) => VOID,
        }
    }

    pub fn at(self, span: Span) -> Value {
        match self {
            Value::Scalar(mut expr, ty) => {
                expr.span = span;
                Value::Scalar(expr, ty)
            }
            Value::Object(mut object) => {
                object.place.span = span;
                Value::Object(object)
            }
            Value::Function(id, ty, _) => Value::Function(id, ty, span),
            Value::Void(_) => Value::Void(span),
        }
    }
}

impl Elaborator<'_> {
    pub fn lower(&self, ty: &Ty) -> Type {
        ty.lowered(self.model)
    }

    pub fn integer(&self, value: i64, kind: IntKind, span: Span) -> Value {
        let bits = kind.bits(self.model);
        Value::Scalar(Expr::constant(bits.wrap(value), Type::Int(bits), span), Ty::int(kind))
    }

    /// The scalar that a value is: objects are loaded, arrays and functions become pointers.
    pub fn scalar(&self, value: Value) -> Fallible<(Expr, Ty)> {
        match value {
            Value::Scalar(expr, ty) => Ok((expr, ty)),
            Value::Function(id, ty, span) => {
                Ok((Expr::new(ExprKind::Function(id), Type::Pointer, span), ty.pointer_to()))
            }
            Value::Void(span) => Err(self.error(span, "this has no value")),
            Value::Object(object) => self.loaded(object),
        }
    }

    fn loaded(&self, object: Object) -> Fallible<(Expr, Ty)> {
        let Object { place, ty, bits } = object;
        let span = place.span;
        match &ty.kind {
            Kind::Array(element, _) => {
                let pointer = (**element).clone().with(ty.quals).pointer_to();
                Ok((Expr::new(ExprKind::Address(Box::new(place)), Type::Pointer, span), pointer))
            }
            Kind::Struct(_) => Err(self.error(span, "a scalar is expected here, and this is a struct")),
            Kind::Library(..) if !ty.is_scalar() => {
                Err(self.error(span, "an object of the thread library can only be used by the library's functions"))
            }
            Kind::Int(kind) if bits.is_some() => {
                let ty = Ty::int(promoted_bits(*kind, bits.unwrap_or(0)));
                Ok((fold::convert(Expr::load(place), self.lower(&ty)), ty))
            }
            _ => Ok((Expr::load(place), ty.unqualified())),
        }
    }

    /// A value as one of another type, as if by assignment or cast.
    pub fn converted(&self, expr: Expr, from: &Ty, to: &Ty) -> Fallible<Expr> {
        let span = expr.span;
        let target = self.lower(to);
        match (&from.kind, &to.kind) {
            (_, Kind::Void) => Ok(expr),
            (_, Kind::Int(IntKind::Bool)) if from.is_scalar() => match from.kind {
                Kind::Int(IntKind::Bool) => Ok(expr),
                _ => Ok(fold::convert(fold::is_nonzero(expr), target)),
            },
            (_, Kind::Int(kind)) if from.is_scalar() && kind.bytes(self.model) > 8 => {
                Err(self.unsupported(span, "an integer of 128 bits", "use two of 64 bits"))
            }
            _ if from.is_scalar() && to.is_scalar() => Ok(fold::convert(expr, target)),
            _ => {
                let message = format!("a value of type `{}` cannot become `{}`", self.name_of(from), self.name_of(to));
                Err(self.error(span, message))
            }
        }
    }

    /// A value as one of another type.
    pub fn cast(&mut self, value: Value, to: &Ty) -> Fallible<Value> {
        if to.is_void() {
            let span = value.span();
            self.discard(value)?;
            return Ok(Value::Void(span));
        }
        if let (Value::Object(object), Kind::Struct(id)) = (&value, &to.kind)
            && object.ty.struct_id() == Some(*id)
        {
            return Ok(value);
        }
        let (expr, from) = self.scalar(value)?;
        Ok(Value::Scalar(self.converted(expr, &from, to)?, to.unqualified()))
    }

    /// Evaluates what nobody wants the value of: what it loads is loaded.
    pub fn discard(&mut self, value: Value) -> Fallible<()> {
        let value = match value {
            Value::Object(object) if object.ty.is_scalar() => {
                let (expr, _) = self.loaded(object)?;
                expr
            }
            Value::Scalar(expr, _) => expr,
            _ => return Ok(()),
        };
        let value = without_conversions(value);
        if fold::loads(&value) && !self.is_stable(&value) {
            self.kept(value);
        }
        Ok(())
    }

    /// A value in a temporary of its own.
    pub fn kept(&mut self, expr: Expr) -> Expr {
        let (ty, span) = (expr.ty.clone(), expr.span);
        let local = self.body.temporary(ty.clone(), span);
        let place = Place::local(local, ty, span);
        self.body.assign(place.clone(), expr, span);
        Expr::load(place)
    }

    /// The same value, whatever is done and however often it is used later.
    pub fn stable(&mut self, expr: Expr) -> Expr {
        if self.is_stable(&expr) { expr } else { self.kept(expr) }
    }

    /// The same place, whatever is done and however often it is used later.
    pub fn stable_place(&mut self, mut place: Place) -> Place {
        place.base = match place.base {
            Base::Deref(pointer, ty) => Base::Deref(Box::new(self.stable(*pointer)), ty),
            base => base,
        };
        let mut path = Vec::with_capacity(place.path.len());
        for step in place.path {
            path.push(match step {
                Step::Index(index) => Step::Index(self.stable(index)),
                step => step,
            });
        }
        place.path = path;
        place
    }

    /// Whether a value does not depend on anything that could change before the end of the expression.
    pub fn is_stable(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Const(_) | ExprKind::Function(_) => true,
            ExprKind::Any | ExprKind::Said(_) => false,
            ExprKind::Load(place) => match place.base {
                Base::Local(local) => place.path.is_empty() && self.body.is_private(local),
                Base::Global(_) | Base::Deref(..) => false,
            },
            ExprKind::Address(place) => self.is_stable_place(place),
            ExprKind::Unary(_, operand) | ExprKind::Convert(operand) => {
                !matches!(operand.ty, Type::Float(_)) && self.is_stable(operand)
            }
            ExprKind::Binary(_, left, right)
            | ExprKind::Offset(left, right, _)
            | ExprKind::Difference(left, right, _)
            | ExprKind::And(left, right)
            | ExprKind::Or(left, right) => self.is_stable(left) && self.is_stable(right),
            ExprKind::Conditional(parts) => parts.iter().all(|part| self.is_stable(part)),
        }
    }

    pub fn is_stable_place(&self, place: &Place) -> bool {
        let base = match &place.base {
            Base::Local(_) | Base::Global(_) => true,
            Base::Deref(pointer, _) => self.is_stable(pointer),
        };
        base && place.path.iter().all(|step| match step {
            Step::Index(index) => self.is_stable(index),
            Step::Field(_) => true,
        })
    }

    /// What a pointer points to, seen as a type.
    pub fn dereferenced(&self, pointer: Expr, ty: &Ty, span: Span) -> Object {
        let lowered = self.lower(ty);
        let place = match pointer.kind {
            ExprKind::Address(place) if place.ty == lowered => Place { span, ..*place },
            // The address of an array is that of its first element.
            ExprKind::Address(place) if is_array_of(&place.ty, &lowered) => {
                let zero = Expr::constant(0, threadwise_memory::code::INT, span);
                element(*place, zero, lowered, span)
            }
            ExprKind::Offset(base, index, unit) if self.is_element(&base, unit, &lowered, ty) => {
                let ExprKind::Address(array) = base.kind else { unreachable!("it is an element of an array") };
                element(*array, *index, lowered, span)
            }
            _ => {
                let base = Base::Deref(Box::new(pointer), lowered.clone());
                Place { base, path: Vec::new(), ty: lowered, atomic: false, span }
            }
        };
        Object { place: Place { atomic: ty.quals.atomic, ..place }, ty: ty.clone(), bits: None }
    }

    fn is_element(&self, base: &Expr, unit: i64, lowered: &Type, ty: &Ty) -> bool {
        let size = self.structs.size_of(ty, self.model).unwrap_or(0) as i64;
        matches!(&base.kind, ExprKind::Address(place) if is_array_of(&place.ty, lowered)) && unit == size
    }

    pub fn local_place(&self, local: LocalId, ty: &Ty, span: Span) -> Object {
        let place = Place { atomic: ty.quals.atomic, ..Place::local(local, self.lower(ty), span) };
        Object { place, ty: ty.clone(), bits: None }
    }

    /// Stores a scalar that has been converted.
    pub fn store(&mut self, object: &Object, value: Expr, span: Span) {
        let value = match object.bits {
            Some(_) => fold::convert(value, object.place.ty.clone()),
            None => value,
        };
        self.body.emit(InstructionKind::Assign { to: object.place.clone(), value }, span);
    }
}

/// A bit-field that fits an `int` is promoted to one (C11 6.3.1.1).
pub fn promoted_bits(kind: IntKind, width: u8) -> IntKind {
    let fits = width < 32 || width == 32 && kind.is_signed();
    if fits { IntKind::Int } else { kind }
}

fn is_array_of(ty: &Type, element: &Type) -> bool {
    matches!(ty, Type::Array(of, _) if **of == *element)
}

fn element(array: Place, index: Expr, ty: Type, span: Span) -> Place {
    let mut path = array.path;
    path.push(Step::Index(index));
    Place { base: array.base, path, ty, atomic: false, span }
}

/// What is converted: where nobody looks at the outcome, the conversion does not matter.
fn without_conversions(expr: Expr) -> Expr {
    match expr.kind {
        ExprKind::Convert(inner) => without_conversions(*inner),
        _ => expr,
    }
}
