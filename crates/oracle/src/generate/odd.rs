//! What engines were once wrong about and ordinary random programs rarely show: numbers near the limits of 64 bits,
//! errors that only some values of a bound or primed variable lead to, properties of few states or of labels alone.

use super::build::{Sort, at, binary, eq, expr, field, int, item, not, quantified, type_kind, var};
use super::expressions::{Expressions, Var};
use super::properties::Properties;
use threadwise_front_tw::ast::{BinaryOp, Expr, ExprKind, Item, ItemKind, Quantifier, TypeKind};

fn literal(elements: Vec<Expr>) -> Expr {
    expr(ExprKind::SetLiteral(elements))
}

impl Expressions<'_> {
    /// A number near the limits of 64 bits.
    fn extreme(&mut self) -> Expr {
        match self.dice.below(5) {
            0 => int(i64::MAX),
            1 => int(i64::MAX - 1),
            2 => int(-i64::MAX),
            // A minus sign cannot stand before a number that is too large without it.
            3 => binary(BinaryOp::Sub, int(-i64::MAX), int(1)),
            _ => int(1 << 62),
        }
    }

    /// Something divided by an extreme number, which as a rule is small.
    pub(crate) fn divided_by_extreme(&mut self, depth: usize) -> Expr {
        let op = *self.dice.pick(&[BinaryOp::Div, BinaryOp::Div, BinaryOp::Mod]);
        let small = self.int(depth - 1);
        binary(op, small, self.extreme())
    }

    /// A condition that for some values of a number fails. The number is of the type of a range.
    pub(crate) fn failing_condition(&mut self, number: Expr) -> Expr {
        let (one, other) = (self.dice.between(-1, 2), self.dice.between(0, 3));
        match self.dice.below(6) {
            0 => eq(binary(BinaryOp::Div, int(other), binary(BinaryOp::Sub, number, int(one))), int(0)),
            1 => binary(BinaryOp::Ne, binary(BinaryOp::Mod, int(other), number), int(one)),
            2 => binary(BinaryOp::In, int(one), literal(vec![number])),
            3 => binary(BinaryOp::In, number, literal(vec![int(one), int(other)])),
            _ => match self.place(&|sort| *sort == Sort::Set(Box::new(Sort::Range(0, 2))), false) {
                Some((set, _)) if self.dice.chance(50) => binary(BinaryOp::Subset, literal(vec![number]), set),
                Some((set, _)) => eq(set, literal(vec![int(one.max(0)), number])),
                None => binary(BinaryOp::Lt, binary(BinaryOp::Div, int(other), number), int(one)),
            },
        }
    }

    /// A quantifier that may or may not come to the value for which its body fails.
    pub(crate) fn failing_quantifier(&mut self) -> Expr {
        let quantifier = *self.dice.pick(&[Quantifier::Forall, Quantifier::Exists]);
        let (lo, hi) = match self.dice.below(8) {
            0 => (i64::MAX - 1, i64::MAX),
            1 => (-i64::MAX, 1 - i64::MAX),
            _ => (self.dice.between(-1, 1), self.dice.between(1, 3)),
        };
        let fails = self.failing_condition(var("k"));
        let body = match self.dice.below(3) {
            0 => fails,
            1 => binary(BinaryOp::Or, self.bool(0), fails),
            _ => binary(BinaryOp::And, fails, self.bool(0)),
        };
        quantified(quantifier, &[("k", type_kind(&Sort::Range(lo, hi)))], body)
    }
}

impl Properties<'_> {
    /// A property that few states decide.
    pub(crate) fn odd_property(&mut self) -> Item {
        item(match self.dice.below(5) {
            0 => ItemKind::Invariant(None, self.somebody_somewhere()),
            1 => ItemKind::Never(None, not(self.somebody_somewhere())),
            2 => ItemKind::Never(None, self.one_state()),
            3 => ItemKind::Invariant(None, not(self.one_state())),
            _ => ItemKind::Invariant(None, self.failing_for_some_copy()),
        })
    }

    /// Somebody is at one of a few labels, perhaps for sure only under a condition.
    fn somebody_somewhere(&mut self) -> Expr {
        let mut e = self.condition(1);
        if let (true, Some(point)) = (self.dice.chance(40), self.somebody_at(false)) {
            e = if self.dice.chance(50) { point } else { not(point) };
        }
        for _ in 0..1 + self.dice.below(2) {
            if let Some(point) = self.somebody_at(false) {
                e = binary(BinaryOp::Or, point, e);
            }
        }
        e
    }

    /// Up to three variables have certain values, and perhaps somebody is at a label, or nobody is.
    fn one_state(&mut self) -> Expr {
        let is_plain = |var: &&Var| matches!(var.sort, Sort::Bool | Sort::Range(..) | Sort::Phase);
        let plain: Vec<Var> = self.scope.vars.iter().filter(is_plain).cloned().collect();
        let mut parts = Vec::new();
        for chosen in plain.iter().take(3) {
            let value = match &chosen.sort {
                Sort::Range(lo, hi) => int(self.dice.between(*lo, *hi)),
                sort => Expressions { dice: self.dice, scope: self.scope }.value(sort, 0),
            };
            parts.push(eq(var(&chosen.name), value));
        }
        if let Some(point) = self.somebody_at(false) {
            parts.push(if self.dice.chance(50) { not(point) } else { point });
        }
        let all = parts.into_iter().reduce(|all, part| binary(BinaryOp::And, all, part));
        all.unwrap_or_else(|| self.condition(1))
    }

    /// A quantifier over the copies of a thread whose body fails for some copies; which, depends on their states.
    fn failing_for_some_copy(&mut self) -> Expr {
        let thread = self.dice.pick(self.threads);
        let is_range = |var: &&Var| matches!(var.sort, Sort::Range(..));
        let ranges: Vec<&Var> = thread.locals.iter().filter(is_range).collect();
        if !thread.replicated || ranges.is_empty() {
            return Expressions { dice: self.dice, scope: self.scope }.failing_quantifier();
        }
        let local = self.dice.pick(&ranges).name.clone();
        let fails = Expressions { dice: self.dice, scope: self.scope }.failing_condition(field(var("i"), &local));
        let body = match thread.labels.first() {
            Some(label) if self.dice.chance(50) => binary(BinaryOp::Or, at(var("i"), label), fails),
            _ => fails,
        };
        let quantifier = *self.dice.pick(&[Quantifier::Exists, Quantifier::Exists, Quantifier::Forall]);
        quantified(quantifier, &[("i", TypeKind::Named(thread.name.clone()))], body)
    }
}
