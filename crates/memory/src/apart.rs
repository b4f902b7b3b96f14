//! Threads of one kind that each get something else to work on: what outlines know of accesses besides which object they are of.
//!
//! Whoever creates a thread gives it an argument. It is *apart* from the arguments of all others of the kind if it is the address
//! of a new object that nobody else knows; or if a loop that counts creates them all, and gives each the index, or
//! the address of the element with that index. The index takes each value at most once, since it counts by one up to what it is compared with as
//! it is, in its own width. What a thread accesses by its argument, as it got it, no other thread of the kind
//! does: another object, or another element of the same array. For elements, all must mean the same array: a
//! variable, or what a pointer points to that nobody changes once the loop has begun.
//!
//! Until it has created the thread, the loop itself may access the element with its index, too: it belongs to nobody yet.

use crate::code::{
    Base, BinaryOp, Code, End, Expr, ExprKind, GlobalId, Instruction, InstructionKind, Library, LocalId, Place, Step,
    StructId, Type,
};
use crate::flat::Flat;
use crate::fresh::{Fresh, origin};
use crate::joins::{Counting, Search};
use crate::objects::{ObjectId, Storage, ThreadIndex};
use crate::points::Points;
use crate::threads::{At, is_address_taken, plain_local, writes};
use crate::walk::Visitor;
use std::collections::{BTreeMap, BTreeSet};
use threadwise_source::Span;

/// An array: a variable, or what a pointer variable points to, in steps of so many bytes.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Array {
    variable: Variable,
    step: Option<i64>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Variable {
    Global(GlobalId),
    /// Of the thread that creates the others.
    Local(LocalId),
}

/// What threads of a kind get, each something else.
#[derive(Clone, Debug)]
enum Given {
    /// A new object.
    Object,
    /// The address of so many bytes, of an element of the array.
    Element(Array, u64),
    /// An index, from a variable of that width.
    Index(u64),
}

/// A loop that creates threads of a kind.
#[derive(Clone, Debug)]
struct Handing {
    of: Counting,
    at: At,
    width: u64,
}

/// What variables of a thread surely are.
#[derive(Clone, PartialEq, Default, Debug)]
struct Known {
    /// The argument as it came; of objects also addresses in the object.
    argument: BTreeSet<LocalId>,
    /// The address of so many bytes in the element with the index, of that array; or in the element that is the argument.
    inside: BTreeMap<LocalId, (Option<Array>, u64)>,
}

/// Which accesses are of what belongs to the thread alone.
#[derive(Default)]
pub(crate) struct Apart {
    given: BTreeMap<ThreadIndex, (Given, Option<Handing>)>,
    /// What is divided among the threads of a kind; of elements, by which array they are known.
    divided: BTreeMap<ObjectId, (ThreadIndex, Option<Array>)>,
    /// For each point of such threads what its variables have to do with the argument.
    known: BTreeMap<At, Known>,
    /// The points of a creating thread where the element with the index belongs to nobody yet.
    before: BTreeSet<(ThreadIndex, At)>,
}

impl Apart {
    pub(crate) fn of(points: &mut Points<'_>) -> Apart {
        let mut apart = Apart::default();
        let threads = points.threads;
        let kinds: BTreeSet<ThreadIndex> =
            threads.created.values().flatten().flat_map(|(_, created)| created).copied().collect();
        for kind in kinds {
            let flat = &threads.get(kind).flat;
            if points.code.function(flat.root).params == 0 || is_address_taken(flat, flat.first_param) {
                continue;
            }
            if let Some(given) = given(points, kind) {
                apart.known.extend(known(points.code, flat, kind, &given.0));
                apart.divide(points, kind, &given);
                apart.given.insert(kind, given);
            }
        }
        apart.notice_what_comes_before(points);
        apart
    }

    pub(crate) fn is_divided(&self, object: ObjectId) -> bool {
        self.divided.contains_key(&object)
    }

