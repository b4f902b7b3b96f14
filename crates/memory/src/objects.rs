//! The objects of a program: what they are made of, and where they are.
//!
//! An object is divided into leaves, its scalars and the library's objects; the elements of an array are one leaf with a
//! dimension. A pool of objects of one allocation is an object with a dimension more. Every object has an address, and
//! between objects there is room, so that an address tells the object and a pointer past the end of one is in no other.

use crate::code::{Code, FunctionId, GlobalId, LocalId, StructId, Type};
use std::collections::BTreeMap;
use std::sync::Arc;
use threadwise_ir::Sort;
use threadwise_source::Span;

/// More elements of one array are not kept apart: the program is then beyond what is looked at.
pub(crate) const MAX_ELEMENTS: u64 = 1 << 14;

/// An array with so many elements has any length: it is never needed as long, and the number of its elements is kept beside
/// it.
pub(crate) const ANY_LENGTH: u64 = 1 << 34;

/// Where objects of any length are: behind all others, so that these have small addresses.
const FIRST_OF_ANY_LENGTH: u64 = 1 << 42;

/// Where the first object is. No small number is the address of an object.
const FIRST_ADDRESS: u64 = 1 << 12;

/// How many addresses there are for a local that lives more than once: those of its lives before one that is looked at, of that one,
/// and of those after it.
pub(crate) const ERAS: u64 = 3;

