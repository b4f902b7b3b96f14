//! Unions of products: good ones are accepted, all others are not.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use threadwise_check::{CheckError, check};
use threadwise_coverings::covered;
use threadwise_evidence::{CartesianProof, Containment, Product, Proof};
use threadwise_ir::{Instance, Program, State, Store, TemplateId, ThreadId};
use threadwise_limits::{Budget, Limit};
use threadwise_testing::products::{
    FIRST_THREAD_WAITS, PETERSON, Sketch, at, index_of, lock_class, lock_class_proof, peterson_x5, proof,
};
use threadwise_testing::{explore, program};

/// What the judge says of the proof when he is told what can be found out.
fn judged(program: &Arc<Program>, proof: &CartesianProof) -> Result<u64, String> {
    let instance = Instance::new(program.clone(), 0);
    match program.has_any_copies() || proof.validate(&instance).is_err() {
        true => judged_as_it_is(program, proof),
        false => judged_as_it_is(program, &covered(&instance, proof.clone(), &Budget::unlimited()).expect("no limit")),
    }
}

fn judged_as_it_is(program: &Arc<Program>, proof: &CartesianProof) -> Result<u64, String> {
    match check(program, &Proof::Cartesian(proof.clone()), &Budget::unlimited()) {
        Ok(checked) => Ok(checked.states()),
        Err(CheckError::Refuted(reason)) => Err(reason),
        Err(CheckError::Limit(limit)) => panic!("{limit}"),
        Err(CheckError::Undecided(why)) => panic!("no solver is asked: {why}"),
    }
}

fn refused(program: &Arc<Program>, proof: &CartesianProof, part: &str) {
    let reason = judged(program, proof).expect_err(part);
    assert!(reason.contains(part), "{reason}");
}

#[test]
fn the_fixpoint_for_peterson_is_a_proof() {
    let program = program(PETERSON);
    let instance = Instance::new(program.clone(), 0);
    let x5 = peterson_x5(&program);
    assert_eq!(judged(&program, &proof(&instance, &[], &x5)), Ok(11));
    // Without exceptions the algorithm finds too much (the same section).
    let places = |inside: i64| if inside == 1 { "BCD" } else { "A" };
    let coarse = x5.keys().map(|shared| {
        let product = vec![at(&program, "P1", places(shared[0])), at(&program, "P2", places(shared[1]))];
        (shared.clone(), vec![product])
    });
    let coarse: Sketch = coarse.collect();
    refused(&program, &proof(&instance, &[], &coarse), "may violate `never P1@D && P2@D;`");
}

#[test]
fn the_fixpoint_for_the_first_thread_that_waits_is_a_proof() {
    let program = program(FIRST_THREAD_WAITS);
    let instance = Instance::new(program.clone(), 0);
    // CART, section 2.2.5: 0AE, 0AG, 1AF, 1BF, and the exceptions 0BG, 0CG.
    let of = |first, second| vec![at(&program, "T1", first), at(&program, "T2", second)];
    let mut sketch = Sketch::from([(vec![0], vec![of("A", "EG"), of("BC", "G")]), (vec![1], vec![of("AB", "F")])]);
    assert_eq!(judged(&program, &proof(&instance, &[], &sketch)), Ok(3));
    sketch.insert(vec![0], vec![of("ABC", "EG")]);
    refused(
        &program,
        &proof(&instance, &[], &sketch),
        "the union is not closed, as far as the proof says: from\n  g = 0; T2 at ",
    );
}

#[test]
fn the_lock_class_with_interchangeable_copies() {
    for (n, m, k) in [(2, 1, 1), (3, 2, 2), (3, 1, 3), (1000, 2, 3)] {
        let (program, proof) = lock_class_proof(n, m, k);
        assert_eq!(judged(&program, &proof), Ok(2), "{n} {m} {k}");
        assert!(proof.unions.iter().all(|(_, products)| products[0].components.len() <= 2));
        for wrong in mutations(&proof) {
            assert!(judged(&program, &wrong).is_err(), "{wrong:?}");
        }
        // Without permutations it lacks the others' critical sections.
        let wrong = CartesianProof { symmetric: Vec::new(), ..proof.clone() };
        refused(&program, &wrong, "the union is not closed");
        // Two of them may not be critical.
        if n > 2 {
            let mut wrong = proof;
            wrong.unions[1].1[0].components = vec![(2, 1), (n as u32 - 2, 0)];
            refused(&program, &wrong, "");
        }
    }
}

