//! Tables of families: one row for each size, the tools side by side.

use crate::data::{Family, Series};
use crate::findings::grows;
use crate::peers::Run;
use std::fmt::Write;

/// A family as a heading, a table and a line about growth.
pub fn write_family(page: &mut String, family: &Family) {
    let _ = write!(page, "\n### {}\n\n", family.title);
    let series = &family.series;
    let counts = counts(series);
    // Four tools fill the page with their times.
    let in_memory = if series.len() <= 3 { &series[..] } else { &[] };
    let mut head = vec!["n".to_string()];
    head.extend(series.iter().map(|s| format!("{}, s", s.tool)));
    head.extend(series.iter().skip(1).map(|s| format!("{} / {}", s.tool, series[0].tool)));
    head.extend(in_memory.iter().map(|s| format!("{}, MB", s.tool)));
    head.extend(counts.iter().map(|(name, _)| name.clone()));
    write_head(page, &head);
    for n in family.sizes() {
        let runs: Vec<_> = series.iter().map(|series| series.at(n)).collect();
        let mut cells = vec![n.map_or("`[*]`".to_string(), |n| n.to_string())];
        cells.extend(runs.iter().map(|run| seconds(*run)));
        cells.extend(runs.iter().skip(1).map(|run| ratio(runs[0], *run)));
        cells.extend(in_memory.iter().map(|series| megabytes(series.at(n))));
        cells.extend(counts.iter().map(|(_, series)| {
            let run = series.iter().filter_map(|s| s.at(n)).find(|run| run.states.is_some());
            run.and_then(|run| run.states).map_or("–".to_string(), |states| states.to_string())
        }));
        write_cells(page, &cells);
    }
    let growth: Vec<_> = series.iter().map(grows).collect();
    let _ = writeln!(page, "\nCPU time with n: {}.", growth.join("; "));
}

/// The head of a table of numbers.
pub fn write_head(page: &mut String, head: &[String]) {
    write_cells(page, head);
    let _ = writeln!(page, "|{}", "--:|".repeat(head.len()));
}

/// A row of a table.
pub fn write_cells(page: &mut String, cells: &[String]) {
    let _ = writeln!(page, "| {} |", cells.join(" | "));
}

/// The columns of counts: tools that count the same, and come to the same, share one.
fn counts(series: &[Series]) -> Vec<(String, Vec<&Series>)> {
    let mut columns: Vec<(String, Vec<&Series>)> = Vec::new();
    for one in series {
        let same = columns.iter_mut().find(|(_, others)| others.iter().all(|other| agree(one, other)));
        match same {
            Some((_, column)) => column.push(one),
            None => columns.push((String::new(), vec![one])),
        }
    }
    let shared = columns.len() == 1;
    for (name, column) in &mut columns {
        let tools: Vec<_> = column.iter().map(|s| s.tool.as_str()).collect();
        *name =
            if shared { column[0].counts.clone() } else { format!("{}, {}", tools.join(" and "), column[0].counts) };
    }
    columns
}

fn agree(one: &Series, other: &Series) -> bool {
    let equal = |(n, run): (u32, &Run)| {
        other.at(Some(n)).is_none_or(|theirs| theirs.states.is_none() || theirs.states == run.states)
    };
    one.counts == other.counts && one.decided().all(equal)
}

/// CPU time, or which limit was met.
pub fn seconds(run: Option<&Run>) -> String {
    match run {
        None => String::new(),
        Some(Run { states: Some(_), cpu_seconds, .. }) => format!("{cpu_seconds:.2}"),
        Some(Run { limit: Some(limit), .. }) => limit.clone(),
        Some(_) => "–".to_string(),
    }
}

fn megabytes(run: Option<&Run>) -> String {
    run.filter(|run| run.states.is_some()).map_or(String::new(), |run| format!("{:.1}", run.peak_bytes as f64 / 1e6))
}

/// How many times as long as the first tool another one takes; of shorter runs it would tell nothing.
fn ratio(ours: Option<&Run>, theirs: Option<&Run>) -> String {
    let both = ours.zip(theirs).filter(|(ours, theirs)| ours.states.is_some() && theirs.states.is_some());
    let long = both.filter(|(ours, theirs)| ours.cpu_seconds.max(theirs.cpu_seconds) >= 0.05);
    long.map_or(String::new(), |(ours, theirs)| {
        format!("{:.1}", theirs.cpu_seconds.max(0.01) / ours.cpu_seconds.max(0.01))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_sets_the_tools_side_by_side() {
        let run = |states, cpu_seconds, limit: Option<&str>| Run {
            states,
            cpu_seconds,
            peak_bytes: 2_000_000,
            limit: limit.map(str::to_string),
        };
        let mut family = Family::new("Locks", &[("explicit", "states"), ("SPIN", "states")]);
        family.series[0].push(2, run(Some(7), 0.5, None));
        family.series[1].push(2, run(Some(7), 1.0, None));
        family.series[0].push(3, run(Some(9), 2.0, None));
        family.series[1].push(3, run(None, 300.0, Some("time")));
        let mut page = String::new();
        write_family(&mut page, &family);
        assert_eq!(
            page,
            "\n### Locks\n\n\
             | n | explicit, s | SPIN, s | SPIN / explicit | explicit, MB | SPIN, MB | states |\n\
             |--:|--:|--:|--:|--:|--:|--:|\n\
             | 2 | 0.50 | 1.00 | 2.0 | 2.0 | 2.0 | 7 |\n\
             | 3 | 2.00 | time |  | 2.0 |  | 9 |\n\n\
             CPU time with n: explicit grows 4.0-fold from n = 2 to 3; SPIN has too few long runs for a fit.\n"
        );
    }
}
