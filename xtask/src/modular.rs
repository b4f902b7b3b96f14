//! The part of the benchmarks about engine `modular`: FQ's Simple(n), and n different threads.

use crate::bench::Section;
use crate::data::{Family, Point};
use crate::findings::{About, compare};
use crate::fit::{base, exponent};
use crate::peers::{UNREDUCED, Workshop};
use crate::picture::{Axis, Curve, Marker, Picture, full_name};
use crate::tables::write_family;
use anyhow::Result;
use std::fmt::Write;
use threadwise_suite::{simple_different, simple_different_promela};

const TOOLS: [(&str, &str); 2] = [("modular", "thread states"), ("SPIN", "states")];

/// Tools that list states are not asked for more threads than this.
const MOST_LISTED: u32 = 20;

/// Measures both families.
pub fn measure(shop: &Workshop, quick: bool) -> Result<Vec<Family>> {
    Ok(vec![interchangeable(shop, quick)?, different(shop, quick)?])
}

fn interchangeable(shop: &Workshop, quick: bool) -> Result<Family> {
    let mut family = Family::new("Simple(n), interchangeable copies", &TOOLS);
    let program = shop.model("simple", "tw");
    let sizes: &[u32] = if quick { &[2, 4, 100] } else { &[2, 4, 8, 12, 16, 18, 20, 100, 1_000, 10_000] };
    for &n in sizes {
        eprintln!("Simple({n}), thread by thread");
        family.series[0].push(n, shop.modular(&program, &[format!("N={n}")])?);
        if n <= MOST_LISTED && family.series[1].goes_on() {
            family.series[1].push(n, shop.spin("simple", n)?);
        }
    }
    let text = std::fs::read_to_string(program)?.replace("Worker[N]", "Worker[*]");
    let run = shop.modular(&shop.save("simple-any.tw", &text)?, &[])?;
    family.series[0].points.push(Point { n: None, run });
    Ok(family)
}

fn different(shop: &Workshop, quick: bool) -> Result<Family> {
    let tools = [TOOLS[0], ("explicit", "states"), TOOLS[1]];
    let mut family = Family::new("Simple(n), n different threads", &tools);
    let sizes: &[u32] = if quick { &[2, 8, 32] } else { &[2, 8, 12, 14, 16, 17, 18, 19, 50, 100, 200, 500, 1_000] };
    for &n in sizes {
        eprintln!("{n} different threads");
        let program = shop.save(&format!("different-{n}.tw"), &simple_different(n as usize))?;
        family.series[0].push(n, shop.modular(&program, &[])?);
        if n <= MOST_LISTED && family.series[1].goes_on() {
            family.series[1].push(n, shop.engine("explicit", "states", &program, &[], &UNREDUCED)?);
        }
        if n <= MOST_LISTED && family.series[2].goes_on() {
            let model = shop.save(&format!("different-{n}.pml"), &simple_different_promela(n as usize))?;
            family.series[2].push(n, shop.spin_on(&model, &format!("different-{n}"), n)?);
        }
    }
    Ok(family)
}

/// The section of the page.
pub fn section(families: &[Family]) -> Section {
    let text = "\nThe program Simple(n) of FQ, section 1.1. The modular engine counts states of one thread at a time; its time \
                includes the check of the proof. Engine `explicit` and SPIN search without reductions; SPIN's partial-order reduction \
                makes no difference to these programs.\n";
    let mut section = Section { text: text.to_string(), ..Section::default() };
    for (family, file) in families.iter().zip(["simple-copies", "simple-different"]) {
        write_family(&mut section.text, family);
        section.findings.extend(compare(About::Threads, family, "modular", "SPIN"));
        section.pictures.push(Picture {
            file: file.to_string(),
            title: family.title.clone(),
            x: Axis::Log("n, number of threads"),
            y: Axis::Log("CPU seconds"),
            curves: (family.series.iter().enumerate())
                .map(|(colour, series)| Curve {
                    name: full_name(&series.tool),
                    colour,
                    marker: [Marker::Disc, Marker::Triangle, Marker::Cross][colour % 3],
                    line: true,
                    points: series.seconds(),
                })
                .collect(),
        });
    }
    if let Some(family) = families.last() {
        write_laws(&mut section.text, family);
    }
    section.text += AFTER_AN_EDIT;
    section
}

/// Measured by a test, since it takes place inside one process.
const AFTER_AN_EDIT: &str = "\nOne of 1 000 different threads is edited, and `watch` verifies the program again \
    (`cargo test --test reuse -- --ignored --nocapture one_of_a_thousand`, a build \
    for development, not part of the run above): 0.42 s from reading the file to the verdict, 0.04 s of it \
    to read the program; from scratch 14.2 s. What it remembers took 15.2 s to find out, beside the waiting for changes. \
    In `watch` itself, with the same build and other work on the machine, it was 0.9 and 1.2 s from the writing of the file to the \
    line on the screen.\n";

/// FQ has no measurements; it says how the numbers of states grow.
fn write_laws(page: &mut String, family: &Family) {
    let counted = |tool: &str| -> Vec<(f64, f64)> {
        let series = family.of(tool).into_iter().flat_map(|series| series.decided());
        series.filter(|(n, _)| *n >= 8).filter_map(|(n, run)| Some((f64::from(n), run.states? as f64))).collect()
    };
    if let (Some(exponent), Some(base)) = (exponent(&counted("modular")), base(&counted("SPIN"))) {
        let _ = write!(
            page,
            "\n| growth of the number of states | FQ, section 1.1 | measured, n different threads, n ≥ 8 |\n|---|--:|--:|\n\
             | thread by thread | O(n^2) | n^{exponent:.2} |\n| all interleavings | O(2^n) | {base:.2}^n |\n"
        );
    }
}
