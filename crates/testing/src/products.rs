//! Proofs by unions of products, put together by hand.

use crate::{explore, program};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use threadwise_evidence::{CartesianProof, Product};
use threadwise_ir::{Instance, Program, Store, TemplateId};

/// The example of CART, section 2.2.
pub const PETERSON: &str = include_str!("../../../examples/peterson.tw");
/// The example of CART, section 3.6.
pub const LOCK_CLASS: &str = include_str!("../../../examples/lock-class.tw");
/// The example of CART, section 1.13.
pub const FIRST_THREAD_WAITS: &str = include_str!("../../../examples/first-thread-waits.tw");

/// For each shared store the products, thread by thread, of a program without local variables: of
/// thread `t` the local states are where it is, as numbers of locations.
pub type Sketch = BTreeMap<Vec<i64>, Vec<Vec<Vec<i64>>>>;

/// The proof for a sketch. Equal components beside each other are put into one run.
pub fn proof(instance: &Instance, symmetric: &[TemplateId], sketch: &Sketch) -> CartesianProof {
    let mut proof = CartesianProof { symmetric: symmetric.to_vec(), ..CartesianProof::default() };
    proof.locals = vec![Vec::new(); instance.program.templates.len()];
    for (shared, products) in sketch {
        let products = products.iter().map(|components| product(instance, &mut proof, components)).collect();
        proof.unions.push((shared.clone().into(), products));
    }
    proof
}

fn product(instance: &Instance, proof: &mut CartesianProof, components: &[Vec<i64>]) -> Product {
    let mut product = Product::default();
    let mut last = None;
    for (component, thread) in components.iter().zip(&instance.threads) {
        let locals = &mut proof.locals[thread.template.index()];
        let elements = component.iter().map(|&location| index_of(locals, Store::from([location])));
        let elements: BTreeSet<u32> = elements.collect();
        let set = index_of(&mut proof.sets, elements.into_iter().collect());
        if last.replace((thread.template, set)) == Some((thread.template, set)) {
            product.components.last_mut().expect("there was one before").0 += 1;
        } else {
            product.components.push((1, set));
        }
    }
    product
}

/// Where an item is in a list, to which it is added if it is new.
pub fn index_of<T: PartialEq>(all: &mut Vec<T>, item: T) -> u32 {
    let known = all.iter().position(|other| *other == item);
    known.unwrap_or_else(|| {
        all.push(item);
        all.len() - 1
    }) as u32
}

/// The locations with these one-letter labels in a thread.
pub fn at(program: &Program, thread: &str, labels: &str) -> Vec<i64> {
    let routine = program.routines.iter().position(|r| &*r.name == thread).expect("there is the thread");
    let find = |label: char| {
        let has = |l: &threadwise_ir::Location| {
            l.routine.index() == routine && l.labels.iter().any(|known| **known == *label.to_string())
        };
        program.locations.iter().position(has).expect("there is the label") as i64
    };
    labels.chars().map(find).collect()
}

/// CART, section 2.2.5: the fixpoint X5 for Peterson's algorithm.
pub fn peterson_x5(program: &Program) -> Sketch {
    let products = [
        ("000", "A", "A"),
        ("001", "A", "A"),
        ("010", "A", "BCD"),
        ("011", "A", "B"),
        ("100", "B", "A"),
        ("101", "BCD", "A"),
        ("110", "BD", "BC"),
        ("111", "BC", "BCD"),
        ("110", "B", "D"),
        ("110", "C", "C"),
        ("111", "D", "B"),
    ];
    let mut sketch = Sketch::new();
    for (shared, first, second) in products {
        let shared = shared.bytes().map(|digit| i64::from(digit - b'0')).collect();
        sketch.entry(shared).or_default().push(vec![at(program, "P1", first), at(program, "P2", second)]);
    }
    sketch
}

/// The program of CART, section 3.6, with its noncritical and critical locations.
pub fn lock_class(n: usize, m: usize, k: usize) -> (Arc<Program>, Vec<i64>, Vec<i64>) {
    let text = LOCK_CLASS.replace("N = 3;", &format!("N = {n};"));
    let text = text.replace("M = 2;", &format!("M = {m};")).replace("K = 2;", &format!("K = {k};"));
    let program = program(&text);
    let alone = explore(&Instance::with_copies(program.clone(), &[1])).states;
    let with = |lock: i64| alone.iter().filter(|s| s.shared[0] == lock).map(|s| s.locals[0][0]).collect();
    let (noncritical, critical): (Vec<i64>, Vec<i64>) = (with(0), with(1));
    assert_eq!((noncritical.len(), critical.len()), (m, m * k));
    (program, noncritical, critical)
}

/// With the lock free all are noncritical; with the lock held B(noncritical, critical).
pub fn lock_class_proof(n: usize, m: usize, k: usize) -> (Arc<Program>, CartesianProof) {
    let (program, u, v) = lock_class(n, m, k);
    let sketch =
        Sketch::from([(vec![0], vec![vec![u.clone(); n]]), (vec![1], vec![[vec![v], vec![u; n - 1]].concat()])]);
    let proof = proof(&Instance::new(program.clone(), 0), &[TemplateId(0)], &sketch);
    (program, proof)
}
