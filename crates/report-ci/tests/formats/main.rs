//! Whatever stands in a program, the formats stay what they are: SARIF keeps its schema, XML is well-formed, and annotations are one
//! line each.

mod schema;

use proptest::prelude::*;
use schema::Schema;
use serde_json::{Value, json};
use threadwise_report_ci::{Checked, RULES, github, junit, sarif};

/// Pieces that break out of formats.
const PIECES: &[&str] = &[
    "</failure>",
    "]]>",
    "<!--",
    "&amp;",
    "\"",
    "'",
    "\\",
    "\n",
    "\r\n",
    "::error::",
    "::set-output name=x::",
    "%0A",
    ",line=1",
    "\u{1b}[31m",
    "\0",
    "\u{fffe}",
    "\u{2028}",
    "</script>",
];

fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![any::<String>(), proptest::sample::select(PIECES).prop_map(str::to_string)];
    proptest::collection::vec(piece, 0..5).prop_map(|parts| parts.concat())
}

fn schema() -> Schema {
    Schema::new(serde_json::from_str(include_str!("../data/sarif-2.1.0.json")).expect("the schema is JSON"))
}

fn step(thread: &str, file: &str, text: &str, line: u32) -> Value {
    json!({ "thread": thread, "copy": line % 3, "file": file, "line": line, "column": 1, "text": text,
            "shared": { text: line, "x": [1, 2] }, "locals": {} })
}

/// Reports of all verdicts, made of these texts.
fn reports(text: &str, file: &str, name: &str) -> Vec<Value> {
    let stats = json!({ "seconds": 0.5 });
    let unsafe_report = |kind: &str| {
        json!({ "verdict": "unsafe", "reason": text, "stats": stats, "initial": { "shared": { "x": [1, 1] } },
                "violation": { "kind": kind, "property": name, "file": file, "line": 4, "column": 2, "thread": name, "copy": 1, "message": text,
                               "waiting": [{ "thread": name, "copy": null, "lock": text, "holder": name }] },
                "trace": [step(name, file, text, 1), step("Q", file, name, 2), step(name, file, text, 4)] })
    };
    let mut all: Vec<Value> = RULES.iter().map(|rule| unsafe_report(rule.id)).collect();
    all.push(json!({ "verdict": "safe", "reason": null, "stats": stats,
        "unreached": [{ "file": file, "line": 7, "column": 1, "text": text, "reached": true }] }));
    all.push(json!({ "verdict": "unknown", "reason": text, "stats": stats }));
    all.push(json!({ "verdict": "error", "reason": text, "diagnostics": [
        { "severity": "error", "message": text, "file": file, "line": 1, "column": 1, "hint": name },
        { "severity": "warning", "message": name, "file": null, "line": null, "column": null, "hint": null } ] }));
    all.push(json!({ "verdict": "unsafe", "reason": text, "stats": stats, "properties": [
        { "property": name, "verdict": "unsafe", "reason": text, "engine": "explicit", "seconds": 0.1 },
        { "property": "races", "verdict": "unsafe", "reason": format!("race on {text} at {file}:3:5"), "engine": "locks", "seconds": 0.1 } ] }));
    all.push(Value::Null);
    all
}

/// What a reader of XML finds for a text: characters that it cannot have are replaced.
fn in_xml(text: &str) -> String {
    let is_refused = |c: char| c.is_control() && !matches!(c, '\n' | '\t') || matches!(c, '\u{fffe}' | '\u{ffff}');
    text.chars().map(|c| if is_refused(c) { '\u{fffd}' } else { c }).collect()
}

