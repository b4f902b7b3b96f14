//! Proofs by contracts: good ones are accepted, all others are not.

use std::sync::Arc;
use threadwise_check::{CheckError, check};
use threadwise_evidence::{EnvironmentTransition, FormulaProof, PointFormula, Proof, Scope, ThreadFormulas};
use threadwise_ir::{EdgeId, LocationId, Point, Program};
use threadwise_limits::Budget;
use threadwise_solver_setup::solver_for_tests;
use threadwise_testing::program;

const COUNTER: &str = "shared m: mutex; shared x: int;
    thread P { loop { acquire(m); l: x = x + 1; assert x > 0; x = x - 1; release(m); } }
    thread Q { acquire(m); k: assert x == 0; release(m); }
    invariant m == none ==> x == 0;";

/// Nobody touches what the lock protects while somebody else holds it.
const RELY: &str = "(=> (= m self) (and (= |m'| self) (= |x'| x)))";

/// The head of the first loop of the thread, and that `holds` there.
fn at_the_loop(program: &Program, holds: &str) -> PointFormula {
    PointFormula::new(Point::at(program.routine(program.templates[0].body).entry), holds.to_string())
}

fn contract(points: Vec<PointFormula>, rely: &str) -> ThreadFormulas {
    let environment = Some(vec![EnvironmentTransition { by: None, formula: rely.to_string() }]);
    ThreadFormulas { closure: 1, points, environment, ..ThreadFormulas::default() }
}

fn of(parts: Vec<ThreadFormulas>) -> FormulaProof {
    FormulaProof { scope: Scope::Templates, parts }
}

fn with(program: &Program, holds: &str) -> FormulaProof {
    of(vec![contract(vec![at_the_loop(program, holds)], RELY), contract(Vec::new(), RELY)])
}

fn good(program: &Program) -> FormulaProof {
    with(program, "true")
}

fn judged(program: &Arc<Program>, proof: FormulaProof) -> Result<(), String> {
    solver_for_tests();
    match check(program, &Proof::Formulas(proof), &Budget::unlimited()) {
        Ok(_) => Ok(()),
        Err(CheckError::Refuted(reason)) => Err(reason),
        Err(other) => panic!("{other}"),
    }
}

fn refused(program: &Arc<Program>, proof: FormulaProof, part: &str) {
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
    let proof = of(vec![contract(Vec::new(), RELY), contract(Vec::new(), RELY)]);
    refused(&program, proof, "says nothing of a loop");
    refused(&program, of(Vec::new()), "the program has 2 threads, not 0");
}

#[test]
fn assertions_must_hold_on_entry_and_be_kept() {
    let program = program(COUNTER);
    assert_eq!(judged(&program, with(&program, "(=> (= m 0) (= x 0))")), Ok(()));
    // No rely says that others do not store this thread's identity.
    refused(&program, with(&program, "(not (= m self))"), "is false at");
    refused(&program, with(&program, "(= m self)"), "is false at");
    // Somebody else may hold the lock there.
    refused(&program, with(&program, "(= m 0)"), "is false at");
    refused(&program, with(&program, "false"), "is false at");
}

#[test]
fn an_assertion_cannot_be_hidden_at_an_unreachable_point() {
    let program = program(COUNTER);
    let mut proof = good(&program);
    proof.parts[0].points[0].point.location = LocationId(program.routine(program.templates[1].body).entry.0);
    refused(&program, proof, "no such location");
}

