//! What happens when Threadwise itself is at fault.

use crate::args::{Command, Format};
use crate::console::{print, say};
use crate::exit::Exit;
use std::sync::{Arc, Mutex};
use threadwise_report::{to_text, unknown_json};
use threadwise_workers::on_large_stack;

const ADVICE: &str = "this is a bug in Threadwise: please report it, with the program and the command line";

/// Runs the work on a large stack; an error is the message of a panic.
pub fn rescued<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    let last_words = Arc::new(Mutex::new(String::new()));
    remember_panics(last_words.clone());
    let thread = on_large_stack("threadwise", work).ok_or("no thread could be started")?;
    thread.join().map_err(|_| last_words.lock().map(|words| words.clone()).unwrap_or_default())
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
pub fn tell_internal_error(panic: &str, format: Format) -> Exit {
    let reason = "internal error";
    let text = match format {
        Format::Json => to_text(&unknown_json(&format!("{reason}: {panic}"), &[ADVICE])),
        Format::Human | Format::Github => format!("UNKNOWN: {reason}\n"),
        Format::Svcomp => "unknown\n".to_string(),
    };
    let _ = print(&text);
    say(&format!("error: {panic}\n  help: {ADVICE}"));
    Exit::Internal
}

impl Command {
    /// For whom standard output is.
    pub fn format(&self) -> Format {
        match self {
            Command::Check(args) | Command::Watch(args) => args.output.format,
            Command::Compare(args) => args.output.format,
            Command::Audit(args) => args.output.format,
            Command::Replay(args) => args.output.format,
            Command::Show(_)
            | Command::Simulate(_)
            | Command::Fmt(_)
            | Command::Lsp(_)
            | Command::Setup { .. }
            | Command::Completions { .. }
            | Command::Man { .. } => Format::Human,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::rescued;

    #[test]
    fn a_panic_is_kept_for_one_calm_line() {
        let result = rescued(|| -> u8 { panic!("lost\nmy way") });
        let words = result.expect_err("the work should not end well");
        assert!(words.contains("lost my way"), "{words}");
        assert_eq!(rescued(|| 7), Ok(7));
    }
}
