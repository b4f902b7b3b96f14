//! What was measured, as it is kept in `bench/results`.

use crate::peers::Run;
use serde::{Deserialize, Serialize};

/// Programs that differ in one number, and the tools that were measured on them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Family {
    /// What the programs are.
    pub title: String,
    /// One for each tool.
    pub series: Vec<Series>,
}

/// One tool, from small programs to large ones.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Series {
    /// The tool or engine.
    pub tool: String,
    /// What it counts: states, products.
    pub counts: String,
    /// By size.
    pub points: Vec<Point>,
}

/// One program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Point {
    /// The number of threads; `None` stands for any number, `[*]`.
    pub n: Option<u32>,
    /// What it took.
    #[serde(flatten)]
    pub run: Run,
}

impl Family {
    /// A family of which nothing has been measured yet.
    pub fn new(title: impl Into<String>, tools: &[(&str, &str)]) -> Family {
        let series = tools.iter().map(|(tool, counts)| Series::new(tool, counts)).collect();
        Family { title: title.into(), series }
    }

    /// The series of a tool.
    pub fn of(&self, tool: &str) -> Option<&Series> {
        self.series.iter().find(|series| series.tool == tool)
    }

    /// All sizes, in order; any number comes last.
    pub fn sizes(&self) -> Vec<Option<u32>> {
        let mut sizes: Vec<_> = self.series.iter().flat_map(|series| series.points.iter().map(|p| p.n)).collect();
        sizes.sort_by_key(|n| (n.is_none(), *n));
        sizes.dedup();
        sizes
    }
}

impl Series {
    /// A series of which nothing has been measured yet.
    pub fn new(tool: &str, counts: &str) -> Series {
        Series { tool: tool.to_string(), counts: counts.to_string(), points: Vec::new() }
    }

    /// Notes a run.
    pub fn push(&mut self, n: u32, run: Run) {
        self.points.push(Point { n: Some(n), run });
    }

    /// Whether no limit was met so far: what is beyond a limit stays beyond it.
    pub fn goes_on(&self) -> bool {
        self.points.last().is_none_or(|point| point.run.states.is_some())
    }

    /// The runs that ended with a verdict, of programs with so many threads.
    pub fn decided(&self) -> impl DoubleEndedIterator<Item = (u32, &Run)> {
        self.points.iter().filter(|p| p.run.states.is_some()).filter_map(|p| Some((p.n?, &p.run)))
    }

    /// The largest size that the tool decides.
    pub fn largest(&self) -> Option<(u32, &Run)> {
        self.decided().max_by_key(|(n, _)| *n)
    }

    /// The size at which the tool met a limit.
    pub fn limit(&self) -> Option<(u32, &Run)> {
        self.points.iter().filter(|p| p.run.states.is_none()).find_map(|p| Some((p.n?, &p.run)))
    }

    /// The run at a size.
    pub fn at(&self, n: Option<u32>) -> Option<&Run> {
        self.points.iter().find(|point| point.n == n).map(|point| &point.run)
    }

    /// The CPU time of each size that was decided.
    pub fn seconds(&self) -> Vec<(f64, f64)> {
        self.decided().map(|(n, run)| (f64::from(n), run.cpu_seconds)).collect()
    }
}
