//! SARIF 2.1.0, the format of code scanning.

use crate::report::{Checked, Place, Step, thread};
use crate::rules::{RULES, Rule, number};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The key of fingerprints. Another number means that they are made in another way.
const FINGERPRINT: &str = "threadwise/v1";

/// One log with one run, for all programs.
pub fn sarif(all: &[Checked]) -> Value {
    let mut results: Vec<Value> = all.iter().flat_map(results).collect();
    tell_apart(&mut results);
    let is_read = all.iter().all(|checked| checked.verdict() != "error");
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Threadwise",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": RULES.iter().map(rule).collect::<Vec<Value>>(),
            }},
            "invocations": [{ "executionSuccessful": is_read }],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn rule(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "name": rule.id,
        "shortDescription": { "text": rule.short },
        "fullDescription": { "text": rule.help },
        "help": { "text": rule.help },
        "defaultConfiguration": { "level": level(rule.id) },
    })
}

fn level(rule: &str) -> &'static str {
    match rule {
        "unreached" => "note",
        "unknown" => "warning",
        _ => "error",
    }
}

/// What there is to say about a program.
fn results(checked: &Checked) -> Vec<Value> {
    match checked.verdict() {
        "safe" => checked.list("unreached").iter().map(|part| unreached(checked, part)).collect(),
        "unsafe" => {
            let other = |(rule, reason, place): (&str, &str, Option<Place>)| {
                // The place moves with the lines, what is said of it does not.
                let about = reason.rsplit_once(" at ").map_or(reason, |(what, _)| what).to_string();
                result(checked, rule, reason, place, &about)
            };
            std::iter::once(violation(checked)).chain(checked.others().into_iter().map(other)).collect()
        }
        "error" => checked.list("diagnostics").iter().map(|part| diagnostic(checked, part)).collect(),
        _ => vec![result(checked, "unknown", checked.reason(), None, checked.reason())],
    }
}

/// A result without a code flow. What it is about, in words that do not depend on lines, makes its fingerprint.
fn result(checked: &Checked, rule: &str, message: &str, place: Option<Place>, about: &str) -> Value {
    let place = place.unwrap_or(Place { file: checked.file, line: 1, column: 1 });
    let fingerprint = fingerprint(&[rule, place.file, &folded(about)]);
    let mut result = json!({
        "ruleId": rule,
        "ruleIndex": number(rule),
        "message": { "text": message },
        "locations": [location(&place, None)],
        "partialFingerprints": { FINGERPRINT: fingerprint },
    });
    // What is not known is neither right nor wrong; the format has a word for it, and no level then.
    match rule {
        "unknown" => result["kind"] = json!("open"),
        _ => result["level"] = json!(level(rule)),
    }
    result
}

fn unreached<'a>(checked: &Checked<'a>, part: &'a Value) -> Value {
    let what = if part["reached"] == json!(true) { "is never passed" } else { "is never reached" };
    let text = part["text"].as_str().unwrap_or_default();
    result(checked, "unreached", &format!("`{text}` {what}"), checked.place(part), text)
}

fn diagnostic<'a>(checked: &Checked<'a>, part: &'a Value) -> Value {
    let message = part["message"].as_str().unwrap_or_default();
    let hint = part["hint"].as_str().map_or_else(String::new, |hint| format!("\nhelp: {hint}"));
    let mut result = result(checked, "input", &format!("{message}{hint}"), checked.place(part), message);
    if part["severity"] == json!("warning") {
        result["level"] = json!("warning");
    }
    result
}

fn violation(checked: &Checked) -> Value {
    let violation = &checked.report["violation"];
    let kind = violation["kind"].as_str().unwrap_or("assertion");
    let about = violation["property"].as_str().unwrap_or_default();
    let message = match violation["message"].as_str() {
        Some(said) => format!("{}: {said}", checked.reason()),
        None => checked.reason().to_string(),
    };
    let place = checked.place(violation);
    let mut result = result(checked, RULES[number(kind)].id, &message, place.clone(), about);
    let steps = checked.steps();
    if !steps.is_empty() {
        let flows = thread_flows(checked, &steps, place.as_ref());
        let counted = if steps.len() == 1 { "1 step".to_string() } else { format!("{} steps", steps.len()) };
        result["codeFlows"] =
            json!([{ "message": { "text": format!("{counted} to the error") }, "threadFlows": flows }]);
    }
    result
}

