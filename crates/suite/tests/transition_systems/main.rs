//! Transition systems: the same answers as from the text itself, and as from the same system written in the
//! language.

mod brute_force;
mod random;

use brute_force::BruteForce;
use std::collections::BTreeSet;
use std::sync::Arc;
use threadwise_front_ts::parse;
use threadwise_ir::{Env, Instance, Program, State, ThreadId};
use threadwise_limits::Budget;
use threadwise_portfolio::{EngineOptions, Outcome, Request, verify};
use threadwise_source::SourceFile;
use threadwise_suite::{examples, program};
use threadwise_verdict::Verdict;

/// A shared state and a local state of each thread, by name.
type Names = (String, Vec<String>);

fn explicit(program: &Arc<Program>, symmetry: bool, fold: bool) -> Outcome {
    let engine = "explicit".parse().expect("there is an engine `explicit`");
    let options = EngineOptions::default().with_symmetry(symmetry).with_folding(fold);
    let request = Request { engine, options, want_proof: !fold, ..Request::default() };
    verify(program, &request, &Budget::unlimited())
}

fn states(outcome: &Outcome) -> Option<u64> {
    outcome.stats.numbers.iter().find(|(name, _)| *name == "states").map(|(_, n)| *n)
}

/// All reachable states of the program, by the semantics.
fn reachable(instance: &Instance) -> BTreeSet<State> {
    let threads = || (0..instance.threads.len() as u32).map(ThreadId);
    let mut open: Vec<State> = Vec::new();
    for shared in instance.initial_stores().stores {
        let mut tuples = vec![Vec::new()];
        for thread in threads() {
            let starts = instance.starts(thread, &shared).successors;
            let with = |tuple: &Vec<_>| {
                starts.iter().map(|s| [&tuple[..], std::slice::from_ref(&s.local)].concat()).collect::<Vec<_>>()
            };
            tuples = tuples.iter().flat_map(with).collect();
        }
        open.extend(tuples.into_iter().map(|locals| State { shared: shared.clone(), locals }));
    }
    let mut seen = BTreeSet::new();
    while let Some(state) = open.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        for thread in threads() {
            for successor in state.steps(instance, thread).successors {
                let mut locals = state.locals.clone();
                locals[thread.index()] = successor.local;
                open.push(State { shared: successor.shared, locals });
            }
        }
    }
    seen
}

/// A state in the names of the system. A thread that has not moved from `start` is where `start` says.
fn names(instance: &Instance, brute: &BruteForce, state: &State) -> Names {
    let program = &instance.program;
    let value = |name: &str| {
        let index = program.shared.iter().position(|v| &*v.name == name)?;
        let members =
            &program.enums.iter().find(|e| *e.name == *if name == "state" { "Shared" } else { "Start" })?.members;
        Some(members[state.shared[index] as usize].to_string())
    };
    let chosen: Vec<String> = value("start")
        .map_or(Vec::new(), |text| text.trim_matches(['(', ')']).split(", ").skip(1).map(str::to_string).collect());
    let local = |(column, local): (usize, &threadwise_ir::Store)| {
        let label = program.location(instance.location_of(local)).labels[0].to_string();
        if brute.locals_of(column).contains(&label) { label } else { chosen[column].clone() }
    };
    (value("state").expect("there is a shared state"), state.locals.iter().enumerate().map(local).collect())
}

