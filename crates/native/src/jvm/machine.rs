//! A virtual machine that runs a program with a director in it, which lets one thread go on at a time.

use crate::Trouble;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};
use threadwise_front_java::{Options, TemporaryFolder, class_files, javac_command, jdk_program};
use threadwise_source::{Diagnostic, SourceFile};

const DIRECTOR: [(&str, &str); 2] =
    [("Director.java", include_str!("Director.java")), ("Rewriter.java", include_str!("Rewriter.java"))];

/// The library with which a virtual machine rewrites classes itself.
const EXPORTS: &str = "java.base/jdk.internal.org.objectweb.asm=ALL-UNNAMED";

/// A compiled program, and the director beside it.
#[derive(Clone)]
pub struct Classes {
    folder: Arc<TemporaryFolder>,
    main: String,
    no_spurious: bool,
}

impl Classes {
    /// Compiles a program, or puts its class files where they are found.
    pub fn new(files: &[SourceFile], options: &Options) -> Result<Classes, Trouble> {
        let wrong = |error: std::io::Error| Trouble::Compiler(format!("there is no room for class files: {error}"));
        let refused = |error: Diagnostic| Trouble::Compiler(error.message);
        let folder = TemporaryFolder::new().map_err(wrong)?;
        let main = class_files(files, folder.path(), options.entry.as_deref()).map_err(refused)?;
        let own = folder.path().join("own");
        std::fs::create_dir_all(&own).map_err(wrong)?;
        let mut command = javac_command();
        command.args(["--add-exports", EXPORTS, "-d"]).arg(folder.path().join("director"));
        for (name, text) in DIRECTOR {
            std::fs::write(own.join(name), text).map_err(wrong)?;
            command.arg(own.join(name));
        }
        let output = command.output().map_err(|_| Trouble::NoCompiler("there is no JDK".to_string()))?;
        match output.status.success() {
            true => Ok(Classes { folder: Arc::new(folder), main, no_spurious: options.no_spurious }),
            false => {
                Err(Trouble::Compiler("the JDK cannot rewrite classes as the versions from 16 to 23 do".to_string()))
            }
        }
    }

    /// Another program whose classes are among these.
    pub fn with_main(&self, main: &str, no_spurious: bool) -> Classes {
        Classes { main: main.to_string(), no_spurious, ..self.clone() }
    }

    fn command(&self, mode: &[String]) -> Command {
        let mut command = Command::new(jdk_program("java"));
        command.args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "--add-exports", EXPORTS, "-cp"]);
        command.arg(self.folder.path().join("director")).arg("threadwise.Director");
        command.arg(self.classes()).arg(&self.main);
        command.arg(if self.no_spurious { "no-spurious" } else { "spurious" }).args(mode);
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        command
    }

    fn classes(&self) -> PathBuf {
        self.folder.path().join("classes")
    }

    pub(crate) fn start(&self, mode: &[String], limit: Duration) -> Result<Machine, Trouble> {
        let mut child = self
            .command(mode)
            .spawn()
            .map_err(|error| Trouble::NoCompiler(format!("the virtual machine cannot be started: {error}")))?;
        let orders = child.stdin.take().expect("the pipe was asked for");
        let output = child.stdout.take().expect("the pipe was asked for");
        let (sender, lines) = sync_channel(64);
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Machine { child, orders, lines, deadline: Instant::now() + limit })
    }

    /// Runs programs that are among the classes along random ways, each so often, one after the other on one machine; what goes
    /// wrong in each of their executions, in words of properties. What is missing was not run in the time.
    pub fn random_ways(
        &self,
        programs: &[&str],
        runs: u32,
        seed: u64,
        limit: Duration,
    ) -> Result<BTreeMap<String, Vec<String>>, Trouble> {
        let mode = ["random".to_string(), runs.to_string(), MOST_STEPS.to_string(), seed.to_string()];
        let all = Classes { main: programs.join(","), ..self.clone() };
        let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for line in all.start(&mode, limit)?.lines_until_it_ends()? {
            let (program, wrong) = line.split_once('\t').unwrap_or((&line, ""));
            found.entry(program.to_string()).or_default().push(wrong.to_string());
        }
        Ok(found)
    }

    /// Runs the program along all ways, or as many of them as there is time for, and whether these are all.
    pub fn all_ways(&self, runs: u32, limit: Duration) -> Result<(Vec<String>, bool), Trouble> {
        let mode = ["all".to_string(), runs.to_string(), MOST_STEPS.to_string()];
        let mut ways = self.start(&mode, limit)?.lines_until_it_ends()?;
        let is_whole = ways.last().is_some_and(|last| last == "complete");
        ways.truncate(ways.len() - usize::from(is_whole));
        Ok((ways, is_whole))
    }
}

/// An execution along a way that is chosen there has at most so many steps.
const MOST_STEPS: u32 = 2000;

/// A running virtual machine, ended when it is dropped.
pub(crate) struct Machine {
    child: Child,
    orders: ChildStdin,
    lines: Receiver<String>,
    deadline: Instant,
}

impl Machine {
    fn line(&mut self) -> Result<Option<String>, Trouble> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        match self.lines.recv_timeout(left) {
            Ok(line) => Ok(Some(line)),
            Err(RecvTimeoutError::Timeout) => Err(Trouble::Time),
            Err(RecvTimeoutError::Disconnected) => Ok(None),
        }
    }

    /// All that it says, or what it says in its time.
    fn lines_until_it_ends(mut self) -> Result<Vec<String>, Trouble> {
        let mut all = Vec::new();
        loop {
            match self.line() {
                Ok(Some(line)) => all.push(line),
                Ok(None) | Err(Trouble::Time) => return Ok(all),
                Err(trouble) => return Err(trouble),
            }
        }
    }

    /// The lines up to one with a dot.
    pub(crate) fn paragraph(&mut self) -> Result<Vec<String>, Trouble> {
        let mut all = Vec::new();
        loop {
            match self.line()? {
                Some(line) if line == "." => return Ok(all),
                Some(line) => all.push(line),
                None => return Err(Trouble::Differs("the virtual machine ended".to_string())),
            }
        }
    }

    /// Whether it listens is told by what comes next.
    pub(crate) fn order(&mut self, number: i64) {
        let _ = writeln!(self.orders, "{number}").and_then(|()| self.orders.flush());
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let group = nix::unistd::Pid::from_raw(self.child.id() as i32);
        let _ = nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGKILL);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
