//! Which variables of the engines' language stand for which parts of memory, and which parts other threads can reach.

use crate::code::{Code, Expr, InstructionKind, Library, Object as LibraryObject, Place, Said, Type};
use crate::objects::{Leaf, LeafId, ObjectId, Objects, Storage, ThreadIndex};
use crate::points::{Points, parts};
use crate::threads::{At, Number, Threads};
use crate::walk::Visitor;
use std::collections::{BTreeMap, BTreeSet};
use threadwise_ir::{Bits, Sort};

/// Who accesses what.
#[derive(Clone, Debug, Default)]
pub(crate) struct Accesses {
    /// For each leaf the threads that may read or write it.
    pub(crate) by: BTreeMap<LeafId, BTreeSet<ThreadIndex>>,
    /// The leaves that are accessed in a way that is not atomic.
    pub(crate) plain: BTreeSet<LeafId>,
    /// The leaves that are accessed atomically.
    pub(crate) atomic: BTreeSet<LeafId>,
    /// The objects that somebody may free.
    pub(crate) freed: BTreeSet<ObjectId>,
    /// The objects on the heap that only the thread which allocates them can reach.
    pub(crate) own: BTreeSet<ObjectId>,
    /// The leaves that annotations speak of.
    pub(crate) mentioned: BTreeSet<LeafId>,
    /// Parts of unions of which other parts that are accessed share bytes, but not all of them: what is stored to one
    /// changes the other, which is not followed.
    pub(crate) blurred: BTreeSet<LeafId>,
    /// Those that start with any value that annotations allow.
    pub(crate) free_at_start: BTreeSet<LeafId>,
    /// The variables that only annotations know.
    pub(crate) ghosts: BTreeSet<ObjectId>,
}

struct Loads(Vec<Place>);

impl Visitor for Loads {
    fn expr(&mut self, e: &mut Expr) {
        match &e.kind {
            crate::code::ExprKind::Load(place) => self.0.push((**place).clone()),
            crate::code::ExprKind::Said(said) => {
                if let Said::In(_, place) | Said::IsEmpty(place) | Said::Holder(place) = &**said {
                    self.0.push(place.clone());
                }
            }
            _ => {}
        }
        self.expr_parts(e);
    }
}

/// The places that an instruction reads scalars from.
pub(crate) fn loads_of(kind: &InstructionKind) -> Vec<Place> {
    let mut loads = Loads(Vec::new());
    loads.instruction(&mut kind.clone());
    loads.0
}

pub(crate) fn loads_of_expr(e: &Expr) -> Vec<Place> {
    let mut loads = Loads(Vec::new());
    loads.expr(&mut e.clone());
    loads.0
}

pub(crate) fn accesses(code: &Code, points: &mut Points<'_>, atomic_at: &dyn Fn(At) -> bool) -> Accesses {
    let mut found = Accesses { own: crate::own::own_objects(points), ..Accesses::default() };
    let threads: &Threads = points.threads;
    for (at, instruction) in threads.instructions() {
        let inside = atomic_at(at);
        for place in loads_of(&instruction.kind) {
            found.note(points, at.thread, &place, inside);
        }
        match &instruction.kind {
            InstructionKind::Assign { to, .. } => found.note(points, at.thread, to, inside),
            InstructionKind::Copy { to, from } => {
                for (a, b) in points.copied(at.thread, to, from) {
                    found.add(a, at.thread, inside);
                    found.add(b, at.thread, inside);
                }
            }
            InstructionKind::Clear(place) => {
                for leaf in leaves_below(code, points, at.thread, place) {
                    found.add(leaf, at.thread, inside);
                }
            }
            InstructionKind::Call { args, result, .. } => {
                result.iter().for_each(|place| found.note(points, at.thread, place, inside));
                for arg in args {
                    for target in points.eval(at.thread, arg) {
                        for &leaf in &points.objects.object(target.object).leaves {
                            found.add(leaf, at.thread, inside);
                        }
                    }
                }
            }
            InstructionKind::Library(library) => found.library(points, at, library, inside),
            InstructionKind::Declare(_)
            | InstructionKind::Assert(..)
            | InstructionKind::Assume(_)
            | InstructionKind::AtomicBegin
            | InstructionKind::AtomicWhen(_)
            | InstructionKind::AtomicEnd
            | InstructionKind::Enter(_)
            | InstructionKind::LoopInvariant(_) => {}
        }
    }
    for thread in threads.indices() {
        for (block, number) in threads.get(thread).flat.blocks.iter().zip(0..) {
            let at = At { thread, block: number, instruction: block.instructions.len() as u32 };
            let mut loads = Loads(Vec::new());
            loads.end(&mut block.end.clone());
            for place in loads.0 {
                found.note(points, thread, &place, atomic_at(at));
            }
        }
    }
    found.join_bit_fields(code, points.objects);
    found.blur(code, points.objects);
    found
}