/// Everything that lacks an element, a product or a store, and everything with a local state changed.
fn mutations(proof: &CartesianProof) -> Vec<CartesianProof> {
    let mut all = Vec::new();
    let mut push = |change: &dyn Fn(&mut CartesianProof)| {
        let mut mutated = proof.clone();
        change(&mut mutated);
        all.push(mutated);
    };
    for (index, set) in proof.sets.iter().enumerate() {
        for at in 0..set.len() {
            push(&|proof| _ = proof.sets[index].remove(at));
        }
    }
    for (index, (_, products)) in proof.unions.iter().enumerate() {
        push(&|proof| _ = proof.unions.remove(index));
        for at in 0..products.len() {
            push(&|proof| _ = proof.unions[index].1.remove(at));
        }
    }
    for (template, locals) in proof.locals.iter().enumerate() {
        for (a, b) in (0..locals.len()).flat_map(|a| (0..locals.len()).map(move |b| (a, b))) {
            if a != b {
                push(&|proof| proof.locals[template][a] = proof.locals[template][b].clone());
            }
        }
    }
    all
}

#[test]
fn the_lock_class_with_different_threads() {
    let n = 300;
    let (program, u, v) = lock_class(n, 1, 2);
    let held = (0..n).map(|holder| {
        let mut components = vec![u.clone(); n];
        components[holder] = v.clone();
        components
    });
    let sketch = Sketch::from([(vec![0], vec![vec![u.clone(); n]]), (vec![1], held.collect())]);
    let good = proof(&Instance::new(program.clone(), 0), &[], &sketch);
    assert_eq!(judged(&program, &good), Ok(n as u64 + 1));
    let mut wrong = good.clone();
    wrong.unions[1].1.remove(17);
    refused(&program, &wrong, "W[18], by `acquire(lck);` at test.tw:");
    let mut wrong = good;
    let (_, products) = &mut wrong.unions[1];
    products[17].components = products[18].components.clone();
    refused(&program, &wrong, "the union is not closed");
}

/// The states that a proof stands for.
fn states(instance: &Instance, proof: &CartesianProof) -> BTreeSet<State> {
    let mut states = BTreeSet::new();
    for (shared, products) in &proof.unions {
        for product in products {
            let runs = product.components.iter();
            let sets: Vec<u32> = runs.flat_map(|&(count, set)| vec![set; count as usize]).collect();
            for sets in permuted(instance, &proof.symmetric, &sets) {
                let mut tuples: Vec<Vec<Store>> = vec![Vec::new()];
                for (set, thread) in sets.iter().zip(&instance.threads) {
                    let locals = &proof.locals[thread.template.index()];
                    let with =
                        |tuple: &Vec<Store>, element: u32| [&tuple[..], &[locals[element as usize].clone()]].concat();
                    let elements = &proof.sets[*set as usize];
                    tuples = tuples.iter().flat_map(|t| elements.iter().map(move |&e| with(t, e))).collect();
                }
                states.extend(tuples.into_iter().map(|locals| State { shared: shared.clone(), locals }));
            }
        }
    }
    states
}

/// All that come of the list by swapping copies of the symmetric threads.
fn permuted(instance: &Instance, symmetric: &[TemplateId], sets: &[u32]) -> BTreeSet<Vec<u32>> {
    let mut all = BTreeSet::from([sets.to_vec()]);
    let mut pending = vec![sets.to_vec()];
    while let Some(list) = pending.pop() {
        for copies in symmetric.iter().map(|&template| instance.copies_of(template)) {
            for first in copies.start..copies.end - 1 {
                let mut swapped = list.clone();
                swapped.swap(first, first + 1);
                if all.insert(swapped.clone()) {
                    pending.push(swapped);
                }
            }
        }
    }
    all
}

