//! Annotations that meet their obligations are accepted; where one is not met, it is named.

use std::sync::Arc;
use std::time::Duration;
use threadwise_check::{CheckError, check};
use threadwise_evidence::{Annotation, Context, ModularProof, Proof, ThreadAnnotation};
use threadwise_ir::{Instance, Program, Store, ThreadId};
use threadwise_limits::{Budget, Limit};
use threadwise_testing::{COUNTER, LOST_UPDATE, RECURSIVE, annotation, by_store, modular, program};

/// The number of thread states of an accepted proof, or why it is refused.
fn judged(program: &Arc<Program>, proof: &ModularProof) -> Result<u64, String> {
    match check(program, &Proof::Modular(proof.clone()), &Budget::unlimited()) {
        Ok(checked) => Ok(checked.states()),
        Err(CheckError::Refuted(reason)) => Err(reason),
        Err(other) => panic!("{other}"),
    }
}

fn refused(program: &Arc<Program>, proof: &ModularProof, part: &str) {
    let reason = judged(program, proof).expect_err(part);
    assert!(reason.contains(part), "{reason}");
}

/// Accepts the least annotations for these numbers of copies.
fn accepted(text: &str, cases: &[&[u32]]) {
    let program = program(text);
    if let Err(reason) = judged(&program, &modular(&program, cases)) {
        panic!("{text}\n{reason}");
    }
}

fn not_accepted(text: &str, cases: &[&[u32]], part: &str) {
    let program = program(text);
    refused(&program, &modular(&program, cases), part);
}

fn simple(copies: &str) -> Arc<Program> {
    program(&format!(
        "shared x: int = 1; shared m: mutex;
         thread W[{copies}] {{ acquire(m); x = 0; x = x + 1; assert x > 0; release(m); }}
         norace x; invariant clean: m == none ==> x == 1;"
    ))
}

/// The local states of `Simple(n)`, which are just the control points 1 to 6, in order.
fn points(program: &Arc<Program>) -> Vec<Store> {
    let instance = Instance::with_copies(program.clone(), &[1]);
    let mut shared = instance.initial_stores().stores[0].clone();
    let mut points = vec![instance.starts(ThreadId(0), &shared).successors[0].local.clone()];
    while let Some(step) = instance.steps(ThreadId(0), &shared, points.last().expect("one")).successors.pop() {
        shared = step.shared;
        points.push(step.local);
    }
    assert_eq!(points.len(), 6);
    points
}

/// The set R of FQ, section 1.1, for the first thread: pairs of (x, m) and a control point.
fn fq_pairs(copies: u32) -> Vec<([i64; 2], usize)> {
    let mut pairs = Vec::new();
    if copies > 0 {
        pairs.extend([([1, 0], 1), ([1, 0], 6), ([1, 1], 2), ([0, 1], 3), ([1, 1], 4), ([1, 1], 5)]);
    }
    if copies > 1 {
        // Any other thread will do for all others.
        pairs.extend([0, 1].into_iter().flat_map(|x| [([x, i64::from(copies)], 1), ([x, i64::from(copies)], 6)]));
    }
    pairs
}

fn fq_annotation(program: &Arc<Program>, copies: u32, pairs: &[([i64; 2], usize)]) -> Annotation {
    let points = points(program);
    let states = by_store(pairs.iter().map(|(shared, point)| (Store::from(*shared), points[point - 1].clone())));
    let contexts = if copies == 0 { Vec::new() } else { vec![Context { callers: Vec::new(), states }] };
    Annotation { copies: vec![copies], threads: vec![ThreadAnnotation { contexts }] }
}

fn fq_proof(program: &Arc<Program>, copies: &[u32]) -> ModularProof {
    let case = |&copies: &u32| fq_annotation(program, copies, &fq_pairs(copies));
    ModularProof { cases: copies.iter().map(case).collect() }
}

#[test]
fn the_annotation_of_the_paper_is_a_proof() {
    for (declared, copies, states) in [("1", 1, 6), ("2", 2, 10), ("3", 3, 10), ("4", 4, 10)] {
        let program = simple(declared);
        assert_eq!(judged(&program, &fq_proof(&program, &[copies])), Ok(states), "{declared}");
        // So is the least one, with all permutations spelled out.
        judged(&program, &modular(&program, &[&[copies]])).expect("good");
    }
}

#[test]
fn every_pair_of_it_is_needed() {
    let program = simple("2");
    let pairs = fq_pairs(2);
    for gone in 0..pairs.len() {
        let fewer = [&pairs[..gone], &pairs[gone + 1..]].concat();
        let proof = ModularProof { cases: vec![fq_annotation(&program, 2, &fewer)] };
        let part = match pairs[gone] {
            ([1, 0], 1) => "the annotation does not hold initially: it lacks\n  x = 1, m = none; W[1] at 2:",
            ([_, 2], 1) => "does not admit the steps of others",
            ([_, 2], 6) => "does not admit the steps of others: from",
            _ => "the annotation of W[1] does not admit its own steps: from",
        };
        refused(&program, &proof, part);
    }
}

