//! The `threadwise` program: flags, files and exit codes. It knows no algorithm.

mod args;
mod audit;
mod check;
mod compare;
mod console;
mod defines;
mod exit;
mod generated;
mod input;
mod interrupt;
mod judged;
mod pending;
mod progress;
mod replay;
mod rescue;
mod rows;
mod scratch;
mod show;
mod work;

use args::{Cli, Command};
use clap::Parser;
use exit::{Exit, InputError, Job};
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    interrupt::respect_nohup();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return ExitCode::from(answer_usage(&error) as u8),
    };
    let is_json = cli.command.is_json();
    let exit = match rescue::rescued(move || run(&cli.command)) {
        Ok(Ok(exit)) => exit,
        Ok(Err(error)) => tell(&error),
        Err(panic) => rescue::tell_internal_error(&panic, is_json),
    };
    ExitCode::from(exit as u8)
}

/// Prints a help text or the version, or what is wrong with the command line.
fn answer_usage(usage: &clap::Error) -> Exit {
    if usage.use_stderr() {
        let _ = usage.print();
        return Exit::BadInput;
    }
    match console::printed(usage.print().and_then(|()| std::io::stdout().flush())) {
        Ok(()) => Exit::Safe,
        Err(error) => tell(&error),
    }
}

fn run(command: &Command) -> Job {
    match command {
        Command::Check(args) => check::check(args),
        Command::Compare(args) => compare::compare(args),
        Command::Audit(args) => audit::audit(args),
        Command::Replay(args) => replay::replay_file(args),
        Command::Show(args) => show::show(args),
        Command::Completions { shell } => generated::completions(*shell),
        Command::Man { command } => generated::man(command.as_deref()),
    }
}

fn tell(error: &InputError) -> Exit {
    if !matches!(error, InputError::Told) {
        console::say(&format!("error: {error}"));
    }
    Exit::BadInput
}
