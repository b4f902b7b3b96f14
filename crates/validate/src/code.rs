//! Routines, locations and edges.

use crate::Validator;
use crate::expr::{Scope, may_become};
use std::sync::Arc;
use threadwise_ir::{
    Command, Edge, EdgeId, Expr, LocalId, Location, LocationId, Op, Place, Routine, RoutineId, Update, Value, VarRef,
};

impl Validator<'_> {
    /// What a routine says about itself.
    pub(crate) fn routine(&mut self, routine: &Routine) {
        let (name, program) = (&routine.name, self.program);
        for local in &routine.locals {
            self.sort(&local.sort, &format!("the local {} of {name}", local.name));
        }
        let params_first = routine.params <= routine.locals.len();
        self.require(params_first, || format!("{name} has more parameters than locals"));
        let has_result = routine.result.is_none_or(|local| local.index() < routine.locals.len());
        self.require(has_result, || format!("the result of {name} is no local"));
        let locations = &routine.locations;
        let has_ends = locations.contains(&routine.entry.0) && locations.contains(&routine.exit.0);
        self.require(has_ends, || format!("{name} starts or ends outside of its locations"));
        let is_there =
            locations.end as usize <= program.locations.len() && routine.edges.end as usize <= program.edges.len();
        self.require(is_there, || format!("{name} has locations or edges that are not there"));
    }

    pub(crate) fn code(&mut self) {
        let program = self.program;
        for id in (0..program.routines.len() as u32).map(RoutineId) {
            self.ends(id);
        }
        let mut last: Option<(RoutineId, Arc<[LocalId]>)> = None;
        for (location, id) in program.locations.iter().zip(0..) {
            self.location(LocationId(id), location);
            // Neighbours mostly share the list.
            let is_known =
                last.as_ref().is_some_and(|(of, dead)| *of == location.routine && Arc::ptr_eq(dead, &location.dead));
            if !is_known {
                self.dead(LocationId(id), location);
                last = Some((location.routine, location.dead.clone()));
            }
        }
        for (edge, id) in program.edges.iter().zip(0..) {
            self.edge(EdgeId(id), edge);
        }
    }

    /// Nothing leads on from the end of a thread, and other threads see that it is there.
    fn ends(&mut self, id: RoutineId) {
        let routine = self.program.routine(id);
        let exit = self.program.location(routine.exit);
        let is_end = exit.edges.is_empty() && !exit.transient;
        self.require(is_end, || format!("{} goes on behind its end", routine.name));
    }

    fn location(&mut self, id: LocationId, location: &Location) {
        let program = self.program;
        let is_own = program.routine(location.routine).locations.contains(&id.0);
        self.require(is_own, || format!("{id:?} is not among the locations of its routine"));
        let leave_here = location.edges.iter().all(|&edge| program.edge(edge).from == id);
        self.require(leave_here, || format!("{id:?} lists an edge that leaves another location"));
        for e in &location.invariants {
            self.condition(e, &Scope::code(location.routine), &format!("a loop invariant at {id:?}"));
        }
    }

    fn dead(&mut self, id: LocationId, location: &Location) {
        let locals = self.program.routine(location.routine).locals.len();
        let are_locals = location.dead.is_sorted_by(|a, b| a < b) && location.dead.iter().all(|l| l.index() < locals);
        self.require(are_locals, || format!("the locals that are dead at {id:?} are no sorted list of locals"));
    }

    fn edge(&mut self, id: EdgeId, edge: &Edge) {
        let program = self.program;
        let routine = program.location(edge.from).routine;
        let is_own = program.routine(routine).edges.contains(&id.0) && program.location(edge.to).routine == routine;
        self.require(is_own, || format!("{id:?} leaves its routine, or is not among its edges"));
        let listed = program.location(edge.from).edges.iter().filter(|&&other| other == id).count();
        self.require(listed == 1, || format!("the location that {id:?} leaves lists it {listed} times"));
        let scope = Scope::code(routine);
        match &edge.op {
            Op::Command(command) => self.command(command, &scope, id),
            Op::Call { routine: callee, args, result } => self.call(*callee, args, result.as_deref(), &scope, id),
            Op::Return(value) => self.return_from(routine, value.as_deref(), &scope, id),
        }
    }

    fn command(&mut self, command: &Command, scope: &Scope, id: EdgeId) {
        for assertion in &command.assertions {
            self.condition(&assertion.condition, scope, &format!("an assertion of {id:?}"));
        }
        command.guard.iter().for_each(|e| self.condition(e, scope, &format!("the guard of {id:?}")));
        match &command.update {
            Update::Assign(assignments) => {
                for (index, (place, value)) in assignments.iter().enumerate() {
                    self.place(place, scope, id);
                    if let Value::Of(e) = value {
                        self.fits(e, &place.sort, scope, &format!("a value that {id:?} assigns"));
                    }
                    let is_whole = |other: &Place| other.indices.is_empty() || place.indices.is_empty();
                    let clash = assignments[..index].iter().any(|(o, _)| o.var == place.var && is_whole(o));
                    self.require(!clash, || format!("{id:?} assigns one variable twice"));
                }
            }
            Update::Action { frame, formula, assertion } => {
                let is_frame = frame.iter().all(|&var| self.sort_of(var, scope.routine).is_some());
                self.require(is_frame, || format!("the action of {id:?} changes a variable that is not there"));
                let scope = Scope { after: true, ..scope.clone() };
                self.condition(formula, &scope, &format!("the action of {id:?}"));
                assertion.iter().for_each(|e| self.condition(e, &scope, &format!("the assertion of {id:?}")));
            }
        }
    }

    fn place(&mut self, place: &Place, scope: &Scope, id: EdgeId) {
        let what = format!("an index that {id:?} assigns at");
        let mut sort = self.sort_of(place.var, scope.routine).cloned();
        for index in &place.indices {
            sort = match sort {
                Some(threadwise_ir::Sort::Array(key, element)) => {
                    self.fits(index, &key, scope, &what);
                    Some((*element).clone())
                }
                Some(_) | None => None,
            };
        }
        let is_right = sort.is_some_and(|sort| place.sort == sort);
        self.require(is_right, || format!("{id:?} assigns {:?}, which is not of sort {:?}", place.var, place.sort));
    }

    fn call(&mut self, callee: RoutineId, args: &[Expr], result: Option<&Place>, scope: &Scope, id: EdgeId) {
        let routine = self.program.routine(callee);
        self.require(args.len() == routine.params, || format!("{id:?} gives {} arguments", args.len()));
        for (arg, param) in args.iter().zip(&routine.locals) {
            self.fits(arg, &param.sort, scope, &format!("an argument of {id:?}"));
        }
        if let Some(place) = result {
            self.place(place, scope, id);
            let given = routine.result.and_then(|local| self.sort_of(VarRef::Local(local), Some(callee)));
            let fits = given.is_some_and(|sort| may_become(sort, &place.sort));
            self.require(fits, || format!("{id:?} stores a result that {} does not give", routine.name));
        }
        let is_thread = self.program.templates.iter().any(|template| template.body == callee);
        self.require(!is_thread, || format!("{id:?} calls a thread"));
    }

    fn return_from(&mut self, routine: RoutineId, value: Option<&Expr>, scope: &Scope, id: EdgeId) {
        let result =
            self.program.routine(routine).result.and_then(|local| self.sort_of(VarRef::Local(local), Some(routine)));
        match (value, result.cloned()) {
            (Some(e), Some(sort)) => self.fits(e, &sort, scope, &format!("the value that {id:?} returns")),
            (Some(_), None) => self.wrong.push(format!("{id:?} returns a value from a routine without a result")),
            (None, _) => {}
        }
        let is_thread = self.program.templates.iter().any(|template| template.body == routine);
        self.require(!is_thread, || format!("{id:?} returns from a thread"));
    }
}
