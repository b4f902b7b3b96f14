//! The engine `modular` finds exactly the sets that FQ and CART print, and so does the naive
//! fixpoint of theorem 1.7.2.

use std::collections::BTreeSet;
use std::sync::Arc;
use threadwise_claims::Claim;
use threadwise_engine_modular::{Iterate, Options, Search, analyse, fixpoint, frontier, relaxed};
use threadwise_ir::{Instance, Program, Store, TemplateId};
use threadwise_limits::Budget;
use threadwise_portfolio::{Outcome, Request, verify};
use threadwise_suite::{cartesian_fixpoint, examples, program};
use threadwise_verdict::Verdict;

/// Far more than the papers' programs need.
const MAX_TUPLES: usize = 100_000;

fn example(name: &str) -> Arc<Program> {
    let found = examples().into_iter().find(|example| example.path.ends_with(format!("examples/{name}.tw")));
    found.unwrap_or_else(|| panic!("there is no example `{name}`")).program()
}

fn instance(program: &Arc<Program>) -> Instance {
    Instance::new(program.clone(), 0)
}

fn modular(program: &Arc<Program>) -> Outcome {
    let engine = "modular".parse().expect("there is an engine `modular`");
    verify(program, &Request { engine, want_proof: true, ..Request::default() }, &Budget::unlimited())
}

fn assert_proved(program: &Arc<Program>) {
    let outcome = modular(program);
    assert!(matches!(outcome.verdict, Verdict::Safe(_)), "{:?}", outcome.verdict);
    assert_eq!((outcome.engine.as_str(), outcome.modular), ("modular", Some(true)));
}

fn assert_not_proved(program: &Arc<Program>) {
    assert!(matches!(claim(program, Search::Fixpoint), Claim::Unknown(_)));
    let outcome = modular(program);
    assert!(matches!(&outcome.verdict, Verdict::Unknown(u) if !u.is_internal_error()), "{:?}", outcome.verdict);
    assert_eq!(outcome.modular, None);
}

fn claim(program: &Arc<Program>, search: Search) -> Claim {
    analyse(program, &Options { search }, &Budget::unlimited()).0
}

/// The label of the point where a thread with this local state is.
fn label(instance: &Instance, local: &Store) -> String {
    let labels = &instance.program.location(instance.location_of(local)).labels;
    assert_eq!(labels.len(), 1, "a point of these programs has one label");
    labels[0].to_string()
}

/// A set of thread states of a program with a single shared number, as CART writes it.
type Pairs = BTreeSet<(i64, String)>;

/// From what the paper writes, `0A 1B` for {(0, A), (1, B)}.
fn pairs(text: &str) -> Pairs {
    let pair = |word: &str| {
        let (number, label) = word.split_at(1);
        (number.parse().expect("a number"), label.to_string())
    };
    text.split_whitespace().map(pair).collect()
}

fn as_pairs<'a>(instance: &Instance, states: impl IntoIterator<Item = &'a (Store, Store)>) -> Pairs {
    states.into_iter().map(|(shared, local)| (shared[0], label(instance, local))).collect()
}

/// Asserts R₁, R₂, … of a program whose threads have no copies.
fn assert_discovered(program: &Arc<Program>, expected: &[&str]) {
    let instance = instance(program);
    let expected: Vec<Pairs> = expected.iter().map(|text| pairs(text)).collect();
    let found = fixpoint(&instance, &Budget::unlimited()).expect("no limits");
    let threads = 0..instance.threads.len() as u32;
    let engine: Vec<Pairs> = threads.map(|t| as_pairs(&instance, &found.states(TemplateId(t)))).collect();
    assert_eq!(engine, expected, "by the engine");
    let naive = cartesian_fixpoint(&instance, MAX_TUPLES).expect("small enough");
    let naive: Vec<Pairs> = naive.iter().map(|states| as_pairs(&instance, states)).collect();
    assert_eq!(naive, expected, "by the naive fixpoint");
}

/// Asserts T⁽⁰⁾, T⁽¹⁾, … given as one row of sets each.
fn assert_iterates(instance: &Instance, iterates: &[Iterate], expected: &[&[&str]]) {
    let row = |iterate: &Iterate| iterate.0.iter().map(|states| as_pairs(instance, states)).collect();
    let found: Vec<Vec<Pairs>> = iterates.iter().map(row).collect();
    let expected: Vec<Vec<Pairs>> = expected.iter().map(|row| row.iter().map(|text| pairs(text)).collect()).collect();
    assert_eq!(found, expected);
}

/// Simple(n) of FQ, section 1.1, with the paper's control locations 1 to 6 as labels.
fn simple(n: i64, properties: &str) -> Arc<Program> {
    let text = format!(
        "shared x: int = 1;
         shared m: mutex;
         thread P[{n}] {{
           p1: acquire(m);
           p2: x = 0;
           p3: x = x + 1;
           p4: assert x > 0;
           p5: release(m);
           p6:
         }}
         {properties}"
    );
    program("simple.tw", &text)
}

