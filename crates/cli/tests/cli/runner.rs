//! Runs the program and keeps what it said.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What a run said, and how it ended.
pub struct Said {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Said {
    /// Standard output as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).expect("standard output should be one JSON object")
    }

    /// Standard output without what differs from run to run.
    pub fn redacted(&self) -> String {
        let redact = |line: &str| match line.strip_prefix("  effort") {
            Some(_) => "  effort    [TIME], [MEMORY]".to_string(),
            None => line.to_string(),
        };
        let lines: Vec<String> = self.stdout.lines().map(redact).collect();
        lines.join("\n") + "\n"
    }
}

/// The program, in the directory of the test programs and with a plain environment.
pub fn threadwise(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadwise"));
    command.args(args).current_dir(programs());
    command.env_remove("COLUMNS").env_remove("NO_COLOR");
    command.env_remove("CLICOLOR_FORCE").env_remove("CLICOLOR");
    command
}

/// Runs the program without input.
pub fn run(args: &[&str]) -> Said {
    said(threadwise(args).stdin(Stdio::null()))
}

/// Runs the program with this text on standard input.
pub fn run_with_input(args: &[&str], input: &str) -> Said {
    let mut command = threadwise(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().expect("it should start");
    let mut stdin = child.stdin.take().expect("standard input is a pipe");
    stdin.write_all(input.as_bytes()).expect("it should read its input");
    drop(stdin);
    collect(child.wait_with_output().expect("it should end"))
}

/// Runs a command.
pub fn said(command: &mut Command) -> Said {
    collect(command.output().expect("it should run"))
}

fn collect(output: std::process::Output) -> Said {
    Said {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).expect("standard output should be text"),
        stderr: String::from_utf8(output.stderr).expect("standard error should be text"),
    }
}

/// Where the test programs are.
pub fn programs() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

/// A fresh path for a file of this test.
pub fn scratch(name: &str) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cli");
    std::fs::create_dir_all(&directory).expect("the directory can be made");
    let path = directory.join(name);
    let _ = std::fs::remove_file(&path);
    path
}

/// The path as an argument.
pub fn arg(path: &std::path::Path) -> &str {
    path.to_str().expect("test paths are text")
}
