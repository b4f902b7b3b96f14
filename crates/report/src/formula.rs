//! Sets of valuations as formulas that people can read.

use crate::brief::brief;
use crate::cubes::{Axis, Cube, Point, cover, is_run};
use crate::numbers::show_count;
use std::sync::Arc;

/// Sets of more values than this are cut.
const MAX_VALUES: usize = 12;

/// Values of whole arrays and sets that are longer are cut.
const MAX_TEXT: usize = 32;

/// Where formulas are to be short, longer ones are told in brief.
const MAX_LENGTH: usize = 320;

/// A variable of a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Variable {
    /// `x`, `a[2]`; `x'` and `a'[2]` for the value after a step.
    pub(crate) name: String,
    /// What its values are.
    pub(crate) kind: Kind,
    /// It says whether an element is in a set: the name of the set, and the element.
    pub(crate) member: Option<(String, String)>,
}

/// What the values of a variable are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// 0 and 1; the text says what 0 means.
    Bool(String),
    /// Numbers, all of them or those between two bounds.
    Number(Option<(i64, i64)>),
    /// The numbers of these names, which are all there are.
    Name(Arc<[String]>),
    /// The numbers of these texts; there are others.
    Text(Vec<String>),
}

impl Variable {
    /// A variable that is true or false.
    pub(crate) fn boolean(name: String) -> Variable {
        let negation = format!("!{name}");
        Variable { name, kind: Kind::Bool(negation), member: None }
    }

    pub(crate) fn axis(&self) -> Axis {
        let bounds = match &self.kind {
            Kind::Bool(_) => Some((0, 1)),
            Kind::Number(bounds) => bounds.filter(|(lo, hi)| hi.checked_sub(*lo).is_some()),
            Kind::Name(names) => Some((0, names.len() as i64 - 1)),
            Kind::Text(_) => None,
        };
        Axis { bounds, is_number: matches!(self.kind, Kind::Number(_)) }
    }

    /// What it means that the value is among these; nothing if all values are.
    pub(crate) fn literal(&self, values: &[i64]) -> Option<String> {
        let axis = self.axis();
        if axis.is_whole(values) {
            return None;
        }
        let name = &self.name;
        Some(match (&self.kind, values) {
            (_, []) => "false".to_string(),
            (Kind::Text(_), [first, ..]) => self.text_literal(*first, values),
            (Kind::Bool(negation), [value]) => {
                if *value == 0 {
                    negation.clone()
                } else {
                    name.clone()
                }
            }
            (_, [value]) => format!("{name} == {}", self.value(*value)),
            (_, [.., last]) => {
                if let Some(missing) = only_missing(axis, values) {
                    format!("{name} != {}", self.value(missing))
                } else if axis.is_number && is_run(values[0], *last, values.len()) {
                    self.between(values[0], *last, axis.bounds)
                } else {
                    format!("{name} in {{{}}}", self.listed(values))
                }
            }
        })
    }

    /// Long values are not worth reading: there are this many of them.
    fn text_literal(&self, first: i64, values: &[i64]) -> String {
        let name = &self.name;
        let listed = self.listed(values);
        match values.len() {
            1 => format!("{name} == {}", cut(self.value(first))),
            _ if listed.chars().count() <= MAX_TEXT => format!("{name} in {{{listed}}}"),
            n => format!("{name} in ({} values)", show_count(n as u64)),
        }
    }

    fn between(&self, first: i64, last: i64, bounds: Option<(i64, i64)>) -> String {
        let name = &self.name;
        match bounds {
            Some((lo, _)) if lo == first => format!("{name} <= {last}"),
            Some((_, hi)) if hi == last => format!("{name} >= {first}"),
            _ => format!("{first} <= {name} <= {last}"),
        }
    }