/// The three points of a proof, state by state.
fn is_proof(instance: &Instance, proof: &CartesianProof) -> bool {
    let states = states(instance, proof);
    let threads = || (0..instance.threads.len() as u32).map(ThreadId);
    threadwise_testing::initial_states(instance).iter().all(|state| states.contains(state))
        && states.iter().all(|state| {
            let steps = || threads().map(|thread| (thread, state.steps(instance, thread)));
            let leads_inside = |thread: ThreadId, step: &threadwise_ir::Successor| {
                let mut locals = state.locals.clone();
                locals[thread.index()] = step.local.clone();
                states.contains(&State { shared: step.shared.clone(), locals })
            };
            let mut shown = |thread| state.steps(instance, thread).shown;
            steps().all(|(thread, steps)| {
                steps.failures.is_empty() && steps.successors.iter().all(|step| leads_inside(thread, step))
            }) && instance.broken_properties(&state.shared, &state.locals, &mut shown).is_empty()
        })
}

#[test]
fn parts_of_the_fixpoint_for_peterson_are_judged_like_their_states() {
    let program = program(PETERSON);
    let instance = Instance::new(program.clone(), 0);
    let good = proof(&instance, &[], &peterson_x5(&program));
    let (mut proofs, mut others) = (0, 0);
    for mutated in mutations(&good) {
        let expected = is_proof(&instance, &mutated);
        assert_eq!(judged(&program, &mutated).is_ok(), expected, "{mutated:?}");
        *(if expected { &mut proofs } else { &mut others }) += 1;
    }
    // Of the fixpoint's 23 states 20 are reachable.
    assert!(proofs < others && others > 20, "{proofs} {others}");
}

/// Random numbers that are the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides.max(1) as u64) as usize
    }
}

/// Products thread by thread, with indices of local states.
type Loose = Vec<(Store, Vec<Vec<BTreeSet<u32>>>)>;

fn tight(instance: &Instance, symmetric: &[TemplateId], locals: &[Vec<Store>], loose: &Loose) -> CartesianProof {
    let mut proof = CartesianProof { symmetric: symmetric.to_vec(), locals: locals.to_vec(), ..Default::default() };
    for (shared, products) in loose {
        let mut tight = Vec::new();
        for components in products {
            let mut product = Product::default();
            let mut last = None;
            for (component, thread) in components.iter().zip(&instance.threads) {
                let set = index_of(&mut proof.sets, component.iter().copied().collect());
                if last.replace((thread.template, set)) == Some((thread.template, set)) {
                    product.components.last_mut().expect("there was one before").0 += 1;
                } else {
                    product.components.push((1, set));
                }
            }
            tight.push(product);
        }
        proof.unions.push((shared.clone(), tight));
    }
    proof
}

/// A product for each reachable state.
fn singletons(instance: &Instance) -> (Vec<Vec<Store>>, Loose) {
    let mut locals = vec![Vec::new(); instance.program.templates.len()];
    let mut unions: BTreeMap<Store, Vec<Vec<BTreeSet<u32>>>> = BTreeMap::new();
    for state in explore(instance).states {
        let component = |(local, thread): (&Store, &threadwise_ir::Thread)| {
            BTreeSet::from([index_of(&mut locals[thread.template.index()], local.clone())])
        };
        let components = state.locals.iter().zip(&instance.threads).map(component).collect();
        unions.entry(state.shared).or_default().push(components);
    }
    (locals, unions.into_iter().collect())
}

/// Puts some products together that differ in one component only: the union stays the same.
fn join_some(loose: &mut Loose, dice: &mut Dice) {
    for (_, products) in loose {
        for _ in 0..dice.roll(60) {
            let (a, b) = (dice.roll(products.len()), dice.roll(products.len()));
            let differing = || (0..products[a].len()).filter(|&i| products[a][i] != products[b][i]);
            if differing().count() == 1 {
                let at = differing().next().expect("one");
                let more = products[b][at].clone();
                products[a][at].extend(more);
                if dice.roll(2) == 0 {
                    products.swap_remove(b);
                }
            }
        }
    }
}

