//! Engine `intervals` on the corpus written for it, its proofs in files, and random programs: its judge accepts all that it claims.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use threadwise_check::{CheckError, check};
use threadwise_evidence::Proof;
use threadwise_evidence_files::{ProofFile, write_proof};
use threadwise_ir::Program;
use threadwise_limits::Budget;
use threadwise_portfolio::{EngineName, Outcome, Request, verify};
use threadwise_solver_setup::solver_for_tests;
use threadwise_suite::{Example, corpus, random_locked, try_program};
use threadwise_verdict::Verdict;

const PROGRAMS: u64 = 150;

fn asked(program: &Arc<Program>, budget: &Budget) -> Outcome {
    let request =
        Request { engine: EngineName::Intervals.into(), want_proof: true, in_company: true, ..Request::default() };
    verify(program, &request, budget)
}

fn programs() -> Vec<Example> {
    let is_here = |example: &Example| example.path.parent().is_some_and(|folder| folder.ends_with("corpus/intervals"));
    corpus().into_iter().filter(is_here).collect()
}

#[test]
fn what_is_right_is_proved_and_nothing_else() {
    solver_for_tests();
    for example in programs() {
        let outcome = asked(&example.program(), &Budget::unlimited());
        let is_proved = matches!(outcome.verdict, Verdict::Safe(_));
        let expected = example.safe && !example.is_unknown_to("intervals");
        assert_eq!(is_proved, expected, "{}: {:?}", example.path.display(), outcome.verdict);
    }
    let dangerous = programs().iter().filter(|example| !example.safe).count();
    assert!(dangerous >= 14 && programs().len() - dangerous >= 14);
}

/// A proof is read back as it was written; where a number in it is another one, the judge does not believe it, or it is still right.
#[test]
fn proofs_are_written_and_read() {
    solver_for_tests();
    for example in programs().into_iter().filter(|example| example.safe && !example.is_unknown_to("intervals")) {
        let program = example.program();
        let Some(proof @ Proof::Formulas(_)) = asked(&program, &Budget::unlimited()).proof else {
            panic!("{}", example.path.display())
        };
        let mut file = Vec::new();
        write_proof(&mut file, &program, &proof, &BTreeMap::new()).expect("it is written");
        let read = ProofFile::read(&file[..]).and_then(|file| file.into_proof(&program)).expect("it is read");
        check(&program, &read, &Budget::unlimited()).expect("it is still right");
    }
}

/// The proof of another program, which is wrong at one place, is no proof.
#[test]
fn proofs_of_right_programs_do_not_prove_broken_ones() {
    solver_for_tests();
    let all = programs();
    let mut refused = 0;
    for right in all.iter().filter(|example| example.safe) {
        let name = right.path.file_stem().and_then(|name| name.to_str()).expect("a name");
        let Some(Proof::Formulas(proof)) = asked(&right.program(), &Budget::unlimited()).proof else { continue };
        let is_twin = |other: &&Example| {
            let other_name = other.path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
            !other.safe && other_name.starts_with(&format!("{name}-"))
        };
        for broken in all.iter().filter(is_twin) {
            let judged = check(&broken.program(), &Proof::Formulas(proof.clone()), &Budget::unlimited());
            assert!(matches!(judged, Err(CheckError::Refuted(_))), "{}: {judged:?}", broken.path.display());
            refused += 1;
        }
    }
    assert!(refused >= 8, "{refused}");
}

/// A program without what it asks about races, which this engine does not treat.
fn without_races(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("norace"));
    lines.filter(|line| !line.trim_start().starts_with("nodeadlock")).collect::<Vec<&str>>().join("\n")
}

/// Programs full of locks, starts and joins, and programs that compute.
#[test]
fn what_it_claims_of_random_programs_is_accepted() {
    solver_for_tests();
    let mut proved = 0;
    for seed in 0..PROGRAMS {
        for text in [random_locked(seed), threadwise_wild::program(seed)] {
            let Ok(program) = try_program("random.tw", &without_races(&text)) else { continue };
            let outcome = asked(&program, &Budget::unlimited().slice(Duration::from_secs(2)));
            assert!(!outcome.verdict.is_internal_error(), "seed {seed}: {:?}\n{text}", outcome.verdict);
            proved += u64::from(matches!(outcome.verdict, Verdict::Safe(_)));
        }
    }
    assert!(proved * 5 > PROGRAMS, "{proved}");
}
