//! Assertions without what they say twice, for people to read. The judge sees what is left.

use std::collections::BTreeMap;
use threadwise_logic::{Formula, Term, Var};

/// The least and the greatest value that a variable may have.
type Range = (Option<i64>, Option<i64>);

/// An equivalent formula without weaker bounds beside stronger ones and cases that others include; a least value that is
/// also the greatest is an equation.
pub(crate) fn tidy(formula: &Formula) -> Formula {
    match formula {
        Formula::Or(cases) => {
            let cases: Vec<Formula> = cases.iter().map(tidy).collect();
            let included = |case: &Formula| cases.iter().any(|other| other != case && includes(other, case));
            Formula::any(cases.iter().filter(|case| !included(case)).cloned())
        }
        Formula::And(parts) => tidy_conjunction(parts),
        other => other.clone(),
    }
}

/// Whether the first case includes the second because it says less.
fn includes(weak: &Formula, strong: &Formula) -> bool {
    weak.conjuncts().iter().all(|part| strong.conjuncts().contains(part))
}

fn tidy_conjunction(parts: &[Formula]) -> Formula {
    let mut ranges: BTreeMap<Var, Range> = BTreeMap::new();
    for (var, (least, greatest)) in parts.iter().filter_map(range) {
        let known = ranges.entry(var).or_default();
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
            let least = least.map(|least| Formula::le(Term::Const(least), Term::Var(var)));
            let greatest = greatest.map(|greatest| Formula::le(Term::Var(var), Term::Const(greatest)));
            Formula::all(least.into_iter().chain(greatest))
        }
    };
    Formula::all(parts.iter().map(|part| match range(part) {
        Some((var, _)) => bound(var),
        None if is_outside(part, &ranges) => Formula::TRUE,
        None => part.clone(),
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

    #[test]
    fn weaker_bounds_go() {
        let formula = Formula::all([at_most(X, 1), at_least(Y, 3), at_most(X, 0), is(X, 5).negated()]);
        assert_eq!(tidy(&formula), Formula::all([at_most(X, 0), at_least(Y, 3)]));
        assert_eq!(tidy(&Formula::all([at_most(X, 1), at_least(X, 1)])), is(X, 1));
        assert_eq!(tidy(&Formula::all([at_most(X, 1), at_least(X, 0), is(X, 0)])), is(X, 0));
        assert_eq!(tidy(&Formula::all([at_most(X, 1), at_least(X, 2)])), Formula::FALSE);
        let kept = Formula::all([at_most(X, 4), is(X, 3).negated(), at_least(X, 1)]);
        assert_eq!(tidy(&kept), Formula::all([at_least(X, 1), at_most(X, 4), is(X, 3).negated()]));
    }

    #[test]
    fn cases_that_others_include_go() {
        let formula = Formula::any([Formula::all([at_most(X, 1), at_least(Y, 3)]), at_least(Y, 3), at_most(X, 7)]);
        assert_eq!(tidy(&formula), Formula::any([at_least(Y, 3), at_most(X, 7)]));
    }
}
