//! Sets of integers: a few that are listed, or all between two bounds, perhaps without zero, since programs test for that.

use smallvec::SmallVec;

/// Stands for minus infinity as a bound.
pub(crate) const LEAST: i64 = i64::MIN;
/// Stands for infinity as a bound.
pub(crate) const MOST: i64 = i64::MAX;

/// So many numbers are listed one by one.
const FEW: usize = 8;

/// A set of integers. Each set that can be said has one form: what has few members lists them.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Numbers {
    /// These, in order.
    Few(SmallVec<[i64; 2]>),
    /// All from the first to the second, which may be infinite.
    Between(i64, i64),
    /// The same without zero, which lies between.
    NotZero(i64, i64),
}

impl Numbers {
    pub(crate) fn nothing() -> Numbers {
        Numbers::Few(SmallVec::new())
    }

    pub(crate) fn anything() -> Numbers {
        Numbers::Between(LEAST, MOST)
    }

    pub(crate) fn exactly(number: i64) -> Numbers {
        Numbers::Few(SmallVec::from_slice(&[number]))
    }

    pub(crate) fn between(low: i64, high: i64) -> Numbers {
        let is_short = low != LEAST && high != MOST && (i128::from(high) - i128::from(low)) < FEW as i128;
        if is_short || low > high { Numbers::Few((low..=high).collect()) } else { Numbers::Between(low, high) }
    }

    /// Between two bounds, with zero only if told so.
    fn with_zero_if(zero: bool, low: i64, high: i64) -> Numbers {
        match Numbers::between(low, high) {
            set if zero || !set.contains(0) => set,
            set => set.without(0),
        }
    }

    /// Between bounds of any size; what is too large for a bound counts as infinite.
    pub(crate) fn between_wide(low: i128, high: i128) -> Numbers {
        let clip = |bound: i128| bound.clamp(i128::from(LEAST), i128::from(MOST)) as i64;
        Numbers::between(clip(low), clip(high))
    }

    pub(crate) fn listed(mut numbers: SmallVec<[i64; 2]>) -> Numbers {
        numbers.sort_unstable();
        numbers.dedup();
        match (numbers.len() > FEW, numbers.first(), numbers.last()) {
            (true, Some(&low), Some(&high)) => Numbers::with_zero_if(numbers.contains(&0), low, high),
            _ => Numbers::Few(numbers),
        }
    }

    pub(crate) fn is_nothing(&self) -> bool {
        matches!(self, Numbers::Few(few) if few.is_empty())
    }

    /// The only member.
    pub(crate) fn single(&self) -> Option<i64> {
        match self {
            Numbers::Few(few) if few.len() == 1 => Some(few[0]),
            Numbers::Few(_) | Numbers::Between(..) | Numbers::NotZero(..) => None,
        }
    }

    /// The members, where they are listed.
    pub(crate) fn few(&self) -> Option<&[i64]> {
        match self {
            Numbers::Few(few) => Some(few),
            Numbers::Between(..) | Numbers::NotZero(..) => None,
        }
    }

    pub(crate) fn low(&self) -> i64 {
        match self {
            Numbers::Few(few) => few.first().copied().unwrap_or(MOST),
            Numbers::Between(low, _) | Numbers::NotZero(low, _) => *low,
        }
    }

    pub(crate) fn high(&self) -> i64 {
        match self {
            Numbers::Few(few) => few.last().copied().unwrap_or(LEAST),
            Numbers::Between(_, high) | Numbers::NotZero(_, high) => *high,
        }
    }

    pub(crate) fn contains(&self, number: i64) -> bool {
        match self {
            Numbers::Few(few) => few.contains(&number),
            Numbers::Between(low, high) => (*low..=*high).contains(&number),
            Numbers::NotZero(low, high) => number != 0 && (*low..=*high).contains(&number),
        }
    }

    pub(crate) fn is_within(&self, other: &Numbers) -> bool {
        match self {
            Numbers::Few(few) => few.iter().all(|&number| other.contains(number)),
            Numbers::Between(low, high) | Numbers::NotZero(low, high) => {
                let is_long = other.few().is_none();
                is_long && other.low() <= *low && *high <= other.high() && (other.contains(0) || !self.contains(0))
            }
        }
    }

    pub(crate) fn meets(&self, other: &Numbers) -> bool {
        !self.meet(other).is_nothing()
    }

    /// One number of any size.
    pub(crate) fn exactly_wide(number: i128) -> Numbers {
        Numbers::between_wide(number, number)
    }

    /// The members of both.
    pub(crate) fn meet(&self, other: &Numbers) -> Numbers {
        match (self, other) {
            (Numbers::Few(few), set) | (set, Numbers::Few(few)) => {
                Numbers::Few(few.iter().copied().filter(|&number| set.contains(number)).collect())
            }
            _ => {
                let (low, high) = (self.low().max(other.low()), self.high().min(other.high()));
                Numbers::with_zero_if(self.contains(0) && other.contains(0), low, high)
            }
        }
    }

