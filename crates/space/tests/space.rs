//! What there is no space for.

use std::sync::Arc;
use threadwise_front_tw::{Options, load};
use threadwise_ir::patience::under;
use threadwise_source::SourceFile;
use threadwise_space::Space;
use threadwise_symbolic::Unsupported;

fn refused(text: &str) -> Unsupported {
    let lowered = load(SourceFile::new("space.tw", text), &Options::default());
    let program = lowered.program.unwrap_or_else(|| panic!("{:?}", lowered.diagnostics));
    Space::new(&Arc::new(program)).expect_err("it has no formulas")
}

#[test]
fn what_has_no_formula_is_named() {
    let cases = [
        ("thread P[*] { skip; }", "any number of copies"),
        ("proc p() { p(); } thread P { p(); }", "recursive"),
        ("shared x: int; thread P { x = 1 / x; }", "division"),
        ("shared s: set<0..3000>; thread P { s = {}; }", "so large a set"),
        ("shared a: [0..3000]bool; thread P { a[1] = true; }", "so large an array"),
        ("shared a: [0..50][0..50]bool; thread P { a[1][1] = true; }", "so many scalar variables"),
        (
            "shared x: int; thread P { atomic { while (x > 0) { x = x - 1; } } }",
            "an atomic step that is so long, or has a loop",
        ),
        ("shared x: int; thread P { atomic { while (*) { x = x * x + 1; } } }", "so large"),
        ("shared b: bool; shared x: int; thread P { b = forall i: 0..999 :: x != i; }", "so large"),
        ("shared a: [0..2]int; shared x: int; thread P { x = count(i: 0..29999 :: a[x + i] == 0); }", "so large"),
        ("shared a: [0..2]int; shared b: bool; thread P { b = forall i: 0..29999 :: a[a[0] + i] == 0; }", "so large"),
    ];
    for (text, part) in cases {
        let said = refused(text).to_string();
        assert!(said.contains(part), "{text}: {said}");
    }
}

/// Whoever asks must be able to tell that more time would help.
#[test]
fn an_interruption_is_called_so() {
    let text = "shared b: bool; thread P { skip; } invariant forall i: 0..999999 :: i >= 0 || b;";
    let (unsupported, interrupted) = under(|| false, || refused(text));
    assert!(interrupted && unsupported.to_string().contains("interrupted"), "{unsupported}");
}
