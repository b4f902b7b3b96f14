//! The translation of edges agrees with the semantics: on random states of random programs every
//! step that the semantics takes is one of the relation, the relation has no others, and it goes wrong where the
//! semantics does.

use std::sync::Arc;
use threadwise_ir::{Instance, Point, Program, SharedId, Sort, Steps, ThreadId};
use threadwise_limits::Budget;
use threadwise_logic::Term;
use threadwise_solver::{Answer, Session, Settings};
use threadwise_solver_setup::solver_for_tests;
use threadwise_source::SourceFile;
use threadwise_symbolic::{Population, Taken, ThreadState, Value, by_constants, named_frames, named_shared, take_edge};

const PROGRAM: &str = "
    type Color = enum { red, green, blue };
    shared x: -1..2; shared i: int; shared b: bool; shared c: Color; shared m: mutex; shared l: rwlock;
    shared a: [0..2]0..3; shared g: [Color][bool]tid; shared s: set<0..3>;
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
      }
    }
    thread W[2] { skip; }
";

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % sides
    }

    fn fill(&mut self, instance: &Instance, sort: &Sort, words: &mut [i64]) {
        match sort {
            Sort::Int => words[0] = self.roll(7) as i64 - 3,
            Sort::Set(element) => words[0] = self.roll(1 << instance.cardinality(element).expect("finite")) as i64,
            Sort::Array(_, element) => {
                let size = instance.words(element);
                words.chunks_mut(size).for_each(|chunk| self.fill(instance, element, chunk));
            }
            scalar => {
                let rank = self.roll(instance.cardinality(scalar).expect("finite"));
                words[0] = instance.unrank(scalar, rank as usize);
            }
        }
    }
}

fn shared_values(population: &Population, instance: &Instance, words: &[i64]) -> Vec<Value> {
    let vars = instance.program.shared.iter().enumerate();
    let value = |(index, var): (usize, &threadwise_ir::SharedVar)| {
        population.value_of_words(instance, &var.sort, &words[instance.shared_range(SharedId(index as u32))])
    };
    vars.map(value).collect()
}

fn local_values(population: &Population, instance: &Instance, local: &[i64]) -> Vec<Value> {
    let (routine, start) = instance.top_frame(local);
    let locals = instance.program.routine(routine).locals.iter().enumerate();
    let value = |(index, var): (usize, &threadwise_ir::LocalVar)| {
        let range = instance.local_range(routine, threadwise_ir::LocalId(index as u32));
        population.value_of_words(instance, &var.sort, &local[start + range.start..start + range.end])
    };
    locals.map(value).collect()
}

fn same(a: &[Value], b: &[Value]) -> Term {
    Term::all(a.iter().zip(b).map(|(a, b)| a.same(b)).collect::<Vec<Term>>())
}

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
    for (index, var) in instance.program.shared.iter().enumerate() {
        let range = instance.shared_range(SharedId(index as u32));
        dice.fill(instance, &var.sort, &mut shared[range]);
    }
    let mut local = instance.starts(thread, &shared).successors[0].local.to_vec();
    let (mut taken, mut wrong) = (0, 0);
    for round in 0..400 {
        // Every few steps the shared variables get other values, as if somebody had interfered.
        if round % 3 == 0 {
            let index = dice.roll(instance.program.shared.len() as u64) as usize;
            let range = instance.shared_range(SharedId(index as u32));
            dice.fill(instance, &instance.program.shared[index].sort.clone(), &mut shared[range]);
        }
        let steps = instance.steps(thread, &shared, &local);
        let location = instance.location_of(&local);
        // Both as constants that have the values, so that nothing is computed beforehand, and as the values.
        let point = Point::at(location);
        let (names, frames) = (named_shared(population, "g"), named_frames(population, &point, "l"));
        let (values, locals) =
            (shared_values(population, instance, &shared), local_values(population, instance, &local));
        session.push();
        session.declare_all(names.constants.iter().chain(&frames.constants));
        session.assert(&same(&names.values, &values).and(same(&frames.values[0], &locals)));
        let of_names = ThreadState { point: point.clone(), shared: names.values, frames: frames.values };
        let of_values = ThreadState { point, shared: values, frames: vec![locals] };
        for &id in &instance.program.location(location).edges {
            let edge = instance.program.edge(id);
            let text = instance.program.source.snippet(edge.span, 80);
            if instance.program.location(edge.to).transient || !is_expressed(&text) {
                continue;
            }
            for state in [&of_names, &of_values] {
                let mut choose = by_constants(population, "any");
                let along = take_edge(population, &me, state, id, &mut choose).expect("supported");
                session.push();
                session.declare_all(along.choices.iter().flat_map(|choice| &choice.0));
                let (ok, bad) = compare(&mut session, population, instance, &along, &steps, id, &text);
                taken += ok;
                wrong += bad;
                session.pop();
            }
        }
        session.pop();
        if !steps.successors.is_empty() {
            let next = &steps.successors[dice.roll(steps.successors.len() as u64) as usize];
            (shared, local) = (next.shared.to_vec(), next.local.to_vec());
        }
    }
    assert!(taken > 400 && wrong > 100, "too little was compared: {taken} steps, {wrong} errors");
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
        let after = same(&taken.after.shared, &shared_values(population, instance, &successor.shared))
            .and(same(taken.after.locals(), &local_values(population, instance, &successor.local)));
        assert_eq!(answer(session, &taken.hazards.so_far.and(&after)), Answer::Sat, "`{text}` takes a step");
        others.push(after.not());
        count += 1;
    }
    if steps.gap.is_none() {
        assert_eq!(answer(session, &Term::all(&others)), Answer::Unsat, "`{text}` takes no other step");
    }
    (count, u32::from(fails))
}

fn answer(session: &mut Session, term: &Term) -> Answer {
    session.push();
    session.assert(term);
    let answer = session.check().expect("an answer");
    session.pop();
    answer
}
