//! From a trace to what the machine says about it.

use crate::Trouble;
use crate::build::{Binary, Sources, build};
use crate::drive::Driver;
use crate::event::{Event, Kind};
use crate::places::Places;
use crate::plan::{Deed, DeedKind, Passage, Plan};
use crate::process::Process;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;
use threadwise_evidence::{Trace, TraceStep, Violation, violation_info};
use threadwise_ir::{Instance, PropertyId, SharedId, State, StepError, ThreadId, Wording};
use threadwise_memory::Atlas;

/// A program is started with at most so many arguments.
const MOST_ARGUMENTS: usize = 10_000;

/// So many accesses belong to one step, at most, that is looked into for a race.
const MOST_ACCESSES: usize = 16;

/// So many threads are tried for that.
const MOST_TRIES: usize = 8;

/// What the machine says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The error has happened.
    Confirmed(String),
    /// The program was led as the trace says, and the error did not happen.
    Refuted(String),
    /// It cannot be told.
    Undecided(String),
}

/// A trace without its end.
#[derive(Clone, Copy, Debug)]
pub struct Course<'a> {
    pub instance: &'a Instance,
    pub initial: &'a State,
    pub steps: &'a [TraceStep],
}

/// Leads a compiled program through a trace, and looks for the error at its end.
pub fn replay(
    instance: &Instance,
    trace: &Trace,
    atlas: &Atlas,
    sources: &Sources,
    limit: Duration,
) -> Result<Outcome, Trouble> {
    if let Some(reason) = unsupported(instance, &trace.violation, sources) {
        return Ok(Outcome::Undecided(reason));
    }
    let Some(initial) = &trace.initial else {
        return Ok(Outcome::Undecided("the trace has no initial state".to_string()));
    };
    let overflow = matches!(trace.violation, Violation::Step { error: StepError::Arithmetic, .. });
    let binary = build(&Sources { overflow, ..sources.clone() })?;
    let course = Course { instance, initial, steps: &trace.steps };
    let plan = Plan::new(instance, atlas);
    let mut passages = match passages(&plan, course) {
        Ok(passages) => passages,
        Err(reason) => return Ok(Outcome::Undecided(reason)),
    };
    if let Violation::Step { thread, path, .. } = &trace.violation {
        let state = states(course).pop().unwrap_or_else(|| initial.clone());
        match plan.failing(instance, &state, *thread, path) {
            Some(passage) => passages.push((*thread, passage)),
            None => return Ok(Outcome::Undecided("the step that goes wrong cannot be looked into".to_string())),
        }
    }
    let chooses = passages.iter().any(|(_, passage)| passage.chooses);
    let mut liberties = Vec::new();
    let mut led = lead(course, &passages, atlas, &binary, limit, false, &mut liberties, &mut |driver| {
        look(driver, instance, &trace.violation)
    });
    if let (Violation::Property(id), Ok(Err(_))) = (&trace.violation, &led) {
        // What is one step for the trace may be several accesses: one thread may have to go on to the one that is meant.
        for real in 0..instance.threads.len().min(MOST_TRIES) {
            let again = lead(course, &passages, atlas, &binary, limit, false, &mut liberties, &mut |driver| {
                look_further(driver, instance, *id, real)
            });
            if let Ok(Some(found)) = again {
                led = Ok(Ok(found));
                break;
            }
        }
    }
    let reason = match led {
        Ok(Ok(found)) => return Ok(Outcome::Confirmed(found)),
        Ok(Err(reason)) => reason,
        Err(Trouble::Differs(reason)) => reason,
        Err(trouble @ (Trouble::Time | Trouble::Beyond(_))) => return Ok(Outcome::Undecided(trouble.to_string())),
        Err(trouble) => return Err(trouble),
    };
    let is_memory = matches!(trace.violation, Violation::Step { error: StepError::Memory, .. });
    Ok(if is_memory {
        Outcome::Undecided(format!("{reason}; accesses that end up in another variable are not recognised"))
    } else if chooses {
        let why = "the trace has values of uninitialised variables, which cannot be given to a compiled program";
        Outcome::Undecided(format!("{reason}; {why}"))
    } else if let Some(first) = liberties.first() {
        Outcome::Undecided(format!("{reason}; the compiler does not do loads in the order of the trace: {first}"))
    } else {
        Outcome::Refuted(reason)
    })
}

/// A compiled program that can be led along several courses.
pub struct Compiled(Binary);

impl Compiled {
    pub fn new(sources: &Sources) -> Result<Compiled, Trouble> {
        build(sources).map(Compiled)
    }

