//! Random properties.

use super::build::{Sort, at, binary, eq, field, int, item, name, not, quantified, var};
use super::dice::Dice;
use super::expressions::{Expressions, Scope, Var};
use threadwise_front_tw::ast::{BinaryOp, Expr, Item, ItemKind, Quantifier, TypeKind, Watched};

/// What a property can say about a thread.
pub(crate) struct ThreadView {
    pub(crate) name: String,
    pub(crate) replicated: bool,
    pub(crate) labels: Vec<String>,
    pub(crate) critical: Vec<String>,
    /// The locals of its outermost block.
    pub(crate) locals: Vec<Var>,
}

/// Makes properties.
pub(crate) struct Properties<'a> {
    pub(crate) dice: &'a mut Dice,
    pub(crate) scope: &'a Scope,
    pub(crate) threads: &'a [ThreadView],
}

impl Properties<'_> {
    pub(crate) fn property(&mut self) -> Item {
        item(match self.dice.below(6) {
            0 => ItemKind::Invariant(None, self.range_or_condition()),
            1 => ItemKind::Invariant(Some(name("inv")), self.about_points(true)),
            2 => ItemKind::Never(None, self.overlap()),
            3 => ItemKind::Never(Some(name("bad")), self.about_points(false)),
            4 => ItemKind::Invariant(None, self.about_locals()),
            _ => self.norace(),
        })
    }

    /// States that may or may not be reachable; no property.
    pub(crate) fn exceptions(&mut self) -> Item {
        item(ItemKind::Exceptions(match self.dice.below(3) {
            0 => self.overlap(),
            1 => self.about_points(false),
            _ => self.about_locals(),
        }))
    }

    pub(super) fn condition(&mut self, depth: usize) -> Expr {
        Expressions { dice: self.dice, scope: self.scope }.bool(depth)
    }

    /// A bound that holds anyway, or a condition that may hold.
    fn range_or_condition(&mut self) -> Expr {
        let is_range = |var: &&Var| matches!(var.sort, Sort::Range(..));
        let ranges: Vec<&Var> = self.scope.vars.iter().filter(is_range).collect();
        if ranges.is_empty() || self.dice.chance(50) {
            let (a, b) = (self.condition(1), self.condition(1));
            return binary(BinaryOp::Or, a, b);
        }
        let chosen = *self.dice.pick(&ranges);
        let Sort::Range(_, hi) = chosen.sort else { unreachable!("only ranges were collected") };
        let bound = hi - i64::from(self.dice.chance(30));
        binary(BinaryOp::Le, var(&chosen.name), int(bound))
    }

    /// That a thread is at some point; `None` if there is no such point.
    pub(super) fn somebody_at(&mut self, critical_only: bool) -> Option<Expr> {
        let thread = self.dice.pick(self.threads);
        let labels = if critical_only { &thread.critical } else { &thread.labels };
        if labels.is_empty() {
            return None;
        }
        let label = self.dice.pick(labels);
        Some(if thread.replicated {
            let copies = TypeKind::Named(thread.name.clone());
            quantified(Quantifier::Exists, &[("i", copies)], at(var("i"), label))
        } else {
            at(var(&thread.name), label)
        })
    }

    /// While somebody is at a point something holds, or does not.
    fn about_points(&mut self, holds: bool) -> Expr {
        let Some(point) = self.somebody_at(false) else {
            let condition = self.condition(2);
            return if holds { condition } else { not(condition) };
        };
        let condition = self.condition(1);
        binary(if holds { BinaryOp::Implies } else { BinaryOp::And }, point, condition)
    }

    /// Two threads are at critical points.
    fn overlap(&mut self) -> Expr {
        let chosen = self.dice.pick(self.threads);
        if chosen.replicated && !chosen.critical.is_empty() {
            let label = self.dice.pick(&chosen.critical);
            let differ = binary(BinaryOp::Ne, var("i"), var("j"));
            let both = binary(BinaryOp::And, at(var("i"), label), at(var("j"), label));
            let copies = TypeKind::Named(chosen.name.clone());
            let body = binary(BinaryOp::And, differ, both);
            return quantified(Quantifier::Exists, &[("i", copies.clone()), ("j", copies)], body);
        }
        match (self.somebody_at(true), self.somebody_at(false)) {
            (Some(one), Some(other)) => binary(BinaryOp::And, one, other),
            _ => self.about_points(false),
        }
    }

    fn about_locals(&mut self) -> Expr {
        let thread = self.dice.pick(self.threads);
        if thread.locals.is_empty() {
            return self.about_points(true);
        }
        let local = self.dice.pick(&thread.locals).clone();
        let owner = if thread.replicated { "i" } else { &thread.name };
        let value = field(var(owner), &local.name);
        let body = match &local.sort {
            Sort::Bool => value,
            Sort::Range(_, hi) => binary(BinaryOp::Le, value, int(*hi - i64::from(self.dice.chance(40)))),
            sort => {
                let other = Expressions { dice: self.dice, scope: self.scope }.value(sort, 0);
                eq(value, other)
            }
        };
        let body = if self.dice.chance(50) { binary(BinaryOp::Or, self.condition(1), body) } else { body };
        if !thread.replicated {
            return body;
        }
        let copies = TypeKind::Named(thread.name.clone());
        match self.dice.below(3) {
            0 => quantified(Quantifier::Forall, &[("i", copies)], body),
            1 => quantified(Quantifier::Exists, &[("i", copies)], body),
            _ => {
                let number = quantified(Quantifier::Count, &[("i", copies)], body);
                binary(BinaryOp::Le, number, int(self.dice.between(1, 3)))
            }
        }
    }

    fn norace(&mut self) -> ItemKind {
        let chosen = self.dice.pick(&self.scope.vars).clone();
        let mut depth = 0;
        let mut sort = &chosen.sort;
        while let Sort::Array(_, element) = sort
            && self.dice.chance(75)
        {
            (depth, sort) = (depth + 1, element);
        }
        ItemKind::NoRace(vec![Watched { name: name(&chosen.name), depth }])
    }
}
