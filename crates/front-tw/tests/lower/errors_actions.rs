//! Primes, frames, contracts and abstract threads.

use crate::show::errors;
use insta::assert_snapshot;

#[test]
fn primes_outside_of_actions() {
    let text = r"
shared x: int;
thread P { assert x' > 0; x' = 1; }
invariant x' >= x;
";
    assert_snapshot!(errors(text), @r"
    error: a prime makes sense only where a step is described
     --> t.tw:2:19
      |
    2 | thread P { assert x' > 0; x' = 1; }
      |                   ^^ there is no value after the step here
      |
      = help: primes belong into `action`, `rely`, `guarantee` and the edges of abstract threads

    error: the target of an assignment has no prime
     --> t.tw:2:27
      |
    2 | thread P { assert x' > 0; x' = 1; }
      |                           ^^ an assignment sets the value after the step anyway
      |
      = help: drop the prime

    error: a prime makes sense only where a step is described
     --> t.tw:3:11
      |
    3 | invariant x' >= x;
      |           ^^ there is no value after the step here
      |
      = help: primes belong into `action`, `rely`, `guarantee` and the edges of abstract threads
    ");
}

#[test]
fn misplaced_primes() {
    let text = r"
shared a: [0..1]int;
const N = 1;
thread P { action [a] a[0]' == 1; action [a] N' == 1 && (a[0] + 1)' == 2; }
";
    assert_snapshot!(errors(text), @r"
    error: a prime belongs to a variable
     --> t.tw:3:23
      |
    3 | thread P { action [a] a[0]' == 1; action [a] N' == 1 && (a[0] + 1)' == 2; }
      |                       ^^^^^ this is not a variable
      |
      = help: write `a'[…]` for the element after the step

    error: `N` has no value after the step: it is a constant
     --> t.tw:3:46
      |
    3 | thread P { action [a] a[0]' == 1; action [a] N' == 1 && (a[0] + 1)' == 2; }
      |                                              ^^ only variables change in a step

    error: a prime belongs to a variable
     --> t.tw:3:57
      |
    3 | thread P { action [a] a[0]' == 1; action [a] N' == 1 && (a[0] + 1)' == 2; }
      |                                                         ^^^^^^^^^^^ this is not a variable
      |
      = help: prime the variables inside instead
    ");
}

#[test]
fn frames_list_variables() {
    let text = r"
shared a: [0..1]int;
shared l: rwlock;
const N = 1;
thread P { action [a[0]] a'[0] == 1; action [N] true; action [l, l.w, l.r] l.w' == none; }
";
    assert_snapshot!(errors(text), @r"
    error: the brackets list whole variables
     --> t.tw:4:20
      |
    4 | thread P { action [a[0]] a'[0] == 1; action [N] true; action [l, l.w, l.r] l.w' == none; }
      |                    ^^^^ expected a variable's name
      |
      = help: list `a`, and say in the formula what becomes of its other elements, as in `forall k: … :: k != i ==> a'[k] == a[k]`

    error: `N` cannot change: it is a constant
     --> t.tw:4:46
      |
    4 | thread P { action [a[0]] a'[0] == 1; action [N] true; action [l, l.w, l.r] l.w' == none; }
      |                                              ^ expected a variable
    ");
}

#[test]
fn contracts_are_about_threads_and_shared_variables() {
    let text = r"
shared x: int;
thread P { var v: int; skip; }
rely forall i: bool :: x' == x;
rely Q :: x' == x;
guarantee P :: x' == v && self == none;
";
    assert_snapshot!(errors(text), @r"
    error: a contract is about threads
     --> t.tw:3:16
      |
    3 | rely forall i: bool :: x' == x;
      |                ^^^^ expected `tid` or a thread's name

    error: unknown thread `Q`
     --> t.tw:4:6
      |
    4 | rely Q :: x' == x;
      |      ^ no such thread is in scope

    error: `v` is a local of the thread `P`
     --> t.tw:5:22
      |
    5 | guarantee P :: x' == v && self == none;
      |                      ^ only shared variables can be used here

    error: `self` has no meaning in a contract
     --> t.tw:5:27
      |
    5 | guarantee P :: x' == v && self == none;
      |                           ^^^^ no thread is running here
      |
      = help: bind a thread with a quantifier, as in `forall i: tid :: …`
    ");
}

#[test]
fn abstract_threads() {
    let text = r"
shared g: int;
thread W { skip; }
abstract W {
  X1: assert g' > 0;
  X1:;
  X1 -> X2 [g] g' > 0;
}
abstract W { init X; X:; }
abstract V { init X1; X1:; }
";
    assert_snapshot!(errors(text), @r"
    error: the abstract thread `W` has no initial node
     --> t.tw:3:10
      |
    3 | abstract W {
      |          ^ it cannot start
      |
      = help: add `init X;`, where `X` is one of its nodes

    error: a prime makes sense only where a step is described
     --> t.tw:4:14
      |
    4 |   X1: assert g' > 0;
      |              ^^ there is no value after the step here
      |
      = help: primes belong into `action`, `rely`, `guarantee` and the edges of abstract threads

    error: the node `X1` is declared twice
     --> t.tw:5:3
      |
    4 |   X1: assert g' > 0;
      |   -- first declared here
    5 |   X1:;
      |   ^^ declared here again

    error: the node `X2` is not declared
     --> t.tw:6:9
      |
    6 |   X1 -> X2 [g] g' > 0;
      |         ^^ unknown node
      |
      = help: add the line `X2:;`

    error: unknown thread `V`
     --> t.tw:9:10
      |
    9 | abstract V { init X1; X1:; }
      |          ^ no such thread is in scope
    ");
}
