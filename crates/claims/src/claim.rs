use crate::Advice;
use threadwise_evidence::{Proof, Trace};
use threadwise_ir::{Gap, LocationId, Program};
use threadwise_limits::Limit;
use threadwise_source::{Diagnostic, Span};

/// What an engine says about a program. It is not a verdict before it has been judged.
#[derive(Clone, Debug)]
pub enum Claim {
    /// No reachable state is an error, and here is why.
    Proved(Proof),
    /// No reachable state is an error: an exhaustive search visited all of them. No proof was asked for.
    Exhausted(Exhausted),
    /// An error is reachable, and here is how.
    Refuted(Trace),
    /// Neither.
    Unknown(Unknown),
    /// What the program says about itself is wrong, so that there is nothing to check.
    Rejected(Diagnostic),
}

/// What an exhaustive search visited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exhausted {
    /// The number of states; of orbits, where symmetry was used.
    pub states: u64,
    /// Steps were left out whose order against those of other threads does not matter, so that not all states were visited.
    pub reduced: bool,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unknown {
    /// What the engine ran into, in a few words.
    pub reason: String,
    /// What the user can do about it.
    pub advice: Vec<Advice>,
}

impl Unknown {
    /// A limit was met.
    pub fn at_limit(limit: Limit) -> Unknown {
        Unknown { reason: limit.to_string(), advice: limit_advice(limit).into_iter().collect() }
    }

    /// The semantics of a program does not know everything.
    pub fn from_gap(program: &Program, gap: Gap) -> Unknown {
        let place = program.source.locate(gap.span());
        Unknown { reason: format!("{} at {place}", gap.describe()), advice: vec![gap_advice(gap)] }
    }
}

fn gap_advice(gap: Gap) -> Advice {
    match gap {
        // A range would be a guess, and make a right program wrong; engines that work with formulas do without one.
        Gap::Overflow(_) | Gap::Unbounded(_) => Advice::UseAuto,
        Gap::TooMany(_) => Advice::SmallerSteps,
        Gap::Beyond(_) => Advice::MoreObjects,
        Gap::Interrupted(_) => Advice::LetItFinish,
    }
}

fn limit_advice(limit: Limit) -> Option<Advice> {
    match limit {
        Limit::Time(_) | Limit::Turn => Some(Advice::MoreTime { seconds: None }),
        Limit::CpuTime(_) => Some(Advice::MoreCpuTime { seconds: None }),
        Limit::Memory(_) => Some(Advice::MoreMemory { mib: None }),
        Limit::OutOfMemory => Some(Advice::MachineWithMoreMemory),
        Limit::Interrupted => None,
    }
}

/// What is known about a run beside its claim.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Numbers, in the order they should be shown.
    pub numbers: Vec<(&'static str, u64)>,
    /// For each edge of the program how often it was taken, where an engine knows all that can be taken: one that was
    /// not is taken in no execution. Engines that do not count say one for any number.
    pub taken: Option<Vec<u64>>,
    /// For each edge of the program how many steps from the states that were searched take it, if that was to be counted.
    pub covered: Option<Vec<u64>>,
    /// Where a thread is stuck in a state in which no thread can take a step, if a search came across one and was not to
    /// look for them.
    pub stuck: Option<LocationId>,
}

impl Stats {
    pub fn of(numbers: Vec<(&'static str, u64)>) -> Stats {
        Stats { numbers, ..Stats::default() }
    }
}

/// What came of one engine, in a run that may have had several.
#[derive(Clone, PartialEq, Debug)]
pub struct Attempt {
    pub engine: &'static str,
    /// `safe`, `unsafe` or `unknown`.
    pub verdict: &'static str,
    /// Why nothing is known, in one line.
    pub reason: Option<String>,
    /// How long it took.
    pub seconds: f64,
}

/// A statement that no execution gets past, so that a SAFE verdict says nothing about it and what follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unreached {
    pub span: Span,
    /// Some execution gets there.
    pub is_stuck: bool,
}
