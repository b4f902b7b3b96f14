//! The integers that a program compares something with. Where an input may be any integer, these are the ones worth
//! trying: on one side of them the program goes one way, and on the other side another.

use crate::{BinaryOp, Expr, ExprKind, Program};
use std::collections::BTreeSet;

/// More integers than these do not pay: each is one more value of each input.
const MOST: usize = 8;

impl Program {
    /// The least integers by magnitude that occur in comparisons, each with its two neighbours. Sorted.
    pub fn compared_integers(&self) -> Vec<i64> {
        let mut found = BTreeSet::new();
        self.walk_expressions(&mut |e| {
            if let ExprKind::Binary(op, a, b) = &e.kind
                && compares(*op)
            {
                [a, b].iter().for_each(|side| add_constants(side, &mut found));
            }
        });
        let mut nearest: Vec<i64> = found.into_iter().collect();
        nearest.sort_by_key(|value| (value.unsigned_abs(), *value));
        nearest.truncate(MOST);
        let around = |value: i64| [value.saturating_sub(1), value, value.saturating_add(1)];
        let all: BTreeSet<i64> = nearest.into_iter().flat_map(around).collect();
        all.into_iter().collect()
    }
}

fn add_constants(e: &Expr, found: &mut BTreeSet<i64>) {
    e.walk(&mut |part| {
        if let ExprKind::Const(value) = part.kind
            && part.sort.is_integer()
        {
            found.insert(value);
        }
    });
}

fn compares(op: BinaryOp) -> bool {
    match op {
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => true,
        BinaryOp::Implies
        | BinaryOp::Iff
        | BinaryOp::Or
        | BinaryOp::And
        | BinaryOp::In
        | BinaryOp::Subset
        | BinaryOp::Union
        | BinaryOp::Inter
        | BinaryOp::Minus
        | BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Mod
        | BinaryOp::BitAnd
        | BinaryOp::BitOr
        | BinaryOp::BitXor
        | BinaryOp::Shl
        | BinaryOp::Shr => false,
    }
}
