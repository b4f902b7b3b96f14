//! Instructions on objects: fields, arrays, casts.

use crate::body::{Value, both, compare, int, null};
use crate::branches::constant_comparison;
use crate::classes::Name;
use crate::instructions::Lowering;
use crate::models::Implicit;
use crate::program::Fallible;
use crate::reach::element_class;
use crate::types::{JavaType, LONG, bits, spoken};
use cafebabe::bytecode::PrimitiveArrayType;
use cafebabe::constant_pool::{MemberRef, ObjectArrayType};
use threadwise_memory::code::{Base, BinaryOp, End, Expr, ExprKind, INT, Library, Place, Type};
use threadwise_source::Span;

/// How many arrays or elements are made one by one where an array of arrays is.
const MOST_AT_ONCE: i64 = 64;

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
        let is_exact = self.is_exact_array(class, name, &field.ty);
        self.body.push(Value { is_exact, ..Value::of_class(value, field.ty.class()) });
        Ok(())
    }

    /// Whether a field has arrays only that are made for what it is declared with.
    fn is_exact_array(&self, class: &str, name: &str, ty: &JavaType) -> bool {
        let is_array = ty.class().is_some_and(|class| class.starts_with('['));
        is_array && !self.body.program.reached.has_other_arrays(class, name)
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
        let is_exact = self.is_exact_array(&member.class_name, &member.name_and_type.name, &ty);
        self.body.push(Value { is_exact, ..Value::of_class(value, ty.class()) });
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

    pub(crate) fn new_array(&mut self, element: Type, class: Name) -> Fallible<()> {
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
        let value = Value::of_class(self.body.load(id), Some(class));
        self.body.push(Value { is_not_null: true, is_exact: true, length, ..value });
        Ok(())
    }

    /// Arrays of arrays, the lengths of which are constants: made one by one.
    pub(crate) fn new_arrays(&mut self, class: &str, dimensions: usize) -> Fallible<()> {
        let mut counts = Vec::new();
        for _ in 0..dimensions {
            counts.push(self.body.pop()?);
        }
        counts.reverse();
        let lengths: Option<Vec<i64>> = counts
            .iter()
            .map(|count| match count.kind {
                ExprKind::Const(length) if (0..=MOST_AT_ONCE).contains(&length) => Some(length),
                _ => None,
            })
            .collect();
        let lengths = lengths.filter(|lengths| lengths.iter().product::<i64>() <= MOST_AT_ONCE);
        let Some(lengths) = lengths else {
            return self.body.refuse(
                "arrays of arrays whose lengths are no small constants are not supported",
                "make the outer array first, and the inner ones in a loop",
            );
        };
        self.nested(class, &lengths)
    }

    fn nested(&mut self, class: &str, lengths: &[i64]) -> Fallible<()> {
        let span = self.body.span;
        let (Some((&length, inner)), Some(of)) = (lengths.split_first(), class.strip_prefix('[')) else {
            return self.unknown_field(class, "length");
        };
        let element = crate::types::field_type(of).map_or(Type::Pointer, |(ty, _)| element_type(&ty));
        self.body.push_expr(int(length, span));
        self.new_array(element, class.into())?;
        for index in (0..length).filter(|_| !inner.is_empty()) {
            let outer = self.body.stack.last().cloned().expect("it was pushed");
            self.body.push(outer);
            self.body.push_expr(int(index, span));
            self.nested(of, inner)?;
            self.array_store(Type::Pointer)?;
        }
        Ok(())
    }

    /// An array with the same elements.
    pub(crate) fn cloned(&mut self, class: &str, array: &Value) -> Fallible<()> {
        let span = self.body.span;
        let element = crate::types::field_type(&class[1..]).map_or(Type::Pointer, |(ty, _)| element_type(&ty));
        self.body.check_not_null(array)?;
        let from = self.body.kept(array.expr.clone());
        let from = Value { expr: from, is_not_null: true, ..array.clone() };
        let length = self.length_of(&from);
        let length = self.body.kept(length);
        self.body.push_expr(length.clone());
        self.new_array(element.clone(), class.into())?;
        let made = self.body.pop_value()?;
        let number = self.body.temporary(&INT);
        self.body.assign(self.body.place(number), int(0, span));
        let (head, body, end) = (self.body.new_block(), self.body.new_block(), self.body.new_block());
        self.body.finish(End::Goto(head));
        self.body.go_on_in(head);
        let is_more = compare(BinaryOp::Lt, self.body.load(number), length);
        self.body.finish(End::Branch(is_more, body, end));
        self.body.go_on_in(body);
        let at =
            |lowering: &Self, array: &Value| element_place(&array.expr, lowering.body.load(number), &element, span);
        let value = self.body.read(at(self, &from));
        self.body.assign(at(self, &made), value);
        let next = Expr::binary(BinaryOp::Add, self.body.load(number), int(1, span), INT);
        self.body.assign(self.body.place(number), next);
        self.body.finish(End::Goto(head));
        self.body.go_on_in(end);
        self.body.push(Value { is_exact: false, length: array.length, ..made });
        Ok(())
    }

    /// What is stored to an array must fit what the array was made for, which may be less than what its type here says.
    pub(crate) fn refuse_other_stores(&mut self) -> Fallible<()> {
        let Some(value) = self.body.stack.last().cloned() else { return Ok(()) };
        let is_null = matches!(value.expr.kind, ExprKind::Const(0)) && !value.is_opaque;
        let array = self.body.stack.len().checked_sub(3).map(|at| self.body.stack[at].clone());
        let Some(array) = array else { return Ok(()) };
        // Whatever it was made for, if nothing is known of it.
        let (class, is_exact) = (array.class.filter(|of| of.starts_with('[')), array.is_exact);
        let array = class.unwrap_or_else(|| "[Ljava/lang/Object;".into());
        if is_null {
            return Ok(());
        }
        let class: Name = match (&value.class, value.is_opaque) {
            (_, true) => "java/lang/String".into(),
            (Some(class), _) => class.clone(),
            (None, _) => "java/lang/Object".into(),
        };
        let reached = &self.body.program.reached;
        let element = |made: &Name| element_class(made);
        if is_exact {
            if !reached.is_value_of(&class, &element(&array)) && !element(&array).starts_with('[') {
                let object = self.body.plain(value.clone());
                let object = self.body.kept(object);
                let is_null = compare(BinaryOp::Eq, object.clone(), null(self.body.span));
                let is_it = self.body.is_instance(object.clone(), &element(&array));
                let fits = Expr::new(ExprKind::Or(Box::new(is_null), Box::new(is_it)), INT, self.body.span);
                self.body.check(fits, Implicit::ArrayStore)?;
                self.body.stack.pop();
                self.body.push(Value { expr: object, is_opaque: false, ..value });
            }
            return Ok(());
        }
        let is_less = |made: &&Name| ***made != *array && reached.is_array_subtype(made, &array);
        let other = reached.arrays.iter().filter(is_less).find(|made| !reached.is_value_of(&class, &element(made)));
        if let Some(other) = other {
            let message = format!(
                "an array of `{}` may be one that was made for `{}`, which this does not fit",
                spoken(&element(&array)),
                spoken(&element(other))
            );
            return self.body.refuse(message, "make the array with the type that it is declared with");
        }
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
        Ok(element_place(&array.expr, index, ty, span))
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
        let array = self.body.stack.len().checked_sub(2).and_then(|at| self.body.stack[at].class.clone());
        let class = array.filter(|of| ty == Type::Pointer && of.starts_with('[')).map(|of| element_class(&of));
        let place = self.element(&ty)?;
        let value = self.body.read(place);
        let value = match ty.bits() {
            Some(bits) if bits.width < 32 => value.converted(INT),
            _ => value,
        };
        self.body.push(Value::of_class(value, class));
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
        let ObjectArrayType::BinaryName(class) = class else { return self.cast_to_array(&array_name(class)) };
        let value = self.body.pop_value()?;
        let is_known = value.is_opaque
            || value.class.as_ref().is_some_and(|known| self.body.program.reached.is_subtype(known, class));
        let value = match is_known {
            true => value,
            false => {
                self.refuse_unknown_kinds(class)?;
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

    fn cast_to_array(&mut self, class: &str) -> Fallible<()> {
        let Some(value) = self.body.stack.last() else { return Ok(()) };
        let is_null = matches!(value.expr.kind, ExprKind::Const(0)) && !value.is_opaque;
        let fits = |known: &Name| self.body.program.reached.is_array_subtype(known, class);
        if is_null || value.class.as_ref().is_some_and(fits) {
            return Ok(());
        }
        self.body.refuse(
            "whether an object is an array of this type is not known",
            "declare what is cast with the type of the array",
        )
    }

    /// Interfaces that classes of the library have, which are not followed.
    fn refuse_unknown_kinds(&self, class: &str) -> Fallible<()> {
        let has_unknown = matches!(
            class,
            "java/lang/Comparable"
                | "java/lang/CharSequence"
                | "java/lang/Number"
                | "java/lang/Cloneable"
                | "java/io/Serializable"
        );
        if has_unknown {
            let message = format!("whether an object is a `{}` is not known", spoken(class));
            return self.body.refuse(message, "ask for a class of the program");
        }
        Ok(())
    }

    pub(crate) fn instance_of(&mut self, class: &ObjectArrayType<'_>) -> Fallible<()> {
        let ObjectArrayType::BinaryName(class) = class else {
            return self.body.refuse("`instanceof` with an array is not supported", "ask for a class");
        };
        let span = self.body.span;
        self.refuse_unknown_kinds(class)?;
        let value = self.body.pop()?;
        let object = self.body.kept(value);
        let is_there = compare(BinaryOp::Ne, object.clone(), null(span));
        if class == "java/lang/Object" {
            self.body.push_expr(is_there);
            return Ok(());
        }
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

fn element_place(array: &Expr, index: Expr, ty: &Type, span: Span) -> Place {
    let size = match ty {
        Type::Int(bits) => i64::from(bits.width).div_euclid(8),
        Type::Float(bytes) => i64::from(*bytes),
        _ => 16,
    };
    let pointer = ExprKind::Offset(Box::new(array.clone()), Box::new(index.converted(LONG)), size);
    let pointer = Expr::new(pointer, Type::Pointer, span);
    Place { base: Base::Deref(Box::new(pointer), ty.clone()), path: Vec::new(), ty: ty.clone(), atomic: false, span }
}

fn element_type(ty: &JavaType) -> Type {
    match ty {
        JavaType::Boolean => bits(8, true),
        ty => ty.stored(),
    }
}

/// The name of the class of an array.
pub(crate) fn array_name(of: &ObjectArrayType<'_>) -> Name {
    match of {
        ObjectArrayType::BinaryName(class) => class.to_string().into(),
        ObjectArrayType::ArrayType(descriptor) => descriptor.to_string().into(),
    }
}

/// That of an array of such elements.
pub(crate) fn array_of(element: &ObjectArrayType<'_>) -> Name {
    match element {
        ObjectArrayType::BinaryName(class) => format!("[L{class};").into(),
        ObjectArrayType::ArrayType(descriptor) => format!("[{descriptor}").into(),
    }
}

pub(crate) fn descriptor(element: PrimitiveArrayType) -> &'static str {
    match element {
        PrimitiveArrayType::Boolean => "[Z",
        PrimitiveArrayType::Byte => "[B",
        PrimitiveArrayType::Char => "[C",
        PrimitiveArrayType::Short => "[S",
        PrimitiveArrayType::Int => "[I",
        PrimitiveArrayType::Long => "[J",
        PrimitiveArrayType::Float => "[F",
        PrimitiveArrayType::Double => "[D",
    }
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
