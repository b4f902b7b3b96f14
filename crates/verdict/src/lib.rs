//! The verdict on a program, which cannot be had without a judge.
//!
//! | verdict | made by | from |
//! |---|---|---|
//! | SAFE | [`Verdict::safe`] | a [`CheckedProof`], which only `check` makes |
//! | SAFE | [`Verdict::safe_by_exhaustion`] | an [`Exhausted`] claim: the one exception, see there |
//! | UNSAFE | [`Verdict::refuted`] | a [`ReplayedTrace`], which only `replay` makes |
//! | UNKNOWN | [`Verdict::unknown`] | a reason and advice |
//! | UNKNOWN | [`Verdict::internal_error`] | a claim that failed its judge, or an engine that broke down |
//!
//! To read one, `match` on [`Verdict`]: [`Safe::grounds`], [`Unsafe::trace`], [`Undecided::reason`],
//! [`Undecided::advice`], [`Undecided::is_internal_error`]. [`Verdict::word`] is the word that scripts see.
//!
//! The fields are private, so that an unchecked SAFE or UNSAFE does not compile:
//!
//! ```compile_fail
//! let verdict = threadwise_verdict::Verdict::Safe(threadwise_verdict::Safe { grounds: todo!() });
//! ```
//!
//! ```compile_fail
//! let proof: threadwise_evidence::Proof = todo!();
//! let verdict = threadwise_verdict::Verdict::safe(proof); // wants a `CheckedProof`
//! ```
//!
//! ```compile_fail
//! let trace: threadwise_evidence::Trace = todo!();
//! let verdict = threadwise_verdict::Verdict::refuted(trace); // wants a `ReplayedTrace`
//! ```
//!
//! ```compile_fail
//! let trace: threadwise_evidence::Trace = todo!();
//! let replayed = threadwise_replay::ReplayedTrace { trace, ..todo!() };
//! ```
//!
//! ```compile_fail
//! let checked = threadwise_check::CheckedProof { states: 1, ..todo!() };
//! ```

use threadwise_check::CheckedProof;
use threadwise_claims::{Advice, Exhausted, Unknown};
use threadwise_replay::ReplayedTrace;

/// What is known about a program, after judgement.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No reachable state is an error.
    Safe(Safe),
    /// An error is reachable.
    Unsafe(Unsafe),
    /// Neither is known.
    Unknown(Undecided),
}

/// A SAFE verdict and what it stands on.
#[derive(Clone, Debug)]
pub struct Safe {
    grounds: Grounds,
}

/// What a SAFE verdict stands on.
#[derive(Clone, Debug)]
pub enum Grounds {
    /// A proof that was checked from scratch.
    Proof(CheckedProof),
    /// The word of an exhaustive search.
    Exhaustion(Exhausted),
}

/// An UNSAFE verdict and the trace that shows it.
#[derive(Clone, Debug)]
pub struct Unsafe {
    trace: Box<ReplayedTrace>,
}

/// An UNKNOWN verdict: why, and what to do about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Undecided {
    reason: String,
    advice: Vec<Advice>,
    internal: bool,
}

impl Verdict {
    /// SAFE, by a proof that was checked.
    pub fn safe(proof: CheckedProof) -> Verdict {
        Verdict::Safe(Safe { grounds: Grounds::Proof(proof) })
    }

    /// SAFE, by the word of an exhaustive search.
    ///
    /// This is the one verdict that no judge stands behind: to check it would be to search again,
    /// and to write all states down costs memory that the search itself can do without. Ask for a
    /// proof where that price is worth paying.
    pub fn safe_by_exhaustion(exhausted: Exhausted) -> Verdict {
        Verdict::Safe(Safe { grounds: Grounds::Exhaustion(exhausted) })
    }

    /// UNSAFE, by a trace that was replayed.
    pub fn refuted(trace: ReplayedTrace) -> Verdict {
        Verdict::Unsafe(Unsafe { trace: Box::new(trace) })
    }

    /// UNKNOWN, for a reason that the user can do something about. Gaps in what the engine says
    /// are filled, so that there is always a reason and at least one piece of advice.
    pub fn unknown(unknown: Unknown) -> Verdict {
        let Unknown { mut reason, mut advice } = unknown;
        if reason.is_empty() {
            reason = "the engine gave up without saying why".to_string();
        }
        if advice.is_empty() {
            advice.push(Advice::SmallerProgram);
        }
        Verdict::Unknown(Undecided { reason, advice, internal: false })
    }

    /// UNKNOWN, because Threadwise itself is at fault.
    pub fn internal_error(what: impl Into<String>) -> Verdict {
        Verdict::Unknown(Undecided {
            reason: format!("internal error: {}", what.into()),
            advice: vec![Advice::ReportBug],
            internal: true,
        })
    }

    /// `safe`, `unsafe` or `unknown`.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Safe(_) => "safe",
            Verdict::Unsafe(_) => "unsafe",
            Verdict::Unknown(_) => "unknown",
        }
    }

    /// Whether Threadwise itself is at fault.
    pub fn is_internal_error(&self) -> bool {
        matches!(self, Verdict::Unknown(undecided) if undecided.internal)
    }
}

impl Safe {
    /// What the verdict stands on.
    pub fn grounds(&self) -> &Grounds {
        &self.grounds
    }

    /// The number of states: of the proof, or of the search.
    pub fn states(&self) -> u64 {
        match &self.grounds {
            Grounds::Proof(proof) => proof.states(),
            Grounds::Exhaustion(exhausted) => exhausted.states,
        }
    }
}

impl Unsafe {
    /// The confirmed trace; it also gives the instance that it runs on.
    pub fn trace(&self) -> &ReplayedTrace {
        &self.trace
    }
}

impl Undecided {
    /// Why, in one line.
    pub fn summary(&self) -> &str {
        self.reason.lines().next().unwrap_or_default().trim_end_matches(':')
    }

    /// The further lines of the reason.
    pub fn details(&self) -> impl Iterator<Item = &str> {
        self.reason.lines().skip(1)
    }

    /// Why there is no answer; never empty.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// What the user can do about it; never empty.
    pub fn advice(&self) -> &[Advice] {
        &self.advice
    }

    /// Whether Threadwise itself is at fault.
    pub fn is_internal_error(&self) -> bool {
        self.internal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_always_has_a_reason_and_advice() {
        let Verdict::Unknown(silent) = Verdict::unknown(Unknown { reason: String::new(), advice: Vec::new() }) else {
            panic!("unknown")
        };
        assert!(!silent.reason().is_empty() && !silent.advice().is_empty());
        assert!(!silent.is_internal_error());
    }

    #[test]
    fn internal_errors_are_unknown_and_ask_for_a_report() {
        let verdict = Verdict::internal_error("the engine broke down");
        assert!(verdict.is_internal_error());
        assert_eq!(verdict.word(), "unknown");
        let Verdict::Unknown(undecided) = verdict else { panic!("unknown") };
        assert_eq!(undecided.reason(), "internal error: the engine broke down");
        assert_eq!(undecided.advice(), [Advice::ReportBug]);
    }
}
