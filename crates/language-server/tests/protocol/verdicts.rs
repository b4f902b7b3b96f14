//! Verdicts on what is saved.

use crate::client::{Client, Scripted, start};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

const URI: &str = "file:///tmp/verdicts%20here.tw";
const PROGRAM: &str = "shared x: 0..9;\nthread P { x = 1; assert x == 2; }\nthread Q { x = 2; }\n";

fn verifier(report: Value) -> Arc<Scripted> {
    let scripted = Scripted::default();
    *scripted.report.lock().expect("nobody panicked") = report;
    Arc::new(scripted)
}

fn unsafe_report() -> Value {
    let step = |thread: &str, line: u32, column: u32, text: &str| json!({ "thread": thread, "copy": null, "file": "FILE", "line": line, "column": column, "text": text });
    json!({
        "verdict": "unsafe", "reason": "assertion fails at FILE:2:19",
        "violation": { "kind": "assertion", "property": "x == 2", "file": "FILE", "line": 2, "column": 19 },
        "trace": [step("Q", 3, 12, "x = 2;"), step("P", 2, 12, "x = 1;")],
    })
}

fn lenses(client: &mut Client, uri: &str) -> Vec<(u64, String, String)> {
    let lenses = client.ask("textDocument/codeLens", json!({ "textDocument": { "uri": uri } }));
    let text = |value: &Value| value.as_str().expect("text").to_string();
    let all = lenses.as_array().expect("a list").iter();
    all.map(|lens| (start(&lens["range"]).0, text(&lens["command"]["title"]), text(&lens["command"]["command"])))
        .collect()
}

#[test]
fn an_error_is_marked_with_the_trace_that_leads_to_it() {
    let mut client = Client::start(verifier(unsafe_report()));
    client.open(URI, "threadwise", PROGRAM);
    assert!(client.diagnostics(URI, 1).is_empty());
    client.save(URI);
    let begin = client.hear(|method, params| method == "$/progress" && params["value"]["kind"] == "begin");
    assert_eq!(begin["value"]["title"], "Verifying verdicts here.tw");
    assert_eq!(client.end_of_run(), "UNSAFE: assertion fails at line 2:19");
    let found = client.diagnostics(URI, 1);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["code"], "assertion");
    assert_eq!(
        found[0]["range"],
        json!({ "start": { "line": 1, "character": 18 }, "end": { "line": 1, "character": 34 } })
    );
    let related = found[0]["relatedInformation"].as_array().expect("the trace");
    let words: Vec<&str> = related.iter().filter_map(|step| step["message"].as_str()).collect();
    assert_eq!(words, ["step 1, Q: x = 2;", "step 2, P: x = 1;"]);
    assert_eq!(start(&related[0]["location"]["range"]), (2, 11));
    let shown = lenses(&mut client, URI);
    assert_eq!(shown[0].1, "UNSAFE: assertion fails at line 2:19 · open the report");
    assert_eq!((shown[1].0, shown[1].1.as_str()), (1, "walk through the trace (2 steps)"));
    // A line above moves all of it, a change of the line takes the mark away.
    client.change(URI, 2, &format!("// new\n{PROGRAM}"));
    let moved = client.diagnostics(URI, 2);
    assert_eq!(start(&moved[0]["range"]), (2, 18));
    assert!(lenses(&mut client, URI)[0].1.contains("(before the last changes)"));
    client.change(URI, 3, &PROGRAM.replace("assert x == 2", "assert x != 0"));
    assert!(client.diagnostics(URI, 3).is_empty());
    let arguments = json!({ "command": "threadwise.openReport", "arguments": [URI] });
    client.ask("workspace/executeCommand", arguments);
    let shown = client.hear(|method, _| method == "window/showDocument");
    assert!(shown["uri"].as_str().is_some_and(|uri| uri.ends_with("Cargo.toml")) && shown["external"] == true);
    client.stop();
}

#[test]
fn hover_tells_what_the_last_proof_says() {
    let known =
        json!({ "thread": "P", "file": "FILE", "line": 2, "column": 12, "assertion": "x <= 2", "called_at": [] });
    let report = json!({
        "verdict": "safe", "reason": null, "annotation": [known],
        "unreached": [{ "file": "FILE", "line": 3, "column": 12, "text": "x = 2;" }],
    });
    let mut client = Client::start(verifier(report));
    client.open(URI, "threadwise", PROGRAM);
    client.diagnostics(URI, 1);
    client.save(URI);
    assert_eq!(client.end_of_run(), "SAFE");
    let found = client.diagnostics(URI, 1);
    assert_eq!(
        (found[0]["severity"].as_u64(), &found[0]["tags"]),
        (Some(4), &json!([1])),
        "what is unreached is faded"
    );
    let hover = client.ask_at("textDocument/hover", URI, 1, 12);
    let text = hover["contents"]["value"].as_str().expect("markdown");
    assert!(text.contains("holds here, in the last proof") && text.contains("x <= 2"), "{text}");
    client.change(URI, 2, &format!("\n\n{PROGRAM}"));
    let hover = client.ask_at("textDocument/hover", URI, 3, 12);
    assert!(hover["contents"]["value"].as_str().is_some_and(|text| text.contains("x <= 2")), "{hover}");
    client.stop();
}

