//! Proofs by contracts: good ones are accepted, all others are not.

use std::sync::Arc;
use threadwise_check::{CheckError, check};
use threadwise_evidence::{ContractsProof, PointAssertion, Proof, ThreadContract};
use threadwise_evidence_files::decode_expr;
use threadwise_ir::{EdgeId, LocationId, Point, Program};
use threadwise_limits::Budget;
use threadwise_solver_setup::solver_for_tests;
use threadwise_testing::program;

const COUNTER: &str = "shared m: mutex; shared x: int;
    thread P { loop { acquire(m); l: x = x + 1; assert x > 0; x = x - 1; release(m); } }
    thread Q { acquire(m); k: assert x == 0; release(m); }
    invariant m == none ==> x == 0;
    rely forall i: tid :: m == i ==> m' == i && x' == x;";

/// The head of the first loop of the thread, and that `holds` there.
fn at_the_loop(program: &Program, holds: &[serde_json::Value]) -> PointAssertion {
    let body = program.templates[0].body;
    let entry = program.routine(body).entry;
    let holds = holds.iter().map(|e| decode_expr(program, Some(body), e).expect("an expression")).collect();
    PointAssertion { point: Point::at(entry), holds, inferred: true }
}

fn contract(loops: Vec<PointAssertion>) -> ThreadContract {
    ThreadContract { closure: 1, loops, points: Vec::new() }
}

fn good(program: &Program) -> ContractsProof {
    ContractsProof { threads: vec![contract(vec![at_the_loop(program, &[])]), contract(Vec::new())] }
}

fn judged(program: &Arc<Program>, proof: ContractsProof) -> Result<(), String> {
    solver_for_tests();
    match check(program, &Proof::Contracts(proof), &Budget::unlimited()) {
        Ok(_) => Ok(()),
        Err(CheckError::Refuted(reason)) => Err(reason),
        Err(other) => panic!("{other}"),
    }
}

fn refused(program: &Arc<Program>, proof: ContractsProof, part: &str) {
    let reason = judged(program, proof).expect_err(part);
    assert!(reason.contains(part), "{reason}");
}

#[test]
fn a_good_proof_is_accepted() {
    let program = program(COUNTER);
    assert_eq!(judged(&program, good(&program)), Ok(()));
}

#[test]
fn a_loop_of_which_nothing_is_said_is_noticed() {
    let program = program(COUNTER);
    let proof = ContractsProof { threads: vec![contract(Vec::new()), contract(Vec::new())] };
    refused(&program, proof, "says nothing of a loop");
    refused(&program, ContractsProof::default(), "one contract for each thread");
}

#[test]
fn assertions_must_hold_on_entry_and_be_kept() {
    let program = program(COUNTER);
    let with = |e: serde_json::Value| ContractsProof {
        threads: vec![contract(vec![at_the_loop(&program, &[e])]), contract(Vec::new())],
    };
    use serde_json::json;
    let invariant = json!(["==>", ["==", ["shared", "m"], ["none"]], ["==", ["shared", "x"], 0]]);
    assert_eq!(judged(&program, with(invariant)), Ok(()));
    // No rely says that others do not store this thread's identity.
    refused(&program, with(json!(["!=", ["shared", "m"], "self"])), "is false at");
    refused(&program, with(json!(["==", ["shared", "m"], "self"])), "is false at");
    // Somebody else may hold the lock there.
    refused(&program, with(json!(["==", ["shared", "m"], ["none"]])), "is false at");
    refused(&program, with(json!(false)), "is false at");
}

#[test]
fn an_assertion_cannot_be_hidden_at_an_unreachable_point() {
    let program = program(COUNTER);
    let mut proof = good(&program);
    proof.threads[0].loops[0].point.location = LocationId(program.routine(program.templates[1].body).entry.0);
    refused(&program, proof, "says nothing of a loop");
}

#[test]
fn points_must_be_true() {
    let program = program(COUNTER);
    let mut proof = good(&program);
    let mut point = at_the_loop(&program, &[serde_json::json!(["==", ["shared", "x"], 0])]);
    proof.threads[0].points = vec![point.clone()];
    refused(&program, proof.clone(), "is false at");
    point.holds.clear();
    proof.threads[0].points = vec![point];
    assert_eq!(judged(&program, proof), Ok(()));
}

