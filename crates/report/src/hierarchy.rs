//! Proofs by an order of locks, laid out for people: the locks, those that are taken first first.

use crate::human::Layout;
use crate::list::wrap_words;
use crate::numbers::show_count;
use std::sync::Arc;
use threadwise_evidence::{HierarchyProof, OrderedLock, scalar_name};
use threadwise_ir::{Instance, Program, Sort};

/// Without `-v` no more locks than this are shown.
const MAX_SHOWN: usize = 30;

/// In a few words.
pub(crate) fn how(proof: &HierarchyProof, places: &str) -> String {
    let waits = format!(
        "each thread alone: whoever waits for a lock has only ones before it; {places} places have been checked"
    );
    match proof.rest.as_deref().and_then(|rest| crate::modular::how(rest, "its")) {
        Some(rest) => format!("{waits}. Everything else: {rest}"),
        None => waits,
    }
}

/// The locks in their order, and what proves everything else.
pub(crate) fn text(program: &Arc<Program>, proof: &HierarchyProof, layout: &Layout) -> String {
    let instance = Instance::new(program.clone(), 0);
    let most = if layout.whole { usize::MAX } else { MAX_SHOWN };
    let mut line = match proof.order.len() {
        0 => "Nobody waits for a lock while having another one.".to_string(),
        _ => {
            let names = proof.order.iter().take(most).map(|lock| show(&instance, lock));
            format!("Whoever waits for a lock has only ones before it: {}", names.collect::<Vec<String>>().join(", "))
        }
    };
    if proof.order.len() > most {
        line.push_str(&format!(", … {} more; -v shows all", show_count((proof.order.len() - most) as u64)));
    }
    let room = layout.width.map(|width| width.saturating_sub(2).max(20));
    let mut out: String = wrap_words(&line, room).iter().map(|line| format!("  {line}\n")).collect();
    if let Some(rest) = &proof.rest {
        let remainder = Arc::new(HierarchyProof::remainder(program));
        if let Some(text) = crate::modular::render_proof(&remainder, rest, layout) {
            out.push('\n');
            out.push_str(&text);
        }
    }
    out
}

fn show(instance: &Instance, lock: &OrderedLock) -> String {
    let var = &instance.program.shared[lock.var.index()];
    let mut sort = &var.sort;
    let mut shown = var.name.to_string();
    for &key in &lock.keys {
        let Sort::Array(of, element) = sort else { break };
        shown += &format!("[{}]", scalar_name(instance, of, key));
        sort = element;
    }
    shown
}
