//! Engine `locks` on random programs full of locks, starts and joins: it never says SAFE where the naive interpreter finds an
//! error, its judge accepts all that it claims, and it proves a good part of what is right.

use std::sync::Arc;
use threadwise_front_tw::parse;
use threadwise_ir::Program;
use threadwise_limits::Budget;
use threadwise_oracle::{ErrorKind, Explored, OracleVerdict, explore, explore_copies};
use threadwise_portfolio::{EngineName, Outcome, Request, verify};
use threadwise_source::SourceFile;
use threadwise_suite::{random_locked, try_program};
use threadwise_verdict::Verdict;

const PROGRAMS: u64 = 3_000;
const MAX_STATES: usize = 600;

/// What engine `locks` says, without a search.
fn asked(program: &Arc<Program>) -> Outcome {
    let request =
        Request { engine: EngineName::Locks.into(), want_proof: true, in_company: true, ..Request::default() };
    verify(program, &request, &Budget::unlimited())
}

/// What the interpreter says, with up to three copies in the place of any number.
fn interpreted(text: &str) -> Vec<Explored> {
    let module = parse(&SourceFile::new("random", text)).module;
    if text.contains("[*]") && text.replace("a[*]", "").contains("[*]") {
        return (1..=3).map(|copies| explore_copies(&module, copies, MAX_STATES)).collect();
    }
    vec![explore(&module, &[], MAX_STATES)]
}

fn seeds() -> std::ops::Range<u64> {
    let given = std::env::var("LOCKS_SEEDS").ok();
    let given = given.as_deref().and_then(|text| text.split_once("..")).map(|(a, b)| (a.parse(), b.parse()));
    match given {
        Some((Ok(first), Ok(end))) => first..end,
        _ => 0..PROGRAMS,
    }
}

#[test]
fn nothing_is_safe_that_races() {
    let (mut proved, mut races, mut right) = (0, 0, 0);
    for seed in seeds() {
        let text = random_locked(seed);
        let program = try_program("random.tw", &text).unwrap_or_else(|error| panic!("{text}\n{error}"));
        let outcome = asked(&program);
        assert!(!outcome.verdict.is_internal_error(), "seed {seed}: {:?}\n{text}", outcome.verdict);
        let is_proved = matches!(outcome.verdict, Verdict::Safe(_));
        let found = interpreted(&text);
        let is_wrong = |found: &Explored| matches!(found.verdict, OracleVerdict::Unsafe { .. });
        let is_race = |found: &Explored| matches!(&found.verdict, OracleVerdict::Unsafe { kinds } if kinds.contains(&ErrorKind::Race));
        assert!(!(is_proved && found.iter().any(is_wrong)), "seed {seed} is not safe: {found:?}\n{text}");
        proved += u64::from(is_proved);
        races += u64::from(found.iter().any(is_race));
        right += u64::from(found.iter().all(|found| found.complete && found.verdict == OracleVerdict::Safe));
    }
    println!("{proved} proved of {right} that are right; {races} with races");
    let all = seeds().end - seeds().start;
    assert!(proved * 20 > all && races * 10 > all, "{proved} proved, {right} right, {races} races of {all}");
}
