//! Spans: diagnostics and traces print what lies under them.

use crate::common::parse_clean;
use threadwise_front_tw::ast::{Block, ItemKind, StmtKind};
use threadwise_source::SourceFile;

/// The text under the span of each statement of the first thread, outer ones first.
fn statement_texts(source: &str) -> Vec<String> {
    let file = SourceFile::new("test.tw", source);
    let module = parse_clean(&file);
    let ItemKind::Thread(thread) = &module.items[0].kind else { panic!("no thread") };
    let mut texts = Vec::new();
    collect(&file, &thread.body, &mut texts);
    texts
}

fn collect(file: &SourceFile, block: &Block, texts: &mut Vec<String>) {
    for stmt in &block.stmts {
        texts.push(file.slice(stmt.span).to_string());
        match &stmt.kind {
            StmtKind::Block(body) | StmtKind::Atomic(body) => collect(file, body, texts),
            StmtKind::If(_, yes, no) => {
                collect(file, yes, texts);
                no.iter().for_each(|no| collect(file, no, texts));
            }
            StmtKind::While(_, _, body) | StmtKind::Loop(_, body) => collect(file, body, texts),
            StmtKind::For(_, _, _, body) => collect(file, body, texts),
            StmtKind::Choose(branches) => {
                branches.iter().for_each(|branch| collect(file, branch, texts));
            }
            _ => {}
        }
    }
}

#[test]
fn simple_statements_reach_to_the_semicolon() {
    let texts = statement_texts("thread P { L: x = 1 ; M: N: skip; a[i] = p(x); end: }");
    assert_eq!(texts, ["x = 1 ;", "skip;", "a[i] = p(x);", ""]);
}

#[test]
fn compound_statements_are_their_heads() {
    let source = "thread P {
        L: if (x > 0) { skip; } else if (*) { } else { break; }
        while (x) invariant y { continue; }
        loop invariant y { return; }
        choose { } or { }
        for k in 0..N - 1 { }
        atomic { }
        { }
    }";
    let texts = statement_texts(source);
    let expected = [
        "if (x > 0)",
        "skip;",
        "if (*)",
        "break;",
        "while (x)",
        "continue;",
        "loop",
        "return;",
        "choose",
        "for k in 0..N - 1",
        "atomic",
        "{",
    ];
    assert_eq!(texts, expected);
}

#[test]
fn expressions_take_their_parentheses_in() {
    let file = SourceFile::new("test.tw", "invariant (a + b) * (c);");
    let module = parse_clean(&file);
    let ItemKind::Invariant(_, formula) = &module.items[0].kind else { panic!("no invariant") };
    assert_eq!(file.slice(formula.span), "(a + b) * (c)");
    assert_eq!(file.slice(module.items[0].span), file.text());
}

#[test]
fn types_and_edges() {
    let file = SourceFile::new("test.tw", "shared s: set<0..3>= {};abstract W { X -> Y [g] g' > 0; }");
    let module = parse_clean(&file);
    let ItemKind::Shared(variables) = &module.items[0].kind else { panic!("no variable") };
    assert_eq!(file.slice(variables.ty.span), "set<0..3>");
    let ItemKind::Abstract(thread) = &module.items[1].kind else { panic!("no abstract thread") };
    assert_eq!(file.slice(thread.edges[0].span), "X -> Y [g] g' > 0;");
}
