//! Small programs whose answers are known, and proofs that are none.

use crate::backward::Backward;
use crate::forward::Forward;
use crate::frame::Frame;
use crate::{analyse, applicable, begin, proof};
use std::collections::BTreeSet;
use std::sync::Arc;
use threadwise_check::check;
use threadwise_claims::Claim;
use threadwise_evidence::{Bounded, CoverabilityProof, Proof};
use threadwise_ir::{Instance, Program};
use threadwise_limits::Budget;
use threadwise_replay::replay;
use threadwise_testing::program;

/// A lock that does not say who holds it.
const LOCK: &str = "shared locked: bool; shared x: 0..1 = 1;
thread W[*] { loop { atomic { await !locked; locked = true; } x = 0; x = 1; c: assert x > 0; locked = false; } }
never exists i: W, j: W :: i != j && i@c && j@c;";

/// The same, taken in two steps.
const BROKEN_LOCK: &str = "shared locked: bool; shared x: 0..1 = 1;
thread W[*] { loop { await !locked; locked = true; x = 0; x = 1; c: assert x > 0; locked = false; } }";

/// A mutex, which says who holds it, a thread beside the crowd, and what must not happen to them.
const MUTEX: &str = "shared x: 0..1 = 1; shared m: mutex; shared last: tid;
thread P { acquire(m); x = 0; x = 1; release(m); }
thread W[*] { acquire(m); last = self; x = 0; x = x + 1; c: assert x > 0 && last == self; release(m); }
never exists i: W, j: W :: i != j && i@c && j@c;
norace x; nodeadlock;";

/// Each of four turns is taken by another one, so that the error takes four.
const FOUR: &str = "shared turn: 0..4;
thread W[*] { choose { await turn == 0; turn = 1; } or { await turn == 1; turn = 2; } or { await turn == 2; turn = 3; }
  or { await turn == 3; turn = 4; } }
never turn == 4;";

fn judged(program: &Arc<Program>, proof: &CoverabilityProof) -> Result<u64, String> {
    let judged = check(program, &Proof::Coverability(proof.clone()), &Budget::unlimited());
    judged.map(|checked| checked.states()).map_err(|error| error.to_string())
}

fn proved(text: &str) -> (Arc<Program>, CoverabilityProof) {
    let program = program(text);
    match analyse(&program, &Budget::unlimited()).0 {
        Claim::Proved(Proof::Coverability(proof)) => (program, proof),
        other => panic!("{other:?}"),
    }
}

/// With how many copies the program goes wrong.
fn wrong_with(text: &str) -> u32 {
    let program = program(text);
    let Claim::Refuted(trace) = analyse(&program, &Budget::unlimited()).0 else { panic!("{text} is wrong") };
    let instance = Instance::new(program.clone(), trace.any_copies.clone());
    replay(&instance, &trace).expect("it is an execution");
    trace.any_copies.same().expect("as many of each")
}

#[test]
fn what_is_right_is_proved() {
    let counted = "shared s: 0..2 = 2;
        thread W[*] { loop { atomic { await s > 0; s = s - 1; } c: skip; s = s + 1; } }
        invariant count(i: W :: i@c) <= 2;";
    let two_crowds = "shared slot: 0..2;
        thread P[*] { loop { atomic { await slot == 0; slot = 1; } slot = 2; } }
        thread C[*] { loop { atomic { await slot == 2; slot = 1; } t: skip; slot = 0; } }
        never exists c: C, d: C :: c != d && c@t && d@t;";
    let procedures = "shared l: lock; proc enter() { acquire(l); } thread W[*] { enter(); c: skip; release(l); }
        never exists i: W, j: W :: i != j && i@c && j@c;";
    for text in [LOCK, MUTEX, counted, two_crowds, procedures] {
        let (program, proof) = proved(text);
        let states = judged(&program, &proof).unwrap_or_else(|reason| panic!("{text}\n{reason}"));
        assert_eq!(states, proof.states());
    }
}

#[test]
fn what_is_wrong_is_found_with_as_many_copies_as_it_takes() {
    assert_eq!(wrong_with(BROKEN_LOCK), 2);
    // Turns are taken by one thread each, because a thread takes but one.
    assert_eq!(wrong_with(FOUR), 4);
    assert_eq!(wrong_with("shared x: 0..1; thread W[*] { x = x + 1; x = x + 1; }"), 1);
    assert_eq!(wrong_with("shared x: 0..1 = 1; thread W[*] { x = 0; } invariant x == 0;"), 0);
    assert_eq!(wrong_with("shared x: 0..1; thread W[*] { x = 1; } norace x;"), 2);
    assert_eq!(wrong_with("shared m: mutex; thread W[*] { acquire(m); } nodeadlock;"), 2);
    let counted = "shared s: 0..3 = 3; thread W[*] { atomic { await s > 0; s = s - 1; } c: skip; s = s + 1; }
        invariant count(i: W :: i@c) < 3;";
    assert_eq!(wrong_with(counted), 3);
}

