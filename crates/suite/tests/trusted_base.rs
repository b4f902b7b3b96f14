//! How many lines of code a judged verdict rests on: what `docs/LIMITS.md` says is what is counted here.
//!
//! Counted are the crates that judge, `check` and `replay`, and all that they depend on: lines that are not blank,
//! not only comment and not there for tests alone. `SNAPSHOTS=overwrite` writes the numbers into the document.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const JUDGES: [&str; 2] = ["check", "replay"];

const BEGIN: &str = "<!-- The lines from here on are counted by a test. -->\n";
const END: &str = "<!-- So far. -->\n";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The crates of the workspace that a crate depends on, without those of its tests.
fn dependencies(name: &str) -> Vec<String> {
    let manifest = read(&root().join("crates").join(name).join("Cargo.toml"));
    let section = manifest.split("[dependencies]").nth(1).unwrap_or("");
    let lines = section.lines().skip(1).take_while(|line| !line.starts_with('['));
    let own = lines.filter_map(|line| line.strip_prefix("threadwise-"));
    own.filter_map(|line| line.split(['.', ' ', '=']).next()).map(str::to_string).collect()
}

/// The judges, and all that they depend on.
fn trusted() -> BTreeSet<String> {
    let mut known = BTreeSet::new();
    let mut todo: Vec<String> = JUDGES.map(str::to_string).to_vec();
    while let Some(name) = todo.pop() {
        if known.insert(name.clone()) {
            todo.extend(dependencies(&name));
        }
    }
    known
}

fn sources(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display())) {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
            out.push(path);
        }
    }
}

/// Lines of code. What `#[cfg(test)]` stands before ends, as the formatter lays it out, with the first line that is
/// not indented further.
fn lines_of_code(text: &str) -> usize {
    let mut count = 0;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let code = line.trim_start();
        if code == "#[cfg(test)]" {
            let indent = line.len() - code.len();
            let is_last = |line: &str| {
                let ends = line.ends_with(['}', ';']);
                ends && line.len() - line.trim_start().len() == indent
            };
            lines.by_ref().find(|line| is_last(line));
        } else if !code.is_empty() && !code.starts_with("//") {
            count += 1;
        }
    }
    count
}

#[test]
fn lines_are_counted_as_said() {
    let text = "//! What.\n\nuse a::b;\n/// It.\nfn f() {\n    g(); // so\n}\n\n#[cfg(test)]\nmod tests {\n    use x;\n\n    fn h() {\n    }\n}\n";
    assert_eq!(lines_of_code(text), 4);
    assert_eq!(lines_of_code("impl A {\n    #[cfg(test)]\n    fn f() {\n        g();\n    }\n\n    fn h() {}\n}\n"), 3);
    assert_eq!(lines_of_code("#[cfg(test)]\nmod tests;\nmod other;\n"), 1);
}

#[test]
fn the_document_says_how_much_is_trusted() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for name in trusted() {
        let mut files = Vec::new();
        sources(&root().join("crates").join(&name).join("src"), &mut files);
        counts.insert(name, files.iter().map(|file| lines_of_code(&read(file))).sum());
    }
    let rows: String = counts.iter().map(|(name, count)| format!("| `{name}` | {count} |\n")).collect();
    let total: usize = counts.values().sum();
    let table = format!("{BEGIN}\n| crate | lines of code |\n|---|---|\n{rows}| together | {total} |\n\n{END}");

    let path = root().join("docs/LIMITS.md");
    let document = read(&path);
    let (before, rest) = document.split_once(BEGIN).expect("the document has the place");
    let (_, after) = rest.split_once(END).expect("the document has the place");
    let expected = format!("{before}{table}{after}");
    if std::env::var("SNAPSHOTS").is_ok_and(|value| value == "overwrite") {
        std::fs::write(&path, &expected).expect("the document can be written");
    }
    assert_eq!(
        read(&path),
        expected,
        "`SNAPSHOTS=overwrite cargo test -p threadwise-suite --test trusted_base` counts anew"
    );
}
