//! Work that is done side by side takes turns on the cores there are.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a turn lasts where others wait.
const TURN: Duration = Duration::from_millis(10);

/// How often somebody who waits looks whether it should still wait.
const GLANCE: Duration = Duration::from_millis(20);

/// Some cores, shared by workers in proportion to their weights. A worker is asked to wait when it asks
/// its [`Budget`](crate::Budget) whether it may go on.
#[derive(Debug)]
pub struct Turns {
    cores: usize,
    workers: Mutex<Vec<Entry>>,
    changed: Condvar,
}

#[derive(Debug)]
struct Entry {
    weight: u32,
    /// The working time divided by the weight, in nanoseconds.
    virtual_time: u64,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Waiting,
    Working(Instant),
    Gone,
}

impl Turns {
    /// Nobody works yet.
    pub fn new(cores: usize) -> Arc<Turns> {
        Arc::new(Turns { cores: cores.max(1), workers: Mutex::default(), changed: Condvar::new() })
    }

    /// One more worker. It has not worked less than the others have.
    pub fn join(self: &Arc<Turns>, weight: u32) -> Worker {
        let mut workers = self.lock();
        let present = workers.iter().filter(|worker| worker.state != State::Gone);
        let virtual_time = present.map(|worker| worker.virtual_time).min().unwrap_or(0);
        workers.push(Entry { weight: weight.max(1), virtual_time, state: State::Waiting });
        Worker { turns: self.clone(), index: workers.len() - 1, waited: AtomicU64::new(0) }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Entry>> {
        // What is guarded is in order after every statement, so a panic elsewhere does no harm.
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One of those who take turns. Dropping it leaves.
#[derive(Debug)]
pub struct Worker {
    turns: Arc<Turns>,
    index: usize,
    /// Nanoseconds.
    waited: AtomicU64,
}

impl Worker {
    /// From now on, this share.
    pub fn set_weight(&self, weight: u32) {
        self.turns.lock()[self.index].weight = weight.max(1);
    }

    /// How long it has waited for its turns.
    pub fn waited(&self) -> Duration {
        Duration::from_nanos(self.waited.load(Ordering::Relaxed))
    }

    /// Goes on if it is this worker's turn, or waits until it is, or until it should wait no longer.
    pub(crate) fn take_turn(&self, give_up: impl Fn() -> bool) {
        let mut workers = self.turns.lock();
        if let State::Working(since) = workers[self.index].state {
            let used = since.elapsed();
            if used < TURN {
                return;
            }
            let own = &mut workers[self.index];
            own.virtual_time += used.as_nanos() as u64 / u64::from(own.weight);
            own.state = State::Working(Instant::now());
            let behind = |entry: &Entry, than: u64| entry.state == State::Waiting && entry.virtual_time < than;
            let own_time = own.virtual_time;
            if !workers.iter().any(|entry| behind(entry, own_time)) {
                return;
            }
            workers[self.index].state = State::Waiting;
            self.turns.changed.notify_all();
        }
        let started = Instant::now();
        while !self.is_next(&workers) && !give_up() {
            let waited = self.turns.changed.wait_timeout(workers, GLANCE);
            workers = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        workers[self.index].state = State::Working(Instant::now());
        self.waited.fetch_add(started.elapsed().as_nanos() as u64, Ordering::Relaxed);
    }

    /// Whether there is a core for this worker: fewer work or come before it than there are cores.
    fn is_next(&self, workers: &[Entry]) -> bool {
        let own = (workers[self.index].virtual_time, self.index);
        let comes_before = |(index, entry): &(usize, &Entry)| match entry.state {
            State::Gone => false,
            State::Working(_) => true,
            State::Waiting => (entry.virtual_time, *index) < own,
        };
        workers.iter().enumerate().filter(comes_before).count() < self.turns.cores
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.turns.lock()[self.index].state = State::Gone;
        self.turns.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use crate::{Budget, Turns};
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    /// Works until its time is over and tells how many checks it passed, which take a while each.
    fn work(budget: &Budget) -> Duration {
        let mut worked = Duration::ZERO;
        while budget.check().is_ok() {
            let start = Instant::now();
            while start.elapsed() < Duration::from_millis(1) {
                std::hint::spin_loop();
            }
            worked += start.elapsed();
        }
        worked
    }

    #[test]
    fn one_core_is_shared_by_weight() {
        let turns = Turns::new(1);
        let budget = Budget::new(Some(Duration::from_millis(800)), None);
        let workers = [4, 1].map(|weight| Arc::new(turns.join(weight)));
        let budgets = workers.map(|worker| budget.part("", worker).0);
        let [much, little] = std::thread::scope(|scope| {
            let threads = budgets.each_ref().map(|budget| scope.spawn(|| work(budget)));
            threads.map(|thread| thread.join().expect("no panic"))
        });
        // Generous bounds: other programs run too.
        assert!(much > little * 2 && much < little * 8, "{much:?} and {little:?}");
    }

    #[test]
    fn those_who_left_do_not_hold_a_core() {
        let turns = Turns::new(1);
        let first = Arc::new(turns.join(1));
        let budget = Budget::unlimited().part("", first).0;
        assert!(budget.check().is_ok());
        drop(budget);
        let second = Budget::new(Some(Duration::from_secs(60)), None).part("", Arc::new(turns.join(1))).0;
        assert!(second.check().is_ok());
        assert!(second.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn waiting_is_no_work() {
        let turns = Turns::new(1);
        let budget = Budget::unlimited();
        let (a, b) = (Arc::new(turns.join(1)), Arc::new(turns.join(1)));
        let (a, b) = (budget.part("a", a).0, budget.part("b", b).0);
        let slice = |budget: &Budget| work(&budget.slice(Duration::from_millis(200)));
        let (x, y) = std::thread::scope(|scope| {
            let threads = [&a, &b].map(|budget| scope.spawn(move || slice(budget)));
            let [x, y] = threads.map(|thread| thread.join().expect("no panic"));
            (x, y)
        });
        // Both have worked for their slices, although each took twice as long.
        assert!(x > Duration::from_millis(120) && y > Duration::from_millis(120), "{x:?} and {y:?}");
    }
}
