//! The engine `cartesian` goes through the runs that CART prints, step for step.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use threadwise_claims::{Claim, Stats};
use threadwise_engine_cartesian::{Exceptions, Extract, Iterate, Options, analyse, has_locks_only, watch};
use threadwise_evidence::{CartesianProof, Product, Proof};
use threadwise_ir::{Instance, Program};
use threadwise_limits::Budget;
use threadwise_portfolio::{CartesianOptions, EngineOptions, ExceptionsKind, Outcome, Request, verify};
use threadwise_suite::{examples, program};
use threadwise_verdict::Verdict;

fn example(name: &str) -> Arc<Program> {
    let found = examples().into_iter().find(|example| example.path.ends_with(format!("examples/{name}")));
    found.unwrap_or_else(|| panic!("there is no example `{name}`")).program()
}

/// A product as a row of sets of labels.
type Row = Vec<BTreeSet<String>>;

/// The shared store as its values, one after the other, and the products there.
type Rows = BTreeMap<(String, bool), BTreeSet<Row>>;

fn label(instance: &Instance, local: &[i64]) -> String {
    instance.program.location(instance.location_of(local)).labels.join("/")
}

/// The components of a product, thread by thread.
fn row(instance: &Instance, proof: &CartesianProof, product: &Product) -> Row {
    let mut row = Row::new();
    for &(count, set) in &product.components {
        for _ in 0..count {
            let template = instance.threads[row.len()].template.index();
            let locals = proof.sets[set as usize].iter().map(|&local| &proof.locals[template][local as usize]);
            row.push(locals.map(|local| label(instance, local)).collect());
        }
    }
    row
}

/// The products by store, and by whether they are exceptions.
fn rows(program: &Arc<Program>, proof: &CartesianProof) -> Rows {
    let instance = Instance::new(program.clone(), 0);
    let mut rows = Rows::new();
    for (store, products) in &proof.unions {
        let store: String = store.iter().map(i64::to_string).collect();
        for product in products {
            rows.entry((store.clone(), product.exception)).or_default().insert(row(&instance, proof, product));
        }
    }
    rows
}

/// From what the paper writes: `010 A BCD`, and `!110 B D` for exceptions. Labels are letters.
fn expected(lines: &[&str]) -> Rows {
    let mut rows = Rows::new();
    for line in lines {
        let mut words = line.split_whitespace();
        let store = words.next().expect("a store");
        let exception = store.starts_with('!');
        let set = |word: &str| word.chars().map(String::from).collect();
        let row: Row = words.map(set).collect();
        rows.entry((store.trim_start_matches('!').to_string(), exception)).or_default().insert(row);
    }
    rows
}

/// All tuples of rows that stand for their permutations, or not.
fn tuples(rows: &BTreeSet<Row>, permuted: bool) -> BTreeSet<Vec<String>> {
    let mut tuples = BTreeSet::new();
    for row in rows {
        let orders = if permuted { permutations(row) } else { vec![row.clone()] };
        for order in orders {
            let mut partial: Vec<Vec<String>> = vec![Vec::new()];
            for set in &order {
                partial = partial
                    .iter()
                    .flat_map(|tuple| set.iter().map(move |label| [&tuple[..], std::slice::from_ref(label)].concat()))
                    .collect();
            }
            tuples.extend(partial);
        }
    }
    tuples
}

fn permutations(row: &Row) -> Vec<Row> {
    if row.is_empty() {
        return vec![Row::new()];
    }
    let first = |index: usize| {
        let mut rest = row.clone();
        let set = rest.remove(index);
        permutations(&rest).into_iter().map(move |order| [std::slice::from_ref(&set), &order[..]].concat())
    };
    (0..row.len()).flat_map(first).collect()
}

fn watched(program: &Arc<Program>, options: &Options) -> (Claim, Stats, Vec<Iterate>) {
    let mut iterates = Vec::new();
    let (claim, stats) = watch(program, options, &Budget::unlimited(), &mut |iterate| iterates.push(iterate.clone()));
    (claim, stats, iterates)
}

