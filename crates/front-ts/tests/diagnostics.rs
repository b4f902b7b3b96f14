//! What is said about systems that are not quite right.

use insta::assert_snapshot;
use threadwise_diagnostics::render;
use threadwise_front_ts::load;
use threadwise_source::{Severity, SourceFile};

/// Everything that is said about a text.
fn complaints(text: &str) -> String {
    let file = SourceFile::new("test.ts", text);
    let loaded = load(file.clone());
    let has_errors = loaded.diagnostics.iter().any(|d| d.severity == Severity::Error);
    assert_eq!(loaded.program.is_none(), has_errors);
    render(&file.clone().into(), &loaded.diagnostics, false)
}

#[test]
fn broken_lines() {
    let text = "\
  0 A -> 1 B
thraed P
thread P
  0 A -> 1
  0 A B -> 1 C
  0 A 1 B
  0 {A B -> 1 B
  0 A -> 1 {}
  (0, A) -> 1 B
# a comment
thread P
thread Q[many]
thread R[70000]
init
error * A^
";
    assert_snapshot!(complaints(text), @r"
    error: this transition belongs to no thread
     --> test.ts:1:1
      |
    1 | 0 A -> 1 B
      | ^^^^^^^^^^ no `thread` stands above it
      |
      = help: start the thread with a line `thread NAME`

    error: expected a declaration, found `thraed`
     --> test.ts:2:1
      |
    2 | thraed P
      | ^^^^^^ not a keyword
      |
      = help: did you mean `thread`?

    error: expected a local state, found the end of the line
     --> test.ts:4:11
      |
    4 |   0 A -> 1
      |           ^ a local state should stand here
      |
      = help: a transition is written `000 A -> 100 B`: shared and local state before, and after

    error: expected `->`, found `B`
     --> test.ts:5:7
      |
    5 |   0 A B -> 1 C
      |       ^ `->` should stand here
      |
      = help: a transition is written `000 A -> 100 B`: shared and local state before, and after

    error: expected a declaration, found `0`
     --> test.ts:6:3
      |
    6 |   0 A 1 B
      |   ^ neither a transition nor a declaration
      |
      = help: a line is a transition `000 A -> 100 B`, or starts with `shared`, `thread`, `init`, `error` or `exceptions`

    error: expected a name or `}`, found `->`
     --> test.ts:7:10
      |
    7 |   0 {A B -> 1 B
      |          ^^ a name or `}` should stand here
      |
      = help: a set is written `{A B}`

    error: this set is empty
     --> test.ts:8:12
      |
    8 |   0 A -> 1 {}
      |            ^ at least one state should stand here
      |
      = help: every state is written `*`

    error: expected a shared state, found `(`
     --> test.ts:9:3
      |
    9 |   (0, A) -> 1 B
      |   ^ a shared state should stand here
      |
      = help: there are no parentheses: a state is written `000 A B`

    error: expected a declaration, found `#`
      --> test.ts:10:1
       |
    10 | # a comment
       | ^ not a declaration
       |
       = help: a comment starts with `//`

    error: the thread `P` is declared twice
      --> test.ts:11:8
       |
     3 | thread P
       |        - first declared here
    ...
    11 | thread P
       |        ^ declared again

    error: expected the number of copies, found `many`
      --> test.ts:12:10
       |
    12 | thread Q[many]
       |          ^^^^ the number of copies should stand here
       |
       = help: a number of threads is written in digits

    error: this number is too large
      --> test.ts:13:10
       |
    13 | thread R[70000]
       |          ^^^^^ there may be up to 65536 copies

    error: expected a shared state, found the end of the line
      --> test.ts:14:5
       |
    14 | init
       |     ^ a shared state should stand here
       |
       = help: write the shared state, then the local state of each thread: `init 000 A B`

    error: expected a number of threads, found the end of the line
      --> test.ts:15:11
       |
    15 | error * A^
       |           ^ a number of threads should stand here
       |
       = help: a number of threads is written in digits
    ");
}

#[test]
fn wrong_numbers_of_local_states() {
    let text = "\
thread P
  0 A -> 1 B
thread W[3]
  0 A -> 1 B
init 0 A A
error * B^5
error * B *^3
";
    assert_snapshot!(complaints(text), @r"
    error: expected 4 local states, found 2
     --> test.ts:5:1
      |
    5 | init 0 A A
      | ^^^^^^^^^^ the threads are 1 of `P`, 3 of `W`
      |
      = help: behind the shared state stands one for each thread, in the order of the threads; `A^3` is `A A A`

    error: expected 4 local states, found 5
     --> test.ts:6:1
      |
    6 | error * B^5
      | ^^^^^^^^^^^ the threads are 1 of `P`, 3 of `W`
      |
      = help: behind the shared state stands one for each thread, in the order of the threads; `A^3` is `A A A`
    ");
}

#[test]
fn missing_parts() {
    assert_snapshot!(complaints("shared 0 1\n"), @r"
    error: there is no thread
     --> test.ts:1:1
      |
    1 | shared 0 1
      | ^ the file declares none
      |
      = help: start one with a line `thread P`
    ");
    assert_snapshot!(complaints("thread P\n  0 A -> 1 B\nerror * B\n"), @r"
    error: there is no initial state
     --> test.ts:1:1
      |
    1 | thread P
      | ^ no line starts with `init`
      |
      = help: add a line such as `init 0 A`: the shared state and every thread's local state
    ");
    assert_snapshot!(complaints("thread P\n  * A -> * B\ninit * A\nerror * B\n"), @r"
    error: there is no shared state
     --> test.ts:1:1
      |
    1 | thread P
      | ^ none has a name
      |
      = help: name them: `shared 0 1`
    ");
}

#[test]
fn undeclared_shared_states() {
    let text = "\
shared free taken free
thread P
  fre out -> taken in
  * in -> gone out
init free out
error * in
";
    assert_snapshot!(complaints(text), @r"
    error: the shared state `free` is declared twice
     --> test.ts:1:19
      |
    1 | shared free taken free
      |                   ^^^^ declared again

    error: there is no shared state `fre`
     --> test.ts:3:3
      |
    3 |   fre out -> taken in
      |   ^^^ not among those declared
      |
      = help: did you mean `free`? Else add it to the line `shared`

    error: there is no shared state `gone`
     --> test.ts:4:11
      |
    4 |   * in -> gone out
      |           ^^^^ not among those declared
      |
      = help: add it to the line `shared`
    ");
}

#[test]
fn local_states_that_nothing_leads_to() {
    let text = "\
thread P
  0 A -> 1 B
  0 C -> 1 B
init 0 A
error * b
";
    assert_snapshot!(complaints(text), @r"
    warning: `P` never gets to `C`
     --> test.ts:3:5
      |
    3 |   0 C -> 1 B
      |     ^ it does not start there, and no transition leads there

    warning: `P` never gets to `b`
     --> test.ts:5:9
      |
    5 | error * b
      |         ^ it does not start there, and no transition leads there
    ");
}

#[test]
fn nothing_to_verify() {
    assert_snapshot!(complaints("thread P\n  0 A -> 1 B\ninit 0 A\n"), @r"
    warning: there are no error states, so there is nothing to verify
     --> test.ts:1:1
      |
    1 | thread P
      | ^ no line starts with `error`
    ");
}

#[test]
fn too_much() {
    let states: Vec<String> = (0..1_001).map(|i| format!("s{i}")).collect();
    let all = states.join(" ");
    let text = format!("thread P\n  0 {{{all}}} -> 0 {{{all}}}\ninit 0 s0\nerror * s1\n");
    let said = complaints(&text);
    assert!(said.starts_with("error: there are more than 1000000 transitions\n --> test.ts:2:3"), "{said}");

    let text = "thread W[20]\n  0 A -> 1 B\n  0 C -> 0 A\ninit 0 {A B}^10 {A C}^10\nerror 1 {A B}^10 {A C}^10\n";
    let said = complaints(text);
    assert!(said.starts_with("error: there are too many initial states to list\n --> test.ts:4:1"), "{said}");

    let sets: Vec<String> = (0..12).map(|i| format!("{{s{i} s{} s{}}}", i + 1, i + 2)).collect();
    let text = format!("thread W[12]\n  0 s0 -> 1 {{{all}}}\ninit 0 s0^12\nerror 1 {}\n", sets.join(" "));
    let said = complaints(&text);
    assert!(said.starts_with("error: these sets stand for too many combinations\n --> test.ts:4:1"), "{said}");
}