/// Adds or removes an element or a product.
fn damage(loose: &mut Loose, locals: &[Vec<Store>], instance: &Instance, dice: &mut Dice) {
    let at = dice.roll(loose.len());
    let products = &mut loose[at].1;
    let product = dice.roll(products.len());
    let Some(components) = products.get_mut(product) else { return };
    let thread = dice.roll(components.len());
    let element = dice.roll(locals[instance.threads[thread].template.index()].len()) as u32;
    match dice.roll(4) {
        0 => _ = products.swap_remove(product),
        1 => _ = components[thread].remove(&element),
        _ => _ = components[thread].insert(element),
    }
}

/// Small programs with properties of all kinds; whether copies may be permuted.
const SMALL: [(&str, bool); 8] = [
    (
        "shared l: lock; thread W[3] { loop { acquire(l); critical: release(l); } }
         never exists i: W, j: W :: i != j && i@critical && j@critical;",
        true,
    ),
    (
        "shared l: lock; shared x: 0..1; thread W[2] { acquire(l); c: x = 1; x = 0; release(l); } thread P { skip; }
         norace x; invariant forall i: W, j: W :: i@c && j@c ==> i == j; invariant !l ==> x == 0;",
        true,
    ),
    (
        "shared n: 0..3; thread W[3] { a: n = n + 1; b: skip; }
         invariant count(i: W :: i@a) + n == 3;",
        true,
    ),
    (
        "shared l: lock; thread W[2] { var v: 0..2; loop { v = (v + 1) % 3; acquire(l); b: release(l); } }
         thread P { acquire(l); c: release(l); }
         never exists i: W, k: 1..2 :: i.v == k && i@b && P@c; never exists i: W, j: W :: i != j && i@b && j@b;",
        true,
    ),
    (
        "shared m: mutex; thread W[2] { acquire(m); b: release(m); } thread P { acquire(m); c: release(m); }
         never P@c && exists i: W :: i@b; invariant forall i: W :: i@b ==> m == i;",
        false,
    ),
    (
        "shared f, g: bool; shared t: 0..1;
         thread P { a: f = true; b: t = 1; c: await !(g && t == 1); d: f = false; }
         thread Q { a: g = true; b: t = 0; c: await !(f && t == 0); d: g = false; }
         invariant !(P@d && Q@d); invariant P@d ==> f; never exists k: 0..1 :: k == t && k == 2;",
        false,
    ),
    (
        "shared x: 0..2; thread W[2] { var v: 0..2; v = x; b: x = v; }
         invariant forall i: W, j: W :: i.v == j.v || i.v != j.v; never exists i: W :: i.v / (i.v + 1) > 1;",
        false,
    ),
    ("shared x: 0..1; thread P { x = 1; assert x == 1; } thread W[0] { skip; } norace x;", false),
];

#[test]
fn random_unions_are_judged_like_their_states() {
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    for (text, may_permute) in SMALL {
        let program = program(text);
        let instance = Instance::new(program.clone(), 0);
        let symmetric = match program.symmetry() {
            threadwise_ir::Symmetry::Among(templates) if may_permute => templates,
            _ => Vec::new(),
        };
        let (locals, all) = singletons(&instance);
        let (mut proofs, mut others) = (0, 0);
        for round in 0..50 {
            let mut loose = all.clone();
            join_some(&mut loose, &mut dice);
            for _ in 0..dice.roll(3) {
                damage(&mut loose, &locals, &instance, &mut dice);
            }
            for symmetric in [&symmetric[..], &[]] {
                let proof = tight(&instance, symmetric, &locals, &loose);
                let (expected, found) = (is_proof(&instance, &proof), judged(&program, &proof));
                assert_eq!(found.is_ok(), expected, "{text}\nround {round}: {found:?}\n{proof:?}");
                // Whatever the judge is told, he does not believe what is not so.
                let told = covered(&instance, proof, &Budget::unlimited()).expect("no limit");
                for _ in 0..3 {
                    let mut mistold = told.clone();
                    mistell(&mut mistold, &mut dice);
                    let is_believed = judged_as_it_is(&program, &mistold).is_ok();
                    assert!(expected || !is_believed, "{text}\nround {round}: {mistold:?}");
                }
                *(if expected { &mut proofs } else { &mut others }) += 1;
            }
        }
        assert!(proofs > 8 && others > 8, "{proofs} {others} {text}");
    }
}

