//! `threadwise lsp` as an editor runs it: over standard input and output, with real verdicts.

use crate::runner::{run_with_input, scratch, threadwise};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

struct Server {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Server {
    fn start() -> Server {
        let mut child = threadwise(&["lsp"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let (to, from) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
        let mut server = Server { child, to, from: BufReader::new(from) };
        let capabilities = json!({ "window": { "workDoneProgress": true } });
        server.send(json!({ "id": 1, "method": "initialize", "params": { "capabilities": capabilities, "initializationOptions": { "timeout": 20 } } }));
        server.hear(|said| said["id"] == 1);
        server.send(json!({ "method": "initialized", "params": {} }));
        server
    }

    fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        let text = message.to_string();
        write!(self.to, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("it listens");
        self.to.flush().expect("it listens");
    }

    /// The next message that is as described.
    fn hear(&mut self, is_meant: impl Fn(&Value) -> bool) -> Value {
        loop {
            let mut length = 0;
            loop {
                let mut line = String::new();
                self.from.read_line(&mut line).expect("a header");
                match line.trim().strip_prefix("Content-Length: ") {
                    Some(number) => length = number.parse().expect("a number"),
                    None if line.trim().is_empty() => break,
                    None => {}
                }
            }
            assert!(length > 0, "the server has gone");
            let mut text = vec![0; length];
            self.from.read_exact(&mut text).expect("a message");
            let said: Value = serde_json::from_slice(&text).expect("JSON");
            if is_meant(&said) {
                return said;
            }
        }
    }

    fn save(&mut self, uri: &str) {
        self.send(json!({ "method": "textDocument/didSave", "params": { "textDocument": { "uri": uri } } }));
    }

    fn verdict(&mut self) -> String {
        let end = self.hear(|said| said["method"] == "$/progress" && said["params"]["value"]["kind"] == "end");
        end["params"]["value"]["message"].as_str().expect("a message").to_string()
    }

    fn stop(mut self) {
        self.send(json!({ "id": 99, "method": "shutdown" }));
        self.hear(|said| said["id"] == 99);
        self.send(json!({ "method": "exit" }));
        assert_eq!(self.child.wait().expect("it ends").code(), Some(0));
    }
}

fn open(server: &mut Server, path: &std::path::Path, language: &str, text: &str) -> String {
    std::fs::write(path, text).expect("it can be written");
    let uri = format!("file://{}", path.display());
    let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
    server.send(json!({ "method": "textDocument/didOpen", "params": { "textDocument": document } }));
    uri
}

#[test]
fn saved_programs_get_verdicts_pages_and_proofs() {
    let mut server = Server::start();
    let path = scratch("lsp.tw");
    let text = "shared x: 0..9;\nthread P { x = 1; assert x == 1; }\nthread Q { x = 2; }\n";
    let uri = open(&mut server, &path, "threadwise", text);
    server.save(&uri);
    assert_eq!(server.verdict(), "UNSAFE: assertion fails at line 2:19");
    let found = server.hear(|said| {
        said["method"] == "textDocument/publishDiagnostics" && said["params"]["diagnostics"][0]["code"] == "assertion"
    });
    let related = &found["params"]["diagnostics"][0]["relatedInformation"];
    assert_eq!(related.as_array().map(Vec::len), Some(2), "{related}");
    let command = json!({ "command": "threadwise.reportPath", "arguments": [uri] });
    server.send(json!({ "id": 2, "method": "workspace/executeCommand", "params": command }));
    let page = server.hear(|said| said["id"] == 2)["result"].as_str().expect("a path").to_string();
    assert!(std::fs::read_to_string(&page).expect("it is there").starts_with("<!DOCTYPE html>"));
    // Without the other thread it is safe, and the proof says what holds.
    let safe = "shared x: 0..9;\nthread P { x = 1; assert x == 1; }\n";
    std::fs::write(&path, safe).expect("it can be written");
    let change = json!({ "textDocument": { "uri": uri, "version": 2 }, "contentChanges": [{ "text": safe }] });
    server.send(json!({ "method": "textDocument/didChange", "params": change }));
    server.save(&uri);
    assert_eq!(server.verdict(), "SAFE");
    server.stop();
    assert!(!std::path::Path::new(&page).exists(), "nothing is left behind");
}

#[test]
fn a_c_program_gets_a_verdict_when_it_is_asked_for() {
    let mut server = Server::start();
    let path = scratch("lsp.c");
    let uri =
        open(&mut server, &path, "c", "#include <assert.h>\nint main(void) { int x = 1; assert(x == 2); return 0; }\n");
    let command = json!({ "command": "threadwise.verify", "arguments": [uri] });
    server.send(json!({ "id": 2, "method": "workspace/executeCommand", "params": command }));
    assert!(server.verdict().starts_with("UNSAFE: assertion fails"));
    server.stop();
}

#[test]
fn what_is_no_protocol_is_told() {
    let said = run_with_input(&["lsp"], "this is no message\r\n\r\n");
    assert_ne!(said.code, 0);
    assert!(said.stdout.is_empty(), "{}", said.stdout);
}
