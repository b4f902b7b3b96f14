//! What is made from the flags: help, completions, manual pages.

use crate::runner::run;

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
fn version() {
    let said = run(&["--version"]);
    assert_eq!((said.code, said.stdout.trim()), (0, concat!("threadwise ", env!("CARGO_PKG_VERSION"))));
}
