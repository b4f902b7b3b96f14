//! Threads that wait to be started, and the statements that start and join them.

use super::sorts::Sort;
use super::{Generator, Variable};
use crate::tree::{Kind, Type, name};

impl Generator {
    /// Decides which threads wait; the first one does not, since somebody has to begin.
    pub(super) fn let_threads_wait(&mut self) {
        if !self.config.starts {
            return;
        }
        for index in 1..self.threads.len() {
            if self.random.percent(80) {
                let params = (0..self.random.weighted(&[4, 5, 1])).map(|_| self.parameter_sort()).collect();
                self.threads[index].params = Some(params);
            }
        }
    }

    /// The parameters of a thread that waits, which are locals of it.
    pub(super) fn thread_parameters(&mut self, index: usize) -> Option<Vec<(String, Type)>> {
        let sorts = self.threads[index].params.clone()?;
        let mut params = Vec::new();
        for sort in sorts {
            let param = self.fresh_name("p");
            params.push((param.clone(), self.type_of(&sort)));
            self.declared.push((param.clone(), sort.clone()));
            self.scope.push(Variable { name: param, sort, writable: true, shared: false });
        }
        Some(params)
    }

    /// A start of some thread that waits; whoever can, remembers which.
    pub(super) fn start(&mut self) -> Kind {
        let waits = |index: &usize| self.threads[*index].params.is_some();
        let waiting: Vec<usize> = (0..self.threads.len()).filter(waits).collect();
        if waiting.is_empty() {
            return Kind::Skip;
        }
        let thread = self.threads[self.random.pick(&waiting)].clone();
        let args = thread.params.iter().flatten().map(|sort| self.fitting(sort, 1)).collect();
        let result = if self.random.percent(70) { self.place(&|sort| *sort == Sort::Tid, 1, true) } else { None };
        Kind::Start(result, thread.name, args)
    }

    /// Waits for the end of a thread that has a name, that a variable holds, or that comes to an end never.
    pub(super) fn join(&mut self) -> Kind {
        let has_name = |index: &usize| self.threads[*index].params.is_some() && !self.threads[*index].replicated;
        let named: Vec<usize> = (0..self.threads.len()).filter(has_name).collect();
        if !named.is_empty() && self.random.percent(60) {
            let thread = self.threads[self.random.pick(&named)].name.clone();
            return Kind::Simple("join", name(&thread));
        }
        let is_there = self.threads.iter().any(|thread| thread.params.is_some());
        match self.place(&|sort| *sort == Sort::Tid, 1, false) {
            Some(place) if is_there => Kind::Simple("join", place),
            _ => Kind::Skip,
        }
    }
}
