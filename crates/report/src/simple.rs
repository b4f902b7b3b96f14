//! Formulas made short before people read them: conjuncts that follow from others are dropped, disjuncts that follow from
//! others too, and disjuncts are joined where together they are one conjunction.
//!
//! What is compared are differences of two integers with constants, which is what most formulas of proofs are made of, by
//! shortest paths. Everything else is kept as it is. The result is equivalent to what was given.

use std::collections::{BTreeMap, BTreeSet};
use threadwise_logic::{Kind, Term};

/// Larger formulas are shown as they are.
const MAX_DISJUNCTS: usize = 64;
const MAX_NUMBERS: usize = 12;

/// The number of the integer zero among the integers that are compared.
const ZERO: usize = 0;

/// An equivalent formula that is not longer.
pub(crate) fn simplified(formula: &Term) -> Term {
    let disjuncts: &[Term] = match formula.kind() {
        Kind::Or(parts) => parts,
        _ => std::slice::from_ref(formula),
    };
    let mut numbers = Numbers { terms: vec![Term::int(0)], known: BTreeMap::new() };
    disjuncts.iter().flat_map(Term::conjuncts).for_each(|part| numbers.note(part));
    if disjuncts.len() > MAX_DISJUNCTS || numbers.terms.len() > MAX_NUMBERS {
        return formula.clone();
    }
    let mut cubes: Vec<Cube> = disjuncts.iter().filter_map(|part| Cube::of(part, &numbers)).collect();
    join_all(&mut cubes);
    let shorter = Term::any(cubes.iter().map(|cube| cube.term(&numbers)));
    if shorter.size(usize::MAX) <= formula.size(usize::MAX) { shorter } else { formula.clone() }
}

/// Joins disjuncts as long as there are two that can be.
fn join_all(cubes: &mut Vec<Cube>) {
    'again: loop {
        for first in 0..cubes.len() {
            for second in first + 1..cubes.len() {
                if let Some(joined) = cubes[first].joined(&cubes[second]) {
                    cubes.remove(second);
                    cubes[first] = joined;
                    continue 'again;
                }
            }
        }
        return;
    }
}

/// The integers that are compared with each other, by number.
struct Numbers {
    terms: Vec<Term>,
    known: BTreeMap<Term, usize>,
}

/// The first number minus the second is at most this.
type Bound = (usize, usize, i64);

impl Numbers {
    fn note(&mut self, part: &Term) {
        let (Kind::Le(a, b) | Kind::Eq(a, b)) = part.kind() else { return };
        if let Some((plus, minus, _)) = difference(a, b) {
            for term in [plus, minus].into_iter().flatten() {
                let next = self.terms.len();
                if *self.known.entry(term.clone()).or_insert(next) == next {
                    self.terms.push(term);
                }
            }
        }
    }

    /// What a comparison says of differences; nothing if it is not about two integers.
    fn bounds(&self, part: &Term) -> Option<Vec<Bound>> {
        let (Kind::Le(a, b) | Kind::Eq(a, b)) = part.kind() else { return None };
        let (plus, minus, constant) = difference(a, b)?;
        let number = |term: Option<Term>| term.map_or(Some(ZERO), |term| self.known.get(&term).copied());
        let (x, y, most) = (number(plus)?, number(minus)?, constant.checked_neg()?);
        match part.kind() {
            Kind::Eq(..) => Some(vec![(x, y, most), (y, x, most.checked_neg()?)]),
            _ => Some(vec![(x, y, most)]),
        }
    }
}

/// A difference of two terms as one of two integers and a constant.
fn difference(a: &Term, b: &Term) -> Option<(Option<Term>, Option<Term>, i64)> {
    if *a.sort() != threadwise_logic::SmtSort::Int {
        return None;
    }
    let difference = a.minus(b);
    let parts = match difference.kind() {
        Kind::Sum(parts) => parts.clone(),
        _ => vec![difference.clone()],
    };
    let (mut plus, mut minus, mut constant) = (None, None, 0);
    for part in parts {
        match part.kind() {
            Kind::Int(value) => constant = *value,
            Kind::Scale(-1, inner) if minus.is_none() => minus = Some(inner.clone()),
            Kind::Scale(..) => return None,
            _ if plus.is_none() => plus = Some(part),
            _ => return None,
        }
    }
    Some((plus, minus, constant))
}

