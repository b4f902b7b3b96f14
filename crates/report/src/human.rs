//! What `threadwise check` says to people.

use crate::cover::render_cover;
use crate::lanes::render_lanes;
use crate::list::{render_list, render_start, wrap, wrap_words};
use crate::modular::{how, render_proof};
use crate::numbers::{show_bytes, show_count, show_seconds};
use crate::race::Racer;
use crate::safe::{MemoryModel, proved};
use crate::style::{Palette, Tone};
use crate::trace::{TraceText, trace_text};
use crate::violation::Explanation;
use crate::waiting::{Standstill, Waiter};
use std::sync::Arc;
use threadwise_claims::{Attempt, Stats, Unreached};
use threadwise_evidence::Proof;
use threadwise_ir::Program;
use threadwise_verdict::{Grounds, Safe, Undecided, Unsafe, Verdict};

/// A verdict and what there is to say about how it came about.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    pub program: &'a Arc<Program>,
    pub verdict: &'a Verdict,
    /// What came of each property, where there are answers to each; the verdict is the one over all of them.
    pub properties: &'a [PropertyAnswer],
    /// The engine that found it.
    pub engine: &'a str,
    /// Why the answer is this engine's, where there was a choice.
    pub chosen: Option<&'a str>,
    /// Whether the proof is modular, where that question makes sense.
    pub modular: Option<bool>,
    /// The proof of a SAFE verdict, where it is at hand. Modular ones are shown.
    pub proof: Option<&'a Proof>,
    /// Whether states that differ only by a permutation of copies were counted as one.
    pub symmetric: bool,
    /// The engine's numbers.
    pub stats: &'a Stats,
    /// What came of each engine.
    pub attempts: &'a [Attempt],
    /// The statements that no execution gets past.
    pub unreached: &'a [Unreached],
    /// How long it took.
    pub seconds: f64,
    /// How much memory it took; 0 if nobody knows.
    pub peak_memory_bytes: u64,
}

/// What came of one of several properties.
#[derive(Clone, PartialEq, Debug)]
pub struct PropertyAnswer {
    /// As users name it.
    pub property: &'static str,
    /// `safe`, `unsafe` or `unknown`.
    pub verdict: &'static str,
    /// Why, in one line, where the verdict is not SAFE.
    pub reason: Option<String>,
    pub engine: &'static str,
    pub seconds: f64,
}

/// How text is laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// The width of the terminal. Without one, lines are as long as they are, and traces are lists.
    pub width: Option<usize>,
    /// Whether to use colours.
    pub color: bool,
    /// Whether to show long proofs and traces whole.
    pub whole: bool,
}

impl Layout {
    pub(crate) fn palette(&self) -> Palette {
        Palette { color: self.color }
    }
}

/// More statements that are not reached are shown only to those who ask.
const MOST_UNREACHED: usize = 5;

/// The first line: the verdict, and the reason where there is one.
pub fn headline(report: &Report, layout: &Layout) -> String {
    let word = verdict_word(report.verdict.word(), layout);
    match reason(report.program, report.verdict) {
        Some(reason) => format!("{word}: {reason}"),
        None => word,
    }
}

/// Why a verdict is not SAFE, in one line.
pub fn reason(program: &Program, verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Safe(_) => None,
        Verdict::Unsafe(found) => {
            let trace = found.trace();
            let explanation = crate::explain(trace.instance(), trace.trace());
            Some(format!("{} at {}", explanation.what, program.source.locate(explanation.span)))
        }
        Verdict::Unknown(unknown) => Some(unknown.summary().to_string()),
    }
}

fn verdict_word(word: &str, layout: &Layout) -> String {
    layout.palette().paint(tone_of(word), word.to_uppercase())
}

fn tone_of(word: &str) -> Tone {
    match word {
        "safe" => Tone::Good,
        "unsafe" => Tone::Bad,
        _ => Tone::Unsure,
    }
}

/// A line for each property: its verdict, why, who found it, and in what time.
fn property_lines(report: &Report, layout: &Layout) -> String {
    let width = |of: fn(&PropertyAnswer) -> usize| report.properties.iter().map(of).max().unwrap_or(0);
    let (name, verdict) = (width(|answer| answer.property.len()), width(|answer| answer.verdict.len()));
    let mut out = String::new();
    for answer in report.properties {
        let word = layout.palette().padded(tone_of(answer.verdict), &answer.verdict.to_uppercase(), verdict);
        let by = format!("{}, {}", answer.engine, show_seconds(answer.seconds));
        let why = answer.reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
        let line = format!("{by}{why}");
        let room = layout.width.map(|w| w.saturating_sub(name + verdict + 6).max(20));
        let lines = wrap_words(&line, room).join(&format!("\n{}", " ".repeat(name + verdict + 6)));
        out.push_str(&format!("  {:<name$}  {word}  {lines}\n", answer.property));
    }
    let is_told = |answer: &&PropertyAnswer| answer.verdict == report.verdict.word() && answer.verdict != "safe";
    let others: Vec<&str> = report.properties.iter().filter(is_told).skip(1).map(|answer| answer.property).collect();
    if let Some(other) = others.first() {
        let more = format!("what follows is about the first of these; `--property {other}` shows more of the other");
        out.push_str(&format!("  {}\n", layout.palette().paint(Tone::Quiet, more)));
    }
    out
}

