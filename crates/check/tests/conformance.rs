//! Proofs by abstract threads that meet their obligations are accepted; where one is not met, it is
//! named.

use std::sync::Arc;
use threadwise_check::{CheckError, check};
use threadwise_evidence::{
    Conformance, ConformanceProof, FormulaProof, FrontierProof, PointFormula, Proof, Scope, Simulation, ThreadFormulas,
};
use threadwise_ir::{Instance, LocationId, Point, Program, Store, ThreadId};
use threadwise_limits::Budget;
use threadwise_solver_setup::solver_for_tests;
use threadwise_testing::{modular, program};

const TEXT: &str = "shared x: 0..2;
    thread P { x = 1; x = 2; assert x == 2; }
    abstract P {
      init A; A:; B:; C: assert x == 2; D:;
      A -> B [x] x' == 1; B -> C [x] x' == 2; C -> D [] true;
    }";

fn judged(program: &Arc<Program>, proof: &Proof) -> Result<u64, String> {
    match check(program, proof, &Budget::unlimited()) {
        Ok(checked) => Ok(checked.states()),
        Err(CheckError::Refuted(reason)) => Err(reason),
        Err(other) => panic!("{other}"),
    }
}

fn refused(program: &Arc<Program>, proof: &Proof, part: &str) {
    let reason = judged(program, proof).expect_err(part);
    assert!(reason.contains(part), "expected `{part}` in: {reason}");
}

/// The local states along the only run of the first thread, from the first initial store.
fn run(program: &Arc<Program>) -> Vec<Store> {
    let instance = Instance::new(program.clone(), 0);
    let mut shared = instance.initial_stores().stores[0].clone();
    let mut locals = vec![instance.starts(ThreadId(0), &shared).successors[0].local.clone()];
    while let Some(step) = instance.steps(ThreadId(0), &shared, locals.last().expect("one")).successors.pop() {
        shared = step.shared;
        locals.push(step.local);
    }
    locals
}

/// A proof whose composition is proved thread by thread.
fn proof(program: &Arc<Program>, copies: &[u32], simulation: Simulation) -> Proof {
    let composition = program.abstraction().expect("expressible").composition;
    let composition = Box::new(Proof::Modular(modular(&composition, &[copies])));
    let threads = vec![Conformance { thread: ThreadId(0), simulation }];
    Proof::Conformance(ConformanceProof { threads, composition })
}

/// The sets of nodes of the local states in order, as bits.
fn with_sets(sets: &[&[u64]]) -> Proof {
    let program = program(TEXT);
    let states = run(&program).into_iter().zip(sets).map(|(local, sets)| (local, sets.to_vec()));
    proof(&program, &[1], Simulation::Candidates(states.collect()))
}

const A: u64 = 1;
const B: u64 = 2;
const C: u64 = 4;
const D: u64 = 8;

#[test]
fn a_simulation_is_accepted() {
    // Four sets, and the composition's four thread states.
    assert_eq!(judged(&program(TEXT), &with_sets(&[&[A], &[B], &[C], &[D]])), Ok(8));
    // A set that nothing leads to does no harm if it meets its obligations.
    assert!(judged(&program(TEXT), &with_sets(&[&[A], &[B], &[C], &[C, D]])).is_ok());
}

#[test]
fn simulations_with_gaps_are_refused() {
    let refused = |sets: &[&[u64]], part: &str| refused(&program(TEXT), &with_sets(sets), part);
    refused(&[&[B], &[B], &[C], &[D]], "no set of initial nodes is listed for the start of P");
    refused(&[&[A], &[], &[C], &[D]], "for which the proof lists no set of candidates");
    refused(&[&[A], &[B], &[C]], "for which the proof lists no set of candidates");
    // A set is for a state if each of its nodes is possible.
    refused(&[&[A], &[A | B], &[C], &[D]], "for which the proof lists no set of candidates");
    refused(&[&[A], &[0], &[C], &[D]], "has no node that may stand for it");
    // From D the failing assertion is no error of the abstract thread.
    refused(&[&[A], &[B], &[C, D], &[D]], "and no candidate does");
}

#[test]
fn every_specified_thread_needs_a_simulation() {
    let Proof::Conformance(mut proof) = with_sets(&[&[A], &[B], &[C], &[D]]) else { panic!("built as such") };
    proof.threads.clear();
    refused(&program(TEXT), &Proof::Conformance(proof), "it does not say why P conforms");
}

#[test]
fn the_composition_is_judged() {
    let Proof::Conformance(mut proof) = with_sets(&[&[A], &[B], &[C], &[D]]) else { panic!("built as such") };
    proof.composition = Box::new(Proof::Frontier(FrontierProof::default()));
    refused(&program(TEXT), &Proof::Conformance(proof), "the abstract threads together: ");
    // P conforms as before; but Q breaks the assertion, in the program and in the composition.
    let program = program(&format!("{TEXT} thread Q {{ x = 0; }}"));
    let sets = [A, B, C, D].map(|set| vec![set]);
    let states = run(&program).into_iter().zip(sets).collect();
    let unsafe_proof = self::proof(&program, &[1, 1], Simulation::Candidates(states));
    refused(&program, &unsafe_proof, "the abstract threads together: ");
}

