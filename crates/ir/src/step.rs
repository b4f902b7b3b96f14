//! The steps of a thread: the one semantics.
//!
//! [`Instance::steps`] gives everything that a thread can do in a state: where its next step can
//! lead, and the errors it can run into. A step takes one edge and then runs on through transient
//! locations, so that an atomic block is one step from its start to its end.
//!
//! A local state is a stack of frames, the running one last. A frame is the routine's locals
//! followed by one word for the control: the location, or, while a call is under way,
//! `-1 - edge` for the call's edge.

use crate::choices::{FreeWord, for_each_choice, free_words, restricted};
use crate::eval::{Env, OpenWords, Words};
use crate::inner::{Inner, Origin};
use crate::instance::{Instance, Store};
use crate::observe::Observations;
use crate::outcomes::{Accepted, Rest, Scene, in_order, outcomes};
use crate::patience::may_go_on;
use crate::scene::{After, Before, Joined};
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
    /// More threads are started than there are copies.
    Start,
    /// Something is joined that cannot be started.
    Join,
    /// Memory is accessed or freed that must not be.
    Memory,
    /// A signed number overflows, a divisor is zero, a shift is too wide.
    Arithmetic,
    /// A lock is used in a way that its library does not allow.
    Lock,
    /// An exception is thrown that nobody catches.
    Exception,
    /// The program leaves what the lowering of its language covers. Only formulas speak of it as an error.
    Beyond,
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
    /// What its possible next steps show to the patterns of properties.
    pub shown: Observations,
    /// The edges on ways through the step that come to where another way has been: these are not told of one by one.
    pub joining: Vec<EdgeId>,
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
        let (shown, opened_at) = (Observations::none(), Span::default());
        run.take_edges(Origin { shared, local, path: &[], shown, open: &[], opened_at });
        run.run_on();
        self.observe_waiting(thread, shared, local, &mut run.steps);
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
        let (path, shown, opened_at) = (Path::new(), Observations::default(), Span::default());
        run.arrive(Inner { shared: shared.to_vec(), local, path, shown, open: Vec::new(), opened_at });
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

/// A state inside a step that has been visited: its stores, what has been shown, and the open words.
type Seen = (Vec<i64>, Vec<i64>, Observations, Vec<usize>);

