//! Files of proofs by abstract threads: what is written is read back, and what is wrong is refused.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use threadwise_evidence::{
    Conformance, ConformanceProof, EnvironmentTransition, FileError, FormulaProof, PointFormula, Proof, Scope,
    Simulation, ThreadFormulas,
};
use threadwise_evidence_files::{ProofFile, write_proof};
use threadwise_ir::{EdgeId, Instance, Op, Point, Program, ThreadId};
use threadwise_testing::{modular, program};

const TEXT: &str = "shared x: 0..2;
    proc set(n: 0..2) { x = n; }
    thread P { set(1); }
    thread Q { skip; }
    abstract P { init A, B; idle; A:; B: assert x < 2; A -> B [x] x' == 1; }";

fn written(program: &Arc<Program>, proof: &Proof) -> String {
    let mut out = Vec::new();
    write_proof(&mut out, program, proof, &BTreeMap::new()).expect("writing to memory works");
    String::from_utf8(out).expect("JSON is UTF-8")
}

fn read(program: &Arc<Program>, text: &str) -> Result<Proof, FileError> {
    ProofFile::read(text.as_bytes())?.into_proof(program)
}

/// A point in the procedure, and one in the thread.
fn points(program: &Program) -> Vec<PointFormula> {
    let call = program.edges.iter().position(|edge| matches!(edge.op, Op::Call { .. })).expect("a call");
    let Op::Call { routine, .. } = program.edges[call].op else { panic!("a call") };
    let point = Point { calls: vec![EdgeId(call as u32)], location: program.routine(routine).entry };
    let inside = PointFormula::new(point, "(and ready (<= count 2))".to_string());
    let entry = program.routine(program.templates[0].body).entry;
    vec![inside, PointFormula::new(Point::at(entry), "true".to_string())]
}

fn proofs(program: &Arc<Program>) -> Vec<Proof> {
    let instance = Instance::new(program.clone(), 1);
    let start = instance.starts(ThreadId(0), &[0]).successors[0].local.clone();
    let composition = program.abstraction().expect("expressible").composition;
    let simulations = [Simulation::Candidates(vec![(start, vec![1, 3])]), Simulation::Assertions(points(program))];
    let conformance = |simulation| {
        let threads = vec![Conformance { thread: ThreadId(0), simulation }];
        let composition = Box::new(Proof::Modular(modular(&composition, &[&[1, 1]])));
        Proof::Conformance(ConformanceProof { threads, composition })
    };
    let mut proofs: Vec<Proof> = simulations.map(conformance).into();
    let alone = ThreadFormulas { points: points(program), ..ThreadFormulas::default() };
    let mut given = PointFormula { words: "x is small".to_string(), inferred: false, ..points(program)[1].clone() };
    given.formula = "(<= x 1)".to_string();
    let transition = EnvironmentTransition { by: Some(ThreadId(0)), formula: "(= |x'| x)".to_string() };
    let bounded = ThreadFormulas {
        points: points(program),
        remarks: vec![given],
        environment: Some(vec![transition]),
        guarantee: Some("(<= x |x'|)".to_string()),
        closure: 2,
    };
    let of = |scope, part: ThreadFormulas| {
        Proof::Formulas(FormulaProof { scope, parts: vec![part, ThreadFormulas::default()] })
    };
    proofs.push(of(Scope::Templates, alone));
    proofs.push(of(Scope::ThreadsAlone, bounded));
    proofs
}

#[test]
fn proofs_are_read_back_exactly() {
    let program = program(TEXT);
    for proof in proofs(&program) {
        let back = read(&program, &written(&program, &proof)).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(format!("{back:?}"), format!("{proof:?}"));
    }
}

/// The file with something else at a place is refused, and the reason has this part.
fn refused(proof: usize, pointer: &str, value: Value, part: &str) {
    let program = program(TEXT);
    let mut json: Value = serde_json::from_str(&written(&program, &proofs(&program)[proof])).expect("JSON");
    *json.pointer_mut(pointer).expect(pointer) = value;
    let error = read(&program, &json.to_string()).expect_err(part).to_string();
    assert!(error.contains(part), "expected `{part}` in: {error}");
}

#[test]
fn what_does_not_fit_is_refused() {
    refused(0, "/conformance/0/thread", json!("Q"), "no specified thread `Q`");
    refused(0, "/conformance/0/candidates/0/nodes/0/0", json!("Z"), "there is no node `Z`");
    refused(0, "/conformance/0/candidates/0/local", json!([]), "candidates");
    refused(0, "/conformance/0/candidates", json!(null), "the field `candidates` is missing");
    refused(0, "/composition/kind", json!("magic"), "proofs of the kind `magic` are not known");
    refused(0, "/composition", json!(null), "the field `composition` is missing");
    refused(1, "/conformance/0/assertions/0/calls/0", json!(99), "there is no such call");
    refused(1, "/conformance/0/assertions/0/location", json!(99), "there is no such location");
    refused(2, "/threads", json!({ "R": { "points": [], "closure": 0 } }), "the program has no thread `R`");
    refused(2, "/threads/P/points/0/location", json!(99), "there is no such location");
    refused(2, "/threads/P/points/0/calls", json!([999]), "there is no such call");
    refused(2, "/threads/P/points/0/calls", json!([0, 0]), "there is no such call");
    refused(2, "/threads/P/closure", json!(-2), "not as it should be");
    refused(2, "/threads", json!(null), "the field `threads` is missing");
    refused(2, "/scope", json!("magic"), "proofs about `magic` are not known");
    refused(3, "/threads/P/remarks/0/location", json!(99), "there is no such location");
    refused(3, "/threads/P/environment/0/by", json!("R"), "the program has no thread `R`");
    refused(3, "/threads/Q", json!(null), "not as it should be");
}

/// Files of the format before, with other kinds of proofs, are not misread.
#[test]
fn older_versions_are_refused() {
    for version in [1, 2] {
        refused(2, "/version", json!(version), "only version 3 is");
    }
    refused(2, "/kind", json!("contracts"), "proofs of the kind `contracts` are not known");
}
