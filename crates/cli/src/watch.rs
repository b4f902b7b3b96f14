//! `threadwise watch`: verifies programs again whenever they change.
//!
//! Each program is verified in a process of its own, with the same flags as `check`. A change in the middle of a run ends it, and it
//! starts again. What was proved thread by thread is remembered here, so that after an edit only what was edited is verified; see
//! [`crate::reuse`]. The system tells that something has changed; what has, and whether it has at all, is seen from the texts.

use crate::args::CheckArgs;
use crate::check::make_one_program;
use crate::console::{Console, say};
use crate::exit::{Exit, InputError, Job};
use crate::input::is_stdin;
use crate::interrupt::on_interrupt;
use crate::own_run::{by_itself, run_until, this_program};
use crate::reuse::{Memory, is_wanted};
use crate::scratch::Scratch;
use crate::screen::{Screen, Shown};
use notify::{RecursiveMode, Watcher};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// How often it is seen whether the user wants to end.
const GLANCE: Duration = Duration::from_millis(100);
/// Who saves a file may write it in several pieces.
const SETTLING: Duration = Duration::from_millis(40);
/// Where the system does not tell of changes, files are looked at so often.
const LOOK: Duration = Duration::from_secs(1);

/// Verifies the programs, and again after every change, until the user ends it.
pub fn watch(args: &CheckArgs) -> Job {
    let console = Console::new(&args.output);
    if args.files.iter().any(|file| is_stdin(file)) {
        return Err(InputError::new("standard input cannot be watched").hint("give the name of a file"));
    }
    let interrupted = Arc::new(AtomicBool::new(false));
    on_interrupt(interrupted.clone());
    let watched = Watched::new(&args.files);
    let mut watching = Watching {
        programs: programs(args),
        scratch: Scratch::new()?,
        screen: Screen::new(&console, args.width.width),
        interrupted,
        watched,
        args,
    };
    watching.run()?;
    Ok(Exit::Safe)
}

/// A program: its files, by their numbers on the command line.
struct Program {
    files: Vec<PathBuf>,
    /// The flag that selects it.
    only: Option<usize>,
    shown: Option<Shown>,
    /// The report on the text before.
    report: Value,
    /// What is remembered of it, where that is of use.
    memory: Option<Memory>,
}

fn programs(args: &CheckArgs) -> Vec<Program> {
    let program = |files: &[PathBuf], only| Program {
        files: files.to_vec(),
        only,
        shown: None,
        report: Value::Null,
        memory: is_wanted(args, files).then(Memory::default),
    };
    if args.files.len() == 1 || !args.separately && make_one_program(&args.files) {
        return vec![program(&args.files, None)];
    }
    let each = args.files.iter().enumerate();
    each.map(|(index, file)| program(std::slice::from_ref(file), Some(index))).collect()
}

struct Watching<'a> {
    programs: Vec<Program>,
    scratch: Scratch,
    screen: Screen,
    interrupted: Arc<AtomicBool>,
    watched: Watched,
    args: &'a CheckArgs,
}

impl Watching<'_> {
    fn run(&mut self) -> Result<(), InputError> {
        let mut due: BTreeSet<usize> = (0..self.programs.len()).collect();
        while !self.interrupted.load(Ordering::Relaxed) {
            while let Some(index) = due.pop_first() {
                if !self.verify(index)? {
                    due.insert(index);
                    break;
                }
            }
            let changed = self.watched.next_changes(&self.interrupted);
            let is_due = |program: &Program| changed.iter().any(|path| concerns(path, &program.files));
            let fresh = self.programs.iter().enumerate().filter(|(_, program)| is_due(program));
            due.extend(fresh.map(|(index, _)| index));
        }
        Ok(())
    }

    /// Verifies one program; `false` if the run was cut short by a change.
    fn verify(&mut self, index: usize) -> Result<bool, InputError> {
        let name = self.programs[index].files[0].display().to_string();
        self.screen.working(&name);
        if let Some((now, details)) = self.verify_again(index) {
            return self.show(index, name, now, details);
        }
        let report = self.scratch.path().join(format!("{index}.json"));
        let _ = std::fs::remove_file(&report);
        let program = &self.programs[index];
        let mut command = this_program()?;
        command.arg("check").args(program.only.map(|only| format!("--only={only}"))).arg("--report").arg(&report);
        command.args(self.screen.flags()).args(crate::arguments().into_iter().skip(2));
        let (watched, interrupted) = (&self.watched, &self.interrupted);
        let stop = || interrupted.load(Ordering::Relaxed) || watched.has_news();
        let output = run_until(by_itself(&mut command), &stop);
        let output = output.map_err(|error| InputError::new(format!("cannot verify `{name}`: {error}")))?;
        if stop() {
            return Ok(false);
        }
        let now: Value =
            std::fs::read(&report).ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let details = format!("{}{}", text(&output.stdout), text(&output.stderr));
        let program = &mut self.programs[index];
        if let Some(memory) = &mut program.memory {
            memory.learn(self.args, &program.files, &now);
        }
        self.show(index, name, now, details)
    }

    /// With what is remembered of the program, if that is enough.
    fn verify_again(&mut self, index: usize) -> Option<(Value, String)> {
        let program = &mut self.programs[index];
        program.memory.as_mut()?.verify(self.args, &program.files)
    }

    fn show(&mut self, index: usize, name: String, now: Value, details: String) -> Result<bool, InputError> {
        let program = &mut self.programs[index];
        program.shown = Some(Shown::new(name, &program.report, &now, details));
        program.report = now;
        let all = self.programs.iter().filter_map(|program| program.shown.as_ref()).collect::<Vec<&Shown>>();
        let latest = self.programs[..index].iter().filter(|program| program.shown.is_some()).count();
        self.screen.draw(&all, latest)?;
        Ok(true)
    }
}

