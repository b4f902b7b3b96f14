//! Constants, functions, arrays and quantifiers.

use crate::{Connective, Kind, Quantifier, SmtSort, Term};
use std::borrow::Borrow;

impl Term {
    /// A constant with a name.
    pub fn constant(name: &str, sort: SmtSort) -> Term {
        Term::apply::<Term>(name, [], sort)
    }

    /// A function applied to arguments.
    pub fn apply<T: Borrow<Term>>(name: &str, args: impl IntoIterator<Item = T>, result: SmtSort) -> Term {
        let args = args.into_iter().map(|arg| arg.borrow().clone()).collect();
        Term::make(Kind::Apply(name.into(), args, result))
    }

    /// The name, if the term is a constant that has one.
    pub fn name(&self) -> Option<&str> {
        match self.kind() {
            Kind::Apply(name, args, _) if args.is_empty() => Some(name),
            _ => None,
        }
    }

    /// The element of an array.
    pub fn select(&self, key: impl Borrow<Term>) -> Term {
        debug_assert!(matches!(self.sort(), SmtSort::Array(sort, _) if **sort == *key.borrow().sort()));
        Term::make(Kind::Select(self.clone(), key.borrow().clone()))
    }

    /// The array with one element changed.
    pub fn store(&self, key: impl Borrow<Term>, value: impl Borrow<Term>) -> Term {
        debug_assert!(matches!(self.sort(), SmtSort::Array(sort, element)
            if **sort == *key.borrow().sort() && **element == *value.borrow().sort()));
        Term::make(Kind::Store(self.clone(), key.borrow().clone(), value.borrow().clone()))
    }

    /// The array that has the same element at every number.
    pub fn filled(element: impl Borrow<Term>) -> Term {
        Term::filled_over(SmtSort::Int, element)
    }

    /// The array that has the same element at every key.
    pub fn filled_over(keys: SmtSort, element: impl Borrow<Term>) -> Term {
        Term::make(Kind::Filled(keys, element.borrow().clone()))
    }

    /// Arrays of truth values, combined element by element.
    pub fn map<T: Borrow<Term>>(connective: Connective, arrays: impl IntoIterator<Item = T>) -> Term {
        let arrays: Vec<Term> = arrays.into_iter().map(|array| array.borrow().clone()).collect();
        debug_assert!(!arrays.is_empty() && arrays.iter().all(|array| array.sort() == arrays[0].sort()));
        Term::make(Kind::Map(connective, arrays))
    }

    /// `forall bound :: body`, where the bound constants are given by themselves.
    pub fn forall<T: Borrow<Term>>(bound: impl IntoIterator<Item = T>, body: impl Borrow<Term>) -> Term {
        Term::quantified(Quantifier::Forall, bound, body, Vec::new())
    }

    /// `exists bound :: body`, where the bound constants are given by themselves.
    pub fn exists<T: Borrow<Term>>(bound: impl IntoIterator<Item = T>, body: impl Borrow<Term>) -> Term {
        Term::quantified(Quantifier::Exists, bound, body, Vec::new())
    }

    /// A quantifier over constants, with patterns that tell a solver which values to try.
    pub fn quantified<T: Borrow<Term>>(
        quantifier: Quantifier,
        bound: impl IntoIterator<Item = T>,
        body: impl Borrow<Term>,
        patterns: Vec<Term>,
    ) -> Term {
        let body = body.borrow();
        let bound = bound.into_iter().map(|constant| match constant.borrow().kind() {
            Kind::Apply(name, args, sort) if args.is_empty() => (name.clone(), sort.clone()),
            _ => unreachable!("only constants are bound"),
        });
        let bound: Vec<_> = bound.collect();
        // There are values of every sort, so a quantifier over what does not depend on it says nothing.
        if bound.is_empty() || body.as_bool().is_some() {
            return body.clone();
        }
        Term::make(Kind::Quantified(quantifier, bound, body.clone(), patterns))
    }
}
