//! A transition system as it is written.

use threadwise_source::Span;

/// A name and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// Where a state is expected: `A`, `{A B}` or `*`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum States {
    /// `*`: every state; on the right of an arrow, the state before the step.
    Any(Span),
    /// One of these.
    OneOf(Vec<Name>),
}

/// `000 A -> 100 B`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transition {
    /// The shared and the local state before the step.
    pub from: (States, States),
    /// The shared and the local state after the step.
    pub to: (States, States),
    /// The whole line without its comment.
    pub span: Span,
}

/// `thread P` or `thread W[3]`, and the transitions below it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thread {
    pub name: Name,
    /// How many copies there are; none is one thread without brackets.
    pub copies: Option<u32>,
    /// What it can do.
    pub transitions: Vec<Transition>,
}

/// `000 A A`: program states, as a shared state and a local state of each thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    pub shared: States,
    /// The local states, each with how many threads in a row it is for (`A^3`).
    pub locals: Vec<(States, u32)>,
    /// The whole line without its comment.
    pub span: Span,
}

/// A whole file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct System {
    /// The shared states that are declared; all that are used, where there is no declaration.
    pub shared: Option<Vec<Name>>,
    /// The threads in order.
    pub threads: Vec<Thread>,
    pub init: Vec<Pattern>,
    pub errors: Vec<Pattern>,
    /// The states that an abstraction should keep as they are.
    pub exceptions: Vec<Pattern>,
}

impl Thread {
    /// How many threads it stands for.
    pub fn number(&self) -> u32 {
        self.copies.unwrap_or(1)
    }
}
