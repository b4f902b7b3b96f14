//! Which expressions can run into an error of the program.
//!
//! The list follows [`Env::scalar`](crate::Env::scalar) and [`Env::words`](crate::Env::words): a
//! [`Fault`](crate::Fault) comes from a division, from a shift, from an index, and from the elements of the
//! literal of a set or an array, and from nothing else. Every kind of expression is named, so that a new one does not
//! compile until it has been considered.

use crate::{BinaryOp, Expr, ExprKind, Sort, UnaryOp};

impl Expr {
    /// Whether evaluation can run into a [`Fault`](crate::Fault). Errs on the side of `true`. A number
    /// that outgrows 64 bits is not meant: that is a [`Gap`](crate::Gap), and no error of the program.
    pub fn can_fail(&self) -> bool {
        self.any(&Expr::fails_itself)
    }

    /// Whether evaluation can fail here although it succeeds in all parts: see [`Expr::can_fail`].
    pub fn fails_itself(&self) -> bool {
        match &self.kind {
            ExprKind::Const(_)
            | ExprKind::Thread(_)
            | ExprKind::SelfThread
            | ExprKind::Read(_)
            | ExprKind::ReadAfter(_)
            | ExprKind::LocalOf(..)
            | ExprKind::At(..)
            | ExprKind::Bound(_)
            | ExprKind::Conditional(..)
            | ExprKind::Quantified(..) => false,
            ExprKind::Unary(op, _) => match op {
                UnaryOp::Not | UnaryOp::Neg | UnaryOp::Size | UnaryOp::Ord | UnaryOp::BitNot | UnaryOp::Convert => {
                    false
                }
            },
            ExprKind::Binary(op, _, right) => operation_fails(*op, right),
            ExprKind::Index(array, key) => match &*array.sort {
                Sort::Array(keys, _) => !key.surely_fits(keys),
                Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid | Sort::Set(_) => {
                    true
                }
            },
            ExprKind::SetLiteral(elements) => match &*self.sort {
                Sort::Set(of) => !elements.iter().all(|element| element.surely_fits(of)),
                Sort::Bool
                | Sort::Int
                | Sort::Range(..)
                | Sort::Bits(_)
                | Sort::Enum(_)
                | Sort::Tid
                | Sort::Array(..) => true,
            },
            ExprKind::ArrayLiteral(elements) => match &*self.sort {
                Sort::Array(_, of) => !elements.iter().all(|element| element.surely_fits(of)),
                Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid | Sort::Set(_) => {
                    true
                }
            },
        }
    }

    /// Whether the value of a well-sorted expression surely is one of the sort. Errs on the side of `false`.
    pub fn surely_fits(&self, sort: &Sort) -> bool {
        match sort {
            Sort::Range(lo, hi) => {
                self.bounds().is_some_and(|(least, most)| i128::from(*lo) <= least && most <= i128::from(*hi))
            }
            // Where a machine integer is expected there is no other integer.
            Sort::Bool | Sort::Int | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid | Sort::Set(_) | Sort::Array(..) => true,
        }
    }

    /// Numbers between which the value lies, where they are known.
    fn bounds(&self) -> Option<(i128, i128)> {
        match (&self.kind, &*self.sort) {
            (ExprKind::Const(word), Sort::Bits(bits)) => Some((bits.number(*word), bits.number(*word))),
            (ExprKind::Const(value), _) => Some((i128::from(*value), i128::from(*value))),
            (_, Sort::Range(lo, hi)) => Some((i128::from(*lo), i128::from(*hi))),
            (_, Sort::Bits(bits)) => Some(bits.bounds()),
            (ExprKind::Unary(UnaryOp::Convert, a), Sort::Int) => a.bounds(),
            // A remainder has the sign of the divisor.
            (ExprKind::Binary(BinaryOp::Mod, _, divisor), Sort::Int) => match divisor.bounds()? {
                (least, most) if least > 0 => Some((0, most - 1)),
                _ => None,
            },
            _ => None,
        }
    }
}

fn operation_fails(op: BinaryOp, right: &Expr) -> bool {
    match op {
        BinaryOp::Shl | BinaryOp::Shr => right.bounds().is_none_or(|(least, _)| least < 0),
        BinaryOp::Div | BinaryOp::Mod => right.bounds().is_none_or(|(least, most)| least <= 0 && 0 <= most),
        BinaryOp::Implies
        | BinaryOp::Iff
        | BinaryOp::Or
        | BinaryOp::And
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge
        | BinaryOp::In
        | BinaryOp::Subset
        | BinaryOp::Union
        | BinaryOp::Inter
        | BinaryOp::Minus
        | BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::BitAnd
        | BinaryOp::BitOr
        | BinaryOp::BitXor => false,
    }
}
