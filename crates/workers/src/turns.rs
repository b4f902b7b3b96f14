//! Work that is done side by side takes turns on the cores there are.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use threadwise_limits::TakesTurns;

/// How long a turn lasts where others wait. With 10 ms, everything took about a tenth longer: after a change of turns the
/// caches are cold.
const TURN: Duration = Duration::from_millis(50);

/// How often somebody who waits looks whether it should still wait.
const GLANCE: Duration = Duration::from_millis(20);

/// Some cores, shared by workers in proportion to their weights. A worker is asked to wait when it asks
/// its [`Budget`](threadwise_limits::Budget) whether it may go on.
#[derive(Debug)]
pub struct Turns {
    cores: usize,
    workers: Mutex<Vec<Entry>>,
    changed: Condvar,
}

#[derive(Debug)]
struct Entry {
    weight: u32,
    /// What is left of its welcome, in nanoseconds.
    welcome: i64,
    /// The working time after that, divided by the weight, in nanoseconds.
    virtual_time: i64,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Waiting,
    Working(Instant),
    /// Another process works for it, which cannot be asked to wait: the system shares the cores.
    Served(Instant),
    Gone,
}

impl Turns {
    /// Nobody works yet.
    pub fn new(cores: usize) -> Arc<Turns> {
        Arc::new(Turns { cores: cores.max(1), workers: Mutex::default(), changed: Condvar::new() })
    }

    /// One more worker. It comes before the others as long as it is welcome, so that what takes but a moment is done
    /// at once; then it counts as one that has worked like them.
    pub fn join(self: &Arc<Turns>, weight: u32, welcome: Duration) -> Worker {
        let mut workers = self.lock();
        let least = least_virtual_time(workers.iter()).unwrap_or(0);
        let weight = weight.max(1);
        let welcome = welcome.as_nanos() as i64;
        workers.push(Entry { weight, welcome, virtual_time: least, state: State::Waiting });
        Worker { turns: self.clone(), index: workers.len() - 1, waited: AtomicU64::new(0) }
    }

    /// Of the time since an instant, what a worker has had if the cores were shared as they are now.
    fn worked(&self, workers: &[Entry], since: Instant) -> i64 {
        let at_work = |entry: &&Entry| matches!(entry.state, State::Working(_) | State::Served(_));
        let crowd = workers.iter().filter(at_work).count().max(self.cores);
        since.elapsed().as_nanos() as i64 * self.cores as i64 / crowd as i64
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Entry>> {
        // What is guarded is in order after every statement, so a panic elsewhere does no harm.
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    /// Who has the least is next.
    fn rank(&self) -> (bool, i64) {
        (self.welcome == 0, self.virtual_time)
    }
}

/// That of the worker who has worked least.
fn least_virtual_time<'a>(workers: impl Iterator<Item = &'a Entry>) -> Option<i64> {
    workers.filter(|worker| worker.state != State::Gone).map(|worker| worker.virtual_time).min()
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
    /// From now on, this share. What it has worked more or less than the others is the same time as before.
    pub fn set_weight(&self, weight: u32) {
        let mut workers = self.turns.lock();
        let others = workers.iter().enumerate().filter(|(index, _)| *index != self.index);
        let least = least_virtual_time(others.map(|(_, other)| other));
        let (own, weight) = (&mut workers[self.index], weight.max(1));
        let ahead = least.map_or(0, |least| own.virtual_time - least);
        own.virtual_time += ahead * i64::from(own.weight) / i64::from(weight) - ahead;
        own.weight = weight;
    }

    /// Whether a turn that began at an instant is over and somebody else comes before this worker.
    fn ends_turn(&self, workers: &mut [Entry], since: Instant) -> bool {
        if since.elapsed() < TURN {
            return false;
        }
        self.charge(workers, since);
        workers[self.index].state = State::Working(Instant::now());
        let own = workers[self.index].rank();
        workers.iter().any(|entry| entry.state == State::Waiting && entry.rank() < own)
    }

    fn charge(&self, workers: &mut [Entry], since: Instant) {
        let worked = self.turns.worked(workers, since);
        let own = &mut workers[self.index];
        let welcome = worked.min(own.welcome);
        own.welcome -= welcome;
        own.virtual_time += (worked - welcome) / i64::from(own.weight);
    }

    /// Whether there is a core for this worker: fewer work or come before it than there are cores.
    fn is_next(&self, workers: &[Entry]) -> bool {
        let own = (workers[self.index].rank(), self.index);
        let comes_before = |(index, entry): &(usize, &Entry)| match entry.state {
            State::Gone | State::Served(_) => false,
            State::Working(_) => true,
            State::Waiting => (entry.rank(), *index) < own,
        };
        workers.iter().enumerate().filter(comes_before).count() < self.turns.cores
    }
}

impl TakesTurns for Worker {
    fn waited(&self) -> Duration {
        Duration::from_nanos(self.waited.load(Ordering::Relaxed))
    }

