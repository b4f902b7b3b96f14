//! What is made from the flags: help, completions, manual pages.

use crate::runner::{arg, programs, run, run_with_input, scratch};

#[test]
fn help_shows_examples_and_exit_codes() {
    let said = run(&["--help"]);
    assert_eq!(said.code, 0);
    assert!(said.stdout.contains("Examples:\n"), "{}", said.stdout);
    assert!(said.stdout.contains("10  UNSAFE"), "{}", said.stdout);
}

#[test]
fn completions_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let said = run(&["completions", shell]);
        assert_eq!(said.code, 0);
        assert!(said.stdout.contains("any-copies"), "{shell}: {}", said.stdout);
    }
    assert_eq!(run(&["completions", "dos"]).code, 2);
}

#[test]
fn manual_pages() {
    let whole = run(&["man"]);
    assert_eq!(whole.code, 0);
    assert!(whole.stdout.contains(".TH threadwise 1"), "{}", whole.stdout);
    let check = run(&["man", "check"]);
    assert!(check.stdout.contains("any\\-copies"), "{}", check.stdout);
    assert_eq!(run(&["man", "chess"]).code, 2);
}

#[test]
fn set_up_tells_what_is_there_and_verifies_a_program() {
    threadwise_solver_setup::solver_for_tests();
    let broken = programs().join("unsafe.tw");
    let said = run(&["setup", arg(&broken)]);
    assert_eq!(said.code, 10, "{}", said.stderr);
    assert!(said.stdout.starts_with("solver "), "{}", said.stdout);
    assert!(said.stdout.contains("\nUNSAFE"), "{}", said.stdout);
    assert_eq!(run(&["setup"]).code, 0);
}

#[test]
fn programs_are_laid_out() {
    let file = scratch("fmt-a.tw");
    std::fs::write(&file, "shared x:int;thread T{x=1;}").expect("a file");
    let check = run(&["fmt", "--check", arg(&file)]);
    assert_eq!((check.code, check.stderr.contains("fmt-a.tw is not laid out")), (10, true), "{}", check.stderr);
    assert_eq!(run(&["fmt", arg(&file)]).code, 0);
    let text = std::fs::read_to_string(&file).expect("a text");
    assert_eq!(text, "shared x: int; thread T { x = 1; }\n");
    assert_eq!(run(&["fmt", "--check", arg(&file)]).code, 0);
    let printed = run_with_input(&["fmt", "-"], "thread T { skip ; }");
    assert_eq!((printed.code, printed.stdout.as_str()), (0, "thread T { skip; }\n"));
    assert_eq!(run_with_input(&["fmt", "-"], "thread T { skip").code, 2);
    assert_eq!(run(&["fmt", arg(&programs().join("bank.c"))]).code, 2);
}

#[test]
fn version() {
    let said = run(&["--version"]);
    assert_eq!((said.code, said.stdout.trim()), (0, concat!("threadwise ", env!("CARGO_PKG_VERSION"))));
}
