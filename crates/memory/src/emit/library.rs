//! Operations of libraries: threads, locks, memory.

use super::merge::Kind;
use super::{Emitter, Fallible, assigned, guarded};
use crate::atlas::Operation;
use crate::code::{Expr, FunctionId, Library, Place};
use crate::emit::access::{Access, Cell, clamped};
use crate::layout::{ADDRESS, UNSIGNED};
use crate::objects::{ObjectId, Storage, ThreadIndex};
use crate::points::Targets;
use crate::terms::{and, arithmetic, as_int, compare, equal, exists_below, int, me, not, or, read};
use crate::threads::At;
use std::collections::BTreeSet;
use threadwise_ir::{
    AssertionKind, BinaryOp, Command, Expr as Term, ExprKind as TermKind, Place as TermPlace, Sort, Value, VarRef,
};
use threadwise_source::{Diagnostic, Span};
use threadwise_spawn::Startable;

impl Emitter<'_> {
    pub(super) fn library(&mut self, at: At, library: &Library, span: Span) -> Fallible<()> {
        match library {
            Library::Create { handle, function, argument } => {
                self.create(at, handle.as_ref(), function, argument.as_ref(), span)
            }
            Library::Join { thread, value } => self.join(thread, value.as_ref(), span),
            // What it gives was stored before.
            Library::ThreadExit(_) => self.thread_exit(span),
            Library::ThreadSelf(place) => {
                let access = self.access(place)?;
                self.store(&access, Value::Of(me(span)));
                Ok(())
            }
            Library::MutexInit { mutex, kind, attributes } => self.init_mutex(mutex, *kind, attributes.as_ref(), span),
            Library::MutexKind { attributes, kind } => self.set_kind(attributes, *kind, span),
            Library::MutexLock(mutex) => self.lock(mutex, span),
            Library::MutexTryLock { mutex, timed, busy, result } => self.try_lock(mutex, *timed, *busy, result, span),
            Library::MutexUnlock(mutex) => self.unlock(mutex, span),
            Library::MutexRefuses { mutex, takes, error, result } => self.refuses(mutex, *takes, *error, result, span),
            Library::MutexDestroy(lock) | Library::RwDestroy(lock) => self.destroy(lock, span),
            Library::RwInit(_) | Library::ConditionInit(_) | Library::ConditionDestroy(_) => Ok(()),
            Library::RwRead(lock) => self.rw_lock(lock, false, span),
            Library::RwWrite(lock) => self.rw_lock(lock, true, span),
            Library::RwTry { lock, write, busy, result } => self.rw_try(lock, *write, *busy, result, span),
            Library::RwUnlock(lock) => self.rw_unlock(lock, span),
            // A wait may wake up at any time, so a signal changes nothing that can be relied on.
            Library::ConditionSignal(_) | Library::ConditionBroadcast(_) => Ok(()),
            Library::ConditionWait { mutex, timed, .. } => {
                self.unlock(mutex, span)?;
                self.lock(mutex, span)?;
                match timed {
                    Some((number, result)) => self.either(*number, result, span),
                    None => Ok(()),
                }
            }
            Library::SemaphoreInit(semaphore, value) => self.semaphore_init(semaphore, value, span),
            Library::SemaphoreWait(semaphore) => self.semaphore_wait(semaphore, span),
            Library::SemaphoreTryWait { semaphore, timed, result } => {
                self.semaphore_try(semaphore, *timed, result, span)
            }
            Library::SemaphorePost(semaphore) => self.semaphore_post(semaphore, span),
            Library::SemaphoreValue { semaphore, result } => self.semaphore_value(semaphore, result, span),
            Library::BarrierInit(barrier, count) => self.barrier_init(barrier, count, span),
            Library::BarrierWait { barrier, serial, result } => {
                self.barrier_wait(barrier, *serial, result.as_ref(), span)
            }
            Library::MonitorEnter { monitor, unless } => self.monitor_enter(monitor, unless.as_ref(), span),
            Library::MonitorTry { monitor, unless, result } => self.monitor_try(monitor, unless.as_ref(), result, span),
            Library::MonitorExit(monitor) => self.monitor_exit(monitor, span),
            Library::MonitorHeld { monitor, result } => self.monitor_held(monitor, result, span),
            Library::MonitorWait { monitor, waiting } => self.monitor_wait(monitor, waiting.as_ref(), span),
            Library::Notify { waiting, all } => self.notify(waiting, *all, span),
            Library::SetEnter { monitor, set } => self.set_enter(monitor, set, span),
            Library::SetTry { monitor, set, result } => self.set_try(monitor, set, result, span),
            Library::SetHeld { set, result } => self.set_held(set, result, span),
            Library::SetExit(set) => self.set_exit(set, span),
            Library::Once { once, function } => self.once(once, function, span),
            Library::ProcessEnds => {
                self.look_for_leaks(true, span);
                Ok(())
            }
            Library::Allocate { result, count, .. } => self.allocate(at, result, count, span),
            Library::StructOf { pointer, result } => self.struct_of(pointer, result, span),
            Library::Extent { pointer, unit, result } => self.extent(pointer, *unit, result, span),
            Library::Free(pointer) => self.free(pointer, span),
        }
    }

    /// Zero, or this number, as it happens.
    fn either(&mut self, number: i64, result: &Place, span: Span) -> Fallible<()> {
        let sort = self.sort_of_type(&result.ty);
        let any = self.anything(&crate::code::Type::Int(threadwise_ir::Bits { width: 1, signed: false }), span);
        let zero = Term::constant(0, any.sort, span);
        let (yes, no) = (Term::constant(number, &sort, span), Term::constant(0, &sort, span));
        let value = Term::conditional(compare(BinaryOp::Ne, any, zero), yes, no, &sort, span);
        let access = self.access(result)?;
        self.store(&access, Value::Of(value));
        Ok(())
    }

    fn create(
        &mut self,
        at: At,
        handle: Option<&Place>,
        function: &Expr,
        argument: Option<&Expr>,
        span: Span,
    ) -> Fallible<()> {
        let created = self.threads.created.get(&at).cloned().unwrap_or_default();
        let pointer = match created.len() {
            1 => None,
            _ => {
                let value = self.value(function)?;
                Some(self.simple(value, span))
            }
        };
        let argument = match argument {
            Some(e) => {
                let value = self.value(e)?;
                let sort = self.pointers.sort.clone();
                let value = self.fitted(value, &sort);
                Some(self.simple(value, span))
            }
            None => None,
        };
        let handle = match handle {
            Some(place) => Some(self.access(place)?),
            None => None,
        };
        let is_one = |emitter: &Self, function: FunctionId, pointer: &Term| {
            let address = emitter.address_of(emitter.objects.at(Storage::Function(function)));
            equal(pointer.clone(), Term::constant(address, pointer.sort, span))
        };
        if let Some(pointer) = &pointer {
            let known = created.iter().map(|(function, _)| is_one(self, *function, pointer));
            let known = known.reduce(or).unwrap_or_else(|| Term::bool(false, span));
            self.check(known, AssertionKind::Beyond, span);
        }
        self.seen();
        let (from, to) = (self.here, self.fresh(span));
        for (function, threads) in created {
            self.here = from;
            if threads.is_empty() {
                self.check(Term::bool(false, span), AssertionKind::Beyond, span);
                self.skip_to(to);
                continue;
            }
            if let Some(pointer) = &pointer {
                let is_it = is_one(self, function, pointer);
                self.step(guarded(is_it), span);
            }
            self.start_one_of(&threads, argument.as_ref(), handle.as_ref(), to, span);
        }
        self.here = to;
        Ok(())
    }

    /// Starts the first of some threads that has not been started, which are told apart.
    fn start_one_of(
        &mut self,
        threads: &[ThreadIndex],
        argument: Option<&Term>,
        handle: Option<&Access>,
        to: threadwise_ir::LocationId,
        span: Span,
    ) {
        let next = (threads.len() > 1).then(|| {
            let name = format!("next {}", self.threads.get(threads[0]).name);
            let sort = Sort::Bits(UNSIGNED);
            (VarRef::Shared(self.shared_named(name, &sort, span)), sort)
        });
        if let Some((var, sort)) = &next {
            let all = compare(BinaryOp::Lt, read(*var, sort, span), Term::constant(threads.len() as i64, sort, span));
            self.check(all, AssertionKind::Beyond, span);
        }
        let from = self.here;
        for (number, &thread) in threads.iter().enumerate() {
            self.here = from;
            if let Some((var, sort)) = &next {
                let now = read(*var, sort, span);
                let is_it = equal(now, Term::constant(number as i64, sort, span));
                let counted =
                    (self.place_of(*var, &[], sort, span), Value::Of(Term::constant(number as i64 + 1, sort, span)));
                let command = Command { guard: Some(Box::new(is_it)), ..assigned(vec![counted]) };
                self.step(command, span);
            }
            let startable = self.startables[thread.index()].clone().expect("what is created can be started");
            let wanted = startable.parameters().count();
            let null = || Term::constant(0, self.pointers.sort.clone(), span);
            let args: Vec<Term> = (0..wanted).map(|_| argument.cloned().unwrap_or_else(null)).collect();
            let place = handle.and_then(|access| match &access.cells[..] {
                [cell] if cell.when.is_none() && !self.visible.contains(&cell.leaf) && !self.is_vague_cell(cell) => {
                    let kept = &self.kept[&cell.leaf];
                    Some(self.place_of(kept.var, &cell.indices, &kept.element, span))
                }
                _ => None,
            });
            let direct = place.is_some();
            let scratch = (handle.is_some() && !direct && !startable.is_any_number()).then(|| {
                let name = format!("created by {}", self.threads.get(self.thread).name);
                VarRef::Shared(self.shared_named(name, &Sort::Tid, span))
            });
            let result = match startable.is_any_number() {
                true => None,
                false => place.or_else(|| scratch.map(|var| self.place_of(var, &[], &Sort::Tid, span))),
            };
            if startable.is_any_number() {
                self.may_wait(span);
                self.waits_for_copies();
            }
            let (before, first) = (self.here, self.edges.len());
            for command in startable.start(args, result, span) {
                let command = unchecked(command);
                self.step(command, span);
            }
            if !startable.is_any_number() {
                self.live_edges(first, Kind::Left);
            }
            self.does(Operation::Create);
            // A thread that was created need not run: with few copies more than so many can be created all the same.
            if startable.is_any_number() && !self.checks.deadlock {
                self.edge(before, self.here, Command::default(), span, None);
            }
            // The handle is there before the thread runs: nobody sees that it is stored after the start.
            self.atomic += 1;
            match (scratch, handle) {
                (Some(var), Some(access)) => self.store(access, Value::Of(read(var, Sort::Tid, span))),
                (None, Some(access)) if startable.is_any_number() => {
                    self.store(access, Value::Of(crate::terms::nobody(span)));
                }
                _ => {}
            }
            self.atomic -= 1;
            self.skip_to(to);
        }
    }

    fn join(&mut self, thread: &Expr, value: Option<&Place>, span: Span) -> Fallible<()> {
        let who = self.value(thread)?;
        let is_any_number = self.startables.iter().flatten().any(Startable::is_any_number);
        let Some(lives) = self.lives.clone() else {
            if self.is_outline {
                return self.joined_value(&who, value, span);
            }
            return self.join_somebody(value, span);
        };
        if !matches!(*who.sort, Sort::Tid) {
            return Err(Box::new(Diagnostic::error(span, "what is joined is no handle of a thread")));
        }
        let after = self.fresh(span);
        if is_any_number {
            self.seen();
            let from = self.here;
            let is_somebody = equal(who.clone(), crate::terms::nobody(span));
            self.step(guarded(is_somebody.clone()), span);
            self.join_somebody(value, span)?;
            self.skip_to(after);
            self.here = from;
            self.step(guarded(not(is_somebody)), span);
        }
        self.may_wait(span);
        self.seen();
        let first = self.edges.len();
        for command in lives.join(who.clone(), span) {
            let command = unchecked(command);
            self.step(command, span);
        }
        self.live_edges(first, Kind::Right);
        self.does(Operation::Join);
        self.joined_value(&who, value, span)?;
        self.skip_to(after);
        self.here = after;
        Ok(())
    }

    /// What a thread that was joined has returned.
    fn joined_value(&mut self, who: &Term, value: Option<&Place>, span: Span) -> Fallible<()> {
        let Some(place) = value else { return Ok(()) };
        if self.is_outline && self.results.is_none() {
            let access = self.access(place)?;
            self.store(&access, Value::Any);
        } else if let Some(results) = self.results {
            let access = self.access(place)?;
            let sort = self.pointers.sort.clone();
            let all = read(VarRef::Shared(results), Sort::array(Sort::Tid, sort.clone()), span);
            let value = Term::new(TermKind::Index(Box::new(all), Box::new(who.clone())), sort, span);
            self.store(&access, Value::Of(value));
        }
        Ok(())
    }

    /// Joins one of any number of threads, of which nobody knows which one it is, and when it has ended. Where that makes no
    /// difference for what is looked for, the execution goes on at once, and an error that is met then is not taken for one.
    fn join_somebody(&mut self, value: Option<&Place>, span: Span) -> Fallible<()> {
        self.seen();
        self.becomes_unsure(span);
        if let Some(place) = value {
            let access = self.access(place)?;
            self.store(&access, Value::Any);
        }
        Ok(())
    }

    fn thread_exit(&mut self, span: Span) -> Fallible<()> {
        if self.is_main() {
            self.look_for_leaks(true, span);
        }
        self.live(None, false, span);
        self.end_thread(self.exit, span);
        // What comes after is not reached.
        self.here = self.fresh(span);
        Ok(())
    }

    fn slot_of(&self, object: ObjectId, pointer: &Term, span: Span) -> Term {
        let of = self.objects.object(object);
        let from = int(self.address_of(object), span);
        let diff = arithmetic(BinaryOp::Sub, as_int(pointer.clone()), from);
        arithmetic(BinaryOp::Div, diff, int(of.stride as i64, span))
    }

    pub(super) fn flag(&self, object: ObjectId, slot: Term, span: Span) -> Option<(TermPlace, Term)> {
        let var = VarRef::Shared(*self.alive.get(&object)?);
        let slots = self.objects.object(object).slots;
        let sort = Sort::array(Sort::Range(0, slots as i64 - 1), Sort::Bool);
        let place = self.place_of(var, std::slice::from_ref(&slot), &Sort::Bool, span);
        let value = Term::new(TermKind::Index(Box::new(read(var, sort, span)), Box::new(slot)), Sort::Bool, span);
        Some((place, value))
    }

    /// How many elements an object of a pool has, where that differs.
    pub(crate) fn count_of(&self, object: ObjectId, slot: Term, span: Span) -> Option<(TermPlace, Term)> {
        let var = VarRef::Shared(*self.counts.get(&object)?);
        let slots = self.objects.object(object).slots;
        let (keys, element) = (Sort::Range(0, slots as i64 - 1), self.sort_of_count(object));
        let place = self.place_of(var, std::slice::from_ref(&slot), &element, span);
        let all = read(var, Sort::array(keys, element.clone()), span);
        Some((place, Term::new(TermKind::Index(Box::new(all), Box::new(slot)), element, span)))
    }

    /// The object of a pool that is not used again, plus one; zero as long as there is none. What is true of accesses to an
    /// object that was freed must not depend on whether the pool has room for others: of each freed object it is tried
    /// that it is the one.
    fn kept_aside(&self, object: ObjectId, span: Span) -> Option<(TermPlace, Term)> {
        let (var, sort) = (VarRef::Shared(*self.aside.get(&object)?), Sort::Bits(UNSIGNED));
        Some((self.place_of(var, &[], &sort, span), read(var, sort, span)))
    }

    /// A new object: one that was never used or, if there are such, one that was freed.
    fn allocate(&mut self, at: At, result: &Place, count: &Expr, span: Span) -> Fallible<()> {
        let site = self.points.sites[&at];
        let object = self.objects.at(Storage::Heap(site));
        let of = self.objects.object(object).clone();
        let elements = match self.objects.has_any_length(object) {
            true => self.longest(object),
            false => self.sites[site.index()].elements,
        };
        let count = self.value(count)?;
        if self.is_vague(object) {
            let access = self.access(result)?;
            self.store(&access, Value::Any);
            return Ok(());
        }
        let count = as_int(count);
        if crate::terms::constant(&count).is_none() {
            let fits = compare(BinaryOp::Le, count.clone(), int(elements as i64, span));
            self.check(fits, AssertionKind::Beyond, span);
        }
        let index = self.take_slot(object, span);
        let index = clamped(index, of.slots, span);
        if let Some((place, _)) = self.count_of(object, index.clone(), span) {
            let count = crate::terms::as_int(count).converted(place.sort, span);
            self.step(assigned(vec![(place, Value::Of(count))]), span);
        }
        let prefix: Vec<Term> = if of.slots > 1 { vec![index.clone()] } else { Vec::new() };
        for leaf in of.leaves.clone() {
            if !self.alive.contains_key(&object) {
                // It is used for the first time.
                continue;
            }
            if self.kept.get(&leaf).is_some_and(|kept| kept.is_set.is_some()) {
                self.unset(leaf, &prefix, span);
            } else if self.kept.contains_key(&leaf) && !self.objects.leaf(leaf).ty.is_scalar() {
                self.zero(leaf, &prefix, span);
            }
        }
        let bytes = arithmetic(BinaryOp::Mul, index, int(of.stride as i64, span));
        let base = Term::constant(self.address_of(object), self.pointers.sort.clone(), span);
        let address = arithmetic(BinaryOp::Add, base, crate::terms::as_bits(bytes, ADDRESS));
        let access = self.access(result)?;
        let first = self.edges.len();
        self.store(&access, Value::Of(address.clone()));
        self.does_first(first, Operation::Allocate(address));
        Ok(())
    }

    /// Finds room for a new object in a pool: the number of its place.
    fn take_slot(&mut self, object: ObjectId, span: Span) -> Term {
        let slots = self.objects.object(object).slots;
        let Some(&used) = self.used.get(&object) else { return int(0, span) };
        let (used, sort) = (VarRef::Shared(used), Sort::Bits(UNSIGNED));
        let now = || read(used, &sort, span);
        let place = VarRef::Local(self.temporary(&sort, span));
        let limit = Term::constant(slots as i64, &sort, span);
        let is_fresh = compare(BinaryOp::Lt, now(), limit);
        let was_freed = |slot: Term| {
            let below = compare(BinaryOp::Lt, slot.clone(), as_int(now()));
            let is_left = self.kept_aside(object, span).map_or(Term::bool(true, span), |(_, aside)| {
                compare(BinaryOp::Ne, as_int(aside), arithmetic(BinaryOp::Add, slot.clone(), int(1, span)))
            });
            self.flag(object, slot, span).map(|(_, alive)| and(and(below, not(alive)), is_left))
        };
        let bound = Term::new(TermKind::Bound(0), Sort::Range(0, slots as i64 - 1), span);
        let some_freed = was_freed(bound).map(|freed| exists_below(slots, freed, span));
        let chosen = was_freed(clamped(as_int(read(place, &sort, span)), slots, span));
        self.seen();
        if !self.is_exact(object) {
            let is_there = some_freed.clone().map_or(is_fresh.clone(), |freed| or(is_fresh.clone(), freed));
            self.check(is_there, AssertionKind::Beyond, span);
            self.seen();
        }
        let (from, to) = (self.here, self.fresh(span));
        let one = Term::constant(1, &sort, span);
        let counted = (self.place_of(used, &[], &sort, span), Value::Of(arithmetic(BinaryOp::Add, now(), one)));
        let mut assignments = vec![(self.place_of(place, &[], &sort, span), Value::Of(now())), counted];
        if let Some((flag, _)) = self.flag(object, clamped(as_int(now()), slots, span), span) {
            assignments.push((flag, Value::Of(Term::bool(true, span))));
        }
        let command = Command { guard: Some(Box::new(is_fresh)), ..assigned(assignments) };
        self.edge(from, to, command, span, None);
        if let (Some(some), Some(chosen)) = (some_freed, chosen) {
            // Any number below the count, by a variable that has just these values.
            let narrow = Sort::Range(0, slots as i64 - 1);
            let pick = VarRef::Local(self.temporary(&narrow, span));
            let (first, second) = (self.fresh(span), self.fresh(span));
            let choice = vec![(self.place_of(pick, &[], &narrow, span), Value::Any)];
            self.edge(from, first, Command { guard: Some(Box::new(some)), ..assigned(choice) }, span, None);
            let number = crate::terms::as_bits(read(pick, &narrow, span), UNSIGNED);
            let copy = vec![(self.place_of(place, &[], &sort, span), Value::Of(number))];
            self.edge(first, second, assigned(copy), span, None);
            let slot = clamped(as_int(read(place, &sort, span)), slots, span);
            if let Some((flag, _)) = self.flag(object, slot, span) {
                let revive = assigned(vec![(flag, Value::Of(Term::bool(true, span)))]);
                self.edge(second, to, Command { guard: Some(Box::new(chosen)), ..revive }, span, None);
            }
        }
        self.here = to;
        as_int(read(place, &sort, span))
    }

    /// Makes a library's object in recycled memory as new.
    fn zero(&mut self, leaf: crate::objects::LeafId, prefix: &[Term], span: Span) {
        let (of, kept) = (self.objects.leaf(leaf).clone(), self.kept[&leaf].clone());
        let rest = &of.dims[prefix.len()..];
        let wrap = |sort: Sort, dim: &crate::objects::Dim| Sort::array(dim.keys(), sort);
        let sort = rest.iter().rev().fold(kept.element.clone(), wrap);
        let value = match Term::default_of(&sort, span) {
            Some(value) => value,
            None => self.all_default(sort.clone(), span),
        };
        let place = self.place_of(kept.var, prefix, &sort, span);
        self.step(assigned(vec![(place, Value::Of(value))]), span);
    }

    /// The objects on the heap that an address may be the start of: for each when it is, and which of a pool it is.
    fn starting_at(&self, targets: Targets, address: &Term, span: Span) -> Vec<(ObjectId, Term, Term)> {
        let mut found: Vec<(ObjectId, Term, Term)> = Vec::new();
        for target in targets {
            let of = self.objects.object(target.object);
            let is_known = matches!(of.storage, Storage::Heap(_)) && !self.is_vague(target.object);
            if !is_known || found.iter().any(|(id, ..)| *id == target.object) {
                continue;
            }
            let slot = self.slot_of(target.object, address, span);
            let start = arithmetic(BinaryOp::Mul, slot.clone(), int(of.stride as i64, span));
            let first = arithmetic(BinaryOp::Add, start, int(self.address_of(target.object), span));
            let inside = crate::terms::within(&slot, of.slots);
            let when = match of.slots {
                1 => equal(address.clone(), Term::constant(self.address_of(target.object), address.sort, span)),
                _ => and(inside, equal(as_int(address.clone()), first)),
            };
            let slot = if of.slots == 1 { int(0, span) } else { clamped(slot, of.slots, span) };
            found.push((target.object, when, slot));
        }
        found
    }

    /// Which struct an object is of is known from its address: objects of one allocation are of one type.
    fn struct_of(&mut self, pointer: &Expr, result: &Place, span: Span) -> Fallible<()> {
        let thread = self.thread;
        let targets = self.points.eval(thread, pointer);
        let value = self.value(pointer)?;
        let value = self.simple(value, span);
        let sort = self.sort_of_type(&result.ty);
        let mut number = Term::constant(-1, &sort, span);
        let objects: BTreeSet<ObjectId> = targets.iter().map(|target| target.object).collect();
        for (&object, is_last) in objects.iter().zip((0..objects.len()).rev().map(|left| left == 0)) {
            let of = self.objects.object(object);
            let ty = match of.storage {
                Storage::Heap(site) => self.sites[site.index()].ty.clone(),
                _ => of.ty.clone(),
            };
            let crate::code::Type::Struct(id) = ty else { continue };
            let (first, size) = (self.address_of(object), (of.stride * of.slots) as i64);
            let known = Term::constant(i64::from(id.0), &sort, span);
            let after = compare(BinaryOp::Ge, as_int(value.clone()), int(first, span));
            let before = compare(BinaryOp::Lt, as_int(value.clone()), int(first + size, span));
            number = match is_last && objects.len() == 1 {
                true => known,
                false => Term::conditional(and(after, before), known, number, &sort, span),
            };
        }
        let access = self.access(result)?;
        self.store(&access, Value::Of(number));
        Ok(())
    }

    fn extent(&mut self, pointer: &Expr, unit: u64, result: &Place, span: Span) -> Fallible<()> {
        let thread = self.thread;
        let targets = self.points.eval(thread, pointer);
        let value = self.value(pointer)?;
        let value = self.simple(value, span);
        if !self.is_outline || self.points.may_be_unknown(thread, pointer) {
            self.is_known(&value, span);
        }
        // Of an object that is only outlined it may be any number.
        if targets.iter().any(|target| self.is_vague(target.object)) {
            let extent = self.anything(&result.ty, span);
            let access = self.access(result)?;
            self.store(&access, Value::Of(extent));
            return Ok(());
        }
        let objects = self.starting_at(targets, &value, span);
        let valid = objects.iter().fold(Term::bool(false, span), |valid, (_, when, _)| or(valid, when.clone()));
        self.check(valid, AssertionKind::Memory, span);
        let sort = self.sort_of_type(&result.ty);
        let mut extent = Term::constant(0, &sort, span);
        for (object, when, slot) in objects {
            let Storage::Heap(site) = self.objects.object(object).storage else { continue };
            let site = &self.sites[site.index()];
            let elements = self.count_of(object, slot, span).map(|(_, count)| as_int(count));
            let elements = elements.unwrap_or_else(|| int(site.elements as i64, span));
            let bytes = arithmetic(BinaryOp::Mul, elements.clone(), int(self.code.size_of(&site.ty) as i64, span));
            let units = match unit {
                0 => elements,
                unit => arithmetic(BinaryOp::Div, bytes, int(unit as i64, span)),
            };
            let units = self.fitted(units, &sort);
            extent = Term::conditional(when, units, extent, &sort, span);
        }
        let access = self.access(result)?;
        self.store(&access, Value::Of(extent));
        Ok(())
    }

    fn free(&mut self, pointer: &Expr, span: Span) -> Fallible<()> {
        let thread = self.thread;
        let targets = self.points.eval(thread, pointer);
        let value = self.value(pointer)?;
        let value = self.simple(value, span);
        if !self.is_outline || self.points.may_be_unknown(thread, pointer) {
            self.is_known(&value, span);
        }
        let vague: BTreeSet<ObjectId> =
            targets.iter().map(|target| target.object).filter(|&object| self.is_vague(object)).collect();
        let objects = self.starting_at(targets, &value, span);
        let valid = match vague.is_empty() {
            true => objects.iter().fold(self.is_null(value.clone(), span), |all, (_, when, _)| or(all, when.clone())),
            false => Term::bool(true, span),
        };
        self.check(valid, AssertionKind::Memory, span);
        self.seen();
        let (from, to) = (self.here, self.fresh(span));
        let null = self.is_null(value.clone(), span);
        self.edge(from, to, guarded(null), span, None);
        self.does(Operation::Free(value.clone()));
        let fresh = self.at.is_some_and(|at| self.fresh.is_fresh(at, pointer));
        for object in vague {
            match fresh {
                true => self.edge(from, to, Command::default(), span, None),
                false => self.vague_free(object, pointer, [from, to], span),
            }
        }
        for (object, when, slot) in objects {
            self.here = from;
            let Some((place, alive)) = self.flag(object, slot.clone(), span) else { continue };
            let mut command = Command {
                guard: Some(Box::new(and(when.clone(), alive.clone()))),
                ..assigned(vec![(place, Value::Of(Term::bool(false, span)))])
            };
            if self.looks_for(AssertionKind::Memory) {
                let condition = or(not(when), alive);
                let kind = AssertionKind::Memory;
                command.assertions = self.assertions(condition, kind, span);
            } else {
                self.stop_when(from, and(when, not(alive)), span);
            }
            // To free is to write: what is in the object is gone.
            let middle = self.fresh(span);
            self.touch_all(object, &slot, &mut command, span);
            self.edge(from, middle, command, span, None);
            self.does(Operation::Free(value.clone()));
            self.here = middle;
            self.skip_to(to);
            if let Some((place, aside)) = self.kept_aside(object, span) {
                let none = equal(aside.clone(), Term::constant(0, aside.sort, span));
                let number = arithmetic(BinaryOp::Add, slot, int(1, span));
                let keep = assigned(vec![(place, Value::Of(crate::terms::as_bits(number, UNSIGNED)))]);
                self.edge(middle, to, Command { guard: Some(Box::new(none)), ..keep }, span, None);
            }
        }
        self.here = to;
        Ok(())
    }

    /// Writes all parts of an object with what is in them.
    fn touch_all(&mut self, object: ObjectId, slot: &Term, command: &mut Command, span: Span) {
        let of = self.objects.object(object);
        let prefix: Vec<Term> = if of.slots > 1 { vec![slot.clone()] } else { Vec::new() };
        let threadwise_ir::Update::Assign(assignments) = &mut command.update else { return };
        let mut all: Vec<(TermPlace, Value)> = assignments.to_vec();
        for leaf in of.leaves.iter().filter(|leaf| self.visible.contains(leaf)) {
            let (of, kept) = (self.objects.leaf(*leaf), &self.kept[leaf]);
            if !of.ty.is_scalar() {
                continue;
            }
            let cell = Cell { leaf: *leaf, indices: prefix.clone(), when: None };
            let value = self.read_at(kept.var, of, &kept.element, &cell.indices, span);
            let sort: Sort = (*value.sort).clone();
            all.push((self.place_of(kept.var, &prefix, &sort, span), Value::Of(value)));
        }
        *assignments = all.into();
    }
}

/// There are as many threads of a kind as can be started, and a handle names one of them or nobody.
fn unchecked(mut command: Command) -> Command {
    command.assertions = Box::default();
    command
}
