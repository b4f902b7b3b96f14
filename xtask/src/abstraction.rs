//! The part of the benchmarks about abstract threads: the two tables of ABSTHR, section 4, again.

use crate::bench::Section;
use crate::data::{Family, Series};
use crate::findings::{About, compare};
use crate::fit::{base, measurable};
use crate::peers::{UNREDUCED, Workshop};
use crate::picture::{Axis, Curve, Marker, Picture};
use crate::tables::{seconds, write_cells, write_head};
use anyhow::Result;
use std::fmt::Write;

struct Driver {
    title: &'static str,
    model: &'static str,
    /// What the paper prints for so many threads: seconds of SPIN for the program and for the abstract one.
    paper: [&'static [&'static str]; 2],
    /// What the paper fits: the bases of the program and of the abstract one.
    bases: (f64, f64),
}

const DRIVERS: [Driver; 2] = [
    Driver {
        title: "Bluetooth driver, n workers beside the unload thread",
        model: "bluetooth",
        paper: [
            &["0", "0", "0", "0.0225", "0.1833", "1.56", "19.26", "158.66", "n/a", "n/a", "n/a"],
            &["0", "0", "0", "0", "0.018", "0.12", "0.314", "1.246", "5.812", "39.04", "190.6"],
        ],
        bases: (9.3, 4.9),
    },
    Driver {
        title: "Battery driver, n workers beside the unload and dispatch threads",
        model: "battery",
        paper: [
            &["0", "0", "0.08", "1.042", "7.564", "54.28", "242.4", "929", "t/o", "t/o"],
            &["0", "0", "0", "0", "0.11", "0.51", "1.3", "3.29", "7.49", "19.2"],
        ],
        bases: (3.832, 2.227),
    },
];

/// The four series of a table: a tool on the program or on the abstract one.
const SERIES: [&str; 4] = ["explicit (program)", "explicit (abstract)", "SPIN (program)", "SPIN (abstract)"];

/// Measures both drivers, with their threads and with abstract workers, for each n as far as each
/// of the tools goes.
pub fn measure(shop: &Workshop, quick: bool) -> Result<Vec<Family>> {
    DRIVERS.iter().map(|driver| measure_driver(driver, shop, if quick { 3 } else { 11 })).collect()
}

fn measure_driver(driver: &Driver, shop: &Workshop, most: u32) -> Result<Family> {
    let mut family = Family::new(driver.title, &SERIES.map(|tool| (tool, "states")));
    for n in 1..=most {
        for series in family.series.iter_mut().filter(|series| series.goes_on()) {
            let model =
                format!("{}{}", driver.model, if series.tool.ends_with("(abstract)") { "-abstract" } else { "" });
            eprintln!("{}, {}, n = {n}", driver.model, series.tool);
            let run = if series.tool.starts_with("SPIN") {
                shop.spin(&model, n)?
            } else {
                shop.explicit(&model, n, &UNREDUCED)?
            };
            series.push(n, run);
        }
    }
    Ok(family)
}

/// The section of the page.
pub fn section(families: &[Family]) -> Section {
    let text = "\nThe tables of ABSTHR, section 4, measured again: the programs, and the same with abstract workers in the \
                places of the workers. Engine `explicit` without symmetry, folding and reduction, and SPIN without partial-order \
                reduction, visit the same states. In each cell: CPU seconds, or the limit that was met. The paper's figures are for \
                its own Promela texts and for SPIN on the machines of 2010, in rows by its number \
                of threads; 0 is below its precision, n/a and t/o are its limits of 2 GB and of 20 minutes.\n";
    let mut section = Section { text: text.to_string(), ..Section::default() };
    for (driver, family) in DRIVERS.iter().zip(families) {
        write_table(&mut section.text, driver, family);
        write_growth(&mut section.text, driver, family);
        section.findings.extend(compare(About::Threads, family, SERIES[1], SERIES[0]));
        section.findings.extend(compare(About::Threads, family, SERIES[3], SERIES[2]));
        section.pictures.push(picture(driver, family));
    }
    section
}

