//! A short run of what `cargo xtask fuzz` does for as long as asked.

use threadwise_front_tw::{Options, load};
use threadwise_source::{SourceFile, render};
use threadwise_suite::{damaged_program, damaged_system};

#[test]
fn damaged_programs_are_programs_or_get_diagnostics() {
    for seed in 0..2_000 {
        let file = SourceFile::new("damaged.tw", damaged_program(seed));
        let lowered = load(file.clone(), &Options::default());
        let text = render(&file, &lowered.diagnostics, false);
        assert!(lowered.program.is_some() || text.contains("damaged.tw:"), "seed {seed}:\n{}", file.text());
    }
}

#[test]
fn damaged_transition_systems_are_programs_or_get_diagnostics() {
    let mut programs = 0;
    for seed in 0..2_000 {
        let file = SourceFile::new("damaged.ts", damaged_system(seed));
        let loaded = threadwise_front_ts::load(file.clone());
        let text = render(&file, &loaded.diagnostics, false);
        assert!(loaded.program.is_some() || text.contains("damaged.ts:"), "seed {seed}:\n{}", file.text());
        programs += usize::from(loaded.program.is_some());
    }
    assert!((100..1_900).contains(&programs), "{programs} of the systems survived the damage");
}
