//! Picks engines, runs them, has their claims judged, and makes the verdict.
//!
//! ```text
//! let engine: EngineChoice = "auto".parse()?;            // or "explicit"; the error lists what there is
//! let request = Request { engine, ..Request::default() };  // request.options: each engine has its own
//! let outcome: Outcome = verify(&program, &request, &budget);
//! match &outcome.verdict {
//!     Verdict::Safe(safe)       => safe.grounds(), outcome.modular, outcome.proof (if wanted)
//!     Verdict::Unsafe(found)    => found.trace().trace(), found.trace().instance()
//!     Verdict::Unknown(unknown) => unknown.reason(), unknown.advice(), unknown.is_internal_error()
//! }
//! outcome.engine, outcome.chosen                         // who did it, and why `auto` says so
//! outcome.stats, outcome.notes                           // numbers, what else to tell
//! engines()                                              // all engines, for `compare` and for help
//! ```
//!
//! The only way from an engine's claim to a verdict is [`verify`]: a proof goes through `check`, a
//! trace through `replay`. A claim that fails its judge, and an engine that panics, become internal
//! errors. This crate knows how engines are called; it does not know how they work.

mod again;
mod conformance;
mod engine;
mod judge;
mod name;
mod notes;
mod options;
mod plan;
mod race;
mod ranges;
mod registry;
mod tautology;
mod unreached;
mod verify;
mod waiting;

pub use again::{Earlier, KEPT, keep, verify_again};
pub use engine::Engine;
pub use name::{EngineChoice, EngineName, UnknownEngine};
pub use notes::{Note, Story};
pub use options::{
    Bias, CartesianOptions, ContractsOptions, EngineOptions, ExceptionsKind, ExplicitOptions, ExtractKind, Horn,
    ModularOptions, PredicatesOptions, RefineKind, SearchKind,
};
pub use registry::engines;
pub use threadwise_engine_predicates::horn_clauses;
pub use verify::{Outcome, Request, verify};
