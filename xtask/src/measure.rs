//! Runs a command and measures it.

use anyhow::{Context, Result};
use std::io::Read;
use std::process::{Command, Stdio};
use wait4::Wait4;

/// What a command used, and what it printed.
pub struct Measured {
    /// User and system time.
    pub cpu_seconds: f64,
    /// The most memory that was resident.
    pub peak_bytes: u64,
    /// Standard output.
    pub output: String,
    /// Whether it ended by itself, within the time.
    pub finished: bool,
}

/// Where other programs run too, a command may take so many times as long as it computes.
const PATIENCE: u64 = 8;

/// Runs a command until it has computed for `seconds`.
pub fn measure(command: &mut Command, seconds: u64) -> Result<Measured> {
    let mut limited = Command::new("timeout");
    limited.arg((PATIENCE * seconds).to_string()).arg("prlimit").arg(format!("--cpu={seconds}"));
    limited.arg(command.get_program()).args(command.get_args());
    if let Some(dir) = command.get_current_dir() {
        limited.current_dir(dir);
    }
    let mut child = limited
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot run {command:?}"))?;
    let mut output = String::new();
    child.stdout.take().context("no output")?.read_to_string(&mut output)?;
    let used = child.wait4()?;
    Ok(Measured {
        cpu_seconds: (used.rusage.utime + used.rusage.stime).as_secs_f64(),
        peak_bytes: used.rusage.maxrss,
        output,
        // `timeout` ends with 124, and like the command where that is killed for computing too long.
        finished: used.status.code().is_some_and(|code| code != 124 && code < 128),
    })
}

/// Runs a command that must succeed, without measuring it.
pub fn build(command: &mut Command) -> Result<()> {
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot run {command:?}"))?;
    anyhow::ensure!(
        output.status.success(),
        "{command:?} failed:\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}
