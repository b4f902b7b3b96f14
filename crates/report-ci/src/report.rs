//! What there is to read in the JSON of a report.

use serde_json::Value;

/// What came of one program.
#[derive(Clone, Copy, Debug)]
pub struct Checked<'a> {
    /// Its name, as the user gave it.
    pub file: &'a str,
    /// What `threadwise check --format json` says of it.
    pub report: &'a Value,
}

/// A place in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) file: &'a str,
    pub(crate) line: u64,
    pub(crate) column: u64,
}

/// A step of a trace.
pub(crate) struct Step<'a> {
    pub(crate) thread: String,
    pub(crate) place: Option<Place<'a>>,
    pub(crate) text: &'a str,
    /// The shared variables that have other values than before, and the new ones.
    pub(crate) changes: Vec<(&'a str, String)>,
}

impl<'a> Checked<'a> {
    /// `safe`, `unsafe`, `unknown` or `error`.
    pub(crate) fn verdict(&self) -> &'a str {
        self.report["verdict"].as_str().unwrap_or("unknown")
    }

    pub(crate) fn reason(&self) -> &'a str {
        self.report["reason"].as_str().unwrap_or("no reason was given")
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.report["stats"]["seconds"].as_f64().unwrap_or(0.0)
    }

    pub(crate) fn list(&self, name: &str) -> &'a [Value] {
        self.report[name].as_array().map_or(&[], Vec::as_slice)
    }

    /// The file that a part of the report is about, or else the program.
    pub(crate) fn place(&self, part: &'a Value) -> Option<Place<'a>> {
        let file = part["file"].as_str().filter(|file| !file.is_empty()).unwrap_or(self.file);
        let line = part["line"].as_u64().filter(|&line| line > 0)?;
        Some(Place { file, line, column: part["column"].as_u64().unwrap_or(1).max(1) })
    }

    /// The properties beside the one that the trace is about that are violated, too: the rule, why, and where.
    pub(crate) fn others(&self) -> Vec<(&'static str, &'a str, Option<Place<'a>>)> {
        let is_other = |answer: &&Value| answer["verdict"] == "unsafe" && answer["reason"] != self.report["reason"];
        let others = self.list("properties").iter().filter(is_other);
        let other = |answer: &'a Value| {
            let reason = answer["reason"].as_str().unwrap_or_default();
            (rule_of(answer["property"].as_str().unwrap_or_default()), reason, place_at_end(reason))
        };
        others.map(other).collect()
    }

    /// The steps of the trace.
    pub(crate) fn steps(&self) -> Vec<Step<'a>> {
        let mut before = &self.report["initial"]["shared"];
        let mut steps = Vec::new();
        for step in self.list("trace") {
            let shared = step["shared"].as_object();
            let changed = shared.into_iter().flatten().filter(|(name, value)| before.get(name) != Some(value));
            let changes = changed.map(|(name, value)| (name.as_str(), shown(value))).collect();
            before = &step["shared"];
            steps.push(Step {
                thread: thread(step),
                place: self.place(step),
                text: step["text"].as_str().unwrap_or_default(),
                changes,
            });
        }
        steps
    }
}

/// The rule that is broken where a property is violated that users ask for by its name.
fn rule_of(property: &str) -> &'static str {
    match property {
        "races" => "race",
        "memory" => "memory",
        "overflow" => "arithmetic",
        "locks" => "lock",
        "exceptions" => "exception",
        "deadlock" => "deadlock",
        _ => "assertion",
    }
}

/// The place that a reason ends with: `race on x at a.c:3:5`.
fn place_at_end(reason: &str) -> Option<Place<'_>> {
    let (_, place) = reason.rsplit_once(" at ")?;
    let (rest, column) = place.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    let (line, column) = (line.parse().ok()?, column.parse().ok()?);
    (line > 0 && column > 0).then_some(Place { file, line, column })
}

/// `P`, `W[2]`, `deposit#1`.
pub(crate) fn thread(part: &Value) -> String {
    let name = part["thread"].as_str().unwrap_or("the program");
    match (part["name"].as_str(), part["copy"].as_u64()) {
        (Some(name), _) => name.to_string(),
        (None, Some(copy)) => format!("{name}[{copy}]"),
        (None, None) => name.to_string(),
    }
}

/// A value as people write it.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "none".to_string(),
        other => other.to_string(),
    }
}
