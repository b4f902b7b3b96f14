use std::fmt;
use std::ops::Range;

/// A range of bytes in a source file, or of positions in a [`SourceMap`](crate::SourceMap).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span of the bytes `start..end`.
    pub fn new(start: usize, end: usize) -> Span {
        Span { start: start as u32, end: end as u32 }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

/// A line and a column, both counted from 1; columns count characters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A source file: its name as the user gave it, and its text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    name: String,
    text: String,
    line_starts: Vec<u32>,
}

impl SourceFile {
    /// The largest text that spans can address.
    pub const MAX_BYTES: usize = u32::MAX as usize - 1;

    /// A file with the given name and text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> SourceFile {
        let text = text.into();
        let after_newlines = text.match_indices('\n').map(|(i, _)| i as u32 + 1);
        let line_starts = std::iter::once(0).chain(after_newlines).collect();
        SourceFile { name: name.into(), text, line_starts }
    }

    /// The name the user gave.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text under a span (empty if the span does not fit the file).
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Line and column of a byte offset.
    pub fn position(&self, offset: u32) -> Position {
        let line = self.line_starts.partition_point(|&start| start <= offset);
        let start = self.line_starts[line - 1] as usize;
        let end = (offset as usize).min(self.text.len());
        let column = self.text.get(start..end).map_or(end - start, |s| s.chars().count());
        Position { line: line as u32, column: column as u32 + 1 }
    }

    /// The lines that hold the bytes `first..last`, without the last newline, and the number of
    /// the first of them.
    pub fn lines_around(&self, first: usize, last: usize) -> (usize, Range<usize>) {
        let line_after = |offset: usize| self.line_starts.partition_point(|&s| s as usize <= offset);
        let line = line_after(first);
        let end = match self.line_starts.get(line_after(last)) {
            Some(&next) => next as usize - 1,
            None => self.text.len(),
        };
        (line, self.line_starts[line - 1] as usize..end)
    }

    /// The text under a span on one line, runs of white space folded, cut to `max` characters.
    pub fn snippet(&self, span: Span, max: usize) -> String {
        folded_and_cut(self.slice(span), max)
    }

    /// The bytes of a line, counted from 1, without its end; `None` if there is no such line.
    pub(crate) fn line(&self, number: u32) -> Option<Range<usize>> {
        let start = *self.line_starts.get(number.checked_sub(1)? as usize)? as usize;
        let next = self.line_starts.get(number as usize);
        Some(start..next.map_or(self.text.len(), |&next| next as usize - 1))
    }

    /// The byte at a line and column; `None` if there is no such place.
    pub(crate) fn offset(&self, position: Position) -> Option<usize> {
        let line = self.line(position.line)?;
        let mut places = self.text[line.clone()].char_indices().map(|(at, _)| line.start + at).chain([line.end]);
        places.nth(position.column.checked_sub(1)? as usize)
    }

    /// A byte range that surely fits the text and its character boundaries.
    pub(crate) fn fitting(&self, span: Span) -> Range<usize> {
        let text = &self.text;
        let mut start = (span.start as usize).min(text.len());
        let mut end = (span.end as usize).clamp(start, text.len());
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        while !text.is_char_boundary(end) {
            end += 1;
        }
        start..end
    }
}

/// A text on one line, runs of white space folded.
pub(crate) fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The same, cut to `max` characters.
pub(crate) fn folded_and_cut(text: &str, max: usize) -> String {
    let folded = folded(text);
    match folded.char_indices().nth(max) {
        Some((cut, _)) => format!("{}…", &folded[..cut]),
        None => folded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let file = SourceFile::new("f.tw", "a\r\né = 1\n");
        assert_eq!(file.position(0), Position { line: 1, column: 1 });
        assert_eq!(file.position(5), Position { line: 2, column: 2 });
        assert_eq!(file.position(99), Position { line: 3, column: 1 });
    }

    #[test]
    fn lines_around_bytes_exclude_the_last_newline() {
        let file = SourceFile::new("f.tw", "one\ntwo\nthree");
        assert_eq!(file.lines_around(0, 3), (1, 0..3));
        assert_eq!(file.lines_around(5, 8), (2, 4..13));
        assert_eq!(file.lines_around(9, 13), (3, 8..13));
    }

    #[test]
    fn offsets_are_the_other_way_around() {
        let file = SourceFile::new("f.tw", "a\né = 1\n");
        for offset in [0, 1, 2, 4, 5, 8, 9] {
            assert_eq!(file.offset(file.position(offset)), Some(offset as usize));
        }
        assert_eq!(file.offset(Position { line: 1, column: 3 }), None);
        assert_eq!(file.offset(Position { line: 4, column: 1 }), None);
    }
}
