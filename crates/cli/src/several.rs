//! `threadwise check` with several programs: each in a process of its own, and a table at the end.

use crate::args::{CheckArgs, Format};
use crate::console::{Console, palette, print};
use crate::exit::{Exit, InputError, Job};
use crate::forms::Findings;
use crate::own_run::{run_to_end, this_program};
use crate::scratch::Scratch;
use crate::table::{Align, table};
use crate::work;
use serde::Serialize;
use serde_json::Value;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use threadwise_report::{Tone, show_seconds, to_text};
use threadwise_report_ci::Checked;

/// What came of one program.
struct Row<'a> {
    file: &'a Path,
    exit: Exit,
    seconds: f64,
    /// The whole report, where the user wants JSON.
    report: Value,
}

#[derive(Serialize)]
struct Reports {
    /// The worst of the verdicts.
    verdict: &'static str,
    /// The report of each program, which says `file` first.
    files: Vec<Value>,
    version: &'static str,
}

/// Verifies each of the programs.
pub fn check_each(args: &CheckArgs) -> Job {
    let console = Console::new(&args.output);
    if args.proof.is_some() || args.trace.is_some() || args.witness.is_some() || args.forms.html.is_some() {
        let message = "`--proof`, `--trace`, `--witness` and `--html` name one file, but there are several programs";
        return Err(InputError::new(message).hint("verify the program whose evidence you want by itself"));
    }
    let stop = work::budget(&args.limits).interrupter();
    let mut findings = Findings::prepare(args, &args.files[0])?;
    let scratch = findings.is_wanted().then(Scratch::new).transpose()?;
    let mut rows = Vec::new();
    for (index, file) in args.files.iter().enumerate() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        if console.format == Format::Human {
            print(&format!("{}\n", palette().paint(Tone::Quiet, format!("── {}", file.display()))))?;
        }
        let kept = scratch.as_ref().map(|scratch| scratch.path().join(format!("{index}.json")));
        rows.push(check_by_itself(index, file, console.format, kept.as_deref(), &stop)?);
        if console.format == Format::Human {
            print("\n")?;
        }
    }
    let worst = rows.iter().map(|row| row.exit).max_by_key(|exit| badness(*exit)).unwrap_or(Exit::Unknown);
    print(&match console.format {
        Format::Human | Format::Svcomp => summary(&rows),
        // Each program has said what there is to say.
        Format::Github => String::new(),
        Format::Json => to_text(&reports(&rows, worst)),
    })?;
    let names: Vec<String> = rows.iter().map(|row| row.file.display().to_string()).collect();
    let checked: Vec<Checked> =
        rows.iter().zip(&names).map(|(row, file)| Checked { file, report: &row.report }).collect();
    findings.write(&checked)?;
    Ok(if stop.load(Ordering::Relaxed) { worse(worst, Exit::Unknown) } else { worst })
}

/// The same command line once more, for one of its files. The report is kept in a file, if there is one for it.
fn check_by_itself<'a>(
    index: usize,
    file: &'a Path,
    format: Format,
    kept: Option<&Path>,
    stop: &AtomicBool,
) -> Result<Row<'a>, InputError> {
    let mut command = this_program()?;
    command.arg("check").arg(format!("--only={index}"));
    kept.iter().for_each(|path| _ = command.arg("--report").arg(path));
    command.args(crate::arguments().into_iter().skip(2));
    if format == Format::Json {
        command.stdout(Stdio::piped());
    }
    let started = Instant::now();
    let output = run_to_end(&mut command, stop)
        .map_err(|error| InputError::new(format!("cannot verify `{}`: {error}", file.display())))?;
    // A run that was cut short may have been in no state to say so.
    let if_killed = if stop.load(Ordering::Relaxed) { Exit::Unknown } else { Exit::Internal };
    let exit = output.status.code().and_then(Exit::from_code).unwrap_or(if_killed);
    let text = kept.and_then(|path| std::fs::read(path).ok()).unwrap_or(output.stdout);
    let report = serde_json::from_slice(&text).unwrap_or_default();
    Ok(Row { file, exit, seconds: started.elapsed().as_secs_f64(), report })
}

fn summary(rows: &[Row<'_>]) -> String {
    let cells = |row: &Row<'_>| {
        let (word, tone) = word(row.exit);
        [(row.file.display().to_string(), None), (word.to_uppercase(), Some(tone)), (show_seconds(row.seconds), None)]
    };
    let columns = [("file", Align::Left), ("verdict", Align::Left), ("time", Align::Right)];
    table(&columns, rows.iter().map(cells), palette())
}

fn reports(rows: &[Row<'_>], worst: Exit) -> Reports {
    let with_name = |row: &Row<'_>| {
        let mut report = serde_json::Map::from_iter([("file".to_string(), row.file.display().to_string().into())]);
        match &row.report {
            Value::Object(fields) => report.extend(fields.clone()),
            _ => report.extend([("verdict".to_string(), word(row.exit).0.into())]),
        }
        Value::Object(report)
    };
    let files = rows.iter().map(with_name).collect();
    Reports { verdict: word(worst).0, files, version: env!("CARGO_PKG_VERSION") }
}

pub fn word(exit: Exit) -> (&'static str, Tone) {
    match exit {
        Exit::Safe => ("safe", Tone::Good),
        Exit::Unsafe => ("unsafe", Tone::Bad),
        Exit::BadInput => ("error", Tone::Bad),
        Exit::Unknown | Exit::Internal => ("unknown", Tone::Unsure),
    }
}

/// The worse of two ways to end.
fn worse(a: Exit, b: Exit) -> Exit {
    if badness(a) >= badness(b) { a } else { b }
}

/// A tool that breaks down is worse than a file that is no program, that is worse than an error that was found, and that
/// is worse than not to know.
pub fn badness(exit: Exit) -> u8 {
    match exit {
        Exit::Safe => 0,
        Exit::Unknown => 1,
        Exit::Unsafe => 2,
        Exit::BadInput => 3,
        Exit::Internal => 4,
    }
}
