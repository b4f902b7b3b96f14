//! Parameters that a call gives constants for: what the callee does with them is known where the call is laid out, so that
//! branches that it cannot take are left out, and a recursion that constants bound has an end.

use crate::code::{BinaryOp, Block, Expr, ExprKind, Function, InstructionKind, LocalId, Place, Type, UnaryOp};
use crate::walk::{Visitor, for_each_expr, parts_of};
use std::collections::{BTreeMap, BTreeSet};
use threadwise_ir::{BinaryOp as Operation, Sort};

/// The values of locals that never change.
pub(crate) type Known = BTreeMap<LocalId, i64>;

/// The parameters of a function that are integers, and that nobody changes or takes the address of.
pub(crate) fn constant_params(function: &Function) -> BTreeSet<LocalId> {
    let is_integer = |id: &u32| matches!(function.locals[*id as usize].ty, Type::Int(_));
    let mut left: BTreeSet<LocalId> = (0..function.params as u32).filter(is_integer).map(LocalId).collect();
    for block in function.body.iter().flatten() {
        for_each_expr(block, &mut |e| {
            if let ExprKind::Address(place) = &e.kind {
                drop_base(&mut left, place);
            }
        });
        drop_written(&mut left, block);
    }
    left
}

fn drop_base(left: &mut BTreeSet<LocalId>, place: &Place) {
    if let crate::code::Base::Local(id) = place.base {
        left.remove(&id);
    }
}

fn drop_written(left: &mut BTreeSet<LocalId>, block: &Block) {
    for instruction in &block.instructions {
        match &instruction.kind {
            InstructionKind::Declare(id) => {
                left.remove(id);
            }
            InstructionKind::Assign { to, .. } | InstructionKind::Copy { to, .. } | InstructionKind::Clear(to) => {
                drop_base(left, to);
            }
            InstructionKind::Call { result, .. } => result.iter().for_each(|place| drop_base(left, place)),
            InstructionKind::Library(library) => {
                let mut library = (**library).clone();
                parts_of(&mut library).0.into_iter().for_each(|place| drop_base(left, place));
            }
            InstructionKind::Assert(..)
            | InstructionKind::Assume(_)
            | InstructionKind::AtomicBegin
            | InstructionKind::AtomicWhen(_)
            | InstructionKind::AtomicEnd
            | InstructionKind::Enter(_)
            | InstructionKind::LoopInvariant(_) => {}
        }
    }
}

/// The value of an expression, if constants and known locals give it.
pub(crate) fn value(e: &Expr, known: &Known) -> Option<i64> {
    match &e.kind {
        ExprKind::Const(word) => matches!(e.ty, Type::Int(_)).then_some(*word),
        ExprKind::Load(place) => match place.base {
            crate::code::Base::Local(id) if place.path.is_empty() => known.get(&id).copied(),
            _ => None,
        },
        ExprKind::Unary(op, a) => {
            let (bits, word) = (a.ty.bits()?, value(a, known)?);
            Some(match op {
                UnaryOp::Neg => bits.negated(word),
                UnaryOp::BitNot => bits.complement(word),
                UnaryOp::Not => i64::from(word == 0),
            })
        }
        ExprKind::Binary(op, a, b) => binary(*op, a, b, known),
        ExprKind::Convert(inner) => {
            let (to, word) = (e.ty.bits()?, value(inner, known)?);
            inner.ty.bits()?;
            Some(to.wrap(word))
        }
        ExprKind::And(a, b) => Some(i64::from(value(a, known)? != 0 && value(b, known)? != 0)),
        ExprKind::Or(a, b) => Some(i64::from(value(a, known)? != 0 || value(b, known)? != 0)),
        ExprKind::Conditional(parts) => {
            let chosen = if value(&parts[0], known)? != 0 { 1 } else { 2 };
            value(&parts[chosen], known)
        }
        ExprKind::Address(_)
        | ExprKind::Function(_)
        | ExprKind::Offset(..)
        | ExprKind::Difference(..)
        | ExprKind::Said(_)
        | ExprKind::Any => None,
    }
}

/// Sums, differences, products and comparisons. What may go wrong or depends on more than the words is left to the steps.
fn binary(op: BinaryOp, a: &Expr, b: &Expr, known: &Known) -> Option<i64> {
    let bits = a.ty.bits()?;
    if b.ty.bits()? != bits {
        return None;
    }
    let (x, y) = (value(a, known)?, value(b, known)?);
    let order = || Sort::Bits(bits).compare(x, y);
    // A sum that overflows may be an error, which is looked for where it is computed.
    let exact = |op: Operation| {
        let word = bits.operate(op, x, y)?;
        let mathematical = match op {
            Operation::Add => i128::from(x) + i128::from(y),
            Operation::Sub => i128::from(x) - i128::from(y),
            _ => i128::from(x) * i128::from(y),
        };
        (!bits.signed || i128::from(word) == mathematical).then_some(word)
    };
    match op {
        BinaryOp::Add => exact(Operation::Add),
        BinaryOp::Sub => exact(Operation::Sub),
        BinaryOp::Mul => exact(Operation::Mul),
        BinaryOp::Eq => Some(i64::from(order().is_eq())),
        BinaryOp::Ne => Some(i64::from(order().is_ne())),
        BinaryOp::Lt => Some(i64::from(order().is_lt())),
        BinaryOp::Le => Some(i64::from(order().is_le())),
        BinaryOp::Gt => Some(i64::from(order().is_gt())),
        BinaryOp::Ge => Some(i64::from(order().is_ge())),
        BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::BitAnd
        | BinaryOp::BitOr
        | BinaryOp::BitXor
        | BinaryOp::Shl
        | BinaryOp::Shr => None,
    }
}

/// Puts constants where known locals are loaded.
pub(crate) struct Replace<'a>(pub(crate) &'a Known);

impl Visitor for Replace<'_> {
    fn expr(&mut self, e: &mut Expr) {
        match (value(e, self.0), &e.kind) {
            (Some(word), ExprKind::Load(_)) => e.kind = ExprKind::Const(word),
            _ => self.expr_parts(e),
        }
    }
}
