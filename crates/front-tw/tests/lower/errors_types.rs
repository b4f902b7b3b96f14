//! Types and sorts that do not fit.

use crate::show::errors;
use insta::assert_snapshot;

#[test]
fn unknown_type() {
    let text = r"
type Phase = enum { idle, busy };
shared p: Phas;
shared q: boolean;
thread P { skip; }
";
    assert_snapshot!(errors(text), @r"
    error: unknown type `Phas`
     --> t.tw:2:11
      |
    2 | shared p: Phas;
      |           ^^^^ no type of this name is declared
      |
      = help: did you mean `Phase`?

    error: unknown type `boolean`
     --> t.tw:3:11
      |
    3 | shared q: boolean;
      |           ^^^^^^^ no type of this name is declared
      |
      = help: did you mean `bool`?
    ");
}

#[test]
fn set_of_integers() {
    let text = r"
shared s: set<int>;
shared a: [int]bool;
thread P { skip; }
";
    assert_snapshot!(errors(text), @r"
    error: sets of unbounded integers are not supported
     --> t.tw:1:15
      |
    1 | shared s: set<int>;
      |               ^^^ this type has infinitely many values
      |
      = help: use a range, as in `set<0..7>`

    error: `int` cannot be the key of an array
     --> t.tw:2:12
      |
    2 | shared a: [int]bool;
      |            ^^^ expected `bool`, a range, a machine integer, an enumeration or `tid`
      |
      = help: use a range, as in `[0..7]`
    ");
}

#[test]
fn local_lock() {
    let text = r"
thread P { var m: mutex; acquire(m); }
";
    assert_snapshot!(errors(text), @r"
    error: a local variable cannot be a `mutex`
     --> t.tw:1:19
      |
    1 | thread P { var m: mutex; acquire(m); }
      |                   ^^^^^ locks are shared variables
      |
      = help: declare the lock with `shared`, and keep an index or a `tid` here
    ");
}

#[test]
fn integers_are_not_conditions() {
    let text = r"
shared x: int;
thread P { if (x) { skip; } await x + 1; }
";
    assert_snapshot!(errors(text), @r"
    error: expected a value of type `bool`, found `int`
     --> t.tw:2:16
      |
    2 | thread P { if (x) { skip; } await x + 1; }
      |                ^ this is of type `int`
      |
      = help: integers are not conditions; write `x != 0`

    error: expected a value of type `bool`, found `int`
     --> t.tw:2:35
      |
    2 | thread P { if (x) { skip; } await x + 1; }
      |                                   ^^^^^ this is of type `int`
      |
      = help: integers are not conditions; write `x + 1 != 0`
    ");
}

#[test]
fn booleans_are_not_numbers() {
    let text = r"
shared x: int;
shared b: bool;
thread P { x = b; b = 0; x = b + 1; assert b == 1; }
";
    assert_snapshot!(errors(text), @r"
    error: expected a value of type `int`, found `bool`
     --> t.tw:3:16
      |
    3 | thread P { x = b; b = 0; x = b + 1; assert b == 1; }
      |                ^ this is of type `bool`
      |
      = help: for a number write `b ? 1 : 0`

    error: expected a value of type `bool`, found `int`
     --> t.tw:3:23
      |
    3 | thread P { x = b; b = 0; x = b + 1; assert b == 1; }
      |                       ^ this is of type `int`
      |
      = help: write `false`

    error: expected a value of type `int`, found `bool`
     --> t.tw:3:30
      |
    3 | thread P { x = b; b = 0; x = b + 1; assert b == 1; }
      |                              ^ this is of type `bool`
      |
      = help: for a number write `b ? 1 : 0`

    error: values of type `bool` and `int` cannot be compared
     --> t.tw:3:49
      |
    3 | thread P { x = b; b = 0; x = b + 1; assert b == 1; }
      |                                            -    ^ this is of type `int`
      |                                            |
      |                                            this is of type `bool`
      |
      = help: booleans are `true` and `false`, not numbers
    ");
}

#[test]
fn enumerations_are_not_ordered() {
    let text = r"
type Phase = enum { idle, busy };
shared p: Phase;
shared t: tid;
thread P { assert p < busy; assert t >= none; p = 1; }
";
    assert_snapshot!(errors(text), @r"
    error: only integers are ordered, not values of type `Phase`
     --> t.tw:4:19
      |
    4 | thread P { assert p < busy; assert t >= none; p = 1; }
      |                   ^ this is of type `Phase`

    error: only integers are ordered, not values of type `tid`
     --> t.tw:4:36
      |
    4 | thread P { assert p < busy; assert t >= none; p = 1; }
      |                                    ^ this is of type `tid`
      |
      = help: write `ord(t)` for the number of a thread; it gives up symmetry

    error: expected a value of type `Phase`, found `int`
     --> t.tw:4:51
      |
    4 | thread P { assert p < busy; assert t >= none; p = 1; }
      |                                                   ^ this is of type `int`
    ");
}

#[test]
fn sets_of_different_ranges() {
    let text = r"
shared a: set<0..3>;
shared b: set<0..4>;
thread P { a = b; a = a union b; assert a == b; }
";
    assert_snapshot!(errors(text), @r"
    error: expected a value of type `set<0..3>`, found `set<0..4>`
     --> t.tw:3:16
      |
    3 | thread P { a = b; a = a union b; assert a == b; }
      |                ^ this is of type `set<0..4>`
      |
      = help: sets of different types do not mix; declare both with the same type

    error: sets of type `set<0..3>` and `set<0..4>` do not mix
     --> t.tw:3:31
      |
    3 | thread P { a = b; a = a union b; assert a == b; }
      |                       -       ^ this is of type `set<0..4>`
      |                       |
      |                       this is of type `set<0..3>`
      |
      = help: declare both sets with the same element type

    error: values of type `set<0..3>` and `set<0..4>` cannot be compared
     --> t.tw:3:46
      |
    3 | thread P { a = b; a = a union b; assert a == b; }
      |                                         -    ^ this is of type `set<0..4>`
      |                                         |
      |                                         this is of type `set<0..3>`
      |
      = help: declare both sets with the same element type
    ");
}

#[test]
fn set_literals_need_a_type() {
    let text = r"
shared x: int;
thread P { assert {} == {}; assert size({x}) == 1; }
";
    assert_snapshot!(errors(text), @r"
    error: the element type of this set is not known
     --> t.tw:2:19
      |
    2 | thread P { assert {} == {}; assert size({x}) == 1; }
      |                   ^^ nothing here says which values its elements can have
      |
      = help: compare it with a variable of a set type, or assign it to one

    error: the element type of this set is not known
     --> t.tw:2:41
      |
    2 | thread P { assert {} == {}; assert size({x}) == 1; }
      |                                         ^^^ nothing here says which values its elements can have
      |
      = help: compare it with a variable of a set type, or assign it to one
    ");
}

#[test]
fn elements_of_a_literal_are_not_too_far_apart() {
    let text = r"
shared c: 0..5;
thread P { assert c in {3, 4098}; assert c in {3, 4099}; }
";
    assert_snapshot!(errors(text), @r"
    error: the elements of this set are too far apart: from 3 to 4099
     --> t.tw:2:47
      |
    2 | thread P { assert c in {3, 4098}; assert c in {3, 4099}; }
      |                                               ^^^^^^^^^ its elements span more than 4096 values
      |
      = help: compare with each element by itself: `x == a || x == b`
    ");
}

#[test]
fn element_of_another_type() {
    let text = r"
shared s: set<tid>;
thread P { s = {1}; assert 2 in s; s = s union self; assert s in s; }
";
    assert_snapshot!(errors(text), @r"
    error: expected a value of type `tid`, found `int`
     --> t.tw:2:17
      |
    2 | thread P { s = {1}; assert 2 in s; s = s union self; assert s in s; }
      |                 ^ this is of type `int`

    error: this set holds values of type `tid`, not `int`
     --> t.tw:2:28
      |
    2 | thread P { s = {1}; assert 2 in s; s = s union self; assert s in s; }
      |                            ^    - of type `set<tid>`
      |                            |
      |                            this is of type `int`

    error: expected a set, found a value of type `tid`
     --> t.tw:2:48
      |
    2 | thread P { s = {1}; assert 2 in s; s = s union self; assert s in s; }
      |                                                ^^^^ this is of type `tid`
      |
      = help: write `{self}` for the set with this one element

    error: this set holds values of type `tid`, not `set<tid>`
     --> t.tw:2:61
      |
    2 | thread P { s = {1}; assert 2 in s; s = s union self; assert s in s; }
      |                                                             ^    - of type `set<tid>`
      |                                                             |
      |                                                             this is of type `set<tid>`
      |
      = help: write `a subset b` for sets
    ");
}

#[test]
fn index_of_a_scalar_and_of_the_wrong_type() {
    let text = r"
shared x: int;
shared a: [tid]bool;
thread P { x[1] = 2; a[0] = true; assert a[self][self]; }
";
    assert_snapshot!(errors(text), @r"
    error: only arrays have elements, not `int`
     --> t.tw:3:12
      |
    3 | thread P { x[1] = 2; a[0] = true; assert a[self][self]; }
      |            ^ this is of type `int`

    error: this array's key is of type `tid`, not `int`
     --> t.tw:3:24
      |
    3 | thread P { x[1] = 2; a[0] = true; assert a[self][self]; }
      |                        ^ expected `tid`

    error: only arrays have elements, not `bool`
     --> t.tw:3:42
      |
    3 | thread P { x[1] = 2; a[0] = true; assert a[self][self]; }
      |                                          ^^^^^^^ this is of type `bool`
    ");
}

#[test]
fn array_from_a_scalar() {
    let text = r"
shared a: [0..2]int = 0;
thread P { skip; }
";
    assert_snapshot!(errors(text), @r"
    error: expected a value of type `[0..2]int`, found `int`
     --> t.tw:1:23
      |
    1 | shared a: [0..2]int = 0;
      |                       ^ this is of type `int`
      |
      = help: write `[0; all]` for an array with this value everywhere
    ");
}

#[test]
fn branches_of_different_types() {
    let text = r"
shared x: int;
thread P { x = x > 0 ? 1 : true; }
";
    assert_snapshot!(errors(text), @r"
    error: the branches are of different types, `int` and `bool`
     --> t.tw:2:28
      |
    2 | thread P { x = x > 0 ? 1 : true; }
      |                        -   ^^^^ this is of type `bool`
      |                        |
      |                        this is of type `int`
    ");
}

#[test]
fn bound_variable_of_an_infinite_type() {
    let text = r"
shared x: int;
thread P { skip; }
invariant forall i: int :: x != i;
";
    assert_snapshot!(errors(text), @r"
    error: a bound variable cannot be of type `int`
     --> t.tw:3:21
      |
    3 | invariant forall i: int :: x != i;
      |                     ^^^ expected `bool`, a range, a machine integer, an enumeration, `tid` or a thread's name
      |
      = help: use a range, as in `0..7`
    ");
}
