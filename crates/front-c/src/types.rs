//! The types of C, and how large they are.

use std::sync::Arc;
use threadwise_ir::Bits;
use threadwise_memory::code::{Object, StructId, Type};

/// How wide the types are that C leaves open.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum DataModel {
    Ilp32,
    #[default]
    Lp64,
}

/// A type with its qualifiers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ty {
    pub kind: Kind,
    pub quals: Quals,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Quals {
    pub constant: bool,
    pub volatile: bool,
    pub atomic: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    Void,
    /// Enumerations are among them: each is compatible with the integer that compilers choose for it.
    Int(IntKind),
    Float(FloatKind),
    Pointer(Arc<Ty>),
    /// The count is missing while the array is incomplete.
    Array(Arc<Ty>, Option<u64>),
    Function(Arc<Signature>),
    Struct(StructId),
    /// An object of a library, with its size and alignment.
    Library(Object, u64, u64),
    /// What `va_start` and its like use.
    VaList,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    pub result: Ty,
    pub params: Vec<Ty>,
    pub variadic: bool,
    /// `f()` says nothing about its parameters.
    pub has_prototype: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IntKind {
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Int128,
    UnsignedInt128,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatKind {
    Float,
    Double,
    LongDouble,
    Float128,
}

pub const INT: Ty = Ty::int(IntKind::Int);
pub const VOID: Ty = Ty { kind: Kind::Void, quals: Quals { constant: false, volatile: false, atomic: false } };

impl IntKind {
    pub fn is_signed(self) -> bool {
        use IntKind::*;
        matches!(self, Char | SignedChar | Short | Int | Long | LongLong | Int128)
    }

    pub fn bytes(self, model: DataModel) -> u64 {
        use IntKind::*;
        match self {
            Bool | Char | SignedChar | UnsignedChar => 1,
            Short | UnsignedShort => 2,
            Int | UnsignedInt => 4,
            Long | UnsignedLong => model.pointer_bytes(),
            LongLong | UnsignedLongLong => 8,
            Int128 | UnsignedInt128 => 16,
        }
    }

    pub fn bits(self, model: DataModel) -> Bits {
        match self {
            IntKind::Bool => Bits { width: 1, signed: false },
            _ => Bits { width: (self.bytes(model) * 8).min(64) as u8, signed: self.is_signed() },
        }
    }

    /// The higher of two ranks wins in arithmetic (C11 6.3.1.1).
    pub fn rank(self) -> u8 {
        use IntKind::*;
        match self {
            Bool => 0,
            Char | SignedChar | UnsignedChar => 1,
            Short | UnsignedShort => 2,
            Int | UnsignedInt => 3,
            Long | UnsignedLong => 4,
            LongLong | UnsignedLongLong => 5,
            Int128 | UnsignedInt128 => 6,
        }
    }

    pub fn unsigned(self) -> IntKind {
        use IntKind::*;
        match self {
            Char | SignedChar => UnsignedChar,
            Short => UnsignedShort,
            Int => UnsignedInt,
            Long => UnsignedLong,
            LongLong => UnsignedLongLong,
            Int128 => UnsignedInt128,
            other => other,
        }
    }

    /// The integer promotions (C11 6.3.1.1); all that is narrower than `int` fits it.
    pub fn promoted(self) -> IntKind {
        if self.rank() < IntKind::Int.rank() { IntKind::Int } else { self }
    }

    /// The usual arithmetic conversions of two integers (C11 6.3.1.8).
    pub fn common(self, other: IntKind, model: DataModel) -> IntKind {
        let (a, b) = (self.promoted(), other.promoted());
        if a.is_signed() == b.is_signed() {
            return if a.rank() >= b.rank() { a } else { b };
        }
        let (signed, unsigned) = if a.is_signed() { (a, b) } else { (b, a) };
        if unsigned.rank() >= signed.rank() {
            unsigned
        } else if signed.bytes(model) > unsigned.bytes(model) {
            signed
        } else {
            signed.unsigned()
        }
    }
}

impl DataModel {
    pub fn pointer_bytes(self) -> u64 {
        match self {
            DataModel::Ilp32 => 4,
            DataModel::Lp64 => 8,
        }
    }

    /// `size_t`.
    pub fn size_kind(self) -> IntKind {
        match self {
            DataModel::Ilp32 => IntKind::UnsignedInt,
            DataModel::Lp64 => IntKind::UnsignedLong,
        }
    }

    /// `ptrdiff_t`.
    pub fn difference_kind(self) -> IntKind {
        match self {
            DataModel::Ilp32 => IntKind::Int,
            DataModel::Lp64 => IntKind::Long,
        }
    }

    pub fn float_bytes(self, kind: FloatKind) -> u64 {
        match kind {
            FloatKind::Float => 4,
            FloatKind::Double => 8,
            FloatKind::LongDouble if self == DataModel::Ilp32 => 12,
            FloatKind::LongDouble | FloatKind::Float128 => 16,
        }
    }
}

impl Ty {
    pub const fn int(kind: IntKind) -> Ty {
        Ty { kind: Kind::Int(kind), quals: Quals { constant: false, volatile: false, atomic: false } }
    }

    pub fn of(kind: Kind) -> Ty {
        Ty { kind, quals: Quals::default() }
    }

    pub fn pointer_to(self) -> Ty {
        Ty::of(Kind::Pointer(Arc::new(self)))
    }

    pub fn array_of(self, count: Option<u64>) -> Ty {
        Ty::of(Kind::Array(Arc::new(self), count))
    }

    /// The type of the value of an object: without qualifiers.
    pub fn unqualified(&self) -> Ty {
        Ty::of(self.kind.clone())
    }

    pub fn with(mut self, quals: Quals) -> Ty {
        let own = &mut self.quals;
        own.constant |= quals.constant;
        own.volatile |= quals.volatile;
        own.atomic |= quals.atomic;
        self
    }

    pub fn is_void(&self) -> bool {
        self.kind == Kind::Void
    }

    pub fn is_function(&self) -> bool {
        matches!(self.kind, Kind::Function(_))
    }

    pub fn int_kind(&self) -> Option<IntKind> {
        match self.kind {
            Kind::Int(kind) => Some(kind),
            _ => None,
        }
    }

    pub fn is_float(&self) -> bool {
        matches!(self.kind, Kind::Float(_))
    }

    pub fn is_arithmetic(&self) -> bool {
        matches!(self.kind, Kind::Int(_) | Kind::Float(_))
    }

    /// What a pointer points to.
    pub fn pointee(&self) -> Option<&Arc<Ty>> {
        match &self.kind {
            Kind::Pointer(to) => Some(to),
            _ => None,
        }
    }

    pub fn struct_id(&self) -> Option<StructId> {
        match self.kind {
            Kind::Struct(id) => Some(id),
            _ => None,
        }
    }

    pub fn object(&self) -> Option<Object> {
        match self.kind {
            Kind::Library(object, ..) => Some(object),
            _ => None,
        }
    }

    /// Whether values of it are stored by one assignment.
    pub fn is_scalar(&self) -> bool {
        match self.kind {
            Kind::Int(_) | Kind::Float(_) | Kind::Pointer(_) | Kind::VaList => true,
            Kind::Library(object, ..) => matches!(object, Object::Thread),
            Kind::Void | Kind::Array(..) | Kind::Function(_) | Kind::Struct(_) => false,
        }
    }

    /// The type as the rooms above know it.
    pub fn lowered(&self, model: DataModel) -> Type {
        match &self.kind {
            Kind::Void | Kind::Function(_) => Type::Void,
            Kind::Int(kind) => Type::Int(kind.bits(model)),
            Kind::Float(kind) => Type::Float(model.float_bytes(*kind) as u8),
            // What is left of the arguments is an object that it points into.
            Kind::Pointer(_) | Kind::VaList => Type::Pointer,
            Kind::Array(element, count) => Type::Array(Arc::new(element.lowered(model)), count.unwrap_or(0)),
            Kind::Struct(id) => Type::Struct(*id),
            Kind::Library(object, size, _) => Type::Library(*object, *size),
        }
    }
}
