//! Rows counted, by folder and by engine.

use crate::{Row, Status};
use std::collections::BTreeMap;

/// Rows that have something in common.
#[derive(Clone, PartialEq, Debug)]
pub struct Group<'a> {
    pub name: String,
    pub rows: Vec<&'a Row>,
}

impl Group<'_> {
    pub fn count(&self, is_counted: impl Fn(&Row) -> bool) -> usize {
        self.rows.iter().filter(|row| is_counted(row)).count()
    }

    pub fn wrong(&self) -> usize {
        self.count(|row| row.status() == Status::Wrong)
    }

    pub fn score(&self) -> i64 {
        self.rows.iter().map(|row| row.score()).sum()
    }

    /// The seconds of the middle one of those that are solved.
    pub fn median(&self) -> Option<f64> {
        let times = self.times();
        times.get(times.len() / 2).copied()
    }

    /// The seconds of those that are solved, the quickest first.
    pub fn times(&self) -> Vec<f64> {
        let mut times: Vec<f64> = self.rows.iter().filter(|row| row.is_solved()).map(|row| row.seconds).collect();
        times.sort_by(f64::total_cmp);
        times
    }
}

fn grouped<'a>(rows: impl Iterator<Item = (&'a str, &'a Row)>) -> Vec<Group<'a>> {
    let mut groups: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    rows.for_each(|(name, row)| groups.entry(name).or_default().push(row));
    groups.into_iter().map(|(name, rows)| Group { name: name.to_string(), rows }).collect()
}

/// The rows of each folder.
pub fn by_folder(rows: &[Row]) -> Vec<Group<'_>> {
    grouped(rows.iter().map(|row| (row.folder(), row)))
}

/// What each engine decided; the one that decided the most comes first.
pub fn by_engine(rows: &[Row]) -> Vec<Group<'_>> {
    let decided = rows.iter().filter(|row| row.status() != Status::Undecided);
    let mut groups = grouped(decided.map(|row| (row.engine.as_str(), row)));
    groups.sort_by_key(|group| std::cmp::Reverse(group.rows.len()));
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(task: &str, verdict: &str, engine: &str, seconds: f64) -> Row {
        let [task, verdict, engine] = [task, verdict, engine].map(str::to_string);
        Row { task, verdict, engine, seconds, expected: Some(true), ..Row::default() }
    }

    #[test]
    fn folders_and_engines_are_counted() {
        let rows = [
            row("b/1.yml", "safe", "locks", 3.0),
            row("a/2.yml", "safe", "hunt", 1.0),
            row("b/3.yml", "unsafe", "hunt", 0.1),
            row("b/4.yml", "unknown", "auto", 9.0),
            row("b/5.yml", "safe", "hunt", 2.0),
        ];
        let folders = by_folder(&rows);
        assert_eq!(folders.iter().map(|group| group.name.as_str()).collect::<Vec<&str>>(), ["a", "b"]);
        let b = &folders[1];
        assert_eq!((b.rows.len(), b.wrong(), b.score(), b.median()), (4, 1, 2 + 2 - 16, Some(3.0)));
        assert_eq!(b.times(), [2.0, 3.0]);
        let engines = by_engine(&rows);
        assert_eq!(engines.iter().map(|group| group.name.as_str()).collect::<Vec<&str>>(), ["hunt", "locks"]);
    }

    #[test]
    fn where_nothing_is_solved_there_is_no_middle() {
        let rows = [row("1.yml", "unknown", "", 1.0)];
        assert_eq!(by_folder(&rows)[0].median(), None);
        assert!(by_engine(&rows).is_empty());
    }
}
