//! All programs here keep the rules that engines rely on, and so do those with abstract threads in the places of their
//! threads. `crates/front-tw/tests/lower/validate.rs` shows that broken rules are seen.

use std::path::Path;
use std::sync::Arc;
use threadwise_frontends::frontend_for;
use threadwise_ir::Program;
use threadwise_suite::{corpus, damaged_program, examples, random_abstraction, random_annotated, try_program};
use threadwise_validate::validate;

fn assert_valid(name: &str, program: &Arc<Program>) {
    assert_eq!(validate(program), Vec::<String>::new(), "{name}");
    if let Ok(abstraction) = program.abstraction() {
        assert_eq!(validate(&abstraction.composition), Vec::<String>::new(), "{name}, composed");
    }
}

#[test]
fn examples_and_corpus_are_valid() {
    for example in examples().into_iter().chain(corpus()) {
        assert_valid(&example.path.display().to_string(), &example.program());
    }
}

#[test]
fn random_programs_are_valid() {
    let damaged = |name: &str, seed| damaged_program(frontend_for(Path::new(name)), seed);
    let made: [(&str, &dyn Fn(u64) -> String); 4] = [
        ("annotated.tw", &random_annotated),
        ("abstraction.tw", &random_abstraction),
        ("damaged.tw", &|seed| damaged("damaged.tw", seed)),
        ("damaged.ts", &|seed| damaged("damaged.ts", seed)),
    ];
    let mut programs = 0;
    for (name, make) in made {
        for seed in 0..300 {
            if let Ok(program) = try_program(name, &make(seed)) {
                assert_valid(&format!("{name} {seed}"), &program);
                programs += 1;
            }
        }
    }
    assert!(programs > 600, "only {programs} of them are programs");
}
