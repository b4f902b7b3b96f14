//! Which objects pointers may point to: an inclusion-based analysis of the laid-out code of all threads, for each leaf of
//! each object by itself. What it leaves out no execution points to.

use crate::code::{Base, Code, Expr, ExprKind, InstructionKind, Library, Place, Said, Step, Type};
use crate::objects::{Bit, LeafId, ObjectId, Objects, SiteId, Storage, ThreadIndex};
use crate::threads::{At, Threads};
use std::collections::{BTreeMap, BTreeSet};

/// A part of an object that a pointer may point to: the offset has all indices zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Target {
    pub(crate) object: ObjectId,
    pub(crate) offset: u64,
}

pub(crate) type Targets = BTreeSet<Target>;

/// The places where a step through memory leads, relative to what it starts from.
#[derive(Clone, Debug)]
pub(crate) struct Route<'a> {
    /// Bytes from the start, with all indices zero.
    pub(crate) offset: u64,
    /// The indices with the size of their elements, and how many elements there are.
    pub(crate) indices: Vec<(&'a Expr, u64, u64)>,
    /// It leads to a bit-field.
    pub(crate) bit: Bit,
}

pub(crate) struct Points<'a> {
    pub(crate) code: &'a Code,
    pub(crate) threads: &'a Threads,
    pub(crate) objects: &'a Objects,
    pub(crate) sites: &'a BTreeMap<At, SiteId>,
    /// For each leaf what the pointers in it may point to.
    of_leaves: Vec<Targets>,
    /// For each leaf whether there may be a pointer in it of which nobody knows where it points to.
    unknown: Vec<bool>,
    changed: bool,
    /// The objects that a formula is about now.
    pub(crate) meant: Targets,
}

/// The way that a path goes through a type.
pub(crate) fn route<'a>(code: &Code, ty: &Type, path: &'a [Step]) -> Route<'a> {
    let (mut ty, mut route) = (ty, Route { offset: 0, indices: Vec::new(), bit: None });
    for step in path {
        match (step, ty) {
            (Step::Field(number), Type::Struct(id)) => {
                let field = &code.structs[id.index()].fields[*number as usize];
                route.offset += field.offset;
                route.bit = field.bit_unit.map(|_| (*id, *number));
                ty = &field.ty;
            }
            (Step::Index(index), Type::Array(element, count)) => {
                route.indices.push((index, code.size_of(element).max(1), *count));
                ty = element;
            }
            _ => unreachable!("front ends make paths that fit their types"),
        }
    }
    route
}

