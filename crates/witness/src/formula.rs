//! Formulas of proofs, which are SMT-LIB, as expressions of C: those parts that can be said there.

/// An expression in parentheses, or a word.
enum Term<'t> {
    Word(&'t str),
    List(Vec<Term<'t>>),
}

/// More nested formulas are left out.
const MOST_DEPTH: usize = 200;

/// Nobody reads longer ones.
const MOST_LENGTH: usize = 200;

/// What formulas may speak of.
pub(crate) struct Names<'a> {
    /// Variables that can be seen.
    pub(crate) is_name: &'a dyn Fn(&str) -> bool,
    /// The ghost of a mutex, whose value in a formula is the thread that has it, or 0.
    pub(crate) ghost: &'a dyn Fn(&str) -> Option<String>,
}

/// The parts of a conjunction in C, as far as they speak of these names; what they say besides is left out.
pub(crate) fn to_c(formula: &str, names: &Names<'_>) -> Vec<String> {
    let mut rest = formula.trim();
    let Some(term) = read(&mut rest, 0) else { return Vec::new() };
    let mut parts = Vec::new();
    collect(&term, names, &mut parts);
    parts
}

fn collect(term: &Term<'_>, names: &Names<'_>, parts: &mut Vec<String>) {
    match term {
        Term::List(all) if matches!(all.first(), Some(Term::Word("and"))) => {
            all[1..].iter().for_each(|part| collect(part, names, parts));
        }
        other => parts.extend(weaker(other, names).filter(|text| text.len() <= MOST_LENGTH)),
    }
}

/// Something that follows from a formula; nothing where that is all that can be said.
fn weaker(term: &Term<'_>, names: &Names<'_>) -> Option<String> {
    let Term::List(all) = term else { return truth(term, names) };
    match all.split_first() {
        Some((Term::Word("and"), parts)) => {
            let mut parts: Vec<String> = parts.iter().filter_map(|part| weaker(part, names)).collect();
            parts.dedup();
            match &parts[..] {
                [] => None,
                [one] => Some(one.clone()),
                several => Some(format!("({})", several.join(" && "))),
            }
        }
        Some((Term::Word("or"), parts)) => {
            let parts: Option<std::collections::BTreeSet<String>> =
                parts.iter().map(|part| weaker(part, names)).collect();
            let parts: Vec<String> = parts?.into_iter().collect();
            let is_denied = |part: &String| parts.contains(&format!("!{part}"));
            match &parts[..] {
                _ if parts.iter().any(is_denied) => None,
                [one] => Some(one.clone()),
                several => Some(format!("({})", several.join(" || "))),
            }
        }
        Some((Term::Word("="), [a, b])) => holder(a, b, names).or_else(|| truth(term, names)),
        _ => truth(term, names),
    }
}

/// Who has a mutex: somebody, or nobody.
fn holder(a: &Term<'_>, b: &Term<'_>, names: &Names<'_>) -> Option<String> {
    let (Term::Word(name), other) = (a, b) else { return None };
    let ghost = (names.ghost)(name)?;
    match (constant(other), other) {
        (Some(0), _) => Some(format!("!{ghost}")),
        (Some(_), _) | (None, Term::Word("self")) => Some(ghost),
        _ => None,
    }
}

fn read<'t>(rest: &mut &'t str, depth: usize) -> Option<Term<'t>> {
    *rest = rest.trim_start();
    if depth > MOST_DEPTH {
        return None;
    }
    if let Some(inside) = rest.strip_prefix('(') {
        *rest = inside;
        let mut all = Vec::new();
        loop {
            *rest = rest.trim_start();
            if let Some(after) = rest.strip_prefix(')') {
                *rest = after;
                return Some(Term::List(all));
            }
            all.push(read(rest, depth + 1)?);
        }
    }
    if let Some(quoted) = rest.strip_prefix('|') {
        let end = quoted.find('|')?;
        *rest = &quoted[end + 1..];
        return Some(Term::Word(&quoted[..end]));
    }
    let end = rest.find(|c: char| c.is_whitespace() || c == '(' || c == ')').unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    *rest = after;
    (!word.is_empty()).then_some(Term::Word(word))
}

