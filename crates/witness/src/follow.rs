//! A violation witness of anybody's, followed to an execution that goes wrong.
//!
//! States are searched together with how many segments have been passed, those first that have passed the most, and of these
//! those in which few steps were taken by threads that the next waypoint does not name. The search is complete where there
//! are finitely many states: to come by a waypoint and not to pass it is tried as well. What is found is a trace, which has to be
//! replayed as any other.

use crate::course::{Deed, Ground, Numbers, is_creation, is_input};
use crate::expression::{constants, evaluate};
use crate::format::{Waypoint, WaypointKind};
use crate::places::{Places, Spot};
use crate::violation::racers;
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use threadwise_evidence::{Trace, TraceStep, Violation, for_each_shown};
use threadwise_front_c::landmarks::Landmarks;
use threadwise_ir::{Instance, Program, PropertyId, SharedId, State, ThreadId};
use threadwise_limits::{Budget, Limit};
use threadwise_memory::Atlas;
use threadwise_source::Span;

/// More states to start in are not tried.
const MOST_STARTS: usize = 64;

/// What came of it.
#[derive(Debug)]
pub enum Followed {
    /// An execution passes all waypoints and goes wrong.
    Found(Box<(Instance, Trace)>),
    /// No execution does, and all have been looked at, with as many threads.
    Nowhere { passed: usize },
    /// None was found; there may be more than could be looked at.
    Unknown { passed: usize },
}

/// A witness at a program, and what it takes to see what happens there.
#[derive(Clone, Copy)]
pub struct Guide<'a> {
    pub program: &'a Arc<Program>,
    pub landmarks: &'a Landmarks,
    pub atlas: &'a Atlas,
    pub segments: &'a [Vec<Waypoint>],
}

impl Guide<'_> {
    /// Looks for an execution that passes the segments one after the other and then goes wrong.
    pub fn follow(self, budget: &Budget) -> Result<Followed, Limit> {
        let creations = self.segments.iter().flatten().filter_map(|waypoint| waypoint.thread).max().unwrap_or(0);
        let ladder = if self.program.has_any_copies() { vec![creations.max(1), creations + 1, 2, 3] } else { vec![0] };
        let (mut passed, mut all) = (0, !self.program.has_any_copies());
        for copies in ladder {
            let instance = Instance::new(self.program.clone(), copies);
            match Search::new(self, &instance).run(budget)? {
                Followed::Nowhere { passed: far } => passed = passed.max(far),
                Followed::Unknown { passed: far } => (passed, all) = (passed.max(far), false),
                found @ Followed::Found(_) => return Ok(found),
            }
        }
        Ok(if all { Followed::Nowhere { passed } } else { Followed::Unknown { passed } })
    }
}

struct Node {
    state: State,
    numbers: Numbers,
    passed: usize,
    parent: usize,
    step: Option<TraceStep>,
    /// Steps of others than the one that the next waypoint names, since the last one was passed.
    detours: u32,
}

type Key = (State, Numbers, usize);

/// Who comes first: those who have passed the most, with the fewest detours; then the latest.
type Rank = (usize, Reverse<u32>, usize);

struct Search<'a> {
    ground: Ground<'a>,
    places: Places<'a>,
    segments: &'a [Vec<Waypoint>],
    spots: Vec<Vec<Spot>>,
    wanted: Vec<i64>,
    nodes: Vec<Node>,
    seen: FxHashSet<Key>,
    open: BinaryHeap<Rank>,
    /// Something was left out.
    has_gap: bool,
}

