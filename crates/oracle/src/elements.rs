//! Which elements of shared arrays a statement accesses: what `norace a[*]` is about.
//!
//! What is accessed is what is looked at in evaluation, from left to right and only as far as needed; but a quantifier
//! looks at all values of its variables. An `action` accesses all elements of the arrays that it mentions.

use crate::access::mentioned_names;
use crate::eval::Env;
use crate::functions::unmarked;
use crate::tree::Kind;
use crate::value::{Fault, Name, Value};
use std::collections::BTreeSet;
use threadwise_front_tw::ast::{BinaryOp, Cond, Expr, ExprKind, Rhs};

/// An array, the keys of what is accessed in it as far as there are any, and whether it is written.
pub(crate) type Element = (Name, Vec<Value>, bool);

/// Whether two accesses have an element in common where so many keys tell elements apart.
pub(crate) fn meet(one: &Element, other: &Element, depth: usize) -> bool {
    one.0 == other.0 && one.1.iter().zip(&other.1).take(depth).all(|(one, other)| one == other)
}

/// What is accessed by one statement; of a compound statement, by its test. The result of a call is written by the return.
pub(crate) fn of_statement(kind: &Kind, env: &mut Env<'_>, out: &mut BTreeSet<Element>) -> Result<(), Fault> {
    match kind {
        Kind::Var { init: Some(Rhs::Expr(e)), .. } => read(e, env, out),
        Kind::Assign(places, values) => {
            places.iter().try_for_each(|place| write(place, env, out))?;
            for value in values {
                if let Rhs::Expr(e) = value {
                    read(e, env, out)?;
                }
            }
            Ok(())
        }
        Kind::Assert(e) | Kind::Assume(e) => read(e, env, out),
        Kind::Lock(_, place) => write(place, env, out),
        Kind::BeginWait(condition, lock) => {
            write(condition, env, out)?;
            write(lock, env, out)
        }
        Kind::EndWait(condition, lock) => {
            read(condition, env, out)?;
            write(lock, env, out)
        }
        Kind::Signal(condition) | Kind::Broadcast(condition) => write(condition, env, out),
        Kind::Send(channel, e) => {
            write(channel, env, out)?;
            read(e, env, out)
        }
        Kind::Receive { result, channel } => {
            write(channel, env, out)?;
            result.iter().try_for_each(|place| write(place, env, out))
        }
        Kind::Action { frame, formula, assertion } => {
            let is_shared = |name: &str| is_shared(env, name);
            for e in frame.iter().chain([formula]).chain(assertion) {
                out.extend(mentioned_names(e, &is_shared).into_iter().map(|name| (name, Vec::new(), false)));
            }
            for place in frame {
                out.extend(mentioned_names(place, &is_shared).into_iter().map(|name| (name, Vec::new(), true)));
            }
            Ok(())
        }
        Kind::If(Cond::Expr(e), ..) | Kind::While(Cond::Expr(e), _) => read(e, env, out),
        Kind::Start { result, args, .. } => {
            result.iter().try_for_each(|place| write(place, env, out))?;
            args.iter().try_for_each(|e| read(e, env, out))
        }
        Kind::Join(e) => read(e, env, out),
        Kind::Call { args, .. } => args.iter().try_for_each(|e| read(e, env, out)),
        Kind::Return(Some(e)) => read(e, env, out),
        _ => Ok(()),
    }
}

/// A place is written; what is in its indices is read.
pub(crate) fn write(place: &Expr, env: &mut Env<'_>, out: &mut BTreeSet<Element>) -> Result<(), Fault> {
    access(place, true, env, out)
}

