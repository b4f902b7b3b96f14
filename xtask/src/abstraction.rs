//! The part of the benchmarks about abstract threads: the two tables of ABSTHR, section 4, again.

use crate::peers::{Run, Workshop};
use anyhow::Result;
use std::fmt::Write;

/// Sizes that take less are left out of the fit: starting takes some of it, with SPIN 0.1 s.
const MEASURABLE_SECONDS: f64 = 0.5;

struct Driver {
    title: &'static str,
    model: &'static str,
    /// What the paper fits: the bases of the concrete and of the abstract program.
    paper: (f64, f64),
}

const DRIVERS: [Driver; 2] = [
    Driver { title: "Bluetooth driver, n workers beside the unload thread", model: "bluetooth", paper: (9.3, 4.9) },
    Driver {
        title: "Battery driver, n workers beside the unload and dispatch threads",
        model: "battery",
        paper: (3.832, 2.227),
    },
];

/// The four columns of a table: a tool on a model.
const SERIES: [(&str, bool); 4] = [("threadwise", false), ("threadwise", true), ("SPIN", false), ("SPIN", true)];

/// Measures both drivers, with their threads and with abstract workers, for each n as far as each
/// of the tools goes.
pub fn write(page: &mut String, shop: &Workshop, quick: bool) -> Result<()> {
    *page += "\nThe tables of ABSTHR, section 4, measured again: the programs, and the same with abstract workers in the \
              places of the workers. Engine `explicit` without symmetry and without folding, and SPIN without partial-order \
              reduction, visit the same states. In each cell: CPU seconds, and the number of states.\n";
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split_whitespace().next().unwrap_or("unknown");
    let _ = writeln!(page, "The machine's load average when this part began was {load}.");
    for driver in &DRIVERS {
        let columns = measure(driver, shop, if quick { 3 } else { 11 })?;
        write_table(page, driver, &columns);
        write_growth(page, driver, &columns);
    }
    Ok(())
}

fn measure(driver: &Driver, shop: &Workshop, most: u32) -> Result<[Vec<Run>; 4]> {
    let mut columns: [Vec<Run>; 4] = Default::default();
    for n in 1..=most {
        for ((tool, is_abstract), column) in SERIES.iter().zip(&mut columns) {
            // What is beyond a limit stays beyond it.
            if column.last().is_some_and(|run| run.states.is_none()) {
                continue;
            }
            let model = format!("{}{}", driver.model, if *is_abstract { "-abstract" } else { "" });
            eprintln!("{model}, n = {n}, {tool}");
            column.push(match *tool {
                "SPIN" => shop.spin(&model, n)?,
                _ => shop.threadwise(&model, n, &["--no-symmetry", "--no-fold"])?,
            });
        }
    }
    Ok(columns)
}

fn write_table(page: &mut String, driver: &Driver, columns: &[Vec<Run>; 4]) {
    let _ = write!(
        page,
        "\n### {}\n\n| n | threadwise, program | threadwise, abstract | SPIN, program | SPIN, abstract |\n\
         |--:|--:|--:|--:|--:|\n",
        driver.title
    );
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    for row in 0..rows {
        let cells = columns.iter().map(|column| match column.get(row) {
            Some(Run { states: Some(states), cpu_seconds, .. }) => format!("{cpu_seconds:.2} ({states})"),
            _ => "–".to_string(),
        });
        let _ = writeln!(page, "| {} | {} |", row + 1, cells.collect::<Vec<_>>().join(" | "));
    }
}

/// The bases of the exponential growth, and their quotient: the speedup is its n-th power.
fn write_growth(page: &mut String, driver: &Driver, columns: &[Vec<Run>; 4]) {
    let measured = |column: &[Run]| base(column, |run| run.cpu_seconds, MEASURABLE_SECONDS);
    let counted = |column: &[Run]| base(column, |run| run.states.unwrap_or(0) as f64, 1.0);
    *page +=
        "\n| growth with n (least squares in the logarithm) | program | abstract | quotient |\n|---|--:|--:|--:|\n";
    let mut line = |what: &str, concrete: Option<f64>, abstracted: Option<f64>| {
        let shown = |base: Option<f64>| base.map_or("–".to_string(), |base| format!("{base:.2}"));
        let quotient = concrete.zip(abstracted).map(|(concrete, abstracted)| concrete / abstracted);
        let _ = writeln!(page, "| {what} | {} | {} | {} |", shown(concrete), shown(abstracted), shown(quotient));
    };
    line("CPU time of threadwise, sizes of 0.5 s and more", measured(&columns[0]), measured(&columns[1]));
    line("CPU time of SPIN, sizes of 0.5 s and more", measured(&columns[2]), measured(&columns[3]));
    line("states", counted(&columns[0]), counted(&columns[1]));
    line("CPU time of SPIN in ABSTHR (2010)", Some(driver.paper.0), Some(driver.paper.1));
}

/// The base b for which value ≈ a · b^n fits best.
fn base(column: &[Run], value: fn(&Run) -> f64, least: f64) -> Option<f64> {
    let decided = column.iter().enumerate().filter(|(_, run)| run.states.is_some() && value(run) >= least);
    let points: Vec<(f64, f64)> = decided.map(|(index, run)| ((index + 1) as f64, value(run).ln())).collect();
    (points.len() >= 2).then(|| slope(&points).exp())
}

/// The slope of the line that fits the points best.
pub fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let (mean_x, mean_y) =
        (points.iter().map(|p| p.0).sum::<f64>() / count, points.iter().map(|p| p.1).sum::<f64>() / count);
    let covariance: f64 = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let variance: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    covariance / variance
}