/// A conjunction: bounds of differences, closed under consequences, and other formulas.
#[derive(Clone)]
struct Cube {
    /// By row and column; none where there is no bound.
    most: Vec<Vec<Option<i64>>>,
    others: BTreeSet<Term>,
}

impl Cube {
    /// Nothing, if nothing satisfies it.
    fn of(formula: &Term, numbers: &Numbers) -> Option<Cube> {
        let mut others = BTreeSet::new();
        let mut bounds = Vec::new();
        for part in formula.conjuncts() {
            match numbers.bounds(part) {
                Some(more) => bounds.extend(more),
                None if part.is_false() => return None,
                None => {
                    others.insert(part.clone());
                }
            }
        }
        Some(Cube { most: closed(numbers.terms.len(), bounds)?, others })
    }

    fn bounds(&self) -> impl Iterator<Item = Bound> {
        let rows = self.most.iter().enumerate();
        rows.flat_map(|(x, row)| row.iter().enumerate().filter_map(move |(y, most)| Some((x, y, (*most)?))))
            .filter(|(x, y, _)| x != y)
    }

    /// Whether everything that satisfies this one satisfies the other.
    fn implies(&self, other: &Cube) -> bool {
        let follows = |(x, y, most): Bound| self.most[x][y].is_some_and(|own| own <= most);
        other.others.is_subset(&self.others) && other.bounds().all(follows)
    }

    /// One conjunction that is equivalent to both together, if it is seen to be one.
    fn joined(&self, other: &Cube) -> Option<Cube> {
        if self.implies(other) {
            return Some(other.clone());
        }
        if other.implies(self) {
            return Some(self.clone());
        }
        if self.others != other.others {
            return None;
        }
        let hull = Cube { most: weaker(&self.most, &other.most), others: self.others.clone() };
        // What is in the hull and violates a bound of this one must satisfy the other.
        let is_covered = |(x, y, most): Bound| {
            let Some(outside) = most.checked_neg().and_then(|most| most.checked_sub(1)) else { return false };
            match closed(self.most.len(), hull.bounds().chain([(y, x, outside)]).collect()) {
                None => true,
                Some(rest) => Cube { most: rest, others: self.others.clone() }.implies(other),
            }
        };
        self.bounds().all(is_covered).then_some(hull)
    }

    /// As few comparisons as say the same, the simplest ones kept.
    fn term(&self, numbers: &Numbers) -> Term {
        let mut kept: Vec<Vec<Bound>> = self.comparisons();
        let mut index = kept.len();
        while index > 0 {
            index -= 1;
            let rest: Vec<Bound> =
                kept.iter().enumerate().filter(|(i, _)| *i != index).flat_map(|(_, b)| b.clone()).collect();
            let follows = closed(self.most.len(), rest).is_some_and(|closed| {
                kept[index].iter().all(|&(x, y, most)| closed[x][y].is_some_and(|own| own <= most))
            });
            if follows {
                kept.remove(index);
            }
        }
        let comparisons = kept.iter().map(|bounds| comparison(bounds, numbers));
        Term::all(comparisons.chain(self.others.iter().cloned()))
    }

    /// All that is known, what is simplest to read first: values, equal numbers, bounds, then differences.
    fn comparisons(&self) -> Vec<Vec<Bound>> {
        let is_equal = |(x, y, most): &Bound| self.most[*y][*x] == most.checked_neg();
        let (equal, less): (Vec<Bound>, Vec<Bound>) = self.bounds().partition(is_equal);
        let simplest_first = |(x, y, _): &Bound| (*x != ZERO && *y != ZERO, *x.max(y), *x.min(y));
        let mut equal: Vec<Bound> = equal.into_iter().filter(|(x, y, _)| x > y).collect();
        equal.sort_by_key(simplest_first);
        let mut less = less;
        less.sort_by_key(simplest_first);
        let both = |(x, y, most): Bound| vec![(x, y, most), (y, x, -most)];
        equal.into_iter().map(both).chain(less.into_iter().map(|bound| vec![bound])).collect()
    }
}

