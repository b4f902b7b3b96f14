//! The part of the benchmarks about engine `cartesian`: the lock class, CART's figure 3.12, and programs without locks.

use crate::bench::Section;
use crate::data::Family;
use crate::findings::{About, compare};
use crate::peers::{SYMMETRY_ONLY, UNREDUCED, Workshop};
use crate::picture::{Axis, Curve, Marker, Picture, full_name};
use crate::tables::write_family;
use anyhow::Result;
use std::path::PathBuf;
use threadwise_suite::lock_class_different;

const CARTESIAN: &str = "cartesian";
const EXPLICIT: &str = "explicit";
const SYMMETRIC: &str = "explicit (symmetry)";
const SPIN: &str = "SPIN";

/// Beyond this, a search with symmetry takes minutes.
const MOST_SYMMETRIC: u32 = 500;

/// How often a thread may enter a critical section before it begins again.
const SECTIONS: [usize; 3] = [1, 2, 3];

/// Measures the lock class with one, two and three critical sections, and programs of other kinds.
pub fn measure(shop: &Workshop, quick: bool) -> Result<Vec<Family>> {
    let mut families = Vec::new();
    for m in SECTIONS {
        families.push(interchangeable(shop, m, quick)?);
    }
    for m in SECTIONS {
        // What is beyond a limit with fewer sections is beyond it with more.
        let smaller = families.last().filter(|_| m > 1).cloned();
        families.push(different(shop, m, quick, smaller.as_ref())?);
    }
    families.push(other(shop, "Binary counter, n threads", "binary-counter", &[4, 8, 12, 16, 20], quick)?);
    families.push(other(shop, "Bluetooth driver, n workers", "bluetooth", &[1, 2, 3, 4, 5], quick)?);
    Ok(families)
}

fn interchangeable(shop: &Workshop, m: usize, quick: bool) -> Result<Family> {
    let program = shop.model("lock-class", "tw");
    let tools = [(CARTESIAN, "products"), (EXPLICIT, "states"), (SPIN, "states"), (SYMMETRIC, "orbits")];
    let mut family = Family::new(format!("Lock class, m = {m}, interchangeable copies"), &tools);
    // Close to where the listing of states ends; with one section there are n + 1 of them, and SPIN has 255 processes.
    let listed: &[u32] = match m {
        1 => &[2, 4, 8, 16, 50, 100, 200],
        2 => &[2, 4, 8, 12, 16, 18, 20, 22],
        _ => &[2, 4, 6, 8, 10, 11, 12, 13],
    };
    for n in sizes(listed, &[50, 100, 200, 500, 1_000], quick) {
        eprintln!("lock class, m = {m}, {n} interchangeable copies");
        let defines = [format!("N={n}"), format!("M={m}"), "K=1".to_string()];
        family.series[0].push(n, shop.cartesian(&program, &defines)?);
        if listed.contains(&n) && family.series[1].goes_on() {
            family.series[1].push(n, shop.engine("explicit", "states", &program, &defines, &UNREDUCED)?);
        }
        if listed.contains(&n) && family.series[2].goes_on() {
            family.series[2].push(n, spin(shop, "lock-class", m, n)?);
        }
        if n <= MOST_SYMMETRIC && family.series[3].goes_on() {
            family.series[3].push(n, shop.engine("explicit", "states", &program, &defines, &SYMMETRY_ONLY)?);
        }
    }
    Ok(family)
}

fn different(shop: &Workshop, m: usize, quick: bool, smaller: Option<&Family>) -> Result<Family> {
    let program: PathBuf = shop.save(&format!("lock-class-different-{m}.tw"), &lock_class_different(m))?;
    let tools = [(CARTESIAN, "products"), (EXPLICIT, "states"), (SPIN, "states")];
    let mut family = Family::new(format!("Lock class, m = {m}, n different threads"), &tools);
    let listed: Vec<u32> = (2..=10 - m as u32).collect();
    let within =
        |tool: &str, n| smaller.and_then(|smaller| smaller.of(tool)?.limit()).is_none_or(|(limit, _)| n < limit);
    for n in sizes(&listed, &[12, 25, 50, 100, 200, 300, 500, 1_000], quick) {
        eprintln!("lock class, m = {m}, {n} different threads");
        let defines = [format!("N={n}")];
        if within(CARTESIAN, n) {
            family.series[0].push(n, shop.cartesian(&program, &defines)?);
        }
        if listed.contains(&n) && family.series[1].goes_on() && within(EXPLICIT, n) {
            family.series[1].push(n, shop.engine("explicit", "states", &program, &defines, &UNREDUCED)?);
        }
        if listed.contains(&n) && family.series[2].goes_on() && within(SPIN, n) {
            family.series[2].push(n, spin(shop, "lock-class-different", m, n)?);
        }
    }
    Ok(family)
}

