//! Machine integers: numbers near where they wrap around, and every operation on them.

use super::build::{Sort, binary, conditional, expr, int};
use super::expressions::Expressions;
use threadwise_front_tw::ast::{BinaryOp, Conversion, Expr, ExprKind, Machine, UnaryOp};

/// The types, the small ones more often than the others.
pub(crate) const TYPES: [Machine; 10] = [
    Machine { width: 8, signed: false },
    Machine { width: 8, signed: true },
    Machine { width: 8, signed: false },
    Machine { width: 8, signed: true },
    Machine { width: 16, signed: false },
    Machine { width: 16, signed: true },
    Machine { width: 32, signed: false },
    Machine { width: 32, signed: true },
    Machine { width: 64, signed: false },
    Machine { width: 64, signed: true },
];

fn unary(op: UnaryOp, e: Expr) -> Expr {
    expr(ExprKind::Unary(op, Box::new(e)))
}

fn converted(ty: Machine, e: Expr) -> Expr {
    expr(ExprKind::Convert(Conversion::Machine(ty), Box::new(e)))
}

/// A number that may be too large for a literal with a sign, or too small.
fn number(value: i128) -> Expr {
    match (i64::try_from(value), u64::try_from(value)) {
        (Ok(i64::MIN), _) => binary(BinaryOp::Sub, int(-i64::MAX), int(1)),
        (Ok(value), _) => int(value),
        (Err(_), Ok(value)) => expr(ExprKind::LargeInt(value)),
        (Err(_), Err(_)) => unreachable!("no machine integer is so large"),
    }
}

impl Expressions<'_> {
    /// A number of the type, often one of the last before it wraps around.
    fn edge(&mut self, ty: Machine) -> Expr {
        let most = (1i128 << (ty.width - u8::from(ty.signed))) - 1;
        let least = if ty.signed { -most - 1 } else { 0 };
        let near = i128::from(self.dice.between(0, 2));
        number(match self.dice.below(6) {
            0 => most - near,
            1 => least + near,
            2 if ty.signed => -1 - near,
            2 => (1 << (ty.width - 1)) - near,
            _ => i128::from(self.dice.between(0, 3)),
        })
    }

    fn machine_place(&mut self, ty: Machine) -> Expr {
        match self.place(&|sort| *sort == Sort::Machine(ty), false) {
            Some((place, _)) => place,
            None => converted(ty, self.edge(ty)),
        }
    }

    /// A machine integer whose type can be seen, which an operator with a constant beside it needs.
    fn anchored(&mut self, ty: Machine, depth: usize) -> Expr {
        if depth == 0 {
            return self.machine_place(ty);
        }
        match self.dice.weighted(&[6, 6, 3, 3, 3, 2, 2, 2]) {
            1 => {
                let op = *self.dice.pick(&[BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul]);
                self.operation(op, ty, depth)
            }
            2 => {
                let op = *self.dice.pick(&[BinaryOp::BitAnd, BinaryOp::BitOr, BinaryOp::BitXor]);
                self.operation(op, ty, depth)
            }
            3 => {
                let op = *self.dice.pick(&[BinaryOp::Div, BinaryOp::Mod]);
                self.operation(op, ty, depth)
            }
            4 => {
                let op = *self.dice.pick(&[BinaryOp::Shl, BinaryOp::Shr]);
                binary(op, self.anchored(ty, depth - 1), self.shift_count())
            }
            5 => unary(*self.dice.pick(&[UnaryOp::Neg, UnaryOp::BitNot]), self.anchored(ty, depth - 1)),
            6 => {
                let from = *self.dice.pick(&TYPES);
                let inner = if self.dice.chance(70) { self.anchored(from, depth - 1) } else { self.int(depth - 1) };
                converted(ty, inner)
            }
            7 => conditional(self.bool(depth - 1), self.anchored(ty, depth - 1), self.machine(ty, depth - 1)),
            _ => self.machine_place(ty),
        }
    }

    fn operation(&mut self, op: BinaryOp, ty: Machine, depth: usize) -> Expr {
        let (left, right) = (self.anchored(ty, depth - 1), self.machine(ty, depth - 1));
        if self.dice.chance(80) { binary(op, left, right) } else { binary(op, right, left) }
    }

    /// Small, large, and now and then negative.
    fn shift_count(&mut self) -> Expr {
        match self.dice.below(8) {
            0 => int(*self.dice.pick(&[7, 8, 15, 16, 31, 32, 63, 64, 200])),
            1 => self.int(0),
            2 => {
                let ty = *self.dice.pick(&TYPES);
                self.machine_place(ty)
            }
            _ => int(self.dice.between(0, 4)),
        }
    }

    /// A value of the type; it may be a constant.
    pub(crate) fn machine(&mut self, ty: Machine, depth: usize) -> Expr {
        if self.dice.chance(35) { self.edge(ty) } else { self.anchored(ty, depth) }
    }

    /// A comparison of machine integers.
    pub(crate) fn machine_condition(&mut self, depth: usize) -> Expr {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        let op = *self.dice.pick(&[Eq, Ne, Lt, Le, Gt, Ge]);
        let ty = match self.place(&|sort| matches!(sort, Sort::Machine(_)), false) {
            Some((_, Sort::Machine(ty))) => ty,
            _ => *self.dice.pick(&TYPES),
        };
        let (left, right) = (self.anchored(ty, depth), self.machine(ty, depth));
        if self.dice.chance(80) { binary(op, left, right) } else { binary(op, right, left) }
    }

    /// `int(e)` of a number that is not too large for 64 bits.
    pub(crate) fn machine_number(&mut self, depth: usize) -> Expr {
        let few: Vec<Machine> = TYPES.iter().copied().filter(|ty| ty.width < 64).collect();
        let ty = *self.dice.pick(&few);
        let inner = self.anchored(ty, depth);
        expr(ExprKind::Convert(Conversion::Int, Box::new(inner)))
    }
}
