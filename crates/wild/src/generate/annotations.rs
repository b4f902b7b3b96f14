//! Contracts, abstract threads and exceptions, which change no verdict.

use super::{Generator, Place};
use crate::tree::{Edge, Expr, Item, binary, name};

impl Generator {
    pub(super) fn declare_annotations(&mut self) {
        match self.random.below(4) {
            0 => {
                self.place = Place::Property;
                let states = self.rare_condition(2);
                self.items.push(Item::Formula("exceptions".to_string(), states));
            }
            1 => self.declare_abstract_thread(),
            _ => {
                for _ in 0..1 + self.random.below(2) {
                    self.declare_contract();
                }
            }
        }
    }

    fn declare_contract(&mut self) {
        self.place = Place::Shared;
        let word = self.random.pick(&["rely", "rely", "guarantee"]);
        let thread = self.threads[self.random.below(self.threads.len())].clone();
        let whose = match self.random.below(3) {
            0 if !thread.replicated => thread.name,
            1 => format!("forall i: {}", thread.name),
            _ => "forall i: tid".to_string(),
        };
        let formula = self.admits_standing_still();
        self.items.push(Item::Contract(word, whose, formula));
    }

    /// A formula about a step that the step which changes nothing satisfies.
    fn admits_standing_still(&mut self) -> Expr {
        let variables: Vec<_> = self.scope.iter().filter(|v| v.shared).cloned().collect();
        let variable = self.random.pick(&variables);
        if variable.sort == super::sorts::Sort::RwLock {
            return name("true");
        }
        let (before, after) = (name(&variable.name), Expr::Prime(Box::new(name(&variable.name))));
        let same = binary("==", after.clone(), before.clone());
        match self.random.below(3) {
            0 if variable.sort.is_number() => binary(">=", after, before),
            1 => binary("==>", self.expr(&super::sorts::Sort::Bool, 1), same),
            2 => same,
            _ => name("true"),
        }
    }

    fn declare_abstract_thread(&mut self) {
        self.place = Place::Shared;
        let thread = self.threads[self.random.below(self.threads.len())].name.clone();
        let assertion = self.random.percent(30).then(|| self.weak_condition(1));
        let nodes = vec![("X1".to_string(), assertion), ("X2".to_string(), None)];
        let shared: Vec<String> = self.scope.iter().filter(|v| v.shared).map(|v| v.name.clone()).collect();
        let mut edges = Vec::new();
        for _ in 0..self.random.below(4) {
            let (from, to) = (self.random.pick(&["X1", "X2"]), self.random.pick(&["X1", "X2"]));
            let frame = vec![self.random.pick(&shared)];
            self.frame = frame.clone();
            let formula = self.random.percent(60).then(|| self.weak_condition(1));
            self.frame.clear();
            let frame = Some(frame);
            edges.push(Edge { from: from.to_string(), to: to.to_string(), frame, formula });
        }
        self.items.push(Item::Abstract { thread, idle: self.random.percent(80), nodes, edges });
    }
}
