//! What a front end computes against what the compiled program computes: no judge sees a front end's mistakes.

use std::path::{Path, PathBuf};
use std::process::Command;
use threadwise_frontends::{Options, frontend_for};
use threadwise_limits::Budget;
use threadwise_portfolio::{EngineName, Request, verify};
use threadwise_source::SourceFile;
use threadwise_suite::random_c;
use threadwise_verdict::Verdict;

/// So many programs are compiled at once, and so many times.
const BATCH: u64 = 12;

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("machine");
    std::fs::create_dir_all(&folder).expect("a folder for compiled programs");
    folder
}

/// What the compiled program says for one seed.
fn by_machine(seed: u64, text: &str) -> u64 {
    let file = folder().join(format!("p{seed}.c"));
    let binary = folder().join(format!("p{seed}"));
    let main = "int printf(const char *, ...);\nint main(void) { run(); printf(\"%lu\\n\", hash); return 0; }\n";
    std::fs::write(&file, format!("{text}{main}")).expect("the program is written");
    let compiled = Command::new("gcc").args(["-w", "-O1", "-fwrapv", "-o"]).arg(&binary).arg(&file).output();
    let compiled = compiled.expect("gcc is there: on Debian, apt install gcc");
    assert!(compiled.status.success(), "seed {seed}: {}\n{text}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(&binary).output().expect("the program runs");
    assert!(output.status.success(), "seed {seed} ended with {}\n{text}", output.status);
    let _ = (std::fs::remove_file(&file), std::fs::remove_file(&binary));
    String::from_utf8_lossy(&output.stdout).trim().parse().expect("a number")
}

/// What the verifier says when it is asked whether the program computes this.
fn verdict(name: &str, text: &str, condition: &str) -> String {
    let main =
        format!("void reach_error(void);\nint main(void) {{ run(); if (!({condition})) reach_error(); return 0; }}\n");
    let file = SourceFile::new(name, format!("{text}{main}"));
    let loaded = frontend_for(Path::new("a.i")).load(vec![file], &Options::default(), &Budget::unlimited());
    let Some(program) = loaded.program else {
        panic!("{}\n{text}", threadwise_diagnostics::render(&loaded.source, &loaded.diagnostics, false));
    };
    let request = Request { engine: EngineName::Explicit.into(), ..Request::default() };
    let outcome = verify(&program, &request, &Budget::unlimited());
    match &outcome.verdict {
        Verdict::Unknown(undecided) => format!("unknown: {}", undecided.reason()),
        verdict => verdict.word().to_string(),
    }
}

fn agree(seed: u64) {
    let text = random_c(seed);
    let hash = by_machine(seed, &text);
    let name = format!("p{seed}.i");
    let right = verdict(&name, &text, &format!("hash == {hash}UL"));
    assert!(right.starts_with("safe"), "seed {seed}: the machine computes {hash}, and that is {right}\n{text}");
    let wrong = verdict(&name, &text, &format!("hash == {}UL", hash ^ 1));
    assert!(wrong.starts_with("unsafe"), "seed {seed}: {wrong}\n{text}");
}

#[test]
fn sequential_programs_compute_what_the_machine_computes() {
    (0..BATCH * 5).for_each(agree);
}

/// As many as one likes: `C_SEEDS=0..5000`.
#[test]
#[ignore = "runs for as long as it is told to"]
fn many_programs_compute_what_the_machine_computes() {
    let range = std::env::var("C_SEEDS").unwrap_or_else(|_| "0..1000".to_string());
    let (from, to) = range.split_once("..").expect("C_SEEDS is like 0..1000");
    let (from, to): (u64, u64) = (from.parse().expect("a number"), to.parse().expect("a number"));
    (from..to).for_each(agree);
}
