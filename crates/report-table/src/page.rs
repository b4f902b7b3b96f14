//! The table as one HTML file that needs nothing else: no server, no network, no script.

use crate::quantile::{Line, quantile_plot};
use crate::summary::{Group, by_engine, by_folder};
use crate::{Row, Status};
use std::collections::BTreeSet;

/// A folder with fewer tasks that are solved has no plot of its own.
const LEAST_TO_PLOT: usize = 5;

const LARGE: (u32, u32) = (720, 360);
const SMALL: (u32, u32) = (350, 220);

/// A page with the counts, the plots and the rows. `most` is the limit of time, or what took the longest.
pub fn html(title: &str, rows: &[Row]) -> String {
    let title = escaped(title);
    let style = include_str!("page.css");
    let (counts, engines, plots, table) = (counts(rows), engines(rows), plots(rows), table(rows));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{title}</title>\n\
         <style>\n{style}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{counts}{plots}{engines}{table}</body>\n</html>\n"
    )
}

fn counts(rows: &[Row]) -> String {
    let all = Group { name: "all".to_string(), rows: rows.iter().collect() };
    let mut groups = by_folder(rows);
    groups.push(all);
    let line = |group: &Group<'_>| {
        let of = |verdict: &str| group.count(|row| row.verdict == verdict && row.status() != Status::Wrong).to_string();
        let wrong = group.wrong();
        let cells = [
            number(group.rows.len().to_string()),
            number(of("safe")),
            number(of("unsafe")),
            number(of("unknown")),
            number(of("error")),
            format!("<td class=\"number{}\">{wrong}</td>", if wrong > 0 { " wrong" } else { "" }),
            number(group.score().to_string()),
            number(group.median().map_or("–".to_string(), |median| format!("{median:.2}"))),
        ];
        format!("<tr><th scope=\"row\">{}</th>{}</tr>\n", escaped(&group.name), cells.concat())
    };
    let titles = ["folder", "tasks", "safe", "unsafe", "unknown", "error", "wrong", "points", "median s"];
    format!("<h2>By folder</h2>\n{}", framed(&titles, &groups.iter().map(line).collect::<String>()))
}

fn engines(rows: &[Row]) -> String {
    let line = |group: &Group<'_>| {
        let of = |verdict: &str| number(group.count(|row| row.verdict == verdict).to_string());
        let median = number(group.median().map_or("–".to_string(), |median| format!("{median:.2}")));
        format!("<tr><th scope=\"row\">{}</th>{}{}{median}</tr>\n", escaped(&group.name), of("safe"), of("unsafe"))
    };
    let body: String = by_engine(rows).iter().map(line).collect();
    format!("<h2>Who decided</h2>\n{}", framed(&["engine", "safe", "unsafe", "median s"], &body))
}

/// One plot with a line for each property, and small ones for the folders.
fn plots(rows: &[Row]) -> String {
    let most = rows.iter().map(|row| row.seconds).fold(1.0, f64::max);
    let properties: BTreeSet<&str> = rows.iter().map(|row| row.property.as_str()).collect();
    let line = |property: &&str| {
        let rows = rows.iter().filter(|row| row.property == *property).collect();
        let group = Group { name: String::new(), rows };
        let name = if property.is_empty() { "all".to_string() } else { property.to_string() };
        Line { name, seconds: group.times() }
    };
    let lines: Vec<Line> = properties.iter().map(line).collect();
    let longest = |property: &&str| rows.iter().filter(|row| row.property == *property).count();
    let tasks = properties.iter().map(longest).max().unwrap_or(0);
    let large = quantile_plot(&lines, tasks, most, LARGE);
    let small = |group: &Group<'_>| {
        let seconds = group.times();
        let line = Line { name: group.name.rsplit('/').next().unwrap_or_default().to_string(), seconds };
        let is_enough = line.seconds.len() >= LEAST_TO_PLOT;
        is_enough.then(|| quantile_plot(std::slice::from_ref(&line), group.rows.len(), most, SMALL))
    };
    let folders = by_folder(rows);
    let small: String = match folders.len() {
        0 | 1 => String::new(),
        _ => folders.iter().filter_map(small).collect(),
    };
    format!(
        "<h2>How long the solved ones took</h2>\n<div class=\"plots\">\n{large}</div>\n<div class=\"plots\">\n{small}</div>\n"
    )
}

