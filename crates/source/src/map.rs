use crate::file::{folded, folded_and_cut};
use crate::markers::{Marker, markers};
use crate::{Position, SourceFile, Span};
use std::collections::BTreeMap;
use std::ops::Range;

/// The files of a program in one space of positions: every file has a range of its own, so that a [`Span`] alone
/// tells which file it is in.
///
/// A file may be what a preprocessor made of others and say so with line markers. Positions in it are those that the
/// markers name, and where the text that it was made from is known, that is what is shown.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<Mapped>,
    originals: BTreeMap<String, SourceFile>,
}

/// A file and its place among the others.
#[derive(Clone, Debug)]
struct Mapped {
    /// The position of its first byte.
    start: u32,
    file: SourceFile,
    markers: Vec<Marker>,
}

/// Where a span is to be shown: in which text, under which name, and by how much its lines are counted differently there.
pub struct View<'a> {
    pub name: &'a str,
    pub file: &'a SourceFile,
    pub range: Range<usize>,
    /// The number of the first line.
    pub first_line: i64,
}

impl From<SourceFile> for SourceMap {
    /// A program in one file, whose first position is 0.
    fn from(file: SourceFile) -> SourceMap {
        let mapped = Mapped { start: 0, file, markers: Vec::new() };
        SourceMap { files: vec![mapped], originals: BTreeMap::new() }
    }
}

impl SourceMap {
    /// Adds a file, and gives the position of its first byte; `None` if there is no room for it.
    pub fn add(&mut self, file: SourceFile) -> Option<u32> {
        self.add_with(file, Vec::new())
    }

    /// Adds what a preprocessor made, with line markers.
    pub fn add_preprocessed(&mut self, file: SourceFile) -> Option<u32> {
        let markers = markers(file.text());
        self.add_with(file, markers)
    }

    /// Tells the text of a file that line markers name.
    pub fn add_original(&mut self, file: SourceFile) {
        self.originals.insert(file.name().to_string(), file);
    }

    /// The names in line markers, each once: the files whose texts would be worth knowing.
    pub fn marked_names(&self) -> impl Iterator<Item = &str> {
        let names = self.files.iter().flat_map(|mapped| &mapped.markers).map(|marker| &*marker.name);
        names.collect::<std::collections::BTreeSet<&str>>().into_iter()
    }

    fn add_with(&mut self, file: SourceFile, markers: Vec<Marker>) -> Option<u32> {
        // One position between two files is the end of the first.
        let start = self.files.last().map_or(0, |last| last.start as usize + last.file.text().len() + 1);
        if start + file.text().len() > SourceFile::MAX_BYTES {
            return None;
        }
        self.files.push(Mapped { start: start as u32, file, markers });
        Some(start as u32)
    }

    /// The name of the program: of its first file, as the user gave it.
    pub fn name(&self) -> &str {
        self.files.first().map_or("", |mapped| mapped.file.name())
    }

    /// The name of the file that a position is in.
    pub fn file_name(&self, position: u32) -> &str {
        match self.mapped(position) {
            Some(mapped) => mapped.marker(position - mapped.start).map_or(mapped.file.name(), |marker| &marker.name),
            None => "",
        }
    }

    /// The line and column of a position.
    pub fn position(&self, position: u32) -> Position {
        let Some(mapped) = self.mapped(position) else { return Position { line: 1, column: 1 } };
        let offset = position - mapped.start;
        let place = mapped.file.position(offset);
        let line = mapped.counted(place.line, offset);
        let made = mapped.file.line(place.line).map_or("", |range| &mapped.file.text()[range]);
        let written = self.original_line(mapped, offset, line);
        let column = written.map_or(place.column, |written| column_as_written(made, place.column, written));
        Position { line, column }
    }

    /// The line as the user wrote it, of what a preprocessor made of it.
    fn original_line(&self, mapped: &Mapped, offset: u32, line: u32) -> Option<&str> {
        let original = self.originals.get(&*mapped.marker(offset)?.name)?;
        Some(&original.text()[original.line(line)?])
    }

    /// `file:line:column` of a span's start.
    pub fn locate(&self, span: Span) -> String {
        format!("{}:{}", self.file_name(span.start), self.position(span.start))
    }

    /// The same without the file if there is only one.
    pub fn locate_briefly(&self, span: Span) -> String {
        match &self.files[..] {
            [only] if only.markers.is_empty() => self.position(span.start).to_string(),
            _ => self.locate(span),
        }
    }

