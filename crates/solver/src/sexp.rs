//! What solvers answer: S-expressions.

use std::fmt;

/// An S-expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sexp {
    /// A word, a number or a string with its quotes.
    Atom(String),
    /// A list.
    List(Vec<Sexp>),
}

impl Sexp {
    /// All S-expressions of a text; `None` if its parentheses do not match.
    pub fn parse_all(text: &str) -> Option<Vec<Sexp>> {
        let mut stack: Vec<Vec<Sexp>> = vec![Vec::new()];
        let mut rest = text.char_indices().peekable();
        while let Some((start, c)) = rest.next() {
            match c {
                '(' => stack.push(Vec::new()),
                ')' => {
                    let list = stack.pop()?;
                    stack.last_mut()?.push(Sexp::List(list));
                }
                '"' | '|' => {
                    let (end, _) = rest.by_ref().find(|&(_, d)| d == c)?;
                    stack.last_mut()?.push(Sexp::Atom(text[start..=end].to_string()));
                }
                ';' => while rest.next_if(|&(_, d)| d != '\n').is_some() {},
                c if c.is_whitespace() => {}
                _ => {
                    let mut end = start + c.len_utf8();
                    while let Some((at, d)) = rest.next_if(|&(_, d)| !d.is_whitespace() && !"()\";|".contains(d)) {
                        end = at + d.len_utf8();
                    }
                    stack.last_mut()?.push(Sexp::Atom(text[start..end].to_string()));
                }
            }
        }
        if stack.len() == 1 { stack.pop() } else { None }
    }

    /// The word.
    pub fn atom(&self) -> Option<&str> {
        match self {
            Sexp::Atom(word) => Some(word),
            Sexp::List(_) => None,
        }
    }

    /// The list's elements.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_read_and_printed() {
        let text = "(define-fun x () Int (- 3)) true (a (b \"(c\" |d e|))";
        let all = Sexp::parse_all(text).expect("well-formed");
        let printed = all.iter().map(Sexp::to_string).collect::<Vec<String>>().join(" ");
        assert_eq!(printed, text);
        assert_eq!(all[0].list().expect("a list")[4].scalar(), Some(-3));
        assert_eq!(all[1].scalar(), Some(1));
        assert_eq!(Sexp::parse_all("(a"), None);
        assert_eq!(Sexp::parse_all("a)"), None);
    }
}
