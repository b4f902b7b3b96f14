//! Evidence on its way to a file and back.

use crate::runner::{arg, run, scratch};
use std::path::Path;

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("the file should be there")
}

#[test]
fn a_proof_passes_the_audit() {
    let proof = scratch("safe.proof.json");
    let said = run(&["check", "safe.tw", "--proof", arg(&proof), "-D", "N=2"]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    // The constants come with the proof.
    let said = run(&["audit", "safe.tw", arg(&proof)]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert!(said.stdout.starts_with("CONFIRMED\n"), "{}", said.stdout);
    // With another `N` the program may be something else.
    assert!(said.stdout.contains(": safe.tw with N = 2 is SAFE"), "{}", said.stdout);
    let json = run(&["audit", "safe.tw", arg(&proof), "-DN=2", "--format", "json"]);
    assert_eq!(json.json()["verdict"], "confirmed");
    assert_eq!(json.json()["defines"], serde_json::json!({ "N": 2 }));
    assert!(json.json()["size"].as_u64() > Some(0));
}

#[test]
fn a_trace_says_for_which_constants() {
    let program = scratch("constants.tw");
    let text = "const N = 2; shared x: 0..9; thread W[N] { var t: 0..9; t = x; x = t + 1; } invariant x < N;";
    std::fs::write(&program, text).expect("it can be written");
    let trace = scratch("constants.trace.json");
    run(&["check", arg(&program), "-D", "N=1", "--trace", arg(&trace)]);
    let said = run(&["replay", arg(&program), arg(&trace)]);
    assert!(said.stdout.starts_with("CONFIRMED\n\n  the program with N = 1\n"), "{}", said.stdout);
    let said = run(&["replay", arg(&program), arg(&trace), "--format", "json"]);
    assert_eq!(said.json()["defines"], serde_json::json!({ "N": 1 }));
    let said = run(&["check", arg(&program), "--trace", arg(&trace)]);
    assert_eq!(said.code, 10, "{}", said.stderr);
    let said = run(&["replay", arg(&program), arg(&trace), "--format", "json"]);
    assert_eq!(said.json()["defines"], serde_json::json!({}));
}

#[test]
fn contradicting_constants_are_refused() {
    let proof = scratch("contradicted.proof.json");
    run(&["check", "safe.tw", "--proof", arg(&proof), "-D", "N=2"]);
    let said = run(&["audit", "safe.tw", arg(&proof), "-D", "N=3"]);
    assert_eq!(said.code, 2);
    assert!(said.stderr.contains("contradicts"), "{}", said.stderr);
}

#[test]
fn a_proof_that_lacks_a_state_is_refuted() {
    let proof = scratch("lacking.proof.json");
    run(&["check", "safe.tw", "--engine", "explicit", "--proof", arg(&proof)]);
    let mut value: serde_json::Value = serde_json::from_str(&read(&proof)).expect("it is JSON");
    value["states"].as_array_mut().expect("there are states").pop();
    std::fs::write(&proof, value.to_string()).expect("it can be written");
    let said = run(&["audit", "safe.tw", arg(&proof)]);
    assert_eq!(said.code, 10, "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.starts_with("REFUTED: "), "{}", said.stdout);
}

#[test]
fn damaged_evidence_is_unreadable() {
    let proof = scratch("damaged.proof.json");
    run(&["check", "safe.tw", "--proof", arg(&proof)]);
    let text = read(&proof);
    std::fs::write(&proof, &text[..text.len() / 2]).expect("it can be written");
    for file in [arg(&proof), "safe.tw", "nowhere.json", "."] {
        let said = run(&["audit", "safe.tw", file]);
        assert_eq!(said.code, 2, "{file}: {}", said.stdout);
        assert!(said.stderr.contains("help:"), "{}", said.stderr);
        assert_eq!(run(&["replay", "safe.tw", file]).code, 2);
    }
}

#[test]
fn a_trace_replays() {
    let trace = scratch("unsafe.trace.json");
    let checked = run(&["check", "unsafe.tw", "--trace", arg(&trace)]);
    assert_eq!(checked.code, 10, "{}", checked.stderr);
    let said = run(&["replay", "unsafe.tw", arg(&trace)]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert!(said.stdout.starts_with("CONFIRMED\n"), "{}", said.stdout);
    assert!(said.stdout.contains("assertion fails"), "{}", said.stdout);
    let json = run(&["replay", "unsafe.tw", arg(&trace), "--format", "json"]);
    assert_eq!(json.json()["verdict"], "confirmed");
}

#[test]
fn a_trace_with_made_up_values_is_refuted() {
    let trace = scratch("made-up.trace.json");
    run(&["check", "unsafe.tw", "--trace", arg(&trace)]);
    let mut value: serde_json::Value = serde_json::from_str(&read(&trace)).expect("it is JSON");
    value["steps"][0]["shared"]["balance"] = 7.into();
    std::fs::write(&trace, value.to_string()).expect("it can be written");
    let said = run(&["replay", "unsafe.tw", arg(&trace)]);
    assert_eq!(said.code, 10, "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.starts_with("REFUTED: step 1"), "{}", said.stdout);
}

#[test]
fn only_what_the_verdict_comes_with_is_written() {
    let (proof, trace) = (scratch("none.proof.json"), scratch("none.trace.json"));
    let flags = ["--proof", arg(&proof), "--trace", arg(&trace)];
    let said = run(&[&["check", "unsafe.tw"], &flags[..]].concat());
    assert!(said.stderr.contains("no proof written: the verdict is UNSAFE"), "{}", said.stderr);
    assert!(!proof.exists() && trace.exists());
    std::fs::remove_file(&trace).expect("it can be removed");
    let said = run(&[&["check", "unknown.tw", "-q", "--engine", "explicit"], &flags[..]].concat());
    assert_eq!((said.code, said.stderr.as_str()), (5, ""));
    assert!(!proof.exists() && !trace.exists());
}

#[test]
fn no_temporary_files_are_left() {
    let directory = scratch("tidy");
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir(&directory).expect("the directory can be made");
    let proof = directory.join("p.json");
    run(&["check", "safe.tw", "--proof", arg(&proof)]);
    run(&["check", "unknown.tw", "--engine", "explicit", "--proof", arg(&directory.join("q.json"))]);
    let names = std::fs::read_dir(&directory).expect("it can be read");
    let names: Vec<_> = names.flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(names, ["p.json"]);
}
