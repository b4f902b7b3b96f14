//! Sequences of sets of thread states: good ones are accepted, all others are not.

use std::sync::Arc;
use threadwise_check::{CheckError, check};
use threadwise_evidence::{FrontierProof, Proof};
use threadwise_ir::{Instance, Program};
use threadwise_limits::Budget;
use threadwise_testing::{COUNTER, LOST_UPDATE, MUTEX, RECURSIVE, frontier, modular, program};

fn judged(program: &Arc<Program>, proof: &Proof) -> Result<u64, String> {
    match check(program, proof, &Budget::unlimited()) {
        Ok(checked) => Ok(checked.states()),
        Err(CheckError::Refuted(reason)) => Err(reason),
        Err(other) => panic!("{other}"),
    }
}

fn refused(program: &Arc<Program>, proof: &FrontierProof, part: &str) {
    let reason = judged(program, &Proof::Frontier(proof.clone())).expect_err(part);
    assert!(reason.contains(part), "{reason}");
}

fn least(program: &Arc<Program>) -> FrontierProof {
    frontier(&Instance::new(program.clone(), 0))
}

/// The order of two threads matters: an annotation forgets it, the sequence does not.
const ORDERED: &str = "
    shared g: 0..2;
    thread P { await g == 1; g = 2; assert g == 2; }
    thread Q { g = 1; }
";

/// In the style of CART, example 1.13.1: only one of the threads can be ahead.
const ALTERNATING: &str = "
    shared g: 0..1;
    thread P { a: await g == 1; b: g = 0; c: skip; d: skip; }
    thread Q { e: g = 1; f: await g == 0; h: skip; }
    never P@a && Q@h;
";

#[test]
fn sequences_of_the_search_are_proofs() {
    for text in [COUNTER, MUTEX, ORDERED, ALTERNATING, "thread P { skip; }", "shared x: 0..1; thread W[0] { x = 1; }"] {
        let program = program(text);
        if text.contains("W[0]") {
            assert_eq!(judged(&program, &Proof::Frontier(FrontierProof::default())), Ok(0));
            continue;
        }
        let proof = least(&program);
        judged(&program, &Proof::Frontier(proof)).unwrap_or_else(|reason| panic!("{text}\n{reason}"));
    }
}

#[test]
fn they_prove_more_than_annotations() {
    let program = program(ALTERNATING);
    judged(&program, &Proof::Modular(modular(&program, &[&[1, 1]]))).expect_err("annotations forget the order");
    judged(&program, &Proof::Frontier(least(&program))).expect("good");
}

#[test]
fn nothing_may_be_missing() {
    for text in [COUNTER, ALTERNATING] {
        let program = program(text);
        let good = least(&program);
        for member in 0..good.iterates.len() {
            for thread in 0..good.iterates[member].len() {
                for store in 0..good.iterates[member][thread].len() {
                    let mut fewer = good.clone();
                    fewer.iterates[member][thread].remove(store);
                    let part = if member == 0 { "the sequence does not start with" } else { "lead" };
                    refused(&program, &fewer, part);
                }
            }
        }
        let mut fewer = good.clone();
        if fewer.iterates.last().is_some_and(|last| last.iter().all(Vec::is_empty)) {
            // The program has stopped, and nothing need follow.
            fewer.iterates.pop();
            judged(&program, &Proof::Frontier(fewer.clone())).expect("still good");
        }
        fewer.iterates.pop();
        refused(&program, &fewer, "the last set does not lead back to any");
        let mut fewer = good.clone();
        fewer.iterates.remove(1);
        refused(&program, &fewer, "the set number 1 does not lead to the next");
        refused(&program, &FrontierProof::default(), "the sequence does not start with the initial state");
    }
}

#[test]
fn errors_are_noticed() {
    for (text, part) in [
        (LOST_UPDATE, "Check goes wrong"),
        ("shared x: 0..1; thread P { x = 1; } never x == 1;", "may violate `never x == 1;`"),
        ("shared x: 0..1; thread W[2] { x = 1; } norace x;", "W[1] and W[2] may violate"),
        ("shared x: int; thread P { x = *; }", "cannot be judged"),
    ] {
        let program = program(text);
        refused(&program, &least(&program), part);
    }
}

#[test]
fn what_is_not_covered_is_refused() {
    let any = program("shared x: 0..1; thread W[*] { x = 1; }");
    refused(&any, &FrontierProof::default(), "only a fixed number of copies");
    refused(&program(RECURSIVE), &FrontierProof::default(), "does not cover recursive procedures");
    let program = program(COUNTER);
    let mut proof = least(&program);
    proof.iterates[0].pop();
    refused(&program, &proof, "does not fit the program");
    let mut proof = least(&program);
    proof.iterates[1][0][0].0[0] = 9;
    refused(&program, &proof, "does not fit the program");
}
