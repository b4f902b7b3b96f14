//! Threads as graphs.

use crate::formula::{EnumVar, all_of};
use crate::initial::Initial;
use crate::resolve::{Resolved, Step, ThreadDef};
use std::sync::Arc;
use threadwise_ir::{
    Command, Edge, EdgeId, Expr, Location, LocationId, Op, Place, Program, Routine, RoutineId, Update, Value, VarRef,
    Wait,
};
use threadwise_source::{Diagnostic, Span};

/// The most edges of a program.
const MAX_EDGES: usize = 1_000_000;

/// The program whose threads are being added.
pub(crate) struct Graph<'a> {
    pub(crate) program: &'a mut Program,
    pub(crate) system: &'a Resolved,
    pub(crate) initial: &'a Initial,
    pub(crate) state: EnumVar,
    pub(crate) start: Option<EnumVar>,
}

impl Graph<'_> {
    /// Adds the code of the thread in a column. Returns where its local state 0 is, and the location that
    /// stands for the local state of the chosen initial state, if there is one.
    pub(crate) fn add_routine(
        &mut self,
        def: usize,
        column: usize,
    ) -> Result<(u32, Option<LocationId>), Box<Diagnostic>> {
        let system = self.system;
        let thread = &system.threads[def];
        let span = thread.span;
        let routine = RoutineId(self.program.routines.len() as u32);
        let initial = if thread.number() == 0 { Vec::new() } else { self.initial.locals(def, column) };
        let hidden = (initial.len() > 1).then(|| self.add_location(routine, Vec::new(), span));
        let first = self.program.locations.len() as u32;
        for (name, mention) in &thread.locals.all {
            self.add_location(routine, vec![name.clone()], *mention);
        }
        let exit = self.add_location(routine, Vec::new(), span);
        let entry = match (hidden, &initial[..]) {
            (Some(hidden), _) => hidden,
            (None, [(only, _)]) => LocationId(first + only),
            (None, _) => exit,
        };
        let name = thread.name.clone();
        self.program.routines.push(Routine { entry, exit, ..Routine::new(name) });
        for step in &thread.steps {
            for &from in &step.from_local {
                self.add_step(LocationId(first + from), from, first, step, None)?;
            }
        }
        let Some(hidden) = hidden else { return Ok((first, None)) };
        let Some(start) = self.start else {
            self.program.locations[hidden.index()].transient = true;
            for (local, _) in initial {
                let (to, op) = (LocationId(first + local), Op::Command(Command::default()));
                self.add_edge(Edge { from: hidden, to, op, span, branch: None, atomic: false })?;
            }
            return Ok((first, None));
        };
        self.program.locations[hidden.index()].labels = [fresh_label(thread)].into();
        for step in &thread.steps {
            for (local, tuples) in initial.iter().filter(|(local, _)| step.from_local.contains(local)) {
                self.add_step(hidden, *local, first, step, start.is_one_of(tuples, step.span))?;
            }
        }
        Ok((first, Some(hidden)))
    }

    fn add_location(&mut self, routine: RoutineId, labels: Vec<Arc<str>>, span: Span) -> LocationId {
        let id = LocationId(self.program.locations.len() as u32);
        // A transition system does not say where a thread may wait.
        let wait = Wait::IsMeant;
        self.program.locations.push(Location { labels: labels.into(), wait, ..Location::new(routine, span) });
        id
    }

    /// The edges of a line from one of its local states, `local`; `from` is where that is.
    fn add_step(
        &mut self,
        from: LocationId,
        local: u32,
        first: u32,
        step: &Step,
        condition: Option<Expr>,
    ) -> Result<(), Box<Diagnostic>> {
        let guard = step.from_shared.as_ref().and_then(|shared| self.state.is_one_of(shared, step.span));
        let guards: Vec<Expr> = condition.into_iter().chain(guard).collect();
        let guard = (!guards.is_empty()).then(|| Box::new(all_of(guards, step.span)));
        let unchanged = [local];
        for &to in step.to_local.as_deref().unwrap_or(&unchanged) {
            for update in self.updates(step) {
                let op = Op::Command(Command { guard: guard.clone(), update, ..Command::default() });
                self.add_edge(Edge {
                    from,
                    to: LocationId(first + to),
                    op,
                    span: step.span,
                    branch: None,
                    atomic: false,
                })?;
            }
        }
        Ok(())
    }

    /// What a step may do to the shared state.
    fn updates(&self, step: &Step) -> Vec<Update> {
        let Some(after) = &step.to_shared else { return vec![Update::default()] };
        let update = |value: &u32| {
            if step.from_shared.as_deref() == Some(&[*value]) {
                return Update::default();
            }
            let (var, sort, span) = (VarRef::Shared(self.state.var), self.state.sort(), step.span);
            let place = Place { var, indices: Box::default(), sort: sort.into(), span };
            Update::Assign([(place, Value::Of(self.state.value(*value, span)))].into())
        };
        after.iter().map(update).collect()
    }

    fn add_edge(&mut self, edge: Edge) -> Result<(), Box<Diagnostic>> {
        if self.program.edges.len() == MAX_EDGES {
            let error = Diagnostic::error(edge.span, format!("there are more than {MAX_EDGES} transitions"));
            let error = error.label("the sets on this line stand for too many");
            return Err(Box::new(error.hint("a set on the left for the shared state costs nothing; the others do")));
        }
        let id = EdgeId(self.program.edges.len() as u32);
        self.program.locations[edge.from.index()].edges.push(id);
        Arc::make_mut(&mut self.program.edges).push(edge);
        Ok(())
    }
}

/// A label that no local state has.
fn fresh_label(thread: &ThreadDef) -> Arc<str> {
    let mut label = "start".to_string();
    while thread.locals.contains(&label) {
        label.push('\'');
    }
    label.into()
}