/// Compares a system with what a search on its text says. Returns whether it is safe and whether its program has
/// a variable `start`.
fn compare(text: &str) -> (bool, bool) {
    let parsed = parse(&SourceFile::new("test.ts", text));
    assert!(parsed.diagnostics.is_empty(), "{text}");
    let brute = BruteForce::new(&parsed.system);
    let expected = brute.reachable();
    let safe = !expected.iter().any(|state| brute.is_error(state));

    let program = program("test.ts", text);
    let instance = Instance::new(program.clone(), 0);
    let mut found = BTreeSet::new();
    for state in reachable(&instance) {
        let names = names(&instance, &brute, &state);
        let broken = instance.broken_properties(&state.shared, &state.locals, &mut |_| Default::default());
        assert_eq!(!broken.is_empty(), brute.is_error(&names), "errors: {names:?} in\n{text}");
        let holds = |e| Env::of_state(&instance, &state.shared, &state.locals).holds(e).expect("it has a value");
        assert_eq!(
            program.exceptions.iter().any(holds),
            brute.is_exception(&names),
            "exceptions: {names:?} in\n{text}"
        );
        found.insert(names);
    }
    assert_eq!(found, expected, "{text}");

    let has_start = program.shared.len() > 1;
    for (symmetry, fold) in [(false, false), (true, false), (true, true)] {
        let outcome = explicit(&program, symmetry, fold);
        let agrees = match &outcome.verdict {
            Verdict::Safe(_) => safe,
            Verdict::Unsafe(_) => !safe,
            Verdict::Unknown(_) => false,
        };
        assert!(agrees, "symmetry {symmetry}, fold {fold}: {:?}\n{text}", outcome.verdict);
        if safe && !symmetry && !has_start {
            assert_eq!(states(&outcome), Some(expected.len() as u64), "{text}");
        }
    }
    (safe, has_start)
}

#[test]
fn random_systems_do_what_their_text_says() {
    let (mut safe, mut starts) = (0, 0);
    for seed in 0..600 {
        let (is_safe, has_start) = compare(&random::system(seed));
        safe += usize::from(is_safe);
        starts += usize::from(has_start);
    }
    assert!((100..500).contains(&safe), "{safe} of 600 systems are safe");
    assert!((100..500).contains(&starts), "{starts} of 600 systems have correlated initial states");
}

#[test]
fn examples_do_what_their_text_says() {
    for example in examples().iter().filter(|example| example.is_transition_system()) {
        let (safe, _) = compare(&example.text);
        assert_eq!(safe, example.safe, "{}", example.path.display());
    }
}

/// The papers' programs, once in the language and once as transitions.
#[test]
fn both_forms_of_an_example_have_the_same_states() {
    let find = |name: &str| {
        let found = examples().into_iter().find(|example| example.path.ends_with(format!("examples/{name}")));
        found.unwrap_or_else(|| panic!("there is no example `{name}`")).program()
    };
    let forms = [
        ("peterson.tw", "cartesian/peterson.ts", 20),
        ("acquire-release.tw", "cartesian/acquire-release.ts", 8),
        ("first-thread-waits.tw", "cartesian/first-thread-waits.ts", 6),
    ];
    for (language, transitions, number) in forms {
        for name in [language, transitions] {
            let outcome = explicit(&find(name), false, false);
            assert!(matches!(outcome.verdict, Verdict::Safe(_)), "{name}: {:?}", outcome.verdict);
            assert_eq!(states(&outcome), Some(number), "{name}");
        }
    }
}

/// The exception sets of CART, section 2.2.5, are the same states in both forms.
#[test]
fn both_forms_of_an_example_have_the_same_exceptions() {
    let number = |name: &str| {
        let example = examples().into_iter().find(|example| example.path.ends_with(name)).expect("it exists");
        let instance = Instance::new(example.program(), 0);
        let holds = |state: &State| {
            let env = |e| Env::of_state(&instance, &state.shared, &state.locals).holds(e).expect("it has a value");
            instance.program.exceptions.iter().any(env)
        };
        reachable(&instance).iter().filter(|state| holds(state)).count()
    };
    // All of these states are reachable: (110, B, D), (110, C, C), (111, D, B); 0CG, 0BG.
    for (name, expected) in [("peterson", 3), ("first-thread-waits", 2)] {
        assert_eq!(number(&format!("cartesian/{name}-exceptions.tw")), expected, "{name}");
        assert_eq!(number(&format!("cartesian/{name}.ts")), expected, "{name}");
    }
}
