//! The translation of expressions agrees with their evaluation, on random expressions and stores.

mod support;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::sync::Arc;
use support::{is, known};
use threadwise_ir::{Env, Expr, Instance, NoLocals, NoValue, Program, SharedId, Sort};
use threadwise_limits::Budget;
use threadwise_logic::Term;
use threadwise_solver::{Answer, Session, Settings};
use threadwise_solver_setup::solver_for_tests;
use threadwise_source::SourceFile;
use threadwise_symbolic::{Population, Value, View, named_shared};

const DECLARATIONS: &str = "
    type Color = enum { red, green, blue };
    shared b, c: bool;
    shared i, j: int;
    shared r: -2..3;
    shared e, f: Color;
    shared t, u: tid;
    shared s, s2: set<0..3>;
    shared p, p2: set<tid>;
    shared a: [0..2]int;
    shared m: [tid]bool;
    shared g: [Color][bool]-1..1;
    shared w: [0..20]int;
    shared u8_1, u8_2: u8;
    shared i8_1, i8_2: i8;
    shared u16_1: u16;
    shared i32_1, i32_2: i32;
    shared u64_1, u64_2: u64;
    shared i64_1, i64_2: i64;
    shared v: [i8]u8;
    thread P { skip; }
    thread W[COPIES] { skip; }
";

fn program(expression: &str, copies: &str) -> Arc<Program> {
    let text = format!("{}\ninvariant {expression};", DECLARATIONS.replace("COPIES", copies));
    let lowered =
        threadwise_front_tw::load(SourceFile::new("random.tw", text), &threadwise_front_tw::Options::default());
    Arc::new(lowered.program.unwrap_or_else(|| panic!("{expression}: {:?}", lowered.diagnostics)))
}

fn number() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        (-3i64..5).prop_map(|n| n.to_string()),
        Just("i".to_string()),
        Just("j".to_string()),
        Just("r".to_string()),
        Just("ord(t)".to_string()),
        Just("size(s)".to_string()),
        Just("a[1]".to_string()),
        Just("g[e][b]".to_string()),
        Just("count(k: Color :: k != e)".to_string()),
        Just("count(k: 0..3 :: k in s2 && k <= i)".to_string()),
    ];
    leaf.prop_recursive(3, 16, 2, |inner| {
        let ops = prop::sample::select(vec!["+", "-", "*", "/", "%"]);
        prop_oneof![
            (inner.clone(), ops, inner.clone()).prop_map(|(x, op, y)| format!("({x} {op} {y})")),
            inner.clone().prop_map(|x| format!("(-{x})")),
            inner.clone().prop_map(|x| format!("a[{x}]")),
            inner.clone().prop_map(|x| format!("w[{x}]")),
            (inner.clone(), inner).prop_map(|(x, y)| format!("(b ? {x} : {y})")),
        ]
    })
}

fn set() -> impl Strategy<Value = (String, bool)> {
    let of_numbers =
        prop_oneof![Just("s".to_string()), Just("s2".to_string()), number().prop_map(|x| format!("{{{x}}}"))];
    let of_threads = prop::sample::select(vec!["p", "p2", "{t}", "{u, P}", "p minus {t}", "{u} union p2"]);
    let base = prop_oneof![of_numbers.prop_map(|s| (s, false)), of_threads.prop_map(|s| (format!("({s})"), true))];
    (base, prop::sample::select(vec!["", "union", "inter", "minus"])).prop_map(|((set, threads), op)| {
        let other = if threads { "p2" } else { "s2" };
        (if op.is_empty() { set } else { format!("({set} {op} {other})") }, threads)
    })
}

fn truth() -> impl Strategy<Value = String> {
    let comparison = prop::sample::select(vec!["==", "!=", "<", "<=", ">", ">="]);
    let leaf = prop_oneof![
        Just("b".to_string()),
        Just("c".to_string()),
        Just("m[u]".to_string()),
        Just("t == u".to_string()),
        Just("t == none".to_string()),
        Just("e == f".to_string()),
        Just("forall k: tid :: m[k] ==> k in p".to_string()),
        Just("exists k: W :: m[k] && k != t".to_string()),
        Just("forall k: bool :: g[f][k] == 0 || k == c".to_string()),
        (number(), comparison, number()).prop_map(|(x, op, y)| format!("{x} {op} {y}")),
        (number(), 0..3i64).prop_map(|(x, n)| format!("forall k: 0..2 :: a[k] / (k - {n}) != {x}")),
        number().prop_map(|x| format!("{x} in s")),
        (set(), set())
            .prop_filter_map("of one sort", |((x, xt), (y, yt))| (xt == yt).then(|| format!("{x} subset {y}"))),
        (set(), set()).prop_filter_map("of one sort", |((x, xt), (y, yt))| (xt == yt).then(|| format!("{x} == {y}"))),
    ];
    leaf.prop_map(|e| format!("({e})")).prop_recursive(3, 16, 2, |inner| {
        let ops = prop::sample::select(vec!["&&", "||", "==>", "<==>"]);
        prop_oneof![
            (inner.clone(), ops, inner.clone()).prop_map(|(x, op, y)| format!("({x} {op} {y})")),
            inner.clone().prop_map(|x| format!("(!{x})")),
        ]
    })
}

