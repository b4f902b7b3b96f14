//! Deadlocks that the order in which threads take locks excludes: philosophers in the ways in which people write them, as many as
//! one likes; and random programs with nested locks, where nothing is ever SAFE that the naive interpreter finds stuck.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;
use threadwise_check::{CheckError, check};
use threadwise_evidence::{HierarchyProof, Proof};
use threadwise_evidence_files::{ProofFile, write_proof};
use threadwise_front_tw::parse;
use threadwise_ir::{Env, Expr, ExprKind, Instance, NoValue, Program, Sort, ThreadId};
use threadwise_limits::Budget;
use threadwise_oracle::{OracleVerdict, explore, explore_copies};
use threadwise_portfolio::{EngineName, Outcome, Request, verify};
use threadwise_source::SourceFile;
use threadwise_suite::dice::Dice;
use threadwise_suite::{examples_in, program, try_program};
use threadwise_verdict::Verdict;

/// What an engine says, without a search of interleavings.
fn asked(program: &Arc<Program>, engine: EngineName) -> Outcome {
    let request = Request { engine: engine.into(), want_proof: true, in_company: true, ..Request::default() };
    verify(program, &request, &Budget::new(Some(Duration::from_secs(60)), Some(2 << 30)))
}

fn by_locks(program: &Arc<Program>) -> Outcome {
    asked(program, EngineName::Locks)
}

/// Philosophers as people write them: `true` if the last one takes his forks the other way around.
fn tables(n: usize, last_is_different: bool) -> Vec<(&'static str, String)> {
    let take = |fork: &str, l: &str, r: &str| {
        format!("acquire({fork}[{l}]); acquire({fork}[{r}]); eat: skip; release({fork}[{r}]); release({fork}[{l}]);")
    };
    let last = if last_is_different { "ord(self) == N" } else { "false" };
    let header = format!("const N = {n};\n");
    let locals = format!(
        "{header}shared fork: [0..N - 1]mutex;
        thread P[N] {{
          var first: 0..N - 1 = {last} ? 0 : ord(self) - 1;
          var second: 0..N - 1 = {last} ? N - 1 : ord(self) % N;
          loop {{ {} }}
        }}",
        take("fork", "first", "second")
    );
    let branches = format!(
        "{header}shared fork: [0..N - 1]lock;
        thread P[N] {{ loop {{ if ({last}) {{ {} }} else {{ {} }} }} }}",
        take("fork", "0", "N - 1"),
        take("fork", "ord(self) - 1", "ord(self) % N")
    );
    let mut literal = format!("{header}shared fork: [0..N - 1]mutex;\n");
    let mut names: String = (0..n).map(|i| format!("shared f{i}: mutex;\n")).collect();
    let mut flags = format!("{header}shared taken: [0..N - 1]bool;\n");
    for i in 0..n {
        let (mut l, mut r) = (i, (i + 1) % n);
        if i + 1 == n && last_is_different {
            (l, r) = (r, l);
        }
        let _ = writeln!(literal, "thread P{i} {{ loop {{ {} }} }}", take("fork", &l.to_string(), &r.to_string()));
        let _ = writeln!(
            names,
            "thread P{i} {{ while (true) {{ acquire(f{l}); acquire(f{r}); release(f{l}); release(f{r}); }} }}"
        );
        let _ = writeln!(
            flags,
            "thread P{i} {{ loop {{ atomic {{ await !taken[{l}]; taken[{l}] = true; }}
              atomic {{ await taken[{r}] == false; taken[{r}] = true; }} taken[{l}] = false; taken[{r}] = false; }} }}"
        );
    }
    let procedures = format!(
        "{header}shared fork: [0..N - 1]mutex;
        proc take(a: 0..N - 1, b: 0..N - 1) {{ acquire(fork[a]); acquire(fork[b]); }}
        proc put(a: 0..N - 1) {{ release(fork[a]); }}
        thread P[N] {{
          var me: 0..N - 1 = ord(self) - 1;
          loop {{
            if ({last}) {{ take(0, N - 1); }} else {{ take(me, (me + 1) % N); }}
            put((me + 1) % N);
            put(me);
          }}
        }}"
    );
    let by_number = format!(
        "{header}shared fork: [0..N - 1]int;
        thread P[N] {{
          var l: 0..N - 1 = {last} ? 0 : ord(self) - 1;
          var r: 0..N - 1 = {last} ? N - 1 : ord(self) % N;
          loop {{
            atomic {{ await fork[l] == 0; fork[l] = 1; }}
            atomic {{ await fork[r] == 0; fork[r] = 1; }}
            fork[r] = 0;
            fork[l] = 0;
          }}
        }}"
    );
    let all = [
        ("locals", locals),
        ("branches", branches),
        ("literal", literal),
        ("names", names),
        ("flags", flags),
        ("procedures", procedures),
        ("numbers", by_number),
    ];
    all.into_iter().map(|(name, text)| (name, text + "\nnodeadlock;\n")).collect()
}

