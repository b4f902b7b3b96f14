//! The part of the benchmarks about engine `cartesian`: the lock class, CART's figure 3.12.

use crate::modular::growth_exponent;
use crate::peers::{Run, Workshop};
use anyhow::Result;
use std::fmt::Write;
use std::path::PathBuf;
use threadwise_suite::lock_class_different;

const HEAD: &str = "\n| n | tool | products or states | CPU s | peak MB |\n|--:|---|--:|--:|--:|\n";

/// Tools that list states are not asked for more threads than this.
const MOST_LISTED: u32 = 24;

/// Measures and writes the lock class with one, two and three critical sections.
pub fn write(page: &mut String, shop: &Workshop, quick: bool) -> Result<()> {
    *page += "\nThe lock class of CART, section 3.6, with m critical sections of one location each: figure 3.12 again. Engine \
              `cartesian` counts products, and its time includes the check of the proof; the explicit engine, without \
              reductions, and SPIN count states.\n";
    let sizes: &[u32] = if quick { &[2, 8, 32] } else { &[2, 4, 8, 12, 16, 20, 24, 50, 100, 200, 500, 1_000] };
    for m in 1..=3 {
        let _ = write!(page, "\n### Lock class, m = {m}, interchangeable copies\n{HEAD}");
        let ours = Case { program: shop.model("lock-class", "tw"), promela: "lock-class", m };
        ours.measure(page, shop, sizes, "interchangeable")?;
        let _ = write!(page, "\n### Lock class, m = {m}, copies made different\n{HEAD}");
        let program = shop.save(&format!("lock-class-different-{m}.tw"), &lock_class_different(m))?;
        let ours = Case { program, promela: "lock-class-different", m };
        let points = ours.measure(page, shop, sizes, "different")?;
        match growth_exponent(&points) {
            Some(exponent) => {
                let _ = writeln!(
                    page,
                    "\nThe CPU time of engine `cartesian` grows like n to the {exponent:.2} (least squares in log-log, sizes \
                     of 0.05 s and more)."
                );
            }
            None => *page += "\nToo few sizes take long enough to fit a growth exponent.\n",
        }
    }
    Ok(())
}

struct Case {
    program: PathBuf,
    promela: &'static str,
    m: usize,
}

impl Case {
    fn measure(&self, page: &mut String, shop: &Workshop, sizes: &[u32], what: &str) -> Result<Vec<(u32, Run)>> {
        let m = self.m;
        let mut points = Vec::new();
        let (mut explicit_goes_on, mut spin_goes_on) = (true, true);
        for &n in sizes {
            eprintln!("lock class, m = {m}, {n} {what} copies");
            let mut defines = vec![format!("N={n}")];
            if what == "interchangeable" {
                defines.extend([format!("M={m}"), "K=1".to_string()]);
            }
            let ours = shop.cartesian(&self.program, &defines)?;
            write_row(page, n, "cartesian", &ours);
            points.push((n, ours));
            if n <= MOST_LISTED && explicit_goes_on {
                let explicit = shop.explicit(&self.program, &defines)?;
                explicit_goes_on = explicit.states.is_some();
                write_row(page, n, "explicit", &explicit);
            }
            if n <= MOST_LISTED && spin_goes_on {
                let text = std::fs::read_to_string(shop.model(self.promela, "pml"))?;
                let text = format!("#define M {m}\n#define K 1\n{text}");
                let name = format!("{}-{m}-{n}", self.promela);
                let spin = shop.spin_on(&shop.save(&format!("{name}.pml"), &text)?, &name, n)?;
                spin_goes_on = spin.states.is_some();
                write_row(page, n, "SPIN", &spin);
            }
        }
        Ok(points)
    }
}

fn write_row(page: &mut String, n: u32, tool: &str, run: &Run) {
    let states = run.states.map_or("–".to_string(), |states| states.to_string());
    let _ = writeln!(page, "| {n} | {tool} | {states} | {:.2} | {:.1} |", run.cpu_seconds, run.peak_bytes as f64 / 1e6);
}