    /// Notes which objects are divided among the threads of a kind; the first kind gets them.
    fn divide(&mut self, points: &mut Points<'_>, kind: ThreadIndex, (given, handing): &(Given, Option<Handing>)) {
        let flat = &points.threads.get(kind).flat;
        let mut found: Vec<(ObjectId, Option<Array>)> = Vec::new();
        match given {
            Given::Object | Given::Element(..) => {
                let array = match given {
                    Given::Element(array, _) => Some(*array),
                    Given::Object | Given::Index(_) => None,
                };
                let parameter = points.objects.at(Storage::Local(kind, flat.first_param));
                let leaves = points.objects.object(parameter).leaves.iter();
                let objects = leaves.flat_map(|leaf| points.of_leaf(*leaf)).map(|target| target.object);
                found.extend(objects.map(|object| (object, array)));
            }
            Given::Index(width) => {
                for (block, number) in flat.blocks.iter().zip(0..) {
                    for (instruction, index) in block.instructions.iter().zip(0..) {
                        let Some(known) = self.known.get(&At { thread: kind, block: number, instruction: index })
                        else {
                            continue;
                        };
                        for place in places_of(instruction) {
                            let array = by_index(points.code, &place, *width, known);
                            let Some(array) = array.filter(|array| matches!(array.variable, Variable::Global(_)))
                            else {
                                continue;
                            };
                            let objects = points.targets_of(kind, &place).into_iter().map(|target| target.object);
                            found.extend(objects.map(|object| (object, Some(array))));
                        }
                    }
                }
                found.retain(|(_, array)| {
                    let array = array.as_ref().expect("an index is of an array");
                    handing.as_ref().is_some_and(|handing| is_kept(points, handing, array))
                });
            }
        }
        let is_data = |object: ObjectId| !matches!(points.objects.object(object).storage, Storage::Function(_));
        // Elements with one index of two arrays in a union are at different places: they belong to different threads.
        let is_clear = |object, array: &Option<Array>| {
            array.is_none() || !has_array_in_union(points.code, &points.objects.object(object).ty)
        };
        for (object, array) in found.into_iter().filter(|(object, array)| is_data(*object) && is_clear(*object, array))
        {
            self.divided.entry(object).or_insert((kind, array));
        }
    }

    fn notice_what_comes_before(&mut self, points: &Points<'_>) {
        for (kind, (_, handing)) in &self.given {
            let Some(Handing { of, at: created, .. }) = handing else { continue };
            let flat = &points.threads.get(created.thread).flat;
            let cycles = flat.on_cycles();
            let inside = |block: usize| cycles[block] == Some(of.cycle);
            let (mut after, mut open) = (BTreeSet::new(), vec![created.block as usize]);
            while let Some(block) = open.pop() {
                for to in crate::walk::targets(&flat.blocks[block].end).into_iter().map(|to| to.index()) {
                    if inside(to) && to != of.header && after.insert(to) {
                        open.push(to);
                    }
                }
            }
            for (block, number) in flat.blocks.iter().zip(0..).filter(|(_, number)| inside(*number)) {
                let last = match number == created.block as usize {
                    true => created.instruction,
                    false => block.instructions.len() as u32,
                };
                let at = |instruction| At { thread: created.thread, block: number as u32, instruction };
                if !after.contains(&number) {
                    self.before.extend((0..=last).map(|instruction| (*kind, at(instruction))));
                }
            }
        }
    }

    /// Whether a place in an object is, there, what only this thread may access among the threads that it is divided among, and
    /// those that create them.
    pub(crate) fn is_own(&self, points: &Points<'_>, at: At, place: &Place, object: ObjectId) -> bool {
        let Some((kind, array)) = self.divided.get(&object) else { return false };
        let (given, handing) = &self.given[kind];
        let code = points.code;
        if at.thread == *kind {
            let Some(known) = self.known.get(&at) else { return false };
            return match (given, &place.base) {
                (Given::Object, Base::Deref(pointer, _)) => {
                    origin(pointer).is_some_and(|local| known.argument.contains(&local))
                }
                (Given::Element(_, size), Base::Deref(pointer, ty)) => {
                    room_in_element(code, pointer, *size, known).is_some_and(|room| code.size_of(ty) <= room)
                }
                (Given::Index(width), _) => array.is_some() && by_index(code, place, *width, known) == *array,
                (Given::Object | Given::Element(..), Base::Local(_) | Base::Global(_)) => false,
            };
        }
        let Some(handing) = handing.as_ref().filter(|handing| handing.at.thread == at.thread) else { return false };
        let index = BTreeSet::from([handing.of.index]);
        let by = |e: &Expr| index_of(code, e, handing.width, &index);
        self.before.contains(&(*kind, at)) && array.is_some() && element_of(code, place, &by) == *array
    }

    /// The same of an object that is freed by a pointer.
    pub(crate) fn is_own_pointer(&self, at: At, pointer: &Expr, object: ObjectId) -> bool {
        let Some((kind, _)) = self.divided.get(&object) else { return false };
        let is_object = matches!(self.given[kind].0, Given::Object) && at.thread == *kind;
        let known = self.known.get(&at);
        is_object && known.is_some_and(|known| origin(pointer).is_some_and(|local| known.argument.contains(&local)))
    }
}

