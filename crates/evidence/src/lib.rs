//! What engines hand over to judges: proofs and traces, as data.
//!
//! * [`Proof`], [`Trace`], [`Violation`]: the data. Whether proofs and stores fit a program at all is
//!   for their `validate` to say, with a [`FileError`] that tells what does not.
//! * [`show_value`], [`show_shared`], [`show_local`], [`show_state`]: values as text for people.
//! * [`edge_text`], [`step_words`], [`follow`]: steps as text, and what they look at on their way.
//! * [`violation_info`], [`step_span`]: the facts about a violation that all outputs share.
//!
//! Nothing here knows how evidence is found or judged, or what files of it look like.

mod annotation;
mod cartesian;
mod change;
mod coverability;
mod error;
mod folding;
mod hierarchy;
mod path;
mod points;
mod proof;
mod protection;
mod reachable;
mod schedules;
mod show;
mod stores;
mod telling;
mod text;
mod violation;

pub use annotation::instance_of_case;
pub use change::ModularChange;
pub use coverability::{Bounded, Core, CoverabilityProof};
pub use error::{FileError, MAX_ANY_COPIES};
pub use folding::Folding;
pub use hierarchy::{HierarchyProof, OrderedLock};
pub use path::follow;
pub use points::{conformance_instance, specification};
pub use proof::{
    Annotation, CartesianProof, Conformance, ConformanceProof, Containment, Context, Coverings, EnvironmentTransition,
    FormulaProof, FrontierProof, Lemma, ModularProof, PointFormula, Product, Proof, ReachableSet, Scope, Simulation,
    StatesByStore, StepCovering, ThreadAnnotation, ThreadFormulas, Trace, TraceStep, Violation,
};
pub use protection::{CodeFacts, ENDED, Element, Fact, Key, Lock, ProtectionProof, RUNS};
pub use schedules::{Precedence, ScheduleNode, ScheduleProof, ScheduledMove};
pub use show::{scalar_name, set_elements, show_local, show_shared, show_state, show_value};
pub use stores::{frame_layout, routine_at, shared_layout, validate_local, validate_shared};
pub use telling::{
    StepWords, for_each_shown, position, show_typed, shown_local, shown_shared, step_words, with_names_of_threads,
};
pub use text::edge_text;
pub use violation::{ViolationInfo, error_kind, fault_kind, step_span, violation_info};
