//! Engine `contracts`: what it says when an annotation is missing, and that it never says anything false.

use std::sync::Arc;
use std::time::Duration;
use threadwise_front_tw::printer::print;
use threadwise_ir::Program;
use threadwise_limits::Budget;
use threadwise_oracle::{GeneratorOptions, OracleVerdict, random_case};
use threadwise_portfolio::{ContractsOptions, EngineName, EngineOptions, Outcome, Request, verify};
use threadwise_suite::{examples, program, random_annotated};
use threadwise_verdict::Verdict;

fn run(program: &Arc<Program>, engine: &str, unroll: Option<u32>) -> Outcome {
    threadwise_solver_setup::solver_for_tests();
    let options = EngineOptions { contracts: ContractsOptions { unroll }, ..EngineOptions::default() };
    let request =
        Request { engine: engine.parse().expect("an engine"), options, want_proof: true, ..Request::default() };
    verify(program, &request, &Budget::new(Some(Duration::from_secs(600)), None))
}

fn reason(outcome: &Outcome) -> String {
    match &outcome.verdict {
        Verdict::Unknown(unknown) if !unknown.is_internal_error() => unknown.reason().to_string(),
        other => panic!("expected UNKNOWN, but {other:?}"),
    }
}

/// An example with a line replaced.
fn weakened(name: &str, from: &str, to: &str) -> Arc<Program> {
    let example = examples().into_iter().find(|e| e.path.ends_with(format!("examples/{name}"))).expect("an example");
    assert!(example.text.contains(from), "{name} has no `{from}`");
    program("weakened.tw", &example.text.replacen(from, to, 1))
}

/// The examples of CALVIN with one annotation made weaker or stronger: the refusal names the step that
/// it is needed for, or that breaks it.
#[test]
fn a_missing_annotation_is_named_by_the_step_that_needs_it() {
    let cases = [
        // Without the lock's protection of `x` the assertion may fail.
        ("simple-lock.tw", "mx == i ==> mx' == i && x' == x", "mx == i ==> mx' == i", "`assert x > 1;`"),
        // Without that of the lock itself, it may be somebody else's when `x` is changed.
        ("simple-lock.tw", "mx == i ==> mx' == i && x' == x", "mx == i ==> x' == x", "`x = x * x;` of Thread1"),
        // `Thread2` changes `x` under its lock, so nobody can rely on `x` alone.
        ("simple-lock.tw", "mx == i ==> mx' == i && x' == x", "x' == x", "may break `x' == x`"),
        ("dekker.tw", "invariant flag1: cs1 ==> a1;", "", "the step `cs2 = !a1;`"),
        ("dekker.tw", "invariant flag2: cs2 ==> a2;", "", "the step `cs1 = !a2;`"),
        ("dekker.tw", "rely Thread1 :: a1' == a1 && cs1' == cs1;", "rely Thread1 :: cs1' == cs1;", "`cs1 ==> a1`"),
        ("rwlock.tw", "rely forall i: tid :: i in l.r ==> x' == x;", "", "`assert y == x;`"),
        ("rwlock.tw", "rely Thread2 :: y' == y;", "", "`assert y == x;`"),
        ("rwlock.tw", "invariant RWI: l.r == {} || l.w == none;", "", "==> x' == x`"),
        ("time-varying-mutex.tw", "rely forall i: tid :: m_inode == i && busy ==> busy';", "", "of Thread1"),
        (
            "time-varying-mutex.tw",
            "rely forall i: tid :: busy && m_inode == i ==> block' == block;",
            "",
            "`assert block == 1;`",
        ),
        (
            "time-varying-mutex.tw",
            "rely forall i: tid :: !busy && m_busy == i ==> block' == block;",
            "",
            "`assert block == 0;`",
        ),
        ("time-varying-mutex.tw", "invariant I: m_inode == none && inode ==> busy;", "", "of Thread1"),
        ("contracts/semaphore.tw", "owner == i ==> owner' == i && x' == x", "owner == i ==> owner' == i", "x"),
        ("contracts/ticket-lock.tw", "invariant order: serving <= next;\n", "", "`forall i: tid :: waiting[i]"),
        ("contracts/monitor.tw", "while (!full) invariant m == self", "while (!full) invariant true", "of Consumer"),
    ];
    for (name, from, to, part) in cases {
        let reason = reason(&run(&weakened(name, from, to), "contracts", None));
        assert!(reason.contains(part), "{name} without `{from}`:\n{reason}");
        assert!(reason.contains("weakened.tw:"), "{reason}");
    }
}

