//! Terms from SMT-LIB 2 text. Only what has one meaning is read: no division by 0 or by what is not a number.

use crate::bits::{BitsOp, MAX_WIDTH};
use crate::{Connective, Quantifier, Sexp, SexpError, SmtSort, Term, parse_sexp};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What the names in a text mean.
pub trait Scope {
    /// The meaning of a name, if it has one.
    fn meaning(&self, name: &str) -> Option<Term>;
}

impl<F: Fn(&str) -> Option<Term>> Scope for F {
    fn meaning(&self, name: &str) -> Option<Term> {
        self(name)
    }
}

type Result<T> = std::result::Result<T, SexpError>;

/// The term that a text denotes.
pub fn read_term(text: &str, scope: &dyn Scope) -> Result<Term> {
    read_sexp(&parse_sexp(text)?, scope)
}

/// The term that an expression denotes.
pub fn read_sexp(sexp: &Sexp, scope: &dyn Scope) -> Result<Term> {
    Reader { scope, bound: BTreeMap::new(), admits_quantifiers: true }.read(sexp)
}

/// The formula that an expression denotes, which must have no quantifiers.
pub fn read_formula(sexp: &Sexp, scope: &dyn Scope) -> Result<Term> {
    let term = Reader { scope, bound: BTreeMap::new(), admits_quantifiers: false }.read(sexp)?;
    of_sort(std::slice::from_ref(&term), &SmtSort::Bool)?;
    Ok(term)
}

struct Reader<'a> {
    scope: &'a dyn Scope,
    bound: BTreeMap<String, Term>,
    admits_quantifiers: bool,
}

impl Reader<'_> {
    fn read(&mut self, sexp: &Sexp) -> Result<Term> {
        let elements = match sexp {
            Sexp::Atom(text) => return self.atom(text),
            Sexp::List(elements) => elements,
        };
        match &elements[..] {
            [Sexp::Atom(let_), Sexp::List(bindings), body] if let_ == "let" => self.read_let(bindings, body),
            [Sexp::Atom(word), Sexp::List(bound), body] if word == "forall" => {
                self.quantified(Quantifier::Forall, bound, body)
            }
            [Sexp::Atom(word), Sexp::List(bound), body] if word == "exists" => {
                self.quantified(Quantifier::Exists, bound, body)
            }
            [Sexp::Atom(minus), Sexp::Atom(_)] if minus == "-" && sexp.scalar().is_some() => {
                Ok(Term::int(sexp.scalar().unwrap_or_default()))
            }
            [Sexp::Atom(underscore), Sexp::Atom(literal), width] if underscore == "_" => bits_literal(literal, width),
            [operator, operands @ ..] => {
                let values = operands.iter().map(|operand| self.read(operand)).collect::<Result<Vec<Term>>>()?;
                match operator {
                    Sexp::Atom(operator) => apply(operator, &values),
                    Sexp::List(indexed) => apply_indexed(indexed, &values),
                }
            }
            [] => Err(SexpError("an application starts with the name of an operator".to_string())),
        }
    }

    fn atom(&self, text: &str) -> Result<Term> {
        match text {
            "true" => return Ok(Term::bool(true)),
            "false" => return Ok(Term::bool(false)),
            _ => {}
        }
        // A quoted name may start with a digit too, as in `|1 in s|`.
        if !text.is_empty() && text.chars().all(|c| c.is_ascii_digit()) {
            let number = text.parse().map_err(|_| SexpError(format!("`{text}` is no integer of 64 bits")))?;
            return Ok(Term::int(number));
        }
        if let Some(literal) = digits_literal(text) {
            return Ok(literal);
        }
        let meaning = self.bound.get(text).cloned().or_else(|| self.scope.meaning(text));
        meaning.ok_or_else(|| SexpError(format!("there is no variable `{text}`")))
    }

    fn read_let(&mut self, bindings: &[Sexp], body: &Sexp) -> Result<Term> {
        let wrong = || SexpError("a `let` has a list of bindings and a body".to_string());
        let mut values = Vec::new();
        for binding in bindings {
            let Some([Sexp::Atom(name), value]) = binding.list() else { return Err(wrong()) };
            values.push((name.clone(), self.read(value)?));
        }
        self.within(values, body)
    }

    fn quantified(&mut self, quantifier: Quantifier, bound: &[Sexp], body: &Sexp) -> Result<Term> {
        if !self.admits_quantifiers {
            return Err(SexpError("quantifiers are not admitted here".to_string()));
        }
        let wrong = || SexpError("a quantifier has a list of names with sorts, and a formula".to_string());
        let mut constants = Vec::new();
        for binding in bound {
            let Some([Sexp::Atom(name), sort]) = binding.list() else { return Err(wrong()) };
            constants.push((name.clone(), Term::constant(name, read_sort(sort)?)));
        }
        let terms: Vec<Term> = constants.iter().map(|(_, term)| term.clone()).collect();
        let body = self.within(constants, body)?;
        if *body.sort() != SmtSort::Bool {
            return Err(wrong());
        }
        Ok(Term::quantified(quantifier, terms, body, Vec::new()))
    }

    fn within(&mut self, names: Vec<(String, Term)>, body: &Sexp) -> Result<Term> {
        // Operators are known by their names, so that these cannot be given another meaning.
        if let Some((name, _)) = names.iter().find(|(name, _)| is_operator(name)) {
            return Err(SexpError(format!("`{name}` is an operator and cannot be bound")));
        }
        let outer = self.bound.clone();
        self.bound.extend(names);
        let result = self.read(body);
        self.bound = outer;
        result
    }
}

