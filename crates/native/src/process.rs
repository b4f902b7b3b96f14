//! The real program as a process that is told when its threads go on.

use crate::Trouble;
use crate::event::{Event, Kind};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

const GO: u64 = 1;
const PEEK: u64 = 2;
const POKE: u64 = 3;

/// The runtime gives at most so many bytes at once.
const MOST_BYTES: u64 = 1 << 16;

/// A running program, ended when it is dropped, with all that it started.
pub(crate) struct Process {
    child: Child,
    orders: ChildStdin,
    events: Receiver<(Event, Vec<u8>)>,
    deadline: Instant,
}

impl Process {
    /// Starts a program with so many arguments, its name included. It is ended after some time.
    pub(crate) fn start(binary: &Path, arguments: usize, limit: Duration) -> Result<Process, Trouble> {
        let mut command = Command::new(binary);
        command.args(std::iter::repeat_n("argument", arguments.saturating_sub(1)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child =
            command.spawn().map_err(|e| Trouble::Compiler(format!("the compiled program cannot be started: {e}")))?;
        let orders = child.stdin.take().expect("the pipe was asked for");
        let mut output = child.stdout.take().expect("the pipe was asked for");
        let (sender, events) = sync_channel(16);
        std::thread::spawn(move || {
            while let Some(said) = next(&mut output) {
                if sender.send(said).is_err() {
                    return;
                }
            }
        });
        Ok(Process { child, orders, events, deadline: Instant::now() + limit })
    }

    /// What the thread that runs comes to next; nothing where the process has ended.
    pub(crate) fn next(&mut self) -> Result<Option<(Event, Vec<u8>)>, Trouble> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        match self.events.recv_timeout(left) {
            Ok(said) => Ok(Some(said)),
            Err(RecvTimeoutError::Timeout) => Err(Trouble::Time),
            Err(RecvTimeoutError::Disconnected) => Ok(None),
        }
    }

    /// A thread goes on with a value, until its next event.
    pub(crate) fn go(&mut self, thread: usize, value: u64) -> Result<Option<Event>, Trouble> {
        self.order([GO, thread as u64, 0, value]);
        Ok(self.next()?.map(|(event, _)| event))
    }

    /// The bytes at an address.
    pub(crate) fn peek(&mut self, address: u64, size: u64) -> Result<Vec<u8>, Trouble> {
        self.order([PEEK, 0, address, size.min(MOST_BYTES)]);
        match self.next()? {
            Some((Event { kind: Kind::Data, .. }, bytes)) => Ok(bytes),
            _ => Ok(Vec::new()),
        }
    }

    /// Stores up to eight bytes.
    pub(crate) fn poke(&mut self, address: u64, size: u64, value: u64) {
        self.order([POKE, size, address, value]);
    }

    /// A process that has ended does not listen; the next event that is asked for tells.
    fn order(&mut self, words: [u64; 4]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let _ = self.orders.write_all(&bytes).and_then(|()| self.orders.flush());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let group = nix::unistd::Pid::from_raw(self.child.id() as i32);
        let _ = nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGKILL);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn next(output: &mut impl Read) -> Option<(Event, Vec<u8>)> {
    let mut bytes = [0; 8 * Event::WORDS];
    output.read_exact(&mut bytes).ok()?;
    let mut words = [0; Event::WORDS];
    for (word, chunk) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        *word = u64::from_ne_bytes(chunk.try_into().ok()?);
    }
    let event = Event::of_words(words)?;
    let size = if event.kind == Kind::Data { event.size.min(MOST_BYTES) } else { 0 };
    let mut data = vec![0; size as usize];
    output.read_exact(&mut data).ok()?;
    Some((event, data))
}