    /// Leads the program along a course, and compares all that threads share after each step. Where the compiler does
    /// loads in another order nothing can be compared, and that is told. What differs is trouble.
    pub fn follow(&self, course: Course<'_>, atlas: &Atlas, limit: Duration) -> Result<Option<String>, Trouble> {
        let plan = Plan::new(course.instance, atlas);
        let passages = passages(&plan, course).map_err(Trouble::Beyond)?;
        let mut liberties = Vec::new();
        let led = lead(course, &passages, atlas, &self.0, limit, true, &mut liberties, &mut |_| ());
        match led {
            Ok(()) => Ok(liberties.into_iter().next()),
            Err(Trouble::Differs(_)) if !liberties.is_empty() => Ok(liberties.into_iter().next()),
            Err(trouble) => Err(trouble),
        }
    }
}

/// What cannot be confirmed, and why.
fn unsupported(instance: &Instance, violation: &Violation, sources: &Sources) -> Option<String> {
    let info = violation_info(instance, violation);
    let is_supported = match violation {
        Violation::Step { error, .. } => match error {
            StepError::Assertion | StepError::Memory | StepError::Arithmetic | StepError::Lock | StepError::Release => {
                true
            }
            StepError::Start
            | StepError::Join
            | StepError::Exception
            | StepError::Beyond
            | StepError::ActionAssertion
            | StepError::Fault(_) => false,
        },
        Violation::Property(id) => {
            matches!(instance.program.properties[id.index()].wording, Wording::NoRace(_))
        }
        Violation::PropertyFault(..) | Violation::Initial(..) | Violation::Start { .. } => false,
    };
    if !is_supported {
        return Some(format!("errors of the kind `{}` are not looked for in compiled programs", info.kind));
    }
    (!sources.entries.is_empty()).then(|| "a program with --entry has no `main` that could be run".to_string())
}

pub(crate) fn states(course: Course<'_>) -> Vec<State> {
    let mut state = course.initial.clone();
    let mut all = vec![state.clone()];
    for step in course.steps {
        state.shared = step.shared.clone();
        state.locals[step.thread.index()] = step.local.clone();
        all.push(state.clone());
    }
    all
}

pub(crate) fn passages(plan: &Plan<'_>, course: Course<'_>) -> Result<Vec<(ThreadId, Passage)>, String> {
    let mut all = Vec::new();
    for (number, (state, step)) in states(course).iter().zip(course.steps).enumerate() {
        match plan.step(state, step) {
            Some(passage) => all.push((step.thread, passage)),
            None => return Err(format!("step {} cannot be looked into", number + 1)),
        }
    }
    Ok(all)
}

/// Leads the process through all passages, and then does something. Where it had to be made to fit is kept.
#[allow(clippy::too_many_arguments)]
fn lead<T>(
    course: Course<'_>,
    passages: &[(ThreadId, Passage)],
    atlas: &Atlas,
    binary: &Binary,
    limit: Duration,
    strict: bool,
    liberties: &mut Vec<String>,
    then: &mut dyn FnMut(&mut Driver<'_>) -> T,
) -> Result<T, Trouble> {
    let mut upcoming: BTreeMap<ThreadId, VecDeque<Deed>> = BTreeMap::new();
    for (step, (thread, passage)) in passages.iter().enumerate() {
        let deeds = passage.deeds.iter().map(|deed| Deed { step, ..deed.clone() });
        upcoming.entry(*thread).or_default().extend(deeds);
    }
    let arguments = passages.iter().find_map(|(_, passage)| passage.arguments).unwrap_or(1);
    let Some(arguments) = usize::try_from(arguments).ok().filter(|number| (1..=MOST_ARGUMENTS).contains(number)) else {
        return Err(Trouble::Beyond(format!("no program can be started with {arguments} arguments")));
    };
    let process = Process::start(&binary.path, arguments, limit)?;
    let places = Places::new(atlas, &binary.symbols);
    let mut driver = Driver::new(process, places, binary, course.instance, upcoming)?;
    let led = driver.lead(course, passages, strict);
    liberties.append(&mut driver.liberties);
    led.map(|()| then(&mut driver))
}

fn after_step(trouble: Trouble, number: usize) -> Trouble {
    match trouble {
        Trouble::Differs(text) => Trouble::Differs(format!("after step {}, {text}", number + 1)),
        other => other,
    }
}

impl Driver<'_> {
    fn lead(&mut self, course: Course<'_>, passages: &[(ThreadId, Passage)], strict: bool) -> Result<(), Trouble> {
        self.give_initial_values(course.instance, &course.initial.shared);
        self.settle(ThreadId(0))?;
        let atlas = self.places.atlas;
        let everything: BTreeSet<usize> = (0..atlas.objects.len()).collect();
        for (number, (thread, passage)) in passages.iter().enumerate() {
            self.take_step(*thread, passage.deeds.len())?;
            let Some(step) = course.steps.get(number).filter(|_| self.is_in_step()) else { continue };
            let touched = passage.deeds.iter().filter_map(|deed| match deed.kind {
                DeedKind::Access { part, .. } => Some(atlas.parts[part].object),
                _ => None,
            });
            let touched: BTreeSet<usize> = touched.collect();
            let compared = if strict { &everything } else { &touched };
            let compare = self.compare(course.instance, &step.shared, compared);
            compare.map_err(|trouble| after_step(trouble, number))?;
        }
        Ok(())
    }

    fn take_step(&mut self, thread: ThreadId, deeds: usize) -> Result<(), Trouble> {
        let last = self.left(thread).saturating_sub(deeds);
        while self.left(thread) > last {
            self.perform(thread)?;
        }
        self.settle(thread)
    }
}

