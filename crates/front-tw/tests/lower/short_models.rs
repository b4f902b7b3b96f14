//! What makes models short: records, functions, array literals, channels, condition variables, `select`, loops over copies.

use crate::show::errors;
use threadwise_front_tw::{Options, load};
use threadwise_source::SourceFile;

/// The program loads, without errors and warnings.
fn loads(text: &str) {
    let lowered = load(SourceFile::new("t.tw", text), &Options::default());
    assert!(lowered.program.is_some() && lowered.diagnostics.is_empty(), "{:?} in {text}", lowered.diagnostics);
}

/// The program is refused, and this is among what is said.
fn refused(text: &str, parts: &[&str]) {
    let said = errors(text);
    parts.iter().for_each(|part| assert!(said.contains(part), "`{part}` is not in\n{said}"));
}

#[test]
fn new_words_are_still_names() {
    loads(
        "shared wait, signal, broadcast, send, receive, select, record, fun, chan, cond, all, copy: int;
           thread P { wait = signal + broadcast; select = send; receive = all; fun = record + chan + cond + copy; }",
    );
    loads("proc send(x: int) { skip; } proc wait() { skip; } thread P { send(1); wait(); }");
    loads("type cond = enum { on, off }; shared c: cond; thread P { c = off; }");
    loads("shared chan: 0..1; shared fun: bool; thread P { chan = fun ? 1 : 0; select: skip; }");
}

#[test]
fn records_are_checked() {
    let declared = "type R = record { a: bool, b: 0..2 }; shared r: R; shared all: [0..1]R; shared x: int;";
    let with = |code: &str| format!("{declared} thread P {{ {code} }}");
    loads(&with("r = R(b: 1, a: true); all[0] = r; all = [r; all]; all[1].b = 2; await r == all[0] && all[0].a;"));
    refused(&with("r = R(a: true);"), &["the field `b` is missing"]);
    refused(&with("r = R(a: true, b: 1, c: 2);"), &["`c` is no field of this record"]);
    refused(&with("r.c = 1;"), &["the record `R` has no field `c`", "its fields are `a`, `b`"]);
    refused(&with("x = r;"), &["is a record of type `R`"]);
    refused(&with("r = 1;"), &["expected a value of type `R`, found `int`"]);
    refused(&with("x = all.b;"), &["this is an array of records"]);
    refused(&with("all = r;"), &["expected a value of type `[0..1]R`, found `R`"]);
    refused(
        "type R = record { a: S }; type S = record { r: R }; shared r: R; thread P { skip; }",
        &["contains itself"],
    );
}

#[test]
fn functions_are_checked_where_they_are_called_and_where_they_are_not() {
    loads(
        "shared x: 0..3; fun f(a: int): int = a + x; fun g(t: tid): bool = t@L; thread P { L: x = f(1); } never g(P);",
    );
    let recursive = "fun f(a: int): int = g(a); fun g(a: int): int = f(a); shared x: int; thread P { x = f(1); }";
    refused(recursive, &["the function `f` calls itself", "in this call"]);
    refused("fun f(a: int): bool = a; thread P { skip; }", &["expected a value of type `bool`, found `int`"]);
    refused("fun f(a: int): int = a; shared x: int; thread P { x = f(1, 2); }", &["`f` takes 1 argument, not 2"]);
    refused("fun f(a: int): int { return a; } thread P { skip; }", &["a function is one expression"]);
    refused("fun f(a: int): int = b; thread P { var b: int; b = f(1); }", &["unknown name `b`"]);
}

#[test]
fn functions_do_not_take_up_all_memory() {
    let mut text = "fun f0(a: int): int = a + a;\n".to_string();
    for number in 1..60 {
        text += &format!("fun f{number}(a: int): int = f{0}(f{0}(a));\n", number - 1);
    }
    refused(&format!("{text} shared x: int; thread P {{ x = f59(x); }}"), &["the program is too large"]);
}

#[test]
fn array_literals_are_checked() {
    loads(
        "shared a: [bool]0..3 = [1, 2]; shared t: [tid]bool = [true; all]; thread P { a = [a[true]; all]; await t == [false; all]; }",
    );
    refused("shared a: [0..2]int = [1, 2]; thread P { skip; }", &["2 elements for 3 keys"]);
    refused("shared a: [tid]int = [1, 2]; thread P { skip; }", &["cannot be listed", "write `[e; all]`"]);
    refused("shared a: [0..2]int = [0; 3]; thread P { skip; }", &["expected `all`, found `3`"]);
    refused("shared x: int; thread P { x = [1]; }", &["expected a value of type `int`, found an array"]);
}

#[test]
fn channels_and_condition_variables_are_checked() {
    let declared = "shared c: chan<0..2, 2>; shared q: cond; shared m: mutex; shared x: int; shared b: bool;";
    let with = |code: &str| format!("{declared} thread P {{ {code} }}");
    loads(&with(
        "send(c, 1); x = receive(c); receive(c); acquire(m); wait(q, m); signal(q); broadcast(q); x = size(c);",
    ));
    refused(&with("send(x, 1);"), &["`x` is not a channel"]);
    refused(&with("b = receive(c);"), &["the channel holds values of type `0..2`"]);
    refused(&with("x = c;"), &["the channel `c` is not a value"]);
    refused(&with("wait(m, q);"), &["`m` is not a condition variable"]);
    refused(&with("wait(q);"), &["`wait` takes 2 operands, not 1"]);
    refused(&with("atomic { wait(q, m); }"), &["`wait` cannot stand inside of an atomic block"]);
    refused(&with("acquire(q);"), &["`q` is not a lock"]);
    refused("shared c: chan<int, 0>; thread P { skip; }", &["a channel cannot hold 0 values"]);
    refused("shared c: chan<int>; thread P { skip; }", &["say how many values the channel holds"]);
}

#[test]
fn a_branch_of_select_starts_with_a_step() {
    let with = |code: &str| format!("shared x: int; thread P {{ {code} }}");
    loads(&with("select { await x > 0; x = 1; } or { atomic { await x < 0; x = 2; } }"));
    refused(&with("select { } or { skip; }"), &["a branch of `select` starts with a statement"]);
    refused(&with("select { while (x > 0) { skip; } }"), &["a branch of `select` cannot start with this"]);
    refused(&with("select { L: skip; } or { skip; }"), &["has no label"]);
}

#[test]
fn loops_over_copies_need_a_number() {
    loads("shared d: [tid]bool; thread W[2] { d[self] = true; } thread P { for t in W { await d[t]; } }");
    refused("thread W[*] { skip; } thread P { for t in W { skip; } }", &["the copies of `W` cannot be listed"]);
    refused("shared V: int; thread P { for t in V { skip; } }", &["expected a thread, but `V` is a shared variable"]);
}

#[test]
fn messages_are_text() {
    loads("shared x: int; thread P { assert x == 0, \"x stays\"; }");
    refused("shared x: int; thread P { assert x == 0, x; }", &["a message stands in double quotes"]);
    refused("shared x: int; thread P { assert x == 0, \"open; }", &["this text is never closed"]);
}

#[test]
fn anybody_may_be_asked_for() {
    loads("shared m: mutex; thread P { acquire(m); L: skip; } invariant m != none ==> m@L || true;");
    refused("thread P { L: skip; } never forall t: tid :: t@M;", &["no thread has a label `M`"]);
}
