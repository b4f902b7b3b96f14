//! The colours of tokens, by what they mean.

use crate::document::Document;
use crate::lsp;
use serde_json::{Value, json};
use std::collections::HashMap;
use threadwise_editing::Kind;
use threadwise_front_tw::lexer::{TokenKind, tokenize};
use threadwise_source::Span;

/// The kinds of tokens that are told apart, in the order of their numbers.
const TYPES: [&str; 11] = [
    "keyword",
    "number",
    "string",
    "variable",
    "parameter",
    "property",
    "enum",
    "enumMember",
    "struct",
    "function",
    "class",
];
/// A name where it is declared, one that does not change, one that all threads see.
const MODIFIERS: [&str; 3] = ["declaration", "readonly", "static"];

pub(crate) fn legend() -> Value {
    json!({ "tokenTypes": TYPES, "tokenModifiers": MODIFIERS })
}

/// Five numbers for each token: lines and columns since the one before, its length, its type, the set of its modifiers.
pub(crate) fn tokens(document: &Document) -> Vec<u32> {
    let names = document.names();
    let (tokens, _) = tokenize(&names.file);
    let meanings: HashMap<Span, usize> = names.index.uses.iter().map(|found| (found.span, found.symbol)).collect();
    let mut out = Vec::new();
    let mut last = lsp::Position { line: 0, character: 0 };
    for token in tokens {
        let (name, modifiers) = match token.kind {
            TokenKind::Identifier => {
                let Some(symbol) = meanings.get(&token.span).map(|&symbol| &names.index.symbols[symbol]) else {
                    continue;
                };
                let is_declared = u32::from(symbol.span == token.span);
                let is_fixed = u32::from(matches!(symbol.kind, Kind::Constant | Kind::Member | Kind::Bound));
                let is_shared = u32::from(symbol.kind == Kind::Shared);
                (type_of(symbol.kind), is_declared | is_fixed << 1 | is_shared << 2)
            }
            TokenKind::Integer => ("number", 0),
            TokenKind::Text => ("string", 0),
            kind if kind.is_keyword() => ("keyword", 0),
            _ => continue,
        };
        let range = document.text.range(token.span);
        let delta_line = range.start.line - last.line;
        let from = if delta_line == 0 { last.character } else { 0 };
        last = range.start;
        // No token spans lines.
        let length = range.end.character.saturating_sub(range.start.character);
        let number = TYPES.iter().position(|known| *known == name).unwrap_or(0) as u32;
        out.extend([delta_line, range.start.character - from, length, number, modifiers]);
    }
    out
}

fn type_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Constant | Kind::Shared | Kind::Local | Kind::Bound => "variable",
        Kind::Parameter => "parameter",
        Kind::Field | Kind::Property | Kind::Label | Kind::Node => "property",
        Kind::Enumeration => "enum",
        Kind::Member => "enumMember",
        Kind::Record => "struct",
        Kind::Function | Kind::Procedure => "function",
        Kind::Thread => "class",
    }
}
