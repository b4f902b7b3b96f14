//! The programs that systems become.

use insta::assert_snapshot;
use proptest::prelude::*;
use threadwise_diagnostics::render;
use threadwise_front_ts::load;
use threadwise_ir::Program;
use threadwise_print::listing;
use threadwise_source::SourceFile;

fn program(text: &str) -> Program {
    let file = SourceFile::new("test.ts", text);
    let loaded = load(file.clone());
    loaded.program.unwrap_or_else(|| panic!("{}", render(&file.clone().into(), &loaded.diagnostics, false)))
}

#[test]
fn one_initial_state() {
    let text = "\
shared 00 01 10
thread P            // a thread
  00 A -> 01 B      // one step
  {00 01} B -> * C
  * C -> 10 A
  00 C -> 00 B
thread Q
  * X -> * {X Y}
init 00 A X
error 01 {B C} *
error * * Y
exceptions 10 A Y
";
    assert_snapshot!(listing(&program(text)), @r"
    type Shared = enum { 00, 01, 10 };
    shared state: Shared = 00;

    thread P
                    A:
        0  → 1      await state == 00; state = 01;            test.ts:3:3
                    B:
        1  → 2      await state in {00, 01};                  test.ts:4:3
                    C:
        2  → 0      state = 10;                               test.ts:5:3
        2  → 1      await state == 00;                        test.ts:6:3

    thread Q
                    X:
        0  → 0      skip;                                     test.ts:8:3
        0  → 1      skip;                                     test.ts:8:3
                    Y:

    never state == 01 && (P@B || P@C);
    never Q@Y;

    exceptions state == 10 && P@A && Q@Y;
    ");
}

#[test]
fn initial_states_that_are_a_product() {
    let text = "\
thread P
  0 A -> 1 B
thread Q
  0 A -> 1 B
  2 B -> 0 A
init 0 A A
init 1 A A
init {0 1} A B
error 1 B B
";
    assert_snapshot!(listing(&program(text)), @r"
    type Shared = enum { 0, 1, 2 };
    shared state: Shared = *;
    init state in {0, 1};

    thread P
                    A:
        0  → 1      await state == 0; state = 1;              test.ts:2:3
                    B:

    thread Q
        0· → 1      skip;                                     test.ts:3:8
        0· → 2      skip;                                     test.ts:3:8
                    A:
        1  → 2      await state == 0; state = 1;              test.ts:4:3
                    B:
        2  → 1      await state == 2; state = 0;              test.ts:5:3

    never state == 1 && P@B && Q@B;

    · a point inside a step: no other thread runs while control is there
    ");
}

#[test]
fn initial_states_that_belong_together() {
    let text = "\
thread P
  0 out -> 1 in
  1 in -> 0 out
thread Q
  0 out -> 1 in
  1 in -> 0 out
thread R
  1 start -> * R
init 0 out out start
init 1 in out start
init 1 out in start
error * in in R
";
    assert_snapshot!(listing(&program(text)), @r"
    type Start = enum { (0, out, out, start), (1, out, in, start), (1, in, out, start) };
    type Shared = enum { 0, 1 };
    shared start: Start = *;
    shared state: Shared = start == (0, out, out, start) ? 0 : 1;

    thread P
                    start:
        0  → 2      await start in {(0, out, out, start), (1, out, in, start)} && state == 0; state = 1;  test.ts:2:3
        0  → 1      await start == (1, in, out, start) && state == 1; state = 0;  test.ts:3:3
                    out:
        1  → 2      await state == 0; state = 1;              test.ts:2:3
                    in:
        2  → 1      await state == 1; state = 0;              test.ts:3:3

    thread Q
                    start:
        0  → 2      await start in {(0, out, out, start), (1, in, out, start)} && state == 0; state = 1;  test.ts:5:3
        0  → 1      await start == (1, out, in, start) && state == 1; state = 0;  test.ts:6:3
                    out:
        1  → 2      await state == 0; state = 1;              test.ts:5:3
                    in:
        2  → 1      await state == 1; state = 0;              test.ts:6:3

    thread R
                    start:
        0  → 1      await state == 1;                         test.ts:8:3
                    R:

    never (P@in || P@start && start == (1, in, out, start)) && (Q@in || Q@start && start == (1, out, in, start)) && R@R;
    ");
}

#[test]
fn copies_may_be_permuted() {
    let text = "\
thread W[4]
  0 A -> 1 B
  1 B -> 0 {C A}
init 0 A^4
error 1 B *^3
error 1 B *^2 B
error 1 B^4
error 1 B C^3
error 1 {A B} {B C} *^2
";
    assert_snapshot!(listing(&program(text)), @r"
    type Shared = enum { 0, 1 };
    shared state: Shared = 0;

    thread W[4]
                    A:
        0  → 1      await state == 0; state = 1;              test.ts:2:3
                    B:
        1  → 0      await state == 1; state = 0;              test.ts:3:3
        1  → 2      await state == 1; state = 0;              test.ts:3:3
                    C:

    never state == 1 && (exists i: W :: i@B);
    never state == 1 && (exists i: W, j: W :: i != j && i@B && j@B);
    never state == 1 && (forall i: W :: i@B);
    never state == 1 && ((exists i: W :: i@B) && count(i: W :: i@C) >= 3);
    never state == 1 && ((exists i: W :: i@A) && (exists i: W :: i@B) || (exists i: W :: i@A) && (exists i: W :: i@C) || ((exists i: W, j: W :: i != j && i@B && j@B) || (exists i: W :: i@B) && (exists i: W :: i@C)));
    ");
}

#[test]
fn copies_that_start_differently_are_threads_of_their_own() {
    let text = "\
thread W[3]
  0 A -> 1 B
init 0 A B^2
error 1 B^2 *
error 1 A *^2
";
    assert_snapshot!(listing(&program(text)), @r"
    type Start = enum { (0, A, B, B), (0, B, A, B), (0, B, B, A) };
    type Shared = enum { 0, 1 };
    shared start: Start = *;
    shared state: Shared = 0;

    thread W[1]
                    start:
        0  → 2      await start == (0, A, B, B) && state == 0; state = 1;  test.ts:2:3
                    A:
        1  → 2      await state == 0; state = 1;              test.ts:2:3
                    B:

    thread W[2]
                    start:
        0  → 2      await start == (0, B, A, B) && state == 0; state = 1;  test.ts:2:3
                    A:
        1  → 2      await state == 0; state = 1;              test.ts:2:3
                    B:

    thread W[3]
                    start:
        0  → 2      await start == (0, B, B, A) && state == 0; state = 1;  test.ts:2:3
                    A:
        1  → 2      await state == 0; state = 1;              test.ts:2:3
                    B:

    never state == 1 && (W[1]@B || W[1]@start && start in {(0, B, A, B), (0, B, B, A)} ? 1 : 0) + (W[2]@B || W[2]@start && start in {(0, A, B, B), (0, B, B, A)} ? 1 : 0) + (W[3]@B || W[3]@start && start in {(0, A, B, B), (0, B, A, B)} ? 1 : 0) >= 2;
    never state == 1 && (W[1]@A || W[1]@start && start == (0, A, B, B) || (W[2]@A || W[2]@start && start == (0, B, A, B)) || (W[3]@A || W[3]@start && start == (0, B, B, A)));
    ");
}

#[test]
fn steps_know_their_lines() {
    let program = program("thread P\n\n  0 A   -> 1  B   // comment\ninit 0 A\nerror * B\n");
    let source = &program.source;
    assert_eq!(source.snippet(program.edges[0].span, 40), "0 A -> 1 B");
    assert_eq!(source.locate(program.edges[0].span), "test.ts:3:3");
    assert_eq!(source.locate(program.properties[0].span), "test.ts:5:1");
}

/// Pieces of text that mean something.
const PIECES: &[&str] = &[
    "shared",
    "thread",
    "init",
    "error",
    "exceptions",
    "P",
    "W",
    "[2]",
    "[",
    "]",
    "0",
    "1",
    "A",
    "B",
    "*",
    "{",
    "}",
    "{A B}",
    "->",
    "->",
    "->",
    "^",
    "^2",
    "^60000",
    "99999999999",
    "(",
    ")",
    ",",
    "//",
    "\u{e9}",
    "\u{0}",
    "\u{feff}",
    "\n",
    "\n",
    "\n",
    "\r\n",
    "thread W[3]\n",
    "0 A -> 1 B\n",
    "init 0 A\n",
    "error * B\n",
    "init {0 1} A^3\n",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_lines_get_an_answer(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..60)) {
        let file = SourceFile::new("test.ts", pieces.join(" "));
        let loaded = load(file.clone());
        prop_assert!(loaded.program.is_some() || !loaded.diagnostics.is_empty());
        render(&file.clone().into(), &loaded.diagnostics, false);
        if let Some(program) = loaded.program {
            listing(&program);
        }
    }

    #[test]
    fn random_text_gets_an_answer(text in ".{0,200}") {
        let file = SourceFile::new("test.ts", text);
        let loaded = load(file.clone());
        render(&file.clone().into(), &loaded.diagnostics, false);
    }
}
