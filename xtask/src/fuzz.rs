//! `cargo xtask fuzz`: damaged programs until the time is up.

use anyhow::{Result, bail};
use std::panic::catch_unwind;
use std::time::{Duration, Instant};
use threadwise_frontends::frontends;
use threadwise_suite::{damaged_program, try_program};

/// Loads damaged programs in all languages in turn until the time is up or one makes a front end panic; that is
/// saved.
pub fn run(seconds: u64, first_seed: u64) -> Result<()> {
    let start = Instant::now();
    let mut accepted = 0;
    for seed in first_seed.. {
        if start.elapsed() >= Duration::from_secs(seconds) {
            println!("{} damaged programs, {accepted} of them still programs: no panic", seed - first_seed);
            break;
        }
        let written: Vec<_> = frontends().iter().filter(|frontend| !frontend.is_compiled()).collect();
        let frontend = *written[seed as usize % written.len()];
        let (text, extension) = (damaged_program(frontend, seed), frontend.extensions()[0]);
        match catch_unwind(|| try_program(&format!("fuzz.{extension}"), &text).is_ok()) {
            Ok(program) => accepted += program as u64,
            Err(_) => {
                let file = format!("panic-{seed}.{extension}");
                std::fs::write(&file, &text)?;
                bail!("seed {seed} makes the front end panic; the program is in {file}");
            }
        }
    }
    Ok(())
}
