//! A solver process, and what it says, with limits enforced from outside.

use crate::{SolverCommand, SolverError};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use threadwise_limits::Budget;

/// How often the limits are looked at while the solver thinks.
const GLANCE: Duration = Duration::from_millis(20);

/// What a solver may use for one answer.
pub(crate) struct Patience<'a> {
    pub(crate) timeout: Duration,
    pub(crate) memory: Option<u64>,
    pub(crate) budget: &'a Budget,
}

/// A running solver. Reading and writing are done by threads of their own, so that neither a
/// solver that does not read nor one that does not answer can hold up the caller.
pub(crate) struct Process {
    child: Child,
    input: Option<Sender<String>>,
    lines: Receiver<String>,
    complaints: Receiver<String>,
}

impl Process {
    pub(crate) fn spawn(command: &SolverCommand) -> Result<Process, SolverError> {
        let mut child = Command::new(&command.program)
            .args(&command.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| SolverError::Missing(format!("cannot start {}: {e}", command.program.display())))?;
        let (input, to_write) = channel::<String>();
        let mut stdin = child.stdin.take().expect("the pipe was asked for");
        std::thread::spawn(move || {
            for text in to_write {
                if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    return;
                }
            }
        });
        let lines = lines_of(child.stdout.take().expect("the pipe was asked for"));
        let complaints = lines_of(child.stderr.take().expect("the pipe was asked for"));
        Ok(Process { child, input: Some(input), lines, complaints })
    }

    /// Hands text to the solver. If it has died, reading its answer will tell.
    pub(crate) fn write(&self, text: String) {
        if let Some(input) = &self.input {
            let _ = input.send(text);
        }
    }

    /// No more text will come.
    pub(crate) fn end_input(&mut self) {
        self.input = None;
    }

    /// The lines up to one that is exactly `last`, or to the end of the output if there is no `last`.
    /// The process is of no use after an error.
    pub(crate) fn read(&mut self, last: Option<&str>, patience: &Patience<'_>) -> Result<String, SolverError> {
        let started = Instant::now();
        let mut looked = started;
        let mut text = String::new();
        loop {
            match self.lines.recv_timeout(GLANCE) {
                Ok(line) if last.is_some_and(|last| line.trim_matches('"') == last) => return Ok(text),
                Ok(line) => {
                    text.push_str(&line);
                    text.push('\n');
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) if last.is_none() => return Ok(text),
                Err(RecvTimeoutError::Disconnected) => return Err(SolverError::Died(self.last_words(&text))),
            }
            if looked.elapsed() >= GLANCE {
                self.look_at_limits(started, patience)?;
                looked = Instant::now();
            }
        }
    }

    fn look_at_limits(&self, started: Instant, patience: &Patience<'_>) -> Result<(), SolverError> {
        patience.budget.check_while_served()?;
        if started.elapsed() >= patience.timeout {
            return Err(SolverError::Timeout(patience.timeout));
        }
        match patience.memory {
            Some(limit) if memory_of(self.child.id()) > limit => Err(SolverError::Memory(limit)),
            _ => Ok(()),
        }
    }

    /// The last line that was said before the end.
    fn last_words(&self, output: &str) -> String {
        // The pipe of complaints ends with the process, so this does not wait long.
        let complaint = std::iter::from_fn(|| self.complaints.recv_timeout(GLANCE).ok()).last();
        complaint.or_else(|| output.lines().last().map(String::from)).unwrap_or_default()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lines_of(pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(pipe).lines() {
            let Ok(line) = line else { return };
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

/// The bytes of memory that a process holds; 0 where the system does not tell.
fn memory_of(pid: u32) -> u64 {
    let Ok(text) = std::fs::read_to_string(format!("/proc/{pid}/status")) else { return 0 };
    let kib =
        text.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}
