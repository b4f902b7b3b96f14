//! The rows of `threadwise compare`.

use crate::table::{Align, Cell, table};
use serde::Serialize;
use serde_json::Value;
use std::path::Path;
use std::process::Output;
use threadwise_report::{Palette, Tone, show_bytes, show_count, show_seconds};
use threadwise_report_html::ComparedRow;

/// What one engine made of the program.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Row {
    pub engine: String,
    /// `safe`, `unsafe` or `unknown`.
    pub verdict: String,
    /// Why, where there is a reason.
    pub reason: Option<String>,
    /// How long it took.
    pub seconds: Option<f64>,
    /// The most memory it held at once.
    pub peak_memory_bytes: Option<u64>,
    /// How many states it visited, where it visits states.
    pub states: Option<u64>,
    /// The number that says best how much work it was.
    pub counted: Option<Counted>,
    /// The size of its proof file.
    pub proof_bytes: Option<u64>,
    /// Whether its proof is modular.
    pub modular: Option<bool>,
    /// How its process ended.
    #[serde(skip)]
    pub exit_code: Option<i32>,
}

/// A number and what it counts.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Counted {
    /// What is counted.
    pub what: &'static str,
    /// How many there are.
    pub count: u64,
}

/// The number that says best how much work a proof or a search was, for each engine.
const COUNTERS: [&str; 7] = ["states", "thread_states", "products", "predicates", "assertions", "queries", "points"];

const COLUMNS: [(&str, Align); 7] = [
    ("engine", Align::Left),
    ("verdict", Align::Left),
    ("time", Align::Right),
    ("memory", Align::Right),
    ("states", Align::Right),
    ("proof", Align::Right),
    ("modular", Align::Left),
];

impl Row {
    /// Reads what `threadwise check --format json` said.
    pub fn from_output(engine: &str, output: &Output, proof: &Path) -> Row {
        let said: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let text = |value: &Value| value.as_str().map(str::to_string);
        let stats = &said["stats"];
        let broken = || {
            let error = String::from_utf8_lossy(&output.stderr);
            error.lines().next().unwrap_or("the engine ended without a word").to_string()
        };
        // To an engine that refuses what the user wrote for it, the program is a bad input.
        let verdict = text(&said["verdict"]).map(|word| if word == "error" { "unknown".to_string() } else { word });
        Row {
            engine: engine.to_string(),
            reason: if verdict.is_some() { text(&said["reason"]) } else { Some(broken()) },
            verdict: verdict.unwrap_or_else(|| "unknown".to_string()),
            seconds: stats["seconds"].as_f64(),
            peak_memory_bytes: stats["peak_memory_bytes"].as_u64().filter(|&bytes| bytes > 0),
            states: stats["states"].as_u64(),
            counted: COUNTERS.iter().find_map(|what| Some(Counted { what, count: stats[*what].as_u64()? })),
            proof_bytes: std::fs::metadata(proof).ok().map(|m| m.len()),
            modular: said["modular"].as_bool(),
            exit_code: output.status.code(),
        }
    }

    /// The row for a page.
    pub fn compared(&self) -> ComparedRow {
        let cells = self.cells().into_iter().skip(2).map(|(text, _)| text);
        ComparedRow {
            engine: self.engine.clone(),
            verdict: self.verdict.clone(),
            reason: self.reason.clone(),
            cells: cells.collect(),
        }
    }

    fn cells(&self) -> [Cell; 7] {
        let tone = match self.verdict.as_str() {
            "safe" => Tone::Good,
            "unsafe" => Tone::Bad,
            _ => Tone::Unsure,
        };
        let or_dash = |text: Option<String>| (text.unwrap_or_else(|| "–".to_string()), None);
        [
            (self.engine.clone(), None),
            (self.verdict.to_uppercase(), Some(tone)),
            or_dash(self.seconds.map(show_seconds)),
            or_dash(self.peak_memory_bytes.map(show_bytes)),
            or_dash(self.counted.as_ref().map(Counted::text)),
            or_dash(self.proof_bytes.map(show_bytes)),
            or_dash(self.modular.map(|m| if m { "yes" } else { "no" }.to_string())),
        ]
    }
}

impl Counted {
    /// `12 thread states`
    fn text(&self) -> String {
        let what = self.what.replace('_', " ");
        let what = if self.count == 1 { what.trim_end_matches('s') } else { &what };
        format!("{} {what}", show_count(self.count))
    }
}

/// The rows under their titles, the reasons for what is not known below.
pub fn comparison(rows: &[Row], palette: Palette) -> String {
    let mut out = table(&COLUMNS, rows.iter().map(Row::cells), palette);
    let reasons = rows.iter().filter_map(|row| Some((&row.engine, row.reason.as_ref()?)));
    let reasons: Vec<String> = reasons.map(|(engine, reason)| format!("{engine}: {reason}\n")).collect();
    if !reasons.is_empty() {
        out.push('\n');
        out.push_str(&reasons.concat());
    }
    out
}
