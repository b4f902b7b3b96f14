//! The variables of the lowered program: which there are, and what they start with.

use super::merge::Kind;
use super::{Emitter, Fallible, INDETERMINATE, UNKNOWN, assigned, guarded};
use crate::atlas::Operation;
use crate::code::{Base, Callee, Code, Expr, ExprKind, Function, InstructionKind, Object as LibraryObject, Type};
use crate::layout::{COUNT, UNSIGNED, is_visible, owner_alone};
use crate::objects::{Leaf, LeafId, ObjectId, Storage, ThreadIndex};
use crate::points::route;
use crate::terms::{equal, int, me, read};
use crate::threads::Threads;
use crate::walk::for_each_expr;
use std::collections::BTreeSet;
use std::sync::Arc;
use threadwise_ir::{Initial, LocalId, LocalVar, LocationId, Place, SharedId, SharedVar, Sort, Value, VarRef};
use threadwise_source::Span;

/// What stands for a leaf.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub(crate) var: VarRef,
    /// The sort of one element.
    pub(crate) element: Sort,
    /// Whether an element has been set; without it all have.
    pub(crate) is_set: Option<VarRef>,
    /// What a library's object has besides.
    pub(crate) more: Vec<SharedId>,
}

/// Whether what is there matters before it was set: not of handles, nor of what nobody knows anyway.
fn has_value(ty: &Type) -> bool {
    matches!(ty, Type::Int(_) | Type::Pointer)
}

/// Whether pointers come from where nobody looks: functions without bodies, and values that may be any.
pub(super) fn has_unknown_pointers(code: &Code, threads: &Threads) -> bool {
    let is_unknown = |kind: &InstructionKind| match kind {
        InstructionKind::Call { callee: Callee::Function(id), result: Some(_), .. } => {
            code.function(*id).result == Type::Pointer
        }
        _ => false,
    };
    let is_any = |e: &Expr| matches!(e.kind, ExprKind::Any);
    let undefined = code.globals.iter().any(|global| global.init.iter().any(|(_, e)| is_any(e)));
    let has_arguments = code.entries.iter().any(|id| code.function(*id).params > 0);
    let mut found =
        undefined || has_arguments || threads.instructions().any(|(_, instruction)| is_unknown(&instruction.kind));
    for block in threads.all.iter().flat_map(|thread| &thread.flat.blocks) {
        for_each_expr(block, &mut |e| {
            let from_float = matches!(&e.kind, ExprKind::Convert(inner) if matches!(inner.ty, Type::Float(_)));
            let from_nowhere = matches!(&e.kind, ExprKind::Function(id) if code.function(*id).body.is_none());
            found |= e.ty == Type::Pointer && (matches!(e.kind, ExprKind::Any) || from_float || from_nowhere);
        });
    }
    found
}

