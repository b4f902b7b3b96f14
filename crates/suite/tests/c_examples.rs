//! The examples in C, and the C programs of the corpus: each says what comes of which property, and `auto` has to find out.

use std::path::{Path, PathBuf};
use std::time::Duration;
use threadwise_frontends::{Options, PROPERTY, frontend_for};
use threadwise_limits::Budget;
use threadwise_portfolio::{Request, verify};
use threadwise_source::SourceFile;
use threadwise_suite::{c_corpus, c_examples};

const PROPERTIES: [&str; 7] = ["assertions", "races", "memory", "overflow", "locks", "deadlock", "memtrack"];

/// The verdict on one property of a program, whose bounds are raised as long as it goes beyond them.
fn verdict(path: &Path, text: &str, property: &str) -> String {
    let mut options = Options::default();
    options.add(&PROPERTY, property);
    for level in 0.. {
        let file = SourceFile::new(path.display().to_string(), text);
        let loaded = frontend_for(path).load_within(vec![file], &options.at_level(level), &Budget::unlimited());
        let loaded = loaded.expect("there is no limit");
        let Some(program) = loaded.program else {
            panic!("{}", threadwise_diagnostics::render(&loaded.source, &loaded.diagnostics, false));
        };
        let budget = Budget::new(Some(Duration::from_secs(120)), None);
        let request = Request { bounded: loaded.bounded.clone().into(), ..Request::default() };
        let outcome = verify(&program, &request, &budget);
        if !outcome.goes_beyond(&program, &loaded.bounded) {
            return outcome.verdict.word().to_uppercase();
        }
    }
    unreachable!("bounds are not raised for ever")
}

#[test]
fn examples_in_c_are_what_they_say() {
    assert!(asked_about(c_examples()) > 30);
}

#[test]
fn c_programs_of_the_corpus_are_what_they_say() {
    assert!(asked_about(c_corpus()) > 90);
}

/// Asks about all that the programs say of themselves, and tells how many questions that was.
fn asked_about(paths: Vec<PathBuf>) -> usize {
    threadwise_solver_setup::solver_for_tests();
    let mut asked = 0;
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("readable example");
        let said: Vec<(&str, &str)> = PROPERTIES
            .into_iter()
            .filter_map(|property| {
                let prefix = format!("// {property}: ");
                text.lines().find_map(|line| line.strip_prefix(prefix.as_str())).map(|value| (property, value.trim()))
            })
            .collect();
        assert!(!said.is_empty(), "{} says nothing", path.display());
        for (property, expected) in said {
            assert_eq!(verdict(&path, &text, property), expected, "{property} of {}", path.display());
            asked += 1;
        }
    }
    asked
}
