//! Answers about Java programs.

use crate::runner::{arg, run, scratch};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Where there is no JDK, there is nothing to compile with.
fn is_there_a_jdk() -> bool {
    let there = Command::new("javac").arg("-version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !there {
        eprintln!("skipped: there is no JDK (on Debian: apt install default-jdk-headless)");
    }
    there
}

/// Two threads add to a field.
fn counter(class: &str, modifier: &str) -> PathBuf {
    let file = scratch(&format!("{class}.java"));
    let text = format!(
        "public class {class} {{\n  static int balance;\n  static {modifier} void add() {{\n    balance++;\n  }}\n  \
         public static void main(String[] args) throws Exception {{\n    Thread a = new Thread({class}::add);\n    \
         a.start();\n    add();\n    a.join();\n    assert balance == 2;\n  }}\n}}\n"
    );
    std::fs::write(&file, text).expect("it can be written");
    file
}

/// Class, method and line, and what is read and written, in every form of the answer.
#[test]
fn answers_are_in_the_terms_of_java() {
    if !is_there_a_jdk() {
        return;
    }
    let file = counter("Account", "");
    let (page, sarif) = (scratch("account.html"), scratch("account.sarif"));
    let asked = ["check", arg(&file), "--property", "assertions"];
    let human = run(&[&asked[..], &["--html", arg(&page), "--sarif", arg(&sarif)]].concat());
    assert_eq!(human.code, 10, "{}{}", human.stdout, human.stderr);
    assert!(human.stdout.contains("read Account.balance = 0"), "{}", human.stdout);
    assert!(human.stdout.contains("write Account.balance = 1"), "{}", human.stdout);
    assert!(human.stdout.contains("Account.java:11:"), "{}", human.stdout);
    let page = std::fs::read_to_string(page).expect("it was written");
    assert!(page.contains("read Account.balance = 0") && page.contains("balance++"), "{page}");
    let sarif = std::fs::read_to_string(sarif).expect("it was written");
    assert!(sarif.contains("Account.java") && sarif.contains("Account.balance"), "{sarif}");
    let json = run(&[&asked[..], &["--format", "json"]].concat()).json();
    assert_eq!((json["verdict"].as_str(), json["violation"]["line"].as_u64()), (Some("unsafe"), Some(11)));
    assert_eq!(json["violation"]["thread"], "main");
}

/// Sequential consistency is what Java gives to programs without races: whether that was proved is said.
#[test]
fn safe_says_under_which_memory_model_java_programs_are() {
    if !is_there_a_jdk() {
        return;
    }
    let file = counter("Kept", "synchronized");
    let said = |properties: &[&str]| {
        let human = run(&[&["check", arg(&file)], properties].concat());
        assert_eq!(human.code, 0, "{}{}", human.stdout, human.stderr);
        let line = human.stdout.lines().find_map(|line| line.trim().strip_prefix("memory    "));
        line.expect("it is said").to_string()
    };
    assert_eq!(said(&[]), "race-free: no other behaviour under Java's memory model");
    assert_eq!(said(&["--property", "races"]), "race-free: no other behaviour under Java's memory model");
    let unknown = said(&["--property", "deadlock"]);
    assert!(
        unknown.starts_with("assuming sequential consistency, which Java gives to race-free programs"),
        "{unknown}"
    );
    let json = run(&["check", arg(&file), "--property", "races", "--format", "json"]).json();
    assert_eq!(json["memory_model"], "Java");
}

/// That somebody waits until there is a notification is taken for granted only where the user asked for it, and said then.
#[test]
fn answers_without_spurious_wakeups_say_so() {
    if !is_there_a_jdk() {
        return;
    }
    let (file, page) = (scratch("Waits.java"), scratch("waits.html"));
    let text = "class Waits {\n    static final Object m = new Object();\n    static boolean go;\n\n    \
                public static void main(String[] args) throws InterruptedException {\n        \
                new Thread(() -> { synchronized (m) { go = true; m.notifyAll(); } }).start();\n        \
                synchronized (m) {\n            if (!go) {\n                m.wait();\n            }\n            assert go;\n        }\n    }\n}\n";
    std::fs::write(&file, text).expect("it is written");
    let asked = ["check", arg(&file), "--property", "assertions"];
    let free = run(&asked);
    assert!(free.code == 10 && !free.stdout.contains("assumed") && !free.stdout.contains("$t"), "{}", free.stdout);
    let said = "waiting ends by a notification only (--no-spurious)";
    let bound = run(&[&asked[..], &["--no-spurious", "--html", arg(&page)]].concat());
    assert_eq!(bound.code, 0, "{}", bound.stdout);
    assert!(bound.stdout.contains(&format!("assumed   {said}")), "{}", bound.stdout);
    assert!(std::fs::read_to_string(page).expect("it was written").contains(said));
    let json = run(&[&asked[..], &["--no-spurious", "--format", "json"]].concat()).json();
    assert_eq!(json["assumed"], serde_json::json!([said]));
}
