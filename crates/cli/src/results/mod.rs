//! `threadwise check DIR --table FILE`: all tasks, each in a process of its own, several at once, and a table of what came of them.

mod expected;
mod journal;
mod one;

use crate::args::{CheckArgs, Format};
use crate::console::{Console, palette, print};
use crate::exit::{Exit, InputError, Job};
use crate::pending::PendingFile;
use crate::scratch::Scratch;
use crate::several::{badness, word};
use crate::work;
use journal::Journal;
use one::Task;
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use threadwise_report::{show_seconds, to_text};
use threadwise_report_table::{Row, Status, csv, html};

/// What the runs share.
struct Runs<'a> {
    args: &'a CheckArgs,
    format: Format,
    tasks: Vec<Task<'a>>,
    scratch: Scratch,
    journal: Mutex<Journal>,
    stop: &'a AtomicBool,
    next: AtomicUsize,
    /// What came of each task so far.
    rows: Mutex<Vec<Option<Vec<Row>>>>,
    /// The first thing that went wrong with the runs themselves.
    error: Mutex<Option<InputError>>,
}

/// Verifies all tasks and writes the table.
pub fn check_all(args: &CheckArgs, table: &Path) -> Job {
    let console = Console::new(&args.output);
    let forms = [&args.forms.html, &args.forms.sarif, &args.forms.junit, &args.proof, &args.trace, &args.witness];
    if forms.into_iter().any(Option::is_some) {
        let message = "other files than the table are about one program each, and the table is about many";
        return Err(InputError::new(message).hint("verify the program whose evidence you want by itself"));
    }
    let kind = Kind::of(table)?;
    let file = PendingFile::prepare(table, &args.files[0])?;
    let stop = work::budget(&args.limits).interrupter();
    let tasks: Vec<Task<'_>> = (0..args.files.len()).map(|index| Task::new(args, index)).collect();
    let runs = Runs {
        args,
        format: console.format,
        scratch: Scratch::new()?,
        journal: Mutex::new(Journal::open(table)?),
        stop: &stop,
        next: AtomicUsize::new(0),
        rows: Mutex::new(vec![None; tasks.len()]),
        error: Mutex::new(None),
        tasks,
    };
    let jobs = usize::from(args.table.jobs.unwrap_or(1)).min(args.files.len());
    std::thread::scope(|scope| (0..jobs).for_each(|_| _ = scope.spawn(|| runs.work())));
    if let Some(error) = runs.error.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let found = runs.rows.into_inner().unwrap_or_else(PoisonError::into_inner);
    let is_whole = found.iter().all(Option::is_some);
    let rows: Vec<Row> = found.into_iter().flatten().flatten().collect();
    let text = match kind {
        Kind::Page => html(&format!("Threadwise {}", env!("CARGO_PKG_VERSION")), &rows),
        Kind::Csv => csv(&rows),
    };
    file.write(|mut out| out.write_all(text.as_bytes()))?;
    print(&match console.format {
        Format::Human | Format::Svcomp => summary(&rows),
        Format::Github => String::new(),
        Format::Json => to_text(&rows),
    })?;
    if !is_whole {
        console.note("interrupted: the table has what was done; the same command goes on from there");
    }
    let worst = rows.iter().map(exit).max_by_key(|exit| badness(*exit)).unwrap_or(Exit::Unknown);
    Ok(if is_whole {
        worst
    } else {
        [worst, Exit::Unknown].into_iter().max_by_key(|exit| badness(*exit)).unwrap_or(worst)
    })
}

/// The two forms of a table, by the name of the file.
enum Kind {
    Page,
    Csv,
}

impl Kind {
    fn of(table: &Path) -> Result<Kind, InputError> {
        match table.extension().and_then(|extension| extension.to_str()) {
            Some("html" | "htm") => Ok(Kind::Page),
            Some("csv") => Ok(Kind::Csv),
            _ => {
                let message = format!("`{}` is neither a page nor CSV", table.display());
                Err(InputError::new(message).hint("let the name end with .html or .csv"))
            }
        }
    }
}

impl Runs<'_> {
    /// Takes task after task until there is none left, or the user wants an end.
    fn work(&self) {
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = self.tasks.get(index).filter(|_| !self.stop.load(Ordering::Relaxed)) else { return };
            match self.run(index, task) {
                Ok(Some(rows)) => self.keep(index, rows),
                Ok(None) => return,
                Err(error) => {
                    self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                    self.next.store(self.tasks.len(), Ordering::Relaxed);
                    return;
                }
            }
        }
    }

    /// What came of a task, now or before; nothing where the user has interrupted it.
    fn run(&self, index: usize, task: &Task<'_>) -> Result<Option<Vec<Row>>, InputError> {
        let key = task.key(self.args);
        let known = self.journal.lock().unwrap_or_else(PoisonError::into_inner).known(&key);
        if known.is_some() {
            return Ok(known);
        }
        let report = self.scratch.path().join(format!("{index}.json"));
        let rows = task.run(index, &report, self.stop)?;
        if self.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        self.journal.lock().unwrap_or_else(PoisonError::into_inner).add(&key, &rows)?;
        Ok(Some(rows))
    }

    fn keep(&self, index: usize, rows: Vec<Row>) {
        let mut all = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let done = all.iter().filter(|rows| rows.is_some()).count() + 1;
        if self.format == Format::Human {
            let width = all.len().to_string().len();
            // A terminal that is gone does not end the work.
            let line = |row: &Row| _ = print(&progress(row, &format!("{done:width$}/{}", all.len())));
            rows.iter().for_each(line);
        }
        all[index] = Some(rows);
    }
}

/// `  7/527  SAFE     0.04 s  locks      races  folder/task.yml`
fn progress(row: &Row, number: &str) -> String {
    let (_, tone) = word(exit(row));
    let verdict = palette().paint(tone, format!("{:7}", row.verdict.to_uppercase()));
    let wrong = if row.status() == Status::Wrong { "  WRONG" } else { "" };
    let Row { engine, property, task, .. } = row;
    let line = format!("{number}  {verdict}  {:>8}  {engine:11}  {property:10}  {task}", show_seconds(row.seconds));
    format!("{}{wrong}\n", line.trim_end())
}

/// What came of all of them in a few words.
fn summary(rows: &[Row]) -> String {
    let of = |verdict: &str| rows.iter().filter(|row| row.verdict == verdict).count();
    let wrong = rows.iter().filter(|row| row.status() == Status::Wrong).count();
    let score: i64 = rows.iter().map(Row::score).sum();
    let judged = match rows.iter().any(|row| row.expected.is_some()) {
        true => format!("; {wrong} not as expected, {score} points"),
        false => String::new(),
    };
    let [safe, unsafe_, unknown, error] = ["safe", "unsafe", "unknown", "error"].map(of);
    format!("\n{} answers: {safe} SAFE, {unsafe_} UNSAFE, {unknown} UNKNOWN, {error} errors{judged}\n", rows.len())
}

fn exit(row: &Row) -> Exit {
    match row.verdict.as_str() {
        "safe" => Exit::Safe,
        "unsafe" => Exit::Unsafe,
        "error" => Exit::BadInput,
        _ => Exit::Unknown,
    }
}
