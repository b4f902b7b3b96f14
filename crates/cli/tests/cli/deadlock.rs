//! Threads that wait for ever, as users meet them.

use crate::runner::{arg, run, run_with_input, scratch};
use snapbox::{assert_data_eq, file};

#[test]
fn a_deadlock_shows_who_waits_for_what() {
    let said = run(&["check", "deadlock.tw", "--deadlock"]);
    assert_eq!((said.code, said.stderr.as_str()), (10, ""));
    assert_data_eq!(said.redacted(), file!["../snapshots/deadlock.txt"]);
}

#[test]
fn a_cycle_of_locks_shows_the_cycle() {
    let said = run(&["check", "lock-cycle.tw"]);
    assert_eq!(said.code, 10);
    assert_data_eq!(said.redacted(), file!["../snapshots/lock-cycle.txt"]);
}

#[test]
fn one_thread_may_wait_alone() {
    let told = |text: &str| run_with_input(&["check", "-"], text).stdout;
    let clock = "thread Clock { loop { skip; } } nodeadlock;";
    let itself = told(&format!("shared m: mutex; thread P {{ acquire(m); acquire(m); }} {clock}"));
    assert!(itself.starts_with("UNSAFE: cycle of locks at ") && itself.contains("waits for m, which it holds itself"));
    let ended = told(&format!("shared m: mutex; thread P {{ acquire(m); }} thread Q {{ acquire(m); }} {clock}"));
    assert!(ended.starts_with("UNSAFE: a lock is never given back at "), "{ended}");
    assert!(ended.contains("held by P, which has ended") || ended.contains("held by Q, which has ended"), "{ended}");
}

/// Without being asked it is a note, on one line, with the command that shows more.
#[test]
fn a_deadlock_that_nobody_asked_for_is_a_note() {
    let said = run(&["check", "deadlock.tw"]);
    assert_eq!(said.code, 0, "{}", said.stdout);
    let [note] = said.stderr.lines().collect::<Vec<_>>()[..] else { panic!("{}", said.stderr) };
    assert!(note.contains("wait for ever") && note.contains("`threadwise check --deadlock "), "{note}");
    assert_eq!(run(&["check", "deadlock.tw", "-q"]).stderr, "");
    assert_eq!(run(&["check", "safe.tw"]).stderr, "");
}

#[test]
fn json_has_the_kind_and_the_threads() {
    let json = run(&["check", "deadlock.tw", "--deadlock", "--format", "json"]).json();
    let violation = &json["violation"];
    assert_eq!((&violation["kind"], &violation["property"]), (&"deadlock".into(), &"nodeadlock".into()));
    let waiting: Vec<(&str, Option<&str>, Option<&str>)> = violation["waiting"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|w| (w["thread"].as_str().expect("a name"), w["lock"].as_str(), w["holder"].as_str()))
        .collect();
    assert_eq!(waiting, [("P", Some("b"), Some("Q")), ("Q", Some("a"), Some("P")), ("R", None, None)]);
    let json = run(&["check", "lock-cycle.tw", "--format", "json"]).json();
    assert_eq!(json["violation"]["kind"], "lock-cycle");
    assert_eq!(json["violation"]["waiting"].as_array().expect("a list").len(), 2);
}

/// The files say that deadlocks were looked for, so that nobody has to say it again.
#[test]
fn evidence_says_what_was_asked() {
    let trace = scratch("deadlock.trace.json");
    run(&["check", "deadlock.tw", "--deadlock", "--trace", arg(&trace)]);
    let said = run(&["replay", "deadlock.tw", arg(&trace)]);
    assert_eq!(said.code, 0, "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.contains("└── P"), "{}", said.stdout);
    // With a state before the last one it is none.
    let text = std::fs::read_to_string(&trace).expect("it was written");
    let mut file: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(file["deadlock"], true);
    file["steps"].as_array_mut().expect("steps").pop();
    std::fs::write(&trace, file.to_string()).expect("it can be written");
    assert_eq!(run(&["replay", "deadlock.tw", arg(&trace)]).code, 10);

    // A proof that was made without is none with it.
    let proof = scratch("deadlock.proof.json");
    run(&["check", "deadlock.tw", "--proof", arg(&proof)]);
    assert_eq!(run(&["audit", "deadlock.tw", arg(&proof)]).code, 0);
    let said = run(&["audit", "deadlock.tw", arg(&proof), "--deadlock"]);
    assert_eq!(said.code, 10, "{}", said.stdout);
    assert!(said.stdout.contains("violates"), "{}", said.stdout);
    let said = run(&["check", "waits.tw", "--deadlock", "--proof", arg(&proof)]);
    assert_eq!(said.code, 10, "T1 may wait for ever: {}", said.stdout);
}

#[test]
fn compare_hands_it_on() {
    let json = run(&["compare", "deadlock.tw", "--deadlock", "--format", "json", "--timeout", "20"]).json();
    let text = json.to_string();
    assert!(text.contains("\"unsafe\"") && !text.contains("\"safe\""), "{text}");
}

#[test]
fn a_transition_system_does_not_say_where_a_thread_ends() {
    let said = run(&["check", "holder.ts", "--deadlock"]);
    assert_eq!(said.code, 2);
    assert!(said.stderr.contains("--deadlock: a transition system has no points"), "{}", said.stderr);
    assert_eq!(run(&["check", "holder.ts"]).stderr, "");
}