#[test]
fn any_number_of_copies_needs_all_cases_up_to_the_cutoff() {
    // One place for a thread: the mutex. So 1 + 2 copies are enough.
    let program = simple("*");
    let all = fq_proof(&program, &[0, 1, 2, 3]);
    assert_eq!(judged(&program, &all), Ok(6 + 2 * 10));
    for gone in 0..4 {
        let mut fewer = all.clone();
        fewer.cases.remove(gone);
        let noun = if gone == 1 { "copy" } else { "copies" };
        refused(&program, &fewer, &format!("there is no case with {gone} {noun} of `W`"));
    }
    let mut more = all.clone();
    more.cases.push(fq_annotation(&program, 5, &fq_pairs(5)));
    refused(&program, &more, "the case with 5 copies of `W` is not one of the program");
    let mut wrong = all.clone();
    wrong.cases[2].threads[0].contexts[0].states.pop();
    refused(&program, &wrong, "with 2 copies of `W`: the annotation");
}

#[test]
fn a_declared_number_may_be_cut_off() {
    let program = simple("9");
    assert!(judged(&program, &fq_proof(&program, &[9])).is_ok());
    assert!(judged(&program, &fq_proof(&program, &[3])).is_ok());
    refused(&program, &fq_proof(&program, &[5]), "the case with 5 copies of `W` is not one");
    refused(&program, &ModularProof::default(), "there is no case with 9 copies of `W`");
    let program = simple("3");
    refused(&program, &fq_proof(&program, &[2]), "the case with 2 copies of `W` is not one");
}

#[test]
fn several_threads() {
    let text = "shared x: 0..3; shared m: mutex;
        thread P { acquire(m); x = 1; release(m); }
        thread W[*] { acquire(m); x = 2; release(m); }
        thread V[2] { acquire(m); x = 3; assert x == 3; release(m); }";
    accepted(text, &[&[1, 0, 2], &[1, 1, 2], &[1, 2, 2], &[1, 3, 2]]);
    not_accepted(text, &[&[1, 0, 2], &[1, 1, 2], &[1, 3, 2]], "no case with 2 copies of `W` and 2 copies");
    not_accepted(text, &[&[1, 0, 1]], "is not one of the program");
    accepted(COUNTER, &[&[1, 1, 1]]);
    accepted("shared x: 0..1; thread W[0] { x = 1; } invariant x == 0;", &[&[0]]);
    not_accepted("shared x: 0..1 = *; thread W[0] { x = 1; } invariant x == 0;", &[&[0]], "properties do not follow");
}

#[test]
fn steps_that_go_wrong_are_refused() {
    not_accepted("shared x: 0..2; thread P { x = 1; assert x == 2; }", &[&[1]], "P goes wrong at test.tw:1:35");
    not_accepted("shared x: 0..1; thread P { x = x + 1; x = x + 1; }", &[&[1]], "P goes wrong");
    not_accepted("shared x: int; thread P { x = *; }", &[&[1]], "cannot be judged");
    not_accepted("shared x: int = *; thread P { skip; }", &[&[1]], "cannot be judged");
    not_accepted("shared x: 0..1 = 2; thread P { skip; }", &[&[1]], "the initial values are in error");
    not_accepted(LOST_UPDATE, &[&[2, 1]], "goes wrong");
    not_accepted(&RECURSIVE.replace("assert x == 0", "assert x == 1"), &[&[2]], "W[1] goes wrong");
}

#[test]
fn properties_are_checked_on_combinations() {
    for (text, part) in [
        ("shared x: 0..1; thread P { x = 1; } never x == 1;", "may violate `never x == 1;`"),
        ("shared x: 0..1; thread P { x = 1; } invariant 1 / (1 - x) == 1;", "may violate"),
        ("shared x: int = 9223372036854775807; thread P { skip; } invariant x + 1 > x;", "cannot be judged"),
        ("thread P { skip; a: skip; } thread Q { skip; b: skip; } never P@a && Q@b;", "P at 1:21; Q at 1:49"),
        ("thread P { var y: 0..1; y = 1; skip; } thread Q { b: skip; } never P.y == 1 && Q@b;", "may violate"),
        ("shared x: 0..1; thread P { x = 1; } thread Q { x = 0; } norace x;", "P and Q may violate `norace x;`"),
    ] {
        let program = program(text);
        let copies = vec![1; program.templates.len()];
        refused(&program, &modular(&program, &[&copies]), part);
    }
    let text = "shared x: 0..1; thread W[2] { x = 1; } norace x;";
    not_accepted(text, &[&[2]], "W[1] and W[2] may violate `norace x;`");
    let text = "shared m: mutex; thread W[2] { acquire(m); cs: skip; release(m); }
                never exists a: W, b: W :: a != b && a@cs && b@cs;";
    accepted(text, &[&[2]]);
    let text = "shared m: bool; thread W[2] { atomic { await !m; m = true; } cs: skip; m = false; }
                never exists a: W, b: W :: a != b && a@cs && b@cs;";
    not_accepted(text, &[&[2]], "W[1] at 1:66; W[2] at 1:66");
}