/// The same program with something wrong: no proof of this kind is believed.
#[test]
fn programs_that_are_not_good_have_no_good_proof() {
    for (from, to, part) in [
        ("assert x > 0;", "assert x > 1;", "goes wrong"),
        ("x = x - 1;", "skip;", "breaks an invariant"),
        ("thread Q { acquire(m);", "thread Q { x = 5; acquire(m);", "breaks"),
        ("shared x: int;", "shared x: int = 1;", "initial store"),
        ("shared x: int;", "shared x: 0..3 = 7;", "initial store"),
        ("m' == i && x' == x;", "m' == i;", "breaks an invariant"),
        ("m == i ==> m' == i && x' == x;", "m' != m;", "changes nothing"),
        ("m == i ==> m' == i && x' == x;", "x' == x || x' == x + 1;", "not covered"),
        ("invariant m", "guarantee P :: true; invariant m", "do not imply"),
        ("invariant m", "guarantee P :: m == P || m' == m && x' == x; invariant m", "its guarantee"),
        ("invariant m", "never m == P; invariant m", "breaks an invariant"),
        ("invariant m", "norace x; invariant m", "does not exclude the race"),
        ("invariant m", "never P@l && Q@k; invariant m", "does not exclude that the property"),
    ] {
        assert!(COUNTER.contains(from));
        let program = program(&COUNTER.replacen(from, to, 1));
        let reason = judged(&program, good(&program)).expect_err(to);
        assert!(reason.contains(part), "`{from}` → `{to}`: {reason}");
    }
}

#[test]
fn steps_in_a_row_are_counted() {
    let text = "shared x: 0..3; thread P { x = 1; x = 2; } thread Q { var y: 0..3; y = x; assert x >= y; }
        rely Q :: x' == x || x' == x + 1; rely P :: x' == x;";
    let program = program(text);
    let proof = |closure| {
        let mut threads = vec![contract(Vec::new()), contract(Vec::new())];
        threads[1].closure = closure;
        ContractsProof { threads }
    };
    assert_eq!(judged(&program, proof(3)), Ok(()));
    refused(&program, proof(1), "not covered");
    refused(&program, proof(2), "not covered");
    refused(&program, proof(0), "that many steps");
}

/// Where threads are together is judged by what the proof says of both places, and only by that.
#[test]
fn places_are_judged_by_what_is_said_there() {
    let places = "never P@l && Q@k; norace x; invariant m";
    let program = program(&COUNTER.replacen("invariant m", places, 1));
    let mine = serde_json::json!(["==", ["shared", "m"], "self"]);
    // Whoever is past `acquire` holds the lock, up to the release.
    let held = |thread: usize| -> Vec<PointAssertion> {
        let body = program.templates[thread].body;
        let holds = vec![decode_expr(&program, Some(body), &mine).expect("an expression")];
        let entry = program.routine(body).entry;
        let edges = program.edges.iter().filter(|edge| program.location(edge.from).routine == body);
        let inside = edges.filter(|edge| edge.to != entry && !program.location(edge.to).edges.is_empty());
        let point = |location| PointAssertion { point: Point::at(location), holds: holds.clone(), inferred: true };
        inside.map(|edge| point(edge.to)).collect()
    };
    let mut proof = good(&program);
    (proof.threads[0].points, proof.threads[1].points) = (held(0), held(1));
    assert_eq!(judged(&program, proof.clone()), Ok(()));
    for thread in [0, 1] {
        for point in 0..proof.threads[thread].points.len() {
            let mut less = proof.clone();
            less.threads[thread].points.remove(point);
            // `P` writes `x` in two places, which `Q` must not read meanwhile; `P` may read it when it likes.
            let location = proof.threads[thread].points[point].point.location;
            let text = |&edge: &EdgeId| program.source.snippet(program.edge(edge).span, 80);
            let next: Vec<String> = program.location(location).edges.iter().map(text).collect();
            let matters = ["x = x + 1;", "x = x - 1;", "assert x == 0;"].contains(&next[0].as_str());
            assert_eq!(judged(&program, less).is_err(), matters, "thread {thread}, point {point}");
        }
    }
}
