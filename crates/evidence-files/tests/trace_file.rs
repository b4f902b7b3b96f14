//! Trace files: what is written is read back, and what is wrong is refused with a reason.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use threadwise_evidence::{FileError, Trace, Violation};
use threadwise_evidence_files::{TraceFile, trace_steps_json, violation_json, write_trace};
use threadwise_ir::{AnyCopies, Fault, Instance, Program, ThreadId};
use threadwise_testing::{KITCHEN_SINK, LOST_UPDATE, program, trace};

fn written(instance: &Instance, trace: &Trace) -> String {
    let mut out = Vec::new();
    let defines = BTreeMap::from([("N".to_string(), 4)]);
    write_trace(&mut out, instance, trace, &defines).expect("writing to memory works");
    String::from_utf8(out).expect("JSON is UTF-8")
}

fn read(program: &Arc<Program>, text: &str) -> Result<Trace, FileError> {
    TraceFile::read(text.as_bytes())?.trace(program).map(|(_, trace)| trace)
}

fn round_trip(text: &str) {
    let program = program(text);
    let instance = Instance::new(program.clone(), 2);
    let trace = trace(&instance);
    assert_eq!(read(&program, &written(&instance, &trace)), Ok(trace));
}

#[test]
fn traces_are_read_back_exactly() {
    round_trip(KITCHEN_SINK);
    round_trip(LOST_UPDATE);
    round_trip("shared x: 0..1; thread W[*] { x = 1; } never x == 1;");
    round_trip("shared x: 0..1; thread W[2] { x = 1; } norace x;");
    round_trip("shared x: 0..1; thread P { x = 1; } invariant 1 / (1 - x) == 1;");
    round_trip("shared l: mutex; thread P { release(l); }");
    round_trip("shared a: [0..2]bool; shared i: 0..3; thread P { atomic { i = 3; a[i] = true; } }");
}

#[test]
fn errors_in_the_initial_values_are_read_back() {
    let program = program("shared x: int = 0; thread P { var y: 0..1 = 0; y = 1; }");
    let instance = Instance::new(program.clone(), 0);
    let span = program.shared[0].span;
    for violation in [
        Violation::Initial(Fault::Division, span),
        Violation::Start { thread: ThreadId(0), error: threadwise_ir::StepError::Fault(Fault::Range), span },
    ] {
        let trace = Trace { any_copies: 0.into(), initial: None, steps: Vec::new(), violation };
        assert_eq!(read(&program, &written(&instance, &trace)), Ok(trace));
    }
}

#[test]
fn the_header_comes_first() {
    let program = program(LOST_UPDATE);
    let instance = Instance::new(program.clone(), 0);
    let text = written(&instance, &trace(&instance));
    let file = TraceFile::read(text.as_bytes()).expect("the file is good");
    assert_eq!(file.header().program, "test.tw");
    assert_eq!(file.header().defines.get("N"), Some(&4));
    assert!(text.starts_with("{\n  \"format\": \"threadwise-trace\",\n  \"version\": 1,\n"), "{text}");
}

#[test]
fn steps_speak_of_the_source() {
    let program = program(LOST_UPDATE);
    let instance = Instance::new(program.clone(), 0);
    let trace = trace(&instance);
    let steps = trace_steps_json(&instance, &trace);
    let first = json!({
        "thread": "W", "copy": 1, "file": "test.tw", "line": 3, "column": 32, "text": "t = x;",
        "shared": { "x": 0 }, "locals": { "t": 0 },
    });
    assert_eq!(steps[0], first);
    assert_eq!(steps[2]["thread"], "Check");
    assert_eq!(steps[2]["copy"], Value::Null);
    let violation = violation_json(&instance, &trace.violation);
    assert_eq!(violation["kind"], "assertion");
    assert_eq!(violation["property"], "assert x == 2;");
    assert_eq!((&violation["line"], &violation["thread"]), (&json!(4), &json!("Check")));
}

#[test]
fn variables_of_the_same_name_are_told_apart() {
    let program = program(KITCHEN_SINK);
    let instance = Instance::new(program.clone(), 0);
    let text = written(&instance, &trace(&instance));
    assert!(text.contains("\"a#2\""), "{text}");
}

