//! Limits on time and memory, interruption, and word of how far the work has come.
//!
//! Every loop that can run long asks its [`Budget`] now and then, and leaves with the
//! [`Limit`] it met. Nothing here knows what the work is.

mod stack;
mod turns;

pub use stack::on_large_stack;
pub use turns::{Turns, Worker};

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
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

impl Limit {
    /// What the user can do about it.
    pub fn advice(&self) -> Option<String> {
        match self {
            Limit::Time(_) => Some("give it more time with `--timeout`".to_string()),
            Limit::Memory(_) => Some("give it more memory with `--memory`".to_string()),
            Limit::OutOfMemory => Some("use a machine with more memory".to_string()),
            Limit::Interrupted => None,
        }
    }
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
    /// The end of a slice, in working time.
    slice: Option<Duration>,
    memory: Option<u64>,
    /// What the machine can give, at the start.
    machine: Option<u64>,
    interrupted: Arc<AtomicBool>,
    /// Set when a part of the work is of no use any more.
    cancelled: Arc<AtomicBool>,
    /// The first limit that this part of the work met.
    met: Arc<OnceLock<Limit>>,
    worker: Option<Arc<Worker>>,
    progress: Option<Arc<Progress>>,
    /// The part of the work that speaks of its progress.
    part: &'static str,
}

/// What the work says about how far it has come: the latest word of each part.
#[derive(Debug, Default)]
pub struct Progress(Mutex<BTreeMap<&'static str, String>>);

impl Progress {
    /// The latest words.
    pub fn text(&self) -> String {
        let Ok(words) = self.0.lock() else { return String::new() };
        let line = |(part, word): (&&str, &String)| match *part {
            "" => word.clone(),
            part => format!("{part}: {word}"),
        };
        words.iter().map(line).collect::<Vec<String>>().join(" · ")
    }
}

impl Budget {
    /// A budget that starts now.
    pub fn new(time: Option<Duration>, memory_bytes: Option<u64>) -> Budget {
        Budget {
            started: Instant::now(),
            time,
            slice: None,
            memory: memory_bytes,
            machine: available_memory().map(|bytes| bytes / 20 * 19),
            interrupted: Arc::default(),
            cancelled: Arc::default(),
            met: Arc::default(),
            worker: None,
            progress: None,
            part: "",
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

    /// A part of this budget: at most that much more working time, and all other limits.
    pub fn slice(&self, time: Duration) -> Budget {
        let until = self.working_time() + time;
        Budget { slice: Some(self.slice.map_or(until, |slice| slice.min(until))), ..self.clone() }
    }

    /// The same budget for a part of the work that takes turns with others. Set what is handed back to cancel
    /// that part.
    pub fn part(&self, name: &'static str, worker: Arc<Worker>) -> (Budget, Arc<AtomicBool>) {
        let cancelled = Arc::new(AtomicBool::new(false));
        let part = Budget {
            cancelled: cancelled.clone(),
            met: Arc::default(),
            worker: Some(worker),
            part: name,
            ..self.clone()
        };
        (part, cancelled)
    }

    /// The first limit that this part of the work met, if any.
    pub fn limit_met(&self) -> Option<Limit> {
        self.met.get().copied()
    }

    /// The same budget with a part of its memory.
    pub fn with_share_of_memory(&self, part: u64, of: u64) -> Budget {
        let most = [self.memory, self.machine].into_iter().flatten().min();
        Budget { memory: most.map(|bytes| bytes / of * part), ..self.clone() }
    }

    /// Set this to interrupt the work.
    pub fn interrupter(&self) -> Arc<AtomicBool> {
        self.interrupted.clone()
    }

    /// The time since the budget started.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// The time since the budget started without that spent on waiting for turns.
    pub fn working_time(&self) -> Duration {
        let waited = self.worker.as_ref().map_or(Duration::ZERO, |worker| worker.waited());
        self.elapsed().saturating_sub(waited)
    }

    /// The time that is left, if it is limited.
    pub fn time_left(&self) -> Option<Duration> {
        let left = self.time.map(|time| time.saturating_sub(self.elapsed()));
        let of_slice = self.slice.map(|slice| slice.saturating_sub(self.working_time()));
        [left, of_slice].into_iter().flatten().min()
    }

    /// The memory limit in bytes.
    pub fn memory(&self) -> Option<u64> {
        self.memory
    }

    /// Whether the work may go on. Cheap enough for every few thousand steps of a loop.
    pub fn check(&self) -> Result<(), Limit> {
        self.check_for(0)
    }

    /// Whether the work may go on and take that many bytes more. Where others do, this waits for its turn.
    pub fn check_for(&self, more_bytes: u64) -> Result<(), Limit> {
        if let Some(worker) = &self.worker {
            worker.take_turn(|| self.check_time().is_err());
        }
        self.note_limit(more_bytes)
    }

    /// Whether the work may go on that another process does meanwhile. It cannot wait for its turn; it is made up
    /// for at the next [`check`](Budget::check).
    pub fn check_while_served(&self) -> Result<(), Limit> {
        if let Some(worker) = &self.worker {
            worker.be_served();
        }
        self.note_limit(0)
    }

    fn note_limit(&self, more_bytes: u64) -> Result<(), Limit> {
        self.look_at_limits(more_bytes).inspect_err(|&limit| {
            // The first one counts.
            let _ = self.met.set(limit);
        })
    }

    fn look_at_limits(&self, more_bytes: u64) -> Result<(), Limit> {
        self.check_time()?;
        let wanted = memory_in_use().saturating_add(more_bytes);
        if let Some(memory) = self.memory.filter(|&memory| wanted > memory) {
            return Err(Limit::Memory(memory));
        }
        if self.machine.is_some_and(|machine| wanted > machine) {
            return Err(Limit::OutOfMemory);
        }
        Ok(())
    }

    fn check_time(&self) -> Result<(), Limit> {
        if self.interrupted.load(Ordering::Relaxed) || self.cancelled.load(Ordering::Relaxed) {
            return Err(Limit::Interrupted);
        }
        match (self.time, self.slice) {
            (Some(time), _) if self.elapsed() >= time => Err(Limit::Time(time)),
            (_, Some(slice)) if self.working_time() >= slice => Err(Limit::Time(slice)),
            _ => Ok(()),
        }
    }

    /// Takes its word of progress back: this part is over.
    pub fn report_end(&self) {
        if let Some(progress) = &self.progress
            && let Ok(mut words) = progress.0.lock()
        {
            words.remove(self.part);
        }
    }

    /// Leaves word of progress, if anybody listens.
    pub fn report(&self, text: impl FnOnce() -> String) {
        if let Some(progress) = &self.progress
            && let Ok(mut words) = progress.0.lock()
        {
            words.insert(self.part, text());
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
