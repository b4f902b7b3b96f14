//! Texts as editors count them: lines from 0, and columns in units of UTF-16.

use crate::lsp::{Position, Range, TextDocumentContentChangeEvent};
use threadwise_source::Span;

/// A text with the starts of its lines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Text {
    content: String,
    starts: Vec<usize>,
}

impl Text {
    pub(crate) fn new(content: String) -> Text {
        let after_ends = content.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(after_ends).collect();
        Text { content, starts }
    }

    pub(crate) fn content(&self) -> &str {
        &self.content
    }

    /// A line without its end; empty if there is no such line.
    pub(crate) fn line(&self, number: usize) -> &str {
        let Some(&start) = self.starts.get(number) else { return "" };
        let end = self.starts.get(number + 1).map_or(self.content.len(), |next| next - 1);
        self.content[start..end].trim_end_matches('\r')
    }

    pub(crate) fn lines(&self) -> usize {
        self.starts.len()
    }

    /// The byte at a place; places behind the end of a line or of the text are at that end.
    pub(crate) fn offset(&self, position: Position) -> usize {
        let number = position.line as usize;
        let Some(&start) = self.starts.get(number) else { return self.content.len() };
        let line = self.line(number);
        let mut units = 0;
        for (at, c) in line.char_indices() {
            if units >= position.character {
                return start + at;
            }
            units += c.len_utf16() as u32;
        }
        start + line.len()
    }

    pub(crate) fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.content.len());
        let line = self.starts.partition_point(|&start| start <= offset) - 1;
        let before = self.content.get(self.starts[line]..offset).unwrap_or_default();
        Position { line: line as u32, character: before.encode_utf16().count() as u32 }
    }

    pub(crate) fn range(&self, span: Span) -> Range {
        Range { start: self.position(span.start as usize), end: self.position(span.end.max(span.start) as usize) }
    }

    /// The place of a line and a column as reports count them: both from 1, columns in characters.
    pub(crate) fn reported(&self, line: u64, column: u64) -> Position {
        let number = line.saturating_sub(1) as usize;
        let before = self.line(number).chars().take(column.saturating_sub(1) as usize);
        Position { line: number as u32, character: before.map(|c| c.len_utf16() as u32).sum() }
    }

    /// The text after a change.
    pub(crate) fn changed(&self, change: &TextDocumentContentChangeEvent) -> Text {
        let Some(range) = change.range else { return Text::new(change.text.clone()) };
        let start = self.offset(range.start);
        let end = self.offset(range.end).max(start);
        Text::new([&self.content[..start], &change.text, &self.content[end..]].concat())
    }
}

/// Which lines of an old text are still there in a new one: those before the first difference and those behind the last.
pub(crate) struct Shift {
    before: usize,
    /// The first of the old lines that are the same up to the end.
    behind: usize,
    moved: i64,
}

impl Shift {
    pub(crate) fn new(old: &Text, new: &Text) -> Shift {
        let (old_count, new_count) = (old.lines(), new.lines());
        let fewest = old_count.min(new_count);
        let before = (0..fewest).take_while(|&line| old.line(line) == new.line(line)).count();
        let same = |back: &usize| old.line(old_count - 1 - back) == new.line(new_count - 1 - back);
        let behind = (0..fewest - before).take_while(same).count();
        Shift { before, behind: old_count - behind, moved: new_count as i64 - old_count as i64 }
    }

    /// Where an old line is now; nothing for one that was changed.
    pub(crate) fn line(&self, old: u32) -> Option<u32> {
        let line = old as usize;
        match () {
            () if line < self.before => Some(old),
            () if line >= self.behind => u32::try_from(i64::from(old) + self.moved).ok(),
            () => None,
        }
    }

    pub(crate) fn range(&self, old: Range) -> Option<Range> {
        let place = |position: Position| Some(Position { line: self.line(position.line)?, ..position });
        Some(Range { start: place(old.start)?, end: place(old.end)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn columns_count_units_of_utf_16() {
        let text = Text::new("a😀b\r\né\n".to_string());
        assert_eq!(text.position(5), at(0, 3));
        assert_eq!(text.offset(at(0, 3)), 5);
        assert_eq!(text.offset(at(0, 99)), 6, "the end of the line, before what ends it");
        assert_eq!(text.offset(at(1, 1)), 10);
        assert_eq!((text.offset(at(9, 0)), text.position(99)), (11, at(2, 0)));
        assert_eq!(text.reported(1, 3), at(0, 3));
    }

    fn partial(range: Range, text: String) -> TextDocumentContentChangeEvent {
        TextDocumentContentChangeEvent { range: Some(range), text }
    }

    #[test]
    fn a_change_may_be_the_whole_text() {
        let text = Text::new("abc".to_string());
        let whole = TextDocumentContentChangeEvent { range: None, text: "x\ny".to_string() };
        assert_eq!(text.changed(&whole), Text::new("x\ny".to_string()));
    }

    proptest! {
        #[test]
        fn places_are_found_again(content in "[a-c😀é\\n]{0,40}", at in 0usize..60) {
            let text = Text::new(content.clone());
            let offset = (0..=at.min(content.len())).rev().find(|&at| content.is_char_boundary(at)).unwrap_or(0);
            prop_assert_eq!(text.offset(text.position(offset)), offset);
        }

        #[test]
        fn a_change_does_what_it_says(content in "[ab😀\\n]{0,30}", from in (0u32..6, 0u32..9), to in (0u32..6, 0u32..9), new in "[xy\\n]{0,6}") {
            let text = Text::new(content.clone());
            let (from, to) = (text.offset(at(from.0, from.1)), text.offset(at(to.0, to.1)));
            let (from, to) = (from.min(to), from.max(to));
            let range = text.range(Span::new(from, to));
            let mut expected = content;
            expected.replace_range(from..to, &new);
            prop_assert_eq!(text.changed(&partial(range, new)), Text::new(expected));
        }

        #[test]
        fn lines_that_stayed_are_the_same(old in "[ab\\n]{0,30}", new in "[ab\\n]{0,30}") {
            let (old, new) = (Text::new(old), Text::new(new));
            let shift = Shift::new(&old, &new);
            for line in 0..old.lines() as u32 {
                if let Some(now) = shift.line(line) {
                    prop_assert_eq!(old.line(line as usize), new.line(now as usize));
                }
            }
            if old == new {
                prop_assert!((0..old.lines() as u32).all(|line| shift.line(line) == Some(line)));
            }
        }
    }
}
