//! What is said about a program besides its code: invariants, what it starts with, contracts. Formulas read variables where
//! they are, and take no steps.

use super::{Emitter, Fallible};
use crate::code::{Annotations, Base, Code, Expr, ExprKind, FunctionId, GlobalId, Language, Place, Said, StructId};
use crate::layout::{Accesses, loads_of_expr};
use crate::objects::{LeafId, Storage, ThreadIndex};
use crate::points::Points;
use threadwise_ir::{Contract, Domain, Expr as Term, Property, Region, Sort, TemplateId, VarRef, Violated, Wording};
use threadwise_source::{Diagnostic, Span};

/// A place that stands for another one after a step, as that one.
pub(super) fn before_step(code: &Code, place: &Place) -> Option<Place> {
    let Base::Global(id) = place.base else { return None };
    let before: GlobalId = *code.annotations.after.get(&id)?;
    Some(Place { base: Base::Global(before), ..place.clone() })
}

/// Notes what annotations mention: there are variables for that, and to access them is a step, because formulas speak of
/// the states in between.
pub(super) fn mention(code: &Code, points: &mut Points<'_>, accesses: &mut Accesses) {
    let Annotations { invariants, init, noraces, relies, guarantees, automatic: _, after: _ } = &code.annotations;
    let contracts = relies.iter().chain(guarantees).map(|(_, formula, _)| formula);
    let mut places: Vec<Place> = noraces.iter().map(|(place, _)| place.clone()).collect();
    places.extend(invariants.iter().chain(contracts).flat_map(loads_of_expr));
    let ghosts = code.globals.iter().zip(0..).filter(|(global, _)| global.is_ghost);
    accesses.ghosts = ghosts.map(|(_, id)| points.objects.at(Storage::Global(GlobalId(id)))).collect();
    let mut structs = Vec::new();
    for e in invariants.iter().chain(relies.iter().chain(guarantees).map(|(_, formula, _)| formula)) {
        quantified(e, &mut structs);
    }
    points.meant = super::said::objects_of(points.objects, &structs);
    let mut note = |place: &Place, is_free: bool| {
        let place = before_step(code, place).unwrap_or_else(|| place.clone());
        for leaf in points.leaves_of(ThreadIndex(0), &place) {
            accesses.by.entry(leaf).or_default();
            accesses.mentioned.insert(leaf);
            if is_free {
                accesses.free_at_start.insert(leaf);
            }
        }
    };
    places.iter().for_each(|place| note(place, false));
    init.iter().flat_map(loads_of_expr).for_each(|place| note(&place, true));
    points.meant.clear();
}

/// The structs of whose objects a formula speaks.
fn quantified(e: &Expr, structs: &mut Vec<StructId>) {
    crate::walk::for_each_part(e, &mut |e| {
        if let ExprKind::Said(said) = &e.kind
            && let Said::ForAllObjects(of, _) = &**said
        {
            structs.extend(of);
        }
    });
}