#[test]
fn copies_that_can_be_told_apart_are_refused() {
    let ord = "shared x: 0..2; thread W[2] { x = ord(self); }";
    not_accepted(ord, &[&[2]], "one copy of `W` cannot speak for all of them: `ord` tells copies apart");
    accepted("shared x: 0..2; thread W[1] { x = ord(self); }", &[&[1]]);
    let ord = "shared x: bool; thread W[*] { x = ord(self) > 3; }";
    not_accepted(ord, &[&[0]], "no number of copies of `W` stands for all larger ones: `ord`");
    let array = "shared x: [tid]bool; thread W[*] { x[self] = true; }";
    not_accepted(array, &[&[0]], "a place for every thread");
    accepted("shared x: [tid]bool; thread W[3] { x[self] = true; }", &[&[3]]);
}

#[test]
fn properties_may_need_more_copies_than_the_cutoff() {
    // Four copies violate it, three do not.
    let text = "thread W[*] { var x: 0..3 = *; skip; } never forall i: 0..3 :: exists t: W :: t.x == i;";
    not_accepted(text, &[&[0], &[1], &[2], &[3]], "stands for all larger ones");
    let text = "thread W[*] { var x: 0..9 = *; skip; }
        invariant forall s: W :: exists t: W :: forall u: W :: u.x != (t.x + 1) % 10;";
    not_accepted(text, &[&[0], &[1], &[2], &[3], &[4], &[5]], "stands for all larger ones");
    let text = "thread W[*] { var x: 0..3 = *; skip; } invariant forall i: 0..3, t: W, u: W :: t.x == i ==> u.x <= 3;";
    accepted(text, &[&[0], &[1], &[2], &[3], &[4]]);
}

/// What is proved of the first copy must hold of the others, which it does not where `exists` looks at the first copy
/// first and that makes the difference between an error and none.
#[test]
fn range_errors_below_quantifiers_tell_copies_apart() {
    let harmless = "shared s: set<0..2>; thread W[2] { var x: 0..5; x = 5; } invariant true;";
    let property = "count(i: W :: i.x == 5) == 1 ==> (exists i: W :: i.x == 0 || {i.x} subset s)";
    let harmful = program(&harmless.replace("invariant true", &format!("invariant {property}")));
    let proof = modular(&program(harmless), &[&[2]]);
    assert!(judged(&program(harmless), &proof).is_ok());
    refused(&harmful, &proof, "a quantifier over threads can run into an error");
}

#[test]
fn recursion() {
    accepted(RECURSIVE, &[&[2]]);
    let program = program(RECURSIVE);
    let good = modular(&program, &[&[2]]);
    assert_eq!(good.cases[0].threads[0].contexts.len(), 2);
    let bad = |part: &str, change: &dyn Fn(&mut Vec<Context>)| {
        let mut proof = good.clone();
        change(&mut proof.cases[0].threads[0].contexts);
        refused(&program, &proof, part);
    };
    // Each caller is needed, and so is each state.
    for gone in 0..good.cases[0].threads[0].contexts[1].callers.len() {
        bad("does not admit its own steps", &|contexts| {
            contexts[1].callers.remove(gone);
        });
    }
    bad("does not hold initially", &|contexts| contexts[0].states.clear());
    bad("does not admit its own steps", &|contexts| contexts[1].states.clear());
    for context in 0..2 {
        for store in 0..good.cases[0].threads[0].contexts[context].states.len() {
            bad("the annotation", &|contexts| {
                contexts[context].states.remove(store);
            });
        }
    }
    bad("does not fit the program", &|contexts| contexts[1].callers.clear());
    bad("does not fit the program", &|contexts| {
        contexts.remove(1);
        contexts[0].callers.push((0, [0].into()));
    });
    let text = RECURSIVE.replace("norace x;", "invariant forall w: W :: w.y >= 0;");
    not_accepted(&text, &[&[2]], "`invariant forall w: W :: w.y >= 0;` reads a thread's variables");
}

