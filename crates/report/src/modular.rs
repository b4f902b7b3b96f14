//! Modular proofs, laid out for people.

use crate::annotation::{ProofText, proof_text, speaks_of_copies};
use crate::conformance::{conformance_how, conformance_text};
use crate::environment;
use crate::human::Layout;
use crate::list::wrap_words;
use crate::numbers::show_count;
use crate::products::{how_products, render_products};
use crate::threads::threads_text;
use std::sync::Arc;
use threadwise_evidence::{CoverabilityProof, Proof, Scope};
use threadwise_ir::Program;

/// Without `-v` no more locations than this are looked at.
const MAX_PLACES: usize = 120;

/// What holds where, and what each thread does; or which local states go together, or where abstract
/// threads can be. Nothing if the proof is a list of states.
pub fn render_proof(program: &Arc<Program>, proof: &Proof, layout: &Layout) -> Option<String> {
    if let Proof::Cartesian(proof) = proof {
        return Some(render_products(program, proof, layout));
    }
    if let Proof::Conformance(proof) = proof {
        return Some(conformance_text(program, proof, layout));
    }
    if let Proof::Formulas(proof) = proof {
        return match proof.scope {
            Scope::Templates => Some(crate::contracts::text(program, proof, layout)).filter(|text| !text.is_empty()),
            Scope::Threads | Scope::ThreadsAlone => environment::render(program, proof, layout),
        };
    }
    if let Proof::Protection(proof) = proof {
        return Some(crate::protection::text(program, proof, layout));
    }
    if let Proof::Hierarchy(proof) = proof {
        return Some(crate::hierarchy::text(program, proof, layout));
    }
    let most = if layout.whole { usize::MAX } else { MAX_PLACES };
    let text = proof_text(program, proof, most)?;
    let preamble = preamble(program, &text);
    let mut out = String::new();
    for line in &preamble {
        let lines = wrap_words(line, layout.width.map(|w| w.saturating_sub(2).max(20)));
        lines.iter().for_each(|line| out.push_str(&format!("  {line}\n")));
    }
    out.push_str(&threads_text(&text, layout));
    Some(out)
}

/// What the assertions mean.
fn preamble(program: &Program, text: &ProofText) -> Vec<String> {
    let mut lines = Vec::new();
    match text.iterates {
        None => lines.push("Whenever a thread is before a statement, this holds, whatever the others do:".to_string()),
        Some(count) => {
            let count = show_count(count as u64);
            lines.push("Whenever a thread is before a statement, this holds:".to_string());
            lines.push(format!(
                "(The proof is a sequence of {count} sets of states, each with the steps of the one before. \
                 What stands here is said of all of them together; alone it may be too weak to be a proof.)"
            ));
        }
    }
    if text.iterates.is_none() && speaks_of_copies(program) {
        lines.push("(`self` is the thread itself, any one of its copies.)".to_string());
    }
    lines
}

/// How a proof other than a list of states was found, in a few words.
pub(crate) fn how(proof: &Proof, states: &str) -> Option<String> {
    match proof {
        Proof::Reachable(_) => None,
        Proof::Cartesian(proof) => Some(how_products(proof)),
        Proof::Formulas(proof) if proof.scope != Scope::Templates => Some(format!(
            "thread reachability and environment transitions; the proof's {states} assertions have been checked"
        )),
        Proof::Formulas(proof) if proof.is_modular() => Some(crate::contracts::how(proof)),
        Proof::Formulas(_) => Some(format!("assertions at each point of a thread; all {states} have been checked")),
        Proof::Protection(proof) => Some(crate::protection::how(proof, states)),
        Proof::Hierarchy(proof) => Some(crate::hierarchy::how(proof, states)),
        Proof::Modular(_) => Some(format!(
            "each thread alone, against what the others do; the proof's {states} thread states have been checked"
        )),
        Proof::Frontier(proof) => Some(format!(
            "frontier search, {} iterates; the proof's {states} thread states have been checked",
            show_count(proof.iterates.len() as u64)
        )),
        Proof::Conformance(proof) => Some(conformance_how(proof, states)),
        Proof::Coverability(proof) => Some(how_crowds(proof)),
        Proof::Schedules(_) => Some(format!(
            "schedules that stand for all others; the proof's {states} combinations of points have been checked"
        )),
    }
}

/// What a proof by cores and crowds has, and what it took to exclude errors.
fn how_crowds(proof: &CoverabilityProof) -> String {
    let excluded: usize = proof.cores.iter().map(|core| core.excluded.len()).sum();
    let cores = show_count(proof.cores.len() as u64);
    let excluding = match excluded {
        0 => String::new(),
        1 => ", 1 crowd excluded".to_string(),
        more => format!(", {} crowds excluded", show_count(more as u64)),
    };
    format!("any number of copies as a crowd around {cores} cores{excluding}; each has been checked")
}
