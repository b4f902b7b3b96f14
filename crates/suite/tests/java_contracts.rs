//! Contracts in comments of Java: engine `contracts` proves what is annotated, and refuses it where one annotation is weaker.

use std::path::Path;
use std::time::Duration;
use threadwise_front_java::{compile_together, has_jdk};
use threadwise_frontends::{Options, PROPERTY, frontend_for};
use threadwise_limits::Budget;
use threadwise_portfolio::{EngineName, Request, verify};
use threadwise_source::SourceFile;
use threadwise_suite::java_programs;
use threadwise_verdict::Verdict;

fn annotated() -> Vec<SourceFile> {
    let read = |path: &std::path::PathBuf| {
        SourceFile::new(path.display().to_string(), std::fs::read_to_string(path).expect("readable program"))
    };
    java_programs().iter().map(read).filter(|file| file.text().contains("\n// contracts: SAFE\n")).collect()
}

/// What engine `contracts` says of a program: SAFE, or why not.
fn answer(file: &SourceFile) -> String {
    let mut options = Options::default();
    options.add(&PROPERTY, "assertions");
    let frontend = frontend_for(Path::new(file.name()));
    let loaded = frontend.load_within(vec![file.clone()], &options, &Budget::unlimited()).expect("there is no limit");
    let Some(program) = loaded.program else {
        return threadwise_diagnostics::render(&loaded.source, &loaded.diagnostics, false);
    };
    let request = Request { engine: EngineName::Contracts.into(), ..Request::default() };
    match verify(&program, &request, &Budget::new(Some(Duration::from_secs(120)), None)).verdict {
        Verdict::Safe(_) => "SAFE".to_string(),
        Verdict::Unsafe(_) => "UNSAFE".to_string(),
        Verdict::Unknown(unknown) => unknown.reason().to_string(),
    }
}

#[test]
fn annotated_programs_are_safe_by_contracts_alone() {
    if !has_jdk() {
        return;
    }
    threadwise_solver_setup::solver_for_tests();
    let files = annotated();
    compile_together(&files).unwrap_or_else(|error| panic!("{}", error.message));
    assert!(files.len() >= 7, "{}", files.len());
    for file in &files {
        assert_eq!(answer(file), "SAFE", "{}", file.name());
    }
}

/// Each of the paper's programs with one annotation weaker: the answer names what cannot be proved then.
#[test]
fn weaker_annotations_are_refused_where_they_are_needed() {
    if !has_jdk() {
        return;
    }
    threadwise_solver_setup::solver_for_tests();
    let files = annotated();
    for (name, from, to, part) in [
        ("SimpleLock", "guarded_by mx", "unwritable_by_env_if mx.holder == \\tid && x == 0", "assert x > 1"),
        ("Dekker", "(in1 ==> a1) && (in2 ==> a2)", "in1 ==> a1", "!(in1 && in2)"),
        ("ReaderWriter", "x == \\old(x)", "x >= \\old(x)", "assert y == x"),
        ("TimeVarying", "&& busy) ==> busy", "&& busy && inode) ==> busy", "unwritable_by_env_if busy"),
    ] {
        let file = files.iter().find(|file| file.name().ends_with(&format!("{name}.java"))).expect("it is there");
        assert!(file.text().contains(from), "{name}");
        let text = file.text().replacen(from, to, 1);
        let line = text.lines().position(|line| line.contains(part)).expect("it is there") + 1;
        let answer = answer(&SourceFile::new(format!("{name}.java"), text));
        assert!(answer.contains(&format!("{name}.java:{line}:")), "{name} without `{from}`, line {line}:\n{answer}");
    }
}

/// What is wrong in a comment is said where it is.
#[test]
fn wrong_contracts_are_errors_with_their_places() {
    if !has_jdk() {
        return;
    }
    for (clause, message) in [
        ("invariant nothing > 1", "`nothing` is neither a variable nor a class"),
        ("invariant x", "holds or not"),
        ("invariant x == \\old(x)", "`\\old` has a meaning in `rely`"),
        ("rely x / 2 == 1", "it may fail"),
        ("rely x == true", "different types"),
        ("believe x == 1", "begins no contract"),
        ("ghost String s", "cannot be of type"),
        ("invariant (\\forall int i; x == i)", "range of constants"),
        ("invariant x ==", "a name is expected"),
        ("invariant lock.holder == \\tid", "no meaning in an invariant"),
        ("invariant lock != null", "is not compared"),
        ("invariant y == 0", "several variables named `y`"),
        ("invariant Inner.z == 0", "several classes named `Inner`"),
        ("ghost int x; invariant x == 0", "several variables named `x`"),
        ("invariant '\\u0022' == x", "written as numbers"),
    ] {
        let text = format!(
            "class Wrong extends Parent {{\n    static int x; int y; static final Object lock = new Object();\n    //@ {clause}\n    \
             public static void main(String[] args) {{ x = 1; synchronized (lock) {{ Parent.y = 0; Inner.z = 1; Other.Inner.z = 1; }} }}\n    \
             static class Inner {{ static int z; }}\n}}\n\
             class Parent {{ static int y; }}\nclass Other {{ static class Inner {{ static int z; }} }}\n"
        );
        let answer = answer(&SourceFile::new("Wrong.java", text));
        assert!(answer.contains(message) && answer.contains("Wrong.java:3:"), "{clause}:\n{answer}");
    }
}

#[test]
fn a_ghost_is_set_without_reading_fields() {
    if !has_jdk() {
        return;
    }
    let text = "class Reads {\n    static int x;\n    //@ ghost int g\n    public static void main(String[] args) {\n        \
                int k = x;\n        //@ set g = k\n        //@ set g = x\n        x = k;\n    }\n}\n";
    let answer = answer(&SourceFile::new("Reads.java", text.to_string()));
    assert!(
        answer.contains("read the field into a local variable first") && answer.contains("Reads.java:7:"),
        "{answer}"
    );
}

/// A text block ends where its quotes are not behind a backslash, and a line ends with a carriage return, too.
#[test]
fn clauses_are_found_where_java_ends_strings_and_lines() {
    if !has_jdk() {
        return;
    }
    let block = "class Ends {\n    static int x;\n    static String s = \"\"\"\n        a \\\"\"\" b\n        \"\"\"; //@ invariant x == 0\n    \
                 public static void main(String[] args) { x = 1; }\n}\n";
    let carriage = "class Ends {\n    static int x;\n    // a remark\r    //@ invariant x == 0\n    \
                    public static void main(String[] args) { x = 1; }\n}\n";
    let octal = "class Ends {\n    static int x;\n    //@ invariant x + 10 == 010\n    \
                 public static void main(String[] args) { }\n}\n";
    for text in [block, carriage, octal] {
        let file = SourceFile::new("Ends.java", text.to_string());
        let mut options = Options::default();
        options.add(&PROPERTY, "assertions");
        let loaded = frontend_for(Path::new(file.name())).load_within(vec![file], &options, &Budget::unlimited());
        let loaded = loaded.expect("there is no limit");
        let said = threadwise_diagnostics::render(&loaded.source, &loaded.diagnostics, false);
        let program = loaded.program.unwrap_or_else(|| panic!("{text}{said}"));
        let verdict = verify(&program, &Request::default(), &Budget::unlimited()).verdict;
        assert!(matches!(verdict, Verdict::Unsafe(_)), "{text}{verdict:?}");
    }
}
