//! Reports in the formats of other programs: SARIF for code scanning, JUnit for test results, annotations for GitHub.
//!
//! All are made from the JSON of a report, what `threadwise check --format json` prints, for verdicts and for bad input alike. So
//! this crate knows no program and no engine, and what processes of their own have verified is put together here.

mod github;
mod junit;
mod report;
mod rules;
mod sarif;

pub use github::github;
pub use junit::junit;
pub use report::Checked;
pub use rules::{RULES, Rule};
pub use sarif::sarif;