/// The whole report.
pub fn human(report: &Report, layout: &Layout) -> String {
    let body = match report.verdict {
        Verdict::Safe(safe) => safe_body(report, safe, layout),
        Verdict::Unsafe(found) => unsafe_body(report, found, layout),
        Verdict::Unknown(unknown) => unknown_body(report, unknown, layout),
    };
    let properties = match report.properties {
        [] | [_] => String::new(),
        _ => format!("{}\n", property_lines(report, layout)),
    };
    let cover = report.stats.covered.as_ref().map_or_else(String::new, |covered| cover(report, covered, layout));
    format!("{}\n\n{properties}{body}{cover}", headline(report, layout))
}

/// The listing that says how often each statement was reached.
fn cover(report: &Report, covered: &[u64], layout: &Layout) -> String {
    let states = report.stats.numbers.iter().find(|(name, _)| *name == "states").map_or(0, |(_, states)| *states);
    let mut fields = Fields::new(layout);
    let title = format!("how many steps take each statement, from the {} states searched", show_count(states));
    fields.add("cover", vec![title]);
    format!("\n{}\n{}", fields.finish(), render_cover(report.program, covered, layout))
}

fn safe_body(report: &Report, safe: &Safe, layout: &Layout) -> String {
    let mut fields = Fields::new(layout);
    fields.add("proved", proved(report.program, report.unreached, report.properties));
    let model = MemoryModel::of(report.program, report.properties);
    fields.add("memory", model.iter().map(|model| model.in_words(report.program)).collect());
    fields.add("assumed", assumed(report.program));
    if report.properties.len() > 1 && !layout.whole {
        return several_proofs(report, fields, layout);
    }
    fields.add("how", vec![how_proved(report, safe)]);
    fields.add("warning", unreached(report, layout));
    fields.add("engine", engine(report));
    fields.add("effort", vec![effort(report)]);
    let mut out = fields.finish();
    if let Some(proof) = report.proof.and_then(|proof| render_proof(report.program, proof, layout)) {
        out.push('\n');
        out.push_str(&proof);
    }
    out
}

/// What was taken for granted because the user asked for that.
pub(crate) fn assumed(program: &Program) -> Vec<String> {
    let all = program.telling.as_ref().map_or(&[][..], |telling| &telling.assumed);
    all.iter().map(ToString::to_string).collect()
}

/// How a SAFE verdict was found, in one line.
pub fn how_proved(report: &Report, safe: &Safe) -> String {
    let states = show_count(safe.states());
    let folded = report.stats.numbers.iter().any(|(name, points)| *name == "folded_points" && *points > 0);
    let alike = [(report.symmetric, ", permutations of copies counted once"), (folded, ", unobservable steps folded")];
    let alike: String = alike.iter().filter(|(applies, _)| *applies).map(|(_, text)| *text).collect();
    let kept = report.stats.numbers.iter().find(|(name, _)| *name == "kept_thread_states").map(|(_, kept)| *kept);
    let after_an_edit = kept.map(|kept| {
        format!(
            "each thread alone, against what the others do; of the proof's {states} thread states {} have been checked, the others \
             before the edit",
            show_count(safe.states().saturating_sub(kept))
        )
    });
    let modular = after_an_edit.or(report.proof.and_then(|proof| how(proof, &states)));
    match (safe.grounds(), modular) {
        (Grounds::Proof(_), Some(how)) => how,
        (Grounds::Proof(_), None) => {
            format!("all {states} reachable states visited{alike}, and checked")
        }
        (Grounds::Exhaustion(exhausted), _) if exhausted.reduced => format!(
            "{states} states visited that stand for all{alike}, orders of steps that do not matter left out; with `--proof` all are \
             visited and checked"
        ),
        (Grounds::Exhaustion(_), _) => {
            format!("all {states} reachable states visited{alike}; with `--proof` they are checked, too")
        }
    }
}

