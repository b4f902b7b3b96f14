//! All programs here keep the rules that engines rely on, and so do those with abstract threads in the places of their
//! threads. `crates/front-tw/tests/lower/validate.rs` shows that broken rules are seen.

use std::sync::Arc;
use threadwise_ir::Program;
use threadwise_suite::{
    corpus, damaged_program, damaged_system, examples, random_abstraction, random_annotated, try_program,
};

fn assert_valid(name: &str, program: &Arc<Program>) {
    assert_eq!(program.validate(), Vec::<String>::new(), "{name}");
    if let Ok(abstraction) = program.abstraction() {
        assert_eq!(abstraction.composition.validate(), Vec::<String>::new(), "{name}, composed");
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
    let made: [(&str, fn(u64) -> String); 4] = [
        ("annotated.tw", random_annotated),
        ("abstraction.tw", random_abstraction),
        ("damaged.tw", damaged_program),
        ("damaged.ts", damaged_system),
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
