//! Proofs by abstract threads, laid out for people.

use crate::human::Layout;
use crate::numbers::show_count;
use crate::style::Tone;
use std::collections::BTreeMap;
use std::sync::Arc;
use threadwise_evidence::{Conformance, ConformanceProof, PointFormula, Simulation, conformance_instance};
use threadwise_ir::{AbstractThread, Instance, LocationId, Program};

/// Without `-v` no more points of a thread than this are shown.
const MAX_POINTS: usize = 40;
/// Statements longer than this are cut.
const STATEMENT: usize = 40;

/// How the proof was found.
pub(crate) fn conformance_how(proof: &ConformanceProof, states: &str) -> String {
    let threads = match proof.threads.len() {
        1 => "a thread conforms to its abstract thread".to_string(),
        n => format!("{} threads conform to abstract threads", show_count(n as u64)),
    };
    format!("{threads}, and the program with these is safe; the proof's {states} sets and states have been checked")
}

/// Where the abstract thread can be while its thread is at each point.
pub(crate) fn conformance_text(program: &Arc<Program>, proof: &ConformanceProof, layout: &Layout) -> String {
    let instance = conformance_instance(program);
    let mut out = String::from("  While a thread is before a statement, its abstract thread can be in these nodes:\n");
    if proof.threads.iter().any(|thread| matches!(thread.simulation, Simulation::Assertions(_))) {
        out.push_str(
            "  (A formula holds of the thread's locals and of these nodes; a node stands for being among them.)\n",
        );
    }
    for conformance in &proof.threads {
        out.push_str(&thread_text(&instance, conformance, layout));
    }
    out
}

fn thread_text(instance: &Instance, conformance: &Conformance, layout: &Layout) -> String {
    let program = &instance.program;
    let template = instance.threads[conformance.thread.index()].template;
    let Some(specification) = program.abstract_thread(template) else { return String::new() };
    let points = match &conformance.simulation {
        Simulation::Candidates(states) => by_location(instance, specification, states),
        Simulation::Assertions(points) => formulas(points),
    };
    let most = if layout.whole { usize::MAX } else { MAX_POINTS };
    let rows: Vec<(String, String, &String)> = points
        .iter()
        .take(most)
        .map(|((location, calls), nodes)| (position(program, *location, *calls), statement(program, *location), nodes))
        .collect();
    let widest = |lengths: Vec<usize>| lengths.into_iter().max().unwrap_or(0);
    let places = widest(rows.iter().map(|(place, ..)| place.chars().count()).collect());
    let texts = widest(rows.iter().map(|(_, text, _)| text.chars().count()).collect());
    let palette = layout.palette();
    let mut out = format!("\n  thread {}\n", program.template(template).name);
    for (place, text, nodes) in &rows {
        let place = palette.padded(Tone::Quiet, place, places);
        out.push_str(&format!("    {place}  {text:<texts$}  {nodes}\n"));
    }
    if points.len() > rows.len() {
        let more = format!("{} more points; -v shows all", show_count((points.len() - rows.len()) as u64));
        out.push_str(&format!("    {}\n", palette.paint(Tone::Quiet, more)));
    }
    out
}

/// A point: the location, and in how many calls.
type Points = BTreeMap<(LocationId, usize), String>;

/// The sets of candidates of all local states at a point.
fn by_location(
    instance: &Instance,
    specification: &AbstractThread,
    states: &[(threadwise_ir::Store, Vec<u64>)],
) -> Points {
    let mut sets: BTreeMap<(LocationId, usize), Vec<u64>> = BTreeMap::new();
    for (local, candidates) in states {
        let calls = instance.frames(local).count() - 1;
        sets.entry((instance.location_of(local), calls)).or_default().extend(candidates);
    }
    let shown = |mut sets: Vec<u64>| {
        sets.sort_unstable();
        sets.dedup();
        let names = |set: &u64| {
            let nodes = specification.nodes.iter().enumerate().filter(|(node, _)| set >> node & 1 == 1);
            format!("{{{}}}", nodes.map(|(_, node)| &*node.name).collect::<Vec<_>>().join(", "))
        };
        sets.iter().map(names).collect::<Vec<_>>().join(" or ")
    };
    sets.into_iter().map(|(point, sets)| (point, shown(sets))).collect()
}

fn formulas(points: &[PointFormula]) -> Points {
    let shown = |point: &PointFormula| ((point.point.location, point.point.calls.len()), point.formula.clone());
    points.iter().map(shown).collect()
}

fn position(program: &Program, location: LocationId, calls: usize) -> String {
    let place = program.source.locate_briefly(program.location(location).span);
    if calls == 0 { place } else { format!("{place} ({calls} called)") }
}

fn statement(program: &Program, location: LocationId) -> String {
    let at = program.location(location);
    if program.routine(at.routine).exit == location {
        return "at its end".to_string();
    }
    program.source.snippet(at.span, STATEMENT)
}