/// Several properties have proofs of their own, more than people would want to read at once.
fn several_proofs(report: &Report, mut fields: Fields, layout: &Layout) -> String {
    fields.add("warning", unreached(report, layout));
    fields.add("proofs", vec!["`--property` with the name of one property shows its proof".to_string()]);
    fields.add("effort", vec![effort(report)]);
    fields.finish()
}

/// What the verdict says nothing about; a warning, for it may not be as meant.
fn unreached(report: &Report, layout: &Layout) -> Vec<String> {
    let source = &report.program.source;
    let line = |statement: &Unreached| {
        let place = source.locate(statement.span);
        let text = source.snippet(statement.span, 60);
        let what = if statement.is_stuck { "is never passed" } else { "is never reached" };
        format!("`{text}` at {place} {what}")
    };
    let most = if layout.whole { usize::MAX } else { MOST_UNREACHED };
    let mut lines: Vec<String> = report.unreached.iter().take(most).map(line).collect();
    if let more @ 1.. = report.unreached.len().saturating_sub(most) {
        lines.push(format!("and {more} more; `-v` shows them all"));
    }
    lines
}

fn engine(report: &Report) -> Vec<String> {
    let name = match (report.modular, report.proof) {
        (Some(true), _) => format!("{}; the proof is modular", report.engine),
        // These proofs can be either.
        (Some(false), Some(Proof::Formulas(_))) => format!("{}; the proof is not modular", report.engine),
        _ => report.engine.to_string(),
    };
    std::iter::once(name).chain(report.chosen.map(str::to_string)).collect()
}

/// `0.02 s, 12 MiB`
fn effort(report: &Report) -> String {
    let time = show_seconds(report.seconds);
    match report.peak_memory_bytes {
        0 => time,
        bytes => format!("{time}, {}", show_bytes(bytes)),
    }
}

fn unknown_body(report: &Report, unknown: &Undecided, layout: &Layout) -> String {
    let mut fields = Fields::new(layout);
    let numbers = report.stats.numbers.iter().map(|(name, n)| counted(name, *n));
    let numbers: Vec<String> = numbers.collect();
    let room = layout.width.map(|w| w.saturating_sub(12).max(20));
    let details: Vec<&str> = unknown.reason().lines().skip(1).collect();
    fields.add("because", paragraphs(&details, room, false));
    fields.add("reached", wrap(&numbers, room));
    let advice: Vec<String> = unknown.advice().iter().map(ToString::to_string).collect();
    let advice: Vec<&str> = advice.iter().map(String::as_str).collect();
    fields.add("try", paragraphs(&advice, room, true));
    fields.add("assumed", assumed(report.program));
    fields.add("engine", engine(report));
    fields.add("effort", vec![effort(report)]);
    fields.finish()
}

/// Texts one under the other. The first line of an item stands out from the others, if `hang`.
fn paragraphs(items: &[&str], room: Option<usize>, hang: bool) -> Vec<String> {
    let mut lines = Vec::new();
    for item in items {
        for line in item.lines() {
            let is_first = std::ptr::eq(line.as_ptr(), item.as_ptr());
            for (index, part) in wrap_words(line, room).into_iter().enumerate() {
                let indent = if hang && !(is_first && index == 0) { "  " } else { "" };
                lines.push(format!("{indent}{part}"));
            }
        }
    }
    lines
}

/// `21 states`, `depth 20`: names of counters are keys of JSON, people read words.
fn counted(name: &str, n: u64) -> String {
    let words = name.replace('_', " ");
    match words.ends_with('s') {
        true => format!("{} {words}", show_count(n)),
        false => format!("{words} {}", show_count(n)),
    }
}

fn unsafe_body(report: &Report, found: &Unsafe, layout: &Layout) -> String {
    let replayed = found.trace();
    let trace = trace_text(replayed.instance(), replayed.trace());
    let mut out = render_trace(report.program, &trace, layout);
    let mut fields = Fields::new(layout);
    fields.add("assumed", assumed(report.program));
    fields.add("engine", engine(report));
    fields.add("effort", vec![effort(report)]);
    out.push('\n');
    out.push_str(&fields.finish());
    out
}

/// The steps of a trace and the error at its end.
pub fn render_trace(program: &Program, trace: &TraceText, layout: &Layout) -> String {
    let (start, steps) = (render_start(trace, layout.width, layout.palette()), steps_table(trace, layout));
    let separator = if steps.is_empty() { "" } else { "\n" };
    let end = explanation_text(program, &trace.explanation, layout);
    format!("{start}{steps}{separator}{end}")
}