fn has_union(code: &Code, ty: &Type) -> bool {
    match ty {
        Type::Array(element, _) => has_union(code, element),
        Type::Struct(id) => {
            let of = &code.structs[id.index()];
            of.is_union || of.fields.iter().any(|field| has_union(code, &field.ty))
        }
        Type::Void | Type::Int(_) | Type::Pointer | Type::Float(_) | Type::Library(..) => false,
    }
}

/// The leaves of the objects that a place of any type may be.
pub(crate) fn leaves_below(code: &Code, points: &mut Points<'_>, thread: ThreadIndex, place: &Place) -> Vec<LeafId> {
    let mut leaves = Vec::new();
    for target in points.targets_of(thread, place) {
        for (offset, ty, bit) in parts(code, &place.ty) {
            let there = points.objects.canonical(code, target.object, (target.offset + offset) as i64);
            let leaf = there.and_then(|offset| points.objects.leaf_at(code, target.object, offset, (&ty, bit)));
            leaves.extend(leaf.map(|(leaf, _)| leaf));
        }
    }
    leaves
}

impl Accesses {
    fn add(&mut self, leaf: LeafId, thread: ThreadIndex, atomic: bool) {
        self.by.entry(leaf).or_default().insert(thread);
        if atomic {
            self.atomic.insert(leaf);
        } else {
            self.plain.insert(leaf);
        }
    }

    /// Neighbouring bit-fields are one location: whoever accesses one of them accesses all.
    fn join_bit_fields(&mut self, code: &Code, objects: &Objects) {
        let fields: Vec<LeafId> =
            self.by.keys().copied().filter(|leaf| objects.leaf(*leaf).bit_unit.is_some()).collect();
        let mut units: BTreeMap<_, Vec<LeafId>> = BTreeMap::new();
        for leaf in fields {
            units.entry(objects.bit_location(code, leaf)).or_default().push(leaf);
        }
        for unit in units.into_values() {
            let all: BTreeSet<ThreadIndex> = unit.iter().flat_map(|leaf| self.by[leaf].clone()).collect();
            for leaf in unit {
                self.by.insert(leaf, all.clone());
            }
        }
    }

    fn blur(&mut self, code: &Code, objects: &Objects) {
        let mut of_object: BTreeMap<ObjectId, Vec<LeafId>> = BTreeMap::new();
        for &leaf in self.by.keys() {
            of_object.entry(objects.leaf(leaf).object).or_default().push(leaf);
        }
        of_object.retain(|object, _| has_union(code, &objects.object(*object).ty));
        for (&object, leaves) in &mut of_object {
            self.blur_initial(code, objects, object, leaves);
        }
        for leaves in of_object.into_values() {
            for (number, &first) in leaves.iter().enumerate() {
                for &second in &leaves[number + 1..] {
                    if objects.leaf(first).overlaps(code, objects.leaf(second)) {
                        self.blurred.extend([first, second]);
                    }
                }
            }
        }
    }

    /// Adds the parts of a global that it starts with to those that are accessed; what starts with bytes of another type is
    /// not known.
    fn blur_initial(&mut self, code: &Code, objects: &Objects, object: ObjectId, leaves: &mut Vec<LeafId>) {
        let (Storage::Global(id) | Storage::ThreadLocal(_, id)) = objects.object(object).storage else { return };
        let variable = &code.globals[id.index()];
        for (path, value) in &variable.init {
            let route = crate::points::route(code, &variable.ty, path);
            let part = objects.leaf_at(code, object, route.offset, (&value.ty, route.bit));
            if let Some((leaf, agrees)) = part {
                self.blurred.extend((!agrees).then_some(leaf));
                if !leaves.contains(&leaf) {
                    leaves.push(leaf);
                }
            }
        }
    }

    fn note(&mut self, points: &mut Points<'_>, thread: ThreadIndex, place: &Place, inside: bool) {
        for leaf in points.leaves_of(thread, place) {
            self.add(leaf, thread, inside || place.atomic);
        }
    }

