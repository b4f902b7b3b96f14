//! What the tests of the oracle have in common.
#![allow(dead_code)]

use std::collections::BTreeSet;
use threadwise_front_tw::ast::Module;
use threadwise_front_tw::parse;
use threadwise_oracle::{ErrorKind, Explored, OracleVerdict, explore};
use threadwise_source::{Severity, SourceFile};

/// The syntax tree of a program that has no syntax errors.
pub fn module(text: &str) -> Module {
    let parsed = parse(&SourceFile::new("test.tw", text));
    let errors: Vec<_> = parsed.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?} in {text}");
    parsed.module
}

/// All states of a program.
pub fn explored(text: &str) -> Explored {
    explore(&module(text), &[], 200_000)
}

/// Checks that a program is right and has this many states.
#[track_caller]
pub fn safe(text: &str, states: usize) {
    let explored = explored(text);
    assert_eq!((explored.verdict, explored.states), (OracleVerdict::Safe, states), "{text}");
}

/// Checks that a program is wrong in just this way after this many steps.
#[track_caller]
pub fn wrong(text: &str, kind: ErrorKind, depth: usize) {
    let explored = explored(text);
    let kinds = BTreeSet::from([kind]);
    assert_eq!((explored.verdict, explored.depth_of_error), (OracleVerdict::Unsafe { kinds }, Some(depth)), "{text}");
}

/// Checks that the oracle does not know.
#[track_caller]
pub fn unknown(text: &str) {
    let explored = explored(text);
    assert!(matches!(explored.verdict, OracleVerdict::Unknown(_)), "{explored:?} of {text}");
}
