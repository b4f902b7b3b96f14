//! The predicates that the abstraction keeps track of.

use std::collections::BTreeMap;
use threadwise_ir::{Symmetry, ThreadId};
use threadwise_logic::{Formula, Naming, Term, Var};
use threadwise_symbolic::{Owner, Shown, Space};

/// State predicates of each thread, and transition predicates of each thread's steps.
///
/// DIVERGENCE: the paper has transition predicates for each pair of threads. What a step does to shared
/// variables is the same for all who see it, so there is one set for each thread that takes steps.
pub(crate) struct Predicates {
    pub(crate) states: Vec<Vec<Formula>>,
    pub(crate) transitions: Vec<Vec<Formula>>,
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
        let count = |sets: &[Vec<Formula>]| sets.iter().map(|set| set.len() as u64).sum();
        (count(&self.states), count(&self.transitions))
    }

    /// Whether no state predicate speaks of another thread's locals or control.
    pub(crate) fn are_modular(&self, space: &Space) -> bool {
        let may_know = |thread: usize, var: &Var| {
            let owner = space.info(*var).map(|info| info.owner);
            [Some(Owner::Shared), Some(Owner::Thread(ThreadId(thread as u32)))].contains(&owner)
        };
        let is_own = |thread: usize, set: &[Formula]| {
            set.iter().all(|predicate| predicate.variables().iter().all(|var| may_know(thread, var)))
        };
        self.states.iter().enumerate().all(|(thread, set)| is_own(thread, set))
    }

    /// Adds a state predicate of a thread, and what it says of the other copies to these. Tells whether
    /// it is new.
    pub(crate) fn add_state(&mut self, space: &Space, thread: ThreadId, predicate: Formula) -> bool {
        let index = thread.index();
        let images: Vec<(usize, Option<Formula>)> =
            self.copies[index].iter().map(|(copy, exchange)| (*copy, exchange.apply(space, &predicate))).collect();
        for (copy, image) in images {
            if let Some(image) = image {
                add(&mut self.states[copy], image);
            }
        }
        add(&mut self.states[index], predicate)
    }

    /// Adds a transition predicate of a thread's steps, and its images for the other copies.
    pub(crate) fn add_transition(&mut self, space: &Space, thread: ThreadId, predicate: Formula) -> bool {
        let index = thread.index();
        let images: Vec<(usize, Option<Formula>)> =
            self.copies[index].iter().map(|(copy, exchange)| (*copy, exchange.apply(space, &predicate))).collect();
        for (copy, image) in images {
            if let Some(image) = image {
                add(&mut self.transitions[copy], image);
            }
        }
        add(&mut self.transitions[index], predicate)
    }
}

fn add(set: &mut Vec<Formula>, predicate: Formula) -> bool {
    let known = set.contains(&predicate) || set.contains(&predicate.clone().negated());
    if !known && !matches!(predicate, Formula::Const(_)) {
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
    fn apply(&self, space: &Space, predicate: &Formula) -> Option<Formula> {
        let is_tid = |var: Var| space.info(var).is_some_and(|info| info.shown == Shown::Tid);
        if let Formula::Eq(Term::Var(var), Term::Const(value)) = predicate
            && is_tid(*var)
        {
            let value = match *value {
                v if v == self.tids.0 => self.tids.1,
                v if v == self.tids.1 => self.tids.0,
                v => v,
            };
            return Some(Formula::eq(Term::Var(*self.vars.get(var)?), Term::Const(value)));
        }
        let vars = predicate.variables();
        if vars.iter().any(|var| is_tid(*var)) || !vars.iter().all(|var| self.vars.contains_key(var)) {
            return None;
        }
        Some(predicate.rename(&|var| self.vars[&var]))
    }
}
