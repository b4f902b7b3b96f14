//! What a set of valuations says in brief: which values each variable has, and how two of them go together.
//!
//! That is a consequence of what the set says, and mostly all of it: a long disjunction of states is a few facts, each about
//! one or two variables, in disguise. Where it is not all, more follows after `…`.

use crate::cubes::{Axis, Cube, Point, cover};
use crate::formula::{Variable, conjuncts};
use std::collections::BTreeSet;

/// A relation between two variables that takes more cases than this to say is left out,
const MAX_CASES: usize = 2;
/// and so are all but so many facts, those that say least.
const MAX_FACTS: usize = 8;
/// Whether all is said is tried for so many valuations.
const MAX_TRIED: usize = 60_000;

/// Two variables, and the values that they have together.
struct Pair {
    axes: [usize; 2],
    values: BTreeSet<[i64; 2]>,
    /// Of each case its literals.
    cases: Vec<Vec<String>>,
}

/// Some pairs and what they say: one literal or another, for all of these others.
struct Fact {
    pairs: Vec<Pair>,
    text: String,
}

/// The facts, in conjunction, those about two variables in parentheses; nothing if there are none.
pub(crate) fn brief(variables: &[Variable], points: &[Point]) -> Option<Vec<String>> {
    let values: Cube = (0..variables.len()).map(|axis| sorted(points.iter().map(|point| point[axis]))).collect();
    let all: Vec<usize> = (0..variables.len()).collect();
    let mut facts = conjuncts(variables, &values, &all);
    let mut pairs: Vec<Pair> = Vec::new();
    for first in 0..variables.len() {
        let others = first + 1..variables.len();
        pairs.extend(others.filter_map(|second| pair(variables, &values, [first, second], points)));
    }
    let possible = |pair: &Pair| pair.axes.iter().map(|&axis| values[axis].len()).product::<usize>();
    // Those first that leave the smallest part of what would be possible.
    pairs.sort_by_key(|pair| pair.values.len() * 1000 / possible(pair));
    let mut merged = merge(pairs);
    merged.truncate(MAX_FACTS);
    facts.extend(merged.iter().map(|fact| format!("({})", fact.text)));
    let pairs: Vec<&Pair> = merged.iter().flat_map(|fact| &fact.pairs).collect();
    if !is_all(&values, &pairs, points.len()) {
        facts.push("…".to_string());
    }
    (facts.len() > 1).then_some(facts)
}

/// `a || c` and `b || c` are `a && b || c`: pairs that share a literal are told together, at the place of the first of them.
fn merge(pairs: Vec<Pair>) -> Vec<Fact> {
    let literals = |pair: &Pair| match &pair.cases[..] {
        [a, b] if a.len() == 1 && b.len() == 1 => vec![a[0].clone(), b[0].clone()],
        _ => Vec::new(),
    };
    let mut left: Vec<Option<Pair>> = pairs.into_iter().map(Some).collect();
    let mut facts = Vec::new();
    for index in 0..left.len() {
        let Some(pair) = left[index].take() else { continue };
        let uses = |literal: &String| left.iter().flatten().filter(|other| literals(other).contains(literal)).count();
        let shared = literals(&pair).into_iter().rev().max_by_key(uses).filter(|literal| uses(literal) > 0);
        let Some(shared) = shared else {
            let cases: Vec<String> = pair.cases.iter().map(|literals| literals.join(" && ")).collect();
            facts.push(Fact { text: cases.join(" || "), pairs: vec![pair] });
            continue;
        };
        let mut together = vec![pair];
        for other in &mut left[index + 1..] {
            if other.as_ref().is_some_and(|other| literals(other).contains(&shared)) {
                together.extend(other.take());
            }
        }
        let mut others: Vec<String> = Vec::new();
        for literal in together.iter().flat_map(&literals).filter(|literal| *literal != shared) {
            if !others.contains(&literal) {
                others.push(literal);
            }
        }
        facts.push(Fact { text: format!("{} || {shared}", others.join(" && ")), pairs: together });
    }
    facts
}

