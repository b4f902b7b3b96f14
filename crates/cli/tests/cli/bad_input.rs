//! What users can get wrong: exit code 2, nothing on standard output, a helpful word on standard error.

use crate::runner::{Said, arg, run, run_with_input, scratch};

#[track_caller]
fn assert_refused(said: &Said, words: &[&str]) {
    assert_eq!(said.code, 2, "{}", said.stderr);
    assert_eq!(said.stdout, "");
    for word in words {
        assert!(said.stderr.contains(word), "`{word}` is missing in:\n{}", said.stderr);
    }
}

/// With `--format json` the same is said on standard output, in one object.
#[track_caller]
fn refused_in_json(said: &Said, words: &[&str]) -> serde_json::Value {
    let json = said.json();
    let diagnostics = json["diagnostics"].as_array().expect("an array");
    assert_eq!((said.code, &json["verdict"]), (2, &"error".into()), "{}", said.stderr);
    assert_eq!(json["reason"], diagnostics[0]["message"]);
    for word in words {
        assert!(said.stdout.contains(word), "`{word}` is missing in:\n{}", said.stdout);
    }
    assert!(said.stderr.contains("error"), "people are told too");
    diagnostics[0].clone()
}

#[test]
fn json_of_a_wrong_program() {
    let text = "shared x: 0..1;\nthread P {\n  y = 1;\n  z = 1;\n}\n";
    let said = run_with_input(&["check", "-", "--format", "json"], text);
    let first = refused_in_json(&said, &["`y`", "`z`"]);
    let expected = serde_json::json!(["error", "<stdin>", 3, 3, 3, 4]);
    let fields = ["severity", "file", "line", "column", "end_line", "end_column"];
    assert_eq!(serde_json::Value::from(fields.map(|field| first[field].clone()).to_vec()), expected);
    assert!(first["related"].is_array() && first.get("label").is_some() && first.get("hint").is_some());
    for command in ["compare", "audit", "replay"] {
        let evidence = scratch(&format!("json-{command}"));
        let (kind, version) = if command == "audit" { ("proof", 2) } else { ("trace", 1) };
        let header =
            format!("{{\"format\": \"threadwise-{kind}\", \"version\": {version}, \"kind\": \"reachable-set\", ");
        let fields = "\"program\": \"a.tw\", \"defines\": {}, \"any_copies\": 0}";
        std::fs::write(&evidence, header + fields).expect("it can be written");
        let mut args = vec![command, "-", "--format=json"];
        args.extend((command != "compare").then_some(arg(&evidence)));
        let said = run_with_input(&args, text);
        assert!(said.json()["diagnostics"][0]["message"].is_string(), "{command}: {}", said.stdout);
    }
}

#[test]
fn json_of_what_has_no_place() {
    let missing = refused_in_json(&run(&["check", "nowhere.tw", "--format", "json"]), &["there is no file"]);
    assert!(missing["file"].is_null() && missing["line"].is_null() && missing["hint"].is_string());
    refused_in_json(&run(&["audit", "safe.tw", "nowhere.json", "--format", "json"]), &["there is no file"]);
    refused_in_json(&run(&["replay", "nowhere.tw", "safe.tw", "--format", "json"]), &["is not a trace"]);
    refused_in_json(&run(&["compare", "nowhere.tw", "--format", "json"]), &["there is no file"]);
    refused_in_json(&run(&["check", "safe.tw", "-DN=2", "-DN=3", "--format", "json"]), &["contradict"]);
    refused_in_json(&run(&["check", "safe.tw", "-DM=2", "--format", "json"]), &["`M`"]);
    refused_in_json(
        &run(&["check", "holder.ts", "-DN=2", "--format", "json"]),
        &["has no constants", "leave the -D out"],
    );
    let usage = refused_in_json(&run(&["check", "safe.tw", "-DN", "--format", "json"]), &["NAME=VALUE"]);
    assert!(!usage["message"].as_str().expect("text").contains('\n'));
    refused_in_json(&run(&["check", "--format=json"]), &["FILE"]);
}

#[test]
fn missing_file() {
    assert_refused(&run(&["check", "nowhere.tw"]), &["there is no file `nowhere.tw`", "help:"]);
}

#[test]
fn directory() {
    assert_refused(&run(&["show", "."]), &["`.` is a directory", "help:"]);
}

#[test]
fn empty_file() {
    assert_refused(&run_with_input(&["check", "-"], ""), &["the file is empty", "<stdin>:1:1", "help:"]);
}

