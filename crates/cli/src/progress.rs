//! A line on the terminal that says what is going on.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use threadwise_limits::Progress;

/// How often the line is renewed.
const TICK: Duration = Duration::from_millis(120);
/// Work that is done sooner than this needs no line; it would only flicker.
const PATIENCE: Duration = Duration::from_millis(400);
/// What goes round at the start of the line, so that one sees that the program is alive.
const SPINNER: [char; 8] = ['⠁', '⠂', '⠄', '⡀', '⢀', '⠠', '⠐', '⠈'];
/// To the start of the line, which becomes empty.
const CLEAR: &str = "\r\x1b[2K";

/// A progress line; it disappears when this is dropped.
pub struct ProgressLine {
    done: Arc<AtomicBool>,
    updater: Option<JoinHandle<()>>,
}

impl ProgressLine {
    /// Shows what the work says about itself.
    pub fn show(progress: Arc<Progress>) -> ProgressLine {
        let done = Arc::new(AtomicBool::new(false));
        let updater = {
            let done = done.clone();
            std::thread::spawn(move || draw_until(&done, &progress))
        };
        ProgressLine { done, updater: Some(updater) }
    }
}

fn draw_until(done: &AtomicBool, progress: &Progress) {
    let started = Instant::now();
    let mut drawn = 0;
    while !done.load(Ordering::Relaxed) {
        std::thread::park_timeout(TICK);
        if started.elapsed() < PATIENCE {
            continue;
        }
        let columns = terminal_size::terminal_size_of(std::io::stderr()).map_or(80, |(width, _)| usize::from(width.0));
        draw(&line(drawn, started.elapsed(), &progress.text(), columns));
        drawn += 1;
    }
    if drawn > 0 {
        draw("");
    }
}

/// The line fits into one row of the terminal; what is longer could not be cleared.
fn line(drawn: usize, elapsed: Duration, text: &str, columns: usize) -> String {
    let whole = format!("{} {}s  {text}", SPINNER[drawn % SPINNER.len()], elapsed.as_secs());
    whole.lines().next().unwrap_or_default().chars().take(columns.saturating_sub(1)).collect()
}

/// Nobody can be told if this fails.
fn draw(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = write!(err, "{CLEAR}{text}").and_then(|()| err.flush());
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        if let Some(updater) = self.updater.take() {
            updater.thread().unpark();
            let _ = updater.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_fits_into_one_row() {
        let long = "explicit: 12 345 states\nand more";
        assert_eq!(line(0, Duration::from_millis(2900), long, 80), "⠁ 2s  explicit: 12 345 states");
        assert_eq!(line(9, Duration::ZERO, long, 12), "⠂ 0s  expli");
    }
}