    /// The text under a span (empty if the span does not fit).
    pub fn slice(&self, span: Span) -> &str {
        let mapped = self.mapped(span.start);
        mapped.map_or("", |mapped| mapped.file.slice(mapped.within(span)))
    }

    /// The text under a span on one line, runs of white space folded, cut to `max` characters.
    pub fn snippet(&self, span: Span, max: usize) -> String {
        let text = match self.in_original(span) {
            Some((original, range)) => &original.text()[range],
            None => self.slice(span),
        };
        folded_and_cut(text, max)
    }

    /// Where a span is to be shown.
    pub fn view(&self, span: Span) -> Option<View<'_>> {
        let mapped = self.mapped(span.start)?;
        let name = self.file_name(span.start);
        if let Some((file, range)) = self.in_original(span) {
            return Some(View { name, file, range, first_line: 1 });
        }
        let within = mapped.within(span);
        let line = mapped.file.position(within.start).line;
        let first_line = 1 + i64::from(mapped.counted(line, within.start)) - i64::from(line);
        Some(View { name, file: &mapped.file, range: mapped.file.fitting(within), first_line })
    }

    /// The text that a span in preprocessed text comes from: what is at the same place if it is the same but for white
    /// space, otherwise the whole line; macros are seldom where and what their definitions make of them.
    fn in_original(&self, span: Span) -> Option<(&SourceFile, Range<usize>)> {
        self.mapped(span.start).filter(|mapped| !mapped.markers.is_empty())?;
        let original = self.originals.get(self.file_name(span.start))?;
        let (from, to) = (self.position(span.start), self.position(span.end.max(span.start)));
        let line = original.line(from.line)?;
        let exact = original.offset(from).zip(original.offset(to)).map(|(from, to)| from..to.max(from));
        let is_same = |range: &Range<usize>| folded(&original.text()[range.clone()]) == folded(self.slice(span));
        let range = exact.filter(is_same).unwrap_or_else(|| trimmed(original.text(), line));
        Some((original, range))
    }

    /// The file that a position is in; positions behind the last file count as its end.
    fn mapped(&self, position: u32) -> Option<&Mapped> {
        let after = self.files.partition_point(|mapped| mapped.start <= position);
        self.files[..after].last()
    }
}

impl Mapped {
    fn within(&self, span: Span) -> Span {
        Span { start: span.start - self.start, end: span.end.saturating_sub(self.start) }
    }

    /// The last marker before an offset.
    fn marker(&self, offset: u32) -> Option<&Marker> {
        let after = self.markers.partition_point(|marker| marker.offset <= offset);
        self.markers[..after].last()
    }

    /// The number that the markers give to a line.
    fn counted(&self, line: u32, offset: u32) -> u32 {
        self.marker(offset).map_or(line, |marker| (line - marker.at_line).saturating_add(marker.line))
    }
}

