//! Machine integers: numbers modulo a power of two, one bit or one digit at a time.

use crate::ErrorKind;
use crate::eval::Env;
use crate::value::{Fault, Ty, Value, unsupported};
use threadwise_front_tw::ast::{BinaryOp, Conversion, Expr, ExprKind, Machine, UnaryOp};

/// How many numbers there are.
fn size(ty: Machine) -> i128 {
    (0..ty.width).fold(1, |size, _| 2 * size)
}

/// The number of the type that is the same up to a multiple of the size.
pub(crate) fn wrapped(ty: Machine, number: i128) -> i128 {
    let rest = number.rem_euclid(size(ty));
    if ty.signed && 2 * rest >= size(ty) { rest - size(ty) } else { rest }
}

/// All numbers of the type in order.
pub(crate) fn numbers(ty: Machine) -> impl Iterator<Item = i128> {
    let least = if ty.signed { -size(ty) / 2 } else { 0 };
    least..least + size(ty)
}

/// The bits of a number, the lowest first.
fn bits(ty: Machine, number: i128) -> Vec<bool> {
    let mut rest = number.rem_euclid(size(ty));
    (0..ty.width)
        .map(|_| {
            let bit = rest % 2 == 1;
            rest /= 2;
            bit
        })
        .collect()
}

fn of_bits(ty: Machine, bits: impl DoubleEndedIterator<Item = bool>) -> i128 {
    wrapped(ty, bits.rev().fold(0, |number, bit| 2 * number + i128::from(bit)))
}

fn bitwise(ty: Machine, a: i128, b: i128, each: fn(bool, bool) -> bool) -> i128 {
    let pairs: Vec<bool> = bits(ty, a).into_iter().zip(bits(ty, b)).map(|(a, b)| each(a, b)).collect();
    of_bits(ty, pairs.into_iter())
}

/// One addition for each bit of a factor, so that nothing outgrows 128 bits.
fn product(ty: Machine, a: i128, b: i128) -> i128 {
    let doubled_and_added = |sum, bit| wrapped(ty, 2 * sum + if bit { a } else { 0 });
    bits(ty, b).into_iter().rev().fold(0, doubled_and_added)
}

fn operate(ty: Machine, op: BinaryOp, a: i128, b: i128) -> Result<i128, Fault> {
    Ok(match op {
        BinaryOp::Add => wrapped(ty, a + b),
        BinaryOp::Sub => wrapped(ty, a - b),
        BinaryOp::Mul => product(ty, a, b),
        BinaryOp::Div | BinaryOp::Mod if b == 0 => return Err(Fault::Error(ErrorKind::Division)),
        // These round toward zero, as the language says.
        BinaryOp::Div => wrapped(ty, a / b),
        BinaryOp::Mod => wrapped(ty, a % b),
        BinaryOp::BitAnd => bitwise(ty, a, b, |a, b| a && b),
        BinaryOp::BitOr => bitwise(ty, a, b, |a, b| a || b),
        BinaryOp::BitXor => bitwise(ty, a, b, |a, b| a != b),
        other => return unsupported(format!("{other:?} on machine integers")),
    })
}

/// A shift is so many shifts by one; from the 64th on nothing changes.
fn shift(ty: Machine, op: BinaryOp, number: i128, count: i128) -> Result<i128, Fault> {
    if count < 0 {
        return Err(Fault::Error(ErrorKind::Shift));
    }
    let once = |number: i128| match op {
        BinaryOp::Shl => wrapped(ty, 2 * number),
        _ => number.div_euclid(2),
    };
    Ok((0..count.min(64)).fold(number, |number, _| once(number)))
}

/// An operator on two machine integers of one type.
pub(crate) fn machine_operation(op: BinaryOp, left: &Value, right: &Value) -> Result<Value, Fault> {
    match (left, right) {
        (Value::Machine(ty, a), Value::Machine(other, b)) if ty == other => {
            Ok(Value::Machine(*ty, operate(*ty, op, *a, *b)?))
        }
        (left, right) => unsupported(format!("{op:?} of {left:?} and {right:?}")),
    }
}

pub(crate) fn machine_shift(op: BinaryOp, left: &Value, right: &Value) -> Result<Value, Fault> {
    let Value::Machine(ty, number) = left else { return unsupported(format!("{op:?} of {left:?}")) };
    Ok(Value::Machine(*ty, shift(*ty, op, *number, right.as_number()?)?))
}

