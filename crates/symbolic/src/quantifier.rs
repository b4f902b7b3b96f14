//! Quantifiers: over few values they are written out, over many or unknown ones they are the solver's.

use crate::expression::{SO_LARGE, truth_as_number};
use crate::layout::Keys;
use crate::{Translated, Unsupported, Value, View};
use threadwise_ir::{Binder, Expr, Quantifier, Sort};
use threadwise_logic::{SmtSort, Term};
use threadwise_source::Span;

impl View<'_> {
    pub(crate) fn quantified(
        &self,
        q: Quantifier,
        binder: &Binder,
        body: &Expr,
        span: Span,
    ) -> Result<Translated, Unsupported> {
        match self.population.domain(&binder.domain) {
            Keys::Few(first, count) => {
                let mut inner = self.clone();
                let mut instances = Vec::new();
                // The last number may be the largest there is.
                for number in (0..count).map(|offset| first + offset) {
                    self.population.layout.go_on(span)?;
                    inner.bound.push(Term::int(number));
                    let instance = inner.translate(body)?;
                    let value = instance.value.term().clone();
                    let is_last = value.as_bool().is_some_and(|value| decides(q, value));
                    instances.push((value, instance.defined));
                    inner.bound.pop();
                    if is_last {
                        break;
                    }
                }
                let is_possible = |defined: &Term| !self.population.layout.is_too_large(|most| defined.size(most));
                combine(q, &body.sort, &instances, &is_possible).ok_or(Unsupported::new(SO_LARGE, span))
            }
            keys @ (Keys::Many(..) | Keys::All) => {
                let bound = Term::constant(&format!("q{}", self.bound.len()), SmtSort::Int);
                let mut inner = self.clone();
                inner.bound.push(bound.clone());
                let within = keys.contains(&bound);
                let body = inner.translate(body)?;
                let value = match q {
                    Quantifier::Forall => Term::forall([&bound], within.implies(body.value.term())),
                    Quantifier::Exists => Term::exists([&bound], within.and(body.value.term())),
                    Quantifier::Count => {
                        let what = "`count` over a large or unknown number of values";
                        return Err(Unsupported::new(what, span));
                    }
                };
                let defined = Term::forall([&bound], within.implies(&body.defined));
                Ok(Translated { value: Value::scalar(value), defined })
            }
        }
    }
}

/// Whether an instance of a quantifier's body with this value decides, so that no more are evaluated.
fn decides(q: Quantifier, value: bool) -> bool {
    match q {
        Quantifier::Forall => !value,
        Quantifier::Exists => value,
        Quantifier::Count => false,
    }
}

/// A quantifier from the instances of its body, each a value and where it has one, which are evaluated in order as
/// far as needed. `None` if it becomes too large: what is nested deeply must not grow without bound.
fn combine(
    q: Quantifier,
    sort: &Sort,
    instances: &[(Term, Term)],
    is_possible: &dyn Fn(&Term) -> bool,
) -> Option<Translated> {
    let values = instances.iter().map(|(value, _)| value);
    let (value, goes_on): (Term, &dyn Fn(&Term) -> Term) = match q {
        Quantifier::Forall => (Term::all(values), &Term::clone),
        Quantifier::Exists => (Term::any(values), &Term::not),
        Quantifier::Count => {
            let mut numbers =
                values.map(|value| if *sort == Sort::Bool { truth_as_number(value) } else { value.clone() });
            let sum =
                numbers.try_fold(Term::int(0), |sum, number| Some(sum.plus(number)).filter(|sum| is_possible(sum)));
            (sum?, &|_| Term::bool(true))
        }
    };
    let mut defined = Term::bool(true);
    for (value, has_value) in instances.iter().rev() {
        defined = has_value.and(goes_on(value).implies(&defined));
        if !is_possible(&defined) {
            return None;
        }
    }
    Some(Translated { value: Value::scalar(value), defined })
}
