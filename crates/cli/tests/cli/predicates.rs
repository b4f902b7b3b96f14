//! Engine `predicates`: proofs by thread reachability and environment transitions.

use crate::runner::{Said, arg, run, scratch};
use threadwise_solver_setup::solver_for_tests;

const LOCK_BIT: &str = "../../../../examples/lock-bit.tw";
const LOCK_ID: &str = "../../../../examples/lock-id.tw";

fn check(file: &str, flags: &[&str]) -> Said {
    solver_for_tests();
    run(&[&["check", file, "--engine", "predicates"][..], flags].concat())
}

/// R_i by control point and E_i as guarded updates, in the program's variables.
#[test]
fn a_modular_proof_is_printed() {
    let said = check(LOCK_ID, &[]);
    assert_eq!(said.code, 0, "{}{}", said.stdout, said.stderr);
    let expected = [
        "engine    predicates; the proof is modular",
        "thread T1\n      a  id <= 0 || id >= 2\n      b  id == 1\n    environment\n      T2  id == 0  →  id' == 2\n",
        "thread T2\n      p  id <= 1\n      q  id >= 2\n    environment\n      T1  id == 0  →  id' == 1\n",
    ];
    for text in expected {
        assert!(said.stdout.contains(text), "{text}\nis not in\n{}", said.stdout);
    }
}

#[test]
fn a_proof_that_is_not_modular_says_so() {
    for horn in ["aret", "spacer", "both"] {
        let said = check(LOCK_BIT, &["--horn", horn]);
        assert_eq!(said.code, 0, "{horn}: {}{}", said.stdout, said.stderr);
        assert!(said.stdout.contains("engine    predicates; the proof is not modular"), "{horn}: {}", said.stdout);
        assert_eq!(check(LOCK_BIT, &["--horn", horn, "--format", "json"]).json()["modular"], false, "{horn}");
    }
}

#[test]
fn statistics_are_told() {
    let json = check(LOCK_BIT, &["--format", "json", "--horn", "aret"]).json();
    // Control is refined once, then data: `lock` is the one variable to have predicates about.
    for name in ["refinements", "predicates", "environment_transitions", "abstract_states", "solver_calls"] {
        assert!(json["stats"][name].as_u64().is_some_and(|number| number > 0), "{name}: {json}");
    }
    assert!(json["stats"]["transition_predicates"].is_u64(), "{json}");
}

#[test]
fn the_proof_can_be_checked_again_and_a_changed_one_is_refused() {
    let proof = scratch("predicates.proof.json");
    let said = check(LOCK_ID, &["--proof", arg(&proof)]);
    assert_eq!(said.code, 0, "{}{}", said.stdout, said.stderr);
    let said = run(&["audit", LOCK_ID, arg(&proof)]);
    assert_eq!(said.code, 0, "{}{}", said.stdout, said.stderr);
    let text = std::fs::read_to_string(&proof).expect("written");
    let changed = text.replacen("\"(= |id| 1)\"", "\"(= |id| 3)\"", 1);
    assert_ne!(text, changed);
    std::fs::write(&proof, changed).expect("writable");
    let said = run(&["audit", LOCK_ID, arg(&proof)]);
    assert_eq!(said.code, 10, "{}{}", said.stdout, said.stderr);
}

#[test]
fn the_clauses_are_shown() {
    for (form, flags) in [("modular", &["--chc"][..]), ("general", &["--chc", "general"][..])] {
        let said = run(&[&["show", LOCK_ID][..], flags].concat());
        assert_eq!(said.code, 0, "{}", said.stderr);
        assert!(said.stdout.contains(&format!("REACHENV, {form} form")), "{}", said.stdout);
        assert!(said.stdout.contains("(set-logic HORN)"), "{}", said.stdout);
        assert!(said.stdout.trim_end().ends_with("(check-sat)"), "{}", said.stdout);
    }
}
