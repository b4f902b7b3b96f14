//! Types, and constants of them.

use super::machine::Machine;
use super::{Generator, Place, boolean};
use crate::tree::{Expr, Type, binary, name};

/// A type as the generator thinks of it: with its bounds worked out.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Sort {
    Bool,
    Int,
    Range(i64, i64),
    Machine(Machine),
    Enum(usize),
    Tid,
    /// The copies of a thread; only of bound variables.
    Copies(usize),
    Set(Box<Sort>),
    Array(Box<Sort>, Box<Sort>),
    Lock,
    Mutex,
    RwLock,
}

impl Sort {
    pub(super) fn is_array(&self) -> bool {
        matches!(self, Sort::Array(..))
    }

    pub(super) fn is_number(&self) -> bool {
        matches!(self, Sort::Int | Sort::Range(..) | Sort::Machine(_))
    }

    /// What it is read as: a `mutex` is a `tid`, a `lock` a `bool`, and all numbers mix but machine
    /// integers.
    pub(super) fn read_as(&self) -> Sort {
        match self {
            Sort::Lock => Sort::Bool,
            Sort::Mutex | Sort::Copies(_) => Sort::Tid,
            Sort::Range(..) => Sort::Int,
            other => other.clone(),
        }
    }

    /// About how many values it has, with about so many threads.
    pub(super) fn values(&self, threads: usize) -> u64 {
        match self {
            Sort::Bool | Sort::Lock => 2,
            Sort::Int => u64::MAX,
            Sort::Range(lo, hi) => hi.abs_diff(*lo).saturating_add(1),
            Sort::Machine(ty) => 1_u64.checked_shl(ty.width).unwrap_or(u64::MAX),
            Sort::Enum(_) => 3,
            Sort::Tid | Sort::Mutex | Sort::Copies(_) => threads as u64 + 3,
            Sort::Set(element) => 1_u64.checked_shl(element.values(threads) as u32).unwrap_or(u64::MAX),
            Sort::Array(key, element) => {
                let keys = u32::try_from(key.values(threads)).unwrap_or(u32::MAX);
                element.values(threads).saturating_pow(keys)
            }
            Sort::RwLock => 1 << 8,
        }
    }
}

impl Generator {
    /// A number near the limits of 64 bits.
    pub(super) fn extreme(&mut self) -> i64 {
        let near = self.random.between(0, 2);
        match self.random.below(6) {
            0 => i64::MAX - near,
            1 => i64::MIN + near,
            2 => (1 << 62) + near,
            3 => -(1 << 62) - near,
            4 => (1 << 32) + near,
            _ => -(1 << 31) - near,
        }
    }

    /// An expression that constants may be declared with.
    pub(super) fn constant_expr(&mut self, value: i64) -> Expr {
        if let Some((constant, _)) = self.constants.iter().find(|(_, of_constant)| *of_constant == value)
            && self.random.percent(50)
        {
            return name(constant);
        }
        match self.random.below(12) {
            0 if (-99..99).contains(&value) => binary("-", Expr::Int(value + 1), Expr::Int(1)),
            1 if (-99..99).contains(&value) => binary("/", Expr::Int(2 * value + 1), Expr::Int(2)),
            2 if (0..7).contains(&value) => binary("%", Expr::Int(value - 7), Expr::Int(7)),
            3 if value >= 0 => Expr::Literal { value: value as u64, hexadecimal: true },
            _ => Expr::Int(value),
        }
    }

    pub(super) fn number_sort(&mut self) -> Sort {
        if self.config.machine && self.random.percent(45) {
            return Sort::Machine(self.machine_type());
        }
        match self.random.weighted(&[40, 20, 12, 6, if self.config.extremes { 6 } else { 0 }]) {
            0 => Sort::Range(0, self.random.between(1, 3)),
            1 => Sort::Bool,
            2 => Sort::Range(self.random.between(-2, 0), self.random.between(0, 2)),
            3 if self.config.large_ranges => Sort::Range(0, self.random.pick(&[255, 999, 1000])),
            4 => {
                let lo = self.extreme().min(i64::MAX - 3);
                Sort::Range(lo, lo + self.random.between(0, 3))
            }
            _ => Sort::Range(1, 1),
        }
    }

