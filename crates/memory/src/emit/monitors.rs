//! Monitors, which their holders can take again, and sets of threads that wait or hold something together.

use super::{Emitter, Fallible};
use crate::code::Place;
use crate::emit::access::{Access, Cell, Outcome};
use crate::emit::locks::{is_in, set_sort, set_with, unguarded};
use crate::layout::COUNT;
use crate::terms::{and, arithmetic, equal, me, nobody, not, or, read};
use threadwise_ir::{AssertionKind, BinaryOp, Expr as Term, Place as TermPlace, Sort, Value, VarRef};
use threadwise_source::Span;

/// What each of the things that a place may be says, as one value.
type OfCell<'a> = &'a dyn Fn(&Emitter<'_>, &Cell) -> Term;

impl Emitter<'_> {
    /// Whether something holds of the one that a place is.
    fn all_of(&self, access: &Access, holds: OfCell<'_>) -> Term {
        let mut all = Term::bool(true, access.span);
        for cell in access.cells.iter().filter(|cell| !self.is_vague_cell(cell)) {
            let this = holds(self, cell);
            all = and(all, cell.when.clone().map_or(this.clone(), |when| or(not(when), this)));
        }
        all
    }

    fn see_all(&mut self, accesses: &[&Access]) {
        let is_visible = |cell: &Cell| self.visible.contains(&cell.leaf);
        if accesses.iter().any(|access| access.cells.iter().any(is_visible)) {
            self.seen();
        }
    }

    fn depth_of(&self, cell: &Cell, span: Span) -> (TermPlace, Term) {
        let depth = self.depth(cell, span).expect("a monitor counts how often it was taken");
        (depth.place, depth.value)
    }

    /// How a monitor is taken: free, or by its holder again.
    fn entries(&self, cell: &Cell, is_open: &Term, span: Span) -> Vec<Outcome> {
        if self.is_vague_cell(cell) {
            return unguarded();
        }
        let owner = self.part(cell, span);
        let is_free = and(equal(owner.value.clone(), nobody(span)), is_open.clone());
        let (depth, value) = self.depth_of(cell, span);
        let deeper = arithmetic(BinaryOp::Add, value, Term::constant(1, Sort::Bits(COUNT), span));
        let mut taken = vec![(owner.place, Value::Of(me(span)))];
        if !self.code.annotations.relies.is_empty() {
            // It is so anyway: who is to prove something from contracts alone does not know it.
            taken.push((depth.clone(), Value::Of(Term::constant(0, Sort::Bits(COUNT), span))));
        }
        vec![(Some(is_free), taken), (Some(equal(owner.value, me(span))), vec![(depth, Value::Of(deeper))])]
    }

    fn is_open(&mut self, unless: Option<&Place>, span: Span) -> Fallible<Term> {
        let Some(set) = unless else { return Ok(Term::bool(true, span)) };
        let access = self.lock_access(set, span)?;
        self.see_all(&[&access]);
        Ok(self.all_of(&access, &|emitter, cell| equal(emitter.part(cell, span).value, set_with(None, span))))
    }

    pub(super) fn monitor_enter(&mut self, monitor: &Place, unless: Option<&Place>, span: Span) -> Fallible<()> {
        self.may_wait(span);
        let access = self.lock_access(monitor, span)?;
        let is_open = self.is_open(unless, span)?;
        self.each_cell(&access, &mut |emitter, cell| emitter.entries(cell, &is_open, span));
        Ok(())
    }

    pub(super) fn monitor_try(
        &mut self,
        monitor: &Place,
        unless: Option<&Place>,
        result: &Place,
        span: Span,
    ) -> Fallible<()> {
        let access = self.lock_access(monitor, span)?;
        let is_open = self.is_open(unless, span)?;
        self.tried(&access, result, span, &mut |emitter, cell| emitter.entries(cell, &is_open, span))
    }

    /// Does one of some things, or else nothing; the result tells.
    fn tried(
        &mut self,
        access: &Access,
        result: &Place,
        span: Span,
        ways: &mut dyn FnMut(&Emitter<'_>, &Cell) -> Vec<Outcome>,
    ) -> Fallible<()> {
        let sort = self.sort_of_type(&result.ty);
        let temporary = VarRef::Local(self.temporary(&sort, span));
        self.each_cell(access, &mut |emitter, cell| {
            if emitter.is_vague_cell(cell) {
                return emitter.vague_ways(temporary, &sort, &[0, 1], span);
            }
            let known = |value: i64| {
                let place = emitter.place_of(temporary, &[], &sort, span);
                (place, Value::Of(Term::constant(value, &sort, span)))
            };
            let mut all = ways(emitter, cell);
            let mut can = Term::bool(false, span);
            for (when, assignments) in &mut all {
                can = or(can, when.clone().unwrap_or(Term::bool(true, span)));
                assignments.push(known(1));
            }
            all.push((Some(not(can)), vec![known(0)]));
            all
        });
        self.give(result, temporary, &sort, span)
    }

    pub(super) fn monitor_exit(&mut self, monitor: &Place, span: Span) -> Fallible<()> {
        let access = self.lock_access(monitor, span)?;
        self.require(&access, AssertionKind::Lock, &|emitter, cell| equal(emitter.part(cell, span).value, me(span)));
        self.at_once(&access, &mut |emitter, cell| {
            if emitter.is_vague_cell(cell) {
                return unguarded();
            }
            let owner = emitter.part(cell, span);
            let (place, depth) = emitter.depth_of(cell, span);
            let is_last = equal(depth.clone(), Term::constant(0, Sort::Bits(COUNT), span));
            let less = arithmetic(BinaryOp::Sub, depth, Term::constant(1, Sort::Bits(COUNT), span));
            vec![
                (Some(is_last.clone()), vec![(owner.place, Value::Of(nobody(span)))]),
                (Some(not(is_last)), vec![(place, Value::Of(less))]),
            ]
        });
        Ok(())
    }

    /// Nobody else changes whether the thread holds it, so that this is no step of its own.
    pub(super) fn monitor_held(&mut self, monitor: &Place, result: &Place, span: Span) -> Fallible<()> {
        let access = self.lock_access(monitor, span)?;
        let is_held = self.all_of(&access, &|emitter, cell| equal(emitter.part(cell, span).value, me(span)));
        self.told(&access, is_held, result, span)
    }

    pub(super) fn set_held(&mut self, set: &Place, result: &Place, span: Span) -> Fallible<()> {
        let access = self.lock_access(set, span)?;
        let is_held = self.all_of(&access, &|emitter, cell| is_in(emitter.part(cell, span).value));
        self.told(&access, is_held, result, span)
    }

    fn told(&mut self, access: &Access, value: Term, result: &Place, span: Span) -> Fallible<()> {
        let sort = self.sort_of_type(&result.ty);
        let is_vague = access.cells.iter().any(|cell| self.is_vague_cell(cell));
        let to = self.access(result)?;
        if is_vague {
            self.store(&to, Value::Any);
            return Ok(());
        }
        let (yes, no) = (Term::constant(1, &sort, span), Term::constant(0, &sort, span));
        self.store(&to, Value::Of(Term::conditional(value, yes, no, &sort, span)));
        Ok(())
    }

    pub(super) fn monitor_wait(&mut self, monitor: &Place, waiting: Option<&Place>, span: Span) -> Fallible<()> {
        self.may_wait(span);
        let access = self.lock_access(monitor, span)?;
        let set = waiting.map(|place| self.lock_access(place, span)).transpose()?;
        let counter = Sort::Bits(COUNT);
        let saved = VarRef::Local(self.temporary(&counter, span));
        self.see_all(&[&access]);
        self.require(&access, AssertionKind::Lock, &|emitter, cell| equal(emitter.part(cell, span).value, me(span)));
        self.atomic += 1;
        self.each_cell(&access, &mut |emitter, cell| {
            if emitter.is_vague_cell(cell) {
                return unguarded();
            }
            let (owner, (depth, value)) = (emitter.part(cell, span), emitter.depth_of(cell, span));
            let kept = (emitter.place_of(saved, &[], &counter, span), Value::Of(value));
            let none = Value::Of(Term::constant(0, &counter, span));
            vec![(None, vec![kept, (owner.place, Value::Of(nobody(span))), (depth, none)])]
        });
        if let Some(set) = &set {
            self.each_cell(set, &mut |emitter, cell| vec![emitter.with_me(cell, BinaryOp::Union, None, span)]);
        }
        self.atomic -= 1;
        self.see_all(&[&access]);
        let is_woken = set.as_ref().map_or(Term::bool(true, span), |set| {
            self.all_of(set, &|emitter, cell| not(is_in(emitter.part(cell, span).value)))
        });
        self.each_cell(&access, &mut |emitter, cell| {
            if emitter.is_vague_cell(cell) {
                return unguarded();
            }
            let (owner, (depth, _)) = (emitter.part(cell, span), emitter.depth_of(cell, span));
            let is_free = and(equal(owner.value, nobody(span)), is_woken.clone());
            let again = Value::Of(read(saved, &counter, span));
            vec![(Some(is_free), vec![(owner.place, Value::Of(me(span))), (depth, again)])]
        });
        Ok(())
    }

    /// The set with the running thread, or without it.
    fn with_me(&self, cell: &Cell, op: BinaryOp, when: Option<Term>, span: Span) -> Outcome {
        if self.is_vague_cell(cell) {
            return (None, Vec::new());
        }
        let set = self.part(cell, span);
        let changed = Term::binary(op, set.value, set_with(Some(me(span)), span), set_sort());
        (when, vec![(set.place, Value::Of(changed))])
    }

    pub(super) fn notify(&mut self, waiting: &Place, all: bool, span: Span) -> Fallible<()> {
        let access = self.lock_access(waiting, span)?;
        if all {
            self.each_cell(&access, &mut |emitter, cell| match emitter.is_vague_cell(cell) {
                true => unguarded(),
                false => {
                    let empty = Value::Of(set_with(None, span));
                    vec![(None, vec![(emitter.part(cell, span).place, empty)])]
                }
            });
            return Ok(());
        }
        let chosen = VarRef::Local(self.temporary(&Sort::Tid, span));
        self.see_all(&[&access]);
        self.atomic += 1;
        let choice = vec![(self.place_of(chosen, &[], &Sort::Tid, span), Value::Any)];
        self.step(super::assigned(choice), span);
        self.each_cell(&access, &mut |emitter, cell| {
            if emitter.is_vague_cell(cell) {
                return unguarded();
            }
            let set = emitter.part(cell, span);
            let one = || read(chosen, Sort::Tid, span);
            let is_it = Term::binary(BinaryOp::In, one(), set.value.clone(), Sort::Bool);
            let nobody_waits = equal(set.value.clone(), set_with(None, span));
            let is_none = and(nobody_waits, equal(one(), nobody(span)));
            let rest = Term::binary(BinaryOp::Minus, set.value, set_with(Some(one()), span), set_sort());
            vec![(Some(is_none), Vec::new()), (Some(is_it), vec![(set.place, Value::Of(rest))])]
        });
        self.atomic -= 1;
        Ok(())
    }

    /// Nobody else holds the monitor.
    fn is_shareable(&mut self, monitor: &Place, span: Span) -> Fallible<Term> {
        let access = self.lock_access(monitor, span)?;
        self.see_all(&[&access]);
        Ok(self.all_of(&access, &|emitter, cell| {
            let owner = emitter.part(cell, span).value;
            or(equal(owner.clone(), nobody(span)), equal(owner, me(span)))
        }))
    }

    /// How often a thread is in a set is not counted.
    fn enters_once(&mut self, access: &Access, span: Span) {
        self.require(access, AssertionKind::Beyond, &|emitter, cell| not(is_in(emitter.part(cell, span).value)));
    }

    pub(super) fn set_enter(&mut self, monitor: &Place, set: &Place, span: Span) -> Fallible<()> {
        self.may_wait(span);
        let access = self.lock_access(set, span)?;
        self.enters_once(&access, span);
        let may = self.is_shareable(monitor, span)?;
        self.see_all(&[&access]);
        self.each_cell(&access, &mut |emitter, cell| {
            vec![emitter.with_me(cell, BinaryOp::Union, Some(may.clone()), span)]
        });
        Ok(())
    }

    pub(super) fn set_try(&mut self, monitor: &Place, set: &Place, result: &Place, span: Span) -> Fallible<()> {
        let access = self.lock_access(set, span)?;
        self.enters_once(&access, span);
        let may = self.is_shareable(monitor, span)?;
        self.tried(&access, result, span, &mut |emitter, cell| {
            vec![emitter.with_me(cell, BinaryOp::Union, Some(may.clone()), span)]
        })
    }

    pub(super) fn set_exit(&mut self, set: &Place, span: Span) -> Fallible<()> {
        let access = self.lock_access(set, span)?;
        self.require(&access, AssertionKind::Lock, &|emitter, cell| is_in(emitter.part(cell, span).value));
        self.at_once(&access, &mut |emitter, cell| vec![emitter.with_me(cell, BinaryOp::Minus, None, span)]);
        Ok(())
    }
}
