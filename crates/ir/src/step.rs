//! The steps of a thread: the one semantics.
//!
//! [`Instance::steps`] gives everything that a thread can do in a state: where its next step can
//! lead, and the errors it can run into. A step takes one edge and then runs on through transient
//! locations, so that an atomic block is one step from its start to its end.
//!
//! A local state is a stack of frames, the running one last. A frame is the routine's locals
//! followed by one word for the control: the location, or, while a call is under way,
//! `-1 - edge` for the call's edge.

use crate::access::Access;
use crate::choices::{Fixed, determined, for_each_choice, free_words, restricted};
use crate::eval::{Env, Words};
use crate::instance::{Instance, Store};
use crate::{
    AssertionKind, Command, EdgeId, Expr, Fault, Gap, LocalId, LocationId, NoValue, Op, Place, RoutineId, Sort,
    SortRef, ThreadId, Update, Value, VarRef,
};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::collections::VecDeque;
use threadwise_source::Span;

/// More states than this inside one atomic step are not visited.
const MAX_INNER_STATES: usize = 1 << 20;

/// The edges that a step takes.
pub type Path = SmallVec<[EdgeId; 1]>;

/// Where a step leads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Successor {
    /// The shared store after the step.
    pub shared: Store,
    /// The thread's local state after the step.
    pub local: Store,
    /// The edges taken.
    pub path: Path,
}

/// An error that a step runs into.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The edges taken; the last one is the one that fails.
    pub path: Path,
    /// What goes wrong.
    pub error: StepError,
    /// Where it goes wrong.
    pub span: Span,
    /// The shared store where it goes wrong: inside an atomic step not that of the state before.
    pub shared: Store,
    /// The local state where it goes wrong.
    pub local: Store,
}

/// What a step can do wrong.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum StepError {
    /// An assertion does not hold.
    Assertion,
    /// A lock is released by a thread that does not hold it.
    Release,
    /// The assertion of an action does not hold.
    ActionAssertion,
    /// Evaluation ran into an error.
    Fault(Fault),
}

/// Everything a thread can do in a state.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    /// Where its next step can lead; the same successor may occur several times.
    pub successors: Vec<Successor>,
    /// What its next step can do wrong.
    pub failures: Vec<Failure>,
    /// Why there may be more than that.
    pub gap: Option<Gap>,
    /// What variables under `norace` its possible next steps access.
    pub access: Access,
}

/// A state inside a step.
#[derive(Clone)]
struct Inner {
    shared: Vec<i64>,
    local: Vec<i64>,
    path: Path,
    access: Access,
}

/// The state that an edge is taken from. Most edges are blocked, so it is only copied for the others.
#[derive(Clone, Copy)]
struct Origin<'s> {
    shared: &'s [i64],
    local: &'s [i64],
    path: &'s [EdgeId],
    access: Access,
}

impl Inner {
    fn origin(&self) -> Origin<'_> {
        Origin { shared: &self.shared, local: &self.local, path: &self.path, access: self.access }
    }
}

impl Origin<'_> {
    /// The same state with the edge on its path.
    fn along(self, instance: &Instance, edge: EdgeId) -> Inner {
        let mut path = Path::from_slice(self.path);
        path.push(edge);
        let access = self.access.union(instance.access_of_edge(edge));
        Inner { shared: self.shared.to_vec(), local: self.local.to_vec(), path, access }
    }
}

impl Instance {
    /// Everything the thread can do next.
    pub fn steps(&self, thread: ThreadId, shared: &[i64], local: &[i64]) -> Steps {
        self.steps_toward(thread, shared, local, &[])
    }

    /// Everything the thread can do next. Where it may choose any integer, or among more values than are tried,
    /// those in `wanted` are among what is tried.
    pub fn steps_toward(&self, thread: ThreadId, shared: &[i64], local: &[i64], wanted: &[i64]) -> Steps {
        let mut run = Run::new(self, thread);
        run.wanted = wanted.iter().copied().collect::<std::collections::BTreeSet<i64>>().into_iter().collect();
        run.take_edges(Origin { shared, local, path: &[], access: Access::default() });
        run.run_on();
        run.steps
    }

    /// The local states a thread can start in; unobservable declarations at its start are done.
    /// They read no shared variables, so any shared store will do.
    pub fn starts(&self, thread: ThreadId, shared: &[i64]) -> Steps {
        self.starts_toward(thread, shared, &[])
    }