#[test]
fn philosophers_of_whom_one_is_different_are_proved_one_by_one() {
    for n in [2, 3, 20, 100] {
        for (name, text) in tables(n, true) {
            let outcome = by_locks(&program("table.tw", &text));
            assert!(matches!(outcome.verdict, Verdict::Safe(_)), "{name}, {n}: {:?}", outcome.verdict);
            assert_eq!(outcome.modular, Some(true), "{name}, {n}");
        }
        for (name, text) in tables(n, false) {
            let outcome = by_locks(&program("table.tw", &text));
            let Verdict::Unsafe(found) = &outcome.verdict else { panic!("{name}, {n}: {:?}", outcome.verdict) };
            assert!(found.trace().trace().steps.len() >= n, "{name}, {n}");
        }
    }
}

/// Others who prove thread by thread ask for the order, too.
#[test]
fn modular_and_cartesian_prove_a_hundred() {
    let (_, text) = tables(100, true).swap_remove(0);
    for engine in [EngineName::Modular, EngineName::Cartesian] {
        let request = Request { engine: engine.into(), want_proof: true, ..Request::default() };
        let outcome = verify(&program("table.tw", &text), &request, &Budget::new(Some(Duration::from_secs(60)), None));
        assert!(matches!(outcome.verdict, Verdict::Safe(_)), "{engine}: {:?}", outcome.verdict);
        assert_eq!(outcome.modular, Some(true), "{engine}");
    }
}

/// What is left beside deadlocks another proof is about.
#[test]
fn everything_else_is_proved_by_another() {
    let text = "shared a, b: mutex; shared x: 0..3;
        thread W[30] { loop { acquire(a); acquire(b); x = 1; assert x == 1; x = 0; release(b); release(a); } }
        norace x; invariant x <= 1; nodeadlock;";
    let right = program("rest.tw", text);
    let outcome = by_locks(&right);
    assert!(matches!(outcome.verdict, Verdict::Safe(_)), "{:?}", outcome.verdict);
    let Some(Proof::Hierarchy(proof)) = &outcome.proof else { panic!("another kind") };
    assert!(proof.rest.is_some() && proof.order.len() == 2);
    let alone = HierarchyProof { rest: None, ..proof.clone() };
    assert!(matches!(check(&right, &Proof::Hierarchy(alone), &Budget::unlimited()), Err(CheckError::Refuted(_))));
    for wrong in [text.replace("x == 1;", "x == 2;"), text.replace("invariant x <= 1", "invariant x <= 0")] {
        let outcome = by_locks(&program("rest.tw", &wrong));
        assert!(matches!(outcome.verdict, Verdict::Unknown(_)), "{:?}", outcome.verdict);
    }
}

#[test]
fn any_number_of_clients_keep_to_the_order() {
    let clients = |first: &str, second: &str| {
        format!(
            "shared a, b: mutex;
            thread One[*] {{ loop {{ acquire(a); acquire(b); release(b); release(a); }} }}
            thread Two[*] {{ loop {{ acquire({first}); acquire({second}); release({second}); release({first}); }} }}
            nodeadlock;"
        )
    };
    assert!(matches!(by_locks(&program("any.tw", &clients("a", "b"))).verdict, Verdict::Safe(_)));
    assert!(matches!(by_locks(&program("any.tw", &clients("b", "a"))).verdict, Verdict::Unsafe(_)));
}

/// Where nobody forbids it, a note says that threads may come to wait for each other's locks, and which command shows it.
#[test]
fn a_note_tells_of_cycles_that_nobody_forbids() {
    let notes = |text: &str| {
        let outcome = verify(&program("notes.tw", text), &Request::default(), &Budget::unlimited());
        assert!(!matches!(outcome.verdict, Verdict::Unsafe(_)), "{:?}", outcome.verdict);
        outcome.notes.iter().map(|note| note.to_string()).collect::<Vec<String>>()
    };
    let crossed = "shared a, b: mutex;
        thread P { acquire(a); acquire(b); release(b); release(a); }
        thread Q { acquire(b); acquire(a); release(a); release(b); }";
    let whole = "note: all threads can come to wait for ever, one of them at notes.tw:2:32; \
                 `threadwise check --deadlock notes.tw` shows how";
    assert_eq!(notes(crossed), [whole]);
    let part = "note: some threads can come to wait for each other's locks for ever, one of them at notes.tw:2:32; \
                `threadwise check --deadlock notes.tw` shows how";
    assert_eq!(notes(&format!("{crossed} thread R {{ loop {{ skip; }} }}")), [part]);
    assert!(notes(&crossed.replace("acquire(b); acquire(a)", "acquire(a); acquire(b)")).is_empty());
}

