//! Limits and interruption.

use crate::runner::{run, threadwise};
use std::process::Stdio;
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
    assert!(said.stdout.contains("explicit: ") && said.stdout.contains("bound `x` (1:8)"), "{}", said.stdout);
}

#[cfg(unix)]
#[test]
fn interruption() {
    let mut command = threadwise(&["check", "endless.tw", "--engine", "explicit", "--timeout", "60"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it should start");
    std::thread::sleep(Duration::from_millis(800));
    let signal = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(signal.expect("kill should run").success());
    let output = child.wait_with_output().expect("it should end");
    assert_eq!(output.status.code(), Some(5));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with("UNKNOWN: interrupted\n"), "{text}");
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
