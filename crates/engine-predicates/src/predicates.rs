//! The predicates that the abstraction keeps track of.

use std::collections::BTreeMap;
use threadwise_ir::{Symmetry, ThreadId};
use threadwise_logic::{Kind, Term, Var};
use threadwise_space::{Owner, Shown, Space, VarSort};

/// State predicates of each thread, and transition predicates of each thread's steps.
///
/// DIVERGENCE: the paper has transition predicates for each pair of threads. What a step does to shared
/// variables is the same for all who see it, so there is one set for each thread that takes steps.
pub(crate) struct Predicates {
    pub(crate) states: Vec<Vec<Term>>,
    pub(crate) transitions: Vec<Vec<Term>>,
    /// For each thread the copies that it can be exchanged with, and how variables are then exchanged.
    copies: Vec<Vec<(usize, Exchange)>>,
}

/// The exchange of two copies of a thread.
struct Exchange {
    vars: BTreeMap<Var, Var>,
    tids: (i64, i64),
}

impl Predicates {
    pub(crate) fn new(space: &Space) -> Predicates {
        let count = space.threads.len();
        let mut copies: Vec<Vec<(usize, Exchange)>> = (0..count).map(|_| Vec::new()).collect();
        if let Symmetry::Among(templates) = space.instance.program.symmetry() {
            for template in templates {
                let range = space.instance.copies_of(template);
                for a in range.clone() {
                    for b in range.clone().filter(|b| *b != a) {
                        copies[a].push((b, Exchange::new(space, a, b)));
                    }
                }
            }
        }
        Predicates { states: vec![Vec::new(); count], transitions: vec![Vec::new(); count], copies }
    }

    /// How many there are of each kind.
    pub(crate) fn counts(&self) -> (u64, u64) {
        let count = |sets: &[Vec<Term>]| sets.iter().map(|set| set.len() as u64).sum();
        (count(&self.states), count(&self.transitions))
    }

    /// Whether no state predicate speaks of another thread's locals or control.
    pub(crate) fn are_modular(&self, space: &Space) -> bool {
        let may_know = |thread: usize, var: &Var| {
            let owner = space.info(*var).map(|info| info.owner);
            [Some(Owner::Shared), Some(Owner::Thread(ThreadId(thread as u32)))].contains(&owner)
        };
        let is_own = |thread: usize, set: &[Term]| {
            set.iter().all(|predicate| predicate.variables().iter().all(|var| may_know(thread, var)))
        };
        self.states.iter().enumerate().all(|(thread, set)| is_own(thread, set))
    }

    /// Adds a state predicate of a thread, and what it says of the other copies to these. Tells whether
    /// it is new.
    pub(crate) fn add_state(&mut self, space: &Space, thread: ThreadId, predicate: Term) -> bool {
        let Predicates { states, copies, .. } = self;
        add_to_all(states, &copies[thread.index()], space, thread, predicate)
    }

    /// Adds a transition predicate of a thread's steps, and its images for the other copies.
    pub(crate) fn add_transition(&mut self, space: &Space, thread: ThreadId, predicate: Term) -> bool {
        let Predicates { transitions, copies, .. } = self;
        add_to_all(transitions, &copies[thread.index()], space, thread, predicate)
    }
}

fn add_to_all(
    sets: &mut [Vec<Term>],
    copies: &[(usize, Exchange)],
    space: &Space,
    thread: ThreadId,
    predicate: Term,
) -> bool {
    let mut is_new = false;
    for predicate in equations(space, predicate) {
        for (copy, exchange) in copies {
            if let Some(image) = exchange.apply(space, &predicate) {
                add(&mut sets[*copy], image);
            }
        }
        is_new |= add(&mut sets[thread.index()], predicate);
    }
    is_new
}