/// Changes something in what the judge is told.
fn mistell(proof: &mut CartesianProof, dice: &mut Dice) {
    let sets = proof.sets.len();
    let coverings = &mut proof.coverings;
    match dice.roll(4) {
        0 if !coverings.steps.is_empty() => {
            let at = dice.roll(coverings.steps.len());
            let step = &mut coverings.steps[at];
            match dice.roll(4) {
                0 => _ = coverings.steps.remove(at),
                1 => step.to = dice.roll(proof.unions.len()) as u32,
                2 => step.threads.1 += 1,
                _ => mislead(&mut step.within, dice),
            }
        }
        1 if !coverings.lemmas.is_empty() => {
            let at = dice.roll(coverings.lemmas.len());
            let lemma = &mut coverings.lemmas[at];
            match dice.roll(4) {
                0 => lemma.store = dice.roll(proof.unions.len()) as u32,
                1 => lemma.set = dice.roll(sets) as u32,
                2 => mislead(&mut lemma.inside, dice),
                _ => mislead(&mut lemma.outside, dice),
            }
        }
        2 if !coverings.initial.is_empty() => {
            let at = dice.roll(coverings.initial.len());
            mislead(&mut coverings.initial[at].1, dice);
        }
        _ => coverings.steps.reverse(),
    }
}

fn mislead(within: &mut Containment, dice: &mut Dice) {
    match dice.roll(3) {
        0 => within.product = dice.roll(4) as u32,
        1 => within.product = dice.roll(1 << 16) as u32,
        _ => within.order = (0..dice.roll(4)).map(|_| (dice.roll(3) as u32, dice.roll(3) as u32)).collect(),
    }
}

#[test]
fn what_the_judge_is_told_must_be_so() {
    let (program, proof) = lock_class_proof(5, 1, 1);
    let told = covered(&Instance::new(program.clone(), 0), proof, &Budget::unlimited()).expect("no limit");
    assert_eq!(judged_as_it_is(&program, &told), Ok(2));
    let says = |change: &dyn Fn(&mut CartesianProof), part: &str| {
        let mut changed = told.clone();
        change(&mut changed);
        let reason = judged_as_it_is(&program, &changed).expect_err(part);
        assert!(reason.contains(part), "{reason}");
    };
    says(&|proof| proof.coverings.initial.clear(), "or the proof does not say which product has it");
    says(&|proof| proof.coverings.steps.clear(), "and it names no product for the states after that");
    says(&|proof| proof.coverings.steps.reverse(), "and it names no product for the states after that");
    // To take the lock, one of five copies becomes the first of the product.
    let named = "and the product that it names does not have all states after that";
    assert!(told.coverings.steps.iter().all(|step| step.within.product == 0));
    says(&|proof| proof.coverings.steps[0].within.product = 7, named);
    says(&|proof| proof.coverings.steps[0].within.order = vec![(1, 4), (0, 1)], named);
    says(&|proof| proof.coverings.steps[0].within.order = vec![(0, 4)], named);
    says(&|proof| proof.coverings.steps[0].within.order = vec![(0, 1), (0, 4)], named);
}

