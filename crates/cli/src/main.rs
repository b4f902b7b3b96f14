//! The `threadwise` program: flags, files and exit codes. It knows no algorithm.

mod args;
mod audit;
mod check;
mod compare;
mod complaint;
mod console;
mod defines;
mod engine_args;
mod exit;
mod frontend_args;
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
use complaint::{complain, complain_about_flags};
use exit::Job;
use std::process::ExitCode;

fn main() -> ExitCode {
    interrupt::respect_nohup();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return ExitCode::from(complain_about_flags(&error) as u8),
    };
    let format = cli.command.format();
    let exit = match rescue::rescued(move || run(&cli.command)) {
        Ok(Ok(exit)) => exit,
        Ok(Err(error)) => complain(&error, format),
        Err(panic) => rescue::tell_internal_error(&panic, format),
    };
    ExitCode::from(exit as u8)
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
