//! A line of text → words.

use threadwise_source::Span;

/// What a word is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WordKind {
    /// A name, a number or a keyword.
    Name,
    /// `->`
    Arrow,
    /// One of the characters that mean something by themselves.
    Sign(char),
}

/// A word and where it stands in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Word {
    pub(crate) kind: WordKind,
    pub(crate) span: Span,
}

/// Characters that are no part of names.
const SIGNS: [char; 8] = ['{', '}', '[', ']', '(', ')', '^', '*'];

/// The words of a line that starts at this offset of the file; commas count as white space, and a
/// comment ends the line.
pub(crate) fn words(line: &str, offset: usize) -> Vec<Word> {
    let mut words = Vec::new();
    let mut rest = line;
    loop {
        rest = rest.trim_start_matches(is_blank);
        if rest.is_empty() || rest.starts_with("//") {
            return words;
        }
        let (kind, length) = first_word(rest);
        let start = offset + line.len() - rest.len();
        words.push(Word { kind, span: Span::new(start, start + length) });
        rest = &rest[length..];
    }
}

/// The kind and the length of the word that a text starts with.
fn first_word(text: &str) -> (WordKind, usize) {
    match text.chars().next() {
        Some(c) if SIGNS.contains(&c) => (WordKind::Sign(c), c.len_utf8()),
        _ if text.starts_with("->") => (WordKind::Arrow, 2),
        _ => {
            let ends = |(at, c): (usize, char)| {
                let is_end =
                    is_blank(c) || SIGNS.contains(&c) || ["->", "//"].iter().any(|s| text[at..].starts_with(s));
                is_end.then_some(at)
            };
            (WordKind::Name, text.char_indices().find_map(ends).unwrap_or(text.len()))
        }
    }
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == ',' || c == '\u{feff}'
}