/// One flow for each thread, in the order in which they come into play. Numbers of execution go through all of them.
fn thread_flows(checked: &Checked, steps: &[Step], end: Option<&Place>) -> Vec<Value> {
    let mut names: Vec<&str> = Vec::new();
    let mut flows: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for (step, order) in steps.iter().zip(1..) {
        if !names.contains(&step.thread.as_str()) {
            names.push(&step.thread);
        }
        let place = step.place.clone().unwrap_or(Place { file: checked.file, line: 1, column: 1 });
        flows.entry(&step.thread).or_default().push(flow_location(&place, step.text, order, &step.changes));
    }
    // The error belongs to the thread whose step it is, or else to the one that moved last.
    let violation = &checked.report["violation"];
    let culprit = thread(violation);
    let owner = if names.contains(&culprit.as_str()) { culprit.as_str() } else { &steps[steps.len() - 1].thread };
    if let (Some(place), Some(flow)) = (end, flows.get_mut(owner)) {
        let mut last = flow_location(place, checked.reason(), steps.len() as u64 + 1, &[]);
        last["importance"] = json!("essential");
        flow.push(last);
    }
    let flow =
        |name: &&str| json!({ "id": name, "message": { "text": format!("thread {name}") }, "locations": flows[name] });
    names.iter().map(flow).collect()
}

fn flow_location(place: &Place, text: &str, order: u64, changes: &[(&str, String)]) -> Value {
    let mut value = json!({ "executionOrder": order, "location": location(place, Some(text)) });
    if !changes.is_empty() {
        let state = changes.iter().map(|(name, value)| (name.to_string(), json!({ "text": value })));
        value["state"] = Value::Object(state.collect::<Map<String, Value>>());
    }
    value
}

fn location(place: &Place, text: Option<&str>) -> Value {
    let mut value = json!({ "physicalLocation": {
        "artifactLocation": { "uri": uri(place.file) },
        "region": { "startLine": place.line, "startColumn": place.column },
    }});
    if let Some(text) = text {
        value["message"] = json!({ "text": text });
    }
    value
}

/// A file as a reference, relative as the user gave it.
fn uri(file: &str) -> String {
    let mut out = String::new();
    let is_absolute = file.starts_with('/');
    if is_absolute {
        out.push_str("file://");
    }
    for byte in file.trim_start_matches("./").bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(char::from(byte)),
            b'\\' => out.push('/'),
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// FNV-1a over the parts: the same on all machines and in all versions. Lines and columns have no part in it, so that it stays when
/// text above is changed.
fn fingerprint(parts: &[&str]) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in parts.iter().flat_map(|part| part.bytes().chain([0])) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{hash:016x}")
}

/// Results that are alike but for their place get numbers.
fn tell_apart(results: &mut [Value]) {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for result in results {
        let print = result["partialFingerprints"][FINGERPRINT].as_str().unwrap_or_default().to_string();
        let count = seen.entry(print.clone()).or_insert(0);
        *count += 1;
        result["partialFingerprints"][FINGERPRINT] = json!(format!("{print}:{count}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_references() {
        assert_eq!(uri("a/b c.tw"), "a/b%20c.tw");
        assert_eq!(uri("./x.c"), "x.c");
        assert_eq!(uri("/tmp/é.c"), "file:///tmp/%C3%A9.c");
    }

    #[test]
    fn fingerprints_stay_when_lines_move() {
        let report = |line: u32, text: &str| {
            json!({ "verdict": "unsafe", "reason": format!("assertion fails at a.c:{line}:3"),
                    "violation": { "kind": "assertion", "property": text, "file": "a.c", "line": line, "column": 3 } })
        };
        let print = |report: &Value| {
            let log = sarif(&[Checked { file: "a.c", report }]);
            log["runs"][0]["results"][0]["partialFingerprints"][FINGERPRINT].clone()
        };
        let first = print(&report(3, "assert(x == 1)"));
        assert_eq!(first, print(&report(70, "assert(x  ==\n 1)")));
        assert_ne!(first, print(&report(3, "assert(x == 2)")));
    }

    #[test]
    fn results_that_are_alike_are_told_apart() {
        let report = json!({ "verdict": "safe", "unreached": [
            { "file": "a.c", "line": 3, "column": 1, "text": "x++;", "reached": false },
            { "file": "a.c", "line": 9, "column": 1, "text": "x++;", "reached": false },
        ]});
        let log = sarif(&[Checked { file: "a.c", report: &report }]);
        let prints = log["runs"][0]["results"].as_array().expect("results");
        assert_ne!(prints[0]["partialFingerprints"], prints[1]["partialFingerprints"]);
    }
}
