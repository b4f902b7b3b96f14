//! What the server can do.

use crate::messages::to_value;
use crate::tokens::legend;
use gen_lsp_types as lsp;
use serde_json::{Value, json};

/// Verifies a document: its name.
pub(crate) const VERIFY: &str = "threadwise.verify";
/// Ends the run that is under way.
pub(crate) const CANCEL: &str = "threadwise.cancel";
/// Opens the last report of a document: its name.
pub(crate) const OPEN_REPORT: &str = "threadwise.openReport";
/// Where the last report of a document is, for clients that open it themselves.
pub(crate) const REPORT_PATH: &str = "threadwise.reportPath";

/// The answer to `initialize`.
pub(crate) fn initialize_result() -> Value {
    let capabilities = lsp::ServerCapabilities {
        position_encoding: Some(lsp::PositionEncodingKind::UTF16),
        text_document_sync: Some(lsp::TextDocumentSync::Options(lsp::TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(lsp::TextDocumentSyncKind::Incremental),
            save: Some(lsp::Save::Bool(true)),
            ..Default::default()
        })),
        completion_provider: Some(lsp::CompletionOptions {
            trigger_characters: Some(vec![".".to_string(), "@".to_string()]),
            ..Default::default()
        }),
        hover_provider: Some(true.into()),
        definition_provider: Some(true.into()),
        references_provider: Some(true.into()),
        document_highlight_provider: Some(true.into()),
        document_symbol_provider: Some(true.into()),
        code_lens_provider: Some(lsp::CodeLensOptions { resolve_provider: Some(false), ..Default::default() }),
        document_formatting_provider: Some(true.into()),
        rename_provider: Some(lsp::RenameOptions { prepare_provider: Some(true), ..Default::default() }.into()),
        execute_command_provider: Some(lsp::ExecuteCommandOptions {
            commands: [VERIFY, CANCEL, OPEN_REPORT, REPORT_PATH].map(str::to_string).to_vec(),
            work_done_progress_options: Default::default(),
        }),
        semantic_tokens_provider: Some(
            lsp::SemanticTokensOptions {
                legend: legend(),
                range: None,
                full: Some(true.into()),
                work_done_progress_options: Default::default(),
            }
            .into(),
        ),
        ..Default::default()
    };
    let info = json!({ "name": "threadwise", "version": env!("CARGO_PKG_VERSION") });
    json!({ "capabilities": to_value(capabilities), "serverInfo": info })
}
