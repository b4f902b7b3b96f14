//! The examples in C: each says what comes of which property, and `auto` has to find out.

use std::path::Path;
use std::time::Duration;
use threadwise_frontends::{Options, PROPERTY, frontend_for};
use threadwise_limits::Budget;
use threadwise_portfolio::{Request, verify};
use threadwise_source::SourceFile;
use threadwise_suite::c_examples;

const PROPERTIES: [&str; 4] = ["assertions", "races", "memory", "locks"];

/// The verdict on one property of a program.
fn verdict(path: &Path, text: &str, property: &str) -> String {
    let file = SourceFile::new(path.display().to_string(), text);
    let mut options = Options::default();
    options.add(&PROPERTY, property);
    let loaded = frontend_for(path).load(vec![file], &options, &Budget::unlimited());
    let Some(program) = loaded.program else {
        panic!("{}", threadwise_diagnostics::render(&loaded.source, &loaded.diagnostics, false));
    };
    let budget = Budget::new(Some(Duration::from_secs(120)), None);
    verify(&program, &Request::default(), &budget).verdict.word().to_uppercase()
}

#[test]
fn examples_in_c_are_what_they_say() {
    let mut asked = 0;
    for path in c_examples() {
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
    assert!(asked > 30, "{asked} questions were asked");
}
