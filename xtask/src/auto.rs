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
    /// With all cores, and with one.
    runs: Vec<Run>,
}

/// What came of a program on some cores.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Run {
    cores: usize,
    /// The verdict of `auto`.
    verdict: String,
    /// Its seconds of wall clock.
    seconds: f64,
    /// Each engine that decides within its time, and its seconds, the fastest first.
    engines: Vec<(String, f64)>,
}

impl Run {
    fn is_decided(&self) -> bool {
        self.verdict != "unknown"
    }

    fn best(&self) -> Option<f64> {
        self.engines.first().map(|(_, seconds)| *seconds)
    }

    /// Whether an engine decides while `auto` does not, or takes longer than it may.
    fn is_late(&self) -> bool {
        self.best().is_some_and(|best| !self.is_decided() || self.seconds > TIMES * best + MORE)
    }

    /// Worth a line of its own.
    fn is_long(&self) -> bool {
        !self.is_decided() || self.seconds.max(self.best().unwrap_or(0.0)) >= LISTED
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
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let mut numbers = vec![all, 1];
    numbers.dedup();
    let runs: Result<Vec<Run>> = numbers.into_iter().map(|cores| runs_on(cores, shop, example, &path)).collect();
    Ok(Row { program, runs: runs? })
}

/// Runs on all cores or on one.
fn runs_on(cores: usize, shop: &Workshop, example: &Example, path: &Path) -> Result<Run> {
    let expected = if example.safe { "safe" } else { "unsafe" };
    let ask = |engine: &str, limit: f64| -> Result<(String, f64)> {
        let (verdict, seconds) = run(shop.threadwise_path(), path, engine, cores, limit)?;
        let name = path.display();
        ensure!(verdict == expected || verdict == "unknown", "{name} is {expected}, but {engine} says: {verdict}");
        Ok((verdict, seconds))
    };
    let (verdict, seconds) = ask("auto", SECONDS)?;
    // Slower engines than `auto` are not the fastest, so they need not be waited for.
    let limit = if verdict == "unknown" { SECONDS } else { (1.5 * seconds + 0.3).min(SECONDS) };
    let mut engines = Vec::new();
    let parsed = example.program();
    for engine in threadwise_portfolio::engines().filter(|engine| engine.applicable(&parsed).is_ok()) {
        let (verdict, seconds) = ask(engine.name().as_str(), limit)?;
        if verdict != "unknown" {
            engines.push((engine.name().to_string(), seconds));
        }
    }
    engines.sort_by(|one, other| one.1.total_cmp(&other.1));
    Ok(Run { cores, verdict, seconds, engines })
}

/// The verdict and the seconds of one run of `threadwise check`.
fn run(threadwise: &Path, program: &Path, engine: &str, cores: usize, limit: f64) -> Result<(String, f64)> {
    let mut command = Command::new("taskset");
    command.arg("-c").arg(if cores == 1 { "0".to_string() } else { format!("0-{}", cores - 1) });
    command.arg(threadwise).arg("check").arg(program).args(["--engine", engine, "--format", "json", "-q"]);
    command.arg("--timeout").arg(limit.to_string()).arg("--memory").arg(MEMORY_MIB.to_string());
    let start = Instant::now();
    let measured = measure(&mut command, SECONDS as u64 * 4)?;
    let seconds = (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
    let json: serde_json::Value = serde_json::from_str(&measured.output).unwrap_or_default();
    Ok((json["verdict"].as_str().unwrap_or("unknown").to_string(), seconds))
}

/// The section of the page.
pub fn section(rows: &[Row]) -> Section {
    let mut text = format!(
        "\n`threadwise check` on every program in `examples/` and `tests/corpus/`, with `--engine auto` and with each engine by itself, \
         on all cores and on one. Seconds of wall clock, the start of the program and the check of the evidence included; {SECONDS} s for \
         `auto`, and for the engines half as much again as `auto` took and 0.3 s: a slower engine is not the fastest. Every verdict is \
         compared with the one in the program's header.\n"
    );
    let mut section = Section::default();
    let numbers: Vec<usize> = rows.first().map_or(Vec::new(), |row| row.runs.iter().map(|run| run.cores).collect());
    for (index, cores) in numbers.iter().enumerate() {
        let runs: Vec<(&str, &Run)> = rows.iter().map(|row| (row.program.as_str(), &row.runs[index])).collect();
        let (summary, late) = summarise(*cores, &runs);
        let _ = writeln!(
            text,
            "\n{summary}{}",
            if late.is_empty() { ".".into() } else { format!(": {}.", late.join(", ")) }
        );
        let text = format!("**Choice of the engine**: {summary}.");
        section.findings.push(Finding { about: About::Engines, won: late.is_empty(), text });
    }
    let _ = writeln!(
        text,
        "\nPrograms on which `auto` or the fastest engine takes {LISTED} s or more, or that `auto` leaves open:\n"
    );
    let heading = |cores: &usize| {
        let on = on(*cores);
        format!(" auto on {on}, s | fastest, s | engine | auto / fastest | next, s | engine |")
    };
    let _ = writeln!(text, "| program | verdict |{}", numbers.iter().map(heading).collect::<String>());
    let _ = writeln!(text, "|---|---|{}", "--:|--:|---|--:|--:|---|".repeat(numbers.len()));
    rows.iter().filter(|row| row.runs.iter().any(Run::is_long)).for_each(|row| write_row(&mut text, row));
    Section { text, pictures: vec![picture(rows, &numbers)], ..section }
}

fn on(cores: usize) -> String {
    if cores == 1 { "one core".to_string() } else { format!("{cores} cores") }
}

/// What comes of all programs on some cores, and the programs on which `auto` takes too long.
fn summarise(cores: usize, runs: &[(&str, &Run)]) -> (String, Vec<String>) {
    let decided = runs.iter().filter(|(_, run)| run.is_decided()).count();
    let late: Vec<String> =
        runs.iter().filter(|(_, run)| run.is_late()).map(|(program, _)| format!("`{program}`")).collect();
    let both = runs.iter().filter(|(_, run)| run.is_decided()).filter_map(|(_, run)| Some((run.best()?, run.seconds)));
    let (best, auto) = both.fold((0.0, 0.0), |(best, auto), (b, a)| (best + b, auto + a));
    let summary = format!(
        "On {}, `auto` decides {decided} of {} programs within {SECONDS} s, without a wrong verdict; together they take {auto:.1} s, \
         and {best:.1} s with the fastest engine for each ({} times as long). {} of them take more than {TIMES} × the fastest \
         engine + {MORE} s",
        on(cores),
        runs.len(),
        factor(auto / best.max(0.001)),
        if late.is_empty() { "None".to_string() } else { late.len().to_string() }
    );
    (summary, late)
}

fn write_row(text: &mut String, row: &Row) {
    let verdict = row.runs.first().map_or("", |run| run.verdict.as_str());
    let _ = write!(text, "| `{}` | {} |", row.program, verdict.to_uppercase());
    for run in &row.runs {
        let engine = |index: usize| match run.engines.get(index) {
            Some((name, seconds)) => (format!("{seconds:.2}"), name.as_str()),
            None => ("–".to_string(), ""),
        };
        let ((best, first), (next, second)) = (engine(0), engine(1));
        let ratio = run.best().filter(|_| run.is_decided()).map_or("–".into(), |best| factor(run.seconds / best));
        let seconds = if run.is_decided() { format!("{:.2}", run.seconds) } else { "–".to_string() };
        let _ = write!(text, " {seconds} | {best} | {first} | {ratio} | {next} | {second} |");
    }
    text.push('\n');
}

fn picture(rows: &[Row], numbers: &[usize]) -> Picture {
    let bound = (-20..=13).map(|tenth| 10f64.powf(f64::from(tenth) / 10.0)).map(|best| (best, TIMES * best + MORE));
    let limit = Curve {
        name: "what auto may take".to_string(),
        colour: 4,
        marker: Marker::Nothing,
        line: true,
        points: bound.collect(),
    };
    let programs = numbers.iter().enumerate().map(|(index, cores)| {
        let runs = rows.iter().map(|row| &row.runs[index]).filter(|run| run.is_decided());
        Curve {
            name: format!("a program, on {}", on(*cores)),
            colour: index,
            marker: [Marker::Disc, Marker::Triangle][index % 2],
            line: false,
            points: runs.filter_map(|run| Some((run.best()?, run.seconds))).collect(),
        }
    });
    Picture {
        file: "auto".to_string(),
        title: "auto beside the fastest single engine".to_string(),
        x: Axis::Log("seconds of the fastest engine"),
        y: Axis::Log("seconds of auto"),
        curves: std::iter::once(limit).chain(programs).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(verdict: &str, seconds: f64, engines: &[(&str, f64)]) -> Run {
        let engines = engines.iter().map(|(name, seconds)| (name.to_string(), *seconds)).collect();
        Run { cores: 1, verdict: verdict.to_string(), seconds, engines }
    }

    #[test]
    fn auto_is_late_beyond_twice_the_fastest_and_half_a_second() {
        assert!(!run("safe", 2.4, &[("modular", 1.0), ("explicit", 9.0)]).is_late());
        assert!(run("safe", 2.6, &[("modular", 1.0)]).is_late());
        assert!(run("unknown", 20.0, &[("explicit", 15.0)]).is_late());
        assert!(!run("unknown", 20.0, &[]).is_late(), "nobody decides it");
        assert!(!run("safe", 20.0, &[]).is_late(), "nobody else decides it in that time");
    }

    #[test]
    fn late_programs_are_named() {
        let row = |program: &str, run: Run| Row { program: program.to_string(), runs: vec![run] };
        let late = row("late.tw", run("safe", 2.6, &[("modular", 1.0)]));
        let section = section(&[late, row("fast.tw", run("unsafe", 0.01, &[("explicit", 0.01)]))]);
        let text = section.text;
        assert!(text.contains("1 of them take more than 2 × the fastest engine + 0.5 s: `late.tw`."), "{text}");
        assert!(text.contains("| `late.tw` | SAFE | 2.60 | 1.00 | modular | 2.6 | – |  |"), "{text}");
        assert!(!text.contains("fast.tw"), "it is too fast to be listed");
    }
}
