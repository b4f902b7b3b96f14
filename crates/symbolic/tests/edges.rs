//! The translation of edges agrees with the semantics: on random states of random programs every
//! step that the semantics takes is one of the relation, the relation has no others, and it goes wrong where the
//! semantics does.

mod support;

use std::sync::Arc;
use support::{Dice, answer, is_state, told};
use threadwise_ir::{Instance, Program, SharedId, Steps, ThreadId};
use threadwise_limits::Budget;
use threadwise_logic::Term;
use threadwise_solver::{Answer, Session, Settings};
use threadwise_solver_setup::solver_for_tests;
use threadwise_source::SourceFile;
use threadwise_symbolic::{Population, Taken, by_constants, take_edge};

const PROGRAM: &str = "
    type Color = enum { red, green, blue };
    shared x: -1..2; shared i: int; shared b: bool; shared c: Color; shared m: mutex; shared l: rwlock;
    shared a: [0..2]0..3; shared g: [Color][bool]tid; shared s: set<0..3>;
    shared w: [0..20]0..3; shared h: [0..18][Color]int; shared z: set<0..20>;
    thread P {
      var y: 0..2; var k: int = 1;
      loop {
        choose { x = x + 1; } or { x = *; } or { a[x] = x; } or { a[x], x = 1, a[0]; } or { i = i / x; }
        or { y = a[1]; } or { k, i = i, k; } or { g[c][b] = self; } or { s = s union {x}; } or { c = *; }
        or { await i % 2 == 0; i = i + 1; } or { assert x <= 1; } or { acquire(m); } or { release(m); }
        or { acquire_read(l); } or { release_read(l); } or { acquire_write(l); } or { release_write(l); }
        or { action [x] x' > x; } or { action [b, y] (b' <==> !b) && y' != y; } or { action [a] a'[0] == x && a'[1] == a[1] && a'[2] == 0; }
        or { action [x] x' >= x assert x' != 2; } or { b = forall q: 0..2 :: a[q] < 3; } or { await 3 / i > 0; }
        or { s = s minus {1} inter {0, 1}; } or { await g[c][!b] == none; b = x in s; } or { y = *; a[y] = 2; }
        or { w[i + 9] = x; } or { w[y], h[y][c] = y, i; } or { h[i * 8][c] = h[k][red] + w[x]; } or { z = z union {x, i}; }
        or { z = z minus {x}; } or { await i in z; h[y][blue] = 1; }
      }
    }
    thread W[2] { skip; }
";

fn program() -> Arc<Program> {
    let file = SourceFile::new("edges.tw", PROGRAM);
    let lowered = threadwise_front_tw::load(file, &threadwise_front_tw::Options::default());
    Arc::new(lowered.program.unwrap_or_else(|| panic!("{:?}", lowered.diagnostics)))
}

#[test]
fn edges_mean_the_same() {
    let instance = Instance::new(program(), 0);
    edges_mean_the_same_in(&instance, &Population::fixed(&instance), |_| true);
}

/// Nothing is divided there by what is not a constant.
#[test]
fn edges_mean_the_same_where_arrays_are_taken_apart() {
    let instance = Instance::new(program(), 0);
    edges_mean_the_same_in(&instance, &Population::unrolled(&instance), |text| !text.contains('/'));
}

fn edges_mean_the_same_in(instance: &Instance, population: &Population, is_expressed: impl Fn(&str) -> bool) {
    let mut session =
        Session::start(&solver_for_tests(), Settings::default(), &Budget::unlimited()).expect("it starts");
    let thread = ThreadId(0);
    let me = Term::int(1);
    let dice = &mut Dice(7);
    let mut shared = vec![0; instance.shared_words()];
    let begin = instance.starts(thread, &shared);
    let mut local = begin.successors[0].local.to_vec();
    let (mut taken, mut wrong) = (0, 0);
    for round in 0..600 {
        // The shared variables get other values, as if somebody had interfered.
        for (index, var) in instance.program.shared.iter().enumerate() {
            dice.fill(instance, &var.sort, &mut shared[instance.shared_range(SharedId(index as u32))]);
        }
        let steps = instance.steps(thread, &shared, &local);
        let location = instance.location_of(&local);
        session.push();
        let state = &told(&mut session, population, instance, &shared, &local)[round % 2];
        for &id in &instance.program.location(location).edges {
            let edge = instance.program.edge(id);
            let text = instance.program.source.snippet(edge.span, 80);
            // That a choice is free has been seen after the first.
            let is_known = round > 0 && text == "choose";
            if instance.program.location(edge.to).transient || is_known || !is_expressed(&text) {
                continue;
            }
            let mut choose = by_constants(population, "any");
            let along = take_edge(population, &me, state, id, &mut choose).expect("supported");
            session.push();
            session.declare_all(along.choices.iter().flat_map(|choice| &choice.0));
            let (ok, bad) = compare(&mut session, population, instance, &along, &steps, id, &text);
            taken += ok;
            wrong += bad;
            session.pop();
        }
        session.pop();
        // From where the thread waits it starts anew, sooner or later.
        let next = steps.successors.get(dice.roll(steps.successors.len() as u64 + 1) as usize);
        local = next.unwrap_or(&begin.successors[0]).local.to_vec();
    }
    assert!(taken > 200 && wrong > 50, "too little was compared: {taken} steps, {wrong} errors");
}

fn compare(
    session: &mut Session,
    population: &Population,
    instance: &Instance,
    taken: &Taken,
    steps: &Steps,
    id: threadwise_ir::EdgeId,
    text: &str,
) -> (u32, u32) {
    let fails = steps.failures.iter().any(|failure| failure.path.last() == Some(&id));
    let hazard = Term::any(taken.hazards.all.iter().map(|hazard| hazard.when()));
    let expected = if fails { Answer::Sat } else { Answer::Unsat };
    assert_eq!(answer(session, &hazard), expected, "whether `{text}` goes wrong");
    assert_eq!(answer(session, &taken.hazards.goes_wrong()), expected, "whether a part of `{text}` goes wrong");
    let mut others = vec![taken.hazards.so_far.clone()];
    let mut count = 0;
    for successor in steps.successors.iter().filter(|successor| successor.path.last() == Some(&id)) {
        let after = is_state(population, instance, &taken.after, &successor.shared, &successor.local);
        assert_eq!(answer(session, &taken.hazards.so_far.and(&after)), Answer::Sat, "`{text}` takes a step");
        others.push(after.not());
        count += 1;
    }
    if steps.gap.is_none() {
        assert_eq!(answer(session, &Term::all(&others)), Answer::Unsat, "`{text}` takes no other step");
    }
    (count, u32::from(fails))
}
