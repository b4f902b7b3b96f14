//! Unions of products as people and scripts read them.

use std::sync::Arc;
use threadwise_check::check;
use threadwise_claims::Stats;
use threadwise_coverings::covered;
use threadwise_evidence::{CartesianProof, Product, Proof};
use threadwise_ir::{Instance, Program, TemplateId};
use threadwise_limits::Budget;
use threadwise_report::{Layout, Report, human, json, render_proof};
use threadwise_testing::products::{PETERSON, Sketch, at, lock_class_proof, peterson_x5, proof};
use threadwise_testing::{explore, program};
use threadwise_verdict::Verdict;

const PLAIN: Layout = Layout { width: None, color: false, whole: false };

fn shown(program: &Arc<Program>, proof: &CartesianProof, layout: &Layout) -> String {
    render_proof(program, &Proof::Cartesian(proof.clone()), layout).expect("it can be shown")
}

fn peterson() -> (Arc<Program>, CartesianProof) {
    let program = program(PETERSON);
    let mut proof = proof(&Instance::new(program.clone(), 0), &[], &peterson_x5(&program));
    // The last three products of X5 are the paper's exception set.
    for (store, product) in [(6, 1), (6, 2), (7, 1)] {
        proof.unions[store].1[product].exception = true;
    }
    (program, proof)
}

#[test]
fn peterson_with_exceptions() {
    let (program, proof) = peterson();
    insta::assert_snapshot!(shown(&program, &proof, &PLAIN));
}

#[test]
fn interchangeable_copies() {
    let (program, proof) = lock_class_proof(1000, 1, 2);
    insta::assert_snapshot!(shown(&program, &proof, &PLAIN));
}

#[test]
fn places_of_the_same_name_are_numbered_where_not_all_are_meant() {
    let (program, mut proof) = lock_class_proof(3, 2, 2);
    let text = shown(&program, &proof, &PLAIN);
    assert!(text.contains("  2 of W@24:7, 1 of W@critical\n"), "{text}");
    proof.sets[1].remove(1);
    let text = shown(&program, &proof, &PLAIN);
    assert!(text.contains("  2 of W@24:7, 1 of W@{critical#1, critical#3, critical#4}\n"), "{text}");
}

/// The reachable states, a product for each.
fn state_by_state(program: &Arc<Program>) -> CartesianProof {
    let instance = Instance::new(program.clone(), 0);
    let mut proof = CartesianProof { locals: vec![Vec::new(); program.templates.len()], ..Default::default() };
    let mut states = explore(&instance).states;
    states.sort();
    for state in states {
        let mut product = Product::default();
        for (local, thread) in state.locals.iter().zip(&instance.threads) {
            let local =
                threadwise_testing::products::index_of(&mut proof.locals[thread.template.index()], local.clone());
            product.components.push((1, threadwise_testing::products::index_of(&mut proof.sets, vec![local])));
        }
        match proof.unions.last_mut() {
            Some((shared, products)) if *shared == state.shared => products.push(product),
            _ => proof.unions.push((state.shared, vec![product])),
        }
    }
    proof
}

#[test]
fn values_calls_and_copies_by_number() {
    let program = program(
        "shared m: mutex;
         proc add(n: 0..2) returns (r: 0..2) { r = n; r = (r + 1) % 3; }
         thread P { var v: 0..2; v = add(1); }
         thread W[3] { acquire(m); release(m); }",
    );
    let mut proof = state_by_state(&program);
    // One product with several values and a run of copies.
    let whole = (0..proof.locals[0].len() as u32).collect();
    proof.sets.push(whole);
    let components = vec![(1, proof.sets.len() as u32 - 1), (2, 0), (1, 0)];
    proof.unions[0].1 = vec![Product { exception: true, components }];
    proof.unions.iter_mut().for_each(|(_, products)| products.truncate(3));
    insta::assert_snapshot!(shown(&program, &proof, &PLAIN));
}

#[test]
fn long_proofs_are_cut() {
    let n = 60;
    let threads: String = (0..n).map(|i| format!("thread P{i} {{ a: skip; b: }}\n")).collect();
    let program = program(&threads);
    let instance = Instance::new(program.clone(), 0);
    let product =
        |odd: usize| (0..n).map(|i| at(&program, &format!("P{i}"), if i == odd { "ab" } else { "a" })).collect();
    let proof = proof(&instance, &[], &Sketch::from([(vec![], (0..n).map(product).collect())]));
    let text = shown(&program, &proof, &PLAIN);
    assert!(text.contains("\n    P0@a, P1@{a, b}, P2@a, P3@a,"), "{text}");
    assert!(text.contains("P11@a, … (48 more threads)\n"), "{text}");
    assert!(text.ends_with("\n  36 more products; -v shows all\n"), "{text}");
    let whole = shown(&program, &proof, &Layout { whole: true, ..PLAIN });
    assert!(whole.contains("P59@{a, b}\n") && !whole.contains("more"), "{whole}");
    let narrow = shown(&program, &proof, &Layout { width: Some(60), ..PLAIN });
    assert!(narrow.lines().all(|line| line.chars().count() <= 60), "{narrow}");
}

#[test]
fn reports_for_people_and_scripts() {
    let (program, proof) = peterson();
    let told = covered(&Instance::new(program.clone(), 0), proof, &Budget::unlimited()).expect("no limit");
    let proof = Proof::Cartesian(told);
    let checked = check(&program, &proof, &Budget::unlimited()).expect("it is a proof");
    let verdict = Verdict::safe(checked);
    let report = Report {
        program: &program,
        verdict: &verdict,
        properties: &[],
        engine: "cartesian",
        chosen: None,
        modular: None,
        proof: Some(&proof),
        symmetric: false,
        stats: &Stats::default(),
        attempts: &[],
        unreached: &[],
        seconds: 0.0,
        peak_memory_bytes: 0,
    };
    let text = human(&report, &PLAIN);
    let how = "how       unions of products: 11 products for 8 shared states, 3 of them exceptions; \
               the proof has been checked\n";
    assert!(text.contains(how), "{text}");
    let invariant = json(&report).invariant;
    assert_eq!(invariant.len(), 8);
    insta::assert_snapshot!(serde_json::to_string_pretty(&invariant[6]).expect("JSON"));
    // What is empty has nothing to say.
    let empty = CartesianProof { symmetric: vec![TemplateId(0)], ..CartesianProof::default() };
    assert!(shown(&program, &empty, &PLAIN).starts_with("  In every reachable state"));
}
