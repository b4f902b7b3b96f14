//! The part of the benchmarks about engine `predicates`: the programs of THREADER's table 1, with and without bias.

use crate::measure::measure;
use crate::peers::Workshop;
use anyhow::Result;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// A run is given up after this many seconds.
const SECONDS: u64 = 60;

/// The rows in the paper's order: the program, whether the paper has a proof with and without bias, and its seconds.
const ROWS: [(&str, &str, &str); 17] = [
    ("fig2-cex", "× 0.2", "× 0.2"),
    ("fig2-fixed", "modular 0.8", "modular 0.7"),
    ("fig4-cex", "× 4.5", "× 3.7"),
    ("fig4-fixed", "modular 1.5", "✓ 11.1"),
    ("bluetooth2", "✓ 29.1", "✓ 11.2"),
    ("bluetooth2-fixed", "✓ 3.7", "✓ 0.4"),
    ("bluetooth3-fixed", "✓ 135", "✓ 9.7"),
    ("scull", "modular 128.5", "T/O"),
    ("dekker", "✓ 11.1", "✓ 6"),
    ("peterson", "✓ 4.7", "✓ 3.9"),
    ("readers-writer-lock", "modular 0.2", "✓ 0.4"),
    ("time-varying-mutex", "✓ 11.8", "✓ 3.1"),
    ("szymanski", "✓ 32", "✓ 8.8"),
    ("naive-bakery", "modular 2.5", "✓ 3"),
    ("bakery", "✓ 105.4", "✓ 101"),
    ("lamport", "✓ 120.8", "✓ 97"),
    ("qrcu", "modular 34.5", "T/O"),
];

/// Measures and writes the table.
pub fn write(page: &mut String, shop: &Workshop, quick: bool) -> Result<()> {
    let _ = write!(
        page,
        "\nThe programs of THREADER, table 1, by `--engine predicates`: verdict (× error, ✓ proof, *modular* proof) and seconds of \
         wall clock, the check of the proof or trace included, at most {SECONDS} s. `aret` and `spacer` are the two values of `--horn`. \
         The paper's figures are for its own versions of the programs, on the machines of 2010.\n\n\
         | program | aret, bias modular | aret, bias none | spacer, bias modular | refinements | predicates | transition predicates | \
         solver calls | paper, with bias | paper, without |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
    );
    let rows = if quick { &ROWS[..4] } else { &ROWS[..] };
    let mut total = 0.0;
    for (name, with_bias, without) in rows {
        eprintln!("predicates: {name}");
        let program = shop.root().join("examples/threader").join(format!("{name}.tw"));
        let modular = run(shop.threadwise_path(), &program, "aret", "modular")?;
        let none = run(shop.threadwise_path(), &program, "aret", "none")?;
        let spacer = run(shop.threadwise_path(), &program, "spacer", "modular")?;
        total += modular.seconds;
        let _ = writeln!(
            page,
            "| {name} | {} | {} | {} | {} | {} | {} | {} | {with_bias} | {without} |",
            modular.text,
            none.text,
            spacer.text,
            modular.stat("refinements"),
            modular.stat("predicates"),
            modular.stat("transition_predicates"),
            modular.stat("solver_calls"),
        );
    }
    let _ = writeln!(page, "\nTogether, `aret` with bias: {total:.1} s.");
    Ok(())
}

/// What a run came to.
struct Outcome {
    text: String,
    seconds: f64,
    json: serde_json::Value,
}

impl Outcome {
    fn stat(&self, name: &str) -> u64 {
        self.json["stats"][name].as_u64().unwrap_or(0)
    }
}

fn run(threadwise: &Path, program: &Path, horn: &str, bias: &str) -> Result<Outcome> {
    let mut command = Command::new(threadwise);
    command.arg("check").arg(program).args(["--engine", "predicates", "--format", "json", "-q"]);
    command.args(["--horn", horn, "--bias", bias, "--timeout", &SECONDS.to_string()]);
    let measured = measure(&mut command, SECONDS + 30)?;
    let json: serde_json::Value = serde_json::from_str(&measured.output).unwrap_or_default();
    let seconds = json["stats"]["seconds"].as_f64().unwrap_or(SECONDS as f64);
    let mark = match (json["verdict"].as_str(), json["modular"].as_bool()) {
        (Some("safe"), Some(true)) => "modular",
        (Some("safe"), _) => "✓",
        (Some("unsafe"), _) => "×",
        _ => "T/O",
    };
    let text = if mark == "T/O" { mark.to_string() } else { format!("{mark} {seconds:.1}") };
    Ok(Outcome { text, seconds, json })
}
