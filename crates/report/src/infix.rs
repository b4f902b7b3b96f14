//! Formulas of proofs, which are SMT-LIB, in the notation that people write: `0 <= x && x <= 5`.

use threadwise_logic::{Sexp, parse_sexp};

/// Formulas longer than this are cut.
const MAX_TEXT: usize = 2000;

/// The formula as people write it; as it stands if it cannot be read.
pub(crate) fn infix(formula: &str) -> String {
    let text = match parse_sexp(formula) {
        Ok(sexp) => show(&sexp, true),
        Err(_) => formula.to_string(),
    };
    match text.char_indices().nth(MAX_TEXT) {
        Some((cut, _)) => format!("{} …", &text[..cut]),
        None => text,
    }
}

fn show(sexp: &Sexp, is_whole: bool) -> String {
    let Sexp::List(parts) = sexp else { return sexp.atom().unwrap_or_default().to_string() };
    let operator = parts.first().and_then(Sexp::atom).unwrap_or_default();
    let arguments: Vec<&Sexp> = parts.iter().skip(1).collect();
    let joined = |by: &str| arguments.iter().map(|e| show(e, false)).collect::<Vec<_>>().join(&format!(" {by} "));
    let text = match (operator, &arguments[..]) {
        ("not", [inner]) => return format!("!{}", show(inner, false)),
        ("-", [inner]) => return format!("-{}", show(inner, false)),
        ("select", [array, index]) => return format!("{}[{}]", show(array, false), show(index, true)),
        ("and", _) => joined("&&"),
        ("or", _) => joined("||"),
        ("=>", _) => joined("==>"),
        ("=", _) => joined("=="),
        ("distinct", _) => joined("!="),
        ("<=" | "<" | ">=" | ">" | "+" | "-" | "*" | "div" | "mod", _) => joined(operator),
        _ => return format!("({})", parts.iter().map(|e| show(e, false)).collect::<Vec<_>>().join(" ")),
    };
    if is_whole { text } else { format!("({text})") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_stand_between_what_they_join() {
        assert_eq!(infix("(and (<= 0 x) (not (= (select a 1) (- 2))))"), "(0 <= x) && !(a[1] == -2)");
        assert_eq!(infix("(ite b x y)"), "(ite b x y)");
        assert_eq!(infix("(and"), "(and");
    }
}
