//! Programs with threads against the machine: random ones under random schedules, in which all that threads share has to be
//! the same after every step; and the errors of the examples, which have to happen in the compiled programs.

use std::path::Path;
use std::time::Duration;
use threadwise_evidence::TraceStep;
use threadwise_frontends::{Options, PROPERTY, load_c_with_atlas};
use threadwise_ir::{Instance, State, Store, ThreadId};
use threadwise_limits::Budget;
use threadwise_memory::Atlas;
use threadwise_native::{Compiled, Course, Outcome, Sources, Trouble, has_compiler, replay};
use threadwise_portfolio::{Request, verify};
use threadwise_source::SourceFile;
use threadwise_suite::dice::Dice;
use threadwise_suite::{COPY, c_examples, random_threads};
use threadwise_verdict::Verdict;

const LIMIT: Duration = Duration::from_secs(20);

/// So many schedules of each program are tried.
const SCHEDULES: u64 = 4;

/// A schedule has at most so many steps.
const STEPS: usize = 400;

/// Machines that build this have a compiler; where there is none, there is nothing to compare with.
fn is_there_a_compiler() -> bool {
    let there = has_compiler();
    if !there {
        eprintln!("skipped: there is no C compiler (on Debian, apt install gcc)");
    }
    there
}

fn load(path: &str, text: &str, property: Option<&str>) -> (Instance, Atlas, Sources) {
    let file = SourceFile::new(path, text);
    let mut options = Options::default();
    property.into_iter().for_each(|property| options.add(&PROPERTY, property));
    let (loaded, atlas, settings) = load_c_with_atlas(vec![file.clone()], &options);
    let Some(program) = loaded.program else {
        panic!("{}\n{text}", threadwise_diagnostics::render(&loaded.source, &loaded.diagnostics, false));
    };
    let sources = Sources {
        files: vec![file],
        include: settings.include,
        define: settings.define,
        is_32_bit: settings.is_32_bit,
        entries: settings.entries,
        undefined: settings.undefined,
        overflow: false,
    };
    (Instance::new(program, 2), atlas, sources)
}

fn initial(instance: &Instance) -> State {
    let shared = instance.initial_stores().stores.into_iter().next().expect("there is an initial store");
    let first = |number: usize| {
        let starts = instance.starts(ThreadId(number as u32), &shared).successors;
        starts.into_iter().next().expect("the thread starts").local
    };
    let locals: Vec<Store> = (0..instance.threads.len()).map(first).collect();
    State { shared, locals }
}

/// A walk that often stays with a thread for a while.
fn random_walk(instance: &Instance, initial: &State, text: &str, dice: &mut Dice) -> Vec<TraceStep> {
    let is_copying = |local: &Store| {
        let span = instance.program.location(instance.location_of(local)).span;
        let line = instance.program.source.position(span.start).line as usize;
        text.lines().nth(line - 1).is_some_and(|line| line.ends_with(COPY))
    };
    let mut state = initial.clone();
    let mut steps = Vec::new();
    let mut current = 0;
    while steps.len() < STEPS {
        let count = instance.threads.len();
        if dice.roll(3) == 0 && !is_copying(&state.locals[current]) {
            current = dice.roll(count);
        }
        let can = |thread: usize| {
            let mut steps = state.steps(instance, ThreadId(thread as u32)).successors;
            (!steps.is_empty()).then(|| steps.swap_remove(0))
        };
        let found = (0..count).map(|more| (current + more) % count).find_map(|thread| Some((thread, can(thread)?)));
        let Some((thread, _)) = found else { break };
        let mut all = state.steps(instance, ThreadId(thread as u32)).successors;
        let chosen = all.swap_remove(dice.roll(all.len()));
        let id = ThreadId(thread as u32);
        state.shared = chosen.shared.clone();
        state.locals[thread] = chosen.local.clone();
        steps.push(TraceStep { thread: id, path: chosen.path, shared: chosen.shared, local: chosen.local });
        current = thread;
    }
    steps
}

