//! What came of many tasks, in one table: as a page for browsers with quantile plots, or as CSV.
//!
//! ```text
//! html(title, &rows)    // one file that needs nothing else
//! csv(&rows)            // a line for each row, with a line of titles
//! ```
//!
//! A row is one property of one task. Where the task says which verdict is expected, the row is right or wrong, and counts as in the
//! competition on software verification.

mod csv;
mod page;
mod quantile;
mod summary;

pub use csv::csv;
pub use page::html;
pub use quantile::{Line, quantile_plot};
pub use summary::{Group, by_engine, by_folder};

use serde::{Deserialize, Serialize};

/// What came of one property of one task.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Row {
    /// The file, as it was found.
    pub task: String,
    /// As users name it; empty where all was asked at once.
    pub property: String,
    /// `safe`, `unsafe`, `unknown` or `error`.
    pub verdict: String,
    /// Whether the program is expected to be right, where somebody says so.
    pub expected: Option<bool>,
    pub engine: String,
    pub seconds: f64,
    /// How long cores worked for it, in the whole run of the task.
    pub cpu_seconds: f64,
    pub peak_memory_bytes: u64,
    /// Why there is no verdict, or what is wrong with the program.
    pub reason: String,
}

/// What a verdict is worth.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Status {
    /// As expected.
    Right,
    /// A verdict of which nobody says whether it is right.
    Decided,
    Undecided,
    /// Not as expected.
    Wrong,
}

impl Row {
    pub fn status(&self) -> Status {
        match (self.is_safe(), self.expected) {
            (None, _) => Status::Undecided,
            (Some(_), None) => Status::Decided,
            (Some(is_safe), Some(expected)) if is_safe == expected => Status::Right,
            (Some(_), Some(_)) => Status::Wrong,
        }
    }

    /// Whether a verdict that is not wrong was given.
    pub fn is_solved(&self) -> bool {
        matches!(self.status(), Status::Right | Status::Decided)
    }

    /// Points by the competition's rules: a proof counts twice an error that was found, and what is wrong costs a lot.
    pub fn score(&self) -> i64 {
        match (self.status(), self.is_safe()) {
            (Status::Right | Status::Decided, Some(true)) => 2,
            (Status::Right | Status::Decided, _) => 1,
            (Status::Wrong, Some(true)) => -32,
            (Status::Wrong, _) => -16,
            (Status::Undecided, _) => 0,
        }
    }

    /// The folder that the task is in.
    pub fn folder(&self) -> &str {
        self.task.rsplit_once('/').map_or(".", |(folder, _)| folder)
    }

    fn is_safe(&self) -> Option<bool> {
        match self.verdict.as_str() {
            "safe" => Some(true),
            "unsafe" => Some(false),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_counts_by_what_was_expected() {
        let row = |verdict: &str, expected| Row { verdict: verdict.to_string(), expected, ..Row::default() };
        let scores = |verdict: &str| [Some(true), Some(false), None].map(|expected| row(verdict, expected).score());
        assert_eq!(scores("safe"), [2, -32, 2]);
        assert_eq!(scores("unsafe"), [-16, 1, 1]);
        assert_eq!(scores("unknown"), [0, 0, 0]);
        assert_eq!(scores("error"), [0, 0, 0]);
        assert_eq!(row("safe", None).status(), Status::Decided);
        assert_eq!(row("unsafe", Some(true)).status(), Status::Wrong);
    }

    #[test]
    fn a_task_is_in_a_folder() {
        let row = |task: &str| Row { task: task.to_string(), ..Row::default() };
        assert_eq!(row("a/b/c.yml").folder(), "a/b");
        assert_eq!(row("c.yml").folder(), ".");
    }
}
