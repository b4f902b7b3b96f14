//! All the values that some words may take: what `x = *` and actions choose from.

use crate::eval::Env;
use crate::instance::Instance;
use crate::{BinaryOp, Expr, ExprKind, Gap, NoValue, Sort, VarRef};
use smallvec::SmallVec;
use threadwise_source::Span;

/// More combinations than this are not tried.
const MAX_CHOICES: u64 = 1 << 20;

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
    /// These, of finitely many.
    Few(Vec<i64>),
    /// These, of all integers.
    Sample(Vec<i64>),
}

impl Values {
    fn count(&self) -> u64 {
        match self {
            Values::Between(lo, hi) => hi.abs_diff(*lo).saturating_add(1),
            Values::Few(values) | Values::Sample(values) => values.len() as u64,
        }
    }

    fn nth(&self, n: u64) -> i64 {
        match self {
            Values::Between(lo, _) => lo + n as i64,
            Values::Few(values) | Values::Sample(values) => values[n as usize],
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
        Sort::Bool | Sort::Enum(_) | Sort::Tid => {
            out.push(between(start, instance.count(sort) as u64));
        }
        Sort::Set(element) => {
            let mut bits = instance.count(element) as u64;
            for index in start..start + instance.words(sort) {
                let here = bits.min(64);
                bits -= here;
                // 62 bits are already far more than can be tried, and keep the arithmetic simple.
                out.push(between(index, 1 << here.min(62)));
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

/// The same words; where there are more combinations than are tried, they are restricted to values in `wanted`, so
/// that those are among what is tried.
pub(crate) fn restricted(mut free: Vec<FreeWord>, wanted: &[i64]) -> Vec<FreeWord> {
    if wanted.is_empty() || !too_many(&free) {
        return free;
    }
    for word in &mut free {
        if let Values::Between(lo, hi) = word.values {
            let values = wanted.iter().copied().filter(|value| (lo..=hi).contains(value)).collect();
            word.values = Values::Few(values);
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
    } else if too_many(free) || free.iter().any(|w| matches!(w.values, Values::Few(_))) {
        Some(Gap::TooMany(span))
    } else {
        None
    }
}

/// Words that a formula determines: which variable's, where in its store, and the value.
pub(crate) type Fixed = SmallVec<[(VarRef, usize, i64); 4]>;

/// Finds words after the step whose values the formula determines by an equation, so that they need
/// not be tried. Looks through conjunctions, `forall`, and implications whose premise speaks of the
/// state before only. What it finds is a consequence of the formula; it need not find everything.
/// Tells whether the formula may hold at all: `false` if a conjunct on the state before is false.
pub(crate) fn determined(env: &mut Env<'_>, formula: &Expr, out: &mut Fixed) -> Result<bool, NoValue> {
    if !formula.is_primed() {
        return env.holds(formula);
    }
    match &formula.kind {
        // The right operand may rely on the left one, say for an index to be in range.
        ExprKind::Binary(BinaryOp::And, a, b) => Ok(determined(env, a, out)? && determined(env, b, out)?),
        ExprKind::Binary(BinaryOp::Implies, a, b) if !a.is_primed() => Ok(!env.holds(a)? || determined(env, b, out)?),
        ExprKind::Quantified(crate::Quantifier::Forall, binder, body) => {
            let mut possible = true;
            env.for_each_bound(binder, &mut |env| {
                possible = possible && determined(env, body, out)?;
                Ok(())
            })?;
            Ok(possible)
        }
        ExprKind::Binary(BinaryOp::Eq | BinaryOp::Iff, a, b) => {
            if !equation(env, a, b, out)? {
                equation(env, b, a, out)?;
            }
            Ok(true)
        }
        ExprKind::ReadAfter(_) | ExprKind::Index(..) => truth(env, formula, 1, out),
        ExprKind::Unary(crate::UnaryOp::Not, a) => truth(env, a, 0, out),
        _ => Ok(true),
    }
}

/// The formula says that a boolean place is true, or false, after the step.
fn truth(env: &mut Env<'_>, place: &Expr, value: i64, out: &mut Fixed) -> Result<bool, NoValue> {
    if let Some((var, offset)) = env.locate_after(place)? {
        out.push((var, offset, value));
    }
    Ok(true)
}

fn equation(env: &mut Env<'_>, place: &Expr, value: &Expr, out: &mut Fixed) -> Result<bool, NoValue> {
    if value.is_primed() {
        return Ok(false);
    }
    let Some((var, offset)) = env.locate_after(place)? else { return Ok(false) };
    let words = env.words(value)?;
    out.extend(words.iter().enumerate().map(|(i, &word)| (var, offset + i, word)));
    Ok(true)
}
