//! The steps of a thread.

use crate::ErrorKind;
use crate::access::{Accesses, of_statement};
use crate::action::action;
use crate::channels::{begin_wait, broadcast, end_wait, receive, send, signal};
use crate::elements::{self, Element};
use crate::eval::Env;
use crate::starts::{begun, ended, join_thread, permitted, start_thread};
use crate::state::{Frame, Life, Place, State};
use crate::tree::{Kind, Path, Program};
use crate::value::{Fault, Name, Value, unsupported, with};
use std::collections::BTreeSet;
use threadwise_front_tw::ast::{Cond, Expr, LockOp, Rhs};

/// More states than this inside one atomic block are not visited.
const MOST_INNER_STATES: usize = 5_000;

/// More states than this after one statement, or at the start, are not listed: values of several variables multiply.
const MOST_STATES_AT_ONCE: usize = 50_000;

/// More calls than this inside each other are not followed.
const MOST_FRAMES: usize = 100;

/// Refuses to list more states than fit into memory.
pub(crate) fn few_enough(states: usize) -> Result<(), Fault> {
    if states <= MOST_STATES_AT_ONCE { Ok(()) } else { unsupported("too many states at once") }
}

/// What the next step of a thread can do.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) errors: BTreeSet<ErrorKind>,
    /// The states it can lead to, each with what the step accessed on the way.
    pub(crate) next: BTreeSet<(State, Accesses)>,
}

/// Everything that the next step of a thread can do in a state.
pub(crate) fn step(program: &Program, state: &State, thread: usize) -> Result<Outcome, Fault> {
    match &state.lives[thread - 1] {
        Life::Waiting => match permitted(program, state, thread) {
            Some(begun) => start(program, begun, thread),
            None => Ok(Outcome::default()),
        },
        Life::Ended => Ok(Outcome::default()),
        Life::Started(args) => start(program, begun(program, state, thread, args), thread),
        Life::Running => running_step(program, state, thread),
    }
}

fn running_step(program: &Program, state: &State, thread: usize) -> Result<Outcome, Fault> {
    let frame = state.frame(thread).expect("every thread has a frame");
    match frame.statement(program).map(|stmt| &stmt.kind) {
        Some(Kind::Atomic(_)) => atomic_step(program, state, thread),
        Some(Kind::Select(branches)) => select_step(program, state, thread, branches.len(), running_step),
        _ => simple_step(program, state, thread),
    }
}

/// The state at the start of a thread, silent declarations there done.
pub(crate) fn start(program: &Program, state: State, thread: usize) -> Result<Outcome, Fault> {
    let mut outcome = Outcome::default();
    settle(program, state, thread, &Accesses::default(), &mut outcome)?;
    Ok(outcome)
}

/// Executes one statement. An atomic block is just entered.
fn simple_step(program: &Program, state: &State, thread: usize) -> Result<Outcome, Fault> {
    let mut outcome = Outcome::default();
    let frame = state.frame(thread).expect("every thread has a frame");
    if let Some(Kind::Select(branches)) = frame.statement(program).map(|stmt| &stmt.kind) {
        return select_step(program, state, thread, branches.len(), simple_step);
    }
    let effects = match effects(program, state, thread, &mut outcome.errors) {
        Ok(effects) => effects,
        Err(Fault::Error(kind)) => {
            outcome.errors.insert(kind);
            return Ok(outcome);
        }
        Err(unsupported) => return Err(unsupported),
    };
    if !effects.is_empty() {
        let mut accesses = accesses(program, state, thread);
        if !program.element_noraces.is_empty() {
            elements(program, state, thread, &mut accesses.elements)?;
        }
        for effect in effects {
            settle(program, effect, thread, &accesses, &mut outcome)?;
        }
    }
    Ok(outcome)
}

/// What the first statements of all branches can do; which of them is taken is decided by taking it.
fn select_step(
    program: &Program,
    state: &State,
    thread: usize,
    branches: usize,
    step: fn(&Program, &State, usize) -> Result<Outcome, Fault>,
) -> Result<Outcome, Fault> {
    let mut outcome = Outcome::default();
    for branch in 0..branches {
        let inside = step(program, &entered(program, state, thread, branch)?, thread)?;
        outcome.errors.extend(inside.errors);
        outcome.next.extend(inside.next);
    }
    Ok(outcome)
}

