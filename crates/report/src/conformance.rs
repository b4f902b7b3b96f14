//! Proofs by abstract threads, in a few words.

use crate::numbers::show_count;
use threadwise_evidence::ConformanceProof;

/// How the proof was found.
pub(crate) fn conformance_how(proof: &ConformanceProof, states: &str) -> String {
    let threads = match proof.threads.len() {
        1 => "a thread conforms".to_string(),
        n => format!("{} threads conform", show_count(n as u64)),
    };
    format!(
        "{threads} to abstract threads, which are safe together; the proof's {states} sets and states have been checked"
    )
}