fn comparison(bounds: &[Bound], numbers: &Numbers) -> Term {
    let (x, y, most) = bounds[0];
    if x == ZERO {
        return Term::int(-most).le(&numbers.terms[y]);
    }
    let right = numbers.terms[y].plus(Term::int(most));
    if bounds.len() > 1 { numbers.terms[x].equals(right) } else { numbers.terms[x].le(right) }
}

fn weaker(a: &[Vec<Option<i64>>], b: &[Vec<Option<i64>>]) -> Vec<Vec<Option<i64>>> {
    let row =
        |(a, b): (&Vec<Option<i64>>, &Vec<Option<i64>>)| a.iter().zip(b).map(|(a, b)| Some((*a)?.max((*b)?))).collect();
    a.iter().zip(b).map(row).collect()
}

/// The shortest paths; nothing if there is none because bounds contradict each other.
fn closed(count: usize, bounds: Vec<Bound>) -> Option<Vec<Vec<Option<i64>>>> {
    let mut most = vec![vec![None; count]; count];
    (0..count).for_each(|number| most[number][number] = Some(0));
    for (x, y, bound) in bounds {
        if most[x][y].is_none_or(|known| bound < known) {
            most[x][y] = Some(bound);
        }
    }
    for middle in 0..count {
        for x in 0..count {
            for y in 0..count {
                let (Some(first), Some(second)) = (most[x][middle], most[middle][y]) else { continue };
                // A bound that is too large for a number is none.
                let Some(path) = i64::checked_add(first, second) else { continue };
                if most[x][y].is_none_or(|known| path < known) {
                    most[x][y] = Some(path);
                }
            }
        }
    }
    (0..count).all(|number| most[number][number] == Some(0)).then_some(most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use threadwise_logic::{SmtSort, Var};

    fn x() -> Term {
        Term::var(Var(1), SmtSort::Int)
    }

    fn y() -> Term {
        Term::var(Var(2), SmtSort::Int)
    }

    fn at_least(term: &Term, value: i64) -> Term {
        Term::int(value).le(term)
    }

    #[test]
    fn what_follows_is_dropped() {
        // x <= 0 && x <= y && y == 0 && y <= x
        let given = Term::all([x().le(Term::int(0)), x().le(y()), y().equals(Term::int(0)), y().le(x())]);
        assert_eq!(simplified(&given), Term::all([x().equals(Term::int(0)), y().equals(Term::int(0))]));
    }

    #[test]
    fn neighbours_are_joined() {
        let one = Term::all([x().le(Term::int(0)), y().equals(Term::int(1))]);
        let more = Term::all([x().le(Term::int(0)), at_least(&y(), 2)]);
        assert_eq!(simplified(&Term::any([one, more])), Term::all([x().le(Term::int(0)), at_least(&y(), 1)]));
    }

    #[test]
    fn what_is_no_conjunction_stays_apart() {
        let (low, high) = (x().equals(Term::int(0)), x().equals(Term::int(2)));
        assert_eq!(simplified(&Term::any([low.clone(), high.clone()])), Term::any([low, high]));
    }

    #[test]
    fn a_square_without_a_corner_is_not_filled() {
        // Joined, these would admit x == 1 && y == 1.
        let row = Term::all([x().equals(Term::int(0)), y().between(Term::int(0), Term::int(1))]);
        let point = Term::all([x().equals(Term::int(1)), y().equals(Term::int(0))]);
        let shown = simplified(&Term::any([row, point]));
        assert!(matches!(shown.kind(), Kind::Or(parts) if parts.len() == 2), "{shown:?}");
    }
}
