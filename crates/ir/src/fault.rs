//! How evaluation can fail to give a value.

use threadwise_source::Span;

/// An error of the program that evaluation met.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Fault {
    /// A value outside its type's range was stored.
    Range,
    /// An array was indexed outside its keys.
    Index,
    /// A division by zero.
    Division,
    /// A shift by a negative count.
    Shift,
}

/// Why the semantics cannot tell all successors of a state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Gap {
    /// A number left the 64 bits that the explicit semantics computes with.
    Overflow(Span),
    /// A step has infinitely many outcomes; only some were tried.
    Unbounded(Span),
    /// A step has too many outcomes to list; only some were tried.
    TooMany(Span),
    /// The program leaves what the lowering of its language covers.
    Beyond(Span),
    /// Whoever waited for an answer wants it no more; see [`crate::patience`].
    Interrupted(Span),
}

impl Gap {
    /// Where it happened.
    pub fn span(self) -> Span {
        match self {
            Gap::Overflow(span)
            | Gap::Unbounded(span)
            | Gap::TooMany(span)
            | Gap::Beyond(span)
            | Gap::Interrupted(span) => span,
        }
    }

    /// What to tell the user.
    pub fn describe(self) -> &'static str {
        match self {
            Gap::Overflow(_) => "a number outgrew 64 bits",
            Gap::Unbounded(_) => "a step may choose among all integers, of which only a few were tried",
            Gap::TooMany(_) => "a step has too many outcomes to try them all",
            Gap::Beyond(_) => "the program goes beyond what is kept apart or supported",
            Gap::Interrupted(_) => "interrupted",
        }
    }
}

/// Why an expression has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoValue {
    /// An error of the program.
    Fault(Fault, Span),
    /// The semantics does not know.
    Gap(Gap),
}
