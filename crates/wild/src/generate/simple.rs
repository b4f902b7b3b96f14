//! What can be read and written: variables, elements, parts, locals of other threads.

use super::sorts::Sort;
use super::{Generator, Place};
use crate::tree::{Expr, name};

impl Generator {
    /// All variables and parts of variables that may be named here; arrays as a whole.
    fn bases(&self, to_write: bool) -> Vec<(Expr, Sort)> {
        let mut bases = Vec::new();
        for variable in self.scope.iter().filter(|v| (v.writable || !to_write) && !self.is_hidden(&v.name)) {
            match (&variable.sort, self.place) {
                (Sort::RwLock, _) => {
                    let part = |text: &str| Expr::Field(Box::new(name(&variable.name)), text.to_string());
                    bases.push((part("w"), Sort::Tid));
                    bases.push((part("r"), Sort::Set(Box::new(Sort::Tid))));
                }
                (Sort::Copies(thread), Place::Property) => {
                    bases.push((name(&variable.name), variable.sort.clone()));
                    self.add_locals(&variable.name, *thread, &mut bases);
                }
                _ => bases.push((name(&variable.name), variable.sort.clone())),
            }
        }
        if self.place == Place::Property && !to_write {
            for (index, thread) in self.threads.iter().enumerate().filter(|(_, thread)| !thread.replicated) {
                self.add_locals(&thread.name, index, &mut bases);
            }
        }
        bases
    }

    fn add_locals(&self, who: &str, thread: usize, bases: &mut Vec<(Expr, Sort)>) {
        for (local, sort) in &self.threads[thread].locals {
            bases.push((Expr::Field(Box::new(name(who)), local.clone()), sort.clone()));
        }
    }

    /// The types of all places, elements of arrays included.
    pub(super) fn sorts_of_places(&self) -> Vec<Sort> {
        let mut sorts = Vec::new();
        for (_, mut sort) in self.bases(false) {
            while let Sort::Array(_, element) = sort {
                sorts.push(Sort::Array(Box::new(Sort::Bool), element.clone()));
                sort = *element;
            }
            sorts.push(sort);
        }
        sorts
    }

    /// A place whose type is wanted, if there is one.
    pub(super) fn place(&mut self, wanted: &dyn Fn(&Sort) -> bool, depth: usize, to_write: bool) -> Option<Expr> {
        let mut bases = self.bases(to_write);
        bases.retain(|(_, sort)| reaches(sort, wanted));
        if bases.is_empty() {
            return None;
        }
        let (base, sort) = self.random.pick(&bases);
        let base = self.maybe_primed(base, to_write);
        Some(self.indexed(base, sort, wanted, depth))
    }

    pub(super) fn place_of_any(&mut self, depth: usize) -> Option<(Expr, Sort)> {
        let bases = self.bases(false);
        if bases.is_empty() {
            return None;
        }
        let (base, sort) = self.random.pick(&bases);
        let base = self.maybe_primed(base, false);
        match &sort {
            Sort::Array(..) if self.random.percent(30) => Some((base, sort)),
            Sort::Array(..) => {
                let element = innermost(&sort);
                let wanted = element.clone();
                Some((self.indexed(base, sort, &|of| *of == wanted, depth), element))
            }
            _ => Some((base, sort)),
        }
    }

    fn maybe_primed(&mut self, base: Expr, to_write: bool) -> Expr {
        let variable = match &base {
            Expr::Name(variable) => Some(variable.clone()),
            Expr::Field(of, _) => match &**of {
                Expr::Name(variable) => Some(variable.clone()),
                _ => None,
            },
            _ => None,
        };
        let primed = variable.is_some_and(|variable| self.frame.contains(&variable)) && !to_write;
        if primed && self.random.percent(60) { Expr::Prime(Box::new(base)) } else { base }
    }

    fn indexed(&mut self, base: Expr, sort: Sort, wanted: &dyn Fn(&Sort) -> bool, depth: usize) -> Expr {
        match sort {
            Sort::Array(key, element) if !wanted(&Sort::Array(key.clone(), element.clone())) => {
                let index = match depth {
                    0 => self.literal(&key).expect("keys can be written down"),
                    _ => self.fitting(&key, depth - 1),
                };
                self.indexed(Expr::Index(Box::new(base), Box::new(index)), *element, wanted, depth)
            }
            _ => base,
        }
    }
}

fn innermost(sort: &Sort) -> Sort {
    match sort {
        Sort::Array(_, element) => innermost(element),
        other => other.clone(),
    }
}

fn reaches(sort: &Sort, wanted: &dyn Fn(&Sort) -> bool) -> bool {
    wanted(sort) || matches!(sort, Sort::Array(_, element) if reaches(element, wanted))
}
