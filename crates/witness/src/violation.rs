//! From a trace to a violation sequence.
//!
//! The waypoints are those that lead others along the same execution, and no more: where threads are created, what inputs are,
//! which way tests go, and, wherever another thread gets its turn, the first and the last statement of that turn.

use crate::course::{Deed, Ground, Numbers};
use crate::format::{Location, Waypoint, WaypointKind};
use threadwise_evidence::{Trace, Violation};
use threadwise_front_c::landmarks::Place;
use threadwise_ir::{EdgeId, Observations, PropertyId, State, ThreadId};

/// The segments that lead along a trace; nothing where the trace or its error has no place in the text.
pub fn violation_sequence(ground: Ground<'_>, trace: &Trace) -> Option<Vec<Vec<Waypoint>>> {
    let mut numbers = Numbers::default();
    let mut state = trace.initial.clone()?;
    let mut turns: Vec<Turn> = Vec::new();
    for step in &trace.steps {
        let deeds = ground.deeds(&state, step.thread, &step.path, Some(step), &mut numbers);
        let number = numbers.of(ground, step.thread);
        if turns.last().is_none_or(|turn| turn.thread != number) {
            turns.push(Turn { thread: number, deeds: Vec::new() });
        }
        turns.last_mut()?.deeds.extend(deeds);
        state.shared = step.shared.clone();
        state.locals[step.thread.index()] = step.local.clone();
    }
    let (last_deeds, targets) = error(ground, &trace.violation, &state, &mut numbers)?;
    if let (Some(deeds), [target]) = (last_deeds, &targets[..]) {
        let thread = target.thread.unwrap_or(0);
        if turns.last().is_none_or(|turn| turn.thread != thread) {
            turns.push(Turn { thread, deeds: Vec::new() });
        }
        turns.last_mut()?.deeds.extend(deeds);
    }
    let mut segments: Vec<Vec<Waypoint>> = Vec::new();
    for (turn, index) in turns.iter().zip(0..) {
        segments.extend(turn.waypoints(ground, index > 0).into_iter().map(|waypoint| vec![waypoint]));
    }
    segments.push(targets);
    Some(segments)
}

/// What one thread does before another one goes on.
struct Turn {
    thread: u32,
    deeds: Vec<Deed>,
}

impl Turn {
    /// The first and the last statement are told, unless something else is told of them, and all that decides where the
    /// thread goes.
    fn waypoints(&self, ground: Ground<'_>, is_after_another: bool) -> Vec<Waypoint> {
        let is_statement = |deed: &&Deed| matches!(deed, Deed::At(_));
        let statements = self.deeds.iter().filter(is_statement).count();
        let mut seen = 0;
        let mut waypoints: Vec<Waypoint> = Vec::new();
        for (deed, index) in self.deeds.iter().zip(0..) {
            match deed {
                Deed::At(statement) => {
                    seen += 1;
                    let is_end = is_after_another && seen == 1 || seen == statements;
                    let is_told =
                        self.deeds[index + 1..].iter().take_while(|next| !is_statement(next)).next().is_some();
                    if is_end && !is_told {
                        let span = ground.landmarks.statements[*statement].span;
                        waypoints.push(self.waypoint(
                            ground,
                            WaypointKind::Assumption,
                            (span.start, *statement),
                            Some("1".to_string()),
                        ));
                    }
                }
                Deed::Creates(call) => waypoints.push(self.at_call(ground, WaypointKind::FunctionEnter, *call, None)),
                Deed::Input(call, value) => {
                    let constraint = Some(format!("\\result == {value}"));
                    waypoints.push(self.at_call(ground, WaypointKind::FunctionReturn, *call, constraint));
                }
                Deed::Branches(statement, outcome) => {
                    let span = ground.landmarks.statements[*statement].span;
                    let constraint = Some(outcome.to_string());
                    waypoints.push(self.waypoint(
                        ground,
                        WaypointKind::Branching,
                        (span.start, *statement),
                        constraint,
                    ));
                }
            }
        }
        waypoints.dedup();
        waypoints
    }