/// Runs the inside of an atomic block in all ways until control has left it.
fn atomic_step(program: &Program, state: &State, thread: usize) -> Result<Outcome, Fault> {
    let home = (state.threads[thread - 1].len(), state.frame(thread).expect("a frame").path.clone());
    let mut outcome = Outcome::default();
    let mut seen: BTreeSet<(State, Accesses)> = BTreeSet::new();
    let mut pending = vec![(state.clone(), Accesses::default())];
    while let Some((state, accesses)) = pending.pop() {
        let inner = simple_step(program, &state, thread)?;
        outcome.errors.extend(inner.errors);
        for (next, mut all_accesses) in inner.next {
            all_accesses.add(&accesses);
            let next = (next, all_accesses);
            if !is_inside(&next.0, thread, &home) {
                outcome.next.insert(next);
            } else if seen.insert(next.clone()) {
                pending.push(next);
            }
        }
        if seen.len() > MOST_INNER_STATES {
            return unsupported("too many states inside an atomic block");
        }
    }
    Ok(outcome)
}

/// Whether control is inside the atomic block at this depth of calls and on this path.
fn is_inside(state: &State, thread: usize, (depth, path): &(usize, Path)) -> bool {
    let frames = &state.threads[thread - 1];
    let Some(home_frame) = frames.get(depth - 1) else { return false };
    let below_path = home_frame.path.len() > path.len() && home_frame.path.starts_with(path);
    frames.len() > *depth || below_path
}

/// Moves control on to where it can rest and does the silent declarations on the way.
fn settle(
    program: &Program,
    state: State,
    thread: usize,
    accesses: &Accesses,
    outcome: &mut Outcome,
) -> Result<(), Fault> {
    let mut seen = BTreeSet::new();
    let mut pending = vec![state];
    while let Some(mut state) = pending.pop() {
        state.frame_mut(thread).glide(program)?;
        let frame = state.frame(thread).expect("every thread has a frame");
        if !frame.is_at_silent_declaration(program) {
            outcome.next.insert((state, accesses.clone()));
        } else if seen.insert(state.clone()) {
            match effects(program, &state, thread, &mut outcome.errors) {
                Ok(effects) => pending.extend(effects),
                Err(Fault::Error(kind)) => _ = outcome.errors.insert(kind),
                Err(unsupported) => return Err(unsupported),
            }
            few_enough(outcome.next.len() + pending.len())?;
        }
    }
    Ok(())
}

/// What the next statement accesses; a return also writes the result where the caller wants it.
fn accesses(program: &Program, state: &State, thread: usize) -> Accesses {
    if program.noraces.is_empty() {
        return Accesses::default();
    }
    let frames = &state.threads[thread - 1];
    let shared_in = |frame: &Frame, name: &str| frame.local(program, name).is_none() && program.is_shared(name);
    let frame = frames.last().expect("every thread has a frame");
    let kind = frame.statement(program).map(|stmt| &stmt.kind);
    let mut accesses = kind.map_or_else(Accesses::default, |kind| of_statement(kind, &|name| shared_in(frame, name)));
    if let (None | Some(Kind::Return(_)), [.., caller, _]) = (kind, frames.as_slice())
        && let Some(Kind::Call { result: Some(place), .. }) = caller.statement(program).map(|stmt| &stmt.kind)
    {
        accesses.write(place, &|name| shared_in(caller, name));
    }
    accesses
}

/// The elements that the next statement accesses. The place of a result is found when the procedure has been left.
fn elements(program: &Program, state: &State, thread: usize, out: &mut BTreeSet<Element>) -> Result<(), Fault> {
    let frames = &state.threads[thread - 1];
    let kind = frames.last().expect("every thread has a frame").statement(program).map(|stmt| &stmt.kind);
    if let Some(kind) = kind {
        elements::of_statement(kind, &mut Env::of_thread(program, state, thread), out)?;
    }
    if let (None | Some(Kind::Return(_)), [.., caller, _]) = (kind, frames.as_slice())
        && let Some(Kind::Call { result: Some(place), .. }) = caller.statement(program).map(|stmt| &stmt.kind)
    {
        let mut left = state.clone();
        left.frames_mut(thread).pop();
        elements::write(place, &mut Env::of_thread(program, &left, thread), out)?;
    }
    Ok(())
}

