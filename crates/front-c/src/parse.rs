//! The parser of another crate, its errors as diagnostics.

use crate::clean::{TooDeep, cleaned};
use lang_c::ast::TranslationUnit;
use lang_c::driver::{Config, parse_preprocessed};
use threadwise_source::{Diagnostic, Span};

/// A file as a tree; its positions count from its own first byte.
pub fn parse(text: &str, start: u32) -> Result<TranslationUnit, Box<Diagnostic>> {
    let at = |offset: usize, bytes: usize| {
        let offset = start as usize + offset.min(text.len());
        Span::new(offset, offset + bytes)
    };
    let clean = cleaned(text).map_err(|TooDeep(offset)| {
        let message = "brackets, operators or statements are nested too deep here";
        Box::new(Diagnostic::error(at(offset, 1), message).hint("split the function"))
    })?;
    match parse_preprocessed(&Config::with_gcc(), clean) {
        Ok(parsed) => Ok(parsed.unit),
        Err(error) => {
            let rest = &error.source[error.offset.min(error.source.len())..];
            let found = next_token(rest);
            let offset = error.offset + (rest.len() - rest.trim_start().len());
            let message = match found {
                "" => "syntax error: the file ends here".to_string(),
                found => format!("syntax error at `{found}`"),
            };
            let error = Diagnostic::error(at(offset, found.len()), message).label(expectation(&error.expected));
            Err(Box::new(error))
        }
    }
}

fn next_token(rest: &str) -> &str {
    let rest = rest.trim_start();
    let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let first = rest.chars().next().map_or(0, char::len_utf8);
    &rest[..word.max(first)]
}

/// What the parser would have understood, as far as it can be said in a few words.
fn expectation(expected: &std::collections::HashSet<&'static str>) -> String {
    let is_punctuation = |token: &&&str| token.chars().all(|c| c.is_ascii_punctuation() && c != '_' && c != '#');
    let mut tokens: Vec<&str> = expected.iter().filter(is_punctuation).copied().collect();
    tokens.sort_unstable();
    match tokens[..] {
        [] => "this was not expected here".to_string(),
        [one] => format!("expected `{one}`"),
        _ if tokens.len() <= 4 => format!("expected one of `{}`", tokens.join("` `")),
        _ if tokens.contains(&";") => "expected `;` or an operator".to_string(),
        _ => "this was not expected here".to_string(),
    }
}
