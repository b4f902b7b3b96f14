//! The answer in the formats of other programs.

use crate::runner::{arg, programs, run, said, scratch};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("the file was written")
}

#[test]
fn findings_of_several_programs_are_one_file() {
    let (sarif, junit) = (scratch("several.sarif"), scratch("several.xml"));
    let ran = run(&["check", "-q", "unsafe.tw", "safe.tw", "race.tw", "--sarif", arg(&sarif), "--junit", arg(&junit)]);
    assert_eq!(ran.code, 10, "{}", ran.stderr);
    let log: Value = serde_json::from_str(&read(&sarif)).expect("SARIF is JSON");
    let results = log["runs"][0]["results"].as_array().expect("results");
    let found: Vec<(&str, &str, u64)> = results
        .iter()
        .map(|result| {
            let place = &result["locations"][0]["physicalLocation"];
            let file = place["artifactLocation"]["uri"].as_str().expect("a file");
            (result["ruleId"].as_str().expect("a rule"), file, place["region"]["startLine"].as_u64().expect("a line"))
        })
        .collect();
    assert_eq!(found, [("assertion", "unsafe.tw", 21), ("race", "race.tw", 15)]);
    let flows = results[0]["codeFlows"][0]["threadFlows"].as_array().expect("flows");
    assert_eq!(flows.iter().map(|flow| flow["id"].as_str()).collect::<Vec<_>>(), [Some("Payer[1]"), Some("Auditor")]);
    let xml = read(&junit);
    assert!(xml.contains("<testsuites name=\"threadwise\" tests=\"3\" failures=\"2\" errors=\"0\""), "{xml}");
}

#[test]
fn all_properties_that_are_violated_are_found() {
    let sarif = scratch("properties.sarif");
    assert_eq!(run(&["check", "-q", "lost-update.c", "--sarif", arg(&sarif)]).code, 10);
    let log: Value = serde_json::from_str(&read(&sarif)).expect("SARIF is JSON");
    let results = log["runs"][0]["results"].as_array().expect("results");
    let rules: Vec<Option<&str>> = results.iter().map(|result| result["ruleId"].as_str()).collect();
    assert_eq!(rules, [Some("assertion"), Some("race")]);
}

#[test]
fn what_is_no_program_is_a_finding() {
    let (program, sarif, junit) = (scratch("bad.tw"), scratch("bad.sarif"), scratch("bad.xml"));
    std::fs::write(&program, "thread P { x = 1; }").expect("it can be written");
    let flags = ["--format", "github", "--sarif", arg(&sarif), "--junit", arg(&junit)];
    let ran = run(&[&["check", arg(&program)], &flags[..]].concat());
    assert_eq!(ran.code, 2);
    assert!(ran.stdout.starts_with("::error file=") && ran.stdout.contains("line=1,col=12"), "{}", ran.stdout);
    assert!(read(&sarif).contains("unknown name `x`") && read(&junit).contains("type=\"input\""));
}

#[test]
fn annotations_are_lines_beside_the_code() {
    let ran = run(&["check", "-q", "race.tw", "safe.tw", "--format", "github"]);
    let expected = "::error file=race.tw,line=15,col=1,title=Threadwise%3A UNSAFE::race on x at race.tw:15:1%0A1. line 5, Writer: acquire(m);\n\
                    ::notice file=safe.tw,title=Threadwise%3A SAFE::safe.tw: SAFE\n";
    assert_eq!((ran.code, ran.stdout.as_str()), (10, expected));
}

#[test]
fn a_page_is_of_one_program() {
    let ran = run(&["check", "safe.tw", "race.tw", "--html", "page.html"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("name one file, but there are several programs"), "{}", ran.stderr);
}

/// The script of the action, with this program on its path.
#[test]
fn the_action_verifies_what_patterns_name() {
    let bin = Path::new(env!("CARGO_BIN_EXE_threadwise")).parent().expect("it is in a directory").to_path_buf();
    let path = std::env::join_paths(
        [bin].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../action/check.sh");
    let (sarif, output) = (scratch("action.sarif"), scratch("action.out"));
    let action = |files: &str, options: &str| {
        let mut command = Command::new("bash");
        command.arg(&script).current_dir(programs()).env("PATH", path.as_ref().expect("a path"));
        command.env("FILES", files).env("OPTIONS", options).env("SARIF", &sarif).env("GITHUB_OUTPUT", &output);
        command
    };
    let ran = said(&mut action("race*.tw\n\n", "--timeout 60"));
    assert_eq!(ran.code, 10, "{}", ran.stderr);
    assert_eq!(ran.stdout.matches("::error file=race").count(), 2, "{}", ran.stdout);
    assert!(read(&sarif).contains("race-of-elements.tw") && read(&output).contains("exit-code=10"));
    let ran = said(&mut action("$(touch evil) ; *.none", ""));
    assert_eq!((ran.code, programs().join("evil").exists()), (2, false), "{}", ran.stdout);
    let undecided = "--engine modular";
    assert_eq!(said(action("unknown.tw", undecided).env("FAIL_ON_UNKNOWN", "true")).code, 5);
    assert_eq!(said(action("unknown.tw", undecided).env("FAIL_ON_UNKNOWN", "false")).code, 0);
}
