//! All the values that some words may take: what `x = *` and actions choose from.

use crate::instance::Instance;
use crate::patience::may_go_on;
use crate::{Bits, Gap, NoValue, Sort};
use threadwise_source::Span;

/// More combinations than this are not tried.
pub(crate) const MAX_CHOICES: u64 = 1 << 20;

/// Integers that are tried where all of them would be possible.
const SAMPLE: [i64; 5] = [0, 1, -1, 2, 3];

/// A word that may take several values.
#[derive(Clone, Debug)]
pub(crate) struct FreeWord {
    /// Which word.
    pub(crate) index: usize,
    values: Values,
}

#[derive(Clone, Debug)]
enum Values {
    /// All from the first to the last.
    Between(i64, i64),
    /// Any numbers of so many bits.
    Bits(u32),
    /// These, of finitely many.
    Few(Vec<i64>, Box<Values>),
    /// These, of all integers.
    Sample(Vec<i64>),
}

impl FreeWord {
    /// How many values are tried.
    pub(crate) fn count(&self) -> u64 {
        self.values.count()
    }

    /// The values that are tried, in order.
    pub(crate) fn nth(&self, n: u64) -> i64 {
        self.values.nth(n)
    }

    /// The first of them, to stand for a word that is open.
    pub(crate) fn first(&self) -> i64 {
        if self.count() == 0 { 0 } else { self.nth(0) }
    }

    /// Where a value stands in that order; those that would not be tried come last.
    pub(crate) fn rank(&self, value: i64) -> u64 {
        match &self.values {
            Values::Between(lo, _) => value.abs_diff(*lo),
            Values::Bits(_) => value as u64,
            Values::Few(values, _) | Values::Sample(values) => {
                values.iter().position(|&known| known == value).map_or(u64::MAX, |rank| rank as u64)
            }
        }
    }

    /// Whether the word may have the value.
    pub(crate) fn admits(&self, value: i64) -> bool {
        self.values.admit(value)
    }

    /// Why not all of its values are tried, if so.
    pub(crate) fn gap(&self, span: Span) -> Option<Gap> {
        match self.values {
            Values::Sample(_) => Some(Gap::Unbounded(span)),
            Values::Few(..) => Some(Gap::TooMany(span)),
            Values::Between(..) | Values::Bits(_) => (self.count() > MAX_CHOICES).then_some(Gap::TooMany(span)),
        }
    }
}

impl Values {
    fn count(&self) -> u64 {
        match self {
            Values::Between(lo, hi) => hi.abs_diff(*lo).saturating_add(1),
            // 62 bits are already far more than can be tried, and keep the arithmetic simple.
            Values::Bits(bits) => 1 << bits.min(&62),
            Values::Few(values, _) | Values::Sample(values) => values.len() as u64,
        }
    }

    fn admit(&self, value: i64) -> bool {
        match self {
            Values::Between(lo, hi) => (*lo..=*hi).contains(&value),
            Values::Bits(bits) => *bits == 64 || (value as u64) >> bits == 0,
            Values::Few(_, all) => all.admit(value),
            Values::Sample(_) => true,
        }
    }

    fn nth(&self, n: u64) -> i64 {
        match self {
            Values::Between(lo, _) => lo + n as i64,
            Values::Bits(_) => n as i64,
            Values::Few(values, _) | Values::Sample(values) => values[n as usize],
        }
    }
}

