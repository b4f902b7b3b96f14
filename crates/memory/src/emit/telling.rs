//! What people are told of the lowered program: which edge is which access, which variables they wrote, and what is at
//! which address. What is not said here to be theirs is not shown.

use super::Emitter;
use crate::code::{Base, Code, Language, Object as LibraryObject, Place, Step, Type};
use crate::objects::{ERAS, Leaf, LeafId, Object, ObjectId, Storage, ThreadIndex};
use crate::words::Words;
use std::collections::BTreeMap;
use threadwise_ir::{EdgeId, NamedObject, Pool, Shape, Shown, Telling, Told, ToldAccess, Value, VarRef};

/// How a load or a store is told, but for its value.
#[derive(Clone, Debug)]
pub(crate) struct Wording {
    word: &'static str,
    place: Option<std::sync::Arc<str>>,
    is_pointer: bool,
}

impl Emitter<'_> {
    fn words(&self) -> Words<'_> {
        Words { code: self.code, flat: &self.threads.get(self.thread).flat }
    }

    pub(super) fn words_of_condition(&self, e: &crate::code::Expr) -> Told {
        let words = self.words().condition(e);
        // What has no name was taken apart: the text says it better.
        let text = if words.contains('$') { self.code.source.snippet(e.span, 60) } else { words };
        Told::Test(text.trim_end_matches(';').into())
    }

    /// A place as the program names it: what nobody gave a name to is named by its class.
    fn name_of_place(&self, place: &Place) -> Option<std::sync::Arc<str>> {
        let text = self.words().place(place);
        if !text.contains('$') {
            return Some(text.into());
        }
        let (Base::Deref(_, Type::Struct(id)), [Step::Field(field)]) = (&place.base, &place.path[..]) else {
            return None;
        };
        let of = &self.code.structs[id.index()];
        Some(format!("{}.{}", of.name, of.fields[*field as usize].name).into())
    }

    /// The next edges load from a place or store to it.
    pub(super) fn accessing(&mut self, word: &'static str, place: &Place) {
        let word = match (self.code.language, word) {
            (Language::Java, "load") => "read",
            (Language::Java, "store") => "write",
            (_, word) => word,
        };
        let is_whole = place.ty.is_scalar();
        let text = is_whole.then(|| self.name_of_place(place)).flatten();
        self.wording = Some(Wording { word, place: text, is_pointer: place.ty == Type::Pointer });
    }

    /// The same of a half of what is accessed.
    pub(super) fn accessing_half(&mut self, whole: Option<Wording>, is_second: bool) {
        let word = |wording: &Wording| match (wording.word, is_second) {
            ("read", false) => "read half of",
            ("read", true) => "read the rest of",
            (_, false) => "write half of",
            (_, true) => "write the rest of",
        };
        self.wording = whole.map(|wording| Wording { word: word(&wording), ..wording });
    }

    /// Something else is told of what is emitted now.
    pub(super) fn say_once(&mut self, told: Told, emit: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.saying, told);
        emit(self);
        self.saying = before;
    }

    /// What is told of an access of a cell that gives or gets a value.
    pub(super) fn told_access(&self, leaf: LeafId, assignments: &[(threadwise_ir::Place, Value)]) -> Told {
        let Some(wording) = &self.wording else { return self.saying.clone() };
        if !self.visible.contains(&leaf) {
            return Told::Private;
        }
        let leaf = self.objects.leaf(leaf);
        let value = assignments.first().and_then(|(_, value)| match value {
            Value::Of(e) => Some(e.clone()),
            Value::Any => None,
        });
        let access = ToldAccess {
            word: wording.word,
            place: wording.place.clone().unwrap_or_else(|| leaf.name.clone()),
            value,
            is_pointer: wording.is_pointer || leaf.ty == Type::Pointer,
        };
        Told::Access(Box::new(access))
    }

    /// All that is told, once everything has been emitted.
    pub(super) fn telling(&mut self) -> Telling {
        let firsts = self.first_numbers();
        let mut shared = vec![Shown { is_hidden: true, ..Shown::default() }; self.program.shared.len()];
        let hidden = |count: usize| vec![Shown { is_hidden: true, ..Shown::default() }; count];
        let mut locals: Vec<Vec<Shown>> =
            self.program.routines.iter().map(|routine| hidden(routine.locals.len())).collect();
        for (id, kept) in &self.kept {
            let leaf = self.objects.leaf(*id);
            let shown = self.shown(leaf, &firsts);
            match (kept.var, self.objects.object(leaf.object).storage) {
                (VarRef::Shared(var), _) => {
                    shared[var.index()] = shown;
                    kept.more.iter().for_each(|var| shared[var.index()].is_hidden = false);
                }
                (VarRef::Local(var), Storage::Local(thread, _) | Storage::ThreadLocal(thread, _)) => {
                    locals[thread.index()][var.index()] = shown;
                }
                (VarRef::Local(_), Storage::Global(_) | Storage::Heap(_) | Storage::Function(_)) => {}
            }
        }
        for (var, shown) in self.program.shared.iter().zip(&mut shared) {
            if threadwise_spawn::is_status(var) {
                *shown = Shown { is_status: true, ..Shown::default() };
            }
        }
        let mut objects: Vec<NamedObject> =
            (0..self.objects.objects.len() as u32).map(|id| self.named(ObjectId(id), &firsts)).collect();
        for &id in self.eras.keys() {
            let (object, room) = (self.named(id, &firsts), self.objects.object(id).room as i64);
            let in_era = |era: u64| NamedObject { address: object.address + room * era as i64, ..object.clone() };
            objects.extend((1..ERAS).map(in_era));
        }
        objects.sort_by_key(|object| object.address);
        let least_address = objects.first().map_or(0, |object| object.address);
        let odd_addresses = vec![(self.indeterminate(), "uninitialised"), (self.unknown(), "unknown")];
        let functions = std::mem::take(&mut self.told_functions);
        let root = |thread: ThreadIndex| self.code.function(self.threads.get(thread).flat.root).name.clone();
        let threads = self.threads.indices().map(root).collect();
        Telling {
            edges: std::mem::take(&mut self.told),
            functions,
            asked: self.checks.names(),
            weaker_orders: (self.code.language == Language::C).then(|| self.code.weak_orders.clone()),
            callers: self.callers(),
            assumed: self.code.assumed.clone(),
            null: (self.code.language == Language::Java).then_some("null"),
            threads,
            shared,
            locals,
            objects,
            odd_addresses,
            least_address,
        }
    }

    /// Where the user's own text leads to the edges of files that were added to it.
    fn callers(&self) -> BTreeMap<EdgeId, threadwise_source::Span> {
        if self.code.added_files.is_empty() {
            return BTreeMap::new();
        }
        let places = (0u32..).map(EdgeId).zip(&self.places);
        places
            .filter_map(|(edge, at)| Some((edge, self.caller(at.as_ref()?.thread, at.as_ref()?.block as usize)?)))
            .collect()
    }

    /// Nothing where the user has written it himself.
    fn caller(&self, thread: ThreadIndex, block: usize) -> Option<threadwise_source::Span> {
        let flat = &self.threads.get(thread).flat;
        let (mut call, mut site) = (flat.call_of[block], None);
        loop {
            let of = &flat.calls[call];
            let file = self.code.source.file_name(self.code.function(of.function).span.start);
            if self.code.added_files.iter().all(|added| **added != *file) {
                return site;
            }
            let Some(parent) = of.parent else { break };
            (call, site) = (parent, Some(of.site));
        }
        // The thread itself runs what was added: where it was started.
        let is_it =
            |all: &Vec<(crate::code::FunctionId, Vec<ThreadIndex>)>| all.iter().any(|(_, of)| of.contains(&thread));
        let (at, _) = self.threads.created.iter().find(|(at, all)| at.thread != thread && is_it(all))?;
        let instruction =
            &self.threads.get(at.thread).flat.blocks[at.block as usize].instructions[at.instruction as usize];
        self.caller(at.thread, at.block as usize).or(Some(instruction.span))
    }

    /// The number of the first object of each allocation, counted from 1.
    fn first_numbers(&self) -> BTreeMap<ObjectId, u32> {
        let mut next = 1;
        let mut firsts = BTreeMap::new();
        for (object, number) in self.objects.objects.iter().zip(0..) {
            if matches!(object.storage, Storage::Heap(_)) {
                firsts.insert(ObjectId(number), next);
                next += object.slots as u32;
            }
        }
        firsts
    }

    fn shown(&self, leaf: &Leaf, firsts: &BTreeMap<ObjectId, u32>) -> Shown {
        let object = self.objects.object(leaf.object);
        let pool = firsts.get(&leaf.object).map(|&first| Pool {
            first,
            part: leaf.name.strip_prefix(&*object.name).unwrap_or_default().into(),
            is_array: object.slots > 1,
        });
        Shown {
            is_hidden: self.is_result(object) || matches!(leaf.ty, Type::Library(LibraryObject::Thread, _)),
            name: self.name_in_call(leaf, object),
            is_pointer: leaf.ty == Type::Pointer,
            is_status: false,
            pool,
        }
    }

    /// What a thread returns is on its way, and what has no name is nobody's variable either.
    fn is_result(&self, object: &Object) -> bool {
        let result = |thread: ThreadIndex| self.threads.get(thread).flat.result;
        let is_result = matches!(object.storage, Storage::Local(thread, local) if result(thread) == Some(local));
        is_result || object.name.starts_with('$')
    }

    /// The name of a variable of a function that the thread calls: `push.n`. Those of the thread's own function have
    /// their names.
    fn name_in_call(&self, leaf: &Leaf, object: &Object) -> Option<std::sync::Arc<str>> {
        let Storage::Local(thread, local) = object.storage else { return None };
        let flat = &self.threads.get(thread).flat;
        let call = flat.locals[local.index()].call;
        let function = &self.code.function(flat.calls[call].function).name;
        Some(if call == 0 { leaf.name.clone() } else { format!("{function}.{}", leaf.name).into() })
    }

    fn named(&self, id: ObjectId, firsts: &BTreeMap<ObjectId, u32>) -> NamedObject {
        let object = self.objects.object(id);
        NamedObject {
            address: self.address_of(id),
            stride: object.stride as i64,
            count: object.slots as i64,
            name: object.name.clone(),
            allocated: firsts.get(&id).map(|&first| (first, object.span)),
            is_function: matches!(object.storage, Storage::Function(_)),
            shape: shape(self.code, &object.ty),
        }
    }
}

fn shape(code: &Code, ty: &Type) -> Shape {
    match ty {
        Type::Struct(id) => {
            let fields = &code.structs[id.index()].fields;
            let of_field =
                |field: &crate::code::Field| (field.offset as i64, field.name.clone(), shape(code, &field.ty));
            let mut fields: Vec<_> = fields.iter().map(of_field).collect();
            fields.sort_by_key(|(offset, ..)| *offset);
            Shape::Fields(fields)
        }
        Type::Array(element, count) => {
            Shape::Elements(code.size_of(element) as i64, *count as i64, Box::new(shape(code, element)))
        }
        Type::Void | Type::Int(_) | Type::Pointer | Type::Float(_) | Type::Library(..) => {
            Shape::Scalar(code.size_of(ty) as i64)
        }
    }
}
