//! A trace as a walk through states, for those who show it step by step: of each state what is different from the one before.

use crate::seen::{Looker, Seen, SeenVariable};
use crate::sources::{Spot, spot};
use crate::trace::{StepText, trace_text};
use crate::violation::Explanation;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use threadwise_evidence::{Trace, Violation, position, step_span, step_words, with_names_of_threads};
use threadwise_ir::{Instance, State, ThreadId};
use threadwise_source::Span;

/// Up to so many threads all of them are shown; of more, only those that take part.
const MAX_THREADS: usize = 16;

/// A trace, step by step. Threads are told by their number among those that are shown.
#[derive(Clone, Debug, Serialize)]
pub struct Walk {
    pub threads: Vec<String>,
    pub variables: Vec<Variable>,
    /// The states, one more than there are steps.
    pub moments: Vec<Moment>,
    pub steps: Vec<WalkStep>,
    pub end: Ending,
}

/// A variable, or an element of an array.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Variable {
    pub name: String,
    /// Whose it is; nobody's if it is shared.
    pub thread: Option<usize>,
    /// Its value is the thread that holds it.
    pub lock: bool,
}

/// What is different in a state from the one before.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Default)]
pub struct Moment {
    /// Variables with new values; none for one that is out of scope.
    pub set: Vec<(usize, Option<String>)>,
    /// Threads that are somewhere else; none for one that has ended.
    pub at: Vec<(usize, Option<Spot>)>,
    /// All that wait for a lock.
    pub waits: Vec<Waiting>,
}

/// A thread that waits for a lock.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Waiting {
    pub thread: usize,
    pub lock: String,
    pub holder: String,
}

/// A step in words.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct WalkStep {
    pub thread: usize,
    pub text: String,
    pub place: Spot,
    pub position: String,
    pub changes: Vec<String>,
}

/// The error.
#[derive(Clone, Debug, Serialize)]
pub struct Ending {
    pub what: String,
    pub text: String,
    /// The statement that goes wrong, if it is a step that does.
    pub statement: Option<String>,
    pub message: Option<String>,
    pub thread: Option<usize>,
    pub facts: Vec<String>,
    pub place: Spot,
    pub position: String,
    /// All places that have a part in it.
    pub places: Vec<Spot>,
    /// The two sides of a race.
    pub race: Option<Vec<Side>>,
    /// The threads that wait for ever.
    pub waiting: Vec<Side>,
    /// The cycle of locks among them, drawn in lines.
    pub cycle: Vec<String>,
}

/// A thread that has a part in an error.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Side {
    pub thread: String,
    pub text: String,
    pub place: Spot,
    pub position: String,
    pub writes: bool,
    /// What it waits for.
    pub why: String,
}

/// Walks along a trace.
pub fn walk(instance: &Instance, trace: &Trace) -> Walk {
    let instance = &with_names_of_threads(instance, trace);
    let text = trace_text(instance, trace);
    let shown = shown_threads(instance, trace, &text.explanation);
    let mut walker = Walker { instance, shown, variables: Vec::new(), numbers: BTreeMap::new(), before: None };
    let mut moments = Vec::new();
    let mut steps = Vec::new();
    if let Some(initial) = &trace.initial {
        let looker = Looker::new(instance);
        let mut state = initial.clone();
        moments.push(walker.moment(looker.look(&state)));
        for (step, text) in trace.steps.iter().zip(&text.steps) {
            steps.push(walker.step(&state, step, text));
            state.shared = step.shared.clone();
            state.locals[step.thread.index()] = step.local.clone();
            moments.push(walker.moment(looker.look(&state)));
        }
    } else {
        moments.push(Moment::default());
    }
    let end = walker.ending(&text.explanation);
    let threads = walker.shown.iter().map(|&thread| name(instance, thread)).collect();
    Walk { threads, variables: walker.variables, moments, steps, end }
}

fn name(instance: &Instance, thread: ThreadId) -> String {
    instance.tid_name(i64::from(thread.0) + 1)
}

/// The threads that take part. Of few threads all are shown, unless the program creates them and some were never created.
fn shown_threads(instance: &Instance, trace: &Trace, explanation: &Explanation) -> Vec<ThreadId> {
    let mut shown: BTreeSet<ThreadId> = trace.steps.iter().map(|step| step.thread).collect();
    if let Violation::Step { thread, .. } | Violation::Start { thread, .. } = trace.violation {
        shown.insert(thread);
    }
    shown.extend(explanation.standstill.iter().flat_map(|standstill| &standstill.waiters).map(|waiter| waiter.id));
    let racers = explanation.race.iter().flatten().map(|racer| racer.thread.as_str());
    let racers: Vec<&str> = racers.collect();
    let all = || (0..instance.threads.len() as u32).map(ThreadId);
    let few = instance.threads.len() <= MAX_THREADS && instance.program.telling.is_none();
    shown.extend(all().filter(|&thread| few || racers.contains(&name(instance, thread).as_str())));
    shown.into_iter().collect()
}

