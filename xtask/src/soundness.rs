//! `cargo xtask soundness`: random programs until the time is up.

use anyhow::{Result, bail};
use std::path::Path;
use std::time::{Duration, Instant};
use threadwise_suite::soundness::{Origin, engines_as_witnesses, run as question_all};

/// How often to tell how far it has come.
const TELL_EVERY: Duration = Duration::from_secs(10);

/// Compares all engines until the time is up or a program shows a disagreement; that is made small and saved.
pub fn run(seconds: u64, first_seed: u64) -> Result<()> {
    threadwise_solver_setup::solver_for_tests();
    let start = Instant::now();
    let mut told = start;
    // Programs of both generators by turns.
    let origins = (first_seed..).flat_map(Origin::both).take_while(|_| start.elapsed() < Duration::from_secs(seconds));
    let done = question_all(origins, &engines_as_witnesses(), Path::new("."), |table| {
        if told.elapsed() >= TELL_EVERY {
            told = Instant::now();
            let (programs, dangerous) = (table.programs, table.unsafe_programs);
            eprintln!("{:>5} s: {programs} programs, {dangerous} of them unsafe", start.elapsed().as_secs());
        }
    });
    match done {
        Ok(table) => {
            print!("{table}");
            println!("no disagreement");
            Ok(())
        }
        Err(saved) => bail!("{saved}"),
    }
}
