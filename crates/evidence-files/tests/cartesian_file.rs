//! Files of proofs by unions of products: what is written is read back, and what is wrong is refused.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use threadwise_coverings::covered;
use threadwise_evidence::{CartesianProof, FileError, Product, Proof};
use threadwise_evidence_files::{ProofFile, write_proof};
use threadwise_ir::{Instance, Program, Store, TemplateId};
use threadwise_limits::Budget;
use threadwise_testing::products::{PETERSON, Sketch, at, lock_class, lock_class_proof, peterson_x5, proof};
use threadwise_testing::{MUTEX, program};

fn written(program: &Arc<Program>, proof: &CartesianProof) -> String {
    let mut out = Vec::new();
    write_proof(&mut out, program, &Proof::Cartesian(proof.clone()), &BTreeMap::new())
        .expect("writing to memory works");
    String::from_utf8(out).expect("JSON is UTF-8")
}

fn read(program: &Arc<Program>, text: &str) -> Result<Proof, FileError> {
    ProofFile::read(text.as_bytes())?.into_proof(program)
}

/// A proof with what the judge has to be told.
fn told((program, proof): (Arc<Program>, CartesianProof)) -> (Arc<Program>, CartesianProof) {
    let proof = covered(&Instance::new(program.clone(), 0), proof, &Budget::unlimited()).expect("no limit");
    (program, proof)
}

/// Two threads that one product has at first, and two products together later.
fn split() -> (Arc<Program>, CartesianProof) {
    let program = program("shared x: 0..1; thread P { a: x = 1; b: } thread Q { loop { p: skip; q: skip; } }");
    let of = |first: &str, second: &str| vec![at(&program, "P", first), at(&program, "Q", second)];
    let sketch = Sketch::from([(vec![0], vec![of("a", "pq")]), (vec![1], vec![of("b", "p"), of("b", "q")])]);
    let proof = proof(&Instance::new(program.clone(), 0), &[], &sketch);
    (program, proof)
}

/// Whoever takes the lock becomes the last of the copies.
fn lock_class_with_the_last_holding() -> (Arc<Program>, CartesianProof) {
    let (program, u, v) = lock_class(4, 1, 1);
    let held = [vec![u.clone(); 3], vec![v]].concat();
    let sketch = Sketch::from([(vec![0], vec![vec![u; 4]]), (vec![1], vec![held])]);
    let proof = proof(&Instance::new(program.clone(), 0), &[TemplateId(0)], &sketch);
    (program, proof)
}

fn peterson() -> (Arc<Program>, CartesianProof) {
    let program = program(PETERSON);
    let mut proof = proof(&Instance::new(program.clone(), 0), &[], &peterson_x5(&program));
    proof.unions[6].1[1].exception = true;
    (program, proof)
}

