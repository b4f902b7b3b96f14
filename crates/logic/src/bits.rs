//! Bit-vectors: numbers of so many bits, with arithmetic that wraps around.

use crate::eval::Constant;
use crate::{Kind, SmtSort, Term};
use std::borrow::Borrow;

/// Wider bit-vectors are not made.
pub const MAX_WIDTH: u32 = 128;

/// A bit-vector.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Bits {
    width: u32,
    value: u128,
}

impl Bits {
    /// The lowest so many bits of a number.
    pub fn new(width: u32, value: u128) -> Bits {
        assert!((1..=MAX_WIDTH).contains(&width), "a bit-vector has between 1 and {MAX_WIDTH} bits");
        Bits { width, value: value & (u128::MAX >> (MAX_WIDTH - width)) }
    }

    /// How many bits it has.
    pub fn width(self) -> u32 {
        self.width
    }

    /// The number that it is, if it has no sign.
    pub fn unsigned(self) -> u128 {
        self.value
    }

    /// The number that it is, if its highest bit is the sign.
    pub fn signed(self) -> i128 {
        let unused = MAX_WIDTH - self.width;
        (self.value << unused) as i128 >> unused
    }

    fn is_negative(self) -> bool {
        self.signed() < 0
    }

    fn negated(self) -> Bits {
        Bits::new(self.width, self.value.wrapping_neg())
    }

    fn amount(self) -> Bits {
        if self.is_negative() { self.negated() } else { self }
    }
}

/// An operation on bit-vectors. Where it has two operands they have one width, but for [`BitsOp::Concat`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum BitsOp {
    /// All bits inverted.
    Not,
    /// The number with the other sign.
    Neg,
    /// Bit by bit.
    And,
    /// Bit by bit.
    Or,
    /// Bit by bit.
    Xor,
    /// The sum.
    Add,
    /// The difference.
    Sub,
    /// The product.
    Mul,
    /// The quotient of numbers without sign; all bits are 1 where the divisor is 0.
    Udiv,
    /// The remainder that goes with it; the dividend where the divisor is 0.
    Urem,
    /// The quotient of numbers with sign, rounded toward 0.
    Sdiv,
    /// The remainder that goes with it: it has the sign of the dividend.
    Srem,
    /// To the left by so many bits as the second operand says.
    Shl,
    /// To the right, with zeros from the left.
    Lshr,
    /// To the right, with copies of the sign from the left.
    Ashr,
    /// Whether the first number, without sign, is less.
    Ult,
    /// Whether the first number, without sign, is at most the second.
    Ule,
    /// Whether the first number, with sign, is less.
    Slt,
    /// Whether the first number, with sign, is at most the second.
    Sle,
    /// The bits of the first, then those of the second.
    Concat,
    /// The bits from the higher to the lower, both included.
    Extract(u32, u32),
    /// So many zeros, then the bits.
    ZeroExtend(u32),
    /// So many copies of the sign, then the bits.
    SignExtend(u32),
    /// The integer that it is, if it has no sign.
    ToInt,
    /// The lowest so many bits of an integer.
    FromInt(u32),
}

impl BitsOp {
    /// The sort of the result for operands of these sorts; `None` where it cannot be applied to them.
    pub fn result(self, operands: &[&SmtSort]) -> Option<SmtSort> {
        let sort = |width: u32| (1..=MAX_WIDTH).contains(&width).then_some(SmtSort::Bits(width));
        match (self, operands) {
            (BitsOp::FromInt(width), [SmtSort::Int]) => sort(width),
            (BitsOp::FromInt(_), _) => None,
            (BitsOp::Not | BitsOp::Neg, [SmtSort::Bits(width)]) => sort(*width),
            (BitsOp::Extract(high, low), [SmtSort::Bits(width)]) if high < *width && low <= high => {
                sort(high - low + 1)
            }
            (BitsOp::ZeroExtend(more) | BitsOp::SignExtend(more), [SmtSort::Bits(width)]) => {
                sort(width.checked_add(more)?)
            }
            (BitsOp::ToInt, [SmtSort::Bits(_)]) => Some(SmtSort::Int),
            (BitsOp::Concat, [SmtSort::Bits(a), SmtSort::Bits(b)]) => sort(a + b),
            (
                BitsOp::And
                | BitsOp::Or
                | BitsOp::Xor
                | BitsOp::Add
                | BitsOp::Sub
                | BitsOp::Mul
                | BitsOp::Udiv
                | BitsOp::Urem
                | BitsOp::Sdiv
                | BitsOp::Srem
                | BitsOp::Shl
                | BitsOp::Lshr
                | BitsOp::Ashr,
                [SmtSort::Bits(a), SmtSort::Bits(b)],
            ) if a == b => sort(*a),
            (BitsOp::Ult | BitsOp::Ule | BitsOp::Slt | BitsOp::Sle, [SmtSort::Bits(a), SmtSort::Bits(b)]) if a == b => {
                Some(SmtSort::Bool)
            }
            _ => None,
        }
    }

