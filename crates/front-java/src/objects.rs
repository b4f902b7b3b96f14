//! Instructions on objects: fields, arrays, casts.

use crate::body::{Value, both, compare, int, null};
use crate::branches::constant_comparison;
use crate::instructions::Lowering;
use crate::models::Implicit;
use crate::program::Fallible;
use crate::types::{JavaType, LONG, bits, spoken};
use cafebabe::bytecode::PrimitiveArrayType;
use cafebabe::constant_pool::{MemberRef, ObjectArrayType};
use threadwise_memory::code::{Base, BinaryOp, Expr, ExprKind, INT, Library, Place, Type};

impl Lowering<'_, '_, '_> {
    // Fields.

    pub(crate) fn get_static(&mut self, member: &MemberRef<'_>) -> Fallible<()> {
        let (class, name) = (&*member.class_name, &*member.name_and_type.name);
        let span = self.body.span;
        if name == "$assertionsDisabled" {
            self.body.push_expr(int(0, span));
            return Ok(());
        }
        let is_stream = class == "java/lang/System" && matches!(name, "out" | "err");
        if is_stream || class == "java/util/concurrent/TimeUnit" {
            self.body.push(Value::opaque(span));
            return Ok(());
        }
        if crate::enums::is_table(name) {
            let Some(cases) = crate::enums::table(self.body.program.classes(), class) else {
                return self.unknown_field(class, name);
            };
            self.body.push(Value { cases: Some(cases), is_not_null: true, ..Value::new(null(span)) });
            return Ok(());
        }
        let Some((id, field)) = self.body.program.static_field(class, name) else {
            return self.unknown_field(class, name);
        };
        let ty = field.ty.stored();
        let place = Place { atomic: field.is_volatile, ..Place::global(id, ty, span) };
        let value = match (field.is_final, field.constant) {
            (true, Some(constant)) => Expr::constant(constant, field.ty.computed(), span),
            _ => self.body.read(place),
        };
        let value = widened(value, &field.ty);
        self.body.push(Value::of_class(value, field.ty.class()));
        Ok(())
    }

    pub(crate) fn unknown_field<T>(&self, class: &str, name: &str) -> Fallible<T> {
        self.body.refuse(
            format!("the field `{}.{name}` is not known", spoken(class)),
            "fields of the program's own classes, `System.out` and `System.err` are known",
        )
    }

    pub(crate) fn put_static(&mut self, member: &MemberRef<'_>) -> Fallible<()> {
        let (class, name) = (&*member.class_name, &*member.name_and_type.name);
        let value = self.body.pop()?;
        if name == "$assertionsDisabled" {
            return Ok(());
        }
        let Some((id, field)) = self.body.program.static_field(class, name) else {
            return self.unknown_field(class, name);
        };
        let place = Place { atomic: field.is_volatile, ..Place::global(id, field.ty.stored(), self.body.span) };
        self.body.assign(place, value);
        Ok(())
    }

    pub(crate) fn instance_place(&mut self, object: Value, member: &MemberRef<'_>) -> Fallible<(Place, JavaType)> {
        let (class, name) = (&*member.class_name, &*member.name_and_type.name);
        self.body.check_not_null(&object)?;
        let object = self.body.plain(object);
        let Some((of, number, field)) = self.body.program.instance_field(class, name) else {
            return self.unknown_field(class, name);
        };
        let ty = field.ty.stored();
        let place = crate::program::field_place(object, of, number, ty, field.is_volatile, self.body.span);
        Ok((place, field.ty))
    }

    pub(crate) fn get_field(&mut self, member: &MemberRef<'_>) -> Fallible<()> {
        let object = self.body.pop_value()?;
        let (place, ty) = self.instance_place(object, member)?;
        let value = self.body.read(place);
        let value = widened(value, &ty);
        self.body.push(Value::of_class(value, ty.class()));
        Ok(())
    }

    pub(crate) fn put_field(&mut self, member: &MemberRef<'_>) -> Fallible<()> {
        let value = self.body.pop_value()?;
        let object = self.body.pop_value()?;
        let value = self.body.plain(value);
        let (place, _) = self.instance_place(object, member)?;
        self.body.assign(place, value);
        Ok(())
    }

    // Objects and arrays.

    pub(crate) fn new_object(&mut self, class: &str) -> Fallible<()> {
        if crate::models::is_opaque(class) {
            self.body.push(Value::opaque(self.body.span));
            return Ok(());
        }
        let is_known = self.body.program.classes().contains_key(class) || crate::models::find(class).is_some();
        if !is_known {
            return self.body.refuse(
                format!("objects of class `{}` are not supported", spoken(class)),
                "docs/JAVA.md lists the classes of the library that are known",
            );
        }
        let object = self.body.allocated(class);
        let value = Value::of_class(object, Some(class.into()));
        self.body.push(Value { is_exact: true, is_not_null: true, ..value });
        Ok(())
    }

    pub(crate) fn new_array(&mut self, element: Type) -> Fallible<()> {
        let span = self.body.span;
        let count = self.body.pop()?;
        let length = match count.kind {
            ExprKind::Const(value) => Some(value),
            _ => None,
        };
        if length.is_none_or(|length| length < 0) {
            let fits = compare(BinaryOp::Ge, count.clone(), int(0, span));
            self.body.check(constant_comparison(fits), Implicit::NegativeSize)?;
        }
        let id = self.body.temporary(&Type::Pointer);
        let result = self.body.place(id);
        let count = match length {
            Some(length) => Expr::constant(length.max(0), LONG, span),
            None => count.converted(LONG),
        };
        self.body.library(Library::Allocate { result, ty: element, count, zeroed: true });
        let value = Value::new(self.body.load(id));
        self.body.push(Value { is_not_null: true, length, ..value });
        Ok(())
    }

    pub(crate) fn array_length(&mut self) -> Fallible<()> {
        let array = self.body.pop_value()?;
        self.body.check_not_null(&array)?;
        let length = self.length_of(&array);
        self.body.push_expr(length);
        Ok(())
    }

    pub(crate) fn length_of(&mut self, array: &Value) -> Expr {
        let span = self.body.span;
        if let Some(length) = array.length {
            return int(length, span);
        }
        let id = self.body.temporary(&INT);
        let result = self.body.place(id);
        self.body.library(Library::Extent { pointer: array.expr.clone(), unit: 0, result });
        self.body.load(id)
    }

    /// The element of an array that the stack names, which is there.
    pub(crate) fn element(&mut self, ty: &Type) -> Fallible<Place> {
        let span = self.body.span;
        let index = self.body.pop()?;
        let array = self.body.pop_value()?;
        self.body.check_not_null(&array)?;
        let length = self.length_of(&array);
        let known = match (&index.kind, &length.kind) {
            (ExprKind::Const(index), ExprKind::Const(length)) => Some(0 <= *index && index < length),
            _ => None,
        };
        if known != Some(true) {
            let at_least = compare(BinaryOp::Ge, index.clone(), int(0, span));
            let below = compare(BinaryOp::Lt, index.clone(), length);
            let is_there = if known == Some(false) { int(0, span) } else { both(at_least, below) };
            self.body.check(is_there, Implicit::Bounds)?;
        }
        let size = match ty {
            Type::Int(bits) => i64::from(bits.width).div_euclid(8),
            Type::Float(bytes) => i64::from(*bytes),
            _ => 16,
        };
        let pointer = ExprKind::Offset(Box::new(array.expr), Box::new(index.converted(LONG)), size);
        let pointer = Expr::new(pointer, Type::Pointer, span);
        Ok(Place {
            base: Base::Deref(Box::new(pointer), ty.clone()),
            path: Vec::new(),
            ty: ty.clone(),
            atomic: false,
            span,
        })
    }

    pub(crate) fn array_load(&mut self, ty: Type) -> Fallible<()> {
        let below = self.body.stack.len().checked_sub(2).and_then(|at| self.body.stack[at].cases.clone());
        if let Some(cases) = below {
            let constant = self.body.pop()?;
            self.body.pop_value()?;
            let span = self.body.span;
            let mut case = int(0, span);
            for (number, of) in cases {
                let is_it = compare(BinaryOp::Eq, constant.clone(), int(number, span));
                let parts = Box::new([is_it, int(of, span), case]);
                case = Expr::new(ExprKind::Conditional(parts), INT, span);
            }
            self.body.push_expr(case);
            return Ok(());
        }
        let place = self.element(&ty)?;
        let value = self.body.read(place);
        let value = match ty.bits() {
            Some(bits) if bits.width < 32 => value.converted(INT),
            _ => value,
        };
        self.body.push_expr(value);
        Ok(())
    }

    pub(crate) fn array_store(&mut self, ty: Type) -> Fallible<()> {
        let value = self.body.pop_value()?;
        let value = self.body.plain(value);
        let place = self.element(&ty)?;
        self.body.assign(place, value);
        Ok(())
    }

    pub(crate) fn cast(&mut self, class: &ObjectArrayType<'_>) -> Fallible<()> {
        let ObjectArrayType::BinaryName(class) = class else { return Ok(()) };
        let value = self.body.pop_value()?;
        let is_known = value.is_opaque
            || value.class.as_ref().is_some_and(|known| self.body.program.reached.is_subtype(known, class));
        let value = match is_known {
            true => value,
            false => {
                let object = self.body.kept(value.expr.clone());
                let is_null = compare(BinaryOp::Eq, object.clone(), null(self.body.span));
                let is_it = self.body.is_instance(object.clone(), class);
                let fits = Expr::new(ExprKind::Or(Box::new(is_null), Box::new(is_it)), INT, self.body.span);
                self.body.check(fits, Implicit::Cast)?;
                Value { expr: object, class: Some(class.to_string().into()), ..value }
            }
        };
        self.body.push(value);
        Ok(())
    }

    pub(crate) fn instance_of(&mut self, class: &ObjectArrayType<'_>) -> Fallible<()> {
        let ObjectArrayType::BinaryName(class) = class else {
            return self.body.refuse("`instanceof` with an array is not supported", "ask for a class");
        };
        let span = self.body.span;
        let value = self.body.pop()?;
        let object = self.body.kept(value);
        let is_there = compare(BinaryOp::Ne, object.clone(), null(span));
        let is_it = self.body.is_instance(object, class);
        self.body.push_expr(both(is_there, is_it));
        Ok(())
    }
}

/// A value from a field as it is computed with.
pub(crate) fn widened(value: Expr, ty: &JavaType) -> Expr {
    let wanted = ty.computed();
    if value.ty == wanted { value } else { value.converted(wanted) }
}

pub(crate) fn primitive(element: PrimitiveArrayType) -> Type {
    match element {
        PrimitiveArrayType::Boolean | PrimitiveArrayType::Byte => bits(8, true),
        PrimitiveArrayType::Char => bits(16, false),
        PrimitiveArrayType::Short => bits(16, true),
        PrimitiveArrayType::Int => INT,
        PrimitiveArrayType::Long => LONG,
        PrimitiveArrayType::Float => Type::Float(4),
        PrimitiveArrayType::Double => Type::Float(8),
    }
}
