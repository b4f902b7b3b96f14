//! Threads that are started while the program runs, and that can be joined.

use crate::ErrorKind;
use crate::eval::Env;
use crate::state::{Life, State};
use crate::step::after_statement;
use crate::tree::{Program, Thread};
use crate::value::{Fault, Name, Value, unsupported};
use threadwise_front_tw::ast::Expr;

impl Program {
    /// The declaration of the thread with this number that waits to be started, and its place among all.
    fn startable(&self, number: usize) -> Option<(usize, &Thread)> {
        self.threads.iter().enumerate().find(|(_, thread)| thread.waits && thread.numbers.contains(&number))
    }

    /// Whether the thread with this number waits to be started.
    pub(crate) fn waits(&self, number: usize) -> bool {
        self.startable(number).is_some()
    }

    /// Whether its end is a step, after which it can be joined.
    fn can_end(&self, number: usize) -> bool {
        self.startable(number).is_some_and(|(_, thread)| !thread.any_number)
    }
}

/// `start W(e);` and `t = start W(e);`: any copy that nobody has started yet gets the arguments.
pub(crate) fn start_thread(
    program: &Program,
    state: &State,
    thread: usize,
    (result, name, args): (Option<&Expr>, &Name, &[Expr]),
) -> Result<Vec<State>, Fault> {
    let Some(routine) = program.threads.iter().position(|thread| thread.name == *name && thread.waits) else {
        return unsupported(format!("`{name}` cannot be started"));
    };
    if program.threads[routine].any_number {
        return start_any(program, state, thread, routine, args);
    }
    let copies = program.threads[routine].numbers.clone();
    let waiting: Vec<usize> = copies.filter(|copy| state.lives[copy - 1] == Life::Waiting).collect();
    if waiting.is_empty() {
        return Err(Fault::Error(ErrorKind::Start));
    }
    let values = arguments(program, state, thread, routine, args)?;
    let mut states = Vec::new();
    for copy in waiting {
        let mut next = state.clone();
        *next.life_mut(copy) = Life::Started(values.clone());
        if let Some(result) = result {
            let place = state.place(program, thread, result)?;
            next.write(thread, &place, Value::Thread(copy))?;
        }
        states.push(after_statement(&next, thread));
    }
    Ok(states)
}

/// One start waits until a copy has taken notice of the one before.
fn start_any(
    program: &Program,
    state: &State,
    thread: usize,
    routine: usize,
    args: &[Expr],
) -> Result<Vec<State>, Fault> {
    if state.permits.contains_key(&routine) {
        return Ok(Vec::new());
    }
    let values = arguments(program, state, thread, routine, args)?;
    let mut next = after_statement(state, thread);
    next.permits.insert(routine, values);
    Ok(vec![next])
}

/// What a thread that nobody started in particular can begin with.
pub(crate) fn permitted(program: &Program, state: &State, thread: usize) -> Option<State> {
    let (routine, _) = program.startable(thread)?;
    let mut next = state.clone();
    let args = next.permits.remove(&routine)?;
    Some(begun(program, &next, thread, &args))
}

fn arguments(
    program: &Program,
    state: &State,
    thread: usize,
    routine: usize,
    args: &[Expr],
) -> Result<Vec<Value>, Fault> {
    let mut values = Vec::new();
    for ((_, ty), arg) in program.routines[routine].params.iter().zip(args) {
        let value = Env::of_thread(program, state, thread).eval_for(arg, ty)?;
        if !ty.contains(&value) {
            return Err(Fault::Error(ErrorKind::Range));
        }
        values.push(value);
    }
    Ok(values)
}

/// The first step of a thread that was started: its parameters get their values. Control is not yet settled.
pub(crate) fn begun(program: &Program, state: &State, thread: usize, args: &[Value]) -> State {
    let mut next = state.clone();
    *next.life_mut(thread) = Life::Running;
    let frame = next.frame_mut(thread);
    for ((param, _), value) in program.routines[frame.routine].params.iter().zip(args) {
        frame.scopes[0].insert(param.clone(), value.clone());
    }
    next
}

/// The last step of a thread that was started; other threads just stay at their end.
pub(crate) fn ended(program: &Program, state: &State, thread: usize) -> Vec<State> {
    if !program.can_end(thread) {
        return Vec::new();
    }
    let mut next = state.clone();
    *next.life_mut(thread) = Life::Ended;
    vec![next]
}

/// `join t;`
pub(crate) fn join_thread(program: &Program, state: &State, thread: usize, e: &Expr) -> Result<Vec<State>, Fault> {
    let joined = Env::of_thread(program, state, thread).eval(e)?.as_thread()?;
    if !program.can_end(joined) {
        return Err(Fault::Error(ErrorKind::Join));
    }
    let has_ended = state.lives[joined - 1] == Life::Ended;
    Ok(if has_ended { vec![after_statement(state, thread)] } else { Vec::new() })
}