    /// The same, where `wanted` is among the integers that are tried where any may be chosen.
    pub fn starts_toward(&self, thread: ThreadId, shared: &[i64], wanted: &[i64]) -> Steps {
        let mut run = Run::new(self, thread);
        run.wanted = wanted.iter().copied().collect::<std::collections::BTreeSet<i64>>().into_iter().collect();
        let mut local = Vec::new();
        self.push_frame(self.body(thread), &mut local);
        run.arrive(Inner { shared: shared.to_vec(), local, path: Path::new(), access: Access::default() });
        run.run_on();
        run.steps
    }

    /// Gives the locals that are out of scope where control is their defaults.
    fn clear_dead_locals(&self, local: &mut [i64]) {
        let location = self.program.location(self.location_of(local));
        let start = local.len() - self.frame_words(location.routine);
        for &var in location.dead.iter() {
            let range = self.local_range(location.routine, var);
            let sort = &self.program.routine(location.routine).locals[var.index()].sort;
            self.write_default(sort, &mut local[start + range.start..start + range.end]);
        }
    }

    /// The local state with the locals that are out of scope where control is at their defaults.
    pub fn without_dead_locals(&self, local: &[i64]) -> Vec<i64> {
        let mut cleared = local.to_vec();
        self.clear_dead_locals(&mut cleared);
        cleared
    }

    /// The routine of the topmost frame, and where that frame starts.
    pub fn top_frame(&self, local: &[i64]) -> (RoutineId, usize) {
        let routine = self.program.location(self.location_of(local)).routine;
        (routine, local.len() - self.frame_words(routine))
    }

    /// Whether control in this local state is inside a step: in a transient location, or in a
    /// procedure called from one.
    fn is_inside_step(&self, local: &[i64]) -> bool {
        self.frames(local).any(|frame| match frame.control {
            Control::At(location) => self.program.location(location).transient,
            Control::Calling(edge) => self.program.location(self.program.edge(edge).from).transient,
        })
    }

    /// The frames of a local state, the running one first.
    pub fn frames<'a>(&'a self, local: &'a [i64]) -> impl Iterator<Item = Frame<'a>> {
        let mut rest = local;
        std::iter::from_fn(move || {
            let control = Control::of_word(*rest.last()?);
            let routine = match control {
                Control::At(location) => self.program.location(location).routine,
                Control::Calling(edge) => self.program.location(self.program.edge(edge).from).routine,
            };
            let (below, words) = rest.split_at(rest.len() - self.frame_words(routine));
            rest = below;
            Some(Frame { routine, control, words })
        })
    }
}

/// One frame of a local state.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Whose it is.
    pub routine: RoutineId,
    /// Where its control is.
    pub control: Control,
    /// Its words: the locals, then the control.
    pub words: &'a [i64],
}

/// Where the control of a frame is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Control {
    /// At a location.
    At(LocationId),
    /// In the call on this edge.
    Calling(EdgeId),
}

impl Control {
    /// The control that a word of a frame stands for.
    pub fn of_word(word: i64) -> Control {
        if word >= 0 { Control::At(LocationId(word as u32)) } else { Control::Calling(EdgeId((-1 - word) as u32)) }
    }

    /// The word that stands for this control.
    pub fn word(self) -> i64 {
        match self {
            Control::At(location) => i64::from(location.0),
            Control::Calling(edge) => -1 - i64::from(edge.0),
        }
    }
}

/// The computation of one call of [`Instance::steps`].
struct Run<'a> {
    instance: &'a Instance,
    self_tid: i64,
    wanted: Vec<i64>,
    steps: Steps,
    queue: VecDeque<Inner>,
    seen: FxHashSet<(Vec<i64>, Vec<i64>, Access)>,
}