#[test]
fn saving_often_does_not_pile_up_runs() {
    let scripted = verifier(json!({ "verdict": "safe" }));
    *scripted.duration.lock().expect("nobody panicked") = Duration::from_millis(300);
    let mut client = Client::start(scripted.clone());
    client.open(URI, "threadwise", PROGRAM);
    for version in 2..=100 {
        client.change(URI, version, &format!("{PROGRAM}// {version}\n"));
        client.save(URI);
    }
    while client.end_of_run() == "cancelled" {}
    let runs = scripted.runs.load(Ordering::SeqCst);
    assert_eq!(scripted.most.load(Ordering::SeqCst), 1, "one at a time");
    assert!((1..=99).contains(&runs), "{runs} runs for 99 saves");
    // Nothing waits any more.
    assert!(!lenses(&mut client, URI).iter().any(|lens| lens.1.starts_with("verifying")));
    client.stop();
}

#[test]
fn a_run_is_cancelled_by_its_progress_and_by_command() {
    let scripted = verifier(json!({ "verdict": "safe" }));
    *scripted.duration.lock().expect("nobody panicked") = Duration::from_secs(50);
    let mut client = Client::start(scripted.clone());
    client.open(URI, "threadwise", PROGRAM);
    client.save(URI);
    let begin = client.hear(|method, params| method == "$/progress" && params["value"]["kind"] == "begin");
    // It says how long it has been going on.
    let tells = |params: &Value| params["value"]["message"].as_str().is_some_and(|text| text.ends_with(" s of 30 s"));
    client.hear(|method, params| method == "$/progress" && tells(params));
    assert!(lenses(&mut client, URI).iter().any(|lens| lens.1 == "verifying… cancel"));
    client.tell("window/workDoneProgress/cancel", json!({ "token": begin["token"] }));
    assert_eq!(client.end_of_run(), "cancelled");
    client.ask("workspace/executeCommand", json!({ "command": "threadwise.verify", "arguments": [URI] }));
    client.ask("workspace/executeCommand", json!({ "command": "threadwise.cancel", "arguments": [URI] }));
    assert_eq!(client.end_of_run(), "cancelled");
    // Nor does a run keep the server from ending.
    client.save(URI);
    client.stop();
    assert!(scripted.cancelled.load(Ordering::SeqCst) >= 2);
}

#[test]
fn other_languages_have_verdicts_once_somebody_asks() {
    let uri = "file:///tmp/main.c";
    let scripted = verifier(json!({
        "verdict": "error", "reason": "no main",
        "diagnostics": [{ "severity": "error", "message": "no main", "file": "FILE", "line": 1, "column": 1, "end_line": 1, "end_column": 4 }],
    }));
    let mut client = Client::start(scripted.clone());
    client.open(uri, "c", "int x;\n");
    client.save(uri);
    assert!(lenses(&mut client, uri).iter().any(|lens| lens.1 == "verify"));
    assert_eq!(scripted.runs.load(Ordering::SeqCst), 0, "nobody has asked");
    client.ask("workspace/executeCommand", json!({ "command": "threadwise.verify", "arguments": [uri] }));
    assert_eq!(client.end_of_run(), "ERROR: no main");
    assert_eq!(client.diagnostics(uri, 1)[0]["message"], "no main");
    client.save(uri);
    assert_eq!(client.end_of_run(), "ERROR: no main");
    assert_eq!(scripted.runs.load(Ordering::SeqCst), 2);
    client.stop();
}

#[test]
fn settings_are_obeyed_and_unsaved_documents_are_not_verified() {
    let scripted = verifier(json!({ "verdict": "safe" }));
    let mut client = Client::with_options(scripted.clone(), json!({ "verifyOnSave": false }));
    client.open(URI, "threadwise", PROGRAM);
    client.save(URI);
    client.ask("textDocument/codeLens", json!({ "textDocument": { "uri": URI } }));
    assert_eq!(scripted.runs.load(Ordering::SeqCst), 0);
    client.open("untitled:1", "threadwise", PROGRAM);
    let verify = |uri: &str| json!({ "command": "threadwise.verify", "arguments": [uri] });
    let id = client.send("workspace/executeCommand", verify("untitled:1"));
    assert_eq!(client.answer(&id), Err("save the document to a file first".to_string()));
    client.change(URI, 2, "thread P { }");
    client.ask("workspace/executeCommand", verify(URI));
    client.hear(|method, params| {
        method == "window/showMessage" && params["message"].as_str().is_some_and(|m| m.contains("saved last"))
    });
    assert_eq!(client.end_of_run(), "SAFE (before the last changes)");
    client.tell("workspace/didChangeConfiguration", json!({ "settings": { "threadwise": { "verifyOnSave": true } } }));
    client.save(URI);
    assert_eq!(client.end_of_run(), "SAFE");
    client.stop();
}
