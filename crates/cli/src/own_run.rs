//! Other runs of this very program, in processes of their own: their time and memory are their own, and one that breaks
//! down does not take the others with it.

use crate::exit::InputError;
use std::io::Read;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use threadwise_limits::cpu_time_of;

/// How often it is seen whether the process has ended, or the user wants it to.
const GLANCE: Duration = Duration::from_millis(5);

/// A process that got Ctrl-C as well has this long to end by itself: a second signal would cut it short.
const ITS_OWN_TIME: Duration = Duration::from_millis(240);

/// This program, to be run once more.
pub fn this_program() -> Result<Command, InputError> {
    let path = std::env::current_exe();
    let path = path.map_err(|e| InputError::new(format!("cannot find the threadwise program itself: {e}")))?;
    Ok(Command::new(path))
}

/// Runs a command to its end, and keeps what it says where its streams are pipes. Once `stop` is set, it is asked to end
/// as well: Ctrl-C reaches all processes at a terminal, but other signals only the one they are sent to.
pub fn run_to_end(command: &mut Command, stop: &AtomicBool) -> std::io::Result<Output> {
    run_until(command, &|| stop.load(Ordering::Relaxed))
}

/// The same, where `stop` says whether it should end.
pub fn run_until(command: &mut Command, stop: &dyn Fn() -> bool) -> std::io::Result<Output> {
    Ok(measured(command, stop)?.output)
}

/// What a run said, and how long cores worked for it.
pub struct Measured {
    pub output: Output,
    pub cpu_time: Duration,
}

/// Runs a command to its end, and measures it.
pub fn run_measured(command: &mut Command, stop: &AtomicBool) -> std::io::Result<Measured> {
    measured(command, &|| stop.load(Ordering::Relaxed))
}

fn measured(command: &mut Command, stop: &dyn Fn() -> bool) -> std::io::Result<Measured> {
    let mut child = command.spawn()?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        let stdout = scope.spawn(|| read_all(stdout));
        let stderr = scope.spawn(|| read_all(stderr));
        let (status, cpu_time) = wait(&mut child, stop)?;
        let said = |reader: std::thread::ScopedJoinHandle<'_, Vec<u8>>| reader.join().unwrap_or_default();
        Ok(Measured { output: Output { status, stdout: said(stdout), stderr: said(stderr) }, cpu_time })
    })
}

fn read_all(stream: Option<impl Read>) -> Vec<u8> {
    let mut text = Vec::new();
    if let Some(mut stream) = stream {
        // What could be read is all that there is.
        let _ = stream.read_to_end(&mut text);
    }
    text
}

fn wait(child: &mut Child, stop: &dyn Fn() -> bool) -> std::io::Result<(ExitStatus, Duration)> {
    let mut stopping: Option<Instant> = None;
    let mut is_asked = false;
    loop {
        // A process that has ended tells its time until somebody takes note of its end.
        let cpu_time = cpu_time_of(child.id());
        if let Some(status) = child.try_wait()? {
            return Ok((status, cpu_time));
        }
        if stopping.is_some() || stop() {
            let since = *stopping.get_or_insert_with(Instant::now);
            if since.elapsed() >= ITS_OWN_TIME && !is_asked {
                is_asked = true;
                ask_to_end(child);
            }
        }
        std::thread::sleep(GLANCE);
    }
}

#[cfg(unix)]
fn ask_to_end(child: &Child) {
    let process = nix::unistd::Pid::from_raw(child.id() as i32);
    let _ = nix::sys::signal::kill(process, nix::sys::signal::Signal::SIGTERM);
}

#[cfg(not(unix))]
fn ask_to_end(child: &mut Child) {
    let _ = child.kill();
}

/// Standard output and errors are kept, and there is nothing to read.
pub fn by_itself(command: &mut Command) -> &mut Command {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped())
}
