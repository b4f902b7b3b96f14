//! Files with random changes are read or refused, but never bring the reader down.

use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use threadwise_coverings::covered;
use threadwise_evidence::Proof;
use threadwise_evidence_files::{ProofFile, TraceFile, write_proof, write_trace};
use threadwise_ir::{Instance, Program};
use threadwise_limits::Budget;
use threadwise_testing::products::lock_class_proof;
use threadwise_testing::{COUNTER, KITCHEN_SINK, RECURSIVE, frontier, modular, program, reachable_set, trace};

static SINK: LazyLock<Arc<Program>> = LazyLock::new(|| program(KITCHEN_SINK));

static TRACE: LazyLock<String> = LazyLock::new(|| {
    let instance = Instance::new(SINK.clone(), 0);
    let mut out = Vec::new();
    write_trace(&mut out, &instance, &trace(&instance), &BTreeMap::new()).expect("memory");
    String::from_utf8(out).expect("UTF-8")
});

static PROOF: LazyLock<String> = LazyLock::new(|| {
    let mut set = reachable_set(&Instance::new(SINK.clone(), 0));
    set.states.truncate(4 * 50);
    let mut out = Vec::new();
    write_proof(&mut out, &SINK, &Proof::Reachable(set), &BTreeMap::new()).expect("memory");
    String::from_utf8(out).expect("UTF-8")
});

/// A modular proof with recursion, a frontier proof and a union of products, each with its program.
static BY_THREAD: LazyLock<[(Arc<Program>, String); 3]> = LazyLock::new(|| {
    let (recursive, counter) = (program(RECURSIVE), program(COUNTER));
    let (lock_class, products) = lock_class_proof(3, 2, 2);
    let instance = Instance::new(lock_class.clone(), 0);
    let products = covered(&instance, products, &Budget::unlimited()).expect("no limit");
    let proofs = [
        Proof::Modular(modular(&recursive, &[&[2]])),
        Proof::Frontier(frontier(&Instance::new(counter.clone(), 0))),
        Proof::Cartesian(products),
    ];
    [recursive, counter, lock_class]
        .into_iter()
        .zip(proofs)
        .map(|(program, proof)| {
            let mut out = Vec::new();
            write_proof(&mut out, &program, &proof, &BTreeMap::new()).expect("memory");
            (program, String::from_utf8(out).expect("UTF-8"))
        })
        .collect::<Vec<_>>()
        .try_into()
        .expect("three")
});

fn read_proof(program: &Arc<Program>, text: &[u8]) {
    let _ = ProofFile::read(text).and_then(|file| file.into_proof(program));
}

fn read_both(text: &[u8]) {
    let _ = TraceFile::read(text).and_then(|file| file.trace(&SINK));
    let _ = ProofFile::read(text).and_then(|file| file.into_proof(&SINK));
}

/// Replaces, removes or doubles the `n`th value of a tree, counted depth first.
fn mutate(value: &mut Value, n: &mut usize, by: &Value) -> bool {
    if *n == 0 {
        *value = by.clone();
        return true;
    }
    *n -= 1;
    match value {
        Value::Array(items) => {
            if *n == 0 && !items.is_empty() {
                items.remove(0);
                return true;
            }
            items.iter_mut().any(|item| mutate(item, n, by))
        }
        Value::Object(fields) => fields.values_mut().any(|field| mutate(field, n, by)),
        _ => false,
    }
}

fn replacement() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-3i64..200).prop_map(Value::from),
        any::<f64>().prop_map(|x| json!(x)),
        prop_oneof!["none", "W", "W\\[[0-9]\\]", "busy", "step|state|property|initial|start", ".*"]
            .prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
        Just(json!([[0, 1], "W[1]"])),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn changed_values(n in 0usize..3000, by in replacement(), which in any::<bool>()) {
        let mut file: Value = serde_json::from_str(if which { &TRACE } else { &PROOF }).expect("JSON");
        mutate(&mut file, &mut n.clone(), &by);
        read_both(file.to_string().as_bytes());
    }

    #[test]
    fn changed_bytes(at in any::<prop::sample::Index>(), by in any::<u8>(), which in any::<bool>()) {
        let mut text = if which { TRACE.clone() } else { PROOF.clone() }.into_bytes();
        let at = at.index(text.len());
        text[at] = by;
        read_both(&text);
    }

    #[test]
    fn cut_files(at in any::<prop::sample::Index>(), which in any::<bool>()) {
        let text = if which { &*TRACE } else { &*PROOF };
        read_both(&text.as_bytes()[..at.index(text.len())]);
    }

    #[test]
    fn changed_values_by_thread(n in 0usize..1500, by in replacement(), which in 0usize..3) {
        let (program, text) = &BY_THREAD[which];
        let mut file: Value = serde_json::from_str(text).expect("JSON");
        mutate(&mut file, &mut n.clone(), &by);
        read_proof(program, file.to_string().as_bytes());
    }

    #[test]
    fn changed_bytes_by_thread(at in any::<prop::sample::Index>(), by in any::<u8>(), which in 0usize..3) {
        let (program, text) = &BY_THREAD[which];
        let mut text = text.clone().into_bytes();
        let at = at.index(text.len());
        text[at] = by;
        read_proof(program, &text);
    }

    #[test]
    fn files_for_other_programs(which in 0usize..3) {
        read_proof(&SINK, BY_THREAD[which].1.as_bytes());
        read_proof(&BY_THREAD[(which + 1) % 3].0, BY_THREAD[which].1.as_bytes());
    }
}
