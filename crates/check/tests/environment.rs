//! The judge of proofs by thread reachability and environment transitions: it accepts THREADER's proof of LockId
//! (section 2.2) and of LockBit, and refuses what is wrong about them, premise by premise.

use std::sync::Arc;
use threadwise_check::{CheckError, check};
use threadwise_evidence::{EnvironmentTransition, FormulaProof, PointFormula, Proof, Scope, ThreadFormulas};
use threadwise_front_tw::{Options, load};
use threadwise_ir::{Point, Program, TemplateId, ThreadId};
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

/// A thread's first and last point, in the order of the program's text.
fn points(text: &str, thread: usize) -> [Point; 2] {
    let program = program(text);
    let routine = program.routine(program.template(TemplateId(thread as u32)).body);
    [Point::at(routine.entry), Point::at(routine.exit)]
}

fn thread(text: &str, of: usize, reach: [&str; 2], environment: &str) -> ThreadFormulas {
    let said = points(text, of).into_iter().zip(reach);
    let transition = EnvironmentTransition { by: Some(ThreadId(1 - of as u32)), formula: environment.to_string() };
    ThreadFormulas {
        points: said.map(|(point, formula)| PointFormula::new(point, formula.to_string())).collect(),
        environment: Some(vec![transition]),
        ..ThreadFormulas::default()
    }
}

/// The proof of section 2.2, with figure 4's assertions.
fn lock_id() -> FormulaProof {
    let first = thread(LOCK_ID, 0, ["true", "(= |id| 1)"], "(= |id| 0)");
    let second = thread(LOCK_ID, 1, ["true", "(= |id| 2)"], "(= |id| 0)");
    FormulaProof { scope: Scope::ThreadsAlone, parts: vec![first, second] }
}

/// The proof of section 2.1, which speaks of the other thread's control.
fn lock_bit() -> FormulaProof {
    let reach = |other: &str| {
        let here = format!("(or (= |{other}@| 0) (and (= |{other}@| 1) (= |bit| 1)))");
        let there = format!("(and (= |{other}@| 0) (= |bit| 1))");
        (here, there)
    };
    let step = |name: &str| format!("(and (= |{name}@| 0) (= |{name}@'| 1) (= |bit| 0) (= |bit'| 1))");
    let (a, b) = reach("T2");
    let (p, q) = reach("T1");
    let parts = vec![thread(LOCK_BIT, 0, [&a, &b], &step("T2")), thread(LOCK_BIT, 1, [&p, &q], &step("T1"))];
    FormulaProof { scope: Scope::Threads, parts }
}

fn bound(formula: &str) -> Option<Vec<EnvironmentTransition>> {
    Some(vec![EnvironmentTransition { by: None, formula: formula.to_string() }])
}

fn judged(text: &str, proof: FormulaProof) -> Result<u64, String> {
    solver_for_tests();
    match check(&program(text), &Proof::Formulas(proof), &Budget::unlimited()) {
        Ok(checked) => Ok(checked.states()),
        Err(CheckError::Refuted(reason)) => Err(reason),
        Err(other) => panic!("{other}"),
    }
}

fn refused(proof: FormulaProof, part: &str) {
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
    proof.parts[0].points[0].formula = "(= |id| 5)".to_string();
    refused(proof, "what is said of T1 is false at");
    let mut proof = lock_id();
    proof.parts[0].points[1].formula = "(= |id| 3)".to_string();
    refused(proof, "what is said of T1 is false at");
    let mut proof = lock_id();
    proof.parts[0].environment = bound("true");
    refused(proof, "does not survive a step of its environment");
    let mut proof = lock_id();
    proof.parts[1].environment = Some(Vec::new());
    refused(proof, "breaks what is expected by T2");
    let mut proof = lock_id();
    for (thread, environment) in [(0, "true"), (1, "true")] {
        proof.parts[thread].points[1].formula = "true".to_string();
        proof.parts[thread].environment = bound(environment);
    }
    refused(proof, "does not exclude that the property");
    let mut proof = lock_id();
    proof.parts[0].points.pop();
    refused(proof, "of which nothing is said");
}

#[test]
fn what_is_called_modular_must_be() {
    let mut proof = lock_bit();
    proof.scope = Scope::ThreadsAlone;
    let reason = judged(LOCK_BIT, proof).expect_err("not modular");
    assert!(reason.contains("is not modular"), "{reason}");
    let mut proof = lock_id();
    proof.parts[0].environment = bound("(and (= |id| 0) (= |T2@| 0))");
    refused(proof, "an environment transition of T1 is not modular");
}

#[test]
fn what_does_not_fit_the_program_is_refused() {
    let mut proof = lock_id();
    proof.parts.pop();
    refused(proof, "the program has 2 threads, not 1");
    let mut proof = lock_id();
    proof.parts[0].points[0].formula = "(= |nobody| 1)".to_string();
    refused(proof, "no variable `nobody`");
    let mut proof = lock_id();
    proof.parts[0].points[0].formula = "(= |id'| 1)".to_string();
    refused(proof, "no variable `id'`");
    let mut proof = lock_id();
    proof.parts[0].points[0].point = points(LOCK_ID, 1)[0].clone();
    refused(proof, "no such location");
    let mut proof = lock_id();
    proof.parts[0].points[0].formula = "(forall ((x Int)) true)".to_string();
    refused(proof, "T1 at test.tw");
}

/// A proof of a safe program does not prove an unsafe one that differs in a single value.
#[test]
fn errors_of_steps_and_of_the_start_are_errors() {
    let judged = |text: &str| {
        let said = points(text, 0).into_iter().map(|point| PointFormula::new(point, "true".to_string()));
        let (points, environment) = (said.collect(), Some(Vec::new()));
        let part = ThreadFormulas { points, environment, ..ThreadFormulas::default() };
        judged(text, FormulaProof { scope: Scope::ThreadsAlone, parts: vec![part] })
    };
    assert_eq!(judged("shared x: 0..2; shared y: 0..2 = *; thread P { x = y; }"), Ok(2));
    let reason = judged("shared x: 0..2; shared y: 0..3 = *; thread P { x = y; }").expect_err("out of range");
    assert!(reason.contains("goes wrong"), "{reason}");
    let reason = judged("shared x: 0..2 = 3; thread P { x = 2; }").expect_err("out of range");
    assert!(reason.contains("an initial store is in error"), "{reason}");
    let reason = judged("shared x: 0..2; thread W[*] { x = 2; }").expect_err("any number");
    assert!(reason.contains("any number of them"), "{reason}");
}
