//! Structs and unions: where their fields are, as compilers for the usual machines lay them out.

use crate::types::{DataModel, FloatKind, IntKind, Kind, Ty};
use std::sync::Arc;
use threadwise_memory::code::{self, StructId};

/// A struct or union; it may be incomplete.
#[derive(Clone, Debug)]
pub struct StructDefinition {
    /// Its tag, if it has one.
    pub name: Arc<str>,
    pub is_union: bool,
    /// `None` while it is incomplete.
    pub fields: Option<Vec<FieldDefinition>>,
    pub size: u64,
    pub align: u64,
}

#[derive(Clone, PartialEq, Debug)]
pub struct FieldDefinition {
    /// Empty for a struct or union without a name inside of another.
    pub name: Arc<str>,
    pub ty: Ty,
    /// In bytes; of a bit-field, that of its storage unit.
    pub offset: u64,
    pub bits: Option<BitField>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BitField {
    pub width: u8,
    /// Neighbouring bit-fields have the same number: they are one memory location.
    pub unit: u32,
}

/// A field as it is declared.
pub struct Declared {
    pub name: Arc<str>,
    pub ty: Ty,
    pub width: Option<u8>,
    /// By `_Alignas` or an attribute.
    pub align: Option<u64>,
    pub packed: bool,
}

#[derive(Default, Debug)]
pub struct Structs {
    pub all: Vec<StructDefinition>,
}

impl Structs {
    pub fn declare(&mut self, name: Arc<str>, is_union: bool) -> StructId {
        self.all.push(StructDefinition { name, is_union, fields: None, size: 0, align: 1 });
        StructId(self.all.len() as u32 - 1)
    }

    /// A struct that nobody declared.
    pub fn made(&mut self, name: Arc<str>, fields: Vec<FieldDefinition>, size: u64) -> StructId {
        self.all.push(StructDefinition { name, is_union: false, fields: Some(fields), size, align: 16 });
        StructId(self.all.len() as u32 - 1)
    }

    pub fn get(&self, id: StructId) -> &StructDefinition {
        &self.all[id.index()]
    }

    /// The size of a type in bytes; `None` if it is incomplete.
    pub fn size_of(&self, ty: &Ty, model: DataModel) -> Option<u64> {
        Some(match &ty.kind {
            // As GNU C has it.
            Kind::Void | Kind::Function(_) => 1,
            Kind::Int(kind) => kind.bytes(model),
            Kind::Float(kind) => model.float_bytes(*kind),
            Kind::Pointer(_) => model.pointer_bytes(),
            Kind::Array(element, count) => self.size_of(element, model)?.checked_mul((*count)?)?,
            Kind::Struct(id) => {
                let definition = self.get(*id);
                definition.fields.as_ref()?;
                definition.size
            }
            Kind::Library(_, size, _) => *size,
            Kind::VaList => 24,
        })
    }

    pub fn align_of(&self, ty: &Ty, model: DataModel) -> u64 {
        match &ty.kind {
            Kind::Void | Kind::Function(_) => 1,
            Kind::Int(kind) => kind.bytes(model),
            Kind::Float(FloatKind::LongDouble) if model == DataModel::Ilp32 => 4,
            Kind::Float(kind) => model.float_bytes(*kind),
            Kind::Pointer(_) | Kind::VaList => model.pointer_bytes(),
            Kind::Array(element, _) => self.align_of(element, model),
            Kind::Struct(id) => self.get(*id).align,
            Kind::Library(_, _, align) => *align,
        }
    }

    /// In structs of 32-bit programs, what has 8 bytes is aligned to 4.
    pub fn field_align(&self, ty: &Ty, model: DataModel) -> u64 {
        let align = self.align_of(ty, model);
        match &ty.kind {
            Kind::Array(element, _) => self.field_align(element, model),
            Kind::Int(IntKind::LongLong | IntKind::UnsignedLongLong) | Kind::Float(FloatKind::Double)
                if model == DataModel::Ilp32 =>
            {
                4
            }
            _ => align,
        }
    }

    /// Completes a struct or union.
    pub fn complete(
        &mut self,
        id: StructId,
        declared: Vec<Declared>,
        packed: bool,
        align: Option<u64>,
        model: DataModel,
    ) {
        let is_union = self.get(id).is_union;
        let mut layout = Layout { structs: self, model, is_union, bits: 0, size: 0, align: 1, unit: 0, open: None };
        let mut fields = Vec::new();
        for field in declared {
            let field = Declared { packed: field.packed || packed, ..field };
            fields.extend(layout.place(field));
        }
        let align = layout.align.max(align.unwrap_or(1));
        let size = layout.size.max(layout.bits.div_ceil(8)).next_multiple_of(align);
        let definition = &mut self.all[id.index()];
        (definition.fields, definition.size, definition.align) = (Some(fields), size, align);
    }

    /// Whether two definitions of structs say the same.
    pub fn is_same(&self, a: StructId, b: StructId) -> bool {
        let (Some(first), Some(second)) = (&self.get(a).fields, &self.get(b).fields) else { return a == b };
        let is_same_field = |(a, b): (&FieldDefinition, &FieldDefinition)| {
            (&a.name, a.offset, a.bits) == (&b.name, b.offset, b.bits) && self.is_same_type(&a.ty, &b.ty)
        };
        first.len() == second.len()
            && (self.get(a).size, self.get(a).is_union) == (self.get(b).size, self.get(b).is_union)
            && first.iter().zip(second).all(is_same_field)
    }

