use crate::{CoverabilityProof, Folding, HierarchyProof, ProtectionProof, ScheduleProof};
use threadwise_ir::{AnyCopies, Fault, Path, Point, PropertyId, State, StepError, Store, TemplateId, ThreadId};
use threadwise_source::Span;

/// Why a program is safe.
#[derive(Clone, Debug)]
pub enum Proof {
    /// All reachable states.
    Reachable(ReachableSet),
    /// What each thread's states can be, against what the others do.
    Modular(ModularProof),
    /// Sets of thread states that lead from one to the next.
    Frontier(FrontierProof),
    /// A set of states as unions of products.
    Cartesian(CartesianProof),
    /// Threads that conform to abstract threads, and a proof for these.
    Conformance(ConformanceProof),
    /// What holds where threads are, and what the others may do meanwhile, as formulas.
    Formulas(FormulaProof),
    /// Which locks threads hold, and who runs meanwhile.
    Protection(ProtectionProof),
    /// The order in which threads take locks, and why everything else is well.
    Hierarchy(HierarchyProof),
    /// What a few threads do, and what any number of copies do beside them.
    Coverability(CoverabilityProof),
    /// Schedules that stand for all executions, and what holds along them.
    Schedules(ScheduleProof),
}

impl Proof {
    /// Whether it looks at each thread on its own, against what the others may do.
    pub fn is_modular(&self) -> bool {
        match self {
            Proof::Modular(_) | Proof::Frontier(_) | Proof::Protection(_) => true,
            Proof::Hierarchy(proof) => proof.rest.as_deref().is_none_or(Proof::is_modular),
            Proof::Cartesian(proof) => proof.is_modular(),
            Proof::Formulas(proof) => proof.is_modular(),
            Proof::Reachable(_) | Proof::Conformance(_) | Proof::Coverability(_) | Proof::Schedules(_) => false,
        }
    }
}

/// A set of states: for each shared store a union of products of sets of local states (CART,
/// section 2.2).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CartesianProof {
    /// The templates whose copies may be permuted: with a product, all products that differ from it
    /// by a permutation of copies are meant.
    pub symmetric: Vec<TemplateId>,
    /// For each template the local states that occur.
    pub locals: Vec<Vec<Store>>,
    /// The sets that occur as components: sorted indices into the local states of the template whose
    /// component it is.
    pub sets: Vec<Vec<u32>>,
    /// The shared stores that occur, sorted, each with its products.
    pub unions: Vec<(Store, Vec<Product>)>,
    /// Where each of the states is to be found that must be among them.
    pub coverings: Coverings,
}

impl CartesianProof {
    /// Whether it needs no exceptions: then the products' components are what each thread's states can
    /// be, whatever the others do.
    pub fn is_modular(&self) -> bool {
        !self.unions.iter().flat_map(|(_, products)| products).any(|product| product.exception)
    }
}

/// A product of sets of local states, one set for each thread.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Product {
    /// Whether it was kept apart from the Cartesian abstraction.
    pub exception: bool,
    /// The components in the order of the threads, as runs: this many threads, of one template, have
    /// the set with this index.
    pub components: Vec<(u32, u32)>,
}

/// Which products have the initial states, and which those that steps lead to. Shared stores are meant by their index
/// among the unions. Products are numbered by shared store: first those of its union, then its lemmas.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Coverings {
    /// For each initial shared store what has the threads' starts.
    pub initial: Vec<(u32, Containment)>,
    /// Further products that are within the unions, each because of products before it.
    pub lemmas: Vec<Lemma>,
    /// Sorted by product, the shared store after the step, and thread.
    pub steps: Vec<StepCovering>,
}

/// A product is within another one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Containment {
    /// The other one's number.
    pub product: u32,
    /// How the threads are to be put in order first: runs of them, each with its first thread and how many there are.
    /// Nothing, if they are to stay as they are.
    pub order: Vec<(u32, u32)>,
}

/// A product of which some states are in one product and all others in another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lemma {
    /// The shared store.
    pub store: u32,
    /// As of a [`Product`].
    pub components: Vec<(u32, u32)>,
    /// The states with this thread in the set are inside, the others are outside.
    pub thread: u32,
    pub set: u32,
    pub inside: Containment,
    pub outside: Containment,
}

/// What has the states to which steps of some threads lead from a product, where that is not the product itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StepCovering {
    /// The shared store before, and the number of the product.
    pub from: (u32, u32),
    /// The shared store after.
    pub to: u32,
    /// The first of these threads, and how many there are. Of a run of copies that may be permuted only the first thread counts.
    pub threads: (u32, u32),
    pub within: Containment,
}

/// Each specified thread conforms to its abstract thread, and the abstract threads together are safe.
#[derive(Clone, Debug)]
pub struct ConformanceProof {
    /// Why the threads conform.
    pub threads: Vec<Conformance>,
    /// Why the program with the abstract threads in their places is safe.
    pub composition: Box<Proof>,
}

/// A thread that conforms to its abstract thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conformance {
    /// The thread; where there may be any number of copies of a thread, there is one.
    pub thread: ThreadId,
    /// Why it conforms.
    pub simulation: Simulation,
}