    fn take_turn(&self, give_up: &dyn Fn() -> bool) {
        let mut workers = self.turns.lock();
        let has_to_wait = match workers[self.index].state {
            State::Working(since) => self.ends_turn(&mut workers, since),
            State::Served(since) => {
                self.charge(&mut workers, since);
                true
            }
            State::Waiting | State::Gone => true,
        };
        if !has_to_wait {
            return;
        }
        workers[self.index].state = State::Waiting;
        self.turns.changed.notify_all();
        let started = Instant::now();
        while !self.is_next(&workers) && !give_up() {
            let waited = self.turns.changed.wait_timeout(workers, GLANCE);
            workers = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        workers[self.index].state = State::Working(Instant::now());
        self.waited.fetch_add(started.elapsed().as_nanos() as u64, Ordering::Relaxed);
    }

    /// If its turn is over while another process works for it, lets the others work too.
    fn be_served(&self) {
        let mut workers = self.turns.lock();
        if let State::Working(since) = workers[self.index].state
            && self.ends_turn(&mut workers, since)
        {
            workers[self.index].state = State::Served(Instant::now());
            self.turns.changed.notify_all();
        }
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
    use crate::Turns;
    use std::sync::Arc;
    use std::time::{Duration, Instant};
    use threadwise_limits::Budget;

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
        let workers = [4, 1].map(|weight| Arc::new(turns.join(weight, Duration::ZERO)));
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
        let first = Arc::new(turns.join(1, Duration::ZERO));
        let budget = Budget::unlimited().part("", first).0;
        assert!(budget.check().is_ok());
        drop(budget);
        let second =
            Budget::new(Some(Duration::from_secs(60)), None).part("", Arc::new(turns.join(1, Duration::ZERO))).0;
        assert!(second.check().is_ok());
        assert!(second.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn waiting_is_no_work() {
        let turns = Turns::new(1);
        let budget = Budget::unlimited();
        let (a, b) = (Arc::new(turns.join(1, Duration::ZERO)), Arc::new(turns.join(1, Duration::ZERO)));
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

    #[test]
    fn a_newcomer_comes_first_for_a_moment() {
        let turns = Turns::new(1);
        let budget = Budget::unlimited();
        let old = budget.part("old", Arc::new(turns.join(100, Duration::ZERO))).0;
        assert!(old.check().is_ok());
        let new = budget.part("new", Arc::new(turns.join(1, Duration::from_millis(100)))).0;
        std::thread::scope(|scope| {
            let old = scope.spawn(|| work(&old.slice(Duration::from_millis(400))));
            work(&new.slice(Duration::from_millis(80)));
            drop(new);
            assert!(!old.is_finished(), "with its small share it would have had to wait for the other one");
        });
    }

    #[test]
    fn a_worker_that_is_served_leaves_its_core_and_is_charged() {
        let turns = Turns::new(1);
        let budget = Budget::unlimited();
        let workers = [1, 1].map(|weight| Arc::new(turns.join(weight, Duration::ZERO)));
        let [served, other] = workers.map(|worker| budget.part("", worker).0);
        assert!(served.check().is_ok());
        std::thread::scope(|scope| {
            // It leaves when it is done.
            let other = scope.spawn(move || work(&other.slice(Duration::from_millis(100))));
            while !other.is_finished() {
                assert!(served.check_while_served().is_ok());
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        assert!(served.check().is_ok());
        // It had at least one turn, and half of the core while the other one worked.
        assert!(turns.lock()[0].virtual_time > 20_000_000);
    }
}
