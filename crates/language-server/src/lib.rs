//! A language server: what editors ask while a program is written, and verdicts when it is saved.
//!
//! ```text
//! let (connection, threads) = lsp_server::Connection::stdio();
//! serve(connection, Arc::new(verifier))?;      // until the client says `exit`
//! ```
//!
//! * Requests are answered from the text alone (`names`, `hover`, `completion`, `symbols`, `tokens`, `layout`).
//! * Names and types are checked a moment after the last change, one check at a time for each document (`analysis`).
//! * Verdicts come from a [`Verifier`] when a file is saved, one run at a time, with a time limit and a way to cancel (`runs`).
//!   What they say is kept with the text that they are about, and moves with its lines while that is edited (`findings`).
//!
//! It knows no engine: the verifier hands over the report that `check --format json` prints.

mod analysis;
mod capabilities;
mod completion;
mod document;
mod findings;
mod hover;
mod layout;
mod lsp;
mod messages;
mod names;
mod places;
mod runs;
mod server;
mod settings;
mod symbols;
mod text;
mod tokens;

pub use server::serve;
pub use settings::Settings;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Who verifies files.
pub trait Verifier: Send + Sync {
    /// Verifies a file; ends soon after `stop` is set.
    fn verify(&self, file: &Path, settings: &Settings, stop: &AtomicBool) -> Verified;
}

/// What came of a file.
#[derive(Clone, Debug, Default)]
pub struct Verified {
    /// The report, as `check --format json` prints it; null if there is none.
    pub report: Value,
    /// The report as a page for browsers.
    pub page: Option<PathBuf>,
    /// What was said where there is no report.
    pub complaint: String,
}
