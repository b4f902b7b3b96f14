//! Good proofs are accepted; proofs with anything missing or wrong are not.

use std::time::Duration;
use threadwise_check::{CheckError, check};
use threadwise_evidence::{Proof, ReachableSet};
use threadwise_ir::{Instance, TemplateId};
use threadwise_limits::{Budget, Limit};
use threadwise_testing::{KITCHEN_SINK, LOST_UPDATE, MUTEX, explore, program, reachable_set, representatives, set_of};

const W: TemplateId = TemplateId(0);

/// The number of states of an accepted proof, or why it is refused.
fn judged(text: &str, set: &ReachableSet) -> Result<u64, String> {
    let proof = Proof::Reachable(set.clone());
    match check(&program(text), &proof, &Budget::unlimited()) {
        Ok(checked) => Ok(checked.states()),
        Err(CheckError::Refuted(reason)) => Err(reason),
        Err(other) => panic!("{other}"),
    }
}

fn refused(text: &str, set: &ReachableSet) -> String {
    judged(text, set).expect_err("the proof is wrong")
}

fn instance(text: &str) -> Instance {
    Instance::new(program(text), 0)
}

#[test]
fn all_reachable_states_are_a_proof() {
    let instance = instance(MUTEX);
    let explored = explore(&instance);
    assert!(explored.trace.is_none());
    let set = set_of(&instance, &explored.states, &[]);
    assert_eq!(judged(MUTEX, &set), Ok(explored.states.len() as u64));
}

#[test]
fn representatives_are_a_proof_under_symmetry() {
    let instance = instance(MUTEX);
    let states = explore(&instance).states;
    let few = representatives(&instance, &states, W);
    assert!(few.len() * 2 < states.len());
    assert_eq!(judged(MUTEX, &set_of(&instance, &few, &[W])), Ok(few.len() as u64));
    // All states mean the same set.
    assert_eq!(judged(MUTEX, &set_of(&instance, &states, &[W])), Ok(few.len() as u64));
    // Without the claim of symmetry they are not closed.
    refused(MUTEX, &set_of(&instance, &few, &[]));
}

#[test]
fn symmetry_with_sets_arrays_and_free_starts() {
    let text = "
        shared inside: set<tid>;
        shared flag: [tid]bool;
        shared last: tid = *;
        thread P { await last != none; skip; }
        thread W[3] { var mine: bool = *; flag[self] = mine; inside = inside union {self}; last = self;
                      inside = inside minus {self}; }
        invariant size(inside) <= 3;
    ";
    let instance = instance(text);
    let states = explore(&instance).states;
    let few = representatives(&instance, &states, TemplateId(1));
    assert_eq!(judged(text, &set_of(&instance, &few, &[TemplateId(1)])), Ok(few.len() as u64));
    for gone in (0..few.len()).step_by(11) {
        let mut fewer = few.clone();
        fewer.remove(gone);
        refused(text, &set_of(&instance, &fewer, &[TemplateId(1)]));
    }
}

/// Whether `exists` meets the literal that is no set of 0..2 depends on which copy it looks at first. A proof that
/// has the state for one order and not for the other says nothing.
#[test]
fn range_errors_below_quantifiers_break_the_symmetry() {
    let harmless = "shared s: set<0..2> = {0}; shared taken: bool;
        thread W[2] { var x: 0..5; atomic { await !taken; taken = true; x = 5; } } invariant true;";
    let harmful = harmless.replace("invariant true", "invariant exists i: W :: {i.x} subset s");
    let instance = instance(harmless);
    let few = set_of(&instance, &representatives(&instance, &explore(&instance).states, W), &[W]);
    assert!(judged(harmless, &few).is_ok());
    let reason = refused(&harmful, &few);
    assert!(reason.contains("copies of threads are not interchangeable"), "{reason}");
    // A literal of what is surely in range does no harm.
    let fine = harmless.replace("invariant true", "invariant exists i: W :: {0} subset s || i.x > 5");
    assert!(judged(&fine, &few).is_ok());
}

#[test]
fn every_removed_state_is_noticed() {
    let instance = instance(MUTEX);
    let states = explore(&instance).states;
    for gone in 0..states.len() {
        let mut fewer = states.clone();
        fewer.remove(gone);
        refused(MUTEX, &set_of(&instance, &fewer, &[]));
    }
}

#[test]
fn a_missing_initial_state_is_shown() {
    let text = "shared x: 0..1 = *; thread P { x = 1; }";
    let instance = instance(text);
    let states: Vec<_> = explore(&instance).states.into_iter().filter(|s| s.shared[0] == 1).collect();
    let reason = refused(text, &set_of(&instance, &states, &[]));
    assert_eq!(reason, "the initial state\n  x = 0; P at 1:32\nis not in the set");
}

#[test]
fn a_missing_successor_is_shown_with_its_step() {
    let text = "shared x: 0..2; thread P { x = 1; x = 2; }";
    let instance = instance(text);
    let mut states = explore(&instance).states;
    states.pop();
    let reason = refused(text, &set_of(&instance, &states, &[]));
    let expected = "the set is not closed: from the state\n  x = 1; P at 1:35\nP, by `x = 2;` at test.tw:1:35, reaches\n  \
                    x = 2; P at its end\nwhich is not in it";
    assert_eq!(reason, expected);
}

