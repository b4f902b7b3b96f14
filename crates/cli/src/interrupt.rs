//! Ctrl-C, SIGTERM and SIGHUP: the first asks the work to stop, the second ends the process.

use crate::pending::remove_unfinished;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What shells expect of a process that was interrupted.
const INTERRUPTED: i32 = 130;

/// From now on Ctrl-C and its like set the flag; a second one ends the process at once.
pub fn on_interrupt(interrupted: Arc<AtomicBool>) {
    // Without a handler they simply end the process, which is good enough.
    let _ = ctrlc::set_handler(move || {
        if interrupted.swap(true, Ordering::Relaxed) {
            remove_unfinished();
            std::process::exit(INTERRUPTED);
        }
    });
}

/// `nohup` makes a process ignore that its terminal has gone, which the handler above would undo. So the signal is
/// held back then. To be called while there is only one thread: the others inherit it.
#[cfg(unix)]
pub fn respect_nohup() {
    if hangups_are_ignored() {
        let mut held_back = nix::sys::signal::SigSet::empty();
        held_back.add(nix::sys::signal::Signal::SIGHUP);
        let _ = held_back.thread_block();
    }
}

#[cfg(not(unix))]
pub fn respect_nohup() {}

/// Where the system does not tell, they are taken not to be.
#[cfg(unix)]
fn hangups_are_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}