/// Each is stuck, or may be, and looks as if it were not.
#[test]
fn what_only_looks_ordered_is_not_proved() {
    let programs = [
        // Ends with a lock; waits for ever with one.
        "shared a: mutex; thread P[2] { acquire(a); }",
        "shared a: mutex; thread P { acquire(a); end: await false; } thread Q { acquire(a); release(a); }",
        // Takes it twice.
        "shared a: mutex; thread P { acquire(a); acquire(a); release(a); }",
        "shared a: bool; thread P { atomic { await !a; a = true; } atomic { await !a; a = true; } a = false; }",
        "shared a: mutex; thread P { atomic { acquire(a); acquire(a); } release(a); }",
        // Nobody gives it back to whom it does not belong; a flag that is none of a lock.
        "shared a: bool; thread P { loop { await !a; a = true; } } thread Q { a = false; }",
        "shared a: bool; thread P { loop { atomic { await a; a = false; } } }",
        // Is not free at first.
        "shared a: bool = true; thread P { atomic { await !a; a = true; } a = false; }",
        // Waits for something else inside.
        "shared a: mutex; shared go: bool; thread P { acquire(a); await go; release(a); }",
        "shared a: mutex; shared x: 0..2; thread P { atomic { acquire(a); await x == 1; } release(a); }",
        // Which one is taken depends on others.
        "shared a: [0..1]mutex; shared x: 0..1; thread P { var i: 0..1 = x; acquire(a[i]); acquire(a[1 - i]);
          release(a[i]); release(a[1 - i]); } thread Q { x = 1; }",
        // Who reads wants to write.
        "shared a: rwlock; thread P[2] { acquire_read(a); acquire_write(a); release_write(a); release_read(a); }",
        // The order differs by a branch, by a round, by a number.
        "shared a, b: mutex; thread P[2] { choose { acquire(a); acquire(b); } or { acquire(b); acquire(a); }
          release(a); release(b); }",
        "shared a: [0..1]mutex; thread P[2] { var i: 0..1; loop { acquire(a[i]); acquire(a[1 - i]);
          release(a[i]); release(a[1 - i]); i = 1 - i; } }",
        "shared a: [0..1]mutex; thread P[2] { var i: 0..1 = ord(self) - 1; acquire(a[i]); acquire(a[1 - i]);
          release(a[i]); release(a[1 - i]); }",
        // Somebody who would have to be there is not.
        "shared a: mutex; thread Main { var t: tid; acquire(a); t = start W(); join t; release(a); } thread W() { acquire(a); release(a); }",
    ];
    for text in programs {
        let outcome = by_locks(&program("stuck.tw", &format!("{text} nodeadlock;")));
        assert!(!matches!(outcome.verdict, Verdict::Safe(_)), "{text}: {:?}", outcome.verdict);
        assert!(!outcome.verdict.is_internal_error(), "{text}: {:?}", outcome.verdict);
    }
}

#[test]
fn proofs_are_written_and_read_and_false_ones_refused() {
    let (_, text) = tables(4, true).swap_remove(0);
    let (_, classic) = tables(4, false).swap_remove(0);
    let (right, broken) = (program("table.tw", &text), program("table.tw", &classic));
    let Some(Proof::Hierarchy(proof)) = by_locks(&right).proof else { panic!("another kind") };
    let mut file = Vec::new();
    write_proof(&mut file, &right, &Proof::Hierarchy(proof.clone()), &BTreeMap::new()).expect("it is written");
    let read = ProofFile::read(&file[..]).and_then(|file| file.into_proof(&right)).expect("it is read");
    check(&right, &read, &Budget::unlimited()).expect("it is still right");
    let refused = |program: &Arc<Program>, proof: HierarchyProof| {
        let judged = check(program, &Proof::Hierarchy(proof), &Budget::unlimited());
        assert!(matches!(judged, Err(CheckError::Refuted(_))), "{judged:?}");
    };
    refused(&broken, proof.clone());
    refused(&right, HierarchyProof { locks: Vec::new(), order: Vec::new(), ..proof.clone() });
    refused(&right, HierarchyProof { order: proof.order.iter().rev().cloned().collect(), ..proof.clone() });
    for left_out in 0..proof.order.len() {
        let mut order = proof.order.clone();
        order.remove(left_out);
        refused(&right, HierarchyProof { order, ..proof.clone() });
    }
    let all = (0..2).map(|local| (right.templates[0].body, threadwise_ir::LocalId(local))).collect();
    refused(&right, HierarchyProof { forgotten: all, ..proof });
}

