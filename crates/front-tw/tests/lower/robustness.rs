//! Whatever the text, loading it ends with an answer.

use proptest::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use threadwise_diagnostics::render;
use threadwise_front_tw::{Options, load};
use threadwise_ir::Program;
use threadwise_source::{Severity, SourceFile};
use threadwise_validate::validate;

/// Pieces of text to insert: what a change of one token may put in the wrong place.
const PIECES: &[&str] = &[
    "x",
    "self",
    "none",
    "'",
    "@",
    ".w",
    ".r",
    "[0]",
    "{",
    "}",
    "(",
    ")",
    ";",
    ":",
    "==",
    "&&",
    "!",
    "+ 1",
    "-1",
    "goto L;",
    "L:",
    "break;",
    "return;",
    "atomic {",
    "loop {",
    "for k in 0..3 {",
    "var x: int;",
    "forall i: tid ::",
    "0..2",
    "set<tid>",
    "mutex",
    "rwlock",
    "acquire(m);",
    "{}",
    "*",
    "=",
    "9223372036854775807",
    "*/",
    "\u{e9}",
];

fn programs_under(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder is readable").flatten() {
        let path = entry.path();
        if path.is_dir() {
            programs_under(&path, out);
        } else if path.extension().is_some_and(|e| e == "tw") {
            out.push(path);
        }
    }
}

static EXAMPLES: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let mut paths = Vec::new();
    programs_under(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"), &mut paths);
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("examples are readable text");
        (path.display().to_string(), text)
    };
    paths.into_iter().map(read).collect()
});

/// What every program that is handed on satisfies, whether or not the build has debug assertions.
fn assert_well_formed(program: &Program) {
    assert_eq!(validate(program), Vec::<String>::new());
}

fn check(text: String) {
    let file = SourceFile::new("t.tw", text);
    let lowered = load(file.clone(), &Options::default());
    let has_errors = lowered.diagnostics.iter().any(|d| d.severity == Severity::Error);
    assert_eq!(lowered.program.is_none(), has_errors, "{}", file.text());
    lowered.program.iter().for_each(assert_well_formed);
    render(&file.clone().into(), &lowered.diagnostics, false);
}

#[test]
fn examples_load() {
    let mut complaints = Vec::new();
    for (name, text) in EXAMPLES.iter() {
        let file = SourceFile::new(name.clone(), text.clone());
        let lowered = load(file.clone(), &Options::default());
        lowered.program.iter().for_each(assert_well_formed);
        if !lowered.diagnostics.is_empty() {
            complaints.push(render(&file.clone().into(), &lowered.diagnostics, false));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n\n"));
}

/// A change to a text: a stretch of it is replaced by a piece or by another stretch of it.
fn mutate(text: &str, (at, length, piece): (usize, usize, usize)) -> String {
    let boundaries: Vec<usize> = text.char_indices().map(|(i, _)| i).chain([text.len()]).collect();
    let start = boundaries[at % boundaries.len()];
    let end = boundaries[(at % boundaries.len() + length).min(boundaries.len() - 1)];
    let piece = match PIECES.get(piece % (2 * PIECES.len())) {
        Some(piece) => piece.to_string(),
        None => {
            let from = boundaries[(at.wrapping_mul(31) + piece) % boundaries.len()];
            text[from..].chars().take(12).collect()
        }
    };
    format!("{} {piece} {}", &text[..start], &text[end..])
}

/// The parser leaves the initial nodes out, and nobody complains of that beside the parser.
#[test]
fn abstract_threads_without_a_readable_start() {
    check("shared g: 0..3; thread W { g = 2; } abstract W { init 7; X1:; X1 -> X1 [g] true; }".to_string());
}

proptest! {
    // Seeds are not kept: what they stand for changes with the examples.
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_programs_do_not_panic(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<u32>(), 0usize..20, any::<u16>()), 1..4),
    ) {
        let mut text = which.get(&EXAMPLES).1.clone();
        for (at, length, piece) in changes {
            text = mutate(&text, (at as usize, length, piece as usize));
        }
        check(text);
    }
}