#[test]
fn what_is_outside_of_the_theory_is_refused_with_a_reason() {
    let reasons = [
        ("shared x: bool; thread P { x = true; }", "`[*]`"),
        ("shared s: set<tid>; thread W[*] { s = s union {self}; }", "place for every thread"),
        (
            "shared x: bool; shared t: tid; thread W[*] { await forall i: W :: t != i; x = true; }",
            "all threads at once",
        ),
        ("shared x: bool; thread W[*] { a: x = true; b: } invariant exists i: W :: i@a;", "with more copies"),
        ("proc p() { if (*) { p(); } } thread W[*] { p(); }", "recursive"),
        ("shared x: bool; thread W[*] { a: x = true; } never (count(i: W :: i@a)) == 1;", "with more copies"),
    ];
    for (text, reason) in reasons {
        let refused = applicable(&program(text)).expect_err(text);
        assert!(refused.contains(reason), "{text}: {refused}");
    }
    let from_nothing = program("shared t: tid; thread W[*] { t = *; }");
    let (claim, _) = analyse(&from_nothing, &Budget::unlimited());
    assert!(matches!(claim, Claim::Unknown(unknown) if unknown.reason.contains("any thread")));
    let unbounded = program("shared x: int; thread W[*] { loop { x = x + 1; } }");
    let (claim, _) = analyse(&unbounded, &Budget::unlimited());
    assert!(matches!(claim, Claim::Unknown(unknown) if unknown.reason.contains("too many")));
}

#[test]
fn a_judge_misses_whatever_is_left_out() {
    for text in [LOCK, MUTEX] {
        let (program, proof) = proved(text);
        assert_eq!(proof.bounded.is_empty(), text == MUTEX);
        for core in 0..proof.cores.len() {
            let mut fewer = proof.clone();
            fewer.cores.remove(core);
            judged(&program, &fewer).expect_err("a core is missing");
            for member in 0..proof.cores[core].crowd.len() {
                let mut fewer = proof.clone();
                fewer.cores[core].crowd.remove(member);
                let index = member as u32;
                fewer.cores[core].excluded.retain(|excluded| !excluded.contains(&index));
                fewer.cores[core].excluded.iter_mut().flatten().for_each(|other| *other -= u32::from(*other > index));
                judged(&program, &fewer).expect_err("who may be in the crowd is missing");
            }
            for excluded in 0..proof.cores[core].excluded.len() {
                let mut less = proof.clone();
                less.cores[core].excluded.remove(excluded);
                judged(&program, &less).expect_err("less is excluded");
            }
            let mut nothing = proof.clone();
            nothing.cores[core].excluded = vec![Vec::new()];
            judged(&program, &nothing)
                .expect_err("a core is excluded with which the program may start, or after a step");
        }
        for (index, bounded) in proof.bounded.iter().enumerate() {
            let mut without = proof.clone();
            without.bounded.remove(index);
            judged(&program, &without).expect_err("a bound is missing");
            for member in 0..bounded.members.len() {
                let mut fewer = proof.clone();
                fewer.bounded[index].members.remove(member);
                judged(&program, &fewer).expect_err("one of those that are few is missing");
            }
            for core in (0..proof.cores.len()).filter(|&core| bounded.most[core].is_some_and(|most| most > 0)) {
                let mut fewer = proof.clone();
                fewer.bounded[index].most[core] = Some(0);
                judged(&program, &fewer).expect_err("there is one");
                let mut any = proof.clone();
                any.bounded[index].most[core] = None;
                judged(&program, &any).expect_err("there may be any number");
            }
        }
        let mut nobody = proof.clone();
        nobody.copies.iter_mut().for_each(|copies| *copies -= 1);
        judged(&program, &nobody).expect_err("there are too few names");
        let mut twice = proof.clone();
        twice.cores.push(proof.cores[0].clone());
        judged(&program, &twice).expect_err("a core is listed twice");
    }
}

/// Of programs that are wrong the states that may be are listed, and whatever is excluded besides, no judge believes it.
#[test]
fn no_judge_believes_that_a_wrong_program_is_right() {
    let mut seed = 16u64;
    let mut dice = |sides: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % sides.max(1)
    };
    for text in [BROKEN_LOCK, FOUR] {
        let program = program(text);
        let frame = Frame::new(&program).expect("few identities");
        let mut forward = Forward::new(&frame, usize::MAX);
        assert!(begin(&program, &mut forward).is_ok());
        forward.run(&Budget::unlimited()).expect("it comes to an end");
        let nothing_found = Backward::new(&forward, None);
        let all = proof::proof(&mut forward, &nothing_found, &Budget::unlimited()).expect("no limits");
        judged(&program, &all).expect_err("nothing is excluded");
        for _ in 0..300 {
            let mut proof = all.clone();
            for _ in 0..1 + dice(8) {
                let cores = proof.cores.len();
                let core = &mut proof.cores[dice(cores)];
                let mut excluded: Vec<u32> = (0..1 + dice(2)).map(|_| dice(core.crowd.len()) as u32).collect();
                excluded.sort_unstable();
                core.excluded.push(excluded);
            }
            if dice(2) == 0 {
                let all: BTreeSet<_> = proof.cores.iter().flat_map(|core| core.crowd.clone()).collect();
                let members = all.into_iter().filter(|_| dice(3) > 0).collect();
                let most = proof.cores.iter().map(|_| Some(dice(3) as u32).filter(|&most| most < 2 || dice(2) == 0));
                let most = most.collect();
                proof.bounded.push(Bounded { members, most });
            }
            judged(&program, &proof).expect_err("the program is wrong");
        }
    }
}
