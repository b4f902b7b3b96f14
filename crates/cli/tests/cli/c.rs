//! Answers about C programs, in C's terms.

use crate::runner::{arg, run, scratch};
use snapbox::{assert_data_eq, file};

#[test]
fn a_trace_names_loads_stores_and_objects() {
    let said = run(&["check", "list.c", "--property", "assertions", "--engine", "explicit"]);
    assert_eq!(said.code, 10, "{}", said.stderr);
    assert_data_eq!(said.redacted(), file!["../snapshots/list.txt"]);
}

#[test]
fn json_says_the_same_step_by_step() {
    let json = run(&["check", "list.c", "--property", "assertions", "--engine", "explicit", "--format", "json"]).json();
    let steps = json["trace"].as_array().expect("a trace");
    let is_store = |step: &&serde_json::Value| step["text"].as_str().is_some_and(|text| text.starts_with("store head"));
    let store = steps.iter().find(is_store).expect("somebody puts an element on the list");
    assert_eq!((&store["function"], &store["line"]), (&"push".into(), &17.into()));
    assert_eq!(store["text"], "store head = heap#1 (malloc at list.c:21)");
    assert_eq!(store["shared"]["head"], "heap#1");
    assert_eq!(store["locals"]["n"], "heap#1");
    // What the lowering needs for itself is nobody's business.
    let names = store["shared"].as_object().expect("an object").keys();
    assert!(names.clone().all(|name| !name.starts_with("thread.") && !name.contains("tmp")), "{names:?}");
}

#[test]
fn a_trace_of_a_c_program_can_be_run_again() {
    let file = scratch("list-trace.json");
    let checked = run(&["check", "list.c", "--property", "assertions", "--trace", arg(&file)]);
    assert_eq!(checked.code, 10, "{}", checked.stderr);
    let replayed = run(&["replay", "list.c", arg(&file), "--property", "assertions"]);
    assert_eq!(replayed.code, 0, "{}{}", replayed.stdout, replayed.stderr);
}
