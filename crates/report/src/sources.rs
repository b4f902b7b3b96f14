//! The texts that a report speaks of, line by line, as its places count them.

use serde::Serialize;
use std::collections::BTreeMap;
use threadwise_source::{SourceMap, Span};

/// No more lines of a file than this are shown: nobody reads them, and pages stay small.
const MAX_LINES: usize = 20_000;

/// A place in the text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct Spot {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// Where a span starts.
pub fn spot(source: &SourceMap, span: Span) -> Spot {
    let position = source.position(span.start);
    Spot { file: source.file_name(span.start).to_string(), line: position.line, column: position.column }
}

/// A file, as far as its text is known.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SourceText {
    pub name: String,
    /// Its lines, each with its end.
    pub text: String,
    /// The numbers of the lines, where they are not 1, 2, 3, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numbers: Option<Vec<u32>>,
}

/// The texts of the files that spans are in, the program's first file before the others. What a preprocessor made is shown as
/// what it was made from, where that is known, and else line by line under the names and numbers that its markers give.
pub fn source_texts(source: &SourceMap, spans: &[Span]) -> Vec<SourceText> {
    let mut texts: Vec<SourceText> = Vec::new();
    for &span in std::iter::once(&Span::default()).chain(spans) {
        let name = source.file_name(span.start);
        if !texts.iter().any(|text| text.name == name) {
            texts.extend(text_around(source, span, name));
        }
    }
    texts
}

fn text_around(source: &SourceMap, span: Span, name: &str) -> Option<SourceText> {
    let view = source.view(span)?;
    let lines = || view.file.text().split_inclusive('\n');
    if view.file.name() == name && view.first_line == 1 {
        let text = lines().take(MAX_LINES).collect();
        return Some(SourceText { name: name.to_string(), text, numbers: None });
    }
    // Where the file starts among all positions: the view tells where the span is inside it.
    let base = span.start.checked_sub(view.range.start as u32)?;
    let mut known: BTreeMap<u32, &str> = BTreeMap::new();
    let mut offset = 0;
    for line in lines() {
        let position = base + offset as u32;
        offset += line.len();
        let is_marker = line.starts_with("# ") || line.starts_with("#line");
        if !is_marker && source.file_name(position) == name {
            known.insert(source.position(position).line, line);
        }
    }
    let numbers: Vec<u32> = known.keys().copied().take(MAX_LINES).collect();
    let text = known.values().take(MAX_LINES).map(|line| format!("{}\n", line.trim_end_matches('\n'))).collect();
    Some(SourceText { name: name.to_string(), text, numbers: Some(numbers) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use threadwise_source::SourceFile;

    #[test]
    fn a_file_is_shown_as_it_is() {
        let source: SourceMap = SourceFile::new("a.tw", "x\ny\n").into();
        let texts = source_texts(&source, &[Span::new(2, 3)]);
        assert_eq!(texts, [SourceText { name: "a.tw".into(), text: "x\ny\n".into(), numbers: None }]);
    }

    #[test]
    fn preprocessed_text_has_the_lines_that_markers_name() {
        let mut source = SourceMap::default();
        let text = "# 7 \"a.c\"\nint x;\n# 3 \"b.h\"\nint y;\n# 20 \"a.c\"\nint z;\n";
        source.add_preprocessed(SourceFile::new("a.i", text));
        let at = text.find("int z").expect("it is there");
        let texts = source_texts(&source, &[Span::new(at, at + 5)]);
        let a = texts.iter().find(|text| text.name == "a.c").expect("the file of the span");
        assert_eq!((a.text.as_str(), a.numbers.as_deref()), ("int x;\nint z;\n", Some(&[7, 20][..])));
    }
}