#[test]
fn not_text() {
    let path = scratch("latin1.tw");
    std::fs::write(&path, b"// caf\xe9\nthread P { skip; }\n").expect("it can be written");
    let said = run(&["check", arg(&path)]);
    assert_refused(&said, &["not UTF-8", "byte 0xe9 at offset 6, line 1", "latin1.tw:1:7"]);
}

#[test]
fn too_large() {
    let path = scratch("huge.tw");
    let file = std::fs::File::create(&path).expect("it can be made");
    // A file with a hole: large, but not on the disk.
    file.set_len((64 << 20) + 1).expect("it can be stretched");
    let said = run(&["check", arg(&path)]);
    std::fs::remove_file(&path).expect("it can be removed");
    assert_refused(&said, &["larger than 64 MiB"]);
}

#[test]
fn wrong_program() {
    let said = run_with_input(&["check", "-"], "thread P {\n  x = 1;\n}\n");
    assert_refused(&said, &["error", "<stdin>:2:3", "x = 1;"]);
}

#[test]
fn unknown_engine() {
    assert_refused(&run(&["check", "safe.tw", "--engine", "magic"]), &["magic", "auto, explicit"]);
}

#[test]
fn unknown_constant() {
    assert_refused(&run(&["check", "safe.tw", "-D", "M=4"]), &["`M`"]);
}

#[test]
fn malformed_constants() {
    assert_refused(&run(&["check", "safe.tw", "-D", "N"]), &["NAME=VALUE"]);
    assert_refused(&run(&["check", "safe.tw", "-D", "N=many"]), &["not a whole number"]);
    assert_refused(&run(&["check", "safe.tw", "-D", "2=2"]), &["not a name"]);
    assert_refused(&run(&["check", "safe.tw", "-DN=2", "-DN=3"]), &["contradict"]);
}

#[test]
fn malformed_limits() {
    assert_refused(&run(&["check", "safe.tw", "--timeout", "-1"]), &["--timeout"]);
    assert_refused(&run(&["check", "safe.tw", "--timeout", "soon"]), &["number of seconds"]);
    assert_refused(&run(&["check", "safe.tw", "--memory", "0"]), &["--memory"]);
}

#[test]
fn usage() {
    assert_eq!(run(&[]).code, 2);
    assert_refused(&run(&["check"]), &["FILE"]);
    assert_refused(&run(&["chekc", "safe.tw"]), &["check"]);
    assert_refused(&run(&["check", "safe.tw", "--quiet", "--verbose"]), &["cannot be used with"]);
}

#[test]
fn unwritable_evidence_is_noticed_before_the_work() {
    let said = run(&["check", "endless.tw", "--proof", "nowhere/proof.json"]);
    assert_refused(&said, &["cannot write `nowhere/proof.json`", "help:"]);
    let said = run(&["check", "endless.tw", "--trace", "."]);
    assert_refused(&said, &["is a directory"]);
}

/// Also not by a privileged user, who could do so.
#[cfg(unix)]
#[test]
fn evidence_that_is_read_only_is_not_replaced() {
    use std::os::unix::fs::PermissionsExt;
    let proof = scratch("read-only.json");
    std::fs::write(&proof, "precious").expect("it can be written");
    std::fs::set_permissions(&proof, std::fs::Permissions::from_mode(0o444)).expect("it is ours");
    for flag in ["--proof", "--trace"] {
        let said = run(&["check", "endless.tw", flag, crate::runner::arg(&proof)]);
        assert_refused(&said, &["cannot write", "read-only", "help:"]);
    }
    assert_eq!(std::fs::read_to_string(&proof).expect("it is there"), "precious");
}

#[test]
fn the_program_is_not_overwritten() {
    assert_refused(&run(&["check", "safe.tw", "--proof", "./safe.tw"]), &["is the program itself"]);
}

#[test]
fn errors_are_not_silenced() {
    assert_refused(&run(&["check", "nowhere.tw", "-q"]), &["there is no file"]);
}

/// Other threads always take steps that change nothing, so a rely must admit them.
#[test]
fn rely_that_excludes_standing_still() {
    let solver = threadwise_solver_setup::solver_for_tests();
    let text = "shared x: int;\nthread P { x = x + 1; }\nthread Q { skip; }\nrely Q :: x' == x + 1;\n";
    let said = run_with_input(&["check", "-", "--engine", "contracts", "--solver", arg(&solver.program)], text);
    assert_refused(&said, &["the rely is not reflexive", "<stdin>:4:1", "for Q", "in: x = ", "help:"]);
}
