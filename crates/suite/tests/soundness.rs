//! The soundness run: it finds witnesses that lie, makes the program small and saves it.

use std::sync::Arc;
use std::time::Duration;
use threadwise_suite::soundness::{Answer, Case, Origin, Says, Witness, engines_as_witnesses, question, run};

/// A stand-in for an engine.
fn stand_in(name: &str, says: impl Fn(&Case) -> Says + Send + Sync + 'static) -> Witness {
    let ask = move |case: &Case| {
        let says = says(case);
        Some(Answer { says, copies: None, objection: None, text: format!("{says:?}") })
    };
    let patience = Duration::from_secs(60);
    Witness { name: name.to_string(), engine: "stand-in", every: 1, patience, ask: Arc::new(ask) }
}

fn honest() -> Witness {
    stand_in("honest", |case| case.truth)
}

/// So many programs of the first generator.
fn first_generator(number: u64) -> impl Iterator<Item = Origin> {
    (0..number).map(Origin::Oracle)
}

/// A folder of its own for a test.
fn folder(name: &str) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("threadwise-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("writable folder");
    folder
}

/// How many lines of a program say something.
fn lines(program: &str) -> usize {
    program.lines().filter(|line| !line.trim().is_empty() && !line.starts_with("//")).count()
}

#[test]
fn an_engine_that_overlooks_errors_is_found_and_the_program_made_small() {
    let folder = folder("blind");
    let witnesses = [honest(), stand_in("blind", |_| Says::Safe)];
    let saved = run(first_generator(1000), &witnesses, &folder, |_| ()).expect_err("some program is unsafe");
    assert!(saved.problem.starts_with("blind: Safe\ninterpreter: Unsafe"), "{}", saved.problem);
    let text = std::fs::read_to_string(&saved.file).expect("it was saved");
    assert_eq!(text, saved.program);
    assert!(lines(&text) <= 8, "{text}");
    let _ = std::fs::remove_dir_all(folder);
}

/// The lie is about programs of one kind, and the small program is still of that kind.
#[test]
fn an_engine_that_is_wrong_about_any_number_of_copies_is_found() {
    let folder = folder("copies");
    let lies = |case: &Case| if case.program.has_any_copies() { Says::Safe } else { case.truth };
    let saved = run(first_generator(1000), &[honest(), stand_in("liar", lies)], &folder, |_| ()).expect_err("it lies");
    assert_eq!(saved.origin.number() % 7, 5, "programs with any number of copies");
    let small = saved.program;
    assert!(small.contains("[*]") && lines(&small) <= 10, "{small}");
    let _ = std::fs::remove_dir_all(folder);
}

/// Where the interpreter cannot tell, engines are still compared with each other.
#[test]
fn engines_that_contradict_each_other_are_found_without_the_interpreter() {
    let folder = folder("unbounded");
    let unless_known = |says: Says| move |case: &Case| if case.truth == Says::Unknown { says } else { case.truth };
    let witnesses = [stand_in("one", unless_known(Says::Safe)), stand_in("other", unless_known(Says::Unsafe))];
    let saved = run(first_generator(1000), &witnesses, &folder, |_| ()).expect_err("they contradict each other");
    assert!(saved.problem.contains("one: Safe") && saved.problem.contains("other: Unsafe"), "{}", saved.problem);
    let _ = std::fs::remove_dir_all(folder);
}

/// All engines, all kinds of programs; a longer run is `cargo xtask soundness`.
#[test]
fn all_engines_agree() {
    threadwise_solver_setup::solver_for_tests();
    let folder = folder("all");
    let table = match run(first_generator(28), &engines_as_witnesses(), &folder, |_| ()) {
        Ok(table) => table,
        Err(saved) => panic!("{saved}"),
    };
    // All but `lockstep`, which is for assertions about wide integers only.
    assert_eq!((table.programs, table.engines.len()), (28, 12), "{table}");
    let _ = std::fs::remove_dir_all(folder);
}

/// The same for threads that are started: a fixed number of them, any number, and with contracts.
#[test]
fn all_engines_agree_on_threads_that_are_started() {
    threadwise_solver_setup::solver_for_tests();
    let folder = folder("starts");
    let every = |first: u64, distance: u64| (0..8).map(move |number| first + distance * number);
    let numbers: Vec<u64> = every(43, 28).chain(every(26, 42)).chain(every(30, 56)).collect();
    let starts = |number: &&u64| {
        let case = Case::random(Origin::Oracle(**number)).expect("it loads");
        threadwise_front_tw::printer::print(&case.module).contains("start ")
    };
    assert!(numbers.iter().filter(starts).count() >= 20);
    let table = match run(numbers.into_iter().map(Origin::Oracle), &engines_as_witnesses(), &folder, |_| ()) {
        Ok(table) => table,
        Err(saved) => panic!("{saved}"),
    };
    assert!(table.programs == 24 && table.engines.len() >= 5, "{table}");
    let _ = std::fs::remove_dir_all(folder);
}

/// The same for programs that were made from the language reference alone.
#[test]
fn all_engines_agree_on_programs_of_the_second_generator() {
    threadwise_solver_setup::solver_for_tests();
    let folder = folder("wild");
    let table = match run((0..27).map(Origin::Wild), &engines_as_witnesses(), &folder, |_| ()) {
        Ok(table) => table,
        Err(saved) => panic!("{saved}"),
    };
    // All but `conformance`: few of these programs have abstract threads.
    assert!(table.programs >= 20 && table.engines.len() >= 6, "{table}");
    let _ = std::fs::remove_dir_all(folder);
}

/// Whoever does not come back is left behind with the program, and the run goes on.
#[test]
fn a_program_that_somebody_never_answers_about_does_not_eat_the_run() {
    let folder = folder("late");
    let sleeps = |case: &Case| {
        std::thread::sleep(Duration::from_secs(if case.truth == Says::Unsafe { 20 } else { 0 }));
        case.truth
    };
    let witness = Witness { patience: Duration::from_millis(500), ..stand_in("sleeper", sleeps) };
    let table = run(first_generator(30), &[witness], &folder, |_| ()).expect("nobody lies");
    assert_eq!(table.programs, 30);
    assert!(!table.left_alone.is_empty() && table.left_alone.len() < 30, "{table}");
    let _ = std::fs::remove_dir_all(folder);
}

/// A user would see an internal error.
#[test]
fn an_engine_that_panics_is_found() {
    let folder = folder("panics");
    let panics = |case: &Case| if case.truth == Says::Unsafe { panic!("out of luck") } else { case.truth };
    let saved = run(first_generator(1000), &[stand_in("nervous", panics)], &folder, |_| ()).expect_err("it panics");
    assert_eq!(saved.problem, "nervous: panics: out of luck");
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn the_same_number_gives_the_same_program() {
    for seed in 0..14 {
        let text = || threadwise_front_tw::printer::print(&Case::random(Origin::Oracle(seed)).expect("loads").module);
        assert_eq!(text(), text(), "seed {seed}");
    }
    let case = Arc::new(Case::random(Origin::Oracle(1)).expect("loads"));
    assert!(question(&case, &[honest()], |_| true).contradiction.is_none());
}