    fn listed(&self, values: &[i64]) -> String {
        let shown: Vec<String> = values.iter().take(MAX_VALUES).map(|&value| self.value(value)).collect();
        match values.len() > MAX_VALUES {
            true => format!("{}, … ({} values)", shown.join(", "), show_count(values.len() as u64)),
            false => shown.join(", "),
        }
    }

    fn value(&self, value: i64) -> String {
        match &self.kind {
            Kind::Bool(_) => (value != 0).to_string(),
            Kind::Number(_) => value.to_string(),
            Kind::Name(names) => name_of(names, value),
            Kind::Text(texts) => name_of(texts, value),
        }
    }
}

fn name_of(names: &[String], value: i64) -> String {
    let name = usize::try_from(value).ok().and_then(|index| names.get(index));
    name.map_or_else(|| value.to_string(), String::clone)
}

fn cut(text: String) -> String {
    match text.char_indices().nth(MAX_TEXT) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// The value that a set lacks, if it lacks just one. With two values in all it is not worth a `!=`.
fn only_missing(axis: Axis, values: &[i64]) -> Option<i64> {
    let (lo, hi) = axis.bounds?;
    let lacks_one = (hi - lo).unsigned_abs() == values.len() as u64;
    // At an end of a range the other bound says it better.
    let missing = values.iter().zip(lo..).find(|(value, expected)| **value != *expected);
    let missing = missing.map_or(hi, |(_, missing)| missing);
    let is_end = axis.is_number && (missing == lo || missing == hi);
    (lacks_one && !is_end).then_some(missing)
}

/// What a set of valuations says, as a disjunction of conjunctions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Formula {
    /// What all disjuncts have in common, the disjuncts, and what follows from that in brief, as facts in conjunction.
    Disjunction(Vec<String>, Vec<Vec<String>>, Option<Vec<String>>),
    /// There are too many valuations to make a formula of.
    TooMany(usize),
}

impl Formula {
    /// The formula that just these valuations satisfy.
    pub(crate) fn of(variables: &[Variable], points: Vec<Point>) -> Formula {
        let axes: Vec<Axis> = variables.iter().map(Variable::axis).collect();
        let count = points.len();
        let Some(cubes) = cover(&axes, points.clone()) else {
            return Formula::TooMany(count);
        };
        let in_brief = brief(variables, &points).filter(|_| cubes.len() > 1);
        let is_alike = |axis: usize| cubes.iter().all(|cube| cube[axis] == cubes[0][axis]);
        // The elements of a set stay together.
        let set = |axis: usize| variables[axis].member.as_ref().map(|(set, _)| set);
        let is_common = |axis: &usize| match set(*axis) {
            None => is_alike(*axis),
            of => (0..variables.len()).filter(|&axis| set(axis) == of).all(is_alike),
        };
        let (common, own): (Vec<usize>, Vec<usize>) = (0..variables.len()).partition(is_common);
        match &cubes[..] {
            [] => Formula::Disjunction(Vec::new(), Vec::new(), None),
            [cube] => Formula::Disjunction(conjuncts(variables, cube, &common), vec![Vec::new()], None),
            [first, ..] => {
                let disjuncts = cubes.iter().map(|cube| conjuncts(variables, cube, &own)).collect();
                Formula::Disjunction(conjuncts(variables, first, &common), disjuncts, in_brief)
            }
        }
    }

    /// The formula as text. If it should have at most so many disjuncts, one that has more, or is long, is told in brief.
    pub(crate) fn show(&self, most: usize) -> String {
        conjunction(&self.told(most))
    }

