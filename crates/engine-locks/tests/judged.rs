//! What the engine proves, the judge accepts; what is changed in a proof, or in the program, he does not.

use std::sync::Arc;
use threadwise_check::check;
use threadwise_claims::Claim;
use threadwise_engine_locks::{analyse, applicable, is_candidate};
use threadwise_evidence::{Element, Fact, Lock, Proof, ProtectionProof};
use threadwise_ir::{Program, SharedId, TemplateId, VarRef};
use threadwise_limits::Budget;
use threadwise_testing::program;

/// Everything that proofs speak of, and each fact of it needed.
const ALL: &str = "
    shared x, y, z, d, q, e: int;
    shared m, n: mutex;
    shared l: rwlock;
    shared b: lock;
    shared ready: bool;
    proc both() { x = 1; y = 1; }
    thread Main {
      var t, u: tid;
      e = 1;
      t = start W();
      u = start W();
      join t;
      join u;
      e = 2;
    }
    thread W[2]() {
      var r: int;
      r = e;
      acquire(m); both(); release(m);
      acquire_read(l); r = z; release_read(l);
      acquire_write(l); z = 1; release_write(l);
      acquire(b); q = 1; release(b);
    }
    thread Producer { d = 1; ready = true; }
    thread Consumer { await ready; d = 2; atomic { await n == none; n = self; } release(n); }
    norace x, y, z, d, q, e;
";

fn proved(program: &Arc<Program>) -> ProtectionProof {
    applicable(program).expect("it is about races");
    match analyse(program, &Budget::unlimited()).0 {
        Claim::Proved(Proof::Protection(proof)) => proof,
        other => panic!("{other:?}"),
    }
}

fn unknown(text: &str) -> String {
    match analyse(&program(text), &Budget::unlimited()).0 {
        Claim::Unknown(unknown) => unknown.reason,
        other => panic!("{text}\n{other:?}"),
    }
}

fn accepted(program: &Arc<Program>, proof: &ProtectionProof) -> Result<u64, String> {
    let judged = check(program, &Proof::Protection(proof.clone()), &Budget::unlimited());
    judged.map(|checked| checked.states()).map_err(|error| error.to_string())
}

/// The proof with another set of facts at one point.
fn with_set(proof: &ProtectionProof, place: (usize, usize, usize), mut facts: Vec<Fact>) -> ProtectionProof {
    let (thread, code, location) = place;
    let mut changed = proof.clone();
    facts.sort();
    changed.sets.push(facts);
    changed.threads[thread][code].at[location] = Some(changed.sets.len() as u32 - 1);
    changed
}

/// All points of a proof, with the facts there.
fn points(proof: &ProtectionProof) -> Vec<((usize, usize, usize), Vec<Fact>)> {
    let mut points = Vec::new();
    for (thread, codes) in proof.threads.iter().enumerate() {
        for (code, facts) in codes.iter().enumerate() {
            let reached = facts.at.iter().enumerate().filter_map(|(location, set)| Some((location, (*set)?)));
            points.extend(reached.map(|(at, set)| ((thread, code, at), proof.sets[set as usize].clone())));
        }
    }
    points
}

fn shared(program: &Program, name: &str) -> SharedId {
    SharedId(program.shared.iter().position(|var| &*var.name == name).expect("it is declared") as u32)
}

#[test]
fn a_right_proof_is_accepted() {
    let program = program(ALL);
    let proof = proved(&program);
    assert_eq!(accepted(&program, &proof), Ok(points(&proof).len() as u64));
    let names: Vec<&str> = proof.locks.iter().map(|lock| &*program.shared[lock.owner.index()].name).collect();
    assert_eq!(names, ["m", "n", "l.w", "b"]);
    assert_eq!(proof.locks[2].readers, Some(shared(&program, "l.r")));
}

/// The engine finds all that can be said, so whatever is added is not so, unless it is weaker than what is there.
#[test]
fn no_fact_can_be_added() {
    let program = program(ALL);
    let proof = proved(&program);
    let mut known: Vec<Fact> = proof.sets.iter().flatten().cloned().collect();
    let locks = proof.locks.iter().map(|lock| Element::shared(lock.owner));
    known.extend(locks.flat_map(|lock| [Fact::Holds(lock.clone()), Fact::Free(lock)]));
    known.push(Fact::Holds(Element::shared(shared(&program, "x"))));
    known.push(Fact::Reads(Element::shared(shared(&program, "l.r"))));
    known.sort();
    known.dedup();
    let mut tried = 0;
    for (place, facts) in points(&proof) {
        for fact in known.iter().filter(|fact| !is_weaker(fact, &facts)) {
            let changed = with_set(&proof, place, [&facts[..], std::slice::from_ref(fact)].concat());
            assert!(accepted(&program, &changed).is_err(), "{fact:?} at {place:?}");
            tried += 1;
        }
    }
    assert!(tried > 300, "{tried}");
}

