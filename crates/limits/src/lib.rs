//! Limits on time and memory, interruption, and word of how far the work has come.
//!
//! Every loop that can run long asks its [`Budget`] now and then, and leaves with the
//! [`Limit`] it met. Nothing here knows what the work is.

mod cpu;
mod memory;

pub use cpu::{cpu_time, cpu_time_of};
pub use memory::{CountedIn, address_space_left, growth_of_list, growth_of_table, memory_in_use, peak_memory};

use std::collections::BTreeMap;
use std::fmt;
use std::panic::RefUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// Work that is taken up again gets so many times as much time: what was done before is then a small part of it.
const MORE_PATIENCE: u32 = 4;

/// A limit that the work ran into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// The time is used up.
    Time(Duration),
    /// The time on the cores is used up.
    CpuTime(Duration),
    /// The time that a part of the work gave itself is used up; there may be more for another try.
    Turn,
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
            Limit::Time(limit) => write!(f, "time limit of {} s reached", limit.as_millis() as f64 / 1000.0),
            Limit::CpuTime(limit) => write!(f, "CPU time limit of {} s reached", limit.as_millis() as f64 / 1000.0),
            Limit::Turn => f.write_str("its turn was over"),
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
    /// How long cores may work for this process and those that work for it.
    cpu_time: Option<Duration>,
    /// The end of a slice, in working time.
    slice: Option<Duration>,
    memory: Option<u64>,
    /// What the machine can give, at the start.
    machine: Option<u64>,
    /// What there is of address space.
    address_space: Option<u64>,
    interrupted: Arc<AtomicBool>,
    /// One of them is set when this part of the work, or one that it belongs to, is of no use any more.
    cancelled: Vec<Arc<AtomicBool>>,
    /// The first limit that this part of the work met.
    met: Arc<OnceLock<Limit>>,
    /// Limits of time that parts of the work give themselves are so many times as long.
    patience: u32,
    /// Set when the work met such a limit.
    impatient: Arc<AtomicBool>,
    worker: Option<Arc<dyn TakesTurns>>,
    progress: Option<Arc<Progress>>,
    /// The part of the work that speaks of its progress.
    part: &'static str,
}

/// Somebody who does a part of the work, beside others who do theirs.
pub trait TakesTurns: fmt::Debug + Send + Sync + RefUnwindSafe {
    /// Goes on if it is this one's turn, or waits until it is, or until it should wait no longer.
    fn take_turn(&self, give_up: &dyn Fn() -> bool);

    /// Another process works for it, so others may have its turn.
    fn be_served(&self);

