//! Locals that get a value when somebody looks at them, and not where they are declared.
//!
//! # The idea
//!
//! A local that is declared without a value has any. Mostly it gets one before anybody looks, and then nothing is chosen where it is
//! declared (`live`). Where its address is given to a function that sets it or not, `bool take(int *out)`, no analysis of paths tells that
//! it is looked at only where it was set; to choose among all values of an `int` for each such call is more than a search can try. So
//! it is remembered whether it was set, and where it is read and was not, it gets a value then, for good. Only its own
//! thread has to do with such a local, so nobody sees the difference.

use super::access::Cell;
use super::{Emitter, assigned};
use crate::code::{Base, Expr, ExprKind, InstructionKind, Language};
use crate::objects::{LeafId, Storage};
use crate::terms::{and, not, read};
use crate::walk::for_each_expr;
use std::collections::BTreeSet;
use threadwise_ir::{Command, EdgeId, Expr as Term, Op, Sort, Update, Value, VarRef};
use threadwise_source::Span;

impl Emitter<'_> {
    /// The locals whose addresses are taken, and which get any value where they are declared although nobody may look at it.
    pub(super) fn chosen_early(&self) -> BTreeSet<LeafId> {
        if self.is_outline || self.code.language == Language::Java || self.has_formulas_of_loops() {
            return BTreeSet::new();
        }
        let addressed = self.addressed_locals();
        let is_left = |&&(edge, leaf): &&(EdgeId, LeafId)| {
            let Op::Command(Command { update: Update::Assign(assignments), .. }) = &self.edges[edge.index()].op else {
                return false;
            };
            let var = self.kept[&leaf].var;
            assignments.iter().any(|(place, _)| place.var == var)
        };
        let is_addressed = |&&(_, leaf): &&(_, LeafId)| addressed.contains(&self.objects.leaf(leaf).object);
        self.early.iter().filter(is_addressed).filter(is_left).map(|(_, leaf)| *leaf).collect()
    }

    /// What is said of loops speaks of locals in all states.
    fn has_formulas_of_loops(&self) -> bool {
        let is_one = |kind: &InstructionKind| matches!(kind, InstructionKind::LoopInvariant(_));
        self.threads.instructions().any(|(_, instruction)| is_one(&instruction.kind))
    }

    fn addressed_locals(&self) -> BTreeSet<crate::objects::ObjectId> {
        let mut found = BTreeSet::new();
        for thread in self.threads.indices() {
            for block in &self.threads.get(thread).flat.blocks {
                for_each_expr(block, &mut |e: &Expr| {
                    if let ExprKind::Address(place) = &e.kind
                        && let Base::Local(local) = place.base
                    {
                        found.insert(self.objects.at(Storage::Local(thread, local)));
                    }
                });
            }
        }
        found
    }

    /// Before a cell is read: if it is one of these and was not set, it gets a value.
    pub(super) fn choose_late(&mut self, cell: &Cell, span: Span) {
        if !self.late.contains(&cell.leaf) || self.is_formula {
            return;
        }
        let kept = self.kept[&cell.leaf].clone();
        let Some(flag @ VarRef::Local(_)) = kept.is_set else { return };
        let is_unset = not(read(flag, Sort::Bool, span));
        let is_unset = cell.when.clone().map_or(is_unset.clone(), |when| and(when, is_unset));
        let chosen = vec![
            (self.place_of(kept.var, &[], &kept.element, span), Value::Any),
            (self.place_of(flag, &[], &Sort::Bool, span), Value::Of(Term::bool(true, span))),
        ];
        let (from, to) = (self.here, self.fresh(span));
        for (guard, assignments) in [(not(is_unset.clone()), Vec::new()), (is_unset, chosen)] {
            let command = Command { guard: Some(Box::new(guard)), ..assigned(assignments) };
            self.edge(from, to, command, span, None);
        }
        self.here = to;
    }
}
