//! Terms as text for people, in the notation of the language.

use threadwise_logic::{Kind, Naming, Quantifier, SmtSort, Term};

/// The term as text.
pub(crate) fn show_term(term: &Term, naming: &dyn Naming) -> String {
    show(term, naming, Level::Top)
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Top,
    Or,
    And,
    Tight,
}

fn show(formula: &Term, naming: &dyn Naming, level: Level) -> String {
    let (text, own) = match formula.kind() {
        Kind::Le(a, b) => (comparison(a, b, "<=", naming), Level::And),
        Kind::Eq(a, b) => (comparison(a, b, "==", naming), Level::And),
        Kind::Not(inner) => match inner.kind() {
            Kind::Eq(a, b) => (comparison(a, b, "!=", naming), Level::And),
            _ => (format!("!{}", show(inner, naming, Level::Tight)), Level::Tight),
        },
        Kind::And(parts) => (joined(parts, " && ", Level::And, naming), Level::Or),
        Kind::Or(parts) => (joined(parts, " || ", Level::Or, naming), Level::Top),
        Kind::Iff(a, b) => (format!("{} <==> {}", show(a, naming, Level::Or), show(b, naming, Level::Or)), Level::Top),
        Kind::Quantified(quantifier, bound, body, _) => {
            let word = match quantifier {
                Quantifier::Forall => "forall",
                Quantifier::Exists => "exists",
            };
            let bound: Vec<String> = bound.iter().map(|(name, sort)| format!("{name}: {sort}")).collect();
            (format!("{word} {} :: {}", bound.join(", "), show(body, naming, Level::Top)), Level::Top)
        }
        _ => (show_value(formula, naming), Level::Tight),
    };
    if own < level { format!("({text})") } else { text }
}

fn joined(parts: &[Term], between: &str, level: Level, naming: &dyn Naming) -> String {
    let inner = if level == Level::And { Level::And } else { Level::Or };
    parts.iter().map(|part| show(part, naming, inner)).collect::<Vec<_>>().join(between)
}

/// A comparison with all terms on the side where they are positive.
fn comparison(a: &Term, b: &Term, operator: &str, naming: &dyn Naming) -> String {
    if let (Kind::Var(var, _), Kind::Int(value)) = (a.kind(), b.kind()) {
        return format!("{} {operator} {}", naming.name(*var), naming.value(*var, *value));
    }
    if let (Kind::Int(value), Kind::Var(var, _)) = (a.kind(), b.kind()) {
        let turned = if operator == "<=" { ">=" } else { operator };
        return format!("{} {turned} {}", naming.name(*var), naming.value(*var, *value));
    }
    if *a.sort() != SmtSort::Int {
        return format!("{} {operator} {}", tight(a, naming), tight(b, naming));
    }
    let difference = a.minus(b);
    let parts = match difference.kind() {
        Kind::Sum(parts) => parts,
        _ => std::slice::from_ref(&difference),
    };
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for part in parts {
        match part.kind() {
            Kind::Int(value) if *value < 0 => right.push(part.negate()),
            Kind::Scale(factor, _) if *factor < 0 => right.push(part.negate()),
            _ => left.push(part.clone()),
        }
    }
    if left.is_empty() && operator == "<=" {
        return format!("{} >= 0", sum(&right, naming));
    }
    if let ([only], "<=") = (&left[..], operator)
        && let Some(value) = only.as_int()
    {
        return format!("{} >= {value}", sum(&right, naming));
    }
    format!("{} {operator} {}", sum(&left, naming), sum(&right, naming))
}

fn sum(parts: &[Term], naming: &dyn Naming) -> String {
    match parts {
        [] => "0".to_string(),
        parts => parts.iter().map(|part| show_value(part, naming)).collect::<Vec<_>>().join(" + "),
    }
}

fn show_value(term: &Term, naming: &dyn Naming) -> String {
    let tight = |term| tight(term, naming);
    match term.kind() {
        Kind::Bool(value) => value.to_string(),
        Kind::Int(value) => value.to_string(),
        Kind::Bits(bits) => bits.unsigned().to_string(),
        Kind::Var(var, _) => naming.name(*var),
        Kind::Apply(name, args, _) if args.is_empty() => name.to_string(),
        Kind::Apply(name, args, _) => call(name, args, naming),
        Kind::Sum(parts) => show_sum(parts, naming),
        Kind::Scale(factor, a) => format!("{factor} * {}", tight(a)),
        Kind::Product(a, b) => format!("{} * {}", tight(a), tight(b)),
        Kind::Div(a, b) => format!("{} / {}", tight(a), tight(b)),
        Kind::Mod(a, b) => format!("{} % {}", tight(a), tight(b)),
        Kind::Ite(c, a, b) => {
            let condition = show(c, naming, Level::Tight);
            format!("({condition} ? {} : {})", show_value(a, naming), show_value(b, naming))
        }
        Kind::Select(array, key) => format!("{}[{}]", tight(array), show_value(key, naming)),
        Kind::Store(array, key, value) => {
            format!("{}[{} = {}]", tight(array), show_value(key, naming), show_value(value, naming))
        }
        Kind::Filled(_, element) => format!("[{}]", show_value(element, naming)),
        Kind::Map(connective, arrays) => call(&format!("{connective:?}").to_lowercase(), arrays, naming),
        Kind::Operation(op, operands) => call(&op.symbol(), operands, naming),
        Kind::Le(..)
        | Kind::Eq(..)
        | Kind::Not(_)
        | Kind::And(_)
        | Kind::Or(_)
        | Kind::Iff(..)
        | Kind::Quantified(..) => show(term, naming, Level::Tight),
    }
}

fn call(name: &str, args: &[Term], naming: &dyn Naming) -> String {
    let args: Vec<String> = args.iter().map(|arg| show_value(arg, naming)).collect();
    format!("{name}({})", args.join(", "))
}

fn show_sum(parts: &[Term], naming: &dyn Naming) -> String {
    let mut text = String::new();
    for part in parts {
        let (negative, shown) = match part.kind() {
            Kind::Int(value) if *value < 0 => (true, value.unsigned_abs().to_string()),
            Kind::Scale(factor, _) if *factor < 0 => (true, show_value(&part.negate(), naming)),
            _ => (false, show_value(part, naming)),
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

fn tight(term: &Term, naming: &dyn Naming) -> String {
    match term.kind() {
        Kind::Sum(_) | Kind::Scale(..) | Kind::Product(..) | Kind::Div(..) | Kind::Mod(..) => {
            format!("({})", show_value(term, naming))
        }
        _ => show_value(term, naming),
    }
}