/// Changes one place of a good file and reads it.
fn changed(pointer: &str, value: Value) -> String {
    let program = program(KITCHEN_SINK);
    let instance = Instance::new(program.clone(), 0);
    let mut file: Value = serde_json::from_str(&written(&instance, &trace(&instance))).expect("JSON");
    *file.pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}")) = value;
    read(&program, &file.to_string()).expect_err(pointer).to_string()
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let says = |pointer, value, part: &str| {
        let error = changed(pointer, value);
        assert!(error.contains(part), "{pointer}: {error}");
    };
    says("/format", json!("threadwise-proof"), "`threadwise-proof` file, not a `threadwise-trace`");
    says("/version", json!(2), "version 2");
    says("/any_copies", json!(4_000_000_000u32), "at most 1000");
    says("/defines", json!({ "N": "x" }), "at `defines.N`");
    says("/initial/shared/x", json!(4), "at `initial.shared.x`: expected a number from 0 to 3, found 4");
    says("/initial/shared/x", json!(1.5), "a number from 0 to 3");
    says("/initial/shared/big", json!(true), "whole number");
    says("/initial/shared/phase", json!("lazy"), "a member of `Phase`");
    says("/initial/shared/m", json!("W[3]"), "a thread of the program");
    says("/initial/shared/m", json!("W"), "a thread of the program");
    says("/initial/shared/seen", json!(["W[1]", "W[1]"]), "initial.shared.seen[1]`: the element occurs twice");
    says("/initial/shared/table", json!([true]), "expected 2 elements");
    says("/initial/shared", json!({}), "is missing");
    says("/initial/locals/1/thread", json!("W[2]"), "expected \"W[1]\"");
    says("/initial/locals/0/frames", json!([]), "cut short");
    says("/initial/locals/0/frames/0/location", json!(100_000), "no such place");
    says("/initial/locals/0/frames/0/routine", json!("down"), "`Main`, whose place this is");
    says("/initial/locals", json!([]), "3 threads, but 0");
    says("/steps", json!(7), "at `steps`: expected an array");
    says("/steps/0/thread", json!("Nobody"), "steps[0].thread");
    says("/steps/0/copy", json!(1), "no thread `Main` with this `copy`");
    says("/steps/0/path", json!([]), "at least one edge");
    says("/steps/0/path", json!([99_999]), "steps[0].path[0]`: the program has no such edge");
    says("/steps/0/text", json!("x = 7;"), "as the program says");
    says("/steps/0/line", json!(1), "steps[0].line");
    says("/steps/0/locals", json!({}), "steps[0].locals");
    says("/violation/kind", json!("boredom"), "violation.kind");
    says("/violation/kind", json!("race"), "violation.kind");
    says("/violation/where", json!("elsewhere"), "violation.where");
    says("/violation/span", json!([3]), "violation.span");
    says("/violation/property", json!("assert true;"), "violation.property");
}

#[test]
fn what_is_no_file_of_ours_is_refused() {
    let program = program(LOST_UPDATE);
    let deep = "[".repeat(100_000);
    for text in ["", "{", "null", "[]", "7", "{}", "\"threadwise-trace\"", "{\"format\": 1}", &deep, "\u{0}", "NaN"] {
        read(&program, text).expect_err(text);
    }
    assert!(TraceFile::read(&b"\xff\xfe{}"[..]).is_err());
}

#[test]
fn separate_numbers_of_copies_are_said_by_name() {
    let program =
        program("shared x: 0..1; thread A[*] { x = 1; } thread P { skip; } thread B[*] { x = 0; } invariant x == 0;");
    let instance = Instance::new(program.clone(), AnyCopies::separate(&[1, 3]));
    let trace = trace(&instance);
    let file: Value = serde_json::from_str(&written(&instance, &trace)).expect("JSON");
    assert_eq!(file["any_copies"], json!({ "A": 1, "B": 3 }));
    assert_eq!(read(&program, &file.to_string()), Ok(trace));
    let refused = |copies: Value| {
        let mut file = file.clone();
        file["any_copies"] = copies;
        read(&program, &file.to_string()).expect_err("it is refused").to_string()
    };
    assert!(refused(json!({ "A": 1, "P": 3 })).contains("no thread `P[*]`"));
    assert!(refused(json!({ "A": 1 })).contains("the thread `B` is missing"));
    assert!(refused(json!({ "A": 1, "B": 3_000 })).contains("at `any_copies.B`: at most 1000"));
}