/// Threads that take a few locks, one inside of the other, mostly in the order of their numbers.
fn nested(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let kind = ["mutex", "lock", "flag"][dice.roll(3)];
    let locks = 2 + dice.roll(2);
    let sort = if kind == "flag" { "bool" } else { kind };
    let as_array = dice.roll(2) == 0;
    let mut text = match as_array {
        true => format!("shared l: [0..{}]{sort};\nshared x: 0..1;\n", locks - 1),
        false => (0..locks).map(|i| format!("shared l{i}: {sort};\n")).collect::<String>() + "shared x: 0..1;\n",
    };
    let orders_invert = dice.roll(3) == 0;
    let name = |lock: String| if as_array { format!("l[{lock}]") } else { format!("l{lock}") };
    let take = |lock: &str, way: usize| match kind {
        "flag" if way == 0 => format!("atomic {{ await !{lock}; {lock} = true; }}\n"),
        "flag" => format!("atomic {{ await {lock} == false; {lock} = true; x = 1 - x; }}\n"),
        _ => format!("acquire({lock});\n"),
    };
    let give = |lock: &str| match kind {
        "flag" => format!("{lock} = false;\n"),
        _ => format!("release({lock});\n"),
    };
    let threads = 2 + dice.roll(2);
    for thread in 0..threads {
        let copies = ["", "[2]", "[*]"][if thread == 0 { dice.roll(3) } else { 0 }];
        let _ = writeln!(text, "thread T{thread}{copies} {{");
        // A local that names a lock; where there are any number of copies, it is the same for all.
        let by_local = as_array && dice.roll(3) == 0;
        let shift = dice.roll(locks);
        if by_local {
            let by = if copies == "[2]" && dice.roll(2) == 0 { "ord(self)" } else { "0" };
            let _ = writeln!(text, "  var v: 0..{} = ({shift} + {by}) % {locks};", locks - 1);
        }
        let rounds = dice.roll(3) > 0;
        if rounds {
            text.push_str("loop {\n");
        }
        let mut held: Vec<String> = Vec::new();
        for _ in 0..1 + dice.roll(4) {
            let mut of = dice.roll(locks);
            if !orders_invert && dice.roll(8) > 0 {
                of = of.max(held.len()).min(locks - 1);
            }
            let lock = if by_local && dice.roll(2) == 0 { name("v".to_string()) } else { name(of.to_string()) };
            match dice.roll(6) {
                0 if !held.is_empty() => text.push_str(&give(&held.remove(dice.roll(held.len())))),
                1 => text.push_str("if (x == 1) { skip; } else { x = 1; }\n"),
                2 if dice.roll(3) == 0 => {
                    text.push_str(&format!("if (x == 0) {{ {} {} }}\n", take(&lock, 0), give(&lock)))
                }
                _ if !held.contains(&lock) || dice.roll(12) == 0 => {
                    text.push_str(&take(&lock, dice.roll(2)));
                    held.push(lock);
                }
                _ => {}
            }
            if dice.roll(20) == 0 {
                text.push_str("await x == 1;\n");
            }
        }
        while !held.is_empty() {
            let last = if dice.roll(3) == 0 { dice.roll(held.len()) } else { held.len() - 1 };
            let lock = held.remove(last);
            if dice.roll(40) > 0 {
                text.push_str(&give(&lock));
            }
        }
        if rounds {
            text.push_str(if dice.roll(6) == 0 { "end: skip;\n}\n" } else { "}\n" });
        }
        text.push_str("}\n");
    }
    if dice.roll(4) == 0 {
        text.push_str("invariant x <= 1;\n");
    }
    text + "nodeadlock;\n"
}

