//! Executions that somebody leads step by step: a person at a terminal, dice, or a trace.
//!
//! ```text
//! let mut simulation = Simulation::new(instance)?;      // or the error in the initial values
//! let choices = simulation.choices();                   // what can happen next
//! simulation.take(&choices[0]);
//! simulation.undo();
//! simulation.broken()                                   // the properties that are violated here
//! ```
//!
//! What can happen is said by `ir` and by nobody else.

mod dice;
mod random;

pub use dice::Dice;
pub use random::{Until, pick, run};

use threadwise_evidence::{Trace, TraceStep, Violation, with_names_of_threads};
use threadwise_ir::{Broken, Fault, Instance, State, Steps, ThreadId};

/// More states to start in are not offered.
const MOST_STARTS: usize = 1 << 10;

/// Something that can happen next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    /// The program starts here.
    Start(State),
    /// A thread takes a step.
    Step(TraceStep),
    /// A thread takes a step that goes wrong, and the execution ends.
    Wrong(Violation),
}

impl Choice {
    /// Who takes the step.
    pub fn thread(&self) -> Option<ThreadId> {
        match self {
            Choice::Start(_) => None,
            Choice::Step(step) => Some(step.thread),
            Choice::Wrong(Violation::Step { thread, .. }) => Some(*thread),
            Choice::Wrong(_) => None,
        }
    }
}

/// An execution so far.
#[derive(Clone, Debug)]
pub struct Simulation {
    instance: Instance,
    starts: Vec<State>,
    /// The states, one more than there are steps; none before the program has started.
    states: Vec<State>,
    steps: Vec<TraceStep>,
    /// The step that went wrong.
    wrong: Option<Violation>,
}

impl Simulation {
    /// A program before its start; or the error in its initial values. Where there is but one state to start in, it has started.
    pub fn new(instance: Instance) -> Result<Simulation, Box<Trace>> {
        let starts = starts(&instance).map_err(|violation| {
            let any_copies = instance.any_copies();
            Box::new(Trace { any_copies, initial: None, steps: Vec::new(), violation })
        })?;
        let mut simulation = Simulation { instance, starts, states: Vec::new(), steps: Vec::new(), wrong: None };
        if let [only] = &simulation.starts[..] {
            simulation.states.push(only.clone());
        }
        Ok(simulation)
    }

    /// A program that starts in this state, be it one of those that are offered or not.
    pub fn started(instance: Instance, state: State) -> Simulation {
        Simulation { instance, starts: vec![state.clone()], states: vec![state], steps: Vec::new(), wrong: None }
    }

    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// The instance with the names that threads have in this execution.
    pub fn named(&self) -> Instance {
        // Names come from the steps; what an execution ends with does not matter for them.
        let nothing = Violation::Initial(Fault::Range, Default::default());
        with_names_of_threads(&self.instance, &self.trace(nothing))
    }

    /// The state that it is in; none before its start.
    pub fn state(&self) -> Option<&State> {
        self.states.last()
    }

    /// The state that it started in.
    pub fn initial(&self) -> Option<&State> {
        self.states.first()
    }

    pub fn steps(&self) -> &[TraceStep] {
        &self.steps
    }

    /// The step that went wrong, after which there is nothing more.
    pub fn wrong(&self) -> Option<&Violation> {
        self.wrong.as_ref()
    }

    /// Everything that can happen next, thread by thread.
    pub fn choices(&self) -> Vec<Choice> {
        let Some(state) = self.state() else { return self.starts.iter().cloned().map(Choice::Start).collect() };
        if self.wrong.is_some() {
            return Vec::new();
        }
        let mut choices = Vec::new();
        for thread in self.threads() {
            add_choices(thread, self.next_steps(state, thread), &mut choices);
        }
        choices
    }

    /// Whether a thread may be able to do more than is listed, because it chooses among all integers.
    pub fn is_listed_whole(&self) -> bool {
        let gap = |state: &State| self.threads().any(|thread| self.next_steps(state, thread).gap.is_some());
        !self.state().is_some_and(gap)
    }

