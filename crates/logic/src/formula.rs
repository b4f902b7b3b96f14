use crate::{Term, Var};
use std::collections::BTreeSet;

/// A formula.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Formula {
    /// `true` or `false`.
    Const(bool),
    /// A boolean variable.
    Var(Var),
    /// The first term is at most the second.
    Le(Term, Term),
    /// The terms are equal.
    Eq(Term, Term),
    /// The negation.
    Not(Box<Formula>),
    /// The conjunction of at least two formulas, none of them a conjunction.
    And(Vec<Formula>),
    /// The disjunction of at least two formulas, none of them a disjunction.
    Or(Vec<Formula>),
    /// The formulas are equivalent.
    Iff(Box<Formula>, Box<Formula>),
}

impl Formula {
    /// Holds always.
    pub const TRUE: Formula = Formula::Const(true);
    /// Holds never.
    pub const FALSE: Formula = Formula::Const(false);

    /// `a <= b`
    pub fn le(a: Term, b: Term) -> Formula {
        match (a.constant(), b.constant()) {
            (Some(a), Some(b)) => Formula::Const(a <= b),
            _ if a == b => Formula::TRUE,
            _ => Formula::Le(a, b),
        }
    }

    /// `a < b`
    pub fn lt(a: Term, b: Term) -> Formula {
        match b.constant().and_then(|b| b.checked_sub(1)) {
            // So that negating `2 <= x` gives `x <= 1`, of which it is the negation.
            Some(below) if a.constant().is_none() => Formula::le(a, Term::Const(below)),
            _ => Formula::le(a.plus(Term::Const(1)), b),
        }
    }

    /// `a == b`
    pub fn eq(a: Term, b: Term) -> Formula {
        match (a.constant(), b.constant()) {
            (Some(a), Some(b)) => Formula::Const(a == b),
            _ if a == b => Formula::TRUE,
            (Some(_), None) => Formula::Eq(b, a),
            _ => Formula::Eq(a, b),
        }
    }

    /// The negation.
    pub fn negated(self) -> Formula {
        match self {
            Formula::Const(value) => Formula::Const(!value),
            Formula::Not(inner) => *inner,
            Formula::Le(a, b) => Formula::lt(b, a),
            other => Formula::Not(Box::new(other)),
        }
    }

    /// The conjunction of all. Duplicates are dropped, and a formula beside its negation makes `false`.
    pub fn all(parts: impl IntoIterator<Item = Formula>) -> Formula {
        Formula::junction(parts, true)
    }

    /// The disjunction of all. Duplicates are dropped, and a formula beside its negation makes `true`.
    pub fn any(parts: impl IntoIterator<Item = Formula>) -> Formula {
        Formula::junction(parts, false)
    }

    fn junction(parts: impl IntoIterator<Item = Formula>, is_and: bool) -> Formula {
        let mut flat: Vec<Formula> = Vec::new();
        let mut seen: BTreeSet<Formula> = BTreeSet::new();
        for part in parts {
            let inner = match part {
                Formula::Const(value) if value == is_and => continue,
                Formula::Const(_) => return Formula::Const(!is_and),
                Formula::And(inner) if is_and => inner,
                Formula::Or(inner) if !is_and => inner,
                other => vec![other],
            };
            for formula in inner {
                if seen.contains(&formula.clone().negated()) {
                    return Formula::Const(!is_and);
                }
                if seen.insert(formula.clone()) {
                    flat.push(formula);
                }
            }
        }
        match flat.len() {
            0 => Formula::Const(is_and),
            1 => flat.remove(0),
            _ if is_and => Formula::And(flat),
            _ => Formula::Or(flat),
        }
    }

    /// `self && other`
    pub fn and(self, other: Formula) -> Formula {
        Formula::all([self, other])
    }

    /// `self || other`
    pub fn or(self, other: Formula) -> Formula {
        Formula::any([self, other])
    }

    /// `self ==> other`
    pub fn implies(self, other: Formula) -> Formula {
        self.negated().or(other)
    }

    /// `self <==> other`
    pub fn iff(self, other: Formula) -> Formula {
        match (self, other) {
            (Formula::Const(true), f) | (f, Formula::Const(true)) => f,
            (Formula::Const(false), f) | (f, Formula::Const(false)) => f.negated(),
            (a, b) if a == b => Formula::TRUE,
            (a, b) => Formula::Iff(Box::new(a), Box::new(b)),
        }
    }

    /// The one formula or the other.
    pub fn ite(condition: Formula, then: Formula, otherwise: Formula) -> Formula {
        match condition {
            Formula::Const(true) => then,
            Formula::Const(false) => otherwise,
            _ if then == otherwise => then,
            condition => {
                let not = condition.clone().negated();
                condition.and(then).or(not.and(otherwise))
            }
        }
    }

    /// Calls `visit` on every variable, of either sort, as often as it occurs.
    pub fn walk(&self, visit: &mut dyn FnMut(Var)) {
        match self {
            Formula::Const(_) => {}
            Formula::Var(var) => visit(*var),
            Formula::Le(a, b) | Formula::Eq(a, b) => {
                a.walk(visit);
                b.walk(visit);
            }
            Formula::Not(a) => a.walk(visit),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| part.walk(visit)),
            Formula::Iff(a, b) => {
                a.walk(visit);
                b.walk(visit);
            }
        }
    }

    /// The variables that occur.
    pub fn variables(&self) -> BTreeSet<Var> {
        let mut vars = BTreeSet::new();
        self.walk(&mut |var| {
            vars.insert(var);
        });
        vars
    }

    /// The number of nodes, counted up to `most`.
    pub fn size(&self, most: usize) -> usize {
        if most == 0 {
            return 0;
        }
        let add = |sum: usize, part: usize| (sum + part).min(most);
        match self {
            Formula::Const(_) | Formula::Var(_) => 1,
            Formula::Le(a, b) | Formula::Eq(a, b) => {
                let left = add(1, a.size(most - 1));
                add(left, b.size(most - left))
            }
            Formula::Not(a) => add(1, a.size(most - 1)),
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().fold(1, |sum, part| add(sum, part.size(most - sum)))
            }
            Formula::Iff(a, b) => {
                let left = add(1, a.size(most - 1));
                add(left, b.size(most - left))
            }
        }
    }

    /// The conjuncts of a conjunction, or the formula alone; none for `true`.
    pub fn conjuncts(&self) -> &[Formula] {
        match self {
            Formula::And(parts) => parts,
            Formula::Const(true) => &[],
            other => std::slice::from_ref(other),
        }
    }
}

impl From<bool> for Formula {
    fn from(value: bool) -> Formula {
        Formula::Const(value)
    }
}
