//! The part of the benchmarks about `--engine auto`: its time beside that of the fastest single engine.

use crate::bench::Section;
use crate::findings::{About, Finding, factor};
use crate::measure::measure;
use crate::peers::{MEMORY_MIB, Workshop};
use crate::picture::{Axis, Curve, Marker, Picture};
use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::Instant;
use threadwise_suite::{Example, examples_in};

/// A run is given up after this many seconds.
const SECONDS: f64 = 20.0;
/// What `auto` may take: so many times as long as the fastest engine, and so many seconds more.
const TIMES: f64 = 2.0;
/// See [`TIMES`].
const MORE: f64 = 0.5;
/// Faster programs are counted, and not listed.
const LISTED: f64 = 0.1;

/// One program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// Its file.
    program: String,
    /// The verdict of `auto`.
    verdict: String,
    /// Its seconds of wall clock.
    seconds: f64,
    /// Each engine that decides within its time, and its seconds, the fastest first.
    engines: Vec<(String, f64)>,
}

impl Row {
    fn is_decided(&self) -> bool {
        self.verdict != "unknown"
    }

    /// Whether an engine decides while `auto` does not, or takes longer than it may.
    fn is_late(&self) -> bool {
        self.engines.first().is_some_and(|(_, best)| !self.is_decided() || self.seconds > TIMES * best + MORE)
    }
}

/// Runs `auto` and every engine on every program.
pub fn measure_rows(shop: &Workshop, quick: bool) -> Result<Vec<Row>> {
    let programs: Vec<_> = ["examples", "tests/corpus"].into_iter().flat_map(examples_in).collect();
    let programs = if quick { &programs[..5] } else { &programs[..] };
    programs.iter().map(|example| row(shop, example)).collect()
}

fn row(shop: &Workshop, example: &Example) -> Result<Row> {
    let path = example.path.canonicalize()?;
    let program = path.strip_prefix(shop.root())?.display().to_string();
    eprintln!("auto: {program}");
    let expected = if example.safe { "safe" } else { "unsafe" };
    let ask = |engine: &str, limit: f64| -> Result<(String, f64)> {
        let (verdict, seconds) = run(shop.threadwise_path(), &path, engine, limit)?;
        ensure!(verdict == expected || verdict == "unknown", "{program} is {expected}, but {engine} says: {verdict}");
        Ok((verdict, seconds))
    };
    let (verdict, seconds) = ask("auto", SECONDS)?;
    // Slower engines than `auto` are not the fastest, so they need not be waited for.
    let limit = if verdict == "unknown" { SECONDS } else { (1.5 * seconds + 0.3).min(SECONDS) };
    let mut engines = Vec::new();
    let parsed = example.program();
    for engine in threadwise_portfolio::engines().iter().filter(|engine| engine.applicable(&parsed).is_ok()) {
        let (verdict, seconds) = ask(engine.name(), limit)?;
        if verdict != "unknown" {
            engines.push((engine.name().to_string(), seconds));
        }
    }
    engines.sort_by(|one, other| one.1.total_cmp(&other.1));
    Ok(Row { program, verdict, seconds, engines })
}

