//! Limits on time and memory, interruption, and word of how far the work has come.
//!
//! Every loop that can run long asks its [`Budget`] now and then, and leaves with the
//! [`Limit`] it met. Nothing here knows what the work is.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A limit that the work ran into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// The time is used up.
    Time(Duration),
    /// The memory is used up; bytes.
    Memory(u64),
    /// The user interrupted.
    Interrupted,
    /// The machine has no more memory to give.
    OutOfMemory,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Time(limit) => write!(f, "time limit of {} s reached", limit.as_secs_f64()),
            Limit::Memory(bytes) => write!(f, "memory limit of {} MiB reached", bytes >> 20),
            Limit::Interrupted => f.write_str("interrupted"),
            Limit::OutOfMemory => f.write_str("out of memory"),
        }
    }
}

/// What the work may use. Clones share the interruption and the progress.
#[derive(Clone, Debug)]
pub struct Budget {
    started: Instant,
    time: Option<Duration>,
    memory: Option<u64>,
    /// What the machine can give, at the start.
    machine: Option<u64>,
    interrupted: Arc<AtomicBool>,
    progress: Option<Arc<Progress>>,
}

/// What the work says about how far it has come.
#[derive(Debug, Default)]
pub struct Progress(Mutex<String>);

impl Progress {
    /// The latest word.
    pub fn text(&self) -> String {
        self.0.lock().map(|text| text.clone()).unwrap_or_default()
    }
}

impl Budget {
    /// A budget that starts now.
    pub fn new(time: Option<Duration>, memory_bytes: Option<u64>) -> Budget {
        Budget {
            started: Instant::now(),
            time,
            memory: memory_bytes,
            machine: available_memory().map(|bytes| bytes / 20 * 19),
            interrupted: Arc::default(),
            progress: None,
        }
    }

    /// No limits.
    pub fn unlimited() -> Budget {
        Budget::new(None, None)
    }

    /// The same budget with somewhere to leave word of progress.
    pub fn with_progress(mut self, progress: Arc<Progress>) -> Budget {
        self.progress = Some(progress);
        self
    }

    /// A part of this budget: at most that much more time, and all other limits.
    pub fn slice(&self, time: Duration) -> Budget {
        let until = self.elapsed() + time;
        Budget { time: Some(self.time.map_or(until, |all| all.min(until))), ..self.clone() }
    }

    /// Set this to interrupt the work.
    pub fn interrupter(&self) -> Arc<AtomicBool> {
        self.interrupted.clone()
    }

    /// The time since the budget started.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// The time that is left, if it is limited.
    pub fn time_left(&self) -> Option<Duration> {
        self.time.map(|time| time.saturating_sub(self.elapsed()))
    }

    /// The memory limit in bytes.
    pub fn memory(&self) -> Option<u64> {
        self.memory
    }

    /// Whether the work may go on. Cheap enough for every few thousand steps of a loop.
    pub fn check(&self) -> Result<(), Limit> {
        self.check_for(0)
    }

    /// Whether the work may go on and take that many bytes more.
    pub fn check_for(&self, more_bytes: u64) -> Result<(), Limit> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(Limit::Interrupted);
        }
        if let Some(time) = self.time
            && self.elapsed() >= time
        {
            return Err(Limit::Time(time));
        }
        let wanted = memory_in_use().saturating_add(more_bytes);
        if let Some(memory) = self.memory.filter(|&memory| wanted > memory) {
            return Err(Limit::Memory(memory));
        }
        if self.machine.is_some_and(|machine| wanted > machine) {
            return Err(Limit::OutOfMemory);
        }
        Ok(())
    }

    /// Leaves word of progress, if anybody listens.
    pub fn report(&self, text: impl FnOnce() -> String) {
        if let Some(progress) = &self.progress
            && let Ok(mut latest) = progress.0.lock()
        {
            *latest = text();
        }
    }
}

/// The bytes of memory this process holds now; 0 where the system does not tell.
pub fn memory_in_use() -> u64 {
    status_field("VmRSS:")
}

/// The most bytes of memory this process has held; 0 where the system does not tell.
pub fn peak_memory() -> u64 {
    status_field("VmHWM:")
}

fn status_field(name: &str) -> u64 {
    proc_field("/proc/self/status", name).unwrap_or(0)
}

/// The bytes this process could hold: what it holds and what the machine has left.
fn available_memory() -> Option<u64> {
    Some(memory_in_use() + proc_field("/proc/meminfo", "MemAvailable:")?)
}

fn proc_field(file: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = rest.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kib * 1024)
}
