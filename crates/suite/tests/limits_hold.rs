//! A run ends when its time is over, whatever its program does in one step, one property or one initial value.

use std::time::{Duration, Instant};
use threadwise_claims::Claim;
use threadwise_engine_explicit::{Options, explore};
use threadwise_ir::patience;
use threadwise_limits::Budget;
use threadwise_portfolio::{EngineChoice, Request, engines, verify};
use threadwise_suite::{expensive_program, try_program};

const TIMEOUT: Duration = Duration::from_millis(300);

/// The machine may have other things to do; a limit that is not looked at is missed by far more.
const OVERSHOOT: Duration = Duration::from_secs(4);

/// How long to go on.
const PATIENCE: Duration = Duration::from_secs(25);

#[test]
fn every_engine_ends_in_time() {
    threadwise_solver_setup::solver_for_tests();
    let started = Instant::now();
    let mut names: Vec<&str> = engines().map(|engine| engine.name().as_str()).collect();
    names.push("auto");
    let mut runs = 0;
    for seed in (0..).take_while(|_| started.elapsed() < PATIENCE) {
        let text = expensive_program(seed);
        let program = try_program("expensive.tw", &text).unwrap_or_else(|error| panic!("{error}"));
        let engine = names[seed as usize % names.len()];
        let request = Request { engine: engine.parse::<EngineChoice>().expect("it exists"), ..Request::default() };
        let start = Instant::now();
        let outcome = verify(&program, &request, &Budget::new(Some(TIMEOUT), None));
        let took = start.elapsed();
        assert!(took < TIMEOUT + OVERSHOOT, "{engine} took {took:?}: {text}");
        assert!(!outcome.verdict.is_internal_error(), "{engine}: {:?}: {text}", outcome.verdict);
        runs += 1;
    }
    assert!(runs >= names.len(), "every engine had its turn");
}

/// What used to take minutes, or all memory, is now quick as well.
#[test]
fn what_can_be_quick_is_quick() {
    let broadcast = "type M = enum { idle, commit, abort }; shared toP: [tid]M; \
         thread C { atomic { toP = *; assume forall p: tid :: toP[p] == commit; } } \
         thread P[9] { await toP[self] == commit; }";
    let votes = "const N = 50; shared yes, no: set<tid>; \
         thread P[N] { choose { yes = yes union {self}; } or { no = no union {self}; } }";
    let large = "shared x: 0..100000; thread P { x = *; assert x < 100001; }";
    for (text, engine) in [(broadcast, "explicit"), (broadcast, "modular"), (votes, "explicit"), (large, "explicit")] {
        let program = try_program("quick.tw", text).expect("a correct program");
        let request = Request { engine: engine.parse().expect("it exists"), ..Request::default() };
        let verdict = verify(&program, &request, &Budget::new(Some(Duration::from_secs(30)), None)).verdict;
        assert_eq!(verdict.word(), "safe", "{engine}: {verdict:?}: {text}");
    }
}

/// However far the search for an error has come when it is interrupted, also while it puts the trace together, it says so.
#[test]
fn a_search_can_be_interrupted_anywhere() {
    let text = "shared x: 0..9; thread P { var i: 0..4000; \
         while (x < 8) { atomic { x = x + 1; i = 0; while (i < 4000) { i = i + 1; } } } assert x < 8; } thread Q { skip; }";
    let program = try_program("long.tw", text).expect("a correct program");
    let (mut interrupted, mut refuted) = (0, 0);
    for most in 1.. {
        let asked = std::cell::Cell::new(0);
        let may_go_on = move || {
            asked.set(asked.get() + 1);
            asked.get() < most
        };
        let search = || explore(&program, &Options::default(), &Budget::unlimited()).0;
        match patience::under(may_go_on, search) {
            (Claim::Refuted(_), _) => refuted += 1,
            (Claim::Unknown(_), true) => interrupted += 1,
            (claim, _) => panic!("after {most} questions: {claim:?}"),
        }
        if refuted == 3 {
            break;
        }
    }
    assert!(interrupted > 20, "there are hardly any places where it could be interrupted: {interrupted}");
}
