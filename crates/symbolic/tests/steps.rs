//! The translation of whole steps agrees with the semantics: with atomic blocks, branches, calls and results, from random
//! states every step of the semantics is a way, no way leads elsewhere, and one goes wrong where the semantics does.

mod support;

use std::sync::Arc;
use support::{Dice, answer, is_state, point_of, told};
use threadwise_ir::{Instance, SharedId, Steps, Successor, ThreadId};
use threadwise_limits::Budget;
use threadwise_logic::Term;
use threadwise_solver::{Answer, Session, Settings};
use threadwise_solver_setup::solver_for_tests;
use threadwise_source::SourceFile;
use threadwise_symbolic::{End, Population, ThreadState, Way, by_constants, starts, ways};

const PROGRAM: &str = "
    shared x: 0..3; shared i: int; shared b: bool; shared a: [0..2]0..3; shared w: [0..20]0..3; shared s: set<0..3>;
    proc twice(n: 0..3) returns (r: int) { var t: int = n; t = t + n; return t; }
    proc bump(k: 0..2) { atomic { if (a[k] < 3) { a[k] = a[k] + 1; } else { x = 0; i = i - 1; } } }
    thread P {
      var y: 0..2 = *; var k: int = y + 1;
      loop {
        choose { atomic { x = *; assume x != i; a[y] = x; } }
        or { atomic { if (b) { i = i + 1; } else { x = x - 1; w[x + 17] = 2; k = k - 1; } b = !b; } }
        or { atomic { y = twice(y); s = s union {x}; } } or { i = twice(x); } or { w[i] = twice(y); }
        or { bump(x); } or { atomic { bump(y); bump(k); } } or { k = 0; }
        or { atomic { i = 0; while (i < 3) { a[i] = i; i = i + 1; } } }
        or { atomic { assert i <= 4; choose { x = 1; } or { await b; x = 2; i = k; } or { skip; } } }
        or { { var q: 0..3 = x; skip; x = q; } } or { atomic { var q: 0..3; q = *; assume q in s; a[q] = 0; } }
      }
    }
    thread W[2] { skip; }
";

fn instance() -> Instance {
    let file = SourceFile::new("steps.tw", PROGRAM);
    let lowered = threadwise_front_tw::load(file, &threadwise_front_tw::Options::default());
    Instance::new(Arc::new(lowered.program.unwrap_or_else(|| panic!("{:?}", lowered.diagnostics))), 0)
}

#[test]
fn steps_mean_the_same() {
    let instance = instance();
    steps_mean_the_same_in(&instance, &Population::fixed(&instance));
}

#[test]
fn steps_mean_the_same_where_arrays_are_taken_apart() {
    let instance = instance();
    steps_mean_the_same_in(&instance, &Population::unrolled(&instance));
}

fn steps_mean_the_same_in(instance: &Instance, population: &Population) {
    let mut session =
        Session::start(&solver_for_tests(), Settings::default(), &Budget::unlimited()).expect("it starts");
    let (thread, me, dice) = (ThreadId(0), Term::int(1), &mut Dice(11));
    let mut shared = vec![0; instance.shared_words()];
    let begin = instance.starts(thread, &shared);
    let template = instance.threads[0].template;
    let first: Vec<_> = named(population);
    let ways_to_start = starts(population, &me, template, &first, &mut by_constants(population, "any"));
    session.push();
    session.declare_all(first.iter().flat_map(|value| &value.0));
    // Where a thread starts has nothing to do with the shared store, which stays.
    let same = |way: &Way| matches!(&way.end, End::Rest(state) if state.shared == first);
    let ways_to_start = ways_to_start.expect("supported");
    assert!(ways_to_start.iter().all(same));
    let locals = |state: &ThreadState| ThreadState { shared: Vec::new(), ..state.clone() };
    compare(&mut session, population, instance, &ways_to_start, &begin, &locals);
    session.pop();
    let mut local = begin.successors[0].local.to_vec();
    let (mut taken, mut wrong) = (0, 0);
    for round in 0..300 {
        // Every few steps the shared variables get other values, as if somebody had interfered.
        if round % 2 == 0 {
            for (index, var) in instance.program.shared.iter().enumerate() {
                dice.fill(instance, &var.sort, &mut shared[instance.shared_range(SharedId(index as u32))]);
            }
        }
        let steps = instance.steps(thread, &shared, &local);
        session.push();
        for state in told(&mut session, population, instance, &shared, &local) {
            let mut choose = by_constants(population, "any");
            let ways = ways(population, &me, state, &mut choose).expect("supported");
            session.push();
            compare(&mut session, population, instance, &ways, &steps, &ThreadState::clone);
            session.pop();
            taken += steps.successors.len();
            wrong += usize::from(!steps.failures.is_empty());
        }
        session.pop();
        if !steps.successors.is_empty() {
            let next = &steps.successors[dice.roll(steps.successors.len() as u64) as usize];
            (shared, local) = (next.shared.to_vec(), next.local.to_vec());
        }
    }
    assert!(taken > 400 && wrong > 50, "too little was compared: {taken} steps, {wrong} errors");
}

fn named(population: &Population) -> Vec<threadwise_symbolic::Value> {
    threadwise_symbolic::named_shared(population, "g").values
}

/// `part` says what of a state is compared.
fn compare(
    session: &mut Session,
    population: &Population,
    instance: &Instance,
    ways: &[Way],
    steps: &Steps,
    part: &dyn Fn(&ThreadState) -> ThreadState,
) {
    session.declare_all(ways.iter().flat_map(Way::chosen).collect::<std::collections::BTreeSet<Term>>().iter());
    assert!(steps.gap.is_none());
    let wrong = Term::any(ways.iter().filter(|way| matches!(way.end, End::Error)).map(|way| &way.when));
    let expected = if steps.failures.is_empty() { Answer::Unsat } else { Answer::Sat };
    assert_eq!(answer(session, &wrong), expected, "whether a step goes wrong: {:?}", steps.failures);
    let is = |state: &ThreadState, successor: &Successor| match state.point == point_of(instance, &successor.local) {
        true => is_state(population, instance, &part(state), &successor.shared, &successor.local),
        false => Term::bool(false),
    };
    let rests: Vec<(&Term, &ThreadState)> = ways
        .iter()
        .filter_map(|way| match &way.end {
            End::Rest(state) => Some((&way.when, state)),
            End::Error => None,
        })
        .collect();
    for successor in &steps.successors {
        let there = Term::any(rests.iter().map(|(when, state)| when.and(is(state, successor))));
        assert_eq!(answer(session, &there), Answer::Sat, "a step is missed: {successor:?}");
    }
    for (when, state) in rests {
        let elsewhere = Term::any(steps.successors.iter().map(|successor| is(state, successor))).not();
        assert_eq!(answer(session, &when.and(elsewhere)), Answer::Unsat, "there is no such step: {state:?}");
    }
}
