//! Every example program does what its header says.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use support::module;
use threadwise_front_tw::ast::{Copies, ItemKind};
use threadwise_oracle::{OracleVerdict, explore};

/// What the header of an example says.
struct Header {
    verdict: String,
    states: Option<usize>,
    finite: bool,
}

fn header(text: &str) -> Header {
    let field = |name: &str| {
        let prefix = format!("// {name}: ");
        text.lines().find_map(|line| line.strip_prefix(&prefix)).map(|value| value.trim().to_string())
    };
    Header {
        verdict: field("expect").unwrap_or_default(),
        states: field("states").and_then(|states| states.parse().ok()),
        finite: field("explicit").as_deref() != Some("UNKNOWN"),
    }
}

fn examples(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("the directory of examples can be read") {
        let path = entry.expect("the directory of examples can be read").path();
        if path.is_dir() {
            examples(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "tw") {
            found.push(path);
        }
    }
}

/// A complaint if the oracle and the header disagree.
fn disagreement(text: &str) -> Option<String> {
    let header = header(text);
    let module = module(text);
    let any_number =
        module.items.iter().any(|item| matches!(&item.kind, ItemKind::Thread(t) if matches!(t.copies, Copies::Any)));
    if !header.finite || any_number {
        return None;
    }
    let explored = explore(&module, &[], 30_000);
    let verdict = match explored.verdict {
        OracleVerdict::Safe => "SAFE",
        OracleVerdict::Unsafe { .. } => "UNSAFE",
        OracleVerdict::Unknown(_) => "UNKNOWN",
    };
    let states_agree = header.states.is_none_or(|states| states == explored.states);
    (verdict != header.verdict || !states_agree)
        .then(|| format!("expected {} {:?}, found {explored:?}", header.verdict, header.states))
}

#[test]
fn every_finite_example_is_as_its_header_says() {
    let mut paths = Vec::new();
    examples(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"), &mut paths);
    paths.sort();
    assert!(!paths.is_empty());
    let mut complaints = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).expect("an example can be read");
        complaints.extend(disagreement(&text).map(|complaint| format!("{}: {complaint}", path.display())));
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
