//! Work that is waited for no longer than its budget allows, whether it listens or not.

use crate::on_large_stack;
use std::sync::atomic::{AtomicIsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use threadwise_limits::{Budget, Limit, memory_in_use};

/// How often the limits are looked at.
const GLANCE: Duration = Duration::from_millis(20);

/// Work that has met a limit has this long to end by itself, with what it knows.
const FAREWELL: Duration = Duration::from_millis(200);

/// Memory goes fast.
const SHORT_FAREWELL: Duration = Duration::from_millis(60);

/// How many pieces of work were left behind and have not ended yet. They hold memory that counts.
static LEFT_BEHIND: AtomicIsize = AtomicIsize::new(0);

/// New work waits at most so long for what was left behind before it.
const COURTESY: Duration = Duration::from_secs(2);

/// Does the work on a thread of its own. If it does not end when a limit is met, it is cancelled, and the limit is
/// what came of it; nothing waits for the thread then. Where no thread can be started, the limit is that of the machine.
pub fn watched<T: Send + 'static>(
    name: &str,
    budget: &Budget,
    work: impl FnOnce(&Budget) -> T + Send + 'static,
) -> Result<T, Limit> {
    wait_for_what_was_left_behind();
    let (own, cancelled) = budget.cancellable();
    let (sender, receiver) = channel();
    let started = on_large_stack(name, move || {
        // Where nobody listens any more, the limit is the answer.
        if sender.send(work(&own)).is_err() {
            LEFT_BEHIND.fetch_sub(1, Ordering::Relaxed);
        }
    });
    let Some(thread) = started else { return Err(Limit::OutOfMemory) };
    let mut met: Option<(Limit, Instant)> = None;
    let mut least_memory = u64::MAX;
    loop {
        match receiver.recv_timeout(GLANCE) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => match thread.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => unreachable!("work that ends has sent its result"),
            },
        }
        let memory = memory_in_use();
        // Work that gives memory back is about to end.
        let gives_back = memory < least_memory;
        least_memory = least_memory.min(memory);
        met = budget.look().err().map(|limit| match (limit, met) {
            (Limit::Memory(_) | Limit::OutOfMemory, Some(_)) if gives_back => (limit, Instant::now()),
            (_, Some(met)) => met,
            (_, None) => (limit, Instant::now()),
        });
        if let Some((limit, since)) = met
            && since.elapsed() >= farewell(limit)
        {
            cancelled.store(true, Ordering::Relaxed);
            drop(receiver);
            LEFT_BEHIND.fetch_add(1, Ordering::Relaxed);
            return Err(limit);
        }
    }
}

fn wait_for_what_was_left_behind() {
    let started = Instant::now();
    while LEFT_BEHIND.load(Ordering::Relaxed) > 0 && started.elapsed() < COURTESY {
        std::thread::sleep(GLANCE);
    }
}

fn farewell(limit: Limit) -> Duration {
    match limit {
        Limit::Time(_) | Limit::CpuTime(_) | Limit::Turn | Limit::Interrupted => FAREWELL,
        Limit::Memory(_) | Limit::OutOfMemory => SHORT_FAREWELL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_ends_is_waited_for() {
        assert_eq!(watched("test", &Budget::unlimited(), |_| 7), Ok(7));
    }

    #[test]
    fn work_that_does_not_listen_is_left_alone() {
        let budget = Budget::new(Some(Duration::from_millis(50)), None);
        let started = Instant::now();
        let result = watched("test", &budget, |_| std::thread::sleep(Duration::from_secs(60)));
        assert_eq!(result, Err(Limit::Time(Duration::from_millis(50))));
        assert!(started.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn work_that_was_left_alone_is_told_so() {
        let budget = Budget::new(Some(Duration::from_millis(20)), None);
        let (sender, receiver) = channel();
        let _ = watched("test", &budget, move |own| {
            let parts = own.part("part", std::sync::Arc::new(crate::Turns::new(1).join(1, Duration::ZERO))).0;
            while !parts.is_cancelled() {
                std::thread::sleep(GLANCE);
            }
            let _ = sender.send(());
        });
        assert!(receiver.recv_timeout(Duration::from_secs(10)).is_ok());
    }

    #[test]
    #[should_panic(expected = "out of order")]
    fn a_panic_goes_on() {
        let _ = watched("test", &Budget::unlimited(), |_| panic!("out of order"));
    }
}
