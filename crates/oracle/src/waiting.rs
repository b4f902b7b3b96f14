//! Threads that wait for ever: what `nodeadlock` is about.

use crate::ErrorKind;
use crate::access::{Accesses, of_statement, reads_shared};
use crate::control::statements_reached;
use crate::state::{Frame, Life, State};
use crate::tree::{Kind, Path, Program};
use crate::value::{Fault, Name, Value};
use std::collections::BTreeSet;
use threadwise_front_tw::ast::{Expr, ExprKind, LockOp};

/// Adds what is wrong with threads of which `can_move` says whether they can take a step, right or wrong.
pub(crate) fn waiting_errors(
    program: &Program,
    state: &State,
    can_move: &[bool],
    errors: &mut BTreeSet<ErrorKind>,
) -> Result<(), Fault> {
    if !program.nodeadlock {
        return Ok(());
    }
    let threads = 1..=program.number_of_threads();
    let is_still = |thread: usize| !can_move[thread - 1];
    let is_stuck = |thread: usize| is_still(thread) && !may_rest(program, state, thread);
    // Of any number of copies there is always one more, who could take notice of a start.
    if state.permits.is_empty() && threads.clone().all(is_still) && threads.clone().any(is_stuck) {
        errors.insert(ErrorKind::Deadlock);
    }
    let mut holders = vec![None];
    for thread in threads.clone() {
        holders.push(if is_stuck(thread) { awaited_holder(program, state, thread)? } else { None });
    }
    for thread in threads.clone() {
        let mut at = thread;
        for _ in threads.clone() {
            let Some(holder) = holders[at] else { break };
            if holder == thread || has_ended(program, state, holder) {
                errors.insert(ErrorKind::LockCycle);
            }
            at = holder;
        }
    }
    Ok(())
}

fn has_ended(program: &Program, state: &State, thread: usize) -> bool {
    match &state.lives[thread - 1] {
        Life::Ended => true,
        Life::Waiting | Life::Started(_) => false,
        Life::Running => match state.threads[thread - 1].as_slice() {
            [only] => only.path.len() == 1 && only.statement(program).is_none(),
            _ => false,
        },
    }
}

/// Whether it does not matter if the thread never moves again.
fn may_rest(program: &Program, state: &State, thread: usize) -> bool {
    let is_at_end = |frame: &Frame| {
        let points = program.routines[frame.routine].label_points.iter();
        points.into_iter().any(|(label, points)| label.starts_with("end") && points.contains(&frame.path))
    };
    match &state.lives[thread - 1] {
        Life::Waiting => true,
        Life::Started(_) | Life::Ended => has_ended(program, state, thread),
        Life::Running => has_ended(program, state, thread) || state.frame(thread).is_some_and(is_at_end),
    }
}

/// Who holds the mutex that the thread waits for, if it waits for one that only its holder gives back, and if it cannot
/// become another one.
fn awaited_holder(program: &Program, state: &State, thread: usize) -> Result<Option<usize>, Fault> {
    let mut inside = state.clone();
    let frame = inside.frame_mut(thread);
    loop {
        match frame.statement(program).map(|stmt| &stmt.kind) {
            Some(Kind::Atomic(_)) => {}
            Some(Kind::Select(branches)) if branches.len() == 1 => {}
            _ => break,
        }
        frame.enter(program, 0)?;
        frame.glide(program)?;
    }
    let Some(Kind::Lock(LockOp::Acquire, lock)) = frame.statement(program).map(|stmt| &stmt.kind) else {
        return Ok(None);
    };
    let path = frame.path.clone();
    let routine = frame.routine;
    if program.assigned.contains(root(lock)) || keys_read_shared(program, routine, &path, lock) {
        return Ok(None);
    }
    let place = inside.place(program, thread, lock)?;
    Ok(match inside.read(thread, &place)? {
        Value::Thread(holder) if *holder != 0 => Some(*holder),
        _ => None,
    })
}

fn root(place: &Expr) -> &str {
    match &place.kind {
        ExprKind::Index(array, _) => root(array),
        ExprKind::Name(name) => name,
        _ => "",
    }
}

fn keys_read_shared(program: &Program, routine: usize, path: &Path, place: &Expr) -> bool {
    let ExprKind::Index(array, key) = &place.kind else { return false };
    let is_shared = |name: &str| is_shared_at(program, routine, path, name);
    reads_shared(key, &is_shared) || keys_read_shared(program, routine, path, array)
}

/// Whether the statement at this place means a shared variable by the name.
fn is_shared_at(program: &Program, routine: usize, path: &Path, name: &str) -> bool {
    let code = &program.routines[routine];
    let is_local = (0..path.len()).any(|depth| code.block(&path[..=depth]).shows(name, path[depth].index));
    !is_local && program.is_shared(name)
}

/// The shared variables that are written by anything but `acquire` and `release`, wherever control could come by the text.
pub(crate) fn assigned(program: &Program) -> Result<BTreeSet<Name>, Fault> {
    let mut assigned = BTreeSet::new();
    for routine in 0..program.routines.len() {
        for path in statements_reached(program, routine)? {
            let Some(stmt) = program.routines[routine].statement(&path) else { continue };
            let is_shared = |name: &str| is_shared_at(program, routine, &path, name);
            match &stmt.kind {
                Kind::Lock(..) => {}
                Kind::Call { result: Some(place), .. } => {
                    let mut accesses = Accesses::default();
                    accesses.write(place, &is_shared);
                    assigned.extend(accesses.written);
                }
                other => assigned.extend(of_statement(other, &is_shared).written),
            }
        }
    }
    Ok(assigned)
}
