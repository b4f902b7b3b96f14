//! Properties: what the user wrote, and when a state violates it.
//!
//! A state violates a property either by a formula, which looks at the whole state at once, or by a pattern of what
//! different threads show. What a thread shows depends on the shared store and on its own local state alone, so
//! whoever knows the states of the threads one by one can tell whether a pattern is met.

use crate::{Expr, Observation, PropertyId, SharedId};
use std::sync::Arc;
use threadwise_source::Span;

/// A property.
#[derive(Clone, Debug)]
pub struct Property {
    /// What the user wrote, for messages; nothing else depends on it.
    pub wording: Wording,
    /// Which states violate it.
    pub violated: Violated,
    /// The whole declaration.
    pub span: Span,
}

/// How a property is declared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wording {
    /// `invariant e;`, `invariant name: e;`
    Invariant(Option<Arc<str>>),
    /// `never e;`, `never name: e;`
    Never(Option<Arc<str>>),
    /// `norace x;`
    NoRace(Arc<str>),
    /// `nodeadlock;`, of all threads together.
    NoDeadlock,
    /// `nodeadlock;`, of threads that wait for each other's mutexes while others run on.
    NoLockCycle,
}

/// Which states violate a property.
#[derive(Clone, Debug)]
pub enum Violated {
    /// Those in which a formula has this value. Where it has no value, that is an error of its own.
    When(Expr, bool),
    /// Those in which threads meet a pattern.
    By(Pattern),
}

/// What threads show at the same time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// For each of these signs there is a thread that shows it, another one for each, and all of the same element.
    Signs(Vec<Sign>),
    /// No thread can take a step, and one of them is stuck: see [`crate::deadlock`].
    Deadlock,
    /// Threads wait for mutexes that threads among them hold, or that a thread holds that has ended.
    LockCycle,
}

/// What can be seen of a thread by itself, in a shared store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sign {
    /// A step that it can take reads or writes there.
    Accesses(Region),
    /// A step that it can take writes there.
    Writes(Region),
}

/// Shared variables that belong together: an `rwlock` is two.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Region {
    pub vars: Vec<SharedId>,
    /// How many keys tell the elements of the region apart; without keys the whole is one element.
    pub depth: usize,
    /// Only accesses that are not atomic count.
    pub plain: bool,
}

impl Property {
    /// The formula holds in every reachable state.
    pub fn invariant(name: Option<Arc<str>>, formula: Expr, span: Span) -> Property {
        Property { wording: Wording::Invariant(name), violated: Violated::When(formula, false), span }
    }

    /// The formula holds in no reachable state.
    pub fn never(name: Option<Arc<str>>, formula: Expr, span: Span) -> Property {
        Property { wording: Wording::Never(name), violated: Violated::When(formula, true), span }
    }

    /// No two threads can each take a step that accesses the region, one of them writing it.
    pub fn norace(name: Arc<str>, region: Region, span: Span) -> Property {
        let signs = vec![Sign::Writes(region.clone()), Sign::Accesses(region)];
        Property { wording: Wording::NoRace(name), violated: Violated::By(Pattern::Signs(signs)), span }
    }

    /// In no reachable state can no thread take a step although one of them is stuck.
    pub fn nodeadlock(span: Span) -> Property {
        Property { wording: Wording::NoDeadlock, violated: Violated::By(Pattern::Deadlock), span }
    }

    /// In no reachable state do threads wait for ever for each other's mutexes.
    pub fn nolockcycle(span: Span) -> Property {
        Property { wording: Wording::NoLockCycle, violated: Violated::By(Pattern::LockCycle), span }
    }

    /// No race, unless both accesses are atomic: two properties, by which of the two is not.
    pub fn norace_unless_atomic(name: Arc<str>, region: Region, span: Span) -> [Property; 2] {
        let plain = || Region { plain: true, ..region.clone() };
        let of = |signs: Vec<Sign>| {
            let violated = Violated::By(Pattern::Signs(signs));
            Property { wording: Wording::NoRace(name.clone()), violated, span }
        };
        [
            of(vec![Sign::Writes(plain()), Sign::Accesses(region.clone())]),
            of(vec![Sign::Writes(region.clone()), Sign::Accesses(plain())]),
        ]
    }

    /// The formula that violates it, and with which value.
    pub fn formula(&self) -> Option<(&Expr, bool)> {
        match &self.violated {
            Violated::When(formula, value) => Some((formula, *value)),
            Violated::By(_) => None,
        }
    }

    pub fn pattern(&self) -> Option<&Pattern> {
        match &self.violated {
            Violated::When(..) => None,
            Violated::By(pattern) => Some(pattern),
        }
    }
}

impl Wording {
    /// The name of an invariant or a `never`, or of what a `norace` is about; `nodeadlock` is its own name.
    pub fn name(&self) -> Option<&str> {
        match self {
            Wording::Invariant(name) | Wording::Never(name) => name.as_deref(),
            Wording::NoRace(name) => Some(name),
            Wording::NoDeadlock | Wording::NoLockCycle => Some("nodeadlock"),
        }
    }
}

impl Pattern {
    /// The signs that different threads show; the other patterns are of all threads, and have none.
    pub fn signs(&self) -> &[Sign] {
        match self {
            Pattern::Signs(signs) => signs,
            Pattern::Deadlock | Pattern::LockCycle => &[],
        }
    }

    /// Whether it matters who shows what, and what those show who have no part in it.
    pub fn is_of_all_threads(&self) -> bool {
        match self {
            Pattern::Signs(_) => false,
            Pattern::Deadlock | Pattern::LockCycle => true,
        }
    }
}

impl Sign {
    /// The variables that it is about.
    pub fn region(&self) -> &Region {
        match self {
            Sign::Accesses(region) | Sign::Writes(region) => region,
        }
    }
}

impl crate::Program {
    /// The pattern that an observation is for.
    pub(crate) fn observed(&self, observation: Observation) -> &Pattern {
        self.property(observation.property).pattern().expect("patterns are what is observed for")
    }

    /// The properties that are violated by formulas.
    pub fn formulas(&self) -> impl Iterator<Item = (PropertyId, &Expr, bool)> {
        let properties = self.properties.iter().zip(0..);
        properties.filter_map(|(property, id)| property.formula().map(|(e, value)| (PropertyId(id), e, value)))
    }

    /// The properties that are violated by patterns.
    pub fn patterns(&self) -> impl Iterator<Item = (PropertyId, &Pattern)> {
        let properties = self.properties.iter().zip(0..);
        properties.filter_map(|(property, id)| property.pattern().map(|pattern| (PropertyId(id), pattern)))
    }
}
