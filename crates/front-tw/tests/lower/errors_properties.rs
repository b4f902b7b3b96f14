//! Properties, initial values, and what the two see.

use crate::show::errors;
use insta::assert_snapshot;

#[test]
fn points_and_locals_of_threads() {
    let text = r"
shared t: tid;
thread P { critical: skip; { var x: int; skip; } { var x: bool; skip; } }
thread W[2] { var x: int; here: skip; }
never P@crtical;
never W@here;
invariant P.x == 0;
invariant P.y == 0;
invariant forall i: tid :: !i@here;
invariant forall i: W :: i.x == 0;
invariant t@here;
";
    assert_snapshot!(errors(text), @r"
    error: the thread `P` has no label `crtical`
     --> t.tw:4:9
      |
    4 | never P@crtical;
      |         ^^^^^^^ unknown label
      |
      = help: did you mean `critical`?

    error: `W` is replicated, so it does not name one thread
     --> t.tw:5:7
      |
    3 | thread W[2] { var x: int; here: skip; }
      |        - declared with copies here
    4 | never P@crtical;
    5 | never W@here;
      |       ^ which copy is meant?
      |
      = help: bind one of them, as in `forall i: W :: …`

    error: `P` has several locals `x`
     --> t.tw:6:13
      |
    2 | thread P { critical: skip; { var x: int; skip; } { var x: bool; skip; } }
      |                                  -                     - another here
      |                                  |
      |                                  one is declared here
    ...
    6 | invariant P.x == 0;
      |             ^ which of them is meant?
      |
      = help: give them different names

    error: the thread `P` has no local `y`
     --> t.tw:7:13
      |
    7 | invariant P.y == 0;
      |             ^ unknown local
    ");
}

#[test]
fn other_threads_are_seen_by_properties_only() {
    let text = r"
shared x: int;
thread P { critical: skip; }
thread Q { await !P@critical; }
init P@critical;
";
    assert_snapshot!(errors(text), @r"
    error: `P@critical` is allowed in `invariant`, `never` and `exceptions` only
     --> t.tw:3:19
      |
    3 | thread Q { await !P@critical; }
      |                   ^ threads do not see where other threads are, nor their locals
      |
      = help: keep what other threads must know in a shared variable

    error: `P@critical` is allowed in `invariant`, `never` and `exceptions` only
     --> t.tw:4:6
      |
    4 | init P@critical;
      |      ^ threads do not see where other threads are, nor their locals
      |
      = help: keep what other threads must know in a shared variable
    ");
}

#[test]
fn self_outside_of_threads() {
    let text = r"
shared t: tid = self;
thread P { skip; }
invariant t != self;
";
    assert_snapshot!(errors(text), @r"
    error: `self` has no meaning in the initial state
     --> t.tw:1:17
      |
    1 | shared t: tid = self;
      |                 ^^^^ no thread is running here

    error: `self` has no meaning in a property
     --> t.tw:3:16
      |
    3 | invariant t != self;
      |                ^^^^ no thread is running here
      |
      = help: bind a thread with a quantifier, as in `forall i: tid :: …`
    ");
}

#[test]
fn norace_of_elements_that_are_not_there() {
    let text =
        errors("shared x: int;\nshared a: [0..1]int;\nthread P { skip; }\nnorace a[*], x[*];\nnorace a[*][*];\n");
    assert_eq!(text.matches("has no such elements").count(), 2, "{text}");
    assert!(text.contains("error: `x` has no such elements\n --> t.tw:4:14"), "{text}");
    let one = errors("shared a: [0..1]int;\nthread P { skip; }\nnorace a[0];\n");
    assert!(one.contains("error: `norace` is about all elements of an array, or about none\n --> t.tw:3:10"), "{one}");
    assert!(one.contains("help: write `a[*]`"), "{one}");
}

#[test]
fn norace_of_something_else() {
    let text = r"
const N = 1;
shared x: int;
thread P { skip; }
norace x, N, y;
";
    assert_snapshot!(errors(text), @r"
    error: `N` cannot have a race: it is a constant
     --> t.tw:4:11
      |
    4 | norace x, N, y;
      |           ^ expected a shared variable

    error: unknown shared variable `y`
     --> t.tw:4:14
      |
    4 | norace x, N, y;
      |              ^ no such shared variable is in scope
    ");
}

#[test]
fn initial_values_use_earlier_variables() {
    let text = r"
shared a: int = b;
shared b: int = 1;
shared c: int = b;
shared l: rwlock = none;
thread P { skip; }
";
    assert_snapshot!(errors(text), @r"
    error: `b` has no value yet
     --> t.tw:1:17
      |
    1 | shared a: int = b;
      |                 ^ initial values may use variables declared before
    2 | shared b: int = 1;
      |        - declared here
      |
      = help: for equations between initial values write `= *` and an `init`

    error: an `rwlock` has no initial value
     --> t.tw:4:20
      |
    4 | shared l: rwlock = none;
      |                    ^^^^ it always starts free, with no writer and no readers
    ");
}

#[test]
fn type_errors_beside_a_syntax_error() {
    let text = r"
shared x: ;
shared b: bool;
thread P { b = 1; x = 2; }
";
    assert_snapshot!(errors(text), @r"
    error: expected a type, found `;`
     --> t.tw:1:11
      |
    1 | shared x: ;
      |           ^ a type should stand here

    error: expected a value of type `bool`, found `int`
     --> t.tw:3:16
      |
    3 | thread P { b = 1; x = 2; }
      |                ^ this is of type `int`
      |
      = help: write `true`
    ");
}

#[test]
fn exceptions_are_conditions_on_states() {
    let text = r"
shared x: int;
thread P { here: skip; }
thread W[2] { here: skip; }
exceptions x;
exceptions P@there;
exceptions W@here;
exceptions x' == 1;
exceptions self == P;
";
    assert_snapshot!(errors(text), @r"
    error: expected a value of type `bool`, found `int`
     --> t.tw:4:12
      |
    4 | exceptions x;
      |            ^ this is of type `int`
      |
      = help: integers are not conditions; write `x != 0`

    error: the thread `P` has no label `there`
     --> t.tw:5:14
      |
    5 | exceptions P@there;
      |              ^^^^^ unknown label
      |
      = help: did you mean `here`?

    error: `W` is replicated, so it does not name one thread
     --> t.tw:6:12
      |
    3 | thread W[2] { here: skip; }
      |        - declared with copies here
    ...
    6 | exceptions W@here;
      |            ^ which copy is meant?
      |
      = help: bind one of them, as in `forall i: W :: …`

    error: a prime makes sense only where a step is described
     --> t.tw:7:12
      |
    7 | exceptions x' == 1;
      |            ^^ there is no value after the step here
      |
      = help: primes belong into `action`, `rely`, `guarantee` and the edges of abstract threads

    error: `self` has no meaning in a property
     --> t.tw:8:12
      |
    8 | exceptions self == P;
      |            ^^^^ no thread is running here
      |
      = help: bind a thread with a quantifier, as in `forall i: tid :: …`
    ");
}
