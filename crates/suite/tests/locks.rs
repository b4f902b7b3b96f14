//! Engine `locks` on the corpus written for it, and its proofs in files.

use std::collections::BTreeMap;
use std::sync::Arc;
use threadwise_check::check;
use threadwise_evidence::Proof;
use threadwise_evidence_files::{ProofFile, write_proof};
use threadwise_ir::Program;
use threadwise_limits::Budget;
use threadwise_portfolio::{EngineChoice, EngineName, Outcome, Request, verify};
use threadwise_suite::{Example, corpus, locked_program, program};
use threadwise_verdict::Verdict;

fn asked(program: &Arc<Program>) -> Outcome {
    let request =
        Request { engine: EngineName::Locks.into(), want_proof: true, in_company: true, ..Request::default() };
    verify(program, &request, &Budget::unlimited())
}

fn programs() -> Vec<Example> {
    let is_here = |example: &Example| example.path.components().any(|part| part.as_os_str() == "locks");
    corpus().into_iter().filter(is_here).collect()
}

#[test]
fn what_is_right_is_proved_and_nothing_else() {
    for example in programs() {
        let outcome = asked(&example.program());
        let is_proved = matches!(outcome.verdict, Verdict::Safe(_));
        let expected = example.safe && !example.is_unknown_to("locks");
        assert_eq!(is_proved, expected, "{}: {:?}", example.path.display(), outcome.verdict);
    }
    let dangerous = programs().iter().filter(|example| !example.safe).count();
    assert!(dangerous >= 15 && programs().len() - dangerous >= 15);
}

#[test]
fn proofs_are_written_and_read() {
    for example in programs().into_iter().filter(|example| example.safe && !example.is_unknown_to("locks")) {
        let program = example.program();
        let Some(Proof::Protection(proof)) = asked(&program).proof else { panic!("{}", example.path.display()) };
        let mut file = Vec::new();
        write_proof(&mut file, &program, &Proof::Protection(proof.clone()), &BTreeMap::new()).expect("it is written");
        let read = ProofFile::read(&file[..]).and_then(|file| file.into_proof(&program)).expect("it is read");
        let Proof::Protection(back) = &read else { panic!("another kind") };
        assert_eq!(*back, proof, "{}", example.path.display());
        check(&program, &read, &Budget::unlimited()).expect("it is still right");
        damaged_files_are_refused(&program, &String::from_utf8(file).expect("text"));
    }
}

/// Whatever is in a file, reading it gives an error or something for the judge.
fn damaged_files_are_refused(program: &Arc<Program>, text: &str) {
    let digits = text.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at);
    for at in digits.step_by(3) {
        let damaged = format!("{}9{}", &text[..at], &text[at + 1..]);
        if let Ok(proof) = ProofFile::read(damaged.as_bytes()).and_then(|file| file.into_proof(program)) {
            let _ = check(program, &proof, &Budget::unlimited());
        }
    }
}

/// It comes first where it can answer, and is not asked where it cannot.
#[test]
fn auto_asks_it_first() {
    let request = Request::default();
    let by = |text: &str| verify(&program("test.tw", text), &request, &Budget::unlimited()).engine;
    let locked = "shared m: mutex; shared x: int; thread W[*] { acquire(m); x = x + 1; release(m); } norace x;";
    assert_eq!(by(locked), EngineChoice::Only(EngineName::Locks));
    let race = "shared x: int; thread W[2] { x = 1; } norace x;";
    assert_eq!(by(race), EngineChoice::Only(EngineName::Explicit));
}

/// A large program takes time in proportion: the number of edges is what it should be, and all of it is proved.
#[test]
fn large_programs_are_proved() {
    let text = locked_program(1_000, 100);
    let program = program("large.tw", &text);
    assert!(program.edges.len() >= 1_000, "{}", program.edges.len());
    let outcome = asked(&program);
    assert!(matches!(outcome.verdict, Verdict::Safe(_)), "{:?}", outcome.verdict);
}