#[test]
fn nothing_is_safe_that_gets_stuck() {
    let (mut proved, mut refuted, mut stuck, mut right) = (0, 0, 0, 0);
    let given = std::env::var("HIERARCHY_SEEDS").ok();
    let given = given.as_deref().and_then(|text| text.split_once("..")).map(|(a, b)| (a.parse(), b.parse()));
    let seeds: std::ops::Range<u64> = match given {
        Some((Ok(first), Ok(end))) => first..end,
        _ => 0..1_200,
    };
    let all = seeds.end - seeds.start;
    for seed in seeds {
        let text = nested(seed);
        let asked = try_program("nested.tw", &text).unwrap_or_else(|error| panic!("{text}\n{error}"));
        let outcome = by_locks(&asked);
        assert!(!outcome.verdict.is_internal_error(), "seed {seed}: {:?}\n{text}", outcome.verdict);
        let module = parse(&SourceFile::new("nested", &text)).module;
        let found = match text.contains("[*]") {
            true => (1..=2).map(|copies| explore_copies(&module, copies, 3_000)).collect(),
            false => vec![explore(&module, &[], 3_000)],
        };
        let is_wrong = found.iter().any(|found| matches!(found.verdict, OracleVerdict::Unsafe { .. }));
        let is_proved = matches!(outcome.verdict, Verdict::Safe(_));
        refuted += u64::from(matches!(outcome.verdict, Verdict::Unsafe(_)));
        assert!(!(is_proved && is_wrong), "seed {seed} is not safe: {found:?}\n{text}");
        proved += u64::from(is_proved);
        stuck += u64::from(is_wrong);
        right += u64::from(found.iter().all(|found| found.complete && found.verdict == OracleVerdict::Safe));
    }
    println!("{proved} proved of {right} that are right; {refuted} refuted of {stuck} that get stuck");
    assert!(proved * 10 > all && stuck * 4 > all, "{proved} proved, {right} right, {stuck} stuck of {all}");
}

/// With any part of what is to be known of a state, what is left of an expression has the value of the whole there, fails where it
/// does, and where it surely cannot fail, it does not.
#[test]
fn what_is_left_of_an_expression_means_the_same() {
    let mut dice = Dice::new(7);
    let mut compared = 0;
    for folder in ["tests/corpus/deadlock", "tests/corpus/data", "tests/corpus/corners", "examples/features"] {
        for example in examples_in(folder).into_iter().filter(|example| !example.is_transition_system()) {
            let program = example.program();
            let instance = Instance::new(program.clone(), 2);
            compared += compared_along_a_walk(&instance, &mut dice);
        }
    }
    assert!(compared > 20_000, "{compared}");
}

fn compared_along_a_walk(instance: &Instance, dice: &mut Dice) -> usize {
    let (program, mut compared) = (&instance.program, 0);
    let Some(mut shared) = instance.initial_stores().stores.first().cloned() else { return 0 };
    let starts = (0..instance.threads.len() as u32).map(|t| instance.starts(ThreadId(t), &shared).successors);
    let Some(mut locals) = starts.map(|all| all.first().map(|s| s.local.clone())).collect::<Option<Vec<_>>>() else {
        return 0;
    };
    for _ in 0..120 {
        if locals.is_empty() {
            break;
        }
        let thread = ThreadId(dice.roll(locals.len()) as u32);
        let local = &locals[thread.index()];
        let (routine, start) = instance.top_frame(local);
        for &edge in &program.location(instance.location_of(local)).edges {
            let mut all = Vec::new();
            program.edge(edge).op.walk_expressions(&mut |e| all.push(e.clone()));
            let is_primed = |e: &Expr| e.is_primed() || e.any(&|e| matches!(e.kind, ExprKind::Bound(_)));
            // Parts of quantified formulas are not for themselves.
            for e in
                all.iter().filter(|e| !is_primed(e) || matches!(e.kind, ExprKind::Quantified(..)) && !e.is_primed())
            {
                let salt = dice.roll(1 << 16);
                let env = || Env::of_thread(instance, routine, i64::from(thread.0) + 1, &shared, &local[start..]);
                let known = |name: &Expr| {
                    let text = format!("{:?}", name.kind);
                    let luck = text.bytes().fold(salt, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into())) % 2;
                    let is_scalar = !matches!(&*name.sort, Sort::Set(_) | Sort::Array(..));
                    let is_name = !name.any(&|e| matches!(e.kind, ExprKind::Bound(_)));
                    if luck == 0 && is_scalar && is_name { env().scalar(name).ok() } else { None }
                };
                let value = env().words(e);
                match instance.residual(e, &known) {
                    Ok(rest) => {
                        assert_eq!(env().words(&rest).ok(), value.clone().ok(), "{e:?} becomes {rest:?}");
                        assert!(rest.can_fail() || !matches!(value, Err(NoValue::Fault(..))), "{rest:?} does not fail");
                    }
                    Err(_) => assert!(matches!(value, Err(NoValue::Fault(..))), "{e:?} has a value"),
                }
                compared += 1;
            }
        }
        let next = instance.steps(thread, &shared, local).successors;
        if !next.is_empty() {
            let next = next[dice.roll(next.len())].clone();
            shared = next.shared;
            locals[thread.index()] = next.local;
        }
    }
    compared
}
