//! Initial stores.

use crate::{Hazards, Population, Unsupported, Value, View};
use threadwise_ir::{Fault, Initial, StepError};

/// What can go wrong in the initial values of a store, and that it is an initial one.
pub fn initial_store(population: &Population, shared: &[Value]) -> Result<Hazards, Unsupported> {
    let program = &population.program;
    let view = View::of_store(population, shared);
    let mut initial = Hazards::default();
    for (var, value) in program.shared.iter().zip(shared) {
        match &var.init {
            Initial::Default => initial.only_if(&value.same(&population.default_value(&var.sort))),
            Initial::Any => initial.only_if(&population.well_formed(&var.sort, value)),
            Initial::Value(e) => {
                let first = view.translate(e)?;
                initial.must(&first.defined, StepError::Fault(Fault::Division), e.span);
                initial.must(&population.in_range(&var.sort, &first.value), StepError::Fault(Fault::Range), e.span);
                initial.only_if(&value.same(&first.value));
            }
        }
    }
    for e in &program.init {
        let condition = view.translate(e)?;
        initial.must(&condition.defined, StepError::Fault(Fault::Division), e.span);
        initial.only_if(condition.value.term());
    }
    Ok(initial)
}
