//! What `threadwise check --format json` says to programs.

use crate::annotation::{ProofText, ThreadText, proof_text};
use crate::cover::cover_json;
use crate::guarantee::Guarded;
use crate::human::{PropertyAnswer, Report};
use crate::invariant::{ComponentText, InvariantText, ProductText, StoreText, invariant_text};
use crate::known::{Known, known_in, of_formulas};
use crate::protection::protected;
use crate::reachable::reachable_text;
use crate::safe::MemoryModel;
use crate::waiting::Waiter;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use threadwise_claims::{Attempt, Unreached};
use threadwise_evidence::Proof;
use threadwise_evidence_files::{initial_json, thread_and_copy, trace_steps_json, violation_json};
use threadwise_ir::{Instance, Program};
use threadwise_verdict::Verdict;

/// More locations than this are not listed, so that huge proofs do not take ages to put into words.
const MAX_PLACES: usize = 2000;
/// Nor more products than this, nor more components of products.
const MAX_PRODUCTS: usize = 2000;
const MAX_COMPONENTS: usize = 50_000;
/// Nor, of what a set of states says of a place, more disjuncts.
const MAX_DISJUNCTS: usize = 8;

/// The JSON form of a report. The fields are always there, in this order.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ReportJson {
    /// `safe`, `unsafe` or `unknown`.
    pub verdict: &'static str,
    /// Why, in one line; null under SAFE.
    pub reason: Option<String>,
    /// What there is to say about the reason, line by line.
    pub details: Vec<String>,
    /// The engine that found the verdict.
    pub engine: String,
    /// Why the verdict is this engine's; null unless `auto` chose it.
    pub chosen: Option<String>,
    /// Whether the proof is modular; null where that question makes no sense.
    pub modular: Option<bool>,
    /// What holds where, if the proof says it of places in the text: `thread`, `routine`, `location`, `file`, `line`,
    /// `column`, `called_at`, `assertion`.
    pub annotation: Vec<Value>,
    /// What each thread's steps do to the shared variables, if the proof says where each thread can be: `thread`, `guard`,
    /// `update`.
    pub guarantees: Vec<Value>,
    /// Which local states go together, if the proof is a union of products: `shared` and `products`, each
    /// of these with `exception` and `components`, each of these with `threads`, `count` and `states`.
    pub invariant: Vec<Value>,
    /// What keeps variables from races, if the proof is by locks: `variable`, `protection`.
    pub protection: Vec<Value>,
    /// Under which memory model that holds, for languages that have several: `C11`, `Java` or `sequential consistency`; else null.
    pub memory_model: Option<&'static str>,
    /// What was taken for granted beyond what the language promises, because the user asked for that.
    pub assumed: Vec<String>,
    /// The error: `kind`, `property`, `file`, `line`, `column`; null unless UNSAFE.
    pub violation: Value,
    /// Where the trace starts; null unless UNSAFE.
    pub initial: Value,
    /// The steps of the trace; empty unless UNSAFE.
    pub trace: Vec<Value>,
    /// What to do about an UNKNOWN.
    pub advice: Vec<String>,
    /// What came of each engine: `engine`, `verdict`, `reason`, `seconds`.
    pub attempts: Vec<Value>,
    /// What came of each property, where each has an answer of its own: `property`, `verdict`, `reason`, `engine`, `seconds`.
    pub properties: Vec<Value>,
    /// The statements that no execution gets past, under SAFE: `file`, `line`, `column`, `text`, `reached`.
    pub unreached: Vec<Value>,
    /// How many steps take each statement, with `--cover`: `file`, `line`, `column`, `text`, `times`.
    pub cover: Vec<Value>,
    /// Numbers.
    pub stats: StatsJson,
    /// The version of Threadwise.
    pub version: &'static str,
}

/// The numbers of a run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StatsJson {
    /// How long it took.
    pub seconds: f64,
    /// The most memory it held at once; 0 if nobody knows.
    pub peak_memory_bytes: u64,
    /// The engine's own counters.
    #[serde(flatten)]
    pub counters: Map<String, Value>,
}