/// The words from `start` on that hold a value of the sort, each with the values it may take. Where all
/// integers may be taken, those in `wanted` are tried beside a few others.
pub(crate) fn free_words(instance: &Instance, sort: &Sort, start: usize, wanted: &[i64], out: &mut Vec<FreeWord>) {
    let between = |index, count: u64| FreeWord { index, values: Values::Between(0, count as i64 - 1) };
    match sort {
        Sort::Int => {
            let mut values = SAMPLE.to_vec();
            values.extend(wanted.iter().filter(|value| !SAMPLE.contains(value)));
            out.push(FreeWord { index: start, values: Values::Sample(values) });
        }
        Sort::Range(lo, hi) => out.push(FreeWord { index: start, values: Values::Between(*lo, *hi) }),
        Sort::Bits(bits) => out.push(FreeWord { index: start, values: machine_integers(*bits, wanted) }),
        Sort::Bool | Sort::Enum(_) | Sort::Tid => {
            out.push(between(start, instance.count(sort) as u64));
        }
        Sort::Set(element) => {
            let mut bits = instance.count(element) as u64;
            for index in start..start + instance.words(sort) {
                let here = bits.min(64);
                bits -= here;
                out.push(FreeWord { index, values: Values::Bits(here as u32) });
            }
        }
        Sort::Array(_, element) => {
            let size = instance.words(element).max(1);
            for at in (start..start + instance.words(sort)).step_by(size) {
                free_words(instance, element, at, wanted, out);
            }
        }
    }
}

/// The values of a machine integer. Where there are more than are tried, they are so many that trying the first ones
/// would end most searches: a few, those in `wanted`, and the least and the greatest stand for them.
fn machine_integers(bits: Bits, wanted: &[i64]) -> Values {
    let (least, most) = bits.bounds();
    let (least, most) = (least as i64, most as i64);
    let all = if least <= most { Values::Between(least, most) } else { Values::Bits(64) };
    if all.count() <= MAX_CHOICES {
        return all;
    }
    let mut values = Vec::new();
    for value in SAMPLE.into_iter().map(|value| bits.wrap(value)).chain([least, most]).chain(wanted.iter().copied()) {
        if bits.contains(value) && !values.contains(&value) {
            values.push(value);
        }
    }
    Values::Few(values, Box::new(all))
}

/// The same words; where there are more combinations than are tried, they are restricted to values in `wanted`, so
/// that those are among what is tried.
pub(crate) fn restricted(mut free: Vec<FreeWord>, wanted: &[i64]) -> Vec<FreeWord> {
    if wanted.is_empty() || !too_many(&free) {
        return free;
    }
    for word in &mut free {
        if matches!(word.values, Values::Between(..) | Values::Bits(_)) {
            let values = wanted.iter().copied().filter(|&value| word.admits(value)).collect();
            word.values = Values::Few(values, Box::new(word.values.clone()));
        }
    }
    free
}

/// Calls `each` with every combination of values of the free words written into `words`, first
/// word slowest. Returns why not all combinations were tried, if so.
pub(crate) fn for_each_choice(
    free: &[FreeWord],
    words: &mut [i64],
    span: Span,
    each: &mut dyn FnMut(&mut [i64]) -> Result<(), NoValue>,
) -> Result<Option<Gap>, NoValue> {
    let total = combinations(free);
    for combination in 0..total.min(MAX_CHOICES) {
        if !may_go_on() {
            return Ok(Some(Gap::Interrupted(span)));
        }
        let mut rest = combination;
        for word in free.iter().rev() {
            words[word.index] = word.values.nth(rest % word.values.count());
            rest /= word.values.count();
        }
        each(words)?;
    }
    Ok(gap_of(free, span))
}

fn combinations(free: &[FreeWord]) -> u64 {
    free.iter().fold(1u64, |n, w| n.saturating_mul(w.values.count()))
}

/// Whether there are more combinations than are tried.
pub(crate) fn too_many(free: &[FreeWord]) -> bool {
    combinations(free) > MAX_CHOICES
}

/// Why not all combinations of values are tried, if so.
fn gap_of(free: &[FreeWord], span: Span) -> Option<Gap> {
    if free.iter().any(|w| matches!(w.values, Values::Sample(_))) {
        Some(Gap::Unbounded(span))
    } else if too_many(free) || free.iter().any(|w| matches!(w.values, Values::Few(..))) {
        Some(Gap::TooMany(span))
    } else {
        None
    }
}
