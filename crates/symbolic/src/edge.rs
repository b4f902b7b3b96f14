//! What a thread does along one edge, as terms over the state before it and what it chooses.
//!
//! This follows `ir`'s `step.rs`, with terms in the place of words. Where that stops with an error on some values,
//! the condition for it is a [`Hazard`], and what follows is said of the other values.

use crate::{Hazards, Population, ThreadState, Unsupported, Value, View};
use threadwise_ir::{
    AssertionKind, BinaryOp, Command, Edge, EdgeId, Expr, ExprKind, Fault, Op, Place, Program, RoutineId, Sort,
    StepError, Update, Value as Assigned, VarRef,
};
use threadwise_logic::Term;
use threadwise_source::Span;

/// Makes any value of a sort, by terms that nobody else has, and says what a step takes for granted of it.
pub type Choose<'a> = dyn FnMut(&Sort) -> (Value, Term) + 'a;

/// A thread that has taken an edge.
#[derive(Clone, Debug)]
pub struct Taken {
    /// What can go wrong, and that nothing does, the guard holds and the choices are possible.
    pub hazards: Hazards,
    /// What it chooses freely.
    pub choices: Vec<Value>,
    /// The state after it.
    pub after: ThreadState,
}

/// Takes an edge from a state.
pub fn take_edge(
    population: &Population,
    me: &Term,
    before: &ThreadState,
    id: EdgeId,
    choose: &mut Choose<'_>,
) -> Result<Taken, Unsupported> {
    let edge = population.program.edge(id);
    let (hazards, choices, after) = (Hazards::default(), Vec::new(), before.clone());
    let mut taker = Taker { population, me, choose, taken: Taken { hazards, choices, after } };
    match &edge.op {
        Op::Command(command) => taker.command(command, edge)?,
        Op::Call { routine, args, .. } => taker.call(id, *routine, args)?,
        Op::Return(value) => taker.return_from(value.as_deref())?,
    }
    taker.taken.after.clear_dead(population);
    Ok(taker.taken)
}

/// Chooses by constants, whose names start with a prefix; the values are of their sorts.
pub fn by_constants<'a>(
    population: &'a Population,
    prefix: impl Into<String>,
) -> impl FnMut(&Sort) -> (Value, Term) + 'a {
    let (prefix, mut count) = (prefix.into(), 0);
    move |sort| {
        let value = population.named(&format!("{prefix}.{count}"), sort);
        count += 1;
        let proper = population.well_formed(sort, &value);
        (value, proper)
    }
}

/// The likeliest fault in an expression; which one it is, the semantics will tell.
fn fault_of(e: &Expr) -> StepError {
    let has = |ops: &[BinaryOp]| e.any(&|e| matches!(e.kind, ExprKind::Binary(op, ..) if ops.contains(&op)));
    let (divides, shifts) = (has(&[BinaryOp::Div, BinaryOp::Mod]), has(&[BinaryOp::Shl, BinaryOp::Shr]));
    StepError::Fault(match (divides, shifts) {
        (true, _) => Fault::Division,
        (false, true) => Fault::Shift,
        (false, false) => Fault::Index,
    })
}

/// An edge that is being taken.
struct Taker<'a> {
    population: &'a Population,
    me: &'a Term,
    choose: &'a mut Choose<'a>,
    taken: Taken,
}