#[test]
fn proofs_are_read_back_exactly() {
    let alone = program("thread W[0] { skip; }");
    let nothing = CartesianProof { locals: vec![Vec::new()], ..CartesianProof::default() };
    let something = CartesianProof { unions: vec![(Store::from([]), vec![Product::default()])], ..nothing.clone() };
    let mut proofs = vec![(alone.clone(), nothing), (alone, something), peterson()];
    proofs.extend([2, 3, 1000].map(|n| lock_class_proof(n, 2, 2)));
    proofs.extend([split(), lock_class_with_the_last_holding()]);
    let proofs: Vec<_> = proofs.into_iter().flat_map(|proof| [proof.clone(), told(proof)]).collect();
    assert!(proofs.iter().any(|(_, proof)| !proof.coverings.lemmas.is_empty()));
    assert!(proofs.iter().any(|(_, proof)| proof.coverings.steps.iter().any(|step| !step.within.order.is_empty())));
    for (program, proof) in proofs {
        match read(&program, &written(&program, &proof)) {
            Ok(Proof::Cartesian(back)) => assert_eq!(back, proof),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn the_files_are_readable_and_short() {
    let (program, proof) = told(lock_class_proof(1000, 1, 2));
    let text = written(&program, &proof);
    let whole: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(whole["kind"], "cartesian");
    assert_eq!(whole["symmetric"], json!(["W"]));
    assert_eq!(whole["sets"], json!([[0], [1, 2]]));
    assert_eq!(
        whole["unions"][0],
        json!({ "shared": [false], "products": [{ "exception": false, "components": [[1000, 0]] }] })
    );
    assert!(text.contains("\n{\"exception\":false,\"components\":[1,[999,0]]}\n"), "{text}");
    // Where the lock is free some copy, say the first, takes it; the holder, which is the first, frees it.
    assert!(
        text.ends_with(
            "\"initial\": [\n[0,0]\n],\n\"lemmas\": [\n],\n\"steps\": [\n[0,0,1,0,1,0],\n[1,0,0,0,1,0]\n]\n}\n"
        ),
        "{text}"
    );
    assert!(text.len() < 1000);
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let (program, proof) = lock_class_proof(3, 1, 2);
    let says = |pointer: &str, value: Value, part: &str| {
        let mut file: Value = serde_json::from_str(&written(&program, &proof)).expect("JSON");
        *file.pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}")) = value;
        let error = read(&program, &file.to_string()).expect_err(pointer).to_string();
        assert!(error.contains(part), "{pointer}: {error}");
    };
    for field in ["symmetric", "locals", "sets", "unions", "initial", "lemmas", "steps"] {
        says(&format!("/{field}"), json!(null), &format!("the field `{field}` is missing"));
    }
    says("/symmetric/0", json!("V"), "symmetric[0]`: the program has no thread `V`");
    says("/locals", json!({}), "at `locals`: the thread `W` is missing");
    says("/locals/W/1/0/location", json!(999), "locals.W[1][0]");
    says("/sets/1", json!([2, 1]), "sets[1]`: the elements of a set are in ascending order");
    says("/sets/1", json!([1, 1]), "sets[1]`: the elements of a set are in ascending order");
    says("/sets/1", json!([1, 9]), "unions[1].products[0].components[0]`: the set 1 has an element that is no local");
    says("/unions/0/shared", json!([]), "unions[0].shared`: expected 1 values");
    says("/unions/0/shared/0", json!(3), "unions[0].shared[0]`: expected true or false");
    says("/unions/1/shared/0", json!(false), "unions[1].shared`: the shared stores are in ascending order");
    let components = |value: Value, part: &str| says("/unions/1/products/0/components", value, part);
    components(json!([1, 0]), "unions[1].products[0].components`: there are components for 2 of 3 threads");
    components(json!([1, 0, 0, 0]), "components[3]`: there are components for more than the 3 threads");
    components(json!([1, [3, 0]]), "components[1]`: only 2 copies of `W` are left for the run");
    components(json!([1, [0, 0], [2, 0]]), "components[1]`: a run has at least one thread");
    components(json!([7, 0, 0]), "components[0]`: there is no set 7");
    components(json!([[2, 0, 0], 0]), "a run has two numbers");
    components(json!([[2]]), "a run has two numbers");
    components(json!([-1, 0, 0]), "the number of a set, or");
    components(json!([5_000_000_000_u64, 0, 0]), "there are not so many sets");
    components(json!("all"), "invalid type");
}

#[test]
fn runs_stay_within_a_template() {
    let program = program("thread P { skip; } thread W[2] { skip; }");
    let location = |template: usize| i64::from(program.routine(program.templates[template].body).entry.0);
    let locals = vec![vec![Store::from([location(0)])], vec![Store::from([location(1)])]];
    let with = |components: &[(u32, u32)]| {
        let product = Product { exception: false, components: components.to_vec() };
        let unions = vec![(Store::from([]), vec![product])];
        CartesianProof { locals: locals.clone(), sets: vec![vec![0]], unions, ..CartesianProof::default() }
    };
    let instance = Instance::new(program.clone(), 0);
    assert!(with(&[(1, 0), (2, 0)]).validate(&instance).is_ok());
    let error = with(&[(3, 0)]).validate(&instance).expect_err("the run crosses").to_string();
    assert!(error.contains("only 1 copies of `P` are left"), "{error}");
    let unknown = CartesianProof { symmetric: vec![TemplateId(2)], ..with(&[]) };
    assert!(unknown.validate(&instance).expect_err("unknown").to_string().contains("symmetric[0]"));
    // A proof of another program does not fit.
    assert!(with(&[]).validate(&Instance::new(threadwise_testing::program(MUTEX), 0)).is_err());
}