/// The sort that an expression denotes.
fn read_sort(sexp: &Sexp) -> Result<SmtSort> {
    let wrong = || SexpError(format!("`{sexp}` is no sort"));
    match sexp {
        Sexp::Atom(name) if name == "Bool" => Ok(SmtSort::Bool),
        Sexp::Atom(name) if name == "Int" => Ok(SmtSort::Int),
        Sexp::Atom(_) => Err(wrong()),
        Sexp::List(elements) => match &elements[..] {
            [Sexp::Atom(array), key, element] if array == "Array" => {
                Ok(SmtSort::Array(Rc::new(read_sort(key)?), Rc::new(read_sort(element)?)))
            }
            [Sexp::Atom(underscore), Sexp::Atom(name), width] if underscore == "_" && name == "BitVec" => {
                Ok(SmtSort::Bits(read_width(width)?))
            }
            _ => Err(wrong()),
        },
    }
}

fn read_width(sexp: &Sexp) -> Result<u32> {
    let width = sexp.atom().and_then(|digits| digits.parse().ok()).filter(|width| (1..=MAX_WIDTH).contains(width));
    width.ok_or_else(|| SexpError(format!("`{sexp}` is no number of bits")))
}

/// `(_ bv5 8)`
fn bits_literal(literal: &str, width: &Sexp) -> Result<Term> {
    let value = literal.strip_prefix("bv").and_then(|digits| digits.parse::<u128>().ok());
    let value = value.ok_or_else(|| SexpError(format!("`(_ {literal} {width})` is not known")))?;
    Ok(Term::bits(read_width(width)?, value))
}

/// `#xff` or `#b0101`
fn digits_literal(text: &str) -> Option<Term> {
    let (digits, radix, bits_each) = match text.strip_prefix("#x") {
        Some(digits) => (digits, 16, 4),
        None => (text.strip_prefix("#b")?, 2, 1),
    };
    let width = u32::try_from(digits.len()).ok()?.checked_mul(bits_each)?;
    let value = u128::from_str_radix(digits, radix).ok()?;
    (1..=MAX_WIDTH).contains(&width).then(|| Term::bits(width, value))
}

/// All operators, but for those on bit-vectors.
const OPERATORS: [&str; 22] = [
    "and", "or", "xor", "not", "=>", "=", "distinct", "<=", "<", ">=", ">", "+", "-", "*", "div", "mod", "ite",
    "select", "store", "let", "forall", "exists",
];

fn is_operator(name: &str) -> bool {
    OPERATORS.contains(&name) || BitsOp::from_symbol(name, &[]).is_some()
}

fn wrong(operator: &str) -> SexpError {
    SexpError(format!("`{operator}` is not applied as it should be, or not known"))
}

