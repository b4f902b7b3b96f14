//! Machine integers: numbers of a fixed width, with or without a sign, that wrap around as those of C do where C says
//! what they do.
//!
//! A value is one word. With a sign, and without one below 64 bits, the word is the number itself; an unsigned
//! integer of 64 bits is the word with its bits. So each value has one word, and the lowest bits of the word are
//! those of the number: sums, products and the like are computed on words, and then brought back to the width.

use crate::BinaryOp;
use std::cmp::Ordering;
use std::fmt;

/// The kind of a machine integer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Bits {
    /// How many bits it has, from 1 to 64.
    pub width: u8,
    /// Whether it has a sign, in two's complement.
    pub signed: bool,
}

impl Bits {
    /// The least and the greatest number.
    pub fn bounds(self) -> (i128, i128) {
        let magnitude = 1 << (self.width - u8::from(self.signed));
        (if self.signed { -magnitude } else { 0 }, magnitude - 1)
    }

    /// The number that a word stands for.
    pub fn number(self, word: i64) -> i128 {
        if self.signed { i128::from(word) } else { i128::from(word as u64) }
    }

    /// The word that has the lowest bits of this one, as many as there are.
    pub fn wrap(self, word: i64) -> i64 {
        let unused = 64 - u32::from(self.width);
        let high = word << unused;
        if self.signed { high >> unused } else { (high as u64 >> unused) as i64 }
    }

    /// The word of a number, if it is one of these.
    pub fn word(self, number: i128) -> Option<i64> {
        let (least, most) = self.bounds();
        (least..=most).contains(&number).then_some(number as i64)
    }

    /// Whether a word stands for one of these numbers.
    pub fn contains(self, word: i64) -> bool {
        self.wrap(word) == word
    }

    /// Which of two is greater.
    pub fn compare(self, x: i64, y: i64) -> Ordering {
        if self.signed { x.cmp(&y) } else { (x as u64).cmp(&(y as u64)) }
    }

    pub fn negated(self, x: i64) -> i64 {
        self.wrap(x.wrapping_neg())
    }

    /// All bits the other way round.
    pub fn complement(self, x: i64) -> i64 {
        self.wrap(!x)
    }

    /// What an operator gives for two numbers of this kind; nothing for a division by zero, and for what is no
    /// operator on two such numbers. Division rounds toward zero, and a remainder has the sign of the dividend.
    pub fn operate(self, op: BinaryOp, x: i64, y: i64) -> Option<i64> {
        Some(match op {
            BinaryOp::Add => self.wrap(x.wrapping_add(y)),
            BinaryOp::Sub => self.wrap(x.wrapping_sub(y)),
            BinaryOp::Mul => self.wrap(x.wrapping_mul(y)),
            BinaryOp::BitAnd => x & y,
            BinaryOp::BitOr => x | y,
            BinaryOp::BitXor => x ^ y,
            BinaryOp::Div | BinaryOp::Mod if y == 0 => return None,
            // The least number divided by -1 wraps around.
            BinaryOp::Div if self.signed => self.wrap(x.wrapping_div(y)),
            BinaryOp::Mod if self.signed => x.wrapping_rem(y),
            BinaryOp::Div => (x as u64 / y as u64) as i64,
            BinaryOp::Mod => (x as u64 % y as u64) as i64,
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
            | BinaryOp::Shl
            | BinaryOp::Shr => return None,
        })
    }

    /// `x << count`; nothing where the count is negative. All bits leave where there are not so many.
    pub fn shifted_left(self, x: i64, count: i128) -> Option<i64> {
        let count = u128::try_from(count).ok()?;
        Some(if count >= u128::from(self.width) { 0 } else { self.wrap(x << count) })
    }

    /// `x >> count`, with copies of the sign from the left where there is one.
    pub fn shifted_right(self, x: i64, count: i128) -> Option<i64> {
        let count = u128::try_from(count).ok()?;
        Some(match (self.signed, count) {
            (true, _) => x >> count.min(63),
            (false, 0..64) => (x as u64 >> count) as i64,
            (false, _) => 0,
        })
    }
}

