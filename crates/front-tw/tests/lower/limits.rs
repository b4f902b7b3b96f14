//! Programs that are large in one way or another.

use crate::show::{errors, program};
use threadwise_front_tw::{Options, load};
use threadwise_source::{Severity, SourceFile};

#[test]
fn unrolling_stops_before_memory_does() {
    for text in [
        "shared x: int; thread P { for i in 0..9223372036854775807 { } }",
        "shared x: int; thread P { for i in 1..100000 { for j in 1..100000 { x = i; } } }",
        "shared x: int; thread P { for i in 1..100000 { for j in 1..100000 { for k in 2..1 { x = 1; } } } }",
        "shared x: int; thread P { for i in 1..100000000 { x = x + 1; } }",
    ] {
        assert!(errors(text).contains("the program is too large"), "{text}");
    }
}

#[test]
fn a_hundred_thousand_statements_are_fine() {
    let program = program("shared x: int; thread P { for i in 1..100000 { x = i; } }");
    assert_eq!(program.edges.len(), 100_000);
}

#[test]
fn errors_in_unrolled_code_are_reported_once() {
    let text = errors("shared b: bool; thread P { for i in 1..1000 { b = i; c = 1; } }");
    assert_eq!(text.matches("error").count(), 2, "{text}");
}

#[test]
fn at_most_thirty_diagnostics() {
    let body: String = (0..1000).map(|i| format!("u{i} = 1; ")).collect();
    let lowered = load(SourceFile::new("t.tw", format!("thread P {{ {body} }}")), &Options::default());
    assert_eq!(lowered.diagnostics.len(), 30);
}

#[test]
fn errors_are_not_crowded_out_by_warnings() {
    let body = "x = 9; ".repeat(300);
    let text = format!("shared x: 0..1; thread P {{ {body} y = 1; }}");
    let lowered = load(SourceFile::new("t.tw", text), &Options::default());
    assert!(lowered.program.is_none());
    assert!(lowered.diagnostics.iter().any(|d| d.severity == Severity::Error));
}

#[test]
fn any_number_of_variables_under_norace() {
    let shared: String = (0..70).map(|i| format!("shared x{i}: int; norace x{i};\n")).collect();
    let lowered = load(SourceFile::new("t.tw", format!("{shared}thread P {{ skip; }}")), &Options::default());
    assert_eq!(lowered.program.expect("it is right").properties.len(), 70);
}

#[test]
fn arrays_and_sets_have_limits() {
    let text = errors(
        "shared a: [0..65536]bool;\nshared b: [0..65535][0..65535]bool;\nshared c: set<0..4096>;\n\
         shared d: [0..65535]set<0..4095>;\nthread P { skip; }\n",
    );
    assert_eq!(text.matches("error").count(), 3, "{text}");
}

#[test]
fn deeply_nested_programs_do_not_exhaust_the_stack() {
    // The parser admits trees up to a certain depth; every level may be of the costliest kind.
    for depth in [100, 200, 250, 300] {
        let nest =
            |open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(depth), close.repeat(depth));
        for body in [
            format!("await {};", nest("!", "b", "")),
            format!("await {};", nest("(b ==> ", "b", ")")),
            format!("await {};", nest("forall i: bool :: ", "b", "")),
            format!("x = {};", nest("(b ? 1 : ", "2", ")")),
            format!("s = {};", nest("({} union ", "s", ")")),
            nest("{ ", "skip;", " }"),
            nest("atomic { ", "skip;", " }"),
            nest("if (b) { ", "skip;", " }"),
            nest("while (b) { ", "skip;", " }"),
            nest("loop { ", "break;", " }"),
            nest("for k in 1..1 { ", "skip;", " }"),
            nest("choose { ", "skip;", " } or { }"),
        ] {
            let text = format!("shared b: bool; shared x: int; shared s: set<bool>; thread P {{ {body} }}");
            errors(&text);
        }
    }
}
