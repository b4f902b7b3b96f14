//! Terms of SMT-LIB as text that can be shared. Constructors simplify what is obvious.

use std::fmt;
use std::sync::Arc;

/// A term.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Term(Arc<str>);

/// A sort of SMT-LIB.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum SmtSort {
    /// Truth values.
    Bool,
    /// Integers.
    Int,
    /// Arrays from integers to a sort.
    Array(Box<SmtSort>),
}

impl fmt::Display for SmtSort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SmtSort::Bool => f.write_str("Bool"),
            SmtSort::Int => f.write_str("Int"),
            SmtSort::Array(element) => write!(f, "(Array Int {element})"),
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Term {
    /// The term with this text: a name, or something that the constructors do not offer.
    pub fn raw(text: impl AsRef<str>) -> Term {
        Term(Arc::from(text.as_ref()))
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// `true` or `false`.
    pub fn bool(value: bool) -> Term {
        Term::raw(if value { "true" } else { "false" })
    }

    /// A number.
    pub fn int(value: i64) -> Term {
        if value < 0 { Term::raw(format!("(- {})", value.unsigned_abs())) } else { Term::raw(value.to_string()) }
    }

    /// Whether this is the term `true`.
    pub fn is_true(&self) -> bool {
        &*self.0 == "true"
    }

    /// Whether this is the term `false`.
    pub fn is_false(&self) -> bool {
        &*self.0 == "false"
    }

    /// The number that this term is, where it is written out.
    pub fn as_int(&self) -> Option<i64> {
        match self.0.strip_prefix("(- ").and_then(|rest| rest.strip_suffix(')')) {
            Some(digits) => format!("-{digits}").parse().ok(),
            None => self.0.parse().ok(),
        }
    }

    /// An operator applied to terms.
    pub fn apply(operator: &str, args: &[&Term]) -> Term {
        let mut text = String::with_capacity(operator.len() + 2 + args.iter().map(|a| a.0.len() + 1).sum::<usize>());
        text.push('(');
        text.push_str(operator);
        for arg in args {
            text.push(' ');
            text.push_str(&arg.0);
        }
        text.push(')');
        Term::raw(text)
    }

    /// The conjunction.
    pub fn all<'a>(terms: impl IntoIterator<Item = &'a Term>) -> Term {
        junction("and", true, terms)
    }

    /// The disjunction.
    pub fn any<'a>(terms: impl IntoIterator<Item = &'a Term>) -> Term {
        junction("or", false, terms)
    }

    /// `self && other`
    pub fn and(&self, other: &Term) -> Term {
        Term::all([self, other])
    }

    /// `self || other`
    pub fn or(&self, other: &Term) -> Term {
        Term::any([self, other])
    }

    /// `!self`
    #[allow(clippy::should_implement_trait, reason = "terms are built by method calls throughout")]
    pub fn not(&self) -> Term {
        if self.is_true() || self.is_false() {
            return Term::bool(self.is_false());
        }
        match self.0.strip_prefix("(not ").and_then(|rest| rest.strip_suffix(')')) {
            Some(inner) => Term::raw(inner),
            None => Term::apply("not", &[self]),
        }
    }

    /// `self ==> other`
    pub fn implies(&self, other: &Term) -> Term {
        if self.is_true() {
            other.clone()
        } else if self.is_false() || other.is_true() {
            Term::bool(true)
        } else if other.is_false() {
            self.not()
        } else {
            Term::apply("=>", &[self, other])
        }
    }

    /// Equality.
    pub fn equals(&self, other: &Term) -> Term {
        match (self.as_int(), other.as_int()) {
            _ if self == other => Term::bool(true),
            (Some(_), Some(_)) => Term::bool(false),
            _ if self.is_true() => other.clone(),
            _ if other.is_true() => self.clone(),
            _ if self.is_false() => other.not(),
            _ if other.is_false() => self.not(),
            _ => Term::apply("=", &[self, other]),
        }
    }

    /// `if self then a else b`
    pub fn ite(&self, a: &Term, b: &Term) -> Term {
        if self.is_true() || a == b {
            a.clone()
        } else if self.is_false() {
            b.clone()
        } else if a.is_true() && b.is_false() {
            self.clone()
        } else if a.is_false() && b.is_true() {
            self.not()
        } else {
            Term::apply("ite", &[self, a, b])
        }
    }

    /// `self <= other`
    pub fn le(&self, other: &Term) -> Term {
        self.compare("<=", other, |a, b| a <= b)
    }

    /// `self < other`
    pub fn lt(&self, other: &Term) -> Term {
        self.compare("<", other, |a, b| a < b)
    }

    fn compare(&self, operator: &str, other: &Term, known: impl Fn(i64, i64) -> bool) -> Term {
        match (self.as_int(), other.as_int()) {
            (Some(a), Some(b)) => Term::bool(known(a, b)),
            _ => Term::apply(operator, &[self, other]),
        }
    }

    /// `low <= self && self <= high`
    pub fn between(&self, low: &Term, high: &Term) -> Term {
        low.le(self).and(&self.le(high))
    }

    /// `self + other`
    pub fn plus(&self, other: &Term) -> Term {
        match (self.as_int(), other.as_int()) {
            (Some(0), _) => other.clone(),
            (_, Some(0)) => self.clone(),
            (Some(a), Some(b)) if a.checked_add(b).is_some() => Term::int(a + b),
            _ => Term::apply("+", &[self, other]),
        }
    }

    /// `-self`
    pub fn negate(&self) -> Term {
        match self.as_int().and_then(i64::checked_neg) {
            Some(value) => Term::int(value),
            None => Term::apply("-", &[self]),
        }
    }

    /// The element of an array.
    pub fn select(&self, key: &Term) -> Term {
        Term::apply("select", &[self, key])
    }

    /// The array with one element changed.
    pub fn store(&self, key: &Term, value: &Term) -> Term {
        Term::apply("store", &[self, key, value])
    }

    /// `forall name: Int :: body`
    pub fn forall(name: &str, body: &Term) -> Term {
        quantified("forall", name, body)
    }

    /// `exists name: Int :: body`
    pub fn exists(name: &str, body: &Term) -> Term {
        quantified("exists", name, body)
    }
}

fn quantified(quantifier: &str, name: &str, body: &Term) -> Term {
    if body.is_true() || body.is_false() {
        // Integers exist, so the quantifier does not matter.
        return body.clone();
    }
    Term::raw(format!("({quantifier} (({name} Int)) {body})"))
}

fn junction<'a>(operator: &str, neutral: bool, terms: impl IntoIterator<Item = &'a Term>) -> Term {
    let mut parts: Vec<&Term> = Vec::new();
    for term in terms {
        if (neutral && term.is_false()) || (!neutral && term.is_true()) {
            return Term::bool(!neutral);
        }
        if !(term.is_true() || term.is_false() || parts.contains(&term)) {
            parts.push(term);
        }
    }
    match parts[..] {
        [] => Term::bool(neutral),
        [one] => one.clone(),
        _ => Term::apply(operator, &parts),
    }
}
