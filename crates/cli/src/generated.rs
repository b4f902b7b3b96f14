//! Completion scripts and manual pages, made from the flags.

use crate::args::Cli;
use crate::console::print;
use crate::exit::{Exit, InputError, Job};
use clap::CommandFactory;
use clap_complete::Shell;

/// Prints the completion script for a shell.
pub fn completions(shell: Shell) -> Job {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "threadwise", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Safe)
}

/// Prints the manual page of Threadwise or of one of its commands.
pub fn man(of: Option<&str>) -> Job {
    let mut whole = Cli::command();
    whole.build();
    let command = match of {
        None => whole,
        Some(name) => {
            let found = whole.find_subcommand(name).cloned();
            found.ok_or_else(|| {
                InputError::new(format!("there is no command `{name}`")).hint("see `threadwise --help`")
            })?
        }
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command)
        .render(&mut page)
        .map_err(|error| InputError::new(format!("cannot make the page: {error}")))?;
    print(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Safe)
}
