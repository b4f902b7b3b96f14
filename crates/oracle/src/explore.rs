//! Breadth-first search over all reachable states.

use crate::access::Accesses;
use crate::elements::meet;
use crate::eval::Env;
use crate::load::load;
use crate::state::{Frame, Life, State};
use crate::step::{few_enough, start, step};
use crate::tree::Program;
use crate::value::{Fault, Value};
use crate::waiting::waiting_errors;
use crate::{ErrorKind, Explored, OracleVerdict};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use threadwise_front_tw::ast::{Module, Rhs};

/// Visits every reachable state of a program, but not many more than `max_states`. A step that
/// fails leads nowhere, but the search goes on after errors, so that the number of states is that
/// of all reachable ones also for unsafe programs. `defines` override constants.
pub fn explore(module: &Module, defines: &[(String, i64)], max_states: usize) -> Explored {
    explored(load(module, defines, None), max_states)
}

/// The same with so many copies in the place of any number. Where these are started they just wait if there are no more.
pub fn explore_copies(module: &Module, copies: usize, max_states: usize) -> Explored {
    explore_separate_copies(module, &vec![copies; module.items.len()], max_states)
}

/// The same with a number of copies for each thread of which there are any number, in order.
pub fn explore_separate_copies(module: &Module, copies: &[usize], max_states: usize) -> Explored {
    explored(load(module, &[], Some(copies)), max_states)
}

fn explored(program: Result<Program, Fault>, max_states: usize) -> Explored {
    let mut search = Search::default();
    let stopped = program.and_then(|program| search.run(&program, max_states)).err().map(|fault| match fault {
        Fault::Error(kind) => format!("an error outside every step: {kind:?}"),
        Fault::Unsupported(reason) => reason,
    });
    let complete = stopped.is_none();
    let verdict = match (search.error, stopped) {
        (Some(_), _) => OracleVerdict::Unsafe { kinds: search.kinds },
        (None, Some(reason)) => OracleVerdict::Unknown(reason),
        (None, None) => OracleVerdict::Safe,
    };
    Explored {
        states: search.seen.len(),
        verdict,
        depth_of_error: search.error.map(|error| error.depth),
        states_to_error_depth: search.error.map(|error| error.states),
        complete,
    }
}

/// Where the first errors are.
#[derive(Clone, Copy)]
struct FirstError {
    depth: usize,
    /// How many states are at most this deep.
    states: usize,
}

#[derive(Default)]
struct Search {
    seen: BTreeSet<State>,
    error: Option<FirstError>,
    /// The kinds of errors at the depth of the first ones.
    kinds: BTreeSet<ErrorKind>,
}

impl Search {
    fn run(&mut self, program: &Program, max_states: usize) -> Result<(), Fault> {
        let mut errors = BTreeSet::new();
        let mut level = initial_states(program, &mut errors)?;
        let mut depth = 0;
        while !level.is_empty() || !errors.is_empty() {
            self.seen.extend(level.iter().cloned());
            let states_so_far = self.seen.len();
            let mut next_level = BTreeSet::new();
            for state in &level {
                let successors = examine(program, state, &mut errors)?;
                next_level.extend(successors.into_iter().filter(|next| !self.seen.contains(next)));
                if self.seen.len() + next_level.len() > max_states {
                    self.record(depth, states_so_far, &mut errors);
                    return Err(Fault::Unsupported(format!("more than {max_states} states")));
                }
            }
            self.record(depth, states_so_far, &mut errors);
            level = next_level;
            depth += 1;
        }
        Ok(())
    }

    fn record(&mut self, depth: usize, states: usize, errors: &mut BTreeSet<ErrorKind>) {
        let errors = std::mem::take(errors);
        if self.error.is_none() && !errors.is_empty() {
            self.error = Some(FirstError { depth, states });
            self.kinds = errors;
        }
    }
}

/// The successors of a state; adds what is wrong in it and with its steps.
fn examine(program: &Program, state: &State, errors: &mut BTreeSet<ErrorKind>) -> Result<Vec<State>, Fault> {
    property_errors(program, state, errors)?;
    let mut successors = Vec::new();
    let mut accesses = Vec::new();
    let mut can_move = Vec::new();
    for thread in 1..=program.number_of_threads() {
        let outcome = step(program, state, thread)?;
        can_move.push(!outcome.errors.is_empty() || !outcome.next.is_empty());
        errors.extend(outcome.errors);
        let mut of_thread = Accesses::default();
        for (next, of_step) in outcome.next {
            of_thread.add(&of_step);
            successors.push(next);
        }
        accesses.push(of_thread);
    }
    if has_race(program, &accesses) {
        errors.insert(ErrorKind::Race);
    }
    waiting_errors(program, state, &can_move, errors)?;
    Ok(successors)
}