/// `u8`, `i64` and their like.
impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.signed { 'i' } else { 'u' }, self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number that is left of any number, computed with what nothing outgrows.
    fn wrapped(bits: Bits, number: i128) -> i128 {
        let count = 1i128 << bits.width;
        let rest = number.rem_euclid(count);
        if bits.signed && rest >= count / 2 { rest - count } else { rest }
    }

    /// What an operator gives, by the numbers. Products of 64 bits without a sign need the wrapping of 128 bits.
    fn expected(bits: Bits, op: BinaryOp, x: i128, y: i128) -> Option<i128> {
        let number = match op {
            BinaryOp::Add => x + y,
            BinaryOp::Sub => x - y,
            BinaryOp::Mul => x.wrapping_mul(y),
            BinaryOp::Div | BinaryOp::Mod if y == 0 => return None,
            BinaryOp::Div => x / y,
            BinaryOp::Mod => x % y,
            BinaryOp::BitAnd => x & y,
            BinaryOp::BitOr => x | y,
            BinaryOp::BitXor => x ^ y,
            _ => unreachable!("no operator on numbers"),
        };
        Some(wrapped(bits, number))
    }

    const OPERATORS: [BinaryOp; 8] = [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Div,
        BinaryOp::Mod,
        BinaryOp::BitAnd,
        BinaryOp::BitOr,
        BinaryOp::BitXor,
    ];

    fn check(bits: Bits, x: i128, y: i128) {
        let (a, b) = (bits.word(x).expect("it fits"), bits.word(y).expect("it fits"));
        assert_eq!((bits.number(a), bits.number(b)), (x, y), "{bits}");
        for op in OPERATORS {
            let result = bits.operate(op, a, b);
            assert!(result.is_none_or(|word| bits.contains(word)), "{bits}: {x} {op:?} {y} gives {result:?}");
            assert_eq!(result.map(|word| bits.number(word)), expected(bits, op, x, y), "{bits}: {x} {op:?} {y}");
        }
        assert_eq!(bits.compare(a, b), x.cmp(&y), "{bits}: {x} and {y}");
        assert_eq!(bits.number(bits.negated(a)), wrapped(bits, -x), "{bits}: -{x}");
        assert_eq!(bits.number(bits.complement(a)), wrapped(bits, -x - 1), "{bits}: ~{x}");
    }

    fn check_shifts(bits: Bits, x: i128) {
        let word = bits.word(x).expect("it fits");
        for count in (0..=65).chain([127, 128, 1 << 32, 1 << 70]) {
            let left = if count < 64 { wrapped(bits, x << count) } else { 0 };
            let right = x >> count.min(127);
            let number = |word: Option<i64>| bits.number(word.expect("the count is not negative"));
            assert_eq!(number(bits.shifted_left(word, count)), left, "{bits}: {x} << {count}");
            assert_eq!(number(bits.shifted_right(word, count)), right, "{bits}: {x} >> {count}");
        }
        assert_eq!((bits.shifted_left(word, -1), bits.shifted_right(word, -1)), (None, None));
    }

    fn kinds(widths: impl Iterator<Item = u8>) -> impl Iterator<Item = Bits> {
        widths.flat_map(|width| [false, true].map(|signed| Bits { width, signed }))
    }

    #[test]
    fn all_numbers_of_up_to_eight_bits() {
        for bits in kinds([1, 2, 3, 8].into_iter()) {
            let (least, most) = bits.bounds();
            assert_eq!(most - least + 1, 1 << bits.width);
            for x in least..=most {
                check_shifts(bits, x);
                (least..=most).for_each(|y| check(bits, x, y));
            }
        }
    }

    /// Numbers near the limits and anywhere.
    #[test]
    fn some_numbers_of_more_bits() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            i128::from(state >> 1) * i128::from(state)
        };
        for bits in kinds(9..=64) {
            let (least, most) = bits.bounds();
            let mut numbers = vec![least, least + 1, most, most - 1, most / 2, 0, 1, 2, 3, 7];
            numbers.extend((1..=3).filter(|_| bits.signed).map(|n| -n));
            numbers.extend((0..20).map(|_| wrapped(bits, random())));
            for &x in &numbers {
                check_shifts(bits, x);
                numbers.iter().for_each(|&y| check(bits, x, y));
            }
        }
    }

    /// Between all kinds: the lowest bits stay, and what is in front suits the old kind.
    #[test]
    fn conversions() {
        for from in kinds([1, 7, 8, 16, 32, 63, 64].into_iter()) {
            let (least, most) = from.bounds();
            for number in [least, least + 1, most / 2, most - 1, most, 0].into_iter().filter(|n| *n >= least) {
                let word = from.word(number).expect("it fits");
                for to in kinds([1, 7, 8, 16, 32, 63, 64].into_iter()) {
                    assert_eq!(to.number(to.wrap(word)), wrapped(to, number), "{number} of {from} to {to}");
                    assert_eq!(to.word(number).is_some(), wrapped(to, number) == number, "{number} in {to}");
                }
            }
        }
        let outside = Bits { width: 8, signed: false };
        assert!(!outside.contains(-1) && !outside.contains(256) && outside.contains(255));
    }
}
