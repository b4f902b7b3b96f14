//! What the server can do.

use crate::tokens::legend;
use serde_json::{Value, json};

/// Verifies a document: its name.
pub(crate) const VERIFY: &str = "threadwise.verify";
/// Ends the run that is under way.
pub(crate) const CANCEL: &str = "threadwise.cancel";
/// Opens the last report of a document: its name.
pub(crate) const OPEN_REPORT: &str = "threadwise.openReport";
/// Where the last report of a document is, for clients that open it themselves.
pub(crate) const REPORT_PATH: &str = "threadwise.reportPath";

/// Of a document that changes, the changes are sent, and not the whole.
const CHANGES_ARE_PARTS: u8 = 2;

/// The answer to `initialize`.
pub(crate) fn initialize_result() -> Value {
    let capabilities = json!({
        "positionEncoding": "utf-16",
        "textDocumentSync": { "openClose": true, "change": CHANGES_ARE_PARTS, "save": true },
        "completionProvider": { "triggerCharacters": [".", "@"] },
        "hoverProvider": true,
        "definitionProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "documentSymbolProvider": true,
        "codeLensProvider": { "resolveProvider": false },
        "documentFormattingProvider": true,
        "renameProvider": { "prepareProvider": true },
        "executeCommandProvider": { "commands": [VERIFY, CANCEL, OPEN_REPORT, REPORT_PATH] },
        "semanticTokensProvider": { "legend": legend(), "full": true },
    });
    let info = json!({ "name": "threadwise", "version": env!("CARGO_PKG_VERSION") });
    json!({ "capabilities": capabilities, "serverInfo": info })
}
