//! The naive interpreter and engine `explicit` agree about random programs.

use std::sync::Arc;
use std::time::Duration;
use threadwise_claims::Claim;
use threadwise_engine_explicit::{Options, explore};
use threadwise_front_tw::{load, parse};
use threadwise_limits::Budget;
use threadwise_oracle::OracleVerdict;
use threadwise_source::SourceFile;
use threadwise_wild::{Config, Wild, generate, mutated, short_program, smaller};

/// So many states the interpreter visits at most.
const MAX_STATES: usize = 1500;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Answer {
    Safe,
    Unsafe,
    Unknown,
}

fn ways_to_search() -> Vec<(&'static str, Options)> {
    vec![
        ("default", Options::default()),
        ("without folding", Options { fold: false, ..Options::default() }),
        ("without symmetry", Options { symmetry: false, ..Options::default() }),
        ("with a proof", Options { proof: true, ..Options::default() }),
    ]
}

/// What the interpreter says of a text that loads.
fn naive_answer(text: &str) -> Answer {
    let module = parse(&SourceFile::new("wild.tw", text)).module;
    match threadwise_oracle::explore(&module, &[], MAX_STATES).verdict {
        OracleVerdict::Safe => Answer::Safe,
        OracleVerdict::Unsafe { .. } => Answer::Unsafe,
        OracleVerdict::Unknown(_) => Answer::Unknown,
    }
}

/// How the search disagrees with the interpreter, if it does. Nobody can disagree with UNKNOWN.
fn disagreement(text: &str) -> (Answer, Option<String>) {
    let loaded = load(SourceFile::new("wild.tw", text), &Default::default());
    let Some(program) = loaded.program.map(Arc::new) else { return (Answer::Unknown, None) };
    let naive = naive_answer(text);
    if naive == Answer::Unknown {
        return (naive, None);
    }
    for (way, options) in ways_to_search() {
        let budget = Budget::new(Some(Duration::from_secs(5)), None);
        let searched = std::panic::catch_unwind(|| explore(&program, &options, &budget).0);
        let Ok(claim) = searched else { return (naive, Some(format!("`explicit` {way} panics"))) };
        let found = match claim {
            Claim::Refuted(_) => Answer::Unsafe,
            Claim::Proved(_) | Claim::Exhausted(_) => Answer::Safe,
            Claim::Unknown(_) | Claim::Rejected(_) => continue,
        };
        if found != naive {
            return (naive, Some(format!("the interpreter says {naive:?}, `explicit` {way} says {found:?}")));
        }
    }
    (naive, None)
}

/// The smallest program near this one that shows a disagreement too.
fn shrunk(mut program: Wild) -> Wild {
    let shows_it = |candidate: &Wild| disagreement(&candidate.to_text()).1.is_some();
    while let Some(next) = smaller(&program).into_iter().find(shows_it) {
        program = next;
    }
    program
}

/// Compares the programs of a kind with these numbers, each with two variants.
fn compare(seeds: std::ops::Range<u64>, config: Config) {
    let mut answers = [0; 3];
    let mut report = String::new();
    for seed in seeds {
        let original = generate(seed, config);
        for program in [original.clone(), mutated(&original, seed), mutated(&original, seed + (1 << 32))] {
            let (answer, difference) = disagreement(&program.to_text());
            answers[answer as usize] += 1;
            if difference.is_some() {
                let text = shrunk(program).to_text();
                let difference = disagreement(&text).1.unwrap_or_default();
                report += &format!("seed {seed}: {difference}\n{text}\n");
            }
        }
    }
    let [safe, unsafe_ones, unknown] = answers;
    println!("{safe} safe, {unsafe_ones} unsafe, {unknown} unknown");
    assert!(report.is_empty(), "{report}");
    assert!(safe > unknown && unsafe_ones > unknown, "too few programs say anything");
}

#[test]
fn the_interpreter_and_the_search_agree() {
    compare(0..60, Config::finite());
}

#[test]
fn they_agree_on_threads_that_are_started() {
    compare(0..60, Config::starting());
}

#[test]
fn they_agree_on_machine_integers() {
    compare(0..60, Config::computing());
}

#[test]
fn they_agree_on_what_makes_models_short() {
    let mut answers = [0; 3];
    for seed in 0..150 {
        let text = short_program(seed);
        let (answer, difference) = disagreement(&text);
        answers[answer as usize] += 1;
        assert_eq!(difference, None, "seed {seed}: {text}");
    }
    let [safe, unsafe_ones, unknown] = answers;
    println!("{safe} safe, {unsafe_ones} unsafe, {unknown} unknown");
    assert!(safe > 20 && unsafe_ones > 20, "too few programs say anything: {answers:?}");
}

/// What has been found this way once.
#[test]
fn they_agree_on_a_quantifier_up_to_the_largest_number() {
    let text = "shared c: lock = *;
        thread P { assert forall i: 9223372036854775806..9223372036854775807 :: c; }";
    assert_eq!(disagreement(text), (Answer::Unsafe, None));
}

#[test]
fn they_agree_on_a_name_before_its_declaration() {
    let text = "shared a: 0..1; thread P[1] { a = *; var a: 0..0; } invariant a == 0;";
    assert_eq!(disagreement(text), (Answer::Unsafe, None));
    let text = "shared a: 0..3 = 2; thread P { var a: 0..3 = a + 1; assert a == 3; }";
    assert_eq!(disagreement(text), (Answer::Safe, None));
    let text = "shared a: 0..1; thread P { goto L; var a: 0..2; L: a = 2; }";
    assert_eq!(disagreement(text), (Answer::Safe, None));
}

/// As many as one likes: `WILD_SEEDS=1000..5000 cargo test … -- --ignored`.
#[test]
#[ignore = "takes as long as one likes"]
fn the_interpreter_and_the_search_agree_on_many() {
    let seeds = std::env::var("WILD_SEEDS").unwrap_or("60..2000".to_string());
    let (first, end) = seeds.split_once("..").expect("two numbers with `..` between them");
    let seeds = first.parse().expect("a number")..end.parse().expect("a number");
    compare(seeds.clone(), Config::finite());
    compare(seeds, Config::computing());
}
