//! The states of an instance, written as the naive interpreter writes them.

use std::collections::{BTreeMap, BTreeSet};
use threadwise_ir::{
    Broken, Control, Fault, Instance, LocalId, Observations, SharedId, Sort, State, StepError, Steps, ThreadId, Wording,
};
use threadwise_oracle::ErrorKind;

/// The reachable states by their texts; nothing where the semantics cannot list them.
pub fn states(instance: &Instance, initial: &[State], max_states: usize) -> Option<BTreeMap<String, State>> {
    let mut seen = BTreeMap::new();
    let mut pending = initial.to_vec();
    while let Some(state) = pending.pop() {
        let text = text_of_state(instance, &state);
        if seen.contains_key(&text) {
            continue;
        }
        for thread in threads(instance) {
            pending.extend(successors(&state, thread, &complete(state.steps(instance, thread))?));
        }
        seen.insert(text, state);
        if seen.len() > max_states {
            return None;
        }
    }
    Some(seen)
}

/// The states in which the program can start, and what goes wrong before.
pub fn initial(instance: &Instance) -> Option<(Vec<State>, BTreeSet<ErrorKind>)> {
    let stores = instance.initial_stores();
    let mut errors: BTreeSet<ErrorKind> = stores.faults.iter().map(|(fault, _)| kind_of_fault(*fault)).collect();
    let mut states = Vec::new();
    for shared in stores.stores {
        let mut started = vec![State { shared: shared.clone(), locals: Vec::new() }];
        for thread in threads(instance) {
            let starts = complete(instance.starts(thread, &shared))?;
            errors.extend(kinds(&starts));
            let add = |state: &State| {
                let with = |local| State { locals: [&state.locals[..], &[local]].concat(), ..state.clone() };
                starts.successors.iter().map(|start| with(start.local.clone())).collect::<Vec<_>>()
            };
            started = started.iter().flat_map(add).collect();
        }
        states.extend(started);
    }
    (stores.gap.is_none()).then_some((states, errors))
}

pub fn threads(instance: &Instance) -> impl Iterator<Item = ThreadId> + use<> {
    (0..instance.threads.len() as u32).map(ThreadId)
}

/// The steps, if they are all that there are.
pub fn complete(steps: Steps) -> Option<Steps> {
    steps.gap.is_none().then_some(steps)
}

pub fn successors(state: &State, thread: ThreadId, steps: &Steps) -> Vec<State> {
    let after = |successor: &threadwise_ir::Successor| {
        let mut next = State { shared: successor.shared.clone(), locals: state.locals.clone() };
        next.locals[thread.index()] = successor.local.clone();
        next
    };
    steps.successors.iter().map(after).collect()
}

pub fn kinds(steps: &Steps) -> BTreeSet<ErrorKind> {
    let kind = |error| match error {
        StepError::Assertion => ErrorKind::Assertion,
        StepError::Release => ErrorKind::Release,
        StepError::Start => ErrorKind::Start,
        StepError::Join => ErrorKind::Join,
        StepError::Memory | StepError::Arithmetic | StepError::Lock | StepError::Exception | StepError::Beyond => {
            unreachable!("programs in .tw have no memory")
        }
        StepError::ActionAssertion => ErrorKind::ActionAssertion,
        StepError::Fault(fault) => kind_of_fault(fault),
    };
    steps.failures.iter().map(|failure| kind(failure.error)).collect()
}

fn kind_of_fault(fault: Fault) -> ErrorKind {
    match fault {
        Fault::Range => ErrorKind::Range,
        Fault::Index => ErrorKind::Index,
        Fault::Division => ErrorKind::Division,
        Fault::Shift => ErrorKind::Shift,
    }
}

/// What is wrong in a state by itself.
pub fn property_errors(instance: &Instance, state: &State) -> BTreeSet<ErrorKind> {
    let mut nothing = |_: ThreadId| Observations::default();
    let broken = instance.broken_properties(&state.shared, &state.locals, &mut nothing);
    let kind = |broken: &Broken| match broken {
        Broken::Fault(_, fault, _) => kind_of_fault(*fault),
        Broken::Property(id) => match &instance.program.properties[id.index()].wording {
            Wording::Invariant(_) => ErrorKind::Invariant,
            Wording::Never(_) => ErrorKind::Never,
            Wording::NoRace(_) => ErrorKind::Race,
            Wording::NoDeadlock => ErrorKind::Deadlock,
            Wording::NoLockCycle => ErrorKind::LockCycle,
        },
    };
    broken.iter().map(kind).collect()
}

