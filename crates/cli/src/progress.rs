//! A line on the terminal that says what is going on.

use indicatif::{ProgressBar, ProgressStyle};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use threadwise_limits::Progress;

/// How often the line is renewed.
const TICK: Duration = Duration::from_millis(120);
/// Work that is done sooner than this needs no line; it would only flicker.
const PATIENCE: Duration = Duration::from_millis(400);

/// A progress line; it disappears when this is dropped.
pub struct ProgressLine {
    bar: ProgressBar,
    done: Arc<AtomicBool>,
    updater: Option<JoinHandle<()>>,
}

impl ProgressLine {
    /// Shows what the work says about itself.
    pub fn show(progress: Arc<Progress>) -> ProgressLine {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed}  {msg}") {
            bar.set_style(style);
        }
        let done = Arc::new(AtomicBool::new(false));
        let updater = {
            let (bar, done) = (bar.clone(), done.clone());
            let started = Instant::now();
            std::thread::spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    std::thread::park_timeout(TICK);
                    if started.elapsed() < PATIENCE {
                        continue;
                    }
                    bar.set_message(progress.text());
                    bar.tick();
                }
            })
        };
        ProgressLine { bar, done, updater: Some(updater) }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        if let Some(updater) = self.updater.take() {
            updater.thread().unpark();
            let _ = updater.join();
        }
        self.bar.finish_and_clear();
    }
}
