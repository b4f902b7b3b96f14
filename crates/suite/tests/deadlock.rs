//! Deadlocks: every engine, however it is asked, and every judge, also of proofs that were made for less.

use std::collections::BTreeMap;
use std::time::Duration;
use threadwise_check::{CheckError, check};
use threadwise_evidence::violation_info;
use threadwise_front_tw::printer::print;
use threadwise_limits::Budget;
use threadwise_oracle::{GeneratorOptions, OracleVerdict, random_case};
use threadwise_portfolio::{EngineOptions, Request, engines, verify};
use threadwise_suite::{Example, examples_in, program, try_program};
use threadwise_verdict::Verdict;

fn programs() -> Vec<Example> {
    let programs = examples_in("tests/corpus/deadlock");
    assert!(programs.len() >= 40, "{}", programs.len());
    programs
}

fn budget() -> Budget {
    Budget::new(Some(Duration::from_secs(60)), Some(4 << 30))
}

/// A program by its text, asked of an engine.
fn ask(text: &str, engine: &str) -> Verdict {
    let request = Request { engine: engine.parse().expect("an engine"), want_proof: true, ..Request::default() };
    verify(&program("deadlock.tw", text), &request, &budget()).verdict
}

/// What kind of error an engine finds.
fn kind(text: &str, engine: &str) -> &'static str {
    match ask(text, engine) {
        Verdict::Unsafe(found) => violation_info(found.trace().instance(), &found.trace().trace().violation).kind,
        Verdict::Safe(_) => "safe",
        Verdict::Unknown(unknown) if unknown.is_internal_error() => "internal error",
        Verdict::Unknown(_) => "unknown",
    }
}

