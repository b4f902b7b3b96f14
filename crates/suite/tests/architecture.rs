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

/// The crates and their dependencies on each other, without those of their tests.
fn actual() -> Map {
    let crates = std::fs::read_dir(root().join("crates")).expect("there are crates");
    let dirs = crates.map(|entry| entry.expect("readable").path()).filter(|path| path.join("Cargo.toml").exists());
    dirs.map(|dir| {
        let manifest = std::fs::read_to_string(dir.join("Cargo.toml")).expect("readable manifest");
        (dir.file_name().expect("a name").to_string_lossy().into_owned(), dependencies(&manifest))
    })
    .collect()
}

fn dependencies(manifest: &str) -> BTreeSet<String> {
    let section = manifest.split("[dependencies]").nth(1).unwrap_or("");
    let lines = section.lines().skip(1).take_while(|line| !line.starts_with('['));
    let own = lines.filter_map(|line| line.strip_prefix("threadwise-"));
    own.filter_map(|line| line.split(['.', ' ', '=']).next()).map(str::to_string).collect()
}

#[test]
fn the_map_is_true() {
    assert_eq!(documented(), actual(), "left: docs/ARCHITECTURE.md, right: the crates");
}

#[test]
fn judges_know_no_engine() {
    let crates = actual();
    for judge in ["check", "replay", "verdict", "ir", "evidence"] {
        let known = &crates[judge];
        assert!(!known.iter().any(|name| name.starts_with("engine-")), "{judge} knows an engine: {known:?}");
    }
}