/// What all threads of a kind get, if no two get the same.
fn given(points: &mut Points<'_>, kind: ThreadIndex) -> Option<(Given, Option<Handing>)> {
    let threads = points.threads;
    let sites: Vec<At> = threads
        .created
        .iter()
        .filter(|(_, created)| created.iter().any(|(_, kinds)| kinds.contains(&kind)))
        .map(|(at, _)| *at)
        .collect();
    let argument = |at: &At| {
        let instruction = &threads.get(at.thread).flat.blocks[at.block as usize].instructions[at.instruction as usize];
        match &instruction.kind {
            InstructionKind::Library(library) => match &**library {
                Library::Create { argument: Some(argument), .. } => Some(argument),
                _ => None,
            },
            _ => None,
        }
    };
    let is_new = |at: &At| argument(at).is_some_and(|e| Fresh::of(threads, at.thread).is_fresh(*at, e));
    if !sites.is_empty() && sites.iter().all(is_new) {
        return Some((Given::Object, None));
    }
    let [at] = sites[..] else { return None };
    let argument = argument(&at)?;
    if !threads.get(at.thread).copies.is_one() {
        return None;
    }
    let flat = &threads.get(at.thread).flat;
    let handing = {
        let search = Search::of(points, at.thread);
        let of = search.creating(at, kind)?;
        let Type::Int(bits) = flat.locals[of.index.index()].variable.ty else { return None };
        Handing { of, at, width: u64::from(bits.width) }
    };
    if !counts_without_repeating(flat, &handing) {
        return None;
    }
    let index = BTreeSet::from([handing.of.index]);
    if index_of(points.code, argument, handing.width, &index) {
        return Some((Given::Index(handing.width), Some(handing)));
    }
    let by = |e: &Expr| index_of(points.code, e, handing.width, &index);
    let (array, size) = address_of_element(points.code, argument, &by)?;
    is_kept(points, &handing, &array).then_some((Given::Element(array, size), Some(handing)))
}

/// Whether the index of a loop never comes to a value again: it is compared as it is, so that it ends before it is too large.
fn counts_without_repeating(flat: &Flat, Handing { of, width, .. }: &Handing) -> bool {
    let End::Branch(condition, ..) = &flat.blocks[of.header].end else { return false };
    let ExprKind::Binary(op, left, right) = &crate::threads::without_conversions(condition).kind else { return false };
    let has_width = |e: &Expr| e.ty.bits().is_some_and(|bits| u64::from(bits.width) == *width);
    let is_small = |e: &Expr| matches!(crate::threads::without_conversions(e).kind, ExprKind::Const(word) if (0..1 << (width - 1).min(62)).contains(&word));
    match op {
        BinaryOp::Lt => has_width(left) && has_width(right) || is_small(right),
        BinaryOp::Ne => is_small(right),
        _ => false,
    }
}

/// Whether nobody changes the pointer to an array once the loop has begun.
fn is_kept(points: &mut Points<'_>, handing: &Handing, array: &Array) -> bool {
    if array.step.is_none() {
        return true;
    }
    let base = match array.variable {
        Variable::Global(id) => Base::Global(id),
        Variable::Local(id) => Base::Local(id),
    };
    let pointer = Place { base, path: Vec::new(), ty: Type::Pointer, atomic: false, span: Span::default() };
    Search::of(points, handing.at.thread).stays(&pointer, &handing.of)
}

/// Whether an expression is one of these variables, and no bit of it is lost.
fn index_of(code: &Code, e: &Expr, width: u64, known: &BTreeSet<LocalId>) -> bool {
    let bits = match &e.ty {
        Type::Int(bits) => u64::from(bits.width),
        Type::Pointer => 8 * code.pointer_bytes,
        Type::Void | Type::Float(_) | Type::Struct(_) | Type::Array(..) | Type::Library(..) => return false,
    };
    match &e.kind {
        ExprKind::Convert(inner) => bits >= width && index_of(code, inner, width, known),
        ExprKind::Load(_) => bits >= width && plain_local(e).is_some_and(|local| known.contains(&local)),
        _ => false,
    }
}