/// The computation of one call of [`Instance::steps`].
struct Run<'a> {
    instance: &'a Instance,
    self_tid: i64,
    wanted: Vec<i64>,
    steps: Steps,
    queue: VecDeque<Inner>,
    seen: FxHashSet<Seen>,
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
            if !may_go_on() {
                let span = self.instance.program.location(self.instance.location_of(&inner.local)).span;
                self.steps.gap = Some(Gap::Interrupted(span));
                return;
            }
            self.take_edges(inner.origin());
        }
    }

    fn take_edges(&mut self, from: Origin<'_>) {
        let instance = self.instance;
        for &edge in &instance.program.location(instance.location_of(from.local)).edges {
            self.with_choices(edge, from, &|run, from| run.take_edge(edge, from));
        }
    }

    /// Does something along an edge. Where that needs a word that is open, it is done once for each value of the word.
    fn with_choices(
        &mut self,
        edge: EdgeId,
        from: Origin<'_>,
        act: &dyn Fn(&mut Self, Origin<'_>) -> Result<(), Stop>,
    ) {
        match act(self, from) {
            Ok(()) => {}
            Err(Stop::Needs(index)) => {
                let (word, mut chosen) = from.without(index);
                let mut words = chosen.words();
                let gap = for_each_choice(std::slice::from_ref(&word), &mut words, from.opened_at, &mut |words| {
                    chosen.set(words);
                    self.with_choices(edge, chosen.origin(), act);
                    Ok(())
                });
                self.steps.gap = self.steps.gap.or(gap.unwrap_or_default());
            }
            Err(stop) => self.stop(stop, from.along(self.instance, edge)),
        }
    }

    /// Control has arrived somewhere: either the step is over, or it runs on from there.
    fn arrive(&mut self, mut inner: Inner) {
        self.instance.clear_dead_locals(&mut inner.local);
        self.close_dead_words(&mut inner);
        let span = || self.instance.program.location(self.instance.location_of(&inner.local)).span;
        if !self.instance.is_inside_step(&inner.local) {
            self.leave(inner);
        } else if self.seen.len() >= MAX_INNER_STATES {
            self.steps.gap.get_or_insert(Gap::TooMany(span()));
        } else {
            let open = inner.open.iter().map(|word| word.index).collect();
            if self.seen.insert((inner.shared.clone(), inner.local.clone(), inner.shown.clone(), open)) {
                self.queue.push_back(inner);
            } else {
                self.steps.joining.extend(inner.path);
            }
        }
    }

    /// Words that are out of scope have their defaults.
    fn close_dead_words(&self, inner: &mut Inner) {
        if inner.open.is_empty() {
            return;
        }
        let location = self.instance.program.location(self.instance.location_of(&inner.local));
        let start = inner.shared.len() + self.instance.top_frame(&inner.local).1;
        for &var in location.dead.iter() {
            let range = self.instance.local_range(location.routine, var);
            inner.close(start + range.start..start + range.end);
        }
    }

    /// The step is over, with every value of the words that are still open.
    fn leave(&mut self, mut inner: Inner) {
        self.steps.shown.add_all(&inner.shown);
        let open = std::mem::take(&mut inner.open);
        if open.is_empty() {
            let (shared, local) = (inner.shared.into(), inner.local.into());
            return self.steps.successors.push(Successor { shared, local, path: inner.path });
        }
        let (span, mut words) = (inner.opened_at, inner.words());
        let gap = for_each_choice(&open, &mut words, span, &mut |words| {
            if self.steps.successors.len() >= MAX_INNER_STATES {
                self.steps.gap.get_or_insert(Gap::TooMany(span));
            } else {
                inner.set(words);
                let (shared, local) = (inner.shared[..].into(), inner.local[..].into());
                self.steps.successors.push(Successor { shared, local, path: inner.path.clone() });
            }
            Ok(())
        });
        self.steps.gap = self.steps.gap.or(gap.unwrap_or_default());
    }

    fn stop(&mut self, stop: Stop, at: Inner) {
        let (error, span) = match stop {
            Stop::NoValue(NoValue::Gap(gap)) => {
                self.steps.gap.get_or_insert(gap);
                return;
            }
            Stop::Needs(_) => unreachable!("whoever takes an edge chooses a value for what it needs"),
            Stop::NoValue(NoValue::Fault(fault, span)) => (StepError::Fault(fault), span),
            Stop::Error(error, span) => (error, span),
        };
        let (shared, local) = (at.shared.into(), at.local.into());
        self.steps.failures.push(Failure { path: at.path, error, span, shared, local });
    }

    /// Evaluates something in a state, of which some words may be open.
    fn evaluate<T>(&self, state: Origin<'_>, what: impl FnOnce(&mut Env<'_>) -> Result<T, NoValue>) -> Result<T, Stop> {
        let is_open = state.is_open();
        let (routine, start) = self.instance.top_frame(state.local);
        let mut env = Env::of_thread(self.instance, routine, self.self_tid, state.shared, &state.local[start..]);
        if !is_open.is_empty() {
            env = env.with_open(OpenWords { is_open: &is_open, between: start, after: false });
        }
        what(&mut env).map_err(|no_value| env.needed().map_or(Stop::NoValue(no_value), Stop::Needs))
    }

    fn take_edge(&mut self, id: EdgeId, from: Origin<'_>) -> Result<(), Stop> {
        let instance = self.instance;
        let edge = instance.program.edge(id);
        match &edge.op {
            Op::Command(command) => self.command(command, id, from),
            Op::Call { routine, args, .. } => self.call(id, *routine, args, self.along(from, id)?),
            Op::Return(value) => self.return_from(value.as_deref(), self.along(from, id)?),
        }
    }

    fn command(&mut self, command: &Command, id: EdgeId, from: Origin<'_>) -> Result<(), Stop> {
        let edge = self.instance.program.edge(id);
        self.look_at_assertions(command, from, edge.span)?;
        match &command.guard {
            Some(guard) if !from.open.is_empty() => self.pass(guard, command, id, from),
            Some(guard) if !self.evaluate(from, |env| env.holds(guard))? => Ok(()),
            Some(_) | None => self.update(&command.update, edge.to, self.along(from, id)?, edge.span),
        }
    }

    /// The same state with the edge on its path, and with what the edge shows.
    fn along(&self, from: Origin<'_>, id: EdgeId) -> Result<Inner, Stop> {
        let mut next = from.along(self.instance, id);
        if self.instance.shows_elements(id) {
            let touched = self.evaluate(from, |env| env.touched_by(&self.instance.program.edge(id).op))?;
            self.instance.observe(&touched, self.instance.program.edge(id).atomic, &mut next.shown);
        }
        Ok(next)
    }

    /// Goes on with those values of open words for which a guard holds.
    fn pass(&mut self, guard: &Expr, command: &Command, id: EdgeId, from: Origin<'_>) -> Result<(), Stop> {
        let (instance, edge) = (self.instance, self.instance.program.edge(id));
        let mut passed = from.to_inner();
        let scene = Before { instance, self_tid: self.self_tid, state: from };
        let found = outcomes(instance, &scene, guard, from.open, passed.words(), Rest::Open, from.opened_at);
        self.steps.gap = self.steps.gap.or(found.gap);
        if let Some((words, no_value)) = found.wrong {
            passed.set(&words);
            self.stop(no_value.into(), passed.origin().along(instance, id));
        }
        for accepted in found.accepted {
            passed.set(&accepted.words);
            let is_open = |word: &&FreeWord| accepted.is_open.get(word.index).copied().unwrap_or(false);
            passed.open = from.open.iter().filter(is_open).cloned().collect();
            self.with_choices(id, passed.origin(), &|run, from| {
                run.update(&command.update, edge.to, run.along(from, id)?, edge.span)
            });
        }
        Ok(())
    }

    /// The assertions come first, and have to hold.
    fn look_at_assertions(&self, command: &Command, from: Origin<'_>, span: Span) -> Result<(), Stop> {
        for assertion in &command.assertions {
            if !self.evaluate(from, |env| env.holds(&assertion.condition))? {
                let error = match assertion.kind {
                    AssertionKind::Assert => StepError::Assertion,
                    AssertionKind::Release => StepError::Release,
                    AssertionKind::Start => StepError::Start,
                    AssertionKind::Join => StepError::Join,
                    AssertionKind::Memory => StepError::Memory,
                    AssertionKind::Arithmetic => StepError::Arithmetic,
                    AssertionKind::Lock => StepError::Lock,
                    AssertionKind::Exception => StepError::Exception,
                    AssertionKind::Beyond => return Err(NoValue::Gap(Gap::Beyond(span)).into()),
                };
                return Err(Stop::Error(error, span));
            }
        }
        Ok(())
    }

    fn update(&mut self, update: &Update, to: LocationId, mut state: Inner, span: Span) -> Result<(), Stop> {
        match update {
            Update::Assign(assignments) => {
                self.assign(assignments, &mut state, span)?;
                set_location(&mut state.local, to);
                self.arrive(state);
                Ok(())
            }
            Update::Action { frame, formula, assertion } => {
                self.action(frame, formula, assertion.as_deref(), to, state, span)
            }
        }
    }

    /// Evaluates all right-hand sides and places, then stores from left to right: where places coincide, the last one counts.
    fn assign(&self, assignments: &[(Place, Value)], state: &mut Inner, span: Span) -> Result<(), Stop> {
        let mut stores: SmallVec<[(Target, Option<Words>, SortRef); 2]> = SmallVec::new();
        for (place, value) in assignments {
            match value {
                Value::Of(e) => {
                    let (words, target) =
                        self.evaluate(state.origin(), |env| Ok((env.words(e)?, env.target(place)?)))?;
                    self.check_range(&place.sort, &words, e.span)?;
                    stores.push((target, Some(words), place.sort));
                }
                Value::Any => {
                    let target = self.evaluate(state.origin(), |env| env.target(place))?;
                    stores.push((target, None, place.sort));
                }
            }
        }
        for (target, words, sort) in &stores {
            match words {
                Some(words) => self.store(state, target, words),
                None => self.open(state, target, sort, span),
            }
        }
        Ok(())
    }

    fn check_range(&self, sort: &Sort, words: &[i64], span: Span) -> Result<(), Stop> {
        let fits = match sort {
            Sort::Set(_) | Sort::Array(..) => true,
            scalar => self.instance.contains(scalar, words[0]),
        };
        if fits { Ok(()) } else { Err(NoValue::Fault(Fault::Range, span).into()) }
    }

    fn store(&self, state: &mut Inner, target: &Target, words: &[i64]) {
        let start = self.start(state, target);
        let (store, before) = match target.var {
            VarRef::Shared(_) => (&mut state.shared, 0),
            VarRef::Local(_) => (&mut state.local, state.shared.len()),
        };
        store[start..start + words.len()].copy_from_slice(words);
        if !state.open.is_empty() {
            let before = before + start;
            state.close(before..before + words.len());
        }
    }

    /// Where a place starts in its store.
    fn start(&self, state: &Inner, target: &Target) -> usize {
        match target.var {
            VarRef::Shared(_) => target.offset,
            VarRef::Local(_) => self.instance.top_frame(&state.local).1 + target.offset,
        }
    }

    /// A place that may get any value stays open as long as nothing looks at it.
    fn open(&self, state: &mut Inner, target: &Target, sort: &Sort, span: Span) {
        let before = if matches!(target.var, VarRef::Shared(_)) { 0 } else { state.shared.len() };
        let start = before + self.start(state, target);
        state.close(start..start + self.instance.words(sort));
        let mut free = Vec::new();
        free_words(self.instance, sort, start, &self.wanted, &mut free);
        let free = restricted(free, &self.wanted);
        // The same value stands wherever the choice is open, so that equal states are equal.
        let mut words = state.words();
        free.iter().for_each(|word| words[word.index] = word.first());
        state.set(&words);
        state.open.extend(free);
        state.opened_at = span;
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
        if let Some(word) = state.open.first() {
            return Err(Stop::Needs(word.index));
        }
        let routine = self.instance.top_frame(&state.local).0;
        let layout = Joined::new(self.instance, &state);
        let mut free = Vec::new();
        for &var in frame {
            let sort = self.instance.sort_of(routine, var);
            let start = layout.index(var, self.instance.offset(routine, var));
            free_words(self.instance, sort, start, &self.wanted, &mut free);
        }
        let free = restricted(free, &self.wanted);
        let scene = After { instance: self.instance, self_tid: self.self_tid, state: &state };
        let found = outcomes(self.instance, &scene, formula, &free, layout.words(&state), Rest::Chosen, span);
        let mut results = Vec::with_capacity(found.accepted.len());
        for Accepted { words, .. } in &found.accepted {
            if found.wrong.as_ref().is_some_and(|(wrong, _)| in_order(&free, wrong, words).is_lt()) {
                break;
            }
            let goes_wrong = match assertion {
                Some(assertion) => !scene.env(words, &[]).holds(assertion)?,
                None => false,
            };
            results.push((layout.split(words, &state), goes_wrong));
        }
        if let Some((_, no_value)) = found.wrong {
            return Err(no_value.into());
        }
        self.steps.gap = self.steps.gap.or(found.gap);
        for (mut after, goes_wrong) in results {
            if goes_wrong {
                self.stop(Stop::Error(StepError::ActionAssertion, span), state.clone());
            } else {
                set_location(&mut after.local, to);
                self.arrive(after);
            }
        }
        Ok(())
    }

    fn call(&mut self, id: EdgeId, routine: RoutineId, args: &[Expr], mut state: Inner) -> Result<(), Stop> {
        let mut values: SmallVec<[Words; 4]> = SmallVec::new();
        for (index, arg) in args.iter().enumerate() {
            let words = self.evaluate(state.origin(), |env| env.words(arg))?;
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
                let words = self.evaluate(state.origin(), |env| env.words(e))?;
                self.check_range(&program.routine(routine).locals[result.index()].sort, &words, e.span)?;
                Some(words)
            }
            (None, Some(result)) => {
                let range = self.instance.local_range(routine, result);
                let range = start + range.start..start + range.end;
                let words = state.shared.len() + range.start..state.shared.len() + range.end;
                if let Some(word) = state.open.iter().find(|word| words.contains(&word.index)) {
                    return Err(Stop::Needs(word.index));
                }
                Some(Words::from_slice(&state.local[range]))
            }
            (_, None) => None,
        };
        state.truncate(start);
        let Some(Control::Calling(call)) = state.local.last().map(|&word| Control::of_word(word)) else {
            unreachable!("front ends end threads without a return")
        };
        let edge = program.edge(call);
        set_location(&mut state.local, edge.to);
        state.shown.add_all(self.instance.shown_by_result(call));
        if let (Op::Call { result: Some(place), .. }, Some(words)) = (&edge.op, words) {
            let target = self.evaluate(state.origin(), |env| env.target(place))?;
            self.check_range(&place.sort, &words, edge.span)?;
            if self.instance.shows_elements(call) {
                let touched = self.evaluate(state.origin(), |env| env.touched_by_store(place))?;
                self.instance.observe(&touched, edge.atomic, &mut state.shown);
            }
            self.store(&mut state, &target, &words);
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
    /// The value of this open word is needed.
    Needs(usize),
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
            let rank = self.instance.key_rank(key, value, index.span)?;
            offset += rank * self.instance.words(element);
            sort = element;
        }
        Ok(Target { var: place.var, offset })
    }
}