impl Emitter<'_> {
    /// Where addresses begin: no integer that a program makes a pointer of by itself is that large.
    pub(super) fn bias(&self) -> i64 {
        if self.code.pointer_bytes < 8 { 1 << 30 } else { 1 << 40 }
    }

    pub(crate) fn address_of(&self, object: ObjectId) -> i64 {
        self.objects.object(object).address as i64 + self.bias()
    }

    /// Between which numbers all addresses are, and what stands for pointers that are none.
    pub(crate) fn addresses(&self) -> (i64, i64) {
        let last = self.objects.objects.iter().map(|object| object.address + object.extent()).max();
        (self.bias(), self.bias() + last.unwrap_or(0) as i64)
    }

    pub(crate) fn indeterminate(&self) -> i64 {
        INDETERMINATE + self.bias()
    }

    pub(crate) fn unknown(&self) -> i64 {
        UNKNOWN + self.bias()
    }

    pub(super) fn add_shared(&mut self, name: String, sort: Sort, init: Initial, span: Span) -> SharedId {
        let id = SharedId(self.program.shared.len() as u32);
        let is_taken = |name: &str| self.program.shared.iter().any(|var| &*var.name == name);
        let name = if is_taken(&name) {
            (2..).map(|number| format!("{name}_{number}")).find(|name| !is_taken(name)).unwrap_or(name)
        } else {
            name
        };
        self.program.shared.push(SharedVar { name: name.into(), sort, init, span });
        id
    }

    /// A variable that the lowering itself needs, by its name, which no variable of the user has.
    pub(super) fn shared_named(&mut self, name: String, sort: &Sort, span: Span) -> SharedId {
        let known = self.program.shared.iter().position(|var| *var.name == *name && var.sort == *sort);
        known
            .map_or_else(|| self.add_shared(name, sort.clone(), Initial::Default, span), |index| SharedId(index as u32))
    }

    pub(super) fn declare_variables(&mut self) {
        let leaves: Vec<LeafId> = self.accesses.by.keys().copied().collect();
        for id in leaves {
            let leaf = self.objects.leaf(id);
            let object = leaf.object;
            if is_visible(self.threads, self.objects, self.accesses, id) {
                self.visible.insert(id);
            }
            let is_local = owner_alone(self.objects, self.accesses, object)
                .is_some_and(|thread| !self.is_handle_of_single(leaf, thread));
            if !is_local {
                let kept = self.declare_shared(id);
                self.kept.insert(id, kept);
            }
        }
        self.declare_lifetimes();
        let objects: Vec<ObjectId> = (0..self.objects.objects.len() as u32).map(ObjectId).collect();
        for id in objects {
            let object = self.objects.object(id);
            let Storage::Heap(_) = object.storage else { continue };
            if self.is_vague(id) {
                continue;
            }
            let (name, slots, span) = (object.name.clone(), object.slots, object.span);
            let may_end = self.accesses.freed.contains(&id) || self.checks.memtrack;
            if slots > 1 || may_end || !self.is_exact(id) {
                let used = self.add_shared(format!("{name}.used"), Sort::Bits(UNSIGNED), Initial::Default, span);
                self.used.insert(id, used);
            }
            if may_end {
                let keys = Sort::Range(0, slots as i64 - 1);
                let alive =
                    self.add_shared(format!("{name}.alive"), Sort::array(keys, Sort::Bool), Initial::Default, span);
                self.alive.insert(id, alive);
            }
            if self.accesses.freed.contains(&id) && !self.is_exact(id) && self.checks.memory {
                let aside = self.add_shared(format!("{name}.aside"), Sort::Bits(UNSIGNED), Initial::Default, span);
                self.aside.insert(id, aside);
            }
            if !self.is_counted(id) {
                let sort = Sort::array(Sort::Range(0, slots as i64 - 1), self.sort_of_count(id));
                let count = self.add_shared(format!("{name}.count"), sort, Initial::Default, span);
                self.counts.insert(id, count);
            }
        }
        let asks = |kind: &InstructionKind| {
            matches!(kind, InstructionKind::Library(library)
                if matches!(**library, crate::code::Library::Join { value: Some(_), .. }))
        };
        if self.lives.is_some()
            && let Some((_, instruction)) = self.threads.instructions().find(|(_, instruction)| asks(&instruction.kind))
        {
            let sort = Sort::array(Sort::Tid, self.pointers.sort.clone());
            self.results = Some(self.add_shared("thread.result".into(), sort, Initial::Default, instruction.span));
        }
    }

    /// Whether no more objects of an allocation can be needed than there are.
    pub(super) fn is_exact(&self, object: ObjectId) -> bool {
        match self.objects.object(object).storage {
            Storage::Heap(site) => self.sites[site.index()].exact,
            _ => false,
        }
    }

    /// Whether all objects of an allocation have the same known number of elements.
    fn is_counted(&self, object: ObjectId) -> bool {
        match self.objects.object(object).storage {
            Storage::Heap(site) => self.sites[site.index()].counted,
            Storage::Global(_) | Storage::ThreadLocal(..) | Storage::Local(..) | Storage::Function(_) => true,
        }
    }

    /// A handle of a thread in a local variable would make copies distinguishable; as a shared one it does no harm.
    fn is_handle_of_single(&self, leaf: &Leaf, thread: ThreadIndex) -> bool {
        matches!(leaf.ty, Type::Library(LibraryObject::Thread, _)) && self.threads.get(thread).copies.is_one()
    }

    fn name_of(&self, leaf: &Leaf) -> String {
        match self.objects.object(leaf.object).storage {
            Storage::Local(thread, _) | Storage::ThreadLocal(thread, _) => {
                format!("{}.{}", self.threads.get(thread).name, leaf.name)
            }
            Storage::Global(_) | Storage::Heap(_) | Storage::Function(_) => leaf.name.to_string(),
        }
    }

    fn declare_shared(&mut self, id: LeafId) -> Kept {
        let leaf = self.objects.leaf(id).clone();
        let object = self.objects.object(leaf.object);
        let (span, name) = (object.span, self.name_of(&leaf));
        let element = self.pointers.element_sort(&leaf.ty);
        if self.is_vague(leaf.object) {
            let var = VarRef::Shared(self.add_shared(name, self.vague_sort(id), Initial::Default, span));
            return Kept { var, element, is_set: None, more: Vec::new() };
        }
        let sort = self.pointers.sort_of(&leaf, element.clone());
        let is_free = self.accesses.free_at_start.contains(&id) && matches!(leaf.ty, Type::Int(_));
        let init = if is_free { Initial::Any } else { self.initial_value(&leaf, &element) };
        let var = VarRef::Shared(self.add_shared(name.clone(), sort, init, span));
        let flags = || self.pointers.sort_of(&leaf, Sort::Bool);
        let is_set = (has_value(&leaf.ty) && self.starts_unset(leaf.object)).then_some(flags());
        let is_set =
            is_set.map(|sort| VarRef::Shared(self.add_shared(format!("{name}.set"), sort, Initial::Default, span)));
        let mut more = Vec::new();
        if let Type::Library(library, _) = leaf.ty {
            let extra: &[(&str, Sort)] = match library {
                LibraryObject::Mutex if self.has_kinds_of_mutexes() => {
                    &[("depth", Sort::Bits(COUNT)), ("kind", Sort::Range(0, 2))]
                }
                LibraryObject::Monitor => &[("depth", Sort::Bits(COUNT))],
                LibraryObject::RwLock if self.is_outline => &[("readers", Sort::set(Sort::Tid))],
                LibraryObject::RwLock => &[("readers", Sort::Bits(COUNT))],
                LibraryObject::Barrier => {
                    &[("arrived", Sort::Bits(crate::layout::UNSIGNED)), ("round", Sort::Bits(crate::layout::UNSIGNED))]
                }
                _ => &[],
            };
            for (suffix, sort) in extra {
                let sort = self.pointers.sort_of(&leaf, sort.clone());
                let init = self.initial_kind(&leaf, suffix, &sort);
                more.push(self.add_shared(format!("{name}.{suffix}"), sort, init, span));
            }
        }
        Kept { var, element, is_set, more }
    }

    fn initial_kind(&self, leaf: &Leaf, suffix: &str, sort: &Sort) -> Initial {
        match &self.initial_kinds(leaf)[..] {
            [(_, kind)] if suffix == "kind" && leaf.dims.is_empty() => {
                Initial::Value(threadwise_ir::Expr::constant(*kind, sort, Span::default()))
            }
            _ => Initial::Default,
        }
    }

    /// The kinds that initialisers give to mutexes of a leaf: for each the indices, and the number of the kind.
    fn initial_kinds(&self, leaf: &Leaf) -> Vec<(Vec<i64>, i64)> {
        let Storage::Global(id) = self.objects.object(leaf.object).storage else { return Vec::new() };
        let variable = &self.code.globals[id.index()];
        let mut found = Vec::new();
        let is_mutex = matches!(leaf.ty, Type::Library(LibraryObject::Mutex, _));
        for (path, kind) in variable.mutex_kinds.iter().filter(|_| is_mutex) {
            let route = route(self.code, &variable.ty, path);
            let indices: Option<Vec<i64>> =
                route.indices.iter().map(|(index, ..)| self.constant_value(index)).collect();
            if let Some(indices) = indices.filter(|_| route.offset == leaf.offset) {
                found.push((indices, super::locks::kind_number(*kind)));
            }
        }
        found
    }

    /// Whether some mutex may be one that its holder can take again.
    pub(super) fn has_kinds_of_mutexes(&self) -> bool {
        use crate::code::{Library, MutexKind};
        let declared = self.code.globals.iter().any(|global| !global.mutex_kinds.is_empty());
        let set = |kind: &InstructionKind| {
            matches!(kind, InstructionKind::Library(library) if matches!(**library,
                Library::MutexInit { kind: MutexKind::Recursive | MutexKind::ErrorCheck, .. }
                    | Library::MutexKind { kind: MutexKind::Recursive | MutexKind::ErrorCheck, .. }))
        };
        declared || self.threads.instructions().any(|(_, instruction)| set(&instruction.kind))
    }

    /// Whether an object starts as zero although it is on the heap.
    pub(super) fn is_zeroed(&self, object: ObjectId) -> bool {
        match self.objects.object(object).storage {
            Storage::Heap(site) => self.sites[site.index()].zeroed,
            Storage::Global(_) | Storage::ThreadLocal(..) | Storage::Local(..) | Storage::Function(_) => false,
        }
    }

    /// Whether an object starts with values that nobody set.
    fn starts_unset(&self, object: ObjectId) -> bool {
        match self.objects.object(object).storage {
            // What was freed and is used again is as new: to make it so is no access that anybody could race with.
            Storage::Heap(_) => !self.is_zeroed(object) || self.accesses.freed.contains(&object),
            Storage::Local(thread, local) => {
                let blocks = &self.threads.get(thread).flat.blocks;
                let declares = |kind: &InstructionKind| matches!(kind, InstructionKind::Declare(id) if *id == local);
                blocks.iter().flat_map(|block| &block.instructions).any(|instruction| declares(&instruction.kind))
            }
            Storage::Global(_) | Storage::ThreadLocal(..) | Storage::Function(_) => false,
        }
    }

    /// The locals of a thread: for each part of memory that is its own.
    pub(super) fn declare_locals(&mut self, thread: ThreadIndex) -> Vec<LocalVar> {
        let mut locals: Vec<LocalVar> = Vec::new();
        let mut names: BTreeSet<Arc<str>> = BTreeSet::new();
        let mut add = |locals: &mut Vec<LocalVar>, name: String, sort: Sort, span: Span| {
            let numbered = (2..).map(|number| format!("{name}_{number}"));
            let free = [name.clone()].into_iter().chain(numbered).find(|name| !names.contains(name.as_str()));
            let name: Arc<str> = free.unwrap_or(name).into();
            names.insert(name.clone());
            locals.push(LocalVar { name, sort, span });
            VarRef::Local(LocalId(locals.len() as u32 - 1))
        };
        let leaves: Vec<LeafId> = self.accesses.by.keys().copied().collect();
        for id in leaves {
            let leaf = self.objects.leaf(id).clone();
            if owner_alone(self.objects, self.accesses, leaf.object) != Some(thread) || self.kept.contains_key(&id) {
                continue;
            }
            let span = self.objects.object(leaf.object).span;
            let element = self.pointers.element_sort(&leaf.ty);
            if self.is_vague(leaf.object) {
                let var = add(&mut locals, leaf.name.to_string(), self.vague_sort(id), span);
                self.kept.insert(id, Kept { var, element, is_set: None, more: Vec::new() });
                continue;
            }
            let var = add(&mut locals, leaf.name.to_string(), self.pointers.sort_of(&leaf, element.clone()), span);
            let is_late = !leaf.dims.is_empty() || self.late.contains(&id);
            let has_flags = is_late && has_value(&leaf.ty) && self.starts_unset(leaf.object);
            let flags = has_flags.then(|| self.pointers.sort_of(&leaf, Sort::Bool));
            let is_set = flags.map(|sort| add(&mut locals, format!("{}.set", leaf.name), sort, span));
            // A library's object that only one thread knows: what it has besides is shared all the same.
            let more = if leaf.ty.is_scalar() { Vec::new() } else { self.declare_shared(id).more };
            self.kept.insert(id, Kept { var, element, is_set, more });
        }
        for (object, name) in self.reborn_alone(thread) {
            let span = self.objects.object(object).span;
            let era = add(&mut locals, name, self.pointers.sort.clone(), span);
            self.eras.insert(object, era);
            let chosen = &mut self.chosen;
            chosen.entry(Some(thread)).or_insert_with(|| add(&mut locals, "lives.chosen".into(), Sort::Bool, span));
        }
        locals
    }

    /// The value of a constant: an integer, an address, or an address that was moved.
    pub(crate) fn constant_value(&self, e: &Expr) -> Option<i64> {
        match &e.kind {
            ExprKind::Const(value) => Some(*value),
            ExprKind::Function(id) => {
                self.objects.by_storage.get(&Storage::Function(*id)).map(|&object| self.address_of(object))
            }
            ExprKind::Address(place) => {
                let Base::Global(id) = place.base else { return None };
                let route = route(self.code, &self.code.globals[id.index()].ty, &place.path);
                let mut address = self.address_of(self.objects.at(Storage::Global(id))) + route.offset as i64;
                for (index, size, _) in route.indices {
                    address += self.constant_value(index)? * size as i64;
                }
                Some(address)
            }
            ExprKind::Offset(pointer, by, unit) => {
                Some(self.constant_value(pointer)? + self.constant_value(by)? * unit)
            }
            ExprKind::Convert(inner) => {
                let value = self.constant_value(inner)?;
                Some(e.ty.bits().map_or(value, |bits| bits.wrap(value)))
            }
            _ => None,
        }
    }

    /// Whether a variable is one that is defined nowhere.
    fn starts_with_any(&self, leaf: &Leaf) -> bool {
        let Storage::Global(id) = self.objects.object(leaf.object).storage else { return false };
        let variable = &self.code.globals[id.index()];
        has_value(&leaf.ty) && variable.init.iter().any(|(_, e)| matches!(e.kind, ExprKind::Any))
    }

    /// The initial values that a variable's declaration gives to a leaf: for each the indices and the value.
    pub(super) fn initial_values(&self, leaf: &Leaf) -> Vec<(Vec<i64>, i64)> {
        let (Storage::Global(id) | Storage::ThreadLocal(_, id)) = self.objects.object(leaf.object).storage else {
            return Vec::new();
        };
        let variable = &self.code.globals[id.index()];
        let mut found = Vec::new();
        for (path, e) in &variable.init {
            let route = route(self.code, &variable.ty, path);
            let indices: Option<Vec<i64>> =
                route.indices.iter().map(|(index, ..)| self.constant_value(index)).collect();
            let is_here = self
                .objects
                .leaf_at(self.code, leaf.object, route.offset, (&e.ty, route.bit))
                .is_some_and(|(id, agrees)| agrees && self.objects.leaf(id).name == leaf.name);
            if let (true, Some(indices), Some(value)) = (is_here, indices, self.constant_value(e)) {
                found.push((indices, value));
            }
        }
        found
    }

    fn initial_value(&self, leaf: &Leaf, element: &Sort) -> Initial {
        if self.starts_with_any(leaf) {
            return match leaf.ty {
                Type::Pointer => {
                    Initial::Value(threadwise_ir::Expr::constant(self.unknown(), element, Span::default()))
                }
                _ => Initial::Any,
            };
        }
        match &self.initial_values(leaf)[..] {
            [(indices, value)] if indices.is_empty() && leaf.dims.is_empty() => {
                Initial::Value(threadwise_ir::Expr::constant(*value, element, Span::default()))
            }
            _ => Initial::Default,
        }
    }

    /// What a thread does before its code begins: it waits for its start and takes its argument; the first entry gives
    /// arrays their initial values, and every thread its own variables.
    pub(super) fn first_steps(&mut self, thread: ThreadIndex, span: Span) -> Fallible<()> {
        let flat = &self.threads.get(thread).flat;
        let function: &Function = self.code.function(flat.root);
        if let Some(startable) = self.startables[thread.index()].clone() {
            let parameters: Vec<Place> = (0..function.params.min(1)).map(|_| self.parameter_place(thread)).collect();
            let command = startable.first_step(parameters.clone(), span);
            self.step(command, span);
            if !startable.is_any_number() {
                self.live_edges(self.edges.len() - 1, Kind::Right);
            }
            self.does(Operation::Start);
            if let [given] = &parameters[..] {
                self.take_as_integer(thread, given, span);
            }
        }
        if self.threads.get(thread).is_entry {
            // Whoever starts the program gives what it likes.
            for number in 0..function.params as u32 {
                let parameter = crate::code::LocalId(flat.first_param.0 + number);
                let object = self.objects.at(Storage::Local(thread, parameter));
                for leaf in self.objects.object(object).leaves.clone() {
                    let before = self.edges.len();
                    self.any_value(leaf, span);
                    if let (0, 0, Some(kept)) = (thread.0, number, self.kept.get(&leaf))
                        && self.edges.len() > before
                    {
                        self.does(Operation::Arguments(kept.var));
                    }
                }
            }
        }
        let mut assignments = Vec::new();
        let leaves: Vec<LeafId> = self.kept.keys().copied().collect();
        for id in leaves {
            let leaf = self.objects.leaf(id).clone();
            let is_mine = match self.objects.object(leaf.object).storage {
                _ if self.is_vague(leaf.object) => false,
                Storage::Global(_) => thread.0 == 0 && !leaf.dims.is_empty(),
                Storage::ThreadLocal(of, _) => of == thread,
                Storage::Local(..) | Storage::Heap(_) | Storage::Function(_) => false,
            };
            if is_mine && self.kept[&id].more.len() > 1 {
                for (indices, kind) in self.initial_kinds(&leaf) {
                    let fits = indices.iter().zip(&leaf.dims).all(|(index, dim)| *index < dim.kept() as i64);
                    if fits {
                        let (var, sort) = (VarRef::Shared(self.kept[&id].more[1]), Sort::Range(0, 2));
                        let indices: Vec<_> = indices.iter().map(|&index| int(index, span)).collect();
                        let value = threadwise_ir::Expr::constant(kind, &sort, span);
                        assignments.push((self.place_of(var, &indices, &sort, span), Value::Of(value)));
                    }
                }
            }
            if is_mine {
                for (indices, value) in self.initial_values(&leaf) {
                    let kept = &self.kept[&id];
                    let fits = indices.iter().zip(&leaf.dims).all(|(index, dim)| *index < dim.kept() as i64);
                    if fits {
                        let indices = indices.iter().map(|&index| int(index, span)).collect();
                        let place = Place { var: kept.var, indices, sort: kept.element.clone().into(), span };
                        let value = threadwise_ir::Expr::constant(value, kept.element.clone(), span);
                        assignments.push((place, Value::Of(value)));
                    }
                }
            }
        }
        if self.code.entries.len() > 1 && thread.index() < self.code.entries.len() {
            self.wait_for_values(thread, assignments, span);
        } else if !assignments.is_empty() {
            for chunk in assignments.chunks(1) {
                self.step(assigned(chunk.to_vec()), span);
            }
        }
        Ok(())
    }

    /// Entries that run concurrently wait until the first of them has given arrays their initial values.
    fn wait_for_values(&mut self, thread: ThreadIndex, assignments: Vec<(Place, Value)>, span: Span) {
        let ready = self.shared_named("globals.ready".into(), &Sort::Bool, span);
        if thread.0 == 0 {
            for chunk in assignments.chunks(1) {
                self.step(assigned(chunk.to_vec()), span);
            }
            let place = Place { var: VarRef::Shared(ready), indices: Box::default(), sort: Sort::Bool.into(), span };
            self.step(assigned(vec![(place, Value::Of(threadwise_ir::Expr::bool(true, span)))]), span);
        } else {
            self.step(guarded(read(VarRef::Shared(ready), Sort::Bool, span)), span);
        }
    }

    fn parameter_place(&mut self, thread: ThreadIndex) -> Place {
        let flat = &self.threads.get(thread).flat;
        let variable = flat.locals[flat.first_param.index()].variable.clone();
        let object = self.objects.at(Storage::Local(thread, flat.first_param));
        let leaf = self.objects.object(object).leaves.first().copied();
        let kept = leaf.and_then(|leaf| self.kept.get(&leaf)).cloned();
        let sort = self.pointers.sort.clone();
        match kept {
            Some(kept) if kept.element == sort => {
                Place { var: kept.var, indices: Box::default(), sort: sort.into(), span: variable.span }
            }
            // Nobody looks at it, or it is an integer.
            Some(_) | None => {
                let var = VarRef::Local(self.temporary(&sort, variable.span));
                Place { var, indices: Box::default(), sort: sort.into(), span: variable.span }
            }
        }
    }

    /// A parameter that is an integer gets what is given as a pointer, as far as it fits.
    fn take_as_integer(&mut self, thread: ThreadIndex, given: &Place, span: Span) {
        let flat = &self.threads.get(thread).flat;
        let object = self.objects.at(Storage::Local(thread, flat.first_param));
        let leaf = self.objects.object(object).leaves.first().copied();
        let Some(kept) = leaf.and_then(|leaf| self.kept.get(&leaf)).cloned() else { return };
        let Sort::Bits(bits) = kept.element else { return };
        if kept.var == given.var || flat.locals[flat.first_param.index()].variable.ty.bits().is_none() {
            return;
        }
        let value = crate::terms::as_bits(read(given.var, self.pointers.sort.clone(), span), bits);
        let place = self.place_of(kept.var, &[], &kept.element, span);
        self.step(assigned(vec![(place, Value::Of(value))]), span);
    }

    /// The thread ends with what it has for a result.
    pub(super) fn end_thread(&mut self, exit: LocationId, span: Span) {
        let flat = &self.threads.get(self.thread).flat;
        let last = self.startables[self.thread.index()].clone().and_then(|startable| startable.last_step(span));
        let Some(last) = last else { return self.skip_to(exit) };
        let result = flat.result.map(|id| self.objects.at(Storage::Local(self.thread, id)));
        let kept = result.and_then(|object| self.objects.object(object).leaves.first().copied());
        let kept = kept.and_then(|leaf| self.kept.get(&leaf)).cloned();
        if let (Some(results), Some(kept)) = (self.results, kept)
            && kept.element == self.pointers.sort
        {
            let sort = self.pointers.sort.clone();
            let place =
                Place { var: VarRef::Shared(results), indices: [me(span)].into(), sort: sort.clone().into(), span };
            let value = read(kept.var, sort, span);
            self.step(assigned(vec![(place, Value::Of(value))]), span);
        }
        self.seen();
        self.edge(self.here, exit, last, span, None);
        self.live_edges(self.edges.len() - 1, Kind::Left);
        self.does(Operation::End);
    }

    /// Whether a leaf's values are those of the sort that pointers have.
    pub(crate) fn is_null(&self, e: threadwise_ir::Expr, span: Span) -> threadwise_ir::Expr {
        equal(e, threadwise_ir::Expr::constant(0, self.pointers.sort.clone(), span))
    }

    /// A local begins to live: nobody knows what is in it.
    pub(super) fn declare_local(&mut self, local: crate::code::LocalId, span: Span) {
        let object = self.objects.at(Storage::Local(self.thread, local));
        let leaves = self.objects.object(object).leaves.clone();
        for leaf in leaves {
            self.unset(leaf, &[], span);
        }
    }

    /// Nobody knows any more what is in a leaf, or in the part of it with these indices.
    pub(super) fn unset(&mut self, id: LeafId, indices: &[threadwise_ir::Expr], span: Span) {
        let Some(kept) = self.kept.get(&id).cloned() else { return };
        let leaf = self.objects.leaf(id).clone();
        if !leaf.ty.is_scalar() || self.is_vague(leaf.object) {
            return;
        }
        let rest: Vec<_> = leaf.dims[indices.len()..].to_vec();
        let wrap = |sort: Sort, dim: &crate::objects::Dim| Sort::array(dim.keys(), sort);
        match kept.is_set {
            Some(var) => {
                let sort = rest.iter().rev().fold(Sort::Bool, wrap);
                let value = match rest.is_empty() {
                    true => threadwise_ir::Expr::bool(false, span),
                    false => self.all_default(sort.clone(), span),
                };
                let place = Place { var, indices: indices.into(), sort: sort.into(), span };
                self.step(assigned(vec![(place, Value::Of(value))]), span);
            }
            None if rest.is_empty() => {
                let place = Place { var: kept.var, indices: indices.into(), sort: kept.element.clone().into(), span };
                let value = match leaf.ty {
                    Type::Pointer => {
                        let value = self.indeterminate();
                        Value::Of(threadwise_ir::Expr::constant(value, kept.element, span))
                    }
                    Type::Library(..) | Type::Float(_) => return,
                    _ => Value::Any,
                };
                if matches!((&value, kept.var), (Value::Any, VarRef::Local(_))) {
                    self.early.push((threadwise_ir::EdgeId(self.edges.len() as u32), id));
                }
                self.step(assigned(vec![(place, value)]), span);
            }
            None => {}
        }
    }

    /// A leaf that is no array has any value: a pointer one of which nobody knows where it points to.
    fn any_value(&mut self, id: LeafId, span: Span) {
        let Some(kept) = self.kept.get(&id).cloned() else { return };
        let leaf = self.objects.leaf(id).clone();
        if !leaf.dims.is_empty() || !has_value(&leaf.ty) {
            return;
        }
        let value = match leaf.ty {
            Type::Pointer => Value::Of(threadwise_ir::Expr::constant(self.unknown(), kept.element.clone(), span)),
            _ => Value::Any,
        };
        let mut assignments = vec![(self.place_of(kept.var, &[], &kept.element, span), value)];
        if let Some(flag) = kept.is_set {
            let place = self.place_of(flag, &[], &Sort::Bool, span);
            assignments.push((place, Value::Of(threadwise_ir::Expr::bool(true, span))));
        }
        self.step(assigned(assignments), span);
    }

    /// A value of an array sort in which all elements are the default.
    pub(super) fn all_default(&mut self, sort: Sort, span: Span) -> threadwise_ir::Expr {
        let name = format!("default {}", sort.display(&|_| "enum"));
        read(VarRef::Shared(self.shared_named(name, &sort, span)), sort, span)
    }
}
