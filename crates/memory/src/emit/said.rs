//! What only annotations say: which thread they are about, what is there after a step, all threads and all objects.
//!
//! A formula takes no steps, so what a reference may refer to is one term here: a choice among the objects. Behind a reference
//! to nothing there is zero, or nobody.

use super::access::{Access, Cell};
use super::{Emitter, Fallible};
use crate::code::{Base, Expr, Place, Said, StructId, Type};
use crate::layout::COUNT;
use crate::objects::{LeafId, ObjectId, Objects, Storage};
use crate::points::{Target, Targets};
use crate::terms::{and, equal, me, or, read};
use threadwise_ir::{
    BinaryOp, Binder, Contract, Domain, Expr as Term, ExprKind as TermKind, Quantifier, Sort, TemplateId, VarRef,
};
use threadwise_source::Span;

/// The objects of some structs, all of a pool at once.
pub(super) fn objects_of(objects: &Objects, structs: &[StructId]) -> Targets {
    let is_one = |id: &ObjectId| match (&objects.object(*id).storage, &objects.object(*id).ty) {
        (Storage::Heap(_), Type::Struct(of)) => structs.contains(of),
        _ => false,
    };
    let ids = (0..objects.objects.len() as u32).map(ObjectId);
    ids.filter(is_one).map(|object| Target { object, offset: 0 }).collect()
}