    /// A type with few values that can be an element of sets and a key of arrays.
    pub(super) fn key_sort(&mut self) -> Sort {
        if self.config.machine && self.random.percent(10) {
            return Sort::Machine(Machine { width: 8, signed: self.random.percent(50) });
        }
        match self.random.below(8) {
            0 => Sort::Bool,
            1 | 2 => Sort::Tid,
            3 if !self.enums.is_empty() => Sort::Enum(0),
            4 => Sort::Range(-1, 1),
            5 if self.config.extremes && self.random.percent(30) => Sort::Range(i64::MAX - 1, i64::MAX),
            _ => Sort::Range(0, self.random.between(0, 2)),
        }
    }

    fn element_sort(&mut self) -> Sort {
        match self.random.below(6) {
            0 => Sort::Bool,
            1 => self.key_sort(),
            2 => Sort::Set(Box::new(Sort::Range(0, 1))),
            3 => Sort::Array(Box::new(Sort::Bool), Box::new(Sort::Bool)),
            _ => Sort::Range(0, self.random.between(1, 2)),
        }
    }

    pub(super) fn local_sort(&mut self) -> Sort {
        match self.random.weighted(&[50, 12, 12, 8, 6]) {
            0 => self.number_sort(),
            1 => Sort::Tid,
            2 => Sort::Set(Box::new(self.key_sort())),
            3 => self.key_sort(),
            _ => Sort::Array(Box::new(self.key_sort()), Box::new(self.element_sort())),
        }
    }

    /// The type of a parameter or a result: one whose values can be written down.
    pub(super) fn parameter_sort(&mut self) -> Sort {
        match self.local_sort() {
            Sort::Array(key, _) => *key,
            other => other,
        }
    }

    pub(super) fn shared_sort(&mut self) -> Sort {
        let integers = if self.config.integers { 14 } else { 0 };
        match self.random.weighted(&[40, 8, 12, 7, 12, 12, 5, integers]) {
            0 => self.local_sort(),
            1 => Sort::Lock,
            2 => Sort::Mutex,
            3 => Sort::RwLock,
            4 => Sort::Set(Box::new(self.key_sort())),
            5 => Sort::Array(Box::new(self.key_sort()), Box::new(self.element_sort())),
            6 => {
                let lock = self.random.pick(&[Sort::Lock, Sort::Mutex]);
                Sort::Array(Box::new(self.key_sort()), Box::new(lock))
            }
            _ => Sort::Int,
        }
    }

    pub(super) fn type_of(&mut self, sort: &Sort) -> Type {
        match sort {
            Sort::Bool => Type::Word("bool".to_string()),
            Sort::Int => Type::Word("int".to_string()),
            Sort::Range(lo, hi) => Type::Range(self.constant_expr(*lo), self.constant_expr(*hi)),
            Sort::Machine(ty) => Type::Word(ty.word().to_string()),
            Sort::Enum(index) => Type::Word(self.enums[*index].0.clone()),
            Sort::Tid => Type::Word("tid".to_string()),
            Sort::Copies(thread) => Type::Word(self.threads[*thread].name.clone()),
            Sort::Set(element) => Type::Set(Box::new(self.type_of(element))),
            Sort::Array(key, element) => Type::Array(Box::new(self.type_of(key)), Box::new(self.type_of(element))),
            Sort::Lock => Type::Word("lock".to_string()),
            Sort::Mutex => Type::Word("mutex".to_string()),
            Sort::RwLock => Type::Word("rwlock".to_string()),
        }
    }

    /// A value of the type, if it can be written down.
    pub(super) fn literal(&mut self, sort: &Sort) -> Option<Expr> {
        Some(match sort {
            Sort::Bool | Sort::Lock => boolean(self.random.percent(50)),
            Sort::Int => Expr::Int(self.random.between(-2, 3)),
            Sort::Range(lo, hi) => {
                let value = self.random.between(*lo, *hi);
                self.constant_expr(value)
            }
            Sort::Machine(ty) => self.machine_literal(*ty),
            Sort::Enum(index) => {
                let members = self.enums[*index].1.clone();
                name(&self.random.pick(&members))
            }
            Sort::Tid | Sort::Mutex | Sort::Copies(_) => self.identity(),
            Sort::Set(element) => {
                let elements = (0..self.random.weighted(&[2, 3, 2])).filter_map(|_| self.literal(element));
                Expr::SetLiteral(elements.collect())
            }
            Sort::Array(..) | Sort::RwLock => return None,
        })
    }

    fn identity(&mut self) -> Expr {
        let mut names = vec!["none".to_string()];
        if self.place == Place::Code {
            names.extend(["self".to_string(), "self".to_string()]);
        }
        names.extend(self.threads.iter().filter(|thread| !thread.replicated).map(|thread| thread.name.clone()));
        name(&self.random.pick(&names))
    }
}
