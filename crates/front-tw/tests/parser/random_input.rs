//! Nonsense: random bytes, random tokens and programs with random changes.

use crate::common::{assert_fits, assert_round_trip, assert_spans_fit, depth_of};
use proptest::prelude::*;
use threadwise_diagnostics::render;
use threadwise_front_tw::parse;
use threadwise_front_tw::parser::{MAX_DEPTH, MAX_DIAGNOSTICS};
use threadwise_source::SourceFile;

/// A program with a bit of everything, to be damaged.
const PROGRAM: &str = "\
const N = 4; // é
type Phase = enum { idle, busy };
shared x: int = 1; shared m: mutex; shared s: set<tid>= {};
proc p(a: int) returns (r: [0..N - 1]bool) { return a + 1; }
thread Worker[N] {
  var y: 0..3 = *;
  loop invariant x > 0 { acquire(m); x, y = x + 1, *; release(m); }
  if (x > 0 && !(m == self)) { L: skip; } else if (*) { goto L; } else { x = p(y); }
  while (x in {1, 2}) { break; } choose { continue; } or { action [x] x' > x assert true; }
  for k in 0..N { atomic { a[k] = x ? 1 : -2; } } end:
}
invariant clean: m == none ==> x == 1;
never exists i: Worker, j: Worker :: i@L && j@L && i.y != count(k: tid :: b[k]);
exceptions exists i: Worker :: i@L; exceptions x > 0; norace x; rely forall i: tid :: x' >= x; guarantee Worker :: true;
abstract Worker { init X1; idle; X1: assert x > 0; X2:; X1 -> X2 [x] x' > 0; }
";

/// Pieces of text that mean something to the lexer.
const PIECES: &[&str] = &[
    "const",
    "type",
    "enum",
    "shared",
    "init",
    "thread",
    "proc",
    "returns",
    "invariant",
    "never",
    "exceptions",
    "norace",
    "rely",
    "guarantee",
    "abstract",
    "var",
    "skip",
    "assert",
    "await",
    "acquire",
    "action",
    "atomic",
    "if",
    "else",
    "while",
    "loop",
    "break",
    "choose",
    "or",
    "for",
    "goto",
    "return",
    "true",
    "self",
    "none",
    "forall",
    "exists",
    "in",
    "union",
    "set",
    "int",
    "count",
    "size",
    "not",
    "and",
    "x",
    "y",
    "é",
    "0",
    "9999999999999999999",
    "1a",
    "{",
    "}",
    "{",
    "}",
    "(",
    ")",
    "(",
    ")",
    "[",
    "]",
    ";",
    ";",
    ";",
    ",",
    ":",
    "::",
    ".",
    "..",
    "@",
    "'",
    "?",
    "->",
    "=",
    "=",
    "==>",
    "<==>",
    "||",
    "&&",
    "!",
    "==",
    "<",
    "<=",
    ">",
    ">=",
    "+",
    "-",
    "*",
    "/",
    "%",
    ":=",
    "&",
    "|",
    "=>",
    "<=>",
    "//",
    "/*",
    "*/",
    "\n",
    "\n",
    "\r\n",
    "\0",
    "\u{feff}",
    "tread",
    "whlie",
];

/// The promises of the parser, whatever the input.
fn check(text: String) {
    let file = SourceFile::new("test.tw", text);
    let parsed = parse(&file);
    assert!(parsed.diagnostics.len() <= MAX_DIAGNOSTICS + 1);
    assert_spans_fit(&file, &parsed.module);
    assert!(depth_of(&parsed.module) <= MAX_DEPTH);
    for diagnostic in &parsed.diagnostics {
        assert_fits(&file, diagnostic.span.start, diagnostic.span.end);
        for (span, _) in &diagnostic.related {
            assert_fits(&file, span.start, span.end);
        }
    }
    render(&file.clone().into(), &parsed.diagnostics, false);
    if parsed.diagnostics.is_empty() {
        assert_round_trip(&file);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn random_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        check(String::from_utf8_lossy(&bytes).into_owned());
    }

    #[test]
    fn random_text(text in ".{0,200}") {
        check(text);
    }

    #[test]
    fn random_tokens(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..200)) {
        check(pieces.join(" "));
    }

    #[test]
    fn random_tokens_in_a_thread(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..60)) {
        check(format!("thread P {{\n  {}\n}}\nshared x: int;\n", pieces.join(" ")));
    }

    #[test]
    fn damaged_programs(
        changes in proptest::collection::vec((0..PROGRAM.len(), 0..12usize, proptest::sample::select(PIECES)), 1..6)
    ) {
        let mut characters: Vec<char> = PROGRAM.chars().collect();
        for (at, removed, inserted) in changes {
            let start = at.min(characters.len());
            let end = (start + removed).min(characters.len());
            characters.splice(start..end, inserted.chars());
        }
        check(characters.into_iter().collect());
    }

    #[test]
    fn truncated_programs(length in 0..PROGRAM.len()) {
        check(PROGRAM.chars().take(length).collect());
    }
}

#[test]
fn the_program_itself_is_fine() {
    assert!(parse(&SourceFile::new("test.tw", PROGRAM)).diagnostics.is_empty());
}