impl Emitter<'_> {
    pub(super) fn said(&mut self, said: &Said, sort: &Sort, span: Span) -> Fallible<Term> {
        Ok(match said {
            Said::Subject if self.is_contract => Term::new(TermKind::Bound(0), Sort::Tid, span),
            Said::Subject => me(span),
            Said::Thread(depth) => Term::new(TermKind::Bound(depth + u32::from(self.is_contract)), Sort::Tid, span),
            Said::After(e) => after(self.value(e)?),
            Said::Object => Term::constant(self.meant.unwrap_or(0), sort, span),
            Said::Holder(place) => self.of_library(place, span)?,
            Said::Implies(..)
            | Said::Iff(..)
            | Said::ForAllThreads(..)
            | Said::ForAllObjects(..)
            | Said::In(..)
            | Said::IsEmpty(_) => {
                let condition = self.said_condition(said, span)?;
                super::values::number(condition, sort.clone(), span)
            }
        })
    }

    pub(super) fn said_condition(&mut self, said: &Said, span: Span) -> Fallible<Term> {
        Ok(match said {
            Said::After(e) => after(self.condition(e)?),
            Said::Implies(a, b) => {
                let (a, b) = (self.condition(a)?, self.condition(b)?);
                Term::binary(BinaryOp::Implies, a, b, Sort::Bool)
            }
            Said::Iff(a, b) => {
                let (a, b) = (self.condition(a)?, self.condition(b)?);
                Term::binary(BinaryOp::Iff, a, b, Sort::Bool)
            }
            Said::ForAllThreads(name, e) => {
                let body = self.condition(e)?;
                let binder = Binder { name: name.clone(), domain: Domain::Sort(Sort::Tid) };
                Term::new(TermKind::Quantified(Quantifier::Forall, Box::new(binder), Box::new(body)), Sort::Bool, span)
            }
            Said::ForAllObjects(structs, e) => self.for_all_objects(structs, e, span)?,
            Said::In(thread, set) => {
                let thread = self.value(thread)?;
                Term::binary(BinaryOp::In, thread, self.of_library(set, span)?, Sort::Bool)
            }
            Said::IsEmpty(set) => {
                let none = super::locks::set_with(None, span);
                equal(self.of_library(set, span)?, none)
            }
            Said::Subject | Said::Thread(_) | Said::Object | Said::Holder(_) => Term::bool(true, span),
        })
    }

    /// What a formula says of each object, one after the other.
    fn for_all_objects(&mut self, structs: &[StructId], e: &Expr, span: Span) -> Fallible<Term> {
        let mut all = Term::bool(true, span);
        for target in objects_of(self.objects, structs) {
            let object = self.objects.object(target.object);
            let (slots, stride) = (object.slots, object.stride);
            for slot in 0..slots {
                self.points.meant = [target].into_iter().collect();
                self.meant = Some(self.address_of(target.object) + (slot * stride) as i64);
                all = and(all, self.condition(e)?);
            }
        }
        (self.points.meant, self.meant) = (Targets::new(), None);
        Ok(all)
    }

    /// A library's object as it is: who holds a monitor, who is in a set.
    fn of_library(&mut self, place: &Place, span: Span) -> Fallible<Term> {
        let access = self.access(place)?;
        let nothing = match self.pointers.element_sort(&place.ty) {
            Sort::Tid => crate::terms::nobody(span),
            _ => super::locks::set_with(None, span),
        };
        Ok(self.chosen(&access, nothing, &|emitter, cell| {
            let (kept, leaf) = (&emitter.kept[&cell.leaf], emitter.objects.leaf(cell.leaf));
            emitter.read_at(kept.var, leaf, &kept.element, &cell.indices, span)
        }))
    }

    /// What is in the one of several cells that a place is, or what there is where it is none.
    pub(super) fn chosen(&self, access: &Access, nothing: Term, value: &dyn Fn(&Emitter<'_>, &Cell) -> Term) -> Term {
        let mut chosen = nothing;
        for cell in access.cells.iter().rev() {
            let here = value(self, cell);
            chosen = match &cell.when {
                Some(when) if !crate::terms::is_true(when) => {
                    let sort = here.sort;
                    Term::conditional(when.clone(), here, chosen, sort, access.span)
                }
                _ => here,
            };
        }
        chosen
    }

    /// A formula means the one object of a reference that is set once, also before that is done.
    pub(super) fn only_object(&mut self, place: &Place) -> Option<Term> {
        let Base::Global(id) = place.base else { return None };
        if !place.path.is_empty() || !self.code.globals[id.index()].is_set_once {
            return None;
        }
        let targets = self.points.eval(self.thread, &Expr::load(place.clone()));
        let is_one = targets.len() == 1 && targets.iter().all(|of| self.objects.object(of.object).slots == 1);
        let target = targets.into_iter().next().filter(|_| is_one)?;
        let address = self.address_of(target.object) + target.offset as i64;
        Some(Term::constant(address, self.pointers.sort.clone(), place.span))
    }

    /// A reference that is set once refers to one of the objects that it may refer to, and stays what it is; the first thread
    /// knows that nobody else sets it.
    fn rely_of_reference(&mut self, id: LeafId, var: VarRef) {
        let object = self.objects.object(self.objects.leaf(id).object);
        let Storage::Global(global) = object.storage else { return };
        if !self.code.globals[global.index()].is_set_once {
            return;
        }
        let span = object.span;
        let value = read(var, self.pointers.sort.clone(), span);
        let now = after(value.clone());
        let stays = equal(now.clone(), value.clone());
        let once = or(stays.clone(), and(is(&value, 0), self.refers(id, &now)));
        let main = Domain::Copies(TemplateId(0));
        for (subject, formula) in [(Domain::Sort(Sort::Tid), once), (main, stays)] {
            self.program.relies.push(Contract { subject, binder: "t".into(), formula, span });
        }
    }

    /// That a reference is one of the addresses that may be there.
    fn refers(&self, id: LeafId, value: &Term) -> Term {
        let address = |target: &Target| self.address_of(target.object) + target.offset as i64;
        let all = self.points.of_leaf(id).iter().map(|target| is(value, address(target)));
        all.fold(Term::bool(false, value.span), or)
    }

    /// What holds of references that are set once, wherever control is: nothing else is known at the head of a loop whose
    /// invariant the user gives.
    pub(super) fn set_once_refer(&self) -> Vec<Term> {
        let mut all = Vec::new();
        for (&id, kept) in &self.kept {
            let object = self.objects.object(self.objects.leaf(id).object);
            if let Storage::Global(global) = object.storage
                && self.code.globals[global.index()].is_set_once
            {
                let value = read(kept.var, self.pointers.sort.clone(), object.span);
                all.push(or(is(&value, 0), self.refers(id, &value)));
            }
        }
        all
    }

    /// What every thread relies on, because nobody can do anything else: only who holds a monitor gives it back, and counts
    /// how often it was taken; nobody but the thread itself joins or leaves the readers of a lock.
    pub(super) fn relies_of_monitors(&mut self) {
        let kept: Vec<_> = self.kept.iter().map(|(leaf, kept)| (*leaf, kept.clone())).collect();
        for (id, kept) in kept {
            let leaf = self.objects.leaf(id).clone();
            if leaf.ty == Type::Pointer && leaf.dims.is_empty() {
                self.rely_of_reference(id, kept.var);
            }
            let (Type::Library(library, _), VarRef::Shared(_)) = (&leaf.ty, kept.var) else { continue };
            let is_monitor = *library == crate::code::Object::Monitor;
            let is_held_together = *library == crate::code::Object::ThreadSet && leaf.name.ends_with(".readers");
            if !is_monitor && !is_held_together {
                continue;
            }
            let span = self.objects.object(leaf.object).span;
            let i = || Term::new(TermKind::Bound(0), Sort::Tid, span);
            let mut all = Term::bool(true, span);
            for indices in indices(&leaf.dims.iter().map(|dim| dim.kept()).collect::<Vec<_>>(), span) {
                let value = self.read_at(kept.var, &leaf, &kept.element, &indices, span);
                let is_mine = match is_monitor {
                    true => equal(value, i()),
                    false => Term::binary(BinaryOp::In, i(), value, Sort::Bool),
                };
                let stays = Term::binary(BinaryOp::Iff, is_mine.clone(), after(is_mine.clone()), Sort::Bool);
                all = and(all, stays);
                if let (true, Some(depth)) = (is_monitor, kept.more.first()) {
                    let depth = self.read_at(VarRef::Shared(*depth), &leaf, &Sort::Bits(COUNT), &indices, span);
                    let same = equal(after(depth.clone()), depth);
                    all = and(all, Term::binary(BinaryOp::Implies, is_mine, same, Sort::Bool));
                }
            }
            let subject = Domain::Sort(Sort::Tid);
            self.program.relies.push(Contract { subject, binder: "t".into(), formula: all, span });
        }
    }
}

fn is(value: &Term, address: i64) -> Term {
    equal(value.clone(), Term::constant(address, value.sort, value.span))
}

/// All indices into an array of these lengths.
fn indices(lengths: &[u64], span: Span) -> Vec<Vec<Term>> {
    let mut all = vec![Vec::new()];
    for &length in lengths {
        let longer = |known: &Vec<Term>| {
            let known = known.clone();
            (0..length as i64).map(move |index| [known.clone(), vec![crate::terms::int(index, span)]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// What is read of shared variables is read after the step.
pub(super) fn after(value: Term) -> Term {
    value.map(&mut |part| match part.kind {
        TermKind::Read(var @ VarRef::Shared(_)) => Some(TermKind::ReadAfter(var)),
        _ => None,
    })
}
