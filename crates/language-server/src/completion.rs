//! What can be written at a place.

use crate::document::Document;
use crate::hover::declaration;
use crate::lsp;
use std::collections::BTreeSet;
use threadwise_editing::Kind;

/// The words of the language. Those that may be names as well are among them.
const WORDS: &[&str] = &[
    "abstract",
    "acquire",
    "acquire_read",
    "acquire_write",
    "action",
    "assert",
    "assume",
    "atomic",
    "await",
    "bool",
    "break",
    "broadcast",
    "chan",
    "choose",
    "cond",
    "const",
    "continue",
    "count",
    "else",
    "enum",
    "exceptions",
    "exists",
    "false",
    "for",
    "forall",
    "fun",
    "goto",
    "guarantee",
    "i16",
    "i32",
    "i64",
    "i8",
    "if",
    "in",
    "init",
    "int",
    "inter",
    "invariant",
    "join",
    "lock",
    "loop",
    "minus",
    "mutex",
    "never",
    "nodeadlock",
    "none",
    "norace",
    "or",
    "ord",
    "proc",
    "receive",
    "record",
    "release",
    "release_read",
    "release_write",
    "rely",
    "return",
    "returns",
    "rwlock",
    "select",
    "self",
    "send",
    "set",
    "shared",
    "signal",
    "size",
    "skip",
    "start",
    "subset",
    "thread",
    "tid",
    "true",
    "type",
    "u16",
    "u32",
    "u64",
    "u8",
    "union",
    "var",
    "wait",
    "while",
    "idle",
];

pub(crate) fn completions(document: &Document, position: lsp::Position) -> Vec<lsp::CompletionItem> {
    let offset = document.offset(position);
    let names = document.names();
    let content = document.text.content();
    let before = content[..offset as usize].trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let wanted: Option<&[Kind]> = match before.chars().next_back() {
        // `0..N` is no field.
        Some('.') if !before.ends_with("..") => Some(&[Kind::Field, Kind::Local, Kind::Parameter]),
        Some('@') => Some(&[Kind::Label]),
        _ => None,
    };
    let mut items = Vec::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let visible = names.index.visible(offset).filter(|_| wanted.is_none());
    let after_sign = names.index.symbols.iter().filter(|symbol| wanted.is_some_and(|w| w.contains(&symbol.kind)));
    for symbol in visible.chain(after_sign) {
        let is_member = matches!(symbol.kind, Kind::Field | Kind::Label | Kind::Property);
        if (wanted.is_some() || !is_member) && seen.insert(&symbol.name) {
            let detail = declaration(symbol, |span| names.file.snippet(span, 80));
            items.push(item(&symbol.name, item_kind(symbol.kind), Some(detail)));
        }
    }
    if wanted.is_none() {
        let words = WORDS.iter().filter(|word| !seen.contains(*word));
        items.extend(words.map(|word| item(word, lsp::CompletionItemKind::Keyword, None)));
    }
    items
}

fn item_kind(kind: Kind) -> lsp::CompletionItemKind {
    match kind {
        Kind::Constant => lsp::CompletionItemKind::Constant,
        Kind::Enumeration => lsp::CompletionItemKind::Enum,
        Kind::Member => lsp::CompletionItemKind::EnumMember,
        Kind::Record => lsp::CompletionItemKind::Struct,
        Kind::Field => lsp::CompletionItemKind::Field,
        Kind::Function | Kind::Procedure => lsp::CompletionItemKind::Function,
        Kind::Thread => lsp::CompletionItemKind::Class,
        Kind::Property => lsp::CompletionItemKind::Property,
        Kind::Label | Kind::Node => lsp::CompletionItemKind::Reference,
        Kind::Shared | Kind::Parameter | Kind::Local | Kind::Bound => lsp::CompletionItemKind::Variable,
    }
}

fn item(label: &str, kind: lsp::CompletionItemKind, detail: Option<String>) -> lsp::CompletionItem {
    lsp::CompletionItem { label: label.to_string(), kind, detail }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words that are names as well, or start something only in some places.
    const ALSO_NAMES: [&str; 32] = [
        "await",
        "bool",
        "broadcast",
        "chan",
        "cond",
        "count",
        "exceptions",
        "fun",
        "i16",
        "i32",
        "i64",
        "i8",
        "idle",
        "int",
        "join",
        "lock",
        "mutex",
        "ord",
        "receive",
        "record",
        "rwlock",
        "select",
        "send",
        "set",
        "signal",
        "size",
        "start",
        "tid",
        "u16",
        "u32",
        "u64",
        "u8",
    ];

    #[test]
    fn words_are_those_of_the_language() {
        use threadwise_front_tw::lexer::tokenize;
        use threadwise_source::SourceFile;
        for word in WORDS {
            let (tokens, _) = tokenize(&SourceFile::new("", *word));
            let is_name = ALSO_NAMES.contains(word) || *word == "wait";
            assert!(tokens[0].kind.is_keyword() || is_name, "{word}");
        }
        let mut sorted = WORDS.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), WORDS.len());
    }
}