#[test]
fn relies_must_be_reflexive_and_transitive() {
    let outcome = run(
        &program("r.tw", "shared x: int;\nthread P { x = x + 1; }\nthread Q { skip; }\nrely Q :: x' == x + 1;"),
        "contracts",
        None,
    );
    let error = outcome.rejected.expect("it is an error of the input");
    assert!(error.message.starts_with("the rely is not reflexive"), "{error:?}");
    assert!(error.label.contains("in: x = "), "it shows the store: {error:?}");
    let guarantee = "shared x: int; thread P { x = x + 1; } thread Q { skip; } guarantee P :: x' == x + 1;";
    let error = run(&program("g.tw", guarantee), "contracts", None).rejected.expect("it is an error of the input");
    assert!(error.message.starts_with("the guarantee is not reflexive"), "{error:?}");
    // A store that the invariants exclude does not count.
    let guarded = "shared x: int = 1; thread P { x = 2; } thread Q { skip; } invariant x > 0; rely Q :: x * x' > 0;";
    assert!(matches!(run(&program("i.tw", guarded), "contracts", None).verdict, Verdict::Safe(_)));
    let unbounded = "shared x: int; thread P { x = x + 1; } thread Q { skip; } rely Q :: x' == x || x' == x + 1;";
    let text = reason(&run(&program("t.tw", unbounded), "contracts", None));
    assert!(text.contains("is not transitive") && text.contains("and then the step"), "{text}");
}

/// Three steps of this rely are as good as any number, and the proof says so.
#[test]
fn a_rely_that_is_not_transitive_is_closed_where_a_few_steps_do() {
    let text = "shared x: 0..3; thread P { x = 1; x = 2; } thread Q { var y: 0..3; y = x; assert x >= y; }
        rely Q :: x' == x || x' == x + 1; rely P :: x' == x;";
    let outcome = run(&program("closed.tw", text), "contracts", None);
    assert!(matches!(outcome.verdict, Verdict::Safe(_)), "{:?}", outcome.verdict);
    let Some(threadwise_evidence::Proof::Formulas(proof)) = outcome.proof else { panic!("a proof by contracts") };
    assert_eq!(proof.parts.iter().map(|thread| thread.closure).collect::<Vec<u32>>(), [1, 3]);
}

#[test]
fn guarantees_that_are_given_are_checked_both_ways() {
    let text = "shared x: int; thread P { x = x + 1; } thread Q { var y: int; y = x; assert x >= y; }
        rely Q :: x' >= x;\nguarantee P :: GIVEN;";
    let with = |given: &str| run(&program("g.tw", &text.replace("GIVEN", given)), "contracts", None);
    assert!(matches!(with("x' == x || x' == x + 1").verdict, Verdict::Safe(_)));
    assert!(reason(&with("x' == x || x' == x - 1")).contains("does not imply the rely"));
    assert!(reason(&with("x' == x")).contains("of its guarantee"));
}

/// One check for all copies: a thousand are as good as two, and any number as well.
#[test]
fn the_number_of_copies_does_not_matter() {
    let text = "shared m: mutex; shared x: int; thread W[COPIES] { loop { acquire(m); x = 1; assert x == 1; x = 0; release(m); } }
        invariant m == none ==> x == 0; rely forall i: tid :: m == i ==> m' == i && x' == x;";
    for copies in ["0", "1", "2", "1000", "*"] {
        let outcome = run(&program("copies.tw", &text.replace("COPIES", copies)), "contracts", None);
        assert!(matches!(outcome.verdict, Verdict::Safe(_)), "{copies}: {:?}", outcome.verdict);
    }
}

const PLACES: &str = "shared m: mutex; shared x: int; proc store(v: int) { x = v; }
    thread W[COPIES] { var mine: int; loop { acquire(m); mine = x; cs: x = mine + 1; store(mine); mine = 0; release(m); } }
    invariant m == none ==> x == 0; rely forall i: tid :: m == i ==> m' == i && x' == x; PROPERTY";