/// A program of another kind, at sizes that all tools decide, or nearly.
fn other(shop: &Workshop, title: &str, model: &str, listed: &[u32], quick: bool) -> Result<Family> {
    let tools = [(CARTESIAN, "products"), (EXPLICIT, "states"), (SPIN, "states"), (SYMMETRIC, "orbits")];
    let mut family = Family::new(title, &tools);
    for n in sizes(listed, &[], quick) {
        eprintln!("{title}, n = {n}");
        if family.series[0].goes_on() {
            family.series[0].push(n, shop.cartesian(&shop.model(model, "tw"), &[format!("N={n}")])?);
        }
        family.series[1].push(n, shop.explicit(model, n, &UNREDUCED)?);
        family.series[2].push(n, shop.spin(model, n)?);
        family.series[3].push(n, shop.explicit(model, n, &SYMMETRY_ONLY)?);
    }
    Ok(family)
}

/// The sizes for tools that list states, and larger ones.
fn sizes(listed: &[u32], larger: &[u32], quick: bool) -> Vec<u32> {
    let most = listed.last().copied().unwrap_or(0);
    let larger = larger.iter().filter(|n| **n > most);
    if quick { listed.iter().take(3).copied().collect() } else { listed.iter().chain(larger).copied().collect() }
}

fn spin(shop: &Workshop, model: &str, m: usize, n: u32) -> Result<crate::peers::Run> {
    let text = std::fs::read_to_string(shop.model(model, "pml"))?;
    let text = format!("#define M {m}\n#define K 1\n{text}");
    let name = format!("{model}-{m}-{n}");
    shop.spin_on(&shop.save(&format!("{name}.pml"), &text)?, &name, n)
}

/// The section of the page.
pub fn section(families: &[Family]) -> Section {
    let text = "\nThe lock class of CART, section 3.6, with m critical sections of one location each: figure 3.12 again. The \
                figure has no numbers to set beside ours; it claims polynomial growth for m = 1, 2, 3, beside one curve of plain model \
                checking for m = 1. Engine `cartesian` counts products, and its time includes the check of the proof. Engine \
                `explicit`, without reductions unless *symmetry* is named, and SPIN count states. Threads are made different by steps \
                of their own before the lock, one more for each; SPIN's partial-order reduction makes no difference to them. The binary counter \
                (CART, example 1.12.2) has one long run; in the Bluetooth driver (ABSTHR, figure 4) the workers count themselves, so that few \
                products are large.\n";
    let mut section = Section { text: text.to_string(), ..Section::default() };
    for family in families {
        write_family(&mut section.text, family);
        let peer = if family.of(SYMMETRIC).is_some() { SYMMETRIC } else { EXPLICIT };
        section.findings.extend(compare(About::Threads, family, CARTESIAN, SPIN));
        section.findings.extend(compare(About::Threads, family, CARTESIAN, peer));
    }
    let picked = |what: &str| families.iter().filter(|family| family.title.contains(what)).collect::<Vec<_>>();
    let title = "The lock class: CPU time with the number of different threads";
    section.pictures = vec![
        picture("lock-class", title, &picked("m = 2, n different")),
        picture("lock-class-different", "Figure 3.12 of CART again, n different threads (m)", &picked("n different")),
        picture(
            "lock-class-copies",
            "Figure 3.12 of CART again, interchangeable copies (m)",
            &picked("interchangeable"),
        ),
        picture("binary-counter", "The binary counter", &picked("Binary")),
        picture("bluetooth-products", "Bluetooth driver, n workers: products beside states", &picked("Bluetooth")),
    ];
    section.pictures.retain(|picture| !picture.curves.is_empty());
    section
}

fn picture(file: &str, title: &str, families: &[&Family]) -> Picture {
    let markers = [Marker::Disc, Marker::Triangle, Marker::Cross];
    let curves = families.iter().enumerate().flat_map(|(index, family)| {
        family.series.iter().enumerate().map(move |(colour, series)| Curve {
            name: if families.len() > 1 { format!("{} ({})", series.tool, index + 1) } else { full_name(&series.tool) },
            colour,
            marker: markers[index % markers.len()],
            line: true,
            points: series.seconds(),
        })
    });
    Picture {
        file: file.to_string(),
        title: title.to_string(),
        x: Axis::Log("n, number of threads"),
        y: Axis::Log("CPU seconds"),
        curves: curves.collect(),
    }
}
