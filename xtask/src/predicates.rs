//! The part of the benchmarks about engine `predicates`: the programs of THREADER's table 1, with and without bias.

use crate::bench::Section;
use crate::findings::{About, Finding};
use crate::measure::measure;
use crate::peers::Workshop;
use crate::picture::{Axis, Curve, Marker, Picture};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
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

/// One program, as measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The program.
    name: String,
    /// `--horn aret --bias modular`, `--horn aret --bias none` and `--horn spacer --bias modular`.
    outcomes: [Outcome; 3],
}

pub fn measure_rows(shop: &Workshop, quick: bool) -> Result<Vec<Row>> {
    let target = threadwise_solver_setup::target_directory().map_err(anyhow::Error::msg)?;
    threadwise_solver_setup::set_up(&target).map_err(anyhow::Error::msg)?;
    let rows = if quick { &ROWS[..4] } else { &ROWS[..] };
    let measured = rows.iter().map(|(name, ..)| {
        eprintln!("predicates: {name}");
        let program = shop.root().join("examples/threader").join(format!("{name}.tw"));
        let run = |horn, bias| run(shop.threadwise_path(), &program, horn, bias);
        let outcomes = [run("aret", "modular")?, run("aret", "none")?, run("spacer", "modular")?];
        Ok(Row { name: name.to_string(), outcomes })
    });
    measured.collect()
}

/// The section of the page.
pub fn section(rows: &[Row]) -> Section {
    let mut text = format!(
        "\nThe programs of THREADER, table 1, by `--engine predicates`: the verdict, × for an error and ✓ for a proof, whether \
         the proof is modular, and CPU seconds of threadwise and its solver together, the check of the proof or trace included. \
         T/O means no verdict within {SECONDS} s. With bias is `--bias modular`, without is `--bias none`, both `--horn aret`; \
         the last column is `--horn spacer` with bias. The numbers of refinements and so on are those with bias. The paper's \
         figures, beside them, are for its own versions of the programs, on the machines of 2010, with a limit of 900 s. SPIN is \
         not asked: it has no unbounded data, which is what these programs are about.\n\n\
         | program | with bias | paper | without | paper | refinements | predicates | transition predicates | \
         environment transitions | solver calls | spacer |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
    );
    for Row { name, outcomes: [modular, none, spacer] } in rows {
        let (_, with_bias, without) = ROWS.iter().find(|(row, ..)| row == name).copied().unwrap_or_default();
        let _ = writeln!(
            text,
            "| {name} | {} | {with_bias} | {} | {without} | {} | {} | {} | {} | {} | {} |",
            modular.text(),
            none.text(),
            modular.stat("refinements"),
            modular.stat("predicates"),
            modular.stat("transition_predicates"),
            modular.stat("environment_transitions"),
            modular.stat("solver_calls"),
            spacer.text(),
        );
    }
    let total: f64 = rows.iter().map(|row| row.outcomes[0].seconds).sum();
    let _ = writeln!(text, "\nTogether, `aret` with bias: {total:.1} s.");
    Section { text, findings: vec![finding(rows)], pictures: vec![picture(rows)] }
}

/// How many rows are decided with and without bias, here and in the paper.
fn finding(rows: &[Row]) -> Finding {
    let decided = |way: usize| rows.iter().filter(|row| row.outcomes[way].mark != TIME_OUT).count();
    let modular = |way: usize| rows.iter().filter(|row| row.outcomes[way].mark == MODULAR).count();
    let sum = |way: usize| rows.iter().map(|row| row.outcomes[way].seconds).sum::<f64>();
    let (with, without) = (sum(0), sum(1));
    let text = format!(
        "**THREADER's table 1, unbounded data**: with bias towards modular proofs, predicates decides {} of {} programs, {} of them \
         by modular proofs, in {with:.1} s together; without bias {} and {} in {without:.1} s. In the paper it is 17 with bias, 6 of them \
         by modular proofs, and 15 without, 1 of them.",
        decided(0),
        rows.len(),
        modular(0),
        decided(1),
        modular(1),
    );
    Finding { about: About::Threads, won: (decided(0), without) >= (decided(1), with), text }
}

fn picture(rows: &[Row]) -> Picture {
    let names: Vec<_> = rows.iter().rev().map(|row| row.name.clone()).collect();
    let place = |name: &str| names.iter().position(|other| other == name).map(|place| place as f64);
    let measured = |way: usize| {
        let decided = rows.iter().filter(move |row| row.outcomes[way].mark != TIME_OUT);
        decided.filter_map(|row| Some((row.outcomes[way].seconds, place(&row.name)?))).collect()
    };
    let printed = |cell: fn(&(&str, &'static str, &'static str)) -> &'static str| {
        let seconds = |row: &_| cell(row).rsplit(' ').next().and_then(|text: &str| text.parse::<f64>().ok());
        ROWS.iter().filter_map(|row| Some((seconds(row)?, place(row.0)?))).collect()
    };
    let curve =
        |name: &str, colour, marker, points| Curve { name: name.to_string(), colour, marker, line: false, points };
    Picture {
        file: "threader".to_string(),
        title: "Table 1 of THREADER, decided programs".to_string(),
        x: Axis::Log("CPU seconds"),
        curves: vec![
            curve("aret, bias modular", 0, Marker::Disc, measured(0)),
            curve("aret, bias none", 1, Marker::Triangle, measured(1)),
            curve("spacer, bias modular", 2, Marker::Cross, measured(2)),
            curve("THREADER, with bias", 4, Marker::Disc, printed(|row| row.1)),
            curve("THREADER, without", 4, Marker::Triangle, printed(|row| row.2)),
        ],
        y: Axis::Names(names),
    }
}

/// What a run came to.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Outcome {
    mark: String,
    seconds: f64,
    stats: BTreeMap<String, f64>,
}

impl Outcome {
    fn stat(&self, name: &str) -> u64 {
        self.stats.get(name).map_or(0, |value| *value as u64)
    }

    fn text(&self) -> String {
        if self.mark == TIME_OUT { self.mark.clone() } else { format!("{} {:.1}", self.mark, self.seconds) }
    }
}

const TIME_OUT: &str = "T/O";
const MODULAR: &str = "✓-modular";

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
    let stats = serde_json::from_value(json["stats"].clone()).unwrap_or_default();
    Ok(Outcome { mark: mark.to_string(), seconds: measured.cpu_seconds, stats })
}
