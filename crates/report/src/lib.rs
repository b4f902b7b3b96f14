//! Verdicts as text for people and as JSON for programs.
//!
//! ```text
//! let report = Report { program, verdict, engine, modular, proof, stats, seconds, peak_memory_bytes, .. };
//! human(&report, &Layout { width: Some(100), color: true, whole: false })   // what `check` prints
//! json(&report)                                                             // the same for scripts
//! ```
//!
//! A verdict comes from the `verdict` crate and so has passed its judge; this crate only finds the
//! words. It knows no engine, and it never reads or writes a file.

mod annotation;
mod brief;
mod changes;
mod conformance;
mod contracts;
mod cover;
mod cubes;
mod diagnostics;
mod environment;
mod facts;
mod formula;
mod guarantee;
mod hierarchy;
mod human;
mod infix;
mod invariant;
mod json;
mod known;
mod lanes;
mod list;
mod modular;
mod numbers;
mod products;
mod protection;
mod race;
mod reachable;
mod safe;
mod screen;
mod seen;
mod simple;
mod sources;
mod statement;
mod style;
mod term;
mod threads;
mod trace;
mod uses;
mod view;
mod violation;
mod waiting;
mod walk;

pub use changes::Change;
pub use diagnostics::{DiagnosticJson, ErrorJson, PlaceJson, RelatedJson, diagnostic_json};
pub use human::{Layout, PropertyAnswer, Report, headline, how_proved, human, reason, render_steps, render_trace};
pub use json::{ReportJson, StatsJson, json, json_without_trace, to_text, unknown_json};
pub use known::{Known, known};
pub use modular::render_proof;
pub use numbers::{show_bytes, show_count, show_seconds};
pub use race::Racer;
pub use safe::{MemoryModel, proved};
pub use seen::{Looker, Seen, SeenVariable, SeenWait};
pub use sources::{SourceText, Spot, source_texts, spot};
pub use statement::Statement;
pub use style::{Palette, Tone};
pub use trace::{StepText, TraceText, execution_text, step_text, trace_text};
pub use violation::{Explanation, explain};
pub use waiting::{Held, Standstill, Waiter};
pub use walk::{Ending, Moment, Side, Variable, Waiting, Walk, WalkStep, walk};
