//! All engines side by side.

use crate::runner::{run, run_with_input};

#[test]
fn the_exit_code_is_that_of_the_verdict() {
    assert_eq!(run(&["compare", "safe.tw"]).code, 0);
    assert_eq!(run(&["compare", "unsafe.tw"]).code, 10);
    assert_eq!(run(&["compare", "unknown.tw", "--timeout", "1"]).code, 5);
    assert_eq!(run(&["compare", "nowhere.tw"]).code, 2);
}

#[test]
fn one_row_for_each_engine() {
    let said = run(&["compare", "safe.tw", "-D", "N=2"]);
    let mut lines = said.stdout.lines();
    let titles: Vec<&str> = lines.next().unwrap_or_default().split_whitespace().collect();
    assert_eq!(titles, ["engine", "verdict", "time", "memory", "states", "proof", "modular"]);
    let row: Vec<&str> = lines.next().unwrap_or_default().split_whitespace().collect();
    assert_eq!(row[..2], ["explicit", "SAFE"]);
}

#[test]
fn json() {
    let json = run(&["compare", "unsafe.tw", "--format", "json"]).json();
    assert_eq!(json["agree"], true);
    let row = &json["engines"][0];
    assert_eq!(row["engine"], "explicit");
    assert_eq!(row["verdict"], "unsafe");
    assert!(row["seconds"].is_number());
}

#[test]
fn limits_apply_to_each_engine() {
    let said = run(&["compare", "endless.tw", "--timeout", "0.3"]);
    // With a solver, engines `contracts` and `predicates` may prove it within the limit.
    assert!(said.stdout.contains("explicit: time limit of 0.3 s reached"), "{}", said.stdout);
}

#[test]
fn standard_input() {
    let said = run_with_input(&["compare", "-"], "thread P { skip; }\n");
    assert_eq!(said.code, 0, "{}", said.stderr);
}