    /// The same as conjuncts, with disjunctions among them in parentheses.
    pub(crate) fn told(&self, most: usize) -> Vec<String> {
        let (common, disjuncts, brief) = match self {
            Formula::TooMany(count) => return vec![format!("({} combinations of values)", show_count(*count as u64))],
            Formula::Disjunction(common, disjuncts, brief) => (common, disjuncts, brief),
        };
        let length = |disjunct: &Vec<String>| disjunct.iter().map(|literal| literal.len() + 4).sum::<usize>();
        let is_long = disjuncts.len() > most || disjuncts.iter().map(length).sum::<usize>() > MAX_LENGTH;
        if let Some(brief) = brief.as_ref().filter(|_| most < usize::MAX && is_long) {
            return brief.clone();
        }
        if disjuncts.is_empty() {
            return vec!["false".to_string()];
        }
        let mut told = common.clone();
        if disjuncts.iter().any(Vec::is_empty) {
            return told;
        }
        let mut shown: Vec<String> = disjuncts.iter().take(most).map(|conjuncts| conjuncts.join(" && ")).collect();
        if disjuncts.len() > most {
            shown.push(format!("… ({} more)", show_count((disjuncts.len() - most) as u64)));
        }
        told.push(if let [only] = &shown[..] { only.clone() } else { format!("({})", shown.join(" || ")) });
        told
    }
}

/// Conjuncts as one formula. A disjunction that stands alone needs no parentheses.
pub(crate) fn conjunction(conjuncts: &[String]) -> String {
    match conjuncts {
        [] => "true".to_string(),
        [only] => {
            let inside = only.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
            inside.filter(|inside| inside.contains(" || ")).unwrap_or(only).to_string()
        }
        all => all.join(" && "),
    }
}

/// The conjuncts of a cube that speak of these variables. A set all of whose members are known
/// is written out.
pub(crate) fn conjuncts(variables: &[Variable], cube: &Cube, axes: &[usize]) -> Vec<String> {
    let mut conjuncts = Vec::new();
    let mut written: Option<&str> = None;
    for &axis in axes {
        let variable = &variables[axis];
        let Some((set, _)) = &variable.member else {
            conjuncts.extend(variable.literal(&cube[axis]));
            continue;
        };
        if written == Some(set) {
            continue;
        }
        match known_set(variables, cube, axes, set) {
            Some(text) => {
                conjuncts.push(text);
                written = Some(set);
            }
            None => conjuncts.extend(variable.literal(&cube[axis])),
        }
    }
    conjuncts
}

