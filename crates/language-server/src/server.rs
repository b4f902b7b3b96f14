//! The loop that reads messages, and who answers them.

use crate::analysis::{Analysed, analyse, diagnostic};
use crate::capabilities::{CANCEL, OPEN_REPORT, REPORT_PATH, VERIFY, initialize_result};
use crate::document::{Document, Language};
use crate::findings::Finding;
use crate::lsp;
use crate::messages::{Abilities, Client, Refusal, params, to_value};
use crate::places::uri_of;
use crate::runs::{Ended, Job, Runs};
use crate::{Settings, Verifier, completion, hover, layout, names, symbols, tokens};
use crossbeam_channel::{Receiver, Sender, unbounded};
use lsp_server::{Connection, ErrorCode, Message, Notification, ProtocolError, Request};
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};
use threadwise_workers::on_large_stack;

/// A text is looked at when nobody has typed for so long…
const PAUSE: Duration = Duration::from_millis(150);
/// …or when somebody has typed without such a pause for so long.
const LONGEST_WAIT: Duration = Duration::from_millis(1000);
/// How often progress is told.
const TICK: Duration = Duration::from_millis(250);

/// Serves a client until it says that it is done, or goes away.
pub fn serve(connection: &Connection, verifier: Arc<dyn Verifier>) -> Result<(), ProtocolError> {
    let (id, params) = connection.initialize_start()?;
    connection.initialize_finish(id, initialize_result())?;
    let (tell_ended, ended) = unbounded();
    let (tell_analysed, analysed) = unbounded();
    let abilities = Abilities::of(&params);
    let mut server = Server {
        client: Client::new(connection.sender.clone()),
        abilities,
        settings: Settings::default().updated(&params["initializationOptions"]),
        documents: BTreeMap::new(),
        runs: Runs::new(verifier, tell_ended, abilities),
        tell_analysed,
        inbox: VecDeque::new(),
    };
    let result = server.run(connection, &ended, &analysed);
    server.runs.cancel_all();
    result
}

struct Server {
    client: Client,
    abilities: Abilities,
    settings: Settings,
    documents: BTreeMap<String, Document>,
    runs: Runs,
    tell_analysed: Sender<(String, Analysed)>,
    /// Messages that have come and are not dealt with.
    inbox: VecDeque<Message>,
}

impl Server {
    fn run(
        &mut self,
        connection: &Connection,
        ended: &Receiver<Ended>,
        analysed: &Receiver<(String, Analysed)>,
    ) -> Result<(), ProtocolError> {
        loop {
            crossbeam_channel::select! {
                recv(connection.receiver) -> message => match message {
                    Ok(message) => self.inbox.push_back(message),
                    // The client has gone without a word.
                    Err(_) => return Ok(()),
                },
                recv(ended) -> run => run.into_iter().for_each(|run| self.verified(run)),
                recv(analysed) -> found => found.into_iter().for_each(|(uri, found)| self.analysed(&uri, found)),
                default(self.patience()) => {}
            }
            // What has come meanwhile may take back what came before.
            self.inbox.extend(connection.receiver.try_iter());
            while let Some(message) = self.inbox.pop_front() {
                match message {
                    Message::Request(request) if request.method == "shutdown" => {
                        self.runs.cancel_all();
                        connection.handle_shutdown(&request)?;
                        return Ok(());
                    }
                    Message::Request(request) => self.request(request),
                    Message::Notification(notification) if notification.method == "exit" => return Ok(()),
                    Message::Notification(notification) => self.notification(notification),
                    Message::Response(_) => {}
                }
            }
            self.start_analyses();
            self.runs.tell_progress(&self.settings, &self.client);
        }
    }

    /// How long there is nothing to do.
    fn patience(&self) -> Duration {
        let now = Instant::now();
        let due = self.documents.values().filter(|document| !document.is_being_analysed).filter_map(due);
        let longest = if self.runs.is_idle() { Duration::from_secs(3600) } else { TICK };
        due.map(|due| due.saturating_duration_since(now)).min().unwrap_or(longest).min(longest)
    }

