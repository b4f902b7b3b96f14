//! Terms as text for people, in the notation of the language.

use crate::simple::simplified;
use threadwise_logic::{Kind, Quantifier, SmtSort, Term, Var};
use threadwise_space::{PointId, Shown, Space};

/// The term as text, as short as that can be said.
pub(crate) fn show_term(term: &Term, space: &Space) -> String {
    show(&factored(&simplified(term)), space, Level::Top)
}

/// What all disjuncts say, said once: `a && (b || c)`.
fn factored(formula: &Term) -> Term {
    let Kind::Or(disjuncts) = formula.kind() else { return formula.clone() };
    let all: Vec<Vec<&Term>> = disjuncts.iter().map(|part| part.conjuncts().iter().collect()).collect();
    let is_common = |part: &&Term| all[1..].iter().all(|other| other.contains(part));
    let common: Vec<&Term> = all[0].iter().copied().filter(is_common).collect();
    let rest = all.iter().map(|parts| Term::all(parts.iter().copied().filter(|part| !common.contains(part))));
    Term::all(common.iter().copied().chain([&Term::any(rest)]))
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Top,
    Or,
    And,
    Tight,
}

fn show(formula: &Term, space: &Space, level: Level) -> String {
    let (text, own) = match formula.kind() {
        Kind::Le(a, b) => (comparison(a, b, "<=", space), Level::And),
        Kind::Eq(a, b) => (comparison(a, b, "==", space), Level::And),
        Kind::Not(inner) => match inner.kind() {
            Kind::Eq(a, b) => (comparison(a, b, "!=", space), Level::And),
            _ => (format!("!{}", show(inner, space, Level::Tight)), Level::Tight),
        },
        Kind::And(parts) => (joined(parts, " && ", Level::And, space), Level::Or),
        Kind::Or(parts) => (joined(parts, " || ", Level::Or, space), Level::Top),
        Kind::Iff(a, b) => (format!("{} <==> {}", show(a, space, Level::Or), show(b, space, Level::Or)), Level::Top),
        Kind::Quantified(quantifier, bound, body, _) => {
            let word = match quantifier {
                Quantifier::Forall => "forall",
                Quantifier::Exists => "exists",
            };
            let bound: Vec<String> = bound.iter().map(|(name, sort)| format!("{name}: {sort}")).collect();
            (format!("{word} {} :: {}", bound.join(", "), show(body, space, Level::Top)), Level::Top)
        }
        _ => (show_value(formula, space), Level::Tight),
    };
    if own < level { format!("({text})") } else { text }
}

fn joined(parts: &[Term], between: &str, level: Level, space: &Space) -> String {
    let inner = if level == Level::And { Level::And } else { Level::Or };
    parts.iter().map(|part| show(part, space, inner)).collect::<Vec<_>>().join(between)
}

