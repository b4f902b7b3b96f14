//! Assertions without what they say twice, for people to read. The judge sees what is left.

use std::collections::BTreeMap;
use threadwise_logic::{Formula, Term, Var};

/// The least and the greatest value that a variable may have.
pub(crate) type Range = (Option<i64>, Option<i64>);

/// An equivalent formula without weaker bounds beside stronger ones, bounds that the variable's type has anyway, and
/// cases that others include; a least value that is also the greatest is an equation.
pub(crate) fn tidy(formula: &Formula, of_type: &dyn Fn(Var) -> Range) -> Formula {
    match formula {
        Formula::Or(cases) => {
            let cases: Vec<Formula> = cases.iter().map(|case| tidy(case, of_type)).collect();
            let included = |case: &Formula| cases.iter().any(|other| other != case && includes(other, case));
            Formula::any(cases.iter().filter(|case| !included(case)).cloned())
        }
        Formula::And(parts) => tidy_conjunction(parts, of_type),
        other => tidy_conjunction(std::slice::from_ref(other), of_type),
    }
}

/// Whether the first case includes the second because it says less.
fn includes(weak: &Formula, strong: &Formula) -> bool {
    weak.conjuncts().iter().all(|part| strong.conjuncts().contains(part))
}

fn tidy_conjunction(parts: &[Formula], of_type: &dyn Fn(Var) -> Range) -> Formula {
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
        return Formula::FALSE;
    }
    // Each bound stands where the first part about the variable stood.
    let bound = |var: Var| match ranges[&var] {
        (Some(least), Some(greatest)) if least == greatest => Formula::eq(Term::Var(var), Term::Const(least)),
        (least, greatest) => {
            let typed = of_type(var);
            let least = least.filter(|_| least != typed.0).map(|least| Formula::le(Term::Const(least), Term::Var(var)));
            let greatest = greatest.filter(|_| greatest != typed.1);
            let greatest = greatest.map(|greatest| Formula::le(Term::Var(var), Term::Const(greatest)));
            Formula::all(least.into_iter().chain(greatest))
        }
    };
    Formula::all(parts.iter().map(|part| match range(part) {
        Some((var, _)) => bound(var),
        None if is_outside(part, &ranges) => Formula::TRUE,
        None => implication(part).unwrap_or_else(|| part.clone()),
    }))
}

/// A part that only bounds a variable.
fn range(part: &Formula) -> Option<(Var, Range)> {
    match part {
        Formula::Le(Term::Const(least), Term::Var(var)) => Some((*var, (Some(*least), None))),
        Formula::Le(Term::Var(var), Term::Const(greatest)) => Some((*var, (None, Some(*greatest)))),
        Formula::Eq(Term::Var(var), Term::Const(value)) => Some((*var, (Some(*value), Some(*value)))),
        _ => None,
    }
}

/// An inequality between two truth values, as numbers, is an implication.
fn implication(part: &Formula) -> Option<Formula> {
    let truth = |term: &Term| match term {
        Term::Ite(condition, one, zero) if (&**one, &**zero) == (&Term::Const(1), &Term::Const(0)) => {
            Some((**condition).clone())
        }
        _ => None,
    };
    let Formula::Le(a, b) = part else { return None };
    Some(truth(a)?.implies(truth(b)?))
}

/// Whether the part only excludes a value that the variable's range excludes.
fn is_outside(part: &Formula, ranges: &BTreeMap<Var, Range>) -> bool {
    let Formula::Not(inner) = part else { return false };
    let Formula::Eq(Term::Var(var), Term::Const(value)) = &**inner else { return false };
    ranges.get(var).is_some_and(|(least, greatest)| {
        least.is_some_and(|least| *value < least) || greatest.is_some_and(|greatest| *value > greatest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: Var = Var(0);
    const Y: Var = Var(1);

    fn at_least(var: Var, value: i64) -> Formula {
        Formula::le(Term::Const(value), Term::Var(var))
    }

    fn at_most(var: Var, value: i64) -> Formula {
        Formula::le(Term::Var(var), Term::Const(value))
    }

    fn is(var: Var, value: i64) -> Formula {
        Formula::eq(Term::Var(var), Term::Const(value))
    }

    /// With `x` unbounded and `y` from 0 to 9.
    fn tidied(formula: &Formula) -> Formula {
        tidy(formula, &|var| if var == Y { (Some(0), Some(9)) } else { (None, None) })
    }

    #[test]
    fn weaker_bounds_go() {
        let formula = Formula::all([at_most(X, 1), at_least(Y, 3), at_most(X, 0), is(X, 5).negated()]);
        assert_eq!(tidied(&formula), Formula::all([at_most(X, 0), at_least(Y, 3)]));
        assert_eq!(tidied(&Formula::all([at_most(X, 1), at_least(X, 1)])), is(X, 1));
        assert_eq!(tidied(&Formula::all([at_most(X, 1), at_least(X, 0), is(X, 0)])), is(X, 0));
        assert_eq!(tidied(&Formula::all([at_most(X, 1), at_least(X, 2)])), Formula::FALSE);
        let kept = Formula::all([at_most(X, 4), is(X, 3).negated(), at_least(X, 1)]);
        assert_eq!(tidied(&kept), Formula::all([at_least(X, 1), at_most(X, 4), is(X, 3).negated()]));
    }

    #[test]
    fn cases_that_others_include_go() {
        let formula = Formula::any([Formula::all([at_most(X, 1), at_least(Y, 3)]), at_least(Y, 3), at_most(X, 7)]);
        assert_eq!(tidied(&formula), Formula::any([at_least(Y, 3), at_most(X, 7)]));
    }

    #[test]
    fn bounds_of_the_type_are_not_said() {
        assert_eq!(tidied(&Formula::all([at_least(Y, 0), at_most(Y, 4)])), at_most(Y, 4));
        assert_eq!(tidied(&at_least(Y, 9)), is(Y, 9));
    }

    #[test]
    fn an_inequality_of_truth_values_is_an_implication() {
        let number = |var| Term::ite(Formula::Var(var), Term::Const(1), Term::Const(0));
        let expected = Formula::Var(X).implies(Formula::Var(Y));
        assert_eq!(tidied(&Formula::le(number(X), number(Y))), expected);
    }
}
