//! What formulas in proofs speak of, by name.

use crate::Population;
use threadwise_ir::{Point, Sort};
use threadwise_logic::{SmtSort, Term};

/// What a formula may speak of: names, each for a value of a sort, in order.
///
/// A variable is called as in the program. What takes several terms, like an array, has a name with a number for each of them;
/// a name that something before it has is followed by `#2`, or `#3` and so on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Parameters(Vec<Term>);

impl Parameters {
    /// The same with one more.
    pub fn with(mut self, name: &str, sort: &SmtSort) -> Parameters {
        self.add(name, |name| vec![Term::constant(name, sort.clone())]);
        self
    }

    /// The same with the shared variables.
    pub fn with_shared(mut self, population: &Population) -> Parameters {
        for var in &population.program.shared {
            self.add_value(population, &var.name, &var.sort);
        }
        self
    }

    /// The same with the locals of all frames at a point, outermost first.
    pub fn with_locals(mut self, population: &Population, point: &Point) -> Parameters {
        for routine in point.routines(&population.program) {
            for var in &population.program.routine(routine).locals {
                self.add_value(population, &var.name, &var.sort);
            }
        }
        self
    }

    /// A constant with its name for each of them.
    pub fn constants(&self) -> &[Term] {
        &self.0
    }

    fn add_value(&mut self, population: &Population, name: &str, sort: &Sort) {
        self.add(name, |name| population.named(name, sort).0);
    }

    fn add(&mut self, name: &str, terms: impl Fn(&str) -> Vec<Term>) {
        let candidates = (2..).map(|number| format!("{name}#{number}"));
        let mut candidates = std::iter::once(name.to_string()).chain(candidates).map(|name| terms(&name));
        let is_free = |terms: &Vec<Term>| !terms.iter().any(|term| self.has(term));
        let free = candidates.find(is_free).expect("some number is free");
        self.0.extend(free);
    }

    fn has(&self, term: &Term) -> bool {
        self.0.iter().any(|other| other.name() == term.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_have_the_same_name() {
        let parameters = Parameters::default().with("x", &SmtSort::Int).with("x", &SmtSort::Bool);
        let parameters = parameters.with("y", &SmtSort::Int).with("x", &SmtSort::Int);
        let names: Vec<&str> = parameters.constants().iter().filter_map(Term::name).collect();
        assert_eq!(names, ["x", "x#2", "y", "x#3"]);
    }
}