/// Properties about where threads are follow from what holds at the points where they are.
#[test]
fn the_places_of_threads_are_known_by_what_holds_there() {
    for property in [
        "never exists a: W, b: W :: a != b && a@cs && b@cs;",
        "norace x;",
        "invariant forall w: W :: w@cs ==> m == w && w.mine == 0;",
        "invariant forall w: W :: w.mine == 0;",
        "never m == none && (exists w: W :: w@cs);",
    ] {
        for copies in ["1", "3", "40", "*"] {
            let text = PLACES.replace("COPIES", copies).replace("PROPERTY", property);
            let outcome = run(&program("places.tw", &text), "contracts", None);
            assert!(matches!(outcome.verdict, Verdict::Safe(_)), "{copies}, {property}: {:?}", outcome.verdict);
            let Some(threadwise_evidence::Proof::Formulas(proof)) = outcome.proof else {
                panic!("a proof by contracts")
            };
            assert!(copies == "1" || !proof.parts[0].remarks.is_empty(), "{property}");
        }
    }
    for property in ["never exists w: W :: w@cs;", "norace m;", "invariant forall w: W :: w@cs ==> x == 1;"] {
        let text = PLACES.replace("COPIES", "2").replace("PROPERTY", property);
        let verdict = run(&program("places.tw", &text), "contracts", None).verdict;
        assert!(matches!(verdict, Verdict::Unsafe(_)), "{property}: {verdict:?}");
    }
}

/// Without a rely `Q` knows nothing about `x` where it is, and the answer says who may be where.
#[test]
fn places_that_are_not_excluded_are_shown() {
    let text = "shared x: int; thread P { x = 1;\nl: x = 2; } thread Q { await x == 2;\nq: skip; }
        rely P :: x' == x; never P@l && Q@q;";
    let reason = reason(&run(&program("places.tw", text), "contracts", None));
    assert!(reason.contains("do not exclude a violation of `never P@l && Q@q;` (places.tw:4:"), "{reason}");
    assert!(reason.contains("P at places.tw:2:4, Q at places.tw:3:4") && reason.contains("x = 1"), "{reason}");
    let helped = format!("{text} rely Q :: x == 2 ==> x' == 2;");
    assert!(matches!(run(&program("places.tw", &helped), "contracts", None).verdict, Verdict::Safe(_)));
}

/// Forty branches one after the other have 2^40 paths, and one formula.
#[test]
fn branches_do_not_multiply() {
    let branch = |k: usize| format!("if (c) {{ x = x + 1; }} else {{ x = x + 2; }} assert x >= {k};\n");
    let body: String = (1..=40).map(branch).collect();
    let text = format!("shared c: bool = *; shared x: int; thread P {{ {body} }} rely P :: x' == x;");
    let outcome = run(&program("branches.tw", &text), "contracts", None);
    assert!(matches!(outcome.verdict, Verdict::Safe(_)), "{:?}", outcome.verdict);
    let text = text.replace("x >= 40", "x >= 80");
    assert!(matches!(run(&program("branches.tw", &text), "contracts", None).verdict, Verdict::Unsafe(_)));
}

/// Also where nothing is said in between, and the number is protected by a lock.
#[test]
fn branches_that_add_to_one_number_do_not_multiply() {
    let chain = "if (c) { x = x + 1; } else { x = x + 2; }\n".repeat(40);
    let text = format!(
        "shared c: bool = *; shared m: mutex; shared x: int;
         thread P {{ acquire(m); x = 0; {chain} assert x >= 40; release(m); }} thread Q {{ c = !c; }}
         rely forall i: tid :: m == i ==> m' == i && x' == x;"
    );
    let outcome = run(&program("chain.tw", &text), "contracts", None);
    assert!(matches!(outcome.verdict, Verdict::Safe(_)), "{:?}", outcome.verdict);
    // Written out, the last sum would have 2^40 terms.
    let doubled = "x = x + x;\n".repeat(40);
    let text = format!("shared x: int = 1; thread P {{ {doubled} assert x > 0; }} rely P :: x' == x;");
    let outcome = run(&program("double.tw", &text), "contracts", None);
    assert!(matches!(outcome.verdict, Verdict::Safe(_)), "{:?}", outcome.verdict);
}

