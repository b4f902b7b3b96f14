//! Formats, colours, streams.

use crate::runner::{arg, run, said, scratch, threadwise};
use std::io::Read;
use std::process::Stdio;

const ESCAPE: char = '\u{1b}';

fn keys(value: &serde_json::Value) -> Vec<String> {
    let object = value.as_object().expect("it should be an object");
    object.keys().cloned().collect()
}

#[test]
fn json_has_the_promised_fields() {
    let promised = ["verdict", "reason", "engine", "modular", "annotation", "guarantees", "invariant"];
    let promised = [&promised[..], &["violation", "trace", "attempts", "stats", "version"]].concat();
    for (program, code, verdict) in [("safe.tw", 0, "safe"), ("unsafe.tw", 10, "unsafe"), ("unknown.tw", 5, "unknown")]
    {
        let said = run(&["check", program, "--engine", "explicit", "--format", "json"]);
        assert_eq!(said.code, code);
        assert_eq!(said.stderr, "");
        let json = said.json();
        assert_eq!(json["verdict"], verdict);
        assert_eq!(json["reason"].is_null(), verdict == "safe");
        assert_eq!(json["violation"].is_null(), verdict != "unsafe");
        let keys = keys(&json);
        assert!(promised.iter().all(|key| keys.iter().any(|k| k == key)), "{keys:?}");
        assert!(json["stats"]["seconds"].is_number());
        assert!(json["stats"]["peak_memory_bytes"].is_number());
    }
}

#[test]
fn json_says_what_came_of_each_engine() {
    let alone = run(&["check", "safe.tw", "--engine", "explicit", "--format", "json"]).json();
    let attempts = alone["attempts"].as_array().expect("a list");
    assert_eq!(attempts.len(), 1);
    assert_eq!((&attempts[0]["engine"], &attempts[0]["verdict"]), (&"explicit".into(), &"safe".into()));
    assert!(attempts[0]["reason"].is_null() && attempts[0]["seconds"].is_number());

    let all = run(&["check", "unknown.tw", "--timeout", "20", "--format", "json"]).json();
    let one_line = |reason: &serde_json::Value| reason.as_str().is_some_and(|text| !text.contains('\n'));
    assert!(one_line(&all["reason"]), "{}", all["reason"]);
    let attempts = all["attempts"].as_array().expect("a list");
    assert!(attempts.iter().all(|attempt| attempt["verdict"] == "unknown" && one_line(&attempt["reason"])));
    for attempt in attempts {
        // What it says of itself, it says alone too.
        let engine = attempt["engine"].as_str().expect("a name");
        let alone = run(&["check", "unknown.tw", "--timeout", "20", "--engine", engine, "--format", "json"]).json();
        assert_eq!((&alone["reason"], &alone["attempts"][0]["reason"]), (&attempt["reason"], &attempt["reason"]));
    }
}

#[test]
fn json_traces_have_the_promised_fields() {
    let json = run(&["check", "unsafe.tw", "--format", "json"]).json();
    let violation = &json["violation"];
    assert_eq!(violation["kind"], "assertion");
    assert_eq!((&violation["line"], &violation["column"]), (&21.into(), &3.into()));
    assert_eq!(violation["file"], "unsafe.tw");
    let steps = json["trace"].as_array().expect("a trace is an array");
    assert!(!steps.is_empty());
    for step in steps {
        let keys = keys(step);
        for key in ["thread", "copy", "file", "line", "column", "text", "shared", "locals"] {
            assert!(keys.iter().any(|k| k == key), "{keys:?}");
        }
    }
}

#[test]
fn colours_only_where_they_are_wanted() {
    let plain = run(&["check", "safe.tw"]);
    assert!(!plain.stdout.contains(ESCAPE));
    let always = run(&["check", "unsafe.tw", "--color", "always"]);
    assert!(always.stdout.starts_with("\u{1b}[1;31mUNSAFE\u{1b}[0m: "), "{}", always.stdout);
    let never = run(&["check", "safe.tw", "--color", "never"]);
    assert!(!never.stdout.contains(ESCAPE));
    let no_color = said(threadwise(&["check", "safe.tw"]).env("NO_COLOR", "1").env("CLICOLOR_FORCE", "1"));
    assert!(!no_color.stdout.contains(ESCAPE));
    let json = run(&["check", "unsafe.tw", "--color", "always", "--format", "json"]);
    assert!(!json.stdout.contains(ESCAPE));
}

/// The text without escape sequences, and without the line that differs from run to run.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(ESCAPE) {
        plain.push_str(before);
        rest = after.split_once('m').map_or("", |(_, text)| text);
    }
    plain.push_str(rest);
    let is_stable = |line: &&str| !line.starts_with("  effort");
    plain.lines().filter(is_stable).collect::<Vec<_>>().join("\n")
}

#[test]
fn colours_do_not_change_the_words() {
    for width in ["60", "120"] {
        let args = ["check", "unsafe.tw", "--width", width];
        let coloured = run(&[&args[..], &["--color", "always"]].concat());
        assert_eq!(plain(&coloured.stdout), plain(&run(&args).stdout));
    }
}

