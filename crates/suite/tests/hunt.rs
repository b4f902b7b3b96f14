//! Engine `hunt` finds what is deep, shows little of it, and does so every time.

use std::time::Duration;
use threadwise_ir::AnyCopies;
use threadwise_limits::Budget;
use threadwise_portfolio::{EngineName, Outcome, Request, verify};
use threadwise_suite::{Example, corpus, examples, examples_in};
use threadwise_verdict::Verdict;

fn hunt(example: &Example, seconds: u64) -> Outcome {
    let request = Request { engine: EngineName::Hunt.into(), ..Request::default() };
    verify(&example.program(), &request, &Budget::new(Some(Duration::from_secs(seconds)), Some(2 << 30)))
}

fn number(outcome: &Outcome, name: &str) -> Option<u64> {
    outcome.stats.numbers.iter().find(|(known, _)| *known == name).map(|(_, number)| *number)
}

/// What each of the deep programs needs at least: preemptions, worked out by hand, and steps, of which its loops alone take
/// so many.
const NEEDED: [(&str, u64, usize); 12] = [
    // One thread is stopped between its read and its write.
    ("lost-update-buggy", 1, 3 * 100 * 4),
    // The slow thread is stopped between its reads and the exchange.
    ("aba-buggy", 1, 2 * 50 * 2),
    // Who waits is not preempted: the one inside is, and before him the one who draws after ticket 0 has been drawn.
    ("ticket-overflow-buggy", 1, 255 * 3),
    ("counter-of-a-thousand-buggy", 1, 999 * 2),
    // The steady one may be stopped in any of its rounds; only the other one has to come to its end.
    ("late-deadlock-buggy", 1, 100 * 6),
    // The last one is stopped with a fork in hand; then the one before him takes his and waits, and so on round the table.
    ("philosophers-buggy", 1, 5 * 60 * 2),
    ("stale-balance-buggy", 1, 2 * 80 * 5),
    ("password-buggy", 0, 40 * 3),
    ("many-copies-buggy", 0, 8),
    // The thief is stopped between its read and its write, and the diver meanwhile or before.
    ("recursion-buggy", 2, 4 * 60),
    ("sequence-lock-buggy", 1, 16 * 4),
    // The one that has handed over the token is stopped before it writes once more.
    ("race-after-handshakes-buggy", 1, 2 * 60 * 4),
];

#[test]
fn deep_errors_are_found_with_the_fewest_preemptions() {
    let programs = examples_in("tests/corpus/deep");
    assert_eq!(programs.len(), NEEDED.len());
    for example in programs {
        let stem = example.path.file_stem().expect("a name").to_string_lossy().to_string();
        let (_, preemptions, steps) = NEEDED.iter().find(|(name, ..)| *name == stem).expect("a known program");
        let outcome = hunt(&example, 60);
        let Verdict::Unsafe(found) = &outcome.verdict else { panic!("{stem}: {:?}", outcome.verdict) };
        assert_eq!(number(&outcome, "preemptions"), Some(*preemptions), "{stem}");
        let taken = found.trace().trace().steps.len();
        assert!(taken >= *steps && taken <= 2 * steps + 40, "{stem}: {taken} steps");
    }
}

#[test]
fn runs_repeat() {
    for example in examples_in("tests/corpus/deep") {
        let trace = |outcome: Outcome| match outcome.verdict {
            Verdict::Unsafe(found) => (found.trace().trace().clone(), outcome.stats.numbers),
            other => panic!("{}: {other:?}", example.path.display()),
        };
        let ((first, counted), (second, counted_again)) = (trace(hunt(&example, 60)), trace(hunt(&example, 60)));
        assert_eq!(counted, counted_again, "{}", example.path.display());
        assert_eq!(first.initial, second.initial);
        assert!(first.steps == second.steps && first.violation == second.violation, "{}", example.path.display());
    }
}

/// It looks for errors only, and finds those of nearly all small programs; it says nothing of others.
#[test]
fn wrong_programs_of_the_corpus_are_found() {
    let mut missed = Vec::new();
    for example in corpus().into_iter().chain(examples()).filter(|example| !example.safe && !example.slow) {
        match hunt(&example, 30).verdict {
            Verdict::Unsafe(_) => {}
            other => missed.push(format!("{}: {other:?}", example.path.display())),
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn right_programs_are_not_called_anything() {
    for example in examples().into_iter().filter(|example| example.safe) {
        let verdict = hunt(&example, 1).verdict;
        let fine = matches!(&verdict, Verdict::Unknown(unknown) if !unknown.is_internal_error());
        assert!(fine, "{}: {verdict:?}", example.path.display());
    }
}

/// The program says why one server and three customers are the fewest.
#[test]
fn an_error_may_need_separate_numbers_of_copies() {
    let programs = examples_in("tests/corpus/any-number");
    let program =
        programs.iter().find(|example| example.path.ends_with("portions-buggy.tw")).expect("the program").program();
    let budget = Budget::new(Some(Duration::from_secs(60)), Some(2 << 30));
    for engine in [EngineName::Hunt, EngineName::Explicit] {
        let outcome = verify(&program, &Request { engine: engine.into(), ..Request::default() }, &budget);
        let Verdict::Unsafe(found) = &outcome.verdict else { panic!("{engine}: {:?}", outcome.verdict) };
        assert_eq!(found.trace().trace().any_copies, AnyCopies::separate(&[1, 3]), "{engine}");
    }
}
