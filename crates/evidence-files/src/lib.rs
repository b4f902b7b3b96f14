//! Evidence in files.
//!
//! * [`write_trace`], [`TraceFile`] and [`write_proof`], [`ProofFile`]: files. Whatever is in a
//!   file, reading it gives evidence that fits the program or a `FileError`; it never panics.
//! * [`trace_steps_json`], [`initial_json`], [`violation_json`]: what JSON output says of a trace.
//!
//! Nobody has to trust what is here: what is read is judged.

mod cartesian;
mod conformance;
mod coverability;
mod file;
mod formulas;
mod frontier;
mod hierarchy;
mod modular;
mod proof;
mod protection;
mod reachable;
mod rows;
mod schedules;
mod stores;
mod trace;
mod trace_json;
mod value;

pub use file::{CopiesInFile, Header};
pub use proof::{ProofFile, write_proof};
pub use stores::{local_json, shared_json, variables_json};
pub use trace::{TraceFile, write_trace};
pub use trace_json::{initial_json, step_text, thread_and_copy, trace_steps_json, violation_json};
pub use value::{decode_value, encode_value};
