//! Work that is not waited for without end.

use std::any::Any;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::Builder;
use std::time::Duration;

/// As much as the stack of a main thread has, several times over: engines may recurse.
const STACK: usize = 64 << 20;

/// Why there is no result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lost {
    /// It takes longer than anybody waits. It goes on, and nobody will hear of it.
    Late,
    /// It panicked.
    Panicked(String),
}

/// The result of some work, if that comes in time.
pub fn within<T: Send + 'static>(limit: Duration, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Lost> {
    let (sender, receiver) = channel();
    let worker = Builder::new().stack_size(STACK).spawn(move || _ = sender.send(work()));
    let worker = worker.expect("a thread can be started");
    match receiver.recv_timeout(limit) {
        Ok(result) => Ok(result),
        Err(RecvTimeoutError::Timeout) => Err(Lost::Late),
        Err(RecvTimeoutError::Disconnected) => {
            Err(Lost::Panicked(worker.join().err().map_or_else(String::new, |payload| message(&*payload))))
        }
    }
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| text.to_string());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_is_late_or_panics_is_lost() {
        assert_eq!(within(Duration::from_secs(60), || 7), Ok(7));
        let sleeps = || std::thread::sleep(Duration::from_secs(5));
        assert_eq!(within(Duration::from_millis(10), sleeps), Err(Lost::Late));
        let panics = || -> i32 { panic!("oh") };
        assert_eq!(within(Duration::from_secs(60), panics), Err(Lost::Panicked("oh".to_string())));
    }
}
