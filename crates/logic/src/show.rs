//! Formulas as text for people, in the notation of the language.

use crate::{Formula, Term, Var};

/// How to call variables and their values.
pub trait Naming {
    /// The name of a variable.
    fn name(&self, var: Var) -> String;

    /// What the value of a variable is called.
    fn value(&self, var: Var, value: i64) -> String;
}

/// The formula as text.
pub fn show_formula(formula: &Formula, naming: &dyn Naming) -> String {
    show(formula, naming, Level::Top)
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Top,
    Or,
    And,
    Tight,
}

fn show(formula: &Formula, naming: &dyn Naming, level: Level) -> String {
    let (text, own) = match formula {
        Formula::Const(value) => (value.to_string(), Level::Tight),
        Formula::Var(var) => (naming.name(*var), Level::Tight),
        Formula::Le(a, b) => (comparison(a, b, "<=", naming), Level::And),
        Formula::Eq(a, b) => (comparison(a, b, "==", naming), Level::And),
        Formula::Not(inner) => match &**inner {
            Formula::Eq(a, b) => (comparison(a, b, "!=", naming), Level::And),
            inner => (format!("!{}", show(inner, naming, Level::Tight)), Level::Tight),
        },
        Formula::And(parts) => (joined(parts, " && ", Level::And, naming), Level::Or),
        Formula::Or(parts) => (joined(parts, " || ", Level::Or, naming), Level::Top),
        Formula::Iff(a, b) => {
            (format!("{} <==> {}", show(a, naming, Level::Or), show(b, naming, Level::Or)), Level::Top)
        }
    };
    if own < level { format!("({text})") } else { text }
}

fn joined(parts: &[Formula], between: &str, level: Level, naming: &dyn Naming) -> String {
    let inner = if level == Level::And { Level::And } else { Level::Or };
    parts.iter().map(|part| show(part, naming, inner)).collect::<Vec<_>>().join(between)
}

/// A comparison with all terms on the side where they are positive.
fn comparison(a: &Term, b: &Term, operator: &str, naming: &dyn Naming) -> String {
    if let (Term::Var(var), Term::Const(value)) = (a, b) {
        return format!("{} {operator} {}", naming.name(*var), naming.value(*var, *value));
    }
    if let (Term::Const(value), Term::Var(var)) = (a, b) {
        let turned = if operator == "<=" { ">=" } else { operator };
        return format!("{} {turned} {}", naming.name(*var), naming.value(*var, *value));
    }
    let difference = a.clone().minus(b.clone());
    let parts = match difference {
        Term::Sum(parts) => parts,
        single => vec![single],
    };
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for part in parts {
        match part {
            Term::Const(value) if value < 0 => right.push(Term::Const(-value)),
            Term::Scale(factor, a) if factor < 0 => right.push(a.times(-factor)),
            other => left.push(other),
        }
    }
    if left.is_empty() && operator == "<=" {
        return format!("{} >= 0", sum(&right, naming));
    }
    if let ([Term::Const(value)], "<=") = (&left[..], operator) {
        return format!("{} >= {value}", sum(&right, naming));
    }
    format!("{} {operator} {}", sum(&left, naming), sum(&right, naming))
}

fn sum(parts: &[Term], naming: &dyn Naming) -> String {
    match parts {
        [] => "0".to_string(),
        parts => parts.iter().map(|part| show_term(part, naming)).collect::<Vec<_>>().join(" + "),
    }
}

/// The term as text.
pub fn show_term(term: &Term, naming: &dyn Naming) -> String {
    match term {
        Term::Const(value) => value.to_string(),
        Term::Var(var) => naming.name(*var),
        Term::Sum(parts) => {
            let mut text = String::new();
            for part in parts {
                let (negative, shown) = match part {
                    Term::Const(value) if *value < 0 => (true, value.unsigned_abs().to_string()),
                    Term::Scale(factor, a) if *factor < 0 => (true, show_term(&(**a).clone().times(-factor), naming)),
                    other => (false, show_term(other, naming)),
                };
                text += match (text.is_empty(), negative) {
                    (true, true) => "-",
                    (true, false) => "",
                    (false, true) => " - ",
                    (false, false) => " + ",
                };
                text += &shown;
            }
            text
        }
        Term::Scale(factor, a) => format!("{factor} * {}", tight(a, naming)),
        Term::Product(a, b) => format!("{} * {}", tight(a, naming), tight(b, naming)),
        Term::Div(a, divisor) => format!("{} / {divisor}", tight(a, naming)),
        Term::Mod(a, divisor) => format!("{} % {divisor}", tight(a, naming)),
        Term::Ite(c, a, b) => {
            let condition = show(c, naming, Level::Tight);
            format!("({condition} ? {} : {})", show_term(a, naming), show_term(b, naming))
        }
    }
}

fn tight(term: &Term, naming: &dyn Naming) -> String {
    match term {
        Term::Const(_) | Term::Var(_) | Term::Ite(..) => show_term(term, naming),
        _ => format!("({})", show_term(term, naming)),
    }
}
