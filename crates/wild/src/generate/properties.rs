//! Properties: most of them about few states, so that most programs do not break them at once.

use super::sorts::Sort;
use super::{Generator, Place, Variable};
use crate::tree::{Expr, Item, Type, binary};

impl Generator {
    pub(super) fn declare_properties(&mut self) {
        self.place = Place::Property;
        for _ in 0..self.random.weighted(&[1, 5, 4, 2]) {
            let property = self.property();
            self.items.push(property);
        }
        if self.random.percent(15) {
            let variables: Vec<(String, Sort)> = self.scope.iter().map(|v| (v.name.clone(), v.sort.clone())).collect();
            let mut chosen = Vec::new();
            for (name, sort) in variables {
                if self.random.percent(50) {
                    chosen.push(name + &"[*]".repeat(self.depth_of_elements(&sort)));
                }
            }
            if !chosen.is_empty() {
                self.items.push(Item::NoRace(chosen));
            }
        }
        while self.random.percent(12) {
            self.items.push(Item::NoDeadlock);
        }
    }

    /// By how many keys the elements are told apart: none, some, or all.
    fn depth_of_elements(&mut self, sort: &Sort) -> usize {
        match sort {
            Sort::Array(_, element) if self.random.percent(75) => 1 + self.depth_of_elements(element),
            _ => 0,
        }
    }

    fn property(&mut self) -> Item {
        let (words, formula) = match self.random.below(8) {
            0 => ("never", self.rare_condition(2)),
            1 | 2 => ("never", self.about_labels()),
            3 => ("invariant", binary("==>", self.about_labels(), self.expr(&Sort::Bool, 2))),
            4 => ("invariant", self.over_copies("forall")),
            5 => ("invariant", self.over_copies("exists")),
            6 => ("never", self.over_copies("exists")),
            _ => ("invariant", self.weak_condition(2)),
        };
        let named = self.random.percent(20);
        let words = if named { format!("{words} {}:", self.fresh_name("named")) } else { words.to_string() };
        Item::Formula(words, formula)
    }

    /// Where several threads are, and where they are not.
    fn about_labels(&mut self) -> Expr {
        let mut formula = self.label_or_condition();
        for _ in 0..self.random.below(3) {
            let op = self.random.pick(&["&&", "&&", "&&", "||"]);
            formula = binary(op, formula, self.label_or_condition());
        }
        formula
    }

    fn label_or_condition(&mut self) -> Expr {
        self.at_label().unwrap_or_else(|| self.rare_condition(1))
    }

    /// A quantifier over the copies of a thread, with something about each.
    fn over_copies(&mut self, word: &'static str) -> Expr {
        let thread = self.random.below(self.threads.len());
        let variable = self.fresh_name("t");
        let ty = Type::Word(self.threads[thread].name.clone());
        let outside = self.scope.len();
        let sort = Sort::Copies(thread);
        self.scope.push(Variable { name: variable.clone(), sort, writable: false, shared: false });
        let body = match (word, self.random.below(3)) {
            ("forall", 0) => binary("==>", self.about_labels(), self.weak_condition(2)),
            ("forall", _) => self.weak_condition(2),
            (_, 0) => self.about_labels(),
            _ => self.rare_condition(2),
        };
        self.scope.truncate(outside);
        Expr::Quantified(word, vec![(variable, ty)], Box::new(body))
    }
}