/// How often a program was compared under a schedule, and how often the compiler's order of loads did not allow it.
#[derive(Default, Debug)]
struct Tally {
    compared: u64,
    steps: usize,
    left_out: u64,
}

fn compare(seed: u64, text: &str, tally: &mut Tally) {
    let (instance, atlas, sources) = load("random.c", text, None);
    let compiled = Compiled::new(&sources).unwrap_or_else(|trouble| panic!("seed {seed}: {trouble}\n{text}"));
    let initial = initial(&instance);
    for schedule in 0..SCHEDULES {
        let steps = random_walk(&instance, &initial, text, &mut Dice::new(seed * 1000 + schedule));
        let course = Course { instance: &instance, initial: &initial, steps: &steps };
        match compiled.follow(course, &atlas, LIMIT) {
            Ok(None) => {
                tally.compared += 1;
                tally.steps += steps.len();
            }
            Ok(Some(reason)) => {
                eprintln!("seed {seed}, schedule {schedule} is left out: {reason}");
                tally.left_out += 1;
            }
            Err(Trouble::Time) => panic!("seed {seed}, schedule {schedule} takes too long\n{text}"),
            Err(trouble) => panic!("seed {seed}, schedule {schedule}: {trouble}\n{text}"),
        }
    }
}

/// `C_THREADS=0..2000` compares that many programs.
#[test]
fn compiled_threads_do_what_the_lowered_ones_do() {
    if !is_there_a_compiler() {
        return;
    }
    let range = std::env::var("C_THREADS").unwrap_or_else(|_| "0..12".to_string());
    let (from, to) = range.split_once("..").expect("C_THREADS is a range like 0..100");
    let (from, to): (u64, u64) = (from.parse().expect("a number"), to.parse().expect("a number"));
    let mut tally = Tally::default();
    for seed in from..to {
        compare(seed, &random_threads(seed), &mut tally);
    }
    eprintln!("{tally:?}");
    assert!(tally.compared > tally.left_out, "too little was compared: {tally:?}");
}

/// Compares one program, named by `C_FILE`.
#[test]
#[ignore = "compares one file, named by C_FILE"]
fn one_program_does_what_its_compiled_one_does() {
    let text = std::fs::read_to_string(std::env::var("C_FILE").expect("C_FILE is set")).expect("it can be read");
    let mut tally = Tally::default();
    (0..20).for_each(|seed| compare(seed, &text, &mut tally));
    eprintln!("{tally:?}");
}

/// What the machine says about an example of which this property does not hold.
fn confirm(path: &Path, text: &str, property: &str) -> Result<Outcome, Trouble> {
    let (instance, atlas, sources) = load(&path.display().to_string(), text, Some(property));
    let budget = Budget::new(Some(Duration::from_secs(120)), None);
    let outcome = verify(&instance.program, &Request::default(), &budget);
    let Verdict::Unsafe(found) = &outcome.verdict else {
        panic!("{property} of {} is {}", path.display(), outcome.verdict.word());
    };
    let found = found.trace();
    replay(found.instance(), found.trace(), &atlas, &sources, LIMIT)
}

#[test]
fn errors_of_examples_happen_in_the_compiled_programs() {
    if !is_there_a_compiler() {
        return;
    }
    threadwise_solver_setup::solver_for_tests();
    let (mut confirmed, mut failures) = (0, Vec::new());
    for path in c_examples() {
        let text = std::fs::read_to_string(&path).expect("readable example");
        for property in ["assertions", "races", "memory", "overflow", "locks"] {
            if !text.lines().any(|line| line.trim() == format!("// {property}: UNSAFE")) {
                continue;
            }
            match confirm(&path, &text, property) {
                Ok(Outcome::Confirmed(_)) => confirmed += 1,
                // The example says why the machine cannot show it.
                Ok(Outcome::Undecided(_) | Outcome::Refuted(_)) if text.contains("\n// native: ") => {}
                other => failures.push(format!("{property} of {}: {other:?}", path.display())),
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
    assert!(confirmed > 15, "{confirmed} errors were confirmed");
}
