//! Names → numbers. What the rest works on has no names left but those that are printed.

use crate::MAX_DIAGNOSTICS;
use crate::syntax::{Name, Pattern, States, System, Thread, Transition};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use threadwise_source::{Diagnostic, Span};

/// The most threads of a system.
const MAX_THREADS: u64 = 65_536;

/// Names in order of appearance, each with its first place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    pub(crate) all: Vec<(Arc<str>, Span)>,
    numbers: FxHashMap<Arc<str>, u32>,
}

impl Names {
    pub(crate) fn len(&self) -> u32 {
        self.all.len() as u32
    }

    pub(crate) fn text(&self, number: u32) -> &Arc<str> {
        &self.all[number as usize].0
    }

    pub(crate) fn contains(&self, text: &str) -> bool {
        self.numbers.contains_key(text)
    }

    fn add(&mut self, name: &Name) {
        if !self.contains(&name.text) {
            let text: Arc<str> = name.text.as_str().into();
            self.numbers.insert(text.clone(), self.len());
            self.all.push((text, name.span));
        }
    }

    fn add_all(&mut self, states: &States) {
        if let States::OneOf(names) = states {
            names.iter().for_each(|name| self.add(name));
        }
    }

    /// The numbers of the states, sorted; `None` for `*`.
    fn numbers(&self, states: &States) -> Option<Vec<u32>> {
        let States::OneOf(names) = states else { return None };
        let mut numbers: Vec<u32> =
            names.iter().filter_map(|name| self.numbers.get(name.text.as_str()).copied()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        Some(numbers)
    }
}

/// A transition, or several with one line.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// The shared states before; `None` for all.
    pub(crate) from_shared: Option<Vec<u32>>,
    /// The local states before.
    pub(crate) from_local: Vec<u32>,
    /// The shared states after; `None` where it does not change.
    pub(crate) to_shared: Option<Vec<u32>>,
    /// The local states after; `None` where it does not change.
    pub(crate) to_local: Option<Vec<u32>>,
    pub(crate) span: Span,
}

/// A thread as declared.
#[derive(Clone, Debug)]
pub(crate) struct ThreadDef {
    pub(crate) name: Arc<str>,
    pub(crate) copies: Option<u32>,
    pub(crate) locals: Names,
    pub(crate) steps: Vec<Step>,
    pub(crate) span: Span,
}

impl ThreadDef {
    pub(crate) fn number(&self) -> usize {
        self.copies.unwrap_or(1) as usize
    }
}

/// A set of program states: a product of sets, `None` being all.
#[derive(Clone, Debug)]
pub(crate) struct Product {
    pub(crate) shared: Option<Vec<u32>>,
    /// For each thread, copies counted, in order.
    pub(crate) locals: Vec<Option<Vec<u32>>>,
    pub(crate) span: Span,
}

/// A transition system without names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Resolved {
    pub(crate) shared: Names,
    pub(crate) threads: Vec<ThreadDef>,
    pub(crate) init: Vec<Product>,
    pub(crate) errors: Vec<Product>,
    pub(crate) exceptions: Vec<Product>,
}

/// Gives the names numbers and complains about what makes no sense.
pub(crate) fn resolve(system: &System, diagnostics: &mut Vec<Diagnostic>) -> Resolved {
    let mut resolver = Resolver { system, columns: Vec::new(), diagnostics };
    resolver.check_parts();
    if !resolver.diagnostics.is_empty() {
        return Resolved::default();
    }
    let shared = resolver.shared_states();
    let locals = resolver.local_states();
    let products = |patterns: &[Pattern]| -> Vec<Product> {
        patterns.iter().map(|pattern| resolver.product(pattern, &shared, &locals)).collect()
    };
    let (init, errors, exceptions) = (products(&system.init), products(&system.errors), products(&system.exceptions));
    let define = |(thread, locals): (&Thread, Names)| ThreadDef {
        name: thread.name.text.as_str().into(),
        copies: thread.copies,
        steps: thread.transitions.iter().map(|t| step(t, &shared, &locals)).collect(),
        locals,
        span: thread.name.span,
    };
    let threads: Vec<ThreadDef> = system.threads.iter().zip(locals).map(define).collect();
    let resolved = Resolved { shared, threads, init, errors, exceptions };
    resolver.warn_of_idle_names(&resolved);
    resolved
}