/// Formulas for the locations of the run in order; they speak of the nodes.
fn with_formulas(formulas: &[&str]) -> Proof {
    let program = program(TEXT);
    let instance = Instance::new(program.clone(), 0);
    let locations = run(&program).into_iter().map(|local| instance.location_of(&local));
    let point = |(at, formula): (LocationId, &&str)| PointFormula::new(Point::at(at), formula.to_string());
    proof(&program, &[1], Simulation::Assertions(locations.zip(formulas).map(point).collect()))
}

#[test]
fn simulations_by_formulas_are_accepted_or_refused() {
    solver_for_tests();
    let program = program(TEXT);
    assert_eq!(judged(&program, &with_formulas(&["A", "B", "C", "D"])), Ok(8));
    let refused = |formulas: &[&str], part: &str| refused(&program, &with_formulas(formulas), part);
    refused(&["A", "true", "C", "D"], "admits a set without a node that may stand for it");
    refused(&["B", "B", "C", "D"], "the formula after its start of P need not hold");
    refused(&["A", "A", "C", "D"], "the formula after `x = 1;` at ");
    refused(&["A", "B", "(or C D)", "D"], "may go wrong where no candidate does");
    refused(&["A", "B", "C"], "nothing is said about P");
    // What is not a formula is not told to the solver.
    refused(&["A", "B) (assert false", "C", "D"], "is no formula");
    refused(&["A", "y", "C", "D"], "is not admitted");
    refused(&["A", "(+ B 1)", "C", "D"], "is not admitted");
}

/// Formulas for the locations of each thread in order; they speak of the thread, `self`, and of the shared `g`.
fn assertions(program: &Arc<Program>, formulas: &[&[&str]]) -> Proof {
    let threads = program.templates.iter().zip(formulas).map(|(template, formulas)| {
        let own = (0..program.locations.len() as u32).map(LocationId);
        let own = own.filter(|&id| program.location(id).routine == template.body);
        // The end of a thread is listed first.
        let mut own: Vec<LocationId> = own.collect();
        own.sort_by_key(|&id| (id == program.routine(template.body).exit, id));
        own.into_iter()
            .zip(*formulas)
            .map(|(at, formula)| PointFormula::new(Point::at(at), formula.to_string()))
            .collect()
    });
    let part = |points| ThreadFormulas { points, ..ThreadFormulas::default() };
    Proof::Formulas(FormulaProof { scope: Scope::Templates, parts: threads.map(part).collect() })
}

#[test]
fn assertions_of_one_thread() {
    solver_for_tests();
    let program = program("shared g: int = 1; thread P { loop { g = g + 1; } } invariant g != 0;");
    assert_eq!(judged(&program, &assertions(&program, &[&["(> g 0)"]])), Ok(1));
    // The invariant is not kept by itself.
    refused(&program, &assertions(&program, &[&["true"]]), "breaks an invariant");
    refused(&program, &assertions(&program, &[&["(= g 1)"]]), "what is said of P is false at ");
    refused(&program, &assertions(&program, &[&["(> g 1)"]]), "what is said of P is false at ");
    refused(&program, &assertions(&program, &[&[]]), "of which nothing is said");
}

#[test]
fn assertions_must_withstand_the_others() {
    solver_for_tests();
    let text = |value: i64| {
        program(&format!("shared g: int = 1; thread P {{ g = g + 1; assert g > 1; }} thread Q {{ g = {value}; }}"))
    };
    let formulas: &[&[&str]] = &[&["(> g 0)", "(> g 1)", "true"], &["true", "true"]];
    let right = text(2);
    assert_eq!(judged(&right, &assertions(&right, formulas)), Ok(5));
    let wrong = text(1);
    refused(&wrong, &assertions(&wrong, formulas), "the step at ");
    refused(&wrong, &assertions(&wrong, formulas), "breaks what is said of P at ");
    let weaker: &[&[&str]] = &[&["(> g 0)", "true", "true"], &["true", "true"]];
    refused(&right, &assertions(&right, weaker), "goes wrong");
}

/// Two copies of one thread are two threads.
#[test]
fn copies_interfere_with_each_other() {
    solver_for_tests();
    let text =
        |copies: &str| program(&format!("shared g: int = 0; thread W[{copies}] {{ g = 1; assert g == 1; g = 0; }}"));
    let formulas: &[&[&str]] = &[&["true", "(= g 1)", "true", "true"]];
    let one = text("1");
    assert_eq!(judged(&one, &assertions(&one, formulas)), Ok(4));
    for copies in ["2", "*"] {
        let several = text(copies);
        refused(&several, &assertions(&several, formulas), "breaks what is said of W at ");
    }
}