impl<'a> Run<'a> {
    fn new(instance: &'a Instance, thread: ThreadId) -> Run<'a> {
        Run {
            instance,
            self_tid: i64::from(thread.0) + 1,
            wanted: Vec::new(),
            steps: Steps::default(),
            queue: VecDeque::new(),
            seen: FxHashSet::default(),
        }
    }

    /// Follows the states inside the step until each has left it.
    fn run_on(&mut self) {
        while let Some(inner) = self.queue.pop_front() {
            self.take_edges(inner.origin());
        }
    }

    fn take_edges(&mut self, from: Origin<'_>) {
        let instance = self.instance;
        for &edge in &instance.program.location(instance.location_of(from.local)).edges {
            if let Err(stop) = self.take_edge(edge, from) {
                self.stop(stop, from.along(instance, edge));
            }
        }
    }

    /// Control has arrived somewhere: either the step is over, or it runs on from there.
    fn arrive(&mut self, mut inner: Inner) {
        self.instance.clear_dead_locals(&mut inner.local);
        if !self.instance.is_inside_step(&inner.local) {
            self.steps.access = self.steps.access.union(inner.access);
            self.steps.successors.push(Successor {
                shared: inner.shared.into(),
                local: inner.local.into(),
                path: inner.path,
            });
        } else if self.seen.len() >= MAX_INNER_STATES {
            let span = self.instance.program.location(self.instance.location_of(&inner.local)).span;
            self.steps.gap.get_or_insert(Gap::TooMany(span));
        } else if self.seen.insert((inner.shared.clone(), inner.local.clone(), inner.access)) {
            self.queue.push_back(inner);
        }
    }

    fn stop(&mut self, stop: Stop, at: Inner) {
        let (error, span) = match stop {
            Stop::NoValue(NoValue::Gap(gap)) => {
                self.steps.gap.get_or_insert(gap);
                return;
            }
            Stop::NoValue(NoValue::Fault(fault, span)) => (StepError::Fault(fault), span),
            Stop::Error(error, span) => (error, span),
        };
        let (shared, local) = (at.shared.into(), at.local.into());
        self.steps.failures.push(Failure { path: at.path, error, span, shared, local });
    }

    fn env<'s>(&'s self, state: &'s Inner) -> Env<'s> {
        self.env_at(state.origin())
    }

    fn env_at<'s>(&'s self, state: Origin<'s>) -> Env<'s> {
        let (routine, start) = self.instance.top_frame(state.local);
        Env::of_thread(self.instance, routine, self.self_tid, state.shared, &state.local[start..])
    }

    fn take_edge(&mut self, id: EdgeId, from: Origin<'_>) -> Result<(), Stop> {
        let instance = self.instance;
        let edge = instance.program.edge(id);
        match &edge.op {
            Op::Command(command) => match self.is_enabled(command, from, edge.span)? {
                true => self.update(&command.update, edge.to, from.along(instance, id), edge.span),
                false => Ok(()),
            },
            Op::Call { routine, args, .. } => self.call(id, *routine, args, from.along(instance, id)),
            Op::Return(value) => self.return_from(value.as_deref(), from.along(instance, id)),
        }
    }

    /// Whether the guard holds; the assertions, which come first, have to.
    fn is_enabled(&self, command: &Command, from: Origin<'_>, span: Span) -> Result<bool, Stop> {
        for assertion in &command.assertions {
            if !self.env_at(from).holds(&assertion.condition)? {
                let error = match assertion.kind {
                    AssertionKind::Assert => StepError::Assertion,
                    AssertionKind::Release => StepError::Release,
                };
                return Err(Stop::Error(error, span));
            }
        }
        match &command.guard {
            Some(guard) => Ok(self.env_at(from).holds(guard)?),
            None => Ok(true),
        }
    }

    fn update(&mut self, update: &Update, to: LocationId, mut state: Inner, span: Span) -> Result<(), Stop> {
        match update {
            Update::Assign(assignments) => {
                let choices = self.assign(assignments, &mut state)?;
                set_location(&mut state.local, to);
                self.arrive_with_choices(choices, state, span)
            }
            Update::Action { frame, formula, assertion } => {
                self.action(frame, formula, assertion.as_deref(), to, state, span)
            }
        }
    }

    /// Stores the determined right-hand sides; returns the places that may get any value.
    fn assign(&self, assignments: &[(Place, Value)], state: &mut Inner) -> Result<Vec<(Target, SortRef)>, Stop> {
        let mut stores: SmallVec<[(Target, Words); 2]> = SmallVec::new();
        let mut choices = Vec::new();
        for (place, value) in assignments {
            let mut env = self.env(state);
            match value {
                Value::Of(e) => {
                    let words = env.words(e)?;
                    let target = env.target(place)?;
                    self.check_range(&place.sort, &words, e.span)?;
                    stores.push((target, words));
                }
                Value::Any => choices.push((env.target(place)?, place.sort)),
            }
        }
        for (target, words) in &stores {
            self.slice_mut(state, target.var, target.offset, words.len()).copy_from_slice(words);
        }
        Ok(choices)
    }

    fn check_range(&self, sort: &Sort, words: &[i64], span: Span) -> Result<(), Stop> {
        let fits = match sort {
            Sort::Set(_) | Sort::Array(..) => true,
            scalar => self.instance.contains(scalar, words[0]),
        };
        if fits { Ok(()) } else { Err(NoValue::Fault(Fault::Range, span).into()) }
    }

    fn slice_mut<'s>(&self, state: &'s mut Inner, var: VarRef, offset: usize, len: usize) -> &'s mut [i64] {
        let words = match var {
            VarRef::Shared(_) => &mut state.shared[..],
            VarRef::Local(_) => {
                let start = self.instance.top_frame(&state.local).1;
                &mut state.local[start..]
            }
        };
        &mut words[offset..offset + len]
    }

    fn arrive_with_choices(&mut self, choices: Vec<(Target, SortRef)>, state: Inner, span: Span) -> Result<(), Stop> {
        if choices.is_empty() {
            self.arrive(state);
            return Ok(());
        }
        let layout = Joined::new(self.instance, &state);
        let mut free = Vec::new();
        for (target, sort) in &choices {
            free_words(self.instance, sort, layout.index(target.var, target.offset), &self.wanted, &mut free);
        }
        let mut words = layout.words(&state);
        let free = restricted(free, &self.wanted);
        let gap = for_each_choice(&free, &mut words, span, &mut |words| {
            self.arrive(layout.split(words, &state));
            Ok(())
        })?;
        self.steps.gap = self.steps.gap.or(gap);
        Ok(())
    }

    fn action(
        &mut self,
        frame: &[VarRef],
        formula: &Expr,
        assertion: Option<&Expr>,
        to: LocationId,
        state: Inner,
        span: Span,
    ) -> Result<(), Stop> {
        let (routine, start) = self.instance.top_frame(&state.local);
        let layout = Joined::new(self.instance, &state);
        let mut words = layout.words(&state);
        let mut fixed = Fixed::new();
        // What goes wrong here need not go wrong in the formula, which is evaluated from left to
        // right and only as far as needed; if it does, it will be met again below.
        if let Ok(false) = determined(&mut self.env(&state), formula, &mut fixed) {
            return Ok(());
        }
        let mut free = Vec::new();
        for &var in frame {
            let sort = self.instance.sort_of(routine, var);
            let start = layout.index(var, self.instance.offset(routine, var));
            free_words(self.instance, sort, start, &self.wanted, &mut free);
        }
        for (var, offset, value) in fixed {
            let index = layout.index(var, offset);
            if free.iter().any(|word| word.index == index) {
                free.retain(|word| word.index != index);
                words[index] = value;
            }
        }
        if !self.frame_in_range(frame, routine, &layout, &words) {
            return Ok(());
        }
        let mut outcomes = Vec::new();
        let free = restricted(free, &self.wanted);
        let gap = for_each_choice(&free, &mut words, span, &mut |words| {
            let after = layout.split(words, &state);
            let mut env = self.env(&state).with_after(&after.shared, &after.local[start..]);
            if env.holds(formula)? {
                let goes_wrong = match assertion {
                    Some(assertion) => !env.holds(assertion)?,
                    None => false,
                };
                outcomes.push((after, goes_wrong));
            }
            Ok(())
        })?;
        self.steps.gap = self.steps.gap.or(gap);
        for (mut after, goes_wrong) in outcomes {
            if goes_wrong {
                self.stop(Stop::Error(StepError::ActionAssertion, span), state.clone());
            } else {
                set_location(&mut after.local, to);
                self.arrive(after);
            }
        }
        Ok(())
    }

    /// Whether the words that an equation determined are values of the frame variables' sorts.
    fn frame_in_range(&self, frame: &[VarRef], routine: RoutineId, layout: &Joined, words: &[i64]) -> bool {
        frame.iter().all(|&var| {
            let sort = self.instance.sort_of(routine, var);
            let start = layout.index(var, self.instance.offset(routine, var));
            self.instance.well_formed(sort, &words[start..start + self.instance.words(sort)])
        })
    }

    fn call(&mut self, id: EdgeId, routine: RoutineId, args: &[Expr], mut state: Inner) -> Result<(), Stop> {
        let mut values: SmallVec<[Words; 4]> = SmallVec::new();
        for (index, arg) in args.iter().enumerate() {
            let words = self.env(&state).words(arg)?;
            let sort = &self.instance.program.routine(routine).locals[index].sort;
            self.check_range(sort, &words, arg.span)?;
            values.push(words);
        }
        *state.local.last_mut().expect("a frame has a control word") = Control::Calling(id).word();
        let start = state.local.len();
        self.instance.push_frame(routine, &mut state.local);
        for (index, words) in values.iter().enumerate() {
            let range = self.instance.local_range(routine, LocalId(index as u32));
            state.local[start + range.start..start + range.end].copy_from_slice(words);
        }
        self.arrive(state);
        Ok(())
    }

    fn return_from(&mut self, value: Option<&Expr>, mut state: Inner) -> Result<(), Stop> {
        let program = self.instance.program.clone();
        let (routine, start) = self.instance.top_frame(&state.local);
        let result = program.routine(routine).result;
        let words = match (value, result) {
            (Some(e), Some(result)) => {
                let words = self.env(&state).words(e)?;
                self.check_range(&program.routine(routine).locals[result.index()].sort, &words, e.span)?;
                Some(words)
            }
            (None, Some(result)) => {
                let range = self.instance.local_range(routine, result);
                Some(Words::from_slice(&state.local[start + range.start..start + range.end]))
            }
            (_, None) => None,
        };
        state.local.truncate(start);
        let Some(Control::Calling(call)) = state.local.last().map(|&word| Control::of_word(word)) else {
            unreachable!("front ends end threads without a return")
        };
        let edge = program.edge(call);
        set_location(&mut state.local, edge.to);
        state.access = state.access.union(self.instance.access_of_result(call));
        if let (Op::Call { result: Some(place), .. }, Some(words)) = (&edge.op, words) {
            let target = self.env(&state).target(place)?;
            self.check_range(&place.sort, &words, edge.span)?;
            self.slice_mut(&mut state, target.var, target.offset, words.len()).copy_from_slice(&words);
        }
        self.arrive(state);
        Ok(())
    }
}

