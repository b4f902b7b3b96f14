//! Many tasks, and a table of what came of them.

use crate::runner::{run, said, scratch, threadwise};
use std::path::{Path, PathBuf};

const RIGHT: &str = "shared x: 0..1 = 0;\nthread P { x = 1; assert x == 1; }\n";
const WRONG: &str = "shared x: 0..1 = 0;\nthread P { x = 1; assert x == 0; }\n";
const C_TASK: &str = "\
format_version: '2.0'
input_files: counter.c
properties:
- property_file: races.prp
  expected_verdict: true
options: {language: C, data_model: LP64}
";
const COUNTER: &str = "\
#include <pthread.h>
int hits;
void *guest(void *unused) { hits = hits + 1; return 0; }
int main(void) {
  pthread_t one;
  pthread_create(&one, 0, guest, 0);
  hits = hits + 1;
  pthread_join(one, 0);
  return 0;
}
";

/// A fresh folder with these files in it.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = scratch(name);
    let _ = std::fs::remove_dir_all(&folder);
    for (file, text) in files {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().expect("it is in the folder")).expect("a folder can be made");
        std::fs::write(path, text).expect("a file can be written");
    }
    folder
}

fn table(folder: &Path, name: &str, more: &[&str]) -> (i32, String) {
    let file = folder.join(name);
    let (from, to) = (folder.display().to_string(), file.display().to_string());
    let arguments = [&["check", from.as_str(), "--table", to.as_str()], more].concat();
    let said = run(&arguments);
    assert_eq!(said.stderr, "", "{}", said.stdout);
    (said.code, std::fs::read_to_string(&file).unwrap_or_default())
}

/// Lines of CSV without the numbers and the folder that they are in.
fn lines(folder: &Path, text: &str) -> Vec<String> {
    let from = format!("{}/", folder.display());
    let short = |line: &str| line.replace(&from, "").split(',').take(6).collect::<Vec<&str>>().join(",");
    text.lines().skip(1).map(short).collect()
}

#[test]
fn all_programs_of_a_folder_are_in_the_table() {
    let folder = folder("table-all", &[("b/right.tw", RIGHT), ("a.tw", WRONG), ("c.tw", "thread"), ("notes.txt", "")]);
    let (code, text) = table(&folder, "t.csv", &[]);
    assert_eq!(code, 2, "one of them is no program, which is the worst");
    let expected = ["a.tw,,unsafe,,decided,explicit", "b/right.tw,,safe,,decided,explicit", "c.tw,,error,,undecided,"];
    assert_eq!(lines(&folder, &text), expected);
    let (_, page) = table(&folder, "t.html", &["--jobs", "3"]);
    assert!(page.contains("<svg ") && page.contains("b/right.tw"), "{page}");
}

#[test]
fn tasks_go_before_programs_and_say_what_is_expected() {
    let files =
        [("counter.yml", C_TASK), ("counter.c", COUNTER), ("races.prp", "CHECK( init(main()), LTL(G ! data-race) )")];
    let folder = folder("table-tasks", &files);
    let (code, text) = table(&folder, "t.csv", &[]);
    assert_eq!((code, lines(&folder, &text)), (10, vec!["counter.yml,races,unsafe,safe,wrong,explicit".to_string()]));
    let (_, page) = table(&folder, "t.html", &["--property", "races"]);
    assert!(page.contains("<td class=\"wrong\">UNSAFE</td><td>safe</td>"), "{page}");
}

#[test]
fn what_is_known_is_not_done_again_until_it_changes() {
    let folder = folder("table-again", &[("a.tw", RIGHT), ("b.tw", WRONG)]);
    table(&folder, "t.csv", &[]);
    let journal = folder.join("t.csv.journal");
    let text = std::fs::read_to_string(&journal).expect("there is a journal");
    assert_eq!(text.lines().count(), 2);
    // What the journal says is what the table has.
    std::fs::write(&journal, text.replace("\"engine\":\"explicit\"", "\"engine\":\"memory\"")).expect("written");
    let (_, again) = table(&folder, "t.csv", &[]);
    assert_eq!(lines(&folder, &again), ["a.tw,,safe,,decided,memory", "b.tw,,unsafe,,decided,memory"]);
    // Another text is another task, and so are other limits.
    std::fs::write(folder.join("b.tw"), RIGHT).expect("written");
    let (_, changed) = table(&folder, "t.csv", &[]);
    assert_eq!(lines(&folder, &changed), ["a.tw,,safe,,decided,memory", "b.tw,,safe,,decided,explicit"]);
    let (_, limited) = table(&folder, "t.csv", &["--timeout", "60"]);
    assert_eq!(lines(&folder, &limited), ["a.tw,,safe,,decided,explicit", "b.tw,,safe,,decided,explicit"]);
}

#[test]
fn a_journal_that_was_cut_short_does_no_harm() {
    let folder = folder("table-cut", &[("a.tw", RIGHT), ("b.tw", WRONG)]);
    std::fs::write(folder.join("t.csv.journal"), "{\"key\":\"0\",\"ro").expect("written");
    let (_, first) = table(&folder, "t.csv", &[]);
    assert_eq!(lines(&folder, &first).len(), 2);
    let text = std::fs::read_to_string(folder.join("t.csv.journal")).expect("there is a journal");
    assert_eq!(text.lines().filter(|line| line.ends_with('}')).count(), 2, "{text}");
}

#[test]
fn a_table_has_a_form_and_is_no_program() {
    let folder = folder("table-form", &[("a.tw", RIGHT), ("empty/notes.txt", "")]);
    let of = |path: &str, table: &str| said(threadwise(&["check", path, "--table", table]).current_dir(&folder));
    let said = of("a.tw", "t.txt");
    assert_eq!(said.code, 2);
    assert!(said.stderr.contains("neither a page nor CSV"), "{}", said.stderr);
    let said = of("empty", "t.csv");
    assert!(said.stderr.contains("no tasks and no programs"), "{}", said.stderr);
    assert_eq!(run(&["check", "safe.tw", "--jobs", "2"]).code, 2, "there is no table");
}

#[test]
fn a_folder_without_a_table_is_several_programs() {
    let folder = folder("table-none", &[("a.tw", RIGHT), ("b.tw", WRONG)]);
    let said = run(&["check", &folder.display().to_string()]);
    assert_eq!(said.code, 10, "{}", said.stderr);
    assert!(said.stdout.contains("a.tw  SAFE") && said.stdout.contains("b.tw  UNSAFE"), "{}", said.stdout);
}
