//! How many lines of code a judged verdict rests on: what `docs/LIMITS.md` says is what is counted here.
//!
//! Counted are the crates that judge, `check` and `replay`, and all that they depend on: lines that are not blank,
//! not only comment and not there for tests alone. One verdict needs one judge: what it rests on are the rooms of `check`
//! that this judge names, directly or through others, and the crates that these name. `SNAPSHOTS=overwrite` writes the
//! numbers into the document.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const JUDGES: [&str; 2] = ["check", "replay"];

/// Whose verdicts rest on which rooms of `check`.
const KINDS: [(&str, &[&str]); 10] = [
    ("SAFE by `explicit`", &["reachable"]),
    ("SAFE by `modular`", &["modular", "frontier"]),
    ("SAFE by `modular` after an edit", &["again"]),
    ("SAFE by `cartesian`", &["cartesian"]),
    ("SAFE by `contracts`, `predicates`, `intervals` or `relations`", &["formulas"]),
    ("SAFE by `locks`", &["protection"]),
    ("SAFE by `locks` where deadlocks are forbidden, beside the judge of everything else", &["hierarchy"]),
    ("SAFE by `coverability`", &["coverability"]),
    ("SAFE by `lockstep`", &["schedules"]),
    ("SAFE by `conformance`, beside the judge of what it says of the abstract threads", &["conformance"]),
];

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

/// Crates, and all that they depend on.
fn with_dependencies(crates: impl IntoIterator<Item = String>) -> BTreeSet<String> {
    let mut known = BTreeSet::new();
    let mut todo: Vec<String> = crates.into_iter().collect();
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
    for_each_line_of_code(text, |_| count += 1);
    count
}

fn for_each_line_of_code<'a>(text: &'a str, mut then: impl FnMut(&'a str)) {
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
            then(line);
        }
    }
}

/// The code alone: no comments, nothing that is there for tests.
fn code(text: &str) -> Vec<&str> {
    let mut code = Vec::new();
    for_each_line_of_code(text, |line| code.push(line));
    code
}

/// What is named behind `prefix` in lines of code, and in the braces behind it: `crate::a`, `crate::{a::B, c}`.
fn named(code: &[&str], prefix: &str) -> BTreeSet<String> {
    let text = code.join(" ");
    let word =
        |text: &str| text.trim_start().split(|c: char| !c.is_alphanumeric() && c != '_').next().map(str::to_string);
    let mut names = BTreeSet::new();
    for rest in text.split(prefix).skip(1) {
        match rest.strip_prefix('{') {
            Some(list) => names.extend(list.split(['}', ';']).next().unwrap_or("").split(',').filter_map(word)),
            None => names.extend(word(rest)),
        }
    }
    names
}

/// The files of a room of `check`.
fn room(name: &str) -> Vec<PathBuf> {
    let src = root().join("crates/check/src");
    let mut files = vec![src.join(name).with_extension("rs")];
    if src.join(name).is_dir() {
        sources(&src.join(name), &mut files);
    }
    files
}

/// The lines that verdicts rest on whose proofs these rooms of `check` judge.
fn lines_of_kind(rooms: &[&str], crates: &BTreeMap<String, usize>) -> usize {
    let mut files = vec![root().join("crates/check/src/lib.rs")];
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut todo: Vec<String> = rooms.iter().map(|room| room.to_string()).collect();
    let mut named_crates: BTreeSet<String> = ["ir", "evidence"].map(str::to_string).into();
    while let Some(name) = todo.pop() {
        if !known.insert(name.clone()) {
            continue;
        }
        for file in room(&name) {
            let text = read(&file);
            let code = code(&text);
            let others = named(&code, "crate::").into_iter();
            todo.extend(others.filter(|other| room(other)[0].is_file()));
            named_crates.extend(named(&code, "threadwise_"));
            files.push(file);
        }
    }
    let own: usize = files.iter().map(|file| lines_of_code(&read(file))).sum();
    own + with_dependencies(named_crates).iter().map(|name| crates[name]).sum::<usize>()
}

#[test]
fn what_is_named_is_found() {
    let code =
        ["use crate::{folding, space::Space, CheckError};", "crate::order::f(a)", "use crate::{", "    x,", "};"];
    let found: Vec<String> = named(&code, "crate::").into_iter().filter(|name| !name.is_empty()).collect();
    assert_eq!(found, ["CheckError", "folding", "order", "space", "x"]);
    let text = read(&room("reachable")[0]);
    let others = named(&self::code(&text), "crate::");
    assert!(others.contains("folding") && others.contains("space"), "{others:?}");
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
    for name in with_dependencies(JUDGES.map(str::to_string)) {
        let mut files = Vec::new();
        sources(&root().join("crates").join(&name).join("src"), &mut files);
        counts.insert(name, files.iter().map(|file| lines_of_code(&read(file))).sum());
    }
    let rows: String = counts.iter().map(|(name, count)| format!("| `{name}` | {count} |\n")).collect();
    let total: usize = counts.values().sum();
    let replay = with_dependencies(["replay".to_string()]).iter().map(|name| counts[name]).sum::<usize>();
    let kinds = KINDS.iter().map(|(answer, rooms)| (*answer, lines_of_kind(rooms, &counts)));
    let answers: String = std::iter::once(("UNSAFE", replay))
        .chain(kinds)
        .map(|(answer, lines)| format!("| {answer} | {lines} |\n"))
        .collect();
    let table = format!(
        "{BEGIN}\n| crate | lines of code |\n|---|---|\n{rows}| together | {total} |\n\n\
         | verdict | lines that it rests on |\n|---|---|\n{answers}\n{END}"
    );

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