/// A bit operation on integers: more bits than any of them has would only repeat the sign.
pub(crate) fn integer_bits(op: BinaryOp, a: i64, b: i64) -> i64 {
    let ty = Machine { width: 64, signed: true };
    operate(ty, op, i128::from(a), i128::from(b)).map_or(0, |number| number as i64)
}

/// A shift of an integer is so many doublings or halvings; no bit is lost.
pub(crate) fn integer_shift(op: BinaryOp, number: i64, count: i128) -> Result<i64, Fault> {
    if count < 0 {
        return Err(Fault::Error(ErrorKind::Shift));
    }
    let mut number = i128::from(number);
    for _ in 0..count.min(100) {
        number = if op == BinaryOp::Shl { number * 2 } else { number.div_euclid(2) };
        if i64::try_from(number).is_err() {
            return unsupported("a number outgrew 64 bits");
        }
    }
    Ok(number as i64)
}

/// `-e` and `~e` of a machine integer.
pub(crate) fn machine_unary(op: UnaryOp, value: &Value) -> Result<Value, Fault> {
    match (op, value) {
        (UnaryOp::Neg, Value::Machine(ty, number)) => Ok(Value::Machine(*ty, wrapped(*ty, -number))),
        (UnaryOp::BitNot, Value::Machine(ty, number)) => {
            Ok(Value::Machine(*ty, of_bits(*ty, bits(*ty, *number).into_iter().map(|bit| !bit))))
        }
        (op, value) => unsupported(format!("{op:?} of {value:?}")),
    }
}

impl Value {
    /// An integer of any type.
    pub(crate) fn as_number(&self) -> Result<i128, Fault> {
        match self {
            Value::Int(number) => Ok(i128::from(*number)),
            Value::Machine(_, number) => Ok(*number),
            other => unsupported(format!("{other:?} is not an integer")),
        }
    }

    /// A constant takes the type of what it meets.
    pub(crate) fn like(self, other: &Value) -> Value {
        match other {
            Value::Machine(ty, _) => self.adapted(&Ty::Machine(*ty)),
            _ => self,
        }
    }

    /// A constant takes the type of where it goes.
    pub(crate) fn adapted(self, ty: &Ty) -> Value {
        match (&self, ty) {
            (Value::Int(number), Ty::Machine(ty)) => Value::Machine(*ty, wrapped(*ty, i128::from(*number))),
            _ => self,
        }
    }
}

impl Env<'_> {
    /// Two operands, where a constant takes the type of the other one.
    pub(crate) fn operands(&mut self, left: &Expr, right: &Expr) -> Result<(Value, Value), Fault> {
        let (left, right) = (self.eval(left)?, self.eval(right)?);
        Ok((left.clone().like(&right), right.like(&left)))
    }

    /// The numbers of two operands that are compared.
    pub(crate) fn two_numbers(&mut self, left: &Expr, right: &Expr) -> Result<(i128, i128), Fault> {
        let (left, right) = self.operands(left, right)?;
        Ok((left.as_number()?, right.as_number()?))
    }

    pub(crate) fn converted(&mut self, to: Conversion, e: &Expr) -> Result<Value, Fault> {
        let number = self.eval(e)?.as_number()?;
        match to {
            Conversion::Machine(ty) => Ok(Value::Machine(ty, wrapped(ty, number))),
            Conversion::Int => match i64::try_from(number) {
                Ok(number) => Ok(Value::Int(number)),
                Err(_) => unsupported("a number outgrew 64 bits"),
            },
        }
    }

    /// The type of an expression, if it is one of machine integers. What a constant is depends on it, so it has to be
    /// known before there are values.
    pub(crate) fn machine_type(&self, e: &Expr) -> Option<Machine> {
        match &e.kind {
            ExprKind::LargeInt(_) => Some(Machine { width: 64, signed: false }),
            ExprKind::Convert(Conversion::Machine(ty), _) => Some(*ty),
            ExprKind::Unary(UnaryOp::Neg | UnaryOp::BitNot, e) => self.machine_type(e),
            ExprKind::Binary(BinaryOp::Shl | BinaryOp::Shr, number, _) => self.machine_type(number),
            ExprKind::Binary(
                BinaryOp::Add
                | BinaryOp::Sub
                | BinaryOp::Mul
                | BinaryOp::Div
                | BinaryOp::Mod
                | BinaryOp::BitAnd
                | BinaryOp::BitOr
                | BinaryOp::BitXor,
                left,
                right,
            )
            | ExprKind::Conditional(_, left, right) => self.machine_type(left).or_else(|| self.machine_type(right)),
            _ => match self.type_of(e) {
                Some(Ty::Machine(ty)) => Some(ty),
                _ => None,
            },
        }
    }
}
