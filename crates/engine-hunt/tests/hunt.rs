//! Errors of every kind are found, and what is found stands up to the judge.

use std::sync::Arc;
use std::time::{Duration, Instant};
use threadwise_claims::{Claim, Stats};
use threadwise_engine_hunt::{Options, hunt};
use threadwise_evidence::{Trace, Violation};
use threadwise_ir::{Instance, Program};
use threadwise_limits::Budget;
use threadwise_replay::replay;
use threadwise_testing::{LOST_UPDATE, program};

fn found(text: &str) -> (Arc<Program>, Trace, Stats) {
    let program = program(text);
    match hunt(&program, &Options::default(), &Budget::unlimited()) {
        (Claim::Refuted(trace), stats) => {
            let instance = Instance::new(program.clone(), trace.any_copies.clone());
            assert!(replay(&instance, &trace).is_ok(), "{text}");
            (program, trace, stats)
        }
        (other, _) => panic!("{text}: {other:?}"),
    }
}

fn preemptions(stats: &Stats) -> Option<u64> {
    stats.numbers.iter().find(|(name, _)| *name == "preemptions").map(|(_, number)| *number)
}

#[test]
fn a_lost_update_takes_one_preemption() {
    let text = "shared x, done: 0..2;
        thread W[2] { var t: 0..2; t = x; x = t + 1; done = done + 1; }
        invariant done == 2 ==> x == 2;";
    let (_, trace, stats) = found(text);
    assert_eq!((preemptions(&stats), trace.steps.len()), (Some(1), 6));
    // The other way to be wrong needs nobody to be stopped.
    assert_eq!(preemptions(&found(LOST_UPDATE).2), Some(0));
}

#[test]
fn properties_of_every_kind_are_looked_at() {
    let wrong = [
        "shared x: 0..9; thread P { x = 5; assert x == 4; }",
        "shared x: 0..9; thread P { x = 5; } invariant x < 5;",
        "shared x: 0..9; thread P { x = 5; } thread Q { x = 6; } never P@end && Q@end && x == 5;",
        "shared x: 0..9; thread P { x = 5; } thread Q { x = 6; } norace x;",
        "shared a, b: mutex; thread P { acquire(a); acquire(b); } thread Q { acquire(b); acquire(a); } nodeadlock;",
        "shared x: 0..3; thread P { loop { x = x + 1; } }",
    ];
    let wrong = wrong.map(|text| text.replace("P@end", "P@p").replace("Q@end", "Q@q"));
    for text in wrong {
        let labelled = text.replace("x = 5; }", "x = 5; p: }").replace("x = 6; }", "x = 6; q: }");
        found(&labelled);
    }
}

/// The input is chosen in the same step that goes wrong, or in one before it, or before all steps.
#[test]
fn inputs_are_tried_that_the_program_compares_with() {
    found("thread P { var x: int; x = *; assert x != 4711; }");
    found("thread P { var x: int; atomic { x = *; assert x != 4711; } }");
    found("shared x: int = *; thread P { assert x < 123456; }");
    found("shared x: i32; thread P { x = *; } thread Q { if (x > 70000) { assert x != 70002; } }");
}

#[test]
fn as_many_copies_are_tried_as_it_takes() {
    let (_, trace, _) = found("shared n: int; thread W[*] { atomic { n = n + 1; } } invariant n < 12;");
    assert_eq!((trace.any_copies, trace.steps.len()), (12.into(), 12));
}

/// As many of both can always go on: a `Giver` comes for every `Taker`. Fewer than three takers are never more than what one giver gives.
#[test]
fn separate_numbers_of_copies_are_tried() {
    let text = "shared open: bool; shared n: int;
        thread Giver[*] { atomic { open = true; n = n + 2; } }
        thread Taker[*] { if (open) { atomic { await n > 0; n = n - 1; } } }
        nodeadlock;";
    let (_, trace, _) = found(text);
    assert!(trace.any_copies.of(0) >= 1 && trace.any_copies.of(1) > 2 * trace.any_copies.of(0), "{trace:?}");
}

/// With 26 steps there are some ten million ways to take turns, and one of them leads there.
#[test]
fn extremes_are_climbed_to() {
    let text = "shared i, j: int = 1;
        thread A { var k: 0..13; while (k < 13) { atomic { i = i + j; k = k + 1; } } }
        thread B { var k: 0..13; while (k < 13) { atomic { j = j + i; k = k + 1; } } }
        invariant i < 196418 && j < 196418;";
    found(text);
}

/// A thread that waits by looking again and again is not in the way of the others.
#[test]
fn a_waiting_loop_is_left_for_nothing() {
    let text = "shared go: bool; shared x: 0..1;
        thread P { while (!go) { skip; } x = 1; }
        thread Q { go = true; }
        invariant x == 0;";
    let (_, _, stats) = found(text);
    assert!(preemptions(&stats) <= Some(1));
}

#[test]
fn what_is_not_there_is_not_found() {
    let right = program(
        "shared m: mutex; shared x: 0..2; thread P[2] { acquire(m); x = x + 1; release(m); } invariant x <= 2;",
    );
    let (claim, _) = hunt(&right, &Options::default(), &Budget::unlimited());
    assert!(matches!(claim, Claim::Unknown(_)));
}

#[test]
fn initial_values_that_go_wrong_are_told_of() {
    let (_, trace, _) = found("shared x: 0..3 = 1 / 0; thread P { x = 1; }");
    assert!(matches!(trace.violation, Violation::Initial(..)));
}

#[test]
fn a_limit_of_time_holds() {
    let endless = program(
        "shared x, y: int; thread P { loop { x = x + 1; } } thread Q { loop { y = y + x; } } invariant x >= 0;",
    );
    let started = Instant::now();
    let (claim, _) = hunt(&endless, &Options::default(), &Budget::new(Some(Duration::from_millis(200)), None));
    assert!(matches!(claim, Claim::Unknown(_)));
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

/// What depends on nothing that others change, and changes nothing that they see, is no reason to look at the state in between.
#[test]
fn what_concerns_nobody_goes_with_the_step_before() {
    let steps =
        |stats: &Stats| stats.numbers.iter().find(|(name, _)| *name == "steps").map_or(0, |(_, number)| *number);
    let count = "i = 0; while (i < 1000) { i = i + 1; }";
    let worker = format!("var i, t: int; {count} t = x; {count} x = t + 1; {count} done = done + 1;");
    let (_, trace, stats) = found(&format!(
        "shared x, done: int; thread A {{ {worker} }} thread B {{ {worker} }} never done == 2 && x == 1;"
    ));
    // Each loop takes two steps a round, and a last test.
    assert_eq!((preemptions(&stats), trace.steps.len()), (Some(1), 2 * (3 * (1 + 2 * 1000 + 1) + 3)));
    assert!(steps(&stats) < 100_000, "{stats:?}");
    // What only one thread changes is its own, whoever reads it; where it changes, others may be in between.
    found(
        "shared n: 0..9; thread P { var i: int; while (n < 3) { n = n + 1; while (i < 9 * n) { i = i + 1; } } }
         thread Q { assert n != 2; }",
    );
    // Somebody who goes round in circles keeps nobody from going on.
    found(
        "shared x: 0..2; thread P { var b: bool; x = 1; loop { b = !b; } } thread Q { x = 2; } thread R { assert x != 2; }",
    );
}
