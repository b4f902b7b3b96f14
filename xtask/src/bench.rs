//! `cargo xtask bench`: measures, and writes the page.

use crate::peers::{MEMORY_MIB, Run, Workshop, version};
use crate::{abstraction, cartesian, modular, predicates};
use anyhow::Result;
use std::fmt::Write;

/// A model and the sizes it is measured at.
struct Family {
    title: &'static str,
    model: &'static str,
    sizes: &'static [u32],
    quick: &'static [u32],
}

const AGAINST_SPIN: &[Family] = &[
    Family { title: "Bluetooth driver, n workers", model: "bluetooth", sizes: &[3, 4, 5, 6], quick: &[3, 4] },
    Family {
        title: "Lock class with parked threads, m = 2, k = 1, n threads",
        model: "lock-class-parked",
        sizes: &[8, 10, 12, 13],
        quick: &[4, 6],
    },
    Family { title: "Simple(n)", model: "simple", sizes: &[8, 12, 16, 18], quick: &[4, 8] },
    Family { title: "Binary counter, n threads", model: "binary-counter", sizes: &[8, 12, 16, 20], quick: &[4, 8] },
];

/// rumur searches what its model says; `bluetooth-merged` merges the steps that threadwise folds.
const AGAINST_RUMUR: &[Family] = &[
    Family { title: "Bluetooth driver, n workers", model: "bluetooth", sizes: &[4, 6, 8], quick: &[3, 6] },
    Family {
        title: "Lock class with parked threads, m = 2, k = 1, n threads",
        model: "lock-class-parked",
        sizes: &[8, 16, 32],
        quick: &[4, 8],
    },
    Family { title: "Simple(n)", model: "simple", sizes: &[8, 16, 32], quick: &[4, 8] },
];

/// A part of the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Part {
    /// Searches without symmetry, beside SPIN.
    Spin,
    /// Searches with symmetry, beside rumur.
    Rumur,
    /// Engine `modular`, beside SPIN.
    Modular,
    /// Engine `cartesian`, beside SPIN.
    Cartesian,
    /// Engine `predicates`, on THREADER's table 1.
    Predicates,
    /// Programs and their abstract threads, beside SPIN.
    Abstract,
}

impl Part {
    const ALL: [Part; 6] = [Part::Spin, Part::Rumur, Part::Modular, Part::Cartesian, Part::Predicates, Part::Abstract];

    fn heading(self) -> &'static str {
        match self {
            Part::Spin => "\n## Without symmetry, beside SPIN\n",
            Part::Rumur => "\n## With symmetry, beside rumur\n",
            Part::Modular => "\n## Thread by thread, beside SPIN\n",
            Part::Cartesian => "\n## Unions of products, beside SPIN\n",
            Part::Abstract => "\n## Abstract threads, beside SPIN\n",
            Part::Predicates => "\n## Unbounded data: THREADER's table 1\n",
        }
    }

    fn measure(self, shop: &Workshop, quick: bool) -> Result<String> {
        let mut text = String::new();
        match self {
            Part::Spin => beside_spin(&mut text, shop, quick)?,
            Part::Rumur => beside_rumur(&mut text, shop, quick)?,
            Part::Modular => modular::write(&mut text, shop, quick)?,
            Part::Cartesian => cartesian::write(&mut text, shop, quick)?,
            Part::Abstract => abstraction::write(&mut text, shop, quick)?,
            Part::Predicates => predicates::write(&mut text, shop, quick)?,
        }
        Ok(text)
    }

    /// What an earlier page says in this part.
    fn of_page(self, page: &str) -> &str {
        let rest = page.split(self.heading()).nth(1).unwrap_or_default();
        rest.find("\n## ").map_or(rest, |end| &rest[..end])
    }
}

/// Measures and writes `docs/BENCHMARKS.md`; if `only` names a part, the others stay as they are.
pub fn run(quick: bool, only: Option<Part>, seconds: u64) -> Result<()> {
    let shop = Workshop::new(seconds)?;
    let file = shop.root().join("docs/BENCHMARKS.md");
    let old = std::fs::read_to_string(&file).unwrap_or_default();
    let mut page = introduction(seconds);
    for part in Part::ALL {
        let measured = match only {
            Some(only) if only != part => part.of_page(&old).to_string(),
            _ => part.measure(&shop, quick)?,
        };
        page += part.heading();
        page += &measured;
    }
    if quick {
        println!("{page}");
    } else {
        std::fs::write(file, page)?;
    }
    Ok(())
}

fn beside_spin(page: &mut String, shop: &Workshop, quick: bool) -> Result<()> {
    for family in AGAINST_SPIN {
        let pairs = measure_family(family, quick, |n| {
            let ours = shop.threadwise(family.model, n, &["--no-symmetry", "--no-fold"])?;
            Ok((ours, shop.spin(family.model, n)?))
        })?;
        write_family(page, family, "SPIN", &pairs);
    }
    Ok(())
}

fn beside_rumur(page: &mut String, shop: &Workshop, quick: bool) -> Result<()> {
    for family in AGAINST_RUMUR {
        let pairs = measure_family(family, quick, |n| {
            Ok((shop.threadwise(family.model, n, &["--no-fold"])?, shop.rumur(family.model, n)?))
        })?;
        write_family(page, family, "rumur", &pairs);
    }
    write_folded(page, shop, quick)
}

