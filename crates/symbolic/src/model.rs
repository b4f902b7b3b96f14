//! Values from models.

use crate::layout::Keys;
use crate::{Population, Value};
use threadwise_ir::{Instance, Sort};
use threadwise_logic::{Sexp, Term};
use threadwise_solver::{Session, SolverError};

/// The words that values have in the model of the session's last query, as in a store of the
/// instance. Numbers of more than 64 bits are cut off, so these words are for people to read and
/// for a search to start from, and not a basis for verdicts.
pub fn read_values(
    session: &mut Session,
    population: &Population,
    instance: &Instance,
    values: &[(&Sort, &Value)],
) -> Result<Vec<Vec<i64>>, SolverError> {
    let mut terms = Vec::new();
    for (sort, value) in values {
        population.scalars(instance, sort, value, &mut terms);
    }
    let read = session.values(&terms)?;
    let mut scalars = read.iter().map(|value| value.scalar().unwrap_or_else(|| cut_off(value)));
    Ok(values.iter().map(|(sort, _)| words(instance, sort, &mut scalars)).collect())
}

fn cut_off(value: &Sexp) -> i64 {
    if value.list().is_some() { i64::MIN } else { i64::MAX }
}

fn words(instance: &Instance, sort: &Sort, scalars: &mut dyn Iterator<Item = i64>) -> Vec<i64> {
    match sort {
        Sort::Set(element) => {
            let mut words = vec![0; instance.words(sort)];
            for rank in 0..instance.count(element) {
                words[rank / 64] |= (scalars.next().unwrap_or(0) & 1) << (rank % 64);
            }
            words
        }
        Sort::Array(key, element) => {
            let count = instance.count(key);
            (0..count).flat_map(|_| words(instance, element, scalars)).collect()
        }
        _ => vec![scalars.next().unwrap_or(0)],
    }
}

impl Population {
    /// The scalars of a value in the order of the instance's keys.
    fn scalars(&self, instance: &Instance, sort: &Sort, value: &Value, out: &mut Vec<Term>) {
        let (key, element) = match sort {
            Sort::Set(element) => (&**element, &Sort::Bool),
            Sort::Array(key, element) => (&**key, &**element),
            _ => return out.push(value.term().clone()),
        };
        let keys = self.keys(key);
        if let Keys::Few(_, 0) = keys {
            return;
        }
        for rank in 0..instance.count(key) {
            let key = Term::int(instance.unrank(key, rank));
            self.scalars(instance, element, &self.element(&keys, value, &key), out);
        }
    }
}
