//! Assertions without what they say twice, for people to read. The judge sees what is left.

use std::collections::BTreeMap;
use threadwise_logic::{Kind, SmtSort, Term, Var};

/// The least and the greatest value that a variable may have.
pub(crate) type Range = (Option<i64>, Option<i64>);

/// An equivalent formula without weaker bounds beside stronger ones, bounds that the variable's type has anyway, and
/// cases that others include; a least value that is also the greatest is an equation.
pub(crate) fn tidy(formula: &Term, of_type: &dyn Fn(Var) -> Range) -> Term {
    match formula.kind() {
        Kind::Or(cases) => {
            let cases: Vec<Term> = cases.iter().map(|case| tidy(case, of_type)).collect();
            let included = |case: &Term| cases.iter().any(|other| other != case && includes(other, case));
            Term::any(cases.iter().filter(|case| !included(case)).cloned())
        }
        Kind::And(parts) => tidy_conjunction(parts, of_type),
        _ => tidy_conjunction(std::slice::from_ref(formula), of_type),
    }
}

/// Whether the first case includes the second because it says less.
fn includes(weak: &Term, strong: &Term) -> bool {
    weak.conjuncts().iter().all(|part| strong.conjuncts().contains(part))
}

fn tidy_conjunction(parts: &[Term], of_type: &dyn Fn(Var) -> Range) -> Term {
    let mut ranges: BTreeMap<Var, Range> = BTreeMap::new();
    for (var, (least, greatest)) in parts.iter().filter_map(range) {
        let known = ranges.entry(var).or_insert_with(|| of_type(var));
        known.0 = known.0.max(least);
        known.1 = match (known.1, greatest) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }
    if ranges.values().any(|range| matches!(range, (Some(least), Some(greatest)) if least > greatest)) {
        return Term::bool(false);
    }
    // Each bound stands where the first part about the variable stood.
    let bound = |var: Var| match ranges[&var] {
        (Some(least), Some(greatest)) if least == greatest => int(var).equals(Term::int(least)),
        (least, greatest) => {
            let typed = of_type(var);
            let least = least.filter(|_| least != typed.0).map(|least| Term::int(least).le(int(var)));
            let greatest = greatest.filter(|_| greatest != typed.1);
            let greatest = greatest.map(|greatest| int(var).le(Term::int(greatest)));
            Term::all(least.into_iter().chain(greatest))
        }
    };
    Term::all(parts.iter().map(|part| match range(part) {
        Some((var, _)) => bound(var),
        None if is_outside(part, &ranges) => Term::bool(true),
        None => implication(part).unwrap_or_else(|| part.clone()),
    }))
}

/// A part that only bounds a variable.
fn range(part: &Term) -> Option<(Var, Range)> {
    match part.kind() {
        Kind::Le(a, b) => match (a.kind(), b.kind()) {
            (Kind::Int(least), Kind::Var(var, _)) => Some((*var, (Some(*least), None))),
            (Kind::Var(var, _), Kind::Int(greatest)) => Some((*var, (None, Some(*greatest)))),
            _ => None,
        },
        Kind::Eq(a, b) => Some((a.as_var()?, (Some(b.as_int()?), b.as_int()))),
        _ => None,
    }
}

/// An inequality between two truth values, as numbers, is an implication.
fn implication(part: &Term) -> Option<Term> {
    let truth = |term: &Term| match term.kind() {
        Kind::Ite(condition, one, zero) if (one.as_int(), zero.as_int()) == (Some(1), Some(0)) => {
            Some(condition.clone())
        }
        _ => None,
    };
    let Kind::Le(a, b) = part.kind() else { return None };
    Some(truth(a)?.implies(truth(b)?))
}

/// Whether the part only excludes a value that the variable's range excludes.
fn is_outside(part: &Term, ranges: &BTreeMap<Var, Range>) -> bool {
    let Kind::Not(inner) = part.kind() else { return false };
    let Kind::Eq(a, b) = inner.kind() else { return false };
    let (Some(var), Some(value)) = (a.as_var(), b.as_int()) else { return false };
    ranges.get(&var).is_some_and(|(least, greatest)| {
        least.is_some_and(|least| value < least) || greatest.is_some_and(|greatest| value > greatest)
    })
}

fn int(var: Var) -> Term {
    Term::var(var, SmtSort::Int)
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: Var = Var(0);
    const Y: Var = Var(1);

    fn at_least(var: Var, value: i64) -> Term {
        Term::int(value).le(int(var))
    }

    fn at_most(var: Var, value: i64) -> Term {
        int(var).le(Term::int(value))
    }

    fn is(var: Var, value: i64) -> Term {
        int(var).equals(Term::int(value))
    }

    /// With `x` unbounded and `y` from 0 to 9.
    fn tidied(formula: &Term) -> Term {
        tidy(formula, &|var| if var == Y { (Some(0), Some(9)) } else { (None, None) })
    }

    #[test]
    fn weaker_bounds_go() {
        let formula = Term::all([at_most(X, 1), at_least(Y, 3), at_most(X, 0), is(X, 5).not()]);
        assert_eq!(tidied(&formula), Term::all([at_most(X, 0), at_least(Y, 3)]));
        assert_eq!(tidied(&Term::all([at_most(X, 1), at_least(X, 1)])), is(X, 1));
        assert_eq!(tidied(&Term::all([at_most(X, 1), at_least(X, 0), is(X, 0)])), is(X, 0));
        assert_eq!(tidied(&Term::all([at_most(X, 1), at_least(X, 2)])), Term::bool(false));
        let kept = Term::all([at_most(X, 4), is(X, 3).not(), at_least(X, 1)]);
        assert_eq!(tidied(&kept), Term::all([at_least(X, 1), at_most(X, 4), is(X, 3).not()]));
    }

    #[test]
    fn cases_that_others_include_go() {
        let formula = Term::any([Term::all([at_most(X, 1), at_least(Y, 3)]), at_least(Y, 3), at_most(X, 7)]);
        assert_eq!(tidied(&formula), Term::any([at_least(Y, 3), at_most(X, 7)]));
    }

    #[test]
    fn bounds_of_the_type_are_not_said() {
        assert_eq!(tidied(&Term::all([at_least(Y, 0), at_most(Y, 4)])), at_most(Y, 4));
        assert_eq!(tidied(&at_least(Y, 9)), is(Y, 9));
    }

    #[test]
    fn an_inequality_of_truth_values_is_an_implication() {
        let truth = |var| Term::var(var, SmtSort::Bool);
        let number = |var| truth(var).ite(Term::int(1), Term::int(0));
        assert_eq!(tidied(&number(X).le(number(Y))), truth(X).implies(truth(Y)));
    }
}