/// How many bytes of the element that is the argument, and has so many, an address is known to be of.
fn room_in_element(code: &Code, pointer: &Expr, size: u64, known: &Known) -> Option<u64> {
    match &pointer.kind {
        ExprKind::Address(place) => match &place.base {
            // A part of what it points to.
            Base::Deref(inner, ty) => {
                let room = room_in_element(code, inner, size, known)?;
                (code.size_of(ty) <= room).then(|| code.size_of(&place.ty))
            }
            Base::Local(_) | Base::Global(_) => None,
        },
        ExprKind::Convert(inner) if pointer.ty == Type::Pointer && inner.ty == Type::Pointer => {
            room_in_element(code, inner, size, known)
        }
        _ if index_of(code, pointer, 8 * code.pointer_bytes, &known.argument) => Some(size),
        _ => plain_pointer(pointer).and_then(|local| known.inside.get(&local)).map(|(_, room)| *room),
    }
}

/// The array of which a place is in the element with the index that the thread got, which may be known by a variable.
fn by_index(code: &Code, place: &Place, width: u64, known: &Known) -> Option<Array> {
    if let Base::Deref(pointer, ty) = &place.base
        && let Some((array, room)) = plain_pointer(pointer).and_then(|local| known.inside.get(&local))
    {
        return array.filter(|_| code.size_of(ty) <= *room);
    }
    element_of(code, place, &|e| index_of(code, e, width, &known.argument))
}

/// The variable that holds a pointer, whatever to.
fn plain_pointer(pointer: &Expr) -> Option<LocalId> {
    match &pointer.kind {
        ExprKind::Convert(inner) if pointer.ty == Type::Pointer => plain_pointer(inner),
        ExprKind::Load(_) if pointer.ty == Type::Pointer => plain_local(pointer),
        _ => None,
    }
}

/// The array of which a place is in the element with the index, as far as can be told.
fn element_of(code: &Code, place: &Place, is_index: &dyn Fn(&Expr) -> bool) -> Option<Array> {
    match &place.base {
        Base::Local(_) | Base::Global(_) => {
            let first = place.path.iter().find_map(|step| match step {
                Step::Index(index) => Some(index),
                Step::Field(_) => None,
            });
            let variable = variable(code, &place.base)?;
            first.is_some_and(is_index).then_some(Array { variable, step: None })
        }
        Base::Deref(pointer, ty) => {
            let (array, size) = address_of_element(code, pointer, is_index)?;
            (code.size_of(ty) <= size).then_some(array)
        }
    }
}

/// The array, and the size of what is pointed to, of the address of something in the element with the index.
fn address_of_element(code: &Code, pointer: &Expr, is_index: &dyn Fn(&Expr) -> bool) -> Option<(Array, u64)> {
    match &pointer.kind {
        ExprKind::Convert(inner) if pointer.ty == Type::Pointer && inner.ty == Type::Pointer => {
            address_of_element(code, inner, is_index)
        }
        ExprKind::Address(place) => Some((element_of(code, place, is_index)?, code.size_of(&place.ty))),
        ExprKind::Offset(array, by, step) if is_index(by) => {
            let ExprKind::Load(place) = &crate::threads::without_conversions(array).kind else { return None };
            let variable = variable(code, &place.base).filter(|_| place.path.is_empty())?;
            Some((Array { variable, step: Some(*step) }, step.unsigned_abs()))
        }
        _ => None,
    }
}

/// A variable that is one and the same for whoever names it.
fn variable(code: &Code, base: &Base) -> Option<Variable> {
    match base {
        Base::Global(id) => (!code.globals[id.index()].thread_local).then_some(Variable::Global(*id)),
        Base::Local(id) => Some(Variable::Local(*id)),
        Base::Deref(..) => None,
    }
}

fn has_array_in_union(code: &Code, ty: &Type) -> bool {
    let fields = |id: &StructId| code.structs[id.index()].fields.iter();
    match ty {
        Type::Array(element, _) => has_array_in_union(code, element),
        Type::Struct(id) if code.structs[id.index()].is_union => fields(id).any(|field| has_array(code, &field.ty)),
        Type::Struct(id) => fields(id).any(|field| has_array_in_union(code, &field.ty)),
        Type::Void | Type::Int(_) | Type::Pointer | Type::Float(_) | Type::Library(..) => false,
    }
}

fn has_array(code: &Code, ty: &Type) -> bool {
    match ty {
        Type::Array(..) => true,
        Type::Struct(id) => code.structs[id.index()].fields.iter().any(|field| has_array(code, &field.ty)),
        Type::Void | Type::Int(_) | Type::Pointer | Type::Float(_) | Type::Library(..) => false,
    }
}

fn places_of(instruction: &Instruction) -> Vec<Place> {
    struct Places(Vec<Place>);
    impl Visitor for Places {
        fn place(&mut self, place: &mut Place) {
            self.0.push(place.clone());
            self.place_parts(place);
        }
    }
    let mut places = Places(Vec::new());
    places.instruction(&mut instruction.kind.clone());
    places.0
}

