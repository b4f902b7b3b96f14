//! What a proof says about places in the text: what holds whenever a thread is there.

use crate::annotation::{ProofText, proof_text};
use crate::environment::assertions;
use crate::infix::infix;
use std::sync::Arc;
use threadwise_evidence::{FormulaProof, PointFormula, Proof, Scope};
use threadwise_ir::{Instance, Program};
use threadwise_source::Span;

/// A statement beside an assertion is cut to this many characters.
const MAX_STATEMENT: usize = 36;

/// Assertions with more disjuncts are told in brief, too.
const MAX_DISJUNCTS: usize = 6;

/// What holds at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Known {
    /// The thread, or the template with the number of its copies: `Worker[4]`.
    pub thread: String,
    /// The procedure, where it is not the thread's own code.
    pub procedure: Option<String>,
    /// Where the procedures that are under way were called, the innermost first.
    pub calls: Vec<Span>,
    /// The labels and the statement that is next.
    pub text: String,
    /// Where the statement stands.
    pub span: Span,
    /// What holds there; `false` where nobody gets.
    pub assertion: String,
    /// What follows from it in fewer words, where it is long.
    pub brief: Option<String>,
}

/// What a proof says about places, at most so many of them; nothing for proofs that speak of whole states only.
pub fn known(program: &Arc<Program>, proof: &Proof, most: usize) -> Vec<Known> {
    match proof {
        Proof::Formulas(proof) => of_formulas(program, proof, most),
        other => proof_text(program, other, most).map_or_else(Vec::new, |text| known_in(&text, usize::MAX)),
    }
}

/// Of each assertion at most so many disjuncts are shown.
pub(crate) fn known_in(text: &ProofText, most: usize) -> Vec<Known> {
    let mut all = Vec::new();
    for thread in &text.threads {
        all.extend(thread.places.iter().map(|place| Known {
            thread: thread.name.clone(),
            procedure: place.procedure.clone(),
            calls: place.calls.clone(),
            text: place.text.clone(),
            span: place.span,
            assertion: place.assertion.show(most),
            brief: Some(place.assertion.show(MAX_DISJUNCTS)).filter(|brief| *brief != place.assertion.show(most)),
        }));
    }
    all
}

pub(crate) fn of_formulas(program: &Arc<Program>, proof: &FormulaProof, most: usize) -> Vec<Known> {
    let mut all = match proof.scope {
        Scope::Templates => of_templates(program, proof),
        Scope::Threads | Scope::ThreadsAlone => of_threads(program, proof),
    };
    all.truncate(most);
    all
}

fn of_templates(program: &Program, proof: &FormulaProof) -> Vec<Known> {
    let mut all = Vec::new();
    for (part, template) in proof.parts.iter().zip(&program.templates) {
        let points = part.points.iter().chain(&part.remarks);
        all.extend(points.map(|point| {
            let words = if point.words.is_empty() { infix(&point.formula) } else { point.words.clone() };
            at_point(program, &template.name, point, words)
        }));
    }
    all
}

fn of_threads(program: &Arc<Program>, proof: &FormulaProof) -> Vec<Known> {
    let instance = Instance::new(program.clone(), 0);
    let said = assertions(program, proof).unwrap_or_default();
    let known = |(thread, index, words): (threadwise_ir::ThreadId, usize, String)| {
        let point = &proof.parts[thread.index()].points[index];
        at_point(program, &instance.tid_name(i64::from(thread.0) + 1), point, words)
    };
    said.into_iter().map(known).collect()
}

fn at_point(program: &Program, thread: &str, point: &PointFormula, assertion: String) -> Known {
    let location = program.location(point.point.location);
    let calls: Vec<Span> = point.point.calls.iter().rev().map(|&edge| program.edge(edge).span).collect();
    let labels: String = location.labels.iter().map(|label| format!("{label}: ")).collect();
    let is_end = program.routine(location.routine).exit == point.point.location;
    let statement = if is_end { "end".to_string() } else { program.source.snippet(location.span, MAX_STATEMENT) };
    Known {
        thread: thread.to_string(),
        procedure: (!calls.is_empty()).then(|| program.routine(location.routine).name.to_string()),
        calls,
        text: format!("{labels}{statement}"),
        span: location.span,
        assertion,
        brief: None,
    }
}
