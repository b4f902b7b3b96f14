//! Proofs by contracts are read as they were written, and damaged files are refused.

use std::collections::BTreeMap;
use threadwise_evidence::{ContractsProof, PointAssertion, Proof, ThreadContract};
use threadwise_evidence_files::{ProofFile, decode_expr, expr_json, write_proof};
use threadwise_ir::{EdgeId, Point};
use threadwise_testing::program;

const TEXT: &str = "shared x: int; proc p(k: int) { while (k > 0) { k = k - 1; } }
    thread P { p(3); } thread W[*] { skip; } rely P :: x' >= x;";

fn proof() -> (std::sync::Arc<threadwise_ir::Program>, ContractsProof) {
    let program = program(TEXT);
    let call = program.edges.iter().position(|e| matches!(e.op, threadwise_ir::Op::Call { .. })).expect("a call");
    let routine = program.routines.iter().position(|r| &*r.name == "p").expect("a procedure");
    let routine_id = threadwise_ir::RoutineId(routine as u32);
    let e = serde_json::json!(["<=", ["local", 0], 3]);
    let point = PointAssertion {
        point: Point { calls: vec![EdgeId(call as u32)], location: program.routine(routine_id).entry },
        holds: vec![decode_expr(&program, Some(routine_id), &e).expect("an expression")],
        inferred: true,
    };
    let first = ThreadContract { closure: 2, loops: vec![point], points: Vec::new() };
    let second = ThreadContract { closure: 1, ..ThreadContract::default() };
    (program, ContractsProof { threads: vec![first, second] })
}

fn written() -> String {
    let (program, proof) = proof();
    let mut out = Vec::new();
    write_proof(&mut out, &program, &Proof::Contracts(proof), &BTreeMap::new()).expect("it is written");
    String::from_utf8(out).expect("text")
}

fn read(text: &str) -> Result<Proof, String> {
    let file = ProofFile::read(text.as_bytes()).map_err(|e| e.to_string())?;
    file.into_proof(&program(TEXT)).map_err(|e| e.to_string())
}

#[test]
fn a_proof_comes_back() {
    let (program, proof) = proof();
    let Ok(Proof::Contracts(back)) = read(&written()) else { panic!("{:?}", read(&written())) };
    assert_eq!(back.threads.len(), 2);
    let (there, here) = (&back.threads[0].loops[0], &proof.threads[0].loops[0]);
    assert_eq!((back.threads[0].closure, &there.point), (2, &here.point));
    assert_eq!(expr_json(&program, &there.holds[0]), expr_json(&program, &here.holds[0]));
}

#[test]
fn damage_is_noticed() {
    let text = written();
    for (from, to) in [
        ("\"thread\":\"P\"", "\"thread\":\"Q\""),
        ("[\"local\",0]", "[\"local\",7]"),
        ("\"<=\"", "\"&&\""),
        ("\"<=\"", "\"+\""),
        ("\"calls\":[", "\"calls\":[999,"),
        ("\"calls\":[", "\"calls\":[0,"),
        ("\"location\":", "\"location\":1000"),
        ("\"closure\":2", "\"closure\":-2"),
        ("\"contracts\":", "\"kontrakts\":"),
    ] {
        assert!(text.contains(from), "{from} in {text}");
        assert!(read(&text.replacen(from, to, 1)).is_err(), "{from} → {to}");
    }
}
