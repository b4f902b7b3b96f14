//! Draws the quantile plot of rows on standard input, a JSON object a line, with a line for each property: the pictures of docs/SVCOMP.md.
//! A first argument names a folder to draw alone.

use std::collections::BTreeMap;
use threadwise_report_table::{Line, Row, quantile_plot};

fn main() {
    let text = std::io::read_to_string(std::io::stdin()).expect("standard input is text");
    let rows = text.lines().map(|line| serde_json::from_str::<Row>(line).expect("each line is a row"));
    let folder = std::env::args().nth(1);
    let rows: Vec<Row> = rows.filter(|row| folder.as_ref().is_none_or(|folder| row.folder() == folder)).collect();
    let mut of: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.is_solved()) {
        of.entry(&row.property).or_default().push(row.seconds);
    }
    let line = |(property, mut seconds): (&str, Vec<f64>)| {
        seconds.sort_by(f64::total_cmp);
        Line { name: property.to_string(), seconds }
    };
    let lines: Vec<Line> = of.into_iter().map(line).collect();
    let tasks = lines.iter().map(|line| line.seconds.len()).max().unwrap_or(0);
    let most = rows.iter().map(|row| row.seconds).fold(1.0, f64::max);
    let size = if folder.is_some() { (350, 220) } else { (720, 360) };
    // A picture in a document has no ground of its own.
    let ground = "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<title>";
    print!("{}", quantile_plot(&lines, tasks, most, size).replacen("<title>", ground, 1));
}