    fn waypoint(
        &self,
        ground: Ground<'_>,
        kind: WaypointKind,
        (position, statement): (u32, usize),
        constraint: Option<String>,
    ) -> Waypoint {
        let function = ground.landmarks.statements[statement].function.to_string();
        let location = location(ground.landmarks.place(position), function);
        Waypoint { kind, is_followed: true, thread: Some(self.thread), location, constraint }
    }

    fn at_call(&self, ground: Ground<'_>, kind: WaypointKind, call: usize, constraint: Option<String>) -> Waypoint {
        let call = &ground.landmarks.calls[call];
        let location = location(ground.landmarks.place(call.close), call.function.to_string());
        Waypoint { kind, is_followed: true, thread: Some(self.thread), location, constraint }
    }
}

pub(crate) fn location(place: Place, function: String) -> Location {
    Location {
        file_name: place.file,
        line: place.line,
        column: Some(place.column),
        function: Some(function).filter(|name| !name.is_empty()),
    }
}

type Error = (Option<Vec<Deed>>, Vec<Waypoint>);

/// Where it goes wrong: what the step that does so passes on its way, and the targets.
fn error(ground: Ground<'_>, violation: &Violation, state: &State, numbers: &mut Numbers) -> Option<Error> {
    match violation {
        Violation::Step { thread, path, span, .. } => {
            let deeds = ground.deeds(state, *thread, path, None, numbers);
            let number = numbers.of(ground, *thread);
            let target = target(ground, number, span.start)?;
            // The statement itself is the target.
            let last = ground.landmarks.statement_at(span.start);
            let deeds = deeds.into_iter().filter(|deed| *deed != Deed::At(last.unwrap_or(usize::MAX))).collect();
            Some((Some(deeds), vec![target]))
        }
        Violation::Property(id) => {
            let racers = racers(ground, state, *id);
            let targets = racers.into_iter().filter_map(|(thread, edge)| {
                let position = ground.instance.program.edge(edge).span.start;
                target(ground, numbers.of(ground, thread), position)
            });
            let targets: Vec<Waypoint> = targets.collect();
            (!targets.is_empty()).then_some((None, targets))
        }
        Violation::PropertyFault(..) | Violation::Initial(..) | Violation::Start { .. } => None,
    }
}

fn target(ground: Ground<'_>, thread: u32, position: u32) -> Option<Waypoint> {
    let statement = &ground.landmarks.statements[ground.landmarks.statement_at(position)?];
    let location = location(ground.landmarks.place(statement.span.start), statement.function.to_string());
    let kind = WaypointKind::Target;
    Some(Waypoint { kind, is_followed: true, thread: Some(thread), location, constraint: None })
}

/// Who takes part in what violates a property, each with an edge of its next step that shows it.
pub(crate) fn racers(ground: Ground<'_>, state: &State, property: PropertyId) -> Vec<(ThreadId, EdgeId)> {
    let instance = ground.instance;
    let program = &instance.program;
    let threads = || (0..instance.threads.len() as u32).map(ThreadId);
    let shown: Vec<Observations> = threads().map(|thread| state.steps(instance, thread).shown).collect();
    let met = program.patterns_met(&shown.iter().collect::<Vec<&Observations>>());
    let Some(met) = met.into_iter().find(|met| met.property == property) else { return Vec::new() };
    let Some(pattern) = program.property(property).pattern() else { return Vec::new() };
    let mut found = Vec::new();
    for (&thread, sign) in met.threads.iter().zip(pattern.signs()) {
        let thread = ThreadId(thread as u32);
        let edges: Vec<EdgeId> =
            state.steps(instance, thread).successors.iter().flat_map(|step| step.path.iter().copied()).collect();
        let shows = |id: &&EdgeId| sign.is_shown_by(program.edge(**id)) || sign.is_shown_by_result(program.edge(**id));
        found.extend(edges.iter().find(shows).map(|edge| (thread, *edge)));
    }
    found
}