/// What is known of a thread's variables before each instruction and at the end of each block.
fn known(code: &Code, flat: &Flat, thread: ThreadIndex, given: &Given) -> BTreeMap<At, Known> {
    let follower = Follower { code, flat, given };
    let mut starts: Vec<Option<Known>> = vec![None; flat.blocks.len()];
    starts[0] = Some(Known { argument: BTreeSet::from([flat.first_param]), ..Known::default() });
    let mut open = vec![0usize];
    while let Some(block) = open.pop() {
        let mut known = starts[block].clone().unwrap_or_default();
        flat.blocks[block].instructions.iter().for_each(|instruction| follower.step(&mut known, &instruction.kind));
        for to in crate::walk::targets(&flat.blocks[block].end).into_iter().map(|to| to.index()) {
            let merged = starts[to].as_ref().map_or(known.clone(), |before| before.and(&known));
            if starts[to].as_ref() != Some(&merged) {
                starts[to] = Some(merged);
                open.push(to);
            }
        }
    }
    let mut all = BTreeMap::new();
    for (block, number) in flat.blocks.iter().zip(0..) {
        let Some(mut known) = starts[number as usize].clone() else { continue };
        for (instruction, index) in block.instructions.iter().zip(0..) {
            all.insert(At { thread, block: number, instruction: index }, known.clone());
            follower.step(&mut known, &instruction.kind);
        }
        all.insert(At { thread, block: number, instruction: block.instructions.len() as u32 }, known);
    }
    all
}

impl Known {
    /// What is known on both ways.
    fn and(&self, other: &Known) -> Known {
        let same = |(local, what): &(&LocalId, &(Option<Array>, u64))| other.inside.get(local) == Some(what);
        let inside = self.inside.iter().filter(same).map(|(local, what)| (*local, *what)).collect();
        Known { argument: &self.argument & &other.argument, inside }
    }
}

/// Follows an argument from variable to variable.
struct Follower<'a> {
    code: &'a Code,
    flat: &'a Flat,
    given: &'a Given,
}

impl Follower<'_> {
    fn step(&self, known: &mut Known, kind: &InstructionKind) {
        let assigned = match kind {
            InstructionKind::Assign { to: Place { base: Base::Local(local), path, .. }, value }
                if path.is_empty() && !is_address_taken(self.flat, *local) =>
            {
                Some((*local, value))
            }
            _ => None,
        };
        let is_argument = assigned.is_some_and(|(local, value)| self.is_argument(known, local, value));
        let inside = assigned.and_then(|(local, value)| self.inside(known, local, value));
        let is_new = |local: LocalId| matches!(kind, InstructionKind::Declare(new) if *new == local);
        known.argument.retain(|local| !writes(kind, *local) && !is_new(*local));
        known.inside.retain(|local, _| !writes(kind, *local) && !is_new(*local));
        if let Some((local, _)) = assigned {
            known.argument.extend(is_argument.then_some(local));
            known.inside.extend(inside.map(|inside| (local, inside)));
        }
    }

    fn is_argument(&self, known: &Known, local: LocalId, value: &Expr) -> bool {
        let ty = &self.flat.locals[local.index()].variable.ty;
        let (width, is_object) = match self.given {
            Given::Index(width) => (*width, false),
            Given::Element(..) => (8 * self.code.pointer_bytes, false),
            Given::Object => (8 * self.code.pointer_bytes, true),
        };
        let fits = match ty {
            Type::Int(bits) => u64::from(bits.width) >= width,
            ty => *ty == Type::Pointer,
        };
        let is_inside = is_object
            && *ty == Type::Pointer
            && value.ty == Type::Pointer
            && origin(value).is_some_and(|from| known.argument.contains(&from));
        fits && (index_of(self.code, value, width, &known.argument) || is_inside)
    }

    fn inside(&self, known: &Known, local: LocalId, value: &Expr) -> Option<(Option<Array>, u64)> {
        if self.flat.locals[local.index()].variable.ty != Type::Pointer {
            return None;
        }
        if let Some(inside) = plain_pointer(value).and_then(|from| known.inside.get(&from)) {
            return Some(*inside);
        }
        match self.given {
            Given::Object => None,
            Given::Element(_, size) => Some((None, room_in_element(self.code, value, *size, known)?)),
            Given::Index(width) => {
                let by = |e: &Expr| index_of(self.code, e, *width, &known.argument);
                let (array, room) = address_of_element(self.code, value, &by)?;
                Some((Some(array), room))
            }
        }
    }
}
