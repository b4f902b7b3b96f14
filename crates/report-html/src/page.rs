//! What a page shows.

use serde::Serialize;
use std::path::Path;
use threadwise_evidence::{FormulaProof, Proof, Scope};
use threadwise_ir::{Contract, Program};
use threadwise_report::{
    Layout, Report, ReportJson, SourceText, Spot, Walk, how_proved, json_without_trace, proved, render_proof,
    source_texts, spot, walk,
};
use threadwise_source::Span;
use threadwise_verdict::Verdict;

/// Longer proofs in words are cut.
const MAX_WORDS: usize = 200_000;

/// A relation that the user wrote is cut to this many characters.
const MAX_RELY: usize = 400;

/// A report as data for the script.
#[derive(Clone, Debug, Serialize)]
pub struct Page {
    /// The name of the program.
    pub title: String,
    /// For colours: the extension of the program's file.
    pub language: String,
    pub files: Vec<SourceText>,
    /// The report, without the trace.
    pub report: ReportJson,
    /// What was asked, one line each.
    pub proved: Vec<String>,
    /// How it was proved.
    pub how: String,
    /// What the user wrote about the steps of threads, where the proof is made with it.
    pub relies: Vec<Rely>,
    /// What has been checked of such a proof, one line each.
    pub conditions: Vec<String>,
    /// A proof that is best told in words.
    pub proof_text: Option<String>,
    /// The trace.
    pub walk: Option<Walk>,
}

/// A rely or a guarantee.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Rely {
    pub text: String,
    pub place: Spot,
}

impl Page {
    pub fn new(report: &Report) -> Page {
        let program = report.program;
        let name = program.source.name();
        let extension = Path::new(name).extension().map_or_else(String::new, |e| e.to_string_lossy().into_owned());
        let by_contracts = matches!(report.proof, Some(Proof::Formulas(proof)) if proof.scope == Scope::Templates);
        Page {
            title: name.to_string(),
            language: match extension.as_str() {
                "i" | "h" => "c".to_string(),
                _ => extension,
            },
            files: source_texts(&program.source, &spans(program)),
            report: json_without_trace(report),
            proved: asked(report),
            how: match report.verdict {
                Verdict::Safe(safe) => how_proved(report, safe),
                Verdict::Unsafe(_) | Verdict::Unknown(_) => String::new(),
            },
            relies: if by_contracts { relies(program) } else { Vec::new() },
            conditions: match report.proof {
                Some(Proof::Formulas(proof)) if by_contracts => conditions(program, proof),
                _ => Vec::new(),
            },
            proof_text: proof_text(report),
            walk: match report.verdict {
                Verdict::Unsafe(found) => Some(walk(found.trace().instance(), found.trace().trace())),
                Verdict::Safe(_) | Verdict::Unknown(_) => None,
            },
        }
    }
}

/// Wherever the program has something to say.
fn spans(program: &Program) -> Vec<Span> {
    let mut spans: Vec<Span> = program.edges.iter().map(|edge| edge.span).collect();
    spans.extend(program.properties.iter().map(|property| property.span));
    spans.extend(program.shared.iter().map(|var| var.span));
    spans.retain(|span| span.start < span.end);
    spans.sort_unstable();
    spans
}

/// What holds, under SAFE.
fn asked(report: &Report) -> Vec<String> {
    match report.verdict {
        Verdict::Safe(_) => proved(report.program, report.unreached, report.properties),
        Verdict::Unsafe(_) | Verdict::Unknown(_) => Vec::new(),
    }
}

fn relies(program: &Program) -> Vec<Rely> {
    let rely = |contract: &Contract| Rely {
        text: program.source.snippet(contract.span, MAX_RELY),
        place: spot(&program.source, contract.span),
    };
    program.relies.iter().chain(&program.guarantees).map(rely).collect()
}

/// What the judge asks of a proof by relies, in the words of its rules (`check/formulas.rs`), for the threads at hand.
fn conditions(program: &Program, proof: &FormulaProof) -> Vec<String> {
    let mut all = vec!["initial values satisfy the invariants, and no thread goes wrong at its start".to_string()];
    for (part, template) in proof.parts.iter().zip(&program.templates) {
        let name = &template.name;
        let cuts = part.points.iter().map(|point| program.location(point.point.location).span);
        let mut cuts: Vec<String> = cuts.map(|span| program.source.locate(span)).collect();
        cuts.dedup();
        let cuts = if cuts.is_empty() { String::new() } else { format!(", cut at {}", cuts.join(", ")) };
        all.push(format!("the code of {name}{cuts}: nothing goes wrong, every step keeps the invariants, and what is said of a place holds there"));
        all.push(match part.closure {
            _ if part.environment.is_none() => format!("each step of each other thread leaves true what is said of {name}"),
            0 => format!("what is said of places in {name} stays true whatever its rely admits"),
            1 => format!("one step that the rely of {name} admits covers any number of them, and it admits that nothing changes"),
            steps => format!("{steps} steps that the rely of {name} admits cover any number of them, and it admits that nothing changes"),
        });
        if proof.parts.iter().all(|part| part.environment.is_none()) {
            continue;
        }
        let by = if part.guarantee.is_some() { ", by way of its guarantee" } else { "" };
        all.push(format!(
            "every step of {name} that others can see is one that the rely of every other thread admits{by}"
        ));
    }
    if program.properties.iter().any(|property| property.pattern().is_some()) {
        all.push("what holds where threads are excludes races and deadlocks".to_string());
    }
    all
}

/// Proofs that have no form of their own on the page.
fn proof_text(report: &Report) -> Option<String> {
    let proof = match report.proof? {
        proof @ Proof::Conformance(_) => proof,
        proof @ Proof::Formulas(formulas) if formulas.scope != Scope::Templates => proof,
        _ => return None,
    };
    let layout = Layout { width: None, color: false, whole: true };
    let text = render_proof(report.program, proof, &layout)?;
    Some(match text.char_indices().nth(MAX_WORDS) {
        Some((cut, _)) => format!("{} …", &text[..cut]),
        None => text,
    })
}
