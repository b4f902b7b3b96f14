//! What a program declares, as a tree.

use crate::document::Document;
use crate::lsp;
use threadwise_editing::{Kind, Symbol};

/// All that is declared, with what belongs to it inside.
pub(crate) fn symbols(document: &Document) -> Vec<lsp::DocumentSymbol> {
    let all = &document.names().index.symbols;
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); all.len()];
    let mut roots = Vec::new();
    for (number, symbol) in all.iter().enumerate() {
        match symbol.parent {
            _ if symbol.kind == Kind::Bound => {}
            Some(parent) => children[parent].push(number),
            None => roots.push(number),
        }
    }
    roots.into_iter().map(|root| tree(document, &children, root)).collect()
}

fn tree(document: &Document, children: &[Vec<usize>], number: usize) -> lsp::DocumentSymbol {
    let names = document.names();
    let symbol: &Symbol = &names.index.symbols[number];
    lsp::DocumentSymbol {
        name: symbol.name.clone(),
        detail: symbol.detail.map(|span| names.file.snippet(span, 60)),
        kind: symbol_kind(symbol.kind),
        // The name must lie within the whole.
        range: document.text.range(symbol.extent.to(symbol.span)),
        selection_range: document.text.range(symbol.span),
        children: children[number].iter().map(|&child| tree(document, children, child)).collect(),
    }
}

fn symbol_kind(kind: Kind) -> lsp::SymbolKind {
    match kind {
        Kind::Constant => lsp::SymbolKind::Constant,
        Kind::Enumeration => lsp::SymbolKind::Enum,
        Kind::Member => lsp::SymbolKind::EnumMember,
        Kind::Record => lsp::SymbolKind::Struct,
        Kind::Field => lsp::SymbolKind::Field,
        Kind::Function | Kind::Procedure => lsp::SymbolKind::Function,
        Kind::Thread => lsp::SymbolKind::Class,
        Kind::Property => lsp::SymbolKind::Property,
        Kind::Label | Kind::Node => lsp::SymbolKind::Key,
        Kind::Shared | Kind::Parameter | Kind::Local | Kind::Bound => lsp::SymbolKind::Variable,
    }
}
