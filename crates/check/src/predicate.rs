//! Predicates that come from outside as text: from a proof file, or from a solver's answer. What is read
//! has one meaning in every query, so that a text cannot say more than a formula.

use rustc_hash::FxHashMap;
use threadwise_logic::{Scope, SmtSort, Term, parse_sexp, read_formula, read_sexp};
use threadwise_symbolic::Parameters;

/// A predicate of some parameters.
#[derive(Clone, Debug)]
pub(crate) struct Predicate {
    places: FxHashMap<Term, usize>,
    body: Term,
}

impl Predicate {
    /// The predicate with this body, which may have quantifiers only where they are admitted.
    pub(crate) fn parse(parameters: &Parameters, body: &str, quantifiers: bool) -> Result<Predicate, String> {
        let numbered = parameters.constants().iter().cloned().enumerate();
        let places: FxHashMap<Term, usize> = numbered.map(|(index, constant)| (constant, index)).collect();
        let sexp = parse_sexp(body).map_err(|e| format!("`{body}` is no formula: {e}"))?;
        let names = Named(places.keys().map(|term| (term.name().expect("it is a constant"), term)).collect());
        let read = if quantifiers { read_sexp(&sexp, &names) } else { read_formula(&sexp, &names) };
        let body = read.map_err(|e| format!("`{sexp}` is not admitted in a predicate: {e}"))?;
        match body.sort() {
            SmtSort::Bool => Ok(Predicate { places, body }),
            SmtSort::Int | SmtSort::Bits(_) | SmtSort::Array(..) => Err(format!("`{sexp}` is no formula")),
        }
    }

    /// The predicate of these terms, one for each parameter.
    pub(crate) fn of(&self, args: &[Term]) -> Term {
        self.body.replace(&|leaf| self.places.get(leaf).map(|&place| args[place].clone()))
    }

    /// Whether it speaks of no parameters but those at these places.
    pub(crate) fn speaks_only_of(&self, admitted: &dyn Fn(usize) -> bool) -> bool {
        self.places.iter().all(|(constant, &place)| admitted(place) || !self.body.mentions(constant))
    }
}

struct Named<'a>(FxHashMap<&'a str, &'a Term>);

impl Scope for Named<'_> {
    fn meaning(&self, name: &str) -> Option<Term> {
        self.0.get(name).map(|&term| term.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_formulas_over_the_parameters_are_admitted() {
        let params = Parameters::default().with("n", &SmtSort::Int).with("and", &SmtSort::Bool);
        let parse = |text: &str| Predicate::parse(&params, text, false);
        assert!(parse("(let ((a!1 (+ n 1))) (and and (<= a!1 (- 3)) (= (mod n 2) 0)))").is_ok());
        for text in ["x0", "y", "(f n)", "true) (assert false", "(div n 0)", "(div n n)", "a!1", "()", "", "n1", "n"] {
            assert!(parse(text).is_err(), "{text}");
            assert!(Predicate::parse(&params, text, true).is_err(), "{text}");
        }
        assert!(parse("(let ((or and)) (or and))").is_err());
        assert!(parse("(and (let ((a!1 and)) a!1) a!1)").is_err());
        assert!(parse("(forall ((y Int)) (= y y))").is_err());
    }

    /// What is put in the place of a parameter is not caught by a quantifier.
    #[test]
    fn parameters_keep_their_meaning_below_quantifiers() {
        let params = Parameters::default().with("n", &SmtSort::Int);
        let predicate = Predicate::parse(&params, "(forall ((y Int)) (<= n y))", true).expect("a formula");
        let y = Term::constant("y", SmtSort::Int);
        assert!(predicate.of(std::slice::from_ref(&y)).mentions(&y));
        let bound = Predicate::parse(&params, "(forall ((n Int)) (<= n 1))", true).expect("a formula");
        assert!(!bound.of(std::slice::from_ref(&y)).mentions(&y));
    }
}
