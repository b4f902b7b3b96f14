//! Predicates that come from outside as text: from a proof file, or from a solver's answer. What is read
//! has one meaning in every query, so that a text cannot say more than a formula.

use threadwise_logic::{Scope, SmtSort, Term, parse_sexp, read_formula};
use threadwise_solver::Session;

/// A predicate over parameters `x0`, `x1` and so on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Predicate {
    name: String,
    params: Vec<Term>,
    body: Term,
}

impl Predicate {
    /// The predicate with this body, which must have no quantifiers.
    pub(crate) fn parse(name: &str, params: &[SmtSort], body: &str) -> Result<Predicate, String> {
        let params: Vec<Term> =
            params.iter().enumerate().map(|(index, sort)| Term::constant(&format!("x{index}"), sort.clone())).collect();
        let sexp = parse_sexp(body).map_err(|e| format!("`{body}` is no formula: {e}"))?;
        let read = read_formula(&sexp, &Params(&params));
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

struct Params<'a>(&'a [Term]);

impl Scope for Params<'_> {
    fn meaning(&self, name: &str) -> Option<Term> {
        self.0.iter().find(|param| param.name() == Some(name)).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_formulas_over_the_parameters_are_admitted() {
        let params = [SmtSort::Int, SmtSort::Bool];
        let parse = |text: &str| Predicate::parse("p", &params, text);
        assert!(parse("(let ((a!1 (+ x0 1))) (and x1 (<= a!1 (- 3)) (= (mod x0 2) 0)))").is_ok());
        for text in ["x2", "y", "(f x0)", "true) (assert false", "(div x0 0)", "(div x0 x0)", "a!1", "()", "", "x01"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse("(let ((and x1)) (and x1))").is_err());
        assert!(parse("(and (let ((a!1 x1)) a!1) a!1)").is_err());
        assert!(parse("(forall ((y Int)) (= y y))").is_err());
    }
}
