//! Tables for people.

use threadwise_report::{Palette, Tone};

/// To which side of its column a cell goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A cell: its text, and how it is painted.
pub type Cell = (String, Option<Tone>);

/// Rows under the titles of their columns.
pub fn table<const N: usize>(
    columns: &[(&str, Align); N],
    rows: impl IntoIterator<Item = [Cell; N]>,
    palette: Palette,
) -> String {
    let rows: Vec<[Cell; N]> = rows.into_iter().collect();
    let width = |column: usize| {
        let texts = rows.iter().map(|row| row[column].0.chars().count());
        texts.chain([columns[column].0.len()]).max().unwrap_or(0)
    };
    let widths: [usize; N] = std::array::from_fn(width);
    let line = |cells: &[Cell; N]| {
        let padded = cells.iter().zip(columns).zip(widths).map(|((cell, (_, align)), width)| {
            let blanks = " ".repeat(width - cell.0.chars().count());
            let text = cell.1.map_or_else(|| cell.0.clone(), |tone| palette.paint(tone, &cell.0));
            match align {
                Align::Left => text + &blanks,
                Align::Right => blanks + &text,
            }
        });
        padded.collect::<Vec<String>>().join("  ").trim_end().to_string() + "\n"
    };
    let titles = columns.map(|(title, _)| (title.to_string(), None));
    let titles = palette.paint(Tone::Quiet, line(&titles).trim_end()) + "\n";
    titles + &rows.iter().map(line).collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_to_the_left_and_numbers_to_the_right() {
        let cell = |text: &str| (text.to_string(), None);
        let rows = [[cell("ä"), cell("100")], [cell("long"), cell("7")]];
        let text = table(&[("word", Align::Left), ("n", Align::Right)], rows, Palette { color: false });
        assert_eq!(text, "word    n\nä     100\nlong    7\n");
    }
}