    fn request(&mut self, request: Request) {
        let cancelled = |message: &Message| matches!(message, Message::Notification(n) if n.method == "$/cancelRequest" && n.params["id"] == json!(request.id));
        let result = match self.inbox.iter().any(cancelled) {
            true => Err(Refusal::new(ErrorCode::RequestCanceled, "cancelled")),
            false => {
                let work = AssertUnwindSafe(|| self.answer(&request.method, request.params));
                catch_unwind(work).unwrap_or_else(|_| Err(Refusal::new(ErrorCode::InternalError, "internal error")))
            }
        };
        self.client.answer(request.id, result);
    }

    fn answer(&mut self, method: &str, value: Value) -> Result<Value, Refusal> {
        if method == "workspace/executeCommand" {
            let params: lsp::ExecuteCommandParams = params(value)?;
            return self.command(&params.command, params.arguments);
        }
        let uri = value.pointer("/textDocument/uri").and_then(Value::as_str).map(str::to_string);
        let document = uri.and_then(|uri| self.documents.get(&uri));
        let Some(document) = document else {
            return match method.starts_with("textDocument/") {
                true => Err(Refusal::new(ErrorCode::InvalidParams, "the document is not open")),
                false => Err(Refusal::new(ErrorCode::MethodNotFound, format!("`{method}` is not known here"))),
            };
        };
        if method == "textDocument/codeLens" {
            return Ok(to_value(self.lenses(document)));
        }
        let at = || params::<lsp::TextDocumentPositionParams>(value.clone()).map(|params| params.position);
        if document.language != Language::Threadwise {
            // Of other languages there are verdicts and nothing else; hover tells what they say.
            return Ok(if method == "textDocument/hover" {
                to_value(hover::hover(document, at()?))
            } else {
                Value::Null
            });
        }
        Ok(match method {
            "textDocument/hover" => to_value(hover::hover(document, at()?)),
            "textDocument/definition" => to_value(names::definition(document, at()?)),
            "textDocument/references" => {
                let with_declaration = value.pointer("/context/includeDeclaration").and_then(Value::as_bool);
                to_value(names::references(document, at()?, with_declaration.unwrap_or(true)))
            }
            "textDocument/documentHighlight" => to_value(names::highlights(document, at()?)),
            "textDocument/prepareRename" => to_value(names::renamed_range(document, at()?)),
            "textDocument/rename" => {
                let params: lsp::RenameParams = params(value)?;
                let edits = names::rename(document, params.position, &params.new_name)
                    .map_err(|message| Refusal::new(ErrorCode::RequestFailed, message))?;
                json!({ "changes": { document.uri.0.clone(): edits } })
            }
            "textDocument/completion" => to_value(completion::completions(document, at()?)),
            "textDocument/documentSymbol" => to_value(symbols::symbols(document)),
            "textDocument/formatting" => to_value(layout::layout(document)),
            "textDocument/semanticTokens/full" => json!({ "data": tokens::tokens(document) }),
            _ => return Err(Refusal::new(ErrorCode::MethodNotFound, format!("`{method}` is not known here"))),
        })
    }

    fn notification(&mut self, notification: Notification) {
        let work = AssertUnwindSafe(|| self.notified(&notification.method, notification.params));
        // A message that cannot be understood is no reason to stop.
        let _ = catch_unwind(work);
    }

    fn notified(&mut self, method: &str, value: Value) -> Result<(), Refusal> {
        match method {
            "textDocument/didOpen" => {
                let item = params::<lsp::DidOpenTextDocumentParams>(value)?.text_document;
                let mut document = Document::new(item.uri.clone(), &item.language_id, item.version, item.text);
                touch(&mut document);
                self.documents.insert(item.uri.0, document);
            }
            "textDocument/didChange" => {
                let change: lsp::DidChangeTextDocumentParams = params(value)?;
                let identifier = change.text_document;
                if let Some(document) = self.documents.get_mut(&identifier.uri.0) {
                    let text = change.content_changes.iter().fold((*document.text).clone(), |text, c| text.changed(c));
                    document.set_text(text, identifier.version);
                    touch(document);
                }
            }
            "textDocument/didSave" => {
                let uri = params::<lsp::DocumentParams>(value)?.text_document.uri;
                self.saved(&uri);
            }
            "textDocument/didClose" => {
                let uri = params::<lsp::DocumentParams>(value)?.text_document.uri;
                self.runs.cancel(&uri);
                if self.documents.remove(&uri.0).is_some() {
                    self.publish_list(uri, None, Vec::new());
                }
            }
            "workspace/didChangeConfiguration" => self.settings = self.settings.updated(&value["settings"]),
            "window/workDoneProgress/cancel" => self.runs.cancel_token(&value_text(&value["token"])),
            _ => {}
        }
        Ok(())
    }