/// The report for programs.
pub fn json(report: &Report) -> ReportJson {
    let mut json = json_without_trace(report);
    if let Verdict::Unsafe(found) = report.verdict {
        let (instance, trace) = (found.trace().instance(), found.trace().trace());
        json.initial = initial_json(instance, trace);
        json.trace = trace_steps_json(instance, trace);
    }
    json
}

/// The same without the steps of a trace, for those who have them in another form.
pub fn json_without_trace(report: &Report) -> ReportJson {
    let mut json = ReportJson {
        verdict: report.verdict.word(),
        reason: None,
        details: Vec::new(),
        engine: report.engine.to_string(),
        chosen: report.chosen.map(str::to_string),
        modular: report.modular,
        annotation: Vec::new(),
        guarantees: Vec::new(),
        invariant: Vec::new(),
        protection: Vec::new(),
        memory_model: None,
        assumed: crate::human::assumed(report.program),
        violation: Value::Null,
        initial: Value::Null,
        trace: Vec::new(),
        advice: Vec::new(),
        attempts: report.attempts.iter().map(attempt).collect(),
        properties: report.properties.iter().map(property).collect(),
        unreached: report.unreached.iter().map(|statement| unreached(report, statement)).collect(),
        cover: report.stats.covered.as_ref().map_or_else(Vec::new, |covered| cover_json(report.program, covered)),
        stats: stats(report),
        version: env!("CARGO_PKG_VERSION"),
    };
    match report.verdict {
        Verdict::Safe(_) => {
            json.memory_model = MemoryModel::of(report.program, report.properties).map(|model| model.name());
            if let Some((text, most)) = report.proof.and_then(|proof| in_words(report.program, proof)) {
                json.annotation = annotation(report.program, &known_in(&text, most));
                json.guarantees = guarantees(&text, most);
            }
            if let Some(Proof::Formulas(proof)) = report.proof {
                json.annotation = annotation(report.program, &of_formulas(report.program, proof, MAX_PLACES));
            }
            if let Some(Proof::Protection(proof)) = report.proof {
                let protected = protected(report.program, proof).into_iter();
                let object = |(variable, by)| json!({ "variable": variable, "protection": by });
                json.protection = protected.take(MAX_PLACES).map(object).collect();
            }
            if let Some(Proof::Cartesian(proof)) = report.proof {
                json.invariant = invariant(&invariant_text(report.program, proof, MAX_PRODUCTS, MAX_COMPONENTS));
            }
        }
        Verdict::Unsafe(found) => {
            let (instance, trace) = (found.trace().instance(), found.trace().trace());
            let explanation = crate::explain(instance, trace);
            let place = report.program.source.locate(explanation.span);
            json.reason = Some(format!("{} at {place}", explanation.what));
            json.violation = violation_json(instance, &trace.violation);
            if let Some(standstill) = &explanation.standstill {
                json.violation["waiting"] = standstill.waiters.iter().map(|waiter| waiting(instance, waiter)).collect();
            }
            if let Some(message) = &explanation.message {
                json.violation["message"] = message.as_str().into();
            }
        }
        Verdict::Unknown(unknown) => {
            json.reason = Some(unknown.summary().to_string());
            json.details = unknown.details().map(str::to_string).collect();
            json.advice = unknown.advice().iter().map(ToString::to_string).collect();
        }
    }
    json
}

/// A proof in words, and how many disjuncts of each formula are shown: a set of states has never looked for few.
fn in_words(program: &Arc<Program>, proof: &Proof) -> Option<(ProofText, usize)> {
    match proof {
        Proof::Reachable(set) => Some((reachable_text(program, set, MAX_PLACES)?, MAX_DISJUNCTS)),
        other => Some((proof_text(program, other, MAX_PLACES)?, usize::MAX)),
    }
}

/// A thread that waits for ever: `thread`, `copy`, `position`, `text`, `lock` and `holder`.
fn waiting(instance: &Instance, waiter: &Waiter) -> Value {
    let (thread, copy) = thread_and_copy(instance, waiter.id);
    json!({
        "thread": thread,
        "copy": copy,
        "position": waiter.statement.position,
        "text": waiter.statement.text,
        "lock": waiter.lock.as_ref().map(|held| &held.lock),
        "holder": waiter.lock.as_ref().map(|held| &held.holder),
    })
}

