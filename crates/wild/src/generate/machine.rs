//! Machine integers: mostly numbers next to where they wrap around, where their sign changes, and where a shift loses all.

use super::sorts::Sort;
use super::{Generator, Place};
use crate::tree::{Expr, binary};

/// A type of machine integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Machine {
    pub(super) width: u32,
    pub(super) signed: bool,
}

impl Machine {
    pub(super) fn word(self) -> &'static str {
        match (self.signed, self.width) {
            (false, 8) => "u8",
            (false, 16) => "u16",
            (false, 32) => "u32",
            (false, _) => "u64",
            (true, 8) => "i8",
            (true, 16) => "i16",
            (true, 32) => "i32",
            (true, _) => "i64",
        }
    }

    pub(super) fn least(self) -> i128 {
        if self.signed { -(1 << (self.width - 1)) } else { 0 }
    }

    pub(super) fn greatest(self) -> i128 {
        self.least() + (1 << self.width) - 1
    }

    /// A value of the type as one writes it.
    pub(super) fn literal(self, value: i128) -> Expr {
        match i64::try_from(value) {
            Ok(value) => Expr::Int(value),
            Err(_) => Expr::Literal { value: value as u64, hexadecimal: false },
        }
    }
}

impl Generator {
    /// Small types more often than large ones: all their values can be listed.
    pub(super) fn machine_type(&mut self) -> Machine {
        let width = [8, 16, 32, 64][self.random.weighted(&[10, 2, 3, 4])];
        Machine { width, signed: self.random.percent(50) }
    }

    /// The type of some variable if there is one, so that it meets others of its kind.
    pub(super) fn machine_type_in_use(&mut self) -> Machine {
        let of_machine = |sort| if let Sort::Machine(ty) = sort { Some(ty) } else { None };
        let in_use: Vec<Machine> = self.sorts_of_places().into_iter().filter_map(of_machine).collect();
        if in_use.is_empty() || self.random.percent(15) { self.machine_type() } else { self.random.pick(&in_use) }
    }

    /// A constant that is a value of the type.
    pub(super) fn machine_literal(&mut self, ty: Machine) -> Expr {
        let near = i128::from(self.random.between(0, 2));
        let value = match self.random.below(8) {
            0 => ty.least() + near,
            1 => ty.greatest() - near,
            // Where a number of half the width, or one with a sign, would wrap around.
            2 => (1 << (ty.width / 2)) - near,
            3 => (ty.greatest() >> 1) + near,
            // Every other bit.
            4 => (ty.greatest() / 3) >> near,
            5 if ty.signed => -near,
            _ => near,
        };
        let value = value.clamp(ty.least(), ty.greatest());
        match i64::try_from(value) {
            Ok(value) if self.random.percent(50) => self.constant_expr(value),
            _ if value >= 0 && self.random.percent(40) => Expr::Literal { value: value as u64, hexadecimal: true },
            _ => ty.literal(value),
        }
    }

    /// Any expression of the type, or a constant that takes it.
    pub(super) fn machine(&mut self, ty: Machine, depth: usize) -> Expr {
        if self.random.percent(25) { self.machine_literal(ty) } else { self.typed(ty, depth) }
    }

    /// An expression that is of the type wherever it stands: two constants would just be another constant, which
    /// need not be a value of the type.
    fn typed(&mut self, ty: Machine, depth: usize) -> Expr {
        if depth == 0 {
            return self.machine_variable(ty);
        }
        match self.random.weighted(&[16, 8, 6, 6, 6, 14, 16, 6, 6, 16]) {
            0 => self.machine_variable(ty),
            1 => self.machine_operation("+", ty, depth),
            2 => self.machine_operation("-", ty, depth),
            3 => self.machine_operation("*", ty, depth),
            4 => {
                let op = self.random.pick(&["/", "%"]);
                binary(op, self.typed(ty, depth - 1), self.machine_divisor(ty, depth - 1))
            }
            5 => {
                let op = self.random.pick(&["&", "|", "^"]);
                self.machine_operation(op, ty, depth)
            }
            6 => {
                let op = self.random.pick(&["<<", ">>"]);
                binary(op, self.typed(ty, depth - 1), self.shift_count(ty, depth - 1))
            }
            7 => {
                let op = self.random.pick(&["-", "~"]);
                Expr::Unary(op, Box::new(self.typed(ty, depth - 1)))
            }
            8 => {
                let test = self.expr(&Sort::Bool, depth - 1);
                let (yes, no) = self.one_typed(ty, depth - 1);
                Expr::Conditional(Box::new([test, yes, no]))
            }
            _ => self.conversion(ty, depth - 1),
        }
    }

    fn machine_operation(&mut self, op: &'static str, ty: Machine, depth: usize) -> Expr {
        let (left, right) = self.one_typed(ty, depth - 1);
        binary(op, left, right)
    }

    /// Two expressions at least one of which says of what type they are.
    fn one_typed(&mut self, ty: Machine, depth: usize) -> (Expr, Expr) {
        let (one, other) = (self.typed(ty, depth), self.machine(ty, depth));
        if self.random.percent(50) { (one, other) } else { (other, one) }
    }

    fn machine_variable(&mut self, ty: Machine) -> Expr {
        match self.place(&|sort| *sort == Sort::Machine(ty), 1, false) {
            Some(place) => place,
            None => Expr::Function(ty.word(), Box::new(self.machine_literal(ty))),
        }
    }

    /// From an integer of any type, also one that the new type cannot hold.
    fn conversion(&mut self, ty: Machine, depth: usize) -> Expr {
        let from = match self.random.below(4) {
            0 => self.number(depth),
            1 if self.config.extremes => Expr::Int(self.extreme()),
            _ => {
                let other = self.machine_type_in_use();
                self.machine(other, depth)
            }
        };
        Expr::Function(ty.word(), Box::new(from))
    }

    /// Mostly a constant that is not 0, often -1; in properties more often anything.
    fn machine_divisor(&mut self, ty: Machine, depth: usize) -> Expr {
        let risk = if self.place == Place::Property { 5 + self.risk } else { self.risk };
        match self.random.below(4) {
            _ if self.random.percent(risk) => self.machine(ty, depth),
            0 if ty.signed => Expr::Int(-1),
            1 if ty.signed => ty.literal(ty.least()),
            2 => ty.literal(ty.greatest()),
            _ => Expr::Int(self.random.between(1, 3)),
        }
    }

    /// Mostly a number next to the width, or an unsigned one; a negative one is an error.
    fn shift_count(&mut self, ty: Machine, depth: usize) -> Expr {
        let width = i64::from(ty.width);
        match self.random.below(5) {
            _ if self.risky() => self.number(depth),
            0 => Expr::Int(width - 1 + self.random.between(0, 2)),
            1 => {
                let unsigned = Machine { signed: false, ..self.machine_type_in_use() };
                self.machine(unsigned, depth)
            }
            2 if self.config.extremes => Expr::Int(self.random.pick(&[63, 64, 65, 256, i64::MAX])),
            _ => Expr::Int(self.random.between(0, width - 1)),
        }
    }

    pub(super) fn machine_comparison(&mut self, depth: usize) -> Expr {
        let op = self.random.pick(&["==", "!=", "<", "<=", ">", ">="]);
        let ty = self.machine_type_in_use();
        let (left, right) = self.one_typed(ty, depth - 1);
        binary(op, left, right)
    }
}
