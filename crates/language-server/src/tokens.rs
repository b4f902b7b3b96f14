//! The colours of tokens, by what they mean.

use crate::document::Document;
use gen_lsp_types as lsp;
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

pub(crate) fn legend() -> lsp::SemanticTokensLegend {
    let list = |names: &[&str]| names.iter().map(|name| (*name).to_string()).collect();
    lsp::SemanticTokensLegend { token_types: list(&TYPES), token_modifiers: list(&MODIFIERS) }
}

pub(crate) fn tokens(document: &Document) -> Vec<lsp::SemanticToken> {
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
        out.push(lsp::SemanticToken {
            delta_line,
            delta_start: range.start.character - from,
            // No token spans lines.
            length: range.end.character.saturating_sub(range.start.character),
            token_type: TYPES.iter().position(|known| *known == name).unwrap_or(0) as u32,
            token_modifiers_bitset: modifiers,
        });
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