fn table(rows: &[Row]) -> String {
    let line = |row: &Row| {
        let status = match row.status() {
            Status::Right => "right",
            Status::Decided => "decided",
            Status::Undecided => "undecided",
            Status::Wrong => "wrong",
        };
        let expected = row.expected.map_or("", |is_safe| if is_safe { "safe" } else { "unsafe" });
        let words = [&row.task, &row.property].map(|text| format!("<td>{}</td>", escaped(text))).concat();
        let verdict =
            format!("<td class=\"{status}\">{}</td><td>{expected}</td>", escaped(&row.verdict.to_uppercase()));
        let numbers = [
            number(format!("{:.2}", row.seconds)),
            number(format!("{:.2}", row.cpu_seconds)),
            number((row.peak_memory_bytes >> 20).to_string()),
        ];
        let engine = format!("<td>{}</td>", escaped(&row.engine));
        format!("<tr>{words}{verdict}{engine}{}<td>{}</td></tr>\n", numbers.concat(), escaped(&row.reason))
    };
    let titles = ["task", "property", "verdict", "expected", "engine", "seconds", "CPU s", "MiB", "why"];
    format!("<h2>Tasks</h2>\n{}", framed(&titles, &rows.iter().map(line).collect::<String>()))
}

fn framed(titles: &[&str], body: &str) -> String {
    let titles: String = titles.iter().map(|title| format!("<th scope=\"col\">{title}</th>")).collect();
    format!("<div class=\"frame\"><table>\n<thead><tr>{titles}</tr></thead>\n<tbody>\n{body}</tbody>\n</table></div>\n")
}

fn number(text: String) -> String {
    format!("<td class=\"number\">{text}</td>")
}

/// Text that means nothing to a browser.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Row> {
        let row = |index: usize| Row {
            task: format!("{}/<{index}>.yml", if index.is_multiple_of(2) { "even" } else { "odd & more" }),
            property: "races".to_string(),
            verdict: ["safe", "unsafe", "unknown"][index % 3].to_string(),
            expected: Some(index != 4),
            engine: "locks".to_string(),
            seconds: index as f64,
            ..Row::default()
        };
        (0..30).map(row).collect()
    }

    #[test]
    fn a_page_is_well_formed_and_has_all_rows() {
        let text = html("a <title> & more", &rows());
        let page = text.strip_prefix("<!doctype html>\n").unwrap_or(&text);
        let parsed = roxmltree::Document::parse(page).expect("well-formed");
        let tables: Vec<usize> = parsed
            .descendants()
            .filter(|node| node.has_tag_name("tbody"))
            .map(|body| body.children().filter(|row| row.is_element()).count())
            .collect();
        assert_eq!(tables, [3, 1, 30], "two folders and all, one engine, the rows");
        let plots = parsed.descendants().filter(|node| node.tag_name().name() == "svg").count();
        assert_eq!(plots, 3, "all, and one for each folder");
    }

    #[test]
    fn what_is_wrong_is_seen() {
        // Number 4 is expected to be wrong, and UNSAFE; of those with the verdict UNSAFE the others are right.
        let wrong = rows().iter().filter(|row| row.status() == Status::Wrong).count();
        assert_eq!(wrong, 9);
        let text = html("t", &rows());
        assert_eq!(text.matches("<td class=\"wrong\">").count(), wrong);
        assert!(text.contains("number wrong"));
    }

    #[test]
    fn no_rows_are_a_page_too() {
        assert!(html("nothing", &[]).contains("<h2>Tasks</h2>"));
    }
}
