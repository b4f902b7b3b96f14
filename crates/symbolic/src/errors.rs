//! What must not be reached.

use crate::space::Space;
use crate::unsupported::go_on;
use crate::{Unsupported, View};
use threadwise_ir::{Path, PropertyId, PropertyKind, ThreadId};
use threadwise_logic::Term;
use threadwise_source::Span;

/// States that are in error, for one reason.
#[derive(Clone, Debug)]
pub struct ErrorCase {
    /// The reason.
    pub kind: ErrorKind,
    /// The states, over the variables and the free choices of steps.
    pub formula: Term,
    /// The threads that it speaks of, sorted.
    pub threads: Vec<ThreadId>,
}

/// Why a state is in error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// A property does not hold, or evaluating it runs into an error.
    Property(PropertyId),
    /// The next step of a thread can go wrong on this path.
    Step(ThreadId, Path),
}

/// All error cases of a program, but for errors in the initial values.
pub(crate) fn errors(space: &Space) -> Result<Vec<ErrorCase>, Unsupported> {
    let mut errors = Vec::new();
    let mut race_bit = 0;
    for (index, property) in space.instance.program.properties.iter().enumerate() {
        let kind = ErrorKind::Property(PropertyId(index as u32));
        let formula = match &property.kind {
            PropertyKind::Invariant(_, e) | PropertyKind::Never(e) => {
                let view = View { others: Some(space), ..View::of_store(&space.population, &space.shared) };
                let translated = view.translate(e)?;
                let truth = translated.value.term();
                let is_never = matches!(property.kind, PropertyKind::Never(_));
                translated.defined.and(if is_never { truth.not() } else { truth.clone() }).not()
            }
            PropertyKind::NoRace(..) => {
                race_bit += 1;
                races(space, race_bit - 1, &kind, property.span, &mut errors)?;
                continue;
            }
        };
        add(space, kind, formula, &mut errors);
    }
    for thread in &space.threads {
        for failure in &thread.failures {
            let formula = space.at(failure.thread, failure.from).and(&failure.condition);
            add(space, ErrorKind::Step(failure.thread, failure.path.clone()), formula, &mut errors);
        }
    }
    Ok(errors)
}

/// Two threads can each take a step that accesses the variables of this bit, one of them writing.
fn races(space: &Space, bit: u32, kind: &ErrorKind, span: Span, out: &mut Vec<ErrorCase>) -> Result<(), Unsupported> {
    for (index, first) in space.threads.iter().enumerate() {
        for second in &space.threads[index + 1..] {
            for a in &first.steps {
                go_on(span)?;
                for b in &second.steps {
                    if a.access.conflicts(b.access) >> bit & 1 == 1 {
                        let both = [a, b].map(|step| {
                            Term::all([space.at(step.thread, step.from), step.guard.clone(), step.choices_typed(space)])
                        });
                        add(space, kind.clone(), Term::all(both), out);
                    }
                }
            }
        }
    }
    Ok(())
}

fn add(space: &Space, kind: ErrorKind, formula: Term, out: &mut Vec<ErrorCase>) {
    if formula.is_false() {
        return;
    }
    let mut threads: Vec<ThreadId> = Vec::new();
    for var in formula.variables() {
        if let Some(crate::Owner::Thread(thread)) = space.info(var).map(|info| info.owner) {
            threads.push(thread);
        }
    }
    threads.sort_unstable();
    threads.dedup();
    out.push(ErrorCase { kind, formula, threads });
}
