//! Channels and condition variables.
//!
//! A thread that waits for a condition either is among those whom a signal can wake, or wakes up by itself; which of the
//! two is decided when it starts to wait.

use crate::ErrorKind;
use crate::eval::Env;
use crate::state::State;
use crate::step::after_statement;
use crate::tree::Program;
use crate::value::{Fault, Ty, Value, unsupported, with};
use threadwise_front_tw::ast::Expr;

/// `send(c, e);`
pub(crate) fn send(
    program: &Program,
    state: &State,
    thread: usize,
    channel: &Expr,
    e: &Expr,
) -> Result<Vec<State>, Fault> {
    let place = state.place(program, thread, channel)?;
    let (Ty::Chan(element, capacity), Value::Queue(values)) = (&place.ty, state.read(thread, &place)?.clone()) else {
        return unsupported("a send to no channel");
    };
    if values.len() >= *capacity {
        return Ok(Vec::new());
    }
    let value = Env::of_thread(program, state, thread).eval_for(e, element)?;
    if !element.contains(&value) {
        return Err(Fault::Error(ErrorKind::Range));
    }
    let mut next = after_statement(state, thread);
    next.write(thread, &place, Value::Queue([values, vec![value]].concat()))?;
    Ok(vec![next])
}

/// `receive(c);` and `x = receive(c);`
pub(crate) fn receive(
    program: &Program,
    state: &State,
    thread: usize,
    result: Option<&Expr>,
    channel: &Expr,
) -> Result<Vec<State>, Fault> {
    let place = state.place(program, thread, channel)?;
    let Value::Queue(values) = state.read(thread, &place)?.clone() else { return unsupported("no channel") };
    let Some((first, rest)) = values.split_first() else { return Ok(Vec::new()) };
    let mut next = after_statement(state, thread);
    if let Some(result) = result {
        let target = state.place(program, thread, result)?;
        next.write(thread, &target, first.clone())?;
    }
    next.write(thread, &place, Value::Queue(rest.to_vec()))?;
    Ok(vec![next])
}

/// The first half of `wait(c, m);`: the lock is given up.
pub(crate) fn begin_wait(
    program: &Program,
    state: &State,
    thread: usize,
    condition: &Expr,
    lock: &Expr,
) -> Result<Vec<State>, Fault> {
    let lock = state.place(program, thread, lock)?;
    let free = match state.read(thread, &lock)? {
        Value::Bool(_) => Value::Bool(false),
        holder if *holder == Value::Thread(thread) => Value::Thread(0),
        _ => return Err(Fault::Error(ErrorKind::Release)),
    };
    let condition = state.place(program, thread, condition)?;
    let waiters = with(state.read(thread, &condition)?.as_set()?, &Value::Thread(thread));
    let mut wakes_by_itself = after_statement(state, thread);
    wakes_by_itself.write(thread, &lock, free)?;
    let mut waits = wakes_by_itself.clone();
    waits.write(thread, &condition, Value::Set(waiters))?;
    Ok(vec![wakes_by_itself, waits])
}

/// The second half: the thread is not among those who wait any more, and takes the lock again.
pub(crate) fn end_wait(
    program: &Program,
    state: &State,
    thread: usize,
    condition: &Expr,
    lock: &Expr,
) -> Result<Vec<State>, Fault> {
    let condition = state.place(program, thread, condition)?;
    if state.read(thread, &condition)?.as_set()?.contains(&Value::Thread(thread)) {
        return Ok(Vec::new());
    }
    let lock = state.place(program, thread, lock)?;
    let taken = match state.read(thread, &lock)? {
        Value::Bool(false) => Value::Bool(true),
        Value::Thread(0) => Value::Thread(thread),
        _ => return Ok(Vec::new()),
    };
    let mut next = after_statement(state, thread);
    next.write(thread, &lock, taken)?;
    Ok(vec![next])
}

/// `signal(c);`: any one of those who wait is let go, if there is one.
pub(crate) fn signal(program: &Program, state: &State, thread: usize, condition: &Expr) -> Result<Vec<State>, Fault> {
    let place = state.place(program, thread, condition)?;
    let waiters = state.read(thread, &place)?.as_set()?.clone();
    if waiters.is_empty() {
        return Ok(vec![after_statement(state, thread)]);
    }
    let mut states = Vec::new();
    for woken in &waiters {
        let mut next = after_statement(state, thread);
        let left = waiters.iter().filter(|waiter| *waiter != woken).cloned().collect();
        next.write(thread, &place, Value::Set(left))?;
        states.push(next);
    }
    Ok(states)
}

/// `broadcast(c);`: all are let go.
pub(crate) fn broadcast(
    program: &Program,
    state: &State,
    thread: usize,
    condition: &Expr,
) -> Result<Vec<State>, Fault> {
    let place = state.place(program, thread, condition)?;
    let mut next = after_statement(state, thread);
    next.write(thread, &place, Value::Set(Default::default()))?;
    Ok(vec![next])
}