#[test]
fn a_set_that_contains_an_error_is_refused() {
    let reason = refused(LOST_UPDATE, &reachable_set(&instance(LOST_UPDATE)));
    assert!(reason.contains("Check goes wrong at test.tw:4:34: `assert x == 2;`"), "{reason}");
    for (text, part) in [
        ("shared x: 0..1; thread P { x = 1; } never x == 1;", "violates `never x == 1;`"),
        ("shared x: 0..1; thread P { x = 1; } invariant small: x < 1;", "violates `invariant small: x < 1;`"),
        ("shared x: 0..1; thread P { x = 1; } invariant 1 / (1 - x) == 1;", "violates"),
        ("shared x: 0..1; thread W[2] { x = 1; } norace x;", "violates `norace x;`"),
        ("shared x: 0..1; thread P { x = x + 1; x = x + 1; }", "P goes wrong"),
    ] {
        let reason = refused(text, &reachable_set(&instance(text)));
        assert!(reason.contains(part), "{text}: {reason}");
    }
}

#[test]
fn gaps_in_the_semantics_are_refused() {
    for text in [
        "shared x: int; thread P { x = *; }",
        "shared x: int = *; thread P { skip; }",
        "shared x: int = 9223372036854775807; thread P { skip; } invariant x + 1 > x;",
    ] {
        let reason = refused(text, &reachable_set(&instance(text)));
        assert!(reason.contains("cannot be judged"), "{text}: {reason}");
    }
}

#[test]
fn a_wrong_claim_of_symmetry_is_refused() {
    let ord = "shared x: 0..2; thread W[2] { x = ord(self); }";
    let mut set = reachable_set(&instance(ord));
    assert!(judged(ord, &set).is_ok());
    set.symmetric = vec![W];
    assert!(refused(ord, &set).contains("not interchangeable"));

    let single = "shared x: 0..2; thread W { x = 1; }";
    let mut set = reachable_set(&instance(single));
    set.symmetric = vec![W];
    assert!(refused(single, &set).contains("copies of `W`"));

    let mut set = reachable_set(&instance(MUTEX));
    set.symmetric = vec![W, W];
    refused(MUTEX, &set);
    set.symmetric = vec![TemplateId(9)];
    refused(MUTEX, &set);
}

#[test]
fn any_number_of_copies_is_not_covered() {
    let text = "shared x: 0..1; thread W[*] { x = 1; }";
    let reason = refused(text, &reachable_set(&instance(text)));
    assert!(reason.contains("only a fixed number of copies"), "{reason}");
}

#[test]
fn indices_and_stores_that_do_not_fit_are_refused() {
    let good = reachable_set(&instance(MUTEX));
    let broken = |change: &dyn Fn(&mut ReachableSet)| {
        let mut set = good.clone();
        change(&mut set);
        let reason = refused(MUTEX, &set);
        assert!(reason.contains("does not fit the program"), "{reason}");
    };
    broken(&|set| set.states[0] = 1_000_000);
    broken(&|set| set.states[1] = 1_000_000);
    broken(&|set| set.states.truncate(set.states.len() - 1));
    broken(&|set| set.shared[0] = [].into());
    broken(&|set| set.shared[0][0] = 17);
    broken(&|set| set.shared[0][1] = -1);
    broken(&|set| set.locals[0][0] = [].into());
    broken(&|set| set.locals[0][0] = [i64::MIN].into());
    broken(&|set| set.locals[0][0] = [i64::MAX].into());
    broken(&|set| set.locals[0][0] = [1 << 32].into());
    broken(&|set| set.locals.clear());
}

#[test]
fn an_empty_set_proves_a_program_without_initial_states() {
    let text = "shared x: 0..1; init x == 1; thread P { assert false; }";
    assert_eq!(judged(text, &reachable_set(&instance(text))), Ok(0));
    refused(MUTEX, &set_of(&instance(MUTEX), &[], &[]));
}

#[test]
fn the_budget_is_obeyed() {
    let text = "shared x: 0..5000; thread P { loop { if (x < 5000) { x = x + 1; } } }";
    let proof = Proof::Reachable(reachable_set(&instance(text)));
    let budget = Budget::new(Some(Duration::ZERO), None);
    match check(&program(text), &proof, &budget) {
        Err(CheckError::Limit(Limit::Time(_))) => {}
        other => panic!("{other:?}"),
    }
}

/// A generator of numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % bound
    }

    fn word(&mut self) -> i64 {
        [-4, -3, -2, -1, 0, 1, 2, 3, 5, 8, 13, 21, i64::MAX, i64::MIN][self.below(14)]
    }
}

#[test]
fn no_set_proves_an_unsafe_program() {
    let unsafe_program = program(KITCHEN_SINK);
    let good = reachable_set(&Instance::new(unsafe_program.clone(), 0));
    let mut numbers = Numbers(1);
    for _ in 0..300 {
        let mut set = good.clone();
        for _ in 0..=numbers.below(3) {
            change(&mut set, &mut numbers);
        }
        let judged = check(&unsafe_program, &Proof::Reachable(set), &Budget::unlimited());
        assert!(matches!(judged, Err(CheckError::Refuted(_))), "{judged:?}");
    }
}

fn change(set: &mut ReachableSet, numbers: &mut Numbers) {
    let stores = match numbers.below(4) {
        0 => {
            let at = numbers.below(set.states.len());
            return set.states[at] = numbers.below(30) as u32;
        }
        1 => return set.states.truncate(4 * numbers.below(set.states.len() / 4)),
        2 => &mut set.shared,
        _ => &mut set.locals[numbers.below(2)],
    };
    let at = numbers.below(stores.len());
    let word = numbers.below(stores[at].len());
    stores[at][word] = numbers.word();
}
