//! A scripted client.

use lsp_server::{Connection, Message, Notification, Request, RequestId};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use threadwise_language_server::{Settings, Verified, Verifier, serve};

/// Nothing takes longer than this.
const PATIENCE: Duration = Duration::from_secs(60);

/// A verifier that says what it is told to say, as slowly as it is told to.
#[derive(Default)]
pub struct Scripted {
    pub report: Mutex<Value>,
    pub duration: Mutex<Duration>,
    /// How many runs there have been, are going on, and went on at once at most.
    pub runs: AtomicUsize,
    pub now: AtomicUsize,
    pub most: AtomicUsize,
    pub cancelled: AtomicUsize,
}

impl Verifier for Scripted {
    fn verify(&self, file: &Path, settings: &Settings, stop: &AtomicBool) -> Verified {
        assert!(settings.timeout > 0.0);
        self.runs.fetch_add(1, Ordering::SeqCst);
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        let (started, duration) = (Instant::now(), *self.duration.lock().expect("nobody panicked"));
        while started.elapsed() < duration && !stop.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(2));
        }
        self.now.fetch_sub(1, Ordering::SeqCst);
        self.cancelled.fetch_add(usize::from(stop.load(Ordering::Relaxed)), Ordering::SeqCst);
        let report = self.report.lock().expect("nobody panicked").to_string();
        let report = serde_json::from_str(&report.replace("FILE", &file.to_string_lossy())).expect("it is JSON");
        // Any file that is there is a page.
        Verified {
            report,
            page: Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")),
            complaint: String::new(),
        }
    }
}

/// A client and its server.
pub struct Client {
    connection: Connection,
    server: Option<std::thread::JoinHandle<()>>,
    next: i32,
    /// Notifications and requests of the server that nobody has looked at.
    pub heard: Vec<Message>,
}

impl Client {
    pub fn start(verifier: Arc<dyn Verifier>) -> Client {
        Client::with_options(verifier, Value::Null)
    }

    pub fn with_options(verifier: Arc<dyn Verifier>, options: Value) -> Client {
        let (connection, theirs) = Connection::memory();
        let server = std::thread::Builder::new()
            .stack_size(256 << 20)
            .spawn(move || serve(&theirs, verifier).expect("the client keeps to the protocol"))
            .expect("a thread");
        let mut client = Client { connection, server: Some(server), next: 0, heard: Vec::new() };
        let capabilities = json!({
            "window": { "workDoneProgress": true, "showDocument": { "support": true } },
            "workspace": { "codeLens": { "refreshSupport": true } },
        });
        let answer =
            client.ask("initialize", json!({ "capabilities": capabilities, "initializationOptions": options }));
        assert_eq!(answer["serverInfo"]["name"], "threadwise");
        assert_eq!(answer["capabilities"]["textDocumentSync"]["change"], 2);
        client.tell("initialized", json!({}));
        client
    }

    pub fn tell(&self, method: &str, params: Value) {
        let message = Notification::new(method.to_string(), params);
        self.connection.sender.send(message.into()).expect("the server listens");
    }

    pub fn send(&mut self, method: &str, params: Value) -> RequestId {
        self.next += 1;
        let id = RequestId::from(self.next);
        let message = Request::new(id.clone(), method.to_string(), params);
        self.connection.sender.send(message.into()).expect("the server listens");
        id
    }

    /// The answer to a request, or its error.
    pub fn answer(&mut self, id: &RequestId) -> Result<Value, String> {
        loop {
            match self.connection.receiver.recv_timeout(PATIENCE).expect("there is an answer in time") {
                Message::Response(response) if response.id == *id => {
                    return response.response_result.map_err(|error| error.message);
                }
                other => self.heard.push(other),
            }
        }
    }

    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(&id).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    pub fn ask_at(&mut self, method: &str, uri: &str, line: usize, character: usize) -> Value {
        self.ask(method, at(uri, line, character))
    }

    pub fn open(&self, uri: &str, language: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    pub fn change(&self, uri: &str, version: i32, text: &str) {
        let document = json!({ "uri": uri, "version": version });
        self.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [{ "text": text }] }));
    }

    pub fn save(&self, uri: &str) {
        self.tell("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
    }

    /// The first message, heard before or to come, that is as described.
    pub fn hear(&mut self, is_meant: impl Fn(&str, &Value) -> bool) -> Value {
        let described = |message: &Message| match message {
            Message::Notification(said) => is_meant(&said.method, &said.params),
            Message::Request(said) => is_meant(&said.method, &said.params),
            Message::Response(_) => false,
        };
        loop {
            if let Some(place) = self.heard.iter().position(described) {
                // What came before it is of no interest any more.
                let message = self.heard.drain(..=place).next_back();
                return match message {
                    Some(Message::Notification(said)) => said.params,
                    Some(Message::Request(said)) => said.params,
                    _ => Value::Null,
                };
            }
            self.heard.push(self.connection.receiver.recv_timeout(PATIENCE).expect("it says so in time"));
        }
    }

    /// The diagnostics of a version of a document.
    pub fn diagnostics(&mut self, uri: &str, version: i32) -> Vec<Value> {
        let said = self.hear(|method, params| {
            method == "textDocument/publishDiagnostics" && params["uri"] == uri && params["version"] == version
        });
        said["diagnostics"].as_array().expect("a list").clone()
    }

    /// Waits for the end of a run; returns what was said at its end.
    pub fn end_of_run(&mut self) -> String {
        let said = self.hear(|method, params| method == "$/progress" && params["value"]["kind"] == "end");
        said["value"]["message"].as_str().expect("a message").to_string()
    }

    pub fn stop(mut self) {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        self.server.take().expect("it runs").join().expect("it ends in peace");
    }
}

pub fn at(uri: &str, line: usize, character: usize) -> Value {
    json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } })
}

/// `line:column` of the start of a range, from 0.
pub fn start(range: &Value) -> (u64, u64) {
    let number = |field: &str| range["start"][field].as_u64().expect("a number");
    (number("line"), number("character"))
}
