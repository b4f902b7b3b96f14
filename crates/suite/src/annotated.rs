//! Small random programs with relies, guarantees and invariants.

use crate::dice::Dice;

/// Small annotated programs, some right, some wrong, some with relies that nobody keeps.
pub fn random_annotated(seed: u64) -> String {
    let dice = &mut Dice::new(seed);
    let statements = [
        "release(m);",
        "if (a == b) { assert a == b; }",
        "a = 1; assert a == 1; a = 0;",
        "if (m == self) { assert m == self; }",
        "b = b > 1 ? 2 : b + 1;",
        "a = 0; assert a == 0;",
        "a = b;",
        "a = 0;",
        "b = 1;",
        "if (b > 0) { a = 1; }",
        "assert a <= b;",
        "assert m == self ==> a == 0;",
        "atomic { await m == none; m = self; a = 0; }",
        "atomic { assert m == self; m = none; }",
        "while (a > 0) { a = a - 1; }",
        "choose { b = 2; } or { a, b = b, a; }",
        "action [a] a' >= a && a' <= 2;",
    ];
    let relies = [
        "",
        "",
        "rely forall i: tid :: m == i ==> m' == i;",
        "rely forall i: tid :: m == i ==> m' == i && a' == a;",
        "rely forall i: tid :: m == i ==> m' == i && a' == a && b' == b;",
        "rely forall i: tid :: b' >= b;",
        "rely forall i: tid :: b' == b;",
        "rely P :: a' == a && b' == b;",
        "guarantee P :: a' == a || m == P;",
    ];
    let invariants = ["", "", "invariant m == none ==> a == 0;", "invariant a <= b;", "invariant b != 2 || m != none;"];
    let body = |dice: &mut Dice| (0..2).map(|_| dice.pick(&statements)).collect::<Vec<_>>().join(" ");
    let (first, second) = (body(dice), body(dice));
    let copies = dice.pick(&["", "[2]"]);
    let (rely, another) = (dice.pick(&relies), dice.pick(&relies));
    let locked = dice.pick(&[
        "{here: BODY}",
        "{ acquire(m); here: BODY release(m); }",
        "{ loop { acquire(m); here: BODY release(m); } }",
    ]);
    let place =
        dice.pick(&["", "", "", "norace a;", "norace b;", "never P@here && m == none;", "never P@here && Q@here;"]);
    // Which of several copies is meant, somebody has to say.
    let place = if copies == "[2]" { place.replace("Q@here", "(exists q: Q :: q@here)") } else { place.to_string() };
    format!(
        "shared m: mutex; shared a, b: 0..2; thread P {} thread Q{copies} {}\n{} invariant a >= 0;\n{rely} {another} {place}",
        locked.replace("BODY", &first),
        locked.replace("BODY", &second),
        dice.pick(&invariants)
    )
}