macro_rules! ids {
    ($($name:ident),*) => {$(
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub(crate) struct $name(pub(crate) u32);

        impl $name {
            pub(crate) fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids!(ObjectId, LeafId, ThreadIndex, SiteId);

/// Whose an object is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Storage {
    Global(GlobalId),
    ThreadLocal(ThreadIndex, GlobalId),
    Local(ThreadIndex, LocalId),
    Heap(SiteId),
    Function(FunctionId),
}

#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) storage: Storage,
    pub(crate) ty: Type,
    /// How many of these there are, all alike.
    pub(crate) slots: u64,
    /// Bytes from one to the next.
    pub(crate) stride: u64,
    pub(crate) name: Arc<str>,
    pub(crate) span: Span,
    pub(crate) address: u64,
    /// The bytes from there to where the next object may be, or the same one in another of its lives.
    pub(crate) room: u64,
    pub(crate) leaves: Vec<LeafId>,
    by_offset: BTreeMap<u64, Vec<LeafId>>,
}

/// A scalar or a library's object, or an array of such.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub(crate) object: ObjectId,
    /// Of the first element.
    pub(crate) offset: u64,
    pub(crate) dims: Vec<Dim>,
    pub(crate) ty: Type,
    pub(crate) name: Arc<str>,
    pub(crate) bit_unit: Option<u32>,
    /// Which bit-field it is.
    pub(crate) bit: Bit,
}

/// A bit-field of a struct. It has no address, and shares its offset with others.
pub(crate) type Bit = Option<(StructId, u32)>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Dim {
    pub(crate) count: u64,
    pub(crate) stride: u64,
}

impl Dim {
    /// How many elements are kept apart.
    pub(crate) fn kept(self) -> u64 {
        if self.has_any_length() { self.count } else { self.count.min(MAX_ELEMENTS) }
    }

    pub(crate) fn has_any_length(self) -> bool {
        self.count == ANY_LENGTH
    }

    /// The keys of the array that stands for it.
    pub(crate) fn keys(self) -> Sort {
        if self.has_any_length() { Sort::Int } else { Sort::Range(0, self.kept() as i64 - 1) }
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Objects {
    pub(crate) objects: Vec<Object>,
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) by_storage: BTreeMap<Storage, ObjectId>,
    next_address: u64,
    next_of_any_length: u64,
}

impl Object {
    /// All bytes that may be its own in some of its lives.
    pub(crate) fn extent(&self) -> u64 {
        match self.storage {
            Storage::Local(..) => (ERAS - 1) * self.room + self.stride,
            _ => self.stride * self.slots,
        }
    }
}

impl Objects {
    pub(crate) fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.index()]
    }

    pub(crate) fn leaf(&self, id: LeafId) -> &Leaf {
        &self.leaves[id.index()]
    }

    /// Whether an object is an array of which only the program knows how long it is, and all of its elements are kept.
    pub(crate) fn has_any_length(&self, id: ObjectId) -> bool {
        matches!(self.object(id).ty, Type::Array(_, ANY_LENGTH))
    }

    pub(crate) fn at(&self, storage: Storage) -> ObjectId {
        self.by_storage[&storage]
    }

    pub(crate) fn add(
        &mut self,
        code: &Code,
        storage: Storage,
        ty: &Type,
        slots: u64,
        name: Arc<str>,
        span: Span,
    ) -> ObjectId {
        let id = ObjectId(self.objects.len() as u32);
        let size = code.size_of(ty).max(1);
        let stride = if slots > 1 { (size + 31) / 16 * 16 } else { size };
        let (next, first) = match ty {
            Type::Array(_, ANY_LENGTH) => (&mut self.next_of_any_length, FIRST_OF_ANY_LENGTH),
            _ => (&mut self.next_address, FIRST_ADDRESS),
        };
        let address = (*next).max(first);
        let room = (address + stride * slots + 64).next_multiple_of(64) - address;
        *next = address + if matches!(storage, Storage::Local(..)) { ERAS * room } else { room };
        let mut object = Object {
            storage,
            ty: ty.clone(),
            slots,
            stride,
            name: name.clone(),
            span,
            address,
            room,
            leaves: Vec::new(),
            by_offset: BTreeMap::new(),
        };
        if !matches!(storage, Storage::Function(_)) {
            let pool = (slots > 1).then_some(Dim { count: slots, stride });
            let mut found = Vec::new();
            divide(code, ty, 0, &mut pool.into_iter().collect(), &name, (None, None), &mut found);
            for leaf in found {
                let leaf_id = LeafId(self.leaves.len() as u32);
                object.leaves.push(leaf_id);
                object.by_offset.entry(leaf.offset).or_default().push(leaf_id);
                self.leaves.push(Leaf { object: id, ..leaf });
            }
        }
        self.objects.push(object);
        self.by_storage.insert(storage, id);
        id
    }

    /// The leaf at an offset, seen as a type, and whether it really is of that type; of a union it is the one that fits.
    pub(crate) fn leaf_at(
        &self,
        code: &Code,
        object: ObjectId,
        offset: u64,
        seen: (&Type, Bit),
    ) -> Option<(LeafId, bool)> {
        let leaves = self.object(object).by_offset.get(&offset)?;
        let mut of_kind = leaves.iter().filter(|id| self.leaf(**id).bit == seen.1);
        if seen.1.is_some() {
            return of_kind.next().map(|leaf| (*leaf, true));
        }
        // Where fields of a union overlap, the first one stands for all.
        let first = of_kind.next()?;
        Some((*first, agree(code, &self.leaf(*first).ty, seen.0)))
    }

    /// The offset with all indices zero, of a part of a certain type if there is one there.
    pub(crate) fn canonical(&self, code: &Code, object: ObjectId, offset: i64) -> Option<u64> {
        let object = self.object(object);
        let total = object.stride * object.slots;
        let offset = u64::try_from(offset).ok().filter(|offset| *offset <= total)?;
        let inside = if object.slots > 1 { offset % object.stride } else { offset };
        Some(canonical_in(code, &object.ty, inside))
    }
}

impl Objects {
    /// What bit-fields that are one location have in common: the object, where in it their struct begins, and the number of
    /// the location in the struct.
    pub(crate) fn bit_location(&self, code: &Code, id: LeafId) -> (ObjectId, u64, Option<u32>) {
        let leaf = self.leaf(id);
        let inside = leaf.bit.map_or(0, |(of, number)| field_offset(code, of, number));
        (leaf.object, leaf.offset - inside, leaf.bit_unit)
    }
}

