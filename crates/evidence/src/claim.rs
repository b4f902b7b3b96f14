use threadwise_ir::{Fault, Path, PropertyId, State, StepError, Store, TemplateId, ThreadId};
use threadwise_source::Span;

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
}

/// What an exhaustive search visited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exhausted {
    /// The number of states; of orbits, where symmetry was used.
    pub states: u64,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unknown {
    /// What the engine ran into, in a few words.
    pub reason: String,
    /// What the user can do about it.
    pub advice: Vec<String>,
}

/// Why a program is safe.
#[derive(Clone, Debug)]
pub enum Proof {
    /// All reachable states.
    Reachable(ReachableSet),
}

/// A set of states that contains the initial ones, is closed under steps and free of errors.
/// States are tuples of indices: the shared store, then each thread's local state.
#[derive(Clone, Debug, Default)]
pub struct ReachableSet {
    /// The templates whose copies may be permuted: with a state, all states that differ from it by
    /// a permutation of copies are meant.
    pub symmetric: Vec<TemplateId>,
    /// The shared stores that occur.
    pub shared: Vec<Store>,
    /// For each template the local states that occur.
    pub locals: Vec<Vec<Store>>,
    /// The states one after the other, `1 + threads` indices each.
    pub states: Vec<u32>,
}

/// An execution that ends in an error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// How many copies each thread declared with `[*]` has in it.
    pub any_copies: u32,
    /// Where it starts; `None` if even the initial values are in error.
    pub initial: Option<State>,
    /// Its steps.
    pub steps: Vec<TraceStep>,
    /// The error in its last state.
    pub violation: Violation,
}

/// A step of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceStep {
    /// Who takes it.
    pub thread: ThreadId,
    /// The edges it takes.
    pub path: Path,
    /// The shared store after it.
    pub shared: Store,
    /// The thread's local state after it.
    pub local: Store,
}

/// An error in a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Violation {
    /// The thread's next step can go wrong.
    Step {
        /// Whose step.
        thread: ThreadId,
        /// The edges of the step; the last one goes wrong.
        path: Path,
        /// What goes wrong.
        error: StepError,
        /// Where it goes wrong.
        span: Span,
    },
    /// The state violates a property.
    Property(PropertyId),
    /// Evaluating a property in the state runs into an error.
    PropertyFault(PropertyId, Fault, Span),
    /// The initial value of a shared variable, or an `init`, runs into an error.
    Initial(Fault, Span),
    /// A declaration at the start of a thread runs into an error.
    Start {
        /// Whose.
        thread: ThreadId,
        /// What goes wrong.
        error: StepError,
        /// Where.
        span: Span,
    },
}

/// Numbers about a run, in the order they should be shown.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stats(pub Vec<(&'static str, u64)>);
