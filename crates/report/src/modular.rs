//! Modular proofs, laid out for people.

use crate::annotation::{Place, ProofText, ThreadText, proof_text, speaks_of_copies};
use crate::conformance::{conformance_how, conformance_text};
use crate::environment;
use crate::human::Layout;
use crate::list::wrap_words;
use crate::numbers::show_count;
use crate::products::{how_products, render_products};
use crate::style::{Palette, Tone};
use std::sync::Arc;
use threadwise_evidence::{CoverabilityProof, Proof, Scope};
use threadwise_ir::Program;

/// Without `-v` no more locations than this are shown,
const MAX_PLACES: usize = 40;
/// no more disjuncts of an assertion,
const MAX_DISJUNCTS: usize = 6;
/// and no more updates of a guarantee.
const MAX_UPDATES: usize = 20;

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
    let text = proof_text(program, proof, most(layout, MAX_PLACES))?;
    let palette = layout.palette();
    let mut out = String::new();
    for line in preamble(program, &text) {
        let lines = wrap_words(&line, layout.width.map(|w| w.saturating_sub(2).max(20)));
        lines.iter().for_each(|line| out.push_str(&format!("  {line}\n")));
    }
    for thread in text.threads.iter().filter(|thread| !thread.places.is_empty()) {
        out.push_str(&thread_text(thread, layout, palette));
    }
    if text.left_out > 0 {
        let more = format!("{} more locations; -v shows all", show_count(text.left_out as u64));
        out.push_str(&format!("\n  {}\n", palette.paint(Tone::Quiet, more)));
    }
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

fn thread_text(thread: &ThreadText, layout: &Layout, palette: Palette) -> String {
    let remark = thread.remark.as_ref().map_or_else(String::new, |remark| format!(": {remark}"));
    let mut out = format!("\n  thread {}{}\n", thread.name, palette.paint(Tone::Quiet, remark));
    let widest = |of: fn(&Place) -> String| thread.places.iter().map(|p| of(p).chars().count()).max().unwrap_or(0);
    let columns =
        Columns { position: widest(|place| place.position.clone()), text: widest(|place| place.text.clone()), layout };
    let mut routine = String::new();
    for place in &thread.places {
        let here = heading(place);
        if here != routine {
            out.push_str(&format!("    {here}\n"));
            routine = here;
        }
        out.push_str(&columns.line(place));
    }
    out.push_str(&guarantee_text(thread, layout));
    out
}

/// `in next, called at 20:5`; nothing for a thread's own code.
fn heading(place: &Place) -> String {
    let Some(procedure) = &place.procedure else {
        return String::new();
    };
    match place.called_at.is_empty() {
        true => format!("in {procedure}"),
        false => format!("in {procedure}, called at {}", place.called_at.join(" from ")),
    }
}

struct Columns<'a> {
    position: usize,
    text: usize,
    layout: &'a Layout,
}

impl Columns<'_> {
    fn line(&self, place: &Place) -> String {
        let palette = self.layout.palette();
        let position = palette.padded(Tone::Quiet, &place.position, self.position);
        let indent = 8 + self.position + self.text;
        let assertion = place.assertion.show(most(self.layout, MAX_DISJUNCTS));
        let assertion = if assertion == "false" { "never reached".to_string() } else { assertion };
        let room = self.layout.width.map(|width| width.saturating_sub(indent).max(30));
        let lines = wrap_formula(&assertion, room).join(&format!("\n{}", " ".repeat(indent)));
        format!("    {position}  {:<width$}  {lines}\n", place.text, width = self.text)
    }
}

fn guarantee_text(thread: &ThreadText, layout: &Layout) -> String {
    let palette = layout.palette();
    let Some(guarantee) = &thread.guarantee else {
        let text = "guarantee: too long to show";
        return format!("    {}\n", palette.paint(Tone::Quiet, text));
    };
    if guarantee.is_empty() {
        return String::new();
    }
    let mut out = format!(
        "    {}\n",
        palette.paint(Tone::Quiet, "guarantee: its steps change the shared variables only like this")
    );
    let most_updates = most(layout, MAX_UPDATES);
    for guarded in guarantee.iter().take(most_updates) {
        let text = format!("{}  →  {}", guarded.guard.show(most(layout, MAX_DISJUNCTS)), guarded.update);
        let room = layout.width.map(|width| width.saturating_sub(10).max(30));
        let lines = wrap_formula(&text, room).join("\n          ");
        out.push_str(&format!("      {lines}\n"));
    }
    if guarantee.len() > most_updates {
        let more = format!("{} more updates; -v shows all", show_count((guarantee.len() - most_updates) as u64));
        out.push_str(&format!("      {}\n", palette.paint(Tone::Quiet, more)));
    }
    out
}

fn most(layout: &Layout, usually: usize) -> usize {
    if layout.whole { usize::MAX } else { usually }
}

/// Breaks a formula before `||`, `→` or `&&`, at the first of these that keeps lines short.
fn wrap_formula(text: &str, room: Option<usize>) -> Vec<String> {
    let Some(room) = room.filter(|room| text.chars().count() > *room) else {
        return vec![text.to_string()];
    };
    let mut lines: Vec<String> = vec![String::new()];
    for disjunct in pieces(text, " || ") {
        let fits = |lines: &[String], piece: &str| {
            let used = lines.last().map_or(0, |line| line.chars().count());
            used == 0 || used + piece.chars().count() <= room
        };
        if !fits(&lines, disjunct) {
            lines.push(String::new());
        }
        for piece in pieces(disjunct, "  →  ").into_iter().flat_map(|piece| pieces(piece, " && ")) {
            if !fits(&lines, piece) {
                lines.push(String::new());
            }
            let line = lines.last_mut().expect("there is a line");
            line.push_str(if line.is_empty() { piece.trim_start() } else { piece });
        }
    }
    lines
}

/// The text cut before each separator.
fn pieces<'t>(text: &'t str, separator: &str) -> Vec<&'t str> {
    let mut cuts: Vec<usize> = text.match_indices(separator).map(|(at, _)| at).filter(|&at| at > 0).collect();
    cuts.insert(0, 0);
    cuts.push(text.len());
    cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_break_before_operators() {
        let text = "m == none && x == 1 || m == another && x <= 1";
        assert_eq!(wrap_formula(text, None), [text]);
        assert_eq!(wrap_formula(text, Some(30)), ["m == none && x == 1", "|| m == another && x <= 1"]);
        assert_eq!(wrap_formula(text, Some(20)), ["m == none && x == 1", "|| m == another", "&& x <= 1"]);
        assert_eq!(wrap_formula("a == 1  →  b' == 2", Some(10)), ["a == 1", "→  b' == 2"]);
    }
}
