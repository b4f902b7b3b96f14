//! Evidence that goes through a file, and is judged again when it comes out.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use threadwise_check::{CheckError, check};
use threadwise_evidence::{Proof, Trace};
use threadwise_evidence_files::{ProofFile, TraceFile, write_proof, write_trace};
use threadwise_ir::{Instance, Program};
use threadwise_limits::Budget;
use threadwise_portfolio::Outcome;
use threadwise_replay::replay;
use threadwise_verdict::Verdict;

/// A proof that takes longer to judge again is left alone.
const CHECKING: Duration = Duration::from_secs(60);

/// What is wrong with the evidence of a verdict: a proof that cannot be written and read back, or does not pass
/// its judge then; a trace that does not replay.
pub fn problem_with_evidence(program: &Arc<Program>, outcome: &Outcome, wants_proof: bool) -> Option<String> {
    match (&outcome.verdict, &outcome.proof) {
        (Verdict::Safe(_), Some(proof)) => judge_proof_again(program, proof).err(),
        (Verdict::Safe(_), None) if wants_proof => Some("SAFE without a proof".to_string()),
        (Verdict::Unsafe(found), _) => {
            judge_trace_again(program, found.trace().instance(), found.trace().trace()).err()
        }
        _ => None,
    }
}

fn judge_proof_again(program: &Arc<Program>, proof: &Proof) -> Result<(), String> {
    let mut file = Vec::new();
    write_proof(&mut file, program, proof, &BTreeMap::new())
        .map_err(|e| format!("the proof cannot be written: {e}"))?;
    let unreadable = |e| format!("the proof cannot be read back: {e}");
    let proof = ProofFile::read(&file[..]).and_then(|file| file.into_proof(program)).map_err(unreadable)?;
    match check(program, &proof, &Budget::new(Some(CHECKING), None)) {
        Err(CheckError::Refuted(why)) => Err(format!("the proof that was read back does not pass the check: {why}")),
        Err(CheckError::Limit(_) | CheckError::Undecided(_)) | Ok(_) => Ok(()),
    }
}

fn judge_trace_again(program: &Arc<Program>, instance: &Instance, trace: &Trace) -> Result<(), String> {
    let mut file = Vec::new();
    write_trace(&mut file, instance, trace, &BTreeMap::new())
        .map_err(|e| format!("the trace cannot be written: {e}"))?;
    let unreadable = |e| format!("the trace cannot be read back: {e}");
    let (instance, trace) = TraceFile::read(&file[..]).and_then(|file| file.trace(program)).map_err(unreadable)?;
    replay(&instance, &trace).map(|_| ()).map_err(|e| format!("the trace that was read back does not replay: {e}"))
}