/// How it starts and the steps of a trace, without what goes wrong at its end.
pub fn render_steps(trace: &TraceText, layout: &Layout) -> String {
    format!("{}{}", render_start(trace, layout.width, layout.palette()), steps_table(trace, layout))
}

fn steps_table(trace: &TraceText, layout: &Layout) -> String {
    let lanes = layout.width.and_then(|width| render_lanes(trace, width, layout));
    lanes.unwrap_or_else(|| render_list(trace, layout))
}

/// What is violated, and the values that show it.
fn explanation_text(program: &Program, explanation: &Explanation, layout: &Layout) -> String {
    let palette = layout.palette();
    let what = palette.paint(Tone::Bad, &explanation.what);
    let place = palette.paint(Tone::Quiet, program.source.locate(explanation.span));
    if let Some(racers) = &explanation.race {
        return format!("  {what}  {place}\n{}", race_text(racers, palette));
    }
    if let Some(standstill) = &explanation.standstill {
        return format!("  {what}: {}  {place}\n{}", standstill.text(), standstill_text(standstill, palette));
    }
    // The place stands below where the line would be too long with it.
    let located = program.source.locate(explanation.span).to_string();
    let long =
        [&explanation.what, &explanation.text, &located].map(|part| part.chars().count()).iter().sum::<usize>() + 6;
    let mut out = match layout.width.filter(|width| long > *width) {
        Some(width) => {
            let text = wrap_words(&explanation.text, Some(width.saturating_sub(4).max(20))).join("\n    ");
            format!("  {what}:  {place}\n    {text}\n")
        }
        None => format!("  {what}: {}  {place}\n", explanation.text),
    };
    if let Some(message) = &explanation.message {
        out.push_str(&format!("    message: {message}\n"));
    }
    if !explanation.facts.is_empty() {
        let room = layout.width.map(|w| w.saturating_sub(10).max(20));
        let facts = wrap(&explanation.facts, room).join("\n          ");
        out.push_str(&format!("    where {facts}\n"));
    }
    out
}

/// The two statements that race, one under the other.
fn race_text(racers: &[Racer; 2], palette: Palette) -> String {
    let widest = |of: fn(&Racer) -> String| {
        let widths = racers.iter().map(|r| of(r).chars().count());
        widths.max().unwrap_or(0)
    };
    let position = widest(|r| r.statement.position.clone());
    let thread = widest(|r| r.thread.clone());
    let statement = widest(|r| r.statement.text.clone());
    let line = |racer: &Racer| {
        let at = &racer.statement.position;
        format!(
            "    {}  {:<thread$}  {:<statement$}  {}\n",
            palette.padded(Tone::Quiet, at, position),
            racer.thread,
            racer.statement.text,
            if racer.writes { "writes it" } else { "reads it" },
        )
    };
    format!("{}{}", line(&racers[0]), line(&racers[1]))
}

/// The threads that wait, one under the other, and the cycle, if there is one.
fn standstill_text(standstill: &Standstill, palette: Palette) -> String {
    let widest = |of: fn(&Waiter) -> &str| standstill.waiters.iter().map(|w| of(w).chars().count()).max().unwrap_or(0);
    let position = widest(|w| &w.statement.position);
    let thread = widest(|w| &w.thread);
    let statement = widest(|w| &w.statement.text);
    let mut out = String::new();
    for waiter in &standstill.waiters {
        out.push_str(&format!(
            "    {}  {:<thread$}  {:<statement$}  {}\n",
            palette.padded(Tone::Quiet, &waiter.statement.position, position),
            waiter.thread,
            waiter.statement.text,
            waiter.why(),
        ));
    }
    if standstill.more > 0 {
        out.push_str(&format!("    and {} more\n", standstill.more));
    }
    let drawing = standstill.drawing();
    if !drawing.is_empty() {
        out.push('\n');
    }
    drawing.iter().for_each(|line| out.push_str(&format!("    {line}\n")));
    out
}

/// Names on the left, values on the right.
struct Fields {
    palette: Palette,
    room: Option<usize>,
    out: String,
}

impl Fields {
    fn new(layout: &Layout) -> Fields {
        let room = layout.width.map(|width| width.saturating_sub(12).max(20));
        Fields { palette: layout.palette(), room, out: String::new() }
    }

    fn add(&mut self, name: &str, lines: Vec<String>) {
        let lines = lines.iter().flat_map(|line| wrap_words(line, self.room));
        for (index, line) in lines.enumerate() {
            let name = if index == 0 { name } else { "" };
            let name = self.palette.padded(Tone::Quiet, name, 8);
            self.out.push_str(&format!("  {name}  {line}\n"));
        }
    }

    fn finish(self) -> String {
        self.out
    }
}