/// A command as a runner reads it: level, properties, message.
fn command(line: &str) -> (String, Vec<(String, String)>, String) {
    let rest = line.strip_prefix("::").unwrap_or_else(|| panic!("no command: {line:?}"));
    let (head, message) = rest.split_once("::").expect("a command has a message");
    let (level, properties) = head.split_once(' ').expect("it has properties");
    let unescaped = |text: &str| {
        let text = text.replace("%3A", ":").replace("%2C", ",").replace("%0A", "\n").replace("%0D", "\r");
        text.replace("%25", "%")
    };
    let pairs = properties.split(',').map(|pair| pair.split_once('=').expect("a property has a value"));
    (level.to_string(), pairs.map(|(name, value)| (name.to_string(), unescaped(value))).collect(), unescaped(message))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn nothing_breaks_out(text in hostile(), file in hostile(), name in hostile()) {
        let reports = reports(&text, &file, &name);
        let all: Vec<Checked> = reports.iter().map(|report| Checked { file: &file, report }).collect();

        let log = sarif(&all);
        prop_assert_eq!(schema().complaints(&log), Vec::<String>::new());

        let xml = junit(&all);
        let document = roxmltree::Document::parse(&xml).expect("the XML is well-formed");
        let count = |tag: &str| document.descendants().filter(|node| node.has_tag_name(tag)).count();
        prop_assert_eq!((count("testsuite"), count("testcase")), (all.len(), all.len() + 1));
        let suite_name = in_xml(&file);
        for suite in document.descendants().filter(|node| node.has_tag_name("testsuite")) {
            prop_assert_eq!(suite.attribute("name"), Some(suite_name.as_str()));
        }
        let messages = document.descendants().filter_map(|node| node.attribute("message"));
        let expected = in_xml(&text);
        let race = in_xml(&format!("race on {text} at {file}:3:5"));
        prop_assert!(messages.into_iter().all(|message| [&expected, &race, "no reason was given"].contains(&message)));

        for checked in &all {
            let lines = github(checked);
            for line in lines.split_terminator('\n') {
                let (level, properties, _) = command(line);
                prop_assert!(["error", "warning", "notice"].contains(&level.as_str()));
                let names: Vec<&str> = properties.iter().map(|(name, _)| name.as_str()).collect();
                prop_assert!(names == ["file", "title"] || names == ["file", "line", "col", "title"], "{}", line);
            }
            let diagnostics = checked.report["diagnostics"].as_array().map_or(0, Vec::len);
            let others = checked.report["properties"].as_array().map_or(0, |all| all.len() - 1);
            let unreached = checked.report["unreached"].as_array().map_or(0, Vec::len);
            prop_assert_eq!(lines.matches('\n').count(), if diagnostics > 0 { diagnostics } else { 1 + unreached + others });
        }
    }
}

#[test]
fn flows_are_one_a_thread_in_the_order_of_execution() {
    let report = json!({ "verdict": "unsafe", "reason": "wrong", "initial": { "shared": { "x": 0 } },
    "violation": { "kind": "assertion", "property": "assert x", "file": "a.tw", "line": 9, "column": 1, "thread": "Q", "copy": null },
    "trace": [
        { "thread": "P", "copy": null, "file": "a.tw", "line": 1, "column": 1, "text": "x = 1;", "shared": { "x": 1 } },
        { "thread": "Q", "copy": null, "file": "a.tw", "line": 5, "column": 1, "text": "skip;", "shared": { "x": 1 } },
        { "thread": "P", "copy": null, "file": "a.tw", "line": 2, "column": 1, "text": "x = 0;", "shared": { "x": 0 } },
    ]});
    let log = sarif(&[Checked { file: "a.tw", report: &report }]);
    assert_eq!(schema().complaints(&log), Vec::<String>::new());
    let flows = log["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"].as_array().expect("flows");
    let orders = |flow: &Value| -> Vec<u64> {
        flow["locations"].as_array().expect("places").iter().filter_map(|at| at["executionOrder"].as_u64()).collect()
    };
    assert_eq!(flows.iter().map(|flow| flow["id"].as_str()).collect::<Vec<_>>(), [Some("P"), Some("Q")]);
    assert_eq!((orders(&flows[0]), orders(&flows[1])), (vec![1, 3], vec![2, 4]));
    assert_eq!(flows[0]["locations"][0]["state"], json!({ "x": { "text": "1" } }));
    assert!(flows[1]["locations"][0].get("state").is_none());
}

#[test]
fn the_schema_refuses_what_is_wrong() {
    let report = Value::Null;
    let right = sarif(&[Checked { file: "a.tw", report: &report }]);
    let mut wrong = [right.clone(), right.clone(), right.clone(), right.clone()];
    wrong[0]["version"] = json!("3");
    wrong[1]["runs"][0]["results"][0]["message"] = json!("text");
    wrong[2]["runs"][0]["results"][0]["unheard"] = json!(1);
    wrong[3]["runs"][0]["tool"]["driver"].as_object_mut().expect("an object").remove("name");
    assert!(wrong.iter().all(|log| !schema().complaints(log).is_empty()));
    assert_eq!(schema().complaints(&right), Vec::<String>::new());
}
