//! Proofs by contracts, laid out for people.

use crate::human::Layout;
use crate::list::wrap_words;
use threadwise_evidence::FormulaProof;
use threadwise_ir::Program;

/// In a few words.
pub(crate) fn how(proof: &FormulaProof) -> String {
    let inferred = proof.parts.iter().flat_map(|thread| &thread.points).any(|point| point.inferred);
    let loops = if inferred { "; what holds in loops without an invariant was inferred" } else { "" };
    format!("each thread on its own against its rely, for every number of copies{loops}; the proof has been checked")
}

/// What each thread may rely on and what holds in its loops.
pub(crate) fn text(program: &Program, proof: &FormulaProof, layout: &Layout) -> String {
    let mut out = String::new();
    for (thread, template) in proof.parts.iter().zip(&program.templates) {
        let closed = if thread.closure > 1 {
            format!(": its rely covers any number of steps in {} steps", thread.closure)
        } else {
            String::new()
        };
        let mut lines = Vec::new();
        for point in thread.points.iter().chain(&thread.remarks).filter(|point| !point.words.is_empty()) {
            let location = program.location(point.point.location);
            let source = if point.inferred { "inferred" } else { "given" };
            lines.push(format!("{}  {source}: {}", program.source.locate(location.span), point.words));
        }
        if lines.is_empty() && closed.is_empty() {
            continue;
        }
        out.push_str(&format!("\n  thread {}{closed}\n", template.name));
        for line in lines {
            let room = layout.width.map(|w| w.saturating_sub(4).max(20));
            wrap_words(&line, room).iter().for_each(|line| out.push_str(&format!("    {line}\n")));
        }
    }
    let with_points = proof.parts.iter().any(|thread| !thread.remarks.is_empty());
    let place = if with_points { "before one of these statements" } else { "at the head of a loop" };
    if out.is_empty() { out } else { format!("  Whenever a thread is {place}, this holds there:\n{out}") }
}
