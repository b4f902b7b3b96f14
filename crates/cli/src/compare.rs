//! `threadwise compare`: every applicable engine, one row each.
//!
//! Each engine runs in a process of its own.

use crate::args::{CompareArgs, Format};
use crate::console::{Console, print, say};
use crate::defines;
use crate::exit::{Exit, InputError, Job};
use crate::input::load_program;
use crate::own_run::{by_itself, run_to_end, this_program};
use crate::pending::PendingFile;
use crate::rows::{Row, comparison};
use crate::scratch::Scratch;
use crate::work;
use serde::Serialize;
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use threadwise_portfolio::engines;
use threadwise_report::{Palette, to_text};
use threadwise_report_html::{Compared, document};

#[derive(Serialize)]
struct Comparison<'a> {
    engines: &'a [Row],
    agree: bool,
    version: &'static str,
}

/// Runs all engines and compares what they say.
pub fn compare(args: &CompareArgs) -> Job {
    let console = Console::new(&args.output);
    let options = &args.program.language.options;
    defines::from_flags(options)?;
    let scratch = Scratch::new()?;
    let file = scratch.program(&args.program.file)?;
    let budget = work::budget(&args.limits);
    let program = load_program(std::slice::from_ref(&file.path), options, &budget, args.output.quiet)?;
    work::choose_solver(&args.solver)?;
    let html = args.html.as_ref().map(|path| PendingFile::prepare(path, &file.path)).transpose()?;
    let stop = budget.interrupter();
    let mut rows = Vec::new();
    for engine in engines() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        match engine.applicable(&program) {
            Ok(()) => rows.push(work::run_quietly(&console, engine.name().as_str(), || {
                run_engine(args, engine.name().as_str(), &file.path, scratch.path(), &stop)
            })?),
            Err(why) => console.detail(format!("{} does not apply: {why}", engine.name())),
        }
    }
    report(&console, &rows)?;
    if let Some(html) = html {
        write_page(html, args, &rows, scratch.path())?;
    }
    if disagree(&rows) {
        return Ok(tell_disagreement(scratch));
    }
    Ok(exit_code(&rows))
}

fn report(console: &Console, rows: &[Row]) -> Result<(), InputError> {
    print(&match console.format {
        Format::Human | Format::Svcomp | Format::Github => comparison(rows, crate::console::palette()),
        Format::Json => {
            to_text(&Comparison { engines: rows, agree: !disagree(rows), version: env!("CARGO_PKG_VERSION") })
        }
    })
}

/// The table, and behind each row the report of its engine.
fn write_page(file: PendingFile, args: &CompareArgs, rows: &[Row], scratch: &Path) -> Result<(), InputError> {
    let page = |row: &Row| -> Option<Value> {
        let text = std::fs::read(scratch.join(format!("{}.page.json", row.engine))).ok()?;
        serde_json::from_slice(&text).ok()
    };
    let pages: Vec<Option<Value>> = rows.iter().map(page).collect();
    let title = args.program.file.display().to_string();
    let compared = Compared { title: title.clone(), rows: rows.iter().map(Row::compared).collect() };
    let text = comparison(rows, Palette { color: false });
    let html = document(&format!("compared: {title}"), &pages, Some(&compared), &text);
    file.write(|mut out| out.write_all(html.as_bytes()))
}

/// Runs `threadwise check --engine NAME` and reads what it says.
fn run_engine(
    args: &CompareArgs,
    engine: &str,
    program: &Path,
    scratch: &Path,
    stop: &AtomicBool,
) -> Result<Row, InputError> {
    let proof = scratch.join(format!("{engine}.proof.json"));
    let trace = scratch.join(format!("{engine}.trace.json"));
    let mut command = this_program()?;
    command.args(["check", "--quiet", "--format", "json", "--engine", engine]);
    command.arg("--proof").arg(&proof).arg("--trace").arg(&trace);
    if args.html.is_some() {
        command.arg("--page").arg(scratch.join(format!("{engine}.page.json")));
    }
    command.args(search_flags(args));
    command.arg("--").arg(program);
    let output = run_to_end(by_itself(&mut command), stop);
    let output = output.map_err(|error| InputError::new(format!("cannot run engine `{engine}`: {error}")))?;
    Ok(Row::from_output(engine, &output, &proof))
}

fn search_flags(args: &CompareArgs) -> Vec<String> {
    let mut flags =
        vec![format!("--any-copies={}", args.search.any_copies), format!("--workers={}", args.search.workers)];
    flags.extend(args.program.language.options.given().map(|(option, value)| match option.value_name {
        Some(_) => format!("--{}={value}", option.long),
        None => format!("--{}", option.long),
    }));
    flags.extend(args.search.no_symmetry.then(|| "--no-symmetry".to_string()));
    flags.extend(args.search.no_fold.then(|| "--no-fold".to_string()));
    flags.extend(args.limits.cpu_time.map(|t| format!("--cpu-time={}", t.as_secs_f64())));
    flags.extend(args.search.no_reduction.then(|| "--no-reduction".to_string()));
    flags.extend(args.limits.timeout.map(|t| format!("--timeout={}", t.as_secs_f64())));
    flags.extend(args.solver.solver.as_ref().map(|command| format!("--solver={command}")));
    flags.extend(args.limits.memory.map(|mib| format!("--memory={mib}")));
    flags
}

/// Whether one engine says SAFE and another UNSAFE.
fn disagree(rows: &[Row]) -> bool {
    let says = |verdict: &str| rows.iter().any(|row| row.verdict == verdict);
    says("safe") && says("unsafe")
}

fn exit_code(rows: &[Row]) -> Exit {
    let says = |verdict: &str| rows.iter().any(|row| row.verdict == verdict);
    match (says("unsafe"), says("safe")) {
        (true, _) => Exit::Unsafe,
        (false, true) => Exit::Safe,
        _ if rows.iter().any(|row| row.exit_code == Some(Exit::Internal as i32)) => Exit::Internal,
        _ => Exit::Unknown,
    }
}

fn tell_disagreement(scratch: Scratch) -> Exit {
    let kept = scratch.keep();
    say("error: two engines disagree: one says SAFE, another UNSAFE. One of them is wrong.");
    say(&format!(
        "  help: please report this bug, with the program, the command line and the files in {}",
        kept.display()
    ));
    Exit::Internal
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(verdicts: &[&str]) -> Vec<Row> {
        let row = |verdict: &&str| Row { verdict: verdict.to_string(), ..Row::default() };
        verdicts.iter().map(row).collect()
    }

    #[test]
    fn only_definite_verdicts_can_disagree() {
        assert!(disagree(&rows(&["safe", "unknown", "unsafe"])));
        assert!(!disagree(&rows(&["safe", "unknown", "safe"])));
        assert!(!disagree(&rows(&["unknown", "unsafe"])));
    }

    #[test]
    fn a_definite_verdict_decides() {
        assert_eq!(exit_code(&rows(&["unknown", "safe"])), Exit::Safe);
        assert_eq!(exit_code(&rows(&["unsafe", "unknown"])), Exit::Unsafe);
        assert_eq!(exit_code(&rows(&["unknown"])), Exit::Unknown);
        assert_eq!(exit_code(&[]), Exit::Unknown);
    }
}