#[test]
fn no_engine_says_anything_wrong_however_it_is_asked() {
    threadwise_solver_setup::solver_for_tests();
    let mut wrong = Vec::new();
    for example in programs() {
        let program = example.program();
        for engine in engines().filter(|engine| engine.applicable(&program).is_ok()) {
            let name = engine.name().as_str();
            // Engines that work with formulas, and `hunt`, which proves nothing, are asked once, and not for long.
            let is_brief = ["contracts", "predicates", "intervals", "coverability", "lockstep", "relations", "hunt"]
                .contains(&name);
            let ways = [(true, true), (true, false), (false, true), (false, false)];
            for (symmetry, fold) in ways.into_iter().take(if is_brief { 1 } else { 4 }) {
                let options = EngineOptions::default().with_symmetry(symmetry).with_folding(fold);
                let engine = name.parse().expect("an engine");
                let budget = if is_brief { budget().slice(Duration::from_secs(2)) } else { budget() };
                let verdict = verify(&program, &Request { engine, options, ..Request::default() }, &budget).verdict;
                let must_know = name == "explicit" && !program.has_any_copies() || name == "cartesian";
                let fine = match &verdict {
                    Verdict::Safe(_) => example.safe,
                    Verdict::Unsafe(_) => !example.safe,
                    Verdict::Unknown(unknown) => !must_know && !unknown.is_internal_error(),
                };
                if !fine {
                    wrong.push(format!("{} by {name}, {options:?}: {verdict:?}", example.path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Generated programs in which threads wait, by every engine, and once more for any number of copies, which include the
/// number that the interpreter looked at.
#[test]
fn every_engine_agrees_with_the_interpreter_on_generated_programs() {
    threadwise_solver_setup::solver_for_tests();
    let mut decided: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..30 {
        let (module, explored) = random_case(seed, &GeneratorOptions::waiting());
        let is_safe = match explored.verdict {
            OracleVerdict::Safe => true,
            OracleVerdict::Unsafe { .. } => false,
            OracleVerdict::Unknown(_) => continue,
        };
        let text = with_relies(&print(&module));
        let any = with_any_copies(&text);
        for (text, is_any) in [(&text, false), (&any, true)].into_iter().take(if any == text { 1 } else { 2 }) {
            let Ok(program) = try_program("random.tw", text) else { continue };
            for engine in engines().filter(|engine| engine.applicable(&program).is_ok()) {
                let name = engine.name().as_str();
                let request = Request { engine: name.parse().expect("an engine"), ..Request::default() };
                let brief = budget().slice(Duration::from_secs(1));
                match verify(&program, &request, &brief).verdict {
                    Verdict::Safe(_) => assert!(is_safe, "{name} says safe, seed {seed}:\n{text}"),
                    Verdict::Unsafe(_) => assert!(is_any || !is_safe, "{name} says unsafe, seed {seed}:\n{text}"),
                    Verdict::Unknown(unknown) => {
                        assert!(!unknown.is_internal_error(), "{name}, seed {seed}: {}\n{text}", unknown.reason());
                        continue;
                    }
                }
                *decided.entry(name).or_default() += 1;
            }
        }
    }
    for name in ["explicit", "modular", "cartesian", "contracts", "predicates", "coverability", "hunt"] {
        assert!(decided.contains_key(name), "{name} decides none of the programs: {decided:?}");
    }
}

/// With what `contracts` wants to be told: that nobody else touches a mutex that one holds.
fn with_relies(text: &str) -> String {
    let mutexes = text.lines().filter_map(|line| line.strip_prefix("shared ")?.strip_suffix(": mutex;"));
    let rely = |name: &str| format!("rely forall i: tid :: {name} == i <==> {name}' == i;\n");
    let relies: String = mutexes.flat_map(|names| names.split(", ")).map(rely).collect();
    format!("{text}\nrely forall i: tid :: true;\n{relies}")
}

/// With any number of copies of each replicated thread.
fn with_any_copies(text: &str) -> String {
    let line = |line: &str| match (line.strip_prefix("thread "), line.find('['), line.find(']')) {
        (Some(_), Some(open), Some(close)) => format!("{}[*{}\n", &line[..open], &line[close..]),
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// What proves everything but the absence of deadlocks is no proof where there are some.
#[test]
fn proofs_that_were_made_for_less_are_refused() {
    threadwise_solver_setup::solver_for_tests();
    let mut refused = std::collections::BTreeMap::new();
    for example in programs().into_iter().filter(|example| !example.safe) {
        let (asked, name) = (example.program(), example.path.display().to_string());
        let silent = try_program("silent.tw", &example.text.replace("nodeadlock;", "")).expect("a program");
        for engine in ["explicit", "modular", "cartesian", "predicates"] {
            let engine_choice = engine.parse().expect("an engine");
            let request = Request { engine: engine_choice, want_proof: true, ..Request::default() };
            let Some(proof) = verify(&silent, &request, &budget()).proof else { continue };
            match check(&asked, &proof, &budget()) {
                Err(CheckError::Refuted(_)) => *refused.entry(engine).or_insert(0) += 1,
                other => panic!("{name}: a proof by {engine} is judged as {other:?}"),
            }
        }
    }
    let enough = ["explicit", "modular", "cartesian"].iter().all(|engine| refused.get(engine) >= Some(&8));
    assert!(enough, "{refused:?}");
}

/// A proof is not refused for what it says of deadlocks where there are none.
#[test]
fn proofs_of_the_right_programs_are_accepted() {
    for example in programs().into_iter().filter(|example| example.safe) {
        let asked = example.program();
        for engine in ["explicit", "modular", "cartesian"] {
            let request =
                Request { engine: engine.parse().expect("an engine"), want_proof: true, ..Request::default() };
            let outcome = verify(&asked, &request, &budget());
            if let Some(proof) = outcome.proof {
                check(&asked, &proof, &budget()).expect("it was accepted before");
            }
        }
    }
}

#[test]
fn what_is_found_has_its_own_kind() {
    let crossed = "shared a, b: mutex;
        thread P { acquire(a); acquire(b); release(b); release(a); }
        thread Q { acquire(b); acquire(a); release(a); release(b); }";
    for engine in ["explicit", "cartesian"] {
        assert_eq!(kind(&format!("{crossed} nodeadlock;"), engine), "deadlock");
        let others = "thread R { loop { skip; } } nodeadlock;";
        assert_eq!(kind(&format!("{crossed} {others}"), engine), "lock-cycle");
        assert_eq!(kind(crossed, engine), "safe");
        assert_eq!(kind("thread P { skip; assert false; } thread Q { await false; } nodeadlock;", engine), "assertion");
    }
}

/// Who cannot enter an atomic block, because it takes first what somebody holds, waits for that.
#[test]
fn an_atomic_block_waits_for_the_mutex_that_it_takes_first() {
    threadwise_solver_setup::solver_for_tests();
    let beside = |threads: &str| format!("shared a, b: mutex; {threads} thread R {{ loop {{ skip; }} }} nodeadlock;");
    let itself = beside("thread P { acquire(a); atomic { acquire(a); } }");
    let nested = beside("thread P { acquire(a); atomic { { atomic { acquire(a); skip; } } } }");
    let crossed = beside(
        "thread P { acquire(a); atomic { acquire(b); release(b); } }
        thread Q { acquire(b); atomic { acquire(a); release(a); } }",
    );
    let ended = beside("thread P { acquire(a); } thread Q { atomic { acquire(a); release(a); } }");
    for engine in ["explicit", "cartesian", "predicates", "hunt", "auto"] {
        for text in [&itself, &nested, &crossed, &ended] {
            assert_eq!(kind(text, engine), "lock-cycle", "{engine}: {text}");
        }
    }
    for text in [&itself, &nested, &crossed, &ended] {
        assert_ne!(kind(text, "modular"), "safe", "{text}");
    }
    // What comes first may be something else, and then the block may wait for that.
    let tests_first = beside("shared x: bool; thread P { acquire(a); atomic { await x; acquire(a); } }");
    let gives_back = beside("thread P { acquire(a); release(a); } thread Q { atomic { acquire(a); release(a); } }");
    for text in [&tests_first, &gives_back] {
        assert_eq!(kind(text, "explicit"), "safe", "{text}");
    }
}

/// What waits at which point, and why that is one: each of these is another reason why a thread is not stuck.
#[test]
fn who_is_not_stuck() {
    let right = [
        "thread P { skip; } nodeadlock;",
        "thread P { skip; return; skip; } nodeadlock;",
        "shared x: bool; thread P { end: await x; } nodeadlock;",
        "shared x: bool; thread P { loop { endless: atomic { await x; x = false; } } } nodeadlock;",
        "shared x: bool; proc p() { end: await x; } thread P { p(); } nodeadlock;",
        "thread P[0] { await false; } nodeadlock;",
        "thread P { skip; } thread W[2](n: 0..1) { await n == 0; } nodeadlock;",
        "shared x: bool; thread P { await x; } thread Q { loop { skip; } } nodeadlock;",
        "shared m: lock; thread P[2] { loop { acquire(m); release(m); } } nodeadlock;",
        "shared x: 0..1; thread P[2] { loop { atomic { await x == 0; x = 1; } x = 0; } } nodeadlock;",
    ];
    let wrong = [
        "shared x: bool; thread P { bend: await x; } nodeadlock;",
        "shared x: bool; thread P { await x; end: skip; } nodeadlock;",
        "shared x: bool; proc p() { await x; } thread P { end: p(); } nodeadlock;",
        "shared x: bool; thread P { end: await x; } thread Q { skip; await x; } nodeadlock;",
        "shared x: bool; thread P { atomic { x = true; await !x; } } nodeadlock;",
        "shared x: bool; thread P { atomic { end: await x; } } nodeadlock;",
        "thread P { loop { } } nodeadlock;",
        "thread P { start W(); } thread W() { await false; } nodeadlock;",
        "thread P { join W; } thread W() { skip; } nodeadlock;",
        "shared m: lock; thread P[2] { acquire(m); } nodeadlock;",
        "shared x: 0..1; thread P { action [x] x' > 1; } nodeadlock;",
        "shared x: 0..3; thread P { var y: 0..3; y = *; x = y; await x > 3; } nodeadlock;",
    ];
    for engine in ["explicit", "cartesian", "modular"] {
        for text in right {
            assert!(["safe", "unknown"].contains(&kind(text, engine)), "{engine}: {text}");
            assert!(engine == "modular" || kind(text, engine) == "safe", "{engine}: {text}");
        }
        for text in wrong {
            assert!(["deadlock", "unknown"].contains(&kind(text, engine)), "{engine}: {text}");
            assert!(engine == "modular" || kind(text, engine) == "deadlock", "{engine}: {text}");
        }
    }
}

/// Any number of copies: none, few, and those that are started.
#[test]
fn any_number_of_copies() {
    // Nobody waits where nobody is.
    let alone = "shared m: mutex; thread W[*] { loop { acquire(m); release(m); } } nodeadlock;";
    assert_eq!(kind(alone, "modular"), "safe");
    // One of them waits for ever for another one to come.
    let pairs = "shared n: 0..2; thread W[*] { atomic { await n < 2; n = n + 1; } await n == 2; } nodeadlock;";
    assert_eq!(kind(pairs, "explicit"), "deadlock");
    assert_ne!(kind(pairs, "modular"), "safe");
    // With no copy nobody answers.
    let asks = "shared asked, told: bool; thread P { asked = true; await told; }
        thread W[*] { end: await asked; told = true; } nodeadlock;";
    assert_eq!(kind(asks, "explicit"), "deadlock");
    assert_ne!(kind(asks, "modular"), "safe");
    // There is always one more that can be started.
    let started = "thread P { loop { start W(); } } thread W[*]() { skip; } nodeadlock;";
    assert_ne!(kind(started, "explicit"), "deadlock");
    assert_eq!(kind(started, "modular"), "safe");
    let answered =
        "shared x: bool; thread P { start W(); start W(); await x; } thread W[*]() { x = true; } nodeadlock;";
    assert_ne!(kind(answered, "explicit"), "deadlock");
    assert_ne!(kind(answered, "auto"), "deadlock");
    let silent = "shared x: bool; thread P { start W(); start W(); await x; } thread W[*]() { skip; } nodeadlock;";
    assert_eq!((kind(silent, "explicit"), kind(silent, "auto")), ("deadlock", "deadlock"));
}

/// Engines that say nothing of threads that wait say so.
#[test]
fn who_cannot_tell_refuses() {
    threadwise_solver_setup::solver_for_tests();
    let text = "shared m: mutex; shared x: int; thread P { acquire(m); x = x + 1; release(m); }
        rely forall i: tid :: m == i ==> m' == i; invariant m == none || m == P; nodeadlock;";
    // By this rely `P` does not know that it has the lock only where it took it.
    let Verdict::Unknown(unknown) = ask(text, "contracts") else { panic!("contracts cannot tell") };
    assert!(unknown.reason().contains("do not exclude a violation of `nodeadlock;`"), "{}", unknown.reason());
    assert_eq!(kind(text, "predicates"), "safe");
    let chosen = "shared x: int; thread P { x = 1; } thread Q { var y: int; atomic { y = *; assume y > x && y < 1; } } nodeadlock;";
    let Verdict::Unknown(unknown) = ask(chosen, "predicates") else { panic!("predicates cannot tell") };
    assert!(unknown.reason().contains("waits for something that it chooses"), "{}", unknown.reason());
    let specified = "shared x: 0..1; thread P { await x == 0; x = 1; }
        abstract P { init A; idle; A:; A -> A [x] x == 0 && x' == 1; } nodeadlock;";
    let Verdict::Unknown(unknown) = ask(specified, "conformance") else { panic!("conformance cannot tell") };
    assert!(unknown.reason().contains("where its thread waits"), "{}", unknown.reason());
}

/// What is said of the points where threads wait excludes that all of them do, for every number of copies.
#[test]
fn contracts_exclude_deadlocks_by_what_holds_where_threads_wait() {
    threadwise_solver_setup::solver_for_tests();
    let lock = "shared m: mutex; shared x: int; nodeadlock; invariant m == none ==> x == 0;
        rely forall i: tid :: (m == i ==> m' == i && x' == x) && (m != i ==> m' != i);";
    for copies in ["0", "1", "2", "40", "*"] {
        let text = format!("{lock} thread W[{copies}] {{ loop {{ acquire(m); x = 1; x = 0; release(m); }} }}");
        assert_eq!(kind(&text, "contracts"), "safe", "{copies}");
        // Whoever ends with the lock in hand leaves the others waiting.
        let text = format!("{lock} thread W[{copies}] {{ acquire(m); x = 1; x = 0; }}");
        assert_eq!(
            kind(&text, "contracts"),
            if ["0", "1"].contains(&copies) { "safe" } else { "deadlock" },
            "{copies}"
        );
    }
    let two = "shared a, b: mutex; nodeadlock;
        rely forall i: tid :: (a == i <==> a' == i) && (b == i <==> b' == i);
        thread P { acquire(a); acquire(b); release(b); release(a); } thread Q { acquire(FIRST); acquire(SECOND);
        release(SECOND); release(FIRST); }";
    let with = |first: &str, second: &str| two.replace("FIRST", first).replace("SECOND", second);
    assert_eq!(kind(&with("a", "b"), "contracts"), "safe");
    assert_ne!(kind(&with("b", "a"), "contracts"), "safe");
    // Without a rely nobody knows who holds what, and the answer says so.
    let bare = "shared m: mutex; nodeadlock; invariant true; thread W[*] { acquire(m); release(m); }";
    match ask(bare, "contracts") {
        Verdict::Unknown(unknown) if !unknown.is_internal_error() => {
            assert!(
                unknown.reason().contains("nodeadlock") || unknown.reason().contains("release"),
                "{}",
                unknown.reason()
            );
        }
        other => panic!("{other:?}"),
    }
}

/// Philosophers, of whom all or all but one take the left fork first.
fn philosophers(name: &str, many: u32) -> String {
    let programs = programs();
    let example = programs.iter().find(|example| example.path.ends_with(name)).expect("it is in the corpus");
    assert!(example.text.contains("const N = 4;"));
    example.text.replace("const N = 4;", &format!("const N = {many};"))
}

#[test]
fn philosophers_thread_by_thread() {
    threadwise_solver_setup::solver_for_tests();
    for many in [2, 3, 5, 8] {
        assert_eq!(kind(&philosophers("philosophers-asymmetric.tw", many), "cartesian"), "safe");
        assert_eq!(kind(&philosophers("philosophers-classic-buggy.tw", many), "explicit"), "deadlock");
    }
    // Cycles of more than eight locks, too.
    for many in [4, 12] {
        assert_eq!(kind(&philosophers("philosophers-by-contract.tw", many), "contracts"), "safe");
    }
    let classic =
        philosophers("philosophers-by-contract.tw", 4).replace("ord(self) == N ? N - 1 : ord(self);", "ord(self) % N;");
    let classic = classic.replace("ord(self) == N ? 0 : ord(self) - 1;", "ord(self) - 1;");
    assert_eq!(kind(&classic, "explicit"), "deadlock");
    assert_ne!(kind(&classic, "contracts"), "safe");
    // Too many states to visit; one execution in which all go in step is enough.
    assert_eq!(kind(&philosophers("philosophers-classic-buggy.tw", 100), "hunt"), "deadlock");
}

/// Unbounded data: states cannot be listed.
#[test]
fn predicates_find_and_exclude_deadlocks() {
    threadwise_solver_setup::solver_for_tests();
    let counter = |least: i64| {
        format!(
            "shared x: int = *; init x >= 0; nodeadlock; thread P {{ x = x + 1; }} thread Q {{ await x >= {least}; }}"
        )
    };
    assert_eq!(kind(&counter(1), "predicates"), "safe");
    assert_eq!(kind(&counter(2), "predicates"), "deadlock");
    let two = "shared a, b: mutex; shared n: int = *; nodeadlock; thread P { acquire(a); acquire(b); n = n + 1; release(b); release(a); }
        thread Q { acquire(FIRST); acquire(SECOND); release(SECOND); release(FIRST); }";
    let with = |first: &str, second: &str| two.replace("FIRST", first).replace("SECOND", second);
    assert_eq!(kind(&with("a", "b"), "predicates"), "safe");
    assert!(["deadlock", "lock cycle"].contains(&kind(&with("b", "a"), "predicates")));
}
