//! The variables of a space in SMT-LIB.

use crate::space::{Space, VarSort};
use std::collections::BTreeMap;
use std::fmt::Write;
use threadwise_logic::{Formula, Names, Naming, Scope, SexpError, Value, Var, read_formula, smt_formula};

impl Names for Space {
    fn name(&self, var: Var) -> String {
        format!("|{}|", Naming::name(self, var))
    }
}

impl Space {
    /// The formula as SMT-LIB.
    pub fn smt(&self, formula: &Formula) -> String {
        smt_formula(formula, self)
    }

    /// The sort of a variable in SMT-LIB.
    pub fn smt_sort(&self, var: Var) -> &'static str {
        match self.sort(var) {
            VarSort::Bool => "Bool",
            VarSort::Int(_) => "Int",
        }
    }

    /// The formula with every variable after the step in the place of the one before it.
    pub fn prime(&self, formula: &Formula) -> Formula {
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
    pub fn all_typed(&self) -> Formula {
        Formula::all((0..2 * self.count() as u32).map(|var| self.typed(Var(var))))
    }

    /// Reads formulas over the variables before a step, and those after it if `primed`.
    pub fn reader(&self, primed: bool) -> FormulaReader {
        let count = self.count() as u32 * if primed { 2 } else { 1 };
        let names = (0..count).map(Var).map(|var| (Naming::name(self, var), self.value(var)));
        FormulaReader { names: names.collect() }
    }
}

/// What the names of variables mean in a text.
pub struct FormulaReader {
    names: BTreeMap<String, Value>,
}

impl FormulaReader {
    /// The formula that a text denotes.
    pub fn read(&self, text: &str) -> Result<Formula, SexpError> {
        read_formula(text, self)
    }
}

impl Scope for FormulaReader {
    fn meaning(&self, name: &str) -> Option<Value> {
        self.names.get(name).cloned()
    }
}
