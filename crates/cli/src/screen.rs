//! What `watch` shows: on a terminal one screen that is drawn anew, elsewhere a line for each verdict.

use crate::args::Format;
use crate::console::{Console, layout, palette, print};
use crate::exit::InputError;
use serde_json::Value;
use std::io::IsTerminal;
use threadwise_report::Tone;

/// Clears the screen and goes to its first line.
const CLEAR: &str = "\x1b[2J\x1b[3J\x1b[H";

/// What came of a program, and how that differs from before.
pub struct Shown {
    name: String,
    verdict: String,
    reason: String,
    change: String,
    /// All that `check` says.
    details: String,
}

impl Shown {
    pub fn new(name: String, before: &Value, now: &Value, details: String) -> Shown {
        Shown {
            name,
            verdict: verdict(now).to_uppercase(),
            reason: now["reason"].as_str().unwrap_or_default().to_string(),
            change: change(before, now),
            details,
        }
    }

    fn line(&self) -> String {
        let tone = match self.verdict.as_str() {
            "SAFE" => Tone::Good,
            "UNSAFE" | "ERROR" => Tone::Bad,
            _ => Tone::Unsure,
        };
        let reason = if self.reason.is_empty() { String::new() } else { format!(": {}", self.reason) };
        let change = if self.change.is_empty() { String::new() } else { format!("  ({})", self.change) };
        let verdict = palette().paint(tone, &self.verdict);
        format!("{}  {verdict}{reason}{}\n", self.name, palette().paint(Tone::Quiet, change))
    }
}

fn verdict(report: &Value) -> &str {
    report["verdict"].as_str().unwrap_or("unknown")
}

/// What is different from the report before, in a few words.
fn change(before: &Value, now: &Value) -> String {
    if before.is_null() {
        return String::new();
    }
    let mut changes = Vec::new();
    if verdict(before) != verdict(now) {
        changes.push(format!("was {}", verdict(before).to_uppercase()));
    } else if before["reason"] != now["reason"] {
        changes.push(format!("was: {}", before["reason"].as_str().unwrap_or_default()));
    }
    let list = |report: &Value| report["properties"].as_array().cloned().unwrap_or_default();
    for answer in list(now) {
        let old = list(before).into_iter().find(|old| old["property"] == answer["property"]);
        if let Some(old) = old.filter(|old| old["verdict"] != answer["verdict"]) {
            let word = |answer: &Value| verdict(answer).to_uppercase();
            changes.push(format!(
                "{}: {}, was {}",
                answer["property"].as_str().unwrap_or_default(),
                word(&answer),
                word(&old)
            ));
        }
    }
    if changes.is_empty() { "as before".to_string() } else { changes.join("; ") }
}

/// Where it is shown.
pub struct Screen {
    is_terminal: bool,
    width: Option<usize>,
    quiet: bool,
}

impl Screen {
    pub fn new(console: &Console, width: Option<u16>) -> Screen {
        let is_terminal = std::io::stdout().is_terminal() && console.format == Format::Human;
        Screen { is_terminal, width: layout(width).width, quiet: !console.wants_progress() }
    }

    /// The flags with which `check` says what this screen shows.
    pub fn flags(&self) -> Vec<String> {
        let mut flags = Vec::new();
        if self.is_terminal {
            flags.extend(self.width.map(|width| format!("--width={}", width.max(20))));
            flags.extend(palette().color.then(|| "--color=always".to_string()));
        }
        flags
    }

    /// Something is being verified.
    pub fn working(&self, name: &str) {
        if self.is_terminal && !self.quiet {
            let _ = print(&format!("\r\x1b[2K{}", palette().paint(Tone::Quiet, format!("verifying {name} …"))));
        }
    }

    /// The verdicts, and below them as much as there is room for of the one that is new.
    pub fn draw(&self, all: &[&Shown], latest: usize) -> Result<(), InputError> {
        if !self.is_terminal {
            return print(&all[latest].line());
        }
        let rows = terminal_size::terminal_size_of(std::io::stdout()).map_or(24, |(_, height)| usize::from(height.0));
        let verdicts: String = all.iter().map(|shown| shown.line()).collect();
        let room = rows.saturating_sub(all.len() + 4);
        // The verdict has its line already.
        let details: Vec<&str> = all[latest].details.lines().skip(1).skip_while(|line| line.is_empty()).collect();
        let mut shown: Vec<String> = details.iter().take(room).map(|line| line.to_string()).collect();
        if details.len() > room {
            shown.pop();
            shown.push(palette().paint(Tone::Quiet, format!("… {} more lines", details.len() + 1 - room)));
        }
        let end = palette().paint(Tone::Quiet, "waiting for changes; Ctrl-C ends");
        print(&format!("{CLEAR}{verdicts}\n{}\n\n{end}\n", shown.join("\n")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_changed_is_said() {
        let safe = json!({ "verdict": "safe", "reason": null });
        let wrong = |reason: &str| json!({ "verdict": "unsafe", "reason": reason });
        assert_eq!(change(&Value::Null, &safe), "");
        assert_eq!(change(&safe, &safe), "as before");
        assert_eq!(change(&safe, &wrong("race")), "was SAFE");
        assert_eq!(change(&wrong("race"), &wrong("deadlock")), "was: race");
        let with = |verdict: &str| json!({ "verdict": "unsafe", "reason": "r", "properties": [{ "property": "races", "verdict": verdict }] });
        assert_eq!(change(&with("safe"), &with("unsafe")), "races: UNSAFE, was SAFE");
    }
}
