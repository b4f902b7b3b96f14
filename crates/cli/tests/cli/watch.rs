//! `threadwise watch` verifies again after every change.

use crate::runner::{run, threadwise};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// A run of `watch`, and what it says line by line.
struct Watch {
    child: Child,
    lines: Receiver<String>,
}

fn watch(args: &[&str], directory: &Path) -> Watch {
    let mut command = threadwise(&[&["watch", "--quiet"], args].concat());
    let mut child =
        command.current_dir(directory).stdout(Stdio::piped()).stdin(Stdio::null()).spawn().expect("it starts");
    let (tell, lines) = channel();
    let out = BufReader::new(child.stdout.take().expect("a pipe"));
    std::thread::spawn(move || out.lines().map_while(Result::ok).for_each(|line| _ = tell.send(line)));
    Watch { child, lines }
}

impl Watch {
    fn line(&self) -> String {
        self.lines.recv_timeout(Duration::from_secs(60)).expect("it says something in time")
    }

    fn end(mut self) -> Option<i32> {
        let process = self.child.id().to_string();
        let killed = std::process::Command::new("kill").args(["-INT", &process]).status().expect("it runs");
        assert!(killed.success());
        self.child.wait().expect("it ends").code()
    }
}

fn directory(name: &str) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).expect("it can be made");
    directory
}

fn write(directory: &Path, name: &str, text: &str) {
    std::fs::write(directory.join(name), text).expect("it can be written");
}

#[cfg(unix)]
#[test]
fn every_change_is_verified_and_told() {
    let directory = directory("watch");
    let program = |value: u32| format!("shared x: 0..9;\nthread P {{ x = {value}; assert x < 5; }}\n");
    write(&directory, "a.tw", &program(1));
    write(&directory, "b.tw", "shared y: bool;\nthread Q { y = true; }\n");
    let watch = watch(&["a.tw", "b.tw"], &directory);
    assert_eq!(watch.line(), "a.tw  SAFE");
    assert_eq!(watch.line(), "b.tw  SAFE");
    write(&directory, "a.tw", &program(7));
    assert_eq!(watch.line(), "a.tw  UNSAFE: assertion fails at a.tw:2:19  (was SAFE)");
    // What is not changed is not verified again, and neither is what others write beside it.
    write(&directory, "b.tw", "shared y: bool;\nthread Q { y = true; }\n");
    write(&directory, "notes.txt", "nothing");
    // As editors do it.
    write(&directory, "new.tmp", "shared x: 0..9;\nthread P { x = 10 }\n");
    std::fs::rename(directory.join("new.tmp"), directory.join("a.tw")).expect("it can be renamed");
    let line = watch.line();
    assert!(line.starts_with("a.tw  ERROR: ") && line.ends_with("(was UNSAFE)"), "{line}");
    write(&directory, "a.tw", &program(2));
    assert_eq!(watch.line(), "a.tw  SAFE  (was ERROR)");
    write(&directory, "a.tw", &program(3));
    assert_eq!(watch.line(), "a.tw  SAFE  (as before)");
    assert_eq!(watch.end(), Some(0));
}

#[cfg(unix)]
#[test]
fn a_change_ends_a_run_that_is_under_way() {
    let directory = directory("watch-long");
    let endless = std::fs::read_to_string(crate::runner::programs().join("endless.tw")).expect("it is there");
    write(&directory, "a.tw", &endless);
    let watch = watch(&["a.tw", "--engine", "explicit"], &directory);
    std::thread::sleep(Duration::from_millis(600));
    write(&directory, "a.tw", "shared y: bool;\nthread Q { y = true; }\n");
    assert_eq!(watch.line(), "a.tw  SAFE");
    assert_eq!(watch.end(), Some(0));
}

#[test]
fn standard_input_cannot_be_watched() {
    let said = run(&["watch", "-"]);
    assert_eq!(said.code, 2);
    assert!(said.stderr.contains("standard input cannot be watched"), "{}", said.stderr);
}
