//! Modular proofs: what holds where, and what each thread does.

use crate::runner::{arg, run, scratch};
use snapbox::{assert_data_eq, file};

#[test]
fn a_mutex() {
    let said = run(&["check", "safe.tw", "--engine", "modular"]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert_eq!(said.stderr, "");
    assert_data_eq!(said.redacted(), file!["../snapshots/modular.txt"]);
}

#[test]
fn any_number_of_copies() {
    let said = run(&["check", "any.tw", "--engine", "modular"]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert_data_eq!(said.redacted(), file!["../snapshots/modular-any.txt"]);
}

#[test]
fn recursion() {
    let said = run(&["check", "recursive.tw", "--engine", "modular"]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert_data_eq!(said.redacted(), file!["../snapshots/modular-recursive.txt"]);
}

#[test]
fn frontier_searches_prove_more() {
    let fixpoint = run(&["check", "waits.tw", "--engine", "modular"]);
    assert_eq!(fixpoint.code, 5, "{}", fixpoint.stdout);
    assert!(fixpoint.stdout.contains("\n  try       "), "{}", fixpoint.stdout);
    let frontier = run(&["check", "waits.tw", "--engine", "modular", "--search", "frontier"]);
    assert_eq!(frontier.code, 0, "{}", frontier.stderr);
    assert_data_eq!(frontier.redacted(), file!["../snapshots/modular-frontier.txt"]);
    assert_eq!(run(&["check", "waits.tw", "--engine", "modular", "--search", "relaxed"]).code, 0);
}

#[test]
fn searches_are_listed() {
    let said = run(&["check", "waits.tw", "--search", "sideways"]);
    assert_eq!(said.code, 2);
    assert!(said.stderr.contains("fixpoint, frontier, relaxed"), "{}", said.stderr);
}

#[test]
fn json() {
    let json = run(&["check", "any.tw", "--engine", "modular", "--format", "json"]).json();
    assert_eq!(json["modular"], true);
    let annotation = json["annotation"].as_array().expect("an array");
    assert_eq!(annotation.len(), 6);
    let critical = &annotation[3];
    assert_eq!(critical["thread"], "Worker[*]");
    assert_eq!(critical["location"], "critical: assert x > 0;");
    assert_eq!((&critical["file"], &critical["line"], &critical["column"]), (&"any.tw".into(), &8.into(), &13.into()));
    assert_eq!(critical["assertion"], "m == self && x == 1");
    let acquire = &json["guarantees"][0];
    assert_eq!(acquire["guard"], "m == none && x == 1");
    assert_eq!(acquire["update"], "m' == self");
}

#[test]
fn proofs_can_be_audited() {
    for (program, search) in [("any.tw", "fixpoint"), ("recursive.tw", "fixpoint"), ("waits.tw", "relaxed")] {
        let proof = scratch(&format!("modular-{program}.proof.json"));
        let check = ["check", program, "--engine", "modular", "--search", search, "--proof", arg(&proof)];
        assert_eq!(run(&check).code, 0);
        let audit = run(&["audit", program, arg(&proof)]);
        assert_eq!(audit.code, 0, "{}{}", audit.stdout, audit.stderr);
    }
}
