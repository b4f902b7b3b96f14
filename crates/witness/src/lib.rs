//! Witnesses of verification results, as tools exchange them: YAML files that say along which execution a program goes wrong, or
//! which invariants show that it does not. They speak of the text of a C program and of nothing else.
//!
//! `format` is what a file says, `read` and `write` are its YAML, `lint` its rules. `violation` makes a sequence of waypoints
//! of a trace (`course` says what happens on the way), and `follow` finds a trace from such a sequence. `instrument`
//! makes a program that checks the invariants of a witness. `invariants` says in C what a proof says of states (`known`) or in formulas
//! (`formula`).

mod course;
mod expression;
mod follow;
mod format;
mod formula;
mod instrument;
mod invariants;
mod known;
mod lint;
mod metadata;
mod places;
mod read;
mod violation;
mod write;

pub use course::Ground;
pub use follow::{Followed, Guide};
pub use format::{
    Content, Entry, GhostUpdate, GhostVariable, Ghosts, Invariant, Location, Metadata, Task, Waypoint, WaypointKind,
    Witness,
};
pub use instrument::{Instrumented, instrumented};
pub use invariants::invariants;
pub use lint::lint;
pub use metadata::{Subject, property_of, sha256, specification, witness};
pub use read::{Unreadable, from_yaml};
pub use violation::violation_sequence;
pub use write::to_yaml;