/// The kinds of machine integers, and the variables of each.
const KINDS: [(&str, &[&str]); 6] = [
    ("u8", &["u8_1", "u8_2", "v[i8_1]", "v[-128]"]),
    ("i8", &["i8_1", "i8_2"]),
    ("u16", &["u16_1"]),
    ("i32", &["i32_1", "i32_2"]),
    ("u64", &["u64_1", "u64_2"]),
    ("i64", &["i64_1", "i64_2"]),
];

/// A machine integer of a kind.
fn machine(kind: usize) -> BoxedStrategy<String> {
    let (name, variables) = KINDS[kind];
    let leaf = prop_oneof![
        3 => prop::sample::select(variables),
        1 => prop::sample::select(&["0", "1", "-1", "7", "255", "127", "-128", "0x8000", "0x7fffffff", "0xff00ff00ff00ff00"][..]),
    ]
    .prop_map(move |leaf| format!("{name}({leaf})"));
    leaf.prop_recursive(2, 8, 2, move |inner| {
        let ops = prop::sample::select(vec!["+", "-", "*", "/", "%", "&", "|", "^"]);
        let shifts = prop::sample::select(vec!["<<", ">>"]);
        let counts = prop::sample::select(vec!["0", "1", "3", "8", "63", "200", "u8_1", "i8_1", "i"]);
        let others: Vec<&'static str> = KINDS.iter().flat_map(|(_, variables)| variables.iter().copied()).collect();
        prop_oneof![
            6 => (inner.clone(), ops, inner.clone()).prop_map(|(x, op, y)| format!("({x} {op} {y})")),
            2 => (inner.clone(), shifts, counts).prop_map(|(x, op, n)| format!("({x} {op} {n})")),
            1 => inner.clone().prop_map(|x| format!("(-{x})")),
            1 => inner.clone().prop_map(|x| format!("(~{x})")),
            1 => (prop::sample::select(others), inner.clone()).prop_map(move |(x, y)| format!("({name}({x}) + {y})")),
            1 => (inner.clone(), inner).prop_map(|(x, y)| format!("(b ? {x} : {y})")),
        ]
    })
    .boxed()
}

fn machine_truth() -> impl Strategy<Value = String> {
    let comparison = prop::sample::select(vec!["==", "!=", "<", "<=", ">", ">="]);
    (0..KINDS.len(), comparison).prop_flat_map(|(kind, op)| {
        (machine(kind), machine(kind), any::<bool>()).prop_map(move |(x, y, plain)| match plain {
            true => format!("{x} {op} {y}"),
            false => format!("int({x}) {op} i"),
        })
    })
}

/// A random value of a sort.
fn fill(instance: &Instance, sort: &Sort, random: &mut dyn FnMut() -> u64, words: &mut [i64]) {
    match sort {
        Sort::Int => words[0] = (random() % 9) as i64 - 4,
        Sort::Bits(bits) => {
            let (least, most) = bits.bounds();
            let any = (random() << 40 ^ random() << 20 ^ random()) as i64;
            let words_to_try = [least as i64, most as i64, 0, 1, -1, 3, any, any];
            words[0] = bits.wrap(words_to_try[(random() % 8) as usize]);
        }
        Sort::Set(element) => words[0] = (random() % (1 << instance.cardinality(element).expect("finite"))) as i64,
        Sort::Array(_, element) => {
            let size = instance.words(element);
            words.chunks_mut(size).for_each(|chunk| fill(instance, element, random, chunk));
        }
        scalar => {
            let rank = random() % instance.cardinality(scalar).expect("finite");
            words[0] = instance.unrank(scalar, rank as usize);
        }
    }
}

fn random_store(instance: &Instance, mut seed: u64) -> Vec<i64> {
    let mut random = move || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        seed >> 33
    };
    let mut words = vec![0; instance.shared_words()];
    for (index, var) in instance.program.shared.iter().enumerate() {
        fill(instance, &var.sort, &mut random, &mut words[instance.shared_range(SharedId(index as u32))]);
    }
    words
}

fn the_property(program: &Program) -> &Expr {
    program.properties[0].formula().expect("it was declared").0
}