/// The states after the next statement, control not yet settled; none if it has to wait.
fn effects(
    program: &Program,
    state: &State,
    thread: usize,
    errors: &mut BTreeSet<ErrorKind>,
) -> Result<Vec<State>, Fault> {
    let frame = state.frame(thread).expect("every thread has a frame");
    let mut env = Env::of_thread(program, state, thread);
    let Some(stmt) = frame.statement(program) else { return return_from(program, state, thread, None) };
    let advanced = |proceed: bool| if proceed { vec![after_statement(state, thread)] } else { Vec::new() };
    match &stmt.kind {
        Kind::Skip => Ok(advanced(true)),
        Kind::Var { names, init, .. } => declare(program, state, thread, names, init.as_ref()),
        Kind::Assign(places, values) => assign(program, state, thread, places, values),
        Kind::Assert(e) if env.holds(e)? => Ok(advanced(true)),
        Kind::Assert(_) => Err(Fault::Error(ErrorKind::Assertion)),
        Kind::Assume(e) => Ok(advanced(env.holds(e)?)),
        Kind::Lock(op, lock) => lock_operation(program, state, thread, *op, lock),
        Kind::Send(channel, e) => send(program, state, thread, channel, e),
        Kind::Receive { result, channel } => receive(program, state, thread, result.as_ref(), channel),
        Kind::BeginWait(condition, lock) => begin_wait(program, state, thread, condition, lock),
        Kind::EndWait(condition, lock) => end_wait(program, state, thread, condition, lock),
        Kind::Signal(condition) => signal(program, state, thread, condition),
        Kind::Broadcast(condition) => broadcast(program, state, thread, condition),
        Kind::Action { frame, formula, assertion } => {
            action(program, state, thread, (frame, formula, assertion.as_ref()), errors)
        }
        Kind::Atomic(_) => Ok(vec![entered(program, state, thread, 0)?]),
        Kind::If(condition, ..) => {
            test(&mut env, condition, &mut |holds| entered(program, state, thread, if holds { 0 } else { 1 }))
        }
        Kind::While(condition, _) => test(&mut env, condition, &mut |holds| {
            if holds { entered(program, state, thread, 0) } else { Ok(after_statement(state, thread)) }
        }),
        Kind::Choose(branches) => (0..branches.len()).map(|branch| entered(program, state, thread, branch)).collect(),
        Kind::Call { routine, args, .. } => call(program, state, thread, routine, args),
        Kind::Start { result, thread: name, args } => {
            start_thread(program, state, thread, (result.as_ref(), name, args))
        }
        Kind::Join(e) => join_thread(program, state, thread, e),
        Kind::Return(value) => return_from(program, state, thread, value.as_ref()),
        Kind::Select(_) => unsupported("a `select` is taken by the first statement of a branch"),
        // Control rests at one of these only if it goes round and round without a step.
        Kind::Empty | Kind::Block(_) | Kind::Unrolled(_) | Kind::Copy(_) | Kind::Loop { .. } => Ok(Vec::new()),
        Kind::Break | Kind::Continue | Kind::Goto(_) => Ok(Vec::new()),
    }
}

/// The same state with the thread one statement further.
pub(crate) fn after_statement(state: &State, thread: usize) -> State {
    let mut next = state.clone();
    next.frame_mut(thread).advance();
    next
}

fn entered(program: &Program, state: &State, thread: usize, block: usize) -> Result<State, Fault> {
    let mut next = state.clone();
    next.frame_mut(thread).enter(program, block)?;
    Ok(next)
}

fn test(
    env: &mut Env,
    condition: &Cond,
    branch: &mut dyn FnMut(bool) -> Result<State, Fault>,
) -> Result<Vec<State>, Fault> {
    match condition {
        Cond::Expr(e) => Ok(vec![branch(env.holds(e)?)?]),
        Cond::Any => Ok(vec![branch(true)?, branch(false)?]),
    }
}

fn declare(
    program: &Program,
    state: &State,
    thread: usize,
    names: &[Name],
    init: Option<&Rhs>,
) -> Result<Vec<State>, Fault> {
    let mut stores = Vec::new();
    for name in names {
        let place = state.declared(program, thread, name.clone())?;
        let values = match init {
            None => vec![place.ty.default_value()?],
            Some(Rhs::Any(_)) => place.ty.values()?,
            Some(Rhs::Expr(e)) => vec![Env::of_thread(program, state, thread).eval_for(e, &place.ty)?],
        };
        stores.push((place, values));
    }
    store_all(state, thread, &stores)
}

fn assign(
    program: &Program,
    state: &State,
    thread: usize,
    places: &[Expr],
    values: &[Rhs],
) -> Result<Vec<State>, Fault> {
    let mut env = Env::of_thread(program, state, thread);
    let mut evaluated = Vec::new();
    for (place, value) in places.iter().zip(values) {
        evaluated.push(match value {
            Rhs::Expr(e) => Some(env.eval_like(e, place)?),
            Rhs::Any(_) => None,
        });
    }
    let mut stores = Vec::new();
    for (place, value) in places.iter().zip(evaluated) {
        let place = state.place(program, thread, place)?;
        let values = match value {
            Some(value) => vec![value],
            None => place.ty.values()?,
        };
        stores.push((place, values));
    }
    store_all(state, thread, &stores)
}