/// Looks for the error where the trace has led.
fn look(driver: &mut Driver<'_>, instance: &Instance, violation: &Violation) -> Result<String, String> {
    match violation {
        Violation::Property(_) => look_for_race(driver),
        Violation::Step { thread, error, .. } => {
            let real = driver.real_of(*thread);
            let Some(event) = real.and_then(|real| driver.pending(real)) else {
                let name = instance.tid_name(i64::from(thread.0) + 1);
                return Err(format!("`{name}` does not run in the compiled program"));
            };
            look_for_error(driver, *error, &event)
        }
        Violation::PropertyFault(..) | Violation::Initial(..) | Violation::Start { .. } => {
            Err("there is no such error in compiled programs".to_string())
        }
    }
}

/// Whether what a thread is about to do, or what has happened to it, is the error.
fn look_for_error(driver: &mut Driver<'_>, error: StepError, event: &Event) -> Result<String, String> {
    let said = driver.said(event);
    let yes = || Ok(format!("in the compiled program {said}"));
    let no = || Err(format!("in the compiled program {said} there, and nothing goes wrong"));
    match (error, event.kind) {
        (StepError::Assertion, Kind::Fail) => yes(),
        (StepError::Arithmetic, Kind::Overflow | Kind::Crash) => yes(),
        (StepError::Lock | StepError::Release, Kind::Misuse) => yes(),
        (StepError::Lock | StepError::Release, Kind::Take | Kind::Give | Kind::Touch) => {
            // Whether it is wrong is found out when it is done.
            match driver.go(event.thread, 0).map(|()| driver.pending(event.thread)) {
                Ok(Some(after)) if after.kind == Kind::Misuse => {
                    Ok(format!("in the compiled program {}", driver.said(&after)))
                }
                _ => no(),
            }
        }
        (StepError::Memory, Kind::Crash) => yes(),
        (StepError::Memory, _) => match driver.heap.fault(event) {
            Some(fault) => Ok(format!("in the compiled program {said}: {fault}")),
            None => no(),
        },
        _ => no(),
    }
}

/// Two threads that stand before accesses of the same bytes, one of which stores.
fn look_for_race(driver: &Driver<'_>) -> Result<String, String> {
    race(driver, &|_| true).ok_or_else(|| {
        let all: Vec<String> = pending(driver).iter().map(|event| driver.said(event)).collect();
        format!("in the compiled program no two threads race: {}", all.join(", "))
    })
}

/// Lets one thread go on, while the others stay where they are, until it races in what the property is about.
fn look_further(driver: &mut Driver<'_>, instance: &Instance, property: PropertyId, real: usize) -> Option<String> {
    let objects = objects_of(driver, instance, property);
    for _ in 0..MOST_ACCESSES {
        let is_access = driver.pending(real).is_some_and(|event| event.is_access() || event.kind == Kind::Any);
        if !is_access || driver.go(real, 0).is_err() {
            return None;
        }
        let is_meant =
            |event: &Event| driver.places.object_at(event.address).is_some_and(|(key, _)| objects.contains(&key.0));
        if let Some(found) = race(driver, &is_meant) {
            return Some(found);
        }
    }
    None
}

fn pending(driver: &Driver<'_>) -> Vec<Event> {
    driver.threads.iter().filter_map(|thread| thread.pending).collect()
}

fn race(driver: &Driver<'_>, is_meant: &dyn Fn(&Event) -> bool) -> Option<String> {
    let pending = pending(driver);
    let pairs = pending
        .iter()
        .enumerate()
        .flat_map(|(number, first)| pending[number + 1..].iter().map(move |second| (first, second)));
    let (first, second) = pairs.into_iter().find(|(first, second)| first.races_with(second) && is_meant(first))?;
    Some(format!("in the compiled program {} while {}", driver.said(first), driver.said(second)))
}

/// The objects in which a race is claimed.
fn objects_of(driver: &Driver<'_>, instance: &Instance, property: PropertyId) -> BTreeSet<usize> {
    let Wording::NoRace(name) = &instance.program.properties[property.index()].wording else { return BTreeSet::new() };
    let is_named = |id: SharedId| *instance.program.shared[id.index()].name == **name;
    let parts = driver.places.atlas.parts.iter();
    parts.filter(|part| part.variable.is_some_and(is_named)).map(|part| part.object).collect()
}
