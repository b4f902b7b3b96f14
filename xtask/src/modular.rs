//! The part of the benchmarks about engine `modular`: Simple(n), and n different threads.

use crate::abstraction::slope;
use crate::bench::write_row;
use crate::peers::{Run, Workshop};
use anyhow::Result;
use std::fmt::Write;
use threadwise_suite::{simple_different, simple_different_promela};

const HEAD: &str =
    "\n| n | tool | states | CPU s | peak MB | states/s | bytes/state |\n|--:|---|--:|--:|--:|--:|--:|\n";

/// Measures and writes both families.
pub fn write(page: &mut String, shop: &Workshop, quick: bool) -> Result<()> {
    *page += "\nThe modular engine counts states of one thread at a time; its time includes the check of the proof.\n";
    interchangeable(page, shop, quick)?;
    different(page, shop, quick)
}

fn interchangeable(page: &mut String, shop: &Workshop, quick: bool) -> Result<()> {
    let _ = write!(page, "\n### Simple(n), interchangeable copies\n{HEAD}");
    let spin_sizes: &[u32] = if quick { &[2, 4] } else { &[2, 4, 8, 12, 16, 18, 20] };
    for &n in spin_sizes {
        eprintln!("Simple({n}), thread by thread");
        write_row(page, &n.to_string(), "threadwise", &shop.modular(&shop.model("simple", "tw"), &[format!("N={n}")])?);
        write_row(page, &n.to_string(), "SPIN", &shop.spin("simple", n)?);
    }
    for n in [100, 1_000, 10_000] {
        write_row(page, &n.to_string(), "threadwise", &shop.modular(&shop.model("simple", "tw"), &[format!("N={n}")])?);
    }
    let text = std::fs::read_to_string(shop.model("simple", "tw"))?.replace("Worker[N]", "Worker[*]");
    write_row(page, "`[*]`", "threadwise", &shop.modular(&shop.save("simple-any.tw", &text)?, &[])?);
    Ok(())
}

fn different(page: &mut String, shop: &Workshop, quick: bool) -> Result<()> {
    let _ = write!(page, "\n### Simple(n), n different threads\n{HEAD}");
    let sizes: &[u32] = if quick { &[2, 8, 32] } else { &[2, 8, 12, 16, 18, 50, 100, 200, 500, 1_000] };
    let mut points = Vec::new();
    for &n in sizes {
        eprintln!("{n} different threads");
        let ours = shop.modular(&shop.save(&format!("different-{n}.tw"), &simple_different(n as usize))?, &[])?;
        write_row(page, &n.to_string(), "threadwise", &ours);
        points.push((n, ours));
        if n <= 20 {
            let model = shop.save(&format!("different-{n}.pml"), &simple_different_promela(n as usize))?;
            write_row(page, &n.to_string(), "SPIN", &shop.spin_on(&model, &format!("different-{n}"), n)?);
        }
    }
    match growth_exponent(&points) {
        Some(exponent) => {
            let _ = writeln!(
                page,
                "\nThe modular engine's CPU time grows like n to the {exponent:.2} (least squares in log-log, sizes of \
                 0.05 s and more)."
            );
        }
        None => *page += "\nToo few sizes take long enough to fit a growth exponent.\n",
    }
    Ok(())
}

/// The slope of the line through the points in a log-log plot, of those that take long enough.
pub fn growth_exponent(points: &[(u32, Run)]) -> Option<f64> {
    let measurable = points.iter().filter(|(_, run)| run.states.is_some() && run.cpu_seconds >= 0.05);
    let logs: Vec<(f64, f64)> = measurable.map(|(n, run)| (f64::from(*n).ln(), run.cpu_seconds.ln())).collect();
    if logs.len() < 2 {
        return None;
    }
    Some(slope(&logs))
}