/// `s == {1, 3}`, if of each element it is known whether it is in the set.
fn known_set(variables: &[Variable], cube: &Cube, axes: &[usize], set: &str) -> Option<String> {
    let mut elements = Vec::new();
    for (axis, variable) in variables.iter().enumerate() {
        if let Some((_, element)) = variable.member.as_ref().filter(|(name, _)| name == set) {
            match cube[axis][..] {
                [0] if axes.contains(&axis) => {}
                [1] if axes.contains(&axis) => elements.push(element.as_str()),
                _ => return None,
            }
        }
    }
    Some(format!("{set} == {{{}}}", elements.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number(name: &str, bounds: Option<(i64, i64)>) -> Variable {
        Variable { name: name.to_string(), kind: Kind::Number(bounds), member: None }
    }

    fn names(name: &str, names: &[&str]) -> Variable {
        let names = names.iter().map(|name| name.to_string()).collect();
        Variable { name: name.to_string(), kind: Kind::Name(names), member: None }
    }

    fn show(variables: &[Variable], points: &[&[i64]]) -> String {
        Formula::of(variables, points.iter().map(|point| point.to_vec()).collect()).show(6)
    }

    #[test]
    fn literals_fit_the_type() {
        let literal = |variable: Variable, values: &[i64]| variable.literal(values).unwrap_or_default();
        assert_eq!(literal(number("x", None), &[3]), "x == 3");
        assert_eq!(literal(number("x", None), &[0, 1]), "0 <= x <= 1");
        assert_eq!(literal(number("x", None), &[1, 4, 7]), "x in {1, 4, 7}");
        assert_eq!(literal(number("x", Some((0, 9))), &[0, 1, 2]), "x <= 2");
        assert_eq!(literal(number("x", Some((0, 9))), &[7, 8, 9]), "x >= 7");
        assert_eq!(literal(number("x", Some((0, 3))), &[0, 1, 3]), "x != 2");
        assert_eq!(literal(number("x", Some((0, 3))), &[0, 1, 2]), "x <= 2");
        assert_eq!(literal(number("x", Some((0, 1))), &[0, 1]), "");
        assert_eq!(literal(Variable::boolean("b".to_string()), &[0]), "!b");
        assert_eq!(literal(Variable::boolean("b".to_string()), &[1]), "b");
        assert_eq!(literal(names("m", &["none", "self", "another"]), &[0, 2]), "m != self");
        assert_eq!(literal(names("m", &["none", "self", "another", "P"]), &[0, 2]), "m in {none, another}");
        let long: Vec<i64> = (0..20).map(|n| 2 * n).collect();
        assert!(literal(number("x", None), &long).ends_with("22, … (20 values)}"));
    }

    #[test]
    fn long_values_are_counted() {
        let texts = vec!["{}".to_string(), "{1}".to_string(), "[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]".to_string()];
        let whole = Variable { name: "a".to_string(), kind: Kind::Text(texts), member: None };
        assert_eq!(whole.literal(&[1]).as_deref(), Some("a == {1}"));
        assert_eq!(whole.literal(&[0, 1]).as_deref(), Some("a in {{}, {1}}"));
        assert_eq!(whole.literal(&[0, 1, 2]).as_deref(), Some("a in (3 values)"));
        assert_eq!(whole.literal(&[2]).as_deref(), Some("a == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0…"));
    }

    #[test]
    fn simple_of_fq() {
        let variables = [names("m", &["none", "self", "another"]), number("x", Some((0, 1)))];
        assert_eq!(show(&variables, &[&[0, 1], &[2, 0], &[2, 1]]), "m == none && x == 1 || m == another");
        assert_eq!(show(&variables, &[&[1, 1]]), "m == self && x == 1");
        assert_eq!(show(&variables, &[]), "false");
        let all: Vec<[i64; 2]> = (0..6).map(|n| [n / 2, n % 2]).collect();
        assert_eq!(show(&variables, &all.iter().map(|p| &p[..]).collect::<Vec<_>>()), "true");
    }

    #[test]
    fn what_all_disjuncts_have_in_common_comes_first() {
        let variables = [number("x", None), number("y", None), number("z", None)];
        assert_eq!(show(&variables, &[&[1, 5, 1], &[2, 5, 3]]), "y == 5 && (x == 1 && z == 1 || x == 2 && z == 3)");
    }

    #[test]
    fn long_disjunctions_are_told_in_brief() {
        let variables = [number("x", None), number("y", None)];
        let points: Vec<Point> = (0..9).map(|n| vec![2 * n, 3 * n]).collect();
        let formula = Formula::of(&variables, points);
        assert_eq!(
            formula.show(2),
            "x in {0, 2, 4, 6, 8, 10, 12, 14, 16} && y in {0, 3, 6, 9, 12, 15, 18, 21, 24} && …"
        );
        assert!(formula.show(usize::MAX).starts_with("x == 0 && y == 0 || x == 2 && y == 3 || x == 4 && y == 6"));
        assert_eq!(Formula::TooMany(12).show(2), "(12 combinations of values)");
    }

    #[test]
    fn sets_are_written_out_where_they_are_known() {
        let member = |element: &str| Variable {
            member: Some(("s".to_string(), element.to_string())),
            kind: Kind::Bool(format!("!({element} in s)")),
            name: format!("{element} in s"),
        };
        let variables = [member("1"), member("2")];
        assert_eq!(show(&variables, &[&[1, 0]]), "s == {1}");
        assert_eq!(show(&variables, &[&[0, 0]]), "s == {}");
        assert_eq!(show(&variables, &[&[1, 0], &[1, 1]]), "1 in s");
        assert_eq!(show(&variables, &[&[0, 1], &[1, 0]]), "s == {2} || s == {1}");
    }

    /// Evaluates a printed formula over the variables `a`, `b`, `c`, `d`.
    struct Reader<'a> {
        words: Vec<&'a str>,
        at: usize,
        point: &'a [i64],
    }

    impl Reader<'_> {
        fn next(&mut self) -> Option<String> {
            let word = self.words.get(self.at).map(|word| word.to_string());
            self.at += 1;
            word
        }

        fn accept(&mut self, word: &str) -> bool {
            let found = self.words.get(self.at) == Some(&word);
            self.at += usize::from(found);
            found
        }

        fn disjunction(&mut self) -> bool {
            let mut holds = self.conjunction();
            while self.accept("||") {
                holds |= self.conjunction();
            }
            holds
        }

        fn conjunction(&mut self) -> bool {
            let mut holds = self.literal();
            while self.accept("&&") {
                holds &= self.literal();
            }
            holds
        }

        fn value(&self, word: &str) -> i64 {
            match word {
                "a" => self.point[0],
                "b" => self.point[1],
                "c" => self.point[2],
                "d" => self.point[3],
                "none" => 0,
                "self" => 1,
                "another" => 2,
                number => number.parse().expect("a number"),
            }
        }

        fn literal(&mut self) -> bool {
            let word = self.next().expect("a literal");
            match word.as_str() {
                "(" => {
                    let holds = self.disjunction();
                    assert!(self.accept(")"));
                    holds
                }
                "true" => true,
                "false" => false,
                "!" => !self.literal(),
                _ => {
                    let left = self.value(&word);
                    let operator = self.words.get(self.at).copied().unwrap_or_default();
                    if !["==", "!=", "<=", ">=", "in"].contains(&operator) {
                        return left == 1;
                    }
                    self.at += 1;
                    if operator == "in" {
                        return self.set().contains(&left);
                    }
                    let right = self.next().map(|word| self.value(&word)).expect("a value");
                    let holds = match operator {
                        "==" => left == right,
                        "!=" => left != right,
                        "<=" => left <= right,
                        _ => left >= right,
                    };
                    if self.accept("<=") {
                        let upper = self.next().map(|word| self.value(&word)).expect("a value");
                        return holds && right <= upper;
                    }
                    holds
                }
            }
        }

        fn set(&mut self) -> Vec<i64> {
            assert!(self.accept("{"));
            let mut values = Vec::new();
            while !self.accept("}") {
                let word = self.next().expect("a value");
                values.push(self.value(&word));
                self.accept(",");
            }
            values
        }
    }

    fn holds(text: &str, point: &[i64]) -> bool {
        let spaced = ["(", ")", "{", "}", ","].iter().fold(text.to_string(), |t, c| t.replace(c, &format!(" {c} ")));
        let spaced = spaced.replace("!=", "\0").replace('!', " ! ").replace('\0', "!=");
        let mut reader = Reader { words: spaced.split_whitespace().collect(), at: 0, point };
        let holds = reader.disjunction();
        assert_eq!(reader.at, reader.words.len(), "{text}");
        holds
    }

    proptest! {
        #[test]
        fn the_text_means_exactly_the_points(points in prop::collection::vec((0i64..3, 0i64..2, 0i64..4, 0i64..4), 0..60)) {
            let variables = [
                names("a", &["none", "self", "another"]),
                Variable::boolean("b".to_string()),
                number("c", Some((0, 3))),
                number("d", None),
            ];
            let points: Vec<Point> = points.into_iter().map(|(a, b, c, d)| vec![a, b, c, d]).collect();
            let text = Formula::of(&variables, points.clone()).show(usize::MAX);
            for n in 0..96 {
                let point = vec![n % 3, n / 3 % 2, n / 6 % 4, n / 24 % 4];
                prop_assert_eq!(holds(&text, &point), points.contains(&point), "{} at {:?}", text, point);
            }
        }
    }
}