fn annotation(program: &Program, known: &[Known]) -> Vec<Value> {
    let object = |known: &Known| {
        let position = program.source.position(known.span.start);
        json!({
            "thread": known.thread,
            "routine": known.procedure,
            "location": known.text,
            "file": program.source.file_name(known.span.start),
            "line": position.line,
            "column": position.column,
            "called_at": known.calls.iter().map(|&span| program.source.locate(span)).collect::<Vec<_>>(),
            "assertion": known.assertion,
            "brief": known.brief,
        })
    };
    known.iter().map(object).collect()
}

fn guarantees(text: &ProofText, most: usize) -> Vec<Value> {
    let all = text.threads.iter().flat_map(|thread| thread.guarantee.iter().flatten().map(move |g| (thread, g)));
    let object = |(thread, guarded): (&ThreadText, &Guarded)| json!({ "thread": thread.name, "guard": guarded.guard.show(most), "update": guarded.update });
    all.map(object).collect()
}

fn invariant(text: &InvariantText) -> Vec<Value> {
    let component =
        |part: &ComponentText| json!({ "threads": part.threads, "count": part.count, "states": part.states });
    let product = |product: &ProductText| {
        let components: Vec<Value> = product.components.iter().map(component).collect();
        json!({ "exception": product.exception, "components": components })
    };
    let store = |store: &StoreText| {
        let products: Vec<Value> = store.products.iter().map(product).collect();
        json!({ "shared": store.shared(), "products": products })
    };
    text.stores.iter().map(store).collect()
}

fn attempt(attempt: &Attempt) -> Value {
    json!({
        "engine": attempt.engine,
        "verdict": attempt.verdict,
        "reason": attempt.reason,
        "seconds": rounded(attempt.seconds),
    })
}

fn property(answer: &PropertyAnswer) -> Value {
    json!({
        "property": answer.property,
        "verdict": answer.verdict,
        "reason": answer.reason,
        "engine": answer.engine,
        "seconds": rounded(answer.seconds),
    })
}

fn unreached(report: &Report, statement: &Unreached) -> Value {
    let source = &report.program.source;
    let position = source.position(statement.span.start);
    json!({
        "file": source.file_name(statement.span.start),
        "line": position.line,
        "column": position.column,
        "text": source.snippet(statement.span, 80),
        "reached": statement.is_stuck,
    })
}

/// To the microsecond.
fn rounded(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

fn stats(report: &Report) -> StatsJson {
    let counters = report.stats.numbers.iter();
    StatsJson {
        seconds: rounded(report.seconds),
        peak_memory_bytes: report.peak_memory_bytes,
        counters: counters.map(|(name, n)| (name.to_string(), Value::from(*n))).collect(),
    }
}

/// The report of a run that ended before there was anything to report.
pub fn unknown_json(reason: &str, advice: &[&str]) -> ReportJson {
    ReportJson {
        verdict: "unknown",
        reason: Some(reason.to_string()),
        details: Vec::new(),
        engine: "auto".to_string(),
        chosen: None,
        modular: None,
        annotation: Vec::new(),
        guarantees: Vec::new(),
        invariant: Vec::new(),
        protection: Vec::new(),
        memory_model: None,
        assumed: Vec::new(),
        violation: Value::Null,
        initial: Value::Null,
        trace: Vec::new(),
        advice: advice.iter().map(ToString::to_string).collect(),
        attempts: Vec::new(),
        properties: Vec::new(),
        unreached: Vec::new(),
        cover: Vec::new(),
        stats: StatsJson { seconds: 0.0, peak_memory_bytes: 0, counters: Map::new() },
        version: env!("CARGO_PKG_VERSION"),
    }
}

/// Any serialisable value as indented JSON with a final newline.
pub fn to_text(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_else(|e| format!("{{\"error\": \"{e}\"}}"));
    text.push('\n');
    text
}
