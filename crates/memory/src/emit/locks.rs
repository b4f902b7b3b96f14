//! What the library's locks and their like do to their variables: one step each.

use super::{Emitter, Fallible};
use crate::code::{MutexKind, Place};
use crate::emit::access::{Access, Cell, Outcome};
use crate::layout::{COUNT, UNSIGNED};
use crate::terms::{and, arithmetic, compare, equal, me, nobody, not, or};
use threadwise_ir::{
    AssertionKind, BinaryOp, Expr as Term, ExprKind as TermKind, Place as TermPlace, Sort, Value, VarRef,
};
use threadwise_source::Span;

pub(super) fn kind_number(kind: MutexKind) -> i64 {
    match kind {
        MutexKind::Normal => 0,
        MutexKind::Recursive => 1,
        MutexKind::ErrorCheck => 2,
    }
}

/// One of the variables of a lock, with its place and its value.
pub(super) struct Part {
    pub(super) place: TermPlace,
    pub(super) value: Term,
}

impl Emitter<'_> {
    pub(super) fn part(&self, cell: &Cell, span: Span) -> Part {
        let (kept, leaf) = (&self.kept[&cell.leaf], self.objects.leaf(cell.leaf));
        let value = self.read_at(kept.var, leaf, &kept.element, &cell.indices, span);
        Part { place: self.place_of(kept.var, &cell.indices, &kept.element, span), value }
    }

    /// A variable that a lock has besides.
    fn more(&self, cell: &Cell, number: usize, sort: &Sort, span: Span) -> Option<Part> {
        let (kept, leaf) = (&self.kept[&cell.leaf], self.objects.leaf(cell.leaf));
        let var = VarRef::Shared(*kept.more.get(number)?);
        let value = self.read_at(var, leaf, sort, &cell.indices, span);
        Some(Part { place: self.place_of(var, &cell.indices, sort, span), value })
    }

    pub(super) fn depth(&self, cell: &Cell, span: Span) -> Option<Part> {
        self.more(cell, 0, &Sort::Bits(COUNT), span)
    }

    fn kind(&self, cell: &Cell, span: Span) -> Option<Part> {
        self.more(cell, 1, &Sort::Range(0, 2), span)
    }

    pub(super) fn lock_access(&mut self, place: &Place, span: Span) -> Fallible<Access> {
        // Locks synchronise; they are no data.
        Ok(Access { span, atomic: true, ..self.access(place)? })
    }

    /// Checks something of each cell in the step that follows; where it is not looked for, the execution ends.
    pub(super) fn require(
        &mut self,
        access: &Access,
        kind: AssertionKind,
        condition: &dyn Fn(&Emitter<'_>, &Cell) -> Term,
    ) {
        let span = access.span;
        let mut all = Term::bool(true, span);
        for cell in access.cells.iter().filter(|cell| !self.is_vague_cell(cell)) {
            let holds = condition(self, cell);
            all = and(all, cell.when.clone().map_or(holds.clone(), |when| or(not(when), holds)));
        }
        if access.cells.iter().any(|cell| self.visible.contains(&cell.leaf)) {
            self.seen();
        }
        self.check(all, kind, span);
    }

    /// Does something in the step that has just looked at it. Nobody who may not go on from there stays in the middle: the
    /// objects do not end, and nothing is waited for.
    pub(super) fn at_once(&mut self, access: &Access, act: &mut dyn FnMut(&Emitter<'_>, &Cell) -> Vec<Outcome>) {
        let stays = |cell: &Cell| !self.alive.contains_key(&self.objects.leaf(cell.leaf).object);
        let is_one_step = u32::from(access.cells.iter().all(stays));
        self.atomic += is_one_step;
        self.each_cell(access, act);
        self.atomic -= is_one_step;
    }

    /// How a mutex is taken: free, or by its holder again if it is of that kind.
    fn takings(&self, cell: &Cell, span: Span) -> Vec<Outcome> {
        if self.is_vague_cell(cell) {
            return unguarded();
        }
        let owner = self.part(cell, span);
        let is_free = equal(owner.value.clone(), nobody(span));
        let take = (owner.place.clone(), Value::Of(me(span)));
        let mut ways = vec![(Some(is_free), vec![take])];
        if let (Some(kind), Some(depth)) = (self.kind(cell, span), self.depth(cell, span)) {
            let recursive = equal(kind.value, Term::constant(1, Sort::Range(0, 2), span));
            let is_mine = and(equal(owner.value, me(span)), recursive);
            let one = Term::constant(1, Sort::Bits(COUNT), span);
            let deeper = (depth.place, Value::Of(arithmetic(BinaryOp::Add, depth.value, one)));
            ways.push((Some(is_mine), vec![deeper]));
        }
        ways
    }

    /// A mutex that checks for errors gives their numbers, and the program goes on; that is not followed.
    fn no_error_number(&mut self, access: &Access, takes: bool) {
        let span = access.span;
        if !self.has_kinds_of_mutexes() {
            return;
        }
        self.require(access, AssertionKind::Beyond, &|emitter, cell| {
            let mine = equal(emitter.part(cell, span).value, me(span));
            let fine = if takes { not(mine) } else { mine };
            let checks =
                emitter.kind(cell, span).map(|kind| equal(kind.value, Term::constant(2, Sort::Range(0, 2), span)));
            checks.map_or(Term::bool(true, span), |checks| or(not(checks), fine))
        });
    }

    pub(super) fn lock(&mut self, mutex: &Place, span: Span) -> Fallible<()> {
        self.may_wait(span);
        let access = self.lock_access(mutex, span)?;
        self.no_error_number(&access, true);
        // To take what one holds is to wait for ever, unless it is a recursive one.
        if self.checks.locks {
            self.require(&access, AssertionKind::Lock, &|emitter, cell| {
                let mine = equal(emitter.part(cell, span).value, me(span));
                let kind = emitter.kind(cell, span).map(|kind| kind.value);
                let recursive = kind.map(|kind| equal(kind, Term::constant(1, Sort::Range(0, 2), span)));
                recursive.map_or(not(mine.clone()), |recursive| or(not(mine), recursive))
            });
        }
        self.each_cell(&access, &mut |emitter, cell| emitter.takings(cell, span));
        Ok(())
    }

    pub(super) fn try_lock(
        &mut self,
        mutex: &Place,
        timed: bool,
        busy: i64,
        result: &Place,
        span: Span,
    ) -> Fallible<()> {
        let access = self.lock_access(mutex, span)?;
        let sort = self.sort_of_type(&result.ty);
        let temporary = VarRef::Local(self.temporary(&sort, span));
        self.each_cell(&access, &mut |emitter, cell| {
            let known = |value: i64| {
                let place = emitter.place_of(temporary, &[], &sort, span);
                (place, Value::Of(Term::constant(value, &sort, span)))
            };
            if emitter.is_vague_cell(cell) {
                return emitter.vague_ways(temporary, &sort, &[0, busy], span);
            }
            let mut ways = emitter.takings(cell, span);
            let mut free = Term::bool(false, span);
            for (when, assignments) in &mut ways {
                free = or(free, when.clone().unwrap_or(Term::bool(true, span)));
                assignments.push(known(0));
            }
            ways.push((if timed { None } else { Some(not(free)) }, vec![known(busy)]));
            ways
        });
        self.give(result, temporary, &sort, span)
    }

    /// What a mutex that checks for errors says to its holder who takes it again, and to others who give it back.
    pub(super) fn refuses(
        &mut self,
        mutex: &Place,
        takes: bool,
        error: i64,
        result: &Place,
        span: Span,
    ) -> Fallible<()> {
        let access = self.lock_access(mutex, span)?;
        let sort = self.sort_of_type(&result.ty);
        let temporary = VarRef::Local(self.temporary(&sort, span));
        self.each_cell(&access, &mut |emitter, cell| {
            let known = |value: i64| {
                let place = emitter.place_of(temporary, &[], &sort, span);
                (place, Value::Of(Term::constant(value, &sort, span)))
            };
            if emitter.is_vague_cell(cell) {
                return emitter.vague_ways(temporary, &sort, &[0, error], span);
            }
            let Some(kind) = emitter.kind(cell, span) else { return vec![(None, vec![known(0)])] };
            let is_checked = equal(kind.value, Term::constant(2, Sort::Range(0, 2), span));
            let mine = equal(emitter.part(cell, span).value, me(span));
            let is_wrong = and(is_checked, if takes { mine } else { not(mine) });
            vec![(Some(is_wrong.clone()), vec![known(error)]), (Some(not(is_wrong)), vec![known(0)])]
        });
        self.give(result, temporary, &sort, span)
    }

    pub(super) fn give(&mut self, result: &Place, temporary: VarRef, sort: &Sort, span: Span) -> Fallible<()> {
        let access = self.access(result)?;
        self.store(&access, Value::Of(crate::terms::read(temporary, sort, span)));
        Ok(())
    }

    pub(super) fn unlock(&mut self, mutex: &Place, span: Span) -> Fallible<()> {
        let access = self.lock_access(mutex, span)?;
        self.no_error_number(&access, false);
        self.require(&access, AssertionKind::Lock, &|emitter, cell| equal(emitter.part(cell, span).value, me(span)));
        self.at_once(&access, &mut |emitter, cell| {
            if emitter.is_vague_cell(cell) {
                return unguarded();
            }
            let owner = emitter.part(cell, span);
            let free = (owner.place, Value::Of(nobody(span)));
            match emitter.depth(cell, span) {
                None => vec![(None, vec![free])],
                Some(depth) => {
                    let zero = Term::constant(0, Sort::Bits(COUNT), span);
                    let one = Term::constant(1, Sort::Bits(COUNT), span);
                    let is_last = equal(depth.value.clone(), zero);
                    let less = (depth.place, Value::Of(arithmetic(BinaryOp::Sub, depth.value, one)));
                    vec![(Some(is_last.clone()), vec![free]), (Some(not(is_last)), vec![less])]
                }
            }
        });
        Ok(())
    }

    pub(super) fn init_mutex(
        &mut self,
        mutex: &Place,
        kind: MutexKind,
        attributes: Option<&Place>,
        span: Span,
    ) -> Fallible<()> {
        let of = match attributes {
            Some(place) if self.has_kinds_of_mutexes() => {
                let access = self.lock_access(place, span)?;
                access
                    .cells
                    .first()
                    .filter(|cell| self.kept.contains_key(&cell.leaf) && !self.is_vague_cell(cell))
                    .map(|cell| self.part(cell, span).value)
            }
            _ => None,
        };
        let of = of.unwrap_or_else(|| Term::constant(kind_number(kind), Sort::Range(0, 2), span));
        let access = self.lock_access(mutex, span)?;
        if self.is_outline {
            // Nobody may hold what is initialised; it is free as it is then.
            self.require(&access, AssertionKind::Lock, &|emitter, cell| {
                equal(emitter.part(cell, span).value, nobody(span))
            });
        }
        self.each_cell(&access, &mut |emitter, cell| {
            if emitter.is_vague_cell(cell) {
                return unguarded();
            }
            let mut assignments = Vec::new();
            if !emitter.is_outline {
                assignments.push((emitter.part(cell, span).place, Value::Of(nobody(span))));
            }
            if let Some(kind) = emitter.kind(cell, span) {
                assignments.push((kind.place, Value::Of(of.clone())));
            }
            vec![(None, assignments)]
        });
        Ok(())
    }

    pub(super) fn set_kind(&mut self, attributes: &Place, kind: MutexKind, span: Span) -> Fallible<()> {
        let access = self.lock_access(attributes, span)?;
        self.each_cell(&access, &mut |emitter, cell| {
            if emitter.is_vague_cell(cell) {
                return unguarded();
            }
            let value = Term::constant(kind_number(kind), Sort::Range(0, 2), span);
            vec![(None, vec![(emitter.part(cell, span).place, Value::Of(value))])]
        });
        Ok(())
    }

    /// Destroying a lock that somebody holds is wrong.
    pub(super) fn destroy(&mut self, lock: &Place, span: Span) -> Fallible<()> {
        let access = self.lock_access(lock, span)?;
        self.require(&access, AssertionKind::Lock, &|emitter, cell| {
            let free = equal(emitter.part(cell, span).value, nobody(span));
            if emitter.is_outline {
                return free;
            }
            match emitter.more(cell, 0, &Sort::Bits(COUNT), span) {
                Some(count) => and(free, equal(count.value, Term::constant(0, Sort::Bits(COUNT), span))),
                None => free,
            }
        });
        Ok(())
    }

    // Read-write locks: the writer, and how many readers there are.

    fn readers(&self, cell: &Cell, span: Span) -> Part {
        self.more(cell, 0, &Sort::Bits(COUNT), span).expect("a read-write lock counts its readers")
    }

    fn rw_taking(&self, cell: &Cell, write: bool, span: Span) -> Outcome {
        if self.is_vague_cell(cell) {
            return (None, Vec::new());
        }
        if self.is_outline {
            return self.set_taking(cell, write, span);
        }
        let (writer, readers) = (self.part(cell, span), self.readers(cell, span));
        let unwritten = equal(writer.value, nobody(span));
        let (zero, one) = (Term::constant(0, Sort::Bits(COUNT), span), Term::constant(1, Sort::Bits(COUNT), span));
        if write {
            let unread = equal(readers.value, zero);
            (Some(and(unwritten, unread)), vec![(writer.place, Value::Of(me(span)))])
        } else {
            let more = arithmetic(BinaryOp::Add, readers.value, one);
            (Some(unwritten), vec![(readers.place, Value::Of(more))])
        }
    }

    // In outlines the readers are a set, which says who they are. Who takes it twice and gives it back once is not in the set
    // any more: then it keeps out fewer than the lock does.

    fn set_of_readers(&self, cell: &Cell, span: Span) -> Part {
        self.more(cell, 0, &Sort::set(Sort::Tid), span).expect("a read-write lock knows its readers")
    }

    fn set_taking(&self, cell: &Cell, write: bool, span: Span) -> Outcome {
        let (writer, readers) = (self.part(cell, span), self.set_of_readers(cell, span));
        let unwritten = equal(writer.value, nobody(span));
        match write {
            true => {
                let unread = equal(readers.value, set_with(None, span));
                (Some(and(unwritten, unread)), vec![(writer.place, Value::Of(me(span)))])
            }
            false => {
                let more = Term::binary(BinaryOp::Union, readers.value, set_with(Some(me(span)), span), set_sort());
                (Some(unwritten), vec![(readers.place, Value::Of(more))])
            }
        }
    }

    fn set_leaving(&self, cell: &Cell, span: Span) -> Vec<Outcome> {
        let (writer, readers) = (self.part(cell, span), self.set_of_readers(cell, span));
        let mine = equal(writer.value, me(span));
        let fewer = Term::binary(BinaryOp::Minus, readers.value, set_with(Some(me(span)), span), set_sort());
        vec![
            (Some(mine.clone()), vec![(writer.place, Value::Of(nobody(span)))]),
            (Some(not(mine)), vec![(readers.place, Value::Of(fewer))]),
        ]
    }

    pub(super) fn rw_lock(&mut self, lock: &Place, write: bool, span: Span) -> Fallible<()> {
        self.may_wait(span);
        let access = self.lock_access(lock, span)?;
        self.each_cell(&access, &mut |emitter, cell| vec![emitter.rw_taking(cell, write, span)]);
        Ok(())
    }

    pub(super) fn rw_try(&mut self, lock: &Place, write: bool, busy: i64, result: &Place, span: Span) -> Fallible<()> {
        let access = self.lock_access(lock, span)?;
        let sort = self.sort_of_type(&result.ty);
        let temporary = VarRef::Local(self.temporary(&sort, span));
        self.each_cell(&access, &mut |emitter, cell| {
            let known = |value: i64| {
                let place = emitter.place_of(temporary, &[], &sort, span);
                (place, Value::Of(Term::constant(value, &sort, span)))
            };
            let (when, mut assignments) = emitter.rw_taking(cell, write, span);
            assignments.push(known(0));
            let fails = (when.clone().map(not), vec![known(busy)]);
            vec![(when, assignments), fails]
        });
        self.give(result, temporary, &sort, span)
    }

    pub(super) fn rw_unlock(&mut self, lock: &Place, span: Span) -> Fallible<()> {
        let access = self.lock_access(lock, span)?;
        let zero = || Term::constant(0, Sort::Bits(COUNT), span);
        self.require(&access, AssertionKind::Lock, &|emitter, cell| {
            let mine = equal(emitter.part(cell, span).value, me(span));
            if emitter.is_outline {
                return or(mine, is_in(emitter.set_of_readers(cell, span).value));
            }
            or(mine, compare(BinaryOp::Gt, emitter.readers(cell, span).value, zero()))
        });
        self.at_once(&access, &mut |emitter, cell| {
            if emitter.is_vague_cell(cell) {
                return unguarded();
            }
            if emitter.is_outline {
                return emitter.set_leaving(cell, span);
            }
            let (writer, readers) = (emitter.part(cell, span), emitter.readers(cell, span));
            let mine = equal(writer.value, me(span));
            let one = Term::constant(1, Sort::Bits(COUNT), span);
            let fewer = arithmetic(BinaryOp::Sub, readers.value, one);
            vec![
                (Some(mine.clone()), vec![(writer.place, Value::Of(nobody(span)))]),
                (Some(not(mine)), vec![(readers.place, Value::Of(fewer))]),
            ]
        });
        Ok(())
    }

    // Semaphores and barriers.

    pub(super) fn semaphore_init(&mut self, semaphore: &Place, value: &crate::code::Expr, span: Span) -> Fallible<()> {
        let access = self.lock_access(semaphore, span)?;
        let value = self.value(value)?;
        let value = crate::terms::as_bits(value, UNSIGNED);
        self.each_cell(&access, &mut |emitter, cell| {
            if emitter.is_vague_cell(cell) {
                return unguarded();
            }
            vec![(None, vec![(emitter.part(cell, span).place, Value::Of(value.clone()))])]
        });
        Ok(())
    }

    fn semaphore_taking(&self, cell: &Cell, span: Span) -> Outcome {
        if self.is_vague_cell(cell) {
            return (None, Vec::new());
        }
        let count = self.part(cell, span);
        let (zero, one) =
            (Term::constant(0, Sort::Bits(UNSIGNED), span), Term::constant(1, Sort::Bits(UNSIGNED), span));
        let is_open = compare(BinaryOp::Ne, count.value.clone(), zero);
        (Some(is_open), vec![(count.place, Value::Of(arithmetic(BinaryOp::Sub, count.value, one)))])
    }

    pub(super) fn semaphore_wait(&mut self, semaphore: &Place, span: Span) -> Fallible<()> {
        self.may_wait(span);
        let access = self.lock_access(semaphore, span)?;
        self.each_cell(&access, &mut |emitter, cell| vec![emitter.semaphore_taking(cell, span)]);
        Ok(())
    }

    pub(super) fn semaphore_try(&mut self, semaphore: &Place, timed: bool, result: &Place, span: Span) -> Fallible<()> {
        let access = self.lock_access(semaphore, span)?;
        let sort = self.sort_of_type(&result.ty);
        let temporary = VarRef::Local(self.temporary(&sort, span));
        self.each_cell(&access, &mut |emitter, cell| {
            let known = |value: i64| {
                let place = emitter.place_of(temporary, &[], &sort, span);
                (place, Value::Of(Term::constant(value, &sort, span)))
            };
            let (when, mut assignments) = emitter.semaphore_taking(cell, span);
            assignments.push(known(0));
            let fails = if timed { None } else { when.clone().map(not) };
            vec![(when, assignments), (fails, vec![known(-1)])]
        });
        self.give(result, temporary, &sort, span)
    }

    pub(super) fn semaphore_post(&mut self, semaphore: &Place, span: Span) -> Fallible<()> {
        let access = self.lock_access(semaphore, span)?;
        self.each_cell(&access, &mut |emitter, cell| {
            if emitter.is_vague_cell(cell) {
                return unguarded();
            }
            let count = emitter.part(cell, span);
            let one = Term::constant(1, Sort::Bits(UNSIGNED), span);
            vec![(None, vec![(count.place, Value::Of(arithmetic(BinaryOp::Add, count.value, one)))])]
        });
        Ok(())
    }

    pub(super) fn semaphore_value(&mut self, semaphore: &Place, result: &Place, span: Span) -> Fallible<()> {
        let access = self.lock_access(semaphore, span)?;
        let sort = self.sort_of_type(&result.ty);
        let temporary = VarRef::Local(self.temporary(&sort, span));
        self.each_cell(&access, &mut |emitter, cell| {
            if emitter.is_vague_cell(cell) {
                return vec![(None, vec![(emitter.place_of(temporary, &[], &sort, span), Value::Any)])];
            }
            let value = emitter.part(cell, span).value;
            let value = sort.bits().map_or(value.clone(), |bits| crate::terms::as_bits(value, bits));
            vec![(None, vec![(emitter.place_of(temporary, &[], &sort, span), Value::Of(value))])]
        });
        self.give(result, temporary, &sort, span)
    }

    pub(super) fn barrier_init(&mut self, barrier: &Place, count: &crate::code::Expr, span: Span) -> Fallible<()> {
        self.semaphore_init(barrier, count, span)
    }

    /// Who comes last opens the barrier and starts its next round; the others wait for that.
    pub(super) fn barrier_wait(
        &mut self,
        barrier: &Place,
        serial: i64,
        result: Option<&Place>,
        span: Span,
    ) -> Fallible<()> {
        self.may_wait(span);
        let access = self.lock_access(barrier, span)?;
        let counter = Sort::Bits(UNSIGNED);
        let round = VarRef::Local(self.temporary(&counter, span));
        let waits = VarRef::Local(self.temporary(&Sort::Bool, span));
        let one = || Term::constant(1, Sort::Bits(UNSIGNED), span);
        self.each_cell(&access, &mut |emitter, cell| {
            if emitter.is_vague_cell(cell) {
                return emitter.vague_ways(waits, &Sort::Bool, &[0, 1], span);
            }
            let total = emitter.part(cell, span).value;
            let arrived = emitter.more(cell, 0, &counter, span).expect("a barrier counts who has come");
            let rounds = emitter.more(cell, 1, &counter, span).expect("a barrier counts its rounds");
            let next = arithmetic(BinaryOp::Add, arrived.value, one());
            let is_last = compare(BinaryOp::Ge, next.clone(), total);
            let says =
                |value: bool| (emitter.place_of(waits, &[], &Sort::Bool, span), Value::Of(Term::bool(value, span)));
            let zero = Term::constant(0, &counter, span);
            let kept = (emitter.place_of(round, &[], &counter, span), Value::Of(rounds.value.clone()));
            vec![
                (
                    Some(is_last.clone()),
                    vec![
                        (arrived.place.clone(), Value::Of(zero)),
                        (rounds.place, Value::Of(arithmetic(BinaryOp::Add, rounds.value, one()))),
                        says(false),
                    ],
                ),
                (Some(not(is_last)), vec![(arrived.place, Value::Of(next)), kept, says(true)]),
            ]
        });
        self.each_cell(&access, &mut |emitter, cell| {
            if emitter.is_vague_cell(cell) {
                return unguarded();
            }
            let rounds = emitter.more(cell, 1, &counter, span).expect("a barrier counts its rounds");
            let is_over = compare(BinaryOp::Ne, rounds.value, crate::terms::read(round, &counter, span));
            let is_first = not(crate::terms::read(waits, Sort::Bool, span));
            vec![(Some(or(is_first, is_over)), Vec::new())]
        });
        if let Some(place) = result {
            let sort = self.sort_of_type(&place.ty);
            let (yes, no) = (Term::constant(0, &sort, span), Term::constant(serial, &sort, span));
            let value = Term::conditional(crate::terms::read(waits, Sort::Bool, span), yes, no, &sort, span);
            let access = self.access(place)?;
            self.store(&access, Value::Of(value));
        }
        Ok(())
    }

    /// The first part of `once`: whoever comes first is to call the function, the others wait until it has returned.
    pub(super) fn once(&mut self, once: &Place, part: &crate::code::Expr, span: Span) -> Fallible<()> {
        self.may_wait(span);
        let access = self.lock_access(once, span)?;
        let stage = Sort::Range(0, 2);
        let at = |value: i64| Term::constant(value, &stage, span);
        let crate::code::ExprKind::Load(first) = &part.kind else {
            self.each_cell(&access, &mut |emitter, cell| {
                if emitter.is_vague_cell(cell) {
                    return unguarded();
                }
                vec![(None, vec![(emitter.part(cell, span).place, Value::Of(at(2)))])]
            });
            return Ok(());
        };
        let sort = self.sort_of_type(&first.ty);
        let temporary = VarRef::Local(self.temporary(&sort, span));
        self.each_cell(&access, &mut |emitter, cell| {
            let says = |value: i64| {
                (emitter.place_of(temporary, &[], &sort, span), Value::Of(Term::constant(value, &sort, span)))
            };
            if emitter.is_vague_cell(cell) {
                return emitter.vague_ways(temporary, &sort, &[0, 1], span);
            }
            let now = emitter.part(cell, span);
            vec![
                (Some(equal(now.value.clone(), at(0))), vec![(now.place.clone(), Value::Of(at(1))), says(1)]),
                (Some(equal(now.value, at(2))), vec![says(0)]),
            ]
        });
        self.give(first, temporary, &sort, span)
    }
}

/// Whoever wants to goes on, and nothing changes: so it is with locks of which nobody knows the state.
pub(super) fn unguarded() -> Vec<Outcome> {
    vec![(None, Vec::new())]
}

pub(super) fn set_sort() -> Sort {
    Sort::set(Sort::Tid)
}

pub(super) fn set_with(element: Option<Term>, span: Span) -> Term {
    Term::new(TermKind::SetLiteral(element.into_iter().collect()), set_sort(), span)
}

pub(super) fn is_in(set: Term) -> Term {
    let span = set.span;
    Term::binary(BinaryOp::In, me(span), set, Sort::Bool)
}
