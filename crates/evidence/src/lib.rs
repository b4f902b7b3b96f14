//! What engines hand over: claims with their proofs and traces, as data, and their file formats.
//!
//! * [`Claim`], [`Proof`], [`Trace`], [`Violation`], [`Stats`]: the data.
//! * [`show_value`], [`show_shared`], [`show_local`], [`show_state`]: values as text for people.
//! * [`trace_steps_json`], [`initial_json`], [`violation_json`]: what JSON output says of a trace;
//!   [`violation_info`], [`step_span`], [`step_text`]: the same facts for other outputs.
//! * [`write_trace`], [`TraceFile`] and [`write_proof`], [`ProofFile`]: files. Whatever is in a
//!   file, reading it gives evidence that fits the program or a [`FileError`]; it never panics.
//!
//! Nothing here knows how evidence is found or judged.

mod annotation;
mod assertion_file;
mod cartesian;
mod cartesian_file;
mod claim;
mod conformance_file;
mod contracts_file;
mod environment_file;
mod execution;
mod expr_file;
mod file;
mod folding;
mod frontier_file;
mod modular_file;
mod proof_file;
mod reachable;
mod reachable_file;
mod rows;
mod show;
mod stores;
mod trace_file;
mod trace_json;
mod value;

pub use claim::{
    Annotation, AssertionProof, CartesianProof, Claim, Conformance, ConformanceProof, Context, ContractsProof,
    EnvironmentProof, EnvironmentTransition, Exhausted, FrontierProof, ModularProof, PointAssertion, PointFormula,
    Product, Proof, ReachAssertion, ReachableSet, Simulation, StatesByStore, Stats, ThreadAnnotation, ThreadContract,
    ThreadEnvironment, Trace, TraceStep, Unknown, Violation,
};
pub use conformance_file::conformance_instance;
pub use expr_file::{decode_expr, expr_json};
pub use file::{FileError, Header, MAX_ANY_COPIES};
pub use folding::Folding;
pub use proof_file::{ProofFile, write_proof};
pub use show::{show_local, show_shared, show_state, show_value};
pub use stores::{local_json, shared_json, validate_local, validate_shared, variables_json};
pub use trace_file::{TraceFile, write_trace};
pub use trace_json::{
    ViolationInfo, initial_json, step_span, step_text, thread_and_copy, trace_steps_json, violation_info,
    violation_json,
};
pub use value::{decode_value, encode_value};