    pub fn take(&mut self, choice: &Choice) {
        match choice {
            Choice::Start(state) => self.states.push(state.clone()),
            Choice::Step(step) => {
                let Some(mut state) = self.state().cloned() else { return };
                state.shared = step.shared.clone();
                state.locals[step.thread.index()] = step.local.clone();
                self.states.push(state);
                self.steps.push(step.clone());
            }
            Choice::Wrong(violation) => self.wrong = Some(violation.clone()),
        }
    }

    /// Takes the last choice back; `false` if there was none.
    pub fn undo(&mut self) -> bool {
        if self.wrong.take().is_some() {
            return true;
        }
        if self.steps.pop().is_some() {
            self.states.pop();
            return true;
        }
        self.starts.len() > 1 && self.states.pop().is_some()
    }

    /// The properties that the state violates.
    pub fn broken(&self) -> Vec<Violation> {
        let Some(state) = self.state() else { return Vec::new() };
        let mut shown = |thread| self.next_steps(state, thread).shown;
        let broken = self.instance.broken_properties(&state.shared, &state.locals, &mut shown);
        let violation = |broken| match broken {
            Broken::Property(id) => Violation::Property(id),
            Broken::Fault(id, fault, span) => Violation::PropertyFault(id, fault, span),
        };
        broken.into_iter().map(violation).collect()
    }

    /// The execution as a trace to this error.
    pub fn trace(&self, violation: Violation) -> Trace {
        let any_copies = self.instance.any_copies();
        Trace { any_copies, initial: self.initial().cloned(), steps: self.steps.clone(), violation }
    }

    pub fn threads(&self) -> impl Iterator<Item = ThreadId> + use<> {
        (0..self.instance.threads.len() as u32).map(ThreadId)
    }

    fn next_steps(&self, state: &State, thread: ThreadId) -> Steps {
        let wanted = self.instance.program.compared_integers();
        self.instance.steps_toward(thread, &state.shared, &state.locals[thread.index()], &wanted)
    }
}

fn add_choices(thread: ThreadId, steps: Steps, choices: &mut Vec<Choice>) {
    let first = choices.len();
    let taken = steps.successors.into_iter().map(|successor| {
        Choice::Step(TraceStep { thread, path: successor.path, shared: successor.shared, local: successor.local })
    });
    let wrong = steps.failures.into_iter().map(|failure| {
        Choice::Wrong(Violation::Step { thread, path: failure.path, error: failure.error, span: failure.span })
    });
    for choice in taken.chain(wrong) {
        if !choices[first..].contains(&choice) {
            choices.push(choice);
        }
    }
}

/// The states in which a program can start, or what goes wrong before.
fn starts(instance: &Instance) -> Result<Vec<State>, Violation> {
    let wanted = instance.program.compared_integers();
    let initial = instance.initial_stores_toward(&wanted);
    if let Some(&(fault, span)) = initial.faults.first() {
        return Err(Violation::Initial(fault, span));
    }
    let mut states = Vec::new();
    for shared in initial.stores.into_iter().take(MOST_STARTS) {
        let mut rows = vec![Vec::new()];
        for thread in (0..instance.threads.len() as u32).map(ThreadId) {
            let found = instance.starts_toward(thread, &shared, &wanted);
            if let Some(failure) = found.failures.first() {
                return Err(Violation::Start { thread, error: failure.error, span: failure.span });
            }
            let with =
                |row: &Vec<_>, local: &threadwise_ir::Store| row.iter().cloned().chain([local.clone()]).collect();
            let extended = rows.iter().flat_map(|row| found.successors.iter().map(move |s| with(row, &s.local)));
            rows = extended.take(MOST_STARTS).collect();
            rows.dedup();
        }
        states.extend(rows.into_iter().map(|locals| State { shared: shared.clone(), locals }));
    }
    states.truncate(MOST_STARTS);
    Ok(states)
}