#[test]
fn points_must_be_true() {
    let program = program(COUNTER);
    let mut proof = good(&program);
    proof.parts[0].remarks = vec![at_the_loop(&program, "(= x 0)")];
    refused(&program, proof.clone(), "is false at");
    proof.parts[0].remarks = vec![at_the_loop(&program, "true")];
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

/// The same proof with another bound of what others do, or of what the thread does itself.
#[test]
fn bounds_must_be_true_and_strong_enough() {
    let program = program(COUNTER);
    for (rely, part) in [
        ("(=> (= m self) (= |m'| self))", "breaks an invariant"),
        ("(not (= |m'| m))", "changes nothing"),
        ("(or (= |x'| x) (= |x'| (+ x 1)))", "not covered"),
        ("(= |x'| y)", "no variable `y`"),
        ("x", "no formula"),
    ] {
        let proof = of(vec![contract(vec![at_the_loop(&program, "true")], rely), contract(Vec::new(), rely)]);
        refused(&program, proof, part);
    }
    for (guarantee, part) in [
        ("true", "does not imply"),
        ("(or (= m self) (and (= |m'| m) (= |x'| x)))", "its guarantee"),
        ("(or (= m self) (and (= m 0) (= |x'| x)) (and (= |m'| m) (= |x'| x)))", ""),
    ] {
        let mut proof = good(&program);
        proof.parts[0].guarantee = Some(guarantee.to_string());
        match part {
            "" => assert_eq!(judged(&program, proof), Ok(())),
            part => refused(&program, proof, part),
        }
    }
    // Without a bound nothing is known between the points of which something is said.
    let mut proof = good(&program);
    proof.parts[1].environment = None;
    refused(&program, proof, "that many steps");
}

#[test]
fn steps_in_a_row_are_counted() {
    let text = "shared x: 0..3; thread P { x = 1; x = 2; } thread Q { var y: 0..3; y = x; assert x >= y; }";
    let program = program(text);
    let proof = |closure| {
        let (p, q) = ("(= |x'| x)", "(or (= |x'| x) (= |x'| (+ x 1)))");
        of(vec![contract(Vec::new(), p), ThreadFormulas { closure, ..contract(Vec::new(), q) }])
    };
    assert_eq!(judged(&program, proof(3)), Ok(()));
    refused(&program, proof(1), "not covered");
    refused(&program, proof(2), "not covered");
    refused(&program, proof(9), "that many steps");
    // Then nothing is said of the points where the thread rests.
    refused(&program, proof(0), "of which nothing is said");
}

/// Where threads are together is judged by what the proof says of both places, and only by that.
#[test]
fn places_are_judged_by_what_is_said_there() {
    let places = "never P@l && Q@k; norace x; invariant m";
    let program = program(&COUNTER.replacen("invariant m", places, 1));
    // Whoever is past `acquire` holds the lock, up to the release.
    let held = |thread: usize| -> Vec<PointFormula> {
        let body = program.templates[thread].body;
        let entry = program.routine(body).entry;
        let edges = program.edges.iter().filter(|edge| program.location(edge.from).routine == body);
        let inside = edges.filter(|edge| edge.to != entry && !program.location(edge.to).edges.is_empty());
        inside.map(|edge| PointFormula::new(Point::at(edge.to), "(= m self)".to_string())).collect()
    };
    let mut proof = good(&program);
    (proof.parts[0].remarks, proof.parts[1].remarks) = (held(0), held(1));
    assert_eq!(judged(&program, proof.clone()), Ok(()));
    for thread in [0, 1] {
        for point in 0..proof.parts[thread].remarks.len() {
            let mut less = proof.clone();
            less.parts[thread].remarks.remove(point);
            // `P` writes `x` in two places, which `Q` must not read meanwhile; `P` may read it when it likes.
            let location = proof.parts[thread].remarks[point].point.location;
            let text = |&edge: &EdgeId| program.source.snippet(program.edge(edge).span, 80);
            let next: Vec<String> = program.location(location).edges.iter().map(text).collect();
            let matters = ["x = x + 1;", "x = x - 1;", "assert x == 0;"].contains(&next[0].as_str());
            assert_eq!(judged(&program, less).is_err(), matters, "thread {thread}, point {point}");
        }
    }
}

/// What holds at each point and what others do, as formulas, with nothing left out: as an engine finds them that knows no
/// contracts. A copy is one of the others of another copy.
#[test]
fn formulas_everywhere_survive_the_bound_for_any_number_of_copies() {
    let judged = |copies: &str, holds: &str, bound: &str| {
        let program = program(&format!(
            "shared g: int = 1; thread W[{copies}] {{ loop {{ g = g + 1; assert g > 1; }} }} invariant g != 0;"
        ));
        let body = program.templates[0].body;
        let own = (0..program.locations.len() as u32).map(LocationId);
        let own = own.filter(|&id| program.location(id).routine == body && id != program.routine(body).exit);
        let entry = program.routine(body).entry;
        let said = own.map(|id| {
            let formula = if id == entry { holds.to_string() } else { "(> g 1)".to_string() };
            PointFormula::new(Point::at(id), formula)
        });
        let part = ThreadFormulas { closure: 0, ..contract(said.collect(), bound) };
        judged(&program, of(vec![part]))
    };
    for copies in ["0", "1", "2", "30", "*"] {
        assert_eq!(judged(copies, "(> g 0)", "(> |g'| g)"), Ok(()), "{copies}");
    }
    let refused = |copies: &str, holds: &str, bound: &str, part: &str| {
        let reason = judged(copies, holds, bound).expect_err(part);
        assert!(reason.contains(part), "{reason}");
    };
    refused("*", "(> g 0)", "(> |g'| (+ g 1))", "breaks what is expected by W");
    refused("2", "(> g 0)", "(= |g'| g)", "breaks what is expected by W");
    refused("*", "(> g 0)", "true", "does not survive a step of its environment");
    // What is said of the next point does not follow, and neither does the invariant.
    refused("*", "true", "(> |g'| g)", "it does not exclude that");
    refused("*", "(> g 1)", "(> |g'| g)", "is false at");
    // A single thread has no others.
    assert_eq!(judged("1", "(> g 0)", "(= |g'| g)"), Ok(()));
}
