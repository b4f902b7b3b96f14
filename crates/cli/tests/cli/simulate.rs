//! `threadwise simulate` steps through executions.

use crate::runner::{arg, run, run_with_input, scratch};

#[test]
fn steps_are_chosen_by_number_and_by_name_and_taken_back() {
    let said = run_with_input(&["simulate", "unsafe.tw"], "1\nu\nNobody\n99\nh\nv\nt\nq\n");
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert!(said.stdout.contains("  start  "), "{}", said.stdout);
    assert!(said.stdout.contains("step 1"), "{}", said.stdout);
    for text in ["`Nobody`", "no step 99", "save FILE", "shared  "] {
        assert!(said.stdout.contains(text), "{text}: {}", said.stdout);
    }
}

#[test]
fn an_error_that_was_met_is_saved_and_replays() {
    let file = scratch("simulated.trace.json");
    // Chance goes on to the first property that is violated, again and again until something has gone wrong.
    let input = format!("save {0}\n{1}save\nsave {0}\nq\n", arg(&file), "p\n".repeat(60));
    let said = run_with_input(&["simulate", "unsafe.tw", "--seed", "3"], &input);
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert!(said.stdout.contains("nothing has gone wrong yet"), "{}", said.stdout);
    assert!(said.stdout.contains("✗ assertion fails at unsafe.tw"), "{}", said.stdout);
    assert!(said.stdout.contains("written; "), "{}", said.stdout);
    let replayed = run(&["replay", "unsafe.tw", arg(&file)]);
    assert_eq!(replayed.code, 0, "{}{}", replayed.stdout, replayed.stderr);
}

#[test]
fn random_executions_are_the_same_for_the_same_seed() {
    let print = |seed: &str, number: &str| run(&["simulate", "unsafe.tw", "--random", number, "--seed", seed]);
    let (two, second) = (print("4", "2"), print("5", "1"));
    assert_eq!(two.stdout, print("4", "2").stdout);
    let (_, tail) = two.stdout.split_once("── execution 2 of 2, --seed 5\n").expect("the second one");
    assert_eq!(second.stdout.split_once('\n').map(|(_, rest)| rest), Some(tail));
    let many = print("1", "40");
    assert_eq!(many.code, 10, "one of forty goes wrong");
    let never = run(&["simulate", "safe.tw", "--random", "5", "--steps", "3"]);
    assert_eq!(never.code, 0, "{}", never.stdout);
}

#[test]
fn a_trace_is_walked_along_with_the_enter_key() {
    let file = scratch("walked.trace.json");
    assert_eq!(run(&["check", "unsafe.tw", "--trace", arg(&file)]).code, 10);
    let steps = run(&["check", "unsafe.tw", "--format", "json"]).json()["trace"].as_array().expect("steps").len();
    let said = run_with_input(&["simulate", "unsafe.tw", arg(&file)], &"\n".repeat(steps));
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert_eq!(said.stdout.matches("← the trace").count(), steps, "{}", said.stdout);
    assert!(said.stdout.contains(&format!("step {steps}  ")), "{}", said.stdout);
    let last = said.stdout.rsplit("> ").nth(1).unwrap_or_default();
    assert!(last.contains('✗'), "what goes wrong is next or there: {last}");
}

#[test]
fn what_is_no_trace_is_refused_and_so_is_standard_input() {
    let said = run(&["simulate", "unsafe.tw", "safe.tw"]);
    assert_eq!(said.code, 2);
    assert!(said.stderr.contains("is not a trace of this program"), "{}", said.stderr);
    assert_eq!(run(&["simulate", "-"]).code, 2);
    let piped = run_with_input(&["simulate", "-", "--random", "1"], "shared x: bool; thread P { x = true; }");
    assert_eq!((piped.code, piped.stdout.contains("all threads have ended")), (0, true), "{}", piped.stdout);
}

#[test]
fn threads_of_c_programs_have_their_names() {
    let said = run(&["simulate", "lost-update.c", "--random", "1", "--steps", "400"]);
    assert!(said.stdout.contains("main"), "{}{}", said.stdout, said.stderr);
}