fn stat(stats: &Stats, name: &str) -> u64 {
    stats.numbers.iter().find(|(key, _)| *key == name).map(|(_, value)| *value).expect("a number of that name")
}

fn proved(claim: &Claim) -> &CartesianProof {
    match claim {
        Claim::Proved(Proof::Cartesian(proof)) => proof,
        other => panic!("{other:?}"),
    }
}

fn verified(program: &Arc<Program>, exceptions: ExceptionsKind) -> Outcome {
    let engine = "cartesian".parse().expect("there is an engine `cartesian`");
    let cartesian = CartesianOptions { exceptions, ..CartesianOptions::default() };
    let options = EngineOptions { cartesian, ..EngineOptions::default() };
    verify(program, &Request { engine, options, want_proof: true, ..Request::default() }, &Budget::unlimited())
}

/// Section 2.2.5: with this exception set the fixpoint is X5.
#[test]
fn peterson_with_the_exceptions_of_the_paper() {
    let program = example("cartesian/peterson-exceptions.tw");
    let (claim, stats, _) = watched(&program, &Options::default());
    let x5 = [
        "000 A A",
        "001 A A",
        "010 A BCD",
        "011 A B",
        "100 B A",
        "101 BCD A",
        "110 BD BC",
        "111 BC BCD",
        "!110 B D",
        "!110 C C",
        "!111 D B",
    ];
    assert_eq!(rows(&program, proved(&claim)), expected(&x5));
    assert_eq!(stat(&stats, "refinements"), 0);
}

/// Section 2.2.5: without exceptions it is the thread-modular fixpoint, which has `D` twice.
#[test]
fn peterson_needs_exceptions() {
    let program = example("peterson.tw");
    let (claim, stats, _) = watched(&program, &Options::default());
    assert!(!proved(&claim).is_modular());
    assert!(stat(&stats, "refinements") > 0);
}

/// Section 2.2.5: X1 to X4 of the first thread that waits, with E = {0CG, 0BG}. A main iterate is a
/// product for each store; the paper lists each thread's pairs.
#[test]
fn first_thread_waits_with_the_exceptions_of_the_paper() {
    let program = example("cartesian/first-thread-waits-exceptions.tw");
    let (claim, _, iterates) = watched(&program, &Options::default());
    let pairs = |iterate: &Iterate| -> Vec<BTreeSet<String>> {
        let mut threads = vec![BTreeSet::new(); 2];
        for ((store, exception), products) in rows(&program, &iterate.states) {
            for row in products.iter().filter(|_| !exception) {
                for (thread, labels) in row.iter().enumerate() {
                    threads[thread].extend(labels.iter().map(|label| format!("{store}{label}")));
                }
            }
        }
        threads
    };
    let set = |text: &str| text.split_whitespace().map(String::from).collect::<BTreeSet<String>>();
    let found: Vec<Vec<BTreeSet<String>>> = iterates.iter().map(pairs).collect();
    let expected = [["0A", "0E"], ["0A 1A", "0E 1F"], ["0A 1A 1B", "0E 0G 1F"], ["0A 1A 1B", "0E 0G 1F"]];
    assert_eq!(found, expected.map(|row| row.map(set).to_vec()));
    let exceptions = rows(&program, proved(&claim))[&("0".to_string(), true)].clone();
    let expected: BTreeSet<Vec<String>> = [["B", "G"], ["C", "G"]].map(|tuple| tuple.map(String::from).to_vec()).into();
    assert_eq!(tuples(&exceptions, false), expected);
}