/// Threadwise with all its reductions beside rumur on a model whose author merged steps by hand.
fn write_folded(page: &mut String, shop: &Workshop, quick: bool) -> Result<()> {
    let _ = write!(
        page,
        "\n### Bluetooth driver, n workers, unobservable steps folded\n\nthreadwise folds such steps by itself; for rumur they \
         are merged in `bluetooth-merged.m`.\n\n| n | tool | states | CPU s | peak MB | states/s | bytes/state |\n\
         |--:|---|--:|--:|--:|--:|--:|\n"
    );
    let sizes: &[u32] = if quick { &[4] } else { &[8, 12, 16] };
    for &n in sizes {
        eprintln!("Bluetooth folded, n = {n}");
        write_row(page, &n.to_string(), "threadwise", &shop.threadwise("bluetooth", n, &[])?);
        write_row(page, &n.to_string(), "rumur", &shop.rumur("bluetooth-merged", n)?);
    }
    for n in [20, 24] {
        write_row(page, &n.to_string(), "threadwise", &shop.threadwise("bluetooth", n, &[])?);
    }
    Ok(())
}

type Pair = (u32, Run, Run);

fn measure_family(family: &Family, quick: bool, measure: impl Fn(u32) -> Result<(Run, Run)>) -> Result<Vec<Pair>> {
    let sizes = if quick { family.quick } else { family.sizes };
    let measured = sizes.iter().map(|&n| {
        eprintln!("{}, n = {n}", family.title);
        measure(n).map(|(ours, theirs)| (n, ours, theirs))
    });
    measured.collect()
}

fn introduction(seconds: u64) -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu = cpu.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or("unknown processor");
    format!(
        "# Benchmarks\n\n\
         Written by `cargo xtask bench`, which measures the tools of each table in one run. Every tool gets {MEMORY_MIB} MiB of \
         memory and {seconds} s of CPU time; a dash means that it met a limit. Times are CPU seconds, user and system; memory is the \
         largest resident set. The models are in `bench/models`, with the same control points for all tools.\n\n\
         - Processor: {}\n- {}\n- {}\n- {}\n",
        cpu.trim_start_matches([' ', '\t', ':']),
        version("rustc", "--version"),
        version("spin", "-V"),
        version("rumur", "--version"),
    )
}

fn write_family(page: &mut String, family: &Family, peer: &str, pairs: &[Pair]) {
    let _ = write!(
        page,
        "\n### {}\n\n| n | tool | states | CPU s | peak MB | states/s | bytes/state |\n|--:|---|--:|--:|--:|--:|--:|\n",
        family.title
    );
    for (n, ours, theirs) in pairs {
        write_row(page, &n.to_string(), "threadwise", ours);
        write_row(page, &n.to_string(), peer, theirs);
    }
    write_ratios(page, peer, pairs);
}

/// A row of a table of measurements.
pub fn write_row(page: &mut String, n: &str, tool: &str, run: &Run) {
    let states = run.states.map_or("–".to_string(), |states| states.to_string());
    let (rate, bytes) = match run.states {
        Some(states) if run.cpu_seconds >= 0.05 => {
            (format!("{:.0}", states as f64 / run.cpu_seconds), format!("{:.1}", run.peak_bytes as f64 / states as f64))
        }
        _ => ("–".to_string(), "–".to_string()),
    };
    let megabytes = run.peak_bytes as f64 / 1e6;
    let _ = writeln!(page, "| {n} | {tool} | {states} | {:.2} | {megabytes:.1} | {rate} | {bytes} |", run.cpu_seconds);
}

/// The ratios at the largest size that both tools decide, and how the work grows.
fn write_ratios(page: &mut String, peer: &str, pairs: &[Pair]) {
    let both = pairs.iter().rev().find(|(_, ours, theirs)| ours.states.is_some() && theirs.states.is_some());
    if let Some((n, ours, theirs)) = both {
        let _ = write!(
            page,
            "\nAt n = {n}, {peer} takes {:.1} times the CPU time and {:.1} times the memory of threadwise",
            theirs.cpu_seconds / ours.cpu_seconds.max(0.001),
            theirs.peak_bytes as f64 / ours.peak_bytes.max(1) as f64,
        );
        let equal = if ours.states == theirs.states { "" } else { "not " };
        let _ = writeln!(page, "; their numbers of states are {equal}equal.");
    }
    let curve = |pick: fn(&Pair) -> &Run| growth(pairs, pick).map_or("–".to_string(), |base| format!("{base:.2}"));
    let _ = writeln!(
        page,
        "\nGrowth of CPU time per unit of n (geometric mean over sizes of 0.5 s and more): threadwise {}, {peer} {}.",
        curve(|(_, ours, _)| ours),
        curve(|(_, _, theirs)| theirs)
    );
}

/// The factor by which the time grows when n grows by one, between the first and the last size
/// that takes long enough to measure.
fn growth(pairs: &[Pair], pick: fn(&Pair) -> &Run) -> Option<f64> {
    let measurable = |pair: &&Pair| pick(pair).states.is_some() && pick(pair).cpu_seconds >= 0.5;
    let first = pairs.iter().find(measurable)?;
    let last = pairs.iter().rev().find(measurable)?;
    let steps = last.0.checked_sub(first.0).filter(|&steps| steps > 0)?;
    Some((pick(last).cpu_seconds / pick(first).cpu_seconds).powf(1.0 / f64::from(steps)))
}
