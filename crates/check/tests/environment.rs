//! The judge of proofs by thread reachability and environment transitions: it accepts THREADER's proof of LockId
//! (section 2.2) and of LockBit, and refuses what is wrong about them, premise by premise.

use std::sync::Arc;
use threadwise_check::{CheckError, check};
use threadwise_evidence::{EnvironmentProof, EnvironmentTransition, Proof, ReachAssertion, ThreadEnvironment};
use threadwise_front_tw::{Options, load};
use threadwise_ir::{Program, ThreadId};
use threadwise_limits::Budget;
use threadwise_solver_setup::solver_for_tests;
use threadwise_source::SourceFile;

const LOCK_ID: &str = "
    shared id: int;
    thread T1 { a: atomic { await id == 0; id = 1; } b: }
    thread T2 { p: atomic { await id == 0; id = 2; } q: }
    never T1@b && T2@q;";

const LOCK_BIT: &str = "
    shared bit: 0..1;
    thread T1 { a: atomic { await bit == 0; bit = 1; } b: }
    thread T2 { p: atomic { await bit == 0; bit = 1; } q: }
    never T1@b && T2@q;";

fn program(text: &str) -> Arc<Program> {
    let lowered = load(SourceFile::new("test.tw", text), &Options::default());
    Arc::new(lowered.program.expect("a correct program"))
}

fn thread(reach: [&str; 2], by: u32, environment: &str) -> ThreadEnvironment {
    let at = |(point, formula): (usize, &&str)| ReachAssertion {
        point: point as u32,
        name: ["first", "second"][point].to_string(),
        formula: formula.to_string(),
    };
    let transition = EnvironmentTransition { by: ThreadId(by), formula: environment.to_string() };
    ThreadEnvironment { reach: reach.iter().enumerate().map(at).collect(), environment: vec![transition] }
}

/// The proof of section 2.2, with figure 4's assertions.
fn lock_id() -> EnvironmentProof {
    let first = thread(["true", "(= |id| 1)"], 1, "(= |id| 0)");
    let second = thread(["true", "(= |id| 2)"], 0, "(= |id| 0)");
    EnvironmentProof { modular: true, threads: vec![first, second] }
}

/// The proof of section 2.1, which speaks of the other thread's control.
fn lock_bit() -> EnvironmentProof {
    let reach = |other: &str| {
        let here = format!("(or (= |{other}@| 0) (and (= |{other}@| 1) (= |bit| 1)))");
        let there = format!("(and (= |{other}@| 0) (= |bit| 1))");
        (here, there)
    };
    let step = |name: &str| format!("(and (= |{name}@| 0) (= |{name}@'| 1) (= |bit| 0) (= |bit'| 1))");
    let (a, b) = reach("T2");
    let (p, q) = reach("T1");
    let threads = vec![thread([&a, &b], 1, &step("T2")), thread([&p, &q], 0, &step("T1"))];
    EnvironmentProof { modular: false, threads }
}

fn judged(text: &str, proof: EnvironmentProof) -> Result<u64, String> {
    solver_for_tests();
    match check(&program(text), &Proof::Environment(proof), &Budget::unlimited()) {
        Ok(checked) => Ok(checked.states()),
        Err(CheckError::Refuted(reason)) => Err(reason),
        Err(other) => panic!("{other}"),
    }
}

fn refused(proof: EnvironmentProof, part: &str) {
    let reason = judged(LOCK_ID, proof).expect_err(part);
    assert!(reason.contains(part), "{reason}");
}

#[test]
fn the_papers_proofs_are_accepted() {
    assert_eq!(judged(LOCK_ID, lock_id()), Ok(4));
    assert_eq!(judged(LOCK_BIT, lock_bit()), Ok(4));
}

#[test]
fn each_premise_is_checked() {
    let mut proof = lock_id();
    proof.threads[0].reach[0].formula = "(= |id| 5)".to_string();
    refused(proof, "CS1");
    let mut proof = lock_id();
    proof.threads[0].reach[1].formula = "(= |id| 3)".to_string();
    refused(proof, "CS2");
    let mut proof = lock_id();
    proof.threads[0].environment[0].formula = "true".to_string();
    refused(proof, "CS3");
    let mut proof = lock_id();
    proof.threads[1].environment.clear();
    refused(proof, "CS4");
    let mut proof = lock_id();
    for (thread, environment) in [(0, "true"), (1, "true")] {
        proof.threads[thread].reach[1].formula = "true".to_string();
        proof.threads[thread].environment[0].formula = environment.to_string();
    }
    refused(proof, "CS5");
    let mut proof = lock_id();
    proof.threads[0].reach.pop();
    refused(proof, "CS2");
}

#[test]
fn what_is_called_modular_must_be() {
    let mut proof = lock_bit();
    proof.modular = true;
    let reason = judged(LOCK_BIT, proof).expect_err("not modular");
    assert!(reason.contains("is not modular"), "{reason}");
    let mut proof = lock_id();
    proof.threads[0].environment[0].formula = "(and (= |id| 0) (= |T2@| 0))".to_string();
    refused(proof, "an environment transition of T1 is not modular");
}

#[test]
fn what_does_not_fit_the_program_is_refused() {
    let mut proof = lock_id();
    proof.threads.pop();
    refused(proof, "not about the threads");
    let mut proof = lock_id();
    proof.threads[0].reach[0].formula = "(= |nobody| 1)".to_string();
    refused(proof, "no variable `nobody`");
    let mut proof = lock_id();
    proof.threads[0].reach[0].formula = "(= |id'| 1)".to_string();
    refused(proof, "no variable `id'`");
    let mut proof = lock_id();
    proof.threads[0].reach[0].point = 9;
    refused(proof, "no control point 9");
    let mut proof = lock_id();
    proof.threads[0].reach[0].formula = "(forall ((x Int)) true)".to_string();
    refused(proof, "T1 at first");
}

/// A proof of a safe program does not prove an unsafe one that differs in a single value.
#[test]
fn errors_of_steps_and_of_the_start_are_errors() {
    let proof = || EnvironmentProof {
        modular: true,
        threads: vec![ThreadEnvironment {
            reach: (0..2).map(|point| ReachAssertion { point, name: String::new(), formula: "true".into() }).collect(),
            environment: Vec::new(),
        }],
    };
    assert_eq!(judged("shared x: 0..2; shared y: 0..2 = *; thread P { x = y; }", proof()), Ok(2));
    let reason = judged("shared x: 0..2; shared y: 0..3 = *; thread P { x = y; }", proof()).expect_err("out of range");
    assert!(reason.contains("CS5"), "{reason}");
    let reason = judged("shared x: 0..2 = 3; thread P { x = 2; }", proof()).expect_err("out of range");
    assert!(reason.contains("initial value"), "{reason}");
    let reason = judged("shared x: 0..2; thread W[*] { x = 2; }", proof()).expect_err("any number");
    assert!(reason.contains("not one for such proofs"), "{reason}");
}
