//! What must not be reached.

use crate::space::Space;
use crate::step::Step;
use crate::waiting;
use std::collections::BTreeMap;
use threadwise_ir::{Path, Pattern, PropertyId, Sign, ThreadId, Violated};
use threadwise_logic::Term;
use threadwise_source::Span;
use threadwise_symbolic::go_on;
use threadwise_symbolic::{Unsupported, View};

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
            Violated::By(Pattern::Signs(signs)) => {
                meetings(space, PropertyId(index as u32), signs, property.span, &mut errors)?;
            }
            Violated::By(Pattern::Deadlock) => add(space, kind, waiting::deadlock(space, property.span)?, &mut errors),
            Violated::By(Pattern::LockCycle) => add(space, kind, waiting::lock_cycle(space)?, &mut errors),
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

/// Steps of different threads, each with its thread and its number, and when they show the signs given to them.
#[derive(Clone, Default)]
struct Group {
    steps: Vec<(usize, usize)>,
    /// The keys of what each shows, as far as there are any.
    keys: Vec<Vec<Term>>,
    when: Vec<Term>,
}

impl Group {
    /// With one more step, which shows a sign of something with these keys: those that all have are equal.
    fn with(&self, step: (usize, usize), when: Term, keys: &[Term]) -> Group {
        let mut group = self.clone();
        for others in &self.keys {
            group.when.extend(others.iter().zip(keys).map(|(other, key)| key.equals(other)));
        }
        group.when.push(when);
        group.steps.push(step);
        group.keys.push(keys.to_vec());
        group
    }
}

/// Different threads can each take a step that shows one of the signs of a pattern, all of the same element.
fn meetings(
    space: &Space,
    property: PropertyId,
    signs: &[Sign],
    span: Span,
    out: &mut Vec<ErrorCase>,
) -> Result<(), Unsupported> {
    let mut groups = vec![Group::default()];
    for (sign, number) in signs.iter().zip(0..) {
        let mut further = Vec::new();
        for group in &groups {
            for (thread, of) in space.threads.iter().enumerate() {
                go_on(span)?;
                if group.steps.iter().any(|(other, _)| *other == thread) {
                    continue;
                }
                for (index, step) in of.steps.iter().enumerate() {
                    for (when, keys) in step.showings(property, number, sign) {
                        further.push(group.with((thread, index), when, keys));
                    }
                }
            }
        }
        groups = further;
    }
    // Which step shows which sign does not matter: the same steps are one case.
    let mut cases: BTreeMap<(Vec<usize>, Vec<usize>), Term> = BTreeMap::new();
    for mut group in groups {
        group.steps.sort_unstable();
        let case = cases.entry(group.steps.into_iter().unzip()).or_insert_with(|| Term::bool(false));
        *case = case.or(Term::all(&group.when));
    }
    for ((threads, steps), when) in cases {
        let can_be_taken = |(thread, step): (&usize, &usize)| {
            let step = &space.threads[*thread].steps[*step];
            Term::all([space.at(step.thread, step.from), step.guard.clone(), step.choices_typed(space)])
        };
        let all = Term::all(threads.iter().zip(&steps).map(can_be_taken));
        add(space, ErrorKind::Property(property), all.and(when), out);
    }
    Ok(())
}

impl Step {
    /// When it shows a sign, given that it is taken, and of something with which keys.
    fn showings(&self, property: PropertyId, number: u32, sign: &Sign) -> Vec<(Term, &[Term])> {
        if sign.region().depth == 0 {
            let shown = self.shown.show(property, number, 0);
            return shown.then_some((Term::bool(true), &[][..])).into_iter().collect();
        }
        let touched = self.touched.iter();
        touched.filter_map(|touch| touch.shows(sign).map(|keys| (touch.when.clone(), keys))).collect()
    }
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
