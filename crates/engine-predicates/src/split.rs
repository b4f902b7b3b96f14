//! Steps whose guards are conjunctions: disjunctions, disequations and conditional values are split into
//! several steps, so that what refinement sees is linear.

use threadwise_logic::{Formula, Term, Value, Var};
use threadwise_symbolic::{Space, Step};

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
pub(crate) fn cubes(space: &Space, formula: &Formula) -> Vec<Formula> {
    let bounded = |var: Var| match space.sort(var) {
        threadwise_symbolic::VarSort::Int(bounds) => bounds,
        threadwise_symbolic::VarSort::Bool => Some((0, 1)),
    };
    match dnf(formula, &bounded) {
        Some(cubes) => cubes.into_iter().filter(|cube| *cube != Formula::FALSE).collect(),
        None => vec![formula.clone()],
    }
}

fn dnf(formula: &Formula, bounds: &dyn Fn(Var) -> Option<(i64, i64)>) -> Option<Vec<Formula>> {
    Some(match formula {
        Formula::Or(parts) => {
            let mut all = Vec::new();
            for part in parts {
                all.extend(dnf(part, bounds)?);
                if all.len() > MAX_PARTS {
                    return None;
                }
            }
            all
        }
        Formula::And(parts) => {
            let mut all = vec![Formula::TRUE];
            for part in parts {
                let cubes = dnf(part, bounds)?;
                all = all.iter().flat_map(|one| cubes.iter().map(|two| one.clone().and(two.clone()))).collect();
                all.retain(|cube| *cube != Formula::FALSE);
                if all.len() > MAX_PARTS {
                    return None;
                }
            }
            all
        }
        Formula::Iff(a, b) => {
            let both = (**a).clone().and((**b).clone());
            let neither = (**a).clone().negated().and((**b).clone().negated());
            match (&**a, &**b) {
                (Formula::Var(_), Formula::Var(_)) => vec![formula.clone()],
                _ => dnf(&both.or(neither), bounds)?,
            }
        }
        Formula::Not(inner) => match &**inner {
            Formula::And(parts) => dnf(&Formula::any(parts.iter().map(|part| part.clone().negated())), bounds)?,
            Formula::Or(parts) => dnf(&Formula::all(parts.iter().map(|part| part.clone().negated())), bounds)?,
            Formula::Iff(a, b) => {
                let one = (**a).clone().and((**b).clone().negated());
                let other = (**a).clone().negated().and((**b).clone());
                dnf(&one.or(other), bounds)?
            }
            Formula::Eq(Term::Var(var), Term::Const(value))
                if bounds(*var).is_some_and(|(lo, hi)| *value <= lo || *value >= hi) =>
            {
                vec![formula.clone()]
            }
            Formula::Eq(a, b) => vec![Formula::lt(a.clone(), b.clone()), Formula::lt(b.clone(), a.clone())],
            _ => vec![formula.clone()],
        },
        other => vec![other.clone()],
    })
}

/// The condition of some conditional value in the step.
fn condition(step: &Step) -> Option<Formula> {
    let in_updates = step.updates.iter().find_map(|(_, value)| match value {
        Value::Int(term) => in_term(term),
        Value::Bool(Formula::Var(_) | Formula::Const(_)) => None,
        // A boolean that is computed is true or false.
        Value::Bool(formula) => Some(formula.clone()),
    });
    in_updates.or_else(|| in_formula(&step.guard))
}

fn in_term(term: &Term) -> Option<Formula> {
    match term {
        Term::Const(_) | Term::Var(_) => None,
        Term::Sum(parts) => parts.iter().find_map(in_term),
        Term::Scale(_, a) | Term::Div(a, _) | Term::Mod(a, _) => in_term(a),
        Term::Product(a, b) => in_term(a).or_else(|| in_term(b)),
        Term::Ite(condition, _, _) => Some(in_formula(condition).unwrap_or_else(|| (**condition).clone())),
    }
}

fn in_formula(formula: &Formula) -> Option<Formula> {
    match formula {
        Formula::Const(_) | Formula::Var(_) => None,
        Formula::Le(a, b) | Formula::Eq(a, b) => in_term(a).or_else(|| in_term(b)),
        Formula::Not(a) => in_formula(a),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().find_map(in_formula),
        Formula::Iff(a, b) => in_formula(a).or_else(|| in_formula(b)),
    }
}

/// The step where the condition is true, or false.
fn assuming(step: &Step, condition: &Formula, truth: bool) -> Step {
    let guard = decide(&step.guard, condition, truth);
    let literal = if truth { condition.clone() } else { condition.clone().negated() };
    let value = |value: &Value| match value {
        Value::Int(term) => Value::Int(decide_term(term, condition, truth)),
        Value::Bool(formula) => Value::Bool(decide(formula, condition, truth)),
    };
    let updates = step.updates.iter().map(|(var, old)| (*var, value(old))).collect();
    Step { guard: guard.and(literal), updates, ..step.clone() }
}

fn decide(formula: &Formula, condition: &Formula, truth: bool) -> Formula {
    if formula == condition {
        return Formula::Const(truth);
    }
    let on = |part: &Formula| decide(part, condition, truth);
    let on_term = |term: &Term| decide_term(term, condition, truth);
    match formula {
        Formula::Const(_) | Formula::Var(_) => formula.clone(),
        Formula::Le(a, b) => Formula::le(on_term(a), on_term(b)),
        Formula::Eq(a, b) => Formula::eq(on_term(a), on_term(b)),
        Formula::Not(a) => on(a).negated(),
        Formula::And(parts) => Formula::all(parts.iter().map(on)),
        Formula::Or(parts) => Formula::any(parts.iter().map(on)),
        Formula::Iff(a, b) => on(a).iff(on(b)),
    }
}

fn decide_term(term: &Term, condition: &Formula, truth: bool) -> Term {
    let on = |part: &Term| decide_term(part, condition, truth);
    match term {
        Term::Const(_) | Term::Var(_) => term.clone(),
        Term::Sum(parts) => parts.iter().map(on).reduce(Term::plus).unwrap_or(Term::Const(0)),
        Term::Scale(factor, a) => on(a).times(*factor),
        Term::Product(a, b) => on(a).product(on(b)),
        Term::Div(a, divisor) => on(a).divided_by(*divisor),
        Term::Mod(a, divisor) => on(a).modulo(*divisor),
        Term::Ite(c, a, b) => Term::ite(decide(c, condition, truth), on(a), on(b)),
    }
}