fn step(transition: &Transition, shared: &Names, locals: &Names) -> Step {
    Step {
        from_shared: shared.numbers(&transition.from.0),
        from_local: locals.numbers(&transition.from.1).unwrap_or_else(|| (0..locals.len()).collect()),
        to_shared: shared.numbers(&transition.to.0),
        to_local: locals.numbers(&transition.to.1),
        span: transition.span,
    }
}

struct Resolver<'a> {
    system: &'a System,
    /// For each thread, copies counted, the declaration it comes from.
    columns: Vec<usize>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl<'a> Resolver<'a> {
    fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() <= MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        }
    }

    fn patterns(&self) -> impl Iterator<Item = &'a Pattern> + use<'a> {
        self.system.init.iter().chain(&self.system.errors).chain(&self.system.exceptions)
    }

    /// There are threads, initial states, and as many local states in each line as there are threads.
    fn check_parts(&mut self) {
        let threads = &self.system.threads;
        if threads.is_empty() {
            let error = Diagnostic::error(Span::default(), "there is no thread");
            return self.report(error.label("the file declares none").hint("start one with a line `thread P`"));
        }
        let number: u64 = threads.iter().map(|thread| u64::from(thread.number())).sum();
        if number > MAX_THREADS {
            let error = Diagnostic::error(threads[threads.len() - 1].name.span, format!("there are {number} threads"));
            return self.report(error.label(format!("up to {MAX_THREADS} are supported")));
        }
        self.columns = threads.iter().enumerate().flat_map(|(i, t)| vec![i; t.number() as usize]).collect();
        if self.system.init.is_empty() {
            let error = Diagnostic::error(Span::default(), "there is no initial state");
            let names: Vec<&str> = self.columns.iter().take(3).map(|_| "A").collect();
            let hint = format!(
                "add a line such as `init 0 {}`: the shared state and every thread's local state",
                names.join(" ")
            );
            self.report(error.label("no line starts with `init`").hint(hint));
        }
        for pattern in self.patterns() {
            let columns: u64 = pattern.locals.iter().map(|(_, repeat)| u64::from(*repeat)).sum();
            if columns != self.columns.len() as u64 {
                self.wrong_number(pattern, columns);
            }
        }
    }

    fn wrong_number(&mut self, pattern: &Pattern, columns: u64) {
        let needed = self.columns.len();
        let states = if needed == 1 { "1 local state" } else { &format!("{needed} local states") };
        let error = Diagnostic::error(pattern.span, format!("expected {states}, found {columns}"));
        let show = |thread: &Thread| match thread.copies {
            Some(copies) => format!("{} of `{}`", copies, thread.name.text),
            None => format!("1 of `{}`", thread.name.text),
        };
        let needs: Vec<String> = self.system.threads.iter().take(6).map(show).collect();
        let dots = if self.system.threads.len() > 6 { ", …" } else { "" };
        let hint = "behind the shared state stands one for each thread, in the order of the threads; `A^3` is `A A A`";
        self.report(error.label(format!("the threads are {}{dots}", needs.join(", "))).hint(hint));
    }

    fn shared_uses(&self) -> impl Iterator<Item = &'a States> + use<'a> {
        let transitions = self.system.threads.iter().flat_map(|thread| &thread.transitions);
        transitions.flat_map(|t| [&t.from.0, &t.to.0]).chain(self.patterns().map(|p| &p.shared))
    }

    /// The declared shared states, or all that are used.
    fn shared_states(&mut self) -> Names {
        let mut names = Names::default();
        let Some(declared) = &self.system.shared else {
            self.shared_uses().for_each(|states| names.add_all(states));
            if names.len() == 0 {
                let error = Diagnostic::error(Span::default(), "there is no shared state");
                self.report(error.label("none has a name").hint("name them: `shared 0 1`"));
            }
            return names;
        };
        for name in declared {
            if names.contains(&name.text) {
                let error = Diagnostic::error(name.span, format!("the shared state `{}` is declared twice", name.text));
                self.report(error.label("declared again"));
            }
            names.add(name);
        }
        for states in self.shared_uses() {
            let States::OneOf(used) = states else { continue };
            for name in used.iter().filter(|name| !names.contains(&name.text)) {
                self.unknown_shared(name, &names);
            }
        }
        names
    }

    fn unknown_shared(&mut self, name: &Name, names: &Names) {
        let error = Diagnostic::error(name.span, format!("there is no shared state `{}`", name.text));
        let near = |other: &&str| strsim::damerau_levenshtein(other, &name.text);
        let nearest = names.all.iter().map(|(text, _)| &**text).min_by_key(near).filter(|other| near(other) <= 1);
        let hint = match nearest {
            Some(other) => format!("did you mean `{other}`? Else add it to the line `shared`"),
            None => "add it to the line `shared`".to_string(),
        };
        self.report(error.label("not among those declared").hint(hint));
    }

    /// For each thread, all local states that its transitions and the patterns mention.
    fn local_states(&self) -> Vec<Names> {
        let mut names = vec![Names::default(); self.system.threads.len()];
        for (thread, names) in self.system.threads.iter().zip(&mut names) {
            for transition in &thread.transitions {
                names.add_all(&transition.from.1);
                names.add_all(&transition.to.1);
            }
        }
        for pattern in self.patterns() {
            let mut columns = &self.columns[..];
            for (states, repeat) in &pattern.locals {
                let (own, rest) = columns.split_at(*repeat as usize);
                own.chunk_by(|a, b| a == b).for_each(|copies| names[copies[0]].add_all(states));
                columns = rest;
            }
        }
        names
    }

    fn product(&self, pattern: &Pattern, shared: &Names, locals: &[Names]) -> Product {
        let columns = pattern.locals.iter().flat_map(|(states, repeat)| (0..*repeat).map(move |_| states));
        let locals = columns.zip(&self.columns).map(|(states, &thread)| locals[thread].numbers(states)).collect();
        Product { shared: shared.numbers(&pattern.shared), locals, span: pattern.span }
    }

    /// A local state that a thread never gets to is probably a slip.
    fn warn_of_idle_names(&mut self, resolved: &Resolved) {
        if resolved.errors.is_empty() {
            let warning =
                Diagnostic::warning(Span::default(), "there are no error states, so there is nothing to verify");
            self.report(warning.label("no line starts with `error`"));
        }
        let mut entered: Vec<Vec<bool>> =
            resolved.threads.iter().map(|t| vec![false; t.locals.len() as usize]).collect();
        for (thread, entered) in resolved.threads.iter().zip(&mut entered) {
            let targets = thread.steps.iter().flat_map(|step| &step.to_local).flatten();
            targets.for_each(|&local| entered[local as usize] = true);
        }
        for product in &resolved.init {
            for (states, &thread) in product.locals.iter().zip(&self.columns) {
                match states {
                    Some(states) => states.iter().for_each(|&local| entered[thread][local as usize] = true),
                    None => entered[thread].fill(true),
                }
            }
        }
        for (thread, entered) in resolved.threads.iter().zip(&entered) {
            for ((name, span), _) in thread.locals.all.iter().zip(entered).filter(|(_, entered)| !**entered) {
                let warning = Diagnostic::warning(*span, format!("`{}` never gets to `{name}`", thread.name));
                self.report(warning.label("it does not start there, and no transition leads there"));
            }
        }
    }
}