fn truth(term: &Term<'_>, names: &Names<'_>) -> Option<String> {
    let Term::List(all) = term else { return None };
    let (Term::Word(head), arguments) = all.split_first()? else { return None };
    let joined = |sign: &str| -> Option<String> {
        let parts: Option<Vec<String>> = arguments.iter().map(|part| truth(part, names)).collect();
        Some(format!("({})", parts?.join(sign)))
    };
    match (*head, arguments) {
        ("and", _) => joined(" && "),
        ("or", _) => joined(" || "),
        ("not", [Term::List(inner)]) if is_free(inner, names).is_some() => is_free(inner, names),
        ("not", [one]) => Some(format!("!({})", truth(one, names)?)),
        ("=>", [a, b]) => Some(format!("(!({}) || {})", truth(a, names)?, truth(b, names)?)),
        ("=", [a, b]) => compare("==", a, b, names),
        ("<" | "<=" | ">" | ">=", [a, b]) => compare(head, a, b, names),
        _ => None,
    }
}

/// The ghost of a mutex that is said to be free.
fn is_free(inner: &[Term<'_>], names: &Names<'_>) -> Option<String> {
    match inner {
        [Term::Word("="), Term::Word(name), other] if constant(other) == Some(0) => (names.ghost)(name),
        _ => None,
    }
}

fn compare(sign: &str, a: &Term<'_>, b: &Term<'_>, names: &Names<'_>) -> Option<String> {
    let (left, right) = (number(a, names)?, number(b, names)?);
    // What every number of its type is says nothing.
    let is_bound = |term: &Term<'_>| constant(term).is_some_and(|n| n.unsigned_abs() >= (1 << 31) - 1);
    (!is_bound(a) && !is_bound(b)).then(|| format!("{left} {sign} {right}"))
}

fn constant(term: &Term<'_>) -> Option<i64> {
    match term {
        Term::Word(word) => word.parse().ok(),
        Term::List(all) => match &all[..] {
            [Term::Word("-"), one] => constant(one)?.checked_neg(),
            _ => None,
        },
    }
}

/// A number; what is computed is computed with all digits.
fn number(term: &Term<'_>, names: &Names<'_>) -> Option<String> {
    if let Some(number) = constant(term) {
        return Some(number.to_string());
    }
    match term {
        Term::Word(name) => (names.is_name)(name).then(|| name.to_string()),
        Term::List(all) => {
            let (Term::Word(sign @ ("+" | "-" | "*")), arguments) = all.split_first()? else { return None };
            let parts: Option<Vec<String>> = arguments.iter().map(|part| number(part, names)).collect();
            let parts: Vec<String> = parts?.into_iter().map(|part| format!("(long long){part}")).collect();
            match (&parts[..], *sign) {
                ([one], "-") => Some(format!("(-{one})")),
                ([_, _, ..], _) => Some(format!("({})", parts.join(&format!(" {sign} ")))),
                _ => None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_said_in_c_is_said() {
        let is_name = |name: &str| ["x", "y"].contains(&name);
        let ghost = |name: &str| (name == "m").then(|| "m_locked".to_string());
        let names = Names { is_name: &is_name, ghost: &ghost };
        let c = |text: &str| to_c(text, &names);
        assert_eq!(c("(and (<= 0 x) (<= x (- 3)))"), ["0 <= x", "x <= -3"]);
        assert_eq!(c("(and (= z 1) (= |x| y) true)"), ["x == y"]);
        // What cannot be said is left out where the rest follows, and nowhere else.
        assert_eq!(c("(or (= x 1) (and (= z 1) (= y 2)))"), ["(x == 1 || y == 2)"]);
        assert_eq!(c("(or (= x 1) (= z 1))"), [""; 0]);
        assert_eq!(c("(or (not (= m 0)) (and (= z 0) (= m 0) (= x 0)))"), ["((!m_locked && x == 0) || m_locked)"]);
        assert_eq!(c("(and (= m self) (or (= m 0) (= m 1)))"), ["m_locked"]);
        assert_eq!(c("(or (not (< x 1)) (= (+ x 1) y))"), ["(!(x < 1) || ((long long)x + (long long)1) == y)"]);
        assert_eq!(c("(=> (= x 0) (= y 0))"), ["(!(x == 0) || y == 0)"]);
        assert_eq!(c("(<= (- 2147483648) x)"), [""; 0]);
        assert_eq!(c("(select a x)"), [""; 0]);
        assert_eq!(c("(and (= x 1)"), [""; 0]);
    }
}
