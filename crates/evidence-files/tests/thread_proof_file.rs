//! Files of proofs by thread states: what is written is read back, and what is wrong is refused.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use threadwise_evidence::{FileError, FrontierProof, ModularProof, Proof};
use threadwise_evidence_files::{ProofFile, write_proof};
use threadwise_ir::{Instance, Program};
use threadwise_testing::{COUNTER, MUTEX, RECURSIVE, frontier, modular, program};

fn written(program: &Arc<Program>, proof: &Proof) -> String {
    let mut out = Vec::new();
    write_proof(&mut out, program, proof, &BTreeMap::new()).expect("writing to memory works");
    String::from_utf8(out).expect("JSON is UTF-8")
}

fn read(program: &Arc<Program>, text: &str) -> Result<Proof, FileError> {
    ProofFile::read(text.as_bytes())?.into_proof(program)
}

#[test]
fn modular_proofs_are_read_back_exactly() {
    let any = MUTEX.replace("W[N]", "W[*]");
    let arrays =
        "shared a: [tid]bool; shared s: set<tid>; thread P { skip; } thread W[3] { a[self] = true; s = {self}; }";
    let calls = "shared x: 0..2; proc p(n: 0..1) { x = n; } thread P { p(1); p(0); }";
    for (text, cases) in [
        (MUTEX, vec![&[3][..]]),
        (&any, vec![&[0], &[1], &[2], &[3], &[4]]),
        (arrays, vec![&[1, 3]]),
        (calls, vec![&[1]]),
        (RECURSIVE, vec![&[2]]),
        ("thread W[0] { skip; }", vec![&[0], &[0]]),
        ("thread W[0] { skip; }", vec![]),
    ] {
        let program = program(text);
        let proof = modular(&program, &cases);
        match read(&program, &written(&program, &Proof::Modular(proof.clone()))) {
            Ok(Proof::Modular(back)) => assert_eq!(back, proof, "{text}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn frontier_proofs_are_read_back_exactly() {
    for text in [COUNTER, MUTEX, "shared x: int; thread P { x = 1; } thread W[2] { x = 2; }"] {
        let program = program(text);
        let mut proofs = vec![FrontierProof::default()];
        proofs.push(frontier(&Instance::new(program.clone(), 0)));
        for proof in proofs {
            match read(&program, &written(&program, &Proof::Frontier(proof.clone()))) {
                Ok(Proof::Frontier(back)) => assert_eq!(back, proof, "{text}"),
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn the_files_are_readable() {
    let program = program("const N = 2; shared m: mutex; thread W[N] { acquire(m); }");
    let text = written(&program, &Proof::Modular(modular(&program, &[&[2]])));
    let whole: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(whole["kind"], "modular");
    assert_eq!(whole["variables"], json!(["m"]));
    assert_eq!(whole["cases"][0]["copies"], json!({ "W": 2 }));
    assert_eq!(whole["cases"][0]["locals"]["W"][0][0]["routine"], "W");
    let first = &whole["cases"][0]["threads"]["W"][0];
    assert_eq!(first["callers"], json!([]));
    assert_eq!(first["states"][0], json!({ "shared": ["none"], "locals": [0] }));
    assert!(text.contains("\n{\"shared\":[\"W[2]\"],\"locals\":["), "{text}");

    let text = written(&program, &Proof::Frontier(frontier(&Instance::new(program.clone(), 0))));
    let whole: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(whole["kind"], "frontier");
    assert_eq!(whole["iterates"][0]["W[2]"][0], json!({ "shared": ["none"], "locals": [0] }));
}

/// What is said about the file of this proof with one value changed.
fn says(program: &Arc<Program>, proof: &Proof, pointer: &str, value: Value, part: &str) {
    let mut file: Value = serde_json::from_str(&written(program, proof)).expect("JSON");
    *file.pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}")) = value;
    let error = read(program, &file.to_string()).expect_err(pointer).to_string();
    assert!(error.contains(part), "{pointer}: {error}");
}

#[test]
fn what_is_wrong_with_an_annotation_is_said_with_its_place() {
    let program = program(MUTEX);
    let proof = Proof::Modular(modular(&program, &[&[3]]));
    let says = |pointer: &str, value, part: &str| says(&program, &proof, pointer, value, part);
    says("/cases", json!(null), "`cases` is missing");
    says("/cases", json!(7), "invalid type");
    says("/variables", json!([]), "[x, m]");
    says("/cases/0/copies", json!({}), "cases[0].copies`: the thread `W` is missing");
    says("/cases/0/copies", json!({ "W": 3, "V": 1 }), "no thread `V`");
    says("/cases/0/copies/W", json!(4), "cases[0].copies`: at most 3 copies");
    says("/cases/0/copies/W", json!(0), "cases[0].");
    says("/cases/0/locals", json!({}), "cases[0].locals`: the thread `W` is missing");
    says("/cases/0/locals/W/0", json!([]), "cases[0].locals.W[0]");
    says("/cases/0/locals/W/0/0/location", json!(1_000_000), "cases[0].locals.W[0][0]");
    says("/cases/0/threads", json!({}), "cases[0].threads.W`: without recursion there is one context, not 0");
    says("/cases/0/threads", json!({ "V": [] }), "cases[0].threads.V`: the program has no thread");
    says("/cases/0/threads/W/0/states/0/shared", json!([1]), "cases[0].threads.W[0].states[0].shared`: expected 2");
    says("/cases/0/threads/W/0/states/0/shared", json!({}), "states[0].shared`: expected an array");
    says("/cases/0/threads/W/0/states/0/shared/1", json!("W[4]"), "states[0].shared[1]");
    says("/cases/0/threads/W/0/states/0/locals/0", json!(99), "states[0].locals[0]`: the index is out of range");
    let caller = json!([{ "context": 0, "frame": { "routine": "W", "location": 0, "vars": {} } }]);
    says("/cases/0/threads/W/0/callers", caller, "W[0].callers`: without recursion contexts have no callers");
}

#[test]
fn what_is_wrong_with_calls_is_said_with_its_place() {
    let program = program(RECURSIVE);
    let proof = modular(&program, &[&[2]]);
    let says = |pointer: &str, value, part: &str| says(&program, &Proof::Modular(proof.clone()), pointer, value, part);
    says("/cases/0/threads/W/1/callers", json!([]), "W[1].callers`: a context other than the first has a caller");
    says("/cases/0/threads/W/1/callers/0/context", json!(9), "W[1].callers[0]`: there is no context 9");
    says("/cases/0/threads/W/1/callers/0/frame", json!({}), "W[1].callers[0].frame`: a frame has either");
    says("/cases/0/threads/W/1/callers/0/context", json!(1), "W[1].callers[0]`: a frame of");
    says("/cases/0/threads/W", json!([]), "the context of the thread's own code is missing");
    says("/cases/0/locals/W/0", json!([]), "expected one frame");

    // The running frames and the callers' frames belong to the right routines.
    let wrong = |change: &dyn Fn(&mut ModularProof), part: &str| {
        let mut proof = proof.clone();
        change(&mut proof);
        let error = proof.validate(&program).expect_err(part).to_string();
        assert!(error.contains(part), "{error}");
    };
    let context = |proof: &ModularProof, index: usize| proof.cases[0].threads[0].contexts[index].clone();
    wrong(&|proof| proof.cases[0].threads[0].contexts[0].states = context(proof, 1).states, "W[0].states[0].locals[0]");
    wrong(&|proof| proof.cases[0].threads[0].contexts[0].callers = context(proof, 1).callers, "is not called");
    let frame = context(&proof, 1).callers[0].1.clone();
    let calling = move |proof: &mut ModularProof| proof.cases[0].threads[0].contexts[0].states[0].1[0] = frame.clone();
    wrong(&calling, "the running frame of `W` is calling");
    let location = context(&proof, 0).states[0].1[0].clone();
    let not_calling = move |proof: &mut ModularProof| {
        proof.cases[0].threads[0].contexts[1].callers[0].1 = location.clone();
    };
    wrong(&not_calling, "a caller's frame is at a call");
}

#[test]
fn what_is_wrong_with_a_sequence_is_said_with_its_place() {
    let program = program(COUNTER);
    let proof = Proof::Frontier(frontier(&Instance::new(program.clone(), 0)));
    let says = |pointer: &str, value, part: &str| says(&program, &proof, pointer, value, part);
    says("/iterates", json!(null), "`iterates` is missing");
    says("/locals", json!(null), "`locals` is missing");
    says("/iterates/1", json!({}), "iterates[1]`: the thread `T1` is missing");
    says("/iterates/1", json!({ "T9": [] }), "iterates[1]`: the program has no thread `T9`");
    says("/iterates/1", json!({ "none": [] }), "no thread `none`");
    says("/iterates/1/T2/0/shared/0", json!(4), "iterates[1].T2[0].shared[0]");
    says("/iterates/1/T2/0/locals/0", json!(400), "iterates[1].T2[0].locals[0]");
}
