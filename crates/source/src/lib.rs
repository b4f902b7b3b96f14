//! Source files, positions in them, and diagnostics that point at them, as data.
//!
//! Every room that speaks to the user about the program speaks in spans of a [`SourceMap`], which holds
//! one file or many. This crate knows nothing about any language.

mod diagnostic;
mod file;
mod map;
mod markers;

pub use diagnostic::{Diagnostic, Severity};
pub use file::{Position, SourceFile, Span};
pub use map::{SourceMap, View};