    fn library(&mut self, points: &mut Points<'_>, at: At, library: &Library, inside: bool) {
        if let Library::Free(e) = library {
            for target in points.eval(at.thread, e) {
                self.freed.insert(target.object);
                for &leaf in &points.objects.object(target.object).leaves {
                    self.add(leaf, at.thread, inside);
                }
            }
        }
        let mut library = library.clone();
        let (places, _) = crate::walk::parts_of(&mut library);
        for place in places {
            self.note(points, at.thread, place, inside);
        }
    }
}

/// Where a local variable of a thread with several copies is pointed to from outside of the thread, or from another one
/// of its kind: the copies have to be told apart then.
pub(crate) fn escaping(points: &Points<'_>, accesses: &Accesses) -> BTreeSet<ThreadIndex> {
    let objects = points.objects;
    let owner = |id: ObjectId| match objects.object(id).storage {
        Storage::Local(thread, _) | Storage::ThreadLocal(thread, _) => Some(thread),
        Storage::Global(_) | Storage::Heap(_) | Storage::Function(_) => None,
    };
    let mut found = BTreeSet::new();
    for (leaf, number) in objects.leaves.iter().zip(0..) {
        for target in points.of_leaf(LeafId(number)) {
            if let Some(thread) = owner(target.object)
                && !points.threads.get(thread).copies.is_one()
                && owner(leaf.object) != Some(thread)
            {
                found.insert(thread);
            }
        }
    }
    for (&leaf, threads) in &accesses.by {
        if let Some(thread) = owner(objects.leaf(leaf).object)
            && !points.threads.get(thread).copies.is_one()
            && threads.iter().any(|&other| other != thread)
        {
            found.insert(thread);
        }
    }
    found
}

/// Whether an object is a thread's own, and other threads have none of it.
pub(crate) fn owner_alone(objects: &Objects, accesses: &Accesses, id: ObjectId) -> Option<ThreadIndex> {
    let object = objects.object(id);
    let (Storage::Local(thread, _) | Storage::ThreadLocal(thread, _)) = object.storage else { return None };
    let is_own = |leaf: &LeafId| accesses.by.get(leaf).is_none_or(|by| by.iter().all(|&other| other == thread));
    object.leaves.iter().all(is_own).then_some(thread)
}

/// Whether accesses of a leaf are steps that other threads can see.
pub(crate) fn is_visible(threads: &Threads, objects: &Objects, accesses: &Accesses, id: LeafId) -> bool {
    let Some(by) = accesses.by.get(&id) else { return false };
    let object = objects.leaf(id).object;
    if accesses.ghosts.contains(&object) {
        return false;
    }
    if accesses.mentioned.contains(&id) {
        return true;
    }
    if owner_alone(objects, accesses, object).is_some() || accesses.own.contains(&object) {
        return false;
    }
    by.len() > 1 || by.iter().any(|&thread| threads.get(thread).copies != Number::Exactly(1))
}

/// How pointers are kept.
#[derive(Clone, Debug)]
pub(crate) struct Pointers {
    pub(crate) sort: Sort,
}

/// Addresses are numbers of 64 bits whatever the data model, so that moving them never goes wrong by itself.
pub(crate) const ADDRESS: Bits = Bits { width: 64, signed: true };
pub(crate) const COUNT: Bits = Bits { width: 32, signed: false };
pub(crate) const UNSIGNED: Bits = Bits { width: 32, signed: false };

impl Pointers {
    /// The sort of one element of a leaf.
    pub(crate) fn element_sort(&self, ty: &Type) -> Sort {
        match ty {
            Type::Int(bits) => Sort::Bits(*bits),
            Type::Pointer => self.sort.clone(),
            // Nobody knows anything of it.
            Type::Float(_) | Type::Void => Sort::Range(0, 0),
            Type::Library(object, _) => match object {
                LibraryObject::Thread | LibraryObject::Mutex | LibraryObject::RwLock | LibraryObject::Monitor => {
                    Sort::Tid
                }
                LibraryObject::ThreadSet => Sort::set(Sort::Tid),
                LibraryObject::Semaphore | LibraryObject::Barrier => Sort::Bits(UNSIGNED),
                LibraryObject::Once | LibraryObject::MutexAttributes => Sort::Range(0, 2),
                LibraryObject::Condition | LibraryObject::Attributes => Sort::Range(0, 0),
            },
            Type::Struct(_) | Type::Array(..) => unreachable!("leaves are no aggregates"),
        }
    }

    /// The sort of the variable that stands for a leaf, given that of its elements.
    pub(crate) fn sort_of(&self, leaf: &Leaf, element: Sort) -> Sort {
        let wrap = |sort: Sort, dim: &crate::objects::Dim| Sort::array(dim.keys(), sort);
        leaf.dims.iter().rev().fold(element, wrap)
    }
}
