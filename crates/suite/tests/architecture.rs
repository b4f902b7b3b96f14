//! The map in `docs/ARCHITECTURE.md` and the crates agree.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

type Map = BTreeMap<String, BTreeSet<String>>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The rows of the table: crate, and what it depends on.
fn documented() -> Map {
    let text = std::fs::read_to_string(root().join("docs/ARCHITECTURE.md")).expect("the map exists");
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').collect();
        (names(cells[1]).into_iter().next().expect("a crate"), names(cells[3]))
    })
    .collect()
}

/// The words between back quotes.
fn names(cell: &str) -> BTreeSet<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_string).collect()
}

/// The directories of the crates under `crates`.
fn crate_directories() -> Vec<PathBuf> {
    let crates = std::fs::read_dir(root().join("crates")).expect("there are crates");
    let all = crates.map(|entry| entry.expect("readable").path());
    all.filter(|path| path.join("Cargo.toml").exists()).collect()
}

/// The crates and their dependencies on each other, without those of their tests.
fn actual() -> Map {
    let known = |directory: &PathBuf| {
        let own = dependencies(directory, "[dependencies]");
        own.iter().filter_map(|name| name.strip_prefix("threadwise-")).map(str::to_string).collect()
    };
    let name = |directory: &PathBuf| directory.file_name().expect("a name").to_string_lossy().into_owned();
    crate_directories().iter().map(|directory| (name(directory), known(directory))).collect()
}

/// What a section of a crate's manifest names.
fn dependencies(directory: &Path, section: &str) -> BTreeSet<String> {
    let manifest = std::fs::read_to_string(directory.join("Cargo.toml")).expect("readable manifest");
    let lines = manifest.lines().skip_while(|line| *line != section).skip(1);
    let lines = lines.take_while(|line| !line.starts_with('[')).filter(|line| !line.is_empty());
    lines.filter_map(|line| line.split(['.', ' ', '=']).next()).map(str::to_string).collect()
}

/// All crates that a crate stands on, directly or through others.
fn reached(crates: &Map, from: &str) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from.to_string()];
    while let Some(name) = open.pop() {
        let new = crates[&name].iter().filter(|other| reached.insert((*other).clone()));
        open.extend(new.cloned().collect::<Vec<_>>());
    }
    reached
}

/// The code under a directory, with its comments.
fn text(directory: &Path) -> String {
    let Ok(entries) = std::fs::read_dir(directory) else { return String::new() };
    let paths = entries.map(|entry| entry.expect("readable").path());
    let texts = paths.map(|path| match path.extension() {
        Some(extension) if extension == "rs" => std::fs::read_to_string(&path).expect("readable code"),
        Some(_) => String::new(),
        None => text(&path),
    });
    texts.collect::<Vec<_>>().join("\n")
}

fn without_comments(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The code without the modules of tests in it, as the formatter lays them out.
fn without_tests(text: &str) -> String {
    let mut parts = text.split("\n#[cfg(test)]\nmod ");
    let first = parts.next().unwrap_or("").to_string();
    let end_of_module =
        |part: &str| if part.lines().next().is_some_and(|line| line.ends_with(';')) { "\n" } else { "\n}\n" };
    parts.fold(first, |code, part| code + part.split_once(end_of_module(part)).map_or("", |(_, rest)| rest))
}

/// The dependencies of a section that the code never names.
fn unused(directory: &Path, section: &str, code: &str) -> Vec<String> {
    let words: BTreeSet<&str> = code.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let is_used = |name: &String| words.contains(name.replace('-', "_").as_str());
    let all = dependencies(directory, section).into_iter();
    all.filter(|name| !is_used(name)).map(|name| format!("{}: {name}", directory.display())).collect()
}

#[test]
fn the_map_is_true() {
    assert_eq!(documented(), actual(), "left: docs/ARCHITECTURE.md, right: the crates");
}

#[test]
fn judges_know_no_engine_not_even_through_others() {
    let crates = actual();
    for judge in ["check", "replay", "verdict", "ir", "evidence"] {
        let known = reached(&crates, judge);
        assert!(!known.iter().any(|name| name.starts_with("engine-")), "{judge} knows an engine: {known:?}");
    }
}

#[test]
fn what_others_depend_on_is_reached() {
    let crates = [("a", vec!["b"]), ("b", vec!["c", "a"]), ("c", vec![])];
    let names = |names: Vec<&str>| names.into_iter().map(str::to_string).collect::<BTreeSet<_>>();
    let crates = crates.into_iter().map(|(name, known)| (name.to_string(), names(known))).collect();
    assert_eq!(reached(&crates, "a"), names(vec!["a", "b", "c"]));
    assert_eq!(reached(&crates, "c"), names(vec![]));
}

#[test]
fn tests_are_left_out() {
    let text = "fn a() {}\n\n#[cfg(test)]\nmod tests {\n    use x;\n}\n\nfn b() {}\n";
    assert_eq!(without_tests(text), "fn a() {}\n\nfn b() {}\n");
}

#[test]
fn every_dependency_is_used() {
    for directory in crate_directories().into_iter().chain([root().join("xtask")]) {
        let program = text(&directory.join("src"));
        let tests = text(&directory.join("tests")) + &text(&directory.join("examples"));
        let alone = without_comments(&without_tests(&program));
        assert_eq!(unused(&directory, "[dependencies]", &alone), Vec::<String>::new());
        // Examples in comments are tests too.
        let tests = format!("{program}\n{}", without_comments(&tests));
        assert_eq!(unused(&directory, "[dev-dependencies]", &tests), Vec::<String>::new());
    }
}
