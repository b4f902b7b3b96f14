//! Rows for spreadsheets and scripts.

use crate::{Row, Status};

const TITLES: &str = "task,property,verdict,expected,status,engine,seconds,cpu_seconds,peak_memory_bytes,reason\n";

/// A line for each row, as RFC 4180 has it, but that lines end as on this system.
pub fn csv(rows: &[Row]) -> String {
    TITLES.to_string() + &rows.iter().map(line).collect::<String>()
}

fn line(row: &Row) -> String {
    let expected = row.expected.map_or("", |is_safe| if is_safe { "safe" } else { "unsafe" });
    let status = match row.status() {
        Status::Right => "right",
        Status::Decided => "decided",
        Status::Undecided => "undecided",
        Status::Wrong => "wrong",
    };
    let cells = [
        quoted(&row.task),
        quoted(&row.property),
        quoted(&row.verdict),
        expected.to_string(),
        status.to_string(),
        quoted(&row.engine),
        format!("{:.3}", row.seconds),
        format!("{:.2}", row.cpu_seconds),
        row.peak_memory_bytes.to_string(),
        quoted(&row.reason),
    ];
    cells.join(",") + "\n"
}

fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_comma_is_quoted() {
        let row = Row {
            task: "a,b.yml".to_string(),
            verdict: "unknown".to_string(),
            expected: Some(true),
            reason: "it said \"no\"\nand left".to_string(),
            seconds: 0.12345,
            ..Row::default()
        };
        let text = csv(&[row]);
        let expected = "\"a,b.yml\",,unknown,safe,undecided,,0.123,0.00,0,\"it said \"\"no\"\"\nand left\"\n";
        assert_eq!(text.strip_prefix(TITLES), Some(expected));
    }
}