/// Section 3.4, with one axis, the first: figures 3.6 to 3.10.
#[test]
fn the_example_of_figure_3_1() {
    let program = example("acquire-release.tw");
    let options = Options { extract: Extract::Lazy, ..Options::default() };
    let (claim, stats, iterates) = watched(&program, &options);
    let found: Vec<(u64, usize, Rows)> =
        iterates.iter().map(|i| (i.refinements, i.number, rows(&program, &i.states))).collect();
    // Labels are l1, l2 and l3; here just the digits.
    let digits = |lines: &[&str]| -> Rows {
        let named = expected(lines).into_iter().map(|(key, rows)| {
            let name = |set: &BTreeSet<String>| set.iter().map(|digit| format!("l{digit}")).collect();
            (key, rows.iter().map(|row| row.iter().map(name).collect()).collect())
        });
        named.collect()
    };
    let paper = [
        (0, 1, digits(&["0 1 1"])),
        (0, 2, digits(&["0 1 1", "1 12 12"])),
        (1, 2, digits(&["0 1 1", "1 1 2", "!1 2 1"])),
        (1, 3, digits(&["0 13 13", "1 1 2", "!1 2 1"])),
        (1, 4, digits(&["0 13 13", "1 123 23", "!1 2 1"])),
        (2, 4, digits(&["0 13 13", "1 13 2", "!1 2 13"])),
        (2, 5, digits(&["0 13 13", "1 13 2", "!1 2 13"])),
    ];
    assert_eq!(found, paper);
    assert_eq!(stat(&stats, "refinements"), 2);
    assert_eq!(&found.last().expect("iterates").2, &rows(&program, proved(&claim)));
}

/// The lock class of section 3.6, with the paper's names for its locations.
fn lock_class(n: usize, m: usize, k: usize) -> Arc<Program> {
    let mut body = String::new();
    let mut critical = Vec::new();
    for p in 0..m {
        body += &format!("Q{p}: acquire(lck);\n");
        for l in 0..k {
            let statement = if l + 1 < k { "skip" } else { "release(lck)" };
            body += &format!("R{p}{l}: {statement};\n");
            critical.push(format!("R{p}{l}"));
        }
    }
    let inside = |thread: &str| critical.iter().map(|l| format!("{thread}@{l}")).collect::<Vec<_>>().join(" || ");
    let (i, j) = (inside("i"), inside("j"));
    let text = format!(
        "shared lck: lock;\nthread W[{n}] {{ loop {{ {body} }} }}\n\
         never exists i: W, j: W :: i != j && ({i}) && ({j});"
    );
    program("lock-class.tw", &text)
}

/// The tuples of `B(U, V)`: one component is in V, all others are in U.
fn b(n: usize, u: &BTreeSet<String>, v: &BTreeSet<String>) -> BTreeSet<Vec<String>> {
    if u.is_empty() || v.is_empty() {
        return BTreeSet::new();
    }
    let rows = (0..n).map(|at| (0..n).map(|thread| if thread == at { v.clone() } else { u.clone() }).collect());
    tuples(&rows.collect(), false)
}

/// Section 3.6: m·k refinements with eager extraction, and the exception sets of the last phase.
#[test]
fn the_lock_class() {
    for (n, m, k) in [(3, 1, 2), (3, 2, 2), (4, 2, 3), (3, 3, 2)] {
        let program = lock_class(n, m, k);
        for symmetry in [true, false] {
            let (claim, stats, iterates) = watched(&program, &Options { symmetry, ..Options::default() });
            proved(&claim);
            assert_eq!(stat(&stats, "refinements"), (m * k) as u64, "n = {n}, m = {m}, k = {k}");
            // The latest version of each iterate is that of the last phase.
            let latest: BTreeMap<usize, &Iterate> = iterates.iter().map(|i| (i.number, i)).collect();
            for p in 0..m {
                for l in 0..=k {
                    let number = p * (k + 1) + 2 + l;
                    let Some(iterate) = latest.get(&number) else { continue };
                    let q = |most: usize| (0..most).map(|p| format!("Q{p}")).collect::<BTreeSet<String>>();
                    let r = |sections: usize, locations: usize| -> BTreeSet<String> {
                        (0..sections).flat_map(|p| (0..locations).map(move |l| format!("R{p}{l}"))).collect()
                    };
                    let expected: BTreeSet<Vec<String>> =
                        b(n, &q(p), &r(p, k)).union(&b(n, &q(p + 1), &r(p + 1, l.min(k - 1) + 1))).cloned().collect();
                    let found = rows(&program, &iterate.states);
                    assert!(!found.contains_key(&("0".to_string(), true)), "no exceptions while the lock is free");
                    let found = &found[&("1".to_string(), true)];
                    assert_eq!(tuples(found, symmetry), expected, "E{number} for n = {n}, m = {m}, k = {k}");
                }
            }
            assert!(latest.len() > m * (k + 1), "all exception sets occur");
        }
    }
}

