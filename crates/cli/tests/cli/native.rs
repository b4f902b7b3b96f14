//! Counterexamples of C programs, confirmed on the machine.

use crate::runner::{arg, run, said, scratch, threadwise};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The lowered program and the compiled one are the same, unless the compiler is told that it compiles for the machine.
const LOST: &str = "\
#include <assert.h>
#include <pthread.h>
int x;
void *worker(void *unused) {
  x = x + 1;
#ifdef OTHER
  x = 2;
#endif
#ifdef ENDLESS
  for (;;) {}
#endif
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  x = x + 1;
  pthread_join(t, 0);
  assert(x == 2);
  return 0;
}
";

/// Where there is no compiler, there is nothing to compile with.
fn is_there_a_compiler() -> bool {
    let there = Command::new("cc").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !there {
        eprintln!("skipped: there is no C compiler (on Debian, apt install gcc)");
    }
    there
}

/// The program as a file, and a trace of the error in it.
fn traced(name: &str) -> (PathBuf, PathBuf) {
    let (program, trace) = (scratch(&format!("{name}.c")), scratch(&format!("{name}.trace.json")));
    std::fs::write(&program, LOST).expect("it can be written");
    let checked = run(&["check", arg(&program), "--property", "assertions", "--trace", arg(&trace)]);
    assert_eq!(checked.code, 10, "{}", checked.stderr);
    (program, trace)
}

/// Replays it with a compiler that is given these words; the front end preprocesses without them.
fn replayed(name: &str, compiler: &str, more: &[&str]) -> crate::runner::Said {
    let (program, trace) = traced(name);
    let args = ["replay", "--native", arg(&program), arg(&trace), "--property", "assertions", "--cpp", "cc -E"];
    said(threadwise(&[&args[..], more].concat()).env("CC", compiler).stdin(Stdio::null()))
}

#[test]
fn an_error_that_happens_on_the_machine_is_confirmed() {
    if !is_there_a_compiler() {
        return;
    }
    let said = replayed("happens", "cc", &[]);
    assert_eq!(said.code, 0, "{}{}", said.stdout, said.stderr);
    assert!(
        said.stdout.starts_with("CONFIRMED: in the compiled program `main` fails an assertion\n"),
        "{}",
        said.stdout
    );
    let said = replayed("happens-in-json", "cc", &["--format", "json"]);
    assert_eq!(said.json()["verdict"], "confirmed");
    assert_eq!(said.json()["reason"], "in the compiled program `main` fails an assertion");
}

#[test]
fn an_error_that_does_not_happen_on_the_machine_is_refuted() {
    if !is_there_a_compiler() {
        return;
    }
    let said = replayed("other", "cc -DOTHER", &[]);
    assert_eq!(said.code, 10, "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.starts_with("REFUTED: "), "{}", said.stdout);
}

#[test]
fn a_compiled_program_that_does_not_come_back_is_ended() {
    if !is_there_a_compiler() {
        return;
    }
    let said = replayed("endless", "cc -DENDLESS", &["--timeout", "1"]);
    assert_eq!(said.code, 5, "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.starts_with("UNKNOWN: the compiled program took too long\n"), "{}", said.stdout);
}

#[test]
fn without_a_compiler_the_user_is_told() {
    if !is_there_a_compiler() {
        return;
    }
    let said = replayed("without", "no-such-compiler", &[]);
    assert_eq!(said.code, 2, "{}", said.stdout);
    assert!(said.stderr.contains("`no-such-compiler` cannot be started"), "{}", said.stderr);
    assert!(said.stderr.contains("install a C compiler"), "{}", said.stderr);
}

#[test]
fn what_has_no_main_is_not_decided() {
    if !is_there_a_compiler() {
        return;
    }
    let (program, trace) = (scratch("entries.c"), scratch("entries.trace.json"));
    std::fs::write(&program, "int x; void f(void) { x = 1; } void g(void) { x = 2; }").expect("it can be written");
    let more = ["--entry", "f", "--entry", "g", "--property", "races"];
    let checked = run(&[&["check", arg(&program), "--trace", arg(&trace)], &more[..]].concat());
    assert_eq!(checked.code, 10, "{}", checked.stderr);
    let said = run(&[&["replay", "--native", arg(&program), arg(&trace)], &more[..]].concat());
    assert_eq!(said.code, 5, "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.contains("--entry"), "{}", said.stdout);
}

#[test]
fn only_c_programs_can_be_compiled() {
    let trace = scratch("native.trace.json");
    run(&["check", "unsafe.tw", "--trace", arg(&trace)]);
    let said = run(&["replay", "--native", "unsafe.tw", arg(&trace)]);
    assert_eq!(said.code, 2, "{}", said.stdout);
    assert!(said.stderr.contains("only programs in C and Java can be run"), "{}", said.stderr);
}
