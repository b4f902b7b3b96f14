//! What happens when Threadwise itself is at fault.

use crate::args::{Command, Format};
use crate::console::{print, say};
use crate::exit::Exit;
use std::sync::{Arc, Mutex};
use threadwise_report::{internal_error_json, to_text};

/// Programs may nest deeply, and what walks them recurses. Address space is cheap: pages that are
/// never touched cost nothing. Where even that is limited, less has to do.
const STACK_SIZES: [usize; 3] = [512 << 20, 64 << 20, 8 << 20];

const ADVICE: &str = "this is a bug in Threadwise: please report it, with the program and the command line";

/// Runs the work on a large stack; an error is the message of a panic.
pub fn on_large_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    let last_words = Arc::new(Mutex::new(String::new()));
    remember_panics(last_words.clone());
    // A thread that cannot be spawned gives its closure up, so the work waits outside.
    let work = Arc::new(Mutex::new(Some(work)));
    for size in STACK_SIZES {
        let work = work.clone();
        let take = move || {
            let work = work.lock().ok().and_then(|mut slot| slot.take());
            work.map(|work| work())
        };
        let Ok(thread) = std::thread::Builder::new().stack_size(size).spawn(take) else {
            continue;
        };
        return match thread.join() {
            Ok(Some(result)) => Ok(result),
            _ => Err(last_words.lock().map(|words| words.clone()).unwrap_or_default()),
        };
    }
    Err("no thread could be started".to_string())
}

/// Keeps the message of the last panic instead of printing it: the user gets one calm line.
fn remember_panics(last_words: Arc<Mutex<String>>) {
    std::panic::set_hook(Box::new(move |info| {
        if let Ok(mut words) = last_words.lock() {
            *words = info.to_string().replace('\n', " ");
        }
    }));
}

/// Reports a panic.
pub fn tell_internal_error(panic: &str, is_json: bool) -> Exit {
    let reason = "internal error";
    let text = if is_json {
        to_text(&internal_error_json(&format!("{reason}: {panic}"), ADVICE))
    } else {
        format!("UNKNOWN: {reason}\n")
    };
    let _ = print(&text);
    say(&format!("error: {panic}\n  help: {ADVICE}"));
    Exit::Internal
}

impl Command {
    /// Whether standard output is for programs.
    pub fn is_json(&self) -> bool {
        let output = match self {
            Command::Check(args) => &args.output,
            Command::Compare(args) => &args.output,
            Command::Audit(args) => &args.output,
            Command::Replay(args) => &args.output,
            Command::Show(_) | Command::Completions { .. } | Command::Man { .. } => return false,
        };
        output.format == Format::Json
    }
}

#[cfg(test)]
mod tests {
    use super::on_large_stack;

    #[test]
    fn a_panic_is_kept_for_one_calm_line() {
        let result = on_large_stack(|| -> u8 { panic!("lost\nmy way") });
        let words = result.expect_err("the work should not end well");
        assert!(words.contains("lost my way"), "{words}");
        assert_eq!(on_large_stack(|| 7), Ok(7));
    }
}
