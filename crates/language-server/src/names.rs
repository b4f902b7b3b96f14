//! Where names are declared and used, and new names for them.

use crate::document::{Document, Names};
use crate::lsp;
use std::collections::BTreeSet;
use threadwise_editing::Use;
use threadwise_front_tw::lexer::{TokenKind, tokenize};
use threadwise_source::{SourceFile, Span};

/// Where the name at a place is declared.
pub(crate) fn definition(document: &Document, position: lsp::Position) -> Vec<lsp::Location> {
    let names = document.names();
    let meant = meant(names, document.offset(position));
    let spans: BTreeSet<Span> = meant.into_iter().map(|found| names.index.symbols[found.symbol].span).collect();
    spans.into_iter().map(|span| location(document, span)).collect()
}

/// All places where names stand that mean the same.
pub(crate) fn references(document: &Document, position: lsp::Position, with_declaration: bool) -> Vec<lsp::Location> {
    let names = document.names();
    let declared: BTreeSet<Span> = match with_declaration {
        true => BTreeSet::new(),
        false => {
            names.index.at(document.offset(position)).map(|found| names.index.symbols[found.symbol].span).collect()
        }
    };
    let places = places(names, document.offset(position));
    places.into_iter().filter(|span| !declared.contains(span)).map(|span| location(document, span)).collect()
}

pub(crate) fn highlights(document: &Document, position: lsp::Position) -> Vec<lsp::DocumentHighlight> {
    let places = places(document.names(), document.offset(position));
    let highlight = |span| lsp::DocumentHighlight { range: document.text.range(span) };
    places.into_iter().map(highlight).collect()
}

/// The name that would get a new name.
pub(crate) fn renamed_range(document: &Document, position: lsp::Position) -> Option<lsp::Range> {
    let found = document.names().index.at(document.offset(position)).next()?;
    Some(document.text.range(found.span))
}

/// The edits that give a name another one, or why there are none.
pub(crate) fn rename(document: &Document, position: lsp::Position, new: &str) -> Result<Vec<lsp::TextEdit>, String> {
    if !is_name(new) {
        return Err(format!("`{new}` is not a name: write letters, digits and _, and no keyword"));
    }
    let names = document.names();
    let spans = places(names, document.offset(position));
    let Some(first) = spans.first() else { return Err("there is no name here".to_string()) };
    let old = names.file.slice(*first).to_string();
    let renamed = with_names(document.text.content(), &spans, new);
    if !means_the_same(names, &Names::of(&renamed), &spans, new.len() as i64 - old.len() as i64) {
        return Err(format!("`{new}` means something else where `{old}` is used, or the other way around"));
    }
    let edit = |span: &Span| lsp::TextEdit { range: document.text.range(*span), new_text: new.to_string() };
    Ok(spans.iter().map(edit).collect())
}

/// What the name at an offset means. Statements that are not understood have no names in the index; there a name means what it
/// would mean to a reader, the last of those that can be seen.
pub(crate) fn meant(names: &Names, offset: u32) -> Vec<Use> {
    let found: Vec<Use> = names.index.at(offset).copied().collect();
    if !found.is_empty() {
        return found;
    }
    let Some(span) = word_around(names.file.text(), offset as usize) else { return Vec::new() };
    let is_meant = |name: &str| name == names.file.slice(span);
    let visible: Vec<Span> = names.index.visible(offset).filter(|s| is_meant(&s.name)).map(|s| s.span).collect();
    let symbol = names.index.symbols.iter().position(|symbol| visible.last() == Some(&symbol.span));
    symbol.map(|symbol| Use { span, symbol }).into_iter().collect()
}

fn word_around(text: &str, offset: usize) -> Option<Span> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let start = text.get(..offset)?.trim_end_matches(is_part).len();
    let rest = &text[start..];
    let end = start + rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    (start < end).then(|| Span::new(start, end))
}

fn is_name(text: &str) -> bool {
    let (tokens, complaints) = tokenize(&SourceFile::new("", text));
    complaints.is_empty()
        && tokens.len() == 2
        && tokens[0].kind == TokenKind::Identifier
        && tokens[0].span.end as usize == text.len()
}

/// All places of what the name at an offset means. A label may be that of several threads, which are then tied together.
fn places(names: &Names, offset: u32) -> Vec<Span> {
    let mut symbols: BTreeSet<usize> = names.index.at(offset).map(|found| found.symbol).collect();
    loop {
        let spans: BTreeSet<Span> = symbols.iter().flat_map(|&symbol| names.index.places(symbol)).collect();
        let shared = names.index.uses.iter().filter(|found| spans.contains(&found.span)).map(|found| found.symbol);
        let all: BTreeSet<usize> = shared.collect();
        if all == symbols || spans.is_empty() {
            return spans.into_iter().collect();
        }
        symbols = all;
    }
}

fn with_names(text: &str, spans: &[Span], new: &str) -> String {
    let mut out = String::new();
    let mut end = 0;
    for span in spans {
        out.push_str(&text[end..span.start as usize]);
        out.push_str(new);
        end = span.end as usize;
    }
    out + &text[end..]
}

/// Whether every name of the new text means what it meant in the old one.
fn means_the_same(old: &Names, new: &Names, renamed: &[Span], longer: i64) -> bool {
    let moved = |offset: u32| {
        let before = renamed.partition_point(|span| span.start < offset);
        (i64::from(offset) + longer * before as i64) as u32
    };
    let expected: Vec<Use> = old
        .index
        .uses
        .iter()
        .map(|found| {
            let start = moved(found.span.start);
            let longer = if renamed.contains(&found.span) { longer } else { 0 };
            let length = i64::from(found.span.end - found.span.start) + longer;
            Use { span: Span { start, end: (i64::from(start) + length) as u32 }, symbol: found.symbol }
        })
        .collect();
    expected == new.index.uses
}

fn location(document: &Document, span: Span) -> lsp::Location {
    lsp::Location { uri: document.uri.clone(), range: document.text.range(span) }
}