fn apply(operator: &str, values: &[Term]) -> Result<Term> {
    let wrong = || wrong(operator);
    match operator {
        "and" => Ok(Term::all(of_sort(values, &SmtSort::Bool)?)),
        "or" => Ok(Term::any(of_sort(values, &SmtSort::Bool)?)),
        "xor" => {
            let parts = of_sort(values, &SmtSort::Bool)?;
            parts.iter().cloned().reduce(|a, b| a.equals(b).not()).ok_or_else(wrong)
        }
        "not" => match of_sort(values, &SmtSort::Bool)? {
            [a] => Ok(a.not()),
            _ => Err(wrong()),
        },
        "=>" => {
            let (last, premises) = of_sort(values, &SmtSort::Bool)?.split_last().ok_or_else(wrong)?;
            Ok(premises.iter().rev().fold(last.clone(), |conclusion, premise| premise.implies(conclusion)))
        }
        "=" => {
            let values = of_one_sort(operator, values)?;
            Ok(Term::all(values.windows(2).map(|pair| pair[0].equals(&pair[1]))))
        }
        "distinct" => {
            let values = of_one_sort(operator, values)?;
            let differ = |(index, a): (usize, &Term)| Term::all(values[index + 1..].iter().map(|b| a.equals(b).not()));
            Ok(Term::all(values.iter().enumerate().map(differ)))
        }
        "<=" | "<" | ">=" | ">" => {
            let values = of_sort(values, &SmtSort::Int)?;
            if values.len() < 2 {
                return Err(wrong());
            }
            Ok(Term::all(values.windows(2).map(|pair| match operator {
                "<=" => pair[0].le(&pair[1]),
                "<" => pair[0].lt(&pair[1]),
                ">=" => pair[1].le(&pair[0]),
                _ => pair[1].lt(&pair[0]),
            })))
        }
        "+" if !values.is_empty() => Ok(Term::sum(of_sort(values, &SmtSort::Int)?)),
        "-" => match of_sort(values, &SmtSort::Int)? {
            [] => Err(wrong()),
            [a] => Ok(a.negate()),
            [first, rest @ ..] => Ok(rest.iter().fold(first.clone(), |difference, part| difference.minus(part))),
        },
        "*" => of_sort(values, &SmtSort::Int)?.iter().cloned().reduce(|a, b| a.product(b)).ok_or_else(wrong),
        "div" | "mod" => match of_sort(values, &SmtSort::Int)? {
            // What a quotient by zero is the solver leaves open, so that what it says holds whatever it is.
            [a, b] if b.as_int() != Some(0) => Ok(if operator == "div" { a.div(b) } else { a.modulo(b) }),
            _ => Err(wrong()),
        },
        "ite" => match values {
            [c, a, b] if *c.sort() == SmtSort::Bool && a.sort() == b.sort() => Ok(c.ite(a, b)),
            _ => Err(wrong()),
        },
        "select" => match values {
            [array, key] if key_sort(array) == Some(key.sort()) => Ok(array.select(key)),
            _ => Err(wrong()),
        },
        "store" => match values {
            [array, key, value] if key_sort(array) == Some(key.sort()) && element_sort(array) == Some(value.sort()) => {
                Ok(array.store(key, value))
            }
            _ => Err(wrong()),
        },
        _ => operation(BitsOp::from_symbol(operator, &[]), values).ok_or_else(wrong),
    }
}

/// `((as const SORT) x)`, `((_ map and) a b)` and operations on bit-vectors with numbers in them.
fn apply_indexed(indexed: &[Sexp], values: &[Term]) -> Result<Term> {
    let text = || Sexp::List(indexed.to_vec()).to_string();
    match (indexed, values) {
        ([Sexp::Atom(as_), Sexp::Atom(const_), sort], [element]) if as_ == "as" && const_ == "const" => {
            match read_sort(sort)? {
                SmtSort::Array(keys, of) if *of == *element.sort() => Ok(Term::filled_over((*keys).clone(), element)),
                _ => Err(wrong(&text())),
            }
        }
        ([Sexp::Atom(underscore), Sexp::Atom(map), Sexp::Atom(operator)], [first, ..])
            if underscore == "_" && map == "map" =>
        {
            let connective = match (operator.as_str(), values.len()) {
                ("and", _) => Connective::And,
                ("or", _) => Connective::Or,
                ("not", 1) => Connective::Not,
                _ => return Err(wrong(&text())),
            };
            if element_sort(first) != Some(&SmtSort::Bool) {
                return Err(wrong(&text()));
            }
            Ok(Term::map(connective, of_sort(values, first.sort())?))
        }
        ([Sexp::Atom(underscore), Sexp::Atom(operator), indices @ ..], _) if underscore == "_" => {
            let indices: Option<Vec<u32>> = indices.iter().map(|index| index.atom()?.parse().ok()).collect();
            let op = indices.and_then(|indices| BitsOp::from_symbol(operator, &indices));
            operation(op, values).ok_or_else(|| wrong(&text()))
        }
        _ => Err(wrong(&text())),
    }
}

fn operation(op: Option<BitsOp>, values: &[Term]) -> Option<Term> {
    let sorts: Vec<&SmtSort> = values.iter().map(Term::sort).collect();
    let op = op.filter(|op| op.result(&sorts).is_some())?;
    Some(Term::operation(op, values))
}

fn key_sort(array: &Term) -> Option<&SmtSort> {
    match array.sort() {
        SmtSort::Array(key, _) => Some(key),
        SmtSort::Bool | SmtSort::Int | SmtSort::Bits(_) => None,
    }
}

fn element_sort(array: &Term) -> Option<&SmtSort> {
    match array.sort() {
        SmtSort::Array(_, element) => Some(element),
        SmtSort::Bool | SmtSort::Int | SmtSort::Bits(_) => None,
    }
}

fn of_sort<'t>(values: &'t [Term], sort: &SmtSort) -> Result<&'t [Term]> {
    match values.iter().find(|value| value.sort() != sort) {
        None => Ok(values),
        Some(value) => Err(SexpError(format!("expected {sort}, found {}", value.sort()))),
    }
}

fn of_one_sort<'t>(operator: &str, values: &'t [Term]) -> Result<&'t [Term]> {
    match values {
        [first, _, ..] => of_sort(values, first.sort()),
        _ => Err(wrong(operator)),
    }
}
