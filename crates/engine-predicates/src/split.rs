//! Steps whose guards are conjunctions: disjunctions, disequations and conditional values are split into
//! several steps, so that what refinement sees is linear.

use threadwise_logic::{Kind, SmtSort, Term, Var};
use threadwise_space::{Space, Step};

/// A step is split into no more than this many; otherwise it stays as it is.
const MAX_PARTS: usize = 48;

/// The step as one or more steps with conjunctive guards.
pub(crate) fn split(space: &Space, step: &Step) -> Vec<Step> {
    let mut done = Vec::new();
    let mut todo = vec![step.clone()];
    while let Some(next) = todo.pop() {
        if done.len() + todo.len() > MAX_PARTS {
            return vec![step.clone()];
        }
        match condition(&next) {
            Some(condition) => {
                for truth in [false, true] {
                    todo.push(assuming(&next, &condition, truth));
                }
            }
            None => {
                for cube in cubes(space, &next.guard) {
                    done.push(Step { guard: cube, ..next.clone() });
                }
            }
        }
    }
    if done.len() > MAX_PARTS { vec![step.clone()] } else { done }
}

/// A formula as a disjunction of conjunctions; one of itself if there would be too many.
pub(crate) fn cubes(space: &Space, formula: &Term) -> Vec<Term> {
    let bounded = |var: Var| match space.sort(var) {
        threadwise_space::VarSort::Int(bounds) => bounds,
        threadwise_space::VarSort::Bool => Some((0, 1)),
    };
    match dnf(formula, &bounded) {
        Some(cubes) => cubes.into_iter().filter(|cube| !cube.is_false()).collect(),
        None => vec![formula.clone()],
    }
}

fn dnf(formula: &Term, bounds: &dyn Fn(Var) -> Option<(i64, i64)>) -> Option<Vec<Term>> {
    Some(match formula.kind() {
        Kind::Or(parts) => {
            let mut all = Vec::new();
            for part in parts {
                all.extend(dnf(part, bounds)?);
                if all.len() > MAX_PARTS {
                    return None;
                }
            }
            all
        }
        Kind::And(parts) => {
            let mut all = vec![Term::bool(true)];
            for part in parts {
                let cubes = dnf(part, bounds)?;
                all = all.iter().flat_map(|one| cubes.iter().map(|two| one.and(two))).collect();
                all.retain(|cube| !cube.is_false());
                if all.len() > MAX_PARTS {
                    return None;
                }
            }
            all
        }
        Kind::Iff(a, b) => match (a.as_var(), b.as_var()) {
            (Some(_), Some(_)) => vec![formula.clone()],
            _ => dnf(&a.and(b).or(a.not().and(b.not())), bounds)?,
        },
        Kind::Not(inner) => match inner.kind() {
            Kind::And(parts) => dnf(&Term::any(parts.iter().map(Term::not)), bounds)?,
            Kind::Or(parts) => dnf(&Term::all(parts.iter().map(Term::not)), bounds)?,
            Kind::Iff(a, b) => dnf(&a.and(b.not()).or(a.not().and(b)), bounds)?,
            Kind::Eq(a, b) if is_one_sided(a, b, bounds) => vec![formula.clone()],
            Kind::Eq(a, b) if *a.sort() == SmtSort::Int => vec![a.lt(b), b.lt(a)],
            _ => vec![formula.clone()],
        },
        _ => vec![formula.clone()],
    })
}

/// Whether the variable's bounds leave only one side of the number.
fn is_one_sided(a: &Term, b: &Term, bounds: &dyn Fn(Var) -> Option<(i64, i64)>) -> bool {
    match (a.as_var(), b.as_int()) {
        (Some(var), Some(value)) => bounds(var).is_some_and(|(lo, hi)| value <= lo || value >= hi),
        _ => false,
    }
}

/// The condition of some conditional value in the step.
fn condition(step: &Step) -> Option<Term> {
    let in_updates = step.updates.iter().find_map(|(_, value)| match (value.sort(), value.kind()) {
        (SmtSort::Bool, Kind::Var(..) | Kind::Bool(_)) => None,
        // A boolean that is computed is true or false.
        (SmtSort::Bool, _) => Some(value.clone()),
        _ => conditional(value),
    });
    in_updates.or_else(|| conditional(&step.guard))
}

/// The innermost condition of the first conditional value in a term.
fn conditional(term: &Term) -> Option<Term> {
    if let Kind::Ite(condition, _, _) = term.kind() {
        return Some(conditional(condition).unwrap_or_else(|| condition.clone()));
    }
    let mut found = None;
    term.kind().for_each_child(&mut |part| {
        if found.is_none() {
            found = conditional(part);
        }
    });
    found
}

/// The step where the condition is true, or false.
fn assuming(step: &Step, condition: &Term, truth: bool) -> Step {
    let guard = decide(&step.guard, condition, truth);
    let literal = if truth { condition.clone() } else { condition.not() };
    let updates = step.updates.iter().map(|(var, old)| (*var, decide(old, condition, truth))).collect();
    Step { guard: guard.and(literal), updates, ..step.clone() }
}

fn decide(term: &Term, condition: &Term, truth: bool) -> Term {
    if term == condition {
        return Term::bool(truth);
    }
    term.rebuild(&mut |part| decide(part, condition, truth))
}
