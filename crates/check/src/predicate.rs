//! Predicates that come from outside as text: from a proof file, or from a solver's answer. What is read
//! has one meaning in every query, so that a text cannot say more than a formula.

use threadwise_logic::{Scope, SmtSort, Term, parse_sexp, read_formula};
use threadwise_solver::Session;
use threadwise_symbolic::Parameters;

/// A predicate. The solver is told of `x0`, `x1` and so on, whatever the parameters are called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Predicate {
    name: String,
    params: Vec<Term>,
    body: Term,
}

impl Predicate {
    /// The predicate with this body, which must have no quantifiers.
    pub(crate) fn parse(name: &str, parameters: &Parameters, body: &str) -> Result<Predicate, String> {
        let constants = parameters.constants().iter().enumerate();
        let params = constants.map(|(index, constant)| Term::constant(&format!("x{index}"), constant.sort().clone()));
        let params: Vec<Term> = params.collect();
        let sexp = parse_sexp(body).map_err(|e| format!("`{body}` is no formula: {e}"))?;
        let read = read_formula(&sexp, &Numbered { parameters, params: &params });
        let body = read.map_err(|e| format!("`{sexp}` is not admitted in a predicate: {e}"))?;
        Ok(Predicate { name: name.to_string(), params, body })
    }

    /// Makes it known in a session.
    pub(crate) fn define(&self, session: &mut Session) {
        session.define_function(&self.name, &self.params, &self.body);
    }

    /// The predicate of these terms, one for each parameter.
    pub(crate) fn of(&self, args: &[Term]) -> Term {
        Term::apply(&self.name, args, SmtSort::Bool)
    }
}

struct Numbered<'a> {
    parameters: &'a Parameters,
    params: &'a [Term],
}

impl Scope for Numbered<'_> {
    fn meaning(&self, name: &str) -> Option<Term> {
        let at = self.parameters.constants().iter().position(|parameter| parameter.name() == Some(name))?;
        Some(self.params[at].clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_formulas_over_the_parameters_are_admitted() {
        let params = Parameters::default().with("n", &SmtSort::Int).with("and", &SmtSort::Bool);
        let parse = |text: &str| Predicate::parse("p", &params, text);
        assert!(parse("(let ((a!1 (+ n 1))) (and and (<= a!1 (- 3)) (= (mod n 2) 0)))").is_ok());
        for text in ["x0", "y", "(f n)", "true) (assert false", "(div n 0)", "(div n n)", "a!1", "()", "", "n1"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse("(let ((or and)) (or and))").is_err());
        assert!(parse("(and (let ((a!1 and)) a!1) a!1)").is_err());
        assert!(parse("(forall ((y Int)) (= y y))").is_err());
    }
}