/// The verdict and the seconds of one run of `threadwise check`.
fn run(threadwise: &Path, program: &Path, engine: &str, limit: f64) -> Result<(String, f64)> {
    let mut command = Command::new(threadwise);
    command.arg("check").arg(program).args(["--engine", engine, "--format", "json", "-q"]);
    command.arg("--timeout").arg(limit.to_string()).arg("--memory").arg(MEMORY_MIB.to_string());
    let start = Instant::now();
    let measured = measure(&mut command, SECONDS as u64 * 4)?;
    let seconds = (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
    let json: serde_json::Value = serde_json::from_str(&measured.output).unwrap_or_default();
    Ok((json["verdict"].as_str().unwrap_or("unknown").to_string(), seconds))
}

/// The section of the page.
pub fn section(rows: &[Row]) -> Section {
    let decided = rows.iter().filter(|row| row.is_decided()).count();
    let late: Vec<_> = rows.iter().filter(|row| row.is_late()).collect();
    let both =
        || rows.iter().filter(|row| row.is_decided()).filter_map(|row| Some((row.engines.first()?.1, row.seconds)));
    let (best, auto) = both().fold((0.0, 0.0), |(best, auto), (b, a)| (best + b, auto + a));
    let summary = format!(
        "`auto` decides {decided} of {} programs within {SECONDS} s, without a wrong verdict; together they take {auto:.1} s, \
         and {best:.1} s with the fastest engine for each ({} times as long). On {} programs it does not keep within {TIMES} × the \
         fastest engine + {MORE} s",
        rows.len(),
        factor(auto / best.max(0.001)),
        late.len()
    );
    let names: Vec<_> = late.iter().map(|row| format!("`{}`", row.program)).collect();
    let names = if names.is_empty() { ".".to_string() } else { format!(": {}.", names.join(", ")) };
    let mut text = format!(
        "\n`threadwise check` on every program in `examples/` and `tests/corpus/`, with `--engine auto` and with each engine by itself. Seconds of wall \
         clock, the start of the program and the check of the evidence included; {SECONDS} s for `auto`, and for the engines \
         half as much again as `auto` took and 0.3 s: a slower engine is not the fastest. Every verdict is compared with the one in the program's header.\n\n\
         {summary}{names}\n\nPrograms on which `auto` or the fastest engine takes {LISTED} s or more, or that `auto` leaves open:\n\n\
         | program | verdict | auto, s | fastest, s | engine | auto / fastest | next, s | engine |\n\
         |---|---|--:|--:|---|--:|--:|---|\n"
    );
    let long =
        |row: &&Row| row.seconds.max(row.engines.first().map_or(0.0, |(_, best)| *best)) >= LISTED || !row.is_decided();
    rows.iter().filter(long).for_each(|row| write_row(&mut text, row));
    let finding =
        Finding { about: About::Engines, won: late.is_empty(), text: format!("**Choice of the engine**: {summary}.") };
    Section { text, findings: vec![finding], pictures: vec![picture(rows)] }
}

fn write_row(text: &mut String, row: &Row) {
    let engine = |index: usize| match row.engines.get(index) {
        Some((name, seconds)) => (format!("{seconds:.2}"), name.as_str()),
        None => ("–".to_string(), ""),
    };
    let ((best, first), (next, second)) = (engine(0), engine(1));
    let ratio = row
        .engines
        .first()
        .filter(|_| row.is_decided())
        .map_or("–".to_string(), |(_, best)| factor(row.seconds / best));
    let (program, verdict, seconds) = (&row.program, row.verdict.to_uppercase(), row.seconds);
    let _ =
        writeln!(text, "| `{program}` | {verdict} | {seconds:.2} | {best} | {first} | {ratio} | {next} | {second} |");
}

fn picture(rows: &[Row]) -> Picture {
    let points =
        rows.iter().filter(|row| row.is_decided()).filter_map(|row| Some((row.engines.first()?.1, row.seconds)));
    let bound = (-20..=13).map(|tenth| 10f64.powf(f64::from(tenth) / 10.0)).map(|best| (best, TIMES * best + MORE));
    let curve = |name: &str, marker, points| {
        let line = matches!(marker, Marker::Nothing);
        Curve { name: name.to_string(), colour: if line { 4 } else { 0 }, marker, line, points }
    };
    Picture {
        file: "auto".to_string(),
        title: "auto beside the fastest single engine".to_string(),
        x: Axis::Log("seconds of the fastest engine"),
        y: Axis::Log("seconds of auto"),
        curves: vec![
            curve("what auto may take", Marker::Nothing, bound.collect()),
            curve("a program", Marker::Disc, points.collect()),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(verdict: &str, seconds: f64, engines: &[(&str, f64)]) -> Row {
        let engines = engines.iter().map(|(name, seconds)| (name.to_string(), *seconds)).collect();
        Row { program: "p.tw".to_string(), verdict: verdict.to_string(), seconds, engines }
    }

    #[test]
    fn auto_is_late_beyond_twice_the_fastest_and_half_a_second() {
        assert!(!row("safe", 2.4, &[("modular", 1.0), ("explicit", 9.0)]).is_late());
        assert!(row("safe", 2.6, &[("modular", 1.0)]).is_late());
        assert!(row("unknown", 20.0, &[("explicit", 15.0)]).is_late());
        assert!(!row("unknown", 20.0, &[]).is_late(), "nobody decides it");
        assert!(!row("safe", 20.0, &[]).is_late(), "nobody else decides it in that time");
    }

    #[test]
    fn late_programs_are_named() {
        let section = section(&[row("safe", 2.6, &[("modular", 1.0)]), row("unsafe", 0.01, &[("explicit", 0.01)])]);
        assert!(section.text.contains("On 1 programs it does not keep within 2 × the fastest engine + 0.5 s: `p.tw`."));
        assert!(section.text.contains("| `p.tw` | SAFE | 2.60 | 1.00 | modular | 2.6 | – |  |"), "{}", section.text);
        assert!(!section.text.contains("| UNSAFE |"), "it is too fast to be listed");
    }
}
