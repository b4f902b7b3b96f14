//! The parts of the benchmarks about exhaustive search: without symmetry beside SPIN, with symmetry beside rumur.

use crate::bench::Section;
use crate::data::{Family, Series};
use crate::findings::{About, compare};
use crate::peers::{Run, SYMMETRY_ONLY, UNREDUCED, Workshop};
use crate::picture::{Axis, Curve, Marker, Picture};
use crate::tables::write_family;
use anyhow::Result;

/// A model and the sizes it is measured at.
struct Case {
    title: &'static str,
    model: &'static str,
    sizes: &'static [u32],
    quick: &'static [u32],
}

const AGAINST_SPIN: &[Case] = &[
    Case { title: "Bluetooth driver, n workers", model: "bluetooth", sizes: &[3, 4, 5, 6], quick: &[3, 4] },
    Case {
        title: "Lock class with parked threads, m = 2, k = 1, n threads",
        model: "lock-class-parked",
        sizes: &[8, 10, 12, 13],
        quick: &[4, 6],
    },
    Case { title: "Simple(n)", model: "simple", sizes: &[8, 12, 16, 18], quick: &[4, 8] },
    Case { title: "Binary counter, n threads", model: "binary-counter", sizes: &[8, 12, 16, 20], quick: &[4, 8] },
];

/// rumur searches what its model says; `bluetooth-merged` merges the steps that threadwise folds.
const AGAINST_RUMUR: &[Case] = &[
    Case { title: "Bluetooth driver, n workers", model: "bluetooth", sizes: &[4, 6, 8], quick: &[3, 6] },
    Case {
        title: "Lock class with parked threads, m = 2, k = 1, n threads",
        model: "lock-class-parked",
        sizes: &[8, 16, 32],
        quick: &[4, 8],
    },
    Case { title: "Simple(n)", model: "simple", sizes: &[8, 16, 32], quick: &[4, 8] },
];

/// Measures the searches without symmetry.
pub fn beside_spin(shop: &Workshop, quick: bool) -> Result<Vec<Family>> {
    let ours = |model: &str, n| shop.explicit(model, n, &UNREDUCED);
    AGAINST_SPIN.iter().map(|case| measure(case, quick, ours, "SPIN", |model, n| shop.spin(model, n))).collect()
}

/// Measures the searches with symmetry.
pub fn beside_rumur(shop: &Workshop, quick: bool) -> Result<Vec<Family>> {
    let ours = |model: &str, n| shop.explicit(model, n, &SYMMETRY_ONLY);
    let rumur = |model: &str, n| shop.rumur(model, n);
    let families = AGAINST_RUMUR.iter().map(|case| measure(case, quick, ours, "rumur", rumur));
    let mut families = families.collect::<Result<Vec<_>>>()?;
    families.push(folded(shop, quick)?);
    Ok(families)
}

fn measure(
    case: &Case,
    quick: bool,
    ours: impl Fn(&str, u32) -> Result<Run>,
    peer: &str,
    theirs: impl Fn(&str, u32) -> Result<Run>,
) -> Result<Family> {
    let mut family = Family::new(case.title, &[("explicit", "states"), (peer, "states")]);
    for &n in if quick { case.quick } else { case.sizes } {
        eprintln!("{}, n = {n}", case.title);
        family.series[0].push(n, ours(case.model, n)?);
        family.series[1].push(n, theirs(case.model, n)?);
    }
    Ok(family)
}

/// Threadwise with all its reductions beside rumur on a model whose author merged steps by hand.
fn folded(shop: &Workshop, quick: bool) -> Result<Family> {
    let title = "Bluetooth driver, n workers, unobservable steps folded";
    let mut family = Family::new(title, &[("explicit", "states"), ("rumur", "states")]);
    for &n in if quick { &[4][..] } else { &[8, 12, 16, 20, 24] } {
        eprintln!("{title}, n = {n}");
        family.series[0].push(n, shop.explicit("bluetooth", n, &[])?);
        if n <= 16 {
            family.series[1].push(n, shop.rumur("bluetooth-merged", n)?);
        }
    }
    Ok(family)
}

/// The section about SPIN.
pub fn spin_section(families: &[Family]) -> Section {
    let text = "\nEngine `explicit` without symmetry, folding and reduction, and SPIN without partial-order reduction, visit the \
                same states.\n";
    section(families, "SPIN", text, "search-spin", "Exhaustive search without symmetry")
}

/// The section about rumur.
pub fn rumur_section(families: &[Family]) -> Section {
    let text = "\nEngine `explicit` and rumur count states that are permutations of each other once. In the last table \
                threadwise also folds steps that no other thread can observe; for rumur they are merged by hand in \
                `bluetooth-merged.m`, as far as its language allows, so that the numbers of states differ.\n";
    section(families, "rumur", text, "search-rumur", "Exhaustive search with symmetry")
}

fn section(families: &[Family], peer: &str, text: &str, file: &str, title: &str) -> Section {
    let mut section = Section { text: text.to_string(), ..Section::default() };
    let markers = [Marker::Disc, Marker::Triangle, Marker::Cross];
    let mut curves = Vec::new();
    for (index, family) in families.iter().enumerate() {
        write_family(&mut section.text, family);
        section.findings.extend(compare(About::Search, family, "explicit", peer));
        // The marker tells the family and the colour the tool, where the markers go round.
        let short: Vec<_> = family.title.split([' ', ',', '(']).take(if index == 2 { 1 } else { 2 }).collect();
        let short = short.join(" ");
        for (colour, series) in family.series.iter().enumerate() {
            curves.push(Curve {
                name: format!(
                    "{}: {short}{}",
                    series.tool,
                    if index == 3 && peer == "rumur" { ", folded" } else { "" }
                ),
                colour: colour + 2 * (index / markers.len()),
                marker: markers[index % markers.len()],
                line: true,
                points: per_state(series),
            });
        }
    }
    section.pictures.push(Picture {
        file: file.to_string(),
        title: title.to_string(),
        x: Axis::Log("states"),
        y: Axis::Log("CPU seconds"),
        curves,
    });
    section
}

/// The time against the states that it takes to visit.
fn per_state(series: &Series) -> Vec<(f64, f64)> {
    series.decided().filter_map(|(_, run)| Some((run.states? as f64, run.cpu_seconds))).collect()
}
