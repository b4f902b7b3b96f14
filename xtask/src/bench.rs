//! `cargo xtask bench`: measures, keeps what it measured in `bench/results`, and draws the page and its pictures from there.

use crate::findings::Finding;
use crate::page;
use crate::peers::Workshop;
use crate::picture::Picture;
use crate::setting::Setting;
use crate::{abstraction, auto, cartesian, deadlock, modular, predicates, search};
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, from_value, to_value};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

/// What to measure, and what to do with it.
#[derive(clap::Args)]
pub struct Options {
    /// Small sizes only, and print the page instead of writing anything.
    #[arg(long)]
    quick: bool,
    /// Measure only these parts of the page, and keep the others; may be given several times. Several
    /// commands with different parts may run at once.
    #[arg(long, value_delimiter = ',')]
    only: Vec<Part>,
    /// Measure so many parts at once; each keeps one core busy.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..))]
    jobs: u8,
    /// Measure nothing: draw the page and its pictures from what was measured before.
    #[arg(long, conflicts_with_all = ["quick", "only"])]
    draw_only: bool,
}

/// A part of the page, in the order of the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Part {
    /// Engine `cartesian`, beside SPIN.
    Cartesian,
    /// Engine `modular`, beside SPIN.
    Modular,
    /// Programs and their abstract threads, beside SPIN.
    Abstract,
    /// Engine `predicates`, on THREADER's table 1.
    Predicates,
    /// Searches without symmetry, beside SPIN.
    Spin,
    /// Searches with symmetry, beside rumur.
    Rumur,
    /// Deadlocks, beside SPIN's invalid end states.
    Deadlock,
    /// `auto`, beside the fastest single engine.
    Auto,
}

/// What a part contributes to the page.
#[derive(Default)]
pub struct Section {
    /// Prose and tables.
    pub text: String,
    /// For the summary.
    pub findings: Vec<Finding>,
    /// Pictures, which stand above the tables.
    pub pictures: Vec<Picture>,
}

/// A file of `bench/results`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Results {
    /// Where and with what it was measured.
    pub setting: Setting,
    /// Its form depends on the part.
    pub measured: Value,
}

impl Part {
    /// All of them.
    pub const ALL: [Part; 8] = [
        Part::Cartesian,
        Part::Modular,
        Part::Abstract,
        Part::Predicates,
        Part::Spin,
        Part::Rumur,
        Part::Deadlock,
        Part::Auto,
    ];

    /// The name of the part's file.
    pub fn name(self) -> &'static str {
        match self {
            Part::Spin => "spin",
            Part::Rumur => "rumur",
            Part::Modular => "modular",
            Part::Cartesian => "cartesian",
            Part::Abstract => "abstract",
            Part::Predicates => "predicates",
            Part::Deadlock => "deadlock",
            Part::Auto => "auto",
        }
    }

    /// The heading of the part on the page.
    pub fn heading(self) -> &'static str {
        match self {
            Part::Spin => "Without symmetry, beside SPIN",
            Part::Rumur => "With symmetry, beside rumur",
            Part::Modular => "Thread by thread, beside SPIN",
            Part::Cartesian => "Unions of products, beside SPIN",
            Part::Abstract => "Abstract threads, beside SPIN",
            Part::Predicates => "Unbounded data: THREADER's table 1",
            Part::Deadlock => "Deadlocks, beside SPIN",
            Part::Auto => "Engine `auto` beside the fastest engine",
        }
    }

    fn measure(self, shop: &Workshop, quick: bool) -> Result<Value> {
        Ok(match self {
            Part::Spin => to_value(search::beside_spin(shop, quick)?)?,
            Part::Rumur => to_value(search::beside_rumur(shop, quick)?)?,
            Part::Modular => to_value(modular::measure(shop, quick)?)?,
            Part::Cartesian => to_value(cartesian::measure(shop, quick)?)?,
            Part::Abstract => to_value(abstraction::measure(shop, quick)?)?,
            Part::Predicates => to_value(predicates::measure_rows(shop, quick)?)?,
            Part::Deadlock => to_value(deadlock::measure(shop, quick)?)?,
            Part::Auto => to_value(auto::measure_rows(shop, quick)?)?,
        })
    }

    /// What the part says about measured values.
    pub fn section(self, measured: Value) -> Result<Section> {
        Ok(match self {
            Part::Spin => search::spin_section(&from_value::<Vec<_>>(measured)?),
            Part::Rumur => search::rumur_section(&from_value::<Vec<_>>(measured)?),
            Part::Modular => modular::section(&from_value::<Vec<_>>(measured)?),
            Part::Cartesian => cartesian::section(&from_value::<Vec<_>>(measured)?),
            Part::Abstract => abstraction::section(&from_value::<Vec<_>>(measured)?),
            Part::Predicates => predicates::section(&from_value::<Vec<_>>(measured)?),
            Part::Deadlock => deadlock::section(&from_value::<Vec<_>>(measured)?),
            Part::Auto => auto::section(&from_value::<Vec<_>>(measured)?),
        })
    }

    fn file(self, root: &Path) -> PathBuf {
        root.join("bench/results").join(self.name()).with_extension("json")
    }
}