pub fn text_of_state(instance: &Instance, state: &State) -> String {
    let program = &instance.program;
    let own = program.shared.iter().enumerate().filter(|(_, var)| !tells_of_starts(instance, &var.name));
    let shared = own.map(|(index, var)| {
        let words = &state.shared[instance.shared_range(SharedId(index as u32))];
        format!("{}={}", var.name, show(instance, &var.sort, words))
    });
    let mut text: Vec<String> = shared.collect();
    text.sort_by(|a, b| a.split('=').next().cmp(&b.split('=').next()));
    for (thread, local) in threads(instance).zip(&state.locals) {
        text.push("|".to_string());
        text.extend(text_of_life(instance, &state.shared, thread));
        let mut frames: Vec<String> = instance.frames(local).map(|frame| text_of_frame(instance, &frame)).collect();
        frames.reverse();
        text.extend(frames);
    }
    text.join(" ")
}

/// Whether a variable is one of those that the start of threads is lowered to.
fn tells_of_starts(instance: &Instance, name: &str) -> bool {
    let is_argument = |owner: &str| instance.program.templates.iter().any(|template| *template.name == *owner);
    name.split_once('.').is_some_and(|(owner, _)| owner == "thread" || is_argument(owner))
}

/// How far a thread is, and the arguments that it has not taken yet; nothing where no thread is started.
fn text_of_life(instance: &Instance, shared: &[i64], thread: ThreadId) -> Option<String> {
    let program = &instance.program;
    let tid = thread.index() + 1;
    let element = |index: usize| {
        let Sort::Array(_, element) = &program.shared[index].sort else { panic!("an array over threads") };
        let size = instance.words(element);
        let words = &shared[instance.shared_range(SharedId(index as u32))];
        show(instance, element, &words[tid * size..(tid + 1) * size])
    };
    let status = program.shared.iter().position(|var| &*var.name == "thread.status")?;
    let prefix = format!("{}.", program.template(instance.threads[thread.index()].template).name);
    let own = (0..program.shared.len()).filter(|&index| program.shared[index].name.starts_with(&prefix));
    Some(format!("{}[{}]", element(status), own.map(element).collect::<Vec<_>>().join(",")))
}

fn text_of_frame(instance: &Instance, frame: &threadwise_ir::Frame<'_>) -> String {
    let program = &instance.program;
    let routine = program.routine(frame.routine);
    let location = match frame.control {
        Control::At(location) => location,
        Control::Calling(edge) => program.edge(edge).from,
    };
    let mut labels: Vec<&str> = program.location(location).labels.iter().map(|label| &**label).collect();
    labels.sort();
    let local = |(index, var): (usize, &threadwise_ir::LocalVar)| {
        let words = &frame.words[instance.local_range(frame.routine, LocalId(index as u32))];
        (var.name.to_string(), show(instance, &var.sort, words))
    };
    let mut locals: Vec<(String, String)> = routine.locals.iter().enumerate().map(local).collect();
    locals.sort();
    let locals: Vec<String> = locals.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    format!("{}@{}{{{}}}", routine.name, labels.join("+"), locals.join(","))
}

fn show(instance: &Instance, sort: &Sort, words: &[i64]) -> String {
    let sorted = |mut parts: Vec<String>| {
        parts.sort();
        parts.join(",")
    };
    let value = |sort: &Sort, rank: usize| show(instance, sort, &[instance.unrank(sort, rank)]);
    match sort {
        Sort::Bool => (words[0] != 0).to_string(),
        Sort::Int | Sort::Range(..) | Sort::Tid => words[0].to_string(),
        Sort::Bits(bits) if !bits.signed => (words[0] as u64).to_string(),
        Sort::Bits(_) => words[0].to_string(),
        Sort::Enum(id) => instance.program.enums[id.index()].members[words[0] as usize].to_string(),
        Sort::Set(element) => {
            let is_in = |rank: &usize| words[rank / 64] >> (rank % 64) & 1 == 1;
            let elements = (0..instance.count(element)).filter(is_in).map(|rank| value(element, rank));
            format!("{{{}}}", sorted(elements.collect()))
        }
        Sort::Array(key, element) => {
            let size = instance.words(element);
            let part = |rank: usize| {
                format!("{}:{}", value(key, rank), show(instance, element, &words[rank * size..(rank + 1) * size]))
            };
            format!("[{}]", sorted((0..instance.count(key)).map(part).collect()))
        }
    }
}
