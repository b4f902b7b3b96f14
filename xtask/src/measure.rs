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
    measure_within(command, seconds, PATIENCE * seconds)
}

/// The same, until `wall` seconds have passed.
fn measure_within(command: &mut Command, cpu: u64, wall: u64) -> Result<Measured> {
    let mut limited = Command::new("timeout");
    limited.arg(wall.to_string()).arg("prlimit").arg(format!("--cpu={cpu}"));
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
    // With these `timeout` and `prlimit` say that they could not start the command.
    anyhow::ensure!(!used.status.code().is_some_and(|code| (125..128).contains(&code)), "cannot run {command:?}");
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

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, seconds: u64) -> Result<Measured> {
        measure(Command::new("sh").args(["-c", script]), seconds)
    }

    #[test]
    fn a_command_that_ends_is_measured() {
        let measured = shell("echo said; exit 10", 5).expect("it runs");
        assert!(measured.finished, "an exit code other than 0 is an answer");
        assert_eq!(measured.output, "said\n");
        assert!(measured.cpu_seconds < 2.0 && measured.peak_bytes > 0);
    }

    /// Also where the signals that say so are ignored.
    #[test]
    fn a_command_that_computes_too_long_is_ended() {
        for script in ["while :; do :; done", "trap '' XCPU TERM; while :; do :; done"] {
            let measured = shell(&format!("echo said; {script}"), 1).expect("it runs");
            assert!(!measured.finished, "{script}");
            assert!((0.5..3.0).contains(&measured.cpu_seconds), "{script}: {} s", measured.cpu_seconds);
            assert_eq!(measured.output, "said\n");
        }
    }

    #[test]
    fn a_command_that_waits_too_long_is_ended() {
        let measured = measure_within(Command::new("sleep").arg("60"), 5, 1).expect("it runs");
        assert!(!measured.finished && measured.cpu_seconds < 1.0);
    }

    #[test]
    fn a_command_that_is_not_there_is_no_measurement() {
        assert!(measure(&mut Command::new("no-such-program-anywhere"), 5).is_err());
    }
}
