//! `threadwise replay`: run a counterexample step by step.

use crate::args::{Format, ReplayArgs};
use crate::console::{Console, layout};
use crate::defines;
use crate::exit::{InputError, Job};
use crate::input::{load_program, open};
use crate::judged::Judgement;
use crate::machine::Machine;
use std::time::Instant;
use threadwise_evidence::FileError;
use threadwise_evidence_files::TraceFile;
use threadwise_limits::Budget;
use threadwise_native::Outcome;
use threadwise_replay::replay;
use threadwise_report::{Layout, render_trace, trace_text};

/// Replays a trace from a file on the program.
pub fn replay_file(args: &ReplayArgs) -> Job {
    let started = Instant::now();
    let console = Console::new(&args.output);
    let unreadable = |error: FileError| {
        let message = format!("`{}` is not a trace of this program: {error}", args.trace.display());
        InputError::new(message).hint("make it again with `threadwise check --trace`")
    };
    let file = TraceFile::read(open(&args.trace)?).map_err(unreadable)?;
    let defines = defines::from_evidence(&file.header().defines, &args.program.language.options)?;
    let options = defines::options_of_evidence(file.header(), &defines, &args.program.language.options);
    let (program, machine) = match args.native {
        true => Machine::load(&args.program.file, &options, args.output.quiet)?,
        false => {
            let files = std::slice::from_ref(&args.program.file);
            (load_program(files, &options, &Budget::unlimited(), args.output.quiet)?, None)
        }
    };
    let (instance, trace) = file.trace(&program).map_err(unreadable)?;
    let replayed = replay(&instance, &trace);
    let outcome = match (&replayed, machine) {
        (Ok(_), Some(machine)) => Some(machine.replay(&instance, &trace, args.timeout)?),
        _ => None,
    };
    let seconds = started.elapsed().as_secs_f64();
    match replayed {
        Ok(replayed) => {
            let body = match console.format {
                Format::Json => String::new(),
                Format::Human | Format::Svcomp | Format::Github => {
                    let text = trace_text(replayed.instance(), replayed.trace());
                    let constants = match defines::shown(&defines) {
                        none if none.is_empty() => none,
                        some => format!("\n  the program{some}\n"),
                    };
                    format!(
                        "{constants}\n{}",
                        render_trace(
                            &program,
                            &text,
                            &Layout { whole: args.output.verbose, ..layout(args.width.width) }
                        )
                    )
                }
            };
            let (verdict, reason) = match outcome {
                None => ("confirmed", None),
                Some(Outcome::Confirmed(text)) => ("confirmed", Some(text)),
                Some(Outcome::Refuted(text)) => ("refuted", Some(text)),
                Some(Outcome::Undecided(text)) => ("unknown", Some(text)),
            };
            let judgement = Judgement::new(verdict, "trace", &defines, seconds);
            let size = Some(trace.steps.len() as u64);
            Judgement { size, reason, ..judgement }.print(&console, &body)
        }
        Err(error) => {
            let judgement = Judgement::new("refuted", "trace", &defines, seconds);
            Judgement { reason: Some(error.to_string()), ..judgement }.print(&console, "")
        }
    }
}