#[test]
fn lemmas_must_follow() {
    let program = program("shared x: 0..1; thread P { a: x = 1; b: } thread Q { loop { p: skip; q: skip; } }");
    let instance = Instance::new(program.clone(), 0);
    let of = |first: &str, second: &str| vec![at(&program, "P", first), at(&program, "Q", second)];
    let end = i64::from(program.routine(program.templates[0].body).exit.0);
    let after = |second: &str| vec![vec![at(&program, "P", "b")[0], end], at(&program, "Q", second)];
    let sketch = Sketch::from([(vec![0], vec![of("a", "pq")]), (vec![1], vec![after("p"), after("q")])]);
    let told = covered(&instance, proof(&instance, &[], &sketch), &Budget::unlimited()).expect("no limit");
    assert_eq!(judged_as_it_is(&program, &told), Ok(3));
    assert_eq!(told.coverings.lemmas.len(), 1);
    let says = |change: &dyn Fn(&mut CartesianProof), part: &str| {
        let mut changed = told.clone();
        change(&mut changed);
        let reason = judged_as_it_is(&program, &changed).expect_err(part);
        assert!(reason.contains(part), "{reason}");
    };
    let fails = "`lemmas[0]` does not follow from the products before it";
    says(&|proof| proof.coverings.lemmas[0].inside.product = 1 - proof.coverings.lemmas[0].inside.product, fails);
    says(&|proof| proof.coverings.lemmas[0].outside = proof.coverings.lemmas[0].inside.clone(), fails);
    // Not even from itself.
    says(&|proof| proof.coverings.lemmas[0].inside.product = 2, fails);
    says(&|proof| proof.coverings.lemmas[0].store = 0, fails);
    says(&|proof| proof.coverings.lemmas[0].store = 9, fails);
    says(&|proof| proof.coverings.lemmas[0].thread = 0, fails);
    says(&|proof| proof.coverings.lemmas[0].thread = 9, "lemmas[0].thread`: the program has no such thread");
    says(&|proof| proof.coverings.lemmas[0].set = 9, "lemmas[0].set`: there is no set 9");
    says(&|proof| proof.coverings.lemmas.clear(), "and the product that it names does not have all states after that");
}

#[test]
fn several_products_together_may_cover_one() {
    // From (0, a, q) the step of P leads to {b} × Q's three locations, which the last two products share.
    let program = program(
        "shared x: 0..1; thread P { a: x = 1; b: skip; c: skip; }
         thread Q { loop { p: skip; q: skip; r: skip; } }",
    );
    let instance = Instance::new(program.clone(), 0);
    let of = |first: &str, second: &str| vec![at(&program, "P", first), at(&program, "Q", second)];
    let end = program.routine(program.templates[0].body).exit;
    let ended = |second: &str| vec![vec![i64::from(end.0)], at(&program, "Q", second)];
    let after = |q: &[&str]| q.iter().flat_map(|q| [of("b", q), of("c", q), ended(q)]).collect::<Vec<_>>();
    let sketch = |q: &[&str]| Sketch::from([(vec![0], vec![of("a", "pqr")]), (vec![1], after(q))]);
    assert_eq!(judged(&program, &proof(&instance, &[], &sketch(&["pq", "r"]))), Ok(7));
    assert_eq!(judged(&program, &proof(&instance, &[], &sketch(&["pq", "qr"]))), Ok(7));
    refused(&program, &proof(&instance, &[], &sketch(&["pq", "q"])), "the union is not closed");
}

#[test]
fn what_cannot_be_permuted_is_not() {
    let permuting = CartesianProof { symmetric: vec![TemplateId(0)], ..CartesianProof::default() };
    let says = |text: &str, part: &str| refused(&program(text), &permuting, part);
    says("shared x: 0..9; thread W[2] { x = ord(self); }", "copies of threads are not interchangeable: `ord`");
    says("shared m: mutex; thread W[2] { acquire(m); }", "`m` holds thread identities");
    says("shared a: [tid]bool; thread W[2] { a[self] = true; }", "`a` holds thread identities");
    says("thread P { skip; } thread W[2] { skip; }", "permutes copies of `P`, which are not interchangeable");
    says("thread W[*] { skip; }", "covers only a fixed number of copies");
    // For the first copy all goes well, for the second it does not.
    let order = "shared x: 0..1; thread W[2] { await exists i: W :: i == self || 1 / x == 1; }";
    says(order, "a quantifier over threads can run into an error");
    let twice = CartesianProof { symmetric: vec![TemplateId(0); 2], ..CartesianProof::default() };
    refused(&program("thread W[2] { skip; }"), &twice, "not interchangeable");
    let unknown = CartesianProof { symmetric: vec![TemplateId(7)], ..CartesianProof::default() };
    refused(&program("thread W[2] { skip; }"), &unknown, "`?`");
}

