//! Annotations for GitHub: lines on standard output that a workflow shows beside the code.

use crate::report::{Checked, Place, thread};
use serde_json::Value;

/// The lines for one program.
pub fn github(checked: &Checked) -> String {
    let mut out = String::new();
    match checked.verdict() {
        "safe" => {
            out.push_str(&line("notice", "SAFE", None, checked.file, &format!("{}: SAFE", checked.file)));
            for part in checked.list("unreached") {
                let what = if part["reached"] == Value::Bool(true) { "is never passed" } else { "is never reached" };
                let message = format!("`{}` {what}", part["text"].as_str().unwrap_or_default());
                out.push_str(&line("warning", "unreached", checked.place(part), checked.file, &message));
            }
        }
        "unsafe" => {
            let place = checked.place(&checked.report["violation"]);
            out.push_str(&line("error", "UNSAFE", place, checked.file, &trace(checked)));
            for (_, reason, place) in checked.others() {
                out.push_str(&line("error", "UNSAFE", place, checked.file, reason));
            }
        }
        "error" => {
            for part in checked.list("diagnostics") {
                let level = if part["severity"] == "warning" { "warning" } else { "error" };
                let hint = part["hint"].as_str().map_or_else(String::new, |hint| format!("\nhelp: {hint}"));
                let message = format!("{}{hint}", part["message"].as_str().unwrap_or_default());
                out.push_str(&line(level, "input", checked.place(part), checked.file, &message));
            }
        }
        _ => out.push_str(&line("warning", "UNKNOWN", None, checked.file, checked.reason())),
    }
    out
}

/// The reason and the steps that lead there.
fn trace(checked: &Checked) -> String {
    let mut lines = vec![checked.reason().to_string()];
    for (step, number) in checked.steps().iter().zip(1..) {
        let place = step.place.as_ref().map_or(0, |place| place.line);
        lines.push(format!("{number}. line {place}, {}: {}", step.thread, step.text));
    }
    for waiter in checked.report["violation"]["waiting"].as_array().into_iter().flatten() {
        let lock = waiter["lock"].as_str().map_or_else(String::new, |lock| format!(" for {lock}"));
        let holder = waiter["holder"].as_str().map_or_else(String::new, |holder| format!(", held by {holder}"));
        lines.push(format!("{} waits{lock}{holder}", thread(waiter)));
    }
    lines.join("\n")
}

fn line(level: &str, title: &str, place: Option<Place>, program: &str, message: &str) -> String {
    let file = property(place.as_ref().map_or(program, |place| place.file));
    let at = place.map_or_else(String::new, |place| format!(",line={},col={}", place.line, place.column));
    format!("::{level} file={file}{at},title={}::{}\n", property(&format!("Threadwise: {title}")), data(message))
}

/// A message, as it has to be written in a command.
fn data(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '%' => out.push_str("%25"),
            '\r' => out.push_str("%0D"),
            '\n' => out.push_str("%0A"),
            // Other ways to end a line, or to talk to a terminal.
            '\u{b}' | '\u{c}' | '\u{1b}' | '\u{85}' | '\u{2028}' | '\u{2029}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// The same for a property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_error_is_one_line_at_its_place() {
        let report = json!({
            "verdict": "unsafe", "reason": "assertion fails at a,b.c:3:5",
            "violation": { "kind": "assertion", "file": "a,b.c", "line": 3, "column": 5 },
            "trace": [{ "thread": "P", "copy": null, "file": "a,b.c", "line": 2, "column": 1, "text": "x = 100 % 7" }],
        });
        let expected = "::error file=a%2Cb.c,line=3,col=5,title=Threadwise%3A UNSAFE::\
                        assertion fails at a,b.c:3:5%0A1. line 2, P: x = 100 %25 7\n";
        assert_eq!(github(&Checked { file: "a,b.c", report: &report }), expected);
    }
}