impl<'a> Search<'a> {
    fn new(guide: Guide<'a>, instance: &'a Instance) -> Search<'a> {
        let places = Places::new(guide.landmarks);
        let tests: FxHashSet<Span> =
            guide.program.edges.iter().filter(|edge| edge.branch.is_some()).map(|edge| edge.span).collect();
        let spot = |waypoint: &Waypoint| {
            let spot = places.of(waypoint);
            Spot { is_loose: is_loose(waypoint.kind, &spot, guide.landmarks, &tests), ..spot }
        };
        let spots: Vec<Vec<Spot>> = guide.segments.iter().map(|segment| segment.iter().map(spot).collect()).collect();
        let said = guide.segments.iter().flatten().filter_map(|waypoint| waypoint.constraint.as_deref());
        let mut wanted: Vec<i64> = said.flat_map(constants).chain(guide.program.compared_integers()).collect();
        wanted.sort_unstable();
        wanted.dedup();
        Search {
            ground: Ground { instance, landmarks: guide.landmarks, atlas: guide.atlas },
            spots,
            places,
            segments: guide.segments,
            wanted,
            nodes: Vec::new(),
            seen: FxHashSet::default(),
            open: BinaryHeap::new(),
            has_gap: false,
        }
    }

    fn run(mut self, budget: &Budget) -> Result<Followed, Limit> {
        self.start();
        let mut furthest = 0;
        while let Some((_, _, index)) = self.open.pop() {
            budget.check()?;
            furthest = furthest.max(self.nodes[index].passed);
            if let Some(trace) = self.expand(index) {
                return Ok(Followed::Found(Box::new((self.ground.instance.clone(), trace))));
            }
        }
        Ok(match self.has_gap {
            true => Followed::Unknown { passed: furthest },
            false => Followed::Nowhere { passed: furthest },
        })
    }

    fn start(&mut self) {
        let instance = self.ground.instance;
        let initial = instance.initial_stores_toward(&self.wanted);
        self.has_gap |= initial.gap.is_some() || initial.stores.len() > MOST_STARTS;
        for shared in initial.stores.iter().take(MOST_STARTS) {
            let mut states = vec![Vec::new()];
            for thread in (0..instance.threads.len() as u32).map(ThreadId) {
                let starts = instance.starts_toward(thread, shared, &self.wanted);
                self.has_gap |= starts.gap.is_some() || starts.successors.len() * states.len() > MOST_STARTS;
                let extend = |locals: &Vec<_>| {
                    let with = |local: &threadwise_ir::Store| locals.iter().cloned().chain([local.clone()]).collect();
                    starts.successors.iter().map(|start| with(&start.local)).collect::<Vec<Vec<_>>>()
                };
                states = states.iter().flat_map(extend).take(MOST_STARTS).collect();
            }
            for locals in states {
                let state = State { shared: shared.clone(), locals };
                self.add(Node { state, numbers: Numbers::default(), passed: 0, parent: 0, step: None, detours: 0 });
            }
        }
    }

    fn add(&mut self, node: Node) {
        if self.seen.insert((node.state.clone(), node.numbers.clone(), node.passed)) {
            let index = self.nodes.len();
            self.open.push((node.passed, Reverse(node.detours), index));
            self.nodes.push(node);
        }
    }

    /// Takes all steps from a state; the trace, if one of them is the error at the end.
    fn expand(&mut self, index: usize) -> Option<Trace> {
        let instance = self.ground.instance;
        if let Some(violation) = self.error_of_state(index) {
            return Some(self.trace(index, violation));
        }
        for thread in (0..instance.threads.len() as u32).map(ThreadId) {
            let state = &self.nodes[index].state;
            let steps = instance.steps_toward(thread, &state.shared, &state.locals[thread.index()], &self.wanted);
            self.has_gap |= steps.gap.is_some();
            for failure in &steps.failures {
                let mut numbers = self.nodes[index].numbers.clone();
                let node = &self.nodes[index];
                let deeds = self.ground.deeds(&node.state, thread, &failure.path, None, &mut numbers);
                let number = numbers.of(self.ground, thread);
                let Some(passed) = self.advance(index, (thread, number), &deeds) else { continue };
                if passed + 1 == self.segments.len() && self.is_target(passed, &[(number, failure.span.start)]) {
                    let (path, error, span) = (failure.path.clone(), failure.error, failure.span);
                    return Some(self.trace(index, Violation::Step { thread, path, error, span }));
                }
            }
            for step in steps.successors {
                self.take(index, TraceStep { thread, path: step.path, shared: step.shared, local: step.local });
            }
        }
        None
    }

    fn take(&mut self, index: usize, step: TraceStep) {
        let node = &self.nodes[index];
        let mut numbers = node.numbers.clone();
        let deeds = self.ground.deeds(&node.state, step.thread, &step.path, Some(&step), &mut numbers);
        let number = numbers.of(self.ground, step.thread);
        let Some(passed) = self.advance(index, (step.thread, number), &deeds) else { return };
        let before = &self.nodes[index];
        let mut state = before.state.clone();
        state.shared = step.shared.clone();
        state.locals[step.thread.index()] = step.local.clone();
        let is_named = self.segments[before.passed].iter().any(|waypoint| waypoint.thread.is_none_or(|t| t == number));
        let aside = before.detours + u32::from(!is_named);
        let variants =
            if passed > before.passed { vec![(passed, 0), (before.passed, aside + 1)] } else { vec![(passed, aside)] };
        for (passed, detours) in variants {
            let node = Node {
                state: state.clone(),
                numbers: numbers.clone(),
                passed,
                parent: index,
                step: Some(step.clone()),
                detours,
            };
            self.add(node);
        }
    }

    /// How many segments are passed after these deeds; nothing where something is done that is to be avoided. The last segment is
    /// for errors.
    fn advance(&self, index: usize, (thread, number): (ThreadId, u32), deeds: &[Deed]) -> Option<usize> {
        let node = &self.nodes[index];
        let mut passed = node.passed;
        for deed in deeds {
            let holds = |constraint: &str| self.holds(&node.state, thread, constraint);
            while passed + 1 < self.segments.len() {
                let all = self.segments[passed].iter().zip(&self.spots[passed]);
                let mut is_passed = false;
                for (waypoint, spot) in all {
                    if waypoint.thread.is_none_or(|wanted| wanted == number) && meets(waypoint, spot, deed, &holds) {
                        if !waypoint.is_followed {
                            return None;
                        }
                        is_passed = true;
                    }
                }
                if !is_passed {
                    break;
                }
                passed += 1;
                // One deed passes several segments only where they say the same of the same place.
                if !matches!(deed, Deed::At(_)) {
                    break;
                }
            }
        }
        Some(passed)
    }

    /// Whether a constraint holds before a step. What is not understood is taken to hold: the trace is judged anyway.
    fn holds(&self, state: &State, thread: ThreadId, constraint: &str) -> bool {
        let mut values = |name: &str| self.value(state, thread, name);
        evaluate(constraint, &mut values) != Some(0)
    }

    /// The value of a variable, by the name that it has in the text.
    fn value(&self, state: &State, thread: ThreadId, name: &str) -> Option<i64> {
        let instance = self.ground.instance;
        let telling = instance.program.telling.as_ref()?;
        let local = &state.locals[thread.index()];
        let (routine, start) = instance.top_frame(local);
        for (number, var) in instance.program.routine(routine).locals.iter().enumerate() {
            let id = threadwise_ir::LocalId(number as u32);
            let shown = telling.local(routine, id).filter(|shown| !shown.is_hidden);
            let called = shown.and_then(|shown| shown.name.as_deref()).unwrap_or(&var.name);
            if shown.is_some() && (called == name || called.split_once('.').is_some_and(|(_, last)| last == name)) {
                return local.get(start + instance.local_range(routine, id).start).copied();
            }
        }
        for (number, var) in instance.program.shared.iter().enumerate() {
            let id = SharedId(number as u32);
            let shown = telling.shared(id).filter(|shown| !shown.is_hidden && !shown.is_pointer);
            let words = &state.shared[instance.shared_range(id)];
            let mut found = None;
            if shown.is_some() {
                for_each_shown(instance, (&var.name, shown), &var.sort, words, &mut |part, _, words| {
                    if let ([word], true) = (words, part == name) {
                        found = Some(*word);
                    }
                });
            }
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Whether a state is in error, and that is the error that the last segment is about.
    fn error_of_state(&self, index: usize) -> Option<Violation> {
        let node = &self.nodes[index];
        let (instance, state) = (self.ground.instance, &node.state);
        if node.passed + 1 != self.segments.len() || instance.program.properties.is_empty() {
            return None;
        }
        let shown = &mut |thread| state.steps(instance, thread).shown;
        let broken = instance.broken_properties(&state.shared, &state.locals, shown);
        broken.into_iter().find_map(|broken| match broken {
            threadwise_ir::Broken::Property(id) => self.is_meant(node, id).then_some(Violation::Property(id)),
            threadwise_ir::Broken::Fault(..) => None,
        })
    }

    fn is_meant(&self, node: &Node, property: PropertyId) -> bool {
        let mut numbers = node.numbers.clone();
        let places = racers(self.ground, &node.state, property).into_iter().map(|(thread, edge)| {
            (numbers.of(self.ground, thread), self.ground.instance.program.edge(edge).span.start)
        });
        let places: Vec<(u32, u32)> = places.collect();
        self.is_target(node.passed, &places)
    }

    /// Whether each target of a segment is where one of these threads goes wrong.
    fn is_target(&self, segment: usize, places: &[(u32, u32)]) -> bool {
        let targets = self.segments[segment].iter().zip(&self.spots[segment]);
        let mut targets = targets.filter(|(waypoint, _)| waypoint.kind == WaypointKind::Target);
        targets.all(|(waypoint, spot)| {
            places.iter().any(|(number, position)| {
                waypoint.thread.is_none_or(|wanted| wanted == *number)
                    && self.places.is_within(*position, &spot.statements)
            })
        })
    }

    fn trace(&self, last: usize, violation: Violation) -> Trace {
        let (mut steps, mut index) = (Vec::new(), last);
        while let Some(step) = &self.nodes[index].step {
            steps.push(step.clone());
            index = self.nodes[index].parent;
        }
        steps.reverse();
        let initial = Some(self.nodes[index].state.clone());
        Trace { any_copies: self.ground.instance.any_copies(), initial, steps, violation }
    }
}

/// Whether what a waypoint is about cannot be seen in the program itself.
fn is_loose(kind: WaypointKind, spot: &Spot, landmarks: &Landmarks, tests: &FxHashSet<Span>) -> bool {
    match kind {
        WaypointKind::Assumption | WaypointKind::Target => false,
        WaypointKind::FunctionEnter => !spot.calls.iter().any(|call| is_creation(&landmarks.calls[*call])),
        WaypointKind::FunctionReturn => !spot.calls.iter().any(|call| is_input(&landmarks.calls[*call])),
        WaypointKind::Branching => !spot.statements.iter().any(|statement| {
            landmarks.statements[*statement].condition().is_some_and(|condition| tests.contains(&condition))
        }),
    }
}

/// Whether a deed passes a waypoint.
fn meets(waypoint: &Waypoint, spot: &Spot, deed: &Deed, holds: &dyn Fn(&str) -> bool) -> bool {
    match (waypoint.kind, deed) {
        (WaypointKind::Assumption, Deed::At(statement)) => {
            spot.statements.contains(statement) && waypoint.constraint.as_deref().is_none_or(holds)
        }
        (WaypointKind::Branching, Deed::Branches(statement, outcome)) => {
            spot.statements.contains(statement) && waypoint.constraint.as_deref() == Some(&outcome.to_string())
        }
        // Of calls that are laid out, and of tests that are taken apart, nothing is seen but the statement.
        (_, Deed::At(statement)) => spot.is_loose && spot.statements.contains(statement),
        (WaypointKind::FunctionEnter, Deed::Creates(call)) => spot.calls.contains(call),
        (WaypointKind::FunctionReturn, Deed::Input(call, value)) => {
            let mut result = |name: &str| (name == "\\result").then_some(*value);
            let is_so = |constraint: &str| evaluate(constraint, &mut result).is_none_or(|truth| truth != 0);
            spot.calls.contains(call) && waypoint.constraint.as_deref().is_none_or(is_so)
        }
        _ => false,
    }
}
