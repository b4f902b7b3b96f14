//! One task of many: what it is, and its run.

use crate::args::CheckArgs;
use crate::exit::InputError;
use crate::own_run::{Measured, run_measured, this_program};
use crate::results::expected::expected;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use threadwise_frontends::{is_task, read_task};
use threadwise_report_table::Row;
use threadwise_source::SourceFile;
use threadwise_witness::sha256;

/// A file to verify.
pub struct Task<'a> {
    path: &'a Path,
    /// The files of its program.
    inputs: Vec<PathBuf>,
    /// Properties, and whether the program is said to have them.
    expected: Vec<(&'static str, bool)>,
}

impl<'a> Task<'a> {
    pub fn new(args: &'a CheckArgs, index: usize) -> Task<'a> {
        let path = &args.files[index];
        let definition = if is_task(path) { std::fs::read_to_string(path).ok() } else { None };
        let Some(text) = definition else { return Task { path, inputs: vec![path.clone()], expected: Vec::new() } };
        let file = SourceFile::new(path.display().to_string(), text);
        // What is wrong with a task is said when it is run.
        let inputs = read_task(&file, &args.language.options).map(|task| task.files).unwrap_or_default();
        Task { path, inputs, expected: expected(&file) }
    }

    /// What tells this run from others: the texts, the flags and this very program.
    pub fn key(&self, args: &CheckArgs) -> String {
        let flags = (&args.language, &args.engine, &args.engines, &args.search, &args.solver, &args.limits);
        let program = std::env::current_exe().and_then(std::fs::metadata).and_then(|data| data.modified()).ok();
        let mut text = format!("{}\n{flags:?}\n{program:?}\n{}\n", env!("CARGO_PKG_VERSION"), self.path.display());
        for file in std::iter::once(self.path).chain(self.inputs.iter().map(PathBuf::as_path)) {
            text += &std::fs::read(file).map_or_else(|_| "gone".to_string(), |bytes| sha256(&bytes));
        }
        sha256(text.as_bytes())
    }

    /// Runs the same command line once more, for this file alone.
    pub fn run(&self, index: usize, report: &Path, stop: &AtomicBool) -> Result<Vec<Row>, InputError> {
        let mut command = this_program()?;
        command.arg("check").arg(format!("--only={index}")).arg("--report").arg(report);
        command.args(crate::arguments().into_iter().skip(2));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let started = Instant::now();
        let failed = |error| InputError::new(format!("cannot verify `{}`: {error}", self.path.display()));
        let measured = run_measured(&mut command, stop).map_err(failed)?;
        let seconds = started.elapsed().as_secs_f64();
        let said = std::fs::read(report).ok().and_then(|text| serde_json::from_slice(&text).ok());
        let _ = std::fs::remove_file(report);
        Ok(self.rows(&said.unwrap_or_default(), &measured, seconds))
    }

    /// A row for each property, or one for all of them.
    fn rows(&self, said: &Value, measured: &Measured, seconds: f64) -> Vec<Row> {
        let whole = Row {
            task: self.path.display().to_string(),
            verdict: text(&said["verdict"]).unwrap_or_else(|| "error".to_string()),
            engine: text(&said["engine"]).unwrap_or_default(),
            reason: reason(said).unwrap_or_else(|| last_words(measured)),
            seconds,
            cpu_seconds: measured.cpu_time.as_secs_f64(),
            peak_memory_bytes: said["stats"]["peak_memory_bytes"].as_u64().unwrap_or(0),
            ..Row::default()
        };
        let of_property = |said: &Value| {
            let property = text(&said["property"]).unwrap_or_default();
            let expected = self.expected.iter().find(|(name, _)| *name == property).map(|(_, is_safe)| *is_safe);
            Row {
                verdict: text(&said["verdict"]).unwrap_or_default(),
                engine: text(&said["engine"]).unwrap_or_default(),
                reason: text(&said["reason"]).unwrap_or_default(),
                expected,
                property,
                ..whole.clone()
            }
        };
        match said["properties"].as_array().map(Vec::as_slice) {
            None | Some([]) => vec![whole],
            // All of the time was spent on the only one.
            Some([only]) => vec![of_property(only)],
            Some(several) => several
                .iter()
                .map(|said| Row { seconds: said["seconds"].as_f64().unwrap_or(seconds), ..of_property(said) })
                .collect(),
        }
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_string)
}

/// The reason of a verdict, or what is wrong with the input.
fn reason(said: &Value) -> Option<String> {
    let first = || text(&said["diagnostics"][0]["message"]);
    said.is_object()
        .then(|| text(&said["reason"]).or_else(first).or_else(|| text(&said["message"])).unwrap_or_default())
}

fn last_words(measured: &Measured) -> String {
    let said = String::from_utf8_lossy(&measured.output.stderr);
    let line = said.lines().next().unwrap_or("no word").to_string();
    format!("it ended with {}: {line}", measured.output.status)
}
