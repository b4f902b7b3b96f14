//! Programs as the engines see them.

use crate::runner::run;
use snapbox::{assert_data_eq, file};

#[test]
fn locks_show_as_what_they_mean() {
    let said = run(&["show", "safe.tw"]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert_data_eq!(said.stdout, file!["../snapshots/show-safe.txt"]);
}

#[test]
fn everything_there_is() {
    let said = run(&["show", "everything.tw"]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert_data_eq!(said.stdout, file!["../snapshots/show-everything.txt"]);
}

#[test]
fn graphs() {
    let said = run(&["show", "everything.tw", "--dot"]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert_data_eq!(said.stdout, file!["../snapshots/show-everything.dot"].raw());
}

#[test]
fn constants_can_be_overridden() {
    let said = run(&["show", "safe.tw", "-D", "N=7"]);
    assert!(said.stdout.contains("thread Worker[7]"), "{}", said.stdout);
}
