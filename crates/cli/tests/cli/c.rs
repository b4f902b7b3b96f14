//! Answers about C programs, in C's terms.

use crate::runner::{arg, run, scratch};
use snapbox::{assert_data_eq, file};

#[test]
fn a_trace_names_loads_stores_and_objects() {
    let said = run(&["check", "list.c", "--property", "assertions", "--engine", "explicit"]);
    assert_eq!(said.code, 10, "{}", said.stderr);
    assert_data_eq!(said.redacted(), file!["../snapshots/list.txt"]);
}

#[test]
fn json_says_the_same_step_by_step() {
    let flags = ["--property", "assertions", "--engine", "explicit", "--every-step", "--format", "json"];
    let json = run(&[&["check", "list.c"][..], &flags].concat()).json();
    let steps = json["trace"].as_array().expect("a trace");
    let is_store = |step: &&serde_json::Value| step["text"].as_str().is_some_and(|text| text.starts_with("store head"));
    let store = steps.iter().find(is_store).expect("somebody puts an element on the list");
    assert_eq!((&store["function"], &store["line"]), (&"push".into(), &17.into()));
    assert_eq!(store["text"], "store head = heap#2 (malloc at list.c:21)");
    assert_eq!(store["shared"]["head"], "heap#2");
    let load = steps.iter().find(|step| step["text"] == "load head = NULL").expect("it is empty at first");
    assert_eq!((&load["name"], &load["locals"]["n"]), (&"worker#1".into(), &"heap#1".into()));
    // What the lowering needs for itself is nobody's business.
    let names = store["shared"].as_object().expect("an object").keys();
    assert!(names.clone().all(|name| !name.starts_with("thread.") && !name.contains("tmp")), "{names:?}");
}

#[test]
fn each_property_has_its_verdict() {
    let json = run(&["check", "bank.c", "--format", "json"]).json();
    let answers = json["properties"].as_array().expect("a list");
    let verdict_of = |name: &str| {
        let answer = answers.iter().find(|answer| answer["property"] == name);
        answer.map(|answer| answer["verdict"].as_str().unwrap_or_default().to_string())
    };
    // The balance is read and written without the lock; nothing else goes wrong.
    for (name, verdict) in [("assertions", "unsafe"), ("races", "unsafe"), ("memory", "safe"), ("locks", "safe")] {
        assert_eq!(verdict_of(name).as_deref(), Some(verdict), "{name}");
    }
    assert_eq!(verdict_of("overflow"), None);
    assert!(answers.iter().all(|answer| answer["engine"].is_string() && answer["seconds"].is_number()));
    assert_eq!(json["verdict"], "unsafe");
}

#[test]
fn the_verdict_over_all_comes_first_and_a_line_for_each_property_below() {
    let said = run(&["check", "bank.c", "--property", "races", "--property", "locks"]);
    assert_eq!(said.code, 10, "{}", said.stderr);
    let lines: Vec<&str> = said.stdout.lines().collect();
    assert!(lines[0].starts_with("UNSAFE: race on balance"), "{}", lines[0]);
    assert!(lines[2].starts_with("  races  UNSAFE  ") && lines[2].contains("race on balance"), "{}", lines[2]);
    assert!(lines[3].starts_with("  locks  SAFE    "), "{}", lines[3]);
    let safe = run(&["check", "bank.c", "--property", "memory", "--property", "locks"]);
    assert_eq!(safe.code, 0, "{}", safe.stderr);
    assert_eq!(safe.stdout.lines().next(), Some("SAFE"));
}

#[test]
fn evidence_tells_which_properties_it_is_about() {
    let (proof, trace) = (scratch("bank-proof.json"), scratch("bank-trace.json"));
    let asked = ["check", "bank.c", "--property", "memory", "--property", "locks"];
    let proved = run(&[&asked[..], &["--proof", arg(&proof)]].concat());
    assert_eq!(proved.code, 0, "{}", proved.stderr);
    let audited = run(&["audit", "bank.c", arg(&proof)]);
    assert_eq!(audited.code, 0, "{}{}", audited.stdout, audited.stderr);
    assert!(audited.stdout.contains("as to memory, locks, is SAFE"), "{}", audited.stdout);
    assert_eq!(run(&["check", "bank.c", "--trace", arg(&trace)]).code, 10);
    let replayed = run(&["replay", "bank.c", arg(&trace)]);
    assert_eq!(replayed.code, 0, "{}{}", replayed.stdout, replayed.stderr);
}

#[test]
fn a_trace_of_a_c_program_can_be_run_again() {
    let file = scratch("list-trace.json");
    let checked = run(&["check", "list.c", "--property", "assertions", "--trace", arg(&file)]);
    assert_eq!(checked.code, 10, "{}", checked.stderr);
    let replayed = run(&["replay", "list.c", arg(&file)]);
    assert_eq!(replayed.code, 0, "{}{}", replayed.stdout, replayed.stderr);
}

/// Under which memory model a program is safe is said: where nothing races and all orders are sequential it is C11's own.
#[test]
fn safe_says_under_which_memory_model() {
    let text = |order: &str| {
        format!(
            "#include <pthread.h>\n#include <stdatomic.h>\natomic_int a;\nvoid *t(void *p) {{\n  \
             atomic_store_explicit(&a, 1, {order});\n  return 0;\n}}\nint main(void) {{\n  pthread_t h;\n  \
             pthread_create(&h, 0, t, 0);\n  int x = atomic_load(&a);\n  pthread_join(h, 0);\n  return x;\n}}\n"
        )
    };
    let said = |order: &str, property: &str| {
        let file = scratch(&format!("orders-{order}-{property}.c"));
        std::fs::write(&file, text(order)).expect("it can be written");
        let asked = ["check", arg(&file), "--property", property];
        let human = run(&asked);
        assert_eq!(human.code, 0, "{}", human.stderr);
        let line = human.stdout.lines().find_map(|line| line.trim().strip_prefix("memory    "));
        let json = run(&[&asked[..], &["--format", "json"]].concat()).json();
        (line.expect("it is said").to_string(), json["memory_model"].as_str().expect("it is said").to_string())
    };
    let (own, model) = said("memory_order_seq_cst", "races");
    assert_eq!(own, "race-free and all atomics seq_cst: no other behaviour under C11");
    assert_eq!(model, "C11");
    // Nobody has asked whether there are races.
    let (unknown, model) = said("memory_order_seq_cst", "deadlock");
    assert!(unknown.starts_with("assuming sequential consistency, which C11 gives to race-free programs"), "{unknown}");
    assert_eq!(model, "sequential consistency");
    let (weaker, model) = said("memory_order_release", "races");
    assert!(weaker.starts_with("assuming sequential consistency; less is asked for at "), "{weaker}");
    assert_eq!(model, "sequential consistency");
}
