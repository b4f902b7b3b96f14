//! What formulas in proofs speak of, by name.

use crate::layout::Keys;
use crate::unsupported::go_on;
use crate::{Population, Unsupported};
use threadwise_ir::{EdgeId, Op, Point, Program, RoutineId, Sort};
use threadwise_logic::{SmtSort, Term};

/// What a formula may speak of: names, each for a value of a sort, in order.
///
/// A variable is called as in the program. What takes several terms has a name for each of them: `a[2]` is an element, and
/// `2 in s` whether it is in a set. A name that something before it has is followed by `#2`, or `#3` and so on. A prime
/// stands for the value after a step.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Parameters(Vec<Term>);

impl Parameters {
    /// The same with one more.
    pub fn with(mut self, name: &str, sort: &SmtSort) -> Parameters {
        self.add(vec![(name.to_string(), sort.clone())]);
        self
    }

    /// The same with the shared variables.
    pub fn with_shared(mut self, population: &Population) -> Parameters {
        for var in &population.program.shared {
            self.add(leaves(population, &var.name, &var.sort));
        }
        self
    }

    /// The same with the locals of all frames at a point, outermost first.
    pub fn with_locals(mut self, population: &Population, point: &Point) -> Parameters {
        for routine in point.routines(&population.program) {
            self = self.with_frame(population, routine, "");
        }
        self
    }

    /// The same with the control and the locals of a thread that is known by its name, for all calls that it can be in.
    pub fn with_thread(mut self, population: &Population, name: &str, frames: &[Frame]) -> Parameters {
        self = self.with(&format!("{name}@"), &SmtSort::Int);
        for frame in frames {
            self = self.with_frame(population, frame.routine, &format!("{name}{}.", frame.name));
        }
        self
    }

    fn with_frame(mut self, population: &Population, routine: RoutineId, prefix: &str) -> Parameters {
        for var in &population.program.routine(routine).locals {
            self.add(leaves(population, &format!("{prefix}{}", var.name), &var.sort));
        }
        self
    }

    /// The same with all of them once more, after a step.
    pub fn with_primes(mut self) -> Parameters {
        for term in self.0.clone() {
            let name = primed_name(term.name().expect("it is a constant"));
            self.add(vec![(name, term.sort().clone())]);
        }
        self
    }

    /// A constant with its name for each of them.
    pub fn constants(&self) -> &[Term] {
        &self.0
    }

    fn add(&mut self, leaves: Vec<(String, SmtSort)>) {
        let numbered = |number: usize| -> Vec<Term> {
            let mark = if number == 1 { String::new() } else { format!("#{number}") };
            leaves.iter().map(|(name, sort)| Term::constant(&format!("{name}{mark}"), sort.clone())).collect()
        };
        let is_free = |terms: &Vec<Term>| !terms.iter().any(|term| self.has(term));
        let free = (1..).map(numbered).find(is_free).expect("some number is free");
        self.0.extend(free);
    }

    fn has(&self, term: &Term) -> bool {
        self.0.iter().any(|other| other.name() == term.name())
    }
}

/// The name of a variable after a step.
pub fn primed_name(name: &str) -> String {
    match name.split_once(" in ") {
        Some((value, set)) => format!("{value} in {set}'"),
        None => format!("{name}'"),
    }
}

/// A routine that a thread can be in, by the calls that lead there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    pub calls: Vec<EdgeId>,
    pub routine: RoutineId,
    /// Nothing for the thread's own code; `.f@12` for a call in line 12.
    pub name: String,
}

impl Frame {
    /// All frames that a thread with this code can have, each after its callers. The program must not be recursive.
    pub fn all(program: &Program, body: RoutineId) -> Result<Vec<Frame>, Unsupported> {
        let mut found = vec![Frame { calls: Vec::new(), routine: body, name: String::new() }];
        let mut done = 0;
        while done < found.len() {
            let frame = found[done].clone();
            for (id, edge) in program.edges_of(frame.routine) {
                if let Op::Call { routine, .. } = edge.op {
                    go_on(edge.span)?;
                    let line = program.source.position(edge.span.start).line;
                    let name = format!("{}.{}@{line}", frame.name, program.routine(routine).name);
                    found.push(Frame { calls: [&frame.calls[..], &[id]].concat(), routine, name });
                }
            }
            done += 1;
        }
        Ok(found)
    }
}

/// The terms that make up a value, by their names and sorts.
fn leaves(population: &Population, name: &str, sort: &Sort) -> Vec<(String, SmtSort)> {
    let names = leaf_names(population, name, sort);
    names.into_iter().zip(population.leaf_sorts(sort)).collect()
}

/// What the terms that make up a value are called, if the value has this name.
fn leaf_names(population: &Population, name: &str, sort: &Sort) -> Vec<String> {
    let keys = |key: &Sort| match population.keys(key) {
        Keys::Few(first, count) => (0..count).map(|at| Some(key_name(population, key, first + at))).collect(),
        Keys::Many(..) | Keys::All => vec![None],
    };
    match sort {
        Sort::Bool | Sort::Int | Sort::Range(..) | Sort::Bits(_) | Sort::Enum(_) | Sort::Tid => vec![name.to_string()],
        Sort::Set(element) => {
            let member = |key: Option<String>| key.map_or(name.to_string(), |key| format!("{key} in {name}"));
            keys(element).into_iter().map(member).collect()
        }
        Sort::Array(key, element) => {
            let part = |key: Option<String>| key.map_or(name.to_string(), |key| format!("{name}[{key}]"));
            keys(key).into_iter().flat_map(|key| leaf_names(population, &part(key), element)).collect()
        }
    }
}

fn key_name(population: &Population, sort: &Sort, key: i64) -> String {
    match sort {
        Sort::Bool => (key != 0).to_string(),
        Sort::Enum(id) => population.program.enums[id.index()].members[key as usize].to_string(),
        Sort::Tid => population.thread_name(key),
        Sort::Int | Sort::Range(..) | Sort::Bits(_) | Sort::Set(_) | Sort::Array(..) => key.to_string(),
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

    #[test]
    fn primes_stand_behind_the_variable() {
        assert_eq!([primed_name("x"), primed_name("a[2]"), primed_name("3 in s")], ["x'", "a[2]'", "3 in s'"]);
    }
}