#[test]
fn columns_force_lanes() {
    let lanes = said(threadwise(&["check", "unsafe.tw"]).env("COLUMNS", "120"));
    assert!(lanes.stdout.contains('│'), "{}", lanes.stdout);
    let narrow = said(threadwise(&["check", "unsafe.tw"]).env("COLUMNS", "50"));
    assert!(!narrow.stdout.contains('│'), "{}", narrow.stdout);
}

#[test]
fn output_is_the_same_every_time() {
    let first = run(&["check", "unsafe.tw"]).redacted();
    assert_eq!(first, run(&["check", "unsafe.tw"]).redacted());
}

#[test]
fn verbosity() {
    assert_eq!(run(&["check", "safe.tw"]).stderr, "");
    assert!(run(&["check", "safe.tw", "-v"]).stderr.contains("states: "));
    let trace = scratch("quiet.trace.json");
    assert_eq!(run(&["check", "safe.tw", "-q", "--trace", arg(&trace)]).stderr, "");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut command = threadwise(&["completions", "bash"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it should start");
    let mut byte = [0];
    let mut stdout = child.stdout.take().expect("standard output is a pipe");
    stdout.read_exact(&mut byte).expect("it should say something");
    drop(stdout);
    let output = child.wait_with_output().expect("it should end");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let commands: [&[&str]; 8] = [
        &["check", "safe.tw"],
        &["check", "safe.tw", "--format", "json"],
        &["show", "safe.tw"],
        &["man"],
        &["completions", "bash"],
        &["--help"],
        &["check", "--help"],
        &["--version"],
    ];
    for args in commands {
        let full = std::fs::File::create("/dev/full").expect("there is a full device");
        let output = threadwise(args).stdout(full).output().expect("it should run");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("standard output"), "{args:?}");
    }
}

/// The assertions that JSON has, with their lines.
fn assertions(json: &serde_json::Value) -> Vec<(u64, String)> {
    let places = json["annotation"].as_array().expect("an annotation");
    let of_place = |place: &serde_json::Value| {
        (place["line"].as_u64().expect("a line"), place["assertion"].as_str().expect("text").to_string())
    };
    places.iter().map(of_place).collect()
}

/// What a search says of places is put to the test: with that as invariants, the program is still right.
#[test]
fn a_set_of_states_says_what_holds_at_each_line() {
    let peterson = "shared x, y: bool; shared turn: 0..1;
        thread P1 { loop {
          A: x = true;
          B: turn = 1;
          C: await !(y && turn == 1);
          D: x = false; } }
        thread P2 { loop {
          A: y = true;
          B: turn = 0;
          C: await !(x && turn == 0);
          D: y = false; } }
        never P1@D && P2@D;\n";
    let program = scratch("said.tw");
    std::fs::write(&program, peterson).expect("it can be written");
    let said = run(&["check", arg(&program), "--engine", "explicit", "--format", "json"]);
    let assertions = assertions(&said.json());
    let mut text = peterson.to_string();
    let mut lines = Vec::new();
    for (line, assertion) in assertions {
        let label = ["A", "B", "C", "D"][(line as usize - 3) % 5];
        let thread = if line < 8 { "P1" } else { "P2" };
        text += &format!("invariant {thread}@{label} ==> ({assertion});\n");
        lines.push(line);
        assert!(assertion != "true" && assertion != "false", "{line}: {assertion}");
    }
    assert_eq!(lines, [3, 4, 5, 6, 8, 9, 10, 11]);
    std::fs::write(&program, &text).expect("it can be written");
    let said = run(&["check", arg(&program), "--engine", "explicit"]);
    assert_eq!(said.code, 0, "{text}\n{}", said.stdout);
}

#[test]
fn a_set_of_states_says_it_of_copies_as_a_modular_proof_does() {
    // The thread-modular proof of this program is exact, so both say the same.
    let of = |engine: &str| run(&["check", "safe.tw", "--engine", engine, "--format", "json"]).json();
    let (searched, modular) = (of("explicit"), of("modular"));
    assert!(!assertions(&searched).is_empty());
    assert_eq!(searched["annotation"], modular["annotation"]);
    assert_eq!(searched["guarantees"], modular["guarantees"]);
}

/// Points that are passed within a step are not told to be out of reach, and programs whose variables are not all their author's
/// have no such assertions.
#[test]
fn a_set_of_states_says_nothing_where_it_has_nothing_to_say() {
    let program = scratch("folded.tw");
    let text = "shared x: 0..9;\nthread P {\n  var t: 0..9;\n  t = x;\n  t = t + 1;\n  x = t;\n}\nthread Q {\n  \
                await x == 1;\n}\ninvariant x < 2;\n";
    std::fs::write(&program, text).expect("it can be written");
    let json = run(&["check", arg(&program), "--engine", "explicit", "--format", "json"]).json();
    assert_eq!(json["verdict"], "safe", "{json}");
    let said = assertions(&json);
    assert!(said.contains(&(4, "x == 0".to_string())) && said.contains(&(9, "x <= 1".to_string())), "{said:?}");
    assert!(said.iter().all(|(_, assertion)| assertion != "false"), "{said:?}");
    let json =
        run(&["check", "lost-update.c", "--engine", "explicit", "--property", "deadlock", "--format", "json"]).json();
    assert_eq!((&json["verdict"], &json["annotation"]), (&"safe".into(), &serde_json::json!([])));
}