fn is_weaker(fact: &Fact, facts: &[Fact]) -> bool {
    facts.iter().any(|known| match (known, fact) {
        (Fact::Running(a, few), Fact::Running(b, many)) => a == b && few.iter().all(|element| many.contains(element)),
        (Fact::Started(a, few), Fact::Started(b, many)) => a == b && few <= many,
        _ => known == fact,
    })
}

/// Locks have to be known to be held from where they are taken to where they are given back.
#[test]
fn no_lock_can_be_dropped_or_exchanged() {
    let program = program(ALL);
    let proof = proved(&program);
    let other = |lock: &Element| {
        let exchanged = if lock.var == VarRef::Shared(shared(&program, "m")) { "n" } else { "m" };
        Fact::Holds(Element::shared(shared(&program, exchanged)))
    };
    let mut tried = 0;
    for (place, facts) in points(&proof) {
        for (index, fact) in facts.iter().enumerate() {
            let without = [&facts[..index], &facts[index + 1..]].concat();
            let Fact::Holds(lock) = fact else { continue };
            assert!(accepted(&program, &with_set(&proof, place, without.clone())).is_err(), "{fact:?} at {place:?}");
            let exchanged = [&without[..], &[other(lock)]].concat();
            assert!(accepted(&program, &with_set(&proof, place, exchanged)).is_err(), "{fact:?} at {place:?}");
            tried += 1;
        }
    }
    assert!(tried >= 8, "{tried}");
}

