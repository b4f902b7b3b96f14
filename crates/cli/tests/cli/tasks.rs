//! Task definitions in place of programs.

use crate::runner::run;

#[test]
fn a_task_names_program_and_property() {
    let said = run(&["check", "lost-update.yml"]);
    assert_eq!(said.code, 10, "{}", said.stderr);
    assert!(said.stdout.starts_with("UNSAFE: race on hits at lost-update.c:"), "{}", said.stdout);
    assert!(
        said.stderr.contains("this property is left out: the property `F end` is not supported"),
        "{}",
        said.stderr
    );
}

#[test]
fn flags_go_before_the_task() {
    let said = run(&["lost-update.yml", "--property", "assertions"]);
    assert_eq!(said.code, 10, "{}", said.stderr);
    assert!(said.stdout.starts_with("UNSAFE: assertion fails at lost-update.c:17:3"), "{}", said.stdout);
    assert_eq!(said.stderr, "");
}

#[test]
fn a_task_without_a_property_that_is_known_is_refused() {
    let said = run(&["check", "not-known.yml", "--format", "json"]);
    assert_eq!((said.code, said.json()["verdict"].as_str()), (2, Some("error")));
    let diagnostic = &said.json()["diagnostics"][0];
    assert_eq!((diagnostic["line"].as_u64(), diagnostic["column"].as_u64()), (Some(3), Some(20)));
}

#[test]
fn several_tasks_are_several_programs() {
    let said = run(&["check", "lost-update.yml", "safe.tw"]);
    assert_eq!(said.code, 10);
    let rows: Vec<&str> = said.stdout.lines().filter(|line| line.contains("SAFE ")).collect();
    assert!(rows.len() >= 2, "{}", said.stdout);
}

/// What is written to a device can be counted: each run that wrote findings of its own would show.
#[cfg(unix)]
#[test]
fn findings_of_several_tasks_are_written_once() {
    let said = run(&["check", "lost-update.yml", "lost-update.yml", "-q", "--sarif", "/dev/stderr"]);
    assert_eq!(said.code, 10, "{}", said.stderr);
    let log: serde_json::Value = serde_json::from_str(&said.stderr).expect("one log, and nothing else");
    let results = log["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.iter().filter(|result| result["level"] == "error").count(), 2, "{log}");
}
