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
    ("fig2-fixed", "✓-modular 0.8", "✓-modular 0.7"),
    ("fig4-cex", "× 4.5", "× 3.7"),
    ("fig4-fixed", "✓-modular 1.5", "✓ 11.1"),
    ("bluetooth2", "✓ 29.1", "✓ 11.2"),
    ("bluetooth2-fixed", "✓ 3.7", "✓ 0.4"),
    ("bluetooth3-fixed", "✓ 135", "✓ 9.7"),
    ("scull", "✓-modular 128.5", "T/O"),
    ("dekker", "✓ 11.1", "✓ 6"),
    ("peterson", "✓ 4.7", "✓ 3.9"),
    ("readers-writer-lock", "✓-modular 0.2", "✓ 0.4"),
    ("time-varying-mutex", "✓ 11.8", "✓ 3.1"),
    ("szymanski", "✓ 32", "✓ 8.8"),
    ("naive-bakery", "✓-modular 2.5", "✓ 3"),
    ("bakery", "✓ 105.4", "✓ 101"),
    ("lamport", "✓ 120.8", "✓ 97"),
    ("qrcu", "✓-modular 34.5", "T/O"),
];

/// Measures and writes the table.
pub fn write(page: &mut String, shop: &Workshop, quick: bool) -> Result<()> {
    let target = threadwise_solver_setup::target_directory().map_err(anyhow::Error::msg)?;
    threadwise_solver_setup::set_up(&target).map_err(anyhow::Error::msg)?;
    let _ = write!(
        page,
        "\nThe programs of THREADER, table 1, by `--engine predicates`: the verdict, × for an error and ✓ for a proof, whether \
         the proof is modular, and CPU seconds of threadwise and its solver together, the check of the proof or trace included. \
         T/O means no verdict within {SECONDS} s. With bias is `--bias modular`, without is `--bias none`, both `--horn aret`; \
         the last column is `--horn spacer` with bias. The numbers of refinements and so on are those with bias. The paper's \
         figures, beside them, are for its own versions of the programs, on the machines of 2010, with a limit of 900 s.\n\n\
         | program | with bias | paper | without | paper | refinements | predicates | transition predicates | \
         environment transitions | solver calls | spacer |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
    );
    let rows = if quick { &ROWS[..4] } else { &ROWS[..] };
    let (mut with_bias, mut without_bias) = (Vec::new(), Vec::new());
    for (name, paper_with, paper_without) in rows {
        eprintln!("predicates: {name}");
        let program = shop.root().join("examples/threader").join(format!("{name}.tw"));
        let with = run(shop.threadwise_path(), &program, "aret", "modular")?;
        let without = run(shop.threadwise_path(), &program, "aret", "none")?;
        let spacer = run(shop.threadwise_path(), &program, "spacer", "modular")?;
        let _ = writeln!(
            page,
            "| {name} | {} | {paper_with} | {} | {paper_without} | {} | {} | {} | {} | {} | {} |",
            with.text(),
            without.text(),
            with.stat("refinements"),
            with.stat("predicates"),
            with.stat("transition_predicates"),
            with.stat("environment_transitions"),
            with.stat("solver_calls"),
            spacer.text(),
        );
        with_bias.push(with);
        without_bias.push(without);
    }
    let _ = writeln!(page, "\nWith bias, {}; without, {}.", summary(&with_bias), summary(&without_bias));
    Ok(())
}

/// What a run came to.
struct Outcome {
    mark: &'static str,
    cpu_seconds: f64,
    json: serde_json::Value,
}

impl Outcome {
    fn text(&self) -> String {
        if self.mark == TIME_OUT { self.mark.to_string() } else { format!("{} {:.1}", self.mark, self.cpu_seconds) }
    }

    fn stat(&self, name: &str) -> u64 {
        self.json["stats"][name].as_u64().unwrap_or(0)
    }
}

const TIME_OUT: &str = "T/O";
const MODULAR: &str = "✓-modular";

/// The seconds of all rows together, how many have a verdict, and how many a modular proof.
fn summary(outcomes: &[Outcome]) -> String {
    let seconds: f64 = outcomes.iter().map(|outcome| outcome.cpu_seconds).sum();
    let decided = outcomes.iter().filter(|outcome| outcome.mark != TIME_OUT).count();
    let modular = outcomes.iter().filter(|outcome| outcome.mark == MODULAR).count();
    format!(
        "{decided} of {} rows have a verdict, {modular} a modular proof, in {seconds:.1} s together",
        outcomes.len()
    )
}

fn run(threadwise: &Path, program: &Path, horn: &str, bias: &str) -> Result<Outcome> {
    let mut command = Command::new(threadwise);
    command.arg("check").arg(program).args(["--engine", "predicates", "--format", "json", "-q"]);
    command.args(["--horn", horn, "--bias", bias, "--timeout", &SECONDS.to_string()]);
    let measured = measure(&mut command, SECONDS + 30)?;
    let json: serde_json::Value = serde_json::from_str(&measured.output).unwrap_or_default();
    let mark = match (json["verdict"].as_str(), json["modular"].as_bool()) {
        (Some("safe"), Some(true)) => MODULAR,
        (Some("safe"), _) => "✓",
        (Some("unsafe"), _) => "×",
        _ => TIME_OUT,
    };
    Ok(Outcome { mark, cpu_seconds: measured.cpu_seconds, json })
}
