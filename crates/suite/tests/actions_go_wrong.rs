//! An action whose formula runs into an error for some of the values that it could choose is an error of the
//! program: a conjunct further on does not remove it.

use std::time::Duration;
use threadwise_front_tw::{Options, load, parse};
use threadwise_limits::Budget;
use threadwise_oracle::{OracleVerdict, explore};
use threadwise_portfolio::{Request, verify};
use threadwise_source::SourceFile;

/// Programs, and whether something can go wrong, worked out from docs/LANGUAGE.md.
const PROGRAMS: [(&str, bool); 14] = [
    // Dividing by `x' == 0` comes before the conjunct that is false.
    ("shared x: 0..2; shared y: 0..5; thread P { action [x] 1 / x' == 1 && y == 5; }", true),
    ("shared x: 0..2; thread P { action [x] 1 / x' == 1 && x' == 1; }", true),
    ("shared x: 0..2; shared y: 0..5; thread P { action [x] 1 / x' == 1; }", true),
    // Here it is not reached.
    ("shared x: 0..2; shared y: 0..5; thread P { action [x] y == 5 && 1 / x' == 1; }", false),
    ("shared x: 0..2; thread P { action [x] x' == 1 && 1 / x' == 1; }", false),
    ("shared x: 0..2; thread P { action [x] x' != 0 && 1 / x' == 1; }", false),
    ("shared x: 0..2; thread P { action [x] x' != 0 && 1 / x' == 1 && x' == 2; }", false),
    // The first conjunct leaves `x' == 0` in, and so the second one is an error.
    ("shared x: 0..2; thread P { action [x] x' != 1 && 1 / x' == 1 && x' == 2; }", true),
    // An index and a set literal go wrong as a division does.
    ("shared a: [0..1]bool; shared x: 0..2; thread P { action [x] !a[x'] && x' == 0; }", true),
    ("shared a: [0..1]bool; shared x: 0..2; thread P { action [x] x' == 0 && !a[x']; }", false),
    ("shared s: set<0..1>; shared x: 0..2; thread P { action [x] !({x'} subset s) && x' == 0; }", true),
    // So does a value that an equation is about to determine, and one that it leaves no room for.
    ("shared x: 0..2; shared y: 0..2; thread P { action [x, y] y' == 1 / x' && x' == 1; }", true),
    ("shared x: 0..2; shared y: 0..2; thread P { action [x, y] x' == 7 && y' == 1 / x'; }", false),
    // An implication and a `forall` go from left to right too.
    ("shared x: 0..2; thread P { action [x] (forall i: 0..2 :: x' != i ==> 1 / (i - x') != 7) && x' == 1; }", false),
];

#[test]
fn every_engine_says_so() {
    threadwise_solver_setup::solver_for_tests();
    for (text, goes_wrong) in PROGRAMS {
        for engine in ["explicit", "modular", "cartesian", "predicates", "auto"] {
            let loaded = load(SourceFile::new("action.tw", text.to_string()), &Options::default());
            let program = std::sync::Arc::new(loaded.program.expect(text));
            let request = Request { engine: engine.parse().expect("an engine"), ..Request::default() };
            let verdict = verify(&program, &request, &Budget::new(Some(Duration::from_secs(60)), None)).verdict;
            let expected = if goes_wrong { "unsafe" } else { "safe" };
            // Engine `predicates` divides by constants only, and says so.
            let fine = verdict.word() == expected || engine == "predicates" && verdict.word() == "unknown";
            assert!(fine && !verdict.is_internal_error(), "{engine} of {text}: {verdict:?}");
        }
    }
}

#[test]
fn the_interpreter_says_so() {
    for (text, goes_wrong) in PROGRAMS {
        let module = parse(&SourceFile::new("action.tw", text.to_string())).module;
        let verdict = explore(&module, &[], 3_000).verdict;
        let agrees = match verdict {
            OracleVerdict::Safe => !goes_wrong,
            OracleVerdict::Unsafe { .. } => goes_wrong,
            OracleVerdict::Unknown(_) => false,
        };
        assert!(agrees, "{text}: {verdict:?}");
    }
}