/// All ways to store one of the values in each of the places; control moves on.
fn store_all(state: &State, thread: usize, stores: &[(Place, Vec<Value>)]) -> Result<Vec<State>, Fault> {
    let mut states = vec![state.clone()];
    for (place, values) in stores {
        few_enough(states.len() * values.len())?;
        let mut next = Vec::new();
        for state in &states {
            for value in values {
                let mut state = state.clone();
                state.write(thread, place, value.clone())?;
                next.push(state);
            }
        }
        states = next;
    }
    Ok(states.iter().map(|state| after_statement(state, thread)).collect())
}

fn lock_operation(
    program: &Program,
    state: &State,
    thread: usize,
    op: LockOp,
    lock: &Expr,
) -> Result<Vec<State>, Fault> {
    let part = |field: &str| -> Result<Place, Fault> {
        let name = crate::eval::variable_key(lock)?;
        state.variable(program, thread, format!("{name}.{field}").into())
    };
    let me = Value::Thread(thread);
    let (place, value) = match op {
        LockOp::Acquire | LockOp::Release => {
            let place = state.place(program, thread, lock)?;
            let holder = state.read(thread, &place)?.clone();
            match (op, holder) {
                (LockOp::Acquire, Value::Bool(false)) => (place, Value::Bool(true)),
                (LockOp::Acquire, Value::Thread(0)) => (place, me),
                (LockOp::Acquire, _) => return Ok(Vec::new()),
                (_, Value::Bool(_)) => (place, Value::Bool(false)),
                (_, holder) if holder == me => (place, Value::Thread(0)),
                _ => return Err(Fault::Error(ErrorKind::Release)),
            }
        }
        _ => {
            let (writer, readers) = (part("w")?, part("r")?);
            let holder = state.read(thread, &writer)?.as_thread()?;
            let holders = state.read(thread, &readers)?.as_set()?;
            match op {
                LockOp::AcquireRead if holder == 0 => (readers, Value::Set(with(holders, &me))),
                LockOp::AcquireWrite if holder == 0 && holders.is_empty() => (writer, me),
                LockOp::AcquireRead | LockOp::AcquireWrite => return Ok(Vec::new()),
                LockOp::ReleaseRead if holders.contains(&me) => {
                    (readers, Value::Set(holders.iter().filter(|holder| **holder != me).cloned().collect()))
                }
                LockOp::ReleaseWrite if holder == thread => (writer, Value::Thread(0)),
                _ => return Err(Fault::Error(ErrorKind::Release)),
            }
        }
    };
    store_all(state, thread, &[(place, vec![value])])
}

/// Control of the caller stays at the call until the return.
fn call(program: &Program, state: &State, thread: usize, name: &Name, args: &[Expr]) -> Result<Vec<State>, Fault> {
    let is_callee = |routine: &crate::tree::Routine| !routine.is_thread && routine.name == *name;
    let Some(callee) = program.routines.iter().position(is_callee) else {
        return unsupported(format!("unknown procedure `{name}`"));
    };
    let mut frame = Frame::start(program, callee)?;
    for ((param, ty), arg) in program.routines[callee].params.iter().zip(args) {
        let value = Env::of_thread(program, state, thread).eval_for(arg, ty)?;
        if !ty.contains(&value) {
            return Err(Fault::Error(ErrorKind::Range));
        }
        frame.scopes[0].insert(param.clone(), value);
    }
    let mut next = state.clone();
    if state.threads[thread - 1].len() >= MOST_FRAMES {
        return unsupported("too many calls inside each other");
    }
    next.frames_mut(thread).push(frame);
    Ok(vec![next])
}

/// The end of a thread is no step unless it was started; the end of a procedure is a return.
fn return_from(program: &Program, state: &State, thread: usize, value: Option<&Expr>) -> Result<Vec<State>, Fault> {
    let [.., _, callee] = state.threads[thread - 1].as_slice() else { return Ok(ended(program, state, thread)) };
    let value = match (value, &program.routines[callee.routine].result) {
        (Some(e), Some((_, ty))) => {
            let value = Env::of_thread(program, state, thread).eval_for(e, ty)?;
            if !ty.contains(&value) {
                return Err(Fault::Error(ErrorKind::Range));
            }
            Some(value)
        }
        (None, Some((name, _))) => callee.scopes[0].get(name).cloned(),
        (_, None) => None,
    };
    let mut next = state.clone();
    next.frames_mut(thread).pop();
    let caller = next.frame(thread).expect("the caller's frame");
    if let Some(Kind::Call { result: Some(place), .. }) = caller.statement(program).map(|stmt| &stmt.kind) {
        let place = next.place(program, thread, place)?;
        let Some(value) = value else { return unsupported("the result of a procedure without one") };
        next.write(thread, &place, value)?;
    }
    next.frame_mut(thread).advance();
    Ok(vec![next])
}