#[test]
fn calls_are_inlined_and_loops_inferred() {
    let text = "shared m: mutex; shared x: int;
        proc bump(by: int) returns (r: int) { var k: int; k = 0; while (k < by) { k = k + 1; } return k; }
        thread P { var got: int; acquire(m); got = bump(3); assert got == 3; x = got; assert x == 3; release(m); }
        thread Q { acquire(m); x = 0; release(m); }
        rely forall i: tid :: m == i ==> m' == i && x' == x;";
    let outcome = run(&program("calls.tw", text), "contracts", None);
    assert!(matches!(outcome.verdict, Verdict::Safe(_)), "{:?}", outcome.verdict);
    let Some(threadwise_evidence::Proof::Formulas(proof)) = outcome.proof else { panic!("a proof by contracts") };
    assert!(proof.parts[0].points.iter().any(|point| point.inferred && point.point.calls.len() == 1));
}

/// Inside an atomic loop nobody interferes, and the step counts as a whole.
#[test]
fn loops_inside_atomic_blocks() {
    let text = "shared x, y: int; thread P { var k: int; atomic { k = 0; while (k < 3) { k = k + 1; y = y + 1; } x = x + 1; } }
        thread Q { var z: int; z = x; assert x >= z; } rely Q :: x' >= x; rely P :: true;";
    let outcome = run(&program("atomic.tw", text), "contracts", None);
    assert!(matches!(outcome.verdict, Verdict::Safe(_)), "{:?}", outcome.verdict);
}

#[test]
fn unrolling_finds_errors_and_proves_nothing() {
    let text = "shared x: int; thread P { loop { x = x + 1; assert x != 3; } } rely P :: x' == x;";
    let deep = run(&program("loop.tw", text), "contracts", Some(4));
    assert!(matches!(deep.verdict, Verdict::Unsafe(_)), "{:?}", deep.verdict);
    let safe = text.replace("x != 3", "x != 0");
    let text = reason(&run(&program("loop.tw", &safe), "contracts", Some(2)));
    assert!(text.contains("within 2 iterations"), "{text}");
}

#[test]
fn recursion_is_refused() {
    let recursive = "proc p() { p(); } shared x: int; thread P { p(); } invariant x == 0;";
    assert!(reason(&run(&program("p.tw", recursive), "contracts", None)).contains("calls itself"));
}

/// Programs of every kind, with invariants but without relies.
#[test]
fn it_never_contradicts_the_interpreter_on_random_programs() {
    let mut decided = 0;
    for seed in 0..60 {
        let (module, explored) = random_case(seed, &GeneratorOptions::small());
        let program = program("random.tw", &print(&module));
        let engine = EngineName::Contracts.engine();
        if !explored.complete || engine.applicable(&program).is_err() {
            continue;
        }
        let verdict = run(&program, "contracts", None).verdict;
        let agrees = match (&verdict, &explored.verdict) {
            (Verdict::Safe(_), OracleVerdict::Safe) | (Verdict::Unsafe(_), OracleVerdict::Unsafe { .. }) => true,
            (Verdict::Unknown(unknown), _) => !unknown.is_internal_error(),
            _ => false,
        };
        assert!(agrees, "{verdict:?}\ninterpreter: {:?}\n{}", explored.verdict, print(&module));
        decided += u32::from(!matches!(verdict, Verdict::Unknown(_)));
    }
    assert!(decided >= 5, "only {decided} programs are decided");
}

/// Whatever the annotations are, SAFE and UNSAFE are the truth.
#[test]
fn it_never_contradicts_exhaustive_search() {
    let (mut safe, mut dangerous) = (0, 0);
    for seed in 0..100 {
        let text = random_annotated(seed);
        let program = program("annotated.tw", &text);
        let (contracts, explicit) = (run(&program, "contracts", None), run(&program, "explicit", None));
        assert!(!contracts.verdict.is_internal_error(), "{text}\n{:?}", contracts.verdict);
        match (&contracts.verdict, &explicit.verdict) {
            (Verdict::Safe(_), Verdict::Safe(_)) => safe += 1,
            (Verdict::Unsafe(_), Verdict::Unsafe(_)) => dangerous += 1,
            (Verdict::Unknown(_), _) => {}
            (ours, theirs) => panic!("{text}\ncontracts: {ours:?}\nexplicit: {theirs:?}"),
        }
    }
    assert!(safe >= 5 && dangerous >= 20, "too few programs are decided: {safe} safe, {dangerous} unsafe");
}
