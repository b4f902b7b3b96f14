//! The part of the benchmarks about deadlocks: philosophers, beside SPIN's invalid end states.

use crate::bench::Section;
use crate::data::Family;
use crate::findings::{About, compare};
use crate::peers::{UNREDUCED, Workshop};
use crate::tables::write_family;
use anyhow::Result;

const FINDING: &str = "Philosophers who all take the left fork first, n threads";
const EXCLUDING: &str = "Philosophers of whom one takes the right fork first, n threads";

/// With more philosophers than these only `hunt` is asked: searches that list states have too many of them.
const LISTED: u32 = 12;

/// Measures how the deadlock is found, and how it is excluded where there is none.
pub fn measure(shop: &Workshop, quick: bool) -> Result<Vec<Family>> {
    Ok(vec![finding(shop, quick)?, excluding(shop, quick)?])
}

fn finding(shop: &Workshop, quick: bool) -> Result<Family> {
    let mut family = Family::new(FINDING, &[("hunt", "states"), ("explicit", "states"), ("SPIN", "states")]);
    for &n in if quick { &[4, 8][..] } else { &[4, 8, 12, 50, 100] } {
        eprintln!("{FINDING}, n = {n}");
        family.series[0].push(n, shop.finds("hunt", "philosophers-classic", n)?);
        if n <= LISTED {
            family.series[1].push(n, shop.finds("explicit", "philosophers-classic", n)?);
        }
        if n <= LISTED {
            family.series[2].push(n, shop.spin_deadlock("philosophers-classic", n, true)?);
        }
    }
    Ok(family)
}

fn excluding(shop: &Workshop, quick: bool) -> Result<Family> {
    let mut family = Family::new(EXCLUDING, &[("cartesian", "products"), ("explicit", "states"), ("SPIN", "states")]);
    for &n in if quick { &[4, 6][..] } else { &[4, 6, 8, 10] } {
        eprintln!("{EXCLUDING}, n = {n}");
        let model = "philosophers-asymmetric";
        if family.series[0].goes_on() {
            family.series[0].push(n, shop.cartesian(&shop.model(model, "tw"), &[format!("N={n}")])?);
        }
        family.series[1].push(n, shop.explicit(model, n, &UNREDUCED)?);
        family.series[2].push(n, shop.spin_deadlock(model, n, false)?);
    }
    Ok(family)
}

/// The section of the page.
pub fn section(families: &[Family]) -> Section {
    let text = "\nDining philosophers with `nodeadlock`, beside SPIN's search for invalid end states, without partial-order reduction. In the first \
                table there is a deadlock: SPIN searches depth-first, `explicit` breadth-first, so that it shows a shortest \
                trace, and `hunt` looks for likely executions. In the second there is none: `cartesian` proves that thread by thread, and its time \
                includes the check of the proof; SPIN and `explicit`, without reductions, visit the same states. Which forks are taken by whom is shared, and \
                there are exponentially many ways, for `cartesian` too.\n";
    let mut section = Section { text: text.to_string(), ..Section::default() };
    for family in families {
        write_family(&mut section.text, family);
        let ours = &family.series[0].tool;
        section.findings.extend(compare(About::Search, family, ours, "SPIN"));
    }
    section
}