impl Emitter<'_> {
    pub(super) fn annotate(&mut self) -> Fallible<()> {
        let code = self.code;
        let (said, checks) = (&code.annotations, self.checks);
        for e in said.invariants.iter().filter(|_| checks.assertions) {
            self.starts_with_values(e)?;
            let violated = Violated::When(self.formula(ThreadIndex(0), e)?, false);
            self.program.properties.push(Property { wording: Wording::Invariant(None), violated, span: e.span });
        }
        for e in &said.init {
            let formula = self.formula(ThreadIndex(0), e)?;
            self.program.init.push(formula);
        }
        for (function, e, span) in &said.relies {
            let contracts = self.contracts(*function, e, *span)?;
            self.program.relies.extend(contracts);
        }
        for (function, e, span) in &said.guarantees {
            let contracts = self.contracts(*function, e, *span)?;
            self.program.guarantees.extend(contracts);
        }
        if code.language == Language::Java && !said.relies.is_empty() {
            self.relies_of_monitors();
        }
        for (place, span) in said.noraces.iter().filter(|_| !checks.races) {
            self.no_race(place, *span);
        }
        Ok(())
    }

    /// Arrays get their initial values by the first steps of main, and have others before.
    fn starts_with_values(&mut self, e: &Expr) -> Fallible<()> {
        for place in loads_of_expr(e) {
            let leaves = self.points.leaves_of(ThreadIndex(0), &place);
            let is_set_later = |leaf: &LeafId| {
                let leaf = self.objects.leaf(*leaf);
                !leaf.dims.is_empty() && !self.initial_values(leaf).is_empty()
            };
            if leaves.iter().any(is_set_later) {
                let error = Diagnostic::error(place.span, "an invariant speaks of an array with initial values");
                return Err(Box::new(error.hint("give the array its values in main")));
            }
        }
        Ok(())
    }

    fn contracts(&mut self, function: Option<FunctionId>, e: &Expr, span: Span) -> Fallible<Vec<Contract>> {
        self.is_contract = true;
        let formula = self.formula(ThreadIndex(0), e);
        self.is_contract = false;
        let formula = formula?;
        let Some(function) = function else {
            return Ok(vec![Contract { subject: Domain::Sort(Sort::Tid), binder: "t".into(), formula, span }]);
        };
        let runs = |thread: &ThreadIndex| self.threads.get(*thread).flat.root == function;
        let threads: Vec<ThreadIndex> = self.threads.indices().filter(runs).collect();
        if threads.is_empty() {
            let name = &self.code.function(function).name;
            return Err(Box::new(Diagnostic::error(span, format!("no thread runs `{name}`"))));
        }
        let of = |thread: ThreadIndex| Contract {
            subject: Domain::Copies(TemplateId(thread.0)),
            binder: "t".into(),
            formula: formula.clone(),
            span,
        };
        Ok(threads.into_iter().map(of).collect())
    }

    /// A formula that holds or not, as far as variables alone tell.
    pub(super) fn formula(&mut self, thread: ThreadIndex, e: &Expr) -> Fallible<Term> {
        let (edges, overflow) = (self.edges.len(), self.checks.overflow);
        (self.is_formula, self.thread, self.checks.overflow) = (true, thread, false);
        let formula = self.condition(e);
        (self.is_formula, self.checks.overflow) = (false, overflow);
        let formula = formula?;
        if self.edges.len() != edges {
            let error = Diagnostic::error(e.span, "this cannot be said in an annotation");
            let hint = "use variables, their fields, elements with constant indices, and operators that cannot fail";
            return Err(Box::new(error.hint(hint)));
        }
        Ok(formula)
    }

    /// What is in a place after a step, if it is one that stands for that.
    pub(super) fn load_after(&mut self, place: &Place) -> Fallible<Option<Term>> {
        let Some(before) = before_step(self.code, place) else { return Ok(None) };
        let value = self.load(&before)?;
        Ok(Some(super::said::after(value)))
    }

    fn no_race(&mut self, place: &Place, span: Span) {
        for id in self.points.leaves_of(ThreadIndex(0), place) {
            let (leaf, kept) = (self.objects.leaf(id), self.kept.get(&id));
            if let Some(VarRef::Shared(var)) = kept.map(|kept| kept.var) {
                let region = Region { vars: vec![var], depth: leaf.dims.len(), plain: false };
                let name = leaf.name.clone();
                if self.accesses.atomic.contains(&id) {
                    self.program.properties.extend(Property::norace_unless_atomic(name, region, span));
                } else {
                    self.program.properties.push(Property::norace(name, region, span));
                }
            }
        }
    }

    /// The next loop has an invariant.
    pub(super) fn expect_loop(&mut self, e: &Expr) -> Fallible<()> {
        let formula = self.formula(self.thread, e)?;
        self.loop_invariants.push(formula);
        let known = self.set_once_refer();
        self.loop_invariants.extend(known);
        Ok(())
    }
}
