//! Threads that wait to be started: what their statements become, and what is said about wrong ones.

use crate::show::{errors, graph, program};
use insta::assert_snapshot;
use threadwise_ir::Symmetry;

#[test]
fn starting_and_joining_a_fixed_number() {
    let text = r"
shared t: tid;
thread Main { t = start W(1, true); join t; }
thread W[2](x: 1..2, b: bool) { skip; if (b) { return; } last: }
";
    assert_snapshot!(graph(text, "Main"), @r"
    0: <entry> | t = start W(1, true);
      start Exists(W :: (thread.status[$0] Eq idle)); thread.chosen = * -> 1
    1: <transient> | t = start W(1, true);
      when Exists(W :: (($0 Eq thread.chosen) And (thread.status[$0] Eq idle))); thread.status[thread.chosen] = started; W.x[thread.chosen] = 1; W.b[thread.chosen] = true; t = thread.chosen; thread.chosen = none -> 2
    2: | join t;
      join Exists(W :: ($0 Eq t)); when (thread.status[t] Eq ended) -> 3
    3: <exit> | }
    ");
    assert_snapshot!(graph(text, "W"), @r"
    0: <entry> | thread W[2](x: 1..2, b: bool)
      when (thread.status[self] Eq started); x#0 = W.x[self]; W.x[self] = 1; b#1 = W.b[self]; W.b[self] = false -> 1
    1: | skip;
      skip -> 2
    2: | if (b)
      [true] when b#1 -> 3
      [false] when !b#1 -> 3
    3: last | }
      thread.status[self] = ended -> 4
    4: <exit> | }
    ");
}

#[test]
fn starting_any_number() {
    let text = r"
thread Main { start W(1); }
thread W[*](x: 1..2) { skip; }
";
    assert_snapshot!(graph(text, "Main"), @r"
    0: <entry> | start W(1);
      when !start W; start W = true; W.x = 1 -> 1
    1: <exit> | }
    ");
    assert_snapshot!(graph(text, "W"), @r"
    0: <entry> | thread W[*](x: 1..2)
      when start W; start W = false; x#0 = W.x; W.x = 1 -> 1
    1: | skip;
      skip -> 2
    2: <exit> | }
    ");
}