fn set_location(local: &mut [i64], to: LocationId) {
    *local.last_mut().expect("a frame has a control word") = Control::At(to).word();
}

/// Why an edge cannot be followed to its end.
enum Stop {
    NoValue(NoValue),
    Error(StepError, Span),
}

impl From<NoValue> for Stop {
    fn from(value: NoValue) -> Stop {
        Stop::NoValue(value)
    }
}

/// A place with its indices evaluated.
struct Target {
    var: VarRef,
    offset: usize,
}

impl Env<'_> {
    fn target(&mut self, place: &Place) -> Result<Target, NoValue> {
        let mut offset = self.instance.offset(self.routine, place.var);
        let mut sort = self.instance.sort_of(self.routine, place.var);
        for index in &place.indices {
            let Sort::Array(key, element) = sort else { unreachable!("only arrays are indexed") };
            let value = self.scalar(index)?;
            let rank = self.instance.rank(key, value).ok_or(NoValue::Fault(Fault::Index, index.span))?;
            offset += rank * self.instance.words(element);
            sort = element;
        }
        Ok(Target { var: place.var, offset })
    }
}

/// The shared store and the topmost frame as one run of words, to choose values in both at once.
struct Joined {
    shared: usize,
    frame: usize,
}

impl Joined {
    fn new(instance: &Instance, state: &Inner) -> Joined {
        Joined { shared: state.shared.len(), frame: instance.top_frame(&state.local).1 }
    }

    fn index(&self, var: VarRef, offset: usize) -> usize {
        match var {
            VarRef::Shared(_) => offset,
            VarRef::Local(_) => self.shared + offset,
        }
    }

    fn words(&self, state: &Inner) -> Vec<i64> {
        [&state.shared[..], &state.local[self.frame..]].concat()
    }

    fn split(&self, words: &[i64], state: &Inner) -> Inner {
        let mut next = state.clone();
        next.shared.copy_from_slice(&words[..self.shared]);
        next.local[self.frame..].copy_from_slice(&words[self.shared..]);
        next
    }
}
