//! The slow obvious reading of a transition system: sets of names, straight from the text.

use crate::Names;
use std::collections::BTreeSet;
use threadwise_front_ts::{Pattern, States, System, Thread, Transition};

pub struct BruteForce<'a> {
    system: &'a System,
    /// The declaration of each thread, copies counted.
    columns: Vec<&'a Thread>,
}

impl<'a> BruteForce<'a> {
    pub fn new(system: &'a System) -> BruteForce<'a> {
        let columns = system.threads.iter().flat_map(|thread| vec![thread; thread.number() as usize]).collect();
        BruteForce { system, columns }
    }

    fn patterns(&self) -> impl Iterator<Item = &'a Pattern> {
        self.system.init.iter().chain(&self.system.errors).chain(&self.system.exceptions)
    }

    /// The names of all shared states.
    fn shared_names(&self) -> BTreeSet<String> {
        let transitions = self.columns.iter().flat_map(|thread| &thread.transitions);
        let used = transitions.flat_map(|t| [&t.from.0, &t.to.0]).chain(self.patterns().map(|p| &p.shared));
        let declared = self.system.shared.iter().flatten().map(|name| name.text.clone());
        used.flat_map(written).chain(declared).collect()
    }

    /// The names of all local states of the thread in a column, or of another copy of it.
    pub fn locals_of(&self, column: usize) -> BTreeSet<String> {
        let thread = self.columns[column];
        let moves = thread.transitions.iter().flat_map(|t| [&t.from.1, &t.to.1]).flat_map(written);
        let same = |other: usize| self.columns[other].name == thread.name;
        let of_pattern = |p: &'a Pattern| {
            spread(p)
                .into_iter()
                .enumerate()
                .filter(|(other, _)| same(*other))
                .flat_map(|(_, states)| written(states))
                .collect::<Vec<_>>()
        };
        moves.chain(self.patterns().flat_map(of_pattern)).collect()
    }

    /// Whether the state is among those of the pattern when copies are permuted somehow.
    fn matches(&self, pattern: &Pattern, (shared, locals): &Names) -> bool {
        let columns = spread(pattern);
        fits(&pattern.shared, shared) && self.place(&columns, locals, 0, &mut vec![false; locals.len()])
    }

    /// Finds a thread for each column from `column` on, among the copies that are still free.
    fn place(&self, columns: &[&States], locals: &[String], column: usize, taken: &mut Vec<bool>) -> bool {
        if column == columns.len() {
            return true;
        }
        (0..locals.len()).any(|thread| {
            let is_copy = self.columns[thread].name == self.columns[column].name;
            if !is_copy || taken[thread] || !fits(columns[column], &locals[thread]) {
                return false;
            }
            taken[thread] = true;
            let found = self.place(columns, locals, column + 1, taken);
            taken[thread] = false;
            found
        })
    }

    pub fn is_error(&self, state: &Names) -> bool {
        self.system.errors.iter().any(|pattern| self.matches(pattern, state))
    }

    pub fn is_exception(&self, state: &Names) -> bool {
        self.system.exceptions.iter().any(|pattern| self.matches(pattern, state))
    }

    fn initial(&self) -> Vec<Names> {
        let mut tuples = vec![Vec::new()];
        for column in 0..self.columns.len() {
            let names = self.locals_of(column);
            let with = |tuple: &Vec<String>| {
                names.iter().map(|name| [&tuple[..], std::slice::from_ref(name)].concat()).collect::<Vec<_>>()
            };
            tuples = tuples.iter().flat_map(with).collect();
        }
        let shared = self.shared_names();
        let all = shared.iter().flat_map(|g| tuples.iter().map(|locals| (g.clone(), locals.clone())));
        all.filter(|state| self.system.init.iter().any(|pattern| self.matches(pattern, state))).collect()
    }

    pub fn reachable(&self) -> BTreeSet<Names> {
        let mut open = self.initial();
        let mut seen = BTreeSet::new();
        while let Some(state) = open.pop() {
            if seen.insert(state.clone()) {
                for (column, thread) in self.columns.iter().enumerate() {
                    let next = thread.transitions.iter().flat_map(|t| successors(t, &state, column));
                    open.extend(next);
                }
            }
        }
        seen
    }
}

fn successors(transition: &Transition, (shared, locals): &Names, column: usize) -> Vec<Names> {
    if !fits(&transition.from.0, shared) || !fits(&transition.from.1, &locals[column]) {
        return Vec::new();
    }
    let after = |states: &States, before: &String| match states {
        States::Any(_) => vec![before.clone()],
        States::OneOf(names) => names.iter().map(|name| name.text.clone()).collect(),
    };
    let mut next = Vec::new();
    for g in after(&transition.to.0, shared) {
        for l in after(&transition.to.1, &locals[column]) {
            let mut locals = locals.clone();
            locals[column] = l;
            next.push((g.clone(), locals));
        }
    }
    next
}

fn fits(states: &States, name: &str) -> bool {
    match states {
        States::Any(_) => true,
        States::OneOf(names) => names.iter().any(|n| n.text == name),
    }
}

fn written(states: &States) -> Vec<String> {
    match states {
        States::Any(_) => Vec::new(),
        States::OneOf(names) => names.iter().map(|name| name.text.clone()).collect(),
    }
}

/// The columns of a pattern one by one.
fn spread(pattern: &Pattern) -> Vec<&States> {
    pattern.locals.iter().flat_map(|(states, repeat)| (0..*repeat).map(move |_| states)).collect()
}
