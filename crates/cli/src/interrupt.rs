//! Ctrl-C: the first asks the work to stop, the second ends the process.

use crate::pending::remove_unfinished;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What shells expect of a process that was interrupted.
const INTERRUPTED: i32 = 130;

/// From now on Ctrl-C sets the flag; a second one ends the process at once.
pub fn on_ctrl_c(interrupted: Arc<AtomicBool>) {
    // Without a handler Ctrl-C simply ends the process, which is good enough.
    let _ = ctrlc::set_handler(move || {
        if interrupted.swap(true, Ordering::Relaxed) {
            remove_unfinished();
            std::process::exit(INTERRUPTED);
        }
    });
}
