//! Values from models.

use threadwise_ir::{Instance, Sort};
use threadwise_logic::Sexp;
use threadwise_solver::{Session, SolverError};
use threadwise_symbolic::{Population, Value};

/// The words that values have in the model of the session's last query, as in a store of the
/// instance. Numbers of more than 64 bits are cut off, so these words are for people to read and
/// for a search to start from, and not a basis for verdicts.
pub(crate) fn read_values(
    session: &mut Session,
    population: &Population,
    instance: &Instance,
    values: &[(&Sort, &Value)],
) -> Result<Vec<Vec<i64>>, SolverError> {
    let mut terms = Vec::new();
    for (sort, value) in values {
        terms.extend(population.scalars(instance, sort, value));
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
            let count = instance.keys(key);
            (0..count).flat_map(|_| words(instance, element, scalars)).collect()
        }
        Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid => {
            vec![scalars.next().unwrap_or(0)]
        }
    }
}