/// Measures, and draws the page.
pub fn run(options: &Options) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
    let wanted = |part: &Part| options.only.is_empty() || options.only.contains(part);
    let parts: Vec<Part> = Part::ALL.into_iter().filter(|part| !options.draw_only && wanted(part)).collect();
    let measured = measure(&root, &parts, options)?;
    if options.quick {
        println!("{}", page::compose(measured)?.text);
        return Ok(());
    }
    draw(&root)
}

/// Measures parts, as many at once as there are jobs. A part that fails does not keep the others from being measured and kept.
fn measure(root: &Path, parts: &[Part], options: &Options) -> Result<Vec<(Part, Results)>> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        while let Some(&part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push(measure_part(root, part, options).map(|results| (part, results)));
        }
        done
    };
    let done: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = (0..options.jobs).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker does not panic")).collect()
    });
    if !options.quick && done.iter().any(Result::is_err) {
        draw(root)?;
    }
    let mut measured = done.into_iter().collect::<Result<Vec<_>>>()?;
    measured.sort_by_key(|(part, _)| *part as usize);
    Ok(measured)
}

fn measure_part(root: &Path, part: Part, options: &Options) -> Result<Results> {
    let start = Instant::now();
    let shop = Workshop::new(root, part.name())?;
    let mut setting = Setting::here(root, shop.threadwise_path());
    let measured = part.measure(&shop, options.quick).with_context(|| format!("part `{}`", part.name()))?;
    setting.minutes = (start.elapsed().as_secs_f64() / 6.0).round() / 10.0;
    let results = Results { setting, measured };
    if !options.quick {
        save(root, part, &results)?;
    }
    Ok(results)
}

/// Keeps what was measured, as soon as there is something to keep.
fn save(root: &Path, part: Part, results: &Results) -> Result<()> {
    let file = part.file(root);
    fs::create_dir_all(root.join("bench/results"))?;
    replace(&file, &(serde_json::to_string_pretty(results)? + "\n"))
}

/// Draws the page and its pictures from what was measured. Of several commands that end at the same time one waits for the
/// other, so that the last one draws all that there is.
fn draw(root: &Path) -> Result<()> {
    let lock = fs::File::open(root.join("bench"))?;
    lock.lock()?;
    let drawn = page::compose(load(root)?)?;
    for (file, text) in drawn.files() {
        let file = root.join(file);
        fs::create_dir_all(file.parent().context("a file in a folder")?)?;
        replace(&file, text)?;
    }
    Ok(())
}

/// All that was measured so far.
fn load(root: &Path) -> Result<Vec<(Part, Results)>> {
    let kept = Part::ALL.into_iter().filter(|part| part.file(root).is_file());
    let loaded = kept.map(|part| {
        let file = part.file(root);
        let results = serde_json::from_str(&fs::read_to_string(&file)?);
        Ok((part, results.with_context(|| format!("{} is not as expected", file.display()))?))
    });
    loaded.collect()
}

/// Writes a file at once, so that nobody reads half of it.
fn replace(file: &Path, text: &str) -> Result<()> {
    let new = file.with_extension(format!("new-{}", std::process::id()));
    fs::write(&new, text)?;
    Ok(fs::rename(new, file)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With `BLESS=1` in the environment the files are written instead.
    #[test]
    fn the_page_and_its_pictures_are_what_the_results_draw() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        if std::env::var_os("BLESS").is_some() {
            return draw(&root).expect("a page");
        }
        let drawn = page::compose(load(&root).expect("readable results")).expect("a page");
        for (file, text) in drawn.files() {
            let kept = fs::read_to_string(root.join(file)).unwrap_or_default();
            assert!(kept == *text, "{file} is not what bench/results draws; run `cargo xtask bench --draw-only`");
        }
        // Screens of pages, which are no drawings, come from the tests in a browser.
        let files = fs::read_dir(root.join("docs/pictures")).expect("the pictures' folder").flatten();
        let drawings = files.filter(|file| file.path().extension().is_some_and(|end| end == "svg")).count();
        assert_eq!(drawings, drawn.pictures.len(), "pictures that nothing draws are left in docs/pictures");
    }
}