/// Adds what is wrong in a state by itself.
pub(crate) fn property_errors(program: &Program, state: &State, errors: &mut BTreeSet<ErrorKind>) -> Result<(), Fault> {
    let invariants = program.invariants.iter().map(|e| (e, true, ErrorKind::Invariant));
    let nevers = program.nevers.iter().map(|e| (e, false, ErrorKind::Never));
    for (e, wanted, kind) in invariants.chain(nevers) {
        match Env::of_property(program, state).holds(e) {
            Ok(holds) if holds == wanted => {}
            Ok(_) => _ = errors.insert(kind),
            Err(Fault::Error(kind)) => _ = errors.insert(kind),
            Err(unsupported) => return Err(unsupported),
        }
    }
    Ok(())
}

/// Whether two threads can access a variable under `norace` now, one of them writing.
fn has_race(program: &Program, accesses: &[Accesses]) -> bool {
    let races = |writer: usize, other: usize| {
        let written = accesses[writer].written.intersection(&program.noraces);
        writer != other && written.into_iter().any(|name| accesses[other].touched.contains(name))
    };
    (0..accesses.len())
        .any(|writer| (0..accesses.len()).any(|other| races(writer, other) || meets(program, accesses, writer, other)))
}

/// Whether one thread can write an element under `norace` that another one can access.
fn meets(program: &Program, accesses: &[Accesses], writer: usize, other: usize) -> bool {
    writer != other
        && accesses[writer].elements.iter().filter(|element| element.2).any(|written| {
            let depths = program.element_noraces.iter().filter(|(name, _)| *name == written.0);
            let races = |depth: usize| accesses[other].elements.iter().any(|element| meet(written, element, depth));
            depths.into_iter().any(|(_, depth)| races(*depth))
        })
}

/// All combinations of initial values that satisfy `init`, every thread at its start.
pub(crate) fn initial_states(program: &Program, errors: &mut BTreeSet<ErrorKind>) -> Result<BTreeSet<State>, Fault> {
    let (mut threads, mut lives) = (Vec::new(), Vec::new());
    for (routine, thread) in program.threads.iter().enumerate() {
        for _ in thread.numbers.clone() {
            threads.push(Rc::new(vec![Frame::start(program, routine)?]));
            lives.push(if thread.waits { Life::Waiting } else { Life::Running });
        }
    }
    let mut states = vec![State { shared: Rc::new(BTreeMap::new()), threads, lives, permits: BTreeMap::new() }];
    for (name, init) in &program.initial {
        states = with_initial_value(program, states, name, init.as_ref(), errors)?;
    }
    for condition in &program.init {
        states = satisfying(states, errors, |state| Env::of_property(program, state).holds(condition))?;
    }
    for thread in (1..=program.number_of_threads()).filter(|thread| !program.waits(*thread)) {
        let mut started = Vec::new();
        for state in states {
            let outcome = start(program, state, thread)?;
            errors.extend(outcome.errors);
            started.extend(outcome.next.into_iter().map(|(state, _)| state));
            few_enough(started.len())?;
        }
        states = started;
    }
    Ok(states.into_iter().collect())
}

fn with_initial_value(
    program: &Program,
    states: Vec<State>,
    name: &Rc<str>,
    init: Option<&Rhs>,
    errors: &mut BTreeSet<ErrorKind>,
) -> Result<Vec<State>, Fault> {
    let ty = &program.shared[name];
    let mut next = Vec::new();
    for state in states {
        let values = match init {
            None => vec![ty.default_value()?],
            Some(Rhs::Any(_)) => ty.values()?,
            Some(Rhs::Expr(e)) => match Env::of_property(program, &state).eval_for(e, ty) {
                Ok(value) if ty.contains(&value) => vec![value],
                Ok(_) => reject(errors, ErrorKind::Range),
                Err(Fault::Error(kind)) => reject(errors, kind),
                Err(unsupported) => return Err(unsupported),
            },
        };
        few_enough(next.len() + values.len())?;
        for value in values {
            let mut state = state.clone();
            Rc::make_mut(&mut state.shared).insert(name.clone(), value);
            next.push(state);
        }
    }
    Ok(next)
}

fn reject(errors: &mut BTreeSet<ErrorKind>, kind: ErrorKind) -> Vec<Value> {
    errors.insert(kind);
    Vec::new()
}

fn satisfying(
    states: Vec<State>,
    errors: &mut BTreeSet<ErrorKind>,
    mut holds: impl FnMut(&State) -> Result<bool, Fault>,
) -> Result<Vec<State>, Fault> {
    let mut kept = Vec::new();
    for state in states {
        match holds(&state) {
            Ok(true) => kept.push(state),
            Ok(false) => {}
            Err(Fault::Error(kind)) => _ = errors.insert(kind),
            Err(unsupported) => return Err(unsupported),
        }
    }
    Ok(kept)
}
