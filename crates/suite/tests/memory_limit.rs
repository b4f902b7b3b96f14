//! A limit of memory is kept to within a tenth, wherever it is met. Alone in its process: other tests would be counted
//! too.

use threadwise_limits::{Budget, memory_in_use, peak_memory};
use threadwise_portfolio::{Request, verify};
use threadwise_suite::try_program;

const MEBIBYTE: u64 = 1 << 20;

/// So many stores squared, all of which each thread sees.
fn two_counters(values: u32) -> String {
    format!(
        "shared a, b: 0..{values}; thread A {{ loop {{ a = (a + 1) % {values}; }} }} \
         thread B {{ loop {{ b = (b + 7) % {values}; }} }} never a == {values};"
    )
}

/// What thread `W[1]` sees of the others is what it sees of any permutation of them.
const PERMUTED: &str = "shared a: [tid]0..40; shared b: 0..40; \
     thread W[3] { loop { a[self] = (a[self] + 1) % 40; } } \
     thread V { loop { b = (b + 1) % 40; } } never exists i: W :: a[i] == 40;";

/// The engine meets the limit, or the judge, or neither.
#[test]
fn a_limit_of_memory_is_kept() {
    let limit = memory_in_use() + 80 * MEBIBYTE;
    let mut words = Vec::new();
    for text in [two_counters(100), two_counters(250), two_counters(400), two_counters(2000), PERMUTED.to_string()] {
        let program = try_program("large.tw", &text).expect("a correct program");
        let request = Request { engine: "modular".parse().expect("it exists"), ..Request::default() };
        let outcome = verify(&program, &request, &Budget::new(None, Some(limit)));
        println!("{} {:?} MiB of {}", outcome.verdict.word(), peak_memory() / MEBIBYTE, limit / MEBIBYTE);
        words.push(outcome.verdict.word());
    }
    assert!(words.starts_with(&["safe"]) && words[3..] == ["unknown", "unknown"], "{words:?}");
    assert!(peak_memory() < limit / 10 * 11, "{} MiB of {}", peak_memory() / MEBIBYTE, limit / MEBIBYTE);
}
