//! A transition system → a program.
//!
//! The shared state is the variable `state`. A thread's local states are its control locations, and each of its
//! transitions is an edge with a guard on `state` and an assignment to it. Error states are `never` properties.
//!
//! Initial states that are all combinations of some shared states and some local states of each thread need
//! nothing more: a thread with several initial locations starts with a choice that nobody can observe. Otherwise
//! the variable `start`, which never changes, tells which of the initial states was chosen. A thread whose local
//! state depends on it starts in a location of its own, which behaves like the local state that the chosen
//! initial state gives it, and counts as that one in error states and exceptions.

use crate::formula::EnumVar;
use crate::initial::{Initial, Tuple, initial, system_columns};
use crate::patterns::Patterns;
use crate::resolve::Resolved;
use crate::steps::Graph;
use std::sync::Arc;
use threadwise_ir::{
    Copies, EnumDef, EnumId, Expr, Initial as Value, LocationId, Program, Property, RoutineId, SharedId, SharedVar,
    Sort, Template, TemplateId,
};
use threadwise_source::{Diagnostic, SourceMap, Span};
use threadwise_validate::finished;

/// Initial states of more threads than this are not written out as the values of `start`.
const MAX_SHOWN_THREADS: usize = 8;

/// A thread of the program.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) template: TemplateId,
    /// The index of its declaration.
    pub(crate) def: usize,
    /// It stands for all copies of the declaration; otherwise for the one thread in its column.
    pub(crate) replicated: bool,
    /// Its first column in patterns.
    pub(crate) column: usize,
    /// Where local state 0 is; the others follow.
    pub(crate) first: u32,
    /// The location that stands for the local state of the chosen initial state.
    pub(crate) start: Option<LocationId>,
}

impl Unit {
    pub(crate) fn location(&self, local: u32) -> LocationId {
        LocationId(self.first + local)
    }
}

/// Makes the program.
pub(crate) fn lower(source: Arc<SourceMap>, system: &Resolved, diagnostics: &mut Vec<Diagnostic>) -> Option<Program> {
    let initial = initial(system, diagnostics)?;
    let mut program = Program::empty(source);
    let start = match &initial {
        Initial::Product { .. } => None,
        Initial::Tuples(tuples) => Some(add_start(&mut program, system, tuples)),
    };
    let state = add_state(&mut program, system, &initial, start);
    let units = add_threads(&mut program, system, &initial, (state, start), diagnostics)?;
    let patterns = Patterns { system, units: &units, initial: &initial, state, start };
    for product in &system.errors {
        program.properties.push(Property::never(None, patterns.formula(product, diagnostics)?, product.span));
    }
    for product in &system.exceptions {
        program.exceptions.push(patterns.formula(product, diagnostics)?);
    }
    Some(finished(program))
}

fn add_variable(
    program: &mut Program,
    ty: &str,
    members: Vec<Arc<str>>,
    name: &str,
    init: Value,
    span: Span,
) -> EnumVar {
    let var = EnumVar {
        var: SharedId(program.shared.len() as u32),
        of: EnumId(program.enums.len() as u32),
        values: members.len() as u32,
    };
    program.enums.push(EnumDef { name: ty.into(), members });
    program.shared.push(SharedVar { name: name.into(), sort: var.sort(), init, span });
    var
}

/// The variable that tells the initial state.
fn add_start(program: &mut Program, system: &Resolved, tuples: &[Tuple]) -> EnumVar {
    let columns = system_columns(system);
    let show = |(number, (shared, locals)): (usize, &Tuple)| -> Arc<str> {
        if columns.len() > MAX_SHOWN_THREADS {
            return format!("(#{})", number + 1).into();
        }
        let locals = locals.iter().zip(&columns).map(|(&local, def)| &**def.locals.text(local));
        let parts: Vec<&str> = std::iter::once(&**system.shared.text(*shared)).chain(locals).collect();
        format!("({})", parts.join(", ")).into()
    };
    let members = tuples.iter().enumerate().map(show).collect();
    add_variable(program, "Start", members, "start", Value::Any, init_span(system))
}

/// The shared state.
fn add_state(program: &mut Program, system: &Resolved, initial: &Initial, start: Option<EnumVar>) -> EnumVar {
    let members = system.shared.all.iter().map(|(name, _)| name.clone()).collect();
    let span = init_span(system);
    let state = add_variable(program, "Shared", members, "state", Value::Any, span);
    match (initial, start) {
        (Initial::Tuples(tuples), Some(start)) => {
            let groups: Vec<(u32, Vec<u32>)> = tuples
                .chunk_by(|a, b| a.0 == b.0)
                .scan(0, |next, group| {
                    let numbers = (*next..*next + group.len() as u32).collect();
                    *next += group.len() as u32;
                    Some((group[0].0, numbers))
                })
                .collect();
            program.shared[state.var.index()].init = Value::Value(state_at_start(state, start, &groups, span));
        }
        (Initial::Product { shared, .. }, _) => match shared[..] {
            [only] => program.shared[state.var.index()].init = Value::Value(state.value(only, span)),
            _ => program.init.extend(state.is_one_of(shared, span)),
        },
        (Initial::Tuples(_), None) => {}
    }
    state
}

/// The shared state that each value of `start` means, as a balanced tree of conditionals.
fn state_at_start(state: EnumVar, start: EnumVar, groups: &[(u32, Vec<u32>)], span: Span) -> Expr {
    let (left, right) = groups.split_at(groups.len() / 2);
    let numbers: Vec<u32> = left.iter().flat_map(|(_, numbers)| numbers).copied().collect();
    match (groups, start.is_one_of(&numbers, span)) {
        ([(shared, _)], _) => state.value(*shared, span),
        (_, Some(condition)) => {
            let (yes, no) = (state_at_start(state, start, left, span), state_at_start(state, start, right, span));
            Expr::conditional(condition, yes, no, state.sort(), span)
        }
        (_, None) => Expr::constant(0, Sort::Enum(state.of), span),
    }
}

fn init_span(system: &Resolved) -> Span {
    system.init.first().map_or(Span::default(), |product| product.span)
}

/// The threads, in order.
fn add_threads(
    program: &mut Program,
    system: &Resolved,
    initial: &Initial,
    variables: (EnumVar, Option<EnumVar>),
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Vec<Unit>> {
    let mut graph = Graph { program, system, initial, state: variables.0, start: variables.1 };
    let mut units = Vec::new();
    let mut column = 0;
    for (def, thread) in system.threads.iter().enumerate() {
        // Copies that start in different states are threads of their own.
        let alone = thread.copies.is_none() || !initial.is_uniform(column..column + thread.number());
        let parts = if alone { thread.number() } else { 1 };
        for part in 0..parts {
            let body = RoutineId(graph.program.routines.len() as u32);
            let template = TemplateId(graph.program.templates.len() as u32);
            let (first, start) = match graph.add_routine(def, column + part) {
                Ok(locations) => locations,
                Err(error) => {
                    diagnostics.push(*error);
                    return None;
                }
            };
            let (name, copies) = match thread.copies {
                None => (thread.name.clone(), Copies::Single),
                Some(_) if alone => (format!("{}[{}]", thread.name, part + 1).into(), Copies::Single),
                Some(copies) => (thread.name.clone(), Copies::Exactly(copies)),
            };
            graph.program.templates.push(Template { name, copies, body, span: thread.span });
            units.push(Unit { template, def, replicated: !alone, column: column + part, first, start });
        }
        column += thread.number();
    }
    Some(units)
}