/// Where an abstract thread can be while its thread runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Simulation {
    /// For each local state, sets of nodes such that one of them has only nodes in which the abstract
    /// thread can be. A set is a word with a bit for each node.
    Candidates(Vec<(Store, Vec<u64>)>),
    /// For each point of the thread an assertion on its locals and on the set of candidates: a formula
    /// over the leaves of the locals of all frames, outermost first, and then a truth value for each
    /// node.
    Assertions(Vec<PointFormula>),
}

/// What holds at a point of a thread. The formula is in the language of SMT-LIB; what it speaks of has the names that it
/// has in the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PointFormula {
    pub point: Point,
    pub formula: String,
    /// The same for people, if there is more to say than the formula does. Nobody judges it.
    pub words: String,
    /// Whether it was found and not written by the user.
    pub inferred: bool,
}

impl PointFormula {
    /// A formula that speaks for itself.
    pub fn new(point: Point, formula: String) -> PointFormula {
        PointFormula { point, formula, words: String::new(), inferred: true }
    }
}

impl Simulation {
    /// How many sets of candidates or assertions it lists.
    pub fn size(&self) -> u64 {
        match self {
            Simulation::Candidates(states) => states.iter().map(|(_, sets)| sets.len() as u64).sum(),
            Simulation::Assertions(points) => points.len() as u64,
        }
    }
}

/// What holds at points of threads, and what bounds the others' steps there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormulaProof {
    pub scope: Scope,
    /// One for each template or thread.
    pub parts: Vec<ThreadFormulas>,
}

/// Whom the parts of a proof by formulas are about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Each is about any copy of a template, however many there are. A formula speaks of `self`, the shared variables, and
    /// at points of the locals of all frames. Primes stand for values after a step; at a point inside a step, for those
    /// before it.
    Templates,
    /// Each is about a thread. A formula speaks of the shared variables and of each thread's control and locals: `P@` is
    /// the number of the point of `P` among those listed for it.
    Threads,
    /// The same, but at points a formula speaks of no other thread's control and locals, and a bound of none at all.
    ThreadsAlone,
}

impl FormulaProof {
    /// Whether it looks at each thread on its own, against a bound of what the others may do.
    pub fn is_modular(&self) -> bool {
        self.scope != Scope::Threads && self.parts.iter().all(|part| part.environment.is_some())
    }
}

/// What holds of a thread, or of any copy of a template.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ThreadFormulas {
    /// Where these are said, they are all that is known. Code between such points has no loops.
    pub points: Vec<PointFormula>,
    /// What holds at points beside that.
    pub remarks: Vec<PointFormula>,
    /// Every step of another thread that changes a shared variable is one of these. Without them: the others do what
    /// their own formulas admit.
    pub environment: Option<Vec<EnvironmentTransition>>,
    /// Every such step of this thread is one of these, which are among the others' environments: what there is between the two.
    pub guarantee: Option<String>,
    /// So many steps in a row of the environment cover any number of them. With 0, the thread rests only at points of which
    /// something is said, and what is said there survives each step of the environment.
    pub closure: u32,
}

/// Steps that other threads may take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EnvironmentTransition {
    /// Whose steps, if they are somebody's.
    pub by: Option<ThreadId>,
    /// A relation between the variables before and after the step.
    pub formula: String,
}

/// An Owicki-Gries annotation of each thread, for each number of copies that has to be looked at.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ModularProof {
    /// One annotation for each combination of numbers of copies.
    pub cases: Vec<Annotation>,
}

/// What the states of each thread can be.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Annotation {
    /// How many copies of each template it speaks of.
    pub copies: Vec<u32>,
    /// For each template what the states of its first copy can be; empty for one without copies.
    pub threads: Vec<ThreadAnnotation>,
}

/// What the states of a thread can be. With each shared store, those that differ from it by a
/// permutation of other threads' copies, and of the other copies of this thread, are meant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ThreadAnnotation {
    /// In a program without recursion just one, with whole local states. In a recursive one the
    /// first is for the thread's own code and the others for calls, and local states are reduced
    /// to the running frame.
    pub contexts: Vec<Context>,
}

/// What the states of a thread can be while it is in its own code or in certain calls.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Context {
    /// From where it is called: a context, and the caller's frame. Empty for the thread's own code.
    pub callers: Vec<(u32, Store)>,
    /// The states, by shared store.
    pub states: StatesByStore,
}

/// States of a thread: shared stores, each with local states of the thread that go with it.
pub type StatesByStore = Vec<(Store, Vec<Store>)>;

/// A sequence of tuples of sets of thread states: the first has the initial states, each has the
/// steps of the one before, and all steps of the last are in some of them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FrontierProof {
    /// The tuples; for each thread of the program its states, by shared store.
    pub iterates: Vec<Vec<StatesByStore>>,
}

/// A set of states that contains the initial ones, is closed under steps and free of errors.
/// States are tuples of indices: the shared store, then each thread's local state.
#[derive(Clone, Debug, Default)]
pub struct ReachableSet {
    /// The templates whose copies may be permuted: with a state, all states that differ from it by
    /// a permutation of copies are meant.
    pub symmetric: Vec<TemplateId>,
    /// At which points no state stands.
    pub folding: Folding,
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
    pub any_copies: AnyCopies,
    /// Where it starts; `None` if even the initial values are in error.
    pub initial: Option<State>,
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
        span: Span,
    },
}
