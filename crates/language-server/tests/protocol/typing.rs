//! While somebody types: errors, broken and huge documents, many edits a second.

use crate::client::{Client, Scripted};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

const URI: &str = "untitled:Untitled-1";

fn client() -> Client {
    Client::start(Arc::new(Scripted::default()))
}

#[test]
fn errors_are_told_while_somebody_types_and_go_away_again() {
    let mut client = client();
    client.open(URI, "threadwise", "shared x: bool;\nthread P { x = 1; y = true; }\n");
    let found = client.diagnostics(URI, 1);
    assert!(found.len() >= 2, "{found:?}");
    assert!(found.iter().all(|d| d["severity"] == 1 && d["source"] == "threadwise"), "{found:?}");
    assert_eq!(found[0]["range"]["start"], json!({ "line": 1, "character": 15 }));
    // An edit of a part: `1` becomes `true`, `y` becomes `x`. Columns count units of UTF-16.
    let edit = |line: u32, from: u32, to: u32, text: &str| {
        let place = |character: u32| json!({ "line": line, "character": character });
        json!({ "range": { "start": place(from), "end": place(to) }, "text": text })
    };
    let document = json!({ "uri": URI, "version": 2 });
    let changes = [edit(1, 18, 19, "x"), edit(1, 15, 16, "true"), edit(0, 15, 15, " // 😀")];
    client.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    assert!(client.diagnostics(URI, 2).is_empty());
    client.tell("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    let said = client.hear(|method, _| method == "textDocument/publishDiagnostics");
    assert_eq!(said["diagnostics"], json!([]));
    client.stop();
}

#[test]
fn broken_text_has_names_all_the_same() {
    let mut client = client();
    client.open(URI, "threadwise", "shared counter: 0..9;\nthread P {\n  counter = ;\n  if (coun\n");
    assert!(!client.diagnostics(URI, 1).is_empty());
    assert_eq!(client.ask_at("textDocument/definition", URI, 2, 4)[0]["range"]["start"]["line"], 0);
    let items = client.ask_at("textDocument/completion", URI, 3, 10);
    assert!(items.as_array().is_some_and(|items| items.iter().any(|item| item["label"] == "counter")));
    for text in ["", "\u{feff}", "/*", "\"", "thread", "}}}}", "\0\u{202e}", "(((((((((((", "é😀@@@..'"] {
        client.change(URI, 2, text);
        for method in ["hover", "definition", "completion", "rename", "prepareRename"] {
            let mut params = crate::client::at(URI, 0, 1);
            params["newName"] = json!("a");
            let id = client.send(&format!("textDocument/{method}"), params);
            let _ = client.answer(&id);
        }
        let params = json!({ "textDocument": { "uri": URI }, "options": { "tabSize": 2, "insertSpaces": true } });
        for method in ["documentSymbol", "semanticTokens/full", "formatting", "codeLens"] {
            client.ask(&format!("textDocument/{method}"), params.clone());
        }
    }
    client.stop();
}

#[test]
fn many_edits_a_second_are_one_look_at_the_text() {
    let mut client = client();
    client.open(URI, "threadwise", "thread P { }");
    client.diagnostics(URI, 1);
    for version in 2..=300 {
        client.change(URI, version, &format!("shared x: 0..{version};\nthread P {{ x = {version}; y = 1; }}"));
    }
    let mut looks = 0;
    loop {
        let said = client.hear(|method, _| method == "textDocument/publishDiagnostics");
        looks += 1;
        if said["version"] == 300 {
            assert_eq!(said["diagnostics"].as_array().map(Vec::len), Some(1));
            break;
        }
    }
    // One, if the machine has nothing else to do.
    assert!(looks <= 20, "{looks} looks for 299 edits");
    client.stop();
}

#[test]
fn huge_documents_are_answered() {
    let mut client = client();
    // About two megabytes, with an error at the very end.
    let body =
        "  x = (x + 1) % 10; // a step among very many others, which makes this text a long one\n".repeat(25_000);
    let text = format!("shared x: 0..9;\nthread P {{\n{body}  nowhere = 1;\n}}\n");
    let started = Instant::now();
    client.open(URI, "threadwise", &text);
    let definition = client.ask_at("textDocument/definition", URI, 20_000, 3);
    assert_eq!(definition[0]["range"]["start"]["line"], 0);
    let found = client.diagnostics(URI, 1);
    assert_eq!(found[0]["range"]["start"]["line"], 25_002, "{:?}", found[0]);
    let document = json!({ "uri": URI, "version": 2 });
    let place = |character: u32| json!({ "line": 25_002, "character": character });
    let change = json!({ "range": { "start": place(2), "end": place(9) }, "text": "x" });
    client.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [change] }));
    assert_eq!(client.diagnostics(URI, 2).len(), 0);
    assert!(started.elapsed() < Duration::from_secs(40), "{:?}", started.elapsed());
    client.stop();
}

