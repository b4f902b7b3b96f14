//! `action [x, y] F assert G`: any values for which `F` holds.

use crate::ErrorKind;
use crate::eval::{After, Env, variable_key};
use crate::state::{Place, State};
use crate::step::after_statement;
use crate::tree::Program;
use crate::value::{Fault, Name, Ty, unsupported};
use std::collections::BTreeSet;
use threadwise_front_tw::ast::{BinaryOp, Expr, ExprKind};

/// The brackets, `F` and `G`.
type Parts<'a> = (&'a [Expr], &'a Expr, Option<&'a Expr>);

/// The states after the action. Values that violate `G` are errors; the others go on.
pub(crate) fn action(
    program: &Program,
    state: &State,
    thread: usize,
    (frame, formula, assertion): Parts,
    errors: &mut BTreeSet<ErrorKind>,
) -> Result<Vec<State>, Fault> {
    let variables = frame_variables(program, state, thread, frame)?;
    let mut next = Vec::new();
    for after in all_choices(&variables)? {
        let Some(after) = satisfy(program, state, thread, formula, after)? else { continue };
        let mut env = Env { after: Some(&after), ..Env::of_thread(program, state, thread) };
        let violated = match assertion {
            Some(assertion) => !env.holds(assertion)?,
            None => false,
        };
        if violated {
            errors.insert(ErrorKind::ActionAssertion);
        } else {
            next.push(store(state, thread, &variables, &after)?);
        }
    }
    Ok(next)
}

/// The variables in the brackets; an `rwlock` stands for its two parts.
fn frame_variables(
    program: &Program,
    state: &State,
    thread: usize,
    frame: &[Expr],
) -> Result<Vec<(Name, Place)>, Fault> {
    let mut variables = Vec::new();
    for variable in frame {
        let key = variable_key(variable)?;
        let writer = Name::from(format!("{key}.w"));
        let keys = match program.shared.contains_key(&writer) {
            true => vec![writer, format!("{key}.r").into()],
            false => vec![key],
        };
        for key in keys {
            let place = state.variable(program, thread, key.clone())?;
            variables.push((key, place));
        }
    }
    Ok(variables)
}

/// All values of the variables of finite types; integers are left open.
fn all_choices(variables: &[(Name, Place)]) -> Result<Vec<After>, Fault> {
    let mut choices = vec![After::new()];
    for (name, place) in variables {
        let values = match place.ty {
            Ty::Int => vec![None],
            Ty::Machine(ty) if ty.width > 16 => vec![None],
            _ => place.ty.values()?.into_iter().map(Some).collect(),
        };
        if choices.len() * values.len() > 100_000 {
            return unsupported("an action with too many outcomes");
        }
        let mut longer = Vec::new();
        for choice in &choices {
            for value in &values {
                let mut choice = choice.clone();
                choice.insert(name.clone(), value.clone());
                longer.push(choice);
            }
        }
        choices = longer;
    }
    Ok(choices)
}

/// The choice with its integers determined by the equations of the formula; nothing if the
/// formula does not hold of it.
fn satisfy(
    program: &Program,
    state: &State,
    thread: usize,
    formula: &Expr,
    mut after: After,
) -> Result<Option<After>, Fault> {
    let mut conjuncts = Vec::new();
    split_conjunction(formula, &mut conjuncts);
    for conjunct in conjuncts {
        let mut env = Env { after: Some(&after), ..Env::of_thread(program, state, thread) };
        if let Some((name, variable, value)) = open_equation(conjunct, &after) {
            let value = env.eval_like(value, variable)?;
            after.insert(name, Some(value));
        } else if !env.holds(conjunct)? {
            return Ok(None);
        }
    }
    match after.values().all(Option::is_some) {
        true => Ok(Some(after)),
        false => unsupported("an action that does not say what an integer becomes"),
    }
}

fn split_conjunction<'a>(formula: &'a Expr, conjuncts: &mut Vec<&'a Expr>) {
    match &formula.kind {
        ExprKind::Binary(BinaryOp::And, left, right) => {
            split_conjunction(left, conjuncts);
            split_conjunction(right, conjuncts);
        }
        _ => conjuncts.push(formula),
    }
}

/// `x' == e` or `e == x'` for a variable that is still open.
fn open_equation<'a>(conjunct: &'a Expr, after: &After) -> Option<(Name, &'a Expr, &'a Expr)> {
    let ExprKind::Binary(BinaryOp::Eq, left, right) = &conjunct.kind else { return None };
    let open = |e: &Expr| match &e.kind {
        ExprKind::Prime(variable) => variable_key(variable).ok().filter(|name| after.get(name) == Some(&None)),
        _ => None,
    };
    let of_left = open(left).map(|name| (name, left.as_ref(), right.as_ref()));
    of_left.or_else(|| open(right).map(|name| (name, right.as_ref(), left.as_ref())))
}

fn store(state: &State, thread: usize, variables: &[(Name, Place)], after: &After) -> Result<State, Fault> {
    let mut next = after_statement(state, thread);
    for (name, place) in variables {
        let value = after[name].clone().expect("every variable has been determined");
        next.write(thread, place, value)?;
    }
    Ok(next)
}
