//! A text as tokens and comments, with what stood between them.

use threadwise_front_tw::lexer::{TokenKind, tokenize};
use threadwise_source::{SourceFile, Span};

/// A token or a comment.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// What it is; nothing for a comment.
    pub token: Option<TokenKind>,
    pub text: &'a str,
    /// How many lines end between it and the piece before.
    pub lines_before: usize,
    /// Whether there is anything between it and the piece before.
    pub is_apart: bool,
}

/// All tokens and comments of a file, in order.
pub fn pieces(file: &SourceFile) -> Vec<Piece<'_>> {
    let (tokens, _) = tokenize(file);
    let mut pieces = Vec::with_capacity(tokens.len());
    let mut end = file.text().len() - file.text().trim_start_matches('\u{feff}').len();
    for token in tokens {
        let start = token.span.start as usize;
        let gap = file.slice(Span::new(end, start));
        let (lines_before, is_apart) = comments(gap, &mut pieces);
        if token.kind != TokenKind::EndOfFile {
            pieces.push(Piece { token: Some(token.kind), text: file.slice(token.span), lines_before, is_apart });
        }
        end = token.span.end as usize;
    }
    pieces
}

/// Adds the comments of the text between two tokens; returns how many lines end behind the last one, and whether anything
/// follows it.
fn comments<'a>(gap: &'a str, pieces: &mut Vec<Piece<'a>>) -> (usize, bool) {
    let (mut rest, mut lines) = (gap, 0);
    let mut is_apart = false;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ => {
                lines += usize::from(first == '\n');
                is_apart = true;
                rest = &rest[first.len_utf8()..];
                continue;
            }
        };
        pieces.push(Piece { token: None, text: rest[..length].trim_end(), lines_before: lines, is_apart });
        (rest, lines, is_apart) = (&rest[length..], 0, false);
    }
    (lines, is_apart)
}