impl<'a> Taker<'a> {
    fn program(&self) -> &'a Program {
        &self.population.program
    }

    fn view(&self) -> View<'_> {
        View::of_thread(self.population, self.me, &self.taken.after.shared, self.taken.after.locals())
    }

    fn must(&mut self, condition: &Term, error: StepError, span: Span) {
        self.taken.hazards.must(condition, error, span);
    }

    /// Evaluates an expression; what it runs into is an error.
    fn value(&mut self, e: &Expr) -> Result<Value, Unsupported> {
        let translated = self.view().translate(e)?;
        self.must(&translated.defined, fault_of(e), e.span);
        Ok(translated.value)
    }

    fn fits(&mut self, sort: &Sort, value: &Value, span: Span) {
        self.must(&self.population.in_range(sort, value), StepError::Fault(Fault::Range), span);
    }

    fn command(&mut self, command: &Command, edge: &Edge) -> Result<(), Unsupported> {
        for assertion in &command.assertions {
            let condition = self.value(&assertion.condition)?;
            let error = match assertion.kind {
                AssertionKind::Assert => StepError::Assertion,
                AssertionKind::Release => StepError::Release,
                AssertionKind::Start => StepError::Start,
                AssertionKind::Join => StepError::Join,
                AssertionKind::Memory => StepError::Memory,
                AssertionKind::Arithmetic => StepError::Arithmetic,
                AssertionKind::Lock => StepError::Lock,
                AssertionKind::Exception => StepError::Exception,
                AssertionKind::Beyond => StepError::Beyond,
            };
            self.must(condition.term(), error, edge.span);
            self.taken.hazards.end_part();
        }
        if let Some(guard) = &command.guard {
            let guard = self.value(guard)?;
            self.taken.hazards.only_if(guard.term());
        }
        match &command.update {
            Update::Assign(assignments) => self.assign(assignments)?,
            Update::Action { frame, formula, assertion } => {
                self.act(frame, formula, assertion.as_deref(), edge.span)?
            }
        }
        self.taken.after.point.location = edge.to;
        Ok(())
    }

    /// As in the semantics: all is evaluated first, then stored in order, the free choices last.
    fn assign(&mut self, assignments: &[(Place, Assigned)]) -> Result<(), Unsupported> {
        let mut stores = Vec::new();
        for (place, assigned) in assignments {
            match assigned {
                Assigned::Of(e) => {
                    let value = self.value(e)?;
                    let keys = self.keys(place)?;
                    self.fits(&place.sort, &value, e.span);
                    stores.push((place, keys, Some(value)));
                }
                Assigned::Any => stores.push((place, self.keys(place)?, None)),
            }
        }
        // Where places coincide, the last one counts.
        for (place, keys, value) in stores {
            let value = value.unwrap_or_else(|| self.any(&place.sort));
            self.store(place.var, &keys, &value);
        }
        Ok(())
    }

    /// The keys of a place; those out of range are errors.
    fn keys(&mut self, place: &Place) -> Result<Vec<Term>, Unsupported> {
        let mut keys = Vec::new();
        let mut sort = self.sort_of(place.var);
        for index in &place.indices {
            let Sort::Array(key_sort, element) = sort else { unreachable!("only arrays are indexed") };
            let key = self.value(index)?;
            let within = self.population.keys(key_sort).contains(key.term());
            self.must(&within, StepError::Fault(Fault::Index), index.span);
            keys.push(key.term().clone());
            sort = element;
        }
        Ok(keys)
    }

    fn any(&mut self, sort: &Sort) -> Value {
        let (value, proper) = (self.choose)(sort);
        self.taken.hazards.only_if(&proper);
        self.taken.choices.push(value.clone());
        value
    }

    fn store(&mut self, var: VarRef, keys: &[Term], value: &Value) {
        let sort = self.sort_of(var);
        let variable = self.taken.after.variable(var);
        *variable = self.population.updated(sort, variable, keys, value);
    }

    fn sort_of(&self, var: VarRef) -> &'a Sort {
        let program = self.program();
        match var {
            VarRef::Shared(id) => &program.shared[id.index()].sort,
            VarRef::Local(id) => &program.routine(self.taken.after.routine(program)).locals[id.index()].sort,
        }
    }

    fn act(
        &mut self,
        frame: &[VarRef],
        formula: &Expr,
        assertion: Option<&Expr>,
        span: Span,
    ) -> Result<(), Unsupported> {
        let before = self.taken.after.clone();
        for &var in frame {
            let value = self.any(self.sort_of(var));
            self.store(var, &[], &value);
        }
        let after = self.taken.after.clone();
        let view = View::of_thread(self.population, self.me, &before.shared, before.locals());
        let view = view.with_after(&after.shared, after.locals());
        let possible = view.translate(formula)?;
        self.must(&possible.defined, fault_of(formula), formula.span);
        self.taken.hazards.only_if(possible.value.term());
        if let Some(assertion) = assertion {
            let asserted = view.translate(assertion)?;
            self.must(&asserted.defined, fault_of(assertion), assertion.span);
            self.must(asserted.value.term(), StepError::ActionAssertion, span);
        }
        Ok(())
    }

    fn call(&mut self, id: EdgeId, routine: RoutineId, args: &[Expr]) -> Result<(), Unsupported> {
        let callee = self.program().routine(routine);
        let mut locals = self.population.defaults(callee);
        for (index, arg) in args.iter().enumerate() {
            locals[index] = self.value(arg)?;
            self.fits(&callee.locals[index].sort, &locals[index], arg.span);
        }
        let after = &mut self.taken.after;
        after.frames.push(locals);
        after.point.calls.push(id);
        after.point.location = callee.entry;
        Ok(())
    }

    fn return_from(&mut self, value: Option<&Expr>) -> Result<(), Unsupported> {
        let program = self.program();
        let callee = program.routine(self.taken.after.routine(program));
        let result = match (callee.result, value) {
            (Some(result), Some(e)) => {
                let value = self.value(e)?;
                self.fits(&callee.locals[result.index()].sort, &value, e.span);
                Some(value)
            }
            (Some(result), None) => Some(self.taken.after.locals()[result.index()].clone()),
            (None, _) => None,
        };
        self.taken.hazards.end_part();
        let after = &mut self.taken.after;
        after.frames.pop();
        let call = program.edge(after.point.calls.pop().expect("front ends end threads without a return"));
        let Op::Call { result: place, .. } = &call.op else { unreachable!("a call is under way") };
        after.point.location = call.from;
        if let (Some(place), Some(value)) = (place, result) {
            let keys = self.keys(place)?;
            self.fits(&place.sort, &value, call.span);
            self.store(place.var, &keys, &value);
        }
        self.taken.after.point.location = call.to;
        Ok(())
    }
}
