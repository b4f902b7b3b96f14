//! What judges and engines both stand on says what the naive interpreter says, state by state, on the programs of both
//! generators. A mistake there would be made by an engine and by its judge alike, so no judge would see it. The list is
//! in `docs/ARCHITECTURE.md`.

#[path = "shared_ground/labelled.rs"]
mod labelled;
#[path = "shared_ground/semantics.rs"]
mod semantics;

use labelled::labelled;
use semantics::{complete, initial, kinds, property_errors, states, successors, text_of_state, threads};
use std::collections::{BTreeMap, BTreeSet};
use threadwise_front_tw::ast::Module;
use threadwise_front_tw::parse;
use threadwise_front_tw::printer::print;
use threadwise_ir::{Instance, Program, State, Symmetry, ThreadId};
use threadwise_oracle::{ErrorKind, GeneratorOptions, ListedState, Listing, listing, random_module};
use threadwise_source::SourceFile;
use threadwise_suite::try_program;

/// Programs with more states are left out.
const MAX_STATES: usize = 300;

/// A program in both semantics.
struct Pair {
    text: String,
    instance: Instance,
    initial: Vec<State>,
    states: BTreeMap<String, State>,
    listing: Listing,
}

impl Pair {
    /// Nothing where one of the semantics cannot list the states, or names do not tell variables apart.
    fn new(module: Module) -> Option<Pair> {
        let module = labelled(module)?;
        let text = print(&module);
        let program = try_program("random.tw", &text).ok()?;
        if program.has_any_copies() || !has_different_names(&program) {
            return None;
        }
        let listing = listing(&module, MAX_STATES)?;
        let instance = Instance::new(program, 0);
        let (initial, errors) = initial(&instance)?;
        assert_eq!(errors, listing.initial_errors, "{text}");
        let states = states(&instance, &initial, 2 * MAX_STATES)?;
        Some(Pair { text, instance, initial, states, listing })
    }

    fn listed(&self) -> BTreeMap<&str, &ListedState> {
        self.listing.states.iter().map(|state| (state.text.as_str(), state)).collect()
    }
}

fn has_different_names(program: &Program) -> bool {
    program.routines.iter().all(|routine| {
        let names: BTreeSet<&str> = routine.locals.iter().map(|local| &*local.name).collect();
        names.len() == routine.locals.len()
    })
}

/// Programs of both generators.
fn pairs(number: u64) -> impl Iterator<Item = Pair> {
    let wild = |number| parse(&SourceFile::new("wild.tw", threadwise_wild::program(number).as_str())).module;
    let modules = move |number| {
        let ordinary = random_module(number, &GeneratorOptions::tiny());
        let odd = GeneratorOptions { max_states: MAX_STATES, ..GeneratorOptions::odd() };
        let machine = GeneratorOptions { max_states: MAX_STATES, ..GeneratorOptions::machine() };
        let rich = GeneratorOptions { max_states: MAX_STATES, ..GeneratorOptions::rich() };
        let dynamic = GeneratorOptions { max_states: MAX_STATES, ..GeneratorOptions::dynamic() };
        let ours = [ordinary, random_module(number, &odd), random_module(number, &machine)];
        ours.into_iter().chain([random_module(number, &dynamic), random_module(number, &rich), wild(number)])
    };
    (0..number).flat_map(modules).filter_map(Pair::new)
}

/// `initial_stores`, `starts`, `is_initial`, `steps`, `broken_properties`, `property_gap`, and with them evaluation.
#[test]
fn states_steps_and_errors_are_those_of_the_interpreter() {
    let (mut programs, mut all_states, mut errors, mut with_starts) = (0, 0, 0, 0);
    for pair in pairs(60) {
        let text = &pair.text;
        let starts: BTreeSet<String> = pair.initial.iter().map(|state| text_of_state(&pair.instance, state)).collect();
        assert_eq!(starts, pair.listing.initial, "{text}");
        let listed = pair.listed();
        let (ours, theirs): (Vec<&str>, Vec<&str>) =
            (pair.states.keys().map(String::as_str).collect(), listed.keys().copied().collect());
        assert_eq!(ours, theirs, "{text}");
        let stores: BTreeSet<_> = pair.initial.iter().map(|state| state.shared.clone()).collect();
        for (name, state) in &pair.states {
            let found = property_errors(&pair.instance, state);
            // Races are asked for in another way, and by the soundness run.
            assert_eq!(found, listed[name.as_str()].errors, "{name} in {text}");
            assert_eq!(pair.instance.property_gap(&state.shared, &state.locals), None, "{name} in {text}");
            assert!(!stores.contains(&state.shared) || pair.instance.is_initial(&state.shared), "{name} in {text}");
            for thread in threads(&pair.instance) {
                compare_steps(&pair, name, state, thread, &listed[name.as_str()].steps[thread.index()]);
            }
            errors += found.len();
        }
        programs += 1;
        all_states += pair.states.len();
        with_starts += usize::from(text.contains("start W"));
    }
    println!(
        "{programs} programs, {with_starts} of them start threads, {all_states} states, {errors} errors in states"
    );
    assert!(programs >= 80 && all_states >= 3_000 && errors >= 100 && with_starts >= 20);
}

