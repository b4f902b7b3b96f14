//! Threads and their abstract threads.

use crate::runner::{arg, run, scratch};
use snapbox::{assert_data_eq, file};

#[test]
fn a_thread_that_conforms() {
    let said = run(&["check", "abstract.tw", "--engine", "conformance"]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert_eq!(said.stderr, "");
    assert_data_eq!(said.redacted(), file!["../snapshots/conformance.txt"]);
}

#[test]
fn a_thread_that_does_not() {
    let said = run(&["check", "abstract.tw", "--engine", "conformance", "-D", "MOST=1"]);
    assert_eq!(said.code, 5, "{}", said.stderr);
    assert_data_eq!(said.redacted(), file!["../snapshots/conformance-refused.txt"]);
}

#[test]
fn the_proof_can_be_checked_again() {
    let proof = scratch("conformance.proof.json");
    let said = run(&["check", "abstract.tw", "--engine", "conformance", "--proof", arg(&proof)]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    let said = run(&["audit", "abstract.tw", arg(&proof)]);
    assert_eq!(said.code, 0, "{}{}", said.stdout, said.stderr);
    // With a smaller bound the abstract thread is another.
    let text = std::fs::read_to_string(&proof).expect("written");
    std::fs::write(&proof, text.replace("\"defines\": {}", "\"defines\": {\"MOST\": 1}")).expect("writable");
    let said = run(&["audit", "abstract.tw", arg(&proof)]);
    assert_eq!(said.code, 10, "{}{}", said.stdout, said.stderr);
}

#[test]
fn programs_without_abstract_threads_are_not_for_it() {
    let said = run(&["check", "safe.tw", "--engine", "conformance"]);
    assert_eq!(said.code, 5);
    assert!(said.stdout.contains("it has no `abstract` thread"), "{}", said.stdout);
}

#[test]
fn abstract_threads_are_shown_beside_their_threads() {
    let said = run(&["show", "abstract.tw", "--abstract"]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert_data_eq!(said.stdout, file!["../snapshots/show-abstract.txt"]);
    let said = run(&["show", "abstract.tw", "--abstract", "--dot"]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert_data_eq!(said.stdout, file!["../snapshots/show-abstract.dot"].raw());
    let said = run(&["show", "safe.tw", "--abstract"]);
    assert_eq!(said.code, 2);
    assert!(said.stderr.contains("safe.tw has no abstract threads"), "{}", said.stderr);
}
