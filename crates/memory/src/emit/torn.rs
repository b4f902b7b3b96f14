//! Plain integers of 64 bits in Java: a virtual machine may access one in two halves (JLS 17.7), so that what is read may be half
//! of one store and half of another. Which half comes first is not said.
//!
//! That shows only where somebody stores while another thread accesses the same variable. Where that cannot be, which is asked of
//! the program that accesses them whole, they stay whole.

use super::Emitter;
use super::access::Access;
use super::movers::Movers;
use crate::code::{Language, Type};
use crate::objects::{LeafId, Storage};
use crate::terms::{not, read};
use std::collections::BTreeSet;
use threadwise_ir::{BinaryOp, Expr as Term, Sort, Value, VarRef};
use threadwise_source::Span;

const LOW: i64 = 0xffff_ffff;

/// The low half of one value and the high half of another.
fn mixed(low: Term, high: Term, span: Span) -> Term {
    let sort = low.sort;
    let part = |e: Term, mask: i64| {
        let mask = Term::constant(mask, sort, span);
        Term::binary(BinaryOp::BitAnd, e, mask, sort)
    };
    Term::binary(BinaryOp::BitOr, part(low, LOW), part(high, !LOW), sort)
}

impl Emitter<'_> {
    /// The variables whose halves somebody may see apart.
    pub(super) fn tearable(&mut self) -> BTreeSet<LeafId> {
        let mut asked = self.checks;
        asked.races = false;
        let is_asked = self.code.language == Language::Java && !asked.names().is_empty() && self.torn.is_empty();
        let variable = |id: &LeafId| match self.kept.get(id)?.var {
            VarRef::Shared(var) => Some((*id, var)),
            VarRef::Local(_) => None,
        };
        let wide = |id: &&LeafId| {
            let leaf = self.objects.leaf(**id);
            let is_ghost = match self.objects.object(leaf.object).storage {
                Storage::Global(global) => self.code.globals[global.index()].is_ghost,
                _ => false,
            };
            matches!(&leaf.ty, Type::Int(bits) if bits.width == 64) && self.accesses.plain.contains(id) && !is_ghost
        };
        let all: Vec<_> = self.visible.iter().filter(|_| is_asked).filter(wide).filter_map(variable).collect();
        if all.is_empty() {
            return BTreeSet::new();
        }
        let own = std::mem::take(&mut self.own_edges);
        self.with_surroundings(&own, |of| {
            let movers = Movers::of(of);
            all.into_iter().filter(|(_, var)| !movers.is_calm(*var)).map(|(id, _)| id).collect()
        })
    }

    pub(super) fn is_in_halves(&self, access: &Access) -> bool {
        let is_seen = !access.atomic && !access.fresh && !self.is_formula;
        is_seen && access.cells.iter().any(|cell| self.torn.contains(&cell.leaf))
    }

    pub(super) fn load_in_halves(&mut self, access: &Access, sort: &Sort) -> Term {
        let span = access.span;
        let Sort::Bits(bits) = sort else { return Term::constant(0, sort, span) };
        let ty = Type::Int(*bits);
        let (first, whole) = (VarRef::Local(self.temporary(sort, span)), VarRef::Local(self.temporary(sort, span)));
        let wording = self.wording.clone();
        self.accessing_half(wording.clone(), false);
        self.each_cell(access, &mut |emitter, cell| {
            let seen = emitter.seen_as(cell, &ty, span);
            vec![(None, vec![(emitter.place_of(first, &[], sort, span), Value::Of(seen))])]
        });
        self.second_half(wording, access, &mut |emitter, cell| {
            let (before, seen) = (read(first, sort, span), emitter.seen_as(cell, &ty, span));
            let to = |value| vec![(emitter.place_of(whole, &[], sort, span), Value::Of(value))];
            vec![(None, to(mixed(before.clone(), seen.clone(), span))), (None, to(mixed(seen, before, span)))]
        });
        read(whole, sort, span)
    }

    pub(super) fn store_in_halves(&mut self, access: &Access, value: &Term) {
        let span = access.span;
        let is_low = VarRef::Local(self.temporary(&Sort::Bool, span));
        let wording = self.wording.clone();
        self.accessing_half(wording.clone(), false);
        self.each_cell(access, &mut |emitter, cell| {
            let kept = &emitter.kept[&cell.leaf];
            let (value, now) = (emitter.changed(value.clone(), &kept.element), emitter.now(cell, span));
            let to = |value, low| {
                let place = emitter.place_of(kept.var, &cell.indices, &kept.element, span);
                let flag = emitter.place_of(is_low, &[], &Sort::Bool, span);
                vec![(place, Value::Of(value)), (flag, Value::Of(Term::bool(low, span)))]
            };
            vec![(None, to(mixed(value.clone(), now.clone(), span), true)), (None, to(mixed(now, value, span), false))]
        });
        self.second_half(wording, access, &mut |emitter, cell| {
            let kept = &emitter.kept[&cell.leaf];
            let (value, now) = (emitter.changed(value.clone(), &kept.element), emitter.now(cell, span));
            let to = |value| vec![(emitter.place_of(kept.var, &cell.indices, &kept.element, span), Value::Of(value))];
            let was_low = read(is_low, Sort::Bool, span);
            vec![
                (Some(was_low.clone()), to(mixed(now.clone(), value.clone(), span))),
                (Some(not(was_low)), to(mixed(value, now, span))),
            ]
        });
    }

    fn now(&self, cell: &super::access::Cell, span: Span) -> Term {
        let kept = &self.kept[&cell.leaf];
        self.read_at(kept.var, self.objects.leaf(cell.leaf), &kept.element, &cell.indices, span)
    }

    fn second_half(
        &mut self,
        wording: Option<super::telling::Wording>,
        access: &Access,
        act: &mut dyn FnMut(&Emitter<'_>, &super::access::Cell) -> Vec<super::access::Outcome>,
    ) {
        self.accessing_half(wording, true);
        self.is_second_half = true;
        self.each_cell(access, act);
        self.is_second_half = false;
    }
}