/// FQ's R, of the thread with identifier `tid`.
fn simple_r(n: i64, tid: i64, (m, x): (i64, i64), pc: i64) -> bool {
    let another = (1..=n).contains(&m) && m != tid;
    [1, 6].contains(&pc) && m == 0 && x == 1
        || [1, 6].contains(&pc) && another && [0, 1].contains(&x)
        || [2, 4, 5].contains(&pc) && m == tid && x == 1
        || pc == 3 && m == tid && x == 0
}

/// FQ's G, of the thread with identifier `tid`.
fn simple_g(tid: i64, (m, x): (i64, i64), (m2, x2): (i64, i64)) -> bool {
    m == 0 && m2 == tid && x == 1 && x2 == 1
        || m == tid && m2 == 0 && x == 1 && x2 == 1
        || m == tid && m2 == tid && x == 0 && x2 == 1
        || m == tid && m2 == tid && x == 1 && [0, 1].contains(&x2)
}

/// All values of (m, x), and some that must not occur.
fn simple_stores(n: i64) -> impl Iterator<Item = (i64, i64)> + Clone {
    (0..=n).flat_map(|m| (-1..=2).map(move |x| (m, x)))
}

/// A store of Simple(n) as (m, x).
fn simple_store(store: &Store) -> (i64, i64) {
    (store[1], store[0])
}

/// To a thread, all others that might hold the mutex are alike.
fn seen_by(tid: i64, (m, x): (i64, i64)) -> (&'static str, i64) {
    let holder = if m == 0 {
        "nobody"
    } else if m == tid {
        "myself"
    } else {
        "another"
    };
    (holder, x)
}

fn simple_pc(instance: &Instance, local: &Store) -> i64 {
    label(instance, local)[1..].parse().expect("a label p1 to p6")
}

#[test]
fn simple_reaches_the_states_of_fq() {
    for n in [2, 3] {
        let instance = instance(&simple(n, ""));
        let naive = cartesian_fixpoint(&instance, MAX_TUPLES).expect("small enough");
        for tid in 1..=n {
            let r = |store| (1..=6).filter(move |&pc| simple_r(n, tid, store, pc)).map(move |pc| (store, pc));
            let expected: BTreeSet<_> = simple_stores(n).flat_map(r).collect();
            let states = naive[tid as usize - 1].iter();
            let found = states.map(|(shared, local)| (simple_store(shared), simple_pc(&instance, local)));
            assert_eq!(found.collect::<BTreeSet<_>>(), expected, "thread {tid} of {n} by the naive fixpoint");
        }
        let r = |store| (1..=6).filter(move |&pc| simple_r(n, 1, store, pc)).map(move |pc| (seen_by(1, store), pc));
        let expected: BTreeSet<_> = simple_stores(n).flat_map(r).collect();
        let found = fixpoint(&instance, &Budget::unlimited()).expect("no limits").states(TemplateId(0));
        assert_eq!(found.len(), expected.len(), "one representative for all other holders");
        let found = found.iter().map(|(g, l)| (seen_by(1, simple_store(g)), simple_pc(&instance, l)));
        assert_eq!(found.collect::<BTreeSet<_>>(), expected, "the first of {n} threads by the engine");
    }
}

/// FQ's G has one pair that changes nothing, m = m' = tid and x = x' = 1, from the assertion. The
/// engine leaves such pairs out: a step that does not change the store disturbs nobody.
#[test]
fn simple_guarantees_what_fq_says() {
    for n in [2, 3] {
        let instance = instance(&simple(n, ""));
        let pairs = simple_stores(n).flat_map(|before| simple_stores(n).map(move |after| (before, after)));
        let paper: BTreeSet<_> = pairs.filter(|&(before, after)| simple_g(1, before, after)).collect();
        assert!(paper.contains(&((1, 1), (1, 1))) && paper.len() == 5);
        let expected: BTreeSet<_> = paper.into_iter().filter(|(before, after)| before != after).collect();
        let found = fixpoint(&instance, &Budget::unlimited()).expect("no limits").guarantee(TemplateId(0));
        let found = found.iter().map(|(before, after)| (simple_store(before), simple_store(after)));
        assert_eq!(found.collect::<BTreeSet<_>>(), expected, "{n} threads");
    }
}

#[test]
fn the_three_properties_of_simple_are_proved() {
    let (norace, invariant) = ("norace x;", "invariant m == none ==> x == 1;");
    for n in [2, 3, 64] {
        for properties in [norace, "", invariant, &format!("{norace} {invariant}")] {
            assert_proved(&simple(n, properties));
        }
    }
    let wrong = simple(2, "never exists i: P :: i@p6;");
    assert!(matches!(claim(&wrong, Search::Fixpoint), Claim::Unknown(_)));
    assert!(matches!(modular(&wrong).verdict, Verdict::Unsafe(_)), "confirmed by a search of interleavings");
}

/// CART, sections 1.4 and 1.7.
#[test]
fn the_tiny_example() {
    let tiny = example("tiny");
    assert_discovered(&tiny, &["0A 0B 1A 1B", "0C 0D 1D"]);
    assert_proved(&tiny);
    assert_not_proved(&example("tiny-exact"));
}