/// The order of thread identities means nothing and is not kept when copies are exchanged, so that a bound of one is as
/// many equations as can say it and its negation.
fn equations(space: &Space, predicate: Term) -> Vec<Term> {
    let Kind::Le(a, b) = predicate.kind() else { return vec![predicate] };
    let (var, below) = match (a.kind(), b.kind()) {
        (Kind::Var(var, _), Kind::Int(greatest)) => (*var, *greatest),
        (Kind::Int(least), Kind::Var(var, _)) => (*var, *least - 1),
        _ => return vec![predicate],
    };
    let VarSort::Int(Some((lo, hi))) = space.sort(var) else { return vec![predicate] };
    if !is_tid(space, var) {
        return vec![predicate];
    }
    let values = match below {
        below if below == lo => lo..=lo,
        below if below == hi - 1 => hi..=hi,
        _ => lo..=hi,
    };
    values.map(|value| space.value(var).equals(Term::int(value))).collect()
}

fn is_tid(space: &Space, var: Var) -> bool {
    space.info(var).is_some_and(|info| info.shown == Shown::Tid)
}

fn add(set: &mut Vec<Term>, predicate: Term) -> bool {
    let known = set.contains(&predicate) || set.contains(&predicate.not());
    if !known && predicate.as_bool().is_none() {
        set.push(predicate);
        return true;
    }
    false
}

impl Exchange {
    /// Variables are exchanged by their names: `W[1].x` and `W[2].x`, `a[W[1]]` and `a[W[2]]`.
    fn new(space: &Space, a: usize, b: usize) -> Exchange {
        let (one, two) = (space.instance.tid_name(a as i64 + 1), space.instance.tid_name(b as i64 + 1));
        let by_name: BTreeMap<String, Var> =
            (0..2 * space.count() as u32).map(|var| (space.name(Var(var)), Var(var))).collect();
        let swapped = |name: &str| {
            let marked = name.replace(&one, "\u{0}");
            marked.replace(&two, &one).replace('\u{0}', &two)
        };
        let image = |(name, var): (&String, &Var)| Some((*var, *by_name.get(&swapped(name))?));
        Exchange { vars: by_name.iter().filter_map(image).collect(), tids: (a as i64 + 1, b as i64 + 1) }
    }

    /// The image of a predicate; `None` where a thread's number is used as a number.
    fn apply(&self, space: &Space, predicate: &Term) -> Option<Term> {
        if let Kind::Eq(a, b) = predicate.kind()
            && let (Some(var), Some(value)) = (a.as_var(), b.as_int())
            && is_tid(space, var)
        {
            let value = match value {
                v if v == self.tids.0 => self.tids.1,
                v if v == self.tids.1 => self.tids.0,
                v => v,
            };
            return Some(space.value(*self.vars.get(&var)?).equals(Term::int(value)));
        }
        let vars = predicate.variables();
        if vars.iter().any(|var| is_tid(space, *var)) || !vars.iter().all(|var| self.vars.contains_key(var)) {
            return None;
        }
        Some(predicate.rename(&|var| self.vars[&var]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use threadwise_front_tw::{Options, load};
    use threadwise_source::SourceFile;

    /// The holder of a mutex is none, 0, or one of three threads. What the first learns serves the second, with the two
    /// exchanged; the third is no copy of them.
    #[test]
    fn bounds_of_identities_are_equations_and_serve_all_copies() {
        let text = "shared m: mutex; thread W[2] { acquire(m); release(m); } thread T { acquire(m); release(m); }";
        let lowered = load(SourceFile::new("test.tw", text), &Options::default());
        let space = Space::new(&Arc::new(lowered.program.expect("a correct program"))).expect("supported");
        let mutex = space.value(space.variables().find(|var| space.name(*var) == "m").expect("declared"));
        let holder = |value| mutex.equals(Term::int(value));
        let mut predicates = Predicates::new(&space);
        // Not above W[2] is not T, at the end of the order.
        assert!(predicates.add_state(&space, ThreadId(0), mutex.le(Term::int(2))));
        assert_eq!(predicates.states, [vec![holder(3)], vec![holder(3)], vec![]]);
        // Not above W[1] is in the middle.
        assert!(predicates.add_state(&space, ThreadId(0), mutex.le(Term::int(1))));
        assert_eq!(predicates.states[0], [3, 0, 1, 2].map(holder));
        assert_eq!(predicates.states[1], [3, 0, 2, 1].map(holder));
        assert!(!predicates.add_state(&space, ThreadId(1), holder(0)), "it is known already");
    }
}