/// Whether a file that has changed is one of a program, or may be included by it.
fn concerns(path: &Path, files: &[PathBuf]) -> bool {
    files.iter().any(|file| file == path)
        || is_header(path) && files.iter().any(|file| directory(file) == directory(path))
}

fn is_header(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "h")
}

fn directory(file: &Path) -> &Path {
    match file.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => Path::new("."),
    }
}

/// Files under observation, with the texts that were seen last.
struct Watched {
    files: Vec<PathBuf>,
    texts: BTreeMap<PathBuf, Vec<u8>>,
    news: Receiver<()>,
    told: Arc<AtomicBool>,
    /// The system's own; without it files are looked at now and then.
    watcher: Option<notify::RecommendedWatcher>,
}

impl Watched {
    fn new(files: &[PathBuf]) -> Watched {
        let (tell, news) = channel();
        let told = Arc::new(AtomicBool::new(false));
        let is_told = told.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if event.is_ok_and(|event| !event.kind.is_access()) {
                is_told.store(true, Ordering::Relaxed);
                let _ = tell.send(());
            }
        });
        let watcher = watcher.ok().and_then(|mut watcher| {
            // Editors replace files, so that their directories have to be watched.
            let all = files.iter().all(|file| watcher.watch(directory(file), RecursiveMode::NonRecursive).is_ok());
            all.then_some(watcher)
        });
        if watcher.is_none() {
            say("note: the system does not tell of changes; files are looked at once a second");
        }
        let mut watched = Watched { files: files.to_vec(), texts: BTreeMap::new(), news, told, watcher };
        watched.texts = watched.read();
        watched
    }

    /// Whether a text differs from what was seen last. The system tells of more than that.
    fn has_news(&self) -> bool {
        if self.watcher.is_some() && !self.told.swap(false, Ordering::Relaxed) {
            return false;
        }
        let differs = self.read() != self.texts;
        if differs {
            self.told.store(true, Ordering::Relaxed);
        }
        differs
    }

    /// Waits for changes; nothing if the user wants to end.
    fn next_changes(&mut self, interrupted: &AtomicBool) -> Vec<PathBuf> {
        let patience = if self.watcher.is_some() { GLANCE } else { LOOK };
        while !interrupted.load(Ordering::Relaxed) {
            let is_told = self.told.load(Ordering::Relaxed) || self.news.recv_timeout(patience).is_ok();
            if !is_told && self.watcher.is_some() {
                continue;
            }
            std::thread::sleep(SETTLING);
            self.told.store(false, Ordering::Relaxed);
            while self.news.try_recv().is_ok() {}
            let texts = self.read();
            let differs = |path: &&PathBuf| texts.get(*path) != self.texts.get(*path);
            let changed: Vec<PathBuf> = texts.keys().chain(self.texts.keys()).filter(differs).cloned().collect();
            self.texts = texts;
            if !changed.is_empty() {
                return changed;
            }
        }
        Vec::new()
    }

    /// The texts of the programs and of the headers beside them. What cannot be read is not there.
    fn read(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let directories: BTreeSet<&Path> = self.files.iter().map(|file| directory(file)).collect();
        let entries = directories.into_iter().filter_map(|path| std::fs::read_dir(path).ok()).flatten().flatten();
        let headers = entries.map(|entry| entry.path()).filter(|path| is_header(path));
        let all = self.files.iter().cloned().chain(headers);
        all.filter_map(|path| std::fs::read(&path).ok().map(|text| (path, text))).collect()
    }
}
