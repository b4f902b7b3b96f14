//! What is answered from the text.

use crate::client::{Client, Scripted, at, start};
use serde_json::{Value, json};
use std::sync::Arc;

const URI: &str = "file:///tmp/names.tw";
const PROGRAM: &str = "\
const N = 2;
type Phase = enum { idle_phase, busy };
shared total: 0..9;
thread Worker[N] {
  var seen: 0..9;
  again: seen = total;
  total = seen;
}
thread Other { total = N; }
invariant small: forall w: Worker :: w@again ==> w.seen <= total;
";

fn opened() -> Client {
    let client = Client::start(Arc::new(Scripted::default()));
    client.open(URI, "threadwise", PROGRAM);
    client
}

fn starts(locations: &Value) -> Vec<(u64, u64)> {
    locations.as_array().expect("a list").iter().map(|location| start(&location["range"])).collect()
}

#[test]
fn names_lead_to_their_declarations_and_uses() {
    let mut client = opened();
    let definition = client.ask_at("textDocument/definition", URI, 5, 18);
    assert_eq!(starts(&definition), [(2, 7)]);
    let mut with = at(URI, 2, 8);
    with["context"] = json!({ "includeDeclaration": true });
    let uses = client.ask("textDocument/references", with.clone());
    assert_eq!(starts(&uses), [(2, 7), (5, 16), (6, 2), (8, 15), (9, 59)]);
    with["context"] = json!({ "includeDeclaration": false });
    let uses = client.ask("textDocument/references", with);
    assert_eq!(starts(&uses), [(5, 16), (6, 2), (8, 15), (9, 59)]);
    assert_eq!(starts(&client.ask_at("textDocument/definition", URI, 9, 41)), [(5, 2)], "a label");
    assert_eq!(client.ask_at("textDocument/definition", URI, 0, 0), json!([]), "a keyword");
    let marked = client.ask_at("textDocument/documentHighlight", URI, 4, 7);
    assert_eq!(starts(&marked), [(4, 6), (5, 9), (6, 10), (9, 51)]);
    client.stop();
}

#[test]
fn a_new_name_is_given_everywhere_or_nowhere() {
    let mut client = opened();
    assert_eq!(start(&client.ask_at("textDocument/prepareRename", URI, 5, 10)), (5, 9));
    let rename = |name: &str| {
        let mut params = at(URI, 2, 8);
        params["newName"] = json!(name);
        params
    };
    let edits = client.ask("textDocument/rename", rename("sum"));
    let edits = edits["changes"][URI].as_array().expect("edits").clone();
    assert_eq!(edits.len(), 5);
    assert!(edits.iter().all(|edit| edit["newText"] == "sum"));
    // `seen` is something else inside of the thread, `N` is taken, and the rest are no names.
    for (name, why) in [
        ("seen", "means something else"),
        ("while", "not a name"),
        ("a b", "not a name"),
        ("", "not a name"),
        ("1x", "not a name"),
    ] {
        let id = client.send("textDocument/rename", rename(name));
        let error = client.answer(&id).expect_err("it is refused");
        assert!(error.contains(why), "{name}: {error}");
    }
    client.stop();
}

#[test]
fn hover_tells_types_and_steps() {
    let mut client = opened();
    client.diagnostics(URI, 1);
    let text = |client: &mut Client, line, character| {
        client.ask_at("textDocument/hover", URI, line, character)["contents"]["value"].as_str().map(str::to_string)
    };
    let total = text(&mut client, 5, 17).expect("a name");
    assert!(total.contains("shared total: 0..9") && total.contains("shared variable"), "{total}");
    assert!(total.contains("seen = total"), "the step of the statement: {total}");
    let seen = text(&mut client, 6, 11).expect("a name");
    assert!(seen.contains("var seen: 0..9") && seen.contains("of `Worker`"), "{seen}");
    assert_eq!(text(&mut client, 3, 19), None, "there is nothing to say about a brace");
    client.stop();
}

#[test]
fn completion_knows_what_can_be_seen() {
    let mut client = opened();
    let labels = |client: &mut Client, line, character| {
        let items = client.ask_at("textDocument/completion", URI, line, character);
        let all = items.as_array().expect("a list").iter();
        all.map(|item| item["label"].as_str().expect("a label").to_string()).collect::<Vec<String>>()
    };
    let inside = labels(&mut client, 6, 2);
    for name in ["seen", "total", "N", "Phase", "busy", "while", "acquire"] {
        assert!(inside.iter().any(|label| label == name), "{name}");
    }
    let elsewhere = labels(&mut client, 8, 15);
    assert!(!elsewhere.contains(&"seen".to_string()) && elsewhere.contains(&"total".to_string()));
    assert_eq!(labels(&mut client, 9, 39), ["again"]);
    assert_eq!(labels(&mut client, 9, 51), ["seen"]);
    client.stop();
}

#[test]
fn symbols_are_a_tree_whose_names_lie_within() {
    let mut client = opened();
    let symbols = client.ask("textDocument/documentSymbol", json!({ "textDocument": { "uri": URI } }));
    let names: Vec<&str> = symbols.as_array().expect("a list").iter().filter_map(|s| s["name"].as_str()).collect();
    assert_eq!(names, ["N", "Phase", "total", "Worker", "Other", "small"]);
    let children = |index: usize| {
        let all = symbols[index]["children"].as_array().cloned().unwrap_or_default();
        all.iter().filter_map(|s| s["name"].as_str().map(str::to_string)).collect::<Vec<String>>()
    };
    assert_eq!(children(1), ["idle_phase", "busy"]);
    let mut of_worker = children(3);
    of_worker.sort();
    assert_eq!(of_worker, ["again", "seen"]);
    for symbol in symbols.as_array().expect("a list") {
        let (whole, name) = (&symbol["range"], &symbol["selectionRange"]);
        assert!(start(whole) <= start(name), "{symbol}");
    }
    client.stop();
}

#[test]
fn layout_is_that_of_fmt() {
    let mut client = opened();
    let params = json!({ "textDocument": { "uri": URI }, "options": { "tabSize": 2, "insertSpaces": true } });
    assert_eq!(client.ask("textDocument/formatting", params.clone()), json!([]), "it is laid out");
    client.change(URI, 2, "shared   x: bool;\nthread P {\nx=true;\n}\n");
    let edits = client.ask("textDocument/formatting", params.clone());
    assert_eq!(edits.as_array().map(Vec::len), Some(1));
    client.change(URI, 3, "thread P {");
    assert_eq!(client.ask("textDocument/formatting", params), json!([]), "what is wrong is left alone");
    client.stop();
}

#[test]
fn tokens_have_colours_by_what_they_mean() {
    let mut client = opened();
    let tokens = client.ask("textDocument/semanticTokens/full", json!({ "textDocument": { "uri": URI } }));
    let data: Vec<u64> = tokens["data"].as_array().expect("numbers").iter().filter_map(Value::as_u64).collect();
    assert_eq!(data.len() % 5, 0);
    // `const`, then `N`, which is declared here and does not change.
    assert_eq!(data[..15], [0, 0, 5, 0, 0, 0, 6, 1, 3, 3, 0, 4, 1, 1, 0]);
    client.stop();
}
