//! What several of the modules need.

use std::path::{Path, PathBuf};
use threadwise_diagnostics::render;
use threadwise_front_tw::{ast::Module, parse, printer};
use threadwise_source::SourceFile;

/// All `.tw` files in a folder and the folders in it, sorted; none where there is no such folder.
pub fn programs_under(folder: &Path) -> Vec<PathBuf> {
    let mut programs = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        for path in entries.map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "tw") {
                programs.push(path);
            }
        }
    }
    programs.sort();
    programs
}

/// The tree as text without its spans: what two trees that mean the same have in common.
pub fn without_spans(module: &Module) -> String {
    let text = format!("{module:?}");
    let pieces = text.split("..").map(|piece| piece.trim_matches(|c: char| c.is_ascii_digit()));
    pieces.collect::<Vec<_>>().join("..")
}

/// The tree of a program without errors.
pub fn parse_clean(file: &SourceFile) -> Module {
    let parsed = parse(file);
    assert!(parsed.diagnostics.is_empty(), "{}", render(&file.clone().into(), &parsed.diagnostics, false));
    parsed.module
}

/// Prints the program and parses the result; the tree must be the same, and so must be its text.
pub fn assert_round_trip(file: &SourceFile) {
    let module = parse_clean(file);
    let printed = printer::print(&module);
    let again = parse_clean(&SourceFile::new("printed.tw", printed.clone()));
    assert_eq!(without_spans(&module), without_spans(&again), "{printed}");
    assert_eq!(printer::print(&again), printed);
}

/// What the user sees about a faulty program.
pub fn complaints(source: &str) -> String {
    let file = SourceFile::new("test.tw", source);
    let parsed = parse(&file);
    assert!(!parsed.diagnostics.is_empty(), "nothing is wrong with {source}");
    let source = file.into();
    let text = render(&source, &parsed.diagnostics, false);
    for diagnostic in &parsed.diagnostics {
        assert!(text.contains(&source.locate(diagnostic.span)), "the place is not shown: {text}");
    }
    text
}

/// How many statements, expressions and types lie on the longest way down the tree. The debug
/// text shows the whole tree, so this needs no visitor that could forget a part of it.
pub fn depth_of(module: &Module) -> usize {
    let text = format!("{module:?}");
    let (mut open, mut depth, mut deepest) = (Vec::new(), 0, 0);
    for (at, byte) in text.bytes().enumerate() {
        if byte == b'{' {
            let is_node = ["Stmt ", "Expr ", "Type "].iter().any(|name| text[..at].ends_with(name));
            open.push(is_node);
            depth += usize::from(is_node);
            deepest = deepest.max(depth);
        } else if byte == b'}' {
            depth -= usize::from(open.pop() == Some(true));
        }
    }
    deepest
}

/// All spans of a tree lie in the file on character boundaries.
pub fn assert_spans_fit(file: &SourceFile, module: &Module) {
    let text = format!("{module:?}");
    let mut pieces = text.split("..").peekable();
    while let (Some(before), Some(after)) = (pieces.next(), pieces.peek()) {
        let start = before.rsplit(|c: char| !c.is_ascii_digit()).next().and_then(|n| n.parse().ok());
        let end = after.split(|c: char| !c.is_ascii_digit()).next().and_then(|n| n.parse().ok());
        let (Some(start), Some(end)) = (start, end) else {
            continue;
        };
        assert_fits(file, start, end);
    }
}

/// A span lies in the file on character boundaries.
pub fn assert_fits(file: &SourceFile, start: u32, end: u32) {
    assert!(start <= end, "{start}..{end}");
    assert!(file.text().get(start as usize..end as usize).is_some(), "{start}..{end}");
}