#[test]
fn nothing_is_no_proof() {
    refused(&program("thread P { skip; }"), &CartesianProof::default(), "does not fit the program");
    let empty = |threads: usize| CartesianProof { locals: vec![Vec::new(); threads], ..CartesianProof::default() };
    refused(&program("thread P { skip; }"), &empty(1), "the union lacks the initial state\n  P at 1:12");
    // Even without threads there is an initial state.
    let alone = program("shared x: 0..1; invariant x == 0; thread W[0] { skip; }");
    refused(&alone, &empty(1), "the union lacks the initial state\n  x = 0");
    let product = (Store::from([0]), vec![Product::default()]);
    let good = CartesianProof { unions: vec![product], ..empty(1) };
    assert_eq!(judged(&alone, &good), Ok(1));
    let wrong = program("shared x: 0..1; invariant x == 1; thread W[0] { skip; }");
    refused(&wrong, &good, "the properties do not follow: the state\n  x = 0\nmay violate");
}

#[test]
fn what_the_semantics_does_not_know_is_no_proof() {
    let program = program("shared x: int; thread P { a: x = *; b: }");
    let instance = Instance::new(program.clone(), 0);
    let everything = vec![at(&program, "P", "ab")];
    let sketch: Sketch = [-1, 0, 1, 2, 3].into_iter().map(|x| (vec![x], vec![everything.clone()])).collect();
    refused(&program, &proof(&instance, &[], &sketch), "a step of P cannot be judged: a step may choose among all");
}

#[test]
fn races_and_failing_steps_are_found() {
    let program = program("shared x: 0..1; thread W[2] { a: x = 1; b: } norace x;");
    let instance = Instance::new(program.clone(), 0);
    let sketch = Sketch::from([
        (vec![0], vec![vec![at(&program, "W", "a"); 2]]),
        (vec![1], vec![vec![at(&program, "W", "ab"), at(&program, "W", "b")]]),
    ]);
    let racing = proof(&instance, &[TemplateId(0)], &sketch);
    refused(&program, &racing, "with\n  x = 0\ntwo threads may violate `norace x;`");
    let text = "shared x: 0..1; thread W[2] { a: x = x + 1; b: }";
    let program = threadwise_testing::program(text);
    let overflowing = proof(&Instance::new(program.clone(), 0), &[TemplateId(0)], &sketch);
    refused(&program, &overflowing, "goes wrong at test.tw:1:");
}

#[test]
fn limits_are_honoured() {
    let (program, small) = lock_class_proof(2, 1, 1);
    let small = covered(&Instance::new(program.clone(), 0), small, &Budget::unlimited()).expect("no limit");
    let budget = Budget::unlimited();
    budget.interrupter().store(true, std::sync::atomic::Ordering::Relaxed);
    // Too little work to ask is done at once.
    assert!(check(&program, &Proof::Cartesian(small), &budget).is_ok());
    // Ten switches, each off or on: no product has all, and 2^10 of them must be looked at.
    let threads: String = (0..10).map(|i| format!("thread P{i} {{ loop {{ a: skip; b: skip; }} }}\n")).collect();
    let program = threadwise_testing::program(&format!("shared x: 0..1; {threads}"));
    let instance = Instance::new(program.clone(), 0);
    let place = |i: usize, label| at(&program, &format!("P{i}"), label);
    let one = |bits: usize| (0..10).map(|i| place(i, if bits >> i & 1 == 1 { "b" } else { "a" })).collect();
    let sketch = Sketch::from([(vec![0], (0..1024).map(one).collect())]);
    let many = proof(&instance, &[], &sketch);
    assert!(matches!(covered(&instance, many.clone(), &budget), Err(Limit::Interrupted)));
    let many = Proof::Cartesian(covered(&instance, many, &Budget::unlimited()).expect("no limit"));
    let interrupted = check(&program, &many, &budget);
    assert!(matches!(interrupted, Err(CheckError::Limit(Limit::Interrupted))), "{interrupted:?}");
    let short = Budget::new(Some(Duration::ZERO), None);
    assert!(matches!(check(&program, &many, &short), Err(CheckError::Limit(_))));
    assert!(check(&program, &many, &Budget::unlimited()).is_ok());
}