    fn saved(&mut self, uri: &lsp::Uri) {
        let Some(document) = self.documents.get_mut(&uri.0) else { return };
        document.saved = Some(document.text.clone());
        let is_ours = document.language != Language::Other || document.is_asked || self.settings.other_languages;
        if self.settings.verify_on_save && is_ours {
            self.verify(uri);
        }
    }

    /// Verifies what is in the file.
    fn verify(&mut self, uri: &lsp::Uri) {
        let Some(document) = self.documents.get(&uri.0) else { return };
        let (Some(path), Some(text)) = (document.path.clone(), document.saved.clone()) else { return };
        let job = Job { uri: uri.clone(), path, text };
        self.runs.add(job, &self.settings, &mut self.client);
        self.refresh_lenses();
    }

    fn verified(&mut self, ended: Ended) {
        let Ended { job, verified, is_cancelled } = ended;
        if is_cancelled {
            self.runs.finish(&self.client, "cancelled");
        } else if let Some(document) = self.documents.get_mut(&job.uri.0) {
            let finding = Finding::new(verified, job.path, job.text);
            let headline = finding.headline(&document.text);
            document.finding = Some(finding);
            self.runs.finish(&self.client, &headline);
            self.publish(&job.uri.0);
        } else {
            self.runs.finish(&self.client, "closed");
        }
        self.runs.start_next(&self.settings, &mut self.client);
        self.refresh_lenses();
    }

    fn refresh_lenses(&mut self) {
        if self.abilities.refreshes_lenses {
            self.client.request("workspace/codeLens/refresh", Value::Null);
        }
    }

    /// Looks at the texts that have changed, each by itself. One that is being looked at is not looked at a second time before
    /// that is over, however often it changes meanwhile.
    fn start_analyses(&mut self) {
        let now = Instant::now();
        for (uri, document) in &mut self.documents {
            if document.is_being_analysed || due(document).is_none_or(|due| due > now) {
                continue;
            }
            document.changed = None;
            document.is_being_analysed = true;
            let (name, text, version) = (document.name(), document.text.clone(), document.version);
            let (tell, uri) = (self.tell_analysed.clone(), uri.clone());
            let work = move || {
                let found = catch_unwind(AssertUnwindSafe(|| analyse(&name, &text, version)));
                let _ = tell.send((uri, found.unwrap_or(Analysed { version, ..Analysed::default() })));
            };
            if on_large_stack("analysis", work).is_none() {
                document.is_being_analysed = false;
            }
        }
    }

    fn analysed(&mut self, uri: &str, found: Analysed) {
        let Some(document) = self.documents.get_mut(uri) else { return };
        document.is_being_analysed = false;
        if found.version == document.version {
            document.analysed = Some(found);
            self.publish(uri);
        }
    }

    /// Tells what is wrong with a document, as far as it is known of its present text.
    fn publish(&self, uri: &str) {
        let Some(document) = self.documents.get(uri) else { return };
        let analysed = document.analysed.iter().filter(|analysed| analysed.version == document.version);
        let found = analysed.flat_map(|analysed| &analysed.diagnostics);
        let mut all: Vec<lsp::Diagnostic> = found.map(|d| diagnostic(&document.uri, &document.text, d)).collect();
        let is_typed = document.language != Language::Other;
        if let Some(finding) = document.finding.as_ref().filter(|finding| !(is_typed && finding.verdict() == "error")) {
            all.extend(finding.diagnostics(&document.uri, &document.text));
        }
        self.publish_list(document.uri.clone(), Some(document.version), all);
    }

