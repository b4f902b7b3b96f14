//! Whatever the number of workers, the search says the same, byte for byte.

use std::sync::Arc;
use threadwise_engine_explicit::{Options, explore};
use threadwise_front_tw::load;
use threadwise_limits::Budget;
use threadwise_source::SourceFile;

/// What the search says, with all its numbers, the states of the proof and the steps of the trace.
fn said(text: &str, options: &Options) -> String {
    let loaded = load(SourceFile::new("test.tw", text), &Default::default());
    let program = Arc::new(loaded.program.expect("a correct program"));
    let (claim, stats) = explore(&program, options, &Budget::unlimited());
    format!("{claim:?}\n{stats:?}")
}

fn says_the_same(text: &str, options: Options, expected: &str) {
    let alone = said(text, &Options { workers: 1, ..options });
    let options = Options { help_above: 0, ..options };
    assert!(alone.starts_with(expected), "{}", &alone[..alone.len().min(100)]);
    for workers in [2, 4] {
        let together = said(text, &Options { workers, ..options });
        assert!(together == alone, "{workers} workers say something else");
    }
}

/// The Bluetooth driver of the benchmarks, with four workers: levels of ten thousand states.
fn driver() -> String {
    include_str!("../../../bench/models/bluetooth.tw").replace("const N = 3", "const N = 4")
}

/// Every state has a shared store of its own, and copies are told apart by who did what.
const COUNTERS: &str = "shared count: [tid]0..3; shared a, b, c: 0..9;
    thread A { while (a < 9) { a = a + 1; } } thread B { while (b < 9) { b = b + 1; } } thread C { while (c < 9) { c = c + 1; } }
    thread W[2] { while (count[self] < 2) { count[self] = count[self] + 1; } }
    invariant a + b + c <= ";

#[test]
fn a_search_of_all_states() {
    let whole = Options { symmetry: false, fold: false, reduction: false, ..Options::default() };
    says_the_same(&driver(), whole, "Exhausted");
    says_the_same(&driver(), Options { proof: true, ..Options::default() }, "Proved");
}

#[test]
fn a_reduced_search() {
    says_the_same(
        &driver(),
        Options { symmetry: false, reduction: true, reduce_above: 0, ..Options::default() },
        "Exhausted",
    );
}

#[test]
fn a_search_for_an_error() {
    let wrong = format!(
        "{} never stopped && pendingIO == 0 && (forall w: Worker :: w@Done);",
        driver().replace("    stoppingEvent = true;\n  }\n}\n", "    stoppingEvent = true;\n  }\n  Done: skip;\n}\n")
    );
    says_the_same(&wrong, Options { symmetry: false, reduction: false, ..Options::default() }, "Refuted");
    says_the_same(
        &wrong,
        Options { symmetry: false, reduction: true, reduce_above: 0, ..Options::default() },
        "Refuted",
    );
}

#[test]
fn stores_that_are_always_new() {
    says_the_same(&format!("{COUNTERS} 27;"), Options { proof: true, ..Options::default() }, "Proved");
    says_the_same(&format!("{COUNTERS} 24;"), Options::default(), "Refuted");
}
