//! A short run of what `cargo xtask fuzz` does for as long as asked.

use std::path::Path;
use threadwise_diagnostics::render;
use threadwise_frontends::{Frontend, Options, frontend_for, frontends};
use threadwise_limits::Budget;
use threadwise_source::SourceFile;
use threadwise_suite::damaged_program;

/// How many of the damaged programs are still programs; the others must get diagnostics.
fn survivors(frontend: &dyn Frontend) -> usize {
    let name = format!("damaged.{}", frontend.extensions()[0]);
    let survives = |seed: &u64| {
        let file = SourceFile::new(name.clone(), damaged_program(frontend, *seed));
        let loaded = frontend.load(vec![file], &Options::default(), &Budget::unlimited());
        let text = render(&loaded.source, &loaded.diagnostics, false);
        let is_answered = loaded.program.is_some() || text.contains(&format!("{name}:"));
        assert!(is_answered, "seed {seed}:\n{}", damaged_program(frontend, *seed));
        loaded.program.is_some()
    };
    (0..2_000).filter(survives).count()
}

#[test]
fn damaged_programs_are_programs_or_get_diagnostics() {
    for frontend in frontends().iter().filter(|frontend| !frontend.is_compiled()) {
        assert!(survivors(*frontend) < 2_000, "the damage to {} does none", frontend.noun());
    }
}

#[test]
fn some_damaged_transition_systems_are_still_systems() {
    let systems = survivors(frontend_for(Path::new("a.ts")));
    assert!((100..1_900).contains(&systems), "{systems} of the systems survived the damage");
}
