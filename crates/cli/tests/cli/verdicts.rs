//! Each verdict: its first line, its exit code, its whole text.

use crate::runner::{run, run_with_input};
use snapbox::{assert_data_eq, file};

#[test]
fn safe() {
    let said = run(&["check", "safe.tw"]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert_eq!(said.stderr, "");
    assert_data_eq!(said.redacted(), file!["../snapshots/safe.txt"]);
}

#[test]
fn unsafe_by_an_assertion() {
    let said = run(&["check", "unsafe.tw"]);
    assert_eq!(said.code, 10, "{}", said.stderr);
    assert_data_eq!(said.redacted(), file!["../snapshots/unsafe.txt"]);
}

#[test]
fn unsafe_in_lanes() {
    let said = run(&["check", "unsafe.tw", "--width", "120"]);
    assert_eq!(said.code, 10);
    assert_data_eq!(said.redacted(), file!["../snapshots/unsafe-lanes.txt"]);
}

#[test]
fn unsafe_by_a_race() {
    let said = run(&["check", "race.tw"]);
    assert_eq!(said.code, 10);
    assert_data_eq!(said.redacted(), file!["../snapshots/race.txt"]);
}

#[test]
fn unsafe_by_a_race_on_an_element() {
    let said = run(&["check", "race-of-elements.tw"]);
    assert_eq!(said.code, 10);
    assert_data_eq!(said.redacted(), file!["../snapshots/race-of-elements.txt"]);
}

#[test]
fn unsafe_by_a_forbidden_state() {
    let said = run(&["check", "never.tw"]);
    assert_eq!(said.code, 10);
    assert_data_eq!(said.redacted(), file!["../snapshots/never.txt"]);
}

/// A name takes the place of the formula where there is one.
#[test]
fn a_forbidden_state_may_have_a_name() {
    let text = "shared x: bool; thread P { x = true; } never too_late: x;";
    let said = run_with_input(&["check", "-"], text);
    assert!(said.stdout.starts_with("UNSAFE: forbidden state too_late is reached at "), "{}", said.stdout);
    let json = run_with_input(&["check", "-", "--format", "json"], text).json();
    assert_eq!((&json["violation"]["kind"], &json["violation"]["property"]), (&"never".into(), &"too_late".into()));
}

/// What no execution gets past is a warning, and an assertion there does not pass for a proved one.
#[test]
fn safe_with_code_that_is_not_reached() {
    let said = run(&["check", "unreached.tw"]);
    assert_eq!(said.code, 0);
    assert_data_eq!(said.redacted(), file!["../snapshots/unreached.txt"]);
    let json = run(&["check", "unreached.tw", "--format", "json"]).json();
    let lines: Vec<&serde_json::Value> =
        json["unreached"].as_array().expect("a list").iter().map(|left_out| &left_out["line"]).collect();
    assert_eq!(lines, [7, 11, 12, 20]);
    assert_eq!(json["unreached"][1]["reached"], true);
    assert!(json["unreached"][0]["file"].as_str().expect("a name").ends_with("unreached.tw"));
}

/// The trace speaks of starts and joins, each once, and not of the variables that carry arguments.
#[test]
fn unsafe_by_too_many_starts() {
    let said = run(&["check", "starts.tw"]);
    assert_eq!(said.code, 10);
    assert_data_eq!(said.redacted(), file!["../snapshots/starts.txt"]);
    let json = run(&["check", "starts.tw", "--format", "json"]).json();
    assert_eq!(json["violation"]["kind"], "start");
}

#[test]
fn unknown() {
    let said = run(&["check", "unknown.tw", "--engine", "explicit", "--any-copies", "2"]);
    assert_eq!(said.code, 5);
    assert_data_eq!(said.redacted(), file!["../snapshots/unknown.txt"]);
}

#[test]
fn constants_can_be_overridden() {
    let three = run(&["check", "safe.tw", "--no-symmetry", "--format", "json"]);
    let two = run(&["check", "safe.tw", "--no-symmetry", "--format", "json", "-DN=2"]);
    assert_eq!((three.code, two.code), (0, 0));
    // Simple(n) of FQ has 2^n + 4n·2^(n-1) states.
    assert_eq!(three.json()["stats"]["states"], 8 + 12 * 4);
    assert_eq!(two.json()["stats"]["states"], 4 + 8 * 2);
}

#[test]
fn symmetry_merges_states() {
    let with = run(&["check", "safe.tw", "--format", "json"]).json();
    let without = run(&["check", "safe.tw", "--format", "json", "--no-symmetry"]).json();
    assert!(with["stats"]["states"].as_u64() < without["stats"]["states"].as_u64());
}

#[test]
fn standard_input_is_a_program_too() {
    let said = run_with_input(&["check", "-"], "shared x: int;\nthread P { assert x == 1; }\n");
    assert_eq!(said.code, 10);
    assert!(said.stdout.starts_with("UNSAFE: assertion fails at <stdin>:2:12\n"), "{}", said.stdout);
}

/// Properties that would hold of any program with these variables say nothing of this one.
#[test]
fn properties_that_hold_whatever_happens_are_warned_of() {
    let check = |properties: &str| {
        let text = format!("shared x: 0..3; shared y: int; thread A {{ x = 2; y = 2; }} {properties}");
        let said = run_with_input(&["check", "-"], &text);
        assert_eq!(said.code, 0, "{}", said.stderr);
        said.stderr
    };
    let by_values = ["invariant x <= 3;", "never x == 1 && x == 2;", "invariant forall k: 0..1 :: x + k >= 0;"];
    // Of integers there are too many to try them all, but it does not matter which they are.
    let by_form = ["invariant y == y;", "never y < 0 && y >= 0;", "invariant y > 5 ==> y > 5 || y + 1 != x;"];
    for property in by_values.into_iter().chain(by_form) {
        let said = check(property);
        assert!(said.contains(&format!("`{property}`")) && said.contains("for all values of its variables"), "{said}");
    }
    assert!(check("invariant 1 < 2;").contains("looks at no state"));
    for property in [
        "invariant x != 3;",
        "never x == 1;",
        "invariant y >= 0;",
        "invariant y == 2 || y < 2;",
        "invariant x == 0 || x == 2;",
    ] {
        assert_eq!(check(property), "", "{property}");
    }
}

/// Lines are as short as they should be, also where statements alone fill them.
#[test]
fn traces_keep_to_the_width() {
    let text =
        "shared counter, another_counter: 0..99; thread Incrementer[2] { counter = counter + another_counter * 3 + 1;
        assert counter + another_counter + counter + another_counter < 2, \"too many\"; }";
    for width in ["60", "80"] {
        let said = run_with_input(&["check", "-", "--width", width], text);
        assert_eq!(said.code, 10, "{}", said.stderr);
        let longest = said.stdout.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        assert!(longest <= width.parse().expect("a number"), "{longest}: {}", said.stdout);
    }
}
