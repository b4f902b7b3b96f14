//! `cargo xtask fuzz`: damaged programs until the time is up.

use anyhow::{Result, bail};
use std::panic::catch_unwind;
use std::time::{Duration, Instant};
use threadwise_front_tw::{Options, load};
use threadwise_source::{SourceFile, render};
use threadwise_suite::damaged_program;

/// Loads damaged programs until the time is up or one makes the front end panic; that is saved.
pub fn run(seconds: u64, first_seed: u64) -> Result<()> {
    let start = Instant::now();
    let mut accepted = 0;
    for seed in first_seed.. {
        if start.elapsed() >= Duration::from_secs(seconds) {
            println!("{} damaged programs, {accepted} of them still programs: no panic", seed - first_seed);
            break;
        }
        let text = damaged_program(seed);
        match catch_unwind(|| loads(&text)) {
            Ok(program) => accepted += program as u64,
            Err(_) => {
                let file = format!("panic-{seed}.tw");
                std::fs::write(&file, &text)?;
                bail!("seed {seed} makes the front end panic; the program is in {file}");
            }
        }
    }
    Ok(())
}

fn loads(text: &str) -> bool {
    let file = SourceFile::new("fuzz.tw", text);
    let lowered = load(file.clone(), &Options::default());
    render(&file, &lowered.diagnostics, false);
    lowered.program.is_some()
}
