//! Initial stores.

use super::{Population, Unsupported, Value, View, Wrong};
use threadwise_ir::{Fault, Initial, StepError};
use threadwise_logic::Term;

/// The initial shared stores, as a condition on a store.
#[derive(Clone, Debug)]
pub struct InitialStore {
    /// That the store is an initial one.
    pub holds: Term,
    /// What can go wrong in the initial values themselves, and when.
    pub wrong: Wrong,
}

/// The condition that a store is an initial one.
pub fn initial_store(population: &Population, shared: &[Value]) -> Result<InitialStore, Unsupported> {
    let program = &population.program;
    let view = View::of_store(population, shared);
    let mut wrong = Wrong::default();
    for (var, value) in program.shared.iter().zip(shared) {
        match &var.init {
            Initial::Default => wrong.only_if(&value.same(&population.default_value(&var.sort))),
            Initial::Any => wrong.only_if(&population.well_formed(&var.sort, value)),
            Initial::Value(e) => {
                let initial = view.translate(e)?;
                wrong.must(&initial.defined, StepError::Fault(Fault::Division), e.span);
                wrong.must(&population.in_range(&var.sort, &initial.value), StepError::Fault(Fault::Range), e.span);
                wrong.only_if(&value.same(&initial.value));
            }
        }
    }
    for e in &program.init {
        let condition = view.translate(e)?;
        wrong.must(&condition.defined, StepError::Fault(Fault::Division), e.span);
        wrong.only_if(condition.value.term());
    }
    Ok(InitialStore { holds: wrong.so_far.clone(), wrong })
}
