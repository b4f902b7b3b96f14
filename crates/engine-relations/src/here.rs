//! What holds at a place, or of the shared variables everywhere: the strongest of what can be said, of the states that have been
//! seen so far.

use std::collections::BTreeMap;
use threadwise_affine::{Equation, Hull};
use threadwise_logic::{Constant, Kind, SmtSort, Term};

/// What can be said at a place, over names for everything there.
pub(crate) struct Language {
    pub(crate) names: Vec<Term>,
    /// Which of the names are numbers or truth values that equations may relate.
    pub(crate) numbers: Vec<usize>,
    /// Conditions under which more may hold; the first one is that there is none.
    pub(crate) guards: Vec<Term>,
    /// What may hold.
    pub(crate) atoms: Vec<Term>,
}

/// What holds.
pub(crate) struct Here {
    language: Language,
    /// By the number of the guard.
    cases: Vec<Case>,
    /// Where the names are.
    at: BTreeMap<Term, usize>,
    /// Goes up with every change.
    pub(crate) version: u32,
    /// What holds, over the names.
    whole: Term,
}

/// What holds where a guard does: of no state, as long as none has been seen.
#[derive(Clone, Default)]
struct Case {
    seen: bool,
    /// A state had a number without a value, so that nothing can be said of how numbers relate.
    is_vague: bool,
    hull: Hull,
    equations: Vec<Equation>,
    atoms: Vec<bool>,
}

/// The values of the names, as far as they have some.
pub(crate) type Values = Vec<Option<Constant>>;

impl Here {
    pub(crate) fn new(language: Language) -> Here {
        let case = Case { atoms: vec![true; language.atoms.len()], ..Case::default() };
        let at = language.names.iter().cloned().zip(0..).collect();
        Here { cases: vec![case; language.guards.len()], language, at, version: 0, whole: Term::bool(false) }
    }

    pub(crate) fn is_reached(&self) -> bool {
        self.cases[0].seen
    }

    /// Makes room for a state; says whether that took anything.
    pub(crate) fn admit(&mut self, values: &Values) -> bool {
        let Language { numbers, guards, atoms, .. } = &self.language;
        let leaf = |name: &Term| values[*self.at.get(name)?];
        let holds = |term: &Term| match term.evaluate(&leaf) {
            Some(Constant::Bool(value)) => Some(value),
            _ => None,
        };
        let point: Option<Vec<i128>> = numbers.iter().map(|&number| as_number(values[number]?)).collect();
        // What has no value is not known to hold.
        let atoms: Vec<bool> = atoms.iter().map(|atom| holds(atom) == Some(true)).collect();
        let mut changed = false;
        for (guard, case) in guards.iter().zip(&mut self.cases) {
            if holds(guard) != Some(false) {
                changed |= case.admit(point.as_deref(), &atoms);
            }
        }
        if changed {
            self.version += 1;
            self.whole = Term::all(self.facts());
        }
        changed
    }

    /// What holds, over other terms for the names.
    pub(crate) fn formula(&self, terms: &[Term]) -> Term {
        self.whole.replace(&|name| self.at.get(name).map(|&at| terms[at].clone()))
    }

    /// The terms, among these for the names, that are known to be others of them, or constants: identities for the most part.
    pub(crate) fn fixed(&self, terms: &[Term]) -> Vec<(Term, Term)> {
        let always = self.language.atoms.iter().zip(&self.cases[0].atoms).filter(|(_, holds)| **holds);
        let own = |term: &Term| self.at.get(term).map_or(term.clone(), |&at| terms[at].clone());
        let fixed = always.filter_map(|(atom, _)| match atom.kind() {
            Kind::Eq(a, b) => Some(if self.at.get(a) == Some(&0) { (own(b), own(a)) } else { (own(a), own(b)) }),
            _ => None,
        });
        fixed.collect()
    }

    fn facts(&self) -> Vec<Term> {
        let Language { guards, atoms, .. } = &self.language;
        let always = &self.cases[0];
        if !always.seen {
            return vec![Term::bool(false)];
        }
        let mut facts: Vec<Term> = always.equations.iter().map(|equation| self.equation(equation)).collect();
        facts.extend(atoms.iter().zip(&always.atoms).filter(|(_, holds)| **holds).map(|(atom, _)| atom.clone()));
        for (guard, case) in guards.iter().zip(&self.cases).skip(1) {
            if !case.seen {
                facts.push(guard.not());
                continue;
            }
            let new_equations = case.equations.iter().filter(|equation| !always.equations.contains(equation));
            let mut more: Vec<Term> = new_equations.map(|equation| self.equation(equation)).collect();
            let new = |at: &usize| case.atoms[*at] && !always.atoms[*at];
            more.extend((0..atoms.len()).filter(new).map(|at| atoms[at].clone()));
            facts.push(guard.implies(Term::all(more)));
        }
        facts
    }

    fn equation(&self, equation: &Equation) -> Term {
        let name = |at: usize| &self.language.names[self.language.numbers[at]];
        let parts = equation.coefficients.iter().map(|(at, c)| number(name(*at)).times(*c));
        let positive = |c: &i64| *c > 0;
        // Both sides have positive numbers only, which people find easier to read.
        let side = |of_left: bool| {
            let parts = equation.coefficients.iter().filter(|(_, c)| positive(c) == of_left);
            Term::sum(parts.map(|(at, c)| number(name(*at)).times(c.abs())).collect::<Vec<Term>>())
        };
        match (&equation.coefficients[..], i64::try_from(equation.constant)) {
            ([(at, -1 | 1)], Ok(value @ (-1..=1))) if name(*at).sort() == &SmtSort::Bool => {
                if value == 0 {
                    name(*at).not()
                } else {
                    name(*at).clone()
                }
            }
            (_, Ok(constant)) if constant >= 0 => side(true).plus(Term::int(constant)).equals(side(false)),
            (_, Ok(constant)) if constant > i64::MIN => side(true).equals(side(false).plus(Term::int(-constant))),
            _ => Term::sum(parts.collect::<Vec<Term>>()).plus(Term::number(equation.constant)).equals(Term::int(0)),
        }
    }
}

impl Case {
    fn admit(&mut self, point: Option<&[i128]>, atoms: &[bool]) -> bool {
        let mut changed = !self.seen;
        self.seen = true;
        match point {
            _ if self.is_vague => {}
            Some(point) if self.hull.is_empty() || !self.equations.iter().all(|equation| equation.holds(point)) => {
                self.hull.add(point.to_vec());
                self.equations = self.hull.equations();
                changed = true;
            }
            Some(_) => {}
            None => {
                changed |= !self.equations.is_empty();
                self.is_vague = true;
                self.equations.clear();
            }
        }
        for (own, holds) in self.atoms.iter_mut().zip(atoms) {
            changed |= *own && !holds;
            *own &= holds;
        }
        changed
    }
}

fn as_number(value: Constant) -> Option<i128> {
    match value {
        Constant::Int(value) => Some(value),
        Constant::Bool(value) => Some(i128::from(value)),
        Constant::Bits(_) => None,
    }
}

/// A term as a number.
fn number(term: &Term) -> Term {
    if *term.sort() == SmtSort::Bool { term.ite(Term::int(1), Term::int(0)) } else { term.clone() }
}