/// The quantifier in `a` is below the one that asks for a copy.
#[test]
fn joining_below_a_quantifier() {
    let text = r"
shared a: [bool]tid;
thread Main { start W(); join a[forall i: 0..1 :: i == 0]; }
thread W() { skip; }
";
    assert_snapshot!(graph(text, "Main"), @r"
    0: <entry> | start W();
      start Exists(W :: (thread.status[$0] Eq idle)); thread.chosen = * -> 1
    1: <transient> | start W();
      when Exists(W :: (($0 Eq thread.chosen) And (thread.status[$0] Eq idle))); thread.status[thread.chosen] = started; thread.chosen = none -> 2
    2: | join a[forall i: 0..1 :: i == …
      join Exists(W :: ($0 Eq a[Forall(0..1 :: ($1 Eq 0))])); when (thread.status[a[Forall(0..1 :: ($0 Eq 0))]] Eq ended) -> 3
    3: <exit> | }
    ");
}

/// What is joined is looked at before the quantifier, which would otherwise stop at an error.
#[test]
fn joining_what_may_be_out_of_range() {
    let text = r"
shared a: [0..1]tid;
shared i: 0..5;
thread Main { a[0] = start W(); join a[i]; }
thread W[2]() { skip; }
";
    assert_snapshot!(graph(text, "Main"), @r"
    0: <entry> | a[0] = start W();
      start Exists(W :: (thread.status[$0] Eq idle)); thread.chosen = * -> 1
    1: <transient> | a[0] = start W();
      when Exists(W :: (($0 Eq thread.chosen) And (thread.status[$0] Eq idle))); thread.status[thread.chosen] = started; a[0] = thread.chosen; thread.chosen = none -> 2
    2: | join a[i];
      thread.chosen = a[i] -> 3
    3: <transient> | join a[i];
      join Exists(W :: ($0 Eq thread.chosen)); when (thread.status[thread.chosen] Eq ended); thread.chosen = none -> 4
    4: <exit> | }
    ");
    assert!(matches!(program(text).symmetry(), Symmetry::Among(_)));
}

#[test]
fn what_cannot_be_started() {
    let text = r"
shared x: int;
thread P { start P(); start x(); start Q(); start R(1); start V(2, 3); }
thread Q[2] { skip; }
thread R() { skip; }
thread V[2](a: int) { skip; }
thread U { start Nobody(x); start V(true); }
";
    assert_snapshot!(errors(text), @r"
    error: `P` runs from the start and cannot be started
     --> t.tw:2:18
      |
    2 | thread P { start P(); start x(); start Q(); start R(1); start V(2, 3); }
      |        -         ^ this thread does not wait to be started
      |        |
      |        declared here
      |
      = help: give it a parameter list, as in `thread P() { … }`

    error: expected a thread, but `x` is a shared variable
     --> t.tw:2:29
      |
    2 | thread P { start P(); start x(); start Q(); start R(1); start V(2, 3); }
      |                             ^ not a thread

    error: `Q` runs from the start and cannot be started
     --> t.tw:2:40
      |
    2 | thread P { start P(); start x(); start Q(); start R(1); start V(2, 3); }
      |                                        ^ this thread does not wait to be started
    3 | thread Q[2] { skip; }
      |        - declared here
      |
      = help: give it a parameter list, as in `thread Q[N]() { … }`

    error: `R` takes 0 arguments, but 1 is given
     --> t.tw:2:51
      |
    2 | thread P { start P(); start x(); start Q(); start R(1); start V(2, 3); }
      |                                                   ^ expected 0 arguments
    3 | thread Q[2] { skip; }
    4 | thread R() { skip; }
      |        - declared here

    error: `V` takes 1 argument, but 2 are given
     --> t.tw:2:63
      |
    2 | thread P { start P(); start x(); start Q(); start R(1); start V(2, 3); }
      |                                                               ^ expected 1 argument
    ...
    5 | thread V[2](a: int) { skip; }
      |        - declared here

    error: unknown thread `Nobody`
     --> t.tw:6:18
      |
    6 | thread U { start Nobody(x); start V(true); }
      |                  ^^^^^^ no such thread is in scope

    error: expected a value of type `int`, found `bool`
     --> t.tw:6:37
      |
    6 | thread U { start Nobody(x); start V(true); }
      |                                     ^^^^ this is of type `bool`
      |
      = help: for a number write `true ? 1 : 0`
    ");
}

#[test]
fn where_the_identity_goes() {
    let text = r"
shared x: int;
thread P { x = start W(); y = start W(); }
thread W[2]() { skip; }
";
    assert_snapshot!(errors(text), @r"
    error: a start gives a `tid`, not `int`
     --> t.tw:2:12
      |
    2 | thread P { x = start W(); y = start W(); }
      |            ^ this is of type `int`
      |
      = help: declare it as a `tid`

    error: unknown name `y`
     --> t.tw:2:27
      |
    2 | thread P { x = start W(); y = start W(); }
      |                           ^ no such name is in scope
    ");
}

#[test]
fn nobody_knows_which_of_any_number_was_started() {
    let text = r"
shared t: tid;
thread P { t = start W(); join t; }
thread W[*]() { skip; }
";
    assert_snapshot!(errors(text), @r"
    error: there is any number of copies of `W`, so it is not known which one is started
     --> t.tw:2:12
      |
    2 | thread P { t = start W(); join t; }
      |            ^ no identity can be stored
      |
      = help: write `start W(…);`, or give the number of copies: `thread W[N](…)`

    error: there is no thread that could be joined
     --> t.tw:2:27
      |
    2 | thread P { t = start W(); join t; }
      |                           ^^^^^^^ it waits for the end of a thread that was started
      |
      = help: declare a thread with a parameter list and a number of copies, as in `thread W[2]() { … }`
    ");
}

#[test]
fn one_of_any_number_inside_of_a_step() {
    let text = r"
proc p() { q(); }
proc q() { start W(); }
thread P { atomic { start W(); } atomic { p(); } p(); }
thread W[*]() { skip; }
";
    assert_snapshot!(errors(text), @r"
    error: one of any number of copies of `W` is started inside of a step
     --> t.tw:3:21
      |
    3 | thread P { atomic { start W(); } atomic { p(); } p(); }
      |                     ^^^^^^^^^^ it has to wait until the one before has begun, and nobody else can take steps here
      |
      = help: move the start out of the atomic block

    error: this call starts one of any number of copies inside of a step
     --> t.tw:3:43
      |
    2 | proc q() { start W(); }
      |            ---------- it is started here
    3 | thread P { atomic { start W(); } atomic { p(); } p(); }
      |                                           ^^^^ the start has to wait until the one before has begun
      |
      = help: move the call out of the atomic block
    ");
}

#[test]
fn what_cannot_be_joined() {
    let text = r"
shared x: int;
thread P { join x; join none; join P; join W; join V; join Q; join(Q); }
thread Q() { skip; }
thread W[2]() { skip; }
thread V[*]() { skip; }
";
    assert_snapshot!(errors(text), @r"
    error: expected a value of type `tid`, found `int`
     --> t.tw:2:17
      |
    2 | thread P { join x; join none; join P; join W; join V; join Q; join(Q); }
      |                 ^ this is of type `int`

    error: `none` is no thread that could be joined
     --> t.tw:2:25
      |
    2 | thread P { join x; join none; join P; join W; join V; join Q; join(Q); }
      |                         ^^^^ only threads that are started can be joined

    error: `P` runs from the start and cannot be joined
     --> t.tw:2:36
      |
    2 | thread P { join x; join none; join P; join W; join V; join Q; join(Q); }
      |        - declared here             ^ only threads that are started can be joined
      |
      = help: give it a parameter list, as in `thread P() { … }`, and start it

    error: `W` is replicated, so it does not name one thread
     --> t.tw:2:44
      |
    2 | thread P { join x; join none; join P; join W; join V; join Q; join(Q); }
      |                                            ^ which copy is meant?
    3 | thread Q() { skip; }
    4 | thread W[2]() { skip; }
      |        - declared with copies here
      |
      = help: keep the identity that its start gives, as in `t = start W(…);`

    error: `V` is replicated, so it does not name one thread
     --> t.tw:2:52
      |
    2 | thread P { join x; join none; join P; join W; join V; join Q; join(Q); }
      |                                                    ^ which copy is meant?
    ...
    5 | thread V[*]() { skip; }
      |        - declared with copies here
      |
      = help: of any number of copies none can be joined; give their number

    error: unknown procedure `join`
     --> t.tw:2:63
      |
    2 | thread P { join x; join none; join P; join W; join V; join Q; join(Q); }
      |                                                               ^^^^ no such procedure is in scope
      |
      = help: to wait for the end of a thread write `join t;`, without parentheses
    ");
}

#[test]
fn nothing_to_join() {
    assert_snapshot!(errors("shared t: tid; thread P { join t; }"), @r"
    error: there is no thread that could be joined
     --> t.tw:1:27
      |
    1 | shared t: tid; thread P { join t; }
      |                           ^^^^^^^ it waits for the end of a thread that was started
      |
      = help: declare a thread with a parameter list and a number of copies, as in `thread W[2]() { … }`
    ");
}

#[test]
fn parameters_of_threads() {
    let text = r"
shared x: int;
thread P { start W(x, x, x); }
thread W(a: [0..1]bool, m: mutex, a: int) { var m: int; }
";
    assert_snapshot!(errors(text), @r"
    error: a parameter of a thread cannot be an array
     --> t.tw:3:13
      |
    3 | thread W(a: [0..1]bool, m: mutex, a: int) { var m: int; }
      |             ^^^^^^^^^^ arrays cannot be handed over
      |
      = help: pass it in a shared variable

    error: a parameter cannot be a `mutex`
     --> t.tw:3:28
      |
    3 | thread W(a: [0..1]bool, m: mutex, a: int) { var m: int; }
      |                            ^^^^^ locks are shared variables
      |
      = help: declare the lock with `shared`, and keep an index or a `tid` here

    error: the name `a` is declared twice
     --> t.tw:3:35
      |
    3 | thread W(a: [0..1]bool, m: mutex, a: int) { var m: int; }
      |          -                        ^ declared here again
      |          |
      |          first declared here, as a local variable

    error: the name `m` is declared twice
     --> t.tw:3:49
      |
    3 | thread W(a: [0..1]bool, m: mutex, a: int) { var m: int; }
      |                         -                       ^ declared here again
      |                         |
      |                         first declared here, as a local variable
    ");
}
