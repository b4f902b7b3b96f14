//! Limits and interruption.

use crate::runner::{arg, run, scratch, threadwise};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

#[test]
fn time() {
    let started = Instant::now();
    let said = run(&["check", "endless.tw", "--engine", "explicit", "--timeout", "0.5"]);
    assert_eq!(said.code, 5);
    assert!(said.stdout.starts_with("UNKNOWN: time limit of 0.5 s reached\n"), "{}", said.stdout);
    assert!(said.stdout.contains("reached "), "{}", said.stdout);
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn time_of_the_cores() {
    let said = run(&["check", "endless.tw", "--engine", "explicit", "--cpu-time", "0.5", "--timeout", "60"]);
    assert_eq!(said.code, 5);
    assert!(said.stdout.starts_with("UNKNOWN: CPU time limit of 0.5 s reached\n"), "{}", said.stdout);
    assert!(said.stdout.contains("give it more time with `--cpu-time`"), "{}", said.stdout);
}

#[test]
fn memory() {
    let said = run(&["check", "endless.tw", "--engine", "explicit", "--memory", "24", "--timeout", "60"]);
    assert_eq!(said.code, 5);
    assert!(said.stdout.starts_with("UNKNOWN: memory limit of 24 MiB reached\n"), "{}", said.stdout);
}

/// `auto` goes on with other engines, and says what each of them ran into.
#[test]
fn auto_makes_a_plan() {
    let text = "shared x: int = 3; thread P { loop { x = x * x - 7 * x; assert x != 1000003; } }
                thread Q { loop { x = x + 5; } }";
    let said = crate::runner::run_with_input(&["check", "-", "--timeout", "1"], text);
    assert_eq!(said.code, 5);
    let first = "UNKNOWN: time limit of 1 s reached, and no engine had an answer\n";
    assert!(said.stdout.starts_with(first), "{}", said.stdout);
    assert!(said.stdout.contains("explicit: "), "{}", said.stdout);
    // No range fits `x`, so none is advised: with one, a value would be out of it.
    assert!(!said.stdout.contains("in place of `int`"), "{}", said.stdout);
}

/// Starts an endless search that would write a proof into the directory, and sends it a signal once it is at work.
#[cfg(target_os = "linux")]
fn signalled(mut command: Command, directory: &Path, signal: &str) -> Output {
    let _ = std::fs::remove_dir_all(directory);
    std::fs::create_dir(directory).expect("the directory can be made");
    command.arg("--proof").arg(directory.join("p.json"));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it should start");
    while std::fs::read_dir(directory).expect("it is there").next().is_none() {
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(300));
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(sent.expect("kill should run").success());
    child.wait_with_output().expect("it should end")
}

/// The same command, started by another one.
#[cfg(target_os = "linux")]
fn through(words: &[&str], program: &Command) -> Command {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).arg(program.get_program()).args(program.get_args());
    command.current_dir(program.get_current_dir().expect("it has one"));
    command
}

#[cfg(target_os = "linux")]
#[test]
fn interruption() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        let directory = scratch(&format!("interrupted{signal}"));
        let endless = threadwise(&["check", "endless.tw", "--engine", "explicit", "--timeout", "60"]);
        // Who runs the tests may ignore SIGHUP, and what is started inherits that.
        let endless = through(&["env", "--default-signal=HUP"], &endless);
        let output = signalled(endless, &directory, signal);
        assert_eq!(output.status.code(), Some(5), "{signal}");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.starts_with("UNKNOWN: interrupted\n"), "{signal}: {text}");
        let left: Vec<_> = std::fs::read_dir(&directory).expect("it is there").flatten().collect();
        assert!(left.is_empty(), "{signal}: {left:?}");
    }
}

/// Whoever says `nohup` wants the run to go on when the terminal has gone.
#[cfg(target_os = "linux")]
#[test]
fn nohup_is_respected() {
    let program = threadwise(&["check", "endless.tw", "--engine", "explicit", "--timeout", "2"]);
    let output = signalled(through(&["nohup"], &program), &scratch("nohup"), "-HUP");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with("UNKNOWN: time limit of 2 s reached\n"), "{text}");
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    // Either verdict will do, and so will a refusal; a crash will not.
    for depth in [100, 100_000] {
        let condition = format!("{}true{}", "(".repeat(depth), ")".repeat(depth));
        let text = format!("thread P {{ assert {condition}; }}\n");
        let said = crate::runner::run_with_input(&["check", "-"], &text);
        assert!([0, 2].contains(&said.code), "depth {depth}: {} {}", said.code, said.stderr);
    }
}

/// A front end has no more time than an engine.
#[test]
fn a_limit_that_is_met_while_the_program_is_read() {
    let text = format!("thread P {{ {} }}", "skip; ".repeat(3_000_000));
    let path = scratch("long.tw");
    std::fs::write(&path, text).expect("it can be written");
    let said = run(&["check", arg(&path), "--timeout", "0.2"]);
    let json = run(&["check", arg(&path), "--timeout", "0.2", "--format", "json"]);
    std::fs::remove_file(&path).expect("it can be removed");
    assert_eq!(
        (said.code, said.stdout.as_str()),
        (5, "UNKNOWN: time limit of 0.2 s reached while the program was read\n")
    );
    assert_eq!((json.code, &json.json()["verdict"]), (5, &"unknown".into()));
}
