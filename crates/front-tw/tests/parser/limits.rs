//! Programs that are too deep, too large or too wrong.

use crate::common::{assert_round_trip, complaints, depth_of};
use threadwise_front_tw::parse;
use threadwise_front_tw::parser::{MAX_DEPTH, MAX_DIAGNOSTICS, MAX_FILE_BYTES};
use threadwise_source::SourceFile;

/// Text in front of the repeated part, the part, and text behind.
const CHAINS: &[(&str, &str, &str)] = &[
    ("invariant ", "(", ";"),
    ("invariant ", "!", "x;"),
    ("invariant ", "-", "x;"),
    ("invariant x", " + 1", ";"),
    ("invariant ", "x ==> ", "x;"),
    ("invariant ", "x ? y : ", "x;"),
    ("invariant ", "x ? ", "x;"),
    ("invariant x", "'", ";"),
    ("invariant x", ".w", ";"),
    ("invariant x", "[0]", ";"),
    ("invariant ", "a[", "x;"),
    ("invariant ", "{", "x;"),
    ("invariant ", "size(", "x;"),
    ("invariant ", "forall i: T :: ", "x;"),
    ("invariant ", "count(i: T :: ", "x;"),
    ("invariant ", "x || x && x == x union x + x * (", "x;"),
    ("shared x: ", "[0..1]", "int;"),
    ("shared x: ", "set<", "int;"),
    ("invariant forall i: ", "set<", "int>:: x;"),
    ("thread P ", "{", "}"),
    ("thread P { ", "atomic {", "}"),
    ("thread P { ", "if (x) { } else ", "{ } }"),
    ("thread P { ", "if (x) ", "skip; }"),
    ("thread P { ", "L: while (x) { ", "} }"),
    ("thread P { ", "choose { ", "} }"),
    ("thread P { ", "thread Q { ", "} }"),
];

#[test]
fn endless_nesting_is_reported_once_and_cut() {
    for (front, part, back) in CHAINS {
        let file = SourceFile::new("test.tw", format!("{front}{}{back}", part.repeat(20_000)));
        let parsed = parse(&file);
        let too_deep = |message: &str| message.contains("nested more than 256 levels");
        let reports = parsed.diagnostics.iter().filter(|d| too_deep(&d.message)).count();
        // Threads in threads are so wrong that other messages fill the list first.
        assert!(reports == 1 || parsed.diagnostics.len() > MAX_DIAGNOSTICS, "{front}{part}");
        assert!(depth_of(&parsed.module) <= MAX_DEPTH, "{front}{part}");
    }
}

#[test]
fn what_is_just_not_too_deep_can_be_printed() {
    let deepest = MAX_DEPTH - 1;
    let programs = [
        format!("invariant x{};", " + 1".repeat(deepest)),
        format!("invariant {}x{};", "x - (".repeat(deepest), ")".repeat(deepest)),
        format!("invariant {}x{};", "!(y == ".repeat(deepest / 2), ")".repeat(deepest / 2)),
        format!("invariant {}x;", "forall i: T :: ".repeat(deepest)),
        format!("shared x: {}int;", "[tid]".repeat(deepest)),
        format!("thread P {{ {} skip; {} }}", "{".repeat(deepest - 1), "}".repeat(deepest - 1)),
        format!("thread P {{ {} {{ }} }}", "if (*) { } else ".repeat(deepest)),
    ];
    for program in programs {
        assert_round_trip(&SourceFile::new("test.tw", program));
    }
}

#[test]
fn deep_conditions_inside_deep_statements_count_together() {
    let half = MAX_DEPTH / 2;
    let blocks = "{".repeat(half);
    let ends = "}".repeat(half);
    let sum = " + 1".repeat(half);
    let file = SourceFile::new("test.tw", format!("thread P {{ {blocks} assert x{sum} > 0; {ends} }}"));
    let parsed = parse(&file);
    assert_eq!(parsed.diagnostics.len(), 1);
    assert!(depth_of(&parsed.module) <= MAX_DEPTH);
}

#[test]
fn depth_message() {
    insta::assert_snapshot!(complaints(&format!("const N = 1{};", "\n + 1".repeat(300))), @r"
    error: this is nested more than 256 levels deep
       --> test.tw:257:4
        |
    257 |  + 1
        |    ^ too deep from here on
        |
        = help: split it into smaller parts; each operator in a chain and each `else if` counts as a level
    ");
}

#[test]
fn only_the_first_errors_are_shown() {
    for source in ["x = ;\n".repeat(1000), "§ ".repeat(1000)] {
        let file = SourceFile::new("test.tw", format!("thread P {{ {source} }}"));
        let parsed = parse(&file);
        assert_eq!(parsed.diagnostics.len(), MAX_DIAGNOSTICS + 1);
        let last = parsed.diagnostics.last().expect("there are some");
        assert_eq!(last.message, "there are more errors; the rest is left out");
    }
}

#[test]
fn a_run_of_unknown_characters_is_one_error() {
    let parsed = parse(&SourceFile::new("test.tw", "§".repeat(100_000)));
    assert_eq!(parsed.diagnostics.len(), 1);
}

#[test]
fn files_that_are_too_large_are_refused() {
    let parsed = parse(&SourceFile::new("test.tw", " ".repeat(MAX_FILE_BYTES + 1)));
    assert_eq!(parsed.diagnostics.len(), 1);
    assert_eq!(parsed.diagnostics[0].label, "files may have up to 64 MiB");
}

#[test]
fn long_comments_do_not_use_up_the_stack() {
    let source = "// line\n/* block */ ".repeat(100_000);
    assert!(parse(&SourceFile::new("test.tw", source)).diagnostics.is_empty());
}

/// Not a measurement, only a guard against work that grows with the square of the input.
#[test]
fn the_time_is_linear() {
    let mistakes = ["x = = 1; ", "if (", "shared x: ; ", "} ", "thread P ", "x + (( { ", "a: ", "whlie (x) { "];
    for mistake in mistakes {
        let source = format!("thread P {{ {}", mistake.repeat(200_000));
        let start = std::time::Instant::now();
        parse(&SourceFile::new("test.tw", source));
        assert!(start.elapsed().as_secs() < 20, "{mistake}");
    }
}