/// CART, example 1.13.1: the order of the stores is forgotten.
#[test]
fn the_first_thread_waits() {
    let waits = example("first-thread-waits");
    assert_discovered(&waits, &["0A 0B 0C 0D 1A 1B 1C 1D", "0E 0G 1F"]);
    assert_not_proved(&waits);
}

/// CART, section 1.13.2: "The computation on this special example was equivalent to that of the
/// pure frontier search."
#[test]
fn the_relaxed_frontier_sees_the_order() {
    let waits = example("first-thread-waits");
    let instance = instance(&waits);
    let table: [&[&str]; 5] = [&["0A", "0E"], &["1A", "1F"], &["1B 0A", "1F 0G"], &["0B", "0G"], &["0C", "0G"]];
    let budget = Budget::unlimited();
    assert_iterates(&instance, &relaxed(&instance, &budget).expect("no limits"), &table);
    let pure = frontier(&instance, &budget).expect("no limits");
    assert_iterates(&instance, &pure, &table);
    for search in [Search::Relaxed, Search::Frontier] {
        assert!(matches!(claim(&waits, search), Claim::Proved(_)), "{search:?}");
    }
}

/// CART, example 1.13.2: who holds the lock is forgotten.
#[test]
fn the_boolean_lock() {
    let lock = example("boolean-lock");
    assert_discovered(&lock, &["0A 1A 1B", "0A 1A 1B"]);
    assert_not_proved(&lock);
}

/// CART, section 1.13.1: "introduce a variable t ∈ {1, 2}, which is set to 1 by every transition of
/// the first thread and to 2 by every transition of the second thread."
#[test]
fn the_boolean_lock_with_the_last_thread_exposed() {
    let thread = |n: i64| format!("thread T{n} {{ A: atomic {{ await m == 0; m = 1; t = {n}; }} B: }}");
    let text = format!("shared m: 0..1; shared t: 0..2; {} {} never T1@B && T2@B;", thread(1), thread(2));
    let lock = program("boolean-lock.tw", &text);
    assert_proved(&lock);
    let instance = instance(&lock);
    let found = fixpoint(&instance, &Budget::unlimited()).expect("no limits").states(TemplateId(0));
    let found: BTreeSet<_> = found.iter().map(|(g, l)| (g[0], g[1], label(&instance, l))).collect();
    let expected = [(0, 0, "A"), (1, 1, "B"), (1, 2, "A")].map(|(m, t, pc)| (m, t, pc.to_string()));
    assert_eq!(found, BTreeSet::from(expected));
}

/// The binary counter of CART, example 1.12.2, for n = 3, with the paper's 0 and 1 as labels.
fn binary_counter() -> Arc<Program> {
    example("binary-counter")
}

/// `zero` and `one` for the paper's local states 0 and 1.
fn local_states(text: &str) -> String {
    let word = |word: &str| format!("{}{}", &word[..1], if word.ends_with('0') { "zero" } else { "one" });
    text.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
}

/// CART, section 1.12: R₁, R₂ and R₃, each pair (t, pc) as two digits.
const COUNTER: [&str; 3] = ["10 11 20 30 00", "10 11 20 21 30 00", "10 11 20 21 30 31 00"];

/// CART, section 1.12: the single run, each state as t, pc₁, pc₂, pc₃.
const RUN: &str = "1000 1100 2000 1010 1110 2010 3000 1001 1101 2001 1011 1111 2011 3001 0000";

#[test]
fn the_binary_counter() {
    let expected = COUNTER.map(local_states);
    assert_discovered(&binary_counter(), &expected.each_ref().map(String::as_str));
    assert_proved(&binary_counter());
}

/// CART, theorem 1.12.1: the frontier sequence is the single run, exponentially long.
#[test]
fn the_frontier_follows_the_run_of_the_binary_counter() {
    let instance = instance(&binary_counter());
    let row = |state: &str| {
        let (t, pcs) = state.split_at(1);
        pcs.chars().map(|pc| local_states(&format!("{t}{pc}"))).collect::<Vec<_>>()
    };
    let rows: Vec<Vec<String>> = RUN.split_whitespace().map(row).collect();
    let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
    let rows: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
    assert_iterates(&instance, &frontier(&instance, &Budget::unlimited()).expect("no limits"), &rows);
}

/// CART, section 1.13.2: "For the binary counter example 1.12.2, the computed invariant is equal to
/// that of the pure Flanagan-Qadeer method", as far as the union of the iterates can tell.
#[test]
fn the_relaxed_frontier_of_the_binary_counter_is_the_fixpoint() {
    let instance = instance(&binary_counter());
    let iterates = relaxed(&instance, &Budget::unlimited()).expect("no limits");
    for (thread, expected) in COUNTER.iter().enumerate() {
        let all = as_pairs(&instance, iterates.iter().flat_map(|iterate| &iterate.0[thread]));
        assert_eq!(all, pairs(&local_states(expected)), "thread {}", thread + 1);
    }
}
