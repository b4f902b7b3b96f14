//! JUnit XML, the format of test results: a suite for each program, a case for each property.

use crate::report::Checked;
use serde_json::Value;

/// One document for all programs.
pub fn junit(all: &[Checked]) -> String {
    let suites: Vec<Suite> = all.iter().map(suite).collect();
    let sum = |of: fn(&Suite) -> usize| suites.iter().map(of).sum::<usize>();
    let time: f64 = all.iter().map(Checked::seconds).sum();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let counts = [("tests", sum(|s| s.tests)), ("failures", sum(|s| s.failures)), ("errors", sum(|s| s.errors))];
    let counts: String = counts.iter().map(|(name, count)| format!(" {name}=\"{count}\"")).collect();
    out.push_str(&format!("<testsuites name=\"threadwise\"{counts} time=\"{time:.3}\">\n"));
    suites.iter().for_each(|suite| out.push_str(&suite.text));
    out.push_str("</testsuites>\n");
    out
}

struct Suite {
    tests: usize,
    failures: usize,
    errors: usize,
    text: String,
}

/// What came of one property.
struct Case<'a> {
    name: &'a str,
    verdict: &'a str,
    reason: &'a str,
    seconds: f64,
}

fn suite(checked: &Checked) -> Suite {
    let cases = cases(checked);
    let count = |verdicts: &[&str]| cases.iter().filter(|case| verdicts.contains(&case.verdict)).count();
    let (tests, failures, errors) = (cases.len(), count(&["unsafe"]), count(&["unknown", "error"]));
    let name = escaped(checked.file);
    let time = checked.seconds();
    let mut text = format!(
        "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{time:.3}\">\n"
    );
    for case in &cases {
        let head = format!("classname=\"{name}\" name=\"{}\" time=\"{:.3}\"", escaped(case.name), case.seconds);
        text.push_str(&match element(case) {
            None => format!("    <testcase {head}/>\n"),
            Some((element, kind)) => {
                let (message, body) = (escaped(case.reason), escaped(&body(checked, case)));
                let inner = format!("<{element} type=\"{kind}\" message=\"{message}\">{body}</{element}>");
                format!("    <testcase {head}>{inner}</testcase>\n")
            }
        });
    }
    text.push_str("  </testsuite>\n");
    Suite { tests, failures, errors, text }
}

/// The element of a case that did not go well, and its type.
fn element(case: &Case) -> Option<(&'static str, &'static str)> {
    match case.verdict {
        "safe" => None,
        "unsafe" => Some(("failure", "unsafe")),
        "error" => Some(("error", "input")),
        _ => Some(("error", "unknown")),
    }
}

fn cases<'a>(checked: &Checked<'a>) -> Vec<Case<'a>> {
    let properties = checked.list("properties");
    if properties.is_empty() {
        let (verdict, seconds) = (checked.verdict(), checked.seconds());
        let reason = if verdict == "safe" { "" } else { checked.reason() };
        return vec![Case { name: "all properties", verdict, reason, seconds }];
    }
    let text = |property: &'a Value, name: &str| property[name].as_str().unwrap_or_default();
    let case = |property: &'a Value| Case {
        name: text(property, "property"),
        verdict: text(property, "verdict"),
        reason: text(property, "reason"),
        seconds: property["seconds"].as_f64().unwrap_or(0.0),
    };
    properties.iter().map(case).collect()
}

/// The reason, and the trace of the property that the report is about.
fn body(checked: &Checked, case: &Case) -> String {
    let mut lines = vec![case.reason.to_string()];
    if case.verdict == "unsafe" && case.reason == checked.reason() {
        for (step, number) in checked.steps().iter().zip(1..) {
            let place = step.place.as_ref().map_or_else(String::new, |place| format!("{}:{}", place.file, place.line));
            lines.push(format!("{number:>4}  {place}  {}  {}", step.thread, step.text));
        }
    }
    for diagnostic in checked.list("diagnostics") {
        let line = diagnostic["line"].as_u64().map_or_else(String::new, |line| format!("line {line}: "));
        lines.push(format!("{line}{}", diagnostic["message"].as_str().unwrap_or_default()));
    }
    lines.join("\n")
}

/// Text in XML, in elements and in attributes. Characters that XML has not are replaced.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