    fn publish_list(&self, uri: lsp::Uri, version: Option<i32>, diagnostics: Vec<lsp::Diagnostic>) {
        self.client
            .notify("textDocument/publishDiagnostics", lsp::PublishDiagnosticsParams { uri, version, diagnostics });
    }

    /// The verdict above the first line, and the way to its report there and above the error.
    fn lenses(&self, document: &Document) -> Vec<lsp::CodeLens> {
        let lens = |line: u32, title: String, command: &str| {
            let place = lsp::Position { line, character: 0 };
            let arguments = vec![Value::from(document.uri.0.clone())];
            let command = lsp::Command { title, command: command.to_string(), arguments };
            lsp::CodeLens { range: lsp::Range { start: place, end: place }, command }
        };
        if document.path.is_none() {
            return Vec::new();
        }
        let mut lenses = Vec::new();
        if let Some(finding) = &document.finding {
            let headline = finding.headline(&document.text);
            match finding.page {
                Some(_) => lenses.push(lens(0, format!("{headline} · open the report"), OPEN_REPORT)),
                None => lenses.push(lens(0, headline, VERIFY)),
            }
            let steps = finding.steps();
            if let Some(line) = finding.line_of_error(&document.text).filter(|_| finding.page.is_some()) {
                lenses.push(lens(line, format!("walk through the trace ({steps} steps)"), OPEN_REPORT));
            }
        }
        lenses.push(match self.runs.is_at(&document.uri) {
            true => lens(0, "verifying… cancel".to_string(), CANCEL),
            false if document.finding.is_some() => lens(0, "verify again".to_string(), VERIFY),
            false => lens(0, "verify".to_string(), VERIFY),
        });
        lenses
    }

    fn command(&mut self, command: &str, arguments: Vec<Value>) -> Result<Value, Refusal> {
        let uri = lsp::Uri(arguments.first().map(value_text).unwrap_or_default());
        let Some(document) = self.documents.get_mut(&uri.0) else {
            return Err(Refusal::new(ErrorCode::InvalidParams, "the document is not open"));
        };
        match command {
            VERIFY => {
                document.is_asked = true;
                if document.path.is_none() {
                    return Err(Refusal::new(ErrorCode::RequestFailed, "save the document to a file first"));
                }
                if !document.is_saved() {
                    let words = "what was saved last is verified; save the file to verify what is in the editor";
                    self.client.say(words);
                }
                self.verify(&uri);
                Ok(Value::Null)
            }
            CANCEL => {
                self.runs.cancel(&uri);
                self.refresh_lenses();
                Ok(Value::Null)
            }
            OPEN_REPORT | REPORT_PATH => {
                let page = document.finding.as_ref().and_then(|finding| finding.page.clone());
                let page = page.filter(|page| page.exists());
                let Some(page) = page else {
                    return Err(Refusal::new(ErrorCode::RequestFailed, "there is no report on this document yet"));
                };
                if command == OPEN_REPORT && self.abilities.opens_documents {
                    self.client.request("window/showDocument", json!({ "uri": uri_of(&page), "external": true }));
                } else if command == OPEN_REPORT {
                    self.client.say(&format!("the report is in {}", page.display()));
                }
                Ok(Value::from(page.to_string_lossy().into_owned()))
            }
            _ => Err(Refusal::new(ErrorCode::InvalidParams, format!("there is no command `{command}`"))),
        }
    }
}

/// A document has changed.
fn touch(document: &mut Document) {
    if document.language == Language::Other {
        return;
    }
    let now = Instant::now();
    let first = document.changed.map_or(now, |(first, _)| first);
    document.changed = Some((first, now));
}

/// When a document that has changed is to be looked at.
fn due(document: &Document) -> Option<Instant> {
    let (first, last) = document.changed?;
    Some((last + PAUSE).min(first + LONGEST_WAIT))
}

fn value_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}