fn write_table(page: &mut String, driver: &Driver, family: &Family) {
    let _ = write!(page, "\n### {}\n\n", driver.title);
    let mut head = vec!["n".to_string()];
    head.extend(SERIES.iter().map(ToString::to_string));
    head.extend(["ABSTHR (program)", "ABSTHR (abstract)", "states (program)", "states (abstract)"].map(String::from));
    write_head(page, &head);
    for n in family.sizes() {
        let index = n.map_or(0, |n| n as usize - 1);
        let mut cells = vec![(index + 1).to_string()];
        cells.extend(family.series.iter().map(|series| seconds(series.at(n))));
        cells.extend(driver.paper.iter().map(|column| column.get(index).unwrap_or(&"").to_string()));
        for kind in ["(program)", "(abstract)"] {
            let of_kind = family.series.iter().filter(|series| series.tool.ends_with(kind));
            let states = of_kind.filter_map(|series| series.at(n)?.states).next();
            cells.push(states.map_or("–".to_string(), |states| states.to_string()));
        }
        write_cells(page, &cells);
    }
}

/// The bases of the exponential growth, and their quotient: the speedup is its n-th power.
fn write_growth(page: &mut String, driver: &Driver, family: &Family) {
    let time = |tool: &str| base(&measurable(family.of(tool)?));
    let states = |kind: &str| {
        let counted = |tool: &str| family.of(tool).map(states_of).filter(|points| points.len() >= 2);
        let ours = counted(&format!("explicit ({kind})"));
        base(&ours.or_else(|| counted(&format!("SPIN ({kind})")))?)
    };
    *page +=
        "\n| growth with n (least squares in the logarithm) | program | abstract | quotient |\n|---|--:|--:|--:|\n";
    let mut line = |what: &str, concrete: Option<f64>, abstracted: Option<f64>| {
        let shown = |base: Option<f64>| base.map_or("–".to_string(), |base| format!("{base:.2}"));
        let quotient = concrete.zip(abstracted).map(|(concrete, abstracted)| concrete / abstracted);
        let _ = writeln!(page, "| {what} | {} | {} | {} |", shown(concrete), shown(abstracted), shown(quotient));
    };
    line("CPU time of explicit", time(SERIES[0]), time(SERIES[1]));
    line("CPU time of SPIN", time(SERIES[2]), time(SERIES[3]));
    line("states", states("program"), states("abstract"));
    line("CPU time of SPIN in ABSTHR (2010)", Some(driver.bases.0), Some(driver.bases.1));
}

fn states_of(series: &Series) -> Vec<(f64, f64)> {
    series.decided().filter_map(|(n, run)| Some((f64::from(n), run.states? as f64))).collect()
}

fn picture(driver: &Driver, family: &Family) -> Picture {
    let curve =
        |name: &str, colour, marker, points| Curve { name: name.to_string(), colour, marker, line: true, points };
    let marker = |index: usize| if index.is_multiple_of(2) { Marker::Disc } else { Marker::Triangle };
    let measured = family.series.iter().enumerate();
    let mut curves: Vec<_> =
        measured.map(|(index, series)| curve(&series.tool, index / 2, marker(index), series.seconds())).collect();
    for (index, column) in driver.paper.iter().enumerate() {
        // Zero is below the paper's precision.
        let points =
            column.iter().enumerate().filter_map(|(at, text)| Some((at as f64 + 1.0, text.parse::<f64>().ok()?)));
        let name = ["ABSTHR, 2010 (program)", "ABSTHR, 2010 (abstract)"][index];
        curves.push(curve(name, 4, marker(index), points.filter(|(_, seconds)| *seconds > 0.0).collect()));
    }
    Picture {
        file: driver.model.to_string(),
        title: driver.title.to_string(),
        x: Axis::Linear("n, number of workers"),
        y: Axis::Log("CPU seconds"),
        curves,
    }
}
