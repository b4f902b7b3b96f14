//! The soundness run: it finds witnesses that lie, makes the program small and saves it.

use threadwise_suite::soundness::{Answer, Case, Says, Witness, engines_as_witnesses, question, run};

/// A stand-in for an engine.
fn stand_in(name: &str, says: impl Fn(&Case) -> Says + 'static) -> Witness {
    let ask = move |case: &Case| {
        let says = says(case);
        Some(Answer { says, copies: None, objection: None, text: format!("{says:?}") })
    };
    Witness { name: name.to_string(), engine: "stand-in", every: 1, ask: Box::new(ask) }
}

fn honest() -> Witness {
    stand_in("honest", |case| case.truth)
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
    let saved = run(0..1000, &witnesses, &folder, |_| ()).expect_err("some program is unsafe");
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
    let saved = run(0..1000, &[honest(), stand_in("liar", lies)], &folder, |_| ()).expect_err("it lies");
    assert_eq!(saved.seed % 7, 5, "programs with any number of copies");
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
    let saved = run(0..1000, &witnesses, &folder, |_| ()).expect_err("they contradict each other");
    assert!(saved.problem.contains("one: Safe") && saved.problem.contains("other: Unsafe"), "{}", saved.problem);
    let _ = std::fs::remove_dir_all(folder);
}

/// All engines, all kinds of programs; a longer run is `cargo xtask soundness`.
#[test]
fn all_engines_agree() {
    threadwise_solver_setup::solver_for_tests();
    let folder = folder("all");
    let table = match run(0..28, &engines_as_witnesses(), &folder, |_| ()) {
        Ok(table) => table,
        Err(saved) => panic!("{saved}"),
    };
    assert_eq!((table.programs, table.engines.len()), (28, 7), "{table}");
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn the_same_number_gives_the_same_program() {
    for seed in 0..14 {
        let text = || threadwise_front_tw::printer::print(&Case::random(seed).expect("loads").module);
        assert_eq!(text(), text(), "seed {seed}");
    }
    let case = Case::random(1).expect("loads");
    assert!(question(&case, &[honest()], |_| true).contradiction.is_none());
}
