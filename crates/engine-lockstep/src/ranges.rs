//! What is said of the elements of arrays: that all between two numbers are true, or are the same in two arrays.
//!
//! These come from loops over arrays: what has been set so far, what has been copied so far.

use threadwise_logic::{SmtSort, Term};

/// More are not tried at a point.
const MAX_RANGES: usize = 120;

/// Of each key from `low`, or from 0, up to `high`, which does not count: the element is true, or is the same as that of
/// another array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Range {
    array: usize,
    other: Option<usize>,
    low: Option<usize>,
    high: usize,
}

impl Range {
    /// The same over terms for everything.
    pub(crate) fn formula(&self, leaves: &[Term]) -> Term {
        let key = Term::constant("#key", SmtSort::Int);
        Term::forall([&key], self.at(&key, leaves))
    }

    /// What it says of one key.
    pub(crate) fn at(&self, key: &Term, leaves: &[Term]) -> Term {
        let low = self.low.map_or(Term::int(0), |low| leaves[low].clone());
        let element = leaves[self.array].select(key);
        let body = match self.other {
            Some(other) => element.equals(leaves[other].select(key)),
            None => element,
        };
        low.le(key).and(key.lt(&leaves[self.high])).implies(body)
    }
}

/// All that may be said of the arrays of the solver among some terms, given the terms that are numbers.
pub(crate) fn ranges(names: &[Term], numbers: &[usize]) -> Vec<Range> {
    let arrays = |element: SmtSort| {
        let is_one = move |sort: &SmtSort| matches!(sort, SmtSort::Array(_, of) if **of == element);
        (0..names.len()).filter(move |&at| is_one(names[at].sort())).collect::<Vec<usize>>()
    };
    let mut all = Vec::new();
    for array in arrays(SmtSort::Bool) {
        all.extend(numbers.iter().map(|&high| Range { array, other: None, low: None, high }));
    }
    let integers = arrays(SmtSort::Int);
    for (index, &array) in integers.iter().enumerate() {
        for &other in &integers[index + 1..] {
            for &high in numbers {
                let lows = numbers.iter().filter(|&&low| low != high).map(|&low| Some(low));
                all.extend([None].into_iter().chain(lows).map(|low| Range { array, other: Some(other), low, high }));
            }
        }
    }
    all.truncate(MAX_RANGES);
    all
}
