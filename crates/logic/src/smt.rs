//! Formulas as SMT-LIB 2 text.

use crate::{Formula, Sexp, SexpError, Term, Value, Var, parse_sexps};
use std::collections::BTreeMap;
use std::fmt::Write;

/// What variables are called in SMT-LIB, bars included where they are needed.
pub trait Names {
    /// The name of a variable.
    fn name(&self, var: Var) -> String;
}

impl<F: Fn(Var) -> String> Names for F {
    fn name(&self, var: Var) -> String {
        self(var)
    }
}

/// The formula as SMT-LIB.
pub fn smt_formula(formula: &Formula, names: &dyn Names) -> String {
    let mut out = String::new();
    write_formula(&mut out, formula, names);
    out
}

/// The term as SMT-LIB.
pub fn smt_term(term: &Term, names: &dyn Names) -> String {
    let mut out = String::new();
    write_term(&mut out, term, names);
    out
}

fn write_formula(out: &mut String, formula: &Formula, names: &dyn Names) {
    match formula {
        Formula::Const(value) => out.push_str(if *value { "true" } else { "false" }),
        Formula::Var(var) => out.push_str(&names.name(*var)),
        Formula::Le(a, b) => write_terms(out, "<=", &[a, b], names),
        Formula::Eq(a, b) => write_terms(out, "=", &[a, b], names),
        Formula::Not(a) => write_formulas(out, "not", std::slice::from_ref(&**a), names),
        Formula::And(parts) => write_formulas(out, "and", parts, names),
        Formula::Or(parts) => write_formulas(out, "or", parts, names),
        Formula::Iff(a, b) => write_formulas(out, "=", &[(**a).clone(), (**b).clone()], names),
    }
}

fn write_formulas(out: &mut String, operator: &str, parts: &[Formula], names: &dyn Names) {
    let _ = write!(out, "({operator}");
    for part in parts {
        out.push(' ');
        write_formula(out, part, names);
    }
    out.push(')');
}

fn write_terms(out: &mut String, operator: &str, parts: &[&Term], names: &dyn Names) {
    let _ = write!(out, "({operator}");
    for part in parts {
        out.push(' ');
        write_term(out, part, names);
    }
    out.push(')');
}

fn write_term(out: &mut String, term: &Term, names: &dyn Names) {
    match term {
        Term::Const(value) => write_number(out, *value),
        Term::Var(var) => out.push_str(&names.name(*var)),
        Term::Sum(parts) => write_terms(out, "+", &parts.iter().collect::<Vec<_>>(), names),
        Term::Scale(-1, a) => write_terms(out, "-", &[a], names),
        Term::Scale(factor, a) => write_terms(out, "*", &[&Term::Const(*factor), a], names),
        Term::Product(a, b) => write_terms(out, "*", &[a, b], names),
        Term::Div(a, divisor) => write_terms(out, "div", &[a, &Term::Const(*divisor)], names),
        Term::Mod(a, divisor) => write_terms(out, "mod", &[a, &Term::Const(*divisor)], names),
        Term::Ite(c, a, b) => {
            out.push_str("(ite ");
            write_formula(out, c, names);
            out.push(' ');
            write_term(out, a, names);
            out.push(' ');
            write_term(out, b, names);
            out.push(')');
        }
    }
}

fn write_number(out: &mut String, value: i64) {
    let _ = if value < 0 { write!(out, "(- {})", value.unsigned_abs()) } else { write!(out, "{value}") };
}

/// What the names in a text mean.
pub trait Scope {
    /// The meaning of a name, if it has one.
    fn meaning(&self, name: &str) -> Option<Value>;
}

impl<F: Fn(&str) -> Option<Value>> Scope for F {
    fn meaning(&self, name: &str) -> Option<Value> {
        self(name)
    }
}

/// The formula that a text denotes. Only what [`smt_formula`] can write, and the usual abbreviations of
/// it, are understood; quantifiers are not.
pub fn read_formula(text: &str, scope: &dyn Scope) -> Result<Formula, SexpError> {
    let sexps = parse_sexps(text)?;
    let [sexp] = &sexps[..] else { return Err(SexpError("expected one formula".to_string())) };
    Formula::from_sexp(sexp, scope)
}

impl Formula {
    /// The formula that an expression denotes.
    pub fn from_sexp(sexp: &Sexp, scope: &dyn Scope) -> Result<Formula, SexpError> {
        match (Reader { scope, bound: BTreeMap::new() }).read(sexp)? {
            Value::Bool(formula) => Ok(formula),
            Value::Int(_) => Err(SexpError("expected a formula, found a number".to_string())),
        }
    }
}

struct Reader<'a> {
    scope: &'a dyn Scope,
    bound: BTreeMap<String, Value>,
}

