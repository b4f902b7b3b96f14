//! Several programs in one run, and runs that leave `check` out.

use crate::runner::{run, threadwise};
use std::process::Stdio;
use std::time::{Duration, Instant};

#[test]
fn a_file_without_a_command_is_checked() {
    for (file, code) in [("safe.tw", 0), ("unsafe.tw", 10), ("nowhere.tw", 2)] {
        let (short, long) = (run(&[file]), run(&["check", file]));
        assert_eq!((short.code, &short.redacted()), (code, &long.redacted()), "{file}");
    }
    assert_eq!(run(&["--engine", "explicit", "safe.tw", "-D", "N=2"]).code, 0);
    assert_eq!(run(&["-q", "unsafe.tw"]).code, 10);
}

#[test]
fn a_mistyped_command_is_no_file() {
    let said = run(&["chekc", "safe.tw"]);
    assert_eq!(said.code, 2);
    assert!(said.stderr.contains("check"), "{}", said.stderr);
}

#[test]
fn one_verdict_each_and_a_table() {
    let said = run(&["check", "safe.tw", "unsafe.tw", "nowhere.tw"]);
    let (reports, table) = said.stdout.rsplit_once("\n\n").expect("the table is the last part");
    let headings: Vec<&str> = reports.lines().filter_map(|line| line.strip_prefix("── ")).collect();
    assert_eq!(headings, ["safe.tw", "unsafe.tw", "nowhere.tw"]);
    let cells = |line: &str| line.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
    let rows: Vec<String> = table.lines().map(cells).collect();
    assert_eq!(rows, ["file verdict", "safe.tw SAFE", "unsafe.tw UNSAFE", "nowhere.tw ERROR"]);
    assert!(said.stderr.contains("nowhere.tw"), "{}", said.stderr);
}

#[test]
fn the_exit_code_is_the_worst() {
    let code = |files: &[&str]| run(&[&["check", "--timeout", "1"], files].concat()).code;
    assert_eq!(code(&["safe.tw", "safe.tw"]), 0);
    assert_eq!(code(&["safe.tw", "unknown.tw"]), 5);
    assert_eq!(code(&["unsafe.tw", "unknown.tw"]), 10);
    assert_eq!(code(&["nowhere.tw", "unsafe.tw"]), 2);
}

#[test]
fn json_is_one_object() {
    let json = run(&["check", "safe.tw", "unsafe.tw", "--format", "json"]).json();
    assert_eq!(json["verdict"], "unsafe");
    let said: Vec<_> = json["files"].as_array().expect("a list").iter().map(|f| (&f["file"], &f["verdict"])).collect();
    assert_eq!(said, [(&"safe.tw".into(), &"safe".into()), (&"unsafe.tw".into(), &"unsafe".into())]);
}

#[test]
fn evidence_is_of_one_program() {
    let said = run(&["check", "safe.tw", "unsafe.tw", "--trace", "never-written.json"]);
    assert_eq!(said.code, 2);
    assert!(said.stderr.contains("several programs"), "{}", said.stderr);
}

/// A signal reaches only the process that it is sent to, which has to pass it on.
#[cfg(unix)]
#[test]
fn a_signal_ends_the_run_under_way() {
    for command in [&["check", "endless.tw", "endless.tw"][..], &["compare", "endless.tw"]] {
        let engine = if command[0] == "check" { vec!["--engine", "explicit"] } else { vec![] };
        let mut command = threadwise(&[command, &engine].concat());
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let child = child.expect("it should start");
        std::thread::sleep(Duration::from_millis(500));
        let asked = Instant::now();
        let process = nix::unistd::Pid::from_raw(child.id() as i32);
        nix::sys::signal::kill(process, nix::sys::signal::Signal::SIGTERM).expect("it runs");
        let output = child.wait_with_output().expect("it should end");
        assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
        assert_eq!(output.status.code(), Some(5), "{}", String::from_utf8_lossy(&output.stdout));
    }
}