impl Leaf {
    /// Whether two parts of an object share bytes. Bit-fields of one struct share none that matter.
    pub(crate) fn overlaps(&self, code: &Code, other: &Leaf) -> bool {
        let start = |leaf: &Leaf| leaf.bit.map(|(of, number)| (of, leaf.offset - field_offset(code, of, number)));
        if start(self).is_some() && start(self) == start(other) && self.dims == other.dims {
            return false;
        }
        let common = self.dims.iter().zip(&other.dims).take_while(|(a, b)| a == b).count();
        let extent = |leaf: &Leaf| {
            let last: u64 = leaf.dims[common..].iter().map(|dim| dim.count.saturating_sub(1) * dim.stride).sum();
            let size = match leaf.bit {
                // Which bytes of its unit it is in is not known here.
                Some((of, number)) => {
                    code.structs[of.index()].size.saturating_sub(field_offset(code, of, number)).min(8)
                }
                None => code.size_of(&leaf.ty),
            };
            leaf.offset..leaf.offset + last + size.max(1)
        };
        let (a, b) = (extent(self), extent(other));
        a.start < b.end && b.start < a.end
    }
}

impl Object {
    /// Whether an offset, counted from the start of any of the objects of a pool, is inside of that one, and the object is
    /// no array itself.
    pub(crate) fn is_element(&self, offset: i64) -> bool {
        let is_inside = u64::try_from(offset).is_ok_and(|offset| offset < self.stride);
        is_inside && !matches!(self.ty, Type::Array(..))
    }
}

fn field_offset(code: &Code, of: StructId, number: u32) -> u64 {
    code.structs[of.index()].fields[number as usize].offset
}

/// Whether a value of one type can be kept where the other is expected without losing anything.
pub(crate) fn agree(code: &Code, kept: &Type, wanted: &Type) -> bool {
    match (kept, wanted) {
        (Type::Int(a), Type::Int(b)) => a.width == b.width,
        (Type::Int(a), Type::Pointer) | (Type::Pointer, Type::Int(a)) => u64::from(a.width) == 8 * code.pointer_bytes,
        (Type::Library(a, _), Type::Library(b, _)) => a == b,
        (a, b) => a == b,
    }
}

fn canonical_in(code: &Code, ty: &Type, offset: u64) -> u64 {
    match ty {
        Type::Array(element, count) => {
            let size = code.size_of(element).max(1);
            // One past the end counts as the element that an index may lead back to.
            if *count == 0 { 0 } else { canonical_in(code, element, offset % size) }
        }
        Type::Struct(id) => {
            let fields = &code.structs[id.index()].fields;
            let holds = |field: &&crate::code::Field| {
                field.offset <= offset && offset < field.offset + code.size_of(&field.ty).max(1)
            };
            match fields.iter().find(holds) {
                Some(field) => field.offset + canonical_in(code, &field.ty, offset - field.offset),
                None => offset,
            }
        }
        Type::Void | Type::Int(_) | Type::Pointer | Type::Float(_) | Type::Library(..) => offset,
    }
}

fn divide(
    code: &Code,
    ty: &Type,
    offset: u64,
    dims: &mut Vec<Dim>,
    name: &str,
    bits: (Option<u32>, Bit),
    found: &mut Vec<Leaf>,
) {
    match ty {
        Type::Void => {}
        Type::Int(_) | Type::Pointer | Type::Float(_) | Type::Library(..) => found.push(Leaf {
            object: ObjectId(0),
            offset,
            dims: dims.clone(),
            ty: ty.clone(),
            name: name.into(),
            bit_unit: bits.0,
            bit: bits.1,
        }),
        Type::Array(element, count) => {
            dims.push(Dim { count: *count, stride: code.size_of(element).max(1) });
            if *count > 0 {
                divide(code, element, offset, dims, name, bits, found);
            }
            dims.pop();
        }
        Type::Struct(id) => {
            let def = &code.structs[id.index()];
            for (field, number) in def.fields.iter().zip(0..) {
                let bits = (field.bit_unit, field.bit_unit.map(|_| (*id, number)));
                let inner = if field.name.is_empty() { name.to_string() } else { format!("{name}.{}", field.name) };
                divide(code, &field.ty, offset + field.offset, dims, &inner, bits, found);
            }
        }
    }
}