#[test]
fn what_is_not_understood_is_refused_and_the_server_goes_on() {
    let mut client = client();
    client.tell("textDocument/didChange", json!({ "nonsense": true }));
    client.tell("$/unknown", json!(7));
    for (method, params) in [
        ("textDocument/hover", json!({})),
        ("textDocument/hover", crate::client::at("file:///nowhere.tw", 0, 0)),
        ("workspace/executeCommand", json!({ "command": "rm" })),
        ("no/such/method", json!(null)),
    ] {
        let id = client.send(method, params);
        assert!(client.answer(&id).is_err(), "{method}");
    }
    client.open(URI, "threadwise", "thread P { }");
    assert_eq!(client.diagnostics(URI, 1).len(), 0);
    client.stop();
}

#[test]
fn a_client_that_goes_away_ends_the_server() {
    let (connection, theirs) = lsp_server::Connection::memory();
    let server = std::thread::spawn(move || {
        let _ = threadwise_language_server::serve(&theirs, Arc::new(Scripted::default()));
    });
    drop(connection);
    server.join().expect("it ends in peace");
}

#[test]
fn transition_systems_are_looked_at_and_other_languages_are_not() {
    let mut client = client();
    client.open("file:///tmp/a.ts", "transition-system", "nonsense");
    assert!(!client.diagnostics("file:///tmp/a.ts", 1).is_empty());
    client.open("file:///tmp/a.c", "c", "int main( {");
    assert_eq!(client.ask_at("textDocument/definition", "file:///tmp/a.c", 0, 5), json!(null));
    client.stop();
}

/// Pieces of programs, put together at random, with questions at random places.
#[test]
fn no_text_breaks_the_server() {
    const PIECES: [&str; 24] = [
        "shared x: 0..9;\n",
        "thread W[2] {",
        " }",
        " x = x + 1;",
        " L: ",
        "goto L;",
        "var y: [tid]int;",
        "\n",
        "forall t: W :: t@L",
        " // 😀\n",
        "/* ",
        " */",
        "type T = record { a: int, b: T };",
        "proc p(n: int) returns (r: int) {",
        "y.a",
        "@",
        "..",
        "'",
        "\"",
        "invariant i: ",
        "fun f(a: int): int = a;",
        "enum { a, b }",
        "\r\n",
        "é",
    ];
    let mut client = client();
    client.open(URI, "threadwise", "");
    let mut state = 7u64;
    let mut below = |sides: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % sides
    };
    for version in 2..150 {
        let text: String = (0..below(14)).map(|_| PIECES[below(PIECES.len())]).collect();
        client.change(URI, version, &text);
        let mut params = crate::client::at(URI, below(5), below(30));
        params["newName"] = json!(["z", "x", "L", "while"][below(4)]);
        params["options"] = json!({ "tabSize": 2, "insertSpaces": true });
        for method in [
            "hover",
            "definition",
            "references",
            "documentHighlight",
            "prepareRename",
            "rename",
            "completion",
            "documentSymbol",
            "formatting",
            "semanticTokens/full",
            "codeLens",
        ] {
            let id = client.send(&format!("textDocument/{method}"), params.clone());
            let answer = client.answer(&id);
            assert_ne!(answer.err().as_deref(), Some("internal error"), "{method} of {text:?} with {params}");
        }
    }
    client.stop();
}
