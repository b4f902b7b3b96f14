//! What an outline does not keep apart. It is lowered for proofs that nothing races, which need no values: objects of which
//! nobody knows how many there are, and arrays of which nobody knows how long they are, are one variable each for all
//! their elements. It says nothing but who accesses them. Whatever is loaded from there may be any value, and so is the
//! address of a new object: two of them may be equal or not. A lock that is there keeps nobody out. So the outline does
//! at least what the program does.

use super::{Emitter, assigned};
use crate::apart::Apart;
use crate::code::{Expr, ExprKind, Place};
use crate::emit::access::{Access, Cell, Outcome};
use crate::objects::{LeafId, MAX_ELEMENTS, ObjectId, Objects, Storage};
use crate::terms::read;
use crate::threads::Site;
use std::collections::BTreeSet;
use threadwise_ir::{
    BinaryOp, Expr as Term, ExprKind as TermKind, LocationId, Place as TermPlace, Sort, Value, VarRef,
};
use threadwise_source::Span;

/// The sort of the variable that stands for a part of vague objects. Nobody asks for its value.
pub(super) const VAGUE: Sort = Sort::Bool;

/// The objects of which there may be more, or that may be longer, than can be kept apart.
pub(super) fn vague_objects(objects: &Objects, sites: &[Site]) -> BTreeSet<ObjectId> {
    let ids = (0..objects.objects.len() as u32).map(ObjectId);
    let is_vague = |id: &ObjectId| {
        let object = objects.object(*id);
        let is_long =
            object.leaves.iter().any(|&leaf| objects.leaf(leaf).dims.iter().any(|dim| dim.count > MAX_ELEMENTS));
        let is_uncertain = match object.storage {
            Storage::Heap(site) => !sites[site.index()].exact || !sites[site.index()].counted,
            Storage::Global(_) | Storage::ThreadLocal(..) | Storage::Local(..) | Storage::Function(_) => false,
        };
        is_long || is_uncertain
    };
    ids.filter(is_vague).collect()
}

impl Emitter<'_> {
    pub(super) fn is_vague(&self, object: ObjectId) -> bool {
        self.vague.contains(&object)
    }

    pub(super) fn is_vague_cell(&self, cell: &Cell) -> bool {
        self.is_vague(self.objects.leaf(cell.leaf).object)
    }

    /// What is divided among threads is not kept apart otherwise.
    pub(super) fn divide(&mut self, apart: Apart) {
        let ids = (0..self.objects.objects.len() as u32).map(ObjectId);
        self.vague.extend(ids.filter(|&id| apart.is_divided(id)));
        self.apart = apart;
    }

    /// Whether a part of vague objects has a part of its own for each thread.
    pub(super) fn is_divided(&self, leaf: LeafId) -> bool {
        let leaf = self.objects.leaf(leaf);
        leaf.ty.is_scalar() && self.apart.is_divided(leaf.object)
    }

    /// The sort of the variable for a part of vague objects.
    pub(super) fn vague_sort(&self, leaf: LeafId) -> Sort {
        if self.is_divided(leaf) { Sort::array(Sort::Tid, VAGUE) } else { VAGUE }
    }

    /// The objects among those of these cells that are divided, where a place in them belongs to the running thread.
    pub(super) fn own_objects(&self, cells: &[Cell], place: &Place) -> Vec<ObjectId> {
        let Some(at) = self.at else { return Vec::new() };
        let objects = cells.iter().map(|cell| self.objects.leaf(cell.leaf).object);
        objects.filter(|&object| self.apart.is_own(&self.points, at, place, object)).collect()
    }

    /// The variable, or its part for the thread that runs.
    fn vague_variable(&self, cell: &Cell, is_own: bool, span: Span) -> (TermPlace, Term) {
        let (var, sort) = (self.kept[&cell.leaf].var, self.vague_sort(cell.leaf));
        let whole = read(var, &sort, span);
        if !is_own || !self.is_divided(cell.leaf) {
            return (self.place_of(var, &[], &sort, span), whole);
        }
        let own = Term::new(TermKind::SelfThread, Sort::Tid, span);
        let part = Term::new(TermKind::Index(Box::new(whole), Box::new(own.clone())), VAGUE, span);
        (self.place_of(var, &[own], &VAGUE, span), part)
    }

    /// Gives a place any value; that is a load, which other threads can race with unless the object is new.
    pub(super) fn vague_load(&self, cell: &Cell, access: &Access, to: TermPlace) -> Vec<Outcome> {
        if access.fresh {
            return vec![(None, vec![(to, Value::Any)])];
        }
        let (_, value) = self.vague_variable(cell, self.is_own(cell, access), access.span);
        let is_read = Term::binary(BinaryOp::Eq, value.clone(), value, Sort::Bool);
        vec![(Some(is_read), vec![(to, Value::Any)])]
    }

    pub(super) fn vague_store(&self, cell: &Cell, access: &Access) -> Vec<Outcome> {
        if access.fresh {
            return vec![(None, Vec::new())];
        }
        vec![(None, vec![(self.vague_variable(cell, self.is_own(cell, access), access.span).0, Value::Any)])]
    }

    fn is_own(&self, cell: &Cell, access: &Access) -> bool {
        access.own.contains(&self.objects.leaf(cell.leaf).object)
    }

    /// What frees an object writes all of it.
    pub(super) fn vague_free(&mut self, object: ObjectId, pointer: &Expr, [from, to]: [LocationId; 2], span: Span) {
        let is_own = self.at.is_some_and(|at| self.apart.is_own_pointer(at, pointer, object));
        let leaves = self.objects.object(object).leaves.iter();
        let visible = leaves.filter(|leaf| self.visible.contains(leaf) && self.objects.leaf(**leaf).ty.is_scalar());
        let written = visible.map(|&leaf| {
            let cell = Cell { leaf, indices: Vec::new(), when: None };
            (self.vague_variable(&cell, is_own, span).0, Value::Any)
        });
        let command = assigned(written.collect());
        self.edge(from, to, command, span, None);
    }

    /// Whether a pointer that is compared with functions points to none but these, or is null or was never set: then a
    /// call of something else is an error that nobody looks for here.
    pub(super) fn calls_one_of(&mut self, e: &Expr) -> bool {
        let (mut functions, mut callee, mut parts) = (BTreeSet::new(), None, vec![e]);
        while let Some(part) = parts.pop() {
            match &part.kind {
                ExprKind::Or(a, b) => parts.extend([&**a, &**b]),
                ExprKind::Binary(_, pointer, function) => {
                    callee = Some(&**pointer);
                    functions.extend(match function.kind {
                        ExprKind::Function(id) => Some(Storage::Function(id)),
                        _ => None,
                    });
                }
                _ => {}
            }
        }
        let Some(callee) = callee else { return false };
        let targets = self.points.eval(self.thread, callee);
        let is_known = |object: ObjectId| functions.contains(&self.objects.object(object).storage);
        targets.iter().all(|target| is_known(target.object)) && !self.points.may_be_unknown(self.thread, callee)
    }

    /// The ways in which something happens to a library's object of which nobody knows the state: each gives a number.
    pub(super) fn vague_ways(&self, to: VarRef, sort: &Sort, numbers: &[i64], span: Span) -> Vec<Outcome> {
        let way = |&number: &i64| {
            let value = Value::Of(Term::constant(number, sort, span));
            (None, vec![(self.place_of(to, &[], sort, span), value)])
        };
        numbers.iter().map(way).collect()
    }
}
