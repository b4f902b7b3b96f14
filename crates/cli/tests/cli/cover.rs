//! How often statements are reached.

use crate::runner::{run, run_with_input};
use snapbox::{assert_data_eq, file};

#[test]
fn the_program_is_printed_with_numbers() {
    let said = run(&["check", "cover.tw", "--cover", "-q"]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert_data_eq!(said.redacted(), file!["../snapshots/cover.txt"]);
    let said = run(&["check", "list.c", "--property", "assertions", "--cover", "-q"]);
    assert_eq!(said.code, 10, "{}", said.stderr);
    let listing = said.redacted();
    let listing = listing.split_once("  cover ").expect("a listing").1;
    assert_data_eq!(listing, file!["../snapshots/cover-c.txt"]);
}

/// Two threads of two steps each: from the start each can take its first step, and so on; worked out by hand.
#[test]
fn the_numbers_are_those_of_the_steps() {
    let program = "shared x: 0..9;\nthread P {\n  x = 1;\n  x = 2;\n}\nthread Q {\n  x = 3;\n  assert x < 9;\n}\n";
    let json = run_with_input(&["check", "-", "--cover", "--no-fold", "--format", "json"], program).json();
    let times = |line: u64| {
        let statements = json["cover"].as_array().expect("a list");
        statements.iter().find(|statement| statement["line"] == line).expect("a statement")["times"].clone()
    };
    // With P at its first step Q may be at any of three points; so it is with x = 3 stored and not.
    assert_eq!((times(3), times(7)), (3.into(), 3.into()));
    // P at its second step: x is 1 or 3. Beside Q before its first step 1; before its second one 3 or 1; behind it 3 or 1.
    assert_eq!(times(4), 5);
    // Q at its second step: P at its first with 3, at its second with 3 or 1, at its end with 2 or 3.
    assert_eq!(times(8), 5);
    assert_eq!(json["verdict"], "safe");
    assert!(run_with_input(&["check", "-", "--format", "json"], program).json()["cover"] == serde_json::json!([]));
}

#[test]
fn only_a_search_can_count() {
    let said = run(&["check", "cover.tw", "--cover", "--engine", "modular"]);
    assert_eq!(said.code, 2);
    assert!(said.stderr.contains("`--cover` goes with `--engine explicit`"), "{}", said.stderr);
}
