//! A short run of what `cargo xtask fuzz` does for as long as asked.

use threadwise_front_tw::{Options, load};
use threadwise_source::{SourceFile, render};
use threadwise_suite::damaged_program;

#[test]
fn damaged_programs_are_programs_or_get_diagnostics() {
    for seed in 0..2_000 {
        let file = SourceFile::new("damaged.tw", damaged_program(seed));
        let lowered = load(file.clone(), &Options::default());
        let text = render(&file, &lowered.diagnostics, false);
        assert!(lowered.program.is_some() || text.contains("damaged.tw:"), "seed {seed}:\n{}", file.text());
    }
}