/// Interchangeable copies are one: a thousand are as easy as ten.
#[test]
fn a_thousand_copies_cost_what_ten_cost() {
    let sizes = [10, 1000].map(|n| {
        let program = lock_class(n, 2, 2);
        let (claim, stats) = analyse(&program, &Options::default(), &Budget::unlimited());
        let proof = proved(&claim);
        let runs: usize = proof.unions.iter().flat_map(|(_, p)| p).map(|product| product.components.len()).sum();
        (stats, proof.sets.len(), runs)
    });
    assert_eq!(sizes[0], sizes[1]);
    let outcome = verified(&lock_class(1000, 2, 2), ExceptionsKind::Declared);
    assert!(matches!(outcome.verdict, Verdict::Safe(_)), "{:?}", outcome.verdict);
}

/// Section 2.2.5: programs with locks need no search.
#[test]
fn exceptions_from_the_program_text() {
    let names = ["two-locks.tw", "overlapping-locks.tw", "branching-locks.tw", "seven-lines.tw"];
    let programs = names.map(|name| example(&format!("cartesian/{name}")));
    for program in programs.iter().chain([&example("lock-class.tw"), &example("acquire-release.tw")]) {
        has_locks_only(program).expect("a program with locks");
        let options = Options { exceptions: Exceptions::Locks, ..Options::default() };
        for symmetry in [true, false] {
            let (claim, stats) = analyse(program, &Options { symmetry, ..options }, &Budget::unlimited());
            proved(&claim);
            assert_eq!(stat(&stats, "refinements"), 0, "{}", program.source.name());
        }
        assert!(matches!(verified(program, ExceptionsKind::Locks).verdict, Verdict::Safe(_)));
    }
    let buggy = example("cartesian/two-locks-buggy.tw");
    let outcome = verified(&buggy, ExceptionsKind::Locks);
    assert!(!matches!(outcome.verdict, Verdict::Safe(_)));
    let refused = [
        ("shared x: 0..2; thread P { x = 1; }", "`x` is not a lock"),
        ("shared a: lock; thread P { release(a); }", "without being held"),
        ("shared a: lock; thread P { if (*) { acquire(a); } skip; }", "depending on how it is reached"),
        ("shared a: lock; thread P { a = true; }", "more than take, free or look"),
        ("shared a: lock; proc p() { skip; } thread P { p(); }", "procedures"),
    ];
    for (text, part) in refused {
        let why = has_locks_only(&program("refused.tw", text)).expect_err(text);
        assert!(why.contains(part), "{text}: {why}");
    }
}

/// A thread-modular proof needs no exceptions, and is called modular.
#[test]
fn modular_proofs_are_called_so() {
    let outcome = verified(&example("lock-id.tw"), ExceptionsKind::Declared);
    assert_eq!((matches!(outcome.verdict, Verdict::Safe(_)), outcome.modular), (true, Some(true)));
    let outcome = verified(&example("lock-bit.tw"), ExceptionsKind::Declared);
    assert_eq!((matches!(outcome.verdict, Verdict::Safe(_)), outcome.modular), (true, Some(false)));
}
