//! What `audit` and `replay` report.

use crate::args::Format;
use crate::console::{Console, palette, print};
use crate::defines::Defines;
use crate::exit::{Exit, Job};
use serde::Serialize;
use threadwise_report::{Tone, to_text};

/// The judgement on a piece of evidence.
#[derive(Debug, Serialize)]
pub struct Judgement {
    /// `confirmed`, `refuted` or `unknown`.
    pub verdict: &'static str,
    /// `proof`, `trace` or `witness`.
    pub evidence: &'static str,
    /// Why it was refuted, or why nobody knows.
    pub reason: Option<String>,
    /// How many states the proof has, or how many steps the trace.
    pub size: Option<u64>,
    /// The constants that the evidence was made with, where they are not those in the file.
    pub defines: Defines,
    /// How long it took.
    pub seconds: f64,
    /// The version of Threadwise.
    pub version: &'static str,
}

impl Judgement {
    /// A judgement without a reason, of the program with these constants.
    pub fn new(verdict: &'static str, evidence: &'static str, defines: &Defines, seconds: f64) -> Judgement {
        let version = env!("CARGO_PKG_VERSION");
        Judgement { verdict, evidence, reason: None, size: None, defines: defines.clone(), seconds, version }
    }

    /// Prints the judgement: for people the verdict alone on the first line, then `body`.
    pub fn print(&self, console: &Console, body: &str) -> Job {
        let (tone, exit) = match self.verdict {
            "confirmed" => (Tone::Good, Exit::Safe),
            "refuted" => (Tone::Bad, Exit::Unsafe),
            _ => (Tone::Unsure, Exit::Unknown),
        };
        let word = palette().paint(tone, self.verdict.to_uppercase());
        let reason = self.reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
        print(&match console.format {
            Format::Human | Format::Svcomp | Format::Github => format!("{word}{reason}\n{body}"),
            Format::Json => to_text(self),
        })?;
        Ok(exit)
    }
}