/// The column of a place in a line whose macros have been expanded, in the line as it was written: what is before the first and
/// behind the last difference is where it was, and what is in between is where the first macro begins.
fn column_as_written(made: &str, column: u32, written: &str) -> u32 {
    let (made, written): (Vec<char>, Vec<char>) = (made.chars().collect(), written.chars().collect());
    let same_before = made.iter().zip(&written).take_while(|(a, b)| a == b).count();
    let at = column as usize - 1;
    if made.len() == written.len() && same_before == made.len() || at < same_before {
        return column;
    }
    let rest = made.len().min(written.len()) - same_before;
    let same_behind = made.iter().rev().zip(written.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    if at >= made.len() - same_behind {
        return (at + written.len() - made.len()) as u32 + 1;
    }
    let is_of_a_name = |c: &&char| c.is_alphanumeric() || **c == '_';
    let begun = written[..same_before].iter().rev().take_while(is_of_a_name).count();
    // Preprocessors do not keep indentation to the letter.
    let blanks = written[same_before - begun..].iter().take_while(|c| c.is_whitespace()).count();
    (same_before - begun + blanks) as u32 + 1
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let line = &text[range.clone()];
    let start = range.start + (line.len() - line.trim_start().len());
    start..start + line.trim().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snippets_are_folded_and_cut() {
        let source = SourceMap::from(SourceFile::new("f.tw", "a =\n   b + cé;"));
        assert_eq!(source.snippet(Span::new(0, 15), 50), "a = b + cé;");
        assert_eq!(source.snippet(Span::new(0, 15), 5), "a = b…");
        assert_eq!(source.slice(Span::new(0, 99)), "");
        assert_eq!(source.locate(Span::new(7, 8)), "f.tw:2:4");
        assert_eq!(source.locate_briefly(Span::new(7, 8)), "2:4");
    }

    #[test]
    fn every_position_is_in_one_file() {
        let mut source = SourceMap::default();
        assert_eq!(source.add(SourceFile::new("a.c", "int a;\nint b;\n")), Some(0));
        assert_eq!(source.add(SourceFile::new("empty.c", "")), Some(15));
        assert_eq!(source.add(SourceFile::new("b.c", "int c;\n")), Some(16));
        let places: Vec<String> = [0, 13, 14, 15, 16, 20, 99].map(|at| source.locate(Span::new(at, at))).into();
        assert_eq!(places, ["a.c:1:1", "a.c:2:7", "a.c:3:1", "empty.c:1:1", "b.c:1:1", "b.c:1:5", "b.c:2:1"]);
        assert_eq!(source.snippet(Span::new(20, 22), 9), "c;");
        assert_eq!((source.name(), &*source.locate_briefly(Span::new(20, 22))), ("a.c", "b.c:1:5"));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut source = SourceMap::default();
        source.files.push(Mapped { start: u32::MAX - 9, file: SourceFile::new("a", "1234"), markers: Vec::new() });
        assert_eq!(source.add(SourceFile::new("b", "123")), Some(u32::MAX - 4));
        assert_eq!(source.add(SourceFile::new("c", "1")), None);
    }

    /// What a preprocessor makes of `main.c` (below) and a header.
    const PREPROCESSED: &str =
        "# 1 \"main.c\"\n# 1 \"lock.h\" 1\nint lock;\n# 2 \"main.c\" 2\n\nint main(void)\n{\n  lock = (1 + 2);\n}\n";
    const ORIGINAL: &str = "#include \"lock.h\"\n\nint main(void)\n{\n  lock = THREE;\n}\n";

    fn span_of(text: &str) -> Span {
        let start = PREPROCESSED.find(text).expect("it is there");
        Span::new(start, start + text.len())
    }

    #[test]
    fn markers_say_where_text_comes_from() {
        let mut source = SourceMap::default();
        source.add_preprocessed(SourceFile::new("main.i", PREPROCESSED));
        assert_eq!(source.locate(span_of("int lock")), "lock.h:1:1");
        assert_eq!(source.locate_briefly(span_of("main(void)")), "main.c:3:5");
        assert_eq!(source.marked_names().collect::<Vec<_>>(), ["lock.h", "main.c"]);
        assert_eq!(source.snippet(span_of("lock = (1 + 2);"), 80), "lock = (1 + 2);");
    }

    #[test]
    fn the_original_text_is_shown_where_it_is_known() {
        let mut source = SourceMap::default();
        source.add_preprocessed(SourceFile::new("main.i", PREPROCESSED));
        source.add_original(SourceFile::new("main.c", ORIGINAL));
        assert_eq!(source.snippet(span_of("int main(void)\n{"), 80), "int main(void) {");
        assert_eq!(source.snippet(span_of("lock = (1 + 2);"), 80), "lock = THREE;");
        assert_eq!(source.snippet(span_of("(1 + 2)"), 80), "lock = THREE;");
    }

    #[test]
    fn columns_are_those_of_the_text_as_it_was_written() {
        let [made, written] = ["  y = ((void) f(x)) + z;", "  y = FF + z;"];
        assert_eq!(column_as_written(made, 3, written), 3);
        assert_eq!(made.find("f(x)"), Some(14));
        assert_eq!(column_as_written(made, 15, written), 7);
        assert_eq!(made.find("z;"), Some(22));
        assert_eq!(column_as_written(made, 23, written), 12);
        assert_eq!(column_as_written("limit_1;", 6, "limit_2;"), 6);
        assert_eq!(column_as_written("limit_1;", 7, "limit_2;"), 1);
        assert_eq!(column_as_written("a;", 3, "a;"), 3);
        assert_eq!(column_as_written("1 + 1 + 1", 5, "ONE"), 1);
        assert_eq!(column_as_written(" (1 + 1);", 3, "    TWO;"), 5);
    }

    #[test]
    fn an_original_that_is_too_short_does_no_harm() {
        let mut source = SourceMap::default();
        source.add_preprocessed(SourceFile::new("main.i", PREPROCESSED));
        source.add_original(SourceFile::new("main.c", "other\n"));
        assert_eq!(source.snippet(span_of("lock = (1 + 2);"), 80), "lock = (1 + 2);");
    }
}
