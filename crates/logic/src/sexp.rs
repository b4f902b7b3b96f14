//! The parenthesised text that SMT-LIB is written in.

use std::fmt;

/// More nesting than this is refused: it would overflow the stack of whoever walks it.
const MAX_DEPTH: usize = 4000;

/// A symbol or a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sexp {
    /// A symbol, a number or a keyword; quoting bars are gone.
    Atom(String),
    /// A list in parentheses.
    List(Vec<Sexp>),
}

impl Sexp {
    /// The text of an atom.
    pub fn atom(&self) -> Option<&str> {
        match self {
            Sexp::Atom(text) => Some(text),
            Sexp::List(_) => None,
        }
    }

    /// The elements of a list.
    pub fn list(&self) -> Option<&[Sexp]> {
        match self {
            Sexp::List(elements) => Some(elements),
            Sexp::Atom(_) => None,
        }
    }

    /// A number, `(- n)` included, or a truth value as 0 or 1; `None` for anything else and for
    /// numbers of more than 64 bits.
    pub fn scalar(&self) -> Option<i64> {
        match self {
            Sexp::Atom(word) => match word.as_str() {
                "true" => Some(1),
                "false" => Some(0),
                number => number.parse().ok(),
            },
            Sexp::List(elements) => match &elements[..] {
                [Sexp::Atom(minus), Sexp::Atom(number)] if minus == "-" => format!("-{number}").parse().ok(),
                _ => None,
            },
        }
    }
}

impl fmt::Display for Sexp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sexp::Atom(word) => f.write_str(word),
            Sexp::List(elements) => {
                f.write_str("(")?;
                for (index, element) in elements.iter().enumerate() {
                    if index > 0 {
                        f.write_str(" ")?;
                    }
                    element.fmt(f)?;
                }
                f.write_str(")")
            }
        }
    }
}

/// What is wrong with a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SexpError(pub String);

impl fmt::Display for SexpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SexpError {}

/// The one expression in a text.
pub fn parse_sexp(text: &str) -> Result<Sexp, SexpError> {
    let mut sexps = parse_sexps(text)?;
    match (sexps.pop(), sexps.is_empty()) {
        (Some(sexp), true) => Ok(sexp),
        _ => Err(SexpError(format!("expected one formula, found `{text}`"))),
    }
}

/// All expressions in a text.
pub fn parse_sexps(text: &str) -> Result<Vec<Sexp>, SexpError> {
    let mut stack: Vec<Vec<Sexp>> = vec![Vec::new()];
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else { break };
        match first {
            ';' => rest = rest.find('\n').map_or("", |end| &rest[end..]),
            '(' => {
                if stack.len() > MAX_DEPTH {
                    return Err(SexpError("the text is nested too deeply".to_string()));
                }
                stack.push(Vec::new());
                rest = &rest[1..];
            }
            ')' => {
                let list = stack.pop().unwrap_or_default();
                let Some(outer) = stack.last_mut() else {
                    return Err(SexpError("there is a `)` too many".to_string()));
                };
                outer.push(Sexp::List(list));
                rest = &rest[1..];
            }
            '|' | '"' => {
                let Some(end) = rest[1..].find(first) else {
                    return Err(SexpError(format!("a `{first}` is not closed")));
                };
                stack.last_mut().expect("never empty here").push(Sexp::Atom(rest[1..=end].to_string()));
                rest = &rest[end + 2..];
            }
            _ => {
                let end = rest.find(|c: char| c.is_whitespace() || "()|\";".contains(c)).unwrap_or(rest.len());
                stack.last_mut().expect("never empty here").push(Sexp::Atom(rest[..end].to_string()));
                rest = &rest[end..];
            }
        }
    }
    match (stack.pop(), stack.is_empty()) {
        (Some(top), true) => Ok(top),
        _ => Err(SexpError("a `(` is not closed".to_string())),
    }
}
