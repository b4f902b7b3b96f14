//! Predicates that come from outside as text: from a proof file, or from a solver's answer. Only what
//! has one meaning in every query is admitted, so that a text cannot say more than a formula.

use crate::{Session, Sexp, SmtSort, Term};

/// Operators that may occur. Division is admitted below, where the divisor is a number other than 0.
const OPERATORS: [&str; 16] =
    ["and", "or", "not", "=>", "=", "distinct", "xor", "ite", "<", "<=", ">", ">=", "+", "-", "*", "select"];

/// A predicate over parameters `x0`, `x1` and so on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Predicate {
    name: String,
    params: Vec<SmtSort>,
    body: Sexp,
}

impl Predicate {
    /// The predicate with this body.
    pub fn parse(name: &str, params: &[SmtSort], body: &str) -> Result<Predicate, String> {
        let parsed = Sexp::parse_all(body).unwrap_or_default();
        let [body] = &parsed[..] else { return Err(format!("`{body}` is no formula")) };
        admissible(body, params.len(), &mut Vec::new())?;
        Ok(Predicate { name: name.to_string(), params: params.to_vec(), body: body.clone() })
    }

    /// Makes it known in a session.
    pub fn define(&self, session: &mut Session) {
        let params = self.params.iter().enumerate().map(|(index, sort)| format!("(x{index} {sort})"));
        let params = params.collect::<Vec<String>>().join(" ");
        session.tell(&format!("(define-fun {} ({params}) Bool {})", self.name, self.body));
    }

    /// The predicate of these terms, one for each parameter.
    pub fn of(&self, args: &[Term]) -> Term {
        apply(&self.name, args)
    }
}

/// A predicate applied to its arguments; one without parameters is a constant.
pub fn apply(name: &str, args: &[Term]) -> Term {
    if args.is_empty() { Term::raw(name) } else { Term::apply(name, &args.iter().collect::<Vec<&Term>>()) }
}

/// Whether a formula has only operators, numbers, parameters and names that `let` gave a meaning.
fn admissible(e: &Sexp, params: usize, scope: &mut Vec<String>) -> Result<(), String> {
    let refuse = || Err(format!("`{e}` is not admitted in a predicate"));
    let elements = match e {
        Sexp::Atom(word) => {
            let is_number = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
            let index = word.strip_prefix('x').and_then(|digits| digits.parse::<usize>().ok());
            let is_param = index.is_some_and(|index| index < params && *word == format!("x{index}"));
            let known = is_number || is_param || ["true", "false"].contains(&&**word) || scope.contains(word);
            return if known { Ok(()) } else { refuse() };
        }
        Sexp::List(elements) => elements,
    };
    let Some((Sexp::Atom(operator), args)) = elements.split_first() else { return refuse() };
    match (operator.as_str(), args) {
        ("let", [Sexp::List(bindings), body]) => {
            let depth = scope.len();
            let mut names = Vec::new();
            for binding in bindings {
                let Some([Sexp::Atom(name), value]) = binding.list() else { return refuse() };
                // Such names mean nothing else, here or to the solver.
                if !name.contains('!') || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'!') {
                    return refuse();
                }
                admissible(value, params, scope)?;
                names.push(name.clone());
            }
            scope.extend(names);
            let result = admissible(body, params, scope);
            scope.truncate(depth);
            result
        }
        ("div" | "mod", [dividend, divisor]) if divisor.scalar().is_some_and(|n| n != 0) => {
            admissible(dividend, params, scope)
        }
        (operator, args) if OPERATORS.contains(&operator) && !args.is_empty() => {
            args.iter().try_for_each(|arg| admissible(arg, params, scope))
        }
        _ => refuse(),
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