struct Walker<'a> {
    instance: &'a Instance,
    shown: Vec<ThreadId>,
    variables: Vec<Variable>,
    numbers: BTreeMap<(Option<usize>, String), usize>,
    before: Option<Seen>,
}

impl Walker<'_> {
    fn number(&self, thread: ThreadId) -> Option<usize> {
        self.shown.iter().position(|&shown| shown == thread)
    }

    fn spot(&self, span: Span) -> Spot {
        spot(&self.instance.program.source, span)
    }

    fn moment(&mut self, seen: Seen) -> Moment {
        let old = self.before.take().unwrap_or_default();
        let is_first = old == Seen::default();
        let mut moment = Moment::default();
        let known: BTreeMap<(Option<ThreadId>, &str), &str> = values(&old);
        let new = values(&seen);
        for variable in &seen.variables {
            if known.get(&(variable.thread, variable.name.as_str())) != Some(&variable.value.as_str())
                && let Some(number) = self.variable(variable)
            {
                moment.set.push((number, Some(variable.value.clone())));
            }
        }
        for variable in old.variables.iter().filter(|old| !new.contains_key(&(old.thread, old.name.as_str()))) {
            moment.set.extend(self.variable(variable).map(|number| (number, None)));
        }
        for (&thread, number) in self.shown.iter().zip(0..) {
            let place = seen.places[thread.index()];
            if is_first || old.places.get(thread.index()) != Some(&place) {
                moment.at.push((number, place.map(|span| self.spot(span))));
            }
        }
        for wait in &seen.waits {
            let thread = self.number(wait.thread);
            moment.waits.extend(thread.map(|thread| Waiting {
                thread,
                lock: wait.lock.clone(),
                holder: wait.holder.clone(),
            }));
        }
        self.before = Some(seen);
        moment
    }

    /// The number of a variable; none for those of threads that are not shown.
    fn variable(&mut self, seen: &SeenVariable) -> Option<usize> {
        let thread = match seen.thread {
            Some(thread) => Some(self.number(thread)?),
            None => None,
        };
        let fresh = self.variables.len();
        let number = *self.numbers.entry((thread, seen.name.clone())).or_insert(fresh);
        if number == fresh {
            self.variables.push(Variable { name: seen.name.clone(), thread, lock: seen.is_lock });
        }
        Some(number)
    }

    fn step(&self, before: &State, step: &threadwise_evidence::TraceStep, text: &StepText) -> WalkStep {
        let told = step_words(self.instance, Some(before), step.thread, &step.path, Some(step)).map(|words| words.span);
        let span = told.or_else(|| step_span(self.instance, step)).unwrap_or_default();
        let texts: Vec<&str> = text.statements.iter().map(|statement| statement.text.as_str()).collect();
        WalkStep {
            thread: self.number(step.thread).unwrap_or(0),
            text: texts.join(" "),
            place: self.spot(span),
            position: position(self.instance, span),
            changes: text.changes.iter().map(|change| change.show()).collect(),
        }
    }

    fn ending(&self, explanation: &Explanation) -> Ending {
        let names: Vec<String> = self.shown.iter().map(|&thread| name(self.instance, thread)).collect();
        let race = explanation.race.as_ref().map(|racers| racers.iter().map(|racer| self.racer(racer)).collect());
        let standstill = explanation.standstill.as_ref();
        let waiting: Vec<Side> =
            standstill.iter().flat_map(|standstill| &standstill.waiters).map(|waiter| self.waiter(waiter)).collect();
        let sides = race.iter().flatten().chain(&waiting);
        let mut places: Vec<Spot> = sides.map(|side: &Side| side.place.clone()).collect();
        if places.is_empty() {
            places.push(self.spot(explanation.span));
        }
        Ending {
            what: explanation.what.clone(),
            text: explanation.text.clone(),
            statement: explanation.statements.last().map(|statement| statement.text.clone()),
            message: explanation.message.clone(),
            thread: explanation.thread.as_ref().and_then(|thread| names.iter().position(|name| name == thread)),
            facts: explanation.facts.clone(),
            place: self.spot(explanation.span),
            position: position(self.instance, explanation.span),
            places,
            race,
            waiting,
            cycle: standstill.map(|standstill| standstill.drawing()).unwrap_or_default(),
        }
    }

    fn racer(&self, racer: &crate::race::Racer) -> Side {
        Side {
            thread: racer.thread.clone(),
            text: racer.statement.text.clone(),
            place: self.spot(racer.statement.span),
            position: racer.statement.position.clone(),
            writes: racer.writes,
            why: String::new(),
        }
    }

    fn waiter(&self, waiter: &crate::waiting::Waiter) -> Side {
        Side {
            thread: waiter.thread.clone(),
            text: waiter.statement.text.clone(),
            place: self.spot(waiter.span),
            position: waiter.statement.position.clone(),
            writes: false,
            why: waiter.why(),
        }
    }
}

fn values(seen: &Seen) -> BTreeMap<(Option<ThreadId>, &str), &str> {
    seen.variables.iter().map(|v| ((v.thread, v.name.as_str()), v.value.as_str())).collect()
}
