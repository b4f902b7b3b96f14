//! The variables of a space in SMT-LIB.

use crate::space::Space;
use std::collections::BTreeMap;
use std::fmt::Write;
use threadwise_logic::{Names, Scope, SexpError, Term, Var, parse_sexp, read_formula, write_term};

impl Names for Space {
    fn name(&self, var: Var) -> String {
        format!("|{}|", self.name(var))
    }
}

impl Space {
    /// The term as SMT-LIB.
    pub fn smt(&self, term: &Term) -> String {
        write_term(term, self)
    }

    /// The formula with every variable after the step in the place of the one before it.
    pub fn prime(&self, formula: &Term) -> Term {
        let count = self.count();
        formula.rename(&|var| if var.index() < count { self.primed(var) } else { var })
    }

    /// Declarations of all variables, those after the step and the choices included.
    pub fn declarations(&self) -> String {
        let mut text = String::new();
        for var in (0..self.end()).map(Var) {
            let _ = writeln!(text, "(declare-const {} {})", Names::name(self, var), self.smt_sort(var));
        }
        text
    }

    /// That all variables before and after the step have values of their sorts.
    pub fn all_typed(&self) -> Term {
        Term::all((0..2 * self.count() as u32).map(|var| self.typed(Var(var))))
    }

    /// Reads formulas over the variables before a step, and those after it if `primed`.
    pub fn reader(&self, primed: bool) -> FormulaReader {
        let count = self.count() as u32 * if primed { 2 } else { 1 };
        let names = (0..count).map(Var).map(|var| (self.name(var), self.value(var)));
        FormulaReader { names: names.collect() }
    }
}

/// What the names of variables mean in a text.
pub struct FormulaReader {
    names: BTreeMap<String, Term>,
}

impl FormulaReader {
    /// The formula that a text denotes.
    pub fn read(&self, text: &str) -> Result<Term, SexpError> {
        read_formula(&parse_sexp(text)?, self)
    }
}

impl Scope for FormulaReader {
    fn meaning(&self, name: &str) -> Option<Term> {
        self.names.get(name).cloned()
    }
}