impl Reader<'_> {
    fn read(&mut self, sexp: &Sexp) -> Result<Value, SexpError> {
        match sexp {
            Sexp::Atom(text) => self.atom(text),
            Sexp::List(elements) => match elements.split_first() {
                Some((Sexp::Atom(operator), operands)) => self.apply(operator, operands),
                _ => Err(SexpError("an application starts with the name of an operator".to_string())),
            },
        }
    }

    fn atom(&self, text: &str) -> Result<Value, SexpError> {
        match text {
            "true" => return Ok(Value::Bool(Formula::TRUE)),
            "false" => return Ok(Value::Bool(Formula::FALSE)),
            _ => {}
        }
        // A quoted name may start with a digit too, as in `|1 in s|`.
        if !text.is_empty() && text.chars().all(|c| c.is_ascii_digit()) {
            let number = text.parse().map_err(|_| SexpError(format!("`{text}` is no integer of 64 bits")))?;
            return Ok(Value::Int(Term::Const(number)));
        }
        let meaning = self.bound.get(text).cloned().or_else(|| self.scope.meaning(text));
        meaning.ok_or_else(|| SexpError(format!("there is no variable `{text}`")))
    }

    fn apply(&mut self, operator: &str, operands: &[Sexp]) -> Result<Value, SexpError> {
        if operator == "let" {
            return self.read_let(operands);
        }
        if operator == "-"
            && let [Sexp::Atom(digits)] = operands
            && let Ok(number) = format!("-{digits}").parse::<i64>()
        {
            return Ok(Value::Int(Term::Const(number)));
        }
        let values = operands.iter().map(|operand| self.read(operand)).collect::<Result<Vec<_>, _>>()?;
        apply(operator, values)
    }

    fn read_let(&mut self, operands: &[Sexp]) -> Result<Value, SexpError> {
        let wrong = || SexpError("a `let` has a list of bindings and a body".to_string());
        let [Sexp::List(bindings), body] = operands else { return Err(wrong()) };
        let mut values = Vec::new();
        for binding in bindings {
            let Sexp::List(pair) = binding else { return Err(wrong()) };
            let [Sexp::Atom(name), value] = &pair[..] else { return Err(wrong()) };
            values.push((name.clone(), self.read(value)?));
        }
        let outer = self.bound.clone();
        self.bound.extend(values);
        let result = self.read(body);
        self.bound = outer;
        result
    }
}

fn apply(operator: &str, values: Vec<Value>) -> Result<Value, SexpError> {
    let wrong = || SexpError(format!("`{operator}` is not applied as it should be, or not known"));
    Ok(match operator {
        "and" => Value::Bool(Formula::all(formulas(values)?)),
        "or" => Value::Bool(Formula::any(formulas(values)?)),
        "not" => match <[Formula; 1]>::try_from(formulas(values)?) {
            Ok([a]) => Value::Bool(a.negated()),
            Err(_) => return Err(wrong()),
        },
        "=>" => {
            let mut parts = formulas(values)?;
            let mut result = parts.pop().ok_or_else(wrong)?;
            while let Some(premise) = parts.pop() {
                result = premise.implies(result);
            }
            Value::Bool(result)
        }
        "=" | "distinct" => {
            let [a, b] = <[Value; 2]>::try_from(values).map_err(|_| wrong())?;
            let equal = match (a, b) {
                (Value::Int(a), Value::Int(b)) => Formula::eq(a, b),
                (Value::Bool(a), Value::Bool(b)) => a.iff(b),
                _ => return Err(wrong()),
            };
            Value::Bool(if operator == "=" { equal } else { equal.negated() })
        }
        "<=" | "<" | ">=" | ">" => {
            let [a, b] = <[Term; 2]>::try_from(terms(values)?).map_err(|_| wrong())?;
            Value::Bool(match operator {
                "<=" => Formula::le(a, b),
                "<" => Formula::lt(a, b),
                ">=" => Formula::le(b, a),
                _ => Formula::lt(b, a),
            })
        }
        "+" => Value::Int(terms(values)?.into_iter().reduce(Term::plus).ok_or_else(wrong)?),
        "-" => {
            let mut parts = terms(values)?.into_iter();
            let first = parts.next().ok_or_else(wrong)?;
            let rest: Vec<Term> = parts.collect();
            Value::Int(if rest.is_empty() { first.times(-1) } else { rest.into_iter().fold(first, Term::minus) })
        }
        "*" => Value::Int(terms(values)?.into_iter().reduce(Term::product).ok_or_else(wrong)?),
        "div" | "mod" => {
            let [a, b] = <[Term; 2]>::try_from(terms(values)?).map_err(|_| wrong())?;
            let divisor = b.constant().filter(|divisor| *divisor > 0).ok_or_else(wrong)?;
            Value::Int(if operator == "div" { a.divided_by(divisor) } else { a.modulo(divisor) })
        }
        "ite" => match <[Value; 3]>::try_from(values).map_err(|_| wrong())? {
            [Value::Bool(c), Value::Int(a), Value::Int(b)] => Value::Int(Term::ite(c, a, b)),
            [Value::Bool(c), Value::Bool(a), Value::Bool(b)] => Value::Bool(Formula::ite(c, a, b)),
            _ => return Err(wrong()),
        },
        _ => return Err(wrong()),
    })
}

fn formulas(values: Vec<Value>) -> Result<Vec<Formula>, SexpError> {
    let formula = |value| match value {
        Value::Bool(formula) => Ok(formula),
        Value::Int(_) => Err(SexpError("expected a formula, found a number".to_string())),
    };
    values.into_iter().map(formula).collect()
}

fn terms(values: Vec<Value>) -> Result<Vec<Term>, SexpError> {
    let term = |value| match value {
        Value::Int(term) => Ok(term),
        Value::Bool(_) => Err(SexpError("expected a number, found a formula".to_string())),
    };
    values.into_iter().map(term).collect()
}
