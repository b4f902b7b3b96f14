//! `cargo xtask limits`: random expensive programs under small limits, and by how much these are missed.

use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use threadwise_suite::expensive_program;
use wait4::Wait4;

/// How many runs, and under which limits.
#[derive(clap::Args)]
pub struct Options {
    /// How many runs to make.
    #[arg(long, default_value_t = 200)]
    runs: u64,
    /// The number of the first program; the same number gives the same program.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The limit of each run, in seconds.
    #[arg(long, default_value_t = 1.0)]
    timeout: f64,
    /// The limit of each run, in MiB.
    #[arg(long, default_value_t = 500)]
    memory: u64,
    /// The program to run.
    #[arg(long, default_value = "target/release/threadwise")]
    program: PathBuf,
}

const ENGINES: [&str; 13] = [
    "explicit",
    "modular",
    "cartesian",
    "contracts",
    "conformance",
    "predicates",
    "locks",
    "intervals",
    "coverability",
    "lockstep",
    "relations",
    "hunt",
    "auto",
];

/// The exit codes of SAFE, UNSAFE and UNKNOWN.
const VERDICTS: [i32; 3] = [0, 10, 5];

/// What one run used.
struct Used {
    what: String,
    late: Duration,
    mebibytes: u64,
}

/// Makes the runs, and prints the worst.
pub fn run(options: &Options) -> Result<()> {
    threadwise_solver_setup::solver_for_tests();
    let file = std::env::temp_dir().join(format!("threadwise-limits-{}.tw", std::process::id()));
    let mut all = Vec::new();
    for seed in options.seed..options.seed + options.runs {
        std::fs::write(&file, expensive_program(seed)).context("cannot write the program")?;
        let used = one_run(options, seed, &file);
        // The program is of no use any more, whatever came of it.
        let _ = std::fs::remove_file(&file);
        all.push(used?);
    }
    let Some(latest) = all.iter().max_by_key(|used| used.late) else { bail!("no run was asked for") };
    println!("{} runs, {} s and {} MiB each", all.len(), options.timeout, options.memory);
    println!("latest: {} ms after the limit, {}", latest.late.as_millis(), latest.what);
    if let Some(largest) = all.iter().max_by_key(|used| used.mebibytes) {
        println!("largest: {} MiB, {}", largest.mebibytes, largest.what);
    }
    let late = all.iter().filter(|used| used.late > Duration::from_millis(500)).count();
    println!("later than 500 ms after the limit: {late}");
    Ok(())
}

fn one_run(options: &Options, seed: u64, file: &std::path::Path) -> Result<Used> {
    let engine = ENGINES[seed as usize % ENGINES.len()];
    let mut command = Command::new(&options.program);
    command.arg("check").arg(file).args(["--engine", engine, "--quiet"]);
    command.args(["--timeout", &options.timeout.to_string(), "--memory", &options.memory.to_string()]);
    let started = Instant::now();
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let child = child.with_context(|| format!("cannot start {}", options.program.display()))?;
    let usage = child.wait4()?;
    let late = started.elapsed().saturating_sub(Duration::from_secs_f64(options.timeout));
    let mebibytes = usage.rusage.maxrss >> 20;
    let what = format!("program {seed} with {engine}");
    if !usage.status.code().is_some_and(|code| VERDICTS.contains(&code)) {
        bail!("{what} ended with {}", usage.status);
    }
    Ok(Used { what, late, mebibytes })
}
