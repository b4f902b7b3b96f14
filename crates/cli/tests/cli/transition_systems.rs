//! Transition systems take the place of programs everywhere.

use crate::runner::{arg, run, scratch};
use snapbox::{assert_data_eq, file};

#[test]
fn a_trace_shows_the_lines_of_the_transitions() {
    let said = run(&["check", "two-step.ts"]);
    assert_eq!((said.code, said.stderr.as_str()), (10, ""));
    assert_data_eq!(said.redacted(), file!["../snapshots/two-step.txt"]);
}

#[test]
fn correlated_initial_states_are_safe() {
    let said = run(&["check", "holder.ts", "--engine", "explicit"]);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
    assert_data_eq!(said.redacted(), file!["../snapshots/holder.txt"]);
}

#[test]
fn the_program_behind_it_can_be_shown() {
    let said = run(&["show", "holder.ts"]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert_data_eq!(said.stdout, file!["../snapshots/show-holder.txt"]);
    assert_eq!(run(&["show", "two-step.ts", "--dot"]).code, 0);
}

#[test]
fn a_proof_passes_the_audit() {
    for program in
        ["holder.ts", "../../../../examples/cartesian/peterson.ts", "../../../../examples/cartesian/copies.ts"]
    {
        let proof = scratch("system.proof.json");
        let said = run(&["check", program, "--engine", "explicit", "--proof", arg(&proof)]);
        assert_eq!(said.code, 0, "{}", said.stderr);
        let said = run(&["audit", program, arg(&proof)]);
        assert_eq!(said.code, 0, "{}{}", said.stdout, said.stderr);
        assert!(said.stdout.starts_with("CONFIRMED\n"), "{}", said.stdout);
    }
}

#[test]
fn a_trace_replays() {
    let trace = scratch("system.trace.json");
    assert_eq!(run(&["check", "two-step.ts", "--trace", arg(&trace)]).code, 10);
    let said = run(&["replay", "two-step.ts", arg(&trace)]);
    assert_eq!(said.code, 0, "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.starts_with("CONFIRMED\n"), "{}", said.stdout);
}

#[test]
fn engines_can_be_compared() {
    let said = run(&["compare", "two-step.ts"]);
    assert_eq!(said.code, 10, "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.contains("explicit"), "{}", said.stdout);
}

#[test]
fn mistakes_are_shown_with_their_place() {
    let path = scratch("broken.ts");
    std::fs::write(&path, "thread P\n  0 A -> 1\ninit 0 A\nerror * B\n").expect("it can be written");
    let said = run(&["check", arg(&path)]);
    assert_eq!((said.code, said.stdout.as_str()), (2, ""));
    assert!(
        said.stderr.contains("expected a local state") && said.stderr.contains("broken.ts:2:11"),
        "{}",
        said.stderr
    );
    let said = run(&["check", "holder.ts", "-D", "N=2"]);
    assert_eq!(said.code, 2);
    assert!(said.stderr.contains("a transition system has no constants"), "{}", said.stderr);
}