    /// How long it has waited for its turns.
    fn waited(&self) -> Duration;
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
            cpu_time: None,
            slice: None,
            memory: memory_bytes,
            machine: memory::available().map(|bytes| bytes / 20 * 19),
            address_space: memory::most_address_space(),
            interrupted: Arc::default(),
            cancelled: Vec::new(),
            met: Arc::default(),
            patience: 1,
            impatient: Arc::default(),
            worker: None,
            progress: None,
            part: "",
        }
    }

    /// The same budget with a limit on the time that the cores work, from the start of the process.
    pub fn with_cpu_time(self, cpu_time: Option<Duration>) -> Budget {
        Budget { cpu_time, ..self }
    }

    /// Whether the time that the cores work is limited: then those who work side by side use it up the sooner.
    pub fn limits_cpu_time(&self) -> bool {
        self.cpu_time.is_some()
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

    /// A part of this budget: at most that much more working time, and all other limits. Work that was cut short by it
    /// should be [taken up again](Budget::taken_up_again).
    pub fn slice(&self, time: Duration) -> Budget {
        let until = self.working_time() + self.patient(time);
        Budget { slice: Some(self.slice.map_or(until, |slice| slice.min(until))), ..self.clone() }
    }

    /// A budget for one of several pieces of work that know nothing of each other: at most that much more time, and all
    /// other limits.
    pub fn share(&self, time: Duration) -> Budget {
        Budget { met: Arc::default(), impatient: Arc::default(), ..self.slice(time) }
    }

    /// How long a part of the work may take that would usually get so much time.
    pub fn patient(&self, time: Duration) -> Duration {
        time.saturating_mul(self.patience)
    }

    /// A part of the work met a limit of time of its own.
    pub fn note_impatience(&self) {
        self.impatient.store(true, Ordering::Relaxed);
    }

    /// If the work, or a part of it, was cut short by a limit of time that it gave itself and not by one of this budget:
    /// the budget for doing it again with more.
    pub fn taken_up_again(&self) -> Option<Budget> {
        let again = self.impatient.load(Ordering::Relaxed) && self.check().is_ok();
        let patience = self.patience.saturating_mul(MORE_PATIENCE);
        again.then(|| Budget { patience, impatient: Arc::default(), ..self.clone() })
    }

    /// The same budget for a part of the work that takes turns with others. Set what is handed back to cancel
    /// that part.
    pub fn part(&self, name: &'static str, worker: Arc<dyn TakesTurns>) -> (Budget, Arc<AtomicBool>) {
        let (part, cancelled) = self.cancellable();
        (Budget { met: Arc::default(), impatient: Arc::default(), worker: Some(worker), part: name, ..part }, cancelled)
    }

    /// The same budget for work that can be cancelled: set what is handed back.
    pub fn cancellable(&self) -> (Budget, Arc<AtomicBool>) {
        let cancelled = Arc::new(AtomicBool::new(false));
        let mut part = self.clone();
        part.cancelled.push(cancelled.clone());
        (part, cancelled)
    }

    /// Whether this part of the work, or one that it belongs to, is of no use any more.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.iter().any(|flag| flag.load(Ordering::Relaxed))
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
        let of_cores = self.cpu_time.map(|time| time.saturating_sub(cpu_time()));
        [left, of_slice, of_cores].into_iter().flatten().min()
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
            worker.take_turn(&|| self.check_time().is_err());
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
        self.look_at_limits(more_bytes).inspect_err(|&limit| match limit {
            Limit::Turn => self.note_impatience(),
            Limit::Time(_) | Limit::CpuTime(_) | Limit::Memory(_) | Limit::Interrupted | Limit::OutOfMemory => {
                // The first one counts.
                let _ = self.met.set(limit);
            }
        })
    }

    /// The limit that is met now, if any. For those who watch the work: it waits for no turn, and nothing is noted.
    pub fn look(&self) -> Result<(), Limit> {
        self.look_at_limits(0)
    }

    fn look_at_limits(&self, more_bytes: u64) -> Result<(), Limit> {
        self.check_time()?;
        if let Some(limit) = self.cpu_time.filter(|&limit| cpu_time() >= limit) {
            return Err(Limit::CpuTime(limit));
        }
        let (size, held) = memory::of_this_process();
        let wanted = held.saturating_add(memory::of_others()).saturating_add(more_bytes);
        if let Some(memory) = self.memory.filter(|&memory| wanted > memory) {
            return Err(Limit::Memory(memory));
        }
        let no_space = |most: u64| memory::is_nearly_full(most, size.saturating_add(more_bytes), held);
        if self.machine.is_some_and(|machine| wanted > machine) || self.address_space.is_some_and(no_space) {
            return Err(Limit::OutOfMemory);
        }
        Ok(())
    }

    fn check_time(&self) -> Result<(), Limit> {
        if self.interrupted.load(Ordering::Relaxed) || self.is_cancelled() {
            return Err(Limit::Interrupted);
        }
        match (self.time, self.slice) {
            (Some(time), _) if self.elapsed() >= time => Err(Limit::Time(time)),
            (_, Some(slice)) if self.working_time() >= slice => Err(Limit::Turn),
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