/// Evaluates both ways. `exact`: whether the translation must know exactly where there are errors. Tells how many
/// translations were compared, and how many there are not.
fn compare(
    session: &mut Session,
    instance: &Instance,
    population: &Population,
    words: &[i64],
    exact: bool,
) -> (u32, u32) {
    let e = the_property(&instance.program);
    let expected = match Env::of_state(instance, words, &NoLocals).holds(e) {
        Ok(truth) => Some(truth),
        Err(NoValue::Fault(..)) => None,
        Err(NoValue::Gap(_)) => return (0, 0),
    };
    // Both for constants that have the values, so that nothing is computed beforehand, and for the values.
    let names = named_shared(population, "g");
    let vars = instance.program.shared.iter().enumerate().zip(&names.values);
    let vars =
        vars.map(|((index, var), name)| (&var.sort, name, &words[instance.shared_range(SharedId(index as u32))]));
    let values: Vec<Value> = vars.clone().map(|(sort, name, words)| known(instance, sort, name, words)).collect();
    session.push();
    session.declare_all(&names.constants);
    session.assert(&Term::all(vars.map(|(sort, name, words)| is(population, instance, sort, name, words))));
    let (mut compared, mut refused) = (0, 0);
    for store in [&names.values, &values] {
        let translated = match View::of_store(population, store).translate(e) {
            Ok(translated) => translated,
            Err(unsupported) => {
                let reasons = ["division by", "so large", "a bit operation"];
                assert!(reasons.iter().any(|reason| unsupported.what.contains(reason)), "{unsupported}");
                refused += 1;
                continue;
            }
        };
        let agrees = match expected {
            Some(truth) => {
                let right = translated.value.term().equals(Term::bool(truth));
                if exact { translated.defined.and(&right) } else { translated.defined.implies(&right) }
            }
            None => translated.defined.not(),
        };
        let answer = session.refute(&agrees).expect("an answer");
        assert_eq!(answer, Answer::Unsat, "evaluation gives {expected:?}, translation {translated:?}");
        compared += 1;
    }
    session.pop();
    (compared, refused)
}

fn runner(cases: u32) -> TestRunner {
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    TestRunner::new_with_rng(Config { cases, failure_persistence: None, ..Config::default() }, rng)
}

#[test]
fn expressions_mean_the_same() {
    mean_the_same(truth().boxed(), 120, 3);
}

#[test]
fn machine_integers_mean_the_same() {
    mean_the_same(machine_truth().boxed(), 150, 2);
}

/// Where arrays are taken apart, at least so many translations have to be compared for each that there is not.
fn mean_the_same(truths: BoxedStrategy<String>, cases: u32, for_each_refused: u32) {
    let session = Session::start(&solver_for_tests(), Settings::default(), &Budget::unlimited()).expect("it starts");
    let session = std::cell::RefCell::new(session);
    let unrolled = std::cell::Cell::new((0, 0));
    let result = runner(cases).run(&(truths, any::<u64>()), |(expression, seed)| {
        let instance = Instance::new(program(&expression, "2"), 0);
        for extra in 0..3 {
            let words = random_store(&instance, seed.wrapping_add(extra));
            let session = &mut session.borrow_mut();
            let (_, refused) = compare(session, &instance, &Population::fixed(&instance), &words, true);
            assert_eq!(refused, 0, "with arrays everything can be said");
            let (compared, refused) = compare(session, &instance, &Population::unrolled(&instance), &words, true);
            let (before, refused_before) = unrolled.get();
            unrolled.set((before + compared, refused_before + refused));
        }
        Ok(())
    });
    result.unwrap_or_else(|e| panic!("{e}"));
    let (compared, refused) = unrolled.get();
    assert!(compared > for_each_refused * refused, "too little was compared: {compared}, and {refused} refused");
}

#[test]
fn expressions_mean_the_same_among_any_number_of_threads() {
    let session = Session::start(&solver_for_tests(), Settings::default(), &Budget::unlimited()).expect("it starts");
    let session = std::cell::RefCell::new(session);
    let result = runner(80).run(&(truth(), 0..4u32, any::<u64>()), |(expression, copies, seed)| {
        let instance = Instance::new(program(&expression, "*"), copies);
        let population = Population::any(&instance.program);
        let mut session = session.borrow_mut();
        session.push();
        population.declare(&mut session);
        for (unknown, _) in population.unknowns() {
            session.assert(&unknown.equals(Term::int(i64::from(copies))));
        }
        let (_, refused) = compare(&mut session, &instance, &population, &random_store(&instance, seed), false);
        assert_eq!(refused, 0, "with arrays everything can be said");
        session.pop();
        Ok(())
    });
    result.unwrap_or_else(|e| panic!("{e}"));
}