impl<'a> Points<'a> {
    pub(crate) fn solve(
        code: &'a Code,
        threads: &'a Threads,
        objects: &'a Objects,
        sites: &'a BTreeMap<At, SiteId>,
    ) -> Points<'a> {
        let of_leaves = vec![Targets::new(); objects.leaves.len()];
        let unknown = vec![false; objects.leaves.len()];
        let mut points =
            Points { code, threads, objects, sites, of_leaves, unknown, changed: true, meant: Targets::new() };
        points.initial_values();
        points.unknown_at_first();
        while std::mem::take(&mut points.changed) {
            for (at, instruction) in threads.instructions() {
                points.instruction(at, &instruction.kind);
            }
        }
        points
    }

    pub(crate) fn is_unknown(&self, leaf: LeafId) -> bool {
        self.unknown[leaf.index()]
    }

    pub(crate) fn becomes_unknown(&mut self, leaf: LeafId) {
        self.changed |= !std::mem::replace(&mut self.unknown[leaf.index()], true);
    }

    pub(crate) fn of_leaf(&self, leaf: LeafId) -> &Targets {
        &self.of_leaves[leaf.index()]
    }

    fn flow(&mut self, to: LeafId, targets: &Targets) {
        let known = &mut self.of_leaves[to.index()];
        let before = known.len();
        known.extend(targets);
        self.changed |= known.len() > before;
    }

    fn initial_values(&mut self) {
        let code = self.code;
        let globals: Vec<(Storage, ObjectId)> =
            self.objects.by_storage.iter().map(|(storage, id)| (*storage, *id)).collect();
        for (storage, object) in globals {
            let (Storage::Global(id) | Storage::ThreadLocal(_, id)) = storage else { continue };
            let variable = &code.globals[id.index()];
            for (path, value) in &variable.init {
                let targets = self.eval(ThreadIndex(0), value);
                let route = route(code, &variable.ty, path);
                let leaf = self.objects.leaf_at(code, object, route.offset, (&value.ty, route.bit));
                if let Some((leaf, _)) = leaf {
                    self.flow(leaf, &targets);
                }
            }
        }
    }

    /// What the value of an expression may point to.
    pub(crate) fn eval(&mut self, thread: ThreadIndex, e: &Expr) -> Targets {
        match &e.kind {
            ExprKind::Const(_) | ExprKind::Any | ExprKind::Unary(..) | ExprKind::Difference(..) => Targets::new(),
            ExprKind::And(..) | ExprKind::Or(..) => Targets::new(),
            // What is too small for an address holds none: where such a part of a pointer is loaded, that is not followed.
            ExprKind::Load(place) if !self.holds_addresses(&place.ty) => Targets::new(),
            ExprKind::Load(place) => {
                let leaves = self.leaves_of(thread, place);
                leaves.iter().flat_map(|leaf| self.of_leaves[leaf.index()].iter().copied()).collect()
            }
            ExprKind::Address(place) => self.targets_of(thread, place),
            ExprKind::Function(id) => {
                let object = self.objects.by_storage.get(&Storage::Function(*id));
                object.map(|&object| Target { object, offset: 0 }).into_iter().collect()
            }
            // The same holds for integers: that no address becomes one is checked where it is made.
            ExprKind::Convert(_) if !self.holds_addresses(&e.ty) => Targets::new(),
            ExprKind::Convert(inner) => self.eval(thread, inner),
            ExprKind::Conditional(parts) => {
                let mut targets = self.eval(thread, &parts[1]);
                targets.extend(self.eval(thread, &parts[2]));
                targets
            }
            // That no address is computed with is checked where it is done.
            ExprKind::Binary(..) => Targets::new(),
            ExprKind::Said(said) => match &**said {
                Said::After(inner) => self.eval(thread, inner),
                Said::Object => self.meant.clone(),
                _ => Targets::new(),
            },
            ExprKind::Offset(pointer, by, unit) => {
                let from = self.eval(thread, pointer);
                from.into_iter().flat_map(|target| self.moved(target, by, *unit)).collect()
            }
        }
    }

    /// Whether an address fits into values of a type.
    pub(crate) fn holds_addresses(&self, ty: &Type) -> bool {
        match ty {
            Type::Pointer => true,
            Type::Int(bits) => u64::from(bits.width) >= 8 * self.code.pointer_bytes,
            Type::Void | Type::Float(_) | Type::Struct(_) | Type::Array(..) | Type::Library(..) => false,
        }
    }

    /// Where a pointer may point to when it has been moved.
    fn moved(&self, from: Target, by: &Expr, unit: i64) -> Vec<Target> {
        let at = |offset: u64| Target { object: from.object, offset };
        let object = self.objects.object(from.object);
        if let ExprKind::Const(count) = by.kind {
            // By whole elements of an array it stays where it is, whatever the index.
            if self.is_step(from, unit) {
                return vec![from];
            }
            let is_in_array = object.leaves.iter().any(|&leaf| !self.objects.leaf(leaf).dims.is_empty());
            let there = (from.offset as i64).saturating_add(count.saturating_mul(unit));
            match self.objects.canonical(self.code, from.object, there) {
                Some(offset) if !is_in_array || object.is_element(there) => return vec![at(offset)],
                None if !is_in_array => return Vec::new(),
                Some(_) | None => {}
            }
        } else if self.is_step(from, unit) {
            return vec![from];
        }
        // By an unknown number of bytes, or from one element to another: anywhere in the object.
        let offsets: BTreeSet<u64> = object.leaves.iter().map(|&leaf| self.objects.leaf(leaf).offset).collect();
        offsets.into_iter().map(at).collect()
    }

    /// Whether a number of bytes leads from one element of an array to a next one, there where the target is.
    fn is_step(&self, target: Target, unit: i64) -> bool {
        let object = self.objects.object(target.object);
        let leaves = object.leaves.iter().map(|&leaf| self.objects.leaf(leaf));
        let mut near = leaves.filter(|leaf| leaf.offset >= target.offset);
        near.next().is_some_and(|leaf| leaf.dims.iter().any(|dim| dim.stride as i64 == unit.abs()))
    }

    /// The parts of objects that a place may be.
    pub(crate) fn targets_of(&mut self, thread: ThreadIndex, place: &Place) -> Targets {
        let code = self.code;
        match &place.base {
            Base::Local(id) => {
                let storage = Storage::Local(thread, *id);
                let ty = &self.threads.get(thread).flat.locals[id.index()].variable.ty;
                self.direct(storage, route(code, ty, &place.path).offset)
            }
            Base::Global(id) => {
                let variable = &code.globals[id.index()];
                let storage = match variable.thread_local {
                    true => Storage::ThreadLocal(thread, *id),
                    false => Storage::Global(*id),
                };
                self.direct(storage, route(code, &variable.ty, &place.path).offset)
            }
            Base::Deref(pointer, ty) => {
                let offset = route(code, ty, &place.path).offset;
                let from = self.eval(thread, pointer);
                let inside = |target: Target| {
                    let there = (target.offset + offset) as i64;
                    let offset = self.objects.canonical(code, target.object, there)?;
                    let is_data = !matches!(self.objects.object(target.object).storage, Storage::Function(_));
                    is_data.then_some(Target { object: target.object, offset })
                };
                from.into_iter().filter_map(inside).collect()
            }
        }
    }

    fn direct(&self, storage: Storage, offset: u64) -> Targets {
        let object = self.objects.at(storage);
        let offset = self.objects.canonical(self.code, object, offset as i64);
        offset.map(|offset| Target { object, offset }).into_iter().collect()
    }

    /// The leaves that a scalar place may be; wrongly typed ones are among them.
    pub(crate) fn leaves_of(&mut self, thread: ThreadIndex, place: &Place) -> Vec<LeafId> {
        let bit = self.bit_of(thread, place);
        let targets = self.targets_of(thread, place);
        let leaf = |target: Target| self.objects.leaf_at(self.code, target.object, target.offset, (&place.ty, bit));
        targets.into_iter().filter_map(leaf).map(|(leaf, _)| leaf).collect()
    }

    /// The bit-field that a place is, if it is one.
    pub(crate) fn bit_of(&self, thread: ThreadIndex, place: &Place) -> Bit {
        let ty = match &place.base {
            Base::Local(id) => &self.threads.get(thread).flat.locals[id.index()].variable.ty,
            Base::Global(id) => &self.code.globals[id.index()].ty,
            Base::Deref(_, ty) => ty,
        };
        route(self.code, ty, &place.path).bit
    }

    fn assign(&mut self, thread: ThreadIndex, to: &Place, targets: &Targets) {
        if targets.is_empty() {
            return;
        }
        for leaf in self.leaves_of(thread, to) {
            self.flow(leaf, targets);
        }
    }

    fn instruction(&mut self, at: At, kind: &InstructionKind) {
        let thread = at.thread;
        self.unknown_after(at, kind);
        match kind {
            InstructionKind::Assign { to, value } => {
                let targets = self.eval(thread, value);
                self.assign(thread, to, &targets);
            }
            InstructionKind::Copy { to, from } => {
                for (to, from) in self.copied(thread, to, from) {
                    let targets = self.of_leaves[from.index()].clone();
                    self.flow(to, &targets);
                }
            }
            InstructionKind::Library(library) => self.library(at, library),
            InstructionKind::Declare(_)
            | InstructionKind::Clear(_)
            | InstructionKind::Call { .. }
            | InstructionKind::Assert(..)
            | InstructionKind::Assume(_)
            | InstructionKind::AtomicBegin
            | InstructionKind::AtomicWhen(_)
            | InstructionKind::AtomicEnd
            | InstructionKind::Enter(_)
            | InstructionKind::LoopInvariant(_) => {}
        }
    }

    /// The leaves between which values go when an object is copied.
    pub(crate) fn copied(&mut self, thread: ThreadIndex, to: &Place, from: &Place) -> Vec<(LeafId, LeafId)> {
        let (to_targets, from_targets) = (self.targets_of(thread, to), self.targets_of(thread, from));
        let mut pairs = Vec::new();
        for part in parts(self.code, &to.ty) {
            let there = |targets: &Targets| -> Vec<LeafId> {
                let leaf = |target: &Target| {
                    let offset = self.objects.canonical(self.code, target.object, (target.offset + part.0) as i64)?;
                    self.objects.leaf_at(self.code, target.object, offset, (&part.1, part.2)).map(|(leaf, _)| leaf)
                };
                targets.iter().filter_map(leaf).collect()
            };
            let (to, from) = (there(&to_targets), there(&from_targets));
            pairs.extend(to.iter().flat_map(|&to| from.iter().map(move |&from| (to, from))));
        }
        pairs
    }

    fn library(&mut self, at: At, library: &Library) {
        let thread = at.thread;
        match library {
            Library::Create { argument: Some(argument), .. } => {
                let targets = self.eval(thread, argument);
                let threads = self.threads;
                for &created in threads.created.get(&at).into_iter().flatten().flat_map(|(_, created)| created) {
                    let flat = &threads.get(created).flat;
                    if self.code.function(flat.root).params > 0 {
                        let parameter = self.objects.at(Storage::Local(created, flat.first_param));
                        let leaf = self.objects.object(parameter).leaves.first().copied();
                        leaf.into_iter().for_each(|leaf| self.flow(leaf, &targets));
                    }
                }
            }
            Library::Join { value: Some(place), .. } => {
                let mut targets = Targets::new();
                for other in self.threads.indices() {
                    if let Some(result) = self.threads.get(other).flat.result {
                        let object = self.objects.at(Storage::Local(other, result));
                        let leaves = self.objects.object(object).leaves.iter();
                        leaves.for_each(|leaf| targets.extend(&self.of_leaves[leaf.index()]));
                    }
                }
                self.assign(thread, place, &targets);
            }
            Library::Allocate { result, .. } => {
                let object = self.objects.at(Storage::Heap(self.sites[&at]));
                self.assign(thread, result, &Targets::from([Target { object, offset: 0 }]));
            }
            _ => {}
        }
    }
}

/// The scalars and library objects of a type by their offsets, arrays by their first elements.
pub(crate) fn parts(code: &Code, ty: &Type) -> Vec<(u64, Type, Bit)> {
    match ty {
        Type::Void => Vec::new(),
        Type::Int(_) | Type::Pointer | Type::Float(_) | Type::Library(..) => vec![(0, ty.clone(), None)],
        Type::Array(element, count) => {
            if *count == 0 {
                Vec::new()
            } else {
                parts(code, element)
            }
        }
        Type::Struct(id) => {
            let fields = code.structs[id.index()].fields.iter().zip(0..);
            let shifted = fields.flat_map(|(field, number)| {
                let own = field.bit_unit.map(|_| (*id, number));
                let inner = parts(code, &field.ty).into_iter();
                inner.map(move |(offset, ty, bit)| (field.offset + offset, ty, bit.or(own)))
            });
            shifted.collect()
        }
    }
}