#[test]
fn recursive_calls_of_any_depth() {
    let text = "shared x: 0..1; proc p() { if (*) { p(); } x = 1 - x; } thread P { p(); } thread Q { x = 0; }";
    accepted(text, &[&[1, 1]]);
    let text = "shared x: 0..3; proc p() { if (*) { p(); } x = x + 1; } thread P { p(); }";
    not_accepted(text, &[&[1]], "P goes wrong");
}

#[test]
fn what_does_not_fit_is_refused() {
    let program = simple("2");
    let good = fq_proof(&program, &[2]);
    let broken = |change: &dyn Fn(&mut Annotation)| {
        let mut proof = good.clone();
        change(&mut proof.cases[0]);
        refused(&program, &proof, "does not fit the program");
    };
    broken(&|case| case.threads.clear());
    broken(&|case| case.threads[0].contexts.clear());
    broken(&|case| case.threads[0].contexts.push(Context::default()));
    broken(&|case| case.threads[0].contexts[0].callers.push((0, [1].into())));
    broken(&|case| case.threads[0].contexts[0].states[0].0 = [].into());
    broken(&|case| case.threads[0].contexts[0].states[0].0[1] = 7);
    broken(&|case| case.threads[0].contexts[0].states[0].1[0] = [].into());
    broken(&|case| case.threads[0].contexts[0].states[0].1[0] = [i64::MIN].into());
    let mut proof = good.clone();
    proof.cases[0].copies.clear();
    refused(&program, &proof, "is not one of the program");
}

#[test]
fn the_budget_is_obeyed() {
    let text = "shared x: 0..5000; thread P { loop { if (x < 5000) { x = x + 1; } } }";
    let program = program(text);
    let proof = Proof::Modular(modular_by_counting(&program));
    let budget = Budget::new(Some(Duration::ZERO), None);
    match check(&program, &proof, &budget) {
        Err(CheckError::Limit(Limit::Time(_))) => {}
        other => panic!("{other:?}"),
    }
}

/// All values with all locations: not the least annotation, but one.
fn modular_by_counting(program: &Arc<Program>) -> ModularProof {
    let locations = 0..program.locations.len() as i64;
    let locals: Vec<Store> =
        locations.filter(|at| program.locations[*at as usize].routine.index() == 0).map(|at| [at].into()).collect();
    let states = (0..=5000i64).map(|x| ([x].into(), locals.clone())).collect();
    let contexts = vec![Context { callers: Vec::new(), states }];
    ModularProof { cases: vec![Annotation { copies: vec![1], threads: vec![ThreadAnnotation { contexts }] }] }
}

/// A generator of numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % bound.max(1)
    }

    fn word(&mut self) -> i64 {
        [-40, -9, -4, -3, -2, -1, 0, 1, 2, 3, 5, 8, 13, 21, i64::MAX, i64::MIN][self.below(16)]
    }
}

#[test]
fn no_annotation_proves_an_unsafe_program() {
    let recursive = RECURSIVE.replace("assert x == 0", "assert x == 1");
    for (text, copies) in [(recursive.as_str(), vec![2]), (LOST_UPDATE, vec![2, 1])] {
        let program = program(text);
        let good = ModularProof { cases: vec![annotation(&program, &copies)] };
        let mut numbers = Numbers(1);
        for _ in 0..300 {
            let mut proof = good.clone();
            for _ in 0..=numbers.below(3) {
                change(&mut proof.cases[0], &mut numbers);
            }
            let judged = check(&program, &Proof::Modular(proof), &Budget::unlimited());
            assert!(matches!(judged, Err(CheckError::Refuted(_))), "{judged:?}");
        }
    }
}

fn change(case: &mut Annotation, numbers: &mut Numbers) {
    let thread = numbers.below(case.threads.len());
    let contexts = &mut case.threads[thread].contexts;
    let context = numbers.below(contexts.len());
    match numbers.below(6) {
        0 => {
            contexts.remove(context);
            contexts.push(Context::default());
        }
        1 if !contexts[context].callers.is_empty() => {
            let at = numbers.below(contexts[context].callers.len());
            let (caller, frame) = &mut contexts[context].callers[at];
            match numbers.below(2) {
                0 => *caller = numbers.below(4) as u32,
                _ => change_word(frame, numbers),
            }
        }
        which => {
            let states = &mut contexts[context].states;
            if states.is_empty() {
                return;
            }
            let at = numbers.below(states.len());
            let local = numbers.below(states[at].1.len());
            match which {
                2 => states.truncate(at),
                3 => change_word(&mut states[at].0, numbers),
                4 if !states[at].1.is_empty() => change_word(&mut states[at].1[local], numbers),
                _ if !states[at].1.is_empty() => {
                    states[at].1.remove(local);
                }
                _ => {}
            }
        }
    }
}

fn change_word(store: &mut Store, numbers: &mut Numbers) {
    let at = numbers.below(store.len());
    store[at] = numbers.word();
}
