//! What goes where: reports to standard output, everything else to standard error.

use crate::args::{Color, Format, OutputArgs};
use crate::exit::InputError;
use anstream::{AutoStream, ColorChoice};
use std::io::{ErrorKind, IsTerminal, Write};
use threadwise_report::{Layout, Palette};

/// How to talk to the user.
#[derive(Clone, Copy, Debug)]
pub struct Console {
    /// What goes to standard output.
    pub format: Format,
    quiet: bool,
    verbose: bool,
}

impl Console {
    /// A console as the flags say.
    pub fn new(output: &OutputArgs) -> Console {
        set_color(output.color);
        Console { format: output.format, quiet: output.quiet, verbose: output.verbose }
    }

    /// A line on standard error, unless the user wants silence.
    pub fn note(&self, text: impl AsRef<str>) {
        if !self.quiet {
            say(text.as_ref());
        }
    }

    /// A line on standard error for users who want to know more.
    pub fn detail(&self, text: impl AsRef<str>) {
        if self.verbose {
            say(text.as_ref());
        }
    }

    /// Whether a progress line would be seen, and would not disturb.
    pub fn wants_progress(&self) -> bool {
        let can_be_drawn =
            std::io::stderr().is_terminal() && std::env::var_os("TERM").is_some_and(|term| term != "dumb");
        !self.quiet && self.format == Format::Human && can_be_drawn
    }
}

/// Makes all streams obey the user's wish for colours.
pub fn set_color(color: Color) {
    let choice = match color {
        Color::Auto => ColorChoice::Auto,
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    };
    choice.write_global();
}

/// How to lay text out on standard output. A pipe has no width, unless the user gives one.
pub fn layout(width: Option<u16>) -> Layout {
    let color = AutoStream::choice(&std::io::stdout()) != ColorChoice::Never;
    Layout { width: width.map(usize::from).or_else(columns), color, whole: false }
}

fn columns() -> Option<usize> {
    let forced = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok()).filter(|&c| c >= 20);
    forced.or_else(|| {
        let stdout = std::io::stdout();
        terminal_size::terminal_size_of(stdout).map(|(width, _)| usize::from(width.0))
    })
}

/// Whether diagnostics on standard error should be coloured.
pub fn stderr_color() -> bool {
    AutoStream::choice(&std::io::stderr()) != ColorChoice::Never
}

/// The colours of standard output.
pub fn palette() -> Palette {
    Palette { color: layout(None).color }
}

/// Prints on standard output.
pub fn print(text: &str) -> Result<(), InputError> {
    let mut out = anstream::stdout().lock();
    printed(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Whether standard output could be written. A reader who has gone away, as in `| head`, is no error.
pub fn printed(result: std::io::Result<()>) -> Result<(), InputError> {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(InputError::new(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// A line on standard error. Nobody can be told if even that fails.
pub fn say(text: &str) {
    let mut err = anstream::stderr().lock();
    let _ = writeln!(err, "{}", text.trim_end());
}