fn compare_steps(
    pair: &Pair,
    name: &str,
    state: &State,
    thread: ThreadId,
    (errors, next): &threadwise_oracle::ListedSteps,
) {
    let steps = complete(state.steps(&pair.instance, thread)).expect("listed before");
    let text = format!("thread {} in {name} of {}", thread.0, pair.text);
    let ours = kinds(&steps);
    assert_eq!(ours.is_empty(), errors.is_empty(), "{ours:?}, {errors:?}: {text}");
    // Of several errors the interpreter tells the first, and where it goes on does not matter then.
    assert!(errors.is_subset(&ours), "{ours:?}, {errors:?}: {text}");
    if errors.is_empty() {
        let after = successors(state, thread, &steps);
        let after: BTreeSet<String> = after.iter().map(|next| text_of_state(&pair.instance, next)).collect();
        assert_eq!(after, *next, "{text}");
        for successor in &steps.successors {
            let wanted = [&successor.shared[..], &successor.local[..]].concat();
            let (shared, local) = (&state.shared, &state.locals[thread.index()]);
            let toward = pair.instance.steps_toward(thread, shared, local, &wanted);
            assert_eq!(toward.successors, steps.successors, "{text}");
        }
    }
}

/// `Program::symmetry`, `Instance::rename`, `Instance::profile`: swapping two copies leads from states to states, with
/// the same errors; and copies that are referred to alike and are in the same local state can be swapped for nothing.
#[test]
fn permuted_states_are_states_with_the_same_errors() {
    let (mut swapped, mut different) = (0, 0);
    for pair in pairs(80) {
        let Symmetry::Among(templates) = pair.instance.program.symmetry() else { continue };
        let listed = pair.listed();
        for template in templates {
            let first = pair.instance.copies_of(template).start;
            for (name, state) in &pair.states {
                let image = swap(&pair.instance, state, first);
                let image_name = text_of_state(&pair.instance, &image);
                let context = || format!("{name} and {image_name} in {}", pair.text);
                let Some(other) = listed.get(image_name.as_str()) else { panic!("not reachable: {}", context()) };
                let this = listed[name.as_str()];
                assert_eq!(this.errors, other.errors, "{}", context());
                assert_eq!(this.steps[first].0, other.steps[first + 1].0, "{}", context());
                assert_eq!(this.steps[first].1.len(), other.steps[first + 1].1.len(), "{}", context());
                let profile = |tid: usize| pair.instance.profile(&state.shared, tid as i64);
                if profile(first + 1) == profile(first + 2) && state.locals[first] == state.locals[first + 1] {
                    assert_eq!(image, *state, "{}", context());
                }
                swapped += 1;
                different += usize::from(image != *state);
            }
        }
    }
    println!("{swapped} states swapped, {different} of them changed by that");
    assert!(swapped >= 500 && different >= 200);
}

/// The state with a thread and the next one swapped.
fn swap(instance: &Instance, state: &State, first: usize) -> State {
    let (one, other) = (first as i64 + 1, first as i64 + 2);
    let image = |tid: i64| match tid {
        _ if tid == one => other,
        _ if tid == other => one,
        _ => tid,
    };
    let mut locals = state.locals.clone();
    locals.swap(first, first + 1);
    State { shared: instance.rename(&state.shared, &image).into(), locals }
}

/// `Expr::can_fail`: what cannot fail does not fail.
#[test]
fn what_cannot_fail_does_not() {
    let faults = BTreeSet::from([ErrorKind::Index, ErrorKind::Division, ErrorKind::Range]);
    let (mut states_without, mut with) = (0, 0);
    for pair in pairs(60) {
        let program = &pair.instance.program;
        let properties_can = program.formulas().any(|(_, e, _)| e.can_fail());
        let mut anything_can = false;
        program.walk_expressions(&mut |e| anything_can |= e.can_fail());
        for state in &pair.listing.states {
            let found: Vec<_> = state.errors.intersection(&faults).collect();
            assert!(properties_can || found.is_empty(), "{found:?} in {} of {}", state.text, pair.text);
            // A value that does not fit is an error of the store, and not of the expression.
            let evaluation = |errors: &BTreeSet<ErrorKind>| {
                errors.contains(&ErrorKind::Division) || errors.contains(&ErrorKind::Index) && !program_stores(program)
            };
            let fails = state.steps.iter().any(|(errors, _)| evaluation(errors));
            assert!(anything_can || !fails, "{} of {}", state.text, pair.text);
            states_without += usize::from(!properties_can);
            with += usize::from(!found.is_empty());
        }
    }
    println!("{states_without} states whose properties cannot fail, {with} in which they did");
    assert!(states_without >= 1_000 && with >= 50);
}

/// Whether a step stores into an element, whose index is no part of an expression.
fn program_stores(program: &Program) -> bool {
    program.shared.iter().any(|var| matches!(var.sort, threadwise_ir::Sort::Array(..)))
}
