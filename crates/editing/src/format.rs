//! The one layout of a text: lines stay where their author broke them; indentation, blanks between tokens, empty lines and the
//! column of comments are decided here. Tokens and comments stay as they are.

use crate::pieces::{Piece, pieces};
use crate::spacing::{Before, is_set_apart};
use threadwise_front_tw::lexer::TokenKind as T;
use threadwise_source::{Diagnostic, SourceFile};

const STEP: usize = 2;

/// Code that is longer does not push the comments of its neighbours to the right.
const WIDEST_BEFORE_COMMENT: usize = 80;

/// The text as it should be laid out; or what is wrong with it, since nobody knows how to lay out what he does not understand.
pub fn format_text(file: &SourceFile) -> Result<String, Vec<Diagnostic>> {
    let parsed = threadwise_front_tw::parse(file);
    if !parsed.diagnostics.is_empty() {
        return Err(parsed.diagnostics);
    }
    let pieces = pieces(file);
    let mut layout = Layout::default();
    let mut lines: Vec<Line> = Vec::new();
    for line in pieces.chunk_by(|_, next| next.lines_before == 0) {
        let is_parted = line[0].lines_before > 1 && !lines.is_empty();
        lines.push(Line { is_parted, ..layout.line(line) });
    }
    align_comments(&mut lines);
    Ok(lines.iter().map(Line::to_text).collect())
}

/// A line to be.
#[derive(Default)]
struct Line {
    /// Whether an empty line stands before it.
    is_parted: bool,
    /// The code, indented; or a comment that has its line for itself.
    code: String,
    /// A comment behind the code.
    comment: Option<String>,
    /// Blanks before that comment.
    gap: usize,
}

impl Line {
    fn to_text(&self) -> String {
        let parting = if self.is_parted { "\n" } else { "" };
        let comment = self.comment.as_deref().unwrap_or_default();
        format!("{parting}{}{}{comment}\n", self.code, " ".repeat(self.gap))
    }
}

/// What is known between lines.
#[derive(Default)]
struct Layout {
    /// Brackets that are open, and whether what they enclose is set apart from them.
    open: Vec<(T, bool)>,
    before: Before,
    /// The last token so far.
    last: Option<T>,
    /// Whether the last line with code was nothing but labels.
    is_label: bool,
}

impl Layout {
    fn line(&mut self, pieces: &[Piece<'_>]) -> Line {
        let mut code = " ".repeat(self.indentation(pieces));
        let (body, comment) = match pieces {
            [body @ .., last] if last.token.is_none() && !body.is_empty() => (body, Some(last.text.to_string())),
            _ => (pieces, None),
        };
        for (at, piece) in body.iter().enumerate() {
            let is_apart = at > 0 && self.is_apart(body[at - 1], *piece);
            if is_apart {
                code.push(' ');
            }
            code.push_str(piece.text);
            self.advance(piece, is_apart || at == 0);
        }
        if body.iter().any(|piece| piece.token.is_some()) {
            self.is_label = is_label(body);
        }
        Line { code, comment, ..Line::default() }
    }

    fn is_apart(&self, left: Piece<'_>, right: Piece<'_>) -> bool {
        match (left.token, right.token) {
            // A brace is closed as it was opened.
            (Some(last), Some(T::RightBrace)) if last != T::LeftBrace => {
                self.open.last().is_some_and(|(_, apart)| *apart)
            }
            (Some(last), Some(next)) => is_set_apart(self.before, last, next, right.is_apart),
            _ => true,
        }
    }

    fn advance(&mut self, piece: &Piece<'_>, is_apart: bool) {
        let Some(token) = piece.token else { return };
        if let (Some(T::LeftBrace), Some((_, inside))) = (self.last, self.open.last_mut()) {
            *inside = is_apart;
        }
        match token {
            T::LeftBrace | T::LeftParen | T::LeftBracket => self.open.push((token, true)),
            T::RightBrace | T::RightParen | T::RightBracket => drop(self.open.pop()),
            _ => {}
        }
        self.before = Before { token: self.last, is_apart };
        self.last = Some(token);
    }

    /// A level for each open brace that is not closed at the start of the line, and one more where a statement goes on.
    fn indentation(&self, line: &[Piece<'_>]) -> usize {
        let first = line.iter().find_map(|piece| piece.token);
        let closing = line.iter().map_while(|piece| piece.token).take_while(|t| *t == T::RightBrace).count();
        let braces = self.open.iter().filter(|(bracket, _)| *bracket == T::LeftBrace).count();
        STEP * (braces.saturating_sub(closing) + usize::from(self.goes_on(first)))
    }

    /// Whether the line continues what stands on the lines before it.
    fn goes_on(&self, first: Option<T>) -> bool {
        let inside = self.open.last().map(|(bracket, _)| *bracket);
        let is_in_list = inside == Some(T::LeftBrace) && self.last == Some(T::Comma);
        let is_at_end = matches!(self.last, None | Some(T::Semicolon | T::LeftBrace | T::RightBrace));
        let is_bracket = matches!(first, Some(T::LeftBrace | T::RightBrace));
        let is_inside = matches!(inside, Some(T::LeftParen | T::LeftBracket));
        is_inside || !(is_in_list || is_at_end || is_bracket || self.is_label)
    }
}

/// `L:` and nothing else.
fn is_label(line: &[Piece<'_>]) -> bool {
    let mut tokens = line.iter().filter_map(|piece| piece.token);
    let (mut last, mut count) = (None, 0);
    let ok = tokens.all(|token| {
        (last, count) = (Some(token), count + 1);
        token == if count % 2 == 1 { T::Identifier } else { T::Colon }
    });
    ok && last == Some(T::Colon)
}

/// Comments behind the code of neighbouring lines stand in one column.
fn align_comments(lines: &mut [Line]) {
    for group in lines.chunk_by_mut(|line, next| line.comment.is_some() && next.comment.is_some() && !next.is_parted) {
        let width = |line: &Line| line.code.chars().count();
        let widest = group.iter().map(width).filter(|width| *width <= WIDEST_BEFORE_COMMENT).max().unwrap_or(0);
        for line in group.iter_mut().filter(|line| line.comment.is_some()) {
            line.gap = widest.saturating_sub(width(line)) + 2;
        }
    }
}