/// How two variables go together, if that says something beyond the values of each.
fn pair(variables: &[Variable], of: &Cube, axes: [usize; 2], points: &[Point]) -> Option<Pair> {
    let values: BTreeSet<[i64; 2]> = points.iter().map(|point| axes.map(|axis| point[axis])).collect();
    if values.len() == of[axes[0]].len() * of[axes[1]].len() {
        return None;
    }
    // Values by their numbers, so that all of them together count as any value.
    let number = |side: usize, value: i64| of[axes[side]].binary_search(&value).map_or(0, |index| index as i64);
    let domain = |axis: usize| Axis { bounds: Some((0, of[axis].len() as i64 - 1)), ..variables[axis].axis() };
    let numbers = values.iter().map(|[a, b]| vec![number(0, *a), number(1, *b)]).collect();
    let cases = cover(&axes.map(domain), numbers).filter(|cases| cases.len() <= MAX_CASES)?;
    let literal = |side: usize, numbers: &[i64]| {
        let (axis, is_any) = (axes[side], numbers.len() == of[axes[side]].len());
        let values: Vec<i64> = numbers.iter().map(|&number| of[axis][number as usize]).collect();
        variables[axis].literal(&values).filter(|_| !is_any)
    };
    let case = |case: &Cube| (0..2).filter_map(|side| literal(side, &case[side])).collect();
    Some(Pair { axes, cases: cases.iter().map(case).collect(), values })
}

/// Whether nothing but so many valuations satisfies all that is said.
fn is_all(values: &Cube, pairs: &[&Pair], count: usize) -> bool {
    let possible = values.iter().fold(1, |product: usize, of| product.saturating_mul(of.len()));
    if possible > MAX_TRIED {
        return false;
    }
    let satisfies = |mut number: usize| {
        let point: Vec<i64> = values
            .iter()
            .map(|of| {
                let value = of[number % of.len()];
                number /= of.len();
                value
            })
            .collect();
        pairs.iter().all(|pair| pair.values.contains(&pair.axes.map(|axis| point[axis])))
    };
    (0..possible).filter(|&number| satisfies(number)).count() == count
}

fn sorted(values: impl Iterator<Item = i64>) -> Vec<i64> {
    values.collect::<BTreeSet<i64>>().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::Kind;

    fn number(name: &str) -> Variable {
        Variable { name: name.to_string(), kind: Kind::Number(Some((0, 9))), member: None }
    }

    #[test]
    fn facts_about_one_and_two_variables_are_all_of_it() {
        // Each slot is empty and 0, or full and 3.
        let variables = [Variable::boolean("full".to_string()), number("x"), number("y")];
        let points: Vec<Point> = (0..4).map(|n| vec![n & 1, 3 * (n & 1), n >> 1]).collect();
        assert_eq!(
            brief(&variables, &points).expect("there are facts"),
            ["x in {0, 3}", "y <= 1", "(!full && x == 0 || full && x == 3)"]
        );
    }

    #[test]
    fn an_implication_is_no_equivalence() {
        // Whoever is not ready has 0.
        let variables = [Variable::boolean("ready".to_string()), number("x")];
        let points = vec![vec![0, 0], vec![1, 0], vec![1, 2]];
        assert_eq!(brief(&variables, &points).expect("there are facts"), ["x in {0, 2}", "(x == 0 || ready)"]);
    }

    #[test]
    fn what_takes_three_variables_is_told_to_be_missing() {
        // An even number of them.
        let variables = [Variable::boolean("a".to_string()), number("b"), number("c")];
        let points: Vec<Point> = (0..4).map(|n| vec![n & 1, n >> 1, (n & 1) ^ (n >> 1)]).collect();
        assert_eq!(brief(&variables, &points).expect("there are facts"), ["b <= 1", "c <= 1", "…"]);
    }

    #[test]
    fn what_holds_unless_the_same_is_told_together() {
        // Before it is ready all is 0; then anything is possible.
        let variables = [Variable::boolean("ready".to_string()), number("x"), number("y"), number("z")];
        let ready = (0..8).map(|n| vec![1, 2 * (n & 1), 2 * (n >> 1 & 1), 2 * (n >> 2)]);
        let points: Vec<Point> = std::iter::once(vec![0, 0, 0, 0]).chain(ready).collect();
        assert_eq!(
            brief(&variables, &points).expect("there are facts"),
            ["x in {0, 2}", "y in {0, 2}", "z in {0, 2}", "(x == 0 && y == 0 && z == 0 || ready)"]
        );
    }
}