/// A kind of facts.
type Kind = (&'static str, fn(&Fact) -> bool);

/// Each kind of fact is needed somewhere.
#[test]
fn no_kind_of_fact_can_be_left_out() {
    let program = program(ALL);
    let proof = proved(&program);
    let kinds: [Kind; 8] = [
        ("holds", |fact| matches!(fact, Fact::Holds(_))),
        ("reads", |fact| matches!(fact, Fact::Reads(_))),
        ("free", |fact| matches!(fact, Fact::Free(_))),
        ("runs", |fact| matches!(fact, Fact::Runs)),
        ("running", |fact| matches!(fact, Fact::Running(..))),
        ("started", |fact| matches!(fact, Fact::Started(..))),
        ("names", |fact| matches!(fact, Fact::Names(..))),
        ("touched", |fact| matches!(fact, Fact::Touched(_) | Fact::Untouched(_))),
    ];
    for (kind, is_of_kind) in kinds {
        let mut changed = proof.clone();
        changed.sets.iter_mut().for_each(|set| set.retain(|fact| !is_of_kind(fact)));
        assert!(changed != proof, "{kind} does not occur");
        assert!(accepted(&program, &changed).is_err(), "{kind}");
    }
}

#[test]
fn what_is_said_of_variables_and_code_is_needed() {
    let program = program(ALL);
    let proof = proved(&program);
    let refused = |change: &dyn Fn(&mut ProtectionProof)| {
        let mut changed = proof.clone();
        change(&mut changed);
        accepted(&program, &changed).expect_err("it is changed")
    };
    for index in 0..proof.locks.len() {
        refused(&|proof| {
            proof.locks.remove(index);
        });
    }
    refused(&|proof| proof.locks[2].readers = None);
    refused(&|proof| proof.locks.push(Lock { owner: shared(&program, "x"), readers: None }));
    refused(&|proof| proof.locks.push(Lock { owner: shared(&program, "l.r"), readers: None }));
    refused(&|proof| proof.locks[0].readers = Some(shared(&program, "l.r")));
    refused(&|proof| proof.status = None);
    refused(&|proof| proof.status = Some(shared(&program, "m")));
    refused(&|proof| {
        proof.threads.pop();
    });
    for thread in 0..proof.threads.len() {
        refused(&|proof| proof.threads[thread].clear());
    }
    for (place, _) in points(&proof) {
        refused(&|proof| proof.threads[place.0][place.1].at[place.2] = None);
    }
    let (thread, code) = (1, 0);
    assert!(!proof.threads[thread][code].calls.is_empty());
    refused(&|proof| proof.threads[thread][code].calls.clear());
    refused(&|proof| proof.threads[thread][1].returns = None);
    refused(&|proof| proof.threads[thread][1].returns = proof.threads[thread][1].at[0].map(|_| 1_000));
}

/// What is said of the beginning of a step is looked at, too.
#[test]
fn a_step_does_not_begin_with_what_it_takes_later() {
    let text = "shared m: mutex; shared x: int; thread W[2] { atomic { acquire(m); x = 1; } release(m); } norace x;";
    assert!(unknown(text).starts_with("`x` may race"), "{}", unknown(text));
    let right =
        "shared m: mutex; shared x, y: int; thread W[2] { acquire(m); atomic { y = 1; x = 1; } release(m); } norace x;";
    let program = program(right);
    let proof = proved(&program);
    let mut changed = proof.clone();
    changed.threads[0][0].since.fill(None);
    assert!(changed != proof && accepted(&program, &changed).is_err());
    let text =
        "shared m: mutex; shared x, y: int; thread W[2] { atomic { acquire(m); x = 1; } y = 1; release(m); } norace y;";
    let program = threadwise_testing::program(text);
    let proof = proved(&program);
    let held = proof.sets.iter().position(|set| set.iter().any(|fact| matches!(fact, Fact::Holds(_))));
    let code = &proof.threads[0][0];
    let inner: Vec<usize> = program
        .locations_of(code.routine)
        .filter(|(_, location)| location.transient)
        .map(|(id, _)| id.index())
        .collect();
    let first = program.routine(code.routine).locations.start as usize;
    for at in inner.iter().map(|at| at - first).filter(|&at| code.at[at].is_some()) {
        let mut changed = proof.clone();
        changed.threads[0][0].since[at] = held.map(|set| set as u32);
        assert!(accepted(&program, &changed).is_err(), "{at}");
    }
    assert!(!inner.is_empty());
}

/// Programs with the same graph, of which only the first is right.
#[test]
fn a_proof_is_for_its_program_only() {
    let pairs = [
        ("acquire(m); x = 1; release(m);", "acquire(n); x = 1; release(n);"),
        ("acquire(m); x = 1; release(m);", "x = 1; acquire(m); release(m);"),
        ("acquire(m); x = 1; release(m);", "acquire(m); release(m); x = 1;"),
        ("acquire(m); x = 1; release(m);", "await m == none; x = 1; skip;"),
        ("atomic { await !b; b = true; } x = 1; b = false;", "atomic { skip; b = true; } x = 1; b = false;"),
    ];
    for (right, wrong) in pairs {
        let whole = |body: &str| {
            let other = right;
            program(&format!(
                "shared x: int; shared m, n: mutex; shared b: lock; thread P {{ {body} }} thread Q {{ {other} }} norace x;"
            ))
        };
        let proof = proved(&whole(right));
        accepted(&whole(right), &proof).expect("it is right");
        assert!(accepted(&whole(wrong), &proof).is_err(), "{wrong}");
        unknown_program(&whole(wrong));
    }
}

fn unknown_program(program: &Arc<Program>) {
    let claim = analyse(program, &Budget::unlimited()).0;
    assert!(matches!(claim, Claim::Unknown(_)), "{claim:?}");
}

/// What is added by hand to the beginning of a thread is not so.
#[test]
fn threads_begin_with_nothing() {
    let program =
        program("shared m: mutex; shared x: int; thread P { x = 1; } thread Q { acquire(m); x = 2; } norace x;");
    let mut proof = ProtectionProof { locks: vec![Lock { owner: SharedId(0), readers: None }], ..Default::default() };
    let held = vec![Fact::Holds(Element::shared(SharedId(0)))];
    proof.sets = vec![held, Vec::new()];
    for (index, template) in program.templates.iter().enumerate() {
        let routine = program.routine(template.body);
        let at = vec![Some(0); routine.locations.len()];
        let since = vec![None; at.len()];
        let code =
            threadwise_evidence::CodeFacts { routine: template.body, at, since, calls: Vec::new(), returns: None };
        proof.threads.push(vec![code]);
        assert_eq!(TemplateId(index as u32).index(), index);
    }
    let reason = accepted(&program, &proof).expect_err("nobody has it at first");
    assert!(reason.contains("the beginning of `P`"), "{reason}");
}

#[test]
fn reasons_name_what_could_not_be_excluded() {
    let cases = [
        (
            "shared x: int; thread P[2] { x = 1; } norace x;",
            "`x` may race: `P` writes it at test.tw:1:30 without a lock",
        ),
        ("shared x: 0..3; thread P { x = x + 1; } norace x;", "a value or an index may be out of range"),
        (
            "shared x: int; shared m: mutex; thread P { release(m); } norace x;",
            "the thread holds the lock in `release(m);`",
        ),
        (
            "shared x: int; thread P { loop { start W(); } } thread W[2]() { skip; } norace x;",
            "that a copy is left in `start W();`",
        ),
        (
            "shared x: int; shared t: tid; thread P { join t; } thread W() { skip; } norace x;",
            "which thread is joined in `join t;`",
        ),
        ("shared x: int = 1 / 0; thread P { skip; } norace x;", "the initial value of `x` may be an error"),
    ];
    for (text, part) in cases {
        assert!(unknown(text).contains(part), "{text}\n{}", unknown(text));
    }
}

#[test]
fn it_is_for_programs_about_races_and_what_goes_wrong_whatever_the_values() {
    let refused = |text: &str| applicable(&program(text)).expect_err(text);
    proved(&program("shared x: int; thread P { x = 1; }"));
    assert!(!is_candidate(&program("shared x: int; thread P { x = 1; }")));
    assert!(unknown("shared x: 0..3; thread P { x = x + 1; }").contains("a value or an index may be out of range"));
    assert!(refused("shared x: int; thread P { x = 1; } norace x; invariant x == 0;").contains("other than `norace`"));
    assert!(refused("shared x: int; thread P { assert x == 0; } norace x;").contains("test.tw:1:27"));
    assert!(refused("shared x: int; init x == 0; thread P { x = 1; } norace x;").contains("`init`"));
}