    /// Structs without tags are the same if they say the same; such a struct cannot contain itself.
    pub fn is_same_type(&self, a: &Ty, b: &Ty) -> bool {
        let is_inner_same = match (&a.kind, &b.kind) {
            (Kind::Struct(x), Kind::Struct(y)) => {
                let has_no_tag = self.get(*x).name.is_empty() && self.get(*y).name.is_empty();
                x == y || has_no_tag && self.is_same(*x, *y)
            }
            (Kind::Pointer(x), Kind::Pointer(y)) => self.is_same_type(x, y),
            (Kind::Array(x, n), Kind::Array(y, m)) => n == m && self.is_same_type(x, y),
            (Kind::Function(x), Kind::Function(y)) => {
                let params = x.params.iter().zip(&y.params);
                self.is_same_type(&x.result, &y.result)
                    && x.params.len() == y.params.len()
                    && params.into_iter().all(|(x, y)| self.is_same_type(x, y))
            }
            (x, y) => x == y,
        };
        is_inner_same && a.quals == b.quals
    }

    /// The way to a field by its name, through structs without names: the indices of the fields.
    pub fn find(&self, id: StructId, name: &str) -> Option<Vec<u32>> {
        let fields = self.get(id).fields.as_ref()?;
        if let Some(index) = fields.iter().position(|field| &*field.name == name) {
            return Some(vec![index as u32]);
        }
        fields.iter().enumerate().filter(|(_, field)| field.name.is_empty()).find_map(|(index, field)| {
            let mut rest = self.find(field.ty.struct_id()?, name)?;
            rest.insert(0, index as u32);
            Some(rest)
        })
    }

    pub fn lowered(&self, model: DataModel) -> Vec<code::Struct> {
        let field = |field: &FieldDefinition| code::Field {
            name: field.name.clone(),
            offset: field.offset,
            ty: field_type(field, model),
            bit_unit: field.bits.map(|bits| bits.unit),
        };
        let lower = |definition: &StructDefinition| code::Struct {
            name: definition.name.clone(),
            fields: definition.fields.iter().flatten().map(field).collect(),
            size: definition.size,
            is_union: definition.is_union,
        };
        self.all.iter().map(lower).collect()
    }
}

/// The type of what is stored in a field.
pub fn field_type(field: &FieldDefinition, model: DataModel) -> code::Type {
    match (field.ty.lowered(model), field.bits) {
        (code::Type::Int(bits), Some(BitField { width, .. })) => {
            code::Type::Int(threadwise_ir::Bits { width: width.min(bits.width), ..bits })
        }
        (ty, _) => ty,
    }
}

struct Layout<'a> {
    structs: &'a Structs,
    model: DataModel,
    is_union: bool,
    /// The first free bit.
    bits: u64,
    /// Of a union, the size of its largest member so far.
    size: u64,
    align: u64,
    unit: u32,
    /// The unit of the bit-field before, if there is one.
    open: Option<u32>,
}

impl Layout<'_> {
    fn place(&mut self, field: Declared) -> Option<FieldDefinition> {
        if self.is_union {
            self.size = self.size.max(self.bits.div_ceil(8));
            (self.bits, self.open) = (0, None);
        }
        match field.width {
            Some(width) => self.place_bits(field, u64::from(width)),
            None => Some(self.place_whole(field)),
        }
    }

    fn place_whole(&mut self, field: Declared) -> FieldDefinition {
        self.open = None;
        let natural = if field.packed { 1 } else { self.structs.field_align(&field.ty, self.model) };
        let align = natural.max(field.align.unwrap_or(1));
        let offset = self.bits.div_ceil(8).next_multiple_of(align);
        // A flexible array at the end takes no room.
        let size = self.structs.size_of(&field.ty, self.model).unwrap_or(0);
        self.bits = (offset + size) * 8;
        self.align = self.align.max(align);
        FieldDefinition { name: field.name, ty: field.ty, offset, bits: None }
    }

    /// A bit-field must not cross a boundary of its declared type, unless it is packed; one of width zero ends the unit.
    fn place_bits(&mut self, field: Declared, width: u64) -> Option<FieldDefinition> {
        let size = self.structs.size_of(&field.ty, self.model).unwrap_or(4) * 8;
        let align = self.structs.field_align(&field.ty, self.model) * 8;
        if width == 0 {
            self.bits = self.bits.next_multiple_of(align);
            self.open = None;
            return None;
        }
        if let Some(align) = field.align {
            self.bits = self.bits.next_multiple_of(align * 8);
            self.align = self.align.max(align);
        }
        let crosses = self.bits / align * align + size < self.bits + width;
        if crosses && !field.packed {
            self.bits = self.bits.next_multiple_of(align);
        }
        let start = self.bits;
        self.bits += width;
        let unit = self.open.unwrap_or_else(|| {
            self.unit += 1;
            self.unit - 1
        });
        self.open = Some(unit);
        if field.name.is_empty() {
            return None;
        }
        if !field.packed {
            self.align = self.align.max(align / 8);
        }
        let offset = if field.packed { start / 8 } else { start / align * align / 8 };
        let bits = Some(BitField { width: width as u8, unit });
        Some(FieldDefinition { name: field.name, ty: field.ty, offset, bits })
    }
}