/// A comparison with all terms on the side where they are positive.
fn comparison(a: &Term, b: &Term, operator: &str, space: &Space) -> String {
    if let (Kind::Var(var, _), Kind::Int(value)) = (a.kind(), b.kind()) {
        return format!("{} {operator} {}", space.name(*var), value_name(space, *var, *value));
    }
    if let (Kind::Int(value), Kind::Var(var, _)) = (a.kind(), b.kind()) {
        let turned = if operator == "<=" { ">=" } else { operator };
        return format!("{} {turned} {}", space.name(*var), value_name(space, *var, *value));
    }
    if *a.sort() != SmtSort::Int {
        return format!("{} {operator} {}", tight(a, space), tight(b, space));
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
    // `a + 1 <= b`, of integers.
    let one = left.iter().position(|part| part.as_int() == Some(1)).filter(|_| operator == "<=" && left.len() > 1);
    if let Some(one) = one {
        left.remove(one);
        return format!("{} < {}", sum(&left, space), sum(&right, space));
    }
    if left.is_empty() && operator == "<=" {
        return format!("{} >= 0", sum(&right, space));
    }
    if let ([only], "<=") = (&left[..], operator)
        && let Some(value) = only.as_int()
    {
        return format!("{} >= {value}", sum(&right, space));
    }
    format!("{} {operator} {}", sum(&left, space), sum(&right, space))
}

fn sum(parts: &[Term], space: &Space) -> String {
    match parts {
        [] => "0".to_string(),
        parts => parts.iter().map(|part| show_value(part, space)).collect::<Vec<_>>().join(" + "),
    }
}

fn show_value(term: &Term, space: &Space) -> String {
    let tight = |term| tight(term, space);
    match term.kind() {
        Kind::Bool(value) => value.to_string(),
        Kind::Int(value) => value.to_string(),
        Kind::Bits(bits) => bits.unsigned().to_string(),
        Kind::Var(var, _) => space.name(*var),
        Kind::Apply(name, args, _) if args.is_empty() => name.to_string(),
        Kind::Apply(name, args, _) => call(name, args, space),
        Kind::Sum(parts) => show_sum(parts, space),
        Kind::Scale(factor, a) => format!("{factor} * {}", tight(a)),
        Kind::Product(a, b) => format!("{} * {}", tight(a), tight(b)),
        Kind::Div(a, b) => format!("{} / {}", tight(a), tight(b)),
        Kind::Mod(a, b) => format!("{} % {}", tight(a), tight(b)),
        Kind::Ite(c, a, b) => {
            let condition = show(c, space, Level::Tight);
            format!("({condition} ? {} : {})", show_value(a, space), show_value(b, space))
        }
        Kind::Select(array, key) => format!("{}[{}]", tight(array), show_value(key, space)),
        Kind::Store(array, key, value) => {
            format!("{}[{} = {}]", tight(array), show_value(key, space), show_value(value, space))
        }
        Kind::Filled(_, element) => format!("[{}]", show_value(element, space)),
        Kind::Map(connective, arrays) => call(&format!("{connective:?}").to_lowercase(), arrays, space),
        Kind::Operation(op, operands) => call(&op.symbol(), operands, space),
        Kind::Le(..)
        | Kind::Eq(..)
        | Kind::Not(_)
        | Kind::And(_)
        | Kind::Or(_)
        | Kind::Iff(..)
        | Kind::Quantified(..) => show(term, space, Level::Tight),
    }
}

fn call(name: &str, args: &[Term], space: &Space) -> String {
    let args: Vec<String> = args.iter().map(|arg| show_value(arg, space)).collect();
    format!("{name}({})", args.join(", "))
}

fn show_sum(parts: &[Term], space: &Space) -> String {
    let mut text = String::new();
    for part in parts {
        let (negative, shown) = match part.kind() {
            Kind::Int(value) if *value < 0 => (true, value.unsigned_abs().to_string()),
            Kind::Scale(factor, _) if *factor < 0 => (true, show_value(&part.negate(), space)),
            _ => (false, show_value(part, space)),
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

fn tight(term: &Term, space: &Space) -> String {
    match term.kind() {
        Kind::Sum(_) | Kind::Scale(..) | Kind::Product(..) | Kind::Div(..) | Kind::Mod(..) => {
            format!("({})", show_value(term, space))
        }
        _ => show_value(term, space),
    }
}

/// What the value of a variable is called.
fn value_name(space: &Space, var: Var, value: i64) -> String {
    let Some(info) = space.info(var) else { return value.to_string() };
    let (enums, index) = (&space.instance.program.enums, usize::try_from(value).ok());
    match info.shown {
        Shown::Enum(id) => index.and_then(|index| enums[id.index()].members.get(index)).map(ToString::to_string),
        Shown::Tid => Some(space.instance.tid_name(value)),
        Shown::Point(thread) => {
            let points = &space.threads[thread.index()].points;
            index.filter(|index| *index < points.len()).map(|index| space.point_name(thread, PointId(index as u32)))
        }
        Shown::Plain => None,
    }
    .unwrap_or_else(|| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_all_disjuncts_say_is_said_once() {
        let fact = |number| Term::var(Var(number), SmtSort::Bool);
        let (a, b, c) = (fact(1), fact(2), fact(3));
        let given = Term::any([a.and(&b), c.and(&a)]);
        assert_eq!(factored(&given), a.and(b.or(&c)));
        assert_eq!(factored(&b.or(&c)), b.or(&c));
        assert_eq!(factored(&a), a);
    }
}