fn read(e: &Expr, env: &mut Env<'_>, out: &mut BTreeSet<Element>) -> Result<(), Fault> {
    match &e.kind {
        ExprKind::Name(_) | ExprKind::Index(..) | ExprKind::Field(..) => access(e, false, env, out),
        ExprKind::Binary(op, left, right) => {
            read(left, env, out)?;
            let goes_on = match op {
                BinaryOp::And | BinaryOp::Implies => truth(left, env)? == Some(true),
                BinaryOp::Or => truth(left, env)? == Some(false),
                _ => true,
            };
            if goes_on { read(right, env, out) } else { Ok(()) }
        }
        ExprKind::Conditional(condition, yes, no) => {
            read(condition, env, out)?;
            match truth(condition, env)? {
                Some(true) => read(yes, env, out),
                Some(false) => read(no, env, out),
                None => Ok(()),
            }
        }
        ExprKind::Quantified(_, binders, body) => {
            let outer = env.bound.len();
            let read = env.for_each_binding(binders, &mut |env| read(body, env, out).map(|()| false));
            env.bound.truncate(outer);
            read.map(|_| ())
        }
        ExprKind::Prime(e)
        | ExprKind::At(e, _)
        | ExprKind::Unary(_, e)
        | ExprKind::Size(e)
        | ExprKind::Ord(e)
        | ExprKind::ArrayFill(e)
        | ExprKind::Convert(_, e) => read(e, env, out),
        ExprKind::SetLiteral(elements) | ExprKind::ArrayLiteral(elements) | ExprKind::Call(_, elements) => {
            elements.iter().try_for_each(|e| read(e, env, out))
        }
        ExprKind::RecordLiteral(_, fields) => fields.iter().try_for_each(|(_, e)| read(e, env, out)),
        ExprKind::Int(_)
        | ExprKind::LargeInt(_)
        | ExprKind::Bool(_)
        | ExprKind::SelfThread
        | ExprKind::None
        | ExprKind::Error => Ok(()),
    }
}

/// A variable, a part of it, or a part of what some other expression gives.
fn access(e: &Expr, writes: bool, env: &mut Env<'_>, out: &mut BTreeSet<Element>) -> Result<(), Fault> {
    let (mut root, mut indices) = (e, Vec::new());
    while let ExprKind::Index(inner, _) | ExprKind::Field(inner, _) = &root.kind {
        if let ExprKind::Index(_, index) = &root.kind {
            indices.insert(0, &**index);
        }
        root = inner;
    }
    indices.iter().try_for_each(|index| read(index, env, out))?;
    let ExprKind::Name(name) = &root.kind else { return read(root, env, out) };
    if is_shared(env, name)
        && let Some(keys) = keys(name, &indices, env)?
    {
        out.insert((unmarked(name).into(), keys, writes));
    }
    Ok(())
}

/// The keys that indices have as values; nothing where one of them has none, or is no key.
fn keys(name: &str, indices: &[&Expr], env: &mut Env<'_>) -> Result<Option<Vec<Value>>, Fault> {
    let mut part =
        env.state.shared.get(unmarked(name)).or_else(|| env.state.shared.get(format!("{name}.w").as_str())).cloned();
    let mut keys = Vec::new();
    for index in indices {
        let key = match env.eval(index) {
            Ok(key) => key,
            Err(Fault::Error(_)) => return Ok(None),
            Err(unsupported) => return Err(unsupported),
        };
        part = match part.as_ref().map(|array| array.element(&key)) {
            Some(Ok(element)) => Some(element.clone()),
            _ => return Ok(None),
        };
        keys.push(key);
    }
    Ok(Some(keys))
}

fn is_shared(env: &Env<'_>, name: &str) -> bool {
    let is_bound = env.bound.iter().any(|(bound, ..)| &**bound == name);
    let is_local = env.thread.and_then(|thread| env.state.frame(thread)?.local(env.program, name)).is_some();
    !is_bound && !is_local && env.program.is_shared(name)
}

fn truth(e: &Expr, env: &mut Env<'_>) -> Result<Option<bool>, Fault> {
    match env.holds(e) {
        Ok(holds) => Ok(Some(holds)),
        Err(Fault::Error(_)) => Ok(None),
        Err(unsupported) => Err(unsupported),
    }
}
