//! Messages to the client, and what it understands.

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// What the client can do, of what not all can.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Abilities {
    pub(crate) shows_progress: bool,
    pub(crate) refreshes_lenses: bool,
    pub(crate) opens_documents: bool,
}

impl Abilities {
    pub(crate) fn of(params: &Value) -> Abilities {
        let has = |path: &str| params.pointer(path).and_then(Value::as_bool).unwrap_or(false);
        Abilities {
            shows_progress: has("/capabilities/window/workDoneProgress"),
            refreshes_lenses: has("/capabilities/workspace/codeLens/refreshSupport"),
            opens_documents: has("/capabilities/window/showDocument/support"),
        }
    }
}

/// Where messages go.
pub(crate) struct Client {
    sender: crossbeam_channel::Sender<Message>,
    next_request: i32,
}

impl Client {
    pub(crate) fn new(sender: crossbeam_channel::Sender<Message>) -> Client {
        Client { sender, next_request: 0 }
    }

    /// A client that has gone away is noticed where its messages are read.
    fn send(&self, message: impl Into<Message>) {
        let _ = self.sender.send(message.into());
    }

    pub(crate) fn notify(&self, method: &str, params: impl Serialize) {
        self.send(Notification::new(method.to_string(), params));
    }

    /// Asks the client for something; the answers do not matter.
    pub(crate) fn request(&mut self, method: &str, params: impl Serialize) {
        self.next_request += 1;
        let id = RequestId::from(format!("threadwise-{}", self.next_request));
        self.send(Request::new(id, method.to_string(), params));
    }

    pub(crate) fn answer(&self, id: RequestId, result: Result<Value, Refusal>) {
        self.send(match result {
            Ok(value) => Response::new_ok(id, value),
            Err(refusal) => Response::new_err(id, refusal.code as i32, refusal.message),
        });
    }

    pub(crate) fn say(&self, message: &str) {
        const INFORMATION: u8 = 3;
        self.notify("window/showMessage", json!({ "type": INFORMATION, "message": message }));
    }
}

/// Why a request has no answer.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
}

impl Refusal {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Refusal {
        Refusal { code, message: message.into() }
    }
}

/// The parameters of a message.
pub(crate) fn params<T: DeserializeOwned>(value: Value) -> Result<T, Refusal> {
    serde_json::from_value(value).map_err(|error| Refusal::new(ErrorCode::InvalidParams, error.to_string()))
}

pub(crate) fn to_value(value: impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}
