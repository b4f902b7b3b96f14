//! Engine `lockstep` on the corpus written for it, its proofs in files, proofs that are tampered with, and random programs: its judge
//! accepts all that it claims, and nothing that is wrong.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use threadwise_check::{CheckError, check};
use threadwise_evidence::{Proof, ScheduleProof};
use threadwise_evidence_files::{ProofFile, write_proof};
use threadwise_ir::Program;
use threadwise_limits::Budget;
use threadwise_portfolio::{EngineName, Outcome, Request, verify};
use threadwise_solver_setup::solver_for_tests;
use threadwise_suite::{Example, corpus, random_locked, try_program};
use threadwise_verdict::Verdict;

const PROGRAMS: u64 = 60;

fn asked(program: &Arc<Program>, budget: &Budget) -> Outcome {
    let request =
        Request { engine: EngineName::Lockstep.into(), want_proof: true, in_company: true, ..Request::default() };
    verify(program, &request, budget)
}

fn programs() -> Vec<Example> {
    let is_here = |example: &Example| example.path.parent().is_some_and(|folder| folder.ends_with("corpus/lockstep"));
    corpus().into_iter().filter(is_here).collect()
}

fn proof_of(example: &Example) -> Option<ScheduleProof> {
    match asked(&example.program(), &Budget::unlimited()).proof {
        Some(Proof::Schedules(proof)) => Some(proof),
        _ => None,
    }
}

#[test]
fn what_is_right_is_proved_and_nothing_else() {
    solver_for_tests();
    for example in programs() {
        let outcome = asked(&example.program(), &Budget::unlimited());
        let is_proved = matches!(outcome.verdict, Verdict::Safe(_));
        assert_eq!(is_proved, example.safe, "{}: {:?}", example.path.display(), outcome.verdict);
    }
    let dangerous = programs().iter().filter(|example| !example.safe).count();
    assert!(dangerous >= 6 && programs().len() - dangerous >= 6);
}

/// Proofs are read back as they were written. Where a node leaves out a thread, a move, a reason, or says nothing where the graph has a
/// cycle, or more than holds, the judge does not believe them.
#[test]
fn proofs_are_written_and_read_and_cannot_be_tampered_with() {
    solver_for_tests();
    let mut refused = 0;
    for example in programs().into_iter().filter(|example| example.safe) {
        let (program, proof) = (example.program(), proof_of(&example).expect("a proof"));
        let mut file = Vec::new();
        write_proof(&mut file, &program, &Proof::Schedules(proof.clone()), &BTreeMap::new()).expect("it is written");
        let read = ProofFile::read(&file[..]).and_then(|file| file.into_proof(&program)).expect("it is read");
        assert!(matches!(&read, Proof::Schedules(read) if *read == proof));
        check(&program, &read, &Budget::unlimited()).expect("it is still right");
        for (broken, must_matter) in tampered(&proof) {
            let judged = check(&program, &Proof::Schedules(broken.clone()), &Budget::unlimited());
            let is_refused = matches!(judged, Err(CheckError::Refuted(_)));
            assert!(is_refused || !must_matter && judged.is_ok(), "{}: {judged:?}\n{broken:?}", example.path.display());
            refused += u64::from(is_refused);
        }
    }
    assert!(refused >= 30, "{refused}");
}

/// Proofs that are no longer right; or perhaps still are, where what is changed is a step that is impossible.
fn tampered(proof: &ScheduleProof) -> Vec<(ScheduleProof, bool)> {
    let mut all = Vec::new();
    let mut change = |change: &dyn Fn(&mut ScheduleProof)| {
        let mut broken = proof.clone();
        change(&mut broken);
        all.extend((broken != *proof).then_some(broken));
    };
    change(&|proof| proof.starts.clear());
    change(&|proof| proof.nodes.iter_mut().for_each(|node| node.reason = None));
    change(&|proof| proof.nodes.iter_mut().for_each(|node| node.first.clear()));
    change(&|proof| proof.nodes.iter_mut().for_each(|node| node.moves.clear()));
    change(&|proof| proof.nodes.iter_mut().for_each(|node| node.formula = None));
    change(&|proof| proof.nodes.iter_mut().filter_map(|node| node.formula.as_mut()).for_each(|f| *f = "true".into()));
    change(&|proof| proof.nodes.iter_mut().filter_map(|node| node.formula.as_mut()).for_each(|f| *f = "false".into()));
    change(&|proof| proof.reasons.iter_mut().for_each(|reason| reason.others.clear()));
    change(&|proof| proof.reasons.iter_mut().for_each(|reason| reason.formula = "false".into()));
    let certain = all.len();
    let mut change = |change: &dyn Fn(&mut ScheduleProof)| {
        let mut broken = proof.clone();
        change(&mut broken);
        all.push(broken);
    };
    change(&|proof| proof.reasons.iter_mut().for_each(|reason| reason.formula = "true".into()));
    let places = proof.nodes.iter().enumerate().filter(|(_, node)| !node.moves.is_empty());
    for number in places.map(|(number, _)| number).step_by(5) {
        change(&|proof| drop(proof.nodes[number].moves.pop()));
        change(&|proof| proof.nodes[number].moves[0].to = number as u32);
    }
    all.into_iter().enumerate().map(|(number, broken)| (broken, number < certain)).collect()
}

/// The proof of another program, which is wrong at one place, is no proof.
#[test]
fn proofs_of_right_programs_do_not_prove_broken_ones() {
    solver_for_tests();
    let all = programs();
    for right in all.iter().filter(|example| example.safe) {
        let proof = proof_of(right).expect("a proof");
        for broken in all.iter().filter(|example| !example.safe) {
            let judged = check(&broken.program(), &Proof::Schedules(proof.clone()), &Budget::unlimited());
            assert!(matches!(judged, Err(CheckError::Refuted(_))), "{}: {judged:?}", broken.path.display());
        }
    }
}

/// A program without what it asks beside its assertions.
fn only_assertions(text: &str) -> String {
    let others = ["norace", "nodeadlock", "invariant", "never"];
    let is_other = |line: &&str| others.iter().any(|other| line.trim_start().starts_with(other));
    text.lines().filter(|line| !is_other(line)).collect::<Vec<&str>>().join("\n")
}

/// What it proves of random programs the search of all interleavings does not refute, and its judge accepts.
#[test]
fn what_it_claims_of_random_programs_is_true() {
    solver_for_tests();
    let (mut proved, mut wrong) = (0, 0);
    for seed in 0..PROGRAMS {
        for text in [random_locked(seed), threadwise_wild::program(seed)] {
            let Ok(program) = try_program("random.tw", &only_assertions(&text)) else { continue };
            let outcome = asked(&program, &Budget::unlimited().slice(Duration::from_secs(1)));
            assert!(!outcome.verdict.is_internal_error(), "seed {seed}: {:?}\n{text}", outcome.verdict);
            let request = Request { engine: EngineName::Explicit.into(), ..Request::default() };
            let searched = verify(&program, &request, &Budget::unlimited().slice(Duration::from_secs(1))).verdict;
            let is_proved = matches!(outcome.verdict, Verdict::Safe(_));
            assert!(!is_proved || !matches!(searched, Verdict::Unsafe(_)), "seed {seed}\n{text}");
            proved += u64::from(is_proved);
            wrong += u64::from(matches!(searched, Verdict::Unsafe(_)));
        }
    }
    assert!(proved >= 5 && wrong >= 5, "{proved} proved, {wrong} wrong");
}
