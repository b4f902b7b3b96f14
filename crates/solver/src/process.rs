//! A solver process, and what it says, with limits enforced from outside.

use crate::{SolverCommand, SolverError};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::time::{Duration, Instant};
use threadwise_limits::{Budget, CountedIn};

/// How often the limits are looked at while the solver thinks.
const GLANCE: Duration = Duration::from_millis(20);

/// No answer is longer than this, in bytes: proofs and models of the largest programs are far shorter.
const LONGEST_ANSWER: usize = 64 << 20;

/// Output is read in pieces of a line, or of this many bytes where there is no end of it.
const PIECE: u64 = 1 << 16;

/// So many pieces are read before somebody asks for them. A solver that says more has to wait.
const PIECES_AHEAD: usize = 256;

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
    _counted_in: CountedIn,
    input: Option<Sender<String>>,
    pieces: Receiver<Vec<u8>>,
    complaints: Receiver<Vec<u8>>,
}

impl Process {
    pub(crate) fn spawn(command: &SolverCommand) -> Result<Process, SolverError> {
        let mut starter = Command::new(&command.program);
        starter.args(&command.args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        lead_a_group(&mut starter);
        let mut child = starter
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
        let pieces = pieces_of(child.stdout.take().expect("the pipe was asked for"));
        let complaints = last_line_of(child.stderr.take().expect("the pipe was asked for"));
        let _counted_in = CountedIn::new(child.id());
        Ok(Process { child, _counted_in, input: Some(input), pieces, complaints })
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
        let mut answer = Output::default();
        loop {
            match self.pieces.recv_timeout(GLANCE) {
                Ok(piece) => {
                    if answer.take(&piece, last)? {
                        return Ok(answer.into_text());
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) if last.is_none() => return Ok(answer.into_text()),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(SolverError::Died(self.last_words(&answer.into_text())));
                }
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
            patience.budget.note_impatience();
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
        let complaint = self.complaints.recv_timeout(5 * GLANCE).ok().filter(|line| !line.is_empty());
        let complaint = complaint.map(|line| String::from_utf8_lossy(&line).into_owned());
        complaint.or_else(|| output.lines().last().map(String::from)).unwrap_or_default()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        end_the_group(&self.child);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a solver has said so far in answer to a question.
#[derive(Default)]
struct Output {
    text: Vec<u8>,
    /// Where the last line begins.
    line: usize,
}

impl Output {
    /// Adds a piece; tells whether it ended a line that is exactly `last`, which is no part of the answer.
    fn take(&mut self, piece: &[u8], last: Option<&str>) -> Result<bool, SolverError> {
        self.text.extend_from_slice(piece);
        if self.text.len() > LONGEST_ANSWER {
            return Err(SolverError::Protocol(format!("its answer has more than {} MiB", LONGEST_ANSWER >> 20)));
        }
        if piece.last() != Some(&b'\n') {
            return Ok(false);
        }
        let line = String::from_utf8_lossy(&self.text[self.line..]);
        if last.is_some_and(|last| line.trim_end_matches(['\r', '\n']).trim_matches('"') == last) {
            self.text.truncate(self.line);
            return Ok(true);
        }
        self.line = self.text.len();
        Ok(false)
    }

    fn into_text(self) -> String {
        String::from_utf8_lossy(&self.text).into_owned()
    }
}

/// What the process starts will be of its group, so that all of it can be ended.
#[cfg(unix)]
fn lead_a_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
fn lead_a_group(_: &mut Command) {}

/// Ends the process and all that it started, and that did not leave its group.
#[cfg(unix)]
fn end_the_group(child: &Child) {
    let group = nix::unistd::Pid::from_raw(child.id() as i32);
    let _ = nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGKILL);
}

#[cfg(not(unix))]
fn end_the_group(_: &Child) {}

/// The output of a process, piece by piece. Whoever does not take them makes the process wait.
fn pieces_of(pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = sync_channel(PIECES_AHEAD);
    std::thread::spawn(move || for_each_piece(pipe, |piece| sender.send(piece).is_ok()));
    receiver
}

/// The last line of an output, when it has ended. Nothing else is kept of it.
fn last_line_of(pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut last = Vec::new();
        for_each_piece(pipe, |piece| {
            if !piece.trim_ascii().is_empty() {
                last = piece.trim_ascii().to_vec();
            }
            true
        });
        let _ = sender.send(last);
    });
    receiver
}

/// Calls `each` with the pieces of an output until it ends or `each` wants no more.
fn for_each_piece(pipe: impl Read, mut each: impl FnMut(Vec<u8>) -> bool) {
    let mut reader = BufReader::new(pipe);
    loop {
        let mut piece = Vec::new();
        match reader.by_ref().take(PIECE).read_until(b'\n', &mut piece) {
            Ok(1..) if each(piece) => {}
            _ => return,
        }
    }
}

/// The bytes of memory that a process holds; 0 where the system does not tell.
fn memory_of(pid: u32) -> u64 {
    let Ok(text) = std::fs::read_to_string(format!("/proc/{pid}/status")) else { return 0 };
    let kib =
        text.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}