    pub(crate) fn sort(self, operands: &[Term]) -> SmtSort {
        let sorts: Vec<&SmtSort> = operands.iter().map(Term::sort).collect();
        self.result(&sorts).expect("whoever makes a term has looked at the sorts")
    }

    /// The result for values of the right sorts; `None` for an integer that is too large.
    pub fn value(self, operands: &[Constant]) -> Option<Constant> {
        Some(Constant::Bits(match (self, operands) {
            (BitsOp::FromInt(width), [Constant::Int(number)]) => Bits::new(width, *number as u128),
            (BitsOp::ToInt, [Constant::Bits(a)]) => return i128::try_from(a.value).ok().map(Constant::Int),
            (_, [Constant::Bits(a)]) => self.of_one(*a),
            (BitsOp::Ult, [Constant::Bits(a), Constant::Bits(b)]) => return Some(Constant::Bool(a.value < b.value)),
            (BitsOp::Ule, [Constant::Bits(a), Constant::Bits(b)]) => return Some(Constant::Bool(a.value <= b.value)),
            (BitsOp::Slt, [Constant::Bits(a), Constant::Bits(b)]) => {
                return Some(Constant::Bool(a.signed() < b.signed()));
            }
            (BitsOp::Sle, [Constant::Bits(a), Constant::Bits(b)]) => {
                return Some(Constant::Bool(a.signed() <= b.signed()));
            }
            (_, [Constant::Bits(a), Constant::Bits(b)]) => self.of_two(*a, *b),
            _ => unreachable!("operations are applied to what they are for"),
        }))
    }

    fn of_one(self, a: Bits) -> Bits {
        match self {
            BitsOp::Not => Bits::new(a.width, !a.value),
            BitsOp::Neg => a.negated(),
            BitsOp::Extract(high, low) => Bits::new(high - low + 1, a.value >> low),
            BitsOp::ZeroExtend(more) => Bits::new(a.width + more, a.value),
            BitsOp::SignExtend(more) => Bits::new(a.width + more, a.signed() as u128),
            _ => unreachable!("operations are applied to what they are for"),
        }
    }

    fn of_two(self, a: Bits, b: Bits) -> Bits {
        let all_ones = Bits::new(a.width, u128::MAX);
        let bits = |value| Bits::new(a.width, value);
        let too_far = b.value >= u128::from(a.width);
        match self {
            BitsOp::And => bits(a.value & b.value),
            BitsOp::Or => bits(a.value | b.value),
            BitsOp::Xor => bits(a.value ^ b.value),
            BitsOp::Add => bits(a.value.wrapping_add(b.value)),
            BitsOp::Sub => bits(a.value.wrapping_sub(b.value)),
            BitsOp::Mul => bits(a.value.wrapping_mul(b.value)),
            BitsOp::Udiv => a.value.checked_div(b.value).map_or(all_ones, bits),
            BitsOp::Urem => a.value.checked_rem(b.value).map_or(a, bits),
            // As SMT-LIB defines these, also for a divisor of 0.
            BitsOp::Sdiv => {
                let quotient = BitsOp::Udiv.of_two(a.amount(), b.amount());
                if a.is_negative() == b.is_negative() { quotient } else { quotient.negated() }
            }
            BitsOp::Srem => {
                let remainder = BitsOp::Urem.of_two(a.amount(), b.amount());
                if a.is_negative() { remainder.negated() } else { remainder }
            }
            BitsOp::Shl if too_far => bits(0),
            BitsOp::Shl => bits(a.value << b.value),
            BitsOp::Lshr if too_far => bits(0),
            BitsOp::Lshr => bits(a.value >> b.value),
            BitsOp::Ashr if too_far => bits(if a.is_negative() { u128::MAX } else { 0 }),
            BitsOp::Ashr => bits((a.signed() >> b.value) as u128),
            BitsOp::Concat => Bits::new(a.width + b.width, a.value << b.width | b.value),
            _ => unreachable!("operations are applied to what they are for"),
        }
    }