    /// The members of either, and what lies between if they are not few.
    pub(crate) fn join(&self, other: &Numbers) -> Numbers {
        match (self, other) {
            (Numbers::Few(few), Numbers::Few(more)) => Numbers::listed(few.iter().chain(more).copied().collect()),
            _ if self.is_nothing() => other.clone(),
            _ if other.is_nothing() => self.clone(),
            _ => {
                let (low, high) = (self.low().min(other.low()), self.high().max(other.high()));
                Numbers::with_zero_if(self.contains(0) || other.contains(0), low, high)
            }
        }
    }

    /// A set with the members of both such that no chain of these grows for ever: bounds that move go to the next of
    /// the thresholds, which are in order.
    pub(crate) fn widen(&self, next: &Numbers, thresholds: &[i64]) -> Numbers {
        let joined = self.join(next);
        if joined == *self || joined.few().is_some() || self.is_nothing() {
            return joined;
        }
        let (mut low, mut high) = (joined.low(), joined.high());
        if low < self.low() {
            let at = thresholds.partition_point(|&threshold| threshold <= low);
            low = at.checked_sub(1).map_or(LEAST, |at| thresholds[at]);
        }
        if high > self.high() {
            let at = thresholds.partition_point(|&threshold| threshold < high);
            high = thresholds.get(at).copied().unwrap_or(MOST);
        }
        Numbers::with_zero_if(joined.contains(0), low, high)
    }

    /// Without one number, where that can be said.
    pub(crate) fn without(&self, number: i64) -> Numbers {
        match self {
            Numbers::Few(few) => Numbers::Few(few.iter().copied().filter(|&member| member != number).collect()),
            Numbers::Between(low, high) if *low == number && number != LEAST => Numbers::between(low + 1, *high),
            Numbers::Between(low, high) if *high == number && number != MOST => Numbers::between(*low, high - 1),
            Numbers::Between(low, high) if number == 0 && *low < 0 && *high > 0 => Numbers::NotZero(*low, *high),
            Numbers::NotZero(low, high) if *low == number && number != LEAST => {
                Numbers::with_zero_if(false, low + 1, *high)
            }
            Numbers::NotZero(low, high) if *high == number && number != MOST => {
                Numbers::with_zero_if(false, *low, high - 1)
            }
            Numbers::Between(..) | Numbers::NotZero(..) => self.clone(),
        }
    }

    /// All members moved by so much.
    pub(crate) fn plus(&self, offset: i64) -> Numbers {
        let moved = |bound: i64| match bound {
            LEAST | MOST => i128::from(bound),
            finite => i128::from(finite) + i128::from(offset),
        };
        match self {
            _ if offset == 0 => self.clone(),
            Numbers::Few(few) => match few.iter().map(|&member| member.checked_add(offset)).collect::<Option<_>>() {
                Some(moved) => Numbers::Few(moved),
                None => Numbers::anything(),
            },
            Numbers::Between(low, high) | Numbers::NotZero(low, high) => {
                Numbers::between_wide(moved(*low), moved(*high))
            }
        }
    }
}

/// The sum of two bounds, of which an infinite one wins.
pub(crate) fn add_bounds(a: i64, b: i64) -> i64 {
    match (a, b) {
        (MOST, _) | (_, MOST) => MOST,
        (LEAST, _) | (_, LEAST) => LEAST,
        _ => a.saturating_add(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn universe() -> Vec<Numbers> {
        let mut sets = vec![Numbers::nothing(), Numbers::anything()];
        for low in [LEAST, -12, -3, 0, 2] {
            for high in [-3, 0, 1, 9, 14, MOST] {
                sets.push(Numbers::between(low, high));
            }
        }
        sets.extend([Numbers::between(-20, 30).without(0), Numbers::between(LEAST, 3).without(0)]);
        sets.extend([
            Numbers::listed(SmallVec::from_slice(&[5, -12, 0, 5])),
            Numbers::listed((0..20).step_by(2).collect()),
        ]);
        sets
    }

    #[test]
    fn sets_agree_with_their_members() {
        let points = || (-15..=20).chain([i64::MIN + 1, i64::MAX - 1]);
        for a in universe() {
            for b in universe() {
                let (meet, join, widened) = (a.meet(&b), a.join(&b), a.widen(&b, &[-10, 0, 10]));
                for x in points() {
                    assert_eq!(meet.contains(x), a.contains(x) && b.contains(x), "{a:?} {b:?} {x}");
                    assert!(join.contains(x) || !(a.contains(x) || b.contains(x)), "{a:?} {b:?} {x}");
                    assert!(widened.contains(x) || !join.contains(x), "{a:?} {b:?} {x}");
                    assert!(!a.is_within(&b) || b.contains(x) || !a.contains(x), "{a:?} {b:?} {x}");
                    assert!(a.without(0).contains(x) || !a.contains(x) || x == 0, "{a:?} {x}");
                    assert!(!a.contains(x) || a.plus(3).contains(x.saturating_add(3)), "{a:?} {x}");
                }
            }
        }
    }

    #[test]
    fn widening_comes_to_an_end() {
        let mut set = Numbers::exactly(0);
        let mut steps = 0;
        loop {
            let next = set.widen(&set.plus(1), &[0, 10, 100]);
            if next == set {
                break;
            }
            (set, steps) = (next, steps + 1);
            assert!(steps < 20);
        }
        assert_eq!(set, Numbers::between(0, MOST));
    }
}
