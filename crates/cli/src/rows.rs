//! The rows of `threadwise compare`.

use serde::Serialize;
use serde_json::Value;
use std::path::Path;
use std::process::Output;
use threadwise_report::{Palette, Tone, show_bytes, show_count, show_seconds};

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
const COUNTERS: [&str; 6] = ["states", "thread_states", "products", "predicates", "assertions", "queries"];

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

    fn cells(&self) -> [String; 7] {
        let dash = || "–".to_string();
        [
            self.engine.clone(),
            self.verdict.to_uppercase(),
            self.seconds.map_or_else(dash, show_seconds),
            self.peak_memory_bytes.map_or_else(dash, show_bytes),
            self.counted.as_ref().map_or_else(dash, Counted::text),
            self.proof_bytes.map_or_else(dash, show_bytes),
            self.modular.map_or_else(dash, |m| if m { "yes" } else { "no" }.to_string()),
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
pub fn table(rows: &[Row], palette: Palette) -> String {
    let titles = ["engine", "verdict", "time", "memory", "states", "proof", "modular"];
    let cells: Vec<[String; 7]> = rows.iter().map(Row::cells).collect();
    let width = |column: usize| {
        let texts = cells.iter().map(|row| row[column].chars().count());
        texts.chain([titles[column].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..titles.len()).map(width).collect();
    let mut out = format!("{}\n", palette.paint(Tone::Quiet, line(&titles.map(str::to_string), &widths)));
    for row in &cells {
        let text = line(row, &widths);
        let tone = match row[1].as_str() {
            "SAFE" => Tone::Good,
            "UNSAFE" => Tone::Bad,
            _ => Tone::Unsure,
        };
        out.push_str(&text.replacen(&row[1], &palette.paint(tone, &row[1]), 1));
        out.push('\n');
    }
    let reasons = rows.iter().filter_map(|row| Some((&row.engine, row.reason.as_ref()?)));
    let reasons: Vec<String> = reasons.map(|(engine, reason)| format!("{engine}: {reason}\n")).collect();
    if !reasons.is_empty() {
        out.push('\n');
        out.push_str(&reasons.concat());
    }
    out
}

/// Words to the left, numbers to the right.
fn line(cells: &[String; 7], widths: &[usize]) -> String {
    let mut out = String::new();
    for (column, (cell, &width)) in cells.iter().zip(widths).enumerate() {
        match column {
            0 => out.push_str(&format!("{cell:<width$}")),
            1 | 6 => out.push_str(&format!("  {cell:<width$}")),
            _ => out.push_str(&format!("  {cell:>width$}")),
        }
    }
    out.trim_end().to_string()
}