    /// The operator in SMT-LIB.
    pub fn symbol(self) -> String {
        let plain = match self {
            BitsOp::Not => "bvnot",
            BitsOp::Neg => "bvneg",
            BitsOp::And => "bvand",
            BitsOp::Or => "bvor",
            BitsOp::Xor => "bvxor",
            BitsOp::Add => "bvadd",
            BitsOp::Sub => "bvsub",
            BitsOp::Mul => "bvmul",
            BitsOp::Udiv => "bvudiv",
            BitsOp::Urem => "bvurem",
            BitsOp::Sdiv => "bvsdiv",
            BitsOp::Srem => "bvsrem",
            BitsOp::Shl => "bvshl",
            BitsOp::Lshr => "bvlshr",
            BitsOp::Ashr => "bvashr",
            BitsOp::Ult => "bvult",
            BitsOp::Ule => "bvule",
            BitsOp::Slt => "bvslt",
            BitsOp::Sle => "bvsle",
            BitsOp::Concat => "concat",
            BitsOp::ToInt => "bv2nat",
            BitsOp::Extract(high, low) => return format!("(_ extract {high} {low})"),
            BitsOp::ZeroExtend(more) => return format!("(_ zero_extend {more})"),
            BitsOp::SignExtend(more) => return format!("(_ sign_extend {more})"),
            BitsOp::FromInt(width) => return format!("(_ int2bv {width})"),
        };
        plain.to_string()
    }

    /// The operation that has a symbol and indices in SMT-LIB.
    pub(crate) fn from_symbol(symbol: &str, indices: &[u32]) -> Option<BitsOp> {
        Some(match (symbol, indices) {
            ("bvnot", []) => BitsOp::Not,
            ("bvneg", []) => BitsOp::Neg,
            ("bvand", []) => BitsOp::And,
            ("bvor", []) => BitsOp::Or,
            ("bvxor", []) => BitsOp::Xor,
            ("bvadd", []) => BitsOp::Add,
            ("bvsub", []) => BitsOp::Sub,
            ("bvmul", []) => BitsOp::Mul,
            ("bvudiv", []) => BitsOp::Udiv,
            ("bvurem", []) => BitsOp::Urem,
            ("bvsdiv", []) => BitsOp::Sdiv,
            ("bvsrem", []) => BitsOp::Srem,
            ("bvshl", []) => BitsOp::Shl,
            ("bvlshr", []) => BitsOp::Lshr,
            ("bvashr", []) => BitsOp::Ashr,
            ("bvult", []) => BitsOp::Ult,
            ("bvule", []) => BitsOp::Ule,
            ("bvslt", []) => BitsOp::Slt,
            ("bvsle", []) => BitsOp::Sle,
            ("concat", []) => BitsOp::Concat,
            ("bv2nat" | "ubv_to_int", []) => BitsOp::ToInt,
            ("extract", [high, low]) => BitsOp::Extract(*high, *low),
            ("zero_extend", [more]) => BitsOp::ZeroExtend(*more),
            ("sign_extend", [more]) => BitsOp::SignExtend(*more),
            ("int2bv" | "int_to_bv", [width]) => BitsOp::FromInt(*width),
            _ => return None,
        })
    }
}

impl Term {
    /// The bit-vector of so many bits.
    pub fn bits(width: u32, value: u128) -> Term {
        Term::make(Kind::Bits(Bits::new(width, value)))
    }

    /// An operation on bit-vectors, which must be of the right sorts.
    pub fn operation<T: Borrow<Term>>(op: BitsOp, operands: impl IntoIterator<Item = T>) -> Term {
        let operands: Vec<Term> = operands.into_iter().map(|operand| operand.borrow().clone()).collect();
        let known: Option<Vec<Constant>> = operands.iter().map(Constant::of).collect();
        let value = known.and_then(|known| op.value(&known)).and_then(Constant::term);
        value.unwrap_or_else(|| Term::make(Kind::Operation(op, operands)))
    }
}
