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
mod fmt;
mod folder;
mod forms;
mod frontend_args;
mod generated;
mod grow;
mod input;
mod interrupt;
mod judged;
mod lsp;
mod machine;
mod own_run;
mod pending;
mod progress;
mod properties;
mod replay;
mod rescue;
mod results;
mod reuse;
mod rows;
mod scratch;
mod screen;
mod setup;
mod several;
mod show;
mod simulate;
mod stepping;
mod svcomp;
mod table;
mod task;
mod validation;
mod watch;
mod witness;
mod work;

use args::{Cli, Command};
use clap::{CommandFactory, Parser};
use complaint::{complain, complain_about_flags};
use exit::Job;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    interrupt::respect_nohup();
    let cli = match Cli::try_parse_from(arguments()) {
        Ok(cli) => cli,
        Err(error) => return ExitCode::from(complain_about_flags(&error) as u8),
    };
    let format = cli.command.format();
    let exit = match rescue::rescued(move || run(cli.command)) {
        Ok(Ok(exit)) => exit,
        Ok(Err(error)) => complain(&error, format),
        Err(panic) => rescue::tell_internal_error(&panic, format),
    };
    ExitCode::from(exit as u8)
}

/// What the user typed, with `check` where it was left out.
fn arguments() -> Vec<OsString> {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    if arguments.get(1).is_some_and(is_for_check) {
        arguments.insert(1, "check".into());
    }
    arguments
}

/// Whether it is a file or a flag of `check` rather than a command. A word that is neither may be a mistyped command.
fn is_for_check(first: &OsString) -> bool {
    let is_command = |name: &str| name == "help" || Cli::command().find_subcommand(name).is_some();
    match first.to_str() {
        Some("-h" | "--help" | "-V" | "--version") => false,
        Some(word) if is_command(word) => false,
        Some(word) if word.starts_with('-') => true,
        _ => Path::new(first).extension().is_some() || Path::new(first).exists(),
    }
}

fn run(command: Command) -> Job {
    match command {
        Command::Check(mut args) => {
            folder::expand(&mut args)?;
            let table = args.table.table.take().filter(|_| args.only.is_none());
            if let Some(table) = table {
                return results::check_all(&args, &table);
            }
            task::expand(&mut args)?;
            check::keep_steps_for_witness(&mut args);
            check::check(&args)
        }
        Command::Watch(mut args) => {
            task::expand(&mut args)?;
            watch::watch(&args)
        }
        Command::Compare(args) => compare::compare(&args),
        Command::Audit(args) => audit::audit(&args),
        Command::Replay(args) => replay::replay_file(&args),
        Command::Simulate(args) => simulate::simulate(&args),
        Command::Show(args) => show::show(&args),
        Command::Fmt(args) => fmt::fmt(&args),
        Command::Lsp(args) => lsp::lsp(&args),
        Command::Setup { file } => setup::set_up(file.as_deref()),
        Command::Completions { shell } => generated::completions(shell),
        Command::Man { command } => generated::man(command.as_deref()),
    }
}
