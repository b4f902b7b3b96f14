//! What must not be reached.

use crate::space::Space;
use crate::unsupported::go_on;
use crate::{Unsupported, View};
use threadwise_ir::{Observation, Path, Pattern, PropertyId, ThreadId, Violated};
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
    for (index, property) in space.instance.program.properties.iter().enumerate() {
        let kind = ErrorKind::Property(PropertyId(index as u32));
        match &property.violated {
            Violated::When(e, wrong) => {
                let view = View { others: Some(space), ..View::of_store(&space.population, &space.shared) };
                let translated = view.translate(e)?;
                let truth = translated.value.term();
                let fine = if *wrong { truth.not() } else { truth.clone() };
                add(space, kind, translated.defined.and(fine).not(), &mut errors);
            }
            Violated::By(pattern) => meetings(space, PropertyId(index as u32), pattern, property.span, &mut errors)?,
        }
    }
    for thread in &space.threads {
        for failure in &thread.failures {
            let formula = space.at(failure.thread, failure.from).and(&failure.condition);
            add(space, ErrorKind::Step(failure.thread, failure.path.clone()), formula, &mut errors);
        }
    }
    Ok(errors)
}

/// Different threads can each take a step that shows one of the signs of a pattern.
fn meetings(
    space: &Space,
    property: PropertyId,
    pattern: &Pattern,
    span: Span,
    out: &mut Vec<ErrorCase>,
) -> Result<(), Unsupported> {
    // Groups of steps, each as a thread and the number of a step of it.
    let mut groups: Vec<Vec<(usize, usize)>> = vec![Vec::new()];
    for sign in 0..pattern.signs.len() as u32 {
        let observation = Observation { property, sign };
        let mut further = Vec::new();
        for group in &groups {
            for (number, thread) in space.threads.iter().enumerate() {
                go_on(span)?;
                if group.iter().all(|(other, _)| *other != number) {
                    let steps = thread.steps.iter().enumerate();
                    let showing = steps.filter(|(_, step)| step.shown.show(observation));
                    further.extend(showing.map(|(step, _)| [group.as_slice(), &[(number, step)]].concat()));
                }
            }
        }
        groups = further;
    }
    // Which of them shows which sign does not matter.
    groups.iter_mut().for_each(|group| group.sort_unstable());
    groups.sort_by_cached_key(|group| group.iter().copied().unzip::<usize, usize, Vec<usize>, Vec<usize>>());
    groups.dedup();
    for group in groups {
        let can_be_taken = |&(thread, step): &(usize, usize)| {
            let step = &space.threads[thread].steps[step];
            Term::all([space.at(step.thread, step.from), step.guard.clone(), step.choices_typed(space)])
        };
        add(space, ErrorKind::Property(property), Term::all(group.iter().map(can_be_taken)), out);
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
