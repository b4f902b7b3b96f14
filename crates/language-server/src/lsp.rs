//! The messages of the language server protocol, as far as they are spoken here, under the names that it gives them. Fields that
//! the server never fills, and never looks at, are left out: both are the same to the other side.

use serde::{Deserialize, Serialize};

/// The address of a document.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Uri(pub(crate) String);

/// A line, and a column in units of UTF-16, both from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Position {
    pub(crate) line: u32,
    pub(crate) character: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Range {
    pub(crate) start: Position,
    pub(crate) end: Position,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Location {
    pub(crate) uri: Uri,
    pub(crate) range: Range,
}

/// A part of a text to replace; without a range, all of it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct TextDocumentContentChangeEvent {
    pub(crate) range: Option<Range>,
    pub(crate) text: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct TextDocumentIdentifier {
    pub(crate) uri: Uri,
}

#[derive(Debug, Deserialize)]
pub(crate) struct VersionedTextDocumentIdentifier {
    pub(crate) uri: Uri,
    pub(crate) version: i32,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TextDocumentItem {
    pub(crate) uri: Uri,
    pub(crate) language_id: String,
    pub(crate) version: i32,
    pub(crate) text: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DidOpenTextDocumentParams {
    pub(crate) text_document: TextDocumentItem,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DidChangeTextDocumentParams {
    pub(crate) text_document: VersionedTextDocumentIdentifier,
    pub(crate) content_changes: Vec<TextDocumentContentChangeEvent>,
}

/// What tells that a document was saved, or closed.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DocumentParams {
    pub(crate) text_document: TextDocumentIdentifier,
}

#[derive(Debug, Deserialize)]
pub(crate) struct TextDocumentPositionParams {
    pub(crate) position: Position,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RenameParams {
    pub(crate) position: Position,
    pub(crate) new_name: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ExecuteCommandParams {
    pub(crate) command: String,
    #[serde(default)]
    pub(crate) arguments: Vec<serde_json::Value>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Diagnostic {
    pub(crate) range: Range,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) severity: Option<DiagnosticSeverity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<String>,
    pub(crate) source: &'static str,
    pub(crate) message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<DiagnosticTag>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) related_information: Vec<DiagnosticRelatedInformation>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct DiagnosticRelatedInformation {
    pub(crate) location: Location,
    pub(crate) message: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct PublishDiagnosticsParams {
    pub(crate) uri: Uri,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<i32>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Command {
    pub(crate) title: String,
    pub(crate) command: String,
    pub(crate) arguments: Vec<serde_json::Value>,
}

#[derive(Debug, Serialize)]
pub(crate) struct CodeLens {
    pub(crate) range: Range,
    pub(crate) command: Command,
}

#[derive(Debug, Serialize)]
pub(crate) struct CompletionItem {
    pub(crate) label: String,
    pub(crate) kind: CompletionItemKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) detail: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct DocumentHighlight {
    pub(crate) range: Range,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DocumentSymbol {
    pub(crate) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) detail: Option<String>,
    pub(crate) kind: SymbolKind,
    pub(crate) range: Range,
    pub(crate) selection_range: Range,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) children: Vec<DocumentSymbol>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TextEdit {
    pub(crate) range: Range,
    pub(crate) new_text: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct Hover {
    pub(crate) contents: MarkupContent,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) range: Option<Range>,
}

/// Text in Markdown.
#[derive(Debug, Serialize)]
pub(crate) struct MarkupContent {
    pub(crate) kind: &'static str,
    pub(crate) value: String,
}

/// The protocol has numbers for kinds.
macro_rules! kinds {
    ($($name:ident { $($kind:ident = $number:literal),* })*) => {
        $(
            #[derive(Clone, Copy, PartialEq, Eq, Debug)]
            pub(crate) enum $name { $($kind = $number),* }

            impl Serialize for $name {
                fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    serializer.serialize_u8(*self as u8)
                }
            }
        )*
    };
}

kinds! {
    DiagnosticSeverity { Error = 1, Warning = 2, Hint = 4 }
    DiagnosticTag { Unnecessary = 1 }
    SymbolKind {
        Class = 5, Property = 7, Field = 8, Enum = 10, Function = 12, Variable = 13, Constant = 14, Key = 20,
        EnumMember = 22, Struct = 23
    }
    CompletionItemKind {
        Function = 3, Field = 5, Variable = 6, Class = 7, Property = 10, Enum = 13, Keyword = 14, Reference = 18,
        EnumMember = 20, Constant = 21, Struct = 22
    }
}
