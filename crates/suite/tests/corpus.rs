//! Every program of the corpus has the verdict that its comment says.

use std::collections::BTreeSet;
use std::time::Duration;
use threadwise_front_tw::parse;
use threadwise_limits::Budget;
use threadwise_oracle::{OracleVerdict, explore};
use threadwise_portfolio::{Request, verify};
use threadwise_source::SourceFile;
use threadwise_suite::{Example, corpus};
use threadwise_verdict::Verdict;

/// What an engine says within so many seconds; it has been judged.
fn verdict(example: &Example, engine: &str, seconds: u64) -> Verdict {
    let request = Request { engine: engine.parse().expect("an engine"), want_proof: true, ..Request::default() };
    verify(&example.program(), &request, &Budget::new(Some(Duration::from_secs(seconds)), Some(4 << 30))).verdict
}

fn expected(example: &Example) -> &'static str {
    if example.safe { "safe" } else { "unsafe" }
}

/// Whether the documentation says that no engine can be expected to decide it.
fn is_out_of_reach(example: &Example) -> bool {
    example.is_unknown_to("auto")
}

/// Nothing false is said of those, and nothing breaks.
#[test]
fn what_is_out_of_reach_is_unknown_at_worst() {
    threadwise_solver_setup::solver_for_tests();
    for example in corpus().iter().filter(|example| is_out_of_reach(example)) {
        let found = verdict(example, "auto", 3);
        let fine = ["unknown", expected(example)].contains(&found.word()) && !found.is_internal_error();
        assert!(fine, "{}: {found:?}", example.path.display());
    }
}

#[test]
fn every_program_has_the_verdict_that_it_says() {
    threadwise_solver_setup::solver_for_tests();
    let mut wrong = Vec::new();
    for example in corpus().into_iter().filter(|example| !example.slow && !is_out_of_reach(example)) {
        let engine = example.engine.as_deref().unwrap_or("auto");
        let found = verdict(&example, engine, 60);
        if found.word() != expected(&example) {
            wrong.push(format!("{} with {engine}: {found:?}", example.path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The naive interpreter, which shares nothing with the engines, where it comes to an end.
#[test]
fn the_interpreter_agrees() {
    let mut told = 0;
    for example in corpus().iter().filter(|example| !example.is_transition_system()) {
        let module = parse(&SourceFile::new("corpus", example.text.clone())).module;
        match explore(&module, &[], 3_000).verdict {
            OracleVerdict::Safe => assert!(example.safe, "{}", example.path.display()),
            OracleVerdict::Unsafe { .. } => assert!(!example.safe, "{}", example.path.display()),
            OracleVerdict::Unknown(_) => continue,
        }
        told += 1;
    }
    assert!(told >= 100, "it could only tell of {told}");
}

#[test]
fn there_are_at_least_a_hundred_different_programs() {
    let programs = corpus();
    let texts: BTreeSet<&str> = programs.iter().map(|example| example.text.as_str()).collect();
    let dangerous = programs.iter().filter(|example| !example.safe).count();
    assert_eq!(texts.len(), programs.len());
    assert!(programs.len() >= 100 && dangerous >= 40 && programs.len() - dangerous >= 40);
    for example in &programs {
        let is_named = example.path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("-buggy"));
        assert_eq!(is_named, !example.safe, "{}", example.path.display());
        let describes = |line: &str| line.starts_with("// ") && !line.contains(": SAFE") && !line.contains(": UNSAFE");
        assert!(example.text.lines().any(describes), "{} says what it is", example.path.display());
    }
}
