//! Steps whose footprints are apart can be taken in either order: from every state of some programs, what one thread and then
//! another does is also done the other way round, along the same edges and with the same outcome, as the interpreter says.

mod support;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use support::point_of;
use threadwise_ir::{Instance, Point, State, Successor, ThreadId};
use threadwise_logic::Term;
use threadwise_source::SourceFile;
use threadwise_symbolic::{Footprint, Population, World, by_constants, ways};

/// More states are not visited.
const MAX_STATES: usize = 3000;

const PROGRAM: &str = "
    shared x, y, z: 0..2; shared b: bool; shared a: [0..2]0..2; shared m: mutex; shared s: set<0..2>;
    thread P {
      var k: 0..2 = *;
      loop {
        choose { x = *; } or { k = y; } or { atomic { if (b) { z = k; } else { k = x; } } } or { a[k] = 1; }
        or { acquire(m); x = (x + 1) % 3; release(m); } or { s = s union {k}; } or { await y == 1; } or { assert z != 2; }
      }
    }
    thread Q {
      var k: 0..2 = 0;
      loop {
        choose { y = (y + 1) % 3; } or { k = z; } or { atomic { assume x == 2; b = !b; } } or { k = a[k]; }
        or { acquire(m); z = x; release(m); } or { await k in s; } or { k = *; } or { assert y + k != 4; }
      }
    }
";

fn instance(text: &str) -> Instance {
    let file = SourceFile::new("apart.tw", text);
    let lowered = threadwise_front_tw::load(file, &threadwise_front_tw::Options::default());
    Instance::new(Arc::new(lowered.program.unwrap_or_else(|| panic!("{:?}", lowered.diagnostics))), 0)
}

fn footprint(population: &Population, thread: usize, point: &Point) -> Footprint {
    let (world, _, _) = World::named(population, std::slice::from_ref(point));
    let me = Term::int(thread as i64 + 1);
    let mut choose = by_constants(population, "c".to_string());
    Footprint::of(&world, &ways(population, &me, world.thread(0), &mut choose).expect("they have formulas"))
}

fn after(state: &State, thread: usize, step: &Successor) -> State {
    let mut after = State { shared: step.shared.clone(), locals: state.locals.clone() };
    after.locals[thread] = step.local.clone();
    after
}

fn steps(instance: &Instance, state: &State, thread: usize) -> threadwise_ir::Steps {
    state.steps(instance, ThreadId(thread as u32))
}

/// The states that can be reached, up to a number.
fn states(instance: &Instance) -> Vec<State> {
    let stores = instance.initial_stores().stores;
    let start = |shared: &[i64], thread: u32| instance.starts(ThreadId(thread), shared).successors[0].local.clone();
    let first = stores.iter().map(|shared| {
        let locals = (0..instance.threads.len() as u32).map(|thread| start(shared, thread)).collect();
        State { shared: shared.clone(), locals }
    });
    let mut found: Vec<State> = first.collect();
    let mut known: BTreeSet<State> = found.iter().cloned().collect();
    let mut next = 0;
    while next < found.len() && found.len() < MAX_STATES {
        let state = found[next].clone();
        next += 1;
        for thread in 0..instance.threads.len() {
            let new = steps(instance, &state, thread).successors.into_iter().map(|step| after(&state, thread, &step));
            found.extend(new.filter(|state| known.insert(state.clone())));
        }
    }
    found
}

#[test]
fn steps_that_are_apart_can_be_exchanged() {
    let instance = instance(PROGRAM);
    let population = Population::fixed(&instance);
    let mut footprints: HashMap<(usize, Point), Footprint> = HashMap::new();
    let (mut exchanged, mut not_apart) = (0, 0);
    for state in states(&instance) {
        for (one, two) in [(0, 1), (1, 0)] {
            let mut print = |thread: usize| {
                let point = point_of(&instance, &state.locals[thread]);
                let new = || footprint(&population, thread, &point);
                footprints.entry((thread, point.clone())).or_insert_with(new).clone()
            };
            if !print(one).is_apart_from(&print(two)) {
                not_apart += 1;
                continue;
            }
            for before in steps(&instance, &state, one).successors {
                let between = after(&state, one, &before);
                let late = steps(&instance, &between, two);
                let at_once = steps(&instance, &state, two);
                assert_eq!(late.failures.is_empty(), at_once.failures.is_empty(), "{state:?}");
                for last in late.successors {
                    let end = after(&between, two, &last);
                    let is_other_way_round =
                        at_once.successors.iter().filter(|soon| soon.path == last.path).any(|soon| {
                            let turned = after(&state, two, soon);
                            let then = steps(&instance, &turned, one).successors;
                            then.iter().any(|step| step.path == before.path && after(&turned, one, step) == end)
                        });
                    assert!(is_other_way_round, "{state:?}: {before:?}, {last:?}");
                    exchanged += 1;
                }
            }
        }
    }
    assert!(exchanged > 1000 && not_apart > 100, "{exchanged} exchanged, {not_apart} not apart");
}

/// What is apart and what is not, worked out by hand.
#[test]
fn who_writes_what_others_read_is_not_apart() {
    let cases = [
        ("x = y;", "z = 1;", true),
        ("x = y;", "z = y;", true),
        ("x = y;", "y = 1;", false),
        ("x = 1;", "x = 2;", false),
        ("await x == 1;", "z = x;", true),
        ("await x == 1;", "x = 2;", false),
        ("atomic { if (b) { x = 1; } }", "y = x;", false),
        ("atomic { if (b) { x = 1; } }", "y = z;", true),
        ("assert x == 0;", "x = 1;", false),
    ];
    for (one, two, apart) in cases {
        let text = format!(
            "shared x, y, z: 0..2; shared b: bool; thread P {{ loop {{ {one} }} }} thread Q {{ loop {{ {two} }} }}"
        );
        let instance = instance(&text);
        let population = Population::fixed(&instance);
        let found = states(&instance).into_iter().any(|state| {
            let print = |thread: usize| footprint(&population, thread, &point_of(&instance, &state.locals[thread]));
            !print(0).is_apart_from(&print(1))
        });
        assert_eq!(found, !apart, "{one} {two}");
    }
}
