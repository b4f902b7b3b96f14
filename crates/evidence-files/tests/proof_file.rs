//! Proof files: what is written is read back, and what is wrong is refused with a reason.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use threadwise_evidence::{FileError, Proof, ReachableSet};
use threadwise_evidence_files::{ProofFile, write_proof};
use threadwise_ir::{Instance, Program, TemplateId};
use threadwise_testing::{KITCHEN_SINK, MUTEX, program, reachable_set};

fn written(program: &Arc<Program>, set: &ReachableSet) -> String {
    let mut out = Vec::new();
    let defines = BTreeMap::from([("N".to_string(), 3)]);
    write_proof(&mut out, program, &Proof::Reachable(set.clone()), &defines).expect("writing to memory works");
    String::from_utf8(out).expect("JSON is UTF-8")
}

fn read(program: &Arc<Program>, text: &str) -> Result<ReachableSet, FileError> {
    let Proof::Reachable(set) = ProofFile::read(text.as_bytes())?.into_proof(program)? else {
        panic!("the file is of another kind");
    };
    Ok(set)
}

fn round_trip(text: &str, symmetric: &[TemplateId]) {
    let program = program(text);
    let mut set = reachable_set(&Instance::new(program.clone(), 0));
    set.symmetric = symmetric.to_vec();
    let back = read(&program, &written(&program, &set)).expect("the file is good");
    assert_eq!(back.symmetric, set.symmetric);
    assert_eq!(back.shared, set.shared);
    assert_eq!(back.locals, set.locals);
    assert_eq!(back.states, set.states);
}

#[test]
fn proofs_are_read_back_exactly() {
    round_trip(MUTEX, &[TemplateId(0)]);
    round_trip(KITCHEN_SINK, &[]);
    round_trip("thread P { skip; }", &[]);
    round_trip("shared x: bool; thread W[0] { x = true; }", &[]);
    round_trip("shared x: bool; init x; thread W[0] { x = true; }", &[]);
}

#[test]
fn the_file_is_readable() {
    let program = program("const N = 3; shared m: mutex; thread W[N] { acquire(m); }");
    let text = written(&program, &reachable_set(&Instance::new(program.clone(), 0)));
    let whole: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(whole["variables"], json!(["m"]));
    assert_eq!(whole["shared"][0], json!(["none"]));
    assert_eq!(whole["states"][0], json!([0, 0, 0, 0]));
    assert_eq!(whole["locals"]["W"][0][0]["routine"], "W");
    assert!(text.contains("\n[0,0,0,0],\n"), "{text}");
}

fn changed(pointer: &str, value: Value) -> String {
    let program = program(MUTEX);
    let set = reachable_set(&Instance::new(program.clone(), 0));
    let mut file: Value = serde_json::from_str(&written(&program, &set)).expect("JSON");
    *file.pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}")) = value;
    read(&program, &file.to_string()).expect_err(pointer).to_string()
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let says = |pointer, value, part: &str| {
        let error = changed(pointer, value);
        assert!(error.contains(part), "{pointer}: {error}");
    };
    says("/format", json!("threadwise-trace"), "`threadwise-trace` file, not a `threadwise-proof`");
    says("/version", json!(0), "version 0");
    says("/kind", json!("magic"), "`magic`");
    says("/kind", json!(null), "`kind` is missing");
    says("/symmetric", json!(["V"]), "symmetric[0]");
    says("/variables", json!(["x"]), "[x, m]");
    says("/shared/0", json!([1]), "shared[0]`: expected 2 values");
    says("/shared/0", json!([9, "none"]), "shared[0][0]`: expected a number from 0 to 2");
    says("/shared/0/1", json!("W[4]"), "shared[0][1]");
    says("/locals", json!({}), "`W` is missing");
    says("/locals", json!({ "W": [], "V": [] }), "no thread `V`");
    says("/locals/W/0", json!([]), "locals.W[0]");
    says("/locals/W/0/0/location", json!(1_000_000), "locals.W[0][0]");
    says("/states/1/0", json!(1_000_000), "states[1][0]`: the index is out of range");
    says("/states/1/3", json!(-1), "invalid value");
    says("/states/1", json!([0, 0]), "same length");
    says("/states", json!([[0, 0]]), "a state has 4 numbers");
    says("/states", json!("many"), "an array of states");
}

#[test]
fn what_is_no_file_of_ours_is_refused() {
    let program = program(MUTEX);
    let deep = "[".repeat(100_000);
    let nested = format!("{{\"format\":\"threadwise-proof\",\"shared\":{deep}");
    for text in ["", "{", "null", "[]", "7", "{}", "{\"format\": 1}", &deep, &nested, "\u{0}"] {
        read(&program, text).expect_err(text);
    }
}
